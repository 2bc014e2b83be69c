//! Writes the units of the machine's tables: packers and writers, in Rust and CUDA.

use std::env;
use std::path::PathBuf;

use traceloom_codegen::Units;

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    // There is no folder of programs: tables are written in Rust.
    Units::new("programs", out.join("units"))
        .with_tables(traceloom_optables::riscv::program())
        .build();
}
