//! Why a circuit has other rows than those that were asked for.

use crate::bind::{BindError, Difference, FunctionError};

use super::Provider;

/// Why a circuit has other rows than those that were asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// The reference builder was asked for.
    #[error("generated rows are disabled")]
    Disabled,
    /// The whole program has no usable unit: none was generated, or it was generated from other
    /// bytecode or by another version of the generator.
    #[error(transparent)]
    Unbound(#[from] BindError),
    /// One member of the circuit has no usable unit: none was generated, or it differs.
    #[error(transparent)]
    Function(#[from] FunctionError),
    /// A seed of a member takes more bytes than allowed.
    #[error(
        "a seed of function {function:?} takes {stride} bytes, more than {most}; allow seeds of \
         {stride} bytes or split the function"
    )]
    SeedTooWide {
        /// Name of the function.
        function: String,
        /// Bytes of its widest seed.
        stride: usize,
        /// Bytes that are allowed.
        most: usize,
    },
    /// There is no device.
    #[error("no device writes rows: {0}")]
    NoDevice(String),
    /// The device has no kernels of the program.
    #[error("the device has no kernels of the program: {0}")]
    NoKernels(String),
    /// The device has not enough memory.
    #[error(
        "its trace takes {need} bytes of device memory and {have} are left; stop other processes \
         that use the device, or prove less at once"
    )]
    NotEnoughMemory {
        /// Bytes of the trace and its seeds.
        need: u64,
        /// Bytes that circuits before it have left.
        have: u64,
    },
}

/// Why no provider was chosen.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChoiceError {
    /// A circuit would fall back, and fallbacks are forbidden.
    #[error("circuit {circuit:?} would have {} rows: {reason}", provider.name())]
    Strict {
        /// Name of the circuit.
        circuit: String,
        /// What it would fall back to.
        provider: Provider,
        /// Why.
        reason: Box<Reason>,
    },
    /// The system is not the program's.
    #[error("system and program differ: {0}")]
    System(Difference),
}
