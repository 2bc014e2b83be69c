//! `traceloom check`.

use traceloom_bytecode::system::build_system;
use traceloom_runtime::check::check;

use super::output::{Progress, plain, say};
use super::{CheckArgs, Failure, source, trace};

/// Runs a program and checks every row and message of it.
pub fn run(args: &CheckArgs) -> Result<(), Failure> {
    let progress = Progress::new();
    progress.step("executing");
    let run = source::run(&args.run)?;
    let program = &run.source.program;
    let system = build_system(program);
    let gpu = trace::Gpu::open(&args.trace)?;
    let choices = trace::choose(&args.trace, &gpu, &run, &system, None, &progress)?;
    progress.step("building rows");
    let (witness, traces) = trace::build(&run, &system, &choices)?;
    progress.step("checking constraints and lookups");
    let report = check(&system, std::slice::from_ref(&witness));
    progress.done();
    if !report.is_ok() {
        return Err(Failure::Refused(report.to_string()));
    }
    let active = system.circuits.iter().zip(&traces.circuits);
    for (circuit, trace) in active.filter(|(_, trace)| trace.height > 0) {
        say!(
            "{:>10} rows × {:>4} columns, {:>4} constraints, {:>4} lookups  {:9}  {}",
            trace.height,
            circuit.width,
            circuit.constraints.len(),
            circuit.lookups.len(),
            trace.provider.name(),
            plain(&circuit.name)
        );
    }
    say!("{report}");
    Ok(())
}
