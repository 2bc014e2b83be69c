//! Names of backends, and the GPU that a command asks for.

use std::sync::Arc;

use traceloom_cuda::device::Device;
use traceloom_cuda::probe;
use traceloom_cuda::provider::{RowOptions, RowWriter};
use traceloom_runtime::provider::TraceProvider;
use traceloom_runtime::session::{Backend, Devices};

use super::{Failure, TraceArgs};

const NAMES: [(&str, Backend); 3] =
    [("cpu", Backend::Cpu), ("cuda", Backend::Device), ("auto", Backend::Auto)];

/// Parses `--backend`.
pub fn parse(name: &str) -> Result<Backend, String> {
    let found = NAMES.into_iter().find(|(known, _)| *known == name);
    found.map(|(_, backend)| backend).ok_or_else(|| {
        let names = NAMES.map(|(name, _)| name);
        format!("{name:?} is not a backend; choose one of {}", names.join(", "))
    })
}

/// Parses `--trace`.
pub fn provider(name: &str) -> Result<TraceProvider, String> {
    TraceProvider::from_name(name).ok_or_else(|| {
        let names = TraceProvider::ALL.map(TraceProvider::name);
        format!("{name:?} is not a provider; choose one of {}", names.join(", "))
    })
}

/// The device of a command: looked for once.
pub struct Gpu {
    /// The devices for the session.
    pub devices: Devices,
    /// The writer of rows, if there is a device.
    pub writer: Option<Arc<RowWriter>>,
}

impl Gpu {
    /// Looks for the device that the rows or the backend need. A wrong environment variable is
    /// malformed input; the absence of a device is not an error here.
    pub fn open(args: &TraceArgs, backend: Backend) -> Result<Self, Failure> {
        let without = |devices| Ok(Self { devices, writer: None });
        match (backend, args.trace) {
            (Backend::Device, _) => match probe::devices() {
                Err(error) => without(Devices::Unavailable(format!(
                    "{error}; `traceloom doctor` prints what this machine has, and --backend auto \
                     proves on the CPU if there is no GPU"
                ))),
                Ok(devices) if devices.iter().all(|info| info.ordinal != args.device) => {
                    without(Devices::Unavailable(format!(
                        "there is no device {}; `traceloom doctor` lists those of this machine",
                        args.device
                    )))
                }
                Ok(_) => Self::of_device(args.device),
            },
            (_, TraceProvider::Device) => {
                let gpu = Self::of_device(args.device)?;
                match &gpu.devices {
                    // Who names the GPU wants no other rows; only auto falls back.
                    Devices::Unavailable(reason) => Err(Failure::Refused(format!(
                        "--trace device: {reason}; `traceloom doctor` prints what this machine \
                         has, and --trace auto writes the rows on the CPU"
                    ))),
                    _ => Ok(gpu),
                }
            }
            // Nothing of a driver is touched: the CPU proves, until there is a measured reason
            // for the other.
            (Backend::Cpu | Backend::Auto, _) => without(Devices::NotAsked),
        }
    }

    fn of_device(ordinal: u32) -> Result<Self, Failure> {
        let without = |reason| Ok(Self { devices: Devices::Unavailable(reason), writer: None });
        let device = match Device::open(ordinal) {
            Ok(device) => device,
            Err(error) => return without(error.to_string()),
        };
        let options = RowOptions::from_environment(&device).map_err(Failure::Malformed)?;
        match RowWriter::new(&device, crate::images(), options) {
            Ok(writer) => {
                let writer = Arc::new(writer);
                let devices = Devices::Found(vec![writer.clone()]);
                Ok(Self { devices, writer: Some(writer) })
            }
            Err(error) => without(error.to_string()),
        }
    }
}
