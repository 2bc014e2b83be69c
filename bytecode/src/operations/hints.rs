//! Advice that is computed from values: columns that the program itself has to check.

use traceloom_air::field::{element, inverse_or_zero, word};
use traceloom_air::system::ExprId;
use traceloom_plan::draft::Use;
use traceloom_plan::{Expr, FetchKind, ValueNo};

use super::{Degrees, Operation, Size};
use crate::check::OpCheck;
use crate::execute::machine::{At, Machine, Outcome};
use crate::fingerprint::Encoder;
use crate::forms::{FieldKind, Form, ONE, Parts, TWO, field, form};
use crate::lower::Lowering;
use crate::model::{BIGUINT_WIDTH, Op, ValueId};
use crate::statements::{Arg, Held, Of, Results, Statement};
use crate::system::OpRow;

pub(super) const FORMS: &[Form] = &[
    form("hint_u32_add", &[field("args", FieldKind::Words(2))], Some(5), |p| {
        Op::HintU32Add(std::array::from_fn(|i| p.word(i)))
    }),
    form("hint_u32_add3", &[field("args", FieldKind::Words(3))], Some(5), |p| {
        Op::HintU32Add3(std::array::from_fn(|i| p.word(i)))
    }),
    form("hint_field_to_bytes", ONE, Some(8), |p| Op::HintFieldToBytes(p.one(0))),
    form("hint_inverse", ONE, Some(1), |p| Op::HintInverse(p.one(0))),
    form("hint_biguint_div_rem", TWO, Some(2), |p| Op::HintBigUintDivRem(p.pair().0, p.pair().1)),
];

/// The sum of two or three words: four byte columns, and the carry
/// (sum - bytes) / 2^32, which the program pins.
pub(super) struct U32Add<'a>(pub &'a [[ValueId; 4]]);

impl Operation for U32Add<'_> {
    fn parts(&self) -> Parts {
        Parts::of(self.0.iter().map(|word| word.to_vec()).collect())
    }

    fn encode(&self, encoder: &mut Encoder) {
        let tag = if self.0.len() == 2 { 16 } else { 17 };
        encoder.fixed(tag, self.0.as_flattened());
    }

    fn size(&self, _: &Degrees<'_>) -> Size {
        Size::columns(4, 0)
    }

    fn constrain(&self, row: &mut OpRow<'_, '_>) -> Vec<ExprId> {
        let words: Vec<Vec<ExprId>> = self.0.iter().map(|word| row.values(word)).collect();
        let mut results = row.columns(0, 4);
        let terms: Vec<ExprId> = words.iter().map(|word| row.pack(word)).collect();
        let sum = row.arena().sum(terms);
        let packed = row.pack(&results);
        let excess = row.arena().sub(sum, packed);
        results.push(row.divide(excess, 1 << 32));
        results
    }

    fn lower(&self, row: &mut Lowering<'_>) -> Vec<ValueNo> {
        let mut sum = None;
        for word in self.0 {
            let bytes = word.map(|byte| row.value(byte));
            row.code.below(&bytes, 1 << 8);
            let word = row.code.push(Expr::PackLow(bytes));
            sum = Some(match sum {
                None => word,
                Some(sum) => row.code.push(Expr::Add(sum, word)),
            });
        }
        let sum = sum.expect("sums have terms");
        let mut results = row.advice((0..4).map(|i| Expr::ByteOf(sum, i)));
        let carry = row.code.push(Expr::High32(sum));
        results.iter().for_each(|&byte| row.code.note(Use::With(carry, byte)));
        results.push(carry);
        results
    }

    fn statements(&self) -> Vec<Statement> {
        let args = vec![Arg::Words32(self.0.to_vec())];
        // The carry of n words is below n.
        let results = Results::Word32(self.0.len() as u8 - 1);
        vec![Statement::new(Of::Values, "u32_sum", args, results)]
    }

    fn execute(&self, machine: &mut Machine<'_>, at: At) -> Outcome<()> {
        let mut sum = 0;
        for (position, &value) in self.0.iter().flatten().enumerate() {
            let byte = machine.byte(at, position, value)?;
            sum += u64::from(byte) << (8 * (position % 4));
        }
        machine.values.extend((0..4).map(|i| (sum >> (8 * i)) & 255));
        machine.values.push(sum >> 32);
        Ok(())
    }
}

pub(super) struct FieldToBytes(pub ValueId);

impl Operation for FieldToBytes {
    fn parts(&self) -> Parts {
        Parts::of(vec![vec![self.0]])
    }

    fn encode(&self, encoder: &mut Encoder) {
        encoder.fixed(18, &[self.0]);
    }

    fn size(&self, _: &Degrees<'_>) -> Size {
        Size::columns(8, 0)
    }

    fn constrain(&self, row: &mut OpRow<'_, '_>) -> Vec<ExprId> {
        row.columns(0, 8)
    }

    fn lower(&self, row: &mut Lowering<'_>) -> Vec<ValueNo> {
        let a = row.value(self.0);
        row.advice((0..8).map(|i| Expr::ByteOf(a, i)))
    }

    fn statements(&self) -> Vec<Statement> {
        let args = vec![Arg::Word(self.0)];
        vec![Statement::new(Of::Values, "words_of", args, Results::Words32(2))]
    }

    fn execute(&self, machine: &mut Machine<'_>, at: At) -> Outcome<()> {
        let bytes = machine.word(at, self.0).to_le_bytes();
        machine.values.extend(bytes.map(u64::from));
        Ok(())
    }
}

pub(super) struct Inverse(pub ValueId);

impl Operation for Inverse {
    fn parts(&self) -> Parts {
        Parts::of(vec![vec![self.0]])
    }

    fn encode(&self, encoder: &mut Encoder) {
        encoder.fixed(19, &[self.0]);
    }

    fn size(&self, _: &Degrees<'_>) -> Size {
        Size::columns(1, 0)
    }

    fn constrain(&self, row: &mut OpRow<'_, '_>) -> Vec<ExprId> {
        row.columns(0, 1)
    }

    fn lower(&self, row: &mut Lowering<'_>) -> Vec<ValueNo> {
        let a = row.value(self.0);
        row.advice([Expr::InverseOrZero(a)].into_iter())
    }

    fn statements(&self) -> Vec<Statement> {
        let args = vec![Arg::Word(self.0)];
        vec![Statement::new(Of::Values, "inverse", args, Results::One(Held::WORD))]
    }

    fn execute(&self, machine: &mut Machine<'_>, at: At) -> Outcome<()> {
        let inverse = inverse_or_zero(element(machine.word(at, self.0)));
        machine.values.push(word(inverse));
        Ok(())
    }
}

/// Pointers to quotient and remainder of two integers in memory.
pub(super) struct BigUintDivRem(pub ValueId, pub ValueId);

impl Operation for BigUintDivRem {
    fn parts(&self) -> Parts {
        Parts::of(vec![vec![self.0, self.1]])
    }

    fn check(&self, check: &mut OpCheck<'_, '_, '_>) {
        check.width(BIGUINT_WIDTH as usize);
    }

    fn encode(&self, encoder: &mut Encoder) {
        encoder.fixed(20, &[self.0, self.1]);
    }

    fn size(&self, _: &Degrees<'_>) -> Size {
        Size::columns(2, 0)
    }

    fn constrain(&self, row: &mut OpRow<'_, '_>) -> Vec<ExprId> {
        row.columns(0, 2)
    }

    fn lower(&self, row: &mut Lowering<'_>) -> Vec<ValueNo> {
        let (a, b) = (row.value(self.0), row.value(self.1));
        row.code.below(&[a, b], 1 << 32);
        let memory = row.memory(BIGUINT_WIDTH);
        row.fetch(FetchKind::BigUintDivRem { memory, a, b }, 2, false)
    }

    fn statements(&self) -> Vec<Statement> {
        let args = vec![Arg::Memory(BIGUINT_WIDTH), Arg::Word(self.0), Arg::Word(self.1)];
        let results = Results::All(vec![Held::U32; 2]);
        vec![Statement::stopping(Of::Machine, "biguint_div_rem", args, results)]
    }

    fn execute(&self, machine: &mut Machine<'_>, at: At) -> Outcome<()> {
        let (a, b) = (machine.word(at, self.0), machine.word(at, self.1));
        machine.hint_biguint_div_rem(a, b)
    }
}
