//! The unit of one function, compared with the function.
//!
//! Numbers, paths and seed schemas come first, since they say what differs. The contract
//! digest comes last: it finds a unit that was generated from other bytecode of the same
//! shape, or by another version of the generator.

use traceloom_abi::registry::{FunctionUnit, PathUnit};
use traceloom_abi::seed::{Meaning, SeedSchema, SeedWord, Width};
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::contract::contract_digest;
use traceloom_bytecode::model::FunctionId;

use super::difference::{Debug, Difference, differs, hex, same};

/// Compares the unit of one function with the function that the program has now.
pub(super) fn compare(
    program: &CheckedProgram,
    id: FunctionId,
    unit: &FunctionUnit,
    place: &impl Fn() -> String,
) -> Result<(), Difference> {
    let layout = program.layout(id);
    let numbers: [(&str, usize, u32); 6] = [
        ("number of inputs", layout.num_inputs, unit.layout.num_inputs),
        ("number of selectors", layout.num_selectors, unit.layout.num_selectors),
        ("number of auxiliaries", layout.num_auxiliaries, unit.layout.num_auxiliaries),
        ("number of lookups", layout.num_lookups, unit.layout.num_lookups),
        ("inputs of a full seed", layout.num_inputs, unit.full.num_inputs),
        ("ranks of a full seed", layout.ranked.into(), unit.full.ranked.into()),
    ];
    for (what, expected, found) in numbers {
        same(place, what, &expected, &(found as usize))?;
    }
    compare_paths(program, id, unit, place)?;
    for (number, path) in unit.paths.iter().enumerate() {
        let place = || format!("{}, path {number}", place());
        check_schema(unit, path, &place)?;
    }
    let (expected, found) = (hex(&contract_digest(program, id)), hex(&unit.contract));
    same(place, "contract digest", &expected, &found)
}

fn compare_paths(
    program: &CheckedProgram,
    id: FunctionId,
    unit: &FunctionUnit,
    place: &impl Fn() -> String,
) -> Result<(), Difference> {
    let paths = program.paths(id);
    let numbered = paths.are_numbered();
    let num_paths = if numbered { paths.num_numbers() } else { 0 };
    same(place, "number of paths", &num_paths, &unit.paths.len())?;
    same(place, "packer without path numbers", &!numbered, &unit.generic.pack.is_some())?;
    for (number, path) in unit.paths.iter().enumerate() {
        let place = || format!("{}, path {number}", place());
        let leaves = paths.leaves(number).unwrap_or_default();
        same(place, "leaves", &Debug(leaves), &Debug(path.leaves))?;
    }
    Ok(())
}

/// What packers, writers and widening rely on: the order and alignment that
/// `abi::seed` states, and that every word has a place in a full seed.
fn check_schema(
    unit: &FunctionUnit,
    path: &PathUnit,
    place: &impl Fn() -> String,
) -> Result<(), Difference> {
    let SeedSchema { words, stride } = path.schema;
    let first = words.first().map(|word| (word.meaning, word.width, word.offset));
    let expected = Some((Meaning::Multiplicity, Width::Full, 0));
    same(place, "first word of the seed", &Debug(expected), &Debug(first))?;
    let end = check_offsets(words, place)?;
    let mut inputs = vec![false; unit.full.num_inputs as usize];
    let mut reads = vec![false; unit.full.max_reads as usize];
    let (mut multiplicities, mut ranks) = (0, 0);
    for word in words {
        let fresh = match word.meaning {
            Meaning::Multiplicity => count_once(&mut multiplicities),
            Meaning::Rank => unit.full.ranked && count_once(&mut ranks),
            Meaning::Input(i) => mark_once(&mut inputs, i),
            Meaning::Read(read) => mark_once(&mut reads, read),
            Meaning::Path => false,
        };
        if !fresh {
            return Err(differs(place, "word of the seed", "one of each", Debug(word.meaning)));
        }
    }
    same(place, "ranks of the seed", &u32::from(unit.full.ranked), &ranks)?;
    same(place, "stride of the seed", &end.next_multiple_of(8), &stride)
}

/// Words lie one behind the other, each at a multiple of its size. Returns where they end.
pub(super) fn check_offsets(
    words: &[SeedWord],
    place: &impl Fn() -> String,
) -> Result<u32, Difference> {
    let mut end = 0;
    for word in words {
        let size = word.width.bytes() as u32;
        if word.offset != end || !word.offset.is_multiple_of(size) {
            let what = format!("offset of {:?}", word.meaning);
            return Err(differs(place, what, end, word.offset));
        }
        end += size;
    }
    Ok(end)
}

fn count_once(count: &mut u32) -> bool {
    *count += 1;
    *count == 1
}

pub(super) fn mark_once(marks: &mut [bool], index: u32) -> bool {
    marks.get_mut(index as usize).is_some_and(|mark| !std::mem::replace(mark, true))
}
