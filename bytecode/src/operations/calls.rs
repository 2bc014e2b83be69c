//! Calls: a message that the row of the callee provides.
//!
//! The message carries the rank of a ranked callee: in a column of its own where the
//! call comes from outside of its component; inside of it one less than the row's own
//! rank, minus a range-checked gap unless it is a lone call (`callgraph.rs` has the
//! argument).

use traceloom_air::message::FUNCTION_CHANNEL;
use traceloom_air::system::ExprId;
use traceloom_plan::draft::Use;
use traceloom_plan::{Column, Expr, FetchKind, Fixed, ValueNo};

use super::{Degrees, Operation, Size};
use crate::callgraph::{GAP_LIMBS, RankedCall};
use crate::check::OpCheck;
use crate::execute::machine::{At, Machine, Outcome};
use crate::fingerprint::Encoder;
use crate::forms::{Field, FieldKind, Form, Parts, field, form};
use crate::lower::Lowering;
use crate::model::{FunctionId, Op, ValueId};
use crate::statements::Statement;
use crate::system::OpRow;

const FIELDS: &[Field] =
    &[field("function", FieldKind::Callee), field("args", FieldKind::Arguments)];

pub(super) const FORMS: &[Form] = &[
    form("call", FIELDS, None, |parts| build(parts, true)),
    form("call_unconstrained", FIELDS, None, |parts| build(parts, false)),
];

fn build(mut parts: Parts, constrained: bool) -> Op {
    Op::Call {
        function: parts.function,
        args: parts.take(0),
        num_outputs: parts.results,
        constrained,
    }
}

pub(super) struct Call<'a> {
    pub function: FunctionId,
    pub args: &'a [ValueId],
    pub num_outputs: u32,
    pub constrained: bool,
}

impl Operation for Call<'_> {
    fn parts(&self) -> Parts {
        let parts = Parts::of(vec![self.args.to_vec()]);
        Parts { function: self.function, results: self.num_outputs, ..parts }
    }

    fn check(&self, check: &mut OpCheck<'_, '_, '_>) {
        let Some(callee) = check.function(self.function) else {
            let count = check.num_functions();
            return check
                .report(|| format!("calls function {}, but there are {count}", self.function.0));
        };
        let counts = [
            ("inputs", callee.num_inputs, self.args.len()),
            ("outputs", callee.num_outputs, self.num_outputs as usize),
        ];
        for (what, expected, got) in counts {
            check.require(expected as usize == got, || {
                format!("{:?} has {expected} {what}, the call has {got}", callee.name)
            });
        }
        let provable = callee.constrained || !self.constrained || !check.caller().constrained;
        check.require(provable, || {
            format!(
                "{:?} is unconstrained, so nothing would prove this call; call it \
                 unconstrained or constrain it",
                callee.name
            )
        });
    }

    fn encode(&self, encoder: &mut Encoder) {
        encoder.number(6);
        encoder.number(self.function.0.into());
        encoder.values(self.args);
        encoder.number(self.num_outputs.into());
        encoder.number(self.constrained.into());
    }

    /// Without what the rank of the callee takes: that is the layout's to add, since it
    /// depends on the call graph.
    fn size(&self, _: &Degrees<'_>) -> Size {
        Size::columns(self.num_outputs as usize, usize::from(self.constrained))
    }

    fn constrain(&self, row: &mut OpRow<'_, '_>) -> Vec<ExprId> {
        let outputs = row.columns(0, self.num_outputs as usize);
        if !self.constrained {
            return outputs;
        }
        let mut message =
            vec![row.arena().word(FUNCTION_CHANNEL), row.arena().word(self.function.0.into())];
        message.extend(self.callee_rank(row));
        message.extend(row.values(self.args));
        message.extend_from_slice(&outputs);
        row.send(0, &message);
        outputs
    }

    fn lower(&self, row: &mut Lowering<'_>) -> Vec<ValueNo> {
        let args = row.values(self.args);
        if self.constrained {
            row.code.constrain(&args);
            for (i, &arg) in args.iter().enumerate() {
                row.code.note(Use::Argument(arg, self.function.0, i));
            }
        }
        let kind = FetchKind::Call { function: self.function.0, args };
        let outputs = row.fetch(kind, self.num_outputs, self.constrained);
        self.lower_rank(row);
        outputs
    }

    fn statements(&self) -> Vec<Statement> {
        Vec::new()
    }

    fn execute(&self, _: &mut Machine<'_>, _: At) -> Outcome<()> {
        unreachable!("calls are made by the loop over operations")
    }
}

impl Call<'_> {
    /// The rank of the callee in the message, if it has one.
    fn callee_rank(&self, row: &mut OpRow<'_, '_>) -> Option<ExprId> {
        let first = self.num_outputs as usize;
        match row.place.ranked_call {
            RankedCall::None => None,
            RankedCall::Outside => Some(row.columns(first, 1)[0]),
            RankedCall::Lone => Some(one_less(row)),
            RankedCall::Inside => {
                let gap = row.columns(first, GAP_LIMBS);
                row.limbs(1, &gap);
                let gap = row.pack_limbs(&gap);
                let rank = one_less(row);
                Some(row.arena().sub(rank, gap))
            }
        }
    }

    fn lower_rank(&self, row: &mut Lowering<'_>) {
        let ranked = row.place.ranked_call;
        if matches!(ranked, RankedCall::None | RankedCall::Lone) {
            return;
        }
        let rank = row.code.callee_rank();
        let first = row.place.first_auxiliary + self.num_outputs as usize;
        if ranked == RankedCall::Outside {
            return row.code.write(Column::auxiliary(first), rank, Fixed::Determined);
        }
        let own = row.code.rank().expect("a member of a recursive component has a rank");
        let gap = row.code.push(Expr::RankGap(own, rank));
        for i in 0..GAP_LIMBS {
            let limb = row.code.push(Expr::LimbOf(gap, i as u8));
            row.code.write(Column::auxiliary(first + i), limb, Fixed::Determined);
        }
    }
}

/// The row's own rank minus 1.
fn one_less(row: &mut OpRow<'_, '_>) -> ExprId {
    let rank = row.own_rank();
    let one = row.arena().word(1);
    row.arena().sub(rank, one)
}
