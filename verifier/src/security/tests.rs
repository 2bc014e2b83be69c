//! Floors at the caps, refusals above them, and the terms next to those of `p3-security`.

use p3_security::fri::FriRegime;
use p3_security::logup::{LogUpAir, fingerprint_error};
use p3_security::stark::{conjectured_security_report, proven_security_report};
use p3_security::{ErrorBits, GrindingSites, InstanceShape, StarkAirParams};
use traceloom_air::field::MODULUS;

use super::terms::*;
use super::*;
use crate::params::{Params, Profile};

/// A shard like BLAKE3: 190 lookups of up to 100 elements per row.
fn wide(log_height: usize, params: &Params) -> Instance {
    let rows = (log_height as f64).exp2();
    let shard = Shard {
        log_height,
        num_constraints: 1000,
        zeta_factor: zeta_factor(rows, 5, 4),
        num_openings: 1300,
        heights_join: false,
    };
    Instance {
        log_field: params.extension_degree as f64 * (MODULUS as f64).log2(),
        messages: 190.0 * rows,
        max_message: 100,
        shards: vec![shard],
    }
}

/// As large as [`Caps`](crate::params::Caps) say, in everything.
fn at_caps(profile: Profile, log_messages: usize, num_shards: usize) -> Instance {
    let log_height = profile.caps().log_height;
    let mut instance = wide(log_height, &profile.params());
    let [shard] = &mut instance.shards[..] else { panic!("one shard") };
    (shard.num_openings, shard.num_constraints, shard.heights_join) = (2048, 4096, true);
    instance.messages = (log_messages as f64).exp2();
    instance.max_message = 127;
    instance.shards = vec![instance.shards[0]; num_shards];
    instance
}

fn p3_figures(log_height: usize, params: &Params) -> (f64, f64) {
    let regime = FriRegime {
        log_blowup: params.log_blowup,
        num_queries: params.num_queries,
        log_final_poly_len: 0,
        max_log_arity: params.max_log_arity,
        commit_pow_bits: params.commit_pow_bits,
        query_pow_bits: params.query_pow_bits,
    };
    let air = StarkAirParams {
        num_constraints: 1000,
        max_constraint_degree: 5,
        num_quotient_chunks: 4,
        max_combo: 2,
    };
    let shape = InstanceShape {
        log_trace_length: log_height,
        modulus_bits: 64 * params.extension_degree,
        collision_resistance: 128,
        num_batched_functions: 1300,
    };
    let grinding = GrindingSites {
        out_of_domain: params.zeta_pow_bits,
        batch_combination: params.batch_pow_bits,
        lookup_challenge: params.lookup_pow_bits,
    };
    // Their payload leaves out the channel.
    let lookups = LogUpAir { num_interactions: 190, max_message_width: 99 };
    let bits = fingerprint_error(&lookups, &shape).bits() + params.lookup_pow_bits as f64;
    let extras = [p3_security::SecurityTerm::new("lookup", ErrorBits::from_log2(bits))];
    let proven = proven_security_report(&regime, &air, &shape, &extras, &grinding);
    let conjectured = conjectured_security_report(&regime, &air, &shape, &extras, &grinding);
    (conjectured.security_bits(), proven.security_bits())
}

/// Ours count the list in the lookup term too, and believe less of words beyond the
/// Johnson radius than what p3 calls conjectured.
#[test]
fn the_figures_are_those_of_p3_security_or_lower() {
    for profile in Profile::ALL {
        let params = profile.params();
        for log_height in [0, 1, 3, 6, 7, 8, 16, 22, 26] {
            let figures = wide(log_height, &params).figures(&params);
            let (conjectured, proven) = p3_figures(log_height, &params);
            let at = format!("{profile:?} 2^{log_height}: {figures:?}");
            assert!(figures.heuristic <= conjectured.min(128.0) + 0.01, "{conjectured} {at}");
            let difference = proven - figures.provable;
            let most = if params.extension_degree == 3 { 0.01 } else { 5.0 };
            assert!((-0.01..most).contains(&difference), "{difference} {at}");
        }
    }
}

#[test]
fn every_profile_keeps_its_floors_at_its_caps() {
    for profile in Profile::ALL {
        let (caps, params) = (profile.caps(), profile.params());
        assert_eq!(caps.log_height, params.max_log_height, "taller traces have the wrong shape");
        let check = |log_messages, num_shards| {
            at_caps(profile, log_messages, num_shards).check_floors(&params)
        };
        check(caps.log_messages, 1).unwrap_or_else(|error| panic!("{profile:?}: {error}"));
        check(32, caps.num_shards).unwrap_or_else(|error| panic!("{profile:?}: {error}"));
        // At 2^64 the order of the field is the limit: `shape` has that test.
        if caps.log_messages < 63 {
            let error = check(caps.log_messages + 1, 1).unwrap_err();
            assert_eq!(error.remedy, Remedy::Less, "{profile:?}: {error}");
        }
        let error = check(32, caps.num_shards + 1).unwrap_err();
        assert_eq!(error.remedy, Remedy::Less, "{profile:?}: {error}");
    }
}

#[test]
fn every_height_keeps_the_floors_once_it_is_padded() {
    let least = [(Profile::Fast, 0), (Profile::Standard, 7), (Profile::Strong, 8)];
    for (profile, least) in least.into_iter().chain([(Profile::Heuristic, 0)]) {
        let params = profile.params();
        for log_height in 0..=params.max_log_height {
            let checked = wide(log_height, &params).check_floors(&params);
            match checked {
                Ok(_) => assert!(log_height >= least, "{profile:?} 2^{log_height}"),
                Err(error) => {
                    assert!(log_height < least, "{profile:?} 2^{log_height}: {error}");
                    assert_eq!((error.kind, error.term), ("provable", "query"));
                    assert_eq!(error.remedy, Remedy::Pad(least), "{profile:?} 2^{log_height}");
                }
            }
        }
    }
}

#[test]
fn strong_is_worth_exactly_what_the_hash_is() {
    let params = Profile::Strong.params();
    let figures = wide(20, &params).figures(&params);
    assert_eq!((figures.provable, figures.heuristic), (128.0, 128.0));
}

/// Each shard counts with its own tallest trace: the tallest of the batch would give the
/// figure of the strong one.
#[test]
fn a_weak_shard_gives_the_figure_of_the_batch() {
    let params = Profile::Standard.params();
    let (weak, strong) = (wide(1, &params), wide(20, &params));
    let mut both = strong.clone();
    both.shards.extend(&weak.shards);
    both.messages += weak.messages;
    assert!(strong.check_floors(&params).is_ok());
    let error = both.check_floors(&params).unwrap_err();
    assert_eq!(error.got, weak.figures(&params).provable);
    assert_eq!(error.remedy, Remedy::Pad(7));
}

/// Candidates of shards combine freely before zeta chooses: every shard costs its list.
#[test]
fn every_shard_costs_its_list_in_the_lookup_term() {
    let params = Profile::Standard.params();
    let one = wide(20, &params);
    let mut three = one.clone();
    three.shards = vec![one.shards[0]; 3];
    let regime = Regime::Johnson(60);
    let lookup = |instance: &Instance| instance.terms(&params, regime)[0].bits;
    let list = (2.0 * 60.5_f64).log2();
    assert!((lookup(&one) - lookup(&three) - 2.0 * list).abs() < 1e-9);
}

/// Johnson's count for pairwise agreement at most ρ·N, over the letters of a shard.
#[test]
fn the_list_of_a_shard_is_at_least_johnsons() {
    for log_blowup in 1..=4 {
        let params = Params { log_blowup, ..Profile::Standard.params() };
        let rate = (-(log_blowup as f64)).exp2();
        for m in 3..=MAX_M {
            let agreement = (1.0 + 0.5 / m as f64) * rate.sqrt();
            let johnson = (agreement - rate) / (agreement * agreement - rate);
            assert!(johnson.log2() <= log_list(&params, Regime::Johnson(m)), "{log_blowup} {m}");
        }
    }
}

#[test]
fn more_parameters_are_the_remedy_where_no_size_is() {
    let params = Params { num_queries: 20, ..Profile::Standard.params() };
    let error = wide(20, &params).check_floors(&params).unwrap_err();
    assert_eq!(error.remedy, Remedy::Profile);
    let error = error.to_string();
    assert!(error.ends_with("no size of the batch reaches it; take another profile"), "{error}");
}
