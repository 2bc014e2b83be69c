//! Who computes shards: a backend, with its key, its traces, and what it keeps between the
//! rounds.
//!
//! A worker lives on one thread, so nothing of a backend but the backend itself has to be sent to
//! another one. What it computes of a shard depends on the shard and on what the batch hands to
//! it, never on which shards it had before.

use std::collections::BTreeMap;

use traceloom_verifier::LookupChallenges;
use traceloom_verifier::VerifyingKey;
use traceloom_verifier::domain::is_out_of_domain;
use traceloom_verifier::proof::{ShardProof, ShardStatement};
use traceloom_verifier::scheme::{Cubic, Extension, F, Quadratic, Root};
use traceloom_verifier::shape::ShardShape;
use traceloom_verifier::steps;
use traceloom_verifier::transcript::Transcript;

use super::checks::check_traces;
use super::opening::{Commitments, Points, open};
use super::store::Committed;
use super::{ProveError, ShardSource, grind};
use crate::backend::{Backend, QuotientChallenges, ShardInput};
use crate::key::ProvingKey;
use crate::metrics::{Metrics, Stage};

/// Told when a stage of a shard begins, and when it is done.
pub(super) trait Reporter {
    fn begins(&self, stage: Stage, shard: usize);
    fn is_done(&self, stage: Stage, shard: usize);
}

/// A shard that a worker is asked to compute.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    pub(super) shard: usize,
    pub(super) key: &'a VerifyingKey,
    pub(super) statement: &'a ShardStatement,
    pub(super) shape: &'a ShardShape,
    /// Binds the shard, in a batch of several.
    pub(super) seed: Option<&'a Transcript>,
    /// Whether a worker may keep the shard between the rounds.
    pub(super) keeps: bool,
    /// Whether the root and what binds the shard come from a store, and not from this run.
    pub(super) is_stored: bool,
    pub(super) reporter: &'a dyn Reporter,
}

impl Task<'_> {
    /// The point that binds the shard, once its statement has its root.
    fn bound_point<E: Extension>(&self, root: Root) -> Result<Option<E>, ProveError> {
        let Some(seed) = self.seed else { return Ok(None) };
        let statement = ShardStatement { main: root, ..self.statement.clone() };
        let point: E = steps::bound_point(seed, self.shard, &statement);
        let log_blowup = self.key.params().log_blowup;
        match is_out_of_domain(point, self.shape.max_log_height(), log_blowup) {
            true => Ok(Some(point)),
            false => Err(ProveError::BoundInDomain { shard: self.shard }),
        }
    }
}

/// What computes shards whose challenges are in `E`.
pub trait ShardWorker<E: Extension> {
    /// Its name in reports.
    fn name(&self) -> String;

    /// Round one of a shard. Returns whether it is kept until round two.
    ///
    /// # Errors
    /// [`ProveError`].
    fn commit(&mut self, task: Task<'_>) -> Result<(Committed, bool), ProveError>;

    /// Finds the smallest grinding witness and absorbs it.
    ///
    /// # Errors
    /// [`ProveError`].
    fn grind(&mut self, transcript: &mut Transcript, bits: usize) -> Result<F, ProveError>;

    /// Round two of a shard. What was not kept is computed again, and has to be what the statement
    /// says.
    ///
    /// # Errors
    /// [`ProveError`]; [`ProveError::RootDiffers`] if it is something else.
    fn prove(
        &mut self,
        task: Task<'_>,
        challenges: &LookupChallenges<E>,
        transcript: Transcript,
    ) -> Result<ShardProof<E>, ProveError>;

    /// Another worker has taken over a shard that this one keeps.
    fn forget(&mut self, shard: usize);

    /// Times so far.
    fn metrics(&self) -> Metrics;
}

/// A worker for either challenge field.
pub trait Worker: ShardWorker<Quadratic> + ShardWorker<Cubic> {}

impl<T: ShardWorker<Quadratic> + ShardWorker<Cubic> + ?Sized> Worker for T {}

/// A worker that computes with a backend.
pub struct OnBackend<'a, B: Backend> {
    backend: &'a B,
    key: &'a ProvingKey<B::Key>,
    source: &'a mut dyn ShardSource<Trace = B::Trace>,
    name: String,
    keeps: bool,
    kept: BTreeMap<usize, Kept<B>>,
    metrics: Metrics,
}

/// What the rest of a shard's proof is computed from.
struct Kept<B: Backend> {
    traces: Vec<B::Trace>,
    main: B::Committed,
}

impl<'a, B: Backend> OnBackend<'a, B> {
    /// Over the traces of `source`.
    #[must_use]
    pub fn new(
        backend: &'a B,
        key: &'a ProvingKey<B::Key>,
        source: &'a mut dyn ShardSource<Trace = B::Trace>,
    ) -> Self {
        let (kept, metrics) = (BTreeMap::new(), Metrics::default());
        Self { backend, key, source, name: backend.name().to_owned(), keeps: true, kept, metrics }
    }

    /// What reports call it; by default its backend's name.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: name.into(), ..self }
    }

    /// Whether it keeps shards between the rounds where the batch allows it, as by default. Where
    /// memory does not suffice, it makes them again.
    #[must_use]
    pub fn keeping(self, keeps: bool) -> Self {
        Self { keeps, ..self }
    }

    /// Runs a stage of a shard between progress and metrics.
    fn time<T>(
        &mut self,
        stage: Stage,
        task: &Task<'_>,
        run: impl FnOnce(&B) -> Result<T, ProveError>,
    ) -> Result<T, ProveError> {
        task.reporter.begins(stage, task.shard);
        let backend = self.backend;
        let of = (stage, Some(task.shard));
        let result = self.metrics.time(&self.name, of, || run(backend))?;
        task.reporter.is_done(stage, task.shard);
        Ok(result)
    }

    /// The traces of a shard, their commitment, and what round one finds out.
    fn commit_main<E: Extension>(
        &mut self,
        task: &Task<'_>,
        binds: bool,
    ) -> Result<(Committed, Kept<B>), ProveError> {
        let Task { shard, shape, statement, .. } = *task;
        let traces = self.source.traces(shard)?;
        check_traces(task.key, shard, &traces, statement)?;
        let traces: Vec<B::Trace> = traces.into_iter().flatten().collect();
        let input = ShardInput { key: self.key, shard, shape, publics: &statement.publics };
        let (committed, main) = self.time(Stage::Main, task, |backend| {
            let (root, main) = backend.commit_main(input, &traces)?;
            let bound = match task.bound_point::<E>(root)? {
                Some(point) if binds => bind(backend, input, &main, point)?,
                _ => Vec::new(),
            };
            Ok((Committed { root, bound }, main))
        })?;
        Ok((committed, Kept { traces, main }))
    }

    /// The same for a shard that was not kept: nothing may have changed.
    fn commit_again<E: Extension>(&mut self, task: &Task<'_>) -> Result<Kept<B>, ProveError> {
        // Equal traces have equal values; those of a store may be somebody else's.
        let binds = task.is_stored;
        let (Committed { root, bound }, kept) = self.commit_main::<E>(task, binds)?;
        match root == task.statement.main && (!binds || bound == task.statement.bound) {
            true => Ok(kept),
            false => Err(ProveError::RootDiffers { shard: task.shard }),
        }
    }
}

impl<E: Extension, B: Backend> ShardWorker<E> for OnBackend<'_, B> {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn commit(&mut self, task: Task<'_>) -> Result<(Committed, bool), ProveError> {
        let (committed, kept) = self.commit_main::<E>(&task, true)?;
        let keeps = self.keeps && task.keeps;
        if keeps {
            self.kept.insert(task.shard, kept);
        }
        Ok((committed, keeps))
    }

    fn grind(&mut self, transcript: &mut Transcript, bits: usize) -> Result<F, ProveError> {
        let backend = self.backend;
        let of = (Stage::Lookup, None);
        self.metrics.time(&self.name, of, || grind(backend, transcript, bits))
    }

    fn prove(
        &mut self,
        task: Task<'_>,
        challenges: &LookupChallenges<E>,
        mut transcript: Transcript,
    ) -> Result<ShardProof<E>, ProveError> {
        let Kept { traces, main } = match self.kept.remove(&task.shard) {
            Some(kept) => kept,
            None => self.commit_again::<E>(&task)?,
        };
        let Task { shard, shape, statement, .. } = task;
        let (key, params) = (self.key, *task.key.params());
        let input = ShardInput { key, shard, shape, publics: &statement.publics };
        let stage_two = self
            .time(Stage::StageTwo, &task, |backend| backend.stage_two(input, traces, challenges))?;
        let terminals = stage_two.terminals;
        let (stage_two_root, stage_two) = stage_two.committed.unzip();
        let alpha = steps::stage_two(&mut transcript, stage_two_root.as_ref(), &terminals);
        let (quotient_root, quotient, zeta_witness, zeta) =
            self.time(Stage::Quotient, &task, |backend| {
                let challenges =
                    QuotientChallenges { lookup: challenges, terminals: &terminals, alpha };
                let (root, quotient) =
                    backend.quotient(input, &main, stage_two.as_ref(), &challenges)?;
                let (witness, zeta) = steps::quotient(&mut transcript, &root, |transcript| {
                    grind(backend, transcript, params.zeta_pow_bits)
                })?;
                Ok((root, quotient, witness, zeta))
            })?;
        if !is_out_of_domain(zeta, shape.max_log_height(), params.log_blowup) {
            return Err(ProveError::ZetaInDomain { shard });
        }
        let bound = task.bound_point(statement.main)?.map(|point| (point, &statement.bound[..]));
        let commitments = Commitments { main, stage_two, quotient };
        let points = Points { zeta, bound };
        let (opened, opening) = self.time(Stage::Opening, &task, |backend| {
            open(backend, input, commitments, points, &mut transcript)
        })?;
        let (stage_two, quotient) = (stage_two_root, quotient_root);
        Ok(ShardProof { stage_two, terminals, quotient, zeta_witness, opened, opening })
    }

    fn forget(&mut self, shard: usize) {
        self.kept.remove(&shard);
    }

    fn metrics(&self) -> Metrics {
        let mut metrics = self.metrics.clone();
        self.backend.read_metrics(&mut metrics);
        metrics
    }
}

/// The coefficients of the values that bind a shard at `point`.
fn bind<E: Extension, B: Backend>(
    backend: &B,
    input: ShardInput<'_, B::Key>,
    main: &B::Committed,
    point: E,
) -> Result<Vec<F>, ProveError> {
    let values = backend.bind(input, main, point)?;
    let circuits = &input.key.verifying_key().system().circuits;
    let widths = input.shape.active.iter().map(|active| circuits[active.circuit].width);
    if !widths.eq(values.iter().map(Vec::len)) {
        let shard = input.shard;
        let reason = format!("it binds shard {shard} by other than one value per main column");
        return Err(ProveError::backend(backend, reason));
    }
    Ok(E::flatten_to_base(values.concat()))
}
