//! How far a batch is, over all its workers.

use std::cell::Cell;

use traceloom_verifier::shape::ShardShape;

use super::progress::{self, Progress};
use super::queue::{Cost, WorkerId};
use super::rounds::Rounds;
use super::worker::Reporter;
use crate::metrics::Stage;

/// What was done of a batch.
pub(super) struct Account {
    costs: Vec<Cost>,
    rows: Vec<u64>,
    /// By stage, then shard, whether it has the stage behind it.
    has_passed: [Vec<bool>; Stage::ALL.len()],
    /// Cells so far.
    done: u64,
    /// Of these, cells of jobs in work, which the queue counts as remaining.
    in_work: u64,
}

impl Account {
    pub(super) fn new(shapes: &[ShardShape]) -> Self {
        Self {
            costs: shapes.iter().map(progress::cost).collect(),
            rows: shapes.iter().map(progress::rows).collect(),
            has_passed: Stage::ALL.map(|_| vec![false; shapes.len()]),
            done: 0,
            in_work: 0,
        }
    }

    /// A shard whose proof is there has all stages behind it.
    pub(super) fn pass_all(&mut self, shard: usize) {
        self.has_passed.iter_mut().for_each(|stage| stage[shard] = true);
    }

    /// Everything behind the barrier is done again.
    pub(super) fn pass_none(&mut self) {
        self.has_passed.iter_mut().skip(1).for_each(|stage| stage.fill(false));
    }
}

/// Reports what a worker does in one job.
pub(super) struct InWork<'r, 'a, E> {
    rounds: &'r Rounds<'a, E>,
    worker: WorkerId,
    /// Cells of this job so far.
    done: Cell<u64>,
}

impl<'r, 'a, E> InWork<'r, 'a, E> {
    pub(super) fn new(rounds: &'r Rounds<'a, E>, worker: WorkerId) -> Self {
        Self { rounds, worker, done: Cell::new(0) }
    }

    /// The job is over, well or not.
    pub(super) fn settle(&self, account: &mut Account) {
        account.in_work -= self.done.take();
    }

    pub(super) fn report(&self, stage: Stage, shard: usize) {
        let Some(report) = self.rounds.options.progress else { return };
        let state = self.rounds.lock();
        let account = &state.account;
        let remaining = state.queue.remaining(&account.costs).saturating_sub(account.in_work);
        let passed = account.has_passed[stage as usize].iter().zip(&account.rows);
        let progress = Progress {
            stage,
            shard,
            num_shards: account.rows.len(),
            worker: self.worker,
            rows_done: passed.filter(|(passed, _)| **passed).map(|(_, rows)| rows).sum(),
            rows: account.rows.iter().sum(),
            done: account.done,
            total: account.done + remaining,
        };
        // Reports of several workers come in the order in which work is done.
        report(progress);
        drop(state);
    }
}

impl<E> Reporter for InWork<'_, '_, E> {
    fn begins(&self, stage: Stage, shard: usize) {
        self.report(stage, shard);
    }

    fn is_done(&self, stage: Stage, shard: usize) {
        let work = progress::work(&self.rounds.shapes[shard], stage);
        self.done.set(self.done.get() + work);
        let mut state = self.rounds.lock();
        state.account.done += work;
        state.account.in_work += work;
        state.account.has_passed[stage as usize][shard] = true;
    }
}
