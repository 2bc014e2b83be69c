//! What a device refuses, and where.

use std::fmt;
use std::ops::Range;

/// A result code of the CUDA driver. Drivers newer than this crate may return codes
/// that it does not know, so this is a number and no enumeration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(pub u32);

impl Code {
    /// An argument is out of range. This crate returns the code for such arguments, too.
    pub const INVALID_VALUE: Self = Self(1);
    /// Out of memory.
    pub const OUT_OF_MEMORY: Self = Self(2);
    /// The library is a stub that was only meant for linking.
    pub const STUB_LIBRARY: Self = Self(34);
    /// The machine has no device, or shows none to this process.
    pub const NO_DEVICE: Self = Self(100);
    /// The image has no code for the device.
    pub const NO_BINARY_FOR_GPU: Self = Self(209);
    /// The image has only text of a newer toolkit than the driver's.
    pub const UNSUPPORTED_PTX_VERSION: Self = Self(222);
    /// The image has no such kernel.
    pub const NOT_FOUND: Self = Self(500);
    /// Work is not complete yet.
    pub const NOT_READY: Self = Self(600);
    /// A kernel used memory that is not there.
    pub const ILLEGAL_ADDRESS: Self = Self(700);
    /// A kernel failed.
    pub const LAUNCH_FAILED: Self = Self(719);

    /// The driver's name of the code, as far as this crate knows it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self.0 {
            1 => "invalid value",
            2 => "out of memory",
            3 => "driver not initialized",
            4 => "driver shutting down",
            34 => "stub library",
            46 => "device unavailable",
            100 => "no device",
            101 => "invalid device",
            200 => "invalid image",
            201 => "invalid context",
            209 => "no binary for this GPU",
            214 => "uncorrectable ECC error",
            218 => "invalid PTX",
            220 => "uncorrectable NVLink error",
            221 => "JIT compiler not found",
            222 => "unsupported PTX version",
            226 => "contained error",
            304 => "operating system",
            400 => "invalid handle",
            500 => "not found",
            600 => "not ready",
            700 => "illegal address",
            701 => "launch out of resources",
            702 => "launch timeout",
            710 => "assertion in a kernel",
            714 => "hardware stack error",
            715 => "illegal instruction",
            716 => "misaligned address",
            717 => "invalid address space",
            718 => "invalid program counter",
            719 => "launch failed",
            801 => "not supported",
            802 => "system not ready",
            803 => "system driver mismatch",
            999 => "unknown error",
            _ => "unnamed error",
        }
    }

    /// Whether the device can do nothing more for this process after it.
    #[must_use]
    pub const fn is_final(self) -> bool {
        matches!(self.0, 214 | 220 | 226 | 700 | 702 | 710 | 714..=719)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (CUDA error {})", self.name(), self.0)
    }
}

/// What a call was for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Kernel.
    pub kernel: Option<String>,
    /// Circuit.
    pub circuit: Option<String>,
    /// Rows of the circuit.
    pub rows: Option<Range<u64>>,
    /// Buffer.
    pub buffer: Option<String>,
}

impl Place {
    /// A buffer.
    #[must_use]
    pub fn buffer(name: &str) -> Self {
        Self { buffer: Some(name.into()), ..Self::default() }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(kernel) = &self.kernel {
            write!(f, ", kernel {kernel}")?;
        }
        if let Some(circuit) = &self.circuit {
            write!(f, ", circuit {circuit:?}")?;
        }
        if let Some(rows) = &self.rows {
            write!(f, ", rows {} to {}", rows.start, rows.end)?;
        }
        match &self.buffer {
            Some(buffer) => write!(f, ", buffer {buffer:?}"),
            None => Ok(()),
        }
    }
}

/// A call to a device that failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// The driver refused, or earlier work failed.
    #[error("{device}: {call} failed{place}: {code}")]
    Call {
        /// The device.
        device: String,
        /// What was asked for.
        call: &'static str,
        /// What for.
        place: Box<Place>,
        /// The driver's answer.
        code: Code,
    },
    /// There is not enough memory, after everything that can be released has been.
    #[error(
        "{device}: no memory for buffer {buffer:?} of {need} bytes: {free} bytes are free, this \
         process holds {held}{largest}; stop other processes that use the device, or prove less \
         at once"
    )]
    Memory {
        /// The device.
        device: String,
        /// Name of the buffer.
        buffer: String,
        /// Its size.
        need: u64,
        /// Free bytes of the device.
        free: u64,
        /// Bytes in buffers of this process.
        held: u64,
        /// The largest of them, in words.
        largest: String,
    },
    /// An earlier error was final.
    #[error("this process can no longer use {device} after an earlier error: {code}")]
    Lost {
        /// The device.
        device: String,
        /// That error.
        code: Code,
    },
    /// An object of another device.
    #[error("{device}: {what} belongs to {owner}; a device can only use its own objects")]
    Foreign {
        /// The device.
        device: String,
        /// What was given to it.
        what: String,
        /// The device that it belongs to.
        owner: String,
    },
}

impl DeviceError {
    /// The driver's answer, or the one that fits best.
    #[must_use]
    pub const fn code(&self) -> Code {
        match self {
            Self::Call { code, .. } | Self::Lost { code, .. } => *code,
            Self::Memory { .. } => Code::OUT_OF_MEMORY,
            Self::Foreign { .. } => Code::INVALID_VALUE,
        }
    }
}
