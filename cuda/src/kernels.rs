//! The kernels of a program, loaded and compared: all of them before the first row.

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU64;

use traceloom_abi::registry::{DeviceImage, ProgramUnit, SourceFile};
use traceloom_runtime::ledger::{Kind, Ledger, Transfer};

use crate::cache::KernelCache;
use crate::compile::{CompileError, CompiledFile, compile, compiler_version};
use crate::device::{Device, Grid, Module, Stream};
use crate::driver::{Arguments, DeviceInfo, KernelHandle};
use crate::error::{Code, DeviceError, Place};

/// Bytes of shared memory that the seeds of a block may take, in words: `launch.cuh`.
const STAGED_WORDS: u64 = 12_288;

/// Threads per block of a kernel without seeds.
const PADDING_THREADS: u32 = 128;

/// Names of the kernels of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelNames {
    /// Writes padding.
    pub padding: String,
    /// Returns the unit digest.
    pub digest: String,
    /// Write rows: names, and bytes of a seed.
    pub rows: Vec<(String, usize)>,
}

impl KernelNames {
    /// Those of a unit.
    #[must_use]
    pub fn of(unit: &ProgramUnit) -> Self {
        let mut rows = Vec::new();
        for function in unit.functions {
            rows.push((function.generic.kernel.to_owned(), function.full.stride()));
            let paths = function.paths.iter();
            rows.extend(paths.map(|path| (path.kernel.into(), path.schema.stride as usize)));
        }
        let (padding, digest) = (unit.padding_kernel.into(), unit.digest_kernel.into());
        Self { padding, digest, rows }
    }
}

impl KernelNames {
    /// Compiles the files that have these kernels, for a processor such as `sm_90`.
    ///
    /// # Errors
    /// [`CompileError`].
    pub fn compile(
        &self,
        sources: &[SourceFile],
        architecture: &str,
        cache: Option<&KernelCache>,
    ) -> Result<Vec<CompiledFile>, CompileError> {
        let wanted = |file: &SourceFile| self.all().any(|name| has_kernel(file.text, name));
        compile(sources, wanted, architecture, cache)
    }

    fn all(&self) -> impl Iterator<Item = &str> {
        let rows = self.rows.iter().map(|(name, _)| &name[..]);
        rows.chain([&self.padding[..], &self.digest])
    }
}

/// Whether a source file has a kernel's definition.
fn has_kernel(text: &str, name: &str) -> bool {
    let mut after = text.match_indices(name).map(|(at, _)| text[at + name.len()..].chars().next());
    after.any(|next| next == Some('('))
}

/// What kernels are loaded from.
#[derive(Clone, Debug)]
pub struct KernelRequest<'a> {
    /// Name of the program.
    pub program: &'a str,
    /// Digest of its unit.
    pub digest: [u8; 32],
    /// Names of its kernels.
    pub names: KernelNames,
    /// What was compiled when this program was built.
    pub images: &'a [DeviceImage],
    /// What can be compiled now.
    pub sources: &'a [SourceFile],
    /// Where compiled kernels are kept.
    pub cache: Option<&'a KernelCache>,
}

/// Why there are no kernels.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KernelError {
    /// Nothing fits, and nothing can be compiled.
    #[error("program {program:?} has no kernels for {architecture}: {images}; {error}")]
    NoCode {
        /// Name of the program.
        program: String,
        /// The device's processor.
        architecture: String,
        /// What there is, in words.
        images: String,
        /// Why they cannot be compiled.
        error: Box<CompileError>,
    },
    /// The sources do not compile.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// The device refused.
    #[error("kernels of program {program:?}: {error}{hint}")]
    Device {
        /// Name of the program.
        program: String,
        /// Its error.
        error: Box<DeviceError>,
        /// What to do about it.
        hint: String,
    },
    /// The code was made from other units.
    #[error(
        "the kernels of program {program:?} were made from other units: expected digest \
         {expected}, found {found}; build again"
    )]
    Digest {
        /// Name of the program.
        program: String,
        /// Digest of the unit.
        expected: String,
        /// What the code says.
        found: String,
    },
    /// Seeds are not those that the kernel reads.
    #[error(
        "kernel {kernel} reads seeds of {expected} bytes, but its source packs {found} per row"
    )]
    Seeds {
        /// Its name.
        kernel: String,
        /// Bytes that it reads.
        expected: usize,
        /// Bytes of the seeds that it was given.
        found: usize,
    },
    /// The program has no kernel of this name.
    #[error("there is no kernel {kernel}; run `traceloom codegen` and build again")]
    Unknown {
        /// Its name.
        kernel: String,
    },
}

/// Where kernels came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// From an image that is part of this program.
    Image {
        /// What it was compiled for.
        architectures: Vec<String>,
    },
    /// Compiled on this machine.
    Compiled {
        /// Files compiled just now.
        fresh: usize,
        /// Files from the cache.
        cached: usize,
    },
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Image { architectures } => {
                write!(f, "compiled in, for {}", architectures.join(", "))
            }
            Self::Compiled { fresh: 0, cached } => {
                write!(f, "compiled by NVRTC earlier, {cached} files from the cache")
            }
            Self::Compiled { fresh, cached } => {
                write!(f, "{fresh} files compiled by NVRTC now, {cached} from the cache")
            }
        }
    }
}

/// A kernel that writes rows.
#[derive(Clone, Debug)]
pub struct Kernel {
    name: String,
    handle: KernelHandle,
    threads: u32,
    seed_bytes: usize,
}

impl Kernel {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Bytes of a seed, which it reads one of per row; 0 if it reads none.
    #[must_use]
    pub fn seed_bytes(&self) -> usize {
        self.seed_bytes
    }

    pub(crate) fn handle(&self) -> KernelHandle {
        self.handle
    }

    /// One thread per row and for the longest lead, or `None` if a grid cannot have that many
    /// threads.
    pub(crate) fn grid(&self, num_rows: u64) -> Option<Grid> {
        let blocks = num_rows.checked_add(MAX_LEAD)?.div_ceil(u64::from(self.threads));
        let blocks = u32::try_from(blocks).ok().filter(|&blocks| blocks <= i32::MAX as u32)?;
        Some(Grid { blocks, threads: self.threads })
    }
}

/// Of `lead_of` in `launch.cuh`.
const MAX_LEAD: u64 = 31;

/// `block_threads` of `launch.cuh`.
fn block_threads(seed_bytes: usize) -> u32 {
    let words = (seed_bytes as u64 / 4) | 1;
    let fits = |threads: &u32| u64::from(*threads) * words <= STAGED_WORDS;
    [128, 64, 32].into_iter().find(fits).unwrap_or(128)
}

/// The kernels of a program on one device.
#[derive(Debug)]
pub struct Kernels {
    by_name: BTreeMap<String, Kernel>,
    padding: Kernel,
    origin: Origin,
    modules: Vec<Module>,
    /// By kernel: its module.
    module_of: BTreeMap<String, usize>,
}

impl Kernels {
    /// Loads and compares all.
    ///
    /// # Errors
    /// [`KernelError`].
    pub fn load(
        stream: &Stream,
        request: &KernelRequest<'_>,
        ledger: &Ledger,
    ) -> Result<Self, KernelError> {
        let device = stream.device();
        let failed = |error| request.failed(device.info(), error);
        let (modules, files, origin) = request.modules(device, ledger)?;
        let mut module_of = BTreeMap::new();
        let find = |name: &str| -> Result<(usize, KernelHandle), KernelError> {
            // Each file has its own module; all of an image is in one.
            let module = files.iter().position(|text| has_kernel(text, name)).unwrap_or(0);
            let handle = modules[module].kernel(name).map_err(failed)?;
            Ok((module, handle))
        };
        let mut by_name = BTreeMap::new();
        for (name, seed_bytes) in &request.names.rows {
            let (module, handle) = find(name)?;
            let (name, seed_bytes) = (name.clone(), *seed_bytes);
            let threads = block_threads(seed_bytes);
            module_of.insert(name.clone(), module);
            by_name.insert(name.clone(), Kernel { name, handle, threads, seed_bytes });
        }
        let name = request.names.padding.clone();
        let (module, handle) = find(&name)?;
        module_of.insert(name.clone(), module);
        let padding = Kernel { name, handle, threads: PADDING_THREADS, seed_bytes: 0 };
        let (_, digest) = find(&request.names.digest)?;
        let found = read_digest(stream, request, digest, ledger).map_err(failed)?;
        if found != request.digest {
            let hex = |digest| blake3::Hash::from_bytes(digest).to_hex().to_string();
            return Err(KernelError::Digest {
                program: request.program.into(),
                expected: hex(request.digest),
                found: hex(found),
            });
        }
        Ok(Self { by_name, padding, origin, modules, module_of })
    }

    /// The device that they are loaded on.
    #[must_use]
    pub fn device(&self) -> &Device {
        self.modules[0].device()
    }

    /// Where they came from.
    #[must_use]
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The kernel of this name.
    ///
    /// # Errors
    /// [`KernelError::Unknown`].
    pub fn get(&self, name: &str) -> Result<&Kernel, KernelError> {
        self.by_name.get(name).ok_or_else(|| KernelError::Unknown { kernel: name.into() })
    }

    /// The kernel that writes padding.
    #[must_use]
    pub fn padding(&self) -> &Kernel {
        &self.padding
    }

    /// Registers per thread of the kernel of this name, and bytes that each spills; `None`
    /// if there is no such kernel.
    ///
    /// # Errors
    /// [`DeviceError`].
    pub fn resources(&self, name: &str) -> Result<Option<(u32, u32)>, DeviceError> {
        let kernel = self.module_of.get(name).zip(self.by_name.get(name));
        kernel.map(|(&module, kernel)| self.modules[module].resources(kernel.handle)).transpose()
    }
}

/// Modules, the texts that they were compiled from (none for an image), their origin.
type Loaded = (Vec<Module>, Vec<&'static str>, Origin);

impl KernelRequest<'_> {
    fn failed(&self, info: &DeviceInfo, error: DeviceError) -> KernelError {
        let hint = match error.code() {
            Code::NO_BINARY_FOR_GPU => {
                format!("; build again with {} in TRACELOOM_CUDA_ARCHS", info.architecture())
            }
            Code::UNSUPPORTED_PTX_VERSION => format!(
                "; the toolkit that compiled them is newer than the driver, which knows CUDA \
                 {}.{}: install a newer driver, or build again with {} in TRACELOOM_CUDA_ARCHS",
                info.driver.0,
                info.driver.1,
                info.architecture()
            ),
            Code::NOT_FOUND => "; run `traceloom codegen` and build again".into(),
            _ => String::new(),
        };
        KernelError::Device { program: self.program.into(), error: Box::new(error), hint }
    }

    fn modules(&self, device: &Device, ledger: &Ledger) -> Result<Loaded, KernelError> {
        let info = device.info();
        let transfer = Transfer { circuit: self.program, kind: Kind::Code };
        let load = |image: &[u8]| {
            device.load(image, ledger, &transfer).map_err(|error| self.failed(info, error))
        };
        let of_program = || self.images.iter().filter(|image| image.program == self.program);
        let fits = |image: &&DeviceImage| {
            image.digest == self.digest
                && image.architectures.iter().any(|name| runs(name, info.capability))
        };
        if let Some(image) = of_program().find(fits) {
            let module = load(image.bytes)?;
            let architectures = image.architectures.iter().map(ToString::to_string).collect();
            return Ok((vec![module], Vec::new(), Origin::Image { architectures }));
        }
        let architecture = info.architecture();
        let files = self.names.compile(self.sources, &architecture, self.cache);
        let files = files.map_err(|error| {
            let has_compiler = compiler_version().is_ok();
            match error {
                error @ CompileError::NoCompiler { .. } if !has_compiler => KernelError::NoCode {
                    program: self.program.into(),
                    architecture: architecture.clone(),
                    images: describe(of_program(), &self.digest),
                    error: Box::new(error),
                },
                error => error.into(),
            }
        })?;
        let mut texts = Vec::new();
        let mut modules = Vec::new();
        for file in &files {
            let source = self.sources.iter().find(|source| source.name == file.name);
            texts.extend(source.map(|source| source.text));
            modules.push(load(&file.code)?);
        }
        if modules.is_empty() {
            let kernel = self.names.digest.clone();
            return Err(KernelError::Unknown { kernel });
        }
        let cached = files.iter().filter(|file| file.is_cached).count();
        Ok((modules, texts, Origin::Compiled { fresh: files.len() - cached, cached }))
    }
}

/// Which images there are, in words.
fn describe<'a>(images: impl Iterator<Item = &'a DeviceImage>, digest: &[u8; 32]) -> String {
    let words: Vec<String> = images
        .map(|image| match image.digest == *digest {
            true => format!("the kernels of this build are for {}", image.architectures.join(", ")),
            false => "the kernels of this build were made from other units".into(),
        })
        .collect();
    match words.is_empty() {
        true => "this build has none".into(),
        false => words.join(", "),
    }
}

/// Whether code of `architecture` runs on a processor: machine code on later ones of the
/// same generation (`sm_90a` on its own only), text on all later ones.
#[must_use]
pub fn runs(architecture: &str, capability: (u32, u32)) -> bool {
    let parse = |digits: &str| {
        let (major, minor) = digits.split_at_checked(digits.len().checked_sub(1)?)?;
        Some((major.parse::<u32>().ok()?, minor.parse::<u32>().ok()?))
    };
    if let Some(exact) = architecture.strip_prefix("sm_").and_then(|name| name.strip_suffix('a')) {
        return parse(exact) == Some(capability);
    }
    if let Some(found) = architecture.strip_prefix("sm_").and_then(parse) {
        return found.0 == capability.0 && found.1 <= capability.1;
    }
    let text = architecture.strip_prefix("compute_").and_then(parse);
    text.is_some_and(|found| found <= capability)
}

fn read_digest(
    stream: &Stream,
    request: &KernelRequest<'_>,
    kernel: KernelHandle,
    ledger: &Ledger,
) -> Result<[u8; 32], DeviceError> {
    const BYTES: NonZeroU64 = NonZeroU64::new(32).expect("it is not zero");
    let buffer = stream.device().allocate(stream, "unit digest", BYTES)?;
    let span = buffer.span(0, 32);
    let place =
        || Place { kernel: Some(request.names.digest.clone()), ..Place::buffer(buffer.name()) };
    let grid = Grid { blocks: 1, threads: 1 };
    stream.launch(kernel, grid, Arguments::Digest(span), place)?;
    let transfer = Transfer { circuit: request.program, kind: Kind::Identity };
    let bytes = stream.read(&buffer, ledger, &transfer)?;
    Ok(*bytes.first_chunk().expect("32 bytes were read"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn architectures_run_where_they_do() {
        let yes =
            [("sm_90", (9, 0)), ("sm_80", (8, 6)), ("compute_75", (12, 0)), ("sm_90a", (9, 0))];
        let no =
            [("sm_90", (10, 0)), ("sm_86", (8, 0)), ("compute_90", (8, 9)), ("sm_90a", (9, 1))];
        assert!(yes.iter().all(|&(name, capability)| runs(name, capability)));
        assert!(no.iter().all(|&(name, capability)| !runs(name, capability)));
        assert!(["", "sm_", "sm_x0", "ptx", "compute_"].iter().all(|name| !runs(name, (9, 0))));
        assert!(runs("sm_120", (12, 0)) && runs("compute_100", (12, 1)));
    }

    #[test]
    fn blocks_are_those_of_the_launch_header() {
        // 128·(2|1), 128·95, 64·191, 32·383 words fit 12,288; 385 and more do not.
        let cases = [(8, 128), (95 * 4, 128), (97 * 4, 64), (191 * 4, 64), (193 * 4, 32)];
        for (bytes, threads) in cases.into_iter().chain([(383 * 4, 32), (385 * 4, 128)]) {
            assert_eq!(block_threads(bytes), threads, "{bytes} bytes");
        }
    }
}
