//! Where a proof is computed: on the CPU, or on a device that proves.

use super::Devices;
use crate::device::ProofDevice;
use crate::provider::TraceProvider;

/// What a caller may ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backend {
    /// The best that there is.
    #[default]
    Auto,
    /// The CPU; nothing of a device is touched.
    Cpu,
    /// A device: all of a proof, from the rows on.
    Device,
}

/// Why a proof cannot be computed where it was asked for; messages go on after the backend's
/// name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BackendError {
    /// There is no device to use, or it does not prove.
    #[error(": {0}")]
    NoDevice(String),
}

/// Where a proof is computed, chosen once.
#[derive(Clone, Debug)]
pub(super) struct Decision<'a> {
    /// Name of the backend.
    pub name: &'static str,
    /// The devices that prove, with their names; without any the CPU does.
    pub devices: Vec<(String, &'a dyn ProofDevice)>,
    /// Why it is not a device's, where that could have been.
    pub reason: Option<String>,
    /// Who writes rows; the backend decides what `auto` means.
    pub provider: TraceProvider,
}

/// Chooses.
pub(super) fn decide(
    backend: Backend,
    provider: TraceProvider,
    devices: &Devices,
) -> Result<Decision<'_>, BackendError> {
    let on_cpu = |reason, provider| {
        let devices = Vec::new();
        Decision { name: "cpu", devices, reason, provider }
    };
    match (backend, devices) {
        (Backend::Cpu, _) | (Backend::Auto, Devices::NotAsked) => Ok(on_cpu(None, provider)),
        (Backend::Auto, Devices::Unavailable(why)) => Ok(on_cpu(Some(why.clone()), provider)),
        (Backend::Auto, Devices::Found(_)) => {
            let why = "a device proves only if it is asked for";
            Ok(on_cpu(Some(why.into()), provider))
        }
        (Backend::Device, Devices::NotAsked) => {
            Err(BackendError::NoDevice("this session was given no device".into()))
        }
        (Backend::Device, Devices::Unavailable(why)) => Err(BackendError::NoDevice(why.clone())),
        (Backend::Device, Devices::Found(_)) => {
            let why =
                || BackendError::NoDevice("this device writes rows and does not prove".into());
            let devices = devices.provers().ok_or_else(why)?;
            let provider = match provider {
                TraceProvider::Auto => TraceProvider::Device,
                other => other,
            };
            let name = devices[0].1.backend();
            Ok(Decision { name, devices, reason: None, provider })
        }
    }
}
