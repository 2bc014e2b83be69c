//! Binding: does what was generated last time belong to the program at hand?
//!
//! A registry was made from a program, by a generator, and both may have changed since. So
//! nothing of a registry is used before it was compared with the checked program. Every
//! difference is an error that says what differs, where, and which command mends it.
//!
//! What a difference costs:
//! - another fingerprint, ABI version or generator version: all circuits of the program.
//!   No attempt is made to find functions that did not change.
//! - a function without a unit, or whose unit differs in layout, paths, seed schema or
//!   contract digest ([`traceloom_bytecode::contract`]): the circuit of that function.
//!
//! The unit digest covers the row plans as well, which only the generator can make. Here
//! it is compared with that of device images and of anything else that states it;
//! `traceloom doctor` plans the program again and compares the outcome.
//!
//! Columns of a unit are relative to the bases of its regions, so a unit fits its
//! function alone and in every group: the grouping is not part of a binding.

mod difference;
mod function;
mod table;

use traceloom_abi::execute::FunctionExecutor;
use traceloom_abi::registry::{ABI_VERSION, FunctionUnit, GENERATOR_VERSION, ProgramUnit};
use traceloom_abi::row::RowShape;
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::model::FunctionId;
use traceloom_bytecode::system::GroupColumns;

pub use difference::Difference;
use difference::differs;
pub(crate) use difference::{hex, same};

/// What generates the units again.
pub const MEND: &str = "traceloom codegen";

/// The unit of a program, compared with it.
#[derive(Clone, Debug)]
pub struct Binding {
    unit: &'static ProgramUnit,
    /// By index of the function or row program. For unconstrained functions nothing is generated.
    functions: Vec<Result<&'static FunctionUnit, FunctionError>>,
}

/// A function in a circuit: what was generated for it, and where its columns are.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    /// What was generated.
    pub unit: &'static FunctionUnit,
    /// Its bases in the rows of the circuit.
    pub shape: RowShape,
}

/// Why nothing of a registry can be used for a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BindError {
    /// No unit has the program's fingerprint or name.
    #[error(
        "no unit was generated for program {program:?}, fingerprint {fingerprint}; add it to the \
         programs of a crate with units and run `{MEND}`"
    )]
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
    /// The unit is of this program, but does not fit it: it has another ABI or generator version,
    /// or lists a function that the program does not have.
    #[error(transparent)]
    Differs(#[from] Difference),
}

/// Why the unit of one function cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FunctionError {
    /// The unit of the program has nothing for the function.
    #[error("unit of program {program:?}: function {function:?} was not generated; run `{MEND}`")]
    NotGenerated {
        /// Name of the program.
        program: String,
        /// Name of the function.
        function: String,
    },
    /// Layout, paths, seed schema or contract of the function differ.
    #[error(transparent)]
    Differs(#[from] Difference),
}

impl Binding {
    /// Finds the unit of `program` and compares it. Functions that were not generated,
    /// or that differ, are not an error here: [`Binding::members`] reports them.
    ///
    /// # Errors
    /// [`BindError`]: there is no unit, or it was made from another program or by another
    /// generator.
    pub fn new(
        program: &CheckedProgram,
        registry: &[&'static ProgramUnit],
    ) -> Result<Self, BindError> {
        let unit = compared(&program.program().name, &program.fingerprint(), registry)?;
        let place = || format!("unit of program {:?}", program.program().name);
        let mut found = vec![Vec::new(); program.program().functions.len()];
        for function in unit.functions {
            let id = FunctionId(function.function);
            let known = program.program().functions.get(id.index());
            if known.is_none_or(|known| !known.constrained) {
                let expected = "those of constrained functions";
                return Err(differs(place, "function index", expected, id.0).into());
            }
            found[id.index()].push(function);
        }
        let functions = program.function_ids().zip(&found);
        let functions = functions.map(|(id, found)| bind_function(program, id, found)).collect();
        Ok(Self { unit, functions })
    }

    /// The unit.
    #[must_use]
    pub fn unit(&self) -> &'static ProgramUnit {
        self.unit
    }

    /// Number of functions whose unit can be used.
    #[must_use]
    pub fn num_functions(&self) -> usize {
        self.functions.iter().filter(|function| function.is_ok()).count()
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
    /// # Errors
    /// [`FunctionError`] of the first member whose unit cannot be used. A circuit has
    /// generated rows as a whole or not at all.
    ///
    /// # Panics
    /// If a member is of another program.
    pub fn members(
        &self,
        program: &CheckedProgram,
        members: &[FunctionId],
    ) -> Result<Vec<Member>, FunctionError> {
        let columns = GroupColumns::new(program, members);
        let member = |(position, id): (usize, &FunctionId)| {
            let shape = RowShape {
                width: columns.width,
                input: 0,
                selector: columns.first_selector[position],
                auxiliary: columns.first_auxiliary,
            };
            self.functions[id.index()].clone().map(|unit| Member { unit, shape })
        };
        members.iter().enumerate().map(member).collect()
    }
}

/// The executors of `program`, compared with it.
///
/// # Errors
/// [`BindError`]: nothing is there, or it was made from or by something else.
pub fn executors(
    program: &CheckedProgram,
    registry: &[&'static ProgramUnit],
) -> Result<&'static [FunctionExecutor], BindError> {
    let unit = compared(&program.program().name, &program.fingerprint(), registry)?;
    let place = || format!("unit of program {:?}", program.program().name);
    let functions = &program.program().functions;
    same(place, "number of executors", &functions.len(), &unit.executors.len())?;
    for (function, executor) in functions.iter().zip(unit.executors) {
        let place = || format!("{}, executor of {:?}", place(), function.name);
        let (inputs, outputs) = (executor.num_inputs, executor.num_outputs);
        same(place, "number of inputs", &function.num_inputs, &inputs)?;
        same(place, "number of outputs", &function.num_outputs, &outputs)?;
    }
    Ok(unit.executors)
}

/// The unit of the program with this fingerprint and of this build's versions.
fn compared(
    name: &str,
    fingerprint: &[u8; 32],
    registry: &[&'static ProgramUnit],
) -> Result<&'static ProgramUnit, BindError> {
    let unit = find(name, fingerprint, registry)?;
    let place = || format!("unit of program {name:?}");
    same(place, "ABI version", &ABI_VERSION, &unit.abi_version)?;
    same(place, "generator version", &GENERATOR_VERSION, &unit.generator_version)?;
    Ok(unit)
}

/// Finds the unit by fingerprint. A unit of the same name makes a better error than none.
fn find(
    name: &str,
    fingerprint: &[u8; 32],
    registry: &[&'static ProgramUnit],
) -> Result<&'static ProgramUnit, BindError> {
    let mut units = registry.iter().copied();
    if let Some(unit) = units.clone().find(|unit| unit.fingerprint == *fingerprint) {
        return Ok(unit);
    }
    let (program, fingerprint) = (name.to_owned(), hex(fingerprint));
    Err(match units.find(|unit| unit.name == name) {
        None => BindError::NotInRegistry { program, fingerprint },
        Some(unit) => BindError::FingerprintDiffers {
            program,
            expected: hex(&unit.fingerprint),
            found: fingerprint,
        },
    })
}

/// What a unit lists for function `id`, compared with it.
fn bind_function(
    program: &CheckedProgram,
    id: FunctionId,
    found: &[&'static FunctionUnit],
) -> Result<&'static FunctionUnit, FunctionError> {
    let (name, data) = (&program.program().name, program.function(id));
    let Some(&function) = found.first() else {
        let (program, function) = (name.clone(), data.name.clone());
        return Err(FunctionError::NotGenerated { program, function });
    };
    let place = || format!("unit of program {name:?}, function {:?}", data.name);
    same(place, "number of units", &1, &found.len())?;
    function::compare(program, id, function, &place)?;
    Ok(function)
}
