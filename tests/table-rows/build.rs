//! Writes the units of the RISC-V tables, as a build script of a crate with programs does.

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

use traceloom_codegen::compile_tables;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    let unit = compile_tables(&traceloom_optables::riscv::program())?;
    let folder = out.join("riscv");
    fs::create_dir_all(&folder)?;
    for (name, text) in &unit.files {
        fs::write(folder.join(name), text)?;
    }
    let path = folder.join("mod.rs");
    fs::write(out.join("units.rs"), format!("#[path = {path:?}]\npub mod riscv;\n"))?;
    Ok(())
}
