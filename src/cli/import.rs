//! `traceloom import`.

use traceloom_bytecode::import::import;
use traceloom_bytecode::{json, text};
use traceloom_runtime::session::{Session, read_program};

use super::output::{hex, say, write_whole};
use super::{Failure, ImportArgs};

/// Reads the nested form of another compiler and writes JSON or text of traceloom, if the
/// program is valid.
pub fn run(args: &ImportArgs) -> Result<(), Failure> {
    let name = args.file.display().to_string();
    let imported = import(read_program(&args.file)?)
        .map_err(|error| Failure::Malformed(format!("{name} is not nested bytecode:\n{error}")))?;
    let session = Session::of_program(imported.program).named(&name).build()?;
    let (program, data) = (session.program(), session.program().program());
    let is_text = args.out.extension().is_some_and(|extension| extension == "tla");
    let written = match is_text {
        true => text::print(data).map_err(|error| Failure::Refused(format!("{name}: {error}")))?,
        false => json::print(data),
    };
    write_whole(&args.out, written.as_bytes())?;
    let num_entries = data.functions.iter().filter(|function| function.entry).count();
    say!(
        "{} functions, {num_entries} of them entries, in {} circuits",
        data.functions.len(),
        data.circuits.len()
    );
    say!("fingerprint {}", hex(&program.fingerprint()));
    Ok(())
}
