//! `traceloom doctor`: what this machine has for a GPU, and what to do about anything missing.

use std::sync::Arc;

use traceloom_abi::registry::{DeviceImage, ProgramUnit};
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::model::FunctionId;
use traceloom_codegen::device::{Environment, Toolkit};
use traceloom_codegen::planned;
use traceloom_cuda::cache::KernelCache;
use traceloom_cuda::compile::compiler_version;
use traceloom_cuda::device::Device;
use traceloom_cuda::probe;
use traceloom_cuda::prover_kernels::image::{IMAGES, source_digest};
use traceloom_cuda::provider::{RowOptions, RowWriter};
use traceloom_programs as programs;
use traceloom_runtime::bind::{Binding, FunctionError};
use traceloom_runtime::ledger::Ledger;
use traceloom_runtime::session::{Backend, Devices, Request, SessionError, free_memory};
use traceloom_verifier::Profile;

use super::output::{hex, say, size};
use super::source::load;
use super::{Failure, machine};

/// Looks at everything. A missing part is not a failure, because proofs need none of it.
pub fn run() -> Result<(), Failure> {
    processor();
    let writers = devices();
    tools();
    cache();
    for unit in crate::registry() {
        kernels(unit, &writers);
    }
    prover_kernels(&writers);
    for writer in &writers {
        let device = writer.engine().device().info().ordinal;
        match proof(writer) {
            Ok(bytes) => say!("device {device}: a proof of {} is the CPU's", size(bytes as u64)),
            Err(error) => say!("device {device}: does not prove: {error}"),
        }
    }
    coverage()
}

fn processor() {
    say!("build      for {}", machine::built_for());
    let missing = machine::missing_instructions();
    if !missing.is_empty() {
        say!(
            "processor  has no {}, and this build uses them: build again as README.md says under \
             Processors",
            missing.join(", ")
        );
    }
    if let Some(free) = free_memory() {
        say!("memory     {} free", size(free));
    }
}

fn devices() -> Vec<Arc<RowWriter>> {
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
        let writer = RowWriter::new(&device, crate::images(), options);
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
                writers.push(Arc::new(writer));
            }
            Err(error) => say!("{info}: cannot be used: {error}"),
        }
    }
    writers
}

/// Proves a small program on a device and on the CPU; the size of the proof if both are the
/// same.
fn proof(writer: &Arc<RowWriter>) -> Result<usize, String> {
    let prove = |backend, devices| -> Result<Vec<u8>, SessionError> {
        let builder = crate::session("fibonacci")?.profile(Profile::Fast);
        let session = builder.backend(backend).devices(devices).build()?;
        Ok(session.prove(Request::args([30]))?.bytes)
    };
    let on_device = prove(Backend::Device, Devices::Found(vec![writer.clone()]));
    let on_device = on_device.map_err(|error| error.to_string())?;
    let on_cpu = prove(Backend::Cpu, Devices::NotAsked).map_err(|error| error.to_string())?;
    match on_device == on_cpu {
        true => Ok(on_device.len()),
        false => Err("its proof of fibonacci differs from the CPU's; use --backend cpu".into()),
    }
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

fn kernels(unit: &'static ProgramUnit, writers: &[Arc<RowWriter>]) {
    let of_unit = |image: &&DeviceImage| image.digest == unit.digest;
    let compiled_in = match crate::images().iter().find(of_unit) {
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

/// The kernels with which a device proves: whether the build compiled them, and whence each
/// device has them.
fn prover_kernels(writers: &[Arc<RowWriter>]) {
    let digest = source_digest();
    match IMAGES.iter().find(|image| image.digest == digest) {
        Some(image) => {
            let (bytes, names) = (image.bytes.len() as u64, image.architectures.join(", "));
            say!("{:<10} kernels compiled in for {names}, {}", "prover", size(bytes));
        }
        None => say!("{:<10} kernels not compiled in: NVRTC compiles them on first use", "prover"),
    }
    for writer in writers {
        let device = writer.engine().device().info().ordinal;
        match writer.device_prover().context(&Ledger::default()) {
            Ok(context) => say!("{:<10} on device {device}: {}", "", context.origin()),
            Err(error) => say!("{:<10} on device {device}: none: {error}", ""),
        }
    }
}

fn coverage() -> Result<(), Failure> {
    let own = crate::sources().iter().map(|source| source.name);
    for name in own.chain(programs::ALL.iter().map(|builtin| builtin.name)) {
        let program = load(name)?;
        for line in cover(&program, crate::registry()) {
            say!("{line}");
        }
    }
    Ok(())
}

/// How much of a program is generated, and why not all of it.
fn cover(program: &CheckedProgram, registry: &[&'static ProgramUnit]) -> Vec<String> {
    let name = &program.program().name;
    let binding = match Binding::new(program, registry) {
        Ok(binding) => binding,
        Err(error) => return vec![format!("{name:<10} generated: nothing: {error}")],
    };
    let circuits = &program.program().circuits;
    let reasons = circuits.iter().filter_map(|members| binding.members(program, members).err());
    let reasons: Vec<FunctionError> = reasons.collect();
    let constrained = |id: &FunctionId| program.function(*id).constrained;
    let mut lines = vec![format!(
        "{name:<10} generated: circuits {} of {}, functions {} of {}, fingerprint {}",
        circuits.len() - reasons.len(),
        circuits.len(),
        binding.num_functions(),
        program.function_ids().filter(constrained).count(),
        hex(&program.fingerprint())
    )];
    let reasons = reasons.iter().map(|reason| format!("a circuit has reference rows: {reason}"));
    lines.extend(reasons.map(|reason| format!("{:<10} {reason}", "")));
    if let Err(error) = compare_with_generator(program, &binding) {
        lines.push(format!("{:<10} {error}", ""));
    }
    lines
}

/// Only the generator knows what the unit digest of a program would be now.
fn compare_with_generator(program: &CheckedProgram, binding: &Binding) -> Result<(), String> {
    let now = planned(program).map_err(|faults| faults.to_string())?;
    let same = binding.check_digest("what the generator makes of it now", &now.digest);
    same.map_err(|difference| difference.to_string())
}

#[cfg(test)]
mod tests {

    use traceloom_abi::registry::{FunctionUnit, ProgramUnit};

    use super::{cover, load};

    /// A registry of one changed unit; tests are few, so what is leaked is little.
    fn changed(change: impl FnOnce(&mut ProgramUnit, &mut Vec<FunctionUnit>)) -> Vec<String> {
        let program = load("merge_sort").unwrap();
        let mut unit = **crate::registry().iter().find(|unit| unit.name == "merge_sort").unwrap();
        let mut functions = unit.functions.to_vec();
        change(&mut unit, &mut functions);
        unit.functions = Vec::leak(functions);
        cover(&program, &[Box::leak(Box::new(unit))])
    }

    #[test]
    fn coverage_is_of_circuits_and_functions() {
        let whole = changed(|_, _| ());
        assert_eq!(whole.len(), 1, "{whole:?}");
        let all = "merge_sort generated: circuits 4 of 4, functions 5 of 5, fingerprint ";
        assert!(whole[0].starts_with(all), "{whole:?}");
        let part = changed(|_, functions| functions.truncate(4));
        assert!(part[0].contains("circuits 3 of 4, functions 4 of 5"), "{part:?}");
        assert!(part[1].contains("function \"nth\" was not generated"), "{part:?}");
        let none = changed(|unit, _| unit.generator_version -= 1);
        assert!(none[0].contains("generated: nothing: ") && none.len() == 1, "{none:?}");
        assert!(none[0].contains("generator version: expected "), "{none:?}");
    }

    #[test]
    fn the_unit_digest_is_the_one_that_the_generator_gives_now() {
        let other = changed(|unit, _| unit.digest[0] ^= 1);
        let [whole, difference] = &other[..] else { panic!("{other:?}") };
        assert!(whole.contains("circuits 4 of 4"), "{whole}");
        let what = "program \"merge_sort\": digest of what the generator makes of it now: ";
        assert!(difference.contains(what), "{difference}");
        assert!(difference.ends_with("run `traceloom codegen`"), "{difference}");
    }
}
