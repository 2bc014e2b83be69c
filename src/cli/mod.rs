//! The command line.
//!
//! Exit codes: 0 done; 1 a well-formed proof, claim or program was refused; 2
//! usage, or input that is unreadable or malformed.

mod check;
mod execute;
mod failure;
mod inspect;
mod output;
mod programs;
mod prove;
mod source;
mod verify;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

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
    Check(RunArgs),
    /// Run a program and prove the claim that its outputs follow from its inputs.
    Prove(ProveArgs),
    /// Verify a proof and print what it proves.
    Verify(VerifyArgs),
    /// Print a program as text with its layouts, or the header of a proof.
    Inspect(InspectArgs),
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
    /// Entry function, needed where a program has several.
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
}

#[derive(Debug, Args)]
struct ProveArgs {
    #[command(flatten)]
    run: RunArgs,
    /// Where to write the proof.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Parameters: fast (tests only), standard or proven.
    #[arg(long, default_value = "standard", value_parser = source::profile)]
    profile: traceloom_prover::Profile,
}

#[derive(Debug, Args)]
struct VerifyArgs {
    /// The proof.
    proof: PathBuf,
    /// The program that must be proven; by default the built-in one whose
    /// fingerprint the proof states.
    #[arg(long, value_name = "PROGRAM")]
    program: Option<String>,
    /// The profile that the proof must have.
    #[arg(long, default_value = "standard", value_parser = source::profile)]
    profile: traceloom_prover::Profile,
    /// The claimed inputs that the proof must have.
    #[arg(long, value_name = "N,N,…")]
    args: Option<String>,
    /// The claimed outputs that the proof must have: numbers separated by commas, or
    /// one hexadecimal string of output bytes after `0x`.
    #[arg(long, value_name = "N,N,…|0xHEX")]
    outputs: Option<String>,
    /// Print how many bits of security this proof has, and why.
    #[arg(long)]
    explain: bool,
}

#[derive(Debug, Args)]
struct InspectArgs {
    /// A built-in program, a program file, or a proof.
    what: String,
}

/// Reads arguments, the program's name first, as far as that needs no file: the
/// exit code that they would have so far.
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
        Command::Execute(run) | Command::Check(run) => args(&run.args),
        Command::Prove(prove) => args(&prove.run.args),
        Command::Verify(verify) => {
            let mut lists: Vec<Vec<u64>> = args(&verify.args)?;
            lists.extend(verify.outputs.as_deref().map(verify::outputs).transpose()?);
            Ok(lists)
        }
        Command::Programs | Command::Inspect(_) => Ok(Vec::new()),
    }
}

/// Help and version are no errors.
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
    let result = match &cli.command {
        Command::Programs => programs::run(),
        Command::Execute(args) => execute::run(args),
        Command::Check(args) => check::run(args),
        Command::Prove(args) => prove::run(args),
        Command::Verify(args) => verify::run(args),
        Command::Inspect(args) => inspect::run(args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::from(failure.code())
        }
    }
}
