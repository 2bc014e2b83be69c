//! Writes the CUDA text of the example programs into a folder, for compilers that
//! need no GPU:
//!
//! ```text
//! cargo run -p traceloom-host-kernels --example emit -- FOLDER
//! nvcc -cubin -arch=sm_90 -Xptxas -v FOLDER/blake3_f_blake3_compress.cu
//! ```

use std::path::Path;

use traceloom_abi::cuda::HEADERS;
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::system::build_system;
use traceloom_codegen::compile;
use traceloom_codegen::cuda::ident::Ident;
use traceloom_codegen::cuda::print::print;
use traceloom_codegen::cuda::writer::row_writers;
use traceloom_codegen::evaluator;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: emit FOLDER")?;
    let folder = Path::new(&folder);
    std::fs::create_dir_all(folder)?;
    for (name, text) in HEADERS {
        std::fs::write(folder.join(name), text)?;
    }
    for (name, program) in [
        ("fibonacci", traceloom_programs::fibonacci::program()?),
        ("blake3", traceloom_programs::blake3::program()?),
        ("sha256", traceloom_programs::sha256::program()?),
    ] {
        let program = CheckedProgram::new(program)?;
        let units = compile(&program)?;
        for file in row_writers(&units.plan, &Ident::new(name), &units.digest) {
            std::fs::write(folder.join(file.name), file.text)?;
        }
        for (index, circuit) in build_system(&program).circuits.iter().enumerate() {
            let namespace = Ident::new(format!("{name}_circuit{index}"));
            let header = evaluator::cuda::header(circuit, &namespace, Vec::new());
            std::fs::write(folder.join(format!("{namespace}.cuh")), print(&header))?;
        }
    }
    Ok(())
}
