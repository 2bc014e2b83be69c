//! A second verifier, written from `docs/protocol.md`: it shares no code with the
//! prover, not even the field, and has to agree with it about every proof.
//!
//! Of traceloom it uses the systems of programs and the byte tables as data. It is
//! plain rather than fast, and computes both security figures.

mod constraints;
mod decode;
mod field;
mod fri;
mod keccak;
mod key;
mod lookup;
mod merkle;
mod necessity;
mod one_row;
mod ops;
mod params;
mod samples;
mod security;
mod seed;
mod transcript;
mod verify;
// Of the prover's tests.
#[path = "../../prover/tests/common/ops.rs"]
mod op_tables;
// Of the harness, on which no other crate depends.
#[path = "../harness/src/stage_two/mod.rs"]
mod stage_two;

use samples::{Input, Sample};

use crate::decode::{Malformed, Proof};
use crate::field::P;
use crate::params::{CUBIC, CUBIC_FULL, FAST, HEURISTIC, Params, STANDARD, STRONG};

const FIBONACCI: Input<'_> = Input { program: "fibonacci", args: &[20], file: None };
const DIV_REM: Input<'_> =
    Input { program: "div_rem", args: &[9, 8, 7, 0, 5, 4, 0, 0], file: None };
const BLAKE3: Input<'_> = Input { program: "blake3", args: &[3], file: Some(b"abc") };
/// Recursive, and with a memory.
const MERGE_SORT: Input<'_> =
    Input { program: "merge_sort", args: &[8], file: Some(b"eight words to sort, 32 bits ea.") };

fn accepts(params: Params, shards: &[Input<'_>]) {
    let sample = Sample::new(params, shards);
    assert_eq!(sample.second(&sample.bytes), Ok(()));
    assert!(sample.first(&sample.bytes));
}

#[test]
fn fibonacci_is_accepted() {
    for params in [FAST, STANDARD, STRONG, HEURISTIC] {
        accepts(params, &[FIBONACCI]);
    }
}

#[test]
fn the_cubic_extension_is_accepted() {
    accepts(CUBIC, &[FIBONACCI]);
    accepts(CUBIC, &[BLAKE3]);
    accepts(CUBIC_FULL, &[DIV_REM]);
}

#[test]
fn div_rem_is_accepted() {
    accepts(FAST, &[DIV_REM]);
    accepts(STANDARD, &[DIV_REM]);
}

#[test]
fn blake3_is_accepted() {
    accepts(FAST, &[BLAKE3]);
    accepts(STANDARD, &[BLAKE3]);
}

#[test]
fn two_shards_are_accepted() {
    let longer = Input { args: &[70], ..FIBONACCI };
    accepts(FAST, &[FIBONACCI, longer]);
    accepts(STANDARD, &[longer, FIBONACCI]);
}

/// One execution in several shards, whose memories touch and whose heights differ.
#[test]
fn an_execution_in_several_shards_is_accepted() {
    for (params, num_shards) in [(FAST, 2), (FAST, 3), (HEURISTIC, 2), (CUBIC, 3), (CUBIC_FULL, 2)]
    {
        let sample = Sample::cut(params, MERGE_SORT, num_shards);
        assert_eq!(sample.num_memories(), num_shards);
        assert_eq!(sample.second(&sample.bytes), Ok(()), "{params:?}, {num_shards} shards");
        assert!(sample.first(&sample.bytes));
    }
}

/// Pointers that ascend, are disjoint and end in time, and claims in shard 0: numbers that
/// are refused before anything is hashed, by both.
#[test]
fn pointers_and_claims_of_several_shards_are_compared() {
    let sample = Sample::cut(FAST, MERGE_SORT, 2);
    let proof = traceloom::verifier::Proof::decode(&sample.bytes).expect("it decodes");
    let lists = &proof.statements[0].publics;
    let memory = lists.iter().position(|publics| !publics.is_empty()).expect("it has a memory");
    assert_eq!(sample.num_memories(), 2);
    let rows = 1 << proof.statements[0].log_heights[memory].expect("it is active");
    let refused = |changed: traceloom::verifier::Proof| {
        let bytes = changed.encode();
        assert!(!sample.first(&bytes));
        sample.second(&bytes).expect_err("it is refused").0
    };
    for (first, second, reason) in [
        (0, rows - 1, "order of a memory's pointers"),
        (0, 0, "order of a memory's pointers"),
        (rows, 0, "order of a memory's pointers"),
        (0, (1 << 32) - 1, "end of a memory's pointers"),
        ((1 << 32) - 1, 0, "end of a memory's pointers"),
        (0, 1 << 32, "first pointer"),
        // Allowed, and not what was proven.
        (0, rows + 1, "sum of the terminals"),
    ] {
        let mut changed = proof.clone();
        for (statement, pointer) in changed.statements.iter_mut().zip([first, second]) {
            statement.publics[memory] = vec![traceloom::air::field::element(pointer)];
        }
        assert_eq!(refused(changed), reason, "{first}, {second}");
    }
    let mut changed = proof.clone();
    let claims = std::mem::take(&mut changed.statements[0].claims);
    changed.statements[1].claims = claims;
    assert_eq!(refused(changed), "claim outside shard 0");
}

/// What binds the shards of a batch: changed, swapped and missing values are refused by both
/// verifiers, and one shard alone has none.
#[test]
fn what_binds_a_shard_is_checked() {
    let sample = Sample::new(FAST, &[FIBONACCI, FIBONACCI]);
    let proof = traceloom::verifier::Proof::decode(&sample.bytes).expect("it decodes");
    let refused = |change: &dyn Fn(&mut Vec<Vec<traceloom::air::field::Goldilocks>>)| {
        let mut changed = proof.clone();
        let bound = changed.statements.iter_mut().map(|statement| &mut statement.bound);
        let mut lists: Vec<_> = bound.map(std::mem::take).collect();
        change(&mut lists);
        for (statement, list) in changed.statements.iter_mut().zip(lists) {
            statement.bound = list;
        }
        let bytes = changed.encode();
        assert!(!sample.first(&bytes));
        sample.second(&bytes).expect_err("it is refused").0
    };
    let one = traceloom::air::field::element(1);
    assert_eq!(refused(&|lists| lists[0][0] += one), "sum of the terminals");
    assert_eq!(refused(&|lists| lists[1][3] += one), "sum of the terminals");
    assert_eq!(refused(&|lists| lists.swap(0, 1)), "sum of the terminals");
    for shard in 0..2 {
        assert_eq!(refused(&|lists| lists[shard].push(one)), "bound values");
        assert_eq!(refused(&|lists| lists[shard].truncate(1)), "bound values");
        assert_eq!(refused(&|lists| lists[shard].clear()), "bound values");
    }
    let alone = Sample::new(FAST, &[FIBONACCI]);
    let alone = Proof::<2>::decode(&alone.bytes).expect("it decodes");
    assert!(alone.statements[0].bound.is_empty());
}

/// Both verifiers compute the figures from the heights that they find: the same proof is worth
/// less to a floor that it misses.
#[test]
fn floors_are_those_of_section_9() {
    let sample = Sample::new(FAST, &[FIBONACCI]);
    for (position, floor, refused) in
        [(10, 18, None), (10, 19, Some("heuristic")), (11, 9, None), (11, 10, Some("provable"))]
    {
        let mut params = FAST;
        params.0[position] = floor;
        let sample = sample.with_params(params);
        let expected = refused.map(|kind| format!("{kind} security"));
        let found = sample.second(&sample.bytes).err().map(|error| error.0.to_owned());
        // Another floor is another transcript: what is not refused by it is refused later.
        let security = found.filter(|error| error.ends_with("security"));
        assert_eq!(security, expected, "parameter {position}, {floor}");
        assert_eq!(sample.first_refusal(&sample.bytes).contains("security is"), refused.is_some());
    }
}

#[test]
fn a_changed_byte_is_refused_in_every_section() {
    let sample = Sample::new(FAST, &[DIV_REM]);
    let sections = Proof::<2>::decode(&sample.bytes).expect("it decodes").sections;
    // Lists by their length, and by their first item; numbers by two of their bytes.
    for &(name, start) in &sections {
        for offset in [0, 8] {
            let mut bytes = sample.bytes.clone();
            if let Some(byte) = bytes.get_mut(start + offset) {
                *byte ^= 1;
                assert!(sample.second(&bytes).is_err(), "{name}, byte {offset}");
            }
        }
    }
    let names: std::collections::BTreeSet<_> = sections.iter().map(|(name, _)| name).collect();
    assert_eq!(names.len(), 32, "{names:?}");
}

#[test]
fn cut_and_extended_proofs_are_refused() {
    let sample = Sample::new(FAST, &[FIBONACCI]);
    let (_, cut) = sample.bytes.split_last().expect("it is not empty");
    assert_eq!(sample.second(cut), Err(Malformed("cut short")));
    let extended = [&sample.bytes[..], &[0]].concat();
    assert_eq!(sample.second(&extended), Err(Malformed("trailing bytes")));
    // A second representative of the same element.
    let position = sample.section("final polynomial") + 8;
    let mut bytes = sample.bytes.clone();
    bytes[position..position + 8].copy_from_slice(&P.to_le_bytes());
    assert_eq!(sample.second(&bytes), Err(Malformed("not canonical")));
}

#[test]
fn a_wrong_claim_is_refused() {
    let mut sample = Sample::new(FAST, &[FIBONACCI]);
    let word = sample.section("outputs") + 8;
    sample.claims[0].outputs[0] += traceloom::air::field::element(1);
    assert_eq!(sample.second(&sample.bytes), Err(Malformed("claim")));
    // Caller and file agree on the wrong claim: nothing provides its message.
    let mut bytes = sample.bytes.clone();
    shift_word(&mut bytes, word, 1);
    assert_eq!(sample.second(&bytes), Err(Malformed("sum of the terminals")));
    assert!(!sample.first(&bytes));
}

#[test]
fn a_wrong_terminal_is_refused() {
    let sample = Sample::new(FAST, &[FIBONACCI]);
    let first = sample.section("terminals") + 8;
    let mut bytes = sample.bytes.clone();
    shift_word(&mut bytes, first, 1);
    assert_eq!(sample.second(&bytes), Err(Malformed("sum of the terminals")));
    // Two that cancel leave the sum alone, but are not what the columns sum to.
    shift_word(&mut bytes, first + 16, P - 1);
    assert_eq!(sample.second(&bytes), Err(Malformed("constraints")));
    assert!(!sample.first(&bytes));
}

/// Adds to the word at `position`.
fn shift_word(bytes: &mut [u8], position: usize, by: u64) {
    let word = &mut bytes[position..position + 8];
    let old = u64::from_le_bytes(word.try_into().expect("it has eight bytes"));
    word.copy_from_slice(&field::add(old, by).to_le_bytes());
}

#[test]
fn both_verifiers_agree_on_random_changes() {
    let sample = Sample::new(FAST, &[FIBONACCI, FIBONACCI]);
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    for _ in 0..200 {
        let mut bytes = sample.bytes.clone();
        let position = random(bytes.len());
        bytes[position] ^= 1 << random(8);
        let second = sample.second(&bytes);
        assert_eq!(sample.first(&bytes), second.is_ok(), "byte {position}: {second:?}");
    }
}

/// Who verifies has nothing of the prover or of its libraries: only proofs to look at
/// are made with it, in `samples`, `necessity`, `one_row` and `ops`.
#[test]
fn it_shares_no_code_with_the_prover() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/second_verifier");
    let mut num_files = 0;
    for entry in std::fs::read_dir(folder).expect("the folder of this test") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("a source file");
        let name = path.file_name().expect("it has a name").to_str().expect("it is ASCII");
        let may = ["samples.rs", "necessity.rs", "one_row.rs", "ops.rs", "main.rs"].contains(&name);
        for line in text.lines().filter(|_| !may) {
            let ours = line.matches("traceloom::").count();
            let data = ["traceloom::abi::", "traceloom::air::"]
                .map(|allowed| line.matches(allowed).count())
                .iter()
                .sum::<usize>();
            let parts = ["p3_", "traceloom_"].iter().any(|part| line.contains(part));
            assert!(ours == data && !parts, "{name}: {line}");
        }
        num_files += 1;
    }
    assert!(num_files >= 15, "{num_files} files");
}
