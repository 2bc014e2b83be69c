//! The prover of a device: everything between the rows and the proof is computed where the
//! traces are. Roots, terminals, opened values, opened rows and paths come down, and
//! nothing else.
//!
//! - [`context`]: kernels, tables and streams that all proofs on a device share;
//! - [`trace`]: traces on the device; `key`: fixed columns and tapes;
//! - `commit`: extensions and trees; `stages`: stage 2 and quotients;
//! - [`memory`]: what a proof takes, planned before its first launch; `admission`: who may take
//!   it; [`cost`]: about how long it takes;
//! - `open`, `fold`, `gather`, `grind`: what p3-fri's protocol asks for;
//! - `clock`: time of kernels; [`prover`]: whole proofs, for the sessions of `runtime`.
//!
//! Bytes are those of the CPU backend. Work is queued on one stream; a buffer is given back
//! behind its last reader when its owner drops it.

mod admission;
mod clock;
mod commit;
pub mod context;
pub mod cost;
mod error;
mod fold;
mod gather;
mod grind;
mod key;
pub mod memory;
mod open;
pub mod prover;
mod stages;
pub mod trace;

use std::sync::Arc;

use traceloom_air::field::element;
use traceloom_air::trace::{ShardWitness, Trace};
use traceloom_prover::ProveError;
use traceloom_prover::backend::{
    Backend, Commitment, LayerRows, QuotientChallenges, ShardInput, StageTwo,
};
use traceloom_prover::metrics::{Metrics, Stage};
use traceloom_runtime::ledger::Ledger;
use traceloom_verifier::proof::{OpenedRows, OpenedValues};
use traceloom_verifier::scheme::{Extension, F, Root};
use traceloom_verifier::{LookupChallenges, VerifyingKey};

use crate::device::Stream;
use crate::prover_kernels::constraints::QuotientParameters;
use crate::rows::RowEngine;

pub use self::clock::Clock;
pub use self::commit::CudaCommitted;
use self::commit::Extending;
use self::context::{ProofContext, Work};
use self::error::At;
pub use self::fold::{CudaCodeword, CudaLayer};
use self::key::FixedTable;
pub use self::key::{CudaKey, Launches};
pub use self::open::CudaPoints;
use self::open::element_of;
use self::stages::{QuotientInput, StageInput};
use self::trace::{CudaTrace, uploaded};

const NAME: &str = "cuda";

/// What work before and beside the stages of a proof is counted under.
const KEY: &str = "key";
const ROWS: &str = "rows";
const GRINDING: &str = "grinding";

/// The backend, for one proof.
#[derive(Clone, Copy, Debug)]
pub struct CudaBackend<'a> {
    work: Work<'a>,
    launches: Option<&'a Arc<Launches>>,
}

impl<'a> CudaBackend<'a> {
    /// Over a device; `ledger` gets every transfer and launch, `clock` the time of kernels.
    #[must_use]
    pub fn new(context: &'a ProofContext, ledger: &'a Ledger, clock: &'a Clock) -> Self {
        Self { work: Work { context, ledger, clock, stage: KEY, circuit: None }, launches: None }
    }

    /// With launches of the system that are made already.
    #[must_use]
    pub const fn with_launches(self, launches: &'a Arc<Launches>) -> Self {
        Self { launches: Some(launches), ..self }
    }

    /// What its work runs on.
    fn engine(&self) -> &'a Arc<RowEngine> {
        self.work.context.engine()
    }

    /// The stream of all its work.
    fn stream(&self) -> &'a Stream {
        self.engine().compute()
    }

    const fn in_stage(&self, stage: Stage) -> Work<'a> {
        self.work.stage(stage.name())
    }

    /// Brings a trace of the host to the device. `circuit` is its name for errors.
    ///
    /// # Errors
    /// [`ProveError::Backend`].
    pub fn upload(
        &self,
        shard: usize,
        circuit: &str,
        trace: &Trace,
    ) -> Result<CudaTrace, ProveError> {
        let cells = uploaded(self.work.stage(ROWS), circuit, &trace.values, trace.width);
        let at = At::shard("uploading rows", shard).circuit(circuit);
        let cells = cells.map_err(|failure| at.failed(failure))?;
        Ok(CudaTrace::born(cells, trace.width, trace.height()))
    }

    /// The values of all committed columns at a point outside of all domains, by matrix and
    /// column; `log_blowup` is that of the commitment.
    ///
    /// # Errors
    /// [`ProveError::Backend`].
    pub fn values_at<E: Extension>(
        &self,
        committed: &CudaCommitted,
        point: E,
        log_blowup: usize,
    ) -> Result<Vec<Vec<E>>, ProveError> {
        let at = At { stage: "values at a point", shard: committed.shard, circuit: None };
        let values = CudaPoints::values_at(self.work, committed, point, log_blowup);
        values.map_err(|failure| at.failed(failure))
    }

    /// Brings all traces of a witness to the device; `circuits` are the circuits' names.
    ///
    /// # Errors
    /// [`ProveError::Backend`].
    pub fn witness(
        &self,
        shard: usize,
        circuits: &[String],
        witness: &ShardWitness,
    ) -> Result<ShardWitness<CudaTrace>, ProveError> {
        let traces = witness.traces.iter().zip(circuits);
        let traces = traces.map(|(trace, circuit)| {
            trace.as_ref().map(|trace| self.upload(shard, circuit, trace)).transpose()
        });
        Ok(ShardWitness {
            traces: traces.collect::<Result<_, _>>()?,
            publics: witness.publics.clone(),
            claims: witness.claims.clone(),
            boundary: witness.boundary.clone(),
        })
    }
}

/// The name of a circuit.
fn name<'a>(input: &ShardInput<'a, CudaKey>, circuit: usize) -> &'a str {
    &input.key.verifying_key().system().circuits[circuit].name
}

fn log_blowup(input: &ShardInput<'_, CudaKey>) -> usize {
    input.key.verifying_key().params().log_blowup
}

/// The fixed columns of a circuit.
fn fixed<'a>(input: &ShardInput<'a, CudaKey>, circuit: usize) -> Option<&'a FixedTable> {
    input.key.backend_key().circuits[circuit].fixed.as_ref()
}

impl Backend for CudaBackend<'_> {
    type Trace = CudaTrace;
    type Committed = CudaCommitted;
    type Key = CudaKey;
    type Points<E: Extension> = CudaPoints<E>;
    type Codeword<E: Extension> = CudaCodeword<E>;
    type Layer<E: Extension> = CudaLayer<E>;

    fn name(&self) -> &str {
        NAME
    }

    fn preprocess(&self, key: &VerifyingKey) -> Result<CudaKey, ProveError> {
        let launches = self
            .launches
            .map_or_else(|| Launches::new(key).map(Arc::new), |known| Ok(Arc::clone(known)));
        CudaKey::new(self.work, launches?, key)
    }

    fn fixed<'k>(&self, key: &'k CudaKey, circuit: usize) -> Option<(Root, &'k CudaCommitted)> {
        let table = key.circuits[circuit].fixed.as_ref();
        table.map(|table| (table.root, &table.committed))
    }

    fn commit_main(
        &self,
        input: ShardInput<'_, CudaKey>,
        traces: &[CudaTrace],
    ) -> Result<Commitment<CudaCommitted>, ProveError> {
        let (at, work) = (At::shard("main", input.shard), self.in_stage(Stage::Main));
        let log_blowup = log_blowup(&input);
        let shapes = traces.iter().map(|trace| (trace.width, trace.height.ilog2() as usize));
        let name_of = format!("main columns of shard {}", input.shard);
        let extending = Extending::new(work, &name_of, shapes, log_blowup);
        let extending = extending.map_err(|failure| at.failed(failure))?;
        for (index, (trace, active)) in traces.iter().zip(&input.shape.active).enumerate() {
            let of_circuit = at.circuit(name(&input, active.circuit));
            let extended = extending.extend(work.of(active.circuit), index, &trace.cells);
            extended.map_err(|failure| of_circuit.failed(failure))?;
        }
        extending.finish(Some(input.shard)).map_err(|failure| at.failed(failure))
    }

    fn bind<E: Extension>(
        &self,
        input: ShardInput<'_, CudaKey>,
        main: &CudaCommitted,
        point: E,
    ) -> Result<Vec<Vec<E>>, ProveError> {
        Self { work: self.in_stage(Stage::Main), ..*self }.values_at(
            main,
            point,
            log_blowup(&input),
        )
    }

    fn stage_two<E: Extension>(
        &self,
        input: ShardInput<'_, CudaKey>,
        traces: Vec<CudaTrace>,
        challenges: &LookupChallenges<E>,
    ) -> Result<StageTwo<E, CudaCommitted>, ProveError> {
        let (at, work) = (At::shard("stage 2", input.shard), self.in_stage(Stage::StageTwo));
        let words = E::DEGREE as u64 + 1;
        let results = work.buffer("terminals", words * input.shape.active.len() as u64);
        let results = results.map_err(|failure| at.failed(failure))?;
        let key = input.key.backend_key();
        let shapes = input.shape.active.iter().filter_map(|active| {
            let messages = key.messages(active.circuit)?;
            Some((messages.launches.num_columns() as usize, active.log_height))
        });
        let shapes: Vec<(usize, usize)> = shapes.collect();
        if shapes.is_empty() {
            let terminals = vec![E::ZERO; input.shape.active.len()];
            return Ok(StageTwo { committed: None, terminals });
        }
        let name_of = format!("stage 2 of shard {}", input.shard);
        let extending = Extending::new(work, &name_of, shapes, log_blowup(&input));
        let extending = extending.map_err(|failure| at.failed(failure))?;
        let mut index = 0;
        for (position, (active, trace)) in input.shape.active.iter().zip(traces).enumerate() {
            let Some(messages) = key.messages(active.circuit) else { continue };
            let of = StageInput {
                main: &trace.cells,
                fixed: fixed(&input, active.circuit).map(|fixed| &fixed.trace),
                publics: &input.publics[active.circuit],
                log_height: active.log_height as u32,
            };
            let result = (&results, words * position as u64);
            let work = work.of(active.circuit);
            let columns = stages::stage_two(work, messages, of, challenges, result)
                .and_then(|columns| extending.extend(work, index, &columns));
            let of_circuit = at.circuit(name(&input, active.circuit));
            columns.map_err(|failure| of_circuit.failed(failure))?;
            index += 1;
        }
        let committed =
            extending.finish(Some(input.shard)).map_err(|failure| at.failed(failure))?;
        let terminals = self.terminals(&input, &results)?;
        Ok(StageTwo { committed: Some(committed), terminals })
    }

    fn quotient<E: Extension>(
        &self,
        input: ShardInput<'_, CudaKey>,
        main: &CudaCommitted,
        stage_two: Option<&CudaCommitted>,
        challenges: &QuotientChallenges<'_, E>,
    ) -> Result<Commitment<CudaCommitted>, ProveError> {
        let (at, work) = (At::shard("quotient", input.shard), self.in_stage(Stage::Quotient));
        let key = input.key.backend_key();
        let shapes = input.shape.active.iter().map(|active| {
            let quotient = key.quotient(active.circuit).launches;
            (quotient.num_columns() as usize, active.log_height)
        });
        let name_of = format!("quotient of shard {}", input.shard);
        let extending = Extending::new(work, &name_of, shapes, log_blowup(&input));
        let extending = extending.map_err(|failure| at.failed(failure))?;
        let mut sums = stage_two.into_iter().flat_map(|committed| {
            committed.matrices.iter().map(move |&matrix| (committed, matrix))
        });
        for (index, active) in input.shape.active.iter().enumerate() {
            let of = QuotientInput {
                main: (main, main.matrices[index]),
                fixed: fixed(&input, active.circuit).map(|fixed| &fixed.committed),
                stage_two: key.messages(active.circuit).and_then(|_| sums.next()),
                log_height: active.log_height as u32,
            };
            let parameters = QuotientParameters {
                lookup: challenges.lookup,
                terminal: challenges.terminals[index],
                alpha: challenges.alpha,
                publics: &input.publics[active.circuit],
            };
            let work = work.of(active.circuit);
            let columns = stages::quotient(work, key.quotient(active.circuit), of, &parameters)
                .and_then(|columns| extending.extend(work, index, &columns));
            let of_circuit = at.circuit(name(&input, active.circuit));
            columns.map_err(|failure| of_circuit.failed(failure))?;
        }
        extending.finish(Some(input.shard)).map_err(|failure| at.failed(failure))
    }

    fn open_values<E: Extension>(
        &self,
        input: ShardInput<'_, CudaKey>,
        committed: &[&CudaCommitted],
        zeta: E,
        bound: Option<E>,
    ) -> Result<(OpenedValues<E>, CudaPoints<E>), ProveError> {
        let rounds = &input.shape.rounds;
        let shapes = rounds.iter().flat_map(|round| &round.matrices);
        let opened = CudaPoints::new(
            self.in_stage(Stage::Opening),
            shapes,
            (zeta, bound),
            log_blowup(&input),
        )
        .and_then(|points| {
            Ok((points.values(self.in_stage(Stage::Opening), rounds, committed)?, points))
        });
        opened.map_err(|failure| At::shard("opened values", input.shard).failed(failure))
    }

    fn reduce<E: Extension>(
        &self,
        input: ShardInput<'_, CudaKey>,
        committed: &[&CudaCommitted],
        opened: &OpenedValues<E>,
        points: CudaPoints<E>,
        alpha: E,
    ) -> Result<Vec<CudaCodeword<E>>, ProveError> {
        let rounds = &input.shape.rounds;
        open::reduce(
            self.in_stage(Stage::Opening),
            rounds,
            committed,
            opened,
            &points,
            alpha,
            input.shard,
        )
        .map_err(|failure| At::shard("reduced openings", input.shard).failed(failure))
    }

    fn commit_layer<E: Extension>(
        &self,
        codeword: CudaCodeword<E>,
        log_arity: usize,
    ) -> Result<Commitment<CudaLayer<E>>, ProveError> {
        let at = At::shard("layers of FRI", codeword.shard);
        codeword
            .commit(self.in_stage(Stage::Opening), log_arity)
            .map_err(|failure| at.failed(failure))
    }

    fn fold<E: Extension>(
        &self,
        layer: &CudaLayer<E>,
        beta: E,
        joined: Option<CudaCodeword<E>>,
    ) -> Result<CudaCodeword<E>, ProveError> {
        let at = At::shard("folds", layer.shard());
        layer
            .fold(self.in_stage(Stage::Opening), beta, joined.as_ref())
            .map_err(|failure| at.failed(failure))
    }

    fn final_value<E: Extension>(&self, codeword: CudaCodeword<E>) -> Result<E, ProveError> {
        let at = At::shard("folds", codeword.shard);
        codeword.first(self.in_stage(Stage::Opening)).map_err(|failure| at.failed(failure))
    }

    fn open_rows(
        &self,
        committed: &CudaCommitted,
        positions: &[usize],
    ) -> Result<OpenedRows<F>, ProveError> {
        let at = At { stage: "opened rows", shard: committed.shard, circuit: None };
        gather::opened_rows(self.in_stage(Stage::Opening), committed, positions)
            .map_err(|failure| at.failed(failure))
    }

    fn open_layer<E: Extension>(
        &self,
        layer: &CudaLayer<E>,
        positions: &[usize],
    ) -> Result<LayerRows<E>, ProveError> {
        let at = At::shard("opened layers", layer.shard());
        layer.open(self.in_stage(Stage::Opening), positions).map_err(|failure| at.failed(failure))
    }

    fn grind(&self, state: &[u8; 32], bits: usize) -> Result<F, ProveError> {
        let at = At { stage: "grinding", shard: None, circuit: None };
        let witness = grind::smallest(self.work.stage(GRINDING), state, bits);
        witness.map(element).map_err(|failure| at.failed(failure))
    }

    fn read_metrics(&self, metrics: &mut Metrics) {
        self.work.clock.read(metrics);
    }
}

impl CudaBackend<'_> {
    /// Reads the terminals of all active circuits.
    fn terminals<E: Extension>(
        &self,
        input: &ShardInput<'_, CudaKey>,
        results: &crate::device::Buffer,
    ) -> Result<Vec<E>, ProveError> {
        let (active, words) = (&input.shape.active, E::DEGREE + 1);
        let at = At::shard("stage 2", input.shard);
        let results = self.work.read(results, 0, (words * active.len()) as u64);
        let results = results.map_err(|failure| at.failed(failure))?;
        let results = active.iter().zip(results.chunks(words));
        let terminal = |(active, result): (&traceloom_verifier::shape::ActiveCircuit, &[u64])| {
            if input.key.backend_key().messages(active.circuit).is_none() {
                return Ok(E::ZERO);
            }
            match result[E::DEGREE] {
                u64::MAX => Ok(element_of(result)),
                row => Err(ProveError::ZeroDenominator {
                    shard: input.shard,
                    circuit: name(input, active.circuit).into(),
                    row: row as usize,
                }),
            }
        };
        results.map(terminal).collect()
    }
}
