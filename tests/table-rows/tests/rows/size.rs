//! What a row costs to send to a device.

use traceloom_table_rows::PROGRAM;

/// By table: bytes of the best seed that was written by hand elsewhere, and the fewest that its
/// content needs.
const BY_HAND: [(&str, u32, u32); 7] = [
    ("f_cpu", 80, 40),
    ("f_memw_r", 45, 30),
    ("f_memw_a", 96, 48),
    ("f_load", 56, 25),
    ("f_store", 32, 25),
    ("f_lt", 32, 18),
    ("f_shift", 24, 17),
];

#[test]
fn seeds_are_no_larger_than_the_best_that_were_written_by_hand() {
    println!("{:<10} {:>5} {:>7} {:>7} {:>5}", "table", "row", "by hand", "seed", "floor");
    let mut seeds = Vec::new();
    for (unit, (symbol, by_hand, floor)) in PROGRAM.functions.iter().zip(BY_HAND) {
        assert_eq!(unit.symbol, symbol);
        let (row, seed) = (8 * unit.layout.num_auxiliaries, unit.paths[0].schema.stride);
        println!("{symbol:<10} {row:>5} {by_hand:>7} {seed:>7} {floor:>5}");
        assert!(seed <= by_hand, "{symbol}: {seed} bytes, {by_hand} by hand");
        seeds.push(seed);
    }
    assert_eq!(seeds, [48, 32, 44, 28, 28, 20, 20]);
}
