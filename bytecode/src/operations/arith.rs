//! Field arithmetic: constants, sums, products, the test for zero.

use traceloom_air::field::{Goldilocks, PrimeCharacteristicRing, word};
use traceloom_air::system::{ExprId, Node};
use traceloom_plan::{Column, Expr, Fixed, ValueNo};

use super::{Degrees, Operation, Size};
use crate::execute::machine::{At, Machine, Outcome};
use crate::fingerprint::Encoder;
use crate::forms::{FieldKind, Form, ONE, Parts, TWO, field, form};
use crate::lower::Lowering;
use crate::model::{Op, ValueId};
use crate::statements::{Arg, Held, Integer, Of, Results, Statement};
use crate::system::OpRow;

pub(super) const FORMS: &[Form] = &[
    form("const", &[field("value", FieldKind::Constant)], Some(1), |p| Op::Const(p.constant)),
    form("add", TWO, Some(1), |p| Op::Add(p.pair().0, p.pair().1)),
    form("sub", TWO, Some(1), |p| Op::Sub(p.pair().0, p.pair().1)),
    form("mul", TWO, Some(1), |p| Op::Mul(p.pair().0, p.pair().1)),
    form("eq_zero", ONE, Some(1), |p| Op::EqZero(p.one(0))),
];

pub(super) struct Const(pub Goldilocks);

impl Operation for Const {
    fn parts(&self) -> Parts {
        Parts { constant: self.0, ..Parts::default() }
    }

    fn encode(&self, encoder: &mut Encoder) {
        encoder.number(1);
        encoder.number(word(self.0));
    }

    fn constrain(&self, row: &mut OpRow<'_, '_>) -> Vec<ExprId> {
        vec![row.arena().constant(self.0)]
    }

    fn lower(&self, row: &mut Lowering<'_>) -> Vec<ValueNo> {
        vec![row.code.push(Expr::Constant(word(self.0)))]
    }

    fn statements(&self) -> Vec<Statement> {
        let results = Results::Constant(word(self.0));
        vec![Statement::new(Of::Values, "", vec![], results)]
    }

    #[inline]
    fn execute(&self, machine: &mut Machine<'_>, _: At) -> Outcome<()> {
        machine.values.push(word(self.0));
        Ok(())
    }
}

pub(super) struct Add(pub ValueId, pub ValueId);

impl Operation for Add {
    fn parts(&self) -> Parts {
        Parts::of(vec![vec![self.0, self.1]])
    }

    fn encode(&self, encoder: &mut Encoder) {
        encoder.fixed(2, &[self.0, self.1]);
    }

    fn size(&self, degree: &Degrees<'_>) -> Size {
        Size::expression(degree(self.0).max(degree(self.1)))
    }

    fn constrain(&self, row: &mut OpRow<'_, '_>) -> Vec<ExprId> {
        let (a, b) = (row.value(self.0), row.value(self.1));
        vec![row.arena().add(a, b)]
    }

    fn lower(&self, row: &mut Lowering<'_>) -> Vec<ValueNo> {
        let (a, b) = (row.value(self.0), row.value(self.1));
        vec![row.code.push(Expr::Add(a, b))]
    }

    fn statements(&self) -> Vec<Statement> {
        let args = vec![Arg::Word(self.0), Arg::Word(self.1)];
        let sum = Statement::new(Of::Values, "add", args, Results::One(Held::WORD));
        vec![Statement { integer: Some(Integer::Sum), ..sum }]
    }

    #[inline]
    fn execute(&self, machine: &mut Machine<'_>, at: At) -> Outcome<()> {
        let sum = machine.element(at, self.0) + machine.element(at, self.1);
        machine.values.push(word(sum));
        Ok(())
    }
}

pub(super) struct Sub(pub ValueId, pub ValueId);

impl Operation for Sub {
    fn parts(&self) -> Parts {
        Parts::of(vec![vec![self.0, self.1]])
    }

    fn encode(&self, encoder: &mut Encoder) {
        encoder.fixed(3, &[self.0, self.1]);
    }

    fn size(&self, degree: &Degrees<'_>) -> Size {
        Size::expression(degree(self.0).max(degree(self.1)))
    }

    fn constrain(&self, row: &mut OpRow<'_, '_>) -> Vec<ExprId> {
        let (a, b) = (row.value(self.0), row.value(self.1));
        vec![row.arena().sub(a, b)]
    }

    fn lower(&self, row: &mut Lowering<'_>) -> Vec<ValueNo> {
        let (a, b) = (row.value(self.0), row.value(self.1));
        vec![row.code.push(Expr::Sub(a, b))]
    }

    fn statements(&self) -> Vec<Statement> {
        let args = vec![Arg::Word(self.0), Arg::Word(self.1)];
        vec![Statement::new(Of::Values, "sub", args, Results::One(Held::WORD))]
    }

    #[inline]
    fn execute(&self, machine: &mut Machine<'_>, at: At) -> Outcome<()> {
        let difference = machine.element(at, self.0) - machine.element(at, self.1);
        machine.values.push(word(difference));
        Ok(())
    }
}

/// A product of two values that are no constants takes a column.
pub(super) struct Mul(pub ValueId, pub ValueId);

impl Operation for Mul {
    fn parts(&self) -> Parts {
        Parts::of(vec![vec![self.0, self.1]])
    }

    fn encode(&self, encoder: &mut Encoder) {
        encoder.fixed(4, &[self.0, self.1]);
    }

    fn size(&self, degree: &Degrees<'_>) -> Size {
        match degree(self.0) + degree(self.1) {
            sum @ (0 | 1) => Size::expression(sum),
            _ => Size::columns(1, 0),
        }
    }

    fn constrain(&self, row: &mut OpRow<'_, '_>) -> Vec<ExprId> {
        let (a, b) = (row.value(self.0), row.value(self.1));
        let product = row.arena().mul(a, b);
        // The tracked degree decides, not whether the expression folded.
        if row.place.num_auxiliaries == 0 {
            return vec![product];
        }
        let column = row.columns(0, 1)[0];
        let difference = row.arena().sub(product, column);
        row.require(difference, "column is the product");
        vec![column]
    }

    fn lower(&self, row: &mut Lowering<'_>) -> Vec<ValueNo> {
        let (a, b) = (row.value(self.0), row.value(self.1));
        let product = row.code.push(Expr::Mul(a, b));
        if row.place.num_auxiliaries == 1 {
            row.write_all(&[product], Fixed::Determined);
            row.code.constrain(&[a, b, product]);
        }
        vec![product]
    }

    fn statements(&self) -> Vec<Statement> {
        let args = vec![Arg::Word(self.0), Arg::Word(self.1)];
        let product = Statement::new(Of::Values, "mul", args, Results::One(Held::WORD));
        vec![Statement { integer: Some(Integer::Product), ..product }]
    }

    #[inline]
    fn execute(&self, machine: &mut Machine<'_>, at: At) -> Outcome<()> {
        let product = machine.element(at, self.0) * machine.element(at, self.1);
        machine.values.push(word(product));
        Ok(())
    }
}

/// Two columns: an inverse of the operand (anything where it is zero), and the result.
pub(super) struct EqZero(pub ValueId);

impl Operation for EqZero {
    fn parts(&self) -> Parts {
        Parts::of(vec![vec![self.0]])
    }

    fn encode(&self, encoder: &mut Encoder) {
        encoder.fixed(5, &[self.0]);
    }

    fn size(&self, degree: &Degrees<'_>) -> Size {
        match degree(self.0) {
            0 => Size::expression(0),
            _ => Size::columns(2, 0),
        }
    }

    fn constrain(&self, row: &mut OpRow<'_, '_>) -> Vec<ExprId> {
        let a = row.value(self.0);
        if row.place.num_auxiliaries == 0 {
            let Node::Constant(value) = row.arena().node(a) else {
                unreachable!("a value of degree 0 is built from constants and folds");
            };
            return vec![row.arena().word(u64::from(value == Goldilocks::ZERO))];
        }
        let columns = row.columns(0, 2);
        let (inverse, is_zero) = (columns[0], columns[1]);
        let product = row.arena().mul(a, is_zero);
        row.require(product, "the result is 0 unless the operand is");
        let product = row.arena().mul(a, inverse);
        let sum = row.arena().add(product, is_zero);
        let one = row.arena().word(1);
        let expr = row.arena().sub(sum, one);
        row.require(expr, "the result is 1 if the operand is 0");
        vec![is_zero]
    }

    fn lower(&self, row: &mut Lowering<'_>) -> Vec<ValueNo> {
        let a = row.value(self.0);
        let is_zero = row.code.push(Expr::IsZero(a));
        if row.place.num_auxiliaries == 2 {
            let inverse = row.code.push(Expr::InverseOrZero(a));
            let first = row.place.first_auxiliary;
            row.code.write(Column::auxiliary(first), inverse, Fixed::FreeWhenZero(a));
            row.code.write(Column::auxiliary(first + 1), is_zero, Fixed::Determined);
            row.code.constrain(&[a]);
        }
        vec![is_zero]
    }

    fn statements(&self) -> Vec<Statement> {
        let args = vec![Arg::Word(self.0)];
        vec![Statement::new(Of::Values, "eq_zero", args, Results::One(Held::BIT))]
    }

    #[inline]
    fn execute(&self, machine: &mut Machine<'_>, at: At) -> Outcome<()> {
        let is_zero = machine.word(at, self.0) == 0;
        machine.values.push(u64::from(is_zero));
        Ok(())
    }
}
