//! What a device keeps of a system: fixed columns, committed once, and how the expressions of
//! every circuit are evaluated.

use traceloom_air::fixed::Fixed;
use traceloom_air::system::Circuit;
use traceloom_verifier::VerifyingKey;
use traceloom_verifier::layout::CircuitLayout;
use traceloom_verifier::scheme::Root;

use super::commit::{CudaCommitted, Extending};
use super::context::Work;
use super::error::Failure;
use super::trace::uploaded;
use crate::device::Buffer;
use crate::prover_kernels::constraints::Quotient;
use crate::prover_kernels::messages::Messages;

/// What the CUDA backend keeps of a system, one entry per circuit.
#[derive(Debug)]
pub struct CudaKey {
    pub(super) circuits: Vec<CircuitKey>,
}

/// A circuit of the system.
#[derive(Debug)]
pub(super) struct CircuitKey {
    pub(super) fixed: Option<FixedTable>,
    /// Absent without lookups.
    pub(super) messages: Option<Evaluated<Messages>>,
    pub(super) quotient: Evaluated<Quotient>,
}

/// Launches that evaluate a circuit, and what they read of it.
#[derive(Debug)]
pub(super) struct Evaluated<T> {
    pub(super) launches: T,
    pub(super) tape: Buffer,
}

/// The fixed columns of a circuit.
#[derive(Debug)]
pub(super) struct FixedTable {
    /// Columns on the trace domain.
    pub(super) trace: Buffer,
    pub(super) root: Root,
    pub(super) committed: CudaCommitted,
}

impl CircuitKey {
    pub(super) fn new(
        work: Work<'_>,
        key: &VerifyingKey,
        circuit: &Circuit,
        layout: &CircuitLayout,
    ) -> Result<Self, Failure> {
        let degree = key.params().extension_degree;
        let tape = |words: &[u64]| work.upload(&format!("tape of {}", circuit.name), words);
        let messages = match layout.groups.is_empty() {
            true => None,
            false => {
                let launches = Messages::new(circuit, layout, degree)?;
                let tape = tape(launches.evaluator().words())?;
                Some(Evaluated { launches, tape })
            }
        };
        let launches = Quotient::new(circuit, layout, degree)?;
        let tape = tape(launches.evaluator().words())?;
        let log_blowup = key.params().log_blowup;
        let fixed = match circuit.fixed() {
            Some(fixed) => FixedTable::new(work, &circuit.name, fixed, log_blowup)?,
            None => None,
        };
        Ok(Self { fixed, messages, quotient: Evaluated { launches, tape } })
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
        extending.extend(0, &trace)?;
        let (root, committed) = extending.finish(None)?;
        Ok(Some(Self { trace, root, committed }))
    }
}
