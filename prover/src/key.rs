//! What both sides compute of a system before any proof.

use std::sync::Arc;

use p3_commit::Mmcs as _;
use p3_dft::TwoAdicSubgroupDft;
use p3_field::Field;
use p3_matrix::Matrix;
use p3_matrix::bitrev::BitReversibleMatrix;
use p3_matrix::dense::RowMajorMatrix;
use thiserror::Error;
use traceloom_abi::bytes::ByteTable;
use traceloom_abi::field::element;
use traceloom_abi::system::{CircuitKind, System};

use crate::digest::system_digest;
use crate::evaluator::{CompiledEvaluator, Evaluator};
use crate::layout::CircuitLayout;
use crate::params::{Params, ParamsError};
use crate::scheme::{Dft, F, Root, Tree, mmcs};

/// All that a verifier needs besides the claims: a system with its analysis, the
/// roots of its fixed tables, and the parameters that its proofs must have.
#[derive(Clone, Debug)]
pub struct VerifyingKey {
    system: Arc<System>,
    params: Params,
    layouts: Vec<CircuitLayout>,
    preprocessed: Vec<Option<Root>>,
    digest: [u8; 32],
}

impl VerifyingKey {
    /// Analyses `system` and commits to its fixed tables.
    ///
    /// # Errors
    /// [`KeyError`] if a parameter is out of range, or the system is malformed or
    /// of a higher degree than the blowup allows.
    pub fn new(system: &System, params: &Params) -> Result<Self, KeyError> {
        Ok(ProvingKey::new(system, params)?.verifying)
    }

    /// The system whose proofs this key checks.
    #[must_use]
    pub fn system(&self) -> &System {
        &self.system
    }

    /// The parameters that a proof must have.
    #[must_use]
    pub const fn params(&self) -> &Params {
        &self.params
    }

    /// One layout per circuit.
    #[must_use]
    pub fn layouts(&self) -> &[CircuitLayout] {
        &self.layouts
    }

    /// One root per circuit with a fixed table.
    #[must_use]
    pub fn preprocessed(&self) -> &[Option<Root>] {
        &self.preprocessed
    }

    /// The system digest, see [`mod@crate::digest`].
    #[must_use]
    pub const fn digest(&self) -> &[u8; 32] {
        &self.digest
    }
}

/// A fixed table, as the prover keeps it.
pub(crate) struct FixedTable {
    /// Rows on the trace domain.
    pub(crate) trace: Vec<F>,
    /// Committed values.
    pub(crate) tree: Tree,
}

/// A verifying key and what the prover keeps beside it.
pub struct ProvingKey {
    verifying: VerifyingKey,
    pub(crate) fixed: Vec<Option<FixedTable>>,
    pub(crate) evaluators: Vec<Arc<dyn Evaluator>>,
}

impl ProvingKey {
    /// Analyses `system`, commits to its fixed tables and compiles its expressions.
    ///
    /// # Errors
    /// As [`VerifyingKey::new`].
    pub fn new(system: &System, params: &Params) -> Result<Self, KeyError> {
        params.check()?;
        check_kinds(system, params)?;
        let mut layouts = Vec::new();
        let mut preprocessed = Vec::new();
        let mut fixed = Vec::new();
        let mut evaluators: Vec<Arc<dyn Evaluator>> = Vec::new();
        for circuit in &system.circuits {
            let layout = CircuitLayout::new(circuit, params)?;
            evaluators.push(Arc::new(CompiledEvaluator::new(circuit, &layout)));
            layouts.push(layout);
            let table = circuit.preprocessed().map(|table| commit_fixed(table, params));
            preprocessed.push(table.as_ref().map(|(root, _)| *root));
            fixed.push(table.map(|(_, table)| table));
        }
        let digest = system_digest(system, &layouts, &preprocessed);
        let system = Arc::new(system.clone());
        let verifying = VerifyingKey { system, params: *params, layouts, preprocessed, digest };
        Ok(Self { verifying, fixed, evaluators })
    }

    /// The part that verifiers have.
    #[must_use]
    pub const fn verifying_key(&self) -> &VerifyingKey {
        &self.verifying
    }

    /// Replaces the compiled expressions of circuit `circuit` by another evaluator
    /// of the same expressions. Proof bytes do not depend on it.
    ///
    /// # Panics
    /// If there is no such circuit.
    pub fn set_evaluator(&mut self, circuit: usize, evaluator: Arc<dyn Evaluator>) {
        self.evaluators[circuit] = evaluator;
    }
}

/// Widths are positive, memory widths and byte tables occur once, byte tables fit.
fn check_kinds(system: &System, params: &Params) -> Result<(), KeyError> {
    let mut seen: Vec<&CircuitKind> = Vec::new();
    if system.circuits.is_empty() {
        return Err(KeyError::NoCircuits);
    }
    for circuit in &system.circuits {
        let name = || circuit.name.clone();
        if circuit.width == 0 {
            return Err(KeyError::NoColumns { circuit: name() });
        }
        match &circuit.kind {
            CircuitKind::Function { .. } => continue,
            CircuitKind::Memory { .. } => {
                if circuit.num_publics != 1 {
                    let got = circuit.num_publics;
                    return Err(KeyError::FirstPointer { circuit: name(), got });
                }
            }
            CircuitKind::Bytes(table) => {
                if table.height() > 1 << params.max_log_height {
                    return Err(KeyError::TableHeight { circuit: name() });
                }
            }
        }
        if seen.contains(&&circuit.kind) {
            return Err(KeyError::Twice { circuit: name() });
        }
        seen.push(&circuit.kind);
    }
    Ok(())
}

fn commit_fixed(table: ByteTable, params: &Params) -> (Root, FixedTable) {
    let trace: Vec<F> = table.preprocessed().into_iter().map(element).collect();
    let matrix = RowMajorMatrix::new(trace.clone(), table.preprocessed_width());
    let lde = Dft::default().coset_lde_batch(matrix, params.log_blowup, F::GENERATOR);
    let (cap, tree) = mmcs().commit_matrix(lde.bit_reverse_rows().to_row_major_matrix());
    (cap.roots()[0], FixedTable { trace, tree })
}

/// Why no key can be made: the fault of the program or its compiler.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum KeyError {
    /// A parameter is out of range.
    #[error(transparent)]
    Params(#[from] ParamsError),
    /// There is nothing to prove.
    #[error("the system has no circuits")]
    NoCircuits,
    /// A table without main columns.
    #[error("circuit {circuit}: no main columns")]
    NoColumns {
        /// Name of the circuit.
        circuit: String,
    },
    /// A memory circuit has one public value, its first pointer.
    #[error("circuit {circuit}: a memory has one public value, its first pointer, got {got}")]
    FirstPointer {
        /// Name of the circuit.
        circuit: String,
        /// Its number of public values.
        got: usize,
    },
    /// Two memories of one width, or a byte table twice.
    #[error("circuit {circuit}: a memory width or byte table that another circuit has too")]
    Twice {
        /// Name of the circuit.
        circuit: String,
    },
    /// A fixed table is taller than `max_log_height` allows.
    #[error("circuit {circuit}: taller than parameter max_log_height allows")]
    TableHeight {
        /// Name of the circuit.
        circuit: String,
    },
    /// A lookup without arguments.
    #[error("circuit {circuit}: lookup {index} has an empty message")]
    EmptyMessage {
        /// Name of the circuit.
        circuit: String,
        /// Which lookup.
        index: usize,
    },
    /// An expression reads a column or public value that is not there.
    #[error("circuit {circuit}: {what} column {column} of {count}")]
    Column {
        /// Name of the circuit.
        circuit: String,
        /// `main`, `fixed` or `public`.
        what: &'static str,
        /// The column read.
        column: u32,
        /// How many there are.
        count: usize,
    },
    /// A constraint or lookup names a node that is not in the arena.
    #[error("circuit {circuit}: an expression outside its arena")]
    UnknownNode {
        /// Name of the circuit.
        circuit: String,
    },
    /// The degree is too high for the blowup.
    #[error("circuit {circuit}: {what} {index} has degree {got}, the blowup allows {max}")]
    Degree {
        /// Name of the circuit.
        circuit: String,
        /// `constraint`, `lookup` or `lookup group`.
        what: &'static str,
        /// Which one.
        index: usize,
        /// Its degree.
        got: usize,
        /// The largest degree.
        max: usize,
    },
    /// More transition selectors in one product than its degree makes room for.
    #[error("circuit {circuit}: {what} {index} multiplies too many transition selectors")]
    Transitions {
        /// Name of the circuit.
        circuit: String,
        /// `constraint`, `lookup` or `lookup group`.
        what: &'static str,
        /// Which one.
        index: usize,
    },
}
