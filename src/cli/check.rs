//! `traceloom check`.

use traceloom_bytecode::system::build_system;
use traceloom_runtime::check::check;
use traceloom_runtime::witness::reference_witness;

use super::output::{Progress, say};
use super::{Failure, RunArgs, source};

/// Runs a program and checks every row and message of it.
pub fn run(args: &RunArgs) -> Result<(), Failure> {
    let progress = Progress::new();
    progress.step("executing");
    let run = source::run(args)?;
    let program = &run.source.program;
    let system = build_system(program);
    progress.step("building rows");
    let claims = run.execution.claims.clone();
    let witness = reference_witness(program, &system, &run.execution.record, claims)
        .map_err(|error| Failure::Refused(format!("{}: {error}", args.program)))?;
    progress.step("checking constraints and lookups");
    let report = check(&system, std::slice::from_ref(&witness));
    progress.done();
    if !report.is_ok() {
        return Err(Failure::Refused(report.to_string()));
    }
    let active = system.circuits.iter().zip(&witness.traces);
    for (circuit, trace) in active {
        if let Some(trace) = trace {
            say!(
                "{:>10} rows × {:>4} columns, {:>4} constraints, {:>4} lookups  {}",
                trace.height(),
                circuit.width,
                circuit.constraints.len(),
                circuit.lookups.len(),
                circuit.name
            );
        }
    }
    say!("{report}");
    Ok(())
}
