//! Main traces and evaluators as the commands ask for them.

use traceloom_abi::registry::ProgramUnit;
use traceloom_abi::system::System;
use traceloom_abi::trace::ShardWitness;
use traceloom_runtime::provider::{Choices, TraceOptions, TraceProvider, witness};
use traceloom_runtime::report::TraceReport;

use super::output::Progress;
use super::source::Run;
use super::{Failure, TraceArgs};

/// What was generated for the built-in programs.
fn registry() -> &'static [&'static ProgramUnit] {
    traceloom_generated::PROGRAMS
}

/// Parses `--trace`.
pub fn provider(name: &str) -> Result<TraceProvider, String> {
    TraceProvider::from_name(name).ok_or_else(|| {
        let names = TraceProvider::ALL.map(TraceProvider::name);
        format!("{name:?} is no provider; there are {}", names.join(", "))
    })
}

/// Chooses providers and evaluators. A fallback is said once, in a line on standard error.
pub fn choose(
    args: &TraceArgs,
    run: &Run,
    system: &System,
    progress: &Progress,
) -> Result<Choices, Failure> {
    let options =
        TraceOptions { provider: args.trace, strict: args.strict, ..TraceOptions::new(registry()) };
    let choices = Choices::new(&run.source.program, system, &options);
    let choices = choices.map_err(|error| Failure::Refused(error.to_string()))?;
    if let Some(notice) = choices.notice() {
        progress.done();
        eprintln!("note: {notice}");
    }
    Ok(choices)
}

/// Writes all main traces.
pub fn build(
    run: &Run,
    system: &System,
    choices: &Choices,
) -> Result<(ShardWitness, TraceReport), Failure> {
    let execution = &run.execution;
    let claims = execution.claims.clone();
    witness(&run.source.program, system, &execution.record, claims, choices)
        .map_err(|error| Failure::Refused(error.to_string()))
}
