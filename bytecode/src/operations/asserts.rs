//! Assertions: a constraint per pair of values. And what needs none: values that may be anything.

use traceloom_air::system::ExprId;
use traceloom_plan::ValueNo;
use traceloom_plan::draft::Use;

use super::Operation;
use crate::check::OpCheck;
use crate::execute::error::{Fault, Words};
use crate::execute::machine::{At, Machine, Outcome};
use crate::fingerprint::Encoder;
use crate::forms::{FieldKind, Form, Parts, REST, field, form};
use crate::lower::Lowering;
use crate::model::{Op, ValueId};
use crate::statements::{Arg, Of, Results, Statement};
use crate::system::OpRow;

pub(super) const FORMS: &[Form] = &[
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
    form("allow", &[field("reason", FieldKind::Label), REST], Some(0), |mut p| Op::Allow {
        values: p.take(0),
        reason: p.label.unwrap_or_default(),
    }),
];

pub(super) struct AssertEq<'a> {
    pub lhs: &'a [ValueId],
    pub rhs: &'a [ValueId],
    pub label: Option<&'a String>,
}

impl Operation for AssertEq<'_> {
    fn parts(&self) -> Parts {
        let lists = vec![self.lhs.to_vec(), self.rhs.to_vec()];
        Parts { label: self.label.cloned(), ..Parts::of(lists) }
    }

    fn check(&self, check: &mut OpCheck<'_, '_, '_>) {
        let (left, right) = (self.lhs.len(), self.rhs.len());
        check.require(left == right, || format!("compares {left} values with {right}"));
    }

    fn encode(&self, encoder: &mut Encoder) {
        encoder.number(9);
        encoder.values(self.lhs);
        encoder.values(self.rhs);
    }

    fn constrain(&self, row: &mut OpRow<'_, '_>) -> Vec<ExprId> {
        for (a, b) in self.lhs.iter().zip(self.rhs) {
            let (a, b) = (row.value(*a), row.value(*b));
            let difference = row.arena().sub(a, b);
            row.require(difference, "both sides are equal");
        }
        Vec::new()
    }

    fn lower(&self, row: &mut Lowering<'_>) -> Vec<ValueNo> {
        for (a, b) in row.values(self.lhs).into_iter().zip(row.values(self.rhs)) {
            row.code.constrain(&[a, b]);
            row.code.note(Use::Equal(a, b));
        }
        Vec::new()
    }

    fn statements(&self) -> Vec<Statement> {
        let same = |(a, b): (&ValueId, &ValueId)| {
            let args = vec![Arg::Word(*a), Arg::Word(*b)];
            Statement::stopping(Of::Values, "same", args, Results::None)
        };
        self.lhs.iter().zip(self.rhs).map(same).collect()
    }

    #[inline]
    fn execute(&self, machine: &mut Machine<'_>, at: At) -> Outcome<()> {
        let word = |value: &ValueId| machine.word(at, *value);
        match self.lhs.iter().zip(self.rhs).position(|(a, b)| word(a) != word(b)) {
            None => Ok(()),
            Some(position) => Err(Box::new(Fault::Assertion {
                label: self.label.cloned(),
                position,
                lhs: Words::new(self.lhs.iter().map(word)),
                rhs: Words::new(self.rhs.iter().map(word)),
            })),
        }
    }
}

/// Values that may be anything, for [`crate::advice`] alone. It presents the program and does not
/// change it: the same rows satisfy the same constraints with and without it, so the fingerprint,
/// which verifiers know, leaves it out whole.
pub(super) struct Allow<'a> {
    pub reason: &'a String,
    pub values: &'a [ValueId],
}

impl Operation for Allow<'_> {
    fn parts(&self) -> Parts {
        Parts { label: Some(self.reason.clone()), ..Parts::of(vec![self.values.to_vec()]) }
    }

    fn encode(&self, _: &mut Encoder) {}

    fn statements(&self) -> Vec<Statement> {
        Vec::new()
    }

    #[inline]
    fn execute(&self, _: &mut Machine<'_>, _: At) -> Outcome<()> {
        Ok(())
    }
}
