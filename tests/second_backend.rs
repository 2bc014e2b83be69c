//! Built-in programs, proven by two backends that share no kernel: the same bytes.

use traceloom::abi::io::Io;
use traceloom::air::trace::ShardWitness;
use traceloom::bytecode::CheckedProgram;
use traceloom::bytecode::execute::{Limits, execute};
use traceloom::bytecode::system::build_system;
use traceloom::programs;
use traceloom::prover::{ProveOptions, ProvingKey, prove, prove_with};
use traceloom::runtime::witness::padded_witness;
use traceloom::verifier::Profile;
use traceloom_second_backend::Columns;

/// Arguments and file of every program; a new program needs an entry.
const INPUTS: [(&str, &[u64], &[u8]); 5] = [
    ("blake3", &[3], b"abc"),
    ("sha256", &[3], b"abc"),
    ("fibonacci", &[20], b""),
    ("merge_sort", &[3], b"\x05\0\0\0\x01\0\0\0\x09\0\0\0"),
    ("div_rem", &[9, 8, 7, 0, 5, 4, 0, 0], b""),
];

fn agrees(name: &str) {
    let example = programs::find(name).expect("it is built in");
    let program = CheckedProgram::new(example.build().expect("it builds")).expect("it is valid");
    let system = build_system(&program);
    let (_, args, file) = INPUTS.into_iter().find(|(other, ..)| *other == name).expect("an input");
    let mut io = Io::default();
    let words: Vec<u64> = file.iter().map(|&byte| byte.into()).collect();
    io.add_input(0, &[], &words).expect("the key is new");
    let entry = program.find(name).expect("it has the entry");
    let run = execute(&program, &[(entry, args.to_vec())], io, &Limits::default());
    let run = run.expect("it runs");
    let options = ProveOptions::default();
    for params in Profile::ALL.map(Profile::params) {
        let key = ProvingKey::new(&system, &params).expect("it has a key");
        let witness: ShardWitness =
            padded_witness(&program, key.verifying_key(), &run.record, run.claims.clone())
                .expect("they agree");
        let (first, _) = prove(&key, vec![witness.clone()], &options).expect("it proves");
        let backend = Columns::default();
        let key = ProvingKey::with_backend(&backend, &system, &params).expect("it has a key");
        let witness = backend.witness(&witness);
        let (second, _) = prove_with(&backend, &key, vec![witness], &options).expect("it proves");
        assert!(first.encode() == second.encode(), "{name}: proof bytes differ: {params:?}");
    }
}

#[test]
fn every_program_has_an_input() {
    let names: Vec<&str> = programs::ALL.iter().map(|example| example.name).collect();
    assert_eq!(names, INPUTS.map(|(name, ..)| name));
}

#[test]
fn blake3() {
    agrees("blake3");
}

#[test]
fn sha256() {
    agrees("sha256");
}

#[test]
fn fibonacci() {
    agrees("fibonacci");
}

#[test]
fn merge_sort() {
    agrees("merge_sort");
}

#[test]
fn div_rem() {
    agrees("div_rem");
}
