use super::program;
use crate::testing::{random_bytes, run, try_run};
use traceloom_air::field::element;
use traceloom_bytecode::Program;
use traceloom_bytecode::model::{Block, Control, Op, ValueId};

fn words(number: u128) -> [u64; 4] {
    [0, 32, 64, 96].map(|shift| (number >> shift) as u64 & 0xffff_ffff)
}

fn check(program: &Program, a: u128, b: u128) {
    let outputs = run(program, "div_rem", &[words(a), words(b)].concat(), &[]).outputs();
    let (q, r) = (a.checked_div(b).unwrap_or(0), a.checked_rem(b).unwrap_or(a));
    assert_eq!(outputs, [words(q), words(r)].concat(), "{a} / {b}");
}

#[test]
fn agrees_with_integer_division() {
    let program = program().unwrap();
    let edges = [0, 1, 2, 255, 1 << 64, (1 << 64) - 1, u128::MAX / 3, u128::MAX - 1, u128::MAX];
    for a in edges {
        for b in edges {
            check(&program, a, b);
        }
    }
    for chunk in random_bytes(33 * 40).chunks_exact(33) {
        let number = |bytes: &[u8]| u128::from_le_bytes(bytes.try_into().unwrap());
        // Divisors of all sizes.
        let b = number(&chunk[16..32]) >> (chunk[32] / 2);
        check(&program, number(&chunk[..16]), b);
    }
}

#[test]
fn inputs_must_be_words() {
    let inputs = [1 << 32, 0, 0, 0, 1, 0, 0, 0];
    let error = try_run(&program().unwrap(), "div_rem", &inputs, &[]).err().unwrap();
    assert!(error.contains("below 2^32"), "{error}");
}

/// Replaces the advice by `q, r` and runs again.
fn forge(a: u128, b: u128, q: u128, r: u128) -> Result<Vec<u64>, String> {
    let mut program = program().unwrap();
    let mut functions = program.functions.iter_mut();
    let advice = functions.find(|function| function.name == "div_rem_advice").unwrap();
    let bytes = [q.to_le_bytes(), r.to_le_bytes()].concat();
    let outputs = (0..bytes.len() as u32).map(|i| ValueId(advice.num_inputs + i)).collect();
    advice.blocks = vec![Block {
        ops: bytes.iter().map(|&byte| Op::Const(element(u64::from(byte)))).collect(),
        control: Control::Return { selector: 0, values: outputs },
    }];
    try_run(&program, "div_rem", &[words(a), words(b)].concat(), &[]).map(|run| run.outputs())
}

#[test]
fn wrong_advice_is_refused() {
    assert!(forge(100, 7, 14, 2).is_ok());
    // The remainder is not reduced.
    assert!(forge(100, 7, 13, 9).is_err());
    assert!(forge(100, 7, 14, 3).is_err());
    assert!(forge(100, 7, 15, 2).is_err());
    // 2^64 · 2^64 + 5 is 5 modulo 2^128.
    let big = 1 << 64;
    assert!(forge(5, big, big, 5).is_err());
    // (2^128 - 1) · (2^128 - 1) is 1 modulo 2^128.
    assert!(forge(1, u128::MAX, u128::MAX, 0).is_err());
}
