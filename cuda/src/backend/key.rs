//! What a device keeps of a system: fixed columns, committed once, and how the expressions of
//! every circuit are evaluated.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use traceloom_air::fixed::Fixed;
use traceloom_air::system::Circuit;
use traceloom_prover::ProveError;
use traceloom_verifier::VerifyingKey;
use traceloom_verifier::layout::CircuitLayout;
use traceloom_verifier::scheme::Root;

use super::commit::{CudaCommitted, Extending};
use super::context::Work;
use super::error::{At, Failure};
use super::memory::Transform;
use super::trace::uploaded;
use crate::device::Buffer;
use crate::prover_kernels::constraints::{Quotient, SliceTransform};
use crate::prover_kernels::messages::Messages;
use crate::prover_kernels::transform::Extension;

/// The launches of a system: made on the host, without a device.
#[derive(Debug)]
pub struct Launches {
    pub(super) circuits: Vec<CircuitLaunches>,
    /// Words of tables that were counted already.
    table_words: Mutex<BTreeMap<Transform, u64>>,
}

/// The launches of one circuit.
#[derive(Debug)]
pub(super) struct CircuitLaunches {
    /// Absent without lookups.
    pub(super) messages: Option<Messages>,
    pub(super) quotient: Quotient,
}

/// What the CUDA backend keeps of a system, one entry per circuit.
#[derive(Debug)]
pub struct CudaKey {
    pub(super) launches: Arc<Launches>,
    pub(super) circuits: Vec<CircuitKey>,
}

/// A circuit of the system: what launches read of it.
#[derive(Debug)]
pub(super) struct CircuitKey {
    pub(super) fixed: Option<FixedTable>,
    /// Absent without lookups.
    pub(super) messages: Option<Buffer>,
    pub(super) quotient: Buffer,
}

/// Launches that evaluate a circuit, and the tape that they read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Evaluated<'a, T> {
    pub(super) launches: &'a T,
    pub(super) tape: &'a Buffer,
}

/// The fixed columns of a circuit.
#[derive(Debug)]
pub(super) struct FixedTable {
    /// Columns on the trace domain.
    pub(super) trace: Buffer,
    pub(super) root: Root,
    pub(super) committed: CudaCommitted,
}

impl Launches {
    /// Those of the system of a key.
    ///
    /// # Errors
    /// [`ProveError::Backend`]: a circuit is too large for a device.
    pub fn new(key: &VerifyingKey) -> Result<Self, ProveError> {
        let degree = key.params().extension_degree;
        let circuits = key.system().circuits.iter().zip(key.layouts());
        let circuits = circuits.map(|(circuit, layout)| {
            let at = At { stage: "key", shard: None, circuit: Some(&circuit.name) };
            CircuitLaunches::new(circuit, layout, degree).map_err(|failure| at.failed(failure))
        });
        let circuits = circuits.collect::<Result<_, _>>()?;
        Ok(Self { circuits, table_words: Mutex::default() })
    }

    /// Words of the tables and factors of a transform. A height that has none is refused where
    /// they are made.
    pub(super) fn table_words(&self, of: Transform) -> u64 {
        // Every change is a single statement.
        let mut known = self.table_words.lock().unwrap_or_else(PoisonError::into_inner);
        *known.entry(of).or_insert_with(|| match of.is_of_slices {
            false => Extension::new(of.log_height, of.log)
                .map_or(0, |made| made.tables().len() as u64 + made.factor_words()),
            true => SliceTransform::new(of.log_height, of.log).map_or(0, |made| {
                let tables = made.tables().len() + made.matrix().len();
                tables as u64 + made.factor_words()
            }),
        })
    }
}

impl CircuitLaunches {
    fn new(circuit: &Circuit, layout: &CircuitLayout, degree: usize) -> Result<Self, Failure> {
        let messages = match layout.groups.is_empty() {
            true => None,
            false => Some(Messages::new(circuit, layout, degree)?),
        };
        Ok(Self { messages, quotient: Quotient::new(circuit, layout, degree)? })
    }
}

impl CudaKey {
    /// Brings fixed columns and tapes to the device and commits to the columns.
    pub(super) fn new(
        work: Work<'_>,
        launches: Arc<Launches>,
        key: &VerifyingKey,
    ) -> Result<Self, ProveError> {
        let circuits = key.system().circuits.iter().zip(&launches.circuits);
        let circuits = circuits.map(|(circuit, launches)| {
            let at = At { stage: "key", shard: None, circuit: Some(&circuit.name) };
            let made = CircuitKey::new(work, launches, circuit, key.params().log_blowup);
            made.map_err(|failure| at.failed(failure))
        });
        let circuits = circuits.collect::<Result<_, _>>()?;
        Ok(Self { launches, circuits })
    }

    /// Stage 2 of a circuit; nothing without lookups.
    pub(super) fn messages(&self, circuit: usize) -> Option<Evaluated<'_, Messages>> {
        let launches = self.launches.circuits[circuit].messages.as_ref()?;
        let tape = self.circuits[circuit].messages.as_ref()?;
        Some(Evaluated { launches, tape })
    }

    /// The quotient of a circuit.
    pub(super) fn quotient(&self, circuit: usize) -> Evaluated<'_, Quotient> {
        let launches = &self.launches.circuits[circuit].quotient;
        Evaluated { launches, tape: &self.circuits[circuit].quotient }
    }
}

impl CircuitKey {
    fn new(
        work: Work<'_>,
        launches: &CircuitLaunches,
        circuit: &Circuit,
        log_blowup: usize,
    ) -> Result<Self, Failure> {
        let tape = |words: &[u64]| work.upload(&format!("tape of {}", circuit.name), words);
        let messages = launches.messages.as_ref();
        let messages = messages.map(|messages| tape(messages.evaluator().words())).transpose()?;
        let quotient = tape(launches.quotient.evaluator().words())?;
        let fixed = match circuit.fixed() {
            Some(fixed) => FixedTable::new(work, &circuit.name, fixed, log_blowup)?,
            None => None,
        };
        Ok(Self { fixed, messages, quotient })
    }
}

impl FixedTable {
    /// `None` if the system came without the cells, which is for verifiers only.
    fn new(
        work: Work<'_>,
        circuit: &str,
        fixed: Fixed<'_>,
        log_blowup: usize,
    ) -> Result<Option<Self>, Failure> {
        let Some(cells) = fixed.cells() else { return Ok(None) };
        let width = fixed.width();
        let trace = uploaded(work, circuit, &cells, width)?;
        let log_height = (cells.len() / width).ilog2() as usize;
        let name = format!("fixed columns of {circuit}");
        let extending = Extending::new(work, &name, [(width, log_height)], log_blowup)?;
        extending.extend(work, 0, &trace)?;
        let (root, committed) = extending.finish(None)?;
        Ok(Some(Self { trace, root, committed }))
    }
}
