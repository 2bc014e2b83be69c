//! Units compiled by NVRTC, which needs no device. Where there is no compiler the tests
//! say so and are counted as ignored; `TRACELOOM_REQUIRE_TOOLKIT=1`, which `.ci/run` sets
//! once it has installed one, makes that a failure.

mod common;

use std::fs;

use common::{TOOLKIT_REQUIRED, needed};
use libtest_mimic::{Arguments, Completion, Failed, Trial};
use traceloom_abi::registry::SourceFile;
use traceloom_cuda::cache::KernelCache;
use traceloom_cuda::compile::{CompileError, compile, compiler_version};
use traceloom_cuda::kernels::KernelNames;
use traceloom_generated::PROGRAMS;

fn main() {
    let args = Arguments::from_args();
    let trial = |name: &str, test: fn()| {
        Trial::ignorable_test(name, move || -> Result<Completion, Failed> {
            // A library that is there and cannot be loaded is a fault.
            let is_absent =
                |error: &CompileError| matches!(error, CompileError::NoCompiler { error: None });
            let is_required = std::env::var_os(TOOLKIT_REQUIRED).is_some_and(|value| value == "1");
            let version = needed(compiler_version(), is_absent, is_required);
            version.map_or_else(|ended| ended, |_| Ok(completed(test)))
        })
    };
    let trials = vec![
        trial("units_compile_and_are_kept", units_compile_and_are_kept),
        trial("a_damaged_kernel_is_compiled_again", a_damaged_kernel_is_compiled_again),
        trial("what_is_refused_is_named", what_is_refused_is_named),
    ];
    libtest_mimic::run(&args, trials).exit();
}

fn completed(test: fn()) -> Completion {
    test();
    Completion::Completed
}

const ARCHITECTURE: &str = "sm_90";

fn units_compile_and_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let cache = KernelCache::new(folder.path());
    let unit = PROGRAMS.iter().find(|unit| unit.name == "fibonacci").unwrap();
    let names = KernelNames::of(unit);
    let fresh = names.compile(unit.sources, ARCHITECTURE, Some(&cache)).unwrap();
    // One file with the function's kernels, one with the program's.
    assert_eq!(fresh.len(), 2);
    for file in &fresh {
        assert!(!file.is_cached && file.code.starts_with(b"\x7fELF"), "{}", file.name);
    }
    let kept = names.compile(unit.sources, ARCHITECTURE, Some(&cache)).unwrap();
    for (fresh, kept) in fresh.iter().zip(&kept) {
        assert!(kept.is_cached && kept.code == fresh.code, "{}", kept.name);
    }
    let other = names.compile(unit.sources, "sm_80", Some(&cache)).unwrap();
    assert!(other.iter().all(|file| !file.is_cached), "another processor is another kernel");
}

fn a_damaged_kernel_is_compiled_again() {
    let folder = tempfile::tempdir().unwrap();
    let cache = KernelCache::new(folder.path());
    let source =
        SourceFile { name: "k.cu", text: "#include \"platform.cuh\"\nTL_KERNEL void k() {}\n" };
    let run = || compile(&[source], |_| true, ARCHITECTURE, Some(&cache)).unwrap().remove(0);
    let fresh = run();
    let path = fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
    let mut bytes = fs::read(&path).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&path, bytes).unwrap();
    let again = run();
    assert!(!again.is_cached && again.code == fresh.code);
    assert!(run().is_cached);
}

fn what_is_refused_is_named() {
    let wrong = SourceFile { name: "wrong.cu", text: "this is no program\n" };
    let error = compile(&[wrong], |_| true, ARCHITECTURE, None).unwrap_err();
    assert!(error.to_string().starts_with("NVRTC refused wrong.cu"), "{error}");
    let lonely = SourceFile { name: "a.cu", text: "#include \"b.cuh\"\n" };
    let error = compile(&[lonely], |_| true, ARCHITECTURE, None).unwrap_err();
    let (file, header) = ("a.cu".into(), "b.cuh".into());
    assert_eq!(error, CompileError::NoHeader { file, header });
}
