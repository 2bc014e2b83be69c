//! Row plans: every decision about a row, made once; emitters only print.
//!
//! A plan is data. It knows no target language.
//!
//! - [`PathPlan`]: one path of one function, straight-line: values in order, then
//!   every cell of the function's row exactly once, zeros included. Its seed is
//!   typed.
//! - [`GenericPlan`]: one function, branching, over full seeds; it serves widened
//!   and short runs, and functions with too many paths to number.
//!
//! Rules for emitters
//! - A value is *held as an integer* in a plan if [`Value::is_integer`], else as a
//!   field element. An expression of field elements converts integer operands.
//!   [`Expr`] says what each form computes; for integer results the planner has
//!   proven that nothing wraps.
//! - In a writer, [`Need::writer`] values are computed; the operations that a
//!   value belongs to are numbered alike in every plan and target ([`OpNote`]).
//! - Packers read canonical words, check nothing about ranges before they store,
//!   and so use [`Value::proven`] only, where seed words are unbounded.

mod bounds;
mod columns;
mod generic;
mod guards;
mod library;
mod lower;
mod path;
mod program;

use traceloom_abi::seed::{FullLayout, Meaning, OwnedSchema};
use traceloom_air::bytes::ByteOp;
use traceloom_air::field::MODULUS;

pub use bounds::bound_of;
pub use columns::{Column, PlanLayout, Region, Span};
pub use program::plan_program;

/// Position of a value in its plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ValueNo(pub u32);

impl ValueNo {
    /// As an index.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

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

/// Plans of one function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionPlan {
    /// Name in the program: untrusted text.
    pub name: String,
    /// Name in emitted text, unique in its program: see [`crate::mangle`].
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
    /// External reads in order of execution; [`Meaning::Read`] counts them.
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
    /// continuation first [`Expr::Merged`], assigned by the yield that was taken.
    pub first_value: u32,
    /// One past the last value.
    pub end_value: u32,
    /// Cells that this block computes, by column.
    pub writes: Vec<Write>,
    /// Cells that stay unused once this block is reached, to be set to zero. Along
    /// every way through the function each cell is written exactly once, by these
    /// and by `writes`.
    pub zeros: Vec<Span>,
    /// External reads of this block. Within a block [`Meaning::Read`] counts from
    /// the number of reads executed before the block.
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

/// One value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// What it is.
    pub expr: Expr,
    /// Number of the operation that it belongs to, `None` before the first.
    pub op: Option<u32>,
    /// Tracked degree of the bytecode value, 1 for what only the plan computes.
    pub degree: u32,
    /// Exclusive upper bound from producers alone, seed words unbounded.
    pub proven: u64,
    /// Exclusive upper bound from uses: speculation, for reports and seed widths.
    pub guarded: u64,
    /// Exclusive upper bound in the encoding of this plan's seeds: as `proven`, but
    /// from seed words of checked width. Equals `proven` in generic plans.
    pub bound: u64,
    /// Who needs it.
    pub need: Need,
}

impl Value {
    /// Whether the writer of this plan holds the value as an integer; otherwise as a
    /// field element.
    #[must_use]
    pub const fn is_integer(&self) -> bool {
        self.bound < MODULUS
    }

    /// The same for packers and checkers.
    #[must_use]
    pub const fn is_integer_when_packing(&self) -> bool {
        self.proven < MODULUS
    }
}

/// Who needs a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Need {
    /// A cell, or in a generic plan a match.
    pub writer: bool,
    /// A fetch that is not aliased, or in a generic plan a match.
    pub packer: bool,
    /// Any fetch, or the outputs.
    pub checker: bool,
}

/// What a value is. `word(x)` is the canonical word of `x`, `low(x)` its lowest
/// byte: operands of byte operations are bytes in every record, and masking keeps
/// table indices inside on any other input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Expr {
    /// A canonical word.
    Constant(u64),
    /// A word of the seed.
    Seed(Meaning),
    /// Generic plans: a value yielded into this continuation, by position.
    Merged(u32),
    /// `a + b`; of integers if the result is one, else of field elements.
    Add(ValueNo, ValueNo),
    /// `a - b`, of field elements; integers if the result is one.
    Sub(ValueNo, ValueNo),
    /// `a · b`; of integers if the result is one, else of field elements.
    Mul(ValueNo, ValueNo),
    /// 1 if `a` is zero, else 0.
    IsZero(ValueNo),
    /// The inverse, zero for zero.
    InverseOrZero(ValueNo),
    /// Result number `.1` of a unary byte operation on `low(a)`.
    Unary(ByteOp, u8, ValueNo),
    /// Result number `.1` of a binary byte operation on `low(a)`, `low(b)`.
    Binary(ByteOp, u8, ValueNo, ValueNo),
    /// `(low(a) + low(b)) >> 8`.
    ByteCarry(ValueNo, ValueNo),
    /// 1 if `low(a) < low(b)`, else 0.
    ByteBorrow(ValueNo, ValueNo),
    /// `a0 + 2^8 a1 + 2^16 a2 + 2^24 a3`; of integers if the result is one, else of
    /// field elements.
    Pack([ValueNo; 4]),
    /// The same of `low(ai)`: a 32-bit word.
    PackLow([ValueNo; 4]),
    /// Byte number `.1` of `word(a)`.
    ByteOf(ValueNo, u8),
    /// `word(a) >> 32`.
    High32(ValueNo),
    /// 1 if `word(a) < word(b)`, else 0.
    Less(ValueNo, ValueNo),
    /// `(word(b) - word(a) - 1) mod 2^32`.
    LessRest(ValueNo, ValueNo),
    /// `(word(a) - word(b) - 1) mod 2^32`: the gap between two ranks.
    RankGap(ValueNo, ValueNo),
}

impl Expr {
    /// Its operands in order.
    #[must_use]
    pub fn operands(&self) -> Vec<ValueNo> {
        match *self {
            Self::Constant(_) | Self::Seed(_) | Self::Merged(_) => Vec::new(),
            Self::IsZero(a)
            | Self::InverseOrZero(a)
            | Self::Unary(_, _, a)
            | Self::ByteOf(a, _)
            | Self::High32(a) => vec![a],
            Self::Add(a, b)
            | Self::Sub(a, b)
            | Self::Mul(a, b)
            | Self::Binary(_, _, a, b)
            | Self::ByteCarry(a, b)
            | Self::ByteBorrow(a, b)
            | Self::Less(a, b)
            | Self::LessRest(a, b)
            | Self::RankGap(a, b) => vec![a, b],
            Self::Pack(a) | Self::PackLow(a) => a.to_vec(),
        }
    }

    /// A short name for what it computes, for names of values.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Constant(_) => "const",
            Self::Seed(_) => "seed",
            Self::Merged(_) => "merged",
            Self::Add(..) => "sum",
            Self::Sub(..) => "diff",
            Self::Mul(..) => "prod",
            Self::IsZero(_) => "is_zero",
            Self::InverseOrZero(_) => "inv",
            Self::Unary(op, ..) | Self::Binary(op, ..) => byte_result_name(*op),
            Self::ByteCarry(..) => "carry",
            Self::ByteBorrow(..) => "borrow",
            Self::Pack(_) => "pack",
            Self::PackLow(_) => "word",
            Self::ByteOf(..) => "byte",
            Self::High32(_) => "high",
            Self::Less(..) => "less",
            Self::LessRest(..) => "rest",
            Self::RankGap(..) => "gap",
        }
    }
}

fn byte_result_name(op: ByteOp) -> &'static str {
    match op {
        ByteOp::Bits => "bit",
        ByteOp::ShiftLeft => "shl",
        ByteOp::ShiftRight => "shr",
        ByteOp::Xor => "xor",
        ByteOp::And => "and",
        ByteOp::Or => "or",
        ByteOp::LessThan => "lt",
        ByteOp::Add => "add8",
        ByteOp::Sub => "sub8",
        ByteOp::Mul => "mul8",
        ByteOp::XorSplit7 => "split7",
        ByteOp::XorSplit4 => "split4",
        ByteOp::RangeCheck => "none",
    }
}

/// One cell of the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Write {
    /// Where.
    pub column: Column,
    /// What.
    pub cell: Cell,
    /// Whether constraints fix it.
    pub fixed: Fixed,
}

/// What a cell gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// A canonical word: 1 for a selector of the path, 0 for what it does not use.
    Constant(u64),
    /// A value.
    Value(ValueNo),
}

/// Whether the constraints and lookups fix a cell, given the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fixed {
    /// Any other content is refused.
    Determined,
    /// Nothing reads it: a column that only other paths use.
    FreeUnused,
    /// Advice that no constraint and no message reads on this path.
    FreeAdvice,
    /// The `d` of an eq_zero: free where the value is zero.
    FreeWhenZero(ValueNo),
}

/// An external read: a word that the row cannot compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Read {
    /// Number of its operation.
    pub op: u32,
    /// Where it comes from.
    pub source: ReadSource,
    /// The row's own output that it equals, where every word of its fetch is
    /// returned unchanged: then packers read it there and do not fetch.
    pub alias: Option<u32>,
    /// The value that it defines.
    pub value: ValueNo,
}

/// Where an external read comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadSource {
    /// Word `result` of fetch `fetch` of the same path or block.
    Fetched {
        /// Position among the fetches.
        fetch: u32,
        /// Position among its words.
        result: u32,
    },
    /// The `.0`-th callee rank that the record keeps for the query: counted along
    /// the path in path plans, from the first one of the block in generic plans.
    CalleeRank(u32),
}

/// A look into the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetch {
    /// Number of its operation.
    pub op: u32,
    /// What is looked up.
    pub kind: FetchKind,
    /// Number of words that it gives.
    pub num_results: u32,
    /// Whether all of its words are own outputs: packers leave it out, checkers
    /// compare.
    pub aliased: bool,
}

/// What is looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FetchKind {
    /// The outputs of a finished query.
    Call {
        /// The callee.
        function: u32,
        /// Its inputs.
        args: Vec<ValueNo>,
    },
    /// The pointer to stored values.
    Store {
        /// Position of the memory table.
        memory: u32,
        /// The values.
        values: Vec<ValueNo>,
    },
    /// The values behind a pointer.
    Load {
        /// Position of the memory table.
        memory: u32,
        /// The pointer.
        pointer: ValueNo,
    },
    /// Index and length under a key.
    IoInfo {
        /// The channel.
        channel: ValueNo,
        /// The key.
        key: Vec<ValueNo>,
    },
    /// Words of a channel, as many as the fetch gives.
    IoRead {
        /// The channel.
        channel: ValueNo,
        /// First word.
        index: ValueNo,
    },
    /// Pointers to quotient and remainder.
    BigUintDivRem {
        /// Position of the memory table of integer lists.
        memory: u32,
        /// Pointer to the dividend.
        a: ValueNo,
        /// Pointer to the divisor.
        b: ValueNo,
    },
}

impl FetchKind {
    /// The values that it needs, in order.
    #[must_use]
    pub fn operands(&self) -> Vec<ValueNo> {
        match self {
            Self::Call { args: values, .. } | Self::Store { values, .. } => values.clone(),
            Self::Load { pointer, .. } => vec![*pointer],
            Self::IoInfo { channel, key } => std::iter::once(channel).chain(key).copied().collect(),
            Self::IoRead { channel, index } => vec![*channel, *index],
            Self::BigUintDivRem { a, b, .. } => vec![*a, *b],
        }
    }
}
