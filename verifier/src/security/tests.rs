//! Floors at the caps, refusals above them, and the terms next to those of `p3-security`.

use p3_security::fri::FriRegime;
use p3_security::logup::{LogUpAir, fingerprint_error};
use p3_security::stark::{conjectured_security_report, proven_security_report};
use p3_security::{ErrorBits, GrindingSites, InstanceShape, StarkAirParams};
use traceloom_air::field::MODULUS;

use super::terms::*;
use super::*;
use crate::params::{Params, Profile};
use crate::shape::MAX_SHARDS;

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
        num_shards: 1,
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
    instance.num_shards = num_shards;
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
        let reaches = |log_messages, num_shards| {
            let checked = check(log_messages, num_shards);
            checked.unwrap_or_else(|error| panic!("{profile:?}: {error}"));
        };
        // At 2^64 the order of the field is the limit: `shape` has that test.
        let misses = |log_messages, num_shards| {
            if log_messages < 64 {
                let error = check(log_messages, num_shards).unwrap_err();
                assert_eq!(error.remedy, Remedy::Less, "{profile:?}: {error}");
            }
        };
        reaches(caps.log_messages, 1);
        misses(caps.log_messages + 1, 1);
        for num_shards in [2, 3, 300, MAX_SHARDS] {
            match caps.log_batch_messages {
                None => misses(32, num_shards),
                Some(log_messages) => {
                    reaches(log_messages, num_shards);
                    misses(log_messages + 1, num_shards);
                }
            }
        }
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
    both.num_shards = 2;
    both.messages += weak.messages;
    assert!(strong.check_floors(&params).is_ok());
    let error = both.check_floors(&params).unwrap_err();
    assert_eq!(error.got, weak.figures(&params).provable);
    assert_eq!(error.remedy, Remedy::Pad(7));
}

fn bits(terms: &Terms, name: &str) -> f64 {
    terms.iter().find(|term| term.name == name).expect("it has the term").bits
}

/// A shard alone costs its list. Several are bound, each to one candidate: none costs its
/// list, but each pair of candidates may agree where they are bound.
#[test]
fn lists_count_for_one_shard_and_pairs_of_candidates_for_several() {
    let params = Profile::Standard.params();
    let one = wide(20, &params);
    let regime = Regime::Johnson(60);
    let list = 2.0 * 60.5_f64;
    let alone = one.terms(&params, regime);
    assert_eq!(bits(&alone, "bind"), f64::INFINITY);
    for num_shards in [2, 3, MAX_SHARDS] {
        let terms = Instance { num_shards, ..one.clone() }.terms(&params, regime);
        assert!((bits(&terms, "lookup") - bits(&alone, "lookup") - list.log2()).abs() < 1e-9);
        let pairs = list * (list - 1.0) / 2.0;
        let expected = one.log_field - pairs.log2() - 20.0;
        assert!((bits(&terms, "bind") - expected).abs() < 1e-9);
        for name in ["alpha", "zeta", "batch", "fold", "query", "hash"] {
            assert_eq!(bits(&terms, name), bits(&alone, name), "{name}");
        }
    }
    // Where there is one candidate only, nothing is to be bound.
    let two = Instance { num_shards: 2, ..one.clone() };
    assert_eq!(bits(&two.terms(&params, Regime::Unique), "bind"), f64::INFINITY);
}

/// A field of 2^128 leaves little to pairs of many candidates: two shards with few messages
/// are worth more if their lists are counted, four are not.
#[test]
fn the_better_way_to_count_candidates_counts() {
    let params = Profile::Heuristic.params();
    let two = Instance { num_shards: 2, messages: 1000.0, ..wide(16, &params) };
    let terms = two.terms(&params, Regime::Subgroup(32));
    let lists = 2.0 * 4368_f64.log2() + (1000.0 * 101.0_f64).log2();
    let lists = two.log_field + params.lookup_pow_bits as f64 - lists;
    assert!((bits(&terms, "lookup") - lists).abs() < 1e-9, "{terms:?}");
    assert_eq!(bits(&terms, "bind"), f64::INFINITY);
    let four = Instance { num_shards: 4, ..two };
    let terms = four.terms(&params, Regime::Subgroup(32));
    let bound = four.log_field - (4368_f64 * 4367.0 / 2.0).log2() - 16.0;
    assert!((bits(&terms, "bind") - bound).abs() < 1e-9, "{terms:?}");
    assert!(lists - 2.0 * 4368_f64.log2() < bound && bound < lists);
}

/// At 2^17 rows pairs of the fewer candidates of another regime leave `heuristic` its bits.
#[test]
fn the_heuristic_profile_affords_many_low_shards() {
    let params = Profile::Heuristic.params();
    let many = |log_height| Instance {
        num_shards: MAX_SHARDS,
        messages: 32f64.exp2(),
        ..wide(log_height, &params)
    };
    assert!(many(17).check_floors(&params).is_ok());
    assert_eq!(many(18).check_floors(&params).unwrap_err().term, "bind");
}

/// Shards of one height are counted as one, with the worst of each count: the terms are
/// those of all of them.
#[test]
fn shards_that_are_counted_together_give_the_terms_of_each() {
    let params = Profile::Standard.params();
    let all = Instance { num_shards: 4, shards: vec![], ..wide(16, &params) };
    let shard = |log_height, num_constraints, zeta_factor, num_openings, heights_join| Shard {
        log_height,
        num_constraints,
        zeta_factor,
        num_openings,
        heights_join,
    };
    let shards = [
        shard(16, 9000, 1e6, 100, false),
        shard(16, 10, 1e9, 200, false),
        shard(16, 20, 1e7, 7000, false),
        shard(16, 30, 1e7, 50, true),
    ];
    let mut merged = all.clone();
    shards.iter().for_each(|&shard| merged.add(shard));
    assert_eq!(merged.shards.len(), 2);
    let apart = Instance { shards: shards.to_vec(), ..all };
    for regime in [Regime::Unique, Regime::Johnson(60), Regime::Subgroup(16)] {
        let pairs = merged.terms(&params, regime).into_iter().zip(apart.terms(&params, regime));
        pairs.for_each(|(merged, apart)| assert_eq!(merged.bits, apart.bits, "{}", apart.name));
    }
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
