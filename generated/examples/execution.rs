//! Processor seconds of executing `blake3` or `sha256` over so many bytes, all of them
//! different: `execution blake3 100000 [interpreted|generated]`; without the last one both,
//! and their ratio. One thread, no rows.

use std::time::{Duration, Instant};

use traceloom_abi::io::Io;
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::execute::{Execution, Hooks, Limits, execute, execute_generated};
use traceloom_generated::find;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (Some(name), Some(len)) = (args.first(), args.get(1)) else {
        return Err("usage: execution PROGRAM BYTES [interpreted|generated]".into());
    };
    let example = traceloom_programs::find(name).ok_or("no such program")?;
    let program = CheckedProgram::new(example.build()?)?;
    let executors = find(&program.fingerprint()).ok_or("no unit")?.executors;
    let len: u64 = len.parse()?;
    let claims = [(program.find(name).ok_or("no entry")?, vec![example.claimed_input(len)?])];
    let mut state = len;
    let words: Vec<u64> = (0..len)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            state >> 56
        })
        .collect();
    let mut io = Io::default();
    io.add_input(0, &[], &words)?;
    let (interpreted_io, limits) = (io.clone(), Limits::default());
    let interpret = || Ok(execute(&program, &claims, interpreted_io, &limits)?);
    let generate = || {
        let run = execute_generated(&program, executors, &claims, io, &limits, Hooks::default())?;
        assert!(!run.was_interpreted, "executors stopped");
        Ok(run.execution)
    };
    match args.get(2).map(String::as_str) {
        Some("interpreted") => drop(timed("interpreted", interpret)?),
        Some("generated") => drop(timed("generated", generate)?),
        None => {
            let (slow, expected) = timed("interpreted", interpret)?;
            let (fast, found) = timed("generated", generate)?;
            println!("ratio        {:.1}", slow.as_secs_f64() / fast.as_secs_f64());
            assert_eq!(found.record.difference(&expected.record), None);
        }
        Some(other) => return Err(format!("{other:?} is no executor").into()),
    }
    Ok(())
}

fn timed(
    name: &str,
    run: impl FnOnce() -> Result<Execution, Box<dyn std::error::Error>>,
) -> Result<(Duration, Execution), Box<dyn std::error::Error>> {
    let start = Instant::now();
    let execution = run()?;
    let time = start.elapsed();
    let steps = execution.stats.steps;
    let each = time.as_nanos() as f64 / steps as f64;
    println!("{name:<12} {:>9.3} ms, {steps} steps, {each:.2} ns each", 1e3 * time.as_secs_f64());
    Ok((time, execution))
}
