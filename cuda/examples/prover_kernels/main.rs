//! The handwritten kernels of the prover on a real device: parity with p3 and with the CPU
//! backend's stage 2 and quotients, and figures. One
//! binary that needs a driver and nothing else where it runs:
//!
//! ```text
//! cargo build --release -p traceloom-cuda --example prover_kernels
//! prover_kernels compile sm_90 FOLDER    compiles the kernels, needs NVRTC
//! prover_kernels parity FOLDER [quick]   against the CPU; `quick`: the smallest shapes
//! prover_kernels bench FOLDER            one machine-readable line per figure
//! ```
//!
//! FOLDER holds compiled kernels. `run.sh` does all of it.

mod bench;
#[allow(dead_code)] // Tests on the host use more of it.
#[path = "../../tests/prover_kernels/cases.rs"]
mod cases;
mod kit;
#[allow(dead_code)]
#[path = "../../tests/prover_kernels/oracle.rs"]
mod oracle;
mod parity;
mod stages;

use std::error::Error;
use std::process::ExitCode;

use traceloom_cuda::cache::KernelCache;
use traceloom_cuda::prover_kernels::load::compile_kernels;

use crate::kit::Kit;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &[&str]) -> Result<(), Box<dyn Error>> {
    match *args {
        ["compile", architecture, folder] => {
            let cache = KernelCache::new(folder);
            cache.check_writable()?;
            let files = compile_kernels(architecture, Some(&cache))?.len();
            println!("compiled files={files} architecture={architecture}");
            Ok(())
        }
        ["parity", folder] => parity::run(&Kit::open(folder, true)?, false),
        ["parity", folder, "quick"] => parity::run(&Kit::open(folder, true)?, true),
        ["bench", folder] => bench::run(&Kit::open(folder, false)?),
        _ => Err("usage: prover_kernels compile ARCH FOLDER | parity FOLDER [quick] | \
                  bench FOLDER"
            .into()),
    }
}
