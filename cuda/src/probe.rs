//! The devices of this machine, or why there is none. Nothing here panics.

use crate::driver::DeviceInfo;
use crate::error::Code;
use crate::native;

/// Why no device can be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unavailable {
    /// The driver's library is not there.
    #[error("no NVIDIA driver is installed (libcuda.so.1 was not found)")]
    NoLibrary,
    /// It is there, and cannot be loaded.
    #[error("the library of the NVIDIA driver cannot be loaded: {error}; reinstall the driver")]
    BrokenLibrary {
        /// The loader's words.
        error: String,
    },
    /// It lacks functions.
    #[error("the library of the NVIDIA driver has no {symbol}; install a newer driver")]
    MissingSymbol {
        /// The first function that it lacks.
        symbol: &'static str,
    },
    /// It is a stub of the toolkit.
    #[error(
        "libcuda is the stub of the toolkit and not a driver; remove its folder from \
         LD_LIBRARY_PATH, or install the driver"
    )]
    StubLibrary,
    /// The driver is too old.
    #[error(
        "the NVIDIA driver supports CUDA {}.{}, but {}.{} is needed; install a newer driver",
        found.0, found.1, needed.0, needed.1
    )]
    TooOld {
        /// Version that it states.
        found: (u32, u32),
        /// Oldest version that does.
        needed: (u32, u32),
    },
    /// There is no device, or none is shown.
    #[error("the NVIDIA driver shows no device; check CUDA_VISIBLE_DEVICES and nvidia-smi")]
    NoDevice,
    /// There are fewer devices.
    #[error("there is no device {ordinal}: the driver shows {count}, counted from 0")]
    NoSuchDevice {
        /// The number asked for.
        ordinal: u32,
        /// How many there are.
        count: u32,
    },
    /// The driver does not start.
    #[error("the NVIDIA driver does not start: {call}: {code}; check nvidia-smi")]
    Refused {
        /// The call.
        call: &'static str,
        /// Its answer.
        code: Code,
    },
}

impl Unavailable {
    /// What an answer of the driver means before there is a device.
    pub(crate) fn from_code(call: &'static str, code: Code) -> Self {
        match code {
            Code::STUB_LIBRARY => Self::StubLibrary,
            Code::NO_DEVICE => Self::NoDevice,
            code => Self::Refused { call, code },
        }
    }
}

/// Whether there is a driver. It is not started, so this takes no time.
///
/// # Errors
/// [`Unavailable`].
pub fn driver() -> Result<(), Unavailable> {
    native::library::driver()
}

/// The devices that this process may use, in the driver's order; at least one. A device that
/// does not answer is left out, and the others are listed.
///
/// # Errors
/// [`Unavailable`], that of the first device if none answers.
pub fn devices() -> Result<Vec<DeviceInfo>, Unavailable> {
    let all: Vec<_> = (0..native::machine::start()?).map(native::machine::describe).collect();
    if all.iter().any(Result::is_ok) {
        return Ok(all.into_iter().flatten().collect());
    }
    all.into_iter().collect()
}
