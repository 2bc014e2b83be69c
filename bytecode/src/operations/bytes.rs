//! Byte operations: results are columns, and one message proves operands and results.

use traceloom_air::bytes::{ByteOp, ByteTable};
use traceloom_air::system::ExprId;
use traceloom_plan::{Expr, ValueNo};

use super::{Degrees, Operation, Size};
use crate::check::OpCheck;
use crate::execute::machine::{At, Machine, Outcome};
use crate::fingerprint::Encoder;
use crate::forms::{Form, ONE, Parts, TWO, form};
use crate::lower::Lowering;
use crate::model::{Op, ValueId};
use crate::statements::{Arg, Held, Of, Results, Statement, byte_results};
use crate::system::OpRow;

/// A byte operation of one or two operands.
macro_rules! byte {
    ($name:literal, $op:ident, 1, $results:literal) => {
        form($name, ONE, Some($results), |p| Op::Unary(ByteOp::$op, p.one(0)))
    };
    ($name:literal, $op:ident, 2, $results:literal) => {
        form($name, TWO, Some($results), |p| Op::Binary(ByteOp::$op, p.pair().0, p.pair().1))
    };
}

pub(super) const FORMS: &[Form] = &[
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
];

pub(super) struct Unary(pub ByteOp, pub ValueId);

impl Operation for Unary {
    fn parts(&self) -> Parts {
        Parts::of(vec![vec![self.1]])
    }

    fn check(&self, check: &mut OpCheck<'_, '_, '_>) {
        check.table(self.0, ByteTable::Bytes1);
    }

    fn encode(&self, encoder: &mut Encoder) {
        encoder.fixed(tag(self.0), &[self.1]);
    }

    fn size(&self, _: &Degrees<'_>) -> Size {
        Size::columns(self.0.num_results(), 1)
    }

    fn constrain(&self, row: &mut OpRow<'_, '_>) -> Vec<ExprId> {
        let a = row.value(self.1);
        let results = row.columns(0, self.0.num_results());
        row.byte_op(0, self.0, &[a], &results);
        results
    }

    fn lower(&self, row: &mut Lowering<'_>) -> Vec<ValueNo> {
        let a = row.value(self.1);
        operands(row, &[a]);
        let results = 0..self.0.num_results() as u8;
        row.columns(results.map(|result| Expr::Unary(self.0, result, a)))
    }

    fn statements(&self) -> Vec<Statement> {
        let args = vec![Arg::ByteOp(self.0), Arg::Byte(self.1)];
        let results = Results::First(byte_results(self.0, [None; 2]));
        vec![Statement::new(Of::Counts, "unary", args, results)]
    }

    #[inline]
    fn execute(&self, machine: &mut Machine<'_>, at: At) -> Outcome<()> {
        let byte = machine.byte(at, 0, self.1)?;
        run(machine, at, self.0, byte, 0);
        Ok(())
    }
}

/// `Add` and `Sub` have a second result without a column: carry or borrow.
pub(super) struct Binary(pub ByteOp, pub ValueId, pub ValueId);

impl Operation for Binary {
    fn parts(&self) -> Parts {
        Parts::of(vec![vec![self.1, self.2]])
    }

    fn check(&self, check: &mut OpCheck<'_, '_, '_>) {
        check.table(self.0, ByteTable::Bytes2);
    }

    fn encode(&self, encoder: &mut Encoder) {
        encoder.fixed(tag(self.0), &[self.1, self.2]);
    }

    fn size(&self, _: &Degrees<'_>) -> Size {
        Size::columns(self.0.num_results(), 1)
    }

    fn constrain(&self, row: &mut OpRow<'_, '_>) -> Vec<ExprId> {
        let (a, b) = (row.value(self.1), row.value(self.2));
        let mut results = row.columns(0, self.0.num_results());
        row.byte_op(0, self.0, &[a, b], &results);
        // carry = (a + b - low) / 256, borrow = (low + b - a) / 256.
        let (plus, minus) = match self.0 {
            ByteOp::Add => (a, results[0]),
            ByteOp::Sub => (results[0], a),
            _ => return results,
        };
        let sum = row.arena().add(plus, b);
        let difference = row.arena().sub(sum, minus);
        results.push(row.divide(difference, 1 << 8));
        results
    }

    fn lower(&self, row: &mut Lowering<'_>) -> Vec<ValueNo> {
        let (a, b) = (row.value(self.1), row.value(self.2));
        operands(row, &[a, b]);
        let results = 0..self.0.num_results() as u8;
        let mut results = row.columns(results.map(|result| Expr::Binary(self.0, result, a, b)));
        match self.0 {
            ByteOp::Add => results.push(row.code.push(Expr::ByteCarry(a, b))),
            ByteOp::Sub => results.push(row.code.push(Expr::ByteBorrow(a, b))),
            _ => {}
        }
        results
    }

    fn statements(&self) -> Vec<Statement> {
        let [a, b] = [self.1, self.2].map(Arg::Byte);
        let two = || Results::All(vec![Held::BYTE, Held::BIT]);
        vec![match self.0 {
            ByteOp::Add => Statement::new(Of::Counts, "add", vec![a, b], two()),
            ByteOp::Sub => Statement::new(Of::Counts, "sub", vec![a, b], two()),
            op => {
                let results = match op.num_results() {
                    0 => Results::None,
                    _ => Results::First(byte_results(op, [None; 2])),
                };
                Statement::new(Of::Counts, "binary", vec![Arg::ByteOp(op), a, b], results)
            }
        }]
    }

    #[inline]
    fn execute(&self, machine: &mut Machine<'_>, at: At) -> Outcome<()> {
        let (a, b) = (machine.byte(at, 0, self.1)?, machine.byte(at, 1, self.2)?);
        run(machine, at, self.0, a, b);
        Ok(())
    }
}

/// Tags in the fingerprint start at 32, in the order of channels.
fn tag(op: ByteOp) -> u64 {
    32 + op.channel()
}

/// A message reads the operands, and proves them to be bytes.
fn operands(row: &mut Lowering<'_>, operands: &[ValueNo]) {
    row.code.constrain(operands);
    row.code.below(operands, 1 << 8);
}

#[inline]
fn run(machine: &mut Machine<'_>, at: At, op: ByteOp, a: u8, b: u8) {
    if at.mode.counts() {
        machine.record.count_byte_op(op, a, b);
    }
    let results = op.results(a, b);
    machine.values.extend(results[..op.num_results()].iter().map(|&byte| u64::from(byte)));
    // What the row has as an expression without a column.
    match op {
        ByteOp::Add => machine.values.push(u64::from(a.checked_add(b).is_none())),
        ByteOp::Sub => machine.values.push(u64::from(a < b)),
        _ => {}
    }
}
