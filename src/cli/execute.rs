//! `traceloom execute`.

use super::output::say;
use super::source::{self, Run};
use super::{Failure, RunArgs};

use traceloom_abi::field::word;
use traceloom_runtime::order::num_rows;

/// Runs a program; prints outputs and row counts.
pub fn run(args: &RunArgs) -> Result<(), Failure> {
    let run = source::run(args)?;
    print_claim(&run);
    print_rows(&run);
    Ok(())
}

/// Prints the claim in words and as numbers.
pub fn print_claim(run: &Run) {
    let claim = &run.execution.claims[0].claim;
    let function = &run.source.program.program().functions[claim.function as usize];
    let list = |elements: &[traceloom_abi::field::Goldilocks]| {
        let words: Vec<String> = elements.iter().map(|&x| word(x).to_string()).collect();
        words.join(",")
    };
    say!("claim    {}({}) = {}", function.name, list(&claim.inputs), list(&claim.outputs));
    if let Some(words) = run.source.in_words(claim) {
        say!("proves   {words}");
    }
}

/// Prints the number of rows of each circuit that has some.
pub fn print_rows(run: &Run) {
    let (program, record) = (&run.source.program, &run.execution.record);
    say!("steps    {}", run.execution.stats.steps);
    say!("rows");
    for (circuit, members) in program.program().circuits.iter().enumerate() {
        let rows = num_rows(program, record, circuit);
        if rows != 0 {
            let names: Vec<&str> =
                members.iter().map(|&member| &program.function(member).name[..]).collect();
            say!("{rows:>12}  {}", names.join("+"));
        }
    }
    for (memory, width) in record.memories.iter().zip(&program.program().memory_sizes) {
        if !memory.is_empty() {
            say!("{:>12}  memory of width {width}", memory.len());
        }
    }
}
