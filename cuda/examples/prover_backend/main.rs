//! Whole proofs on a real device: the bytes of the CPU, and figures. One binary that needs a
//! driver and nothing else where it runs:
//!
//! ```text
//! cargo build --release -p traceloom-cuda --example prover_backend
//! prover_backend compile sm_90 FOLDER    compiles all kernels, needs NVRTC
//! prover_backend parity FOLDER [quick]   every program and profile against the CPU;
//!                                        `quick`: the smallest of each
//! prover_backend parity FOLDER tiny PROGRAM
//!                                        one proof, the smallest of a program
//! prover_backend memory FOLDER           limits of memory, shards that are made again, kernels
//!                                        that the build compiled and that NVRTC compiles
//! prover_backend bench FOLDER PROGRAM KIB COUNT [cpu]
//!                                        blake3 or sha256 of KIB KiB, COUNT proofs behind the
//!                                        first: time per stage and step; `cpu`: beside it
//! ```
//!
//! FOLDER holds compiled kernels. `run.sh` does all of it.

mod bench;
mod cases;
mod memory;
mod parity;

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;

use traceloom_cuda::cache::KernelCache;
use traceloom_cuda::device::Device;
use traceloom_cuda::kernels::KernelNames;
use traceloom_cuda::prover_kernels::load::compile_kernels;
use traceloom_cuda::provider::{RowOptions, RowWriter};
use traceloom_generated::{IMAGES, PROGRAMS};

/// What every step gives.
pub type Outcome<T = ()> = Result<T, Box<dyn Error>>;

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

fn run(args: &[&str]) -> Outcome {
    match *args {
        ["compile", architecture, folder] => compile(architecture, folder),
        ["parity", folder] => parity::run(&open(folder, true)?, parity::Extent::Whole),
        ["parity", folder, "quick"] => parity::run(&open(folder, true)?, parity::Extent::Quick),
        ["parity", folder, "tiny", program] => parity::tiny(&open(folder, true)?, program),
        ["memory", folder] => memory::run(folder),
        ["bench", folder, program, kib, count, ref rest @ ..] if matches!(rest, [] | ["cpu"]) => {
            let case = cases::Case::of_bytes(program, 1024 * kib.parse::<u64>()?)?;
            bench::run(&open(folder, false)?, &case, count.parse()?, !rest.is_empty())
        }
        _ => Err("usage: prover_backend compile ARCH FOLDER | parity FOLDER [quick] | \
                  parity FOLDER tiny PROGRAM | memory FOLDER | \
                  bench FOLDER PROGRAM KIB COUNT [cpu]"
            .into()),
    }
}

/// Fills a folder with all kernels, for a machine without a compiler.
fn compile(architecture: &str, folder: &str) -> Outcome {
    let cache = KernelCache::new(folder);
    cache.check_writable()?;
    let files = compile_kernels(architecture, Some(&cache))?.len();
    println!("compiled prover files={files} architecture={architecture}");
    for unit in PROGRAMS {
        let names = KernelNames::of(unit);
        let files = names.compile(unit.sources, architecture, Some(&cache))?.len();
        println!("compiled program={} files={files}", unit.name);
    }
    Ok(())
}

/// The first device; `poison`: fresh memory holds no canonical word.
fn open(folder: &str, poison: bool) -> Outcome<Arc<RowWriter>> {
    open_with(folder, poison, |options| options)
}

/// The same with changed options.
fn open_with(
    folder: &str,
    poison: bool,
    change: impl FnOnce(RowOptions) -> RowOptions,
) -> Outcome<Arc<RowWriter>> {
    let device = Device::open(0)?;
    let info = device.info();
    let (driver, name) = (info.driver, &info.name);
    println!("device name={name:?} driver={}.{} uuid={}", driver.0, driver.1, info.uuid);
    if poison {
        device.poison_fresh_memory();
    }
    let cache = Some(KernelCache::new(folder));
    let options = RowOptions { cache, ..RowOptions::from_environment(&device)? };
    Ok(Arc::new(RowWriter::new(&device, IMAGES, change(options))?))
}
