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
    /// The writers of rows, one for each device.
    pub writers: Vec<Arc<RowWriter>>,
}

impl Gpu {
    /// Looks for the device that the rows or the backend need. A wrong environment variable is
    /// malformed input; the absence of a device is not an error here.
    pub fn open(
        args: &TraceArgs,
        backend: Backend,
        which: Option<&Which>,
    ) -> Result<Self, Failure> {
        let without = |devices| Ok(Self { devices, writers: Vec::new() });
        let one = Which::These(vec![args.device]);
        let which = which.unwrap_or(&one);
        match (backend, args.trace) {
            (Backend::Device, _) => match probe::devices() {
                Err(error) => without(Devices::Unavailable(format!(
                    "{error}; `traceloom doctor` prints what this machine has, and --backend auto \
                     proves on the CPU if there is no GPU"
                ))),
                Ok(devices) => {
                    let there: Vec<u32> = devices.iter().map(|info| info.ordinal).collect();
                    match which.among(&there) {
                        Ok(ordinals) => Self::of_devices(&ordinals),
                        Err(missing) => without(Devices::Unavailable(format!(
                            "there is no device {missing}; `traceloom doctor` lists those of this \
                             machine"
                        ))),
                    }
                }
            },
            (_, TraceProvider::Device) => {
                let gpu = Self::of_devices(&[args.device])?;
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

    fn of_devices(ordinals: &[u32]) -> Result<Self, Failure> {
        let mut writers = Vec::new();
        for &ordinal in ordinals {
            match writer(ordinal)? {
                Ok(writer) => writers.push(Arc::new(writer)),
                Err(reason) => {
                    let reason = match ordinals.len() {
                        1 => reason,
                        _ => format!("device {ordinal}: {reason}; leave it out with --devices"),
                    };
                    let devices = Devices::Unavailable(reason);
                    return Ok(Self { devices, writers: Vec::new() });
                }
            }
        }
        let devices = writers.iter().map(|writer| writer.clone() as _).collect();
        Ok(Self { devices: Devices::Found(devices), writers })
    }
}

/// Opens a device; if that cannot be, why not.
fn writer(ordinal: u32) -> Result<Result<RowWriter, String>, Failure> {
    let device = match Device::open(ordinal) {
        Ok(device) => device,
        Err(error) => return Ok(Err(error.to_string())),
    };
    let options = RowOptions::from_environment(&device).map_err(Failure::Malformed)?;
    let writer = RowWriter::new(&device, crate::images(), options);
    Ok(writer.map_err(|error| error.to_string()))
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
