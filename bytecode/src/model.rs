//! Programs as flat data.
//!
//! A function's blocks form a tree, stored in pre-order (a block, then its
//! cases in listed order, its default, its continuation): children have larger
//! indices than their parents, so that every walk is a loop over the list and
//! nothing recurses, not even drop.
//!
//! SSA: inputs are values `0..num_inputs`; each operation appends its results. A
//! block starts with its parent's values; a continuation starts with the values
//! its match started from, then the yielded ones.

use traceloom_air::bytes::ByteOp;
use traceloom_air::field::Goldilocks;

pub use crate::operations::Op;

/// A program. Data only: [`crate::CheckedProgram`] is what can be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Name, for people.
    pub name: String,
    /// Functions; the position is the identity in messages.
    pub functions: Vec<Function>,
    /// Widths of the memory tables in use, strictly increasing.
    pub memory_sizes: Vec<u32>,
    /// Grouping of constrained functions into circuits.
    pub circuits: Vec<Vec<FunctionId>>,
}

/// A memoised function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Name, for people.
    pub name: String,
    /// Number of inputs.
    pub num_inputs: u32,
    /// Number of outputs.
    pub num_outputs: u32,
    /// Whether it may be claimed from outside.
    pub entry: bool,
    /// Whether it has a circuit.
    pub constrained: bool,
    /// Blocks in pre-order; block 0 is the body.
    pub blocks: Vec<Block>,
}

impl Function {
    /// By block: where a yield in it goes on, if it may yield.
    #[must_use]
    pub fn continuations(&self) -> Vec<Option<BlockId>> {
        let mut resumes = vec![None; self.blocks.len()];
        for (index, block) in self.blocks.iter().enumerate() {
            let outer = resumes[index];
            let inner = match &block.control {
                Control::MatchContinue { continuation, .. } => {
                    resumes[continuation.index()] = outer;
                    Some(*continuation)
                }
                _ => outer,
            };
            for child in block.control.arms().into_iter().flat_map(Match::blocks) {
                resumes[child.index()] = inner;
            }
        }
        resumes
    }
}

/// Operations in order, then one control.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Operations in order.
    pub ops: Vec<Op>,
    /// How the block ends.
    pub control: Control,
}

/// Position of a function in its program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FunctionId(pub u32);

/// Position of a block in its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockId(pub u32);

/// Number of a value on the path to where it is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ValueId(pub u32);

impl FunctionId {
    /// As an index.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl BlockId {
    /// The body of every function.
    pub const BODY: Self = Self(0);

    /// As an index.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl ValueId {
    /// As an index.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Memory width of the integer lists of [`Op::HintBigUintDivRem`]: a tag (0 node,
/// 1 end), eight little-endian bytes, the next pointer.
pub const BIGUINT_WIDTH: u32 = traceloom_abi::biguint::WIDTH as u32;

/// Name of a byte operation in text and reports.
#[must_use]
pub fn byte_op_name(op: ByteOp) -> &'static str {
    match op {
        ByteOp::Bits => "u8_bit_decomposition",
        ByteOp::ShiftLeft => "u8_shift_left",
        ByteOp::ShiftRight => "u8_shift_right",
        ByteOp::Xor => "u8_xor",
        ByteOp::And => "u8_and",
        ByteOp::Or => "u8_or",
        ByteOp::LessThan => "u8_less_than",
        ByteOp::Add => "u8_add",
        ByteOp::Sub => "u8_sub",
        ByteOp::Mul => "u8_mul",
        ByteOp::XorSplit7 => "u8_xor_split7",
        ByteOp::XorSplit4 => "u8_xor_split4",
        ByteOp::RangeCheck => "u8_range_check",
        ByteOp::RangeCheck16 => "u16_range_check",
    }
}

/// How a block ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Control {
    /// A leaf: the function's outputs.
    Return {
        /// Its selector column.
        selector: u32,
        /// The outputs.
        values: Vec<ValueId>,
    },
    /// A leaf: the values that an enclosing match hands to its continuation.
    Yield {
        /// Its selector column.
        selector: u32,
        /// The yielded values.
        values: Vec<ValueId>,
    },
    /// Takes the case whose key equals the value, else the default.
    Match(Match),
    /// The same, and goes on in another block when an arm yields.
    MatchContinue {
        /// The choice.
        arms: Match,
        /// Number of yielded values.
        num_outputs: u32,
        /// Where it goes on.
        continuation: BlockId,
    },
}

/// A choice between blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// What is compared.
    pub value: ValueId,
    /// Keys, pairwise different and kept in order, with their blocks.
    pub cases: Vec<(Goldilocks, BlockId)>,
    /// Taken when no key equals the value.
    pub default: Option<BlockId>,
}

impl Match {
    /// The blocks of all arms: cases in order, then the default.
    pub fn blocks(&self) -> impl Iterator<Item = BlockId> + '_ {
        self.cases.iter().map(|&(_, block)| block).chain(self.default)
    }
}

impl Control {
    /// Name in text and reports.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Return { .. } => "return",
            Self::Yield { .. } => "yield",
            Self::Match(_) => "match",
            Self::MatchContinue { .. } => "match_continue",
        }
    }

    /// The choice that it makes, if it is a match of either form.
    #[must_use]
    pub fn arms(&self) -> Option<&Match> {
        match self {
            Self::Match(arms) | Self::MatchContinue { arms, .. } => Some(arms),
            Self::Return { .. } | Self::Yield { .. } => None,
        }
    }

    /// Child blocks in pre-order: arms, then the continuation.
    pub fn children(&self) -> impl Iterator<Item = BlockId> + '_ {
        let continuation = match self {
            Self::MatchContinue { continuation, .. } => Some(*continuation),
            _ => None,
        };
        self.arms().into_iter().flat_map(Match::blocks).chain(continuation)
    }
}
