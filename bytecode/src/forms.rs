//! How operations are written: one table for text and JSON, read and printed.
//!
//! An operation is a name and *parts*: lists of values, a constant, a callee, a
//! label, a number of results. A [`Form`] says which, and in which order.

use traceloom_air::bytes::ByteOp;
use traceloom_air::field::Goldilocks;

use crate::model::{FunctionId, Op, ValueId};

/// How one operation is written.
pub(crate) struct Form {
    /// Its name, [`Op::name`].
    pub name: &'static str,
    /// Its parts in order.
    pub fields: &'static [Field],
    /// Number of results, or none where each use states it.
    pub results: Option<u32>,
    build: fn(Parts) -> Op,
}

/// A part, and its key in JSON.
pub(crate) struct Field {
    pub key: &'static str,
    pub kind: FieldKind,
}

/// What a part is, and how text writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FieldKind {
    /// A field element.
    Constant,
    /// A function; in text its arguments follow in parentheses.
    Callee,
    /// The arguments of the callee.
    Arguments,
    /// One value.
    Value,
    /// That many values; the last part in text.
    Fixed(usize),
    /// Any number of values; the last part in text.
    Rest,
    /// Any number of values; in text one value, or several in brackets.
    Group,
    /// That many words of four bytes; in text each in brackets.
    Words(usize),
    /// A string.
    Label,
    /// A string that may be left out.
    OptionalLabel,
}

/// The parts of one operation.
#[derive(Debug)]
pub(crate) struct Parts {
    /// One list for every part that is made of values (one for each word).
    pub lists: Vec<Vec<ValueId>>,
    pub constant: Goldilocks,
    pub function: FunctionId,
    pub label: Option<String>,
    pub results: u32,
}

impl Default for Parts {
    fn default() -> Self {
        Self {
            lists: Vec::new(),
            constant: Goldilocks::new(0),
            function: FunctionId(0),
            label: None,
            results: 0,
        }
    }
}

impl Parts {
    fn of(lists: Vec<Vec<ValueId>>) -> Self {
        Self { lists, ..Self::default() }
    }

    fn take(&mut self, list: usize) -> Vec<ValueId> {
        std::mem::take(&mut self.lists[list])
    }

    fn one(&self, list: usize) -> ValueId {
        self.lists[list][0]
    }

    fn pair(&self) -> (ValueId, ValueId) {
        (self.lists[0][0], self.lists[0][1])
    }

    fn word(&self, list: usize) -> [ValueId; 4] {
        std::array::from_fn(|i| self.lists[list][i])
    }
}

impl Form {
    /// The form of the operation called `name`.
    pub fn named(name: &str) -> Option<&'static Self> {
        FORMS.iter().find(|form| form.name == name)
    }

    /// The form of `op`.
    pub fn of(op: &Op) -> &'static Self {
        Self::named(op.name()).expect("every operation has a form")
    }

    /// The operation with these parts.
    ///
    /// # Panics
    /// If the lists are not those of `fields`: readers check that first.
    pub fn build(&self, parts: Parts) -> Op {
        (self.build)(parts)
    }
}

/// The parts of `op`, lists in the order of its form.
pub(crate) fn parts(op: &Op) -> Parts {
    match op {
        Op::Const(constant) => Parts { constant: *constant, ..Parts::default() },
        Op::Add(a, b)
        | Op::Sub(a, b)
        | Op::Mul(a, b)
        | Op::Binary(_, a, b)
        | Op::U32LessThan(a, b)
        | Op::HintBigUintDivRem(a, b) => Parts::of(vec![vec![*a, *b]]),
        Op::EqZero(a) | Op::Unary(_, a) | Op::HintFieldToBytes(a) | Op::HintInverse(a) => {
            Parts::of(vec![vec![*a]])
        }
        Op::Call { function, args, num_outputs, .. } => {
            let parts = Parts::of(vec![args.clone()]);
            Parts { function: *function, results: *num_outputs, ..parts }
        }
        Op::Store { values } => Parts::of(vec![values.clone()]),
        Op::Load { width, pointer } => Parts { results: *width, ..Parts::of(vec![vec![*pointer]]) },
        Op::AssertEq { lhs, rhs, label } => {
            Parts { label: label.clone(), ..Parts::of(vec![lhs.clone(), rhs.clone()]) }
        }
        Op::IoGetInfo { channel, key } => Parts::of(vec![vec![*channel], key.clone()]),
        Op::IoSetInfo { channel, key, index, len } => {
            Parts::of(vec![vec![*channel], key.clone(), vec![*index], vec![*len]])
        }
        Op::IoRead { channel, index, len } => {
            Parts { results: *len, ..Parts::of(vec![vec![*channel], vec![*index]]) }
        }
        Op::IoWrite { channel, values } => Parts::of(vec![vec![*channel], values.clone()]),
        Op::U32ToField(bytes) => Parts::of(vec![bytes.to_vec()]),
        Op::HintU32Add(words) => Parts::of(words.iter().map(|word| word.to_vec()).collect()),
        Op::HintU32Add3(words) => Parts::of(words.iter().map(|word| word.to_vec()).collect()),
        Op::Debug { label, values } => {
            Parts { label: Some(label.clone()), ..Parts::of(vec![values.clone()]) }
        }
    }
}

const fn field(key: &'static str, kind: FieldKind) -> Field {
    Field { key, kind }
}

const ONE: &[Field] = &[field("args", FieldKind::Fixed(1))];
const TWO: &[Field] = &[field("args", FieldKind::Fixed(2))];
const CALL: &[Field] = &[field("function", FieldKind::Callee), field("args", FieldKind::Arguments)];
const CHANNEL: Field = field("channel", FieldKind::Value);
const INDEX: Field = field("index", FieldKind::Value);
const KEY: Field = field("key", FieldKind::Group);
const REST: Field = field("args", FieldKind::Rest);

const fn form(
    name: &'static str,
    fields: &'static [Field],
    results: Option<u32>,
    build: fn(Parts) -> Op,
) -> Form {
    Form { name, fields, results, build }
}

/// A byte operation of one or two operands.
macro_rules! byte {
    ($name:literal, $op:ident, 1, $results:literal) => {
        form($name, ONE, Some($results), |p| Op::Unary(ByteOp::$op, p.one(0)))
    };
    ($name:literal, $op:ident, 2, $results:literal) => {
        form($name, TWO, Some($results), |p| {
            let (a, b) = p.pair();
            Op::Binary(ByteOp::$op, a, b)
        })
    };
}

/// An operation of two values.
macro_rules! pair {
    ($name:literal, $op:ident, $results:literal) => {
        form($name, TWO, Some($results), |p| {
            let (a, b) = p.pair();
            Op::$op(a, b)
        })
    };
}

/// Every operation, in the order of [`Op`].
pub(crate) const FORMS: &[Form] = &[
    form("const", &[field("value", FieldKind::Constant)], Some(1), |p| Op::Const(p.constant)),
    pair!("add", Add, 1),
    pair!("sub", Sub, 1),
    pair!("mul", Mul, 1),
    form("eq_zero", ONE, Some(1), |p| Op::EqZero(p.one(0))),
    form("call", CALL, None, |p| call(p, true)),
    form("call_unconstrained", CALL, None, |p| call(p, false)),
    form("store", &[REST], Some(1), |mut p| Op::Store { values: p.take(0) }),
    form("load", ONE, None, |p| Op::Load { width: p.results, pointer: p.one(0) }),
    form(
        "assert_eq",
        &[
            field("lhs", FieldKind::Group),
            field("rhs", FieldKind::Group),
            field("label", FieldKind::OptionalLabel),
        ],
        Some(0),
        |mut p| Op::AssertEq { lhs: p.take(0), rhs: p.take(1), label: p.label },
    ),
    form("io_get_info", &[CHANNEL, KEY], Some(2), |mut p| Op::IoGetInfo {
        channel: p.one(0),
        key: p.take(1),
    }),
    form(
        "io_set_info",
        &[CHANNEL, KEY, INDEX, field("len", FieldKind::Value)],
        Some(0),
        |mut p| Op::IoSetInfo { channel: p.one(0), key: p.take(1), index: p.one(2), len: p.one(3) },
    ),
    form("io_read", &[CHANNEL, INDEX], None, |p| Op::IoRead {
        channel: p.one(0),
        index: p.one(1),
        len: p.results,
    }),
    form("io_write", &[CHANNEL, REST], Some(0), |mut p| Op::IoWrite {
        channel: p.one(0),
        values: p.take(1),
    }),
    byte!("u8_bit_decomposition", Bits, 1, 8),
    byte!("u8_shift_left", ShiftLeft, 1, 1),
    byte!("u8_shift_right", ShiftRight, 1, 1),
    byte!("u8_xor", Xor, 2, 1),
    byte!("u8_and", And, 2, 1),
    byte!("u8_or", Or, 2, 1),
    byte!("u8_less_than", LessThan, 2, 1),
    byte!("u8_add", Add, 2, 2),
    byte!("u8_sub", Sub, 2, 2),
    byte!("u8_mul", Mul, 2, 2),
    byte!("u8_xor_split7", XorSplit7, 2, 2),
    byte!("u8_xor_split4", XorSplit4, 2, 2),
    byte!("u8_range_check", RangeCheck, 2, 0),
    pair!("u32_less_than", U32LessThan, 1),
    form("u32_to_field", &[field("args", FieldKind::Fixed(4))], Some(1), |p| {
        Op::U32ToField(p.word(0))
    }),
    form("hint_u32_add", &[field("args", FieldKind::Words(2))], Some(5), |p| {
        Op::HintU32Add(std::array::from_fn(|i| p.word(i)))
    }),
    form("hint_u32_add3", &[field("args", FieldKind::Words(3))], Some(5), |p| {
        Op::HintU32Add3(std::array::from_fn(|i| p.word(i)))
    }),
    form("hint_field_to_bytes", ONE, Some(8), |p| Op::HintFieldToBytes(p.one(0))),
    form("hint_inverse", ONE, Some(1), |p| Op::HintInverse(p.one(0))),
    pair!("hint_biguint_div_rem", HintBigUintDivRem, 2),
    form("debug", &[field("label", FieldKind::Label), REST], Some(0), |mut p| Op::Debug {
        values: p.take(0),
        label: p.label.unwrap_or_default(),
    }),
];

fn call(mut parts: Parts, constrained: bool) -> Op {
    Op::Call {
        function: parts.function,
        args: parts.take(0),
        num_outputs: parts.results,
        constrained,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parts of the right shape, with every value different.
    fn sample(form: &Form) -> Parts {
        let mut next = 0..;
        let mut list = |len: usize| next.by_ref().take(len).map(ValueId).collect::<Vec<_>>();
        let mut sample = Parts { results: form.results.unwrap_or(3), ..Parts::default() };
        for field in form.fields {
            match field.kind {
                FieldKind::Constant => sample.constant = Goldilocks::new(7),
                FieldKind::Callee => sample.function = FunctionId(9),
                FieldKind::Value => sample.lists.push(list(1)),
                FieldKind::Fixed(len) => sample.lists.push(list(len)),
                FieldKind::Rest | FieldKind::Group | FieldKind::Arguments => {
                    sample.lists.push(list(2));
                }
                FieldKind::Words(words) => sample.lists.extend((0..words).map(|_| list(4))),
                FieldKind::Label | FieldKind::OptionalLabel => sample.label = Some("x".into()),
            }
        }
        sample
    }

    #[test]
    fn every_form_builds_the_operation_of_its_name() {
        for form in FORMS {
            let op = form.build(sample(form));
            assert_eq!(op.name(), form.name);
            let results = form.results.unwrap_or(3);
            assert_eq!(op.num_results(), results as usize, "{}", form.name);
            assert_eq!(form.build(parts(&op)), op);
            // The forms list values in the order in which they are read.
            let mut operands = Vec::new();
            op.for_each_operand(|value| operands.push(value.0));
            assert_eq!(operands, (0..operands.len() as u32).collect::<Vec<_>>());
        }
    }

    #[test]
    fn every_byte_operation_has_a_form() {
        for op in ByteOp::UNARY.into_iter().chain(ByteOp::BINARY) {
            let form = Form::named(crate::model::byte_op_name(op)).unwrap();
            match form.build(sample(form)) {
                Op::Unary(built, _) | Op::Binary(built, _, _) => assert_eq!(built, op),
                other => panic!("{other:?}"),
            }
        }
    }
}
