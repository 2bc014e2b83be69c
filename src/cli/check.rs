//! `traceloom check`.

use traceloom_runtime::session::Backend;

use super::backend::Gpu;
use super::log::Progress;
use super::output::{plain, say};
use super::progress::told;
use super::{CheckArgs, Failure, source};

/// Runs a program and checks every row and message of it.
pub fn run(args: &CheckArgs) -> Result<(), Failure> {
    let progress = Progress::new();
    let gpu = Gpu::open(&args.trace, Backend::Cpu, None, None)?;
    let builder = source::session(&args.run)?.trace(args.trace.trace).strict(args.trace.strict);
    let session = told(builder, gpu, progress).build()?;
    let checked = session.check(source::request(&args.run)?)?;
    progress.done();
    let report = checked.report;
    if !report.is_ok() {
        return Err(Failure::Refused(report.to_string()));
    }
    let active = session.system().circuits.iter().zip(&checked.trace.circuits);
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
