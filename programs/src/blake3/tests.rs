use super::program;
use crate::testing::{layout, random_bytes, run};

fn digest_words(bytes: &[u8]) -> Vec<u64> {
    blake3::hash(bytes).as_bytes().iter().map(|&byte| u64::from(byte)).collect()
}

#[test]
fn agrees_with_the_reference_implementation() {
    let program = program().unwrap();
    let lengths = [
        0, 1, 2, 3, 63, 64, 65, 127, 128, 129, 960, 1023, 1024, 1025, 1088, 2047, 2048, 2049, 3072,
        3073, 4096, 4097, 5120, 6000, 7169, 8192, 10_241, 16_385, 31_744,
    ];
    for len in lengths {
        let bytes = random_bytes(len);
        let run = run(&program, "blake3", &[len as u64], &bytes);
        assert_eq!(run.outputs(), digest_words(&bytes), "length {len}");
    }
}

#[test]
fn equal_blocks_are_compressed_once() {
    let program = program().unwrap();
    let bytes = vec![0; 5000];
    let run = run(&program, "blake3", &[5000], &bytes);
    assert_eq!(run.outputs(), digest_words(&bytes));
}

#[test]
fn seven_rows_per_compression() {
    let program = program().unwrap();
    let run = run(&program, "blake3", &[1 << 15], &random_bytes(1 << 15));
    // 512 blocks in 32 chunks under 31 parents.
    assert_eq!(run.rows("blake3_compress"), 7 * (512 + 31));
    assert_eq!(run.rows("blake3_block"), 511);
    assert_eq!(run.rows("blake3_spine"), 5);
}

#[test]
fn a_round_takes_320_auxiliaries_and_144_lookups() {
    // Further auxiliaries: multiplicity, rank, inverse witness, the outputs of the
    // next row, which has one less rank. Further lookups: the return and, as slots
    // that both arms share, the final xors.
    let expected = [129, 2, 320 + 1 + 1 + 1 + 32, 144 + 1 + 32];
    assert_eq!(layout(&program().unwrap(), "blake3_compress"), expected);
}
