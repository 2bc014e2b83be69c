use sha2::{Digest, Sha256};

use super::program;
use crate::testing::{layout, random_bytes, run};

#[test]
fn agrees_with_the_reference_implementation() {
    let program = program().unwrap();
    let lengths = [
        0, 1, 2, 3, 54, 55, 56, 57, 63, 64, 65, 118, 119, 120, 127, 128, 129, 1000, 1023, 1024,
        1025, 2049, 3072, 4097,
    ];
    for len in lengths {
        let bytes = random_bytes(len);
        let run = run(&program, "sha256", &[len as u64], &bytes);
        let digest: Vec<_> = Sha256::digest(&bytes).iter().map(|&byte| u64::from(byte)).collect();
        assert_eq!(run.outputs(), digest, "length {len}");
    }
}

#[test]
fn sixteen_rows_per_block() {
    let program = program().unwrap();
    let run = run(&program, "sha256", &[640], &random_bytes(640));
    assert_eq!(run.rows("sha256_rounds"), 16 * 11);
    assert_eq!(run.rows("sha256_constants"), 16);
}

#[test]
fn four_rounds_take_a_row_of_632_columns() {
    assert_eq!(layout(&program().unwrap(), "sha256_rounds"), [91, 2, 539, 304]);
}
