//! Processor seconds of executing `blake3` or `sha256` over so many bytes, all of them
//! different: `execution blake3 100000 [interpreted|generated]`; without the last one both in
//! the order A B B A, and the ratio of their sums. One thread, no rows. On Linux the seconds
//! are those of the thread, whatever else the machine does; elsewhere those that passed.

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
    let limits = Limits::default();
    let interpret = |io| Ok(execute(&program, &claims, io, &limits)?);
    let generate = |io| {
        let run = execute_generated(&program, executors, &claims, io, &limits, Hooks::default())?;
        assert!(!run.was_interpreted, "executors stopped");
        Ok(run.execution)
    };
    match args.get(2).map(String::as_str) {
        Some("interpreted") => drop(timed("interpreted", io, interpret)?),
        Some("generated") => drop(timed("generated", io, generate)?),
        None => {
            let (slow, expected) = timed("interpreted", io.clone(), interpret)?;
            let (fast, found) = timed("generated", io.clone(), generate)?;
            assert_eq!(found.record.difference(&expected.record), None);
            drop((found, expected));
            let (fast_again, _) = timed("generated", io.clone(), generate)?;
            let (slow_again, _) = timed("interpreted", io, interpret)?;
            let ratio = (slow + slow_again).as_secs_f64() / (fast + fast_again).as_secs_f64();
            println!("ratio        {ratio:.1}");
        }
        Some(other) => return Err(format!("{other:?} is no executor").into()),
    }
    Ok(())
}

fn timed(
    name: &str,
    io: Io,
    run: impl FnOnce(Io) -> Result<Execution, Box<dyn std::error::Error>>,
) -> Result<(Duration, Execution), Box<dyn std::error::Error>> {
    let (start, before) = (Instant::now(), processor_time());
    let execution = run(io)?;
    let time = match (before, processor_time()) {
        (Some(before), Some(after)) => after - before,
        _ => start.elapsed(),
    };
    let steps = execution.stats.steps;
    let each = time.as_nanos() as f64 / steps as f64;
    println!("{name:<12} {:>9.3} ms, {steps} steps, {each:.2} ns each", 1e3 * time.as_secs_f64());
    Ok((time, execution))
}

/// What this thread has used of a processor, if the system says it.
fn processor_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}
