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
    /// These. The first one writes all rows, and proves.
    Found(Vec<Arc<dyn RowDevice + Send + Sync>>),
}

impl Devices {
    /// The device that proves, if one does.
    pub(super) fn prover(&self) -> Option<&dyn ProofDevice> {
        match self {
            Self::Found(devices) => devices.first()?.prover(),
            Self::NotAsked | Self::Unavailable(_) => None,
        }
    }

    /// The device of one proof.
    pub(super) fn option<'a>(&'a self, record: &'a Record) -> DeviceOption<'a> {
        match self {
            Self::NotAsked => DeviceOption::NotAsked,
            Self::Unavailable(reason) => DeviceOption::Unavailable(reason),
            Self::Found(devices) => match devices.first() {
                Some(device) => DeviceOption::Ready { device: &**device, record },
                None => DeviceOption::Unavailable("the list of devices is empty"),
            },
        }
    }
}
