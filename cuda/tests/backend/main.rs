//! The prover of a device on a device that is none, with the kernels' own text compiled as
//! C++: every proof has the bytes of the CPU backend.

#[path = "../common/mod.rs"]
mod common;
#[allow(dead_code, reason = "launches come one by one here")]
#[path = "../prover_kernels/host.rs"]
mod host;
mod process;
mod programs;
mod sessions;
#[path = "../../../prover/tests/common/mod.rs"]
mod toy;
mod toys;

use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};
use traceloom_abi::registry::DeviceImage;
use traceloom_cuda::backend::context::ProofContext;
use traceloom_cuda::compile::CompiledFile;
use traceloom_cuda::device::Device;
use traceloom_cuda::error::DeviceError;
use traceloom_cuda::mock::Mock;
use traceloom_cuda::prover_kernels::SOURCES;
use traceloom_cuda::prover_kernels::image::source_digest;
use traceloom_cuda::prover_kernels::load::ProverKernels;
use traceloom_cuda::rows::RowEngine;
use traceloom_runtime::ledger::Ledger;

use common::staging;
use host::Host;
use process::ProofHost;

/// The compiled kernels, for every test.
#[derive(Clone)]
pub struct Kernels(Arc<Host>);

impl Kernels {
    /// A device that runs them.
    pub fn mock(&self, is_descending: bool) -> Mock {
        Mock::new(0, Arc::new(ProofHost::start(&self.0.program(), is_descending)))
    }
}

/// The prover of a device, with fresh memory full of poison.
pub fn context(mock: &Mock) -> Result<ProofContext, DeviceError> {
    context_of(&Device::mock(mock), 0)
}

/// The same with room for seeds.
pub fn context_of(device: &Device, seed_budget: u64) -> Result<ProofContext, DeviceError> {
    device.poison_fresh_memory();
    let engine = RowEngine::new(device, staging(1 << 16, 2), seed_budget)?;
    let ledger = Ledger::default();
    let files = SOURCES.iter().filter(|file| file.name.ends_with(".cu"));
    let files = files.map(|file| CompiledFile {
        name: file.name,
        code: b"image".to_vec(),
        is_cached: true,
    });
    let kernels = ProverKernels::of_files(device, files.collect(), &ledger)?;
    ProofContext::of_kernels(&engine, kernels, &ledger)
}

/// An image as a build embeds it; the mock has code for what it runs.
pub fn embedded() -> &'static [DeviceImage] {
    let image = DeviceImage {
        program: "prover",
        digest: source_digest(),
        architectures: &["sm_80", "sm_90"],
        bytes: b"image of the prover",
    };
    vec![image].leak()
}

type Test = fn(&Kernels);

fn main() {
    let arguments = Arguments::from_args();
    let tests: Vec<(&str, Test)> = [&toys::TESTS[..], &programs::TESTS, &sessions::TESTS].concat();
    // Nobody waits for a compiler who only asks for the names.
    let kernels = (!arguments.list).then(|| Kernels(Arc::new(Host::compile())));
    let trials = tests.into_iter().map(|(name, test)| {
        let kernels = kernels.clone();
        Trial::test(name, move || {
            test(kernels.as_ref().ok_or_else(|| Failed::from("the kernels are not compiled"))?);
            Ok(())
        })
    });
    let conclusion = libtest_mimic::run(&arguments, trials.collect());
    // Its folder goes with it.
    drop(kernels);
    conclusion.exit();
}
