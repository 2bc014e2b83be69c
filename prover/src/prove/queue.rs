//! What is to be done for a batch, and who does it.
//!
//! ```text
//! round one   a root per shard, from whoever is free, or from a store
//! barrier     challenges, once, by whoever comes when all roots are there
//! round two   a proof per shard: by the worker that keeps it, else by whoever is free
//! ```
//!
//! A worker that has nothing left takes over a shard that another one keeps, if it has made it again
//! before the other one would come to its end, by the speed of both in this run.
//!
//! A store's root that turns out to be wrong sends the batch back to the barrier: the challenges
//! depend on all roots, so what was proven under them is void. The number of such returns, the
//! *epoch*, tells results that are still worth something from others.

use std::sync::Arc;

use traceloom_verifier::LookupChallenges;
use traceloom_verifier::proof::{ShardProof, ShardStatement};
use traceloom_verifier::scheme::F;
use traceloom_verifier::transcript::Transcript;

use super::rates::{Costs, Rates};
use super::store::Committed;
use crate::metrics::Stage;

/// A worker, by the order in which they came.
pub(super) type WorkerId = usize;

/// Everything that shards share after the barrier.
pub(super) struct Challenged<E> {
    pub(super) statements: Vec<ShardStatement>,
    pub(super) transcript: Transcript,
    pub(super) lookup_witness: F,
    pub(super) challenges: LookupChallenges<E>,
    /// Digest of the statements.
    pub(super) about: [u8; 32],
}

/// Something to do.
pub(super) enum Job<E> {
    /// Round one of a shard.
    Commit { shard: usize, statement: Box<ShardStatement> },
    /// The barrier.
    Challenges { statements: Vec<ShardStatement>, epoch: usize },
    /// Round two of a shard.
    Prove { shard: usize, batch: Arc<Challenged<E>>, is_stored: bool, epoch: usize },
    /// Another worker has taken this shard over.
    Forget { shard: usize },
}

impl<E> Job<E> {
    /// The epoch of its result; that of a root is worth something in any.
    pub(super) fn epoch(&self) -> usize {
        match self {
            Self::Challenges { epoch, .. } | Self::Prove { epoch, .. } => *epoch,
            Self::Commit { .. } | Self::Forget { .. } => 0,
        }
    }
}

/// What a worker is told when it asks.
pub(super) enum Next<E> {
    Job(Job<E>),
    /// Others work on what is left; one of them may fail.
    Wait,
    /// There is nothing left.
    Nothing,
}

/// A batch of which nothing is left to do.
pub(super) type Done<E> = (Arc<Challenged<E>>, Vec<ShardProof<E>>);

/// Where a root is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RootAt {
    Missing,
    InWork,
    /// Computed in this run.
    Fresh,
    /// Taken from a store.
    Stored,
}

/// Where a proof is.
enum ProofAt<E> {
    Missing,
    InWork,
    Done(Box<ShardProof<E>>),
}

struct Entry<E> {
    statement: ShardStatement,
    costs: Costs,
    root: RootAt,
    proof: ProofAt<E>,
    kept_by: Option<WorkerId>,
    /// Whether round two has to compute round one of this shard again.
    is_again: bool,
    /// Whether whoever works on its proof has its traces, and they are what they were.
    has_traces: bool,
}

impl<E> Entry<E> {
    fn is_open(&self) -> bool {
        matches!(self.proof, ProofAt::Missing)
    }

    /// Whether a worker will ask for its traces, if none fails.
    fn needs_traces(&self) -> bool {
        match (self.root, &self.proof) {
            (RootAt::Missing | RootAt::InWork, _) => true,
            (_, ProofAt::Done(_)) => false,
            (_, ProofAt::Missing) => self.kept_by.is_none(),
            (_, ProofAt::InWork) => !self.has_traces,
        }
    }

    /// The cost of round two.
    fn rest(&self) -> Costs {
        let mut rest = self.costs;
        rest[Stage::Main as usize] = 0;
        rest
    }
}

/// The shards of a batch and the state of each.
pub(super) struct Queue<E> {
    shards: Vec<Entry<E>>,
    challenged: Option<Arc<Challenged<E>>>,
    is_challenging: bool,
    epoch: usize,
    /// Shards that were taken over, and from whom: it does not know yet.
    taken: Vec<(WorkerId, usize)>,
    /// Whether it was said that no traces will be asked for.
    are_rows_closed: bool,
}

impl<E> Queue<E> {
    /// Nothing is done yet. `is_again` says whether workers keep nothing between the rounds.
    pub(super) fn new(shards: Vec<(ShardStatement, Costs)>, is_again: bool) -> Self {
        let entry = |(statement, costs)| Entry {
            statement,
            costs,
            root: RootAt::Missing,
            proof: ProofAt::Missing,
            kept_by: None,
            is_again,
            has_traces: false,
        };
        Self {
            shards: shards.into_iter().map(entry).collect(),
            challenged: None,
            is_challenging: false,
            epoch: 0,
            taken: Vec::new(),
            are_rows_closed: false,
        }
    }

    pub(super) fn num_shards(&self) -> usize {
        self.shards.len()
    }

    /// Shards without a proof.
    pub(super) fn num_left(&self) -> usize {
        self.shards.iter().filter(|of| !matches!(of.proof, ProofAt::Done(_))).count()
    }

    /// What `worker` is to do next; `rates` are those of all workers.
    pub(super) fn next(&mut self, worker: WorkerId, rates: &[Rates]) -> Next<E> {
        if let Some(at) = self.taken.iter().position(|&(from, _)| from == worker) {
            let (_, shard) = self.taken.swap_remove(at);
            return Next::Job(Job::Forget { shard });
        }
        if let Some(shard) = self.shards.iter().position(|of| of.root == RootAt::Missing) {
            let entry = &mut self.shards[shard];
            entry.root = RootAt::InWork;
            let statement = Box::new(entry.statement.clone());
            return Next::Job(Job::Commit { shard, statement });
        }
        if self.shards.iter().any(|of| of.root == RootAt::InWork) {
            return Next::Wait;
        }
        match &self.challenged {
            Some(batch) => {
                let batch = Arc::clone(batch);
                self.next_proof(worker, batch, rates)
            }
            None if self.is_challenging => Next::Wait,
            None => {
                self.is_challenging = true;
                let statements = self.shards.iter().map(|of| of.statement.clone()).collect();
                Next::Job(Job::Challenges { statements, epoch: self.epoch })
            }
        }
    }

    fn next_proof(
        &mut self,
        worker: WorkerId,
        batch: Arc<Challenged<E>>,
        rates: &[Rates],
    ) -> Next<E> {
        let of = |keeper| move |of: &Entry<E>| of.is_open() && of.kept_by == keeper;
        let mine = self.shards.iter().position(of(Some(worker)));
        let free = mine.or_else(|| self.shards.iter().position(of(None)));
        let Some(shard) = free.or_else(|| self.to_take_over(worker, rates)) else {
            return if self.is_done() { Next::Nothing } else { Next::Wait };
        };
        let (epoch, entry) = (self.epoch, &mut self.shards[shard]);
        if let Some(keeper) = entry.kept_by.take_if(|keeper| *keeper != worker) {
            self.taken.push((keeper, shard));
            entry.is_again = true;
        }
        (entry.proof, entry.kept_by, entry.has_traces) = (ProofAt::InWork, None, false);
        let is_stored = entry.root == RootAt::Stored;
        Next::Job(Job::Prove { shard, batch, is_stored, epoch })
    }

    /// The shard that `worker` has done again soonest before whoever keeps it: the last one of a
    /// keeper, which does them in order.
    fn to_take_over(&self, worker: WorkerId, rates: &[Rates]) -> Option<usize> {
        if self.are_rows_closed {
            return None;
        }
        // A worker that has done nothing counts as the others.
        let all = Rates::of_all(rates);
        let time = |of: WorkerId, costs: &Costs| rates.get(of)?.time(costs).or(all.time(costs));
        let gain = |keeper: WorkerId| {
            let open = |of: &&Entry<E>| of.is_open() && of.kept_by == Some(keeper);
            let mut rest = Costs::default();
            for entry in self.shards.iter().filter(open) {
                rest.iter_mut().zip(entry.rest()).for_each(|(all, of)| *all += of);
            }
            let last = self.shards.iter().rposition(|of| open(&of))?;
            let again = time(worker, &self.shards[last].costs)?;
            // The job that the keeper is in comes before, and is not counted.
            let gain = time(keeper, &rest)?.checked_sub(again)?;
            (!gain.is_zero()).then_some((gain, last))
        };
        let keepers = (0..rates.len()).filter(|&keeper| keeper != worker);
        keepers.filter_map(gain).max().map(|(_, shard)| shard)
    }

    /// Traces of a shard in round two are there, and are those of its root.
    pub(super) fn rows_made(&mut self, shard: usize, epoch: usize) {
        self.shards[shard].has_traces |= epoch == self.epoch;
    }

    /// Whether nobody will ask for traces any more, and that was not known before.
    pub(super) fn closes_rows(&mut self) -> bool {
        let was_closed = self.are_rows_closed;
        self.are_rows_closed |= !self.shards.iter().any(Entry::needs_traces);
        self.are_rows_closed && !was_closed
    }

    /// A root is there: from a worker, which may keep the shard, or from a store.
    pub(super) fn put_root(&mut self, shard: usize, committed: Committed, from: Origin) {
        let entry = &mut self.shards[shard];
        (entry.statement.main, entry.statement.bound) = (committed.root, committed.bound);
        (entry.root, entry.kept_by) = match from {
            Origin::Worker { kept_by } => (RootAt::Fresh, kept_by),
            Origin::Store => (RootAt::Stored, None),
        };
        entry.is_again = entry.kept_by.is_none();
    }

    /// The challenges are there, with the proofs of a store.
    pub(super) fn put_challenges(
        &mut self,
        epoch: usize,
        batch: Challenged<E>,
        proofs: Vec<(usize, ShardProof<E>)>,
    ) {
        if epoch != self.epoch {
            return;
        }
        (self.challenged, self.is_challenging) = (Some(Arc::new(batch)), false);
        for (shard, proof) in proofs {
            let entry = &mut self.shards[shard];
            (entry.proof, entry.kept_by) = (ProofAt::Done(Box::new(proof)), None);
        }
    }

    /// A proof is there; returns whether it is of this epoch.
    pub(super) fn put_proof(&mut self, epoch: usize, shard: usize, proof: ShardProof<E>) -> bool {
        let is_of_now = epoch == self.epoch;
        if is_of_now {
            self.shards[shard].proof = ProofAt::Done(Box::new(proof));
        }
        is_of_now
    }

    /// A job was given up.
    pub(super) fn give_back(&mut self, job: &Job<E>) {
        match job {
            Job::Commit { shard, .. } => self.shards[*shard].root = RootAt::Missing,
            Job::Challenges { epoch, .. } if *epoch == self.epoch => self.is_challenging = false,
            Job::Prove { shard, epoch, .. } if *epoch == self.epoch => {
                let entry = &mut self.shards[*shard];
                (entry.proof, entry.is_again) = (ProofAt::Missing, true);
            }
            Job::Challenges { .. } | Job::Prove { .. } | Job::Forget { .. } => {}
        }
    }

    /// The root of a store is wrong: its shard is done again, and everything behind the barrier.
    /// Returns false if another worker has found that out before.
    pub(super) fn discard_root(&mut self, shard: usize) -> bool {
        let entry = &mut self.shards[shard];
        if entry.root != RootAt::Stored {
            return false;
        }
        entry.root = RootAt::Missing;
        (entry.statement.main, entry.statement.bound) = ([0; 32], Vec::new());
        for entry in &mut self.shards {
            let was_open = entry.is_open();
            entry.is_again |= !was_open;
            entry.proof = ProofAt::Missing;
        }
        (self.challenged, self.is_challenging) = (None, false);
        self.epoch += 1;
        true
    }

    /// A worker is gone, with what it kept.
    pub(super) fn forget(&mut self, worker: WorkerId) {
        for entry in self.shards.iter_mut().filter(|of| of.kept_by == Some(worker)) {
            (entry.kept_by, entry.is_again) = (None, true);
        }
    }

    /// The cost of everything that is not done, jobs in work included.
    pub(super) fn remaining(&self) -> Costs {
        let mut left = Costs::default();
        for entry in &self.shards {
            let main = entry.costs[Stage::Main as usize];
            if matches!(entry.root, RootAt::Missing | RootAt::InWork) {
                left[Stage::Main as usize] += main;
            }
            if !matches!(entry.proof, ProofAt::Done(_)) {
                left[Stage::Main as usize] += if entry.is_again { main } else { 0 };
                left.iter_mut().zip(entry.rest()).for_each(|(all, of)| *all += of);
            }
        }
        left
    }

    pub(super) fn is_done(&self) -> bool {
        self.challenged.is_some()
            && self.shards.iter().all(|of| matches!(of.proof, ProofAt::Done(_)))
    }

    /// Challenges and proofs, once all are done.
    pub(super) fn finished(self) -> Option<Done<E>> {
        let proofs = self.shards.into_iter().map(|of| match of.proof {
            ProofAt::Done(proof) => Some(*proof),
            ProofAt::Missing | ProofAt::InWork => None,
        });
        Some((self.challenged?, proofs.collect::<Option<_>>()?))
    }
}

/// Where a root comes from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Origin {
    Worker { kept_by: Option<WorkerId> },
    Store,
}

#[cfg(test)]
mod tests;
