//! What all proofs on a device share, and the small steps that stages are made of.

use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use traceloom_abi::registry::DeviceImage;
use traceloom_runtime::ledger::{Kind, Ledger, Transfer};

use super::clock::{Clock, Queued, Step};
use super::error::Failure;
use super::memory::Transform;
use crate::cache::KernelCache;
use crate::device::Buffer;
use crate::driver::Pieces;
use crate::error::DeviceError;
use crate::kernels::Origin;
use crate::prover_kernels::Launch;
use crate::prover_kernels::constraints::{SlicePlaces, SliceTransform};
use crate::prover_kernels::evaluator::WordsAt;
use crate::prover_kernels::load::{ProverKernelError, ProverKernels};
use crate::prover_kernels::openings::roots;
use crate::prover_kernels::transform::{ColumnsAt, Extension, Places};
use crate::rows::RowEngine;

/// What the ledger calls transfers that belong to no circuit.
const PROVER: &str = "prover";

/// A device with the kernels of the prover and the tables that they read, which stay there
/// between proofs.
#[derive(Debug)]
pub struct ProofContext {
    engine: Arc<RowEngine>,
    kernels: ProverKernels,
    roots: Buffer,
    tables: Mutex<BTreeMap<(u32, u32), Arc<ExtensionTables>>>,
    slices: Mutex<BTreeMap<(u32, u32), Arc<SliceTables>>>,
}

/// What extensions from one height to another read.
#[derive(Debug)]
pub(super) struct ExtensionTables {
    pub(super) extension: Extension,
    pub(super) tables: Buffer,
    pub(super) factors: Buffer,
}

/// What quotients of one height and number of slices read.
#[derive(Debug)]
pub(super) struct SliceTables {
    pub(super) transform: SliceTransform,
    pub(super) tables: Buffer,
    pub(super) factors: Buffer,
    pub(super) matrix: Buffer,
}

impl ProofContext {
    /// Loads the kernels as [`ProverKernels::load`] does.
    ///
    /// # Errors
    /// [`ProverKernelError`].
    pub fn new(
        engine: &Arc<RowEngine>,
        images: &[DeviceImage],
        cache: Option<&KernelCache>,
        ledger: &Ledger,
    ) -> Result<Self, ProverKernelError> {
        let kernels = ProverKernels::load(engine.device(), images, cache, ledger)?;
        Ok(Self::of_kernels(engine, kernels, ledger)?)
    }

    /// With kernels that were loaded on the device of `engine`.
    ///
    /// # Errors
    /// [`DeviceError`].
    pub fn of_kernels(
        engine: &Arc<RowEngine>,
        kernels: ProverKernels,
        ledger: &Ledger,
    ) -> Result<Self, DeviceError> {
        let roots = upload(engine, "roots of unity", &roots(), ledger)?;
        let (tables, slices) = (Mutex::default(), Mutex::default());
        Ok(Self { engine: Arc::clone(engine), kernels, roots, tables, slices })
    }

    /// Where the kernels came from.
    #[must_use]
    pub fn origin(&self) -> &Origin {
        self.kernels.origin()
    }

    /// Whether the tables of a transform are there.
    pub(super) fn has(&self, of: &Transform) -> bool {
        let key = (of.log_height, of.log);
        match of.is_of_slices {
            false => lock(&self.tables).contains_key(&key),
            true => lock(&self.slices).contains_key(&key),
        }
    }

    /// What rows are written with on the same device.
    #[must_use]
    pub fn engine(&self) -> &Arc<RowEngine> {
        &self.engine
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What is in these mutexes is whole between any two statements.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Small things go up in front of the work that reads them.
fn upload(
    engine: &RowEngine,
    name: &str,
    words: &[u64],
    ledger: &Ledger,
) -> Result<Buffer, DeviceError> {
    let copy = |at: usize, to: &mut [u8]| {
        let (to, _) = to.as_chunks_mut::<8>();
        for (word, to) in words[at..].iter().zip(to) {
            *to = word.to_le_bytes();
        }
    };
    let transfer = Transfer { circuit: PROVER, kind: Kind::Tables };
    upload_with(engine, name, words.len(), copy, ledger, &transfer)
}

/// Uploads `count` words, at least one, which `fill` writes: those from its first argument
/// on, as many as there is room for.
fn upload_with(
    engine: &RowEngine,
    name: &str,
    count: usize,
    fill: impl Fn(usize, &mut [u8]),
    ledger: &Ledger,
    transfer: &Transfer<'_>,
) -> Result<Buffer, DeviceError> {
    let staging = engine.staging();
    let bytes = NonZeroU64::new(8 * count.max(1) as u64).unwrap_or(NonZeroU64::MIN);
    // The stream of the copies: what may fill fresh memory comes in front of them.
    let buffer = engine.device().allocate(staging.stream(), name, bytes)?;
    let step = (staging.chunk_bytes() / 8).max(1);
    for first in (0..count).step_by(step) {
        let length = 8 * step.min(count - first);
        let mut chunk = staging.chunk()?;
        fill(first, &mut chunk.bytes_mut()?[..length]);
        let sent = chunk.send(&buffer, 8 * first as u64, length, ledger, transfer)?;
        engine.compute().wait_for(&sent)?;
    }
    Ok(buffer)
}

/// A context in use by one proof.
#[derive(Clone, Copy, Debug)]
pub(super) struct Work<'a> {
    pub(super) context: &'a ProofContext,
    pub(super) ledger: &'a Ledger,
    pub(super) clock: &'a Clock,
    /// What its work is counted under.
    pub(super) stage: &'static str,
    /// The circuit of the system that its work is for, if it is for one alone.
    pub(super) circuit: Option<usize>,
}

impl<'a> Work<'a> {
    /// The same in another stage.
    pub(super) const fn stage(self, stage: &'static str) -> Self {
        Self { stage, ..self }
    }

    /// The same for one circuit of the system.
    pub(super) const fn of(self, circuit: usize) -> Self {
        Self { circuit: Some(circuit), ..self }
    }

    /// Memory for words, at least one.
    pub(super) fn buffer(&self, name: &str, words: u64) -> Result<Buffer, Failure> {
        let bytes = words.max(1).checked_mul(8).and_then(NonZeroU64::new);
        let bytes = bytes.ok_or_else(|| Failure::Size { what: name.to_owned(), words })?;
        let engine = &self.context.engine;
        Ok(engine.device().allocate(engine.compute(), name, bytes)?)
    }

    /// A small table or list.
    pub(super) fn upload(&self, name: &str, words: &[u64]) -> Result<Buffer, Failure> {
        Ok(upload(&self.context.engine, name, words, self.ledger)?)
    }

    /// Cells of a matrix, which `fill` writes as [`upload_with`] says.
    pub(super) fn upload_cells(
        &self,
        circuit: &str,
        count: usize,
        fill: impl Fn(usize, &mut [u8]),
    ) -> Result<Buffer, Failure> {
        let transfer = Transfer { circuit, kind: Kind::Rows };
        let name = format!("rows of {circuit}");
        Ok(upload_with(&self.context.engine, &name, count, fill, self.ledger, &transfer)?)
    }

    /// Queues the launches of a step, which moves `bytes` bytes at least.
    pub(super) fn run(
        &self,
        (step, bytes): (Step, u64),
        launches: &[Launch],
        buffers: &[&Buffer],
    ) -> Result<(), Failure> {
        if launches.is_empty() {
            return Ok(());
        }
        for launch in launches {
            let threads = launch.blocks * u64::from(launch.threads);
            self.ledger.dispatched(PROVER, &launch.kernel, threads);
        }
        let stream = self.context.engine.compute();
        self.clock.sample(self.context.engine.device().held());
        let begin = stream.record()?;
        self.context.kernels.run(stream, launches, buffers)?;
        let launches = launches.len() as u64;
        let Self { stage, circuit, .. } = *self;
        let queued = Queued { stage, circuit, step, launches, bytes };
        Ok(self.clock.end(stream, begin, queued)?)
    }

    /// Fills a buffer with a byte.
    pub(super) fn fill(&self, buffer: &Buffer, byte: u8) -> Result<(), Failure> {
        self.context.engine.compute().fill(buffer, byte)?;
        self.ledger.filled(PROVER, buffer.bytes());
        Ok(())
    }

    /// Waits for what was queued and reads words.
    pub(super) fn read(&self, from: &Buffer, first: u64, count: u64) -> Result<Vec<u64>, Failure> {
        let engine = &self.context.engine;
        let transfer = Transfer { circuit: PROVER, kind: Kind::Proof };
        let step = (engine.staging().chunk_bytes() / 8).max(1) as u64;
        let mut words = Vec::with_capacity(count as usize);
        for at in (0..count).step_by(step as usize) {
            let bytes = 8 * step.min(count - at);
            let span = from.span(8 * (first + at), bytes);
            let length = bytes as usize;
            let mut chunk = engine.staging().chunk()?;
            let pieces = Pieces { span, length, pitch: length, count: 1 };
            chunk.receive(engine.compute(), pieces, self.ledger, &transfer)?;
            chunk.wait()?;
            let (read, _) = chunk.bytes_mut()?[..length].as_chunks::<8>();
            words.extend(read.iter().map(|word| u64::from_le_bytes(*word)));
        }
        Ok(words)
    }

    /// Generators of subgroups, as the kernels of openings read them.
    pub(super) fn roots(&self) -> &'a Buffer {
        &self.context.roots
    }

    /// What an extension of this shape reads, made once.
    pub(super) fn tables(
        &self,
        log_height: u32,
        log_blowup: u32,
    ) -> Result<Arc<ExtensionTables>, Failure> {
        let mut known = lock(&self.context.tables);
        if let Some(tables) = known.get(&(log_height, log_blowup)) {
            return Ok(Arc::clone(tables));
        }
        let extension = Extension::new(log_height, log_blowup)?;
        let tables = self.upload("twiddles", extension.tables())?;
        let factors = self.buffer("factors of twiddles", extension.factor_words())?;
        let (from, to) = (NOWHERE, NOWHERE);
        let places = Places { from, to, tables: 0, factors: 0, scratch: 0, chunk: 1 };
        let step = (Step::Tables, 8 * extension.factor_words());
        self.run(step, &extension.prepare(&places), &[&factors])?;
        let made = Arc::new(ExtensionTables { extension, tables, factors });
        known.insert((log_height, log_blowup), Arc::clone(&made));
        Ok(made)
    }

    /// What slices of this shape read, made once.
    pub(super) fn slice_tables(
        &self,
        log_height: u32,
        log_slices: u32,
    ) -> Result<Arc<SliceTables>, Failure> {
        let mut known = lock(&self.context.slices);
        if let Some(tables) = known.get(&(log_height, log_slices)) {
            return Ok(Arc::clone(tables));
        }
        let transform = SliceTransform::new(log_height, log_slices)?;
        let tables = self.upload("twiddles of slices", transform.tables())?;
        let matrix = self.upload("matrix of slices", &transform.matrix())?;
        let factors = self.buffer("factors of slices", transform.factor_words())?;
        let places = SlicePlaces {
            columns: NOWHERE,
            scratch: NOWHERE,
            matrix: WordsAt { buffer: 0, first: 0 },
            tables: 0,
            factors: 0,
            transform_scratch: 0,
            chunk: 1,
        };
        let step = (Step::Tables, 8 * transform.factor_words());
        self.run(step, &transform.prepare(&places), &[&factors])?;
        let made = Arc::new(SliceTables { transform, tables, factors, matrix });
        known.insert((log_height, log_slices), Arc::clone(&made));
        Ok(made)
    }
}

/// Columns that launches of factors do not touch.
const NOWHERE: ColumnsAt = ColumnsAt { buffer: 0, first: 0, stride: 0 };
