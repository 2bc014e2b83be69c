//! Writes a folder that compiles and checks emitted row writers and evaluators on a
//! machine with a GPU and a CUDA toolkit but without Rust:
//!
//! ```text
//! cargo run -p traceloom-host-kernels --example device_kit -- FOLDER [PROGRAM…]
//! bash FOLDER/run.sh
//! ```
//!
//! Without names it takes all fixtures and programs. The folder holds the emitted
//! files, the support headers, the handwritten harness of `tests/host-kernels/device`,
//! tables of kernels, `jobs.bin`: seeds and the cells that the reference builder makes
//! of the same rows, and `evaluators.bin`: domains and the values that constraints and
//! lookups have on them.

mod cases;
mod evaluators;
mod imported;
mod jobs;
mod kernels;

use std::path::Path;

use traceloom_abi::cuda::HEADERS;

use crate::evaluators::Evaluators;
use crate::jobs::Jobs;
use crate::kernels::Kernels;

/// The handwritten files of the kit.
const DEVICE_FILES: [(&str, &str); 9] = [
    ("main.cu", include_str!("../../device/main.cu")),
    ("device.cuh", include_str!("../../device/device.cuh")),
    ("jobs.hpp", include_str!("../../device/jobs.hpp")),
    ("expect.cuh", include_str!("../../device/expect.cuh")),
    ("parity.cuh", include_str!("../../device/parity.cuh")),
    ("bench.cuh", include_str!("../../device/bench.cuh")),
    ("evaluators.cuh", include_str!("../../device/evaluators.cuh")),
    ("variants.cuh", include_str!("../../device/variants.cuh")),
    ("run.sh", include_str!("../../device/run.sh")),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let folder = args.next().ok_or("usage: device_kit FOLDER [PROGRAM…]")?;
    let folder = Path::new(&folder);
    let names: Vec<String> = args.collect();
    std::fs::create_dir_all(folder)?;
    for (name, text) in HEADERS.iter().chain(&DEVICE_FILES) {
        std::fs::write(folder.join(name), text)?;
    }
    let mut kernels = Kernels::default();
    let mut jobs = Jobs::default();
    let mut evaluators = Evaluators::default();
    for case in cases::all()? {
        if !names.is_empty() && names.iter().all(|name| name != case.name()) {
            continue;
        }
        let files = case.files(&mut kernels).into_iter();
        for file in files.chain(case.evaluators(&mut evaluators)) {
            std::fs::write(folder.join(&file.name), &file.text)?;
        }
        case.jobs(&kernels, &mut jobs)?;
    }
    std::fs::write(folder.join("kernels.cpp"), kernels.table())?;
    let bytes = jobs.bytes();
    println!("{} kernels, {} circuits, {} bytes of jobs", kernels.len(), jobs.len(), bytes.len());
    std::fs::write(folder.join("jobs.bin"), bytes)?;
    std::fs::write(folder.join("evaluators.cpp"), evaluators.table())?;
    let bytes = evaluators.bytes();
    println!("{} pairs of evaluators, {} bytes of domains", evaluators.len(), bytes.len());
    std::fs::write(folder.join("evaluators.bin"), bytes)?;
    Ok(())
}
