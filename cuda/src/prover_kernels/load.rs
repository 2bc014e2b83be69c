//! The kernels on a device.

use std::collections::BTreeMap;

use traceloom_abi::registry::DeviceImage;
use traceloom_runtime::ledger::{Kind, Ledger, Transfer};

use super::{Launch, SOURCES, Word, image};
use crate::cache::KernelCache;
use crate::compile::{CompileError, CompiledFile, compile};
use crate::device::{Buffer, Device, Grid, Module, Stream};
use crate::driver::{ArgumentWord, Arguments, KernelHandle, WordArguments};
use crate::error::{Code, DeviceError, Place};
use crate::kernels::Origin;

/// Why the kernels of the prover cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProverKernelError {
    /// They do not compile.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// The device refused.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

/// Compiles the kernels for a processor such as `sm_90`.
///
/// # Errors
/// [`CompileError`]; no compiler is needed if all files are in the cache.
pub fn compile_kernels(
    architecture: &str,
    cache: Option<&KernelCache>,
) -> Result<Vec<CompiledFile>, CompileError> {
    compile(&SOURCES, |_| true, architecture, cache)
}

/// The kernels of the prover, loaded.
#[derive(Debug)]
pub struct ProverKernels {
    kernels: BTreeMap<String, (usize, KernelHandle)>,
    modules: Vec<Module>,
    origin: Origin,
}

impl ProverKernels {
    /// Loads the image of `images` that was made from the present text and has code for the
    /// device. Where there is none, compiles what the cache does not have, and loads that.
    ///
    /// # Errors
    /// [`ProverKernelError`].
    pub fn load(
        device: &Device,
        images: &[DeviceImage],
        cache: Option<&KernelCache>,
        ledger: &Ledger,
    ) -> Result<Self, ProverKernelError> {
        if let Some(image) = image::fitting(images, device.info()) {
            return Ok(Self::of_image(device, image, ledger)?);
        }
        let files = compile_kernels(&device.info().architecture(), cache)?;
        Ok(Self::of_files(device, files, ledger)?)
    }

    fn of_image(
        device: &Device,
        image: &DeviceImage,
        ledger: &Ledger,
    ) -> Result<Self, DeviceError> {
        let modules = vec![device.load(image.bytes, ledger, &TRANSFER)?];
        let architectures = image.architectures.iter().map(ToString::to_string).collect();
        let origin = Origin::Image { architectures };
        let mut loaded = Self { kernels: BTreeMap::new(), modules, origin };
        for file in SOURCES.iter().filter(|file| file.name.ends_with(".cu")) {
            loaded.find(file.name, 0)?;
        }
        Ok(loaded)
    }

    /// Loads files of [`SOURCES`] that were compiled for the device.
    ///
    /// # Errors
    /// [`DeviceError`].
    pub fn of_files(
        device: &Device,
        files: Vec<CompiledFile>,
        ledger: &Ledger,
    ) -> Result<Self, DeviceError> {
        let cached = files.iter().filter(|file| file.is_cached).count();
        let origin = Origin::Compiled { fresh: files.len() - cached, cached };
        let mut loaded = Self { kernels: BTreeMap::new(), modules: Vec::new(), origin };
        for (module, file) in files.into_iter().enumerate() {
            loaded.modules.push(device.load(&file.code, ledger, &TRANSFER)?);
            loaded.find(file.name, module)?;
        }
        Ok(loaded)
    }

    /// Finds the kernels of a file in a module.
    fn find(&mut self, file: &str, module: usize) -> Result<(), DeviceError> {
        for name in kernels_of(file) {
            let handle = self.modules[module].kernel(&name)?;
            self.kernels.insert(name, (module, handle));
        }
        Ok(())
    }

    /// Where they came from.
    #[must_use]
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Registers and bytes of local memory per thread, by kernel.
    ///
    /// # Errors
    /// [`DeviceError`].
    pub fn resources(&self) -> Result<BTreeMap<&str, (u32, u32)>, DeviceError> {
        let all = self.kernels.iter();
        all.map(|(name, &(module, handle))| {
            Ok((name.as_str(), self.modules[module].resources(handle)?))
        })
        .collect()
    }

    /// Queues launches over these buffers.
    ///
    /// # Errors
    /// [`DeviceError`], where code 1 means that a part lies outside of its buffer.
    pub fn run(
        &self,
        stream: &Stream,
        launches: &[Launch],
        buffers: &[&Buffer],
    ) -> Result<(), DeviceError> {
        for buffer in buffers {
            let what = || format!("buffer {:?}", buffer.name());
            stream.device().owns(buffer.device(), what)?;
        }
        launches.iter().try_for_each(|launch| self.launch(stream, launch, buffers))
    }

    fn launch(
        &self,
        stream: &Stream,
        launch: &Launch,
        buffers: &[&Buffer],
    ) -> Result<(), DeviceError> {
        let device = stream.device();
        device.owns(self.modules[0].device(), || "the kernels of the prover".into())?;
        let place = || Place { kernel: Some(launch.kernel.clone()), ..Place::default() };
        let refused = |code| device.refused("launching", place(), code);
        let kernel = self.kernels.get(&launch.kernel).ok_or_else(|| refused(Code::NOT_FOUND))?;
        let words: Option<Vec<ArgumentWord<'_>>> = launch
            .words
            .iter()
            .map(|word| match *word {
                Word::Number(number) => Some(ArgumentWord::Number(number)),
                Word::Part { buffer, offset, bytes } => {
                    Some(ArgumentWord::Span(buffers.get(buffer)?.span(offset, bytes)))
                }
            })
            .collect();
        let words = words.ok_or_else(|| refused(Code::INVALID_VALUE))?;
        let blocks = u32::try_from(launch.blocks).map_err(|_| refused(Code::INVALID_VALUE))?;
        let grid = Grid { blocks, threads: launch.threads };
        let arguments = WordArguments { words: &words, shared_bytes: launch.shared_bytes };
        stream.launch(kernel.1, grid, Arguments::Words(arguments), place)
    }
}

/// What the ledger calls the code.
const TRANSFER: Transfer<'static> = Transfer { circuit: "prover", kind: Kind::Code };

/// Names of the kernels of a file.
fn kernels_of(file: &str) -> Vec<String> {
    match file {
        "columns.cu" => (1..=12)
            .flat_map(|log| ["inverse", "forward"].map(|way| format!("tl_{way}_columns_{log}")))
            .collect(),
        "extend.cu" => (0..=12)
            .map(|log| format!("tl_extend_{log}"))
            .chain(["rows", "factors", "powers"].map(|name| format!("tl_extend_{name}")))
            .collect(),
        "points.cu" => ["inverses_2", "inverses_3", "values_2", "values_3", "value_sums"]
            .map(|name| format!("tl_{name}"))
            .into(),
        "folding.cu" => (2..=3)
            .flat_map(|degree| (1..=4).map(move |arity| format!("tl_fold_{degree}_{arity}")))
            .chain(["reduction_2", "reduction_3", "layer_leaves"].map(|name| format!("tl_{name}")))
            .collect(),
        "queries.cu" => ["gather", "grind", "transpose"].map(|name| format!("tl_{name}")).into(),
        "messages.cu" => [2, 3]
            .into_iter()
            .flat_map(|degree| {
                ["fractions", "chunks", "add"].map(|name| format!("tl_messages_{name}_{degree}"))
            })
            .chain(["tl_messages_clear".into()])
            .collect(),
        "constraints.cu" => [2, 3]
            .into_iter()
            .map(|degree| format!("tl_constraints_values_{degree}"))
            .chain(["tl_constraints_slices".into()])
            .collect(),
        _ => ["leaves", "wide_leaves", "nodes"].map(|name| format!("tl_tree_{name}")).into(),
    }
}
