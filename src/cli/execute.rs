//! `traceloom execute`.

use serde_json::{Value, json};
use traceloom_air::claim::Claim;
use traceloom_air::field::{Goldilocks, word};
use traceloom_air::system::{Circuit, CircuitKind};
use traceloom_runtime::heights::row_counts;
use traceloom_runtime::session::Session;

use super::log::Progress;
use super::output::{hex, plain, result, say};
use super::{ExecuteArgs, Failure, json, riscv, source};

/// Runs a program; prints outputs and row counts. Runs an ELF file; prints its output.
pub fn run(args: &ExecuteArgs) -> Result<(), Failure> {
    if riscv::is_elf(&args.run.program) {
        return riscv::run(args);
    }
    if args.output.is_some() {
        let program = args.run.program.display();
        return Err(Failure::Malformed(format!("{program} is no ELF file; leave out --output")));
    }
    let args = &args.run;
    let progress = Progress::new();
    let session = source::session(args)?.notices(move |notice| progress.note(notice)).build()?;
    let executed = session.execute(source::request(args)?)?;
    let claim = &executed.execution.claims[0].claim;
    let record_bytes = executed.execution.record.num_bytes();
    print_claim(&session, claim);
    say!("record   {record_bytes} bytes");
    let (stats, record) = (&executed.execution.stats, &executed.execution.record);
    let counts = row_counts(session.program(), session.system(), record);
    print_rows(&session, stats.steps, &counts);
    result(json!({
        "fingerprint": hex(&session.program().fingerprint()),
        "claim": json::claim(&session, claim),
        "steps": stats.steps,
        "record_bytes": record_bytes,
        "executed_by": executed.by.name,
        "rows": rows(&session, &counts),
    }));
    Ok(())
}

/// The number of rows of each circuit and memory that has some.
fn rows(session: &Session, rows: &[usize]) -> Vec<Value> {
    let circuits = session.system().circuits.iter().zip(rows).filter(|(_, rows)| **rows > 0);
    let all = circuits.filter_map(|(circuit, &rows)| match &circuit.kind {
        CircuitKind::Function { .. } => {
            let functions: Vec<&str> = members(session, circuit).collect();
            Some(json!({ "functions": functions, "rows": rows }))
        }
        CircuitKind::Memory { width } => Some(json!({ "memory_width": width, "rows": rows })),
        CircuitKind::Bytes(_) | CircuitKind::Ops { .. } => None,
    });
    all.collect()
}

/// Names of the functions of a circuit.
fn members<'a>(session: &'a Session, circuit: &'a Circuit) -> impl Iterator<Item = &'a str> {
    let members = match &circuit.kind {
        CircuitKind::Function { members, .. } => &members[..],
        CircuitKind::Memory { .. } | CircuitKind::Bytes(_) | CircuitKind::Ops { .. } => &[],
    };
    let functions = &session.program().program().functions;
    members.iter().map(|&member| &functions[member as usize].name[..])
}

/// Prints the claim in words and as numbers.
pub fn print_claim(session: &Session, claim: &Claim) {
    let name = plain(&session.program().program().functions[claim.function as usize].name);
    say!("claim    {name}({}) = {}", list(&claim.inputs), list(&claim.outputs));
    if let Some(words) = session.in_words(claim) {
        say!("proves   {words}");
    }
}

/// Canonical words, separated by commas.
pub fn list(elements: &[Goldilocks]) -> String {
    let words: Vec<String> = elements.iter().map(|&x| word(x).to_string()).collect();
    words.join(",")
}

/// Prints steps, and the number of rows of each circuit that has some.
pub fn print_rows(session: &Session, steps: u64, rows: &[usize]) {
    say!("steps    {steps}");
    say!("rows");
    for (circuit, &rows) in session.system().circuits.iter().zip(rows).filter(|(_, of)| **of > 0) {
        match &circuit.kind {
            CircuitKind::Function { .. } => {
                let names: Vec<String> = members(session, circuit).map(plain).collect();
                say!("{rows:>12}  {}", names.join("+"));
            }
            CircuitKind::Memory { width } => say!("{rows:>12}  memory of width {width}"),
            CircuitKind::Ops { .. } => say!("{rows:>12}  {}", plain(&circuit.name)),
            CircuitKind::Bytes(_) => {}
        }
    }
}
