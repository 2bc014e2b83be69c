//! Names of backends, and the GPU that a command asks for.

use std::num::NonZeroU64;
use std::sync::{Arc, Mutex, PoisonError};

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
    /// The writers of rows, one for each device that is opened.
    pub writers: Writers,
}

/// Writers of rows, as they are opened.
pub type Writers = Arc<Mutex<Vec<Arc<RowWriter>>>>;

impl Gpu {
    /// Looks for the devices that the rows or the backend need; `max_memory` bounds what each
    /// gives to buffers. A wrong environment variable is malformed input; the absence of a device
    /// is not an error here.
    pub fn open(
        args: &TraceArgs,
        backend: Backend,
        which: Option<&Which>,
        max_memory: Option<NonZeroU64>,
    ) -> Result<Self, Failure> {
        let writers = Writers::default();
        let one = Which::These(vec![args.device]);
        let which = which.unwrap_or(&one);
        let devices = match (backend, args.trace) {
            (Backend::Device, _) => match probe::devices() {
                Err(error) => Devices::Unavailable(format!(
                    "{error}; `traceloom doctor` prints what this machine has, and --backend auto \
                     proves on the CPU if there is no GPU"
                )),
                Ok(devices) => {
                    let there: Vec<u32> = devices.iter().map(|info| info.ordinal).collect();
                    match which.among(&there) {
                        Ok(ordinals) => found(&ordinals, max_memory, &writers)?,
                        Err(missing) => Devices::Unavailable(format!(
                            "there is no device {missing}; `traceloom doctor` lists those of this \
                             machine"
                        )),
                    }
                }
            },
            (_, TraceProvider::Device) => match found(&[args.device], max_memory, &writers)? {
                // Who names the GPU wants no other rows; only auto falls back.
                Devices::Unavailable(reason) => {
                    return Err(Failure::Refused(format!(
                        "--trace device: {reason}; `traceloom doctor` prints what this machine \
                         has, and --trace auto writes the rows on the CPU"
                    )));
                }
                devices => devices,
            },
            // Nothing of a driver is touched.
            (Backend::Cpu, _) => Devices::NotAsked,
            (Backend::Auto, _) => on_demand(args.device, max_memory, &writers)?,
        };
        Ok(Self { devices, writers })
    }
}

/// Devices that a driver has under these numbers, opened now.
fn found(
    ordinals: &[u32],
    max_memory: Option<NonZeroU64>,
    writers: &Writers,
) -> Result<Devices, Failure> {
    let mut devices = Vec::new();
    for &ordinal in ordinals {
        let opened = match Device::open(ordinal) {
            Ok(device) => {
                let options = RowOptions::from_environment(&device).map_err(Failure::Malformed)?;
                writer(&device, options, max_memory, writers)
            }
            Err(error) => Err(error.to_string()),
        };
        match opened {
            Ok(device) => devices.push(device),
            Err(reason) => {
                return Ok(Devices::Unavailable(match ordinals.len() {
                    1 => reason,
                    _ => format!("device {ordinal}: {reason}; leave it out with --devices"),
                }));
            }
        }
    }
    Ok(Devices::Found(devices))
}

/// The device that a driver has under a number, opened for the first proof that it would make
/// sooner than the CPU. Looking for a driver starts none.
fn on_demand(
    ordinal: u32,
    max_memory: Option<NonZeroU64>,
    writers: &Writers,
) -> Result<Devices, Failure> {
    if let Err(error) = probe::driver() {
        return Ok(Devices::Unavailable(error.to_string()));
    }
    // The size does not matter: whatever is wrong is wrong for every device.
    budget_from_environment(u64::MAX).map_err(Failure::Malformed)?;
    let writers = Arc::clone(writers);
    let open = move || {
        let device = Device::open(ordinal).map_err(|error| error.to_string())?;
        let options = RowOptions::from_environment(&device)?;
        writer(&device, options, max_memory, &writers)
    };
    let estimate = |cells| cost::estimate(cells) + cost::loading(IMAGES);
    Ok(Devices::OnDemand(Arc::new(OnDemand::new(open, estimate))))
}

fn writer(
    device: &Device,
    options: RowOptions,
    max_memory: Option<NonZeroU64>,
    writers: &Writers,
) -> Result<SharedDevice, String> {
    let options = RowOptions { max_memory, ..options };
    let writer = RowWriter::new(device, crate::images(), options);
    let writer = Arc::new(writer.map_err(|error| error.to_string())?);
    writers.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(&writer));
    Ok(writer)
}

/// The GPUs of a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Which {
    /// All that can be used.
    All,
    /// Those with these numbers.
    These(Vec<u32>),
}

impl Which {
    /// Parses `--devices`.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text == "all" {
            return Ok(Self::All);
        }
        let numbers: Option<Vec<u32>> = text.split(',').map(|number| number.parse().ok()).collect();
        let numbers = numbers.ok_or_else(|| {
            format!("{text:?} are no devices; give numbers separated by commas, or all")
        })?;
        for (position, number) in numbers.iter().enumerate() {
            if numbers[..position].contains(number) {
                return Err(format!("device {number} is named twice; name each device once"));
            }
        }
        Ok(Self::These(numbers))
    }

    /// Their numbers, or the first one that is not there.
    fn among(&self, there: &[u32]) -> Result<Vec<u32>, u32> {
        match self {
            Self::All => Ok(there.to_vec()),
            Self::These(numbers) => match numbers.iter().find(|number| !there.contains(number)) {
                Some(&missing) => Err(missing),
                None => Ok(numbers.clone()),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_all_or_a_list_without_repetitions() {
        assert_eq!(Which::parse("all"), Ok(Which::All));
        assert_eq!(Which::parse("2,0"), Ok(Which::These(vec![2, 0])));
        for text in ["", "0,", "-1", "a", "0;1", "All"] {
            assert!(Which::parse(text).unwrap_err().contains("are no devices"), "{text}");
        }
        assert!(Which::parse("1,0,1").unwrap_err().contains("device 1 is named twice"));
        assert_eq!(Which::All.among(&[0, 3]), Ok(vec![0, 3]));
        assert_eq!(Which::These(vec![3]).among(&[0, 3]), Ok(vec![3]));
        assert_eq!(Which::These(vec![0, 1]).among(&[0, 3]), Err(1));
    }
}
