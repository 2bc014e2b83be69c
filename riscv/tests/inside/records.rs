//! Records of random programs balance, and what is changed in them shows.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use traceloom_riscv::records::{Route, route};
use traceloom_riscv::{Counts, Limits, Program, Stored, execute, record};

use super::support::ledger::imbalance;
use super::support::streams::stream;

/// What is changed, and how.
type Change = (&'static str, fn(&mut Stored));

fn recorded(seed: u64) -> (Program, Stored) {
    let limits = Limits::default();
    let elf = stream(&mut ChaCha8Rng::seed_from_u64(seed), 600);
    let program = Program::load(&elf, &limits).unwrap();
    let (mut records, mut counts) = (Stored::default(), Counts::default());
    let ran = record(&program, &[], &limits, &mut records).unwrap();
    assert_eq!(ran, record(&program, &[], &limits, &mut counts).unwrap());
    assert_eq!(ran, execute(&program, &[], &limits).unwrap());
    assert_eq!((ran.exit_code, counts.cpu), (0, records.cpu.len() as u64));
    (program, records)
}

#[test]
fn random_programs_balance() {
    let mut without_general = 0;
    for seed in 0..20 {
        let (program, records) = recorded(seed);
        assert_eq!(imbalance(&program, &records), None, "seed {seed}");
        let Stored { cpu32, aligned, load, store, shift, mul, div_rem, .. } = &records;
        let lengths = [cpu32.len(), aligned.len(), load.len(), store.len(), shift.len(), mul.len()];
        assert!(lengths.iter().all(|&len| len > 0) && !div_rem.is_empty(), "{lengths:?}");
        without_general += u32::from(records.general.is_empty());
    }
    assert_eq!(without_general, 0);
}

#[test]
fn a_changed_record_leaves_something_open() {
    let (program, records) = recorded(1);
    let changes: [Change; 12] = [
        ("a load's result", |s| s.load[0].result ^= 1),
        ("a store's value", |s| s.store[0].value ^= 1),
        ("a store's address", |s| s.store[0].base ^= 8),
        ("a stale value", |s| s.register[40].old_value ^= 1),
        ("a skipped instruction", |s| _ = s.cpu.remove(10)),
        ("a product", |s| s.mul[0].lhs ^= 1),
        ("a shift's flags", |s| s.shift[0].flags ^= 64),
        ("decode of another word", |s| s.decode[20].word ^= 1 << 26),
        ("an output byte", |s| s.commit[3].value ^= 1),
        ("a last value", |s| s.page_cell[5].last ^= 1),
        ("a jump", |s| s.branch[0].next_pc ^= 4),
        ("a missing comparison", |s| _ = s.lt.pop()),
    ];
    for (what, change) in changes {
        let mut changed = records.clone();
        change(&mut changed);
        let noticed = std::panic::catch_unwind(|| imbalance(&program, &changed));
        assert!(!matches!(noticed, Ok(None)), "{what} was not noticed");
    }
}

#[test]
fn accesses_are_routed_in_a_fixed_order() {
    let far = (1 << 16) + 1;
    assert_eq!(route(true, 4, 100, &[99]), Route::Register);
    assert_eq!(route(true, 4, 100 + (1 << 16), &[100]), Route::Register);
    assert_eq!(route(true, 4, 100 + far, &[100]), Route::Aligned);
    assert_eq!(route(true, 4, 1 << 32, &[(1 << 32) - 1]), Route::Aligned);
    assert_eq!(route(true, 4, 100, &[100]), Route::Aligned);
    assert_eq!(route(false, 8, 100, &[7; 8]), Route::Aligned);
    assert_eq!(route(false, 9, 100, &[7]), Route::Aligned);
    assert_eq!(route(false, 12, 100, &[7; 8]), Route::General);
    assert_eq!(route(false, 8, 100, &[7, 8]), Route::General);
}
