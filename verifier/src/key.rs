//! What both sides compute of a system before any proof.

use std::sync::Arc;

use thiserror::Error;
use traceloom_air::claim::Boundary;
use traceloom_air::field::is_canonical;
use traceloom_air::fixed::{Fixed, FixedColumns};
use traceloom_air::message::OPS_CHANNEL;
use traceloom_air::system::{Circuit, CircuitKind, System};

use crate::digest::system_digest;
use crate::fixed::{commit_fixed, fixed_root};
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
    /// Analyses `system`. Roots of byte tables are constants of the protocol, those of a
    /// program's own fixed columns are computed from their cells.
    ///
    /// # Errors
    /// [`KeyError`] if a parameter is out of range, or the system is malformed or
    /// of a higher degree than the blowup allows.
    pub fn new(system: &System, params: &Params) -> Result<Self, KeyError> {
        Self::with_roots(system, params, &[])
    }

    /// The same with roots of the program's own fixed columns from anywhere, one entry
    /// per circuit, whose cells are then not needed: what makes them right is that the
    /// caller knows the system digest.
    ///
    /// # Errors
    /// As [`Self::new`], and [`KeyError::Pinned`] if the system digest with these roots
    /// is not `digest`.
    pub fn pinned(
        system: &System,
        params: &Params,
        roots: &[Option<Root>],
        digest: &[u8; 32],
    ) -> Result<Self, KeyError> {
        let key = Self::with_roots(system, params, roots)?;
        if key.digest != *digest {
            return Err(KeyError::Pinned);
        }
        Ok(key)
    }

    fn with_roots(
        system: &System,
        params: &Params,
        roots: &[Option<Root>],
    ) -> Result<Self, KeyError> {
        params.check()?;
        check_system(system, params)?;
        let mut layouts = Vec::new();
        let mut preprocessed = Vec::new();
        for (index, circuit) in system.circuits.iter().enumerate() {
            layouts.push(CircuitLayout::new(circuit, params)?);
            let given = roots.get(index).copied().flatten();
            let root = |fixed| root_of(circuit, fixed, given, params.log_blowup);
            preprocessed.push(circuit.fixed().map(root).transpose()?);
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

    /// One root per circuit with fixed columns.
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

/// Root of a circuit's fixed columns; the given one is no more than a proposal for those
/// of a program.
fn root_of(
    circuit: &Circuit,
    fixed: Fixed<'_>,
    given: Option<Root>,
    log_blowup: usize,
) -> Result<Root, KeyError> {
    match (fixed, given) {
        (Fixed::Bytes(table), _) => Ok(fixed_root(table, log_blowup)),
        (Fixed::Program(_), Some(root)) => Ok(root),
        (Fixed::Program(columns), None) => {
            let cells = columns.cells.as_deref();
            let cells = cells.ok_or_else(|| KeyError::NoCells { circuit: circuit.name.clone() })?;
            Ok(commit_fixed(cells.to_vec(), columns.width, log_blowup))
        }
    }
}

/// Widths are positive, memory widths and tables occur once, fixed tables fit, and
/// boundaries have channels of op tables.
fn check_system(system: &System, params: &Params) -> Result<(), KeyError> {
    let mut seen: Vec<CircuitKind> = Vec::new();
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
            CircuitKind::Bytes(_) | CircuitKind::Ops { .. } => {}
        }
        if let Some(fixed) = circuit.fixed() {
            check_fixed(circuit, fixed, params)?;
        }
        let identity = match &circuit.kind {
            CircuitKind::Ops { table, .. } => CircuitKind::Ops { table: *table, fixed: None },
            kind => kind.clone(),
        };
        if seen.contains(&identity) {
            return Err(KeyError::Twice { circuit: name() });
        }
        seen.push(identity);
    }
    check_boundaries(&system.boundaries)
}

/// Not wider than memory, not taller than traces, and with all cells or none.
fn check_fixed(circuit: &Circuit, fixed: Fixed<'_>, params: &Params) -> Result<(), KeyError> {
    let name = || circuit.name.clone();
    if fixed.log_height() > params.max_log_height {
        return Err(KeyError::TableHeight { circuit: name() });
    }
    let Fixed::Program(FixedColumns { width, log_height, cells: Some(cells) }) = fixed else {
        return if fixed.width() == 0 {
            Err(KeyError::NoColumns { circuit: name() })
        } else {
            Ok(())
        };
    };
    let (expected, got) = (width.saturating_mul(1 << log_height), cells.len());
    match expected == got && got > 0 {
        true => Ok(()),
        false => Err(KeyError::Cells { circuit: name(), expected, got }),
    }
}

/// Channels are those of op tables, and one channel has one length.
fn check_boundaries(boundaries: &[Boundary]) -> Result<(), KeyError> {
    for (index, boundary) in boundaries.iter().enumerate() {
        let name = || boundary.name.clone();
        let channel = boundary.channel;
        if channel < OPS_CHANNEL || !is_canonical(channel) {
            return Err(KeyError::Channel { boundary: name(), channel });
        }
        let other = boundaries[..index].iter().find(|other| other.channel == channel);
        if other.is_some_and(|other| other.num_values != boundary.num_values) {
            return Err(KeyError::Length { boundary: name(), channel });
        }
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
    /// Two memories of one width, or a table twice.
    #[error("circuit {circuit}: a memory width or table that another circuit has too")]
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
    /// Fixed columns without or with other than their cells.
    #[error("circuit {circuit}: {got} fixed cells, expected {expected}")]
    Cells {
        /// Name of the circuit.
        circuit: String,
        /// Columns times rows.
        expected: usize,
        /// The number at hand.
        got: usize,
    },
    /// Fixed columns of which neither cells nor a root are known.
    #[error(
        "circuit {circuit}: no cells of its fixed columns; give them, or pin the system digest"
    )]
    NoCells {
        /// Name of the circuit.
        circuit: String,
    },
    /// Another system than the pinned one.
    #[error("the system digest is not the pinned one")]
    Pinned,
    /// A boundary on a channel that is not one of op tables.
    #[error("boundary {boundary}: channel {channel} is none of op tables")]
    Channel {
        /// Name of the boundary.
        boundary: String,
        /// Its channel.
        channel: u64,
    },
    /// Two boundaries of one channel and different lengths.
    #[error("boundary {boundary}: channel {channel} has messages of another length")]
    Length {
        /// Name of the boundary.
        boundary: String,
        /// Its channel.
        channel: u64,
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
