//! The machine that emitted pieces run on: frames, the stack of words, the record.

use super::counts::Notes;
use super::{Counts, Ended, FunctionExecutor, Given, Stop};
use crate::io::Io;
use crate::limits::{Limits, Meter, Stats};
use crate::record::{ByteCounts, Part, Record, Stored};

/// Executes claims of one program against one record. After [`Stop`] the record is of no
/// use.
pub struct Machine<'a> {
    pub(super) executors: &'static [FunctionExecutor],
    pub(super) record: Record,
    pub(super) meter: Meter,
    hooks: Hooks<'a>,
    /// Bytes of a frame of the interpreter beside its values, leaves and ranks.
    pub(super) frame_bytes: u64,
    /// At least the bytes that the interpreter's frames would take now.
    pub(super) stack_bytes: u64,
    /// By function and query: whether its lookups have been counted.
    pub(super) counted: Vec<Vec<bool>>,
    pub(super) frames: Vec<Frame>,
    /// How the innermost frame runs.
    pub(super) mode: Mode,
    /// What pieces leave to the next pieces of their frames.
    stack: Vec<u64>,
    /// The same, of bytes.
    bytes: Vec<u8>,
    /// Function and query of the call that ended last.
    pub(super) answer: (u32, usize),
    /// Selectors of the leaves that the frames have passed.
    pub(super) leaves: Vec<u32>,
    /// Ranks of the ranked callees of the frames, those of lone calls excluded.
    pub(super) callee_ranks: Vec<u32>,
    /// Those among them inside their caller's component, of frames that count.
    pub(super) inside_ranks: Vec<u32>,
    /// For the bytes of inputs and outputs.
    pub(super) raw: Vec<u8>,
}

/// A query that is running or being replayed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub function: u32,
    pub query: usize,
    /// The piece that runs next.
    pub piece: u32,
    /// What the call that it waits for needs of its callee's rank.
    pub ranked: Ranked,
    pub mode: Mode,
    /// Starts of its parts of the stacks.
    pub first_leaf: usize,
    pub first_rank: usize,
    pub first_inside: usize,
    /// Its rank, as far as its callees so far say.
    pub rank: u32,
}

/// How a frame runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// As advice: nothing is counted.
    Advice,
    /// With constraints: its lookups are counted.
    Counting,
    /// With constraints, after it ran as advice: no effects.
    Replay,
}

impl Mode {
    pub const fn counts(self) -> bool {
        !matches!(self, Self::Advice)
    }
}

/// What a call needs of its callee's rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ranked {
    /// Nothing: the callee has none, or nothing is proven.
    No,
    /// The callee is in another component.
    Outside,
    /// The callee is in the component of its caller.
    Inside,
    /// The same, and no path has another such call, so nobody asks for the gap.
    Lone,
}

/// A `debug` operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DebugPlace {
    /// Index of its function.
    pub function: u32,
    /// Index of its block.
    pub block: u32,
    /// Position in the block.
    pub op: u32,
}

/// Where an execution reports while it runs.
pub struct Hooks<'a> {
    /// Receives the values of `debug` operations.
    pub debug: &'a mut dyn FnMut(DebugPlace, &[u64]),
    /// Is called about every so many steps, 0 for never.
    pub every: u64,
    /// What is called then.
    pub progress: &'a mut dyn FnMut(&Stats),
}

impl<'a> Machine<'a> {
    /// A machine with an empty record. `io` has canonical words, `widths` are those of the
    /// program's memories, `frame_bytes` the size of a frame of the interpreter.
    pub fn new(
        executors: &'static [FunctionExecutor],
        widths: impl IntoIterator<Item = usize>,
        io: Io,
        limits: &Limits,
        frame_bytes: u64,
        hooks: Hooks<'a>,
    ) -> Self {
        let signatures = executors.iter().map(|f| (f.num_inputs as usize, f.num_outputs as usize));
        Self {
            executors,
            record: Record::new(signatures, widths, io),
            meter: Meter::new(limits, hooks.every),
            hooks,
            frame_bytes,
            stack_bytes: 0,
            counted: vec![Vec::new(); executors.len()],
            frames: Vec::new(),
            mode: Mode::Advice,
            stack: Vec::new(),
            bytes: Vec::new(),
            answer: (0, 0),
            leaves: Vec::new(),
            callee_ranks: Vec::new(),
            inside_ranks: Vec::new(),
            raw: Vec::new(),
        }
    }

    /// Runs a claim of `function`; its outputs. The arguments are canonical, as many as the
    /// function has inputs.
    ///
    /// # Errors
    /// [`Stop`].
    pub fn claim(&mut self, function: u32, args: &[u64]) -> Result<Vec<u64>, Stop> {
        self.stack.clear();
        self.bytes.clear();
        let mut tables = self.record.bytes.each_mut().map(ByteCounts::take);
        let ended = self.run(function, args, &mut tables);
        self.record.bytes = tables;
        ended?;
        let (function, query) = self.answer;
        Ok(self.record.functions[function as usize].outputs(query).to_vec())
    }

    fn run(&mut self, function: u32, args: &[u64], tables: &mut [ByteCounts; 2]) -> Ended {
        let mut notes = Notes::new();
        let counts = Counts::new(true, tables, &mut notes);
        self.request(counts, function, &[Given::Words(args)], true)?;
        while let Some(frame) = self.frames.last() {
            let executor = self.executors.get(frame.function as usize).ok_or(Stop)?;
            let piece = executor.pieces.get(frame.piece as usize).ok_or(Stop)?;
            self.mode = frame.mode;
            let counts = Counts::new(self.mode.counts(), tables, &mut notes);
            piece(self, counts)?;
        }
        Ok(())
    }

    /// What was executed, and what it took.
    #[must_use]
    pub fn into_record(self) -> (Record, Stats) {
        (self.record, *self.meter.stats())
    }

    /// The record so far.
    #[must_use]
    pub fn record(&self) -> &Record {
        &self.record
    }

    #[inline(always)]
    fn query(&self) -> Result<Stored<'_>, Stop> {
        let frame = self.frames.last().ok_or(Stop)?;
        Ok(self.record.functions[frame.function as usize].inputs(frame.query))
    }

    #[inline(always)]
    fn answer(&self) -> Stored<'_> {
        let (function, query) = self.answer;
        self.record.functions[function as usize].outputs(query)
    }

    /// Words that a piece gives, as parts of a list.
    #[inline]
    pub(super) fn parts<'p>(
        &'p self,
        given: &'p [Given<'p>],
    ) -> impl Iterator<Item = Part<'p>> + Clone {
        given.iter().map(|&given| match given {
            Given::Words(words) => Part::Words(words),
            Given::Bytes(bytes) => Part::Bytes(bytes),
            Given::Inputs(first, count) => match self.query() {
                Ok(inputs) => Part::Stored(inputs, first, count),
                Err(Stop) => unreachable!("a piece runs for the query of a frame"),
            },
            Given::Outputs(first, count) => Part::Stored(self.answer(), first, count),
        })
    }

    /// Inputs of the frame's query, from `first` on.
    ///
    /// # Errors
    /// [`Stop`] if it has fewer.
    #[inline(always)]
    pub fn inputs<const N: usize>(&self, first: usize) -> Result<[u64; N], Stop> {
        self.query()?.words(first).ok_or(Stop)
    }

    /// The same as bytes.
    ///
    /// # Errors
    /// [`Stop`] also if one is no byte.
    #[inline(always)]
    pub fn input_bytes<const N: usize>(&self, first: usize) -> Result<[u8; N], Stop> {
        self.query()?.bytes(first).ok_or(Stop)
    }

    /// The bytes of `4 * N` inputs of the frame's query, from `first` on, as words.
    ///
    /// # Errors
    /// [`Stop`] if it has fewer or one is no byte.
    #[inline(always)]
    pub fn input_words32<const N: usize>(&self, first: usize) -> Result<[u32; N], Stop> {
        self.query()?.words32(first).ok_or(Stop)
    }

    /// Outputs of the call that the frame waited for, from `first` on.
    ///
    /// # Errors
    /// [`Stop`] if it has fewer.
    #[inline(always)]
    pub fn outputs<const N: usize>(&self, first: usize) -> Result<[u64; N], Stop> {
        self.answer().words(first).ok_or(Stop)
    }

    /// The same as bytes.
    ///
    /// # Errors
    /// [`Stop`] also if one is no byte.
    #[inline(always)]
    pub fn output_bytes<const N: usize>(&self, first: usize) -> Result<[u8; N], Stop> {
        self.answer().bytes(first).ok_or(Stop)
    }

    /// The bytes of `4 * N` of these outputs, from `first` on, as words.
    ///
    /// # Errors
    /// [`Stop`] if there are fewer or one is no byte.
    #[inline(always)]
    pub fn output_words32<const N: usize>(&self, first: usize) -> Result<[u32; N], Stop> {
        self.answer().words32(first).ok_or(Stop)
    }

    /// Leaves words to the next piece of the frame.
    #[inline]
    pub fn push(&mut self, words: &[u64]) {
        self.stack.extend_from_slice(words);
    }

    /// The same of bytes.
    #[inline]
    pub fn push_bytes(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// The words that were left last, which are taken.
    ///
    /// # Errors
    /// [`Stop`] if there are fewer.
    #[inline]
    pub fn pop<const N: usize>(&mut self) -> Result<[u64; N], Stop> {
        pop(&mut self.stack)
    }

    /// The same of bytes.
    ///
    /// # Errors
    /// [`Stop`] if there are fewer.
    #[inline]
    pub fn pop_bytes<const N: usize>(&mut self) -> Result<[u8; N], Stop> {
        pop(&mut self.bytes)
    }

    /// Goes on with another piece of the frame.
    ///
    /// # Errors
    /// [`Stop`] if no frame runs.
    #[inline]
    pub fn goto(&mut self, counts: Counts<'_>, piece: u32) -> Ended {
        counts.end();
        self.frames.last_mut().ok_or(Stop)?.piece = piece;
        Ok(())
    }

    /// Counts steps and reports progress when it is due.
    ///
    /// # Errors
    /// [`Stop`] at the limit.
    #[inline]
    pub fn steps(&mut self, count: u64) -> Ended {
        if self.meter.steps(count)? {
            (self.hooks.progress)(self.meter.stats());
        }
        Ok(())
    }

    /// Reports values.
    pub fn debug(&mut self, function: u32, block: u32, op: u32, values: &[u64]) {
        if self.mode != Mode::Replay {
            (self.hooks.debug)(DebugPlace { function, block, op }, values);
        }
    }
}

#[inline]
fn pop<T: Copy, const N: usize>(stack: &mut Vec<T>) -> Result<[T; N], Stop> {
    let last = *stack.last_chunk().ok_or(Stop)?;
    stack.truncate(stack.len() - N);
    Ok(last)
}
