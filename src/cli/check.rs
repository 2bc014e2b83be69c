//! `traceloom check`.

use serde_json::{Value, json};
use traceloom_runtime::session::Backend;

use super::backend::Gpu;
use super::log::Progress;
use super::output::{plain, result, say};
use super::progress::told;
use super::{CheckArgs, Failure, json, source, warnings};

/// Runs a program and checks every row and message of it.
pub fn run(args: &CheckArgs) -> Result<(), Failure> {
    let progress = Progress::new();
    let gpu = Gpu::open(&args.trace, Backend::Cpu, None, None)?;
    let builder = source::session(&args.run)?.trace(args.trace.trace).strict(args.trace.strict);
    let session = told(builder, gpu, &progress).build()?;
    let warnings = warnings::warn(&session);
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
    let active = session.system().circuits.iter().zip(&checked.trace.circuits);
    let circuits = active.filter(|(_, trace)| trace.height > 0).map(|(circuit, trace)| {
        json!({
            "circuit": circuit.name,
            "rows": trace.height,
            "columns": circuit.width,
            "constraints": circuit.constraints.len(),
            "lookups": circuit.lookups.len(),
            "provider": trace.provider.name(),
        })
    });
    result(json!({
        "claim": json::claim(&session, &checked.executed.execution.claims[0].claim),
        "circuits": circuits.collect::<Vec<Value>>(),
        "warnings": warnings,
    }));
    Ok(())
}
