//! Files that are no program for this machine.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use traceloom_riscv::elf::{STACK_TOP, SegmentProblem};
use traceloom_riscv::{Disassembly, Limits, LoadError, Program, Stored, record};

use super::support::{CODE, DATA, Header, elf, exit, file, headers};

fn refused(bytes: &[u8]) -> LoadError {
    let error = Program::load(bytes, &Limits::default()).unwrap_err();
    let text = error.to_string();
    assert!(text.contains(';') || text.contains("no ELF"), "without a remedy: {text}");
    error
}

fn good() -> Vec<u8> {
    elf(&exit(0), &[1; 16])
}

/// The good file with other bytes at `offset`.
fn with(offset: usize, bytes: &[u8]) -> Vec<u8> {
    let mut file = good();
    file[offset..offset + bytes.len()].copy_from_slice(bytes);
    file
}

#[track_caller]
fn header_field(offset: usize, bytes: &[u8], field: &str, word: &str) {
    let error = refused(&with(offset, bytes));
    let LoadError::Header { offset: at, field: named, .. } = error else { panic!("{error}") };
    assert_eq!((at, named), (offset as u64, field));
    assert!(error.to_string().contains(word), "{error}");
}

#[test]
fn fields_of_the_header_are_named() {
    header_field(4, &[1], "EI_CLASS", "32 bits");
    header_field(5, &[2], "EI_DATA", "big-endian");
    header_field(6, &[9], "EI_VERSION", "version 1");
    header_field(16, &[1, 0], "e_type", "object file");
    header_field(16, &[3, 0], "e_type", "-static -no-pie");
    header_field(16, &[4, 0], "e_type", "no executable");
    header_field(18, &[62, 0], "e_machine", "0xf3");
    header_field(48, &[1, 0, 0, 0], "e_flags", "compressed");
    header_field(48, &[4, 0, 0, 0], "e_flags", "floating point");
    header_field(48, &[8, 0, 0, 0], "e_flags", "RV64I");
    assert_eq!(refused(b"#!/bin/sh"), LoadError::NotElf);
    assert_eq!(refused(&with(3, b"G")), LoadError::NotElf);
}

#[test]
fn truncation_is_named_at_every_length() {
    let whole = good();
    for len in 0..whole.len() {
        let error = refused(&whole[..len]);
        assert!(matches!(error, LoadError::Truncated { .. }), "{len}: {error}");
    }
    let limits = Limits { file: 100, ..Limits::default() };
    let error = Program::load(&whole, &limits).unwrap_err();
    assert_eq!(error, LoadError::FileTooLarge { len: whole.len() as u64, limit: 100 });
}

#[test]
fn dynamic_files_are_refused() {
    let [code, data] = headers(12, 16);
    for (kind, name) in [(2, "PT_DYNAMIC"), (3, "PT_INTERP")] {
        let bytes = file(CODE, &[code, Header { kind, ..data }], &[0x13; 0x2000]);
        assert_eq!(refused(&bytes), LoadError::Dynamic { index: 1, kind: name });
    }
}

#[track_caller]
fn segment(change: impl Fn(&mut Header), expected: &SegmentProblem) {
    let [code, mut data] = headers(12, 16);
    change(&mut data);
    match refused(&file(CODE, &[code, data], &[0x13; 0x2000])) {
        LoadError::Segment { index: 1, problem, .. } => assert_eq!(&problem, expected),
        other => panic!("{other}"),
    }
}

#[test]
fn segments_are_checked() {
    let of_code = |last| SegmentProblem::Overlap { other: "segment 0".into(), last };
    segment(|data| data.address = CODE + 11, &of_code(CODE + 11));
    let shared = SegmentProblem::SharedPage { other: "segment 0".into(), page: CODE };
    segment(|data| data.address = CODE + 12, &shared);
    segment(|data| data.flags = 7, &SegmentProblem::WritableCode);
    let less = SegmentProblem::FileExceedsMemory { memory: 15, file: 16 };
    segment(|data| data.memory = 15, &less);
    segment(|data| data.address = u64::MAX - 14, &SegmentProblem::Wraps { size: 16 });
    let stack = SegmentProblem::Overlap { other: "the stack".into(), last: STACK_TOP - 1 };
    segment(|data| data.address = STACK_TOP - 16, &stack);

    let [code, data] = headers(12, 16);
    let large = Header { memory: 1 << 40, ..data };
    let error = refused(&file(CODE, &[code, large], &[0x13; 0x2000]));
    let (bytes, limit) = ((1 << 40) + 12, 1 << 30);
    assert_eq!(error, LoadError::MemoryTooLarge { index: 1, bytes, limit });
    let [code, data] = headers(12, 0x1800);
    let again = [1, 2].map(|n| Header { address: DATA + n * 0x10_0000, ..data });
    let error = refused(&file(CODE, &[code, data, again[0], again[1]], &[0x13; 0x2800]));
    assert!(matches!(error, LoadError::SharedFile { .. }), "{error}");
}

#[test]
fn the_entry_is_in_code() {
    let [code, data] = headers(12, 16);
    let at = |entry| refused(&file(entry, &[code, data], &[0x13; 0x2000]));
    assert_eq!(at(CODE + 2), LoadError::EntryUnaligned { entry: CODE + 2 });
    for entry in [DATA, CODE + 12, 0, u64::MAX - 3] {
        assert!(matches!(at(entry), LoadError::EntryOutside { .. }));
    }
    let error = refused(&file(CODE, &[], &[]));
    assert!(matches!(error, LoadError::EntryOutside { .. }), "{error}");
    let count = with(56, &[0xff, 0xff]);
    assert!(matches!(refused(&count), LoadError::ProgramHeaders { .. }), "{}", refused(&count));
}

/// Bytes that are changed at random, and random bytes: nothing panics, and nothing takes long.
#[test]
fn hostile_files_do_not_panic() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let limits = Limits { cycles: 2000, memory: 1 << 20, output: 1 << 10, ..Limits::default() };
    let seeds: [&[u8]; 3] = [
        &good(),
        include_bytes!("../../guests/sha256.elf"),
        include_bytes!("../../guests/calculator.elf"),
    ];
    let (mut loaded, mut ended) = (0, 0);
    for round in 0..3000 {
        let mut bytes = seeds[round % seeds.len()].to_vec();
        // Mostly headers, of which most bytes matter.
        for _ in 0..rng.random_range(1..5) {
            let most = [64, 240, bytes.len()][rng.random_range(0..3)];
            let at = rng.random_range(0..most);
            bytes[at] = if rng.random() { rng.random() } else { 1 << rng.random_range(0..8) };
        }
        if round % 10 == 0 {
            let len = rng.random_range(0..300);
            bytes = (0..len).map(|_| rng.random()).collect();
            bytes.splice(..bytes.len().min(4), *b"\x7fELF");
        }
        let Ok(program) = Program::load(&bytes, &limits) else { continue };
        loaded += 1;
        Disassembly(&program).lines().take(3000).for_each(|line| drop(line.to_string()));
        match record(&program, b"12\n", &limits, &mut Stored::default()) {
            Ok(_) => ended += 1,
            Err(trap) => drop(trap.to_string()),
        }
    }
    assert!(loaded > 300 && ended > 30, "{loaded} loaded, {ended} ended");
}
