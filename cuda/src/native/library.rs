//! Finding the libraries, and the compiler NVRTC.
#![allow(unsafe_code)]

use std::error::Error;
use std::ffi::{CStr, CString, OsStr, c_char, c_int};
use std::path::PathBuf;
use std::ptr::null_mut;
use std::sync::OnceLock;

use cudarc::nvrtc::sys::{self as nvrtc, nvrtcProgram, nvrtcResult};
use libloading::Library;

use crate::compile::CompileError;
use crate::probe::Unavailable;

/// Every function of the driver that `driver.rs` calls without asking.
const DRIVER_SYMBOLS: [&str; 35] = [
    "cuCtxSetCurrent",
    "cuDeviceGet",
    "cuDeviceGetAttribute",
    "cuDeviceGetCount",
    "cuDeviceGetName",
    "cuDeviceGetUuid_v2",
    "cuDevicePrimaryCtxRelease_v2",
    "cuDevicePrimaryCtxRetain",
    "cuDeviceTotalMem_v2",
    "cuDriverGetVersion",
    "cuEventCreate",
    "cuEventDestroy_v2",
    "cuEventQuery",
    "cuEventRecord",
    "cuEventSynchronize",
    "cuFuncGetAttribute",
    "cuFuncSetAttribute",
    "cuInit",
    "cuLaunchKernel",
    "cuMemAlloc_v2",
    "cuMemFreeHost",
    "cuMemFree_v2",
    "cuMemGetInfo_v2",
    "cuMemHostAlloc",
    "cuMemcpy2DAsync_v2",
    "cuMemcpyDtoHAsync_v2",
    "cuMemcpyHtoDAsync_v2",
    "cuMemsetD8Async",
    "cuModuleGetFunction",
    "cuModuleLoadData",
    "cuModuleUnload",
    "cuStreamCreate",
    "cuStreamDestroy_v2",
    "cuStreamSynchronize",
    "cuStreamWaitEvent",
];

/// Every function of the compiler that is called below.
const COMPILER_SYMBOLS: [&str; 8] = [
    "nvrtcCompileProgram",
    "nvrtcCreateProgram",
    "nvrtcDestroyProgram",
    "nvrtcGetCUBIN",
    "nvrtcGetCUBINSize",
    "nvrtcGetProgramLog",
    "nvrtcGetProgramLogSize",
    "nvrtcVersion",
];

/// Loads the library of the driver, once per process.
pub(crate) fn driver() -> Result<(), Unavailable> {
    static FOUND: OnceLock<Result<(), Unavailable>> = OnceLock::new();
    let find = || {
        let names = ["cuda", "nvcuda"].into_iter().flat_map(cudarc::get_lib_name_candidates);
        let library = open(names).map_err(|broken| match broken {
            None => Unavailable::NoLibrary,
            Some(error) => Unavailable::BrokenLibrary { error },
        })?;
        match missing(&library, &DRIVER_SYMBOLS) {
            // A stub has every function but the one that cuInit answers for.
            Some(symbol) => Err(Unavailable::MissingSymbol { symbol }),
            None => {
                // cudarc opens the same library again and keeps it.
                std::mem::forget(library);
                Ok(())
            }
        }
    };
    FOUND.get_or_init(find).clone()
}

/// Whether the driver has the function that measures time between events (since 12.8).
pub(crate) fn driver_measures_time() -> bool {
    static FOUND: OnceLock<bool> = OnceLock::new();
    let find = || {
        let names = ["cuda", "nvcuda"].into_iter().flat_map(cudarc::get_lib_name_candidates);
        open(names).is_ok_and(|library| missing(&library, &["cuEventElapsedTime_v2"]).is_none())
    };
    *FOUND.get_or_init(find)
}

/// The first library of these names that opens; else why one that is there does not.
fn open(names: impl Iterator<Item = String>) -> Result<Library, Option<String>> {
    let mut broken = None;
    for name in names {
        // SAFETY: loading runs the library's initializers: those of the NVIDIA driver or
        // toolkit, which expect any process.
        match unsafe { Library::new(&name) } {
            Ok(library) => return Ok(library),
            Err(error) => {
                // The loader's own words are the source.
                let error = error.source().map_or_else(|| error.to_string(), ToString::to_string);
                // A loader that does not find the library says so of its name; one that
                // does not find what the library needs, of another.
                let absent = error.contains(&format!("{name}: cannot open shared object file"));
                if !absent {
                    broken.get_or_insert(error);
                }
            }
        }
    }
    Err(broken)
}

fn missing(library: &Library, symbols: &[&'static str]) -> Option<&'static str> {
    let is_missing = |symbol: &&&str| {
        // SAFETY: the symbol is only looked up, and not called as this type.
        unsafe { library.get::<unsafe extern "C" fn()>(symbol.as_bytes()) }.is_err()
    };
    symbols.iter().find(is_missing).copied()
}

/// The compiler of this machine.
#[derive(Clone, Debug)]
pub(crate) struct Compiler {
    version: (u32, u32),
}

/// Folders of toolkits, which are seldom on the loader's path.
fn toolkit_folders() -> Vec<PathBuf> {
    let homes = ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(std::env::var_os);
    let homes = homes.chain([OsStr::new("/usr/local/cuda").to_owned()]).map(PathBuf::from);
    homes.flat_map(|home| [home.join("lib64"), home.join("lib")]).collect()
}

impl Compiler {
    /// Loads the compiler's library, once per process.
    pub(crate) fn find() -> Result<Self, CompileError> {
        static FOUND: OnceLock<Result<Compiler, CompileError>> = OnceLock::new();
        FOUND.get_or_init(Self::load).clone()
    }

    fn load() -> Result<Self, CompileError> {
        let names = || cudarc::get_lib_name_candidates("nvrtc").into_iter();
        let library = open(names()).or_else(|first| {
            // A library that is loaded by its path is found by its name from then on. So is
            // the one of its built-in functions, which it opens by name.
            for folder in toolkit_folders() {
                let builtins = builtins(&folder);
                let paths = names().map(|name| folder.join(name)).chain(builtins);
                let paths: Vec<String> =
                    paths.filter_map(|path| path.to_str().map(Into::into)).collect();
                for path in paths {
                    if let Ok(library) = open(std::iter::once(path)) {
                        std::mem::forget(library);
                    }
                }
            }
            open(names()).map_err(|second| first.or(second))
        });
        let library = library.map_err(|error| CompileError::NoCompiler { error })?;
        if let Some(symbol) = missing(&library, &COMPILER_SYMBOLS) {
            return Err(CompileError::NoCompiler { error: Some(format!("it has no {symbol}")) });
        }
        std::mem::forget(library);
        let (mut major, mut minor): (c_int, c_int) = (0, 0);
        // SAFETY: the library has the function; pointers are to local variables.
        let result = unsafe { nvrtc::nvrtcVersion(&raw mut major, &raw mut minor) };
        if result != nvrtcResult::NVRTC_SUCCESS {
            return Err(CompileError::NoCompiler { error: Some(format!("{result:?}")) });
        }
        Ok(Self { version: (major.unsigned_abs(), minor.unsigned_abs()) })
    }

    /// Major and minor.
    pub(crate) fn version(&self) -> (u32, u32) {
        self.version
    }

    /// Compiles one file to machine code. `headers` are all that it can include.
    pub(crate) fn compile(
        &self,
        name: &str,
        text: &str,
        headers: &[(&str, &str)],
        options: &[String],
    ) -> Result<Vec<u8>, CompileError> {
        let failed = |log: String| CompileError::Refused { file: name.into(), log };
        let string =
            |text: &str| CString::new(text).map_err(|_| failed("it has a zero byte".into()));
        let (title, text) = (string(name)?, string(text)?);
        let names: Vec<CString> =
            headers.iter().map(|(name, _)| string(name)).collect::<Result<_, _>>()?;
        let texts: Vec<CString> =
            headers.iter().map(|(_, text)| string(text)).collect::<Result<_, _>>()?;
        let options: Vec<CString> =
            options.iter().map(|option| string(option)).collect::<Result<_, _>>()?;
        let pointers = |strings: &[CString]| {
            strings.iter().map(|s| s.as_ptr()).collect::<Vec<*const c_char>>()
        };
        let (names_at, texts_at) = (pointers(&names), pointers(&texts));
        let count =
            c_int::try_from(headers.len()).map_err(|_| failed("too many headers".into()))?;
        let mut program = null_mut();
        // SAFETY: both arrays have `count` terminated strings, and all outlive the program.
        let result = unsafe {
            nvrtc::nvrtcCreateProgram(
                &raw mut program,
                text.as_ptr(),
                title.as_ptr(),
                count,
                texts_at.as_ptr(),
                names_at.as_ptr(),
            )
        };
        if result != nvrtcResult::NVRTC_SUCCESS {
            return Err(failed(format!("{result:?}")));
        }
        let program = Program(program);
        let options_at = pointers(&options);
        // SAFETY: the program is alive; the array has as many terminated strings.
        let result = unsafe {
            nvrtc::nvrtcCompileProgram(program.0, options.len() as c_int, options_at.as_ptr())
        };
        match result {
            nvrtcResult::NVRTC_SUCCESS => program.code().map_err(failed),
            _ => Err(failed(program.log().unwrap_or_else(|| format!("{result:?}")))),
        }
    }
}

/// `libnvrtc-builtins.so.13.0` in a folder, whatever its version.
fn builtins(folder: &std::path::Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    let is_builtins = |path: &PathBuf| {
        let name = path.file_name().and_then(OsStr::to_str);
        name.is_some_and(|name| name.starts_with("libnvrtc-builtins"))
    };
    paths.filter(is_builtins).collect()
}

/// A program of the compiler.
struct Program(nvrtcProgram);

impl Program {
    fn code(&self) -> Result<Vec<u8>, String> {
        let mut size = 0;
        // SAFETY: the program is alive and compiled; pointer to a local variable.
        let result = unsafe { nvrtc::nvrtcGetCUBINSize(self.0, &raw mut size) };
        if result != nvrtcResult::NVRTC_SUCCESS || size == 0 {
            return Err(format!("no machine code: {result:?}"));
        }
        let mut code = vec![0_u8; size];
        // SAFETY: the buffer has the size that was asked for.
        let result = unsafe { nvrtc::nvrtcGetCUBIN(self.0, code.as_mut_ptr().cast()) };
        match result {
            nvrtcResult::NVRTC_SUCCESS => Ok(code),
            _ => Err(format!("no machine code: {result:?}")),
        }
    }

    fn log(&self) -> Option<String> {
        let mut size = 0;
        // SAFETY: the program is alive; pointer to a local variable.
        let result = unsafe { nvrtc::nvrtcGetProgramLogSize(self.0, &raw mut size) };
        if result != nvrtcResult::NVRTC_SUCCESS || size == 0 {
            return None;
        }
        let mut log = vec![0_u8; size];
        // SAFETY: the buffer has the size that was asked for.
        let result = unsafe { nvrtc::nvrtcGetProgramLog(self.0, log.as_mut_ptr().cast()) };
        let text = CStr::from_bytes_until_nul(&log).ok()?;
        (result == nvrtcResult::NVRTC_SUCCESS).then(|| text.to_string_lossy().into_owned())
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: created in `compile`, destroyed once.
        let _ = unsafe { nvrtc::nvrtcDestroyProgram(&raw mut self.0) };
    }
}
