//! Names of backends, and the GPU that a command asks for.

use std::num::NonZeroU64;
use std::sync::{Arc, OnceLock};

use traceloom_cuda::backend::cost;
use traceloom_cuda::device::Device;
use traceloom_cuda::probe;
use traceloom_cuda::prover_kernels::image::IMAGES;
use traceloom_cuda::provider::{RowOptions, RowWriter};
use traceloom_cuda::resident::budget_from_environment;
use traceloom_runtime::provider::TraceProvider;
use traceloom_runtime::session::{Backend, Devices, OnDemand, SharedDevice};

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

/// The device of a command: looked for once, and opened when it is needed.
pub struct Gpu {
    /// The devices for the session.
    pub devices: Devices,
    /// The writer of rows, once there is one.
    pub writer: Arc<OnceLock<Arc<RowWriter>>>,
}

impl Gpu {
    /// Looks for the device that the rows or the backend need; `max_memory` bounds what it gives
    /// to buffers. A wrong environment variable is malformed input; the absence of a device is
    /// not an error here.
    pub fn open(
        args: &TraceArgs,
        backend: Backend,
        max_memory: Option<NonZeroU64>,
    ) -> Result<Self, Failure> {
        let writer = Arc::new(OnceLock::new());
        let ordinal = args.device;
        let devices = match (backend, args.trace) {
            (Backend::Device, _) => match probe::devices() {
                Err(error) => Devices::Unavailable(format!(
                    "{error}; `traceloom doctor` prints what this machine has, and --backend auto \
                     proves on the CPU if there is no GPU"
                )),
                Ok(devices) if devices.iter().all(|info| info.ordinal != ordinal) => {
                    Devices::Unavailable(format!(
                        "there is no device {ordinal}; `traceloom doctor` lists those of this \
                         machine"
                    ))
                }
                Ok(_) => found(ordinal, max_memory, &writer)?,
            },
            (_, TraceProvider::Device) => found(ordinal, max_memory, &writer)?,
            // Nothing of a driver is touched.
            (Backend::Cpu, _) => Devices::NotAsked,
            (Backend::Auto, _) => on_demand(ordinal, max_memory, &writer)?,
        };
        Ok(Self { devices, writer })
    }
}

/// The device that a driver has under a number, opened now.
fn found(
    ordinal: u32,
    max_memory: Option<NonZeroU64>,
    writer: &OnceLock<Arc<RowWriter>>,
) -> Result<Devices, Failure> {
    let device = match Device::open(ordinal) {
        Ok(device) => device,
        Err(error) => return Ok(Devices::Unavailable(error.to_string())),
    };
    let options = RowOptions::from_environment(&device).map_err(Failure::Malformed)?;
    Ok(match self::writer(&device, options, max_memory, writer) {
        Ok(device) => Devices::Found(vec![device]),
        Err(error) => Devices::Unavailable(error),
    })
}

/// The same, opened for the first proof that it would make sooner than the CPU. Looking for a
/// driver starts none.
fn on_demand(
    ordinal: u32,
    max_memory: Option<NonZeroU64>,
    cell: &Arc<OnceLock<Arc<RowWriter>>>,
) -> Result<Devices, Failure> {
    if let Err(error) = probe::driver() {
        return Ok(Devices::Unavailable(error.to_string()));
    }
    // The size does not matter: whatever is wrong is wrong for every device.
    budget_from_environment(u64::MAX).map_err(Failure::Malformed)?;
    let cell = Arc::clone(cell);
    let open = move || {
        let device = Device::open(ordinal).map_err(|error| error.to_string())?;
        let options = RowOptions::from_environment(&device)?;
        writer(&device, options, max_memory, &cell)
    };
    let estimate = |cells| cost::estimate(cells) + cost::loading(IMAGES);
    Ok(Devices::OnDemand(Arc::new(OnDemand::new(open, estimate))))
}

fn writer(
    device: &Device,
    options: RowOptions,
    max_memory: Option<NonZeroU64>,
    cell: &OnceLock<Arc<RowWriter>>,
) -> Result<SharedDevice, String> {
    let options = RowOptions { max_memory, ..options };
    let writer = RowWriter::new(device, traceloom_generated::IMAGES, options);
    let writer = Arc::new(writer.map_err(|error| error.to_string())?);
    Ok(Arc::clone(cell.get_or_init(|| writer)) as SharedDevice)
}
