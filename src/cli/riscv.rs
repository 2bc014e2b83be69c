//! ELF files of RV64IM on the command line: `execute` and `inspect` take them.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::Instant;

use traceloom_riscv::{Disassembly, Execution, Limits, Program, TrapKind, execute};
use traceloom_runtime::session::{read_input, read_program};

use super::output::{hex, say, seconds, write_whole};
use super::{ExecuteArgs, Failure};

/// Bytes of output that are printed; `--output` writes all.
const SHOWN: usize = 64;

/// Whether `name` is a file that begins like ELF, and no program with a name.
pub fn is_elf(name: &Path) -> bool {
    let is_file = name.metadata().is_ok_and(|metadata| metadata.is_file());
    if name.to_str().is_some_and(crate::is_known) || !is_file {
        return false;
    }
    let mut head = Vec::new();
    let read = File::open(name).and_then(|file| file.take(4).read_to_end(&mut head));
    read.is_ok() && Program::is_elf(&head)
}

/// Refuses an ELF file where a program of functions is needed.
pub fn refuse(name: &Path) -> Result<(), Failure> {
    match is_elf(name) {
        false => Ok(()),
        true => Err(Failure::Malformed(format!(
            "{} is an ELF file, which cannot be checked, proven or verified yet; `execute` \
             runs it, `inspect` prints its code",
            name.display()
        ))),
    }
}

/// Runs a guest; prints its output and what it took.
pub fn run(args: &ExecuteArgs) -> Result<(), Failure> {
    let path = &args.run.program;
    let name = path.display();
    if args.run.args.is_some() || args.run.entry.is_some() {
        return Err(Failure::Malformed(format!(
            "{name} is an ELF file, which has no --args and no --entry; give bytes with --input"
        )));
    }
    let limits = limits(args);
    let program = load(path, &limits)?;
    let input = args.run.input.as_deref().map(read_input).transpose()?.unwrap_or_default();
    let start = Instant::now();
    let ran = execute(&program, &input, &limits).map_err(|trap| {
        let option = match trap.kind {
            TrapKind::Cycles { .. } => " with --max-cycles",
            _ => "",
        };
        Failure::Refused(format!("{name}: {trap}{option}"))
    })?;
    let elapsed = start.elapsed();
    if let Some(path) = &args.output {
        write_whole(path, &ran.output)?;
    }
    print(&ran, input.len());
    let rate = ran.cycles as f64 / elapsed.as_secs_f64().max(1e-9) / 1e6;
    say!("time     {}, {rate:.1} million instructions per second", seconds(elapsed));
    match ran.exit_code {
        0 => Ok(()),
        code => Err(Failure::Refused(format!("{name}: the guest exited with code {code}"))),
    }
}

fn limits(args: &ExecuteArgs) -> Limits {
    let default = Limits::default();
    let own = args.run.limits.limits();
    let cycles = args.max_cycles.unwrap_or(own.steps);
    Limits { cycles, memory: default.memory.min(own.bytes), ..default }
}

fn load(path: &Path, limits: &Limits) -> Result<Program, Failure> {
    of_bytes(path, &read_program(path)?, limits)
}

fn of_bytes(path: &Path, bytes: &[u8], limits: &Limits) -> Result<Program, Failure> {
    Program::load(bytes, limits)
        .map_err(|error| Failure::Malformed(format!("{}: {error}", path.display())))
}

fn print(ran: &Execution, input: usize) {
    let Execution { exit_code, cycles, output, input_read, pages } = ran;
    say!("exit     {exit_code}");
    say!("output   {} bytes", output.len());
    let shown = &output[..output.len().min(SHOWN)];
    match std::str::from_utf8(shown) {
        Ok(text) if !text.is_empty() => say!("         {text:?}"),
        _ => {}
    }
    if !shown.is_empty() {
        say!("         0x{}{}", hex(shown), if output.len() > SHOWN { "…" } else { "" });
    }
    say!("input    {input_read} of {input} bytes were read");
    say!("steps    {cycles}");
    say!("memory   {pages} pages of 4096 bytes");
}

/// Prints the segments of an ELF file and its code.
pub fn inspect(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let program = of_bytes(path, bytes, &Limits::default())?;
    say!("; RV64IM, entry {:#x}", program.entry());
    for segment in program.segments() {
        let flag = |is_set: bool, letter: char| if is_set { letter } else { '-' };
        say!(
            "; segment {} at {:#x}: {} bytes, {} of them in the file, {}{}{}",
            segment.index,
            segment.address,
            segment.size,
            segment.bytes.len(),
            flag(segment.is_readable, 'r'),
            flag(segment.is_writable, 'w'),
            flag(segment.is_executable, 'x'),
        );
    }
    Disassembly(&program).lines().for_each(|line| say!("{line}"));
    Ok(())
}
