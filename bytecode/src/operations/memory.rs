//! Write-once memory: one message of width, pointer and values.

use traceloom_air::message::MEMORY_CHANNEL;
use traceloom_air::system::ExprId;
use traceloom_plan::{FetchKind, ValueNo};

use super::{Degrees, Operation, Size};
use crate::check::OpCheck;
use crate::execute::error::Fault;
use crate::execute::machine::{At, Machine, Outcome};
use crate::fingerprint::Encoder;
use crate::forms::{Form, ONE, Parts, REST, form};
use crate::lower::Lowering;
use crate::model::{Op, ValueId};
use crate::statements::{Arg, Held, Of, Results, Statement};
use crate::system::OpRow;

pub(super) const FORMS: &[Form] = &[
    form("store", &[REST], Some(1), |mut p| Op::Store { values: p.take(0) }),
    form("load", ONE, None, |p| Op::Load { width: p.results, pointer: p.one(0) }),
];

/// One column: the pointer.
pub(super) struct Store<'a> {
    pub values: &'a [ValueId],
}

impl Operation for Store<'_> {
    fn parts(&self) -> Parts {
        Parts::of(vec![self.values.to_vec()])
    }

    fn check(&self, check: &mut OpCheck<'_, '_, '_>) {
        check.width(self.values.len());
    }

    fn encode(&self, encoder: &mut Encoder) {
        encoder.number(7);
        encoder.values(self.values);
    }

    fn size(&self, _: &Degrees<'_>) -> Size {
        Size::columns(1, 1)
    }

    fn constrain(&self, row: &mut OpRow<'_, '_>) -> Vec<ExprId> {
        let pointer = row.columns(0, 1);
        let values = row.values(self.values);
        send(row, &values, pointer[0]);
        pointer
    }

    fn lower(&self, row: &mut Lowering<'_>) -> Vec<ValueNo> {
        let values = row.values(self.values);
        row.code.constrain(&values);
        let memory = row.memory(values.len() as u32);
        row.fetch(FetchKind::Store { memory, values }, 1, true)
    }

    fn statements(&self) -> Vec<Statement> {
        let args = vec![Arg::Memory(self.values.len() as u32), Arg::Words(self.values.to_vec())];
        vec![Statement::stopping(Of::Machine, "store", args, Results::One(Held::U32))]
    }

    #[inline]
    fn execute(&self, machine: &mut Machine<'_>, at: At) -> Outcome<()> {
        machine.gather(at.base, self.values);
        let pointer = machine.store_scratch(at.mode)?;
        machine.values.push(pointer);
        Ok(())
    }
}

/// A column per value.
pub(super) struct Load {
    pub width: u32,
    pub pointer: ValueId,
}

impl Operation for Load {
    fn parts(&self) -> Parts {
        Parts { results: self.width, ..Parts::of(vec![vec![self.pointer]]) }
    }

    fn check(&self, check: &mut OpCheck<'_, '_, '_>) {
        check.width(self.width as usize);
    }

    fn encode(&self, encoder: &mut Encoder) {
        encoder.fixed(8, &[self.pointer]);
        encoder.number(self.width.into());
    }

    fn size(&self, _: &Degrees<'_>) -> Size {
        Size::columns(self.width as usize, 1)
    }

    fn constrain(&self, row: &mut OpRow<'_, '_>) -> Vec<ExprId> {
        let loaded = row.columns(0, self.width as usize);
        let pointer = row.value(self.pointer);
        send(row, &loaded, pointer);
        loaded
    }

    fn lower(&self, row: &mut Lowering<'_>) -> Vec<ValueNo> {
        let pointer = row.value(self.pointer);
        row.code.constrain(&[pointer]);
        row.code.below(&[pointer], 1 << 32);
        let memory = row.memory(self.width);
        row.fetch(FetchKind::Load { memory, pointer }, self.width, true)
    }

    fn statements(&self) -> Vec<Statement> {
        let args = vec![Arg::Memory(self.width), Arg::Word(self.pointer)];
        let results = Results::All(vec![Held::WORD; self.width as usize]);
        vec![Statement::stopping(Of::Machine, "load", args, results)]
    }

    #[inline]
    fn execute(&self, machine: &mut Machine<'_>, at: At) -> Outcome<()> {
        let (width, pointer) = (self.width, machine.word(at, self.pointer));
        let index = machine.memory_index(width);
        let memory = &machine.record.memories[index];
        let Some(values) = memory.load(pointer) else {
            return Err(Box::new(Fault::Pointer { width, pointer, count: memory.len() }));
        };
        machine.values.extend(values.iter());
        if at.mode.counts() {
            machine.count_pointer(index, pointer as usize);
        }
        Ok(())
    }
}

fn send(row: &mut OpRow<'_, '_>, values: &[ExprId], pointer: ExprId) {
    let channel = row.arena().word(MEMORY_CHANNEL);
    let width = row.arena().word(values.len() as u64);
    row.send(0, &[&[channel, width, pointer], values].concat());
}
