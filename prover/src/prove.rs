//! The prover: protocol order, transcript, and checks of the witness.

use p3_challenger::GrindingChallenger;
use thiserror::Error;
use traceloom_abi::trace::{ShardWitness, Trace};

use crate::backend::{Backend, QuotientChallenges, ShardInput};
use crate::cpu::CpuBackend;
use crate::domain::is_out_of_domain;
use crate::key::ProvingKey;
use crate::metrics::{Metrics, Stage};
use crate::proof::{Proof, ShardProof, ShardStatement, Shards};
use crate::rows::LookupChallenges;
use crate::scheme::{Cubic, Extension, Quadratic};
use crate::security::{BelowFloor, check_floors};
use crate::shape::{RoundKind, ShapeError, ShardShape, check_statements};
use crate::steps;
use crate::transcript::Transcript;

/// How to prove.
#[derive(Clone, Copy, Default)]
pub struct ProveOptions<'a> {
    /// Called when a stage of a shard begins.
    pub progress: Option<&'a (dyn Fn(Stage, usize) + Sync)>,
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

/// Proves a batch of shards with the kernels of `backend`.
///
/// # Errors
/// As [`prove`], and whatever the backend reports.
pub fn prove_with<B: Backend<Quadratic> + Backend<Cubic>>(
    backend: &B,
    key: &ProvingKey,
    shards: Vec<ShardWitness>,
    options: &ProveOptions<'_>,
) -> Result<(Proof, Metrics), ProveError> {
    match key.verifying_key().params().extension_degree {
        Quadratic::DEGREE => {
            Driver::<Quadratic, B>::new(backend, key, options).run(shards, Shards::Quadratic)
        }
        _ => Driver::<Cubic, B>::new(backend, key, options).run(shards, Shards::Cubic),
    }
}

struct Driver<'a, E: Extension, B: Backend<E>> {
    backend: &'a B,
    key: &'a ProvingKey,
    options: &'a ProveOptions<'a>,
    metrics: Metrics,
    extension: std::marker::PhantomData<E>,
}

/// A shard after step 1.
struct Committed<C> {
    statement: ShardStatement,
    shape: ShardShape,
    traces: Vec<Trace>,
    main: C,
}

impl<'a, E: Extension, B: Backend<E>> Driver<'a, E, B> {
    fn new(backend: &'a B, key: &'a ProvingKey, options: &'a ProveOptions<'a>) -> Self {
        let metrics = Metrics::default();
        Self { backend, key, options, metrics, extension: std::marker::PhantomData }
    }

    fn run(
        mut self,
        witnesses: Vec<ShardWitness>,
        wrap: impl FnOnce(Vec<ShardProof<E>>) -> Shards,
    ) -> Result<(Proof, Metrics), ProveError> {
        let key = self.key.verifying_key();
        let shapes = self.check(&witnesses)?;
        let mut transcript = steps::seed(key, witnesses.len());
        let mut shards = Vec::new();
        for (shard, (witness, shape)) in witnesses.into_iter().zip(shapes).enumerate() {
            let committed = self.commit_main(shard, witness, shape)?;
            steps::statement(&mut transcript, &committed.statement);
            shards.push(committed);
        }
        self.begin(Stage::Lookup, 0);
        let pow_bits = key.params().lookup_pow_bits;
        let lookup_witness = self.metrics.time(Stage::Lookup, || transcript.grind(pow_bits));
        let challenges = steps::lookup_challenges::<E>(&mut transcript);
        let (mut statements, mut proofs) = (Vec::new(), Vec::new());
        for (index, shard) in shards.into_iter().enumerate() {
            let (statement, proof) =
                self.prove_shard(index, shard, &challenges, transcript.fork(index))?;
            statements.push(statement);
            proofs.push(proof);
        }
        if !self.options.skip_self_checks {
            check_balance(&statements, &proofs, &challenges)?;
        }
        self.backend.read_metrics(&mut self.metrics);
        let params = *key.params();
        let fingerprint = key.system().fingerprint;
        let shards = wrap(proofs);
        Ok((Proof { params, fingerprint, statements, lookup_witness, shards }, self.metrics))
    }

    fn begin(&self, stage: Stage, shard: usize) {
        if let Some(progress) = self.options.progress {
            progress(stage, shard);
        }
    }

    /// Shapes of all shards, after every check that precedes the work.
    fn check(&self, witnesses: &[ShardWitness]) -> Result<Vec<ShardShape>, ProveError> {
        let key = self.key.verifying_key();
        let statements: Result<Vec<_>, _> =
            witnesses.iter().enumerate().map(|(i, w)| unsigned_statement(self.key, i, w)).collect();
        let statements = statements?;
        let shapes = check_statements(key, &statements)?;
        if self.options.skip_self_checks {
            return Ok(shapes);
        }
        let num_claims = statements.iter().map(|statement| statement.claims.len()).sum();
        check_floors(key, &shapes, num_claims)?;
        Ok(shapes)
    }

    fn commit_main(
        &mut self,
        shard: usize,
        witness: ShardWitness,
        shape: ShardShape,
    ) -> Result<Committed<B::Committed>, ProveError> {
        self.begin(Stage::Main, shard);
        let (key, backend) = (self.key, self.backend);
        let mut statement = unsigned_statement(key, shard, &witness)?;
        let traces: Vec<Trace> = witness.traces.into_iter().flatten().collect();
        let input = ShardInput { key, shard, shape: &shape, publics: &statement.publics };
        let borrowed: Vec<&Trace> = traces.iter().collect();
        let committed = self.metrics.time(Stage::Main, || backend.commit_main(input, &borrowed));
        let (root, main) = committed?;
        statement.main = root;
        Ok(Committed { statement, shape, traces, main })
    }

    fn prove_shard(
        &mut self,
        shard: usize,
        committed: Committed<B::Committed>,
        challenges: &LookupChallenges<E>,
        mut transcript: Transcript,
    ) -> Result<(ShardStatement, ShardProof<E>), ProveError> {
        let (key, backend) = (self.key, self.backend);
        let params = *key.verifying_key().params();
        let Committed { statement, shape, traces, main } = committed;
        let input = ShardInput { key, shard, shape: &shape, publics: &statement.publics };
        self.begin(Stage::StageTwo, shard);
        let stage_two =
            self.metrics.time(Stage::StageTwo, || backend.stage_two(input, traces, challenges))?;
        let terminals = stage_two.terminals;
        let (stage_two_root, stage_two) = stage_two.committed.unzip();
        let alpha = steps::stage_two(&mut transcript, stage_two_root.as_ref(), &terminals);
        self.begin(Stage::Quotient, shard);
        let (quotient_root, quotient, zeta_witness, zeta) =
            self.metrics.time(Stage::Quotient, || {
                let challenges =
                    QuotientChallenges { lookup: challenges, terminals: &terminals, alpha };
                let (root, tree) =
                    backend.quotient(input, &main, stage_two.as_ref(), &challenges)?;
                let (witness, zeta) =
                    steps::quotient::<E>(&mut transcript, &root, params.zeta_pow_bits);
                Ok::<_, ProveError>((root, tree, witness, zeta))
            })?;
        if !is_out_of_domain(zeta, shape.max_log_height(), params.log_blowup) {
            return Err(ProveError::ZetaInDomain { shard });
        }
        self.begin(Stage::Opening, shard);
        let mut trees = vec![(RoundKind::Main, main), (RoundKind::Quotient, quotient)];
        trees.extend(stage_two.map(|tree| (RoundKind::StageTwo, tree)));
        let (opened, opening) = self
            .metrics
            .time(Stage::Opening, || backend.open(input, &trees, zeta, &mut transcript))?;
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

/// The statement of a witness, its main root still zero.
fn unsigned_statement(
    key: &ProvingKey,
    shard: usize,
    witness: &ShardWitness,
) -> Result<ShardStatement, ProveError> {
    let circuits = &key.verifying_key().system().circuits;
    let (expected, got) = (circuits.len(), witness.traces.len());
    if expected != got {
        return Err(ShapeError::Count { shard, what: "traces", expected, got }.into());
    }
    let mut log_heights = Vec::new();
    for (circuit, trace) in circuits.iter().zip(&witness.traces) {
        let Some(trace) = trace else {
            log_heights.push(None);
            continue;
        };
        let circuit_name = || circuit.name.clone();
        if trace.width != circuit.width {
            let (expected, got) = (circuit.width, trace.width);
            return Err(ProveError::TraceWidth { shard, circuit: circuit_name(), expected, got });
        }
        let height = trace.values.len() / trace.width;
        if !height.is_power_of_two() || height * trace.width != trace.values.len() {
            let cells = trace.values.len();
            return Err(ProveError::TraceHeight { shard, circuit: circuit_name(), cells });
        }
        log_heights.push(Some(height.ilog2() as usize));
    }
    Ok(ShardStatement {
        log_heights,
        main: [0; 32],
        publics: witness.publics.clone(),
        claims: witness.claims.clone(),
    })
}

fn check_balance<E: Extension>(
    statements: &[ShardStatement],
    proofs: &[ShardProof<E>],
    challenges: &LookupChallenges<E>,
) -> Result<(), ProveError> {
    let mut sum: E = proofs.iter().flat_map(|proof| &proof.terminals).copied().sum();
    for claim in statements.iter().flat_map(|statement| &statement.claims) {
        let denominator = challenges.denominator(&claim.message());
        sum += denominator.try_inverse().ok_or(ProveError::ZeroClaim)?;
    }
    if sum == E::ZERO { Ok(()) } else { Err(ProveError::Unbalanced) }
}

/// Why there is no proof: the fault of whoever made the witness, unless stated.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ProveError {
    /// The witness does not fit the system.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// The batch would be worth less than the profile promises.
    #[error(transparent)]
    Security(#[from] BelowFloor),
    /// A trace of the wrong width.
    #[error("shard {shard}, circuit {circuit}: the trace has {got} columns, expected {expected}")]
    TraceWidth {
        /// Which shard.
        shard: usize,
        /// Name of the circuit.
        circuit: String,
        /// Width of the circuit.
        expected: usize,
        /// Width of the trace.
        got: usize,
    },
    /// A trace whose height is not a power of two.
    #[error("shard {shard}, circuit {circuit}: {cells} cells are not a power of two of rows")]
    TraceHeight {
        /// Which shard.
        shard: usize,
        /// Name of the circuit.
        circuit: String,
        /// Number of cells.
        cells: usize,
    },
    /// Messages pushed and pulled do not cancel.
    #[error("the lookups and claims of this batch do not balance")]
    Unbalanced,
    /// A fingerprint is -beta: nobody's fault, about once in 2^100 proofs.
    #[error("shard {shard}, circuit {circuit}, row {row}: a lookup denominator is zero")]
    ZeroDenominator {
        /// Which shard.
        shard: usize,
        /// Name of the circuit.
        circuit: String,
        /// The row.
        row: usize,
    },
    /// A claim's fingerprint is -beta: as above.
    #[error("the lookup denominator of a claim is zero")]
    ZeroClaim,
    /// zeta lies in a domain: as above.
    #[error("shard {shard}: the out-of-domain point is in a domain")]
    ZetaInDomain {
        /// Which shard.
        shard: usize,
    },
    /// The opening cannot be made: a fault of the parameters.
    #[error("opening: {reason}")]
    Opening {
        /// What p3-fri says.
        reason: String,
    },
    /// A backend failed.
    #[error("backend: {reason}")]
    Backend {
        /// What it says.
        reason: String,
    },
}
