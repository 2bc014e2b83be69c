//! The guests of this repository.

use sha2::{Digest, Sha256};
use traceloom_riscv::{Execution, Limits, Program, Stored, execute, record};

use super::support::ledger::imbalance;

macro_rules! guest {
    ($name:literal) => {
        include_bytes!(concat!("../../guests/", $name, ".elf"))
    };
}

/// Runs a guest with and without records, and balances the records.
fn run(elf: &[u8], input: &[u8]) -> Execution {
    let limits = Limits::default();
    let program = Program::load(elf, &limits).unwrap();
    let mut records = Stored::default();
    let recorded = record(&program, input, &limits, &mut records).unwrap();
    assert_eq!(recorded, execute(&program, input, &limits).unwrap());
    assert_eq!(recorded.cycles, records.cpu.len() as u64);
    if recorded.exit_code == 0 {
        assert_eq!(imbalance(&program, &records), None);
    }
    recorded
}

#[test]
fn digests_are_those_that_are_checked_in() {
    let stated = include_str!("../../guests/SHA256SUMS");
    let files: [(&str, &[u8]); 4] = [
        ("fibonacci", guest!("fibonacci")),
        ("sha256", guest!("sha256")),
        ("sort", guest!("sort")),
        ("calculator", guest!("calculator")),
    ];
    for (name, bytes) in files {
        let digest: String = Sha256::digest(bytes).iter().map(|x| format!("{x:02x}")).collect();
        assert!(stated.contains(&format!("{digest}  {name}.elf\n")), "{name}: {digest}");
    }
    assert_eq!(stated.lines().count(), files.len());
}

#[test]
fn fibonacci_computes_a_number() {
    let ran = run(guest!("fibonacci"), b"90\n");
    assert_eq!((ran.exit_code, &ran.output[..]), (0, &b"2880067194370816120\n"[..]));
    assert_eq!(run(guest!("fibonacci"), b"ninety").exit_code, 1);
}

#[test]
fn sha256_agrees_with_the_crate() {
    for len in [0, 1, 55, 56, 63, 64, 119, 120, 1000] {
        let input: Vec<u8> = (0..len).map(|x| (x * 7 % 251) as u8).collect();
        let ran = run(guest!("sha256"), &input);
        assert_eq!((ran.exit_code, ran.input_read), (0, len));
        assert_eq!(ran.output, Sha256::digest(&input).to_vec(), "{len} bytes");
    }
}

#[test]
fn sort_sorts() {
    let mut words: Vec<i64> =
        (0..300i64).map(|x| x.wrapping_mul(0x9e37_79b9_7f4a_7c15_u64 as i64)).collect();
    let bytes = |words: &[i64]| -> Vec<u8> { words.iter().flat_map(|x| x.to_le_bytes()).collect() };
    let ran = run(guest!("sort"), &bytes(&words));
    words.sort_unstable();
    assert_eq!((ran.exit_code, ran.output), (0, bytes(&words)));
    assert_eq!(run(guest!("sort"), &[0; 9]).exit_code, 1);
}

#[test]
fn calculator_parses() {
    let input = b"1 + 2*3\n-(4-10)*7 % 5\n((2))\n-9223372036854775807 - 1\n7/-2\n";
    let ran = run(guest!("calculator"), input);
    let expected = "7\n2\n2\n-9223372036854775808\n-3\n";
    assert_eq!((ran.exit_code, ran.output), (0, expected.as_bytes().to_vec()));
    for (line, input) in [(1, "1/0"), (2, "1\n(2"), (3, "1\n2\n*"), (1, &"(".repeat(1000))] {
        assert_eq!(run(guest!("calculator"), input.as_bytes()).exit_code, line, "{input}");
    }
}
