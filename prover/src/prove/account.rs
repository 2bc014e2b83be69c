//! How far a batch is, over all its workers.

use std::cell::Cell;
use std::time::Instant;

use traceloom_verifier::shape::ShardShape;

use super::progress::{self, Progress};
use super::queue::{Job, WorkerId};
use super::rates::{Costs, Rates};
use super::rounds::Rounds;
use super::worker::Reporter;
use crate::metrics::Stage;

/// What was done of a batch.
pub(super) struct Account {
    rows: Vec<u64>,
    /// By stage, then shard, whether it has the stage behind it.
    has_passed: [Vec<bool>; Stage::ALL.len()],
    /// Cells so far.
    done: u64,
    /// By stage, cells of jobs in work, which the queue counts as remaining.
    in_work: Costs,
    /// By worker.
    pub(super) rates: Vec<Rates>,
}

impl Account {
    pub(super) fn new(shapes: &[ShardShape]) -> Self {
        Self {
            rows: shapes.iter().map(progress::rows).collect(),
            has_passed: Stage::ALL.map(|_| vec![false; shapes.len()]),
            done: 0,
            in_work: Costs::default(),
            rates: Vec::new(),
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
    epoch: usize,
    /// Cells of this job so far, by stage.
    done: Cell<Costs>,
    /// Since when the next stage has been in work: rows belong to the stage that they are made for.
    since: Cell<Instant>,
}

impl<'r, 'a, E> InWork<'r, 'a, E> {
    pub(super) fn new(rounds: &'r Rounds<'a, E>, worker: WorkerId, job: &Job<E>) -> Self {
        let (done, since) = (Cell::default(), Cell::new(Instant::now()));
        Self { rounds, worker, epoch: job.epoch(), done, since }
    }

    /// The job is over, well or not.
    pub(super) fn settle(&self, account: &mut Account) {
        let done = self.done.take();
        account.in_work.iter_mut().zip(done).for_each(|(all, of)| *all -= of);
    }

    pub(super) fn report(&self, stage: Stage, shard: usize) {
        let Some(report) = self.rounds.options.progress else { return };
        let state = self.rounds.lock();
        let account = &state.account;
        let mut left = state.queue.remaining();
        left.iter_mut().zip(account.in_work).for_each(|(left, of)| *left = left.saturating_sub(of));
        let all = Rates::of_all(&account.rates);
        let workers = state.num_workers() as u32;
        let passed = account.has_passed[stage as usize].iter().zip(&account.rows);
        let progress = Progress {
            stage,
            shard,
            num_shards: account.rows.len(),
            worker: self.worker,
            rows_done: passed.filter(|(passed, _)| **passed).map(|(_, rows)| rows).sum(),
            rows: account.rows.iter().sum(),
            done: account.done,
            total: account.done + left.iter().sum::<u64>(),
            remaining: all.time(&left).map(|time| time / workers),
        };
        // Reports of several workers come in the order in which work is done.
        report(progress);
        drop(state);
    }
}

impl<E> Reporter for InWork<'_, '_, E> {
    fn begins(&self, stage: Stage, shard: usize) {
        if stage == Stage::StageTwo {
            self.rounds.lock().queue.rows_made(shard, self.epoch);
            self.rounds.rows_may_be_done();
        }
        self.report(stage, shard);
    }

    fn is_done(&self, stage: Stage, shard: usize) {
        let work = progress::work(&self.rounds.shapes[shard], stage);
        let mut done = self.done.get();
        done[stage as usize] += work;
        self.done.set(done);
        let now = Instant::now();
        let time = now - self.since.replace(now);
        let mut state = self.rounds.lock();
        let account = &mut state.account;
        account.done += work;
        account.in_work[stage as usize] += work;
        account.rates[self.worker].add(stage, work, time);
        account.has_passed[stage as usize][shard] = true;
    }
}
