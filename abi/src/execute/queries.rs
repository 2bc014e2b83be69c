//! Requests of queries, and their ends. The rules of the interpreter, and their reasons, are
//! in `bytecode/src/execute/machine.rs`.

use super::machine::{Frame, Mode};
use super::{Counts, Ended, Machine, Ranked, Stop};
use crate::limits::QUERY_BYTES;
use crate::record::{Finish, Part, above};

impl Machine<'_> {
    /// Calls `function` with constraints, where the frame has some; then piece `resume` runs
    /// and may read its outputs.
    ///
    /// # Errors
    /// [`Stop`]: a cycle, a replay that went another way, a limit.
    pub fn call(&mut self, function: u32, ranked: Ranked, args: &[Part<'_>], resume: u32) -> Ended {
        let frame = self.frames.last_mut().ok_or(Stop)?;
        (frame.piece, frame.ranked) = (resume, ranked);
        let counts = frame.mode.counts();
        self.request(function, args, counts)
    }

    /// Calls `function` without constraints; the same otherwise.
    ///
    /// # Errors
    /// As [`Self::call`].
    pub fn advise(&mut self, function: u32, args: &[Part<'_>], resume: u32) -> Ended {
        let frame = self.frames.last_mut().ok_or(Stop)?;
        (frame.piece, frame.ranked) = (resume, Ranked::No);
        self.request(function, args, false)
    }

    /// Asks for a query: either it is the answer, or a frame is entered that will give it.
    pub(super) fn request(&mut self, function: u32, args: &[Part<'_>], counts: bool) -> Ended {
        let table = &mut self.record.functions[function as usize];
        let (query, is_new) = table.find_or_insert(args);
        if is_new {
            return self.enter_new(function, query, counts);
        }
        if !table.is_finished(query) {
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
    pub fn finish(&mut self, mut counts: Counts<'_>, path: u32, outputs: &[Part<'_>]) -> Ended {
        let frame = self.frames.pop().ok_or(Stop)?;
        let (function, query) = (frame.function as usize, frame.query);
        let callee_ranks = &self.callee_ranks[frame.first_rank..];
        let table = &mut self.record.functions[function];
        if frame.mode == Mode::Replay {
            let same = path == table.path(query)
                && table.outputs(query).is(outputs)
                && frame.rank == table.rank(query)
                && callee_ranks == table.callee_ranks(query);
            if !same {
                return Err(Stop);
            }
        } else {
            self.meter.bytes(4 * callee_ranks.len() as u64, self.stack_bytes)?;
            table.finish(query, Finish { path, rank: frame.rank, callee_ranks, outputs });
        }
        for inside in self.inside_ranks.drain(frame.first_inside..) {
            counts.limbs(frame.rank - 1 - inside);
        }
        self.leaves.truncate(frame.first_leaf);
        self.callee_ranks.truncate(frame.first_rank);
        self.stack_bytes -= self.executors[function].frame_bytes + self.frame_bytes;
        self.deliver(frame.function, query, frame.mode.counts())
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
