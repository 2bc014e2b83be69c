//! Main traces and evaluators as the commands ask for them.

use traceloom_abi::record::Record;
use traceloom_abi::registry::ProgramUnit;
use traceloom_abi::system::System;
use traceloom_abi::trace::ShardWitness;
use traceloom_cuda::device::Device;
use traceloom_cuda::provider::{RowOptions, RowWriter};
use traceloom_prover::VerifyingKey;
use traceloom_runtime::device::DeviceOption;
use traceloom_runtime::provider::{Choices, TraceOptions, TraceProvider, witness};
use traceloom_runtime::report::TraceReport;

use super::output::Progress;
use super::source::Run;
use super::{Failure, TraceArgs};

/// What was generated for the built-in programs.
pub fn registry() -> &'static [&'static ProgramUnit] {
    traceloom_generated::PROGRAMS
}

/// Parses `--trace`.
pub fn provider(name: &str) -> Result<TraceProvider, String> {
    TraceProvider::from_name(name).ok_or_else(|| {
        let names = TraceProvider::ALL.map(TraceProvider::name);
        format!("{name:?} is no provider; there are {}", names.join(", "))
    })
}

/// The device of a command, if it asks for one: looked for once.
pub enum Gpu {
    /// No rows of a device were asked for.
    NotAsked,
    /// It is there.
    Ready(Box<RowWriter>),
    /// It is not, and why.
    Unavailable(String),
}

impl Gpu {
    /// Looks for the device that `args` ask for. A wrong variable is malformed input; no
    /// device is none.
    pub fn open(args: &TraceArgs) -> Result<Self, Failure> {
        if args.trace != TraceProvider::Device {
            return Ok(Self::NotAsked);
        }
        let device = match Device::open(args.device) {
            Ok(device) => device,
            Err(error) => return Ok(Self::Unavailable(error.to_string())),
        };
        let options = RowOptions::from_environment(&device).map_err(Failure::Malformed)?;
        Ok(match RowWriter::new(&device, traceloom_generated::IMAGES, options) {
            Ok(writer) => Self::Ready(Box::new(writer)),
            Err(error) => Self::Unavailable(error.to_string()),
        })
    }

    fn option<'a>(&'a self, record: &'a Record) -> DeviceOption<'a> {
        match self {
            Self::NotAsked => DeviceOption::NotAsked,
            Self::Ready(writer) => DeviceOption::Ready { device: &**writer, record },
            Self::Unavailable(reason) => DeviceOption::Unavailable(reason),
        }
    }
}

/// Chooses providers and evaluators; what is proven is padded for `key`. A fallback is said once, in a line on standard error.
pub fn choose<'a>(
    args: &TraceArgs,
    gpu: &'a Gpu,
    run: &'a Run,
    system: &System,
    key: Option<&'a VerifyingKey>,
    progress: &Progress,
) -> Result<Choices<'a>, Failure> {
    let options = TraceOptions {
        provider: args.trace,
        strict: args.strict,
        device: gpu.option(&run.execution.record),
        key,
        ..TraceOptions::new(registry())
    };
    let choices = Choices::new(&run.source.program, system, &options);
    let choices = choices.map_err(|error| Failure::Refused(error.to_string()))?;
    if let Some(notice) = choices.notice() {
        progress.note(&notice);
    }
    if let Gpu::Ready(writer) = gpu {
        for (program, origin) in writer.compiled_now() {
            progress.note(&format!("kernels of program {program:?}: {origin}"));
        }
    }
    Ok(choices)
}

/// Writes all main traces.
pub fn build(
    run: &Run,
    system: &System,
    choices: &Choices<'_>,
) -> Result<(ShardWitness, TraceReport), Failure> {
    let execution = &run.execution;
    let claims = execution.claims.clone();
    witness(&run.source.program, system, &execution.record, claims, choices)
        .map_err(|error| Failure::Refused(error.to_string()))
}
