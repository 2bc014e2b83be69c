//! Writes the unit of the toy's tables, as a build script of a crate with programs does.

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

use traceloom_codegen::compile_tables;

#[allow(dead_code, missing_docs)]
#[path = "src/tables.rs"]
mod tables;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/tables.rs");
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    let unit = compile_tables(&tables::program())?;
    let folder = out.join("toy");
    fs::create_dir_all(&folder)?;
    for (name, text) in &unit.files {
        fs::write(folder.join(name), text)?;
    }
    let path = folder.join("mod.rs");
    fs::write(out.join("units.rs"), format!("#[path = {path:?}]\npub mod toy;\n"))?;
    Ok(())
}
