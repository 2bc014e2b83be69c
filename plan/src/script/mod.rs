//! Scripts: the text of a function, before a language is chosen.
//!
//! A script has the code of all writers of a function (every path, and every block of the
//! generic writer), or of all its packers. Printers print it as it is, and two languages print
//! the same script, so their texts can be read side by side.
//!
//! - [`code`]: instructions, registers and operands;
//! - `path`, `branches`, `pack`: the code of typed writers, of generic writers, and of packers;
//! - [`repeat`]: groups of instructions that repeat;
//! - `build`: groups become functions with parameters and results;
//! - [`notes`]: what comments say.
//!
//! Groups are found in the code of all writers of a function together: paths that compute the
//! same share functions, however different the columns that they leave out. No function and no
//! body has more than [`MOST_STEPS`] steps, so what a compiler sees at once is bounded, whatever
//! the size of a program.

mod branches;
mod build;
pub mod code;
pub mod notes;
mod pack;
mod path;
pub mod repeat;

use crate::columns::Region;
use crate::names::Ident;
use crate::program::FunctionPlan;
use code::{Body, Code, Instr, Operand, Reg, RegInfo, Type};

/// Most steps of a body or a function. Compilers need more than linear time, and stack, for many
/// variables in one scope (rust-lang/rust#122357).
pub const MOST_STEPS: usize = 256;

/// Kinds of numbers that differ from one occurrence of a group to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Space {
    /// Columns of a region.
    Column(Region),
    /// Numbers of operations, for errors.
    Op,
}

impl Space {
    /// All, in the order of parameters.
    pub const ALL: [Self; repeat::SPACES] = [
        Self::Column(Region::Input),
        Self::Column(Region::Selector),
        Self::Column(Region::Auxiliary),
        Self::Op,
    ];

    /// Its position in [`Self::ALL`].
    #[must_use]
    pub const fn index(self) -> usize {
        match self {
            Self::Column(Region::Input) => 0,
            Self::Column(Region::Selector) => 1,
            Self::Column(Region::Auxiliary) => 2,
            Self::Op => 3,
        }
    }
}

/// A number of a space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number {
    /// The number, or what is added to the function's own.
    pub number: u32,
    /// Whether the function is given one for the space.
    pub is_relative: bool,
}

/// What a function reads or writes beside its parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// The seed.
    pub seed: bool,
    /// The number of reads of the blocks before.
    pub reads: bool,
    /// The cells of the row.
    pub row: bool,
    /// Packers: the record.
    pub record: bool,
    /// Packers: the row's own query.
    pub query: bool,
    /// Packers: whether it can fail.
    pub fails: bool,
}

/// A group of instructions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name, unique in the script.
    pub name: Ident,
    /// The operations that its first occurrence belongs to.
    pub ops: Option<(u32, u32)>,
    /// How often it occurs.
    pub occurrences: u32,
    /// What it needs.
    pub context: Context,
    /// By space: whether it is given a number.
    pub bases: [bool; repeat::SPACES],
    /// Types of its parameters.
    pub params: Vec<Type>,
    /// What it does. Registers are those of its first occurrence.
    pub steps: Vec<Step>,
    /// What it returns.
    pub results: Vec<Reg>,
}

/// One step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// An instruction, and the number of its operation.
    Do(Instr, Number),
    /// A call of a function.
    Call(Call),
}

/// A call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Position of the function.
    pub function: usize,
    /// The numbers that it is given, by space.
    pub numbers: Vec<Number>,
    /// By parameter.
    pub args: Vec<Operand>,
    /// By result.
    pub results: Vec<Reg>,
    /// The operations that it stands for.
    pub ops: Option<(u32, u32)>,
}

/// The code of a path, a block or a packer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Main {
    /// What is not in steps; without instructions.
    pub body: Body,
    /// The steps.
    pub steps: Vec<Step>,
}

/// Code in groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    /// By number.
    pub regs: Vec<RegInfo>,
    /// Functions, each behind those that it calls.
    pub functions: Vec<Function>,
    /// In the order of the code.
    pub mains: Vec<Main>,
}

impl Script {
    /// The script of the writers of `function`: its paths, then the blocks of its generic writer.
    #[must_use]
    pub fn of_writers(function: &FunctionPlan) -> Self {
        let mut code = Code::default();
        function.paths.iter().for_each(|path| path::add(&mut code, path));
        branches::add(&mut code, function);
        build::script(code, function, "write_")
    }

    /// The script of what the packers of the paths of `function` look up and compute, or of what
    /// its checking packers compare.
    #[must_use]
    pub fn of_packers(function: &FunctionPlan, is_checked: bool) -> Self {
        let mut code = Code::default();
        for path in &function.paths {
            pack::add(&mut code, function, path, is_checked);
        }
        build::script(code, function, "find_")
    }

    /// How many registers of each class several blocks read.
    #[must_use]
    pub fn num_kept(&self) -> [u32; 3] {
        let mut count = [0; 3];
        for reg in self.regs.iter().filter(|reg| reg.kept.is_some()) {
            count[reg.ty.class() as usize] += 1;
        }
        count
    }
}
