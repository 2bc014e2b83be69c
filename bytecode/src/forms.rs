//! How operations are written: one table for text and JSON, read and printed.
//!
//! An operation is a name and *parts*: lists of values, a constant, a callee, a
//! label, a number of results. A [`Form`] says which, and in which order.

use traceloom_air::field::Goldilocks;

use crate::model::{FunctionId, Op, ValueId};
use crate::operations::FORMS;

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
    pub fn of(lists: Vec<Vec<ValueId>>) -> Self {
        Self { lists, ..Self::default() }
    }

    pub fn take(&mut self, list: usize) -> Vec<ValueId> {
        std::mem::take(&mut self.lists[list])
    }

    pub fn one(&self, list: usize) -> ValueId {
        self.lists[list][0]
    }

    pub fn pair(&self) -> (ValueId, ValueId) {
        (self.lists[0][0], self.lists[0][1])
    }

    pub fn word(&self, list: usize) -> [ValueId; 4] {
        std::array::from_fn(|i| self.lists[list][i])
    }
}

impl Form {
    /// The form of the operation called `name`.
    pub fn named(name: &str) -> Option<&'static Self> {
        Self::all().find(|form| form.name == name)
    }

    /// The forms of all operations.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        FORMS.iter().copied().flatten()
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

pub(crate) const fn field(key: &'static str, kind: FieldKind) -> Field {
    Field { key, kind }
}

pub(crate) const ONE: &[Field] = &[field("args", FieldKind::Fixed(1))];
pub(crate) const TWO: &[Field] = &[field("args", FieldKind::Fixed(2))];
pub(crate) const REST: Field = field("args", FieldKind::Rest);

pub(crate) const fn form(
    name: &'static str,
    fields: &'static [Field],
    results: Option<u32>,
    build: fn(Parts) -> Op,
) -> Form {
    Form { name, fields, results, build }
}

#[cfg(test)]
mod tests {
    use traceloom_air::bytes::ByteOp;

    use super::*;
    use crate::operations::Operation;

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
        for form in Form::all() {
            let op = form.build(sample(form));
            assert_eq!(op.name(), form.name);
            let results = form.results.unwrap_or(3);
            assert_eq!(op.num_results(), results as usize, "{}", form.name);
            assert_eq!(form.build(op.parts()), op);
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
