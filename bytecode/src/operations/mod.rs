//! Operations: what each one is, and where its rules are.
//!
//! A file per family says everything about its operations side by side: how they are
//! written, what they require of a program, how they enter its fingerprint, which
//! columns and lookup slots they take, what the row has to satisfy, how a row is
//! computed, and what they do. Whatever checks those rules from outside (the reference
//! builder, readings of the harness, constraints written by hand) is elsewhere on purpose.

mod arith;
mod asserts;
mod bytes;
mod calls;
mod hints;
mod io;
mod memory;
mod words;

use traceloom_air::bytes::ByteOp;
use traceloom_air::field::Goldilocks;
use traceloom_air::system::ExprId;
use traceloom_plan::ValueNo;

use crate::check::OpCheck;
use crate::execute::machine::{At, Machine, Outcome};
use crate::fingerprint::Encoder;
use crate::forms::{Form, Parts};
use crate::lower::Lowering;
use crate::model::{FunctionId, ValueId, byte_op_name};
use crate::statements::Statement;
use crate::system::OpRow;

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
    /// Says to [`crate::advice`] that values may be anything. It does nothing, and is outside of
    /// the fingerprint.
    Allow {
        /// Why, for people.
        reason: String,
        /// The values.
        values: Vec<ValueId>,
    },
}

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
            Self::Allow { .. } => "allow",
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
            | Self::Debug { .. }
            | Self::Allow { .. } => 0,
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
            | Self::Debug { values, .. }
            | Self::Allow { values, .. } => values.iter().copied().for_each(visit),
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

/// How every operation is written, in the order of [`Op`] by family.
pub(crate) const FORMS: &[&[Form]] = &[
    arith::FORMS,
    calls::FORMS,
    memory::FORMS,
    asserts::FORMS,
    io::FORMS,
    bytes::FORMS,
    words::FORMS,
    hints::FORMS,
];

/// Tracked degrees of the values in scope.
pub(crate) type Degrees<'a> = dyn Fn(ValueId) -> u32 + 'a;

/// What an operation takes of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    /// Number of auxiliary columns.
    pub auxiliaries: usize,
    /// Number of lookup slots.
    pub lookups: usize,
    /// Tracked degree of its results.
    pub degree: u32,
}

impl Size {
    /// Results are expressions of operands, of this degree.
    pub const fn expression(degree: u32) -> Self {
        Self { auxiliaries: 0, lookups: 0, degree }
    }

    /// Results are columns, or linear in them.
    pub const fn columns(auxiliaries: usize, lookups: usize) -> Self {
        Self { auxiliaries, lookups, degree: 1 }
    }
}

/// All rules of one operation. The defaults are those of an operation that takes nothing
/// of a row and has no results there: an effect of execution.
pub(crate) trait Operation {
    /// Its parts, lists in the order of its form: the inverse of [`Form::build`].
    fn parts(&self) -> Parts;

    /// What it requires of the program, beside operands that exist.
    fn check(&self, _: &mut OpCheck<'_, '_, '_>) {}

    /// Its tag and fields in the fingerprint.
    fn encode(&self, encoder: &mut Encoder);

    /// Its columns and lookup slots.
    fn size(&self, _: &Degrees<'_>) -> Size {
        Size::expression(0)
    }

    /// Its constraints and messages; its results.
    fn constrain(&self, _: &mut OpRow<'_, '_>) -> Vec<ExprId> {
        Vec::new()
    }

    /// How its columns are computed; its results.
    fn lower(&self, _: &mut Lowering<'_>) -> Vec<ValueNo> {
        Vec::new()
    }

    /// What an emitted executor does for it, and how its results are held.
    fn statements(&self) -> Vec<Statement>;

    /// What it does: appends its results, and counts what its row looks up.
    fn execute(&self, machine: &mut Machine<'_>, at: At) -> Outcome<()>;
}

/// An expression over the rules of an operation, whichever it is.
macro_rules! of {
    ($op:expr, $rules:ident => $expr:expr) => {
        match $op {
            Op::Const(value) => of!(@ $rules = arith::Const(*value) => $expr),
            Op::Add(a, b) => of!(@ $rules = arith::Add(*a, *b) => $expr),
            Op::Sub(a, b) => of!(@ $rules = arith::Sub(*a, *b) => $expr),
            Op::Mul(a, b) => of!(@ $rules = arith::Mul(*a, *b) => $expr),
            Op::EqZero(a) => of!(@ $rules = arith::EqZero(*a) => $expr),
            Op::Call { function, args, num_outputs, constrained } => of!(@ $rules = calls::Call {
                function: *function,
                args,
                num_outputs: *num_outputs,
                constrained: *constrained,
            } => $expr),
            Op::Store { values } => of!(@ $rules = memory::Store { values } => $expr),
            Op::Load { width, pointer } => {
                of!(@ $rules = memory::Load { width: *width, pointer: *pointer } => $expr)
            }
            Op::AssertEq { lhs, rhs, label } => {
                of!(@ $rules = asserts::AssertEq { lhs, rhs, label: label.as_ref() } => $expr)
            }
            Op::IoGetInfo { channel, key } => {
                of!(@ $rules = io::GetInfo { channel: *channel, key } => $expr)
            }
            Op::IoSetInfo { channel, key, index, len } => of!(@ $rules = io::SetInfo {
                channel: *channel,
                key,
                index: *index,
                len: *len,
            } => $expr),
            Op::IoRead { channel, index, len } => {
                of!(@ $rules = io::Read { channel: *channel, index: *index, len: *len } => $expr)
            }
            Op::IoWrite { channel, values } => {
                of!(@ $rules = io::Write { channel: *channel, values } => $expr)
            }
            Op::Unary(op, a) => of!(@ $rules = bytes::Unary(*op, *a) => $expr),
            Op::Binary(op, a, b) => of!(@ $rules = bytes::Binary(*op, *a, *b) => $expr),
            Op::U32LessThan(a, b) => of!(@ $rules = words::LessThan(*a, *b) => $expr),
            Op::U32ToField(bytes) => of!(@ $rules = words::ToField(bytes) => $expr),
            Op::HintU32Add(words) => of!(@ $rules = hints::U32Add(words) => $expr),
            Op::HintU32Add3(words) => of!(@ $rules = hints::U32Add(words) => $expr),
            Op::HintFieldToBytes(a) => of!(@ $rules = hints::FieldToBytes(*a) => $expr),
            Op::HintInverse(a) => of!(@ $rules = hints::Inverse(*a) => $expr),
            Op::HintBigUintDivRem(a, b) => {
                of!(@ $rules = hints::BigUintDivRem(*a, *b) => $expr)
            }
            Op::Debug { label, values } => of!(@ $rules = io::Debug { label, values } => $expr),
            Op::Allow { reason, values } => {
                of!(@ $rules = asserts::Allow { reason, values } => $expr)
            }
        }
    };
    (@ $rules:ident = $value:expr => $expr:expr) => {{
        let $rules = $value;
        $expr
    }};
}

impl Operation for Op {
    fn parts(&self) -> Parts {
        of!(self, rules => rules.parts())
    }

    fn check(&self, check: &mut OpCheck<'_, '_, '_>) {
        of!(self, rules => rules.check(check));
    }

    fn encode(&self, encoder: &mut Encoder) {
        of!(self, rules => rules.encode(encoder));
    }

    fn size(&self, degree: &Degrees<'_>) -> Size {
        of!(self, rules => rules.size(degree))
    }

    fn constrain(&self, row: &mut OpRow<'_, '_>) -> Vec<ExprId> {
        of!(self, rules => rules.constrain(row))
    }

    fn lower(&self, row: &mut Lowering<'_>) -> Vec<ValueNo> {
        of!(self, rules => rules.lower(row))
    }

    fn statements(&self) -> Vec<Statement> {
        of!(self, rules => rules.statements())
    }

    #[inline]
    fn execute(&self, machine: &mut Machine<'_>, at: At) -> Outcome<()> {
        of!(self, rules => rules.execute(machine, at))
    }
}
