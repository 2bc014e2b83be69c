//! Compiles units with NVRTC if no compiler ran when this program was built: on first use, for
//! the device at hand, cached on disk.
//!
//! Each `.cu` file is compiled alone, with the headers that it includes. The key of a cache entry
//! covers all of that text, the processor and the options. So a changed unit has another key, and
//! no entry becomes stale.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use traceloom_abi::cuda::HEADERS;
use traceloom_abi::registry::SourceFile;

use crate::cache::KernelCache;
use crate::native::library::Compiler;

/// Options beside the processor's.
const OPTIONS: [&str; 1] = ["--std=c++17"];

/// Why there is no code.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompileError {
    /// There is no compiler.
    #[error(
        "the compiler NVRTC cannot be used: {}; install the CUDA toolkit, or put the folder of \
         libnvrtc on LD_LIBRARY_PATH", error.as_deref().unwrap_or("libnvrtc was not found")
    )]
    NoCompiler {
        /// The loader's words, if a library is there.
        error: Option<String>,
    },
    /// The compiler refused a file, which is a fault of traceloom.
    #[error("NVRTC refused {file}, which is a fault of traceloom:\n{log}")]
    Refused {
        /// Name of the file.
        file: String,
        /// The compiler's words.
        log: String,
    },
    /// A file includes a header that does not exist.
    #[error("{file} includes {header}, which is not among the sources; run `traceloom codegen`")]
    NoHeader {
        /// Name of the file.
        file: String,
        /// Name of the header.
        header: String,
    },
}

/// One compiled file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompiledFile {
    /// Its name.
    pub name: &'static str,
    /// Machine code.
    pub code: Vec<u8>,
    /// Whether it came from the cache.
    pub is_cached: bool,
}

/// Version of the compiler of this machine.
///
/// # Errors
/// [`CompileError::NoCompiler`].
pub fn compiler_version() -> Result<(u32, u32), CompileError> {
    Compiler::find().map(|compiler| compiler.version())
}

/// Compiles the `.cu` files that are `wanted` for a processor such as `sm_90`, in the
/// order given.
///
/// # Errors
/// [`CompileError`]; the compiler is not needed where all files are cached.
pub fn compile(
    sources: &[SourceFile],
    wanted: impl Fn(&SourceFile) -> bool,
    architecture: &str,
    cache: Option<&KernelCache>,
) -> Result<Vec<CompiledFile>, CompileError> {
    let all = HEADERS.iter().copied().chain(sources.iter().map(|file| (file.name, file.text)));
    let texts: BTreeMap<&str, &str> = all.collect();
    let mut options = vec![format!("--gpu-architecture={architecture}")];
    options.extend(OPTIONS.map(String::from));
    let units: Vec<&SourceFile> =
        sources.iter().filter(|file| file.name.ends_with(".cu") && wanted(file)).collect();
    units.par_iter().map(|file| compile_file(file, &texts, &options, cache)).collect()
}

fn compile_file(
    file: &SourceFile,
    texts: &BTreeMap<&str, &str>,
    options: &[String],
    cache: Option<&KernelCache>,
) -> Result<CompiledFile, CompileError> {
    let headers = reached(file, texts)?;
    let key = key(file, &headers, options);
    if let Some(code) = cache.and_then(|cache| cache.read(&key)) {
        return Ok(CompiledFile { name: file.name, code, is_cached: true });
    }
    let code = Compiler::find()?.compile(file.name, file.text, &headers, options)?;
    if let Some(cache) = cache {
        cache.write(&key, &code);
    }
    Ok(CompiledFile { name: file.name, code, is_cached: false })
}

/// The headers that a file includes, and those that they include, by name.
fn reached<'a>(
    file: &SourceFile,
    texts: &BTreeMap<&'a str, &'a str>,
) -> Result<Vec<(&'a str, &'a str)>, CompileError> {
    let mut reached: BTreeSet<&str> = BTreeSet::new();
    let mut texts_left = vec![file.text];
    while let Some(text) = texts_left.pop() {
        for name in text.lines().filter_map(included) {
            let (&name, &header) = texts.get_key_value(name).ok_or_else(|| {
                CompileError::NoHeader { file: file.name.into(), header: name.into() }
            })?;
            if reached.insert(name) {
                texts_left.push(header);
            }
        }
    }
    Ok(reached.into_iter().map(|name| (name, texts[name])).collect())
}

/// `x` of `#include "x"`; compilers that open files find those in angle brackets.
fn included(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("#include")?.trim_start();
    rest.strip_prefix('"')?.split('"').next()
}

/// What the code of a file depends on.
fn key(file: &SourceFile, headers: &[(&str, &str)], options: &[String]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_derive_key("traceloom kernel cache, version 1");
    let mut text = |text: &str| {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    };
    options.iter().for_each(|option| text(option));
    for (name, header) in [(file.name, file.text)].iter().chain(headers) {
        text(name);
        text(header);
    }
    *hasher.finalize().as_bytes()
}
