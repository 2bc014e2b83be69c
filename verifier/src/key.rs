//! What both sides compute of a system before any proof.

use std::sync::Arc;

use thiserror::Error;
use traceloom_air::system::{CircuitKind, System};

use crate::digest::system_digest;
use crate::fixed::fixed_root;
use crate::layout::CircuitLayout;
use crate::params::{Params, ParamsError};
use crate::scheme::Root;

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
    /// Analyses `system`. Roots of its fixed tables are constants of the protocol.
    ///
    /// # Errors
    /// [`KeyError`] if a parameter is out of range, or the system is malformed or
    /// of a higher degree than the blowup allows.
    pub fn new(system: &System, params: &Params) -> Result<Self, KeyError> {
        params.check()?;
        check_kinds(system, params)?;
        let mut layouts = Vec::new();
        let mut preprocessed = Vec::new();
        for circuit in &system.circuits {
            layouts.push(CircuitLayout::new(circuit, params)?);
            let root = |table| fixed_root(table, params.log_blowup);
            preprocessed.push(circuit.preprocessed().map(root));
        }
        let digest = system_digest(system, &layouts, &preprocessed);
        Ok(Self {
            system: Arc::new(system.clone()),
            params: *params,
            layouts,
            preprocessed,
            digest,
        })
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
