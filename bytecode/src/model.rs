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

/// One operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// A constant.
    Const(Goldilocks),
    /// `a + b`.
    Add(ValueId, ValueId),
    /// `a - b`.
    Sub(ValueId, ValueId),
    /// `a · b`.
    Mul(ValueId, ValueId),
    /// 1 if `a` is zero, else 0.
    EqZero(ValueId),
    /// The outputs of another function.
    Call {
        /// The callee.
        function: FunctionId,
        /// Its inputs.
        args: Vec<ValueId>,
        /// Number of its outputs, restated so that values can be numbered.
        num_outputs: u32,
        /// Whether the result is proven; otherwise it is advice.
        constrained: bool,
    },
    /// A pointer to the values in write-once memory.
    Store {
        /// The values; their number is the width.
        values: Vec<ValueId>,
    },
    /// The values behind a pointer.
    Load {
        /// Number of values.
        width: u32,
        /// The pointer.
        pointer: ValueId,
    },
    /// Both lists are equal.
    AssertEq {
        /// Left side.
        lhs: Vec<ValueId>,
        /// Right side, equally long.
        rhs: Vec<ValueId>,
        /// Message for people; reaches neither constraints nor fingerprint.
        label: Option<String>,
    },
    /// Index and length under an io key. Advice.
    IoGetInfo {
        /// The channel.
        channel: ValueId,
        /// The key.
        key: Vec<ValueId>,
    },
    /// Names a stretch of a channel. An effect of execution only.
    IoSetInfo {
        /// The channel.
        channel: ValueId,
        /// The key.
        key: Vec<ValueId>,
        /// First word.
        index: ValueId,
        /// Number of words.
        len: ValueId,
    },
    /// Words of a channel. Advice.
    IoRead {
        /// The channel.
        channel: ValueId,
        /// First word.
        index: ValueId,
        /// Number of words.
        len: u32,
    },
    /// Appends to a channel. An effect of execution only.
    IoWrite {
        /// The channel.
        channel: ValueId,
        /// The words.
        values: Vec<ValueId>,
    },
    /// A unary byte operation, see [`ByteOp::UNARY`].
    Unary(ByteOp, ValueId),
    /// A binary byte operation, see [`ByteOp::BINARY`]. `Add` and `Sub` have a
    /// second result, the carry or borrow.
    Binary(ByteOp, ValueId, ValueId),
    /// 1 if `a < b`, else 0; both are below 2^32.
    U32LessThan(ValueId, ValueId),
    /// Little-endian packing of four bytes.
    U32ToField([ValueId; 4]),
    /// Four bytes and the carry of a sum of little-endian words. Advice.
    HintU32Add([[ValueId; 4]; 2]),
    /// Four bytes and the carry of a sum of little-endian words. Advice.
    HintU32Add3([[ValueId; 4]; 3]),
    /// Eight little-endian bytes of the canonical word. Advice.
    HintFieldToBytes(ValueId),
    /// The inverse, 0 for 0. Advice.
    HintInverse(ValueId),
    /// Pointers to quotient and remainder of two lists of limbs. Advice.
    HintBigUintDivRem(ValueId, ValueId),
    /// Prints values while executing.
    Debug {
        /// What to print before them.
        label: String,
        /// The values.
        values: Vec<ValueId>,
    },
}

/// Memory width of the integer lists of [`Op::HintBigUintDivRem`]: a tag (0 node,
/// 1 end), eight little-endian bytes, the next pointer.
pub const BIGUINT_WIDTH: u32 = traceloom_abi::biguint::WIDTH as u32;

impl Op {
    /// Name in text and reports.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Const(_) => "const",
            Self::Add(..) => "add",
            Self::Sub(..) => "sub",
            Self::Mul(..) => "mul",
            Self::EqZero(_) => "eq_zero",
            Self::Call { constrained: true, .. } => "call",
            Self::Call { constrained: false, .. } => "call_unconstrained",
            Self::Store { .. } => "store",
            Self::Load { .. } => "load",
            Self::AssertEq { .. } => "assert_eq",
            Self::IoGetInfo { .. } => "io_get_info",
            Self::IoSetInfo { .. } => "io_set_info",
            Self::IoRead { .. } => "io_read",
            Self::IoWrite { .. } => "io_write",
            Self::Unary(op, _) | Self::Binary(op, _, _) => byte_op_name(*op),
            Self::U32LessThan(..) => "u32_less_than",
            Self::U32ToField(_) => "u32_to_field",
            Self::HintU32Add(_) => "hint_u32_add",
            Self::HintU32Add3(_) => "hint_u32_add3",
            Self::HintFieldToBytes(_) => "hint_field_to_bytes",
            Self::HintInverse(_) => "hint_inverse",
            Self::HintBigUintDivRem(..) => "hint_biguint_div_rem",
            Self::Debug { .. } => "debug",
        }
    }

    /// Number of values that it appends.
    #[must_use]
    pub fn num_results(&self) -> usize {
        match self {
            Self::Const(_)
            | Self::Add(..)
            | Self::Sub(..)
            | Self::Mul(..)
            | Self::EqZero(_)
            | Self::Store { .. }
            | Self::U32LessThan(..)
            | Self::U32ToField(_)
            | Self::HintInverse(_) => 1,
            Self::Call { num_outputs, .. } => *num_outputs as usize,
            Self::Load { width, .. } => *width as usize,
            Self::IoRead { len, .. } => *len as usize,
            Self::IoGetInfo { .. } | Self::HintBigUintDivRem(..) => 2,
            Self::Unary(op, _) => op.num_results(),
            Self::Binary(ByteOp::Add | ByteOp::Sub, _, _) => 2,
            Self::Binary(op, _, _) => op.num_results(),
            Self::HintU32Add(_) | Self::HintU32Add3(_) => 5,
            Self::HintFieldToBytes(_) => 8,
            Self::AssertEq { .. }
            | Self::IoSetInfo { .. }
            | Self::IoWrite { .. }
            | Self::Debug { .. } => 0,
        }
    }

    /// Calls `visit` with every value it reads, in order.
    pub fn for_each_operand(&self, mut visit: impl FnMut(ValueId)) {
        match self {
            Self::Const(_) => {}
            Self::Add(a, b)
            | Self::Sub(a, b)
            | Self::Mul(a, b)
            | Self::Binary(_, a, b)
            | Self::U32LessThan(a, b)
            | Self::HintBigUintDivRem(a, b) => [*a, *b].into_iter().for_each(visit),
            Self::EqZero(a)
            | Self::Unary(_, a)
            | Self::HintFieldToBytes(a)
            | Self::HintInverse(a)
            | Self::Load { pointer: a, .. } => visit(*a),
            Self::Call { args: values, .. }
            | Self::Store { values }
            | Self::Debug { values, .. } => values.iter().copied().for_each(visit),
            Self::AssertEq { lhs, rhs, .. } => lhs.iter().chain(rhs).copied().for_each(visit),
            Self::IoGetInfo { channel, key } => {
                visit(*channel);
                key.iter().copied().for_each(visit);
            }
            Self::IoSetInfo { channel, key, index, len } => {
                visit(*channel);
                key.iter().copied().for_each(&mut visit);
                visit(*index);
                visit(*len);
            }
            Self::IoRead { channel, index, .. } => [*channel, *index].into_iter().for_each(visit),
            Self::IoWrite { channel, values } => {
                visit(*channel);
                values.iter().copied().for_each(visit);
            }
            Self::U32ToField(bytes) => bytes.iter().copied().for_each(visit),
            Self::HintU32Add(words) => words.iter().flatten().copied().for_each(visit),
            Self::HintU32Add3(words) => words.iter().flatten().copied().for_each(visit),
        }
    }
}

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
