use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::system::build_system;
use traceloom_prover::{ProveError, Retention};
use traceloom_verifier::Profile;

use super::*;
use crate::device::DeviceMemory;
use crate::shards::{
    DevicePlanError, HostBytes, NumShards, RetentionChoice, ShardOptions, choose, choose_on_device,
};

fn key(profile: Profile) -> VerifyingKey {
    let program = traceloom_programs::merge_sort::program().unwrap();
    let system = build_system(&CheckedProgram::new(program).unwrap());
    VerifyingKey::new(&system, &profile.params()).unwrap()
}

/// Rows of functions and memories up to `most`, of tables as many as they have.
fn counts(key: &VerifyingKey, random: &mut ChaCha8Rng, most: usize) -> Vec<usize> {
    let circuits = key.system().circuits.iter();
    let mut counts: Vec<usize> = circuits
        .map(|circuit| match circuit.fixed() {
            Some(fixed) => 1 << fixed.log_height(),
            None if random.random_ratio(1, 5) => 0,
            None => {
                let most = 1 + random.random_range(0..most);
                random.random_range(1..=most)
            }
        })
        .collect();
    counts[0] = counts[0].max(1);
    counts
}

/// Everything that a plan promises.
fn check(rows: &Rows<'_>, plan: &BatchPlan, num_shards: usize) {
    assert_eq!(plan.shards.len(), num_shards);
    for shard in &plan.shards {
        assert!(shard.pieces.iter().any(Option::is_some), "an empty shard in {plan:?}");
    }
    for (circuit, &count) in rows.counts.iter().enumerate() {
        let pieces: Vec<(usize, &Piece)> = plan
            .shards
            .iter()
            .enumerate()
            .filter_map(|(shard, plan)| Some((shard, plan.pieces[circuit].as_ref()?)))
            .collect();
        // Every row is in one piece, and pieces are in order.
        let mut next = 0;
        for (_, piece) in &pieces {
            assert_eq!(piece.rows.start, next);
            assert!(!piece.rows.is_empty() && piece.rows.len() <= piece.height());
            next = piece.rows.end;
        }
        assert_eq!(next, count);
        if let Some(log_height) = rows.fixed(circuit).filter(|_| count > 0) {
            let [(0, piece)] = pieces[..] else { panic!("a table is in shard 0 and nowhere else") };
            assert_eq!(piece.log_height, log_height);
        }
        if rows.is_padded_last(circuit) {
            for (_, piece) in pieces.iter().rev().skip(1) {
                assert_eq!(piece.rows.len(), piece.height(), "padding over the next piece");
            }
        }
    }
}

#[test]
fn every_row_is_in_one_piece_in_order() {
    let mut random = ChaCha8Rng::seed_from_u64(14);
    for profile in [Profile::Fast, Profile::Heuristic] {
        let key = key(profile);
        for case in 0..60 {
            let counts = counts(&key, &mut random, 1 << (case % 20));
            let rows = Rows { key: &key, counts: &counts, num_claims: 1 };
            let num_shards = random.random_range(1..9);
            match cut(&rows, num_shards) {
                Ok(plan) => {
                    check(&rows, &plan, num_shards);
                    assert_eq!(cut(&rows, num_shards).unwrap(), plan);
                }
                Err(PlanError::MoreShardsThanRows { asked, rows, .. }) => {
                    assert!(asked == num_shards && rows < asked, "{counts:?}");
                }
                // Several shards are worth less; how many are too many is the verifier's rule.
                Err(PlanError::Security { .. }) => assert!(num_shards > 1, "{counts:?}"),
                Err(error) => panic!("{counts:?}: {error}"),
            }
        }
    }
}

/// Pieces that were cut off have few distinct heights.
#[test]
fn heights_have_few_values() {
    let key = key(Profile::Fast);
    let mut random = ChaCha8Rng::seed_from_u64(15);
    for _ in 0..40 {
        let counts = counts(&key, &mut random, 1 << 18);
        let rows = Rows { key: &key, counts: &counts, num_claims: 1 };
        let plan = cut(&rows, 6).unwrap();
        let mut heights = Vec::new();
        for (circuit, &count) in counts.iter().enumerate() {
            let pieces = plan.shards.iter().filter_map(|shard| shard.pieces[circuit].as_ref());
            let cut = pieces.filter(|piece| piece.rows.end < count);
            heights.extend(cut.map(|piece| piece.log_height));
        }
        let (least, most) = (heights.iter().min().unwrap(), heights.iter().max().unwrap());
        assert!(most - least <= SPREAD, "{counts:?}: {heights:?}");
    }
}

fn host() -> HostBytes {
    HostBytes { record: 1 << 20, order: 1 << 10 }
}

#[test]
fn caps_are_obeyed_by_the_fewest_shards() {
    let key = key(Profile::Fast);
    let mut random = ChaCha8Rng::seed_from_u64(16);
    for _ in 0..30 {
        let counts = counts(&key, &mut random, 1 << 21);
        let rows = Rows { key: &key, counts: &counts, num_claims: 1 };
        let quarter = rows.cells(&cut(&rows, 1).unwrap().shards[0]) / 4;
        let cells = u64::try_from(quarter).unwrap().max(1 << 23);
        let options = ShardOptions {
            max_shard_cells: Some(cells),
            max_log_height: Some(19),
            ..ShardOptions::default()
        };
        let planned = choose(&key, &counts, 1, host(), &options).unwrap();
        let num_shards = planned.plan.shards.len();
        check(&rows, &planned.plan, num_shards);
        assert!(
            planned.cells.iter().all(|&cells| cells <= options.max_shard_cells.unwrap().into())
        );
        let heights = planned.plan.shards.iter().flat_map(ShardPlan::log_heights).flatten();
        assert!(heights.max() <= Some(19));
        // As many shards, asked for by number, are the same shards.
        let exactly = ShardOptions { shards: NumShards::Exactly(num_shards), ..options };
        assert_eq!(choose(&key, &counts, 1, host(), &exactly).unwrap().plan, planned.plan);
        // One less does not do.
        if (2..8).contains(&num_shards) {
            let exactly = NumShards::Exactly(num_shards - 1);
            let error =
                choose(&key, &counts, 1, host(), &ShardOptions { shards: exactly, ..options });
            let error = error.unwrap_err();
            assert!(matches!(error, PlanError::Cells { .. } | PlanError::Height { .. }), "{error}");
        }
    }
}

/// Memory chooses how many shards there are, and what is kept of them.
#[test]
fn memory_is_obeyed() {
    let key = key(Profile::Fast);
    let counts = counts(&key, &mut ChaCha8Rng::seed_from_u64(17), 1 << 21);
    let planned = |options: ShardOptions| choose(&key, &counts, 1, host(), &options);
    let whole = planned(ShardOptions::default()).unwrap();
    assert_eq!((whole.plan.shards.len(), whole.retention), (1, Retention::Retain));
    let peak = u64::try_from(whole.estimate.peak()).unwrap();
    let with = |max_memory| ShardOptions { max_memory: Some(max_memory), ..Default::default() };
    assert_eq!(planned(with(peak)).unwrap().plan, whole.plan);
    let half = planned(with(peak / 2)).unwrap();
    assert!(half.plan.shards.len() > 1 && half.estimate.peak() <= (peak / 2).into());
    // What is kept of four shards follows from what there is.
    let four = NumShards::Exactly(4);
    let take = |retention| {
        let retention = RetentionChoice::Always(retention);
        let options = ShardOptions { shards: four, retention, ..Default::default() };
        u64::try_from(planned(options).unwrap().estimate.peak()).unwrap()
    };
    let (retain, regenerate) = (take(Retention::Retain), take(Retention::Regenerate));
    assert!(regenerate < retain);
    let chosen = |max_memory| planned(ShardOptions { shards: four, ..with(max_memory) });
    assert_eq!(chosen(retain).unwrap().retention, Retention::Retain);
    assert_eq!(chosen(retain - 1).unwrap().retention, Retention::Regenerate);
    assert_eq!(chosen(regenerate).unwrap().retention, Retention::Regenerate);
    let error = chosen(regenerate - 1).unwrap_err();
    assert!(matches!(error, PlanError::Memory { shards: 4, .. }), "{error}");
    let error = planned(with(1 << 20)).unwrap_err();
    let PlanError::MemoryBelowLeast { need, have } = error else { panic!("{error}") };
    assert!(
        whole.estimate.base + whole.estimate.rows < need
            && need < whole.estimate.peak()
            && have == 1 << 20
    );
}

/// A device that needs a word per cell of its largest shard, or of all that are kept.
#[test]
fn the_memory_of_a_device_gives_the_fewest_shards() {
    let key = key(Profile::Fast);
    let counts = counts(&key, &mut ChaCha8Rng::seed_from_u64(19), 3_000_000);
    let rows = Rows { key: &key, counts: &counts, num_claims: 1 };
    let need = |plan: &BatchPlan, retention| {
        let cells = plan.shards.iter().map(|shard| rows.cells(shard) as u64);
        match retention {
            Retention::Retain => cells.sum::<u64>(),
            Retention::Regenerate => cells.max().unwrap(),
        }
    };
    let choose = |have: u64, options: &ShardOptions| {
        let memory = |plan: &BatchPlan, kept| Ok(DeviceMemory { need: need(plan, kept), have });
        choose_on_device(rows, host(), options, &memory)
    };
    let auto = ShardOptions::default();
    let whole = choose(u64::MAX, &auto).unwrap();
    assert_eq!((whole.plan.shards.len(), whole.retention), (1, Retention::Retain));
    let all = need(&whole.plan, Retention::Retain);
    let cut = choose(all / 2, &auto).unwrap();
    assert!(cut.plan.shards.len() > 1 && cut.retention == Retention::Regenerate);
    assert!(need(&cut.plan, Retention::Regenerate) <= all / 2);
    let fewer = super::cut(&rows, cut.plan.shards.len() - 1).unwrap();
    assert!(need(&fewer, Retention::Regenerate) > all / 2 || fewer.shards.len() == 1);
    let one = ShardOptions { shards: NumShards::Exactly(1), ..auto };
    let error = choose(all - 1, &one).unwrap_err().to_string();
    let expected = format!("memory of the GPU: 1 shard needs {all} bytes, there are {}", all - 1);
    assert!(error.starts_with(&expected), "{error}");
    assert!(error.contains("more shards") && error.contains("--max-device-memory"), "{error}");
    let failed = ProveError::Unbalanced;
    let refused = choose_on_device(rows, host(), &auto, &|_, _| Err(failed.clone()));
    assert_eq!(refused.unwrap_err(), DevicePlanError::Device(failed.clone()));
}

#[test]
fn options_that_no_rows_obey_are_refused() {
    let key = key(Profile::Fast);
    let counts = counts(&key, &mut ChaCha8Rng::seed_from_u64(18), 100);
    let refused =
        |options: ShardOptions| choose(&key, &counts, 1, host(), &options).unwrap_err().to_string();
    let shards = |shards| ShardOptions { shards: NumShards::Exactly(shards), ..Default::default() };
    let error = refused(shards(0));
    assert!(error.starts_with("shards: a proof has at least 1 shard, not 0"), "{error}");
    let error = refused(shards(1000));
    assert!(error.starts_with("shards: 1000 shards need 1000 rows of one circuit"), "{error}");
    let error = refused(shards(MAX_SHARDS + 1));
    assert!(error.contains("at most 65536 shards, not 65537"), "{error}");
    let cells = |cells| ShardOptions { max_shard_cells: Some(cells), ..Default::default() };
    assert!(refused(cells(0)).starts_with("max_shard_cells: 0 leaves no room"));
    let error = refused(cells(10));
    assert!(error.contains("needs ") && error.contains("the cap is 10; raise the cap"), "{error}");
    let height = ShardOptions { max_log_height: Some(3), ..Default::default() };
    let error = refused(height);
    assert!(error.contains("cannot be cut, the cap is 2^3"), "{error}");
}
