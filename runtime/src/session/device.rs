//! The devices of a session.

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use traceloom_abi::record::Record;

use crate::device::{DeviceOption, ProofDevice, RowDevice};

/// A device that threads share.
pub type SharedDevice = Arc<dyn RowDevice + Send + Sync>;

/// What may write rows and prove besides the CPU.
#[derive(Clone, Debug, Default)]
pub enum Devices {
    /// Nobody looked for a device.
    #[default]
    NotAsked,
    /// None can be used, and why.
    Unavailable(String),
    /// These. The first one writes the rows of a check; each writes the rows of the shards that
    /// it proves.
    Found(Vec<SharedDevice>),
    /// One that is opened for the first proof that it would make sooner than the CPU.
    OnDemand(Arc<OnDemand>),
}

/// How a device is opened, which takes time, or why it cannot be.
type Open = dyn Fn() -> Result<SharedDevice, String> + Send + Sync;

/// About how long a proof of so many cells takes there, with the time to open it.
type Estimate = dyn Fn(u128) -> Duration + Send + Sync;

/// A device that was not opened yet.
pub struct OnDemand {
    open: Box<Open>,
    estimate: Box<Estimate>,
    opened: OnceLock<Result<SharedDevice, String>>,
}

impl OnDemand {
    /// Opened by `open`, once. Until then `estimate` says about how long a proof takes that
    /// commits to so many cells (extended ones), the start of the device included.
    pub fn new(
        open: impl Fn() -> Result<SharedDevice, String> + Send + Sync + 'static,
        estimate: impl Fn(u128) -> Duration + Send + Sync + 'static,
    ) -> Self {
        let opened = OnceLock::new();
        Self { open: Box::new(open), estimate: Box::new(estimate), opened }
    }

    fn device(&self) -> Result<&SharedDevice, &str> {
        self.opened.get_or_init(|| (self.open)()).as_ref().map_err(String::as_str)
    }
}

impl fmt::Debug for OnDemand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnDemand").field("opened", &self.opened).finish_non_exhaustive()
    }
}

impl Devices {
    /// All of them, one at least, opened if they were not.
    fn all(&self) -> Result<&[SharedDevice], &str> {
        match self {
            Self::NotAsked => Err("this session was given no device"),
            Self::Unavailable(reason) => Err(reason),
            Self::Found(devices) if devices.is_empty() => Err("the list of devices is empty"),
            Self::Found(devices) => Ok(devices),
            Self::OnDemand(device) => device.device().map(std::slice::from_ref),
        }
    }

    /// The device with this position.
    fn at(&self, position: usize) -> Result<&SharedDevice, &str> {
        self.all()?.get(position).ok_or("there is no such device")
    }

    /// The devices that prove, with their names, opened if they were not; else why none does.
    pub(super) fn provers(&self) -> Result<Vec<(String, &dyn ProofDevice)>, String> {
        let provers = self.all()?.iter().map(|of| Some((of.name(), of.prover()?)));
        let provers = provers.collect::<Option<Vec<_>>>();
        provers.ok_or_else(|| "this device writes rows and does not prove".to_owned())
    }

    /// About how long a proof takes there that commits to this many cells, extended ones: on the
    /// first device, as if there were no other.
    pub(super) fn estimate(&self, cells: u128) -> Duration {
        let opened = match self {
            Self::Found(devices) => devices.first(),
            Self::OnDemand(device) => match device.opened.get() {
                None => return (device.estimate)(cells),
                Some(opened) => opened.as_ref().ok(),
            },
            Self::NotAsked | Self::Unavailable(_) => None,
        };
        // Where there is none, asking for it says why.
        let prover = opened.and_then(|device| device.prover());
        prover.map_or(Duration::ZERO, |prover| prover.estimate(cells))
    }

    /// The first device, for one record.
    pub(super) fn option<'a>(&'a self, record: &'a Record) -> DeviceOption<'a> {
        match self {
            Self::NotAsked => DeviceOption::NotAsked,
            _ => match self.at(0) {
                Ok(device) => DeviceOption::Ready { device: &**device, record },
                Err(reason) => DeviceOption::Unavailable(reason),
            },
        }
    }

    /// The device with this position, for the rows of a proof whose memory it was planned to have.
    pub(super) fn planned(&self, position: usize) -> DeviceOption<'_> {
        match self.at(position) {
            Ok(device) => DeviceOption::Planned(&**device),
            Err(reason) => DeviceOption::Unavailable(reason),
        }
    }
}
