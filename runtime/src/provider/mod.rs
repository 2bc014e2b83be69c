//! Providers of main traces, and the one place where they are chosen.
//!
//! Every circuit of functions gets its provider in [`Choices::new`], before a row is written.
//! All later stages read this value, and none decides again: if a chosen provider fails, the
//! proof fails. Memory and byte tables have a single builder and no choice.
//!
//! If a circuit cannot have the provider that was asked for, this circuit alone falls back. It
//! gets generated rows on the CPU if a device was asked for and cannot write them, and otherwise
//! rows of the reference builder. Its [`Reason`] is in [`Choices::reason`], in the notice and in the report.
//! A group falls back as a group.
//!
//! The CPU prover interprets the expressions of System for every circuit. That is its
//! ordinary way, so no circuit needs a reason for it.
//!
//! - `choice`: the decision; `admission`: memory of a device;
//! - `reason`, `notice`: why a circuit fell back, and the line that says so;
//! - `building`: the traces, from what was chosen.
//!
//! Writers know nothing of groups, so a grouping is not a reason to fall back. But a system
//! whose groups are not those of its program is refused.

mod admission;
mod building;
mod choice;
mod notice;
mod reason;

use traceloom_abi::registry::ProgramUnit;
use traceloom_verifier::VerifyingKey;

use crate::device::DeviceOption;
use crate::seeds::PackOptions;

pub use building::{Builder, KeptPieces, WitnessError, all_runs, traces, witness};
pub use choice::Choices;
pub use reason::{ChoiceError, Reason};

/// What a caller may ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TraceProvider {
    /// The best provider of each circuit for a backend that computes on the CPU: generated code
    /// on the CPU. Rows of a device would have to be copied back.
    #[default]
    Auto,
    /// Generated packers on the CPU and writers on a device.
    Device,
    /// Generated packers and writers on the CPU.
    Scalar,
    /// The interpreter over bytecode.
    Reference,
}

impl TraceProvider {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Reference, Self::Scalar, Self::Device, Self::Auto];

    /// Its name on command lines and in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Device => "device",
            Self::Scalar => "scalar",
            Self::Reference => "reference",
        }
    }

    /// The provider of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|provider| provider.name() == name)
    }
}

/// Who writes the rows of a circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provider {
    /// The interpreter over bytecode.
    Reference,
    /// Generated packers and writers on the CPU.
    Scalar,
    /// Generated packers on the CPU and writers on a device.
    Device,
    /// The builder of memory and byte tables.
    Table,
}

impl Provider {
    /// Its name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reference => "reference",
            Self::Scalar => "scalar",
            Self::Device => "device",
            Self::Table => "table",
        }
    }
}

/// What evaluates the constraints and lookups of a circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evaluation {
    /// System's expressions, interpreted: the ordinary way on the CPU, and no fallback.
    System,
}

impl Evaluation {
    /// Its name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::System => "system",
        }
    }
}

/// What a proof is asked to use.
#[derive(Clone, Copy, Debug)]
pub struct TraceOptions<'a> {
    /// Which provider.
    pub provider: TraceProvider,
    /// Whether a fallback is an error.
    pub strict: bool,
    /// What was generated.
    pub registry: &'a [&'static ProgramUnit],
    /// Most bytes of a seed.
    pub max_seed_bytes: usize,
    /// How seeds are packed.
    pub pack: PackOptions,
    /// The device that may write rows.
    pub device: DeviceOption<'a>,
    /// The key whose parameters say how far the shard is padded. Without a key it is padded no
    /// further than its rows need.
    pub key: Option<&'a VerifyingKey>,
}

impl<'a> TraceOptions<'a> {
    /// Default options over what was generated.
    #[must_use]
    pub fn new(registry: &'a [&'static ProgramUnit]) -> Self {
        Self {
            provider: TraceProvider::Auto,
            strict: false,
            registry,
            max_seed_bytes: 1 << 16,
            pack: PackOptions::default(),
            device: DeviceOption::NotAsked,
            key: None,
        }
    }
}
