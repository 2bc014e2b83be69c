//! `traceloom import`.

use traceloom_bytecode::import::import;
use traceloom_runtime::session::{Session, read_program};

use super::convert::{Form, summary};
use super::output::{check_place, is_stdout, write_whole};
use super::{Failure, ImportArgs};

/// Reads the nested form of another compiler and writes JSON or text of traceloom, if the
/// program is valid.
pub fn run(args: &ImportArgs) -> Result<(), Failure> {
    if !is_stdout(&args.out) {
        check_place(&args.out)?;
    }
    let name = args.file.display().to_string();
    let imported = import(read_program(&args.file)?)
        .map_err(|error| Failure::Malformed(format!("{name} is not nested bytecode:\n{error}")))?;
    let session = Session::of_program(imported.program).named(&name).build()?;
    let form = Form::of(&args.out).unwrap_or(Form::Json);
    write_whole(&args.out, form.print(session.program(), &name)?.as_bytes())?;
    summary(session.program(), &args.out);
    Ok(())
}
