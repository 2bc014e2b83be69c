//! `traceloom doctor`: what a GPU would need here, and what to do about what is missing.

use traceloom_abi::registry::{DeviceImage, ProgramUnit};
use traceloom_codegen::device::{Environment, Toolkit};
use traceloom_cuda::cache::KernelCache;
use traceloom_cuda::compile::compiler_version;
use traceloom_cuda::device::Device;
use traceloom_cuda::probe;
use traceloom_cuda::provider::{RowOptions, RowWriter};
use traceloom_programs as programs;
use traceloom_runtime::bind::Binding;
use traceloom_runtime::ledger::Ledger;

use super::output::{hex, say, size};
use super::source::load;
use super::{Failure, trace};

/// Looks at everything. What is missing is no failure: proofs need none of it.
pub fn run() -> Result<(), Failure> {
    let writers = devices();
    tools();
    cache();
    for unit in trace::registry() {
        kernels(unit, &writers);
    }
    coverage()
}

fn devices() -> Vec<RowWriter> {
    let devices = match probe::devices() {
        Ok(devices) => devices,
        Err(error) => {
            say!("driver     none: {error}");
            say!("device     none; traces and proofs are computed on the CPU");
            return Vec::new();
        }
    };
    say!("driver     CUDA {}.{}", devices[0].driver.0, devices[0].driver.1);
    let open = |ordinal| -> Result<(RowWriter, u64, u64), String> {
        let device = Device::open(ordinal).map_err(|error| error.to_string())?;
        let free = device.free_memory().map_err(|error| error.to_string())?;
        let options = RowOptions::from_environment(&device)?;
        let budget = options.seed_budget;
        let writer = RowWriter::new(&device, traceloom_generated::IMAGES, options);
        Ok((writer.map_err(|error| error.to_string())?, free, budget))
    };
    let mut writers = Vec::new();
    for info in devices {
        match open(info.ordinal) {
            Ok((writer, free, budget)) => {
                say!(
                    "{info}: {}, {} free, up to {} of seeds stay there",
                    size(info.memory),
                    size(free),
                    size(budget)
                );
                writers.push(writer);
            }
            Err(error) => say!("{info}: cannot be used: {error}"),
        }
    }
    writers
}

fn tools() {
    match Toolkit::find(&Environment::of_process()) {
        Ok(Some(toolkit)) => {
            say!("toolkit    nvcc {}, {}", toolkit.version, toolkit.nvcc.display())
        }
        Ok(None) => say!(
            "toolkit    none: builds compile no kernels; install the CUDA toolkit, or set NVCC or \
             CUDA_HOME, and build again"
        ),
        Err(error) => say!("toolkit    cannot be used: {error}"),
    }
    match compiler_version() {
        Ok((major, minor)) => {
            say!("NVRTC      {major}.{minor}: kernels can be compiled on first use")
        }
        Err(error) => say!("NVRTC      none: {error}"),
    }
}

fn cache() {
    let Some(cache) = KernelCache::of_user() else {
        say!("kernels    are not kept: set TRACELOOM_CACHE_DIR to a folder");
        return;
    };
    match cache.check_writable() {
        Ok(()) => say!("kernels    are kept in {}", cache.folder().display()),
        Err(error) => say!(
            "kernels    are not kept: {}: {error}; set TRACELOOM_CACHE_DIR to a folder",
            cache.folder().display()
        ),
    }
}

fn kernels(unit: &'static ProgramUnit, writers: &[RowWriter]) {
    let of_unit = |image: &&DeviceImage| image.digest == unit.digest;
    let compiled_in = match traceloom_generated::IMAGES.iter().find(of_unit) {
        Some(image) => format!("compiled in for {}", image.architectures.join(", ")),
        None => format!("not compiled in, {} source files", unit.sources.len()),
    };
    say!("{:<10} kernels {compiled_in}", unit.name);
    for writer in writers {
        let device = writer.engine().device().info();
        match writer.kernels(unit, &Ledger::default()) {
            Ok(kernels) => say!("{:<10} on device {}: {}", "", device.ordinal, kernels.origin()),
            Err(error) => say!("{:<10} on device {}: none: {error}", "", device.ordinal),
        }
    }
}

fn coverage() -> Result<(), Failure> {
    for builtin in &programs::ALL {
        let program = load(builtin.name)?.program;
        let fingerprint = hex(&program.fingerprint());
        match Binding::new(&program, trace::registry()) {
            Ok(binding) => {
                // A unit covers its program whole, or it is not bound.
                let circuits = program.program().circuits.len();
                let functions = binding.unit().functions.len();
                say!(
                    "{:<10} generated: circuits {circuits} of {circuits}, functions {functions}, \
                     fingerprint {fingerprint}",
                    builtin.name
                );
            }
            Err(error) => say!("{:<10} generated: nothing: {error}", builtin.name),
        }
    }
    Ok(())
}
