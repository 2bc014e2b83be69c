//! The driver: protocol order, transcript, and checks of the witness. It owns no matrix
//! and computes no column; [`crate::backend`] says who does, and when what is freed.

mod checks;
mod error;
mod opening;
mod progress;
mod source;

use std::marker::PhantomData;

use p3_challenger::GrindingChallenger;
use traceloom_air::trace::ShardWitness;
use traceloom_verifier::LookupChallenges;
use traceloom_verifier::domain::is_out_of_domain;
use traceloom_verifier::proof::{Proof, ShardProof, ShardStatement, Shards};
use traceloom_verifier::scheme::{Cubic, Extension, F, Quadratic, Root};
use traceloom_verifier::shape::ShardShape;
use traceloom_verifier::steps;
use traceloom_verifier::transcript::Transcript;

use crate::backend::{Backend, QuotientChallenges, ShardInput};
use crate::cpu::CpuBackend;
use crate::key::ProvingKey;
use crate::metrics::{Metrics, Stage};
use checks::{check_balance, check_batch, check_traces};
use opening::{Commitments, Points, open};
use source::Witnesses;

pub use error::ProveError;
pub use progress::Progress;
pub use source::{Retention, ShardSource};

/// How to prove.
#[derive(Clone, Copy, Default)]
pub struct ProveOptions<'a> {
    /// Called when a stage of a shard begins.
    pub progress: Option<&'a (dyn Fn(Progress) + Sync)>,
    /// Make a proof even of a witness that is known to be wrong. For tests of
    /// verifiers: what comes out is refused.
    pub skip_self_checks: bool,
}

/// Proves a batch of shards on the CPU.
///
/// # Errors
/// [`ProveError`]: the witness has the wrong shape, does not balance, or, if asked
/// for, a constraint does not hold.
pub fn prove(
    key: &ProvingKey,
    shards: Vec<ShardWitness>,
    options: &ProveOptions<'_>,
) -> Result<(Proof, Metrics), ProveError> {
    prove_with(&CpuBackend::default(), key, shards, options)
}

/// Proves a batch of shards with the kernels of `backend`, whose traces are where it
/// needs them.
///
/// # Errors
/// As [`prove`], and whatever the backend reports.
pub fn prove_with<B: Backend>(
    backend: &B,
    key: &ProvingKey<B::Key>,
    shards: Vec<ShardWitness<B::Trace>>,
    options: &ProveOptions<'_>,
) -> Result<(Proof, Metrics), ProveError> {
    let mut source = Witnesses::new(key.verifying_key(), shards);
    prove_shards(backend, key, &mut source, Retention::Retain, options)
}

/// Proves a batch of shards whose traces are made one shard after the other.
///
/// # Errors
/// As [`prove_with`], and whatever the source reports. [`ProveError::RootDiffers`] names a
/// shard that came out different in round two.
pub fn prove_shards<B: Backend>(
    backend: &B,
    key: &ProvingKey<B::Key>,
    source: &mut dyn ShardSource<Trace = B::Trace>,
    retention: Retention,
    options: &ProveOptions<'_>,
) -> Result<(Proof, Metrics), ProveError> {
    match key.verifying_key().params().extension_degree {
        Quadratic::DEGREE => Driver::<Quadratic, B>::new(backend, key, options).run(
            source,
            retention,
            Shards::Quadratic,
        ),
        _ => Driver::<Cubic, B>::new(backend, key, options).run(source, retention, Shards::Cubic),
    }
}

struct Driver<'a, E: Extension, B: Backend> {
    backend: &'a B,
    key: &'a ProvingKey<B::Key>,
    options: &'a ProveOptions<'a>,
    metrics: Metrics,
    done: u64,
    total: u64,
    extension: PhantomData<E>,
}

/// A shard after step 1.
struct Stated<E, B: Backend> {
    statement: ShardStatement,
    shape: ShardShape,
    /// Where the shard is bound, in a batch of several.
    bound: Option<E>,
    /// Absent where it is made again.
    kept: Option<Committed<B>>,
}

/// What the rest of a shard's proof is computed from.
struct Committed<B: Backend> {
    traces: Vec<B::Trace>,
    main: B::Committed,
}

impl<'a, E: Extension, B: Backend> Driver<'a, E, B> {
    fn new(backend: &'a B, key: &'a ProvingKey<B::Key>, options: &'a ProveOptions<'a>) -> Self {
        let (metrics, extension) = (Metrics::default(), PhantomData);
        Self { backend, key, options, metrics, done: 0, total: 0, extension }
    }

    fn run(
        mut self,
        source: &mut dyn ShardSource<Trace = B::Trace>,
        retention: Retention,
        wrap: impl FnOnce(Vec<ShardProof<E>>) -> Shards,
    ) -> Result<(Proof, Metrics), ProveError> {
        let key = self.key.verifying_key();
        let statements = source.statements()?;
        let shapes = check_batch(key, &statements, self.options.skip_self_checks)?;
        let num_shards = statements.len();
        let keeps = retention == Retention::Retain || num_shards == 1;
        self.total = progress::total(&shapes, keeps);
        let seed = steps::seed(key, num_shards);
        let mut transcript = seed.clone();
        let mut shards = Vec::new();
        for (shard, (statement, shape)) in statements.into_iter().zip(shapes).enumerate() {
            let seed = (num_shards > 1).then_some(&seed);
            let mut stated = self.state(source, shard, statement, shape, seed)?;
            steps::statement(&mut transcript, &stated.statement, num_shards);
            if !keeps {
                stated.kept = None;
            }
            shards.push(stated);
        }
        let lookup_witness = self.time(Stage::Lookup, 0, 0, |backend| {
            grind(backend, &mut transcript, key.params().lookup_pow_bits)
        })?;
        let challenges = steps::lookup_challenges::<E>(&mut transcript);
        let (mut statements, mut proofs) = (Vec::new(), Vec::new());
        for (index, mut shard) in shards.into_iter().enumerate() {
            let committed = match shard.kept.take() {
                Some(committed) => committed,
                None => self.commit_again(source, index, &shard)?,
            };
            let fork = transcript.fork(index);
            let (statement, proof) =
                self.prove_shard(index, shard, committed, &challenges, fork)?;
            statements.push(statement);
            proofs.push(proof);
        }
        if !self.options.skip_self_checks {
            check_balance(key.system(), &statements, &proofs, &challenges)?;
        }
        self.backend.read_metrics(&mut self.metrics);
        let params = *key.params();
        let fingerprint = key.system().fingerprint;
        let shards = wrap(proofs);
        Ok((Proof { params, fingerprint, statements, lookup_witness, shards }, self.metrics))
    }

    /// Runs a stage of a shard, of `work` cells, between progress and metrics.
    fn time<T>(
        &mut self,
        stage: Stage,
        shard: usize,
        work: u64,
        run: impl FnOnce(&B) -> Result<T, ProveError>,
    ) -> Result<T, ProveError> {
        if let Some(report) = self.options.progress {
            report(Progress { stage, shard, done: self.done, total: self.total });
        }
        let backend = self.backend;
        let result = self.metrics.time(stage, || run(backend));
        self.done += work;
        result
    }

    /// Round one of a shard: commits to its main columns and, from the `seed` of a batch of
    /// several shards, binds it.
    fn state(
        &mut self,
        source: &mut dyn ShardSource<Trace = B::Trace>,
        shard: usize,
        mut statement: ShardStatement,
        shape: ShardShape,
        seed: Option<&Transcript>,
    ) -> Result<Stated<E, B>, ProveError> {
        let (root, committed) = self.commit_main(source, shard, &statement, &shape)?;
        statement.main = root;
        let (key, backend) = (self.key, self.backend);
        // Part of the stage that has begun.
        let bound = seed.map(|seed| {
            let input = ShardInput { key, shard, shape: &shape, publics: &statement.publics };
            let bind = || bind(backend, seed, input, &committed.main, &statement);
            self.metrics.time(Stage::Main, bind)
        });
        let (bound, values) = bound.transpose()?.unzip();
        statement.bound = values.unwrap_or_default();
        Ok(Stated { statement, shape, bound, kept: Some(committed) })
    }

    /// The traces of a shard, their commitment and its root.
    fn commit_main(
        &mut self,
        source: &mut dyn ShardSource<Trace = B::Trace>,
        shard: usize,
        statement: &ShardStatement,
        shape: &ShardShape,
    ) -> Result<(Root, Committed<B>), ProveError> {
        let traces = source.traces(shard)?;
        check_traces(self.key.verifying_key(), shard, &traces, statement)?;
        let traces: Vec<B::Trace> = traces.into_iter().flatten().collect();
        let input = ShardInput { key: self.key, shard, shape, publics: &statement.publics };
        let work = progress::work(shape, Stage::Main);
        let (root, main) =
            self.time(Stage::Main, shard, work, |backend| backend.commit_main(input, &traces))?;
        Ok((root, Committed { traces, main }))
    }

    /// The same for a shard that was not kept: nothing may have changed.
    fn commit_again(
        &mut self,
        source: &mut dyn ShardSource<Trace = B::Trace>,
        shard: usize,
        stated: &Stated<E, B>,
    ) -> Result<Committed<B>, ProveError> {
        let Stated { statement, shape, .. } = stated;
        let (root, committed) = self.commit_main(source, shard, statement, shape)?;
        match root == statement.main {
            true => Ok(committed),
            false => Err(ProveError::RootDiffers { shard }),
        }
    }

    fn prove_shard(
        &mut self,
        shard: usize,
        stated: Stated<E, B>,
        committed: Committed<B>,
        challenges: &LookupChallenges<E>,
        mut transcript: Transcript,
    ) -> Result<(ShardStatement, ShardProof<E>), ProveError> {
        let key = self.key;
        let params = *key.verifying_key().params();
        let Stated { statement, shape, bound, .. } = stated;
        let Committed { traces, main } = committed;
        let input = ShardInput { key, shard, shape: &shape, publics: &statement.publics };
        let work = |stage| progress::work(&shape, stage);
        let stage_two = self.time(Stage::StageTwo, shard, work(Stage::StageTwo), |backend| {
            backend.stage_two(input, traces, challenges)
        })?;
        let terminals = stage_two.terminals;
        let (stage_two_root, stage_two) = stage_two.committed.unzip();
        let alpha = steps::stage_two(&mut transcript, stage_two_root.as_ref(), &terminals);
        let (quotient_root, quotient, zeta_witness, zeta) =
            self.time(Stage::Quotient, shard, work(Stage::Quotient), |backend| {
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
        let commitments = Commitments { main, stage_two, quotient };
        let points = Points { zeta, bound: bound.map(|point| (point, &statement.bound[..])) };
        let (opened, opening) =
            self.time(Stage::Opening, shard, work(Stage::Opening), |backend| {
                open(backend, input, commitments, points, &mut transcript)
            })?;
        let proof = ShardProof {
            stage_two: stage_two_root,
            terminals,
            quotient: quotient_root,
            zeta_witness,
            opened,
            opening,
        };
        Ok((statement, proof))
    }
}

/// Draws the point that binds a shard whose statement has its main root; the point, and the
/// coefficients of the values there.
fn bind<E: Extension, B: Backend>(
    backend: &B,
    seed: &Transcript,
    input: ShardInput<'_, B::Key>,
    main: &B::Committed,
    statement: &ShardStatement,
) -> Result<(E, Vec<F>), ProveError> {
    let shard = input.shard;
    let point: E = steps::bound_point(seed, shard, statement);
    let log_blowup = input.key.verifying_key().params().log_blowup;
    if !is_out_of_domain(point, input.shape.max_log_height(), log_blowup) {
        return Err(ProveError::BoundInDomain { shard });
    }
    let values = backend.bind(input, main, point)?;
    let circuits = &input.key.verifying_key().system().circuits;
    let widths = input.shape.active.iter().map(|active| circuits[active.circuit].width);
    if !widths.eq(values.iter().map(Vec::len)) {
        let reason = format!("it binds shard {shard} by other than one value per main column");
        return Err(ProveError::backend(backend, reason));
    }
    Ok((point, E::flatten_to_base(values.concat())))
}

/// Lets the backend find the smallest witness and absorbs it; at 0 bits it is 0.
fn grind<B: Backend>(
    backend: &B,
    transcript: &mut Transcript,
    bits: usize,
) -> Result<F, ProveError> {
    if bits == 0 {
        return Ok(F::default());
    }
    let witness = backend.grind(&transcript.grinding_state(), bits)?;
    if transcript.check_witness(bits, witness) {
        return Ok(witness);
    }
    let reason = format!("its grinding witness does not pass {bits} bits");
    Err(ProveError::backend(backend, reason))
}
