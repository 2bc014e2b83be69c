//! Writes a module of checked packers per program in `trace-plans`.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

use traceloom_bytecode::{CheckedProgram, json};
use traceloom_codegen::planned;
use traceloom_codegen::rust::checked::program_text;

const PROGRAMS: &str = "../../trace-plans";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={PROGRAMS}");
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    let mut names = Vec::new();
    for entry in fs::read_dir(PROGRAMS)? {
        let file = entry?.file_name().into_string().map_err(|name| format!("{name:?}"))?;
        match file.strip_suffix(".json") {
            Some(name) if !name.ends_with(".plan") => names.push(name.to_owned()),
            _ => {}
        }
    }
    names.sort();
    let (mut modules, mut list) = (String::new(), String::new());
    for name in names {
        let program = json::parse(fs::read(Path::new(PROGRAMS).join(format!("{name}.json")))?)?;
        let text = program_text(&planned(&CheckedProgram::new(program)?)?.plan);
        let path = out.join(format!("{name}.rs"));
        fs::write(&path, text)?;
        modules += &format!("#[path = {path:?}]\nmod {name};\n");
        list += &format!("    ({name:?}, {name}::CHECKED),\n");
    }
    let list = format!("pub static PROGRAMS: &[(&str, Checked)] = &[\n{list}];\n");
    fs::write(out.join("programs.rs"), format!("{modules}\n/// By name.\n{list}"))?;
    Ok(())
}
