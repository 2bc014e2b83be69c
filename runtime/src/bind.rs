//! Binding: does what was generated last time belong to the program at hand?
//!
//! A registry was made from a program that may have changed since, by a generator
//! that may have changed since. So nothing of it is used before fingerprint, ABI
//! version, layouts, paths and seed schemas have been compared with the checked
//! program; a difference is an error that says what, and what mends it.
//!
//! Columns of a unit are relative to the bases of its regions, so a unit fits its
//! function alone and in every group: the grouping is no part of a binding.

use std::fmt;
use std::fmt::Write;

use traceloom_abi::registry::{ABI_VERSION, FunctionUnit, PathUnit, ProgramUnit};
use traceloom_abi::row::RowShape;
use traceloom_abi::seed::{Meaning, SeedSchema, Width};
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::model::FunctionId;
use traceloom_bytecode::system::GroupColumns;

/// What generates the units again.
pub const MEND: &str = "traceloom codegen";

/// The unit of a program, compared with it.
#[derive(Clone, Debug)]
pub struct Binding {
    unit: &'static ProgramUnit,
    /// By function index; `None` for unconstrained functions.
    functions: Vec<Option<&'static FunctionUnit>>,
}

/// A function in a circuit: what was generated for it, and where its columns are.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    /// What was generated.
    pub unit: &'static FunctionUnit,
    /// Its bases in the rows of the circuit.
    pub shape: RowShape,
}

/// Why a registry cannot be used for a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BindError {
    /// No unit has the program's fingerprint or name.
    #[error("no unit was generated for program {program:?}, fingerprint {fingerprint}")]
    NotInRegistry {
        /// Name of the program.
        program: String,
        /// Its fingerprint in hexadecimal.
        fingerprint: String,
    },
    /// The unit of this name was generated from other bytecode.
    #[error(
        "program {program:?} has changed: its unit has fingerprint {expected}, found {found}; \
         run `{MEND}`"
    )]
    FingerprintDiffers {
        /// Name of the program.
        program: String,
        /// Fingerprint in the registry.
        expected: String,
        /// Fingerprint of the program.
        found: String,
    },
    /// The unit is of this program, and yet does not fit it.
    #[error(transparent)]
    Differs(#[from] Difference),
}

/// One thing that two parts state differently.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {what}: expected {expected}, found {found}; run `{MEND}`")]
pub struct Difference {
    /// Program and function.
    pub place: String,
    /// What differs.
    pub what: String,
    /// What the program says.
    pub expected: String,
    /// What the other part says.
    pub found: String,
}

impl Binding {
    /// Finds the unit of `program` and compares it.
    ///
    /// # Errors
    /// [`BindError`]: nothing is there, or it was made from or by something else.
    pub fn new(
        program: &CheckedProgram,
        registry: &[&'static ProgramUnit],
    ) -> Result<Self, BindError> {
        let unit = find(program, registry)?;
        let name = &program.program().name;
        let place = || format!("unit of program {name:?}");
        same(place, "ABI version", &ABI_VERSION, &unit.abi_version)?;
        let mut functions = vec![None; program.program().functions.len()];
        for function in unit.functions {
            let slot = functions.get_mut(function.function as usize);
            let slot = slot.filter(|slot| slot.is_none());
            let Some(slot) = slot else {
                return Err(differs(place, "function index", "one unit each", &function.function));
            };
            *slot = Some(function);
        }
        for id in program.function_ids() {
            let data = program.function(id);
            let place = || format!("unit of program {name:?}, function {:?}", data.name);
            let found = functions[id.index()];
            same(place, "generated", &data.constrained, &found.is_some())?;
            if let Some(function) = found {
                compare(program, id, function, &place)?;
            }
        }
        Ok(Self { unit, functions })
    }

    /// The unit.
    #[must_use]
    pub fn unit(&self) -> &'static ProgramUnit {
        self.unit
    }

    /// Unit digest, which device images and cached seeds must state, too.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        self.unit.digest
    }

    /// Compares the digest that another part of the build states, `what`.
    ///
    /// # Errors
    /// [`Difference`] if it was made from other units.
    pub fn check_digest(&self, what: &str, found: &[u8; 32]) -> Result<(), Difference> {
        let place = || format!("unit of program {:?}", self.unit.name);
        same(place, format!("digest of {what}"), &hex(&self.unit.digest), &hex(found))
    }

    /// The members of a circuit, in order.
    ///
    /// # Panics
    /// If a member is unconstrained or of another program.
    #[must_use]
    pub fn members(&self, program: &CheckedProgram, members: &[FunctionId]) -> Vec<Member> {
        let columns = GroupColumns::new(program, members);
        let member = |(position, id): (usize, &FunctionId)| Member {
            unit: self.functions[id.index()].expect("members are constrained"),
            shape: RowShape {
                width: columns.width,
                input: 0,
                selector: columns.first_selector[position],
                auxiliary: columns.first_auxiliary,
            },
        };
        members.iter().enumerate().map(member).collect()
    }
}

/// By fingerprint; a unit of the same name says more than that nothing is there.
fn find(
    program: &CheckedProgram,
    registry: &[&'static ProgramUnit],
) -> Result<&'static ProgramUnit, BindError> {
    let (name, fingerprint) = (&program.program().name, program.fingerprint());
    let mut units = registry.iter().copied();
    if let Some(unit) = units.clone().find(|unit| unit.fingerprint == fingerprint) {
        return Ok(unit);
    }
    let (program, fingerprint) = (name.clone(), hex(&fingerprint));
    Err(match units.find(|unit| unit.name == name) {
        None => BindError::NotInRegistry { program, fingerprint },
        Some(unit) => BindError::FingerprintDiffers {
            program,
            expected: hex(&unit.fingerprint),
            found: fingerprint,
        },
    })
}

fn compare(
    program: &CheckedProgram,
    id: FunctionId,
    unit: &FunctionUnit,
    place: &impl Fn() -> String,
) -> Result<(), BindError> {
    let (layout, paths) = (program.layout(id), program.paths(id));
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
    let numbered = paths.are_numbered();
    let num_paths = if numbered { paths.num_numbers() } else { 0 };
    same(place, "number of paths", &num_paths, &unit.paths.len())?;
    same(place, "packer without path numbers", &!numbered, &unit.generic.pack.is_some())?;
    for (number, path) in unit.paths.iter().enumerate() {
        let place = || format!("{}, path {number}", place());
        let leaves = paths.leaves(number).unwrap_or_default();
        same(place, "leaves", &Debug(leaves), &Debug(path.leaves))?;
        check_schema(unit, path, &place)?;
    }
    Ok(())
}

/// What packers, writers and widening rely on: the order and alignment that
/// `abi::seed` states, and that every word has a place in a full seed.
fn check_schema(
    unit: &FunctionUnit,
    path: &PathUnit,
    place: &impl Fn() -> String,
) -> Result<(), BindError> {
    let SeedSchema { words, stride } = path.schema;
    let first = words.first().map(|word| (word.meaning, word.width, word.offset));
    let expected = Some((Meaning::Multiplicity, Width::Full, 0));
    same(place, "first word of the seed", &Debug(expected), &Debug(first))?;
    let mut end = 0;
    let mut inputs = vec![false; unit.full.num_inputs as usize];
    let mut reads = vec![false; unit.full.max_reads as usize];
    let (mut multiplicities, mut ranks) = (0, 0);
    for word in words {
        let size = word.width.bytes() as u32;
        if word.offset != end || !word.offset.is_multiple_of(size) {
            let what = format!("offset of {:?}", word.meaning);
            return Err(differs(place, what, end, &word.offset));
        }
        end += size;
        let fresh = match word.meaning {
            Meaning::Multiplicity => count_once(&mut multiplicities),
            Meaning::Rank => unit.full.ranked && count_once(&mut ranks),
            Meaning::Input(i) => mark_once(&mut inputs, i),
            Meaning::Read(read) => mark_once(&mut reads, read),
            Meaning::Path => false,
        };
        if !fresh {
            return Err(differs(place, "word of the seed", "one of each", &Debug(word.meaning)));
        }
    }
    same(place, "ranks of the seed", &u32::from(unit.full.ranked), &ranks)?;
    same(place, "stride of the seed", &end.next_multiple_of(8), &stride).map_err(BindError::from)
}

fn count_once(count: &mut u32) -> bool {
    *count += 1;
    *count == 1
}

fn mark_once(marks: &mut [bool], index: u32) -> bool {
    marks.get_mut(index as usize).is_some_and(|mark| !std::mem::replace(mark, true))
}

/// Prints as the debug form.
#[derive(PartialEq)]
struct Debug<T>(T);

impl<T: fmt::Debug> fmt::Display for Debug<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

pub(crate) fn same<T: PartialEq + fmt::Display>(
    place: impl FnOnce() -> String,
    what: impl Into<String>,
    expected: &T,
    found: &T,
) -> Result<(), Difference> {
    if expected == found {
        return Ok(());
    }
    let (expected, found) = (expected.to_string(), found.to_string());
    Err(Difference { place: place(), what: what.into(), expected, found })
}

fn differs(
    place: impl FnOnce() -> String,
    what: impl Into<String>,
    expected: impl fmt::Display,
    found: &dyn fmt::Display,
) -> BindError {
    let (expected, found) = (expected.to_string(), found.to_string());
    Difference { place: place(), what: what.into(), expected, found }.into()
}

/// Lower-case hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
