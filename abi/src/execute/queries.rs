//! Requests of queries, and their ends. The rules of the interpreter, and their reasons, are
//! in `bytecode/src/execute/machine.rs`.

use super::machine::{Frame, Mode};
use super::{Counts, Ended, Given, Machine, Ranked, Stop};
use crate::limits::QUERY_BYTES;
use crate::record::{Finish, Part, above};

impl Machine<'_> {
    /// Calls `function` with constraints, where the frame has some; then piece `resume` runs
    /// and may read its outputs.
    ///
    /// # Errors
    /// [`Stop`]: a cycle, a replay that went another way, a limit.
    #[inline]
    pub fn call(
        &mut self,
        counts: Counts<'_>,
        function: u32,
        ranked: Ranked,
        args: &[Given<'_>],
        resume: u32,
    ) -> Ended {
        let frame = self.frames.last_mut().ok_or(Stop)?;
        (frame.piece, frame.ranked) = (resume, ranked);
        let is_counted = frame.mode.counts();
        self.request(counts, function, args, is_counted)
    }

    /// Calls `function` without constraints; the same otherwise.
    ///
    /// # Errors
    /// As [`Self::call`].
    pub fn advise(
        &mut self,
        counts: Counts<'_>,
        function: u32,
        args: &[Given<'_>],
        resume: u32,
    ) -> Ended {
        let frame = self.frames.last_mut().ok_or(Stop)?;
        (frame.piece, frame.ranked) = (resume, Ranked::No);
        self.request(counts, function, args, false)
    }

    /// Asks for a query: either it is the answer, or a frame is entered that will give it.
    /// What the piece before has noted is counted while the index is on its way.
    pub(super) fn request(
        &mut self,
        noted: Counts<'_>,
        function: u32,
        args: &[Given<'_>],
        counts: bool,
    ) -> Ended {
        let mut raw = std::mem::take(&mut self.raw);
        let table = &self.record.functions[function as usize];
        let hash = match table.prepare(self.parts(args), &mut raw) {
            Some(hash) => hash,
            None => {
                let words: Vec<u64> = Part::words(self.parts(args)).collect();
                let table = &mut self.record.functions[function as usize];
                table.widen(&words);
                table.prepare([Part::Words(&words)].into_iter(), &mut raw).ok_or(Stop)?
            }
        };
        noted.end();
        let table = &mut self.record.functions[function as usize];
        let (query, is_new) = table.enter(hash, &raw);
        let is_finished = table.is_finished(query);
        self.raw = raw;
        if is_new {
            return self.enter_new(function, query, counts);
        }
        if !is_finished {
            return Err(Stop);
        }
        if counts && !self.counted[function as usize][query] {
            self.counted[function as usize][query] = true;
            self.meter.replay();
            return self.enter(function, query, Mode::Replay);
        }
        self.deliver(function, query, counts)
    }

    fn enter_new(&mut self, function: u32, query: usize, counts: bool) -> Ended {
        if let Some(Frame { mode: Mode::Replay, .. }) = self.frames.last() {
            return Err(Stop);
        }
        let executor = &self.executors[function as usize];
        let words = u64::from(executor.num_inputs) + u64::from(executor.num_outputs);
        let stack_bytes = self.stack_bytes + executor.frame_bytes;
        self.meter.query(8 * words + QUERY_BYTES, stack_bytes)?;
        self.counted[function as usize].push(counts);
        self.enter(function, query, if counts { Mode::Counting } else { Mode::Advice })
    }

    fn enter(&mut self, function: u32, query: usize, mode: Mode) -> Ended {
        self.meter.depth(self.frames.len() as u64 + 1)?;
        self.stack_bytes += self.executors[function as usize].frame_bytes + self.frame_bytes;
        self.frames.push(Frame {
            function,
            query,
            piece: 0,
            ranked: Ranked::No,
            mode,
            first_leaf: self.leaves.len(),
            first_rank: self.callee_ranks.len(),
            first_inside: self.inside_ranks.len(),
            rank: 0,
        });
        Ok(())
    }

    /// Passes the leaf with this selector.
    #[inline]
    pub fn leaf(&mut self, selector: u32) {
        self.leaves.push(selector);
    }

    /// The number of the frame's path among `paths`, which are sorted; 0 if it is not there,
    /// since paths are not numbered then.
    #[must_use]
    pub fn path(&self, paths: &[&[u32]]) -> u32 {
        let first = self.frames.last().map_or(0, |frame| frame.first_leaf);
        let leaves = &self.leaves[first..];
        paths.binary_search_by(|path| (*path).cmp(leaves)).map_or(0, |number| number as u32)
    }

    /// The frame returns `outputs` at the end of a path.
    ///
    /// # Errors
    /// [`Stop`]: a replay that went another way, a limit.
    pub fn finish(&mut self, mut counts: Counts<'_>, path: u32, outputs: &[Given<'_>]) -> Ended {
        let frame = *self.frames.last().ok_or(Stop)?;
        let (function, query) = (frame.function as usize, frame.query);
        let callee_ranks = &self.callee_ranks[frame.first_rank..];
        if frame.mode == Mode::Replay {
            let table = &self.record.functions[function];
            let outputs: Vec<Part<'_>> = self.parts(outputs).collect();
            let same = path == table.path(query)
                && table.outputs(query).is(&outputs)
                && frame.rank == table.rank(query)
                && callee_ranks == table.callee_ranks(query);
            if !same {
                return Err(Stop);
            }
        } else {
            self.meter.bytes(4 * callee_ranks.len() as u64, self.stack_bytes)?;
            self.store_outputs(&frame, path, outputs)?;
        }
        self.frames.pop();
        for inside in self.inside_ranks.drain(frame.first_inside..) {
            counts.limbs(frame.rank - 1 - inside);
        }
        counts.end();
        self.leaves.truncate(frame.first_leaf);
        self.callee_ranks.truncate(frame.first_rank);
        self.stack_bytes -= self.executors[function].frame_bytes + self.frame_bytes;
        self.deliver(frame.function, query, frame.mode.counts())
    }

    fn store_outputs(&mut self, frame: &Frame, path: u32, outputs: &[Given<'_>]) -> Ended {
        let mut raw = std::mem::take(&mut self.raw);
        let function = frame.function as usize;
        if !self.record.functions[function].write_outputs(self.parts(outputs), &mut raw) {
            let words: Vec<u64> = Part::words(self.parts(outputs)).collect();
            let table = &mut self.record.functions[function];
            table.widen_outputs(&words);
            if !table.write_outputs([Part::Words(&words)].into_iter(), &mut raw) {
                return Err(Stop);
            }
        }
        let callee_ranks = &self.callee_ranks[frame.first_rank..];
        let finish = Finish { path, rank: frame.rank, callee_ranks, outputs: &[] };
        self.record.functions[function].finish_raw(frame.query, &raw, finish);
        self.raw = raw;
        Ok(())
    }

    /// Answers the call that the innermost frame waits for, or a claim.
    fn deliver(&mut self, function: u32, query: usize, counts: bool) -> Ended {
        let table = &mut self.record.functions[function as usize];
        if counts {
            table.count(query);
        }
        self.answer = (function, query);
        let Some(caller) = self.frames.last_mut() else { return Ok(()) };
        let rank = table.rank(query);
        if matches!(caller.ranked, Ranked::Inside | Ranked::Lone) {
            caller.rank = above(caller.rank, rank);
        }
        if matches!(caller.ranked, Ranked::Inside | Ranked::Outside) {
            self.callee_ranks.push(rank);
        }
        if caller.ranked == Ranked::Inside && caller.mode.counts() {
            self.inside_ranks.push(rank);
        }
        Ok(())
    }
}
