//! What a proof asks of a device that writes rows. The crate `cuda` implements it; this crate
//! knows no particular device.
//!
//! A device-born trace has no host matrix. So nothing can read it by mistake before it was
//! written, and only [`DeviceTrace::download`] gives its cells to the host.

use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use traceloom_abi::record::Record;
use traceloom_abi::registry::ProgramUnit;
use traceloom_air::claim::RankedClaim;
use traceloom_air::field::Goldilocks;
use traceloom_air::trace::{ShardWitness, Trace};
use traceloom_prover::backend;
use traceloom_prover::{Batch, ProveError, Retention, SetupError, ShardSource};
use traceloom_verifier::VerifyingKey;
use traceloom_verifier::shape::ShardShape;

use crate::ledger::Ledger;
use crate::provider::WitnessError;
use crate::report::DeviceReport;
use crate::seeds::Encoding;
use crate::shards::RetentionChoice;
use crate::source::SeedSource;

/// The device of a proof.
#[derive(Clone, Copy, Debug, Default)]
pub enum DeviceOption<'a> {
    /// Nobody looked for a device.
    #[default]
    NotAsked,
    /// No device can be used, and why.
    Unavailable(&'a str),
    /// A device can be used.
    Ready {
        /// The device.
        device: &'a dyn RowDevice,
        /// The record whose rows it must hold.
        record: &'a Record,
    },
    /// A device can be used, and whoever planned the proof has made sure that it holds all rows.
    Planned(&'a dyn RowDevice),
}

/// A device that writes rows. Its errors say what failed and what to do.
pub trait RowDevice: fmt::Debug + Sync {
    /// Its name in reports.
    fn name(&self) -> String;

    /// Loads the kernels of a unit and compares them with it, before anything is chosen.
    ///
    /// # Errors
    /// Why its rows cannot be written here.
    fn bind(&self, unit: &'static ProgramUnit, ledger: &Ledger) -> Result<(), String>;

    /// Bytes that traces and seeds may take.
    ///
    /// # Errors
    /// What the device says.
    fn free_bytes(&self) -> Result<u64, String>;

    /// Writes the trace of a circuit of a unit that was bound.
    ///
    /// # Errors
    /// What failed. No other provider writes the rows then.
    fn write(
        &self,
        unit: &'static ProgramUnit,
        circuit: &str,
        source: &dyn SeedSource,
        ledger: &Ledger,
    ) -> Result<DeviceRows, String>;

    /// Writes a trace that it has written, from what it kept of it: without an upload where the
    /// seeds are still there, and from `source` where they had to go.
    ///
    /// # Errors
    /// As [`RowDevice::write`].
    fn write_again(
        &self,
        unit: &'static ProgramUnit,
        circuit: &str,
        source: &dyn SeedSource,
        kept: &KeptSeeds,
        ledger: &Ledger,
    ) -> Result<DeviceRows, String> {
        let _ = kept;
        self.write(unit, circuit, source, ledger)
    }

    /// What proves on this device, if it does more than write rows.
    fn prover(&self) -> Option<&dyn ProofDevice> {
        None
    }
}

/// A device that computes shards of proofs, of traces that it wrote and of those of the host.
pub trait ProofDevice: fmt::Debug + Sync {
    /// Name of its backend in reports.
    fn backend(&self) -> &'static str;

    /// Bytes of its memory that a proof of shards of these shapes takes, in closed form, and
    /// bytes that there are for a proof that runs alone. Nothing is launched or allocated.
    ///
    /// # Errors
    /// [`ProveError::Backend`]: a circuit is too large, or the device does not answer.
    fn memory(
        &self,
        key: &VerifyingKey,
        shapes: &[ShardShape],
        retention: Retention,
    ) -> Result<DeviceMemory, ProveError>;

    /// About how long it takes to commit to this many cells (all rounds, extended) and to open
    /// them, kernels that are not loaded yet included.
    fn estimate(&self, cells: u128) -> Duration;

    /// Works on a batch, on the thread at hand, until nothing is left to do. Other devices may
    /// work on it at the same time. What is computed has the bytes of the CPU. Returns what it
    /// took on the device.
    ///
    /// # Errors
    /// [`DeviceProofError`]: why this device does not go on.
    fn work(&self, job: DeviceJob<'_>) -> Result<DeviceReport, DeviceProofError>;
}

/// What a device works on.
pub struct DeviceJob<'a> {
    /// The key of the system.
    pub key: &'a VerifyingKey,
    /// The batch.
    pub batch: &'a Batch<'a>,
    /// The traces of shards, where they are written.
    pub rows: &'a mut dyn ShardSource<Trace = MainTrace>,
    /// What is kept of shards between the rounds. With [`RetentionChoice::Auto`] the device
    /// keeps them if all of them fit.
    pub retention: RetentionChoice,
    /// Name of the device in reports.
    pub name: String,
    /// Gets every transfer and launch.
    pub ledger: &'a Ledger,
    /// When the request began: times in reports count from here.
    pub began: Instant,
}

/// Bytes of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceMemory {
    /// What a proof takes at most.
    pub need: u64,
    /// What there is for it.
    pub have: u64,
}

/// Seeds that a device keeps as long as there is one of these, and as long as it has room.
#[derive(Clone)]
pub struct KeptSeeds(pub Arc<dyn Any + Send + Sync>);

impl fmt::Debug for KeptSeeds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeptSeeds")
    }
}

/// Why a device made no proof.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DeviceProofError {
    /// It cannot keep what it needs of the system.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// It does not prove.
    #[error(transparent)]
    Prove(#[from] ProveError),
}

/// What a device wrote.
#[derive(Debug)]
pub struct DeviceRows {
    /// The trace.
    pub trace: Box<dyn DeviceTrace>,
    /// The encoding of every run, and bytes of its seeds.
    pub runs: Vec<(Encoding, u64)>,
    /// What it keeps, so that [`RowDevice::write_again`] need not upload it.
    pub kept: Option<KeptSeeds>,
}

/// A main trace that lies on a device only. Who proves on the same device knows its type.
pub trait DeviceTrace: Any + fmt::Debug + Send {
    /// Number of columns.
    fn width(&self) -> usize;

    /// Number of rows, padding included.
    fn height(&self) -> usize;

    /// Copies it to the host; the ledger has every byte.
    ///
    /// # Errors
    /// What failed, also of the work that writes it.
    fn download(&self, ledger: &Ledger) -> Result<Trace, String>;
}

/// A main trace, where it is.
#[derive(Debug)]
pub enum MainTrace {
    /// On the host.
    Host(Trace),
    /// On a device.
    Device(Box<dyn DeviceTrace>),
}

impl MainTrace {
    /// Number of rows, padding included.
    #[must_use]
    pub fn height(&self) -> usize {
        match self {
            Self::Host(trace) => trace.height(),
            Self::Device(trace) => trace.height(),
        }
    }
}

impl backend::MainTrace for MainTrace {
    fn width(&self) -> usize {
        match self {
            Self::Host(trace) => trace.width,
            Self::Device(trace) => trace.width(),
        }
    }

    fn num_cells(&self) -> usize {
        match self {
            Self::Host(trace) => trace.values.len(),
            Self::Device(trace) => trace.width() * trace.height(),
        }
    }
}

/// A [`ShardWitness`] whose traces are still where they were written.
#[derive(Debug)]
pub struct ShardTraces {
    /// By circuit; `None` for inactive ones.
    pub traces: Vec<Option<MainTrace>>,
    /// By circuit: its public values.
    pub publics: Vec<Vec<Goldilocks>>,
    /// The claims that this shard answers, in order.
    pub claims: Vec<RankedClaim>,
}

impl ShardTraces {
    /// Copies every device-born trace to the host, for a backend that computes there.
    /// `circuits` are the circuits' names.
    ///
    /// # Errors
    /// [`WitnessError::Device`].
    pub fn download(
        self,
        circuits: &[String],
        ledger: &Ledger,
    ) -> Result<ShardWitness, WitnessError> {
        let download = |(trace, circuit): (Option<MainTrace>, &String)| match trace {
            None => Ok(None),
            Some(MainTrace::Host(trace)) => Ok(Some(trace)),
            Some(MainTrace::Device(trace)) => trace
                .download(ledger)
                .map(Some)
                .map_err(|error| WitnessError::Device { circuit: circuit.clone(), error }),
        };
        let traces = self.traces.into_iter().zip(circuits).map(download);
        let traces = traces.collect::<Result<_, _>>()?;
        let (publics, claims) = (self.publics, self.claims);
        Ok(ShardWitness { traces, publics, claims, boundary: Vec::new() })
    }
}
