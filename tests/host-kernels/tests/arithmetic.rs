//! The support headers against the definitions that they copy.

use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use traceloom_air::bytes::ByteOp;
use traceloom_air::field::{MODULUS, element, inverse_or_zero, word};
use traceloom_host_kernels::executable::{Executable, Sources};
use traceloom_host_kernels::fixtures::BOUNDARY;
use traceloom_host_kernels::job::{BYTE_RESULTS, FIELD_RESULTS, Job};

#[test]
fn byte_helpers_agree_with_the_byte_tables() {
    let executable = Executable::compile(&Sources::default());
    let results = &executable.run(&[Job::Bytes])[0];
    for a in 0..=255_u8 {
        for b in 0..=255_u8 {
            let found = &results[(256 * usize::from(a) + usize::from(b)) * BYTE_RESULTS..];
            let of = |op: ByteOp, result: usize| u64::from(op.results(a, b)[result]);
            let (wide_a, wide_b) = (u64::from(a), u64::from(b));
            let split = |op, result| of(op, result);
            let expected = [
                of(ByteOp::ShiftLeft, 0),
                of(ByteOp::ShiftRight, 0),
                of(ByteOp::LessThan, 0),
                of(ByteOp::Add, 0),
                (wide_a + wide_b) / 256,
                of(ByteOp::Sub, 0),
                u64::from(a < b),
                split(ByteOp::XorSplit7, 0),
                split(ByteOp::XorSplit7, 1),
                split(ByteOp::XorSplit4, 0),
                split(ByteOp::XorSplit4, 1),
                split(ByteOp::XorSplit7, 0),
                split(ByteOp::XorSplit7, 1),
                split(ByteOp::XorSplit4, 0),
                split(ByteOp::XorSplit4, 1),
            ];
            assert_eq!(found[..BYTE_RESULTS], expected, "a = {a}, b = {b}");
        }
    }
}

#[test]
fn field_arithmetic_agrees_with_goldilocks() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let edges = [BOUNDARY.to_vec(), vec![MODULUS - 2, 1 << 63, (1 << 63) - 1, 0xffff_fffe]];
    let mut words = edges.concat();
    words.extend((0..40).map(|_| rng.next_u64() % MODULUS));
    let pairs: Vec<(u64, u64)> =
        words.iter().flat_map(|&a| words.iter().map(move |&b| (a, b))).collect();
    let executable = Executable::compile(&Sources::default());
    let results = &executable.run(&[Job::Field(pairs.clone())])[0];
    for (&(a, b), found) in pairs.iter().zip(results.chunks(FIELD_RESULTS)) {
        let (x, y) = (element(a), element(b));
        let inverses = [x, y, x].map(inverse_or_zero);
        let [inverse, ..] = inverses;
        let expected = [[x + y, x - y, x * y, inverse].to_vec(), inverses.to_vec()].concat();
        let expected: Vec<u64> = expected.into_iter().map(word).collect();
        assert_eq!(found, expected, "a = {a}, b = {b}");
    }
}
