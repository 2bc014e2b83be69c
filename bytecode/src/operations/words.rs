//! Words of 32 bits: packing, and the comparison, which takes words apart.

use traceloom_air::field::{Goldilocks, element, word};
use traceloom_air::system::ExprId;
use traceloom_plan::{Expr, ValueNo};

use super::{Degrees, Operation, Size};
use crate::execute::machine::{At, Machine, Outcome};
use crate::fingerprint::Encoder;
use crate::forms::{FieldKind, Form, Parts, TWO, field, form};
use crate::lower::Lowering;
use crate::model::{Op, ValueId};
use crate::statements::{Arg, Held, Of, Results, Statement};
use crate::system::OpRow;

pub(super) const FORMS: &[Form] = &[
    form("u32_less_than", TWO, Some(1), |p| Op::U32LessThan(p.pair().0, p.pair().1)),
    form("u32_to_field", &[field("args", FieldKind::Fixed(4))], Some(1), |p| {
        Op::U32ToField(p.word(0))
    }),
];

/// Six columns: two limbs of 16 bits of a, of c and of b, where c = b - a - 1 +
/// 2^32·borrow; the result is 1 - borrow.
pub(super) struct LessThan(pub ValueId, pub ValueId);

impl Operation for LessThan {
    fn parts(&self) -> Parts {
        Parts::of(vec![vec![self.0, self.1]])
    }

    fn encode(&self, encoder: &mut Encoder) {
        encoder.fixed(14, &[self.0, self.1]);
    }

    fn size(&self, _: &Degrees<'_>) -> Size {
        Size::columns(6, 6)
    }

    /// The borrow must be a bit: as a free field element it would make every comparison
    /// come out either way.
    fn constrain(&self, row: &mut OpRow<'_, '_>) -> Vec<ExprId> {
        let (a, b) = (row.value(self.0), row.value(self.1));
        let columns = row.columns(0, 6);
        row.limbs(0, &columns);
        let [limbs_a, limbs_c, limbs_b] = [0, 2, 4].map(|first| &columns[first..first + 2]);
        for (operand, limbs) in [(a, limbs_a), (b, limbs_b)] {
            let packed = row.pack_limbs(limbs);
            let difference = row.arena().sub(operand, packed);
            row.require(difference, "the operand is its limbs");
        }
        let c = row.pack_limbs(limbs_c);
        let one = row.arena().word(1);
        let difference = row.arena().sub(b, a);
        let difference = row.arena().sub(difference, one);
        let excess = row.arena().sub(c, difference);
        let borrow = row.divide(excess, 1 << 32);
        let off = row.arena().sub(borrow, one);
        let product = row.arena().mul(borrow, off);
        row.require(product, "the borrow is a bit");
        vec![row.arena().sub(one, borrow)]
    }

    fn lower(&self, row: &mut Lowering<'_>) -> Vec<ValueNo> {
        let (a, b) = (row.value(self.0), row.value(self.1));
        row.code.constrain(&[a, b]);
        row.code.below(&[a, b], 1 << 32);
        let rest = row.code.push(Expr::LessRest(a, b));
        let limbs = [a, rest, b].into_iter().flat_map(|word| (0..2).map(move |i| (word, i)));
        row.columns(limbs.map(|(word, i)| Expr::LimbOf(word, i)));
        vec![row.code.push(Expr::Less(a, b))]
    }

    fn statements(&self) -> Vec<Statement> {
        let args = vec![Arg::Word(self.0), Arg::Word(self.1)];
        vec![Statement::stopping(Of::Counts, "u32_less_than", args, Results::One(Held::BIT))]
    }

    fn execute(&self, machine: &mut Machine<'_>, at: At) -> Outcome<()> {
        let (a, b) = (machine.u32(at, 0, self.0)?, machine.u32(at, 1, self.1)?);
        if at.mode.counts() {
            let c = b.wrapping_sub(a).wrapping_sub(1);
            [a, c, b].into_iter().for_each(|word| machine.record.count_limbs(word));
        }
        machine.values.push(u64::from(a < b));
        Ok(())
    }
}

/// A sum without a column; it checks nothing.
pub(super) struct ToField<'a>(pub &'a [ValueId; 4]);

impl Operation for ToField<'_> {
    fn parts(&self) -> Parts {
        Parts::of(vec![self.0.to_vec()])
    }

    fn encode(&self, encoder: &mut Encoder) {
        encoder.fixed(15, self.0);
    }

    fn size(&self, degree: &Degrees<'_>) -> Size {
        Size::expression(self.0.iter().map(|&byte| degree(byte)).max().unwrap_or(0))
    }

    fn constrain(&self, row: &mut OpRow<'_, '_>) -> Vec<ExprId> {
        let bytes = row.values(self.0);
        vec![row.pack(&bytes)]
    }

    fn lower(&self, row: &mut Lowering<'_>) -> Vec<ValueNo> {
        let bytes = self.0.map(|byte| row.value(byte));
        row.code.below(&bytes, 1 << 8);
        vec![row.code.push(Expr::Pack(bytes))]
    }

    fn statements(&self) -> Vec<Statement> {
        let args = vec![Arg::Four(*self.0)];
        let statement = Statement::new(Of::Values, "pack", args, Results::One(Held::WORD));
        vec![Statement { byte_name: Some("pack4"), ..statement }]
    }

    fn execute(&self, machine: &mut Machine<'_>, at: At) -> Outcome<()> {
        let horner =
            |sum: Goldilocks, &byte: &ValueId| sum * element(256) + machine.element(at, byte);
        let sum = self.0.iter().rev().fold(element(0), horner);
        machine.values.push(word(sum));
        Ok(())
    }
}
