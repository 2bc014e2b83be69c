//! Writes the CUDA text of the example programs into a folder, for compilers that
//! need no GPU:
//!
//! ```text
//! cargo run -p traceloom-host-kernels --example emit -- FOLDER
//! nvcc -cubin -arch=sm_90 -Xptxas -v FOLDER/p_blake3_f_blake3_compress.cu
//! ```

use std::path::Path;

use traceloom_abi::cuda::HEADERS;
use traceloom_bytecode::CheckedProgram;
use traceloom_codegen::compile;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: emit FOLDER")?;
    let folder = Path::new(&folder);
    std::fs::create_dir_all(folder)?;
    for (name, text) in HEADERS {
        std::fs::write(folder.join(name), text)?;
    }
    for example in &traceloom_programs::ALL {
        let unit = compile(&CheckedProgram::new(example.build()?)?)?;
        for (name, text) in &unit.files {
            if name.ends_with(".cu") || name.ends_with(".cuh") {
                std::fs::write(folder.join(name), text)?;
            }
        }
    }
    Ok(())
}
