//! Programs that were run, and devices that run their kernels.
#![allow(dead_code, reason = "every test uses some of it")]

use std::fmt::Display;
use std::num::NonZeroUsize;
use std::sync::Arc;

use libtest_mimic::{Completion, Failed};
use traceloom_abi::io::Io;
use traceloom_abi::record::Record;
use traceloom_air::claim::RankedClaim;
use traceloom_air::system::System;
use traceloom_air::trace::ShardWitness;
use traceloom_bytecode::execute::{Execution, Limits, execute};
use traceloom_bytecode::system::build_system;
use traceloom_bytecode::{CheckedProgram, Program};
use traceloom_cuda::device::Device;
use traceloom_cuda::mock::{Mock, ScalarHost};
use traceloom_cuda::probe::Unavailable;
use traceloom_cuda::provider::{RowOptions, RowWriter};
use traceloom_cuda::staging::StagingOptions;
use traceloom_generated::PROGRAMS;
use traceloom_runtime::bind::Binding;
use traceloom_runtime::device::DeviceOption;
use traceloom_runtime::order::runs;
use traceloom_runtime::provider::{
    ChoiceError, Choices, TraceOptions, TraceProvider, WitnessError, witness,
};
use traceloom_runtime::report::TraceReport;
use traceloom_runtime::seeds::PackOptions;
use traceloom_runtime::source::RecordSource;
use traceloom_runtime::witness::reference_witness;

/// Set to 1: tests that need a device fail where there is none.
pub const REQUIRED: &str = "TRACELOOM_REQUIRE_GPU";

/// Set to 1: tests that need a CUDA compiler fail where there is none.
pub const TOOLKIT_REQUIRED: &str = "TRACELOOM_REQUIRE_TOOLKIT";

/// Something of the machine that a test needs, or the end of the test: it is ignored where
/// the thing is absent, and fails where it is there and broken, or where it is required.
pub fn needed<T, E: Display>(
    found: Result<T, E>,
    is_absent: impl FnOnce(&E) -> bool,
    is_required: bool,
) -> Result<T, Result<Completion, Failed>> {
    found.map_err(|error| match is_absent(&error) && !is_required {
        true => {
            println!("skipped: {error}");
            Ok(Completion::ignored_with(format!("because {error}")))
        }
        false => Err(error.to_string().into()),
    })
}

/// Whether a machine has no device, which is not a fault of it.
pub fn is_without_device(error: &Unavailable) -> bool {
    matches!(error, Unavailable::NoLibrary | Unavailable::NoDevice)
}

/// A program that was run.
pub struct Case {
    pub program: CheckedProgram,
    pub system: System,
    pub record: Record,
    pub claims: Vec<RankedClaim>,
}

impl Case {
    pub fn new(program: Program, args: &[u64], input: usize) -> Self {
        let program = CheckedProgram::new(program).unwrap();
        let system = build_system(&program);
        let entry = program.function_ids().find(|&id| program.function(id).entry).unwrap();
        let mut io = Io::default();
        let words: Vec<u64> = (0..input as u64).map(|i| i * 7 % 251).collect();
        io.add_input(0, &[], &words).unwrap();
        let execution = execute(&program, &[(entry, args.to_vec())], io, &Limits::default());
        let Execution { record, claims, .. } = execution.unwrap();
        Self { program, system, record, claims }
    }

    pub fn fibonacci(n: u64) -> Self {
        Self::new(traceloom_programs::fibonacci::program().unwrap(), &[n], 0)
    }

    pub fn reference(&self) -> ShardWitness {
        let (program, claims) = (&self.program, self.claims.clone());
        reference_witness(program, &self.system, &self.record, claims).unwrap()
    }

    pub fn name(&self) -> &str {
        &self.program.program().name
    }

    /// The seeds of a circuit of functions, if it has rows.
    pub fn source(&self, circuit: usize) -> Option<RecordSource<'_>> {
        let binding = Binding::new(&self.program, PROGRAMS).unwrap();
        let members =
            binding.members(&self.program, &self.program.program().circuits[circuit]).unwrap();
        let runs = runs(&self.program, &self.record, circuit);
        RecordSource::new(members, runs, &self.record, &PackOptions::default())
    }

    /// All traces, written by `writer` as far as it can.
    pub fn device(
        &self,
        writer: &RowWriter,
        strict: bool,
    ) -> Result<(ShardWitness, TraceReport), Failure> {
        let device = DeviceOption::Ready { device: writer, record: &self.record };
        let provider = TraceProvider::Device;
        let options = TraceOptions { provider, strict, device, ..TraceOptions::new(PROGRAMS) };
        let choices = Choices::new(&self.program, &self.system, &options)?;
        let claims = self.claims.clone();
        Ok(witness(&self.program, &self.system, &self.record, claims, &choices)?)
    }
}

/// Why there are no traces.
#[derive(Debug)]
pub enum Failure {
    Choice(ChoiceError),
    Witness(WitnessError),
}

impl From<ChoiceError> for Failure {
    fn from(error: ChoiceError) -> Self {
        Self::Choice(error)
    }
}

impl From<WitnessError> for Failure {
    fn from(error: WitnessError) -> Self {
        Self::Witness(error)
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Choice(error) => error.fmt(f),
            Self::Witness(error) => error.fmt(f),
        }
    }
}

/// Every example program, small.
pub fn examples() -> Vec<Case> {
    vec![
        Case::new(traceloom_programs::blake3::program().unwrap(), &[2100], 2100),
        Case::new(traceloom_programs::sha256::program().unwrap(), &[150], 150),
        Case::fibonacci(70),
        Case::new(traceloom_programs::merge_sort::program().unwrap(), &[20], 80),
        Case::new(traceloom_programs::div_rem::program().unwrap(), &[7, 0, 0, 9, 0, 2, 0, 0], 0),
    ]
}

/// A device that is none, with the scalar writers of the example programs as kernels.
pub fn mock() -> Mock {
    Mock::new(0, Arc::new(ScalarHost::new(PROGRAMS)))
}

pub fn staging(chunk: usize, chunks: usize) -> StagingOptions {
    let number = |n| NonZeroUsize::new(n).unwrap();
    StagingOptions { chunk_bytes: number(chunk), max_chunks: number(chunks) }
}

/// The mock has code for what it runs; any image will do.
pub fn images() -> &'static [traceloom_abi::registry::DeviceImage] {
    let image = |unit: &&'static traceloom_abi::registry::ProgramUnit| {
        traceloom_abi::registry::DeviceImage {
            program: unit.name,
            digest: unit.digest,
            architectures: &["sm_90"],
            bytes: b"image",
        }
    };
    PROGRAMS.iter().map(image).collect::<Vec<_>>().leak()
}

pub fn writer_on(device: &Device, staging: StagingOptions, seed_budget: u64) -> RowWriter {
    let options = RowOptions { staging, seed_budget, ..RowOptions::default() };
    RowWriter::new(device, images(), options).unwrap()
}
