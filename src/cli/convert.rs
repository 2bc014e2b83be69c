//! `traceloom convert`: from text to JSON and back.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;
use traceloom_bytecode::{CheckedProgram, json as flat, text};
use traceloom_runtime::session::{Session, is_json, read_program};

use super::Failure;
use super::output::{check_place, hex, is_stdout, result, say, write_whole};

/// What to write, and how.
#[derive(Debug, Args)]
pub struct ConvertArgs {
    /// The program, as text or JSON.
    pub file: PathBuf,
    /// The file to write; - is standard output.
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// The form to write [default: as the name of the output ends, else the other form].
    #[arg(long, value_name = "FORM")]
    pub to: Option<Form>,
}

/// A form of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Form {
    /// Program text (.tla).
    Text,
    /// Flat JSON (.json).
    Json,
}

impl Form {
    /// The form that the name of a file says; none of other names.
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "tla" => Some(Self::Text),
            "json" => Some(Self::Json),
            _ => None,
        }
    }

    /// A program in this form.
    pub fn print(self, program: &CheckedProgram, place: &str) -> Result<String, Failure> {
        let data = program.program();
        match self {
            Self::Json => Ok(flat::print(data)),
            Self::Text => {
                text::print(data).map_err(|error| Failure::Refused(format!("{place}: {error}")))
            }
        }
    }
}

/// Writes a program in another form: that of the name of the output, or else the other one.
pub fn run(args: &ConvertArgs) -> Result<(), Failure> {
    let out = &args.out;
    if !is_stdout(out) {
        check_place(out)?;
    }
    let name = args.file.display().to_string();
    let bytes = read_program(&args.file)?;
    let other = if is_json(&bytes) { Form::Text } else { Form::Json };
    let form = args.to.or_else(|| Form::of(out)).unwrap_or(other);
    let session = Session::of_bytes(&name, bytes).build()?;
    let program = session.program();
    write_whole(out, form.print(program, &name)?.as_bytes())?;
    summary(program, out);
    Ok(())
}

/// What was written.
pub fn summary(program: &CheckedProgram, out: &Path) {
    let data = program.program();
    let num_entries = data.functions.iter().filter(|function| function.entry).count();
    let (num_functions, num_circuits) = (data.functions.len(), data.circuits.len());
    let fingerprint = hex(&program.fingerprint());
    result(json!({
        "out": out.display().to_string(),
        "functions": num_functions,
        "entries": num_entries,
        "circuits": num_circuits,
        "fingerprint": fingerprint,
    }));
    say!("{num_functions} functions, {num_entries} of them entries, in {num_circuits} circuits");
    say!("fingerprint {fingerprint}");
}
