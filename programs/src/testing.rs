//! Running programs in tests.

use rand::{RngCore, SeedableRng};
use traceloom_abi::io::Io;
use traceloom_bytecode::execute::{Execution, Limits, execute};
use traceloom_bytecode::{CheckedProgram, Program};

/// A finished run of one claim.
pub(crate) struct Run {
    program: CheckedProgram,
    execution: Execution,
}

impl Run {
    pub(crate) fn outputs(&self) -> Vec<u64> {
        self.execution.outputs(0)
    }

    /// What was written to a channel.
    pub(crate) fn channel(&self, channel: u64) -> &[u64] {
        let mut channels = self.execution.record.io.channels();
        channels.find(|&(other, _)| other == channel).map_or(&[], |(_, words)| words)
    }

    /// Number of rows in the trace of a function.
    pub(crate) fn rows(&self, function: &str) -> usize {
        let queries =
            &self.execution.record.functions[self.program.find(function).unwrap().index()];
        (0..queries.len()).filter(|&query| queries.multiplicity(query) != 0).count()
    }
}

/// Random bytes that depend on their number only.
pub(crate) fn random_bytes(len: usize) -> Vec<u8> {
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(len as u64);
    let mut bytes = vec![0; len];
    rng.fill_bytes(&mut bytes);
    bytes
}

pub(crate) fn run(program: &Program, entry: &str, args: &[u64], input: &[u8]) -> Run {
    try_run(program, entry, args, input).unwrap()
}

/// Runs a claim over `input` on channel 0; the error as text.
pub(crate) fn try_run(
    program: &Program,
    entry: &str,
    args: &[u64],
    input: &[u8],
) -> Result<Run, String> {
    let program = CheckedProgram::new(program.clone()).map_err(|error| error.to_string())?;
    let mut io = Io::default();
    let words: Vec<_> = input.iter().map(|&byte| u64::from(byte)).collect();
    io.add_input(0, &[], &words).map_err(|error| error.to_string())?;
    let claim = (program.find(entry).unwrap(), args.to_vec());
    let execution = execute(&program, &[claim], io, &Limits::default());
    let execution = execution.map_err(|error| error.to_string())?;
    Ok(Run { program, execution })
}

/// Inputs, selectors, auxiliaries and lookup slots of a function's row.
pub(crate) fn layout(program: &Program, function: &str) -> [usize; 4] {
    let program = CheckedProgram::new(program.clone()).unwrap();
    let layout = program.layout(program.find(function).unwrap());
    [layout.num_inputs, layout.num_selectors, layout.num_auxiliaries, layout.num_lookups]
}
