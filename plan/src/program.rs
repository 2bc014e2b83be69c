//! Plans of a program, its functions and their paths.

use traceloom_abi::seed::{FullLayout, OwnedSchema};

use crate::columns::{PlanLayout, Span};
use crate::names::{Ident, program_symbol};
use crate::row::{Fetch, Read, Write};
use crate::value::{Value, ValueNo};

/// Plans of all constrained functions of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramPlan {
    /// Name of the program, for people.
    pub name: String,
    /// Program fingerprint.
    pub fingerprint: [u8; 32],
    /// By function index: number of outputs, for fetches.
    pub num_outputs: Vec<u32>,
    /// Constrained functions in program order.
    pub functions: Vec<FunctionPlan>,
}

impl ProgramPlan {
    /// The program in symbols and file names of emitted text.
    #[must_use]
    pub fn unit(&self) -> Ident {
        Ident::new(program_symbol(&self.name))
    }
}

/// Plans of one function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionPlan {
    /// Name in the program: untrusted text.
    pub name: String,
    /// Name in emitted text, unique in its program: see [`crate::names::symbols`].
    pub symbol: String,
    /// Index in the program, as in messages.
    pub function: u32,
    /// Columns.
    pub layout: PlanLayout,
    /// Order of the words of full seeds.
    pub full: FullLayout,
    /// Operations and controls in pre-order, numbered by position.
    pub ops: Vec<OpNote>,
    /// By path number; empty where paths are not numbered.
    pub paths: Vec<PathPlan>,
    /// The branching plan.
    pub generic: GenericPlan,
}

/// What a numbered operation is, for comments and error messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpNote {
    /// Block.
    pub block: u32,
    /// Position in the block; the number of its operations for its control.
    pub position: u32,
    /// Name and operands, as `u8_xor 3 4`; contains no text of the program.
    pub text: String,
}

/// One path, straight-line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathPlan {
    /// Path number.
    pub path: u32,
    /// Selectors of its leaves: yields, then the return.
    pub leaves: Vec<u32>,
    /// Values, operands first.
    pub values: Vec<Value>,
    /// Every cell of the function's row, by column.
    pub writes: Vec<Write>,
    /// External reads in order of execution;
    /// [`Meaning::Read`](traceloom_abi::seed::Meaning::Read) counts them.
    pub reads: Vec<Read>,
    /// Where reads come from, in order of execution.
    pub fetches: Vec<Fetch>,
    /// What the path returns.
    pub outputs: Vec<ValueNo>,
    /// The typed seed.
    pub schema: OwnedSchema,
}

/// One function, branching. Values are numbered over the whole function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GenericPlan {
    /// Values of all blocks, by block, operands first.
    pub values: Vec<Value>,
    /// By block, in the order of the program.
    pub blocks: Vec<GenericBlock>,
}

/// One block of a generic plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GenericBlock {
    /// First value. In the body these are multiplicity, rank and inputs; in a
    /// continuation first [`Expr::Merged`](crate::value::Expr::Merged), assigned by the
    /// yield that was taken.
    pub first_value: u32,
    /// One past the last value.
    pub end_value: u32,
    /// Cells that this block computes, by column.
    pub writes: Vec<Write>,
    /// Cells that stay unused once this block is reached, to be set to zero. Along
    /// every way through the function each cell is written exactly once, by these
    /// and by `writes`.
    pub zeros: Vec<Span>,
    /// External reads of this block. Within a block
    /// [`Meaning::Read`](traceloom_abi::seed::Meaning::Read) counts from the number of reads executed before the block.
    pub reads: Vec<Read>,
    /// Where they come from.
    pub fetches: Vec<Fetch>,
    /// How the block ends.
    pub control: GenericControl,
}

/// How a block of a generic plan ends. Blocks are numbered as in the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GenericControl {
    /// The row is done.
    Return {
        /// The outputs.
        outputs: Vec<ValueNo>,
    },
    /// Goes on in `block`, whose first values become `values`.
    Yield {
        /// The yielded values.
        values: Vec<ValueNo>,
        /// The continuation.
        block: u32,
    },
    /// Goes on in the block of the key that equals the value, else the default. If
    /// no block fits, the row is not one of this program.
    Match {
        /// What is compared.
        value: ValueNo,
        /// Canonical keys in listed order, with their blocks.
        cases: Vec<(u64, u32)>,
        /// Taken for no key.
        default: Option<u32>,
        /// Where a yield of an arm goes.
        continuation: Option<u32>,
    },
}

impl GenericControl {
    /// The blocks of all arms of a match: cases in order, then the default.
    pub fn arms(&self) -> impl Iterator<Item = usize> + '_ {
        let (cases, default) = match self {
            Self::Match { cases, default, .. } => (&cases[..], *default),
            Self::Return { .. } | Self::Yield { .. } => (&[][..], None),
        };
        cases.iter().map(|&(_, block)| block).chain(default).map(|block| block as usize)
    }

    /// Where the yields of a match's arms go, if it has a continuation.
    #[must_use]
    pub fn continuation(&self) -> Option<usize> {
        match self {
            Self::Match { continuation, .. } => continuation.map(|block| block as usize),
            Self::Return { .. } | Self::Yield { .. } => None,
        }
    }
}
