//! Why a step of a proof failed on a device, and where.

use traceloom_prover::ProveError;

use crate::error::DeviceError;
use crate::prover_kernels::ShapeError;
use crate::prover_kernels::tape::TapeError;

/// Why a step failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Failure {
    /// The device.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// No kernel is made for a shape.
    #[error("{0}; prove with --backend cpu")]
    Shape(#[from] ShapeError),
    /// A circuit is too large to be evaluated on a device.
    #[error("{0}; prove with --backend cpu")]
    Tape(#[from] TapeError),
    /// More words than there are numbers.
    #[error("{what}: {words} words are more than any device has")]
    Size {
        /// The buffer.
        what: String,
        /// Its size.
        words: u64,
    },
    /// A batch does not fit.
    #[error(
        "the proof needs {need} bytes of the device, and there are {have} for it ({held} are in \
         buffers of this process); ask for more shards with --shards, raise --max-device-memory, \
         end other users of the device, or prove with --backend cpu"
    )]
    Memory {
        /// Bytes.
        need: u64,
        /// Free ones.
        have: u64,
        /// Those in buffers of this process.
        held: u64,
    },
    /// What a device answered cannot be.
    #[error("{0}, which is a fault of traceloom or of the device")]
    Fault(String),
}

/// A step of a proof.
#[derive(Clone, Copy, Debug)]
pub(super) struct At<'a> {
    /// The stage.
    pub(super) stage: &'static str,
    /// The shard, where a step belongs to one.
    pub(super) shard: Option<usize>,
    /// The circuit, where it belongs to one.
    pub(super) circuit: Option<&'a str>,
}

impl<'a> At<'a> {
    pub(super) const fn shard(stage: &'static str, shard: usize) -> Self {
        Self { stage, shard: Some(shard), circuit: None }
    }

    pub(super) const fn circuit(self, circuit: &'a str) -> Self {
        Self { circuit: Some(circuit), ..self }
    }

    /// The error of a failure here.
    pub(super) fn failed(&self, failure: impl Into<Failure>) -> ProveError {
        let mut place = self.stage.to_owned();
        if let Some(shard) = self.shard {
            place += &format!(", shard {shard}");
        }
        if let Some(circuit) = self.circuit {
            place += &format!(", circuit {circuit:?}");
        }
        let reason = format!("{place}: {}", failure.into());
        ProveError::Backend { backend: super::NAME.into(), reason }
    }
}
