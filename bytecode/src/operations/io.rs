//! Io and debugging. Reads are advice and are repeated by replays; the others are
//! effects of execution only: no row knows them, and no replay repeats them.

use traceloom_abi::io::IoError;
use traceloom_abi::limits::KEY_BYTES;
use traceloom_air::field::is_canonical;
use traceloom_air::system::ExprId;
use traceloom_plan::{FetchKind, ValueNo};

use super::{Degrees, Operation, Size};
use crate::check::{MAX_ARITY, OpCheck};
use crate::execute::machine::{At, Machine, Mode, Outcome};
use crate::fingerprint::Encoder;
use crate::forms::{Field, FieldKind, Form, Parts, REST, field, form};
use crate::lower::Lowering;
use crate::model::{Op, ValueId};
use crate::statements::{Arg, Held, Of, Results, Statement};
use crate::system::OpRow;

const CHANNEL: Field = field("channel", FieldKind::Value);
const INDEX: Field = field("index", FieldKind::Value);
const KEY: Field = field("key", FieldKind::Group);
const LEN: Field = field("len", FieldKind::Value);

pub(super) const FORMS: &[Form] = &[
    form("io_get_info", &[CHANNEL, KEY], Some(2), |mut p| Op::IoGetInfo {
        channel: p.one(0),
        key: p.take(1),
    }),
    form("io_set_info", &[CHANNEL, KEY, INDEX, LEN], Some(0), |mut p| Op::IoSetInfo {
        channel: p.one(0),
        key: p.take(1),
        index: p.one(2),
        len: p.one(3),
    }),
    form("io_read", &[CHANNEL, INDEX], None, |p| Op::IoRead {
        channel: p.one(0),
        index: p.one(1),
        len: p.results,
    }),
    form("io_write", &[CHANNEL, REST], Some(0), |mut p| Op::IoWrite {
        channel: p.one(0),
        values: p.take(1),
    }),
    form("debug", &[field("label", FieldKind::Label), REST], Some(0), |mut p| Op::Debug {
        values: p.take(0),
        label: p.label.unwrap_or_default(),
    }),
];

pub(super) struct GetInfo<'a> {
    pub channel: ValueId,
    pub key: &'a [ValueId],
}

impl Operation for GetInfo<'_> {
    fn parts(&self) -> Parts {
        Parts::of(vec![vec![self.channel], self.key.to_vec()])
    }

    fn encode(&self, encoder: &mut Encoder) {
        encoder.fixed(10, &[self.channel]);
        encoder.values(self.key);
    }

    fn size(&self, _: &Degrees<'_>) -> Size {
        Size::columns(2, 0)
    }

    fn constrain(&self, row: &mut OpRow<'_, '_>) -> Vec<ExprId> {
        row.columns(0, 2)
    }

    fn lower(&self, row: &mut Lowering<'_>) -> Vec<ValueNo> {
        let (channel, key) = (row.value(self.channel), row.values(self.key));
        row.fetch(FetchKind::IoInfo { channel, key }, 2, false)
    }

    fn statements(&self) -> Vec<Statement> {
        let args = vec![Arg::Word(self.channel), Arg::Words(self.key.to_vec())];
        let results = Results::All(vec![Held::WORD; 2]);
        vec![Statement::stopping(Of::Machine, "io_get_info", args, results)]
    }

    fn execute(&self, machine: &mut Machine<'_>, at: At) -> Outcome<()> {
        let channel = machine.word(at, self.channel);
        machine.gather(at.base, self.key);
        let (index, len) = machine.record.io.info(channel, &machine.scratch)?;
        for word in [index, len] {
            // A key that the caller of the execution has set may hold any number.
            if !is_canonical(word) {
                return Err(IoError::NotCanonical { channel, word }.into());
            }
            machine.values.push(word);
        }
        Ok(())
    }
}

pub(super) struct SetInfo<'a> {
    pub channel: ValueId,
    pub key: &'a [ValueId],
    pub index: ValueId,
    pub len: ValueId,
}

impl Operation for SetInfo<'_> {
    fn parts(&self) -> Parts {
        let key = self.key.to_vec();
        Parts::of(vec![vec![self.channel], key, vec![self.index], vec![self.len]])
    }

    fn encode(&self, encoder: &mut Encoder) {
        encoder.fixed(11, &[self.channel, self.index, self.len]);
        encoder.values(self.key);
    }

    fn statements(&self) -> Vec<Statement> {
        let [channel, index, len] = [self.channel, self.index, self.len].map(Arg::Word);
        let args = vec![channel, Arg::Words(self.key.to_vec()), index, len];
        vec![Statement::stopping(Of::Machine, "io_set_info", args, Results::None)]
    }

    fn execute(&self, machine: &mut Machine<'_>, at: At) -> Outcome<()> {
        if at.mode == Mode::Replay {
            return Ok(());
        }
        let [channel, index, len] =
            [self.channel, self.index, self.len].map(|value| machine.word(at, value));
        machine.gather(at.base, self.key);
        machine.meter.bytes(8 * self.key.len() as u64 + KEY_BYTES, machine.stack_bytes())?;
        Ok(machine.record.io.set_info(channel, &machine.scratch, index, len)?)
    }
}

pub(super) struct Read {
    pub channel: ValueId,
    pub index: ValueId,
    pub len: u32,
}

impl Operation for Read {
    fn parts(&self) -> Parts {
        Parts { results: self.len, ..Parts::of(vec![vec![self.channel], vec![self.index]]) }
    }

    fn check(&self, check: &mut OpCheck<'_, '_, '_>) {
        check.require(self.len <= MAX_ARITY, || {
            format!("reads {} words; at most {MAX_ARITY} are possible at once", self.len)
        });
    }

    fn encode(&self, encoder: &mut Encoder) {
        encoder.fixed(12, &[self.channel, self.index]);
        encoder.number(self.len.into());
    }

    fn size(&self, _: &Degrees<'_>) -> Size {
        Size::columns(self.len as usize, 0)
    }

    fn constrain(&self, row: &mut OpRow<'_, '_>) -> Vec<ExprId> {
        row.columns(0, self.len as usize)
    }

    fn lower(&self, row: &mut Lowering<'_>) -> Vec<ValueNo> {
        let (channel, index) = (row.value(self.channel), row.value(self.index));
        row.fetch(FetchKind::IoRead { channel, index }, self.len, false)
    }

    fn statements(&self) -> Vec<Statement> {
        let args = vec![Arg::Word(self.channel), Arg::Word(self.index)];
        let results = Results::All(vec![Held::WORD; self.len as usize]);
        vec![Statement::stopping(Of::Machine, "io_read", args, results)]
    }

    fn execute(&self, machine: &mut Machine<'_>, at: At) -> Outcome<()> {
        let (channel, index) = (machine.word(at, self.channel), machine.word(at, self.index));
        let words = machine.record.io.read(channel, index, u64::from(self.len))?;
        machine.values.extend_from_slice(words);
        Ok(())
    }
}

pub(super) struct Write<'a> {
    pub channel: ValueId,
    pub values: &'a [ValueId],
}

impl Operation for Write<'_> {
    fn parts(&self) -> Parts {
        Parts::of(vec![vec![self.channel], self.values.to_vec()])
    }

    fn encode(&self, encoder: &mut Encoder) {
        encoder.fixed(13, &[self.channel]);
        encoder.values(self.values);
    }

    fn statements(&self) -> Vec<Statement> {
        let args = vec![Arg::Word(self.channel), Arg::Words(self.values.to_vec())];
        vec![Statement::stopping(Of::Machine, "io_write", args, Results::None)]
    }

    fn execute(&self, machine: &mut Machine<'_>, at: At) -> Outcome<()> {
        if at.mode == Mode::Replay {
            return Ok(());
        }
        let channel = machine.word(at, self.channel);
        machine.gather(at.base, self.values);
        machine.meter.bytes(8 * self.values.len() as u64, machine.stack_bytes())?;
        machine.record.io.write(channel, &machine.scratch);
        Ok(())
    }
}

pub(super) struct Debug<'a> {
    pub label: &'a String,
    pub values: &'a [ValueId],
}

impl Operation for Debug<'_> {
    fn parts(&self) -> Parts {
        Parts { label: Some(self.label.clone()), ..Parts::of(vec![self.values.to_vec()]) }
    }

    fn encode(&self, encoder: &mut Encoder) {
        encoder.number(21);
        encoder.values(self.values);
    }

    fn statements(&self) -> Vec<Statement> {
        let args = vec![Arg::Place, Arg::Words(self.values.to_vec())];
        vec![Statement::new(Of::Machine, "debug", args, Results::None)]
    }

    fn execute(&self, machine: &mut Machine<'_>, at: At) -> Outcome<()> {
        if at.mode != Mode::Replay {
            machine.gather(at.base, self.values);
            machine.print(self.label);
        }
        Ok(())
    }
}
