//! The two rounds of a batch: what a worker does with a job, and what becomes of its result.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use traceloom_verifier::VerifyingKey;
use traceloom_verifier::proof::{Proof, ShardProof, ShardStatement, Shards};
use traceloom_verifier::scheme::{Cubic, Extension, Quadratic};
use traceloom_verifier::shape::ShardShape;
use traceloom_verifier::steps;
use traceloom_verifier::transcript::Transcript;
use traceloom_verifier::verify::RoundTwo;

use super::account::{Account, InWork};
use super::batch::{BatchReport, Finished, WorkerReport};
use super::checks::check_balance;
use super::progress;
use super::queue::{Challenged, Job, Next, Origin, Queue, WorkerId};
use super::rates::Rates;
use super::store::{Part, ShardStore};
use super::worker::{ShardWorker, Task};
use super::{ProveError, ProveOptions};
use crate::metrics::{Metrics, Stage};

/// The proofs of shards in a field, as a store has them.
pub(super) trait Stored: Extension {
    fn wrap(proof: ShardProof<Self>) -> Shards;
    fn unwrap(shards: Shards) -> Option<ShardProof<Self>>;
}

impl Stored for Quadratic {
    fn wrap(proof: ShardProof<Self>) -> Shards {
        Shards::Quadratic(vec![proof])
    }

    fn unwrap(shards: Shards) -> Option<ShardProof<Self>> {
        let Shards::Quadratic(shards) = shards else { return None };
        <[_; 1]>::try_from(shards).ok().map(|[proof]| proof)
    }
}

impl Stored for Cubic {
    fn wrap(proof: ShardProof<Self>) -> Shards {
        Shards::Cubic(vec![proof])
    }

    fn unwrap(shards: Shards) -> Option<ShardProof<Self>> {
        let Shards::Cubic(shards) = shards else { return None };
        <[_; 1]>::try_from(shards).ok().map(|[proof]| proof)
    }
}

pub(super) struct Rounds<'a, E> {
    key: &'a VerifyingKey,
    pub(super) shapes: Vec<ShardShape>,
    keeps: bool,
    store: Option<&'a dyn ShardStore>,
    pub(super) options: &'a ProveOptions<'a>,
    seed: Transcript,
    state: Mutex<State<E>>,
    changed: Condvar,
}

pub(super) struct State<E> {
    pub(super) queue: Queue<E>,
    pub(super) account: Account,
    report: BatchReport,
    metrics: Metrics,
    /// What the last worker failed of.
    lost: Option<ProveError>,
    /// Why there is no proof, whoever works.
    fatal: Option<ProveError>,
    /// A worker panicked.
    is_broken: bool,
}

impl<E> Rounds<'_, E> {
    pub(super) fn lock(&self) -> MutexGuard<'_, State<E>> {
        // What panics marks the batch as broken before anybody goes on with it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says so, once, if no traces will be asked for any more.
    pub(super) fn rows_may_be_done(&self) {
        let Some(rows_done) = self.options.rows_done else { return };
        let are_done = self.lock().queue.closes_rows();
        // Without the lock: whoever frees rows takes time.
        if are_done {
            rows_done();
        }
    }
}

impl<E> State<E> {
    /// Workers that have not failed, as far as there are shards for them.
    pub(super) fn num_workers(&self) -> usize {
        let workers = self.report.workers.iter().filter(|worker| worker.failure.is_none());
        workers.count().clamp(1, self.queue.num_left().max(1))
    }
}

type Parts<'a> = (&'a VerifyingKey, Vec<ShardStatement>, Vec<ShardShape>, bool);

impl<'a, E: Stored> Rounds<'a, E> {
    pub(super) fn new(
        (key, statements, shapes, keeps): Parts<'a>,
        store: Option<&'a dyn ShardStore>,
        options: &'a ProveOptions<'a>,
    ) -> Self {
        let costs = shapes.iter().map(progress::costs);
        let mut queue = Queue::new(statements.into_iter().zip(costs).collect(), !keeps);
        let mut report = BatchReport::default();
        if let Some(store) = store {
            report.reused_roots = stored_roots::<E>(key, &shapes, store, &mut queue);
        }
        let state = State {
            queue,
            account: Account::new(&shapes),
            report,
            metrics: Metrics::default(),
            lost: None,
            fatal: None,
            is_broken: false,
        };
        let seed = steps::seed(key, shapes.len());
        let (state, changed) = (Mutex::new(state), Condvar::new());
        Self { key, shapes, keeps, store, options, seed, state, changed }
    }

    pub(super) fn wants_workers(&self) -> bool {
        let state = self.lock();
        state.fatal.is_none() && !state.is_broken && !state.queue.is_done()
    }

    pub(super) fn work(&self, worker: &mut dyn ShardWorker<E>) -> Result<(), ProveError> {
        let mut result = Ok(());
        let id = {
            let mut state = self.lock();
            let report = WorkerReport { name: worker.name(), ..WorkerReport::default() };
            state.report.workers.push(report);
            state.account.rates.push(Rates::default());
            state.report.workers.len() - 1
        };
        while let Some(job) = self.take(id) {
            let guard = Guard { rounds: self };
            let in_work = InWork::new(self, id, &job);
            let done = self.run(id, worker, &job, &in_work);
            std::mem::forget(guard);
            result = done.or_else(|error| self.fail(id, &job, &in_work, error));
            self.changed.notify_all();
            if result.is_err() {
                break;
            }
        }
        self.lock().metrics.add(&worker.metrics());
        result
    }

    /// The next job, or none if nothing is left.
    fn take(&self, id: WorkerId) -> Option<Job<E>> {
        let mut state = self.lock();
        loop {
            if state.fatal.is_some() || state.is_broken {
                return None;
            }
            let State { queue, account, .. } = &mut *state;
            match queue.next(id, &account.rates) {
                Next::Job(job) => return Some(job),
                Next::Nothing => return None,
                Next::Wait => {
                    state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }

    fn run(
        &self,
        id: WorkerId,
        worker: &mut dyn ShardWorker<E>,
        job: &Job<E>,
        in_work: &InWork<'_, 'a, E>,
    ) -> Result<(), ProveError> {
        match job {
            Job::Commit { shard, statement } => {
                let task = self.task(*shard, statement, false, in_work);
                let (committed, keeps) = worker.commit(task)?;
                if let Some(store) = self.store {
                    store.keep_root(*shard, &committed);
                }
                let mut state = self.lock();
                in_work.settle(&mut state.account);
                let kept_by = keeps.then_some(id);
                state.queue.put_root(*shard, committed, Origin::Worker { kept_by });
                let report = &mut state.report.workers[id];
                report.committed += 1;
                report.kept += usize::from(keeps);
            }
            Job::Challenges { statements, epoch } => {
                let (batch, proofs) = self.challenge(worker, statements, in_work)?;
                let mut state = self.lock();
                for (shard, _) in &proofs {
                    state.account.pass_all(*shard);
                }
                state.report.reused_proofs = proofs.len();
                state.queue.put_challenges(*epoch, batch, proofs);
            }
            Job::Prove { shard, batch, is_stored, epoch } => {
                let task = self.task(*shard, &batch.statements[*shard], *is_stored, in_work);
                let fork = batch.transcript.fork(*shard);
                let proof = worker.prove(task, &batch.challenges, fork)?;
                if let Some(store) = self.store {
                    store.keep_proof(*shard, &batch.about, &E::wrap(proof.clone()));
                }
                let mut state = self.lock();
                in_work.settle(&mut state.account);
                if state.queue.put_proof(*epoch, *shard, proof) {
                    state.report.workers[id].proven += 1;
                }
            }
            Job::Forget { shard } => worker.forget(*shard),
        }
        self.rows_may_be_done();
        Ok(())
    }

    fn task<'b>(
        &'b self,
        shard: usize,
        statement: &'b ShardStatement,
        is_stored: bool,
        reporter: &'b InWork<'_, 'a, E>,
    ) -> Task<'b> {
        let (key, shape, keeps) = (self.key, &self.shapes[shard], self.keeps);
        let seed = (self.shapes.len() > 1).then_some(&self.seed);
        Task { shard, key, statement, shape, seed, keeps, is_stored, reporter }
    }

    /// The barrier: challenges, and what a store has proven under the same ones.
    #[expect(clippy::type_complexity, reason = "shards with their proofs")]
    fn challenge(
        &self,
        worker: &mut dyn ShardWorker<E>,
        statements: &[ShardStatement],
        in_work: &InWork<'_, 'a, E>,
    ) -> Result<(Challenged<E>, Vec<(usize, ShardProof<E>)>), ProveError> {
        in_work.report(Stage::Lookup, 0);
        let mut transcript = self.seed.clone();
        for statement in statements {
            steps::statement(&mut transcript, statement, statements.len());
        }
        let about = transcript.grinding_state();
        let bits = self.key.params().lookup_pow_bits;
        let lookup_witness = worker.grind(&mut transcript, bits)?;
        let challenges = steps::lookup_challenges::<E>(&mut transcript);
        let statements = statements.to_vec();
        let batch = Challenged { statements, transcript, lookup_witness, challenges, about };
        let proofs = match self.store {
            Some(store) => self.stored_proofs(store, &batch),
            None => Vec::new(),
        };
        Ok((batch, proofs))
    }

    /// The proofs of a store that are proofs of these shards.
    fn stored_proofs(
        &self,
        store: &dyn ShardStore,
        batch: &Challenged<E>,
    ) -> Vec<(usize, ShardProof<E>)> {
        let round_two = RoundTwo {
            key: self.key,
            shapes: &self.shapes,
            statements: &batch.statements,
            transcript: &batch.transcript,
            challenges: batch.challenges,
        };
        let stored = |shard: usize| {
            let proof = store.proof(shard, &batch.about)?;
            let discard = |reason: &str| store.discard(shard, Part::Proof, reason);
            let Some(proof) = E::unwrap(proof) else {
                discard("it is not one proof in the challenge field of this batch");
                return None;
            };
            match round_two.check(shard, &proof) {
                Ok(()) => Some((shard, proof)),
                Err(error) => {
                    discard(&format!("it is refused: {error}"));
                    None
                }
            }
        };
        (0..self.shapes.len()).filter_map(stored).collect()
    }

    /// A job failed. Its worker goes on if that is the fault of a store.
    fn fail(
        &self,
        id: WorkerId,
        job: &Job<E>,
        in_work: &InWork<'_, 'a, E>,
        error: ProveError,
    ) -> Result<(), ProveError> {
        let mut state = self.lock();
        in_work.settle(&mut state.account);
        state.queue.give_back(job);
        if let (ProveError::RootDiffers { .. }, Job::Prove { shard, is_stored: true, .. }) =
            (&error, job)
        {
            if state.queue.discard_root(*shard) {
                state.report.reused_roots -= 1;
                state.report.reused_proofs = 0;
                state.account.pass_none();
                drop(state);
                if let Some(store) = self.store {
                    let reason = "its traces have another root now";
                    store.discard(*shard, Part::Root, reason);
                }
            }
            return Ok(());
        }
        state.report.workers[id].failure = Some(error.to_string());
        match error {
            ProveError::Backend { .. } | ProveError::Traces { .. } => {
                state.queue.forget(id);
                state.lost = Some(error.clone());
            }
            _ => state.fatal = Some(error.clone()),
        }
        Err(error)
    }

    pub(super) fn finish(
        self,
        wrap: impl FnOnce(Vec<ShardProof<E>>) -> Shards,
    ) -> Result<Finished, ProveError> {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = state.fatal {
            return Err(error);
        }
        let shards = state.queue.num_shards();
        let Some((batch, proofs)) = state.queue.finished() else {
            return Err(state.lost.unwrap_or(ProveError::NoWorker { shards }));
        };
        if !self.options.skip_self_checks {
            check_balance(self.key.system(), &batch.statements, &proofs, &batch.challenges)?;
        }
        let (statements, lookup_witness) = (batch.statements.clone(), batch.lookup_witness);
        let params = *self.key.params();
        let fingerprint = self.key.system().fingerprint;
        let proof = Proof { params, fingerprint, statements, lookup_witness, shards: wrap(proofs) };
        Ok(Finished { proof, metrics: state.metrics, report: state.report })
    }
}

/// Puts the roots of a store into the queue; returns how many there are.
fn stored_roots<E: Extension>(
    key: &VerifyingKey,
    shapes: &[ShardShape],
    store: &dyn ShardStore,
    queue: &mut Queue<E>,
) -> usize {
    let mut reused = 0;
    for (shard, shape) in shapes.iter().enumerate() {
        let Some(committed) = store.root(shard) else { continue };
        if committed.bound.len() == bound_len::<E>(key, shape, shapes.len()) {
            queue.put_root(shard, committed, Origin::Store);
            reused += 1;
        } else {
            let reason = "it binds the shard by another number of values";
            store.discard(shard, Part::Root, reason);
        }
    }
    reused
}

/// Coefficients of the values that bind a shard.
fn bound_len<E: Extension>(key: &VerifyingKey, shape: &ShardShape, num_shards: usize) -> usize {
    let circuits = &key.system().circuits;
    let widths = shape.active.iter().map(|active| circuits[active.circuit].width);
    if num_shards > 1 { E::DEGREE * widths.sum::<usize>() } else { 0 }
}

/// Stops all workers if one panics, so that nobody waits for it.
struct Guard<'r, 'a, E> {
    rounds: &'r Rounds<'a, E>,
}

impl<E> Drop for Guard<'_, '_, E> {
    fn drop(&mut self) {
        self.rounds.lock().is_broken = true;
        self.rounds.changed.notify_all();
    }
}
