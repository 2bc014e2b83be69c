//! ELF files of RV64IM on the command line.

use std::path::Path;
use std::time::Instant;

use serde_json::json;
use traceloom_air::claim::BoundaryMessage;
use traceloom_guest::{Guest, Statement};
use traceloom_riscv::{Disassembly, Execution, Limits, Program, Trap, TrapKind, execute};
use traceloom_runtime::machine::{Machine, MachineError};
use traceloom_runtime::session::{SessionBuilder, read_input, read_program};

use super::output::{hex, result, say, seconds, write_whole};
use super::{ExecuteArgs, Failure, RunArgs, stated};

/// Whether `name` is a file that begins like ELF, and no program with a name.
pub fn is_elf(name: &Path) -> bool {
    !name.to_str().is_some_and(crate::is_known) && traceloom_guest::is_elf(name)
}

/// The builder of the session of the guest that a command line asks for.
pub fn session(args: &RunArgs) -> Result<SessionBuilder, Failure> {
    refuse_calls(args)?;
    Ok(traceloom_guest::session(&args.program, &limits(args))?)
}

fn refuse_calls(args: &RunArgs) -> Result<(), Failure> {
    match args.args.is_some() || args.entry.is_some() || !args.io.is_empty() {
        false => Ok(()),
        true => Err(Failure::Malformed(format!(
            "{} is an ELF file, which has no --args, no --entry and no --io; give bytes with \
             --input",
            args.program.display()
        ))),
    }
}

/// Refuses options that only ELF files have.
pub fn refuse_options(args: &RunArgs) -> Result<(), Failure> {
    match args.max_cycles {
        None => Ok(()),
        Some(_) => Err(Failure::Malformed(format!(
            "{} is no ELF file; leave out --max-cycles",
            args.program.display()
        ))),
    }
}

/// Why a guest stopped, with the option that mends it.
pub fn worded(place: &str, error: &MachineError) -> String {
    let trap = error.0.downcast_ref::<Trap>();
    let is_limit = trap.is_some_and(|trap| matches!(trap.kind, TrapKind::Cycles { .. }));
    format!("{place}: {error}{}", if is_limit { " with --max-cycles" } else { "" })
}

/// Runs a guest; prints its output and what it took.
pub fn run(args: &ExecuteArgs) -> Result<(), Failure> {
    let path = &args.run.program;
    let name = path.display();
    refuse_calls(&args.run)?;
    let limits = limits(&args.run);
    let program = load(path, &limits)?;
    let input = args.run.input.as_deref().map(read_input).transpose()?.unwrap_or_default();
    let start = Instant::now();
    let ran = execute(&program, &input, &limits);
    let stopped = |trap: Trap| worded(&name.to_string(), &MachineError(trap.into()));
    let ran = ran.map_err(|trap| Failure::Refused(stopped(trap)))?;
    let elapsed = start.elapsed();
    if let Some(path) = &args.output {
        write_whole(path, &ran.output)?;
    }
    print(&ran, input.len());
    let rate = ran.cycles as f64 / elapsed.as_secs_f64().max(1e-9) / 1e6;
    say!("time     {}, {rate:.1} million instructions per second", seconds(elapsed));
    result(json!({
        "guest": name.to_string(),
        "exit_code": ran.exit_code,
        "output": format!("0x{}", hex(&ran.output)),
        "input_bytes": input.len(),
        "input_read": ran.input_read,
        "steps": ran.cycles,
        "pages": ran.pages,
        "seconds": elapsed.as_secs_f64(),
    }));
    match ran.exit_code {
        0 => Ok(()),
        code => Err(Failure::Refused(format!("{name}: the guest exited with code {code}"))),
    }
}

fn limits(args: &RunArgs) -> Limits {
    let default = Limits::default();
    let own = args.limits.limits();
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
    stated::bytes("output", output);
    say!("input    {input_read} of {input} bytes were read");
    say!("steps    {cycles}");
    say!("memory   {pages} pages of 4096 bytes");
}

/// Prints the segments of an ELF file and its code.
pub fn inspect(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let program = of_bytes(path, bytes, &Limits::default())?;
    let guest = Guest::load(&path.display().to_string(), bytes, &Limits::default())?;
    let fingerprint = guest.system().fingerprint;
    say!("; fingerprint {}", hex(&fingerprint));
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
    let code = Disassembly(&program);
    code.lines().for_each(|line| say!("{line}"));
    let lines = code.lines().map(|line| line.to_string());
    result(json!({
        "kind": "guest",
        "fingerprint": hex(&fingerprint),
        "entry": program.entry(),
        "code": lines.collect::<Vec<_>>(),
    }));
    Ok(())
}

/// What a verifier expects of a guest; what is left out is not compared.
#[derive(Debug, Default)]
pub struct ExpectedOfGuest {
    /// The whole input.
    pub input: Option<Vec<u8>>,
    /// The whole output.
    pub output: Option<Vec<u8>>,
}

impl ExpectedOfGuest {
    /// Compares what a valid proof states.
    pub fn compare(&self, boundary: &[BoundaryMessage]) -> Result<(), Failure> {
        let Statement { input, output } = Statement::of(boundary).unwrap_or_default();
        for (what, found, expected) in
            [("input", &input, &self.input), ("output", &output, &self.output)]
        {
            if let Some(expected) = expected.as_ref().filter(|expected| *expected != found) {
                let at = found.iter().zip(expected).take_while(|(a, b)| a == b).count();
                let byte = |bytes: &[u8]| match bytes.get(at) {
                    Some(byte) => format!("{byte:#04x}"),
                    None => format!("no more than {at} bytes"),
                };
                return Err(Failure::Refused(format!(
                    "the proof states another {what} than expected: byte {at} is {}, expected {}",
                    byte(found),
                    byte(expected)
                )));
            }
        }
        Ok(())
    }
}
