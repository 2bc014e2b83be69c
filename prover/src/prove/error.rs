//! Why a batch has no proof.

use thiserror::Error;
use traceloom_verifier::security::BelowFloor;
use traceloom_verifier::shape::ShapeError;

use crate::backend::Backend;

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
    /// A trace of another height than its shard states.
    #[error(
        "shard {shard}, circuit {circuit}: the trace is {}, but the shard states that it is {}",
        height(.got), height(.expected)
    )]
    TraceStated {
        /// Which shard.
        shard: usize,
        /// Name of the circuit.
        circuit: String,
        /// Log of the stated height; `None` if the circuit is stated to be inactive.
        expected: Option<usize>,
        /// Log of the height of the trace, if there is one.
        got: Option<usize>,
    },
    /// The traces of a shard cannot be made.
    #[error("shard {shard}: {reason}")]
    Traces {
        /// Which shard.
        shard: usize,
        /// What failed.
        reason: String,
    },
    /// A shard that was committed in round one has another root when it is made again.
    #[error(
        "shard {shard}: its traces were made again and have another root than in round one; the \
         record has changed, or memory or a processor is faulty"
    )]
    RootDiffers {
        /// Which shard.
        shard: usize,
    },
    /// Nobody came to work on the batch.
    #[error("{shards} shards are left and there is nobody who computes them")]
    NoWorker {
        /// Shards of the batch.
        shards: usize,
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
    /// The point that binds a shard lies in a domain: as above.
    #[error("shard {shard}: the point that binds it is in a domain")]
    BoundInDomain {
        /// Which shard.
        shard: usize,
    },
    /// A backend failed: not the witness's fault.
    #[error("the {backend} backend failed: {reason}")]
    Backend {
        /// Its name.
        backend: String,
        /// What failed and what to do.
        reason: String,
    },
}

fn height(log_height: &Option<usize>) -> String {
    log_height.map_or("absent".into(), |log_height| format!("2^{log_height} rows high"))
}

impl ProveError {
    /// The failure of `backend`; `reason` says what failed and what to do.
    pub fn backend(backend: &impl Backend, reason: impl Into<String>) -> Self {
        Self::Backend { backend: backend.name().to_owned(), reason: reason.into() }
    }
}
