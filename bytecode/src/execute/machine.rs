//! Frames and memoised queries.
//!
//! Every value of every frame lies on one stack, a frame's own from its base on;
//! the inputs of a callee are pushed there and become the start of its frame.
//! When it returns, they are replaced by its outputs, which is just where the
//! caller expects them.
//!
//! A frame *counts* if it was requested with constraints, all the way up to a
//! claim. Its row will exist, so what its row looks up is counted: calls, stores
//! and loads, byte operations, gaps. A query is counted exactly once, by the
//! first frame of it that counts. If a frame that did not count came before,
//! the query is *replayed*: with effects off, and to the same end. So a query has
//! one of four states: unknown, running (requesting it is an error), finished as
//! advice, counted.
//!
//! Replays end: each marks its query as counted before it starts, and enters no
//! query that is unknown. While a query runs as advice, all that is requested
//! above it is requested as advice too, so it is never replayed while it runs.

use traceloom_abi::io::{Io, IoError};
use traceloom_abi::limits::{Limits, Meter, QUERY_BYTES};
pub(super) use traceloom_abi::record::one_more;
use traceloom_abi::record::{Finish, Part, Record, above};
use traceloom_air::claim::{Claim, RankedClaim};
use traceloom_air::field::{element, is_canonical};

use super::error::{ExecuteError, Failure, Fault, MAX_CALLERS, Place, Words};
use super::{CallEvent, CallHook, DebugHook, Hooks, ProgressHook};
use crate::callgraph::RankedCall;
use crate::check::CheckedProgram;
use crate::control::execution::Shape;
use crate::model::{BlockId, FunctionId, Op, ValueId};
use crate::operations::Operation;

/// Bytes of a frame beside its values, leaves and ranks.
pub(super) const FRAME_BYTES: u64 = size_of::<Frame>() as u64;

pub(crate) type Outcome<T> = Result<T, Box<Fault>>;

/// Executes claims of one program against one record. After an error it holds
/// frames of queries that never finish, so it must be dropped.
pub(crate) struct Machine<'a> {
    pub(crate) program: &'a CheckedProgram,
    pub(crate) record: Record,
    pub(crate) meter: Meter,
    pub(super) debug: Option<DebugHook<'a>>,
    progress: Option<ProgressHook<'a>>,
    calls: Option<CallHook<'a>>,
    pub(crate) shapes: Vec<Shape>,
    /// By function and query: whether its lookups have been counted.
    counted: Vec<Vec<bool>>,
    pub(crate) frames: Vec<Frame>,
    pub(crate) values: Vec<u64>,
    /// Selectors of the leaves that the frames have passed.
    pub(crate) leaves: Vec<u32>,
    /// Ranks of the ranked callees of the frames, those of lone calls excluded.
    callee_ranks: Vec<u32>,
    /// Those among them that are inside their caller's component, of frames that
    /// count: each has a gap.
    inside_ranks: Vec<u32>,
    /// For lists that are gathered from values.
    pub(crate) scratch: Vec<u64>,
}

/// A query that is running or being replayed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) function: FunctionId,
    query: usize,
    pub(crate) block: BlockId,
    /// The next operation, or the call that a callee is running for.
    pub(crate) op: usize,
    /// Starts of its parts of the stacks.
    pub(crate) base: usize,
    pub(super) first_leaf: usize,
    first_rank: usize,
    first_inside: usize,
    /// 1 + the largest rank of the callees so far that are inside the component and
    /// whose calls are constrained, 0 without any. At the end, the query's own rank.
    rank: u32,
    pub(super) mode: Mode,
}

/// How a frame runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// As advice: nothing is counted.
    Advice,
    /// With constraints: its lookups are counted.
    Counting,
    /// With constraints, after it ran as advice: no effects.
    Replay,
}

/// Where an operation runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At {
    /// Where the values of its frame begin.
    pub base: usize,
    /// How the frame runs.
    pub mode: Mode,
}

impl Mode {
    pub(crate) const fn counts(self) -> bool {
        !matches!(self, Self::Advice)
    }
}

/// Whether all words of the given io are canonical.
pub(super) fn check_io(io: &Io) -> Result<(), ExecuteError> {
    for (channel, words) in io.channels() {
        if let Some(&word) = words.iter().find(|&&word| !is_canonical(word)) {
            return Err(ExecuteError::Input(IoError::NotCanonical { channel, word }));
        }
    }
    Ok(())
}

/// Whether the claim at `index` of its list can be asked for.
pub(super) fn check_claim(
    program: &CheckedProgram,
    index: usize,
    id: FunctionId,
    args: &[u64],
) -> Result<(), ExecuteError> {
    let functions = &program.program().functions;
    let (function, count) = (id.0, functions.len());
    let data = functions.get(id.index()).ok_or(ExecuteError::UnknownFunction {
        index,
        function,
        count,
    })?;
    let name = || data.name.clone();
    if !data.entry {
        return Err(ExecuteError::NotAnEntry { index, function, name: name() });
    }
    let (expected, got) = (data.num_inputs as usize, args.len());
    if expected != got {
        return Err(ExecuteError::Arity { index, function, name: name(), expected, got });
    }
    match args.iter().position(|&word| !is_canonical(word)) {
        None => Ok(()),
        Some(position) => {
            let word = args[position];
            Err(ExecuteError::NotCanonical { index, function, name: name(), position, word })
        }
    }
}

impl<'a> Machine<'a> {
    pub(super) fn new(
        program: &'a CheckedProgram,
        io: Io,
        limits: &Limits,
        hooks: Hooks<'a>,
    ) -> Self {
        let functions = &program.program().functions;
        let signatures = functions.iter().map(|f| (f.num_inputs as usize, f.num_outputs as usize));
        let widths = program.program().memory_sizes.iter().map(|&width| width as usize);
        let record = Record::new(signatures, widths, io);
        let (every, progress) =
            hooks.progress.map_or((0, None), |(n, hook)| (n.max(1), Some(hook)));
        Self {
            program,
            record,
            meter: Meter::new(limits, every),
            debug: hooks.debug,
            progress,
            calls: hooks.calls,
            shapes: program.function_ids().map(|id| Shape::new(program, id)).collect(),
            counted: vec![Vec::new(); functions.len()],
            frames: Vec::new(),
            values: Vec::new(),
            leaves: Vec::new(),
            callee_ranks: Vec::new(),
            inside_ranks: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// Runs the claim at `index` of its list.
    pub(super) fn claim(
        &mut self,
        index: usize,
        function: FunctionId,
        args: &[u64],
    ) -> Result<RankedClaim, ExecuteError> {
        check_claim(self.program, index, function, args)?;
        self.values.clear();
        self.values.extend_from_slice(args);
        self.answer(function)
            .map_err(|fault| ExecuteError::Failed(Box::new(self.failure(function, *fault))))?;
        let query = self.record.functions[function.index()].find(args);
        let query = query.expect("an answered query is in the record");
        let claim = Claim {
            function: function.0,
            inputs: args.iter().map(|&word| element(word)).collect(),
            outputs: self.values.iter().map(|&word| element(word)).collect(),
        };
        let ranked = self.program.layout(function).ranked;
        let rank = ranked.then(|| self.record.functions[function.index()].rank(query));
        Ok(RankedClaim { claim, rank })
    }

    /// Replaces the inputs of `function` on the empty stack by its outputs.
    fn answer(&mut self, function: FunctionId) -> Outcome<()> {
        self.request(function, 0, true)?;
        while !self.frames.is_empty() {
            self.advance()?;
        }
        Ok(())
    }

    /// Runs the innermost frame until it calls something that has to run, or its
    /// block ends.
    fn advance(&mut self) -> Outcome<()> {
        let top = self.frames.len() - 1;
        let Frame { function, block, op: first, base, mode, .. } = self.frames[top];
        let program = self.program;
        let block = &program.function(function).blocks[block.index()];
        if first == 0 {
            self.tick(block.ops.len() as u64 + 1)?;
        }
        for (at, op) in block.ops.iter().enumerate().skip(first) {
            if let Op::Call { function: callee, args, constrained, .. } = op {
                self.frames[top].op = at;
                let inputs = self.values.len();
                for arg in args {
                    self.values.push(self.values[base + arg.index()]);
                }
                if self.request(*callee, inputs, *constrained && mode.counts())? {
                    return Ok(());
                }
            } else if let Err(fault) = op.execute(self, At { base, mode }) {
                self.frames[top].op = at;
                return Err(fault);
            }
        }
        self.frames[top].op = block.ops.len();
        self.end_block(&block.control)
    }

    /// Counts steps and reports progress when it is due.
    #[inline]
    pub(crate) fn tick(&mut self, steps: u64) -> Outcome<()> {
        if self.meter.steps(steps)? {
            self.report();
        }
        Ok(())
    }

    #[cold]
    fn report(&mut self) {
        if let Some(hook) = &mut self.progress {
            hook(self.meter.stats());
        }
    }

    /// Asks for `function` of the inputs from `base` on. Either its outputs
    /// replace them, or a frame is entered that will do so: then true.
    fn request(&mut self, function: FunctionId, base: usize, counts: bool) -> Outcome<bool> {
        let table = &self.record.functions[function.index()];
        match table.find(&self.values[base..]) {
            None => {
                self.enter_new(function, base, counts)?;
                Ok(true)
            }
            Some(query) if !table.is_finished(query) => Err(Box::new(Fault::Cycle {
                function,
                name: self.program.function(function).name.clone(),
                inputs: Words::new(self.values[base..].iter().copied()),
            })),
            Some(query) if counts && !self.counted[function.index()][query] => {
                self.counted[function.index()][query] = true;
                self.meter.replay();
                self.enter(function, query, base, Mode::Replay)?;
                Ok(true)
            }
            Some(query) => {
                self.deliver(function, query, base, counts);
                Ok(false)
            }
        }
    }

    fn enter_new(&mut self, function: FunctionId, base: usize, counts: bool) -> Outcome<()> {
        if let Some(Frame { mode: Mode::Replay, .. }) = self.frames.last() {
            return Err(self.replay_fault("made a call that it did not make before"));
        }
        let data = self.program.function(function);
        let words = u64::from(data.num_inputs) + u64::from(data.num_outputs);
        self.meter.query(8 * words + QUERY_BYTES, self.stack_bytes())?;
        let query = self.record.functions[function.index()].insert(&self.values[base..]);
        self.counted[function.index()].push(counts);
        let mode = if counts { Mode::Counting } else { Mode::Advice };
        self.enter(function, query, base, mode)
    }

    fn enter(
        &mut self,
        function: FunctionId,
        query: usize,
        base: usize,
        mode: Mode,
    ) -> Outcome<()> {
        self.meter.depth(self.frames.len() as u64 + 1)?;
        if let Some(hook) = &mut self.calls {
            hook(CallEvent::Enter { function, counts: mode.counts() });
        }
        self.frames.push(Frame {
            function,
            query,
            block: BlockId::BODY,
            op: 0,
            base,
            first_leaf: self.leaves.len(),
            first_rank: self.callee_ranks.len(),
            first_inside: self.inside_ranks.len(),
            rank: 0,
            mode,
        });
        Ok(())
    }

    /// The innermost frame returns the values of `outputs`.
    pub(crate) fn finish(&mut self, outputs: &[ValueId]) -> Outcome<()> {
        let frame = *self.frames.last().expect("a frame is running");
        let Frame { function, query, base, mode, .. } = frame;
        self.gather(base, outputs);
        let path = self.program.paths(function).number(&self.leaves[frame.first_leaf..]);
        let num_ranks = self.callee_ranks.len() - frame.first_rank;
        if mode == Mode::Replay {
            self.compare(&frame, path)?;
        } else {
            self.meter.bytes(4 * num_ranks as u64, self.stack_bytes())?;
            let callee_ranks = &self.callee_ranks[frame.first_rank..];
            let outputs = &[Part::Words(&self.scratch)];
            let finish = Finish { path, rank: frame.rank, callee_ranks, outputs };
            self.record.functions[function.index()].finish(query, finish);
        }
        self.count_gaps(&frame);
        if let Some(hook) = &mut self.calls {
            hook(CallEvent::Leave { path });
        }
        self.frames.pop();
        self.leaves.truncate(frame.first_leaf);
        self.callee_ranks.truncate(frame.first_rank);
        self.inside_ranks.truncate(frame.first_inside);
        self.deliver(function, query, base, mode.counts());
        Ok(())
    }

    /// Counts the range checks of the frame's gaps. Its rank is above those of its
    /// callees inside the component, so gaps are not negative.
    fn count_gaps(&mut self, frame: &Frame) {
        if self.inside_ranks.len() == frame.first_inside {
            return;
        }
        for at in frame.first_inside..self.inside_ranks.len() {
            self.record.count_limbs(frame.rank - 1 - self.inside_ranks[at]);
        }
    }

    /// Checks that a replay has ended as the first run did.
    fn compare(&self, frame: &Frame, path: u32) -> Outcome<()> {
        let table = &self.record.functions[frame.function.index()];
        if path != table.path(frame.query) {
            Err(self.replay_fault("took another path"))
        } else if table.outputs(frame.query) != self.scratch[..] {
            Err(self.replay_fault("returned other outputs"))
        } else if frame.rank != table.rank(frame.query)
            || self.callee_ranks[frame.first_rank..] != *table.callee_ranks(frame.query)
        {
            Err(self.replay_fault("called other queries"))
        } else {
            Ok(())
        }
    }

    #[cold]
    pub(super) fn replay_fault(&self, what: &'static str) -> Box<Fault> {
        let frame = self.frames.last().expect("a replay is running");
        Box::new(Fault::Replay {
            function: frame.function,
            name: self.program.function(frame.function).name.clone(),
            inputs: self.inputs(frame),
            what,
        })
    }

    /// Replaces the inputs from `base` on by the outputs of a finished query, for
    /// the call that the innermost frame stands at, or for a claim.
    fn deliver(&mut self, function: FunctionId, query: usize, base: usize, counts: bool) {
        let num_outputs = self.program.function(function).num_outputs as usize;
        let table = &mut self.record.functions[function.index()];
        if counts {
            table.set_multiplicity(query, one_more(table.multiplicity(query)));
        }
        self.values.truncate(base);
        self.values.resize(base + num_outputs, 0);
        table.copy_outputs(query, &mut self.values[base..]);
        let Some(caller) = self.frames.last_mut() else { return };
        let block = &self.program.layout(caller.function).blocks[caller.block.index()];
        let ranked = block.ops[caller.op].ranked_call;
        caller.op += 1;
        let rank = table.rank(query);
        if matches!(ranked, RankedCall::Inside | RankedCall::Lone) {
            caller.rank = above(caller.rank, rank);
        }
        if matches!(ranked, RankedCall::Outside | RankedCall::Inside) {
            self.callee_ranks.push(rank);
        }
        if ranked == RankedCall::Inside && caller.mode.counts() {
            self.inside_ranks.push(rank);
        }
    }

    /// Copies values of the frame at `base` to the scratch list.
    pub(crate) fn gather(&mut self, base: usize, values: &[ValueId]) {
        self.scratch.clear();
        let all = &self.values;
        self.scratch.extend(values.iter().map(|value| all[base + value.index()]));
    }

    /// Bytes that the frames take.
    pub(crate) fn stack_bytes(&self) -> u64 {
        let words = self.values.len() * size_of::<u64>();
        let ranks = self.leaves.len() + self.callee_ranks.len() + self.inside_ranks.len();
        (words + ranks * size_of::<u32>() + self.frames.len() * size_of::<Frame>()) as u64
    }

    fn inputs(&self, frame: &Frame) -> Words {
        let table = &self.record.functions[frame.function.index()];
        let count = self.program.function(frame.function).num_inputs as usize;
        Words::new((0..count).map(|i| table.input(frame.query, i)))
    }

    /// `fault`, at the place where the machine stands.
    #[cold]
    fn failure(&self, claimed: FunctionId, fault: Fault) -> Failure {
        let place = |frame: &Frame| Place::new(self.program, frame.function, frame.block, frame.op);
        let Some((top, callers)) = self.frames.split_last() else {
            let place = Place::claim(self.program, claimed);
            let inputs = Words::new(self.values.iter().copied());
            return Failure { place, fault, inputs, callers: Vec::new(), depth: 0 };
        };
        Failure {
            place: place(top),
            fault,
            inputs: self.inputs(top),
            callers: callers.iter().rev().take(MAX_CALLERS).map(place).collect(),
            depth: callers.len(),
        }
    }
}
