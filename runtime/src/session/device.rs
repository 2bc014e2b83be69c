//! The devices of a session.

use std::sync::Arc;

use traceloom_abi::record::Record;

use crate::device::{DeviceOption, ProofDevice, RowDevice};

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
    Found(Vec<Arc<dyn RowDevice + Send + Sync>>),
}

impl Devices {
    /// The devices that prove, with their names; none if one of them does not.
    pub(super) fn provers(&self) -> Option<Vec<(String, &dyn ProofDevice)>> {
        match self {
            Self::Found(devices) => {
                let provers = devices.iter().map(|of| Some((of.name(), of.prover()?)));
                provers.collect::<Option<Vec<_>>>().filter(|provers| !provers.is_empty())
            }
            Self::NotAsked | Self::Unavailable(_) => None,
        }
    }

    /// The device with this position, for one record.
    pub(super) fn option<'a>(&'a self, position: usize, record: &'a Record) -> DeviceOption<'a> {
        match self {
            Self::NotAsked => DeviceOption::NotAsked,
            Self::Unavailable(reason) => DeviceOption::Unavailable(reason),
            Self::Found(devices) => match devices.get(position) {
                Some(device) => DeviceOption::Ready { device: &**device, record },
                None => DeviceOption::Unavailable("the list of devices is empty"),
            },
        }
    }
}
