//! Instructions per second of a guest: `speed GUEST.elf [INPUT]`, without records, with records
//! that are counted, and with records that are kept. Use a release build.

use std::error::Error;
use std::time::Instant;

use traceloom_riscv::{Counts, Execution, Limits, Program, Stored, Trap, execute, record};

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let path = args.next().ok_or("usage: speed GUEST.elf [INPUT]")?;
    let input = args.next().map(std::fs::read).transpose()?.unwrap_or_default();
    let limits = Limits::default();
    let program = Program::load(&std::fs::read(path)?, &limits)?;
    measure("not recorded", || execute(&program, &input, &limits))?;
    let mut counts = Counts::default();
    measure("counted", || record(&program, &input, &limits, &mut counts))?;
    if counts.cpu < 1 << 25 {
        measure("kept", || record(&program, &input, &limits, &mut Stored::default()))?;
    }
    for (name, count) in counts.list() {
        println!("{count:>12} {name}");
    }
    Ok(())
}

fn measure(what: &str, run: impl FnOnce() -> Result<Execution, Trap>) -> Result<(), Trap> {
    let start = Instant::now();
    let ran = run()?;
    let seconds = start.elapsed().as_secs_f64();
    let rate = ran.cycles as f64 / seconds / 1e6;
    println!("{what}: {} instructions in {seconds:.3} s, {rate:.1} million per second", ran.cycles);
    Ok(())
}
