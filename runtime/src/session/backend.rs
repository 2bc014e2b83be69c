//! Where a proof is computed. So far only the CPU has a complete backend.

use super::Devices;
use crate::provider::TraceProvider;

/// What a caller may ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backend {
    /// The best that there is.
    #[default]
    Auto,
    /// The CPU; nothing of a device is touched.
    Cpu,
    /// A device. So far a device only writes the rows of a proof, so this asks for its rows.
    Device,
}

/// Why a proof cannot be computed where it was asked for; messages go on after the backend's
/// name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BackendError {
    /// There is no device to use.
    #[error(": {0}")]
    NoDevice(String),
    /// Only a device may compute the proof, and no device can.
    #[error(
        ", with strict rows: this version computes commitments and openings on the CPU only; for \
         strict rows of a device, choose the trace provider of a device and another backend"
    )]
    Strict,
    /// A device only writes the rows of a proof, and other rows were asked for.
    #[error(
        ", with {} rows: in this version a device only writes the rows of a proof, so leave one \
         of the two choices out",
        .0.name()
    )]
    OtherRows(TraceProvider),
}

/// Where a proof is computed, chosen once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Decision {
    /// Name of the backend.
    pub name: &'static str,
    /// Why a device does not compute the proof, or only a part of it.
    pub reason: Option<String>,
    /// Who writes rows; the backend decides what `auto` means.
    pub provider: TraceProvider,
}

/// Chooses.
pub(super) fn decide(
    backend: Backend,
    provider: TraceProvider,
    strict: bool,
    devices: &Devices,
) -> Result<Decision, BackendError> {
    let on_cpu = |reason, provider| Decision { name: "cpu", reason, provider };
    match (backend, devices) {
        (Backend::Cpu, _) | (Backend::Auto, Devices::NotAsked) => Ok(on_cpu(None, provider)),
        (Backend::Auto, Devices::Unavailable(why)) => Ok(on_cpu(Some(why.clone()), provider)),
        (Backend::Auto, Devices::Found(_)) => {
            let why = "this version cannot compute proofs on a device; a device can write the rows";
            Ok(on_cpu(Some(why.into()), provider))
        }
        (Backend::Device, Devices::NotAsked) => {
            Err(BackendError::NoDevice("this session was given no device".into()))
        }
        (Backend::Device, Devices::Unavailable(why)) => Err(BackendError::NoDevice(why.clone())),
        (Backend::Device, Devices::Found(_)) if strict => Err(BackendError::Strict),
        (Backend::Device, Devices::Found(_)) => match provider {
            TraceProvider::Auto | TraceProvider::Device => {
                let why = "in this version a device only writes the rows of a proof";
                Ok(on_cpu(Some(why.into()), TraceProvider::Device))
            }
            other => Err(BackendError::OtherRows(other)),
        },
    }
}
