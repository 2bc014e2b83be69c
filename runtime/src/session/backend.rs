//! Where a proof is computed. There is one whole backend so far, the CPU's.

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
    /// A device. It has only the rows of a proof so far, so this asks for those.
    Device,
}

/// Why a proof cannot be computed where it was asked for; messages go on after the backend's
/// name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BackendError {
    /// There is no device to use.
    #[error(": {0}")]
    NoDevice(String),
    /// A device alone has to compute the proof, and none can.
    #[error(
        ", with strict rows: this version computes commitments and openings on the CPU only; \
         strict rows of a device need no backend of a device"
    )]
    Strict,
    /// A device has only the rows of a proof, and others were asked for.
    #[error(
        ", with {} rows: a device has only the rows of a proof in this version, so leave one of \
         the two out",
        .0.name()
    )]
    OtherRows(TraceProvider),
}

/// Where a proof is computed, chosen once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Decision {
    /// Name of the backend.
    pub name: &'static str,
    /// Why it is not a device's, or not all of it, where that could have been.
    pub reason: Option<String>,
    /// Who writes rows, with what the backend says about `auto`.
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
            let why = "this version proves on no device; one can write the rows";
            Ok(on_cpu(Some(why.into()), provider))
        }
        (Backend::Device, Devices::NotAsked) => {
            Err(BackendError::NoDevice("this session was given no device".into()))
        }
        (Backend::Device, Devices::Unavailable(why)) => Err(BackendError::NoDevice(why.clone())),
        (Backend::Device, Devices::Found(_)) if strict => Err(BackendError::Strict),
        (Backend::Device, Devices::Found(_)) => match provider {
            TraceProvider::Auto | TraceProvider::Device => {
                let why = "this version has a device write the rows, and nothing else of a proof";
                Ok(on_cpu(Some(why.into()), TraceProvider::Device))
            }
            other => Err(BackendError::OtherRows(other)),
        },
    }
}
