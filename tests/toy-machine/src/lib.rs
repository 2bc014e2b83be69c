//! A machine of three op tables that nobody but its tests knows: it adds the squares of bytes.
//! What a session does with it, it does with the op tables of any author.

pub mod tables;

#[allow(missing_docs)]
mod units {
    include!(concat!(env!("OUT_DIR"), "/units.rs"));
}

use std::sync::Arc;

use traceloom_abi::io::Io;
use traceloom_abi::ops::OpRecords;
use traceloom_abi::record::Record;
use traceloom_air::claim::{Boundary, BoundaryMessage};
use traceloom_air::field::{element, word};
use traceloom_air::system::{Direction, System};
use traceloom_optables::{OpRecord, TableProgram};
use traceloom_runtime::machine::{Machine, MachineError, MachineRun};

use tables::{EndOp, INPUT, OUTPUT, SquareOp, StepOp, StepPadding, TOKEN};

pub use units::toy::PROGRAM;

/// Changes what a run leaves, for tests of what must be refused.
pub type Forge = Arc<dyn Fn(&mut MachineRun) + Send + Sync>;

/// The machine.
pub struct Toy {
    tables: TableProgram,
    forge: Option<Forge>,
}

impl std::fmt::Debug for Toy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("toy")
    }
}

impl Default for Toy {
    fn default() -> Self {
        Self { tables: tables::program(), forge: None }
    }
}

/// A byte that stops the machine.
pub const STOP: u8 = 255;

impl Toy {
    /// One whose runs are changed.
    #[must_use]
    pub fn forged(forge: Forge) -> Self {
        Self { forge: Some(forge), ..Self::default() }
    }

    /// What is stated of a run.
    #[must_use]
    pub fn statement(input: &[u8], sum: u64) -> Vec<BoundaryMessage> {
        let message = |boundary, values: &[u64]| BoundaryMessage {
            boundary,
            values: values.iter().map(|&value| element(value)).collect(),
        };
        let bytes = (0..).zip(input).map(|(time, &x)| message(1, &[time, x.into()]));
        let ends = [message(0, &[0, 0]), message(2, &[sum])];
        ends.into_iter().chain(bytes).collect()
    }
}

fn push<R: OpRecord>(records: &mut OpRecords, op: &R) {
    records.push(|words| op.put(words));
}

impl Machine for Toy {
    fn name(&self) -> &str {
        "toy"
    }

    fn tables(&self) -> &TableProgram {
        &self.tables
    }

    fn system(&self) -> System {
        let boundary = |name: &str, bus: traceloom_optables::Bus, direction| Boundary {
            name: name.into(),
            channel: bus.channel(),
            num_values: bus.width,
            direction,
        };
        self.tables.system(vec![
            boundary("start", TOKEN, Direction::Push),
            boundary("input", INPUT, Direction::Push),
            boundary("output", OUTPUT, Direction::Pull),
        ])
    }

    fn run(&self, io: Io, progress: &mut dyn FnMut(u64)) -> Result<MachineRun, MachineError> {
        let (index, len) = io.info(0, &[]).map_err(|error| MachineError(error.into()))?;
        let words = io.read(0, index, len).map_err(|error| MachineError(error.into()))?;
        let input: Vec<u8> = words.iter().map(|&word| word as u8).collect();
        if let Some(at) = input.iter().position(|&x| x == STOP) {
            return Err(MachineError(format!("byte {at} is {STOP}; leave it out").into()));
        }
        let mut ops = self.tables.records();
        let mut counts = [0_u32; 256];
        let mut sum = 0;
        for (time, &x) in (0..).zip(&input) {
            push(&mut ops[0], &StepOp { time, sum, x });
            sum += u32::from(x) * u32::from(x);
            counts[usize::from(x)] += 1;
        }
        progress(input.len() as u64);
        for (x, count) in (0..=255).zip(counts) {
            let full = std::iter::repeat_n(255, count as usize / 255);
            for count in full.chain([(count % 255) as u8]).filter(|&count| count > 0) {
                push(&mut ops[1], &SquareOp { x, count });
            }
        }
        push(&mut ops[2], &EndOp { time: input.len() as u32, sum });
        let boundary = Self::statement(&input, sum.into());
        let mut record = Record::new([], [], io);
        record.ops = ops;
        let mut run = MachineRun { record, boundary, steps: input.len() as u64 };
        if let Some(forge) = &self.forge {
            forge(&mut run);
        }
        Ok(run)
    }

    fn pad(&self, record: &mut Record, padding: &[usize]) {
        let end = record.ops[2].words(0);
        let (time, sum) = (end[0], end[1]);
        let index = self.tables.padding_index(0).expect("step has a padding program");
        let program = self.tables.tables()[0].padding.as_ref().expect("it has one");
        let scalars = StepPadding { time, sum };
        program.push_padding(&mut record.ops[index], &scalars, 1, padding[0]);
        let mut settled = OpRecords::new(2);
        push(&mut settled, &EndOp { time: time + padding[0] as u32, sum });
        record.ops[2] = settled;
    }

    fn check_statement(&self, boundary: &[BoundaryMessage]) -> Result<(), String> {
        let [_, output, input @ ..] = boundary else { return Err("it is too short".into()) };
        let sum = output.values.first().map_or(0, |&sum| word(sum));
        let bytes: Vec<u8> =
            input.iter().map(|of| of.values.get(1).map_or(0, |&x| word(x) as u8)).collect();
        match Self::statement(&bytes, sum) == boundary {
            true => Ok(()),
            false => Err("its messages are not bytes in order and a sum".into()),
        }
    }

    fn phrase(&self, boundary: &[BoundaryMessage]) -> Option<String> {
        let sum = word(*boundary.get(1)?.values.first()?);
        Some(format!("the squares of {} bytes add up to {sum}", boundary.len() - 2))
    }

    fn place(&self, record: &Record, table: usize, row: usize) -> Option<String> {
        let is_step = table == 0 && row < record.ops[0].len();
        is_step.then(|| format!("byte {}", record.ops[0].words(row)[0]))
    }
}
