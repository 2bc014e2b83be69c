//! `traceloom execute`.

use serde_json::{Value, json};
use traceloom_air::claim::Claim;
use traceloom_air::field::{Goldilocks, word};
use traceloom_runtime::order::num_rows;
use traceloom_runtime::session::{Executed, Session};

use super::log::Progress;
use super::output::{hex, plain, result, say};
use super::{ExecuteArgs, Failure, json, riscv, source};

/// Runs a program; prints outputs and row counts. Runs an ELF file; prints its output.
pub fn run(args: &ExecuteArgs) -> Result<(), Failure> {
    if riscv::is_elf(&args.run.program) {
        return riscv::run(args);
    }
    if args.max_cycles.is_some() || args.output.is_some() {
        let program = args.run.program.display();
        return Err(Failure::Malformed(format!(
            "{program} is no ELF file; leave out --max-cycles and --output"
        )));
    }
    let args = &args.run;
    let progress = Progress::new();
    let session = source::session(args)?.notices(move |notice| progress.note(notice)).build()?;
    let executed = session.execute(source::request(args)?)?;
    let claim = &executed.execution.claims[0].claim;
    let record_bytes = executed.execution.record.num_bytes();
    print_claim(&session, claim);
    say!("record   {record_bytes} bytes");
    print_rows(&session, &executed);
    result(json!({
        "fingerprint": hex(&session.program().fingerprint()),
        "claim": json::claim(&session, claim),
        "steps": executed.execution.stats.steps,
        "record_bytes": record_bytes,
        "executed_by": executed.by.name,
        "rows": rows(&session, &executed),
    }));
    Ok(())
}

/// The number of rows of each circuit and memory that has some.
fn rows(session: &Session, executed: &Executed) -> Vec<Value> {
    let mut all = Vec::new();
    let (program, record) = (session.program(), &executed.execution.record);
    for (circuit, members) in program.program().circuits.iter().enumerate() {
        let rows = num_rows(program, record, circuit);
        let names = members.iter().map(|&member| &program.function(member).name[..]);
        all.push(json!({ "functions": names.collect::<Vec<_>>(), "rows": rows }));
    }
    for (memory, width) in record.memories.iter().zip(&program.program().memory_sizes) {
        all.push(json!({ "memory_width": width, "rows": memory.len() }));
    }
    all.retain(|rows| rows["rows"] != 0);
    all
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

/// Prints the number of rows of each circuit that has some.
pub fn print_rows(session: &Session, executed: &Executed) {
    let (program, record) = (session.program(), &executed.execution.record);
    say!("steps    {}", executed.execution.stats.steps);
    say!("rows");
    for (circuit, members) in program.program().circuits.iter().enumerate() {
        let rows = num_rows(program, record, circuit);
        if rows != 0 {
            let names: Vec<String> =
                members.iter().map(|&member| plain(&program.function(member).name)).collect();
            say!("{rows:>12}  {}", names.join("+"));
        }
    }
    for (memory, width) in record.memories.iter().zip(&program.program().memory_sizes) {
        if !memory.is_empty() {
            say!("{:>12}  memory of width {width}", memory.len());
        }
    }
}
