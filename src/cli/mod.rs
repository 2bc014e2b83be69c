//! The command line.
//!
//! Exit codes: 0 done; 1 a well-formed proof, claim or program was refused; 2
//! usage, or input that is unreadable or malformed.
//!
//! A project with programs of its own has the same command line in one call:
//!
//! ```ignore
//! fn main() -> std::process::ExitCode {
//!     traceloom::cli::main(units::SOURCES, units::PROGRAMS, units::IMAGES)
//! }
//! ```

mod backend;
mod cache;
mod check;
mod codegen;
mod convert;
mod doctor;
mod execute;
mod expect;
mod failure;
mod import;
mod inspect;
mod json;
mod limits;
mod log;
mod machine;
mod new;
mod output;
mod outputs;
mod plan;
mod profile;
mod programs;
mod progress;
mod prove;
mod report;
mod riscv;
mod shards;
mod shell;
mod source;
mod stated;
mod verify;
mod warnings;

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::OnceLock;

use clap::{Args, Parser, Subcommand};
use traceloom_abi::registry::{DeviceImage, ProgramSource, ProgramUnit};
use traceloom_bytecode::execute::Limits;
use traceloom_runtime::provider::TraceProvider;
use traceloom_runtime::session::Executor;

pub use failure::Failure;
pub use profile::Unit;

use convert::ConvertArgs;
use new::NewArgs;
use profile::ProfileArgs;
use shell::{CompletionsArgs, ManArgs};
use verify::VerifyArgs;

/// Printed below the help of the program and of every command.
const EXIT_CODES: &str = "Exit codes:
  0  done
  1  a well-formed proof, claim or program was refused
  2  wrong usage, or input that is unreadable or malformed";

/// STARK proofs of compiled bytecode.
#[derive(Debug, Parser)]
#[command(
    name = "traceloom",
    version,
    long_version = long_version(),
    about,
    max_term_width = 100,
    after_help = EXIT_CODES
)]
struct Cli {
    /// Print one JSON object on standard output, and no text.
    ///
    /// docs/json.md describes the object. Progress and notes stay on standard error.
    #[arg(long, global = true)]
    json: bool,
    /// Print errors only.
    #[arg(long, short, global = true)]
    quiet: bool,
    #[command(subcommand)]
    command: Command,
}

/// The version, with what the build needs of a processor.
fn long_version() -> &'static str {
    static TEXT: OnceLock<String> = OnceLock::new();
    TEXT.get_or_init(|| {
        format!("{}\nbuilt for {}", env!("CARGO_PKG_VERSION"), machine::built_for())
    })
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Make a project for programs of your own, which builds, proves and verifies.
    #[command(after_help = EXIT_CODES)]
    New(NewArgs),
    /// List the programs with a name: those of this project, and the built-in ones.
    #[command(after_help = EXIT_CODES)]
    Programs,
    /// Run a program and print its outputs and row counts, or run an ELF file of RV64IM.
    #[command(after_help = EXIT_CODES)]
    Execute(ExecuteArgs),
    /// Run a program, then evaluate every constraint and balance every lookup.
    #[command(after_help = EXIT_CODES)]
    Check(CheckArgs),
    /// Run a program and prove the claim that its outputs follow from its inputs.
    #[command(after_help = EXIT_CODES)]
    Prove(ProveArgs),
    /// Print what a proof costs by function and operation: rows, cells, lookups, seconds.
    ///
    /// Also as a flamegraph and for pprof. The program is run twice and proven, unless --no-proof
    /// is given.
    #[command(after_help = EXIT_CODES)]
    Profile(ProfileArgs),
    /// Write a page about a proof from its report.json: times, rows, seeds, memory.
    #[command(after_help = EXIT_CODES)]
    Report(ReportArgs),
    /// Verify a proof and print what it proves.
    #[command(after_help = EXIT_CODES)]
    Verify(VerifyArgs),
    /// Print a program as text with its layouts, the header of a proof, or the code of an ELF
    /// file.
    #[command(after_help = EXIT_CODES)]
    Inspect(InspectArgs),
    /// Print what a row of every function and path costs, and what a run needs.
    ///
    /// Columns, seed bytes and external reads of every function and path; with an input or
    /// arguments also rows and bytes of that run, the shards of its proof, and the memory that the
    /// proof takes.
    #[command(after_help = EXIT_CODES)]
    Plan(PlanArgs),
    /// Write a program as text or as JSON, whichever it is not.
    #[command(after_help = EXIT_CODES)]
    Convert(ConvertArgs),
    /// Write a program in the nested JSON of another compiler as JSON or text of traceloom.
    #[command(after_help = EXIT_CODES)]
    Import(ImportArgs),
    /// Write the generated units of a crate, or compare them with its programs.
    #[command(after_help = EXIT_CODES)]
    Codegen(CodegenArgs),
    /// List, verify or prune a folder that `prove --cache` keeps finished shards in.
    #[command(subcommand, after_help = EXIT_CODES)]
    Cache(CacheCommand),
    /// Print what this machine and this build have for a GPU, and what to do.
    #[command(after_help = EXIT_CODES)]
    Doctor,
    /// Print the completions of a shell.
    #[command(after_help = EXIT_CODES)]
    Completions(CompletionsArgs),
    /// Write the manual pages.
    #[command(after_help = EXIT_CODES)]
    Man(ManArgs),
}

/// What to run.
#[derive(Debug, Args)]
struct RunArgs {
    /// A program with a name, a file with program text (.tla) or JSON (.json), or an ELF file of
    /// RV64IM.
    program: PathBuf,
    /// File whose bytes go to io channel 0 under the empty key; the input of an ELF file.
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
    /// File whose bytes go to an io channel under a key.
    ///
    /// The key is a list of numbers separated by commas and may be empty: 1:7,8=FILE or 1:=FILE.
    /// The option may be given several times.
    #[arg(long, value_name = "CHANNEL:KEY=FILE", value_parser = source::io_file)]
    io: Vec<source::IoFile>,
    /// Inputs of the entry function: decimal numbers below p, separated by commas.
    #[arg(long, value_name = "N,N,…")]
    args: Option<String>,
    /// Entry function; needed if the program has several.
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    /// Who runs the program: interpreted, generated or auto.
    ///
    /// The interpreter runs bytecode. Auto takes generated code where there is any. What follows
    /// is the same.
    #[arg(long, default_value = "auto", value_parser = source::executor, value_name = "EXECUTOR")]
    execute: Executor,
    /// Of an ELF file: how many instructions it may execute; 2^36 without it.
    #[arg(long, value_name = "N")]
    max_cycles: Option<u64>,
    #[command(flatten)]
    limits: limits::LimitArgs,
}

#[derive(Debug, Args)]
struct ExecuteArgs {
    #[command(flatten)]
    run: RunArgs,
    /// Of an ELF file: where to write its output.
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Who writes main traces.
#[derive(Clone, Copy, Debug, Args)]
struct TraceArgs {
    /// Who writes the rows of functions: reference, scalar, device or auto.
    ///
    /// Reference is the interpreter over bytecode, scalar is generated code on the CPU, and device
    /// is generated code on a GPU. Auto takes generated code where there is any, on the GPU if
    /// that proves and else on the CPU.
    #[arg(long, default_value = "auto", value_parser = backend::provider, value_name = "PROVIDER")]
    trace: TraceProvider,
    /// Refuse to fall back.
    ///
    /// Every circuit must get its rows from the provider that was asked for.
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
    /// How many failures of each kind are described.
    #[arg(long, value_name = "N", default_value_t = traceloom_runtime::check::MAX_DESCRIBED)]
    show: usize,
    /// Change a cell before the check, to see which constraint or lookup refuses it.
    ///
    /// Circuit and column are names or positions; a column is also named by the variable of the
    /// program's text that it holds. The value is a decimal number below p, or a negative one. The
    /// option may be given several times: --poke fibonacci,3,v7=0
    #[arg(
        long,
        value_name = "CIRCUIT,ROW,COLUMN=VALUE",
        value_parser = check::poke,
        allow_hyphen_values = true
    )]
    poke: Vec<traceloom_runtime::check::Poke>,
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
    /// Where to write the proof; - is standard output.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Folder for report.json: who wrote which rows and why, from how many bytes, what was
    /// copied to a GPU and back, and times (docs/report.md).
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
    /// The same report as a page for a browser: one file, which needs no network.
    #[arg(long, value_name = "FILE")]
    report_html: Option<PathBuf>,
    /// Parameters: standard (100 bits provable), strong (128 bits provable), heuristic (small
    /// and fast: 100 bits against the best attack known) or fast (tests only).
    #[arg(long, default_value = "standard", value_parser = source::profile)]
    profile: traceloom_verifier::Profile,
}

#[derive(Debug, Args)]
struct ReportArgs {
    /// The file report.json that `prove --report` wrote.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The page to write; - is standard output.
    #[arg(long, value_name = "FILE")]
    html: PathBuf,
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
struct InspectArgs {
    /// A program with a name, a program file, a proof, or an ELF file.
    what: PathBuf,
}

#[derive(Debug, Args)]
struct ImportArgs {
    /// The program in nested JSON.
    file: PathBuf,
    /// The file to write: text if its name ends in .tla, else JSON; - is standard output.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

#[derive(Debug, Args)]
struct CodegenArgs {
    /// Write nothing; name what is stale, missing, edited or orphaned.
    #[arg(long)]
    check: bool,
    /// With --check: show what differs in every file.
    #[arg(long, requires = "check")]
    diff: bool,
    /// Compile device code with nvcc into this folder.
    ///
    /// Nothing else is written; registers, stack and spills of every kernel are printed.
    #[arg(long, value_name = "DIR", conflicts_with = "check")]
    device: Option<PathBuf>,
    /// Folder of the crate's manifest [default: generated, if it is here, or this one].
    #[arg(long = "crate", value_name = "DIR")]
    root: Option<PathBuf>,
    /// Folder of the programs, relative to the crate.
    ///
    /// By default the first of `programs`, `trace-plans` and `../trace-plans` that is there.
    #[arg(long, value_name = "DIR")]
    programs: Option<PathBuf>,
    /// Folder of the units, relative to the crate [default: src/units].
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
        Command::Execute(execute) => args(&execute.run.args),
        Command::Plan(plan) => args(&plan.run.args),
        Command::Check(check) => args(&check.run.args),
        Command::Prove(prove) => args(&prove.run.args),
        Command::Profile(profile) => args(&profile.run.args),
        Command::Verify(verify) => {
            let mut lists: Vec<Vec<u64>> = args(&verify.args)?;
            lists.extend(verify.outputs.as_deref().map(verify::outputs).transpose()?);
            Ok(lists)
        }
        Command::New(_)
        | Command::Programs
        | Command::Report(_)
        | Command::Inspect(_)
        | Command::Convert(_)
        | Command::Import(_)
        | Command::Codegen(_)
        | Command::Cache(_)
        | Command::Doctor
        | Command::Completions(_)
        | Command::Man(_) => Ok(Vec::new()),
    }
}

/// Help and version are not errors.
fn exit_code(error: &clap::Error) -> u8 {
    if error.use_stderr() { 2 } else { 0 }
}

/// Runs the command line of this process, in which the programs of a project have their names:
/// sources, units and device code of a project are the lists of its generated module.
#[must_use]
pub fn main(
    sources: &'static [ProgramSource],
    registry: &'static [&'static ProgramUnit],
    images: &'static [DeviceImage],
) -> ExitCode {
    crate::give(sources, registry, images);
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return ExitCode::from(unread(&error)),
    };
    let done = threads(&cli).and_then(|()| run(&cli)).and_then(|()| output::finish());
    let Err(failure) = done else { return ExitCode::SUCCESS };
    // Where this cannot be written, the exit code still says it.
    let _ = writeln!(std::io::stderr(), "error: {failure}");
    ExitCode::from(failure.code())
}

/// Prints what is wrong with a command line, or the help that it asks for.
fn unread(error: &clap::Error) -> u8 {
    let code = exit_code(error);
    let asks_json = std::env::args_os().any(|arg| arg == "--json");
    if code == 0 || !asks_json {
        let _ = error.print();
    } else {
        output::print_always(format_args!("{:#}", json::usage(&error.to_string())));
    }
    code
}

fn threads(cli: &Cli) -> Result<(), Failure> {
    if let Some(note) = machine::start_threads()? {
        output::set_mode(cli.mode());
        log::Progress::new().note(&note);
    }
    Ok(())
}

/// Runs a command and prints its object, if one is asked for.
fn run(cli: &Cli) -> Result<(), Failure> {
    let mode = cli.mode();
    output::set_mode(mode);
    let taken = mode.json && mode.is_taken;
    let both = || Failure::Malformed("--json and `-` both take standard output".into());
    let done = if taken { Err(both()) } else { run_command(&cli.command) };
    if mode.json && !taken {
        let object = json::object(cli.command.name(), &done);
        output::print_always(format_args!("{object:#}"));
    }
    done
}

impl Cli {
    fn mode(&self) -> output::Mode {
        let is_taken = match &self.command {
            Command::Prove(args) => {
                let page = args.report_html.as_deref();
                output::is_stdout(&args.out) || page.is_some_and(output::is_stdout)
            }
            Command::Convert(args) => output::is_stdout(&args.out),
            Command::Import(args) => output::is_stdout(&args.out),
            Command::Report(args) => output::is_stdout(&args.html),
            _ => false,
        };
        output::Mode { json: self.json, quiet: self.quiet, is_taken }
    }
}

impl Command {
    const fn name(&self) -> &'static str {
        match self {
            Self::New(_) => "new",
            Self::Programs => "programs",
            Self::Execute(_) => "execute",
            Self::Check(_) => "check",
            Self::Prove(_) => "prove",
            Self::Profile(_) => "profile",
            Self::Report(_) => "report",
            Self::Verify(_) => "verify",
            Self::Inspect(_) => "inspect",
            Self::Plan(_) => "plan",
            Self::Convert(_) => "convert",
            Self::Import(_) => "import",
            Self::Codegen(_) => "codegen",
            Self::Cache(_) => "cache",
            Self::Doctor => "doctor",
            Self::Completions(_) => "completions",
            Self::Man(_) => "man",
        }
    }
}

fn run_command(command: &Command) -> Result<(), Failure> {
    match command {
        Command::New(args) => new::run(args),
        Command::Programs => programs::run(),
        Command::Execute(args) => execute::run(args),
        Command::Check(args) => check::run(args),
        Command::Prove(args) => prove::run(args),
        Command::Profile(args) => profile::run(args),
        Command::Report(args) => report::run(args),
        Command::Verify(args) => verify::run(args),
        Command::Inspect(args) => inspect::run(args),
        Command::Plan(args) => plan::run(args),
        Command::Convert(args) => convert::run(args),
        Command::Import(args) => import::run(args),
        Command::Codegen(args) => codegen::run(args),
        Command::Cache(command) => cache::run(command),
        Command::Doctor => doctor::run(),
        Command::Completions(args) => shell::completions(args),
        Command::Man(args) => shell::man(args),
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
        Command::Execute(execute) => execute.run.limits.set_base(limits),
        Command::Plan(plan) => plan.run.limits.set_base(limits),
        Command::Check(check) => check.run.limits.set_base(limits),
        Command::Prove(prove) => prove.run.limits.set_base(limits),
        Command::Profile(profile) => profile.run.limits.set_base(limits),
        _ => {}
    }
    let (result, output::Printed { out, mut err }) = output::kept(|| run(&cli));
    let failure = result.err();
    err.extend(failure.iter().map(|failure| format!("error: {failure}\n")));
    Ran { code: failure.map_or(0, |failure| failure.code()), out, err }
}
