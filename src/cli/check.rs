//! `traceloom check`.

use serde_json::{Value, json};
use traceloom_air::field::{MODULUS, is_canonical};
use traceloom_runtime::check::Poke;
use traceloom_runtime::session::{Backend, CheckOptions};

use super::backend::Gpu;
use super::log::Progress;
use super::output::{plain, result, say};
use super::progress::told;
use super::{CheckArgs, Failure, source, stated, warnings};

/// Runs a program and checks every row and message of it.
pub fn run(args: &CheckArgs) -> Result<(), Failure> {
    let progress = Progress::new();
    let gpu = Gpu::open(&args.trace, Backend::Cpu, None, None)?;
    let builder = source::session(&args.run)?.trace(args.trace.trace).strict(args.trace.strict);
    let session = told(builder, gpu, &progress).build()?;
    let warnings = warnings::warn(&session);
    let options = CheckOptions { show: args.show, pokes: args.poke.clone() };
    let checked = session.check_with(source::request(&args.run)?, &options)?;
    progress.done();
    let report = checked.report;
    checked.poked.iter().for_each(|poked| say!("changed  {}", plain_text(poked)));
    if !report.is_ok() {
        return Err(Failure::Refused(plain_text(&report.to_string())));
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
    let executed = &checked.executed;
    result(json!({
        "claim": stated::of(&session, &executed.execution.claims, &executed.boundary),
        "circuits": circuits.collect::<Vec<Value>>(),
        "warnings": warnings,
        "changed": checked.poked,
    }));
    Ok(())
}

/// Parses `--poke`. Names of circuits may hold anything, so it is read from its end.
pub fn poke(text: &str) -> Result<Poke, String> {
    let shape = "write CIRCUIT,ROW,COLUMN=VALUE, such as fibonacci,3,v7=0";
    let (cell, value) = text.rsplit_once('=').ok_or(shape)?;
    let mut parts = cell.rsplitn(3, ',').map(str::trim);
    let mut part = || parts.next().filter(|part| !part.is_empty()).ok_or(shape);
    let (column, row, circuit) = (part()?, part()?, part()?);
    let row = row.parse().map_err(|_| format!("{row:?} is no number of a row; {shape}"))?;
    let (is_negative, digits) = match value.trim().strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, value.trim()),
    };
    let number = digits.parse::<u64>().ok().filter(|&number| is_canonical(number));
    let number = number.ok_or_else(|| {
        format!("{value:?} is no number from {} to {}", 1 - i128::from(MODULUS), MODULUS - 1)
    })?;
    let value = if is_negative && number > 0 { MODULUS - number } else { number };
    Ok(Poke { circuit: circuit.to_owned(), row, column: column.to_owned(), value })
}

/// Text with names of a program in it, without characters that a terminal would interpret.
fn plain_text(text: &str) -> String {
    let hidden = |c: char| c.is_control() && c != '\n';
    text.chars().map(|c| if hidden(c) { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::{MODULUS, poke};

    #[test]
    fn cells_are_read_from_their_end() {
        let read = poke("a,b=c,3,v7=-1").unwrap();
        assert_eq!(
            (read.circuit.as_str(), read.row, read.column.as_str(), read.value),
            ("a,b=c", 3, "v7", MODULUS - 1)
        );
        assert_eq!(poke("f,0,input0=0").unwrap().value, 0);
        for (text, part) in [
            ("f,0,input0", "CIRCUIT,ROW,COLUMN=VALUE"),
            ("f,input0=1", "CIRCUIT,ROW,COLUMN=VALUE"),
            ("f,x,input0=1", "\"x\" is no number of a row"),
            ("f,0,input0=1.5", "is no number from -18446744069414584320 to 18446744069414584320"),
            ("f,0,input0=18446744069414584321", "is no number"),
        ] {
            let error = poke(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
