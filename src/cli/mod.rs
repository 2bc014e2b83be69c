//! The command line.
//!
//! Exit codes: 0 done; 1 a well-formed proof, claim or program was refused; 2
//! usage, or input that is unreadable or malformed.

mod backend;
mod cache;
mod check;
mod codegen;
mod doctor;
mod execute;
mod failure;
mod import;
mod inspect;
mod log;
mod output;
mod outputs;
mod plan;
mod programs;
mod progress;
mod prove;
mod shards;
mod source;
mod verify;

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use traceloom_bytecode::execute::Limits;
use traceloom_runtime::provider::TraceProvider;
use traceloom_runtime::session::Executor;

pub use failure::Failure;

/// STARK proofs of compiled bytecode.
#[derive(Debug, Parser)]
#[command(name = "traceloom", version, about, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List the built-in programs.
    Programs,
    /// Run a program and print its outputs and row counts.
    Execute(RunArgs),
    /// Run a program, then evaluate every constraint and balance every lookup.
    Check(CheckArgs),
    /// Run a program and prove the claim that its outputs follow from its inputs.
    Prove(ProveArgs),
    /// Verify a proof and print what it proves.
    Verify(VerifyArgs),
    /// Print a program as text with its layouts, or the header of a proof.
    Inspect(InspectArgs),
    /// Print columns, seed bytes and external reads of every function and path; with
    /// an input or arguments also rows and bytes of that run, the shards of its proof, and the
    /// memory that the proof takes.
    Plan(PlanArgs),
    /// Read a program in the nested JSON of another compiler and write it as traceloom's JSON
    /// or text.
    Import(ImportArgs),
    /// Write the generated units of a crate, or compare them with its programs.
    Codegen(CodegenArgs),
    /// List, verify or prune a folder that `prove --cache` keeps finished shards in.
    #[command(subcommand)]
    Cache(CacheCommand),
    /// Print what this machine and this build have for a GPU, and what to do about what
    /// is missing.
    Doctor,
}

/// What to run.
#[derive(Debug, Args)]
struct RunArgs {
    /// A built-in program, or a file with program text (.tla) or JSON (.json).
    program: String,
    /// File whose bytes go to io channel 0 under the empty key.
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
    /// Inputs of the entry function: decimal numbers below p, separated by commas.
    #[arg(long, value_name = "N,N,…")]
    args: Option<String>,
    /// Entry function; needed if the program has several.
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    /// Who runs the program: interpreted (the interpreter over bytecode), generated (generated
    /// code) or auto (generated code where there is any). What follows is the same.
    #[arg(long, default_value = "auto", value_parser = source::executor, value_name = "EXECUTOR")]
    execute: Executor,
    /// Limits of the execution. There is no option for them.
    #[arg(skip)]
    limits: Limits,
}

/// Who writes main traces.
#[derive(Clone, Copy, Debug, Args)]
struct TraceArgs {
    /// Who writes the rows of functions: reference (the interpreter over bytecode),
    /// scalar (generated code on the CPU), device (generated code on a GPU) or auto
    /// (generated code where there is any, on the GPU if that proves and else on the CPU).
    #[arg(long, default_value = "auto", value_parser = backend::provider, value_name = "PROVIDER")]
    trace: TraceProvider,
    /// Refuse to fall back: every circuit must get its rows from the provider asked for.
    #[arg(long)]
    strict: bool,
    /// Number of the GPU, counted from 0; `traceloom doctor` lists them.
    #[arg(long, default_value_t = 0, value_name = "N")]
    device: u32,
}

#[derive(Debug, Args)]
struct CheckArgs {
    #[command(flatten)]
    run: RunArgs,
    #[command(flatten)]
    trace: TraceArgs,
}

#[derive(Debug, Args)]
struct ProveArgs {
    #[command(flatten)]
    run: RunArgs,
    #[command(flatten)]
    trace: TraceArgs,
    #[command(flatten)]
    shards: shards::ShardArgs,
    /// Where the proof is computed: cpu, cuda (a GPU, from the rows to the openings) or auto
    /// (the one that is sooner done, by the number of cells; the GPU only if there is one).
    #[arg(long, default_value = "auto", value_parser = backend::parse, value_name = "BACKEND")]
    backend: traceloom_runtime::session::Backend,
    /// GPUs that prove with --backend cuda: all, or their numbers separated by commas. Shards go
    /// to whichever is free. By default it is one, see --device.
    #[arg(long, value_parser = backend::Which::parse, value_name = "all|N,…", conflicts_with = "device")]
    devices: Option<backend::Which>,
    /// Let the CPU go on with the proof if no GPU is left, because all of them failed.
    #[arg(long)]
    or_cpu: bool,
    /// Folder in which finished shards are kept. The same command goes on from there after it was
    /// killed; the proof has the same bytes.
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// Steps on standard error: text, or json, an object a line (docs/log.md).
    #[arg(long, default_value = "text", value_parser = log::Log::parse, value_name = "FORM")]
    log: log::Log,
    /// Most memory of the GPU that the proof may take: bytes, or a number with KiB, MiB or GiB.
    /// With --shards auto the proof has as many shards as fit.
    #[arg(long, value_parser = shards::device_size, value_name = "SIZE")]
    max_device_memory: Option<std::num::NonZeroU64>,
    /// Where to write the proof.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Folder for report.json: who wrote which rows and why, from how many bytes, what was
    /// copied to a GPU and back, and times.
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
    /// Parameters: standard (100 bits provable), strong (128 bits provable), heuristic (small
    /// and fast: 100 bits against the best attack known) or fast (tests only).
    #[arg(long, default_value = "standard", value_parser = source::profile)]
    profile: traceloom_verifier::Profile,
}

#[derive(Debug, Subcommand)]
enum CacheCommand {
    /// Print of which proofs something is kept, with sizes and ages, and what is of no use.
    List {
        /// The folder.
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
    /// Check the length and the digest of every file, and that it is where it belongs.
    Verify {
        /// The folder.
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
    /// Remove files that are torn, damaged or of another version, and those that options name.
    /// Files of proofs that a process works on stay.
    Prune {
        /// The folder.
        #[arg(value_name = "DIR")]
        folder: PathBuf,
        /// Remove files that can be used, too.
        #[arg(long)]
        all: bool,
        /// Remove files that can be used if they are at least as old: a number with s, m, h or d.
        #[arg(long, value_name = "AGE", value_parser = cache::age)]
        older_than: Option<std::time::Duration>,
    },
}

#[derive(Debug, Args)]
struct PlanArgs {
    #[command(flatten)]
    run: RunArgs,
    #[command(flatten)]
    shards: shards::ShardArgs,
    /// Parameters of the proof: standard, strong, heuristic or fast.
    #[arg(long, default_value = "standard", value_parser = source::profile)]
    profile: traceloom_verifier::Profile,
}

#[derive(Debug, Args)]
struct VerifyArgs {
    /// The proof.
    proof: PathBuf,
    /// The program that must be proven: a built-in one, a file, or the fingerprint of a
    /// built-in one. By default any built-in program is accepted, and the proof says which.
    #[arg(long, value_name = "PROGRAM")]
    program: Option<String>,
    /// The entry function that the claim must be about; needed if the program has several.
    #[arg(long, value_name = "NAME", requires = "program")]
    entry: Option<String>,
    /// The profile that the proof must have: standard, strong, heuristic or fast.
    #[arg(long, default_value = "standard", value_parser = source::profile)]
    profile: traceloom_verifier::Profile,
    /// The claimed inputs that the proof must have.
    #[arg(long, value_name = "N,N,…", requires = "program")]
    args: Option<String>,
    /// The claimed outputs that the proof must have: numbers separated by commas, or
    /// one hexadecimal string of output bytes after `0x`.
    #[arg(long, value_name = "N,N,…|0xHEX", requires = "program")]
    outputs: Option<String>,
    /// Print all terms of the two security figures.
    #[arg(long)]
    explain: bool,
}

#[derive(Debug, Args)]
struct InspectArgs {
    /// A built-in program, a program file, or a proof.
    what: String,
}

#[derive(Debug, Args)]
struct ImportArgs {
    /// The program in nested JSON.
    file: PathBuf,
    /// The file to write: text if its name ends in .tla, else JSON.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

#[derive(Debug, Args)]
struct CodegenArgs {
    /// Write nothing; name every unit that is stale, missing, edited or orphaned.
    #[arg(long)]
    check: bool,
    /// Compile device code with nvcc into this folder, write nothing else, and print
    /// registers, stack and spills of every kernel.
    #[arg(long, value_name = "DIR", conflicts_with = "check")]
    device: Option<PathBuf>,
    /// Folder of the crate's manifest; by default `generated`, if there is one here.
    #[arg(long = "crate", value_name = "DIR")]
    root: Option<PathBuf>,
    /// Folder of the programs, relative to the crate; by default the first of
    /// `programs`, `trace-plans` and `../trace-plans` that is there.
    #[arg(long, value_name = "DIR")]
    programs: Option<PathBuf>,
    /// Folder of the units, relative to the crate; by default `src/units`.
    #[arg(long, value_name = "DIR")]
    units: Option<PathBuf>,
}

/// Reads arguments, the program's name first, and checks what can be checked without a file.
/// Returns the exit code that they have so far.
#[must_use]
pub fn check_usage(args: impl IntoIterator<Item = OsString>) -> u8 {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => return exit_code(&error),
    };
    match lists(&cli.command) {
        Ok(_) => 0,
        Err(failure) => failure.code(),
    }
}

/// The lists of numbers among the options.
fn lists(command: &Command) -> Result<Vec<Vec<u64>>, Failure> {
    let args =
        |list: &Option<String>| list.iter().map(|list| source::words("--args", list)).collect();
    match command {
        Command::Execute(run) => args(&run.args),
        Command::Plan(plan) => args(&plan.run.args),
        Command::Check(check) => args(&check.run.args),
        Command::Prove(prove) => args(&prove.run.args),
        Command::Verify(verify) => {
            let mut lists: Vec<Vec<u64>> = args(&verify.args)?;
            lists.extend(verify.outputs.as_deref().map(verify::outputs).transpose()?);
            Ok(lists)
        }
        Command::Programs
        | Command::Inspect(_)
        | Command::Import(_)
        | Command::Codegen(_)
        | Command::Cache(_)
        | Command::Doctor => Ok(Vec::new()),
    }
}

/// Help and version are not errors.
fn exit_code(error: &clap::Error) -> u8 {
    if error.use_stderr() { 2 } else { 0 }
}

/// Runs the command line of this process.
#[must_use]
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(exit_code(&error));
        }
    };
    match run(&cli.command).and_then(|()| output::finish()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            // Where this cannot be written, the exit code still says it.
            let _ = writeln!(std::io::stderr(), "error: {failure}");
            ExitCode::from(failure.code())
        }
    }
}

fn run(command: &Command) -> Result<(), Failure> {
    match command {
        Command::Programs => programs::run(),
        Command::Execute(args) => execute::run(args),
        Command::Check(args) => check::run(args),
        Command::Prove(args) => prove::run(args),
        Command::Verify(args) => verify::run(args),
        Command::Inspect(args) => inspect::run(args),
        Command::Plan(args) => plan::run(args),
        Command::Import(args) => import::run(args),
        Command::Codegen(args) => codegen::run(args),
        Command::Cache(command) => cache::run(command),
        Command::Doctor => doctor::run(),
    }
}

/// What a command line did, with what it printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    /// The exit code.
    pub code: u8,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

/// Runs a command line as [`main`] does, the program's name first, inside this process. What it
/// prints is kept, and programs that it runs have these limits. The fuzz target for files needs
/// it: coverage is that of one process, and hostile programs need small limits.
#[must_use]
pub fn run_kept(args: impl IntoIterator<Item = OsString>, limits: &Limits) -> Ran {
    let mut cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => {
            let (code, text) = (exit_code(&error), error.render().to_string());
            let (out, err) = if code == 0 { (text, String::new()) } else { (String::new(), text) };
            return Ran { code, out, err };
        }
    };
    match &mut cli.command {
        Command::Execute(run) => run.limits = limits.clone(),
        Command::Plan(plan) => plan.run.limits = limits.clone(),
        Command::Check(check) => check.run.limits = limits.clone(),
        Command::Prove(prove) => prove.run.limits = limits.clone(),
        _ => {}
    }
    let (result, output::Printed { out, mut err }) = output::kept(|| run(&cli.command));
    let failure = result.err();
    err.extend(failure.iter().map(|failure| format!("error: {failure}\n")));
    Ran { code: failure.map_or(0, |failure| failure.code()), out, err }
}
