//! A device as a provider of rows for the proofs of `runtime`.

use std::any::Any;
use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use traceloom_abi::registry::{DeviceImage, ProgramUnit};
use traceloom_runtime::device::{DeviceRows, KeptSeeds, ProofDevice, RowDevice};
use traceloom_runtime::ledger::Ledger;
use traceloom_runtime::source::SeedSource;

use crate::backend::prover::DeviceProver;
use crate::cache::KernelCache;
use crate::device::Device;
use crate::error::DeviceError;
use crate::kernels::{KernelError, KernelNames, KernelRequest, Kernels, Origin};
use crate::prover_kernels::image;
use crate::resident::budget_from_environment;
use crate::rows::{CircuitRows, RowEngine, SeedSlot};
use crate::staging::StagingOptions;
use crate::trace::BornTrace;

/// The part of the free memory that is left for rounded sizes and for the driver, which loads
/// kernels into it.
const RESERVED_FRACTION: u64 = 16;

/// How a device is used.
#[derive(Clone, Debug)]
pub struct RowOptions {
    /// The ring of pinned memory.
    pub staging: StagingOptions,
    /// Most bytes of resident seeds.
    pub seed_budget: u64,
    /// Where compiled kernels are kept.
    pub cache: Option<KernelCache>,
    /// Kernels of the prover that were compiled before; NVRTC compiles others.
    pub prover_images: &'static [DeviceImage],
    /// Most bytes of buffers on the device.
    pub max_memory: Option<NonZeroU64>,
}

impl Default for RowOptions {
    /// No resident seeds, no cache, the kernels of this build, all of the memory.
    fn default() -> Self {
        Self {
            staging: StagingOptions::default(),
            seed_budget: 0,
            cache: None,
            prover_images: image::IMAGES,
            max_memory: None,
        }
    }
}

impl RowOptions {
    /// Those of this process's environment, for a device.
    ///
    /// # Errors
    /// Which variable has which wrong value.
    pub fn from_environment(device: &Device) -> Result<Self, String> {
        Ok(Self {
            staging: StagingOptions::default(),
            seed_budget: budget_from_environment(device.info().memory)?,
            cache: KernelCache::of_user(),
            ..Self::default()
        })
    }
}

/// Kernels by unit digest, with the name of their program.
type Loaded = BTreeMap<[u8; 32], (&'static str, Arc<Kernels>)>;

/// A device with the kernels that were loaded so far.
///
/// Call it from plain threads, of which there may be any number, and not from tasks of a rayon
/// pool. Packing, compiling and downloading run on rayon while a chunk or a lock is held. A task
/// that calls in here could then be given another task that waits for the same chunk or lock.
#[derive(Debug)]
pub struct RowWriter {
    engine: Arc<RowEngine>,
    images: &'static [DeviceImage],
    cache: Option<KernelCache>,
    kernels: Mutex<Loaded>,
    prover: DeviceProver,
}

impl RowWriter {
    /// Over a device; `images` are what was compiled when this program was built.
    ///
    /// # Errors
    /// [`DeviceError`].
    pub fn new(
        device: &Device,
        images: &'static [DeviceImage],
        options: RowOptions,
    ) -> Result<Self, DeviceError> {
        if let Some(bytes) = options.max_memory {
            device.limit_memory(bytes);
        }
        let engine = RowEngine::new(device, options.staging, options.seed_budget)?;
        let prover = DeviceProver::new(&engine, options.prover_images, options.cache.clone());
        Ok(Self { engine, images, cache: options.cache, kernels: Mutex::default(), prover })
    }

    /// The same with a prover whose kernels are loaded already.
    #[must_use]
    pub fn with_prover(self, prover: DeviceProver) -> Self {
        Self { prover, ..self }
    }

    /// What it runs on.
    #[must_use]
    pub fn engine(&self) -> &Arc<RowEngine> {
        &self.engine
    }

    fn lock(&self) -> MutexGuard<'_, Loaded> {
        self.kernels.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The kernels of a unit, loaded and compared on first use.
    ///
    /// # Errors
    /// [`KernelError`].
    pub fn kernels(
        &self,
        unit: &'static ProgramUnit,
        ledger: &Ledger,
    ) -> Result<Arc<Kernels>, KernelError> {
        let mut kernels = self.lock();
        if let Some((_, loaded)) = kernels.get(&unit.digest) {
            return Ok(Arc::clone(loaded));
        }
        let request = KernelRequest {
            program: unit.name,
            digest: unit.digest,
            names: KernelNames::of(unit),
            images: self.images,
            sources: unit.sources,
            cache: self.cache.as_ref(),
        };
        let loaded = Arc::new(Kernels::load(self.engine.compute(), &request, ledger)?);
        kernels.insert(unit.digest, (unit.name, Arc::clone(&loaded)));
        Ok(loaded)
    }

    /// Programs whose kernels were not compiled when this program was built, and how they
    /// came: people wait for that once.
    #[must_use]
    pub fn compiled_now(&self) -> Vec<(&'static str, Origin)> {
        let kernels = self.lock();
        let origins = kernels.values().map(|(name, kernels)| (*name, kernels.origin().clone()));
        let of_prover = self.prover.origin().map(|origin| ("prover", origin));
        origins
            .chain(of_prover)
            .filter(|(_, origin)| matches!(origin, Origin::Compiled { fresh: 1.., .. }))
            .collect()
    }
}

impl RowWriter {
    /// Writes a whole trace.
    fn written(&self, rows: &CircuitRows<'_>) -> Result<DeviceRows, String> {
        let trace = BornTrace::write(&self.engine, rows.circuit(), rows, rows.ledger());
        let trace = Box::new(trace.map_err(|error| error.to_string())?);
        let runs = rows.encodings().into_iter().zip(rows.seed_bytes()).collect();
        let kept = Some(KeptSeeds(Arc::clone(rows.slot()) as Arc<dyn Any + Send + Sync>));
        Ok(DeviceRows { trace, runs, kept })
    }

    /// What proves on the same device.
    #[must_use]
    pub fn device_prover(&self) -> &DeviceProver {
        &self.prover
    }
}

impl RowDevice for RowWriter {
    fn name(&self) -> String {
        self.engine.device().info().to_string()
    }

    fn bind(&self, unit: &'static ProgramUnit, ledger: &Ledger) -> Result<(), String> {
        self.kernels(unit, ledger).map(drop).map_err(|error| error.to_string())
    }

    fn free_bytes(&self) -> Result<u64, String> {
        let free = self.engine.device().free_memory().map_err(|error| error.to_string())?;
        // Resident seeds of earlier proofs are released when they are in the way.
        Ok(free - free / RESERVED_FRACTION + self.engine.seeds().used())
    }

    fn write(
        &self,
        unit: &'static ProgramUnit,
        circuit: &str,
        source: &dyn SeedSource,
        ledger: &Ledger,
    ) -> Result<DeviceRows, String> {
        let kernels = self.kernels(unit, ledger).map_err(|error| error.to_string())?;
        self.written(&CircuitRows::new(&self.engine, &kernels, circuit, source, ledger))
    }

    fn write_again(
        &self,
        unit: &'static ProgramUnit,
        circuit: &str,
        source: &dyn SeedSource,
        kept: &KeptSeeds,
        ledger: &Ledger,
    ) -> Result<DeviceRows, String> {
        let kernels = self.kernels(unit, ledger).map_err(|error| error.to_string())?;
        let rows = CircuitRows::new(&self.engine, &kernels, circuit, source, ledger);
        self.written(&match Arc::clone(&kept.0).downcast::<SeedSlot>() {
            Ok(slot) => rows.with_slot(&slot),
            // What another device keeps is of no use here.
            Err(_) => rows,
        })
    }

    fn prover(&self) -> Option<&dyn ProofDevice> {
        Some(&self.prover)
    }
}
