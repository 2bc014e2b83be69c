//! Rows on a real device: parity with the reference, and figures. One binary that needs
//! a driver and nothing else where it runs:
//!
//! ```text
//! cargo build --release -p traceloom-cuda --example device_rows
//! device_rows compile sm_90 FOLDER     compiles what is not compiled in, needs NVRTC
//! device_rows parity [FOLDER]          every program, all windows, cell by cell
//! device_rows bench [FOLDER]           one machine-readable line per figure
//! ```
//!
//! FOLDER holds compiled kernels. Where `TRACELOOM_DATA` names the folder of the imported
//! program, that is included.

#[allow(dead_code)] // Every user changes other answers.
#[path = "../../tests/common/altered.rs"]
mod altered;
mod bench;
mod cases;
#[path = "../../../tests/host-kernels/examples/device_kit/imported.rs"]
mod imported;
mod parity;
mod sources;

use std::error::Error;
use std::process::ExitCode;

use traceloom_cuda::cache::KernelCache;
use traceloom_cuda::device::Device;
use traceloom_cuda::probe;

use crate::cases::Emitted;

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
        ["compile", architecture, folder] => compile(architecture, folder),
        ["parity"] => parity::run(&open()?, KernelCache::of_user()),
        ["parity", folder] => parity::run(&open()?, Some(KernelCache::new(folder))),
        ["bench"] => bench::run(&open()?, KernelCache::of_user()),
        ["bench", folder] => bench::run(&open()?, Some(KernelCache::new(folder))),
        _ => {
            Err("usage: device_rows compile ARCH FOLDER | parity [FOLDER] | bench [FOLDER]".into())
        }
    }
}

/// The first device. Fresh memory is poison in every run of this binary but figures'.
fn open() -> Result<Device, Box<dyn Error>> {
    for info in probe::devices()? {
        println!(
            "device ordinal={} name={:?} architecture={} memory={} driver={}.{} uuid={}",
            info.ordinal,
            info.name,
            info.architecture(),
            info.memory,
            info.driver.0,
            info.driver.1,
            info.uuid
        );
    }
    Ok(Device::open(0)?)
}

/// Fills a folder with the kernels of all programs, for a machine without a compiler.
fn compile(architecture: &str, folder: &str) -> Result<(), Box<dyn Error>> {
    let cache = KernelCache::new(folder);
    cache.check_writable()?;
    for unit in traceloom_generated::PROGRAMS {
        let names = traceloom_cuda::kernels::KernelNames::of(unit);
        report(unit.name, names.compile(unit.sources, architecture, Some(&cache))?.len());
    }
    if let Some(emitted) = Emitted::imported()? {
        let names = emitted.names();
        let files = names.compile(emitted.sources(), architecture, Some(&cache))?;
        report("imported", files.len());
    }
    Ok(())
}

fn report(program: &str, files: usize) {
    println!("compiled program={program} files={files}");
}
