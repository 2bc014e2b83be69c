//! Rows of a circuit, written by kernels into column-major memory of the device.
//!
//! Seeds are copied to the device chunk by chunk. The rows of a chunk are launched as soon as its
//! copy is done, while the next chunk is packed. Seeds stay on the device as far as the budget
//! allows; then rows are written again without an upload. If a run turns out not to be narrow, it
//! is packed again in full. Its first chunks are on the device by then and cannot be widened; the
//! rows that they gave are overwritten.

use std::num::NonZeroU64;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use traceloom_abi::device_abi::TlBases;
use traceloom_runtime::ledger::{Kind, Ledger, Transfer};
use traceloom_runtime::seeds::{Encoding, SeedError, Why};
use traceloom_runtime::source::SeedSource;

use crate::device::{Buffer, Device, Stream};
use crate::driver::{Arguments, RowsArguments, Span};
use crate::error::{DeviceError, Place};
use crate::kernels::{Kernel, KernelError, Kernels};
use crate::resident::{Resident, SeedCache};
use crate::staging::{Staging, StagingOptions};

/// Why rows were not written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RowsError {
    /// The device.
    #[error("circuit {circuit:?}: {error}")]
    Device {
        /// Name of the circuit.
        circuit: String,
        /// What it says.
        error: Box<DeviceError>,
    },
    /// The kernels.
    #[error("circuit {circuit:?}: {error}")]
    Kernels {
        /// Name of the circuit.
        circuit: String,
        /// What is wrong.
        error: Box<KernelError>,
    },
    /// The record.
    #[error("circuit {circuit:?}: {error}")]
    Seeds {
        /// Name of the circuit.
        circuit: String,
        /// What is missing.
        error: SeedError,
    },
    /// A seed is larger than a chunk of pinned memory.
    #[error("circuit {circuit:?}: a seed takes {stride} bytes, and a pinned chunk has {chunk}")]
    SeedTooWide {
        /// Name of the circuit.
        circuit: String,
        /// Bytes of the seed.
        stride: usize,
        /// Bytes of a chunk.
        chunk: usize,
    },
    /// A size that no grid or window can have.
    #[error("circuit {circuit:?}: {what} is {value}, at most {most} is possible")]
    Size {
        /// Name of the circuit.
        circuit: String,
        /// Which size.
        what: &'static str,
        /// The size.
        value: u64,
        /// The largest.
        most: u64,
    },
}

/// What rows of all circuits on one device share.
#[derive(Debug)]
pub struct RowEngine {
    staging: Staging,
    compute: Stream,
    seeds: Arc<SeedCache>,
    next_key: AtomicU64,
}

impl RowEngine {
    /// Streams and rings on a device.
    ///
    /// # Errors
    /// [`DeviceError`].
    pub fn new(
        device: &Device,
        options: StagingOptions,
        seed_budget: u64,
    ) -> Result<Arc<Self>, DeviceError> {
        Ok(Arc::new(Self {
            staging: Staging::new(device, options)?,
            compute: device.stream()?,
            seeds: SeedCache::new(device, seed_budget),
            next_key: AtomicU64::new(0),
        }))
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> &Device {
        self.compute.device()
    }

    /// The stream that kernels run on.
    #[must_use]
    pub fn compute(&self) -> &Stream {
        &self.compute
    }

    /// The ring of pinned memory.
    #[must_use]
    pub fn staging(&self) -> &Staging {
        &self.staging
    }

    /// The seeds that are resident.
    #[must_use]
    pub fn seeds(&self) -> &SeedCache {
        &self.seeds
    }
}

/// Rows `first, first + 1, …` of a circuit modulo its height, at column `c` word
/// `c · stride` of `cells`.
#[derive(Clone, Copy, Debug)]
pub struct Window<'a> {
    /// `width · stride` words.
    pub cells: &'a Buffer,
    /// Words from column to column, at least `count`.
    pub stride: u64,
    /// First row, below the height.
    pub first: u64,
    /// Number of rows, at most the height.
    pub count: u64,
}

/// The rows of one circuit.
#[derive(Debug)]
pub struct CircuitRows<'a> {
    engine: &'a RowEngine,
    kernels: &'a Kernels,
    circuit: &'a str,
    source: &'a dyn SeedSource,
    ledger: &'a Ledger,
    slot: Arc<SeedSlot>,
}

/// Where the seeds of a circuit are kept as long as this exists, if the budget allows it, with
/// the encodings that they turned out to have.
#[derive(Debug)]
pub struct SeedSlot {
    seeds: Arc<SeedCache>,
    /// Of the resident seeds.
    key: u64,
    encodings: Mutex<Vec<Encoding>>,
}

impl Drop for SeedSlot {
    fn drop(&mut self) {
        self.seeds.remove(self.key);
    }
}

impl SeedSlot {
    fn lock(&self) -> MutexGuard<'_, Vec<Encoding>> {
        // Every change is a single statement.
        self.encodings.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<'a> CircuitRows<'a> {
    /// The rows that `source` has seeds of.
    #[must_use]
    pub fn new(
        engine: &'a RowEngine,
        kernels: &'a Kernels,
        circuit: &'a str,
        source: &'a dyn SeedSource,
        ledger: &'a Ledger,
    ) -> Self {
        let key = engine.next_key.fetch_add(1, Ordering::Relaxed);
        let encodings = Mutex::new(source.runs().iter().map(|run| run.encoding).collect());
        let slot = Arc::new(SeedSlot { seeds: Arc::clone(&engine.seeds), key, encodings });
        Self { engine, kernels, circuit, source, ledger, slot }
    }

    /// The same rows as those that a slot on the same device is of.
    #[must_use]
    pub fn with_slot(self, slot: &Arc<SeedSlot>) -> Self {
        let is_same = Arc::ptr_eq(&slot.seeds, &self.engine.seeds)
            && slot.lock().len() == self.source.runs().len();
        if is_same { Self { slot: Arc::clone(slot), ..self } } else { self }
    }

    /// Where its seeds are kept.
    #[must_use]
    pub fn slot(&self) -> &Arc<SeedSlot> {
        &self.slot
    }

    /// Name of the circuit.
    #[must_use]
    pub fn circuit(&self) -> &'a str {
        self.circuit
    }

    /// Where its transfers and launches are counted.
    #[must_use]
    pub fn ledger(&self) -> &'a Ledger {
        self.ledger
    }

    /// Number of columns.
    #[must_use]
    pub fn width(&self) -> usize {
        self.source.columns().width
    }

    /// Number of rows, padding included.
    #[must_use]
    pub fn height(&self) -> usize {
        self.source.height()
    }

    /// The encoding of every run, as far as it is known by now.
    #[must_use]
    pub fn encodings(&self) -> Vec<Encoding> {
        self.lock_encodings().clone()
    }

    fn lock_encodings(&self) -> MutexGuard<'_, Vec<Encoding>> {
        self.slot.lock()
    }

    /// Bytes of the seeds of every run.
    #[must_use]
    pub fn seed_bytes(&self) -> Vec<u64> {
        let encodings = self.encodings();
        let bytes = |(run, encoding): (usize, &Encoding)| {
            let (_, stride) = self.source.kernel(run, *encoding);
            (self.source.runs()[run].rows.len() * stride) as u64
        };
        encodings.iter().enumerate().map(bytes).collect()
    }

    /// Queues everything that writes the rows of a window: real ones and padding, every
    /// cell of them. They are there when the compute stream is done.
    ///
    /// # Errors
    /// [`RowsError`].
    pub fn write(&self, window: &Window<'_>) -> Result<(), RowsError> {
        let device = self.engine.device();
        device
            .owns(window.cells.device(), || format!("buffer {:?}", window.cells.name()))
            .and_then(|()| device.owns(self.kernels.device(), || "the kernels".into()))
            .map_err(|error| self.device_error(error))?;
        let height = self.source.height() as u64;
        self.bounded("first row of a window", window.first, height - 1)?;
        self.bounded("number of rows of a window", window.count, height)?;
        if window.count == 0 {
            return Ok(());
        }
        match self.engine.seeds.get(self.slot.key) {
            Some(resident) => self.write_resident(&resident, window)?,
            None => self.upload_and_write(window)?,
        }
        let num_rows = self.source.num_rows() as u64;
        for rows in self.segments(window) {
            let padding = rows.start.max(num_rows)..rows.end;
            if !padding.is_empty() {
                self.launch(self.kernels.padding(), None, padding, self.first_bases(), window)?;
            }
        }
        Ok(())
    }

    fn bounded(&self, what: &'static str, value: u64, most: u64) -> Result<(), RowsError> {
        match value <= most {
            true => Ok(()),
            false => Err(RowsError::Size { circuit: self.circuit.into(), what, value, most }),
        }
    }

    /// The rows of a window as one or two ranges.
    fn segments(&self, window: &Window<'_>) -> impl Iterator<Item = Range<u64>> + use<> {
        let height = self.source.height() as u64;
        let end = window.first + window.count;
        let wrapped = 0..end.saturating_sub(height);
        let segments = [window.first..end.min(height), wrapped];
        segments.into_iter().filter(|rows| !rows.is_empty())
    }

    /// The parts of `rows` that lie in a window.
    fn parts(
        &self,
        window: &Window<'_>,
        rows: &Range<u64>,
    ) -> impl Iterator<Item = Range<u64>> + use<> {
        let (start, end) = (rows.start, rows.end);
        let parts = self.segments(window).map(move |s| s.start.max(start)..s.end.min(end));
        parts.filter(|part| !part.is_empty())
    }

    fn rows_of(&self, run: usize) -> Range<u64> {
        let rows = &self.source.runs()[run].rows;
        rows.start as u64..rows.end as u64
    }

    fn write_resident(&self, resident: &Resident, window: &Window<'_>) -> Result<(), RowsError> {
        let compute = &self.engine.compute;
        compute.wait_for(&resident.ready).map_err(|error| self.device_error(error))?;
        for (run, (encoding, buffer)) in resident.runs.iter().enumerate() {
            let rows = self.rows_of(run);
            for part in self.parts(window, &rows) {
                self.launch_run(run, *encoding, buffer, rows.start, part, window)?;
            }
        }
        Ok(())
    }

    fn upload_and_write(&self, window: &Window<'_>) -> Result<(), RowsError> {
        let total: u64 = self.seed_bytes().iter().sum();
        if total > self.engine.seeds.budget() {
            for run in 0..self.source.runs().len() {
                for part in self.parts(window, &self.rows_of(run)) {
                    self.feed(run, part, window)?;
                }
            }
            return Ok(());
        }
        self.engine.seeds.make_room(total);
        let feed = |run| self.feed(run, self.rows_of(run), window);
        let runs = (0..self.source.runs().len()).map(feed).collect::<Result<_, _>>()?;
        let ready = self.engine.staging.stream().record();
        let ready = ready.map_err(|error| self.device_error(error))?;
        self.engine.seeds.insert(self.slot.key, Arc::new(Resident { runs, ready }));
        Ok(())
    }

    /// Uploads the seeds of some rows of a run and writes those that lie in the window.
    fn feed(
        &self,
        run: usize,
        rows: Range<u64>,
        window: &Window<'_>,
    ) -> Result<(Encoding, Buffer), RowsError> {
        let encoding = self.lock_encodings()[run];
        if let Some(buffer) = self.try_feed(run, encoding, &rows, window)? {
            return Ok((encoding, buffer));
        }
        let widened = Encoding::Full(Why::Widened);
        self.lock_encodings()[run] = widened;
        let buffer = self.try_feed(run, widened, &rows, window)?;
        Ok((widened, buffer.expect("every row fits a full seed")))
    }

    /// The same in one encoding; nothing if a row does not fit it.
    fn try_feed(
        &self,
        run: usize,
        encoding: Encoding,
        rows: &Range<u64>,
        window: &Window<'_>,
    ) -> Result<Option<Buffer>, RowsError> {
        let (_, stride) = self.kernel(run, encoding)?;
        let staging = &self.engine.staging;
        let chunk_rows = staging.chunk_bytes() / stride;
        if chunk_rows == 0 {
            let (circuit, chunk) = (self.circuit.into(), staging.chunk_bytes());
            return Err(RowsError::SeedTooWide { circuit, stride, chunk });
        }
        let failed = |error| self.device_error(error);
        let bytes = (rows.end - rows.start) * stride as u64;
        let bytes = NonZeroU64::new(bytes).expect("runs have rows and seeds have bytes");
        let name = format!("seeds of {}", self.circuit);
        let buffer =
            self.engine.device().allocate(staging.stream(), &name, bytes).map_err(failed)?;
        let first = self.rows_of(run).start;
        let transfer = Transfer { circuit: self.circuit, kind: Kind::Seeds };
        for start in rows.clone().step_by(chunk_rows) {
            let chunk_rows = start..rows.end.min(start + chunk_rows as u64);
            let len = (chunk_rows.end - chunk_rows.start) as usize * stride;
            let mut chunk = staging.chunk().map_err(failed)?;
            let seeds = &mut chunk.bytes_mut().map_err(failed)?[..len];
            let of_run = (chunk_rows.start - first) as usize..(chunk_rows.end - first) as usize;
            let fits = self.source.fill(run, encoding, of_run, seeds);
            let fits =
                fits.map_err(|error| RowsError::Seeds { circuit: self.circuit.into(), error })?;
            if !fits {
                return Ok(None);
            }
            let offset = (chunk_rows.start - rows.start) * stride as u64;
            let sent = chunk.send(&buffer, offset, len, self.ledger, &transfer);
            let sent = sent.map_err(failed)?;
            self.engine.compute.wait_for(&sent).map_err(failed)?;
            for part in self.parts(window, &chunk_rows) {
                self.launch_run(run, encoding, &buffer, rows.start, part, window)?;
            }
        }
        Ok(Some(buffer))
    }

    /// The kernel of a run, and bytes per seed, which the source and the kernel agree on.
    fn kernel(&self, run: usize, encoding: Encoding) -> Result<(&Kernel, usize), RowsError> {
        let (name, found) = self.source.kernel(run, encoding);
        let kernel = self.kernels.get(name).and_then(|kernel| match kernel.seed_bytes() {
            expected if expected == found => Ok(kernel),
            expected => Err(KernelError::Seeds { kernel: name.into(), expected, found }),
        });
        let kernel = kernel.map_err(|error| RowsError::Kernels {
            circuit: self.circuit.into(),
            error: Box::new(error),
        })?;
        Ok((kernel, found))
    }

    /// Launches some rows of a run, of which `buffer` has the seeds from `first` on.
    fn launch_run(
        &self,
        run: usize,
        encoding: Encoding,
        buffer: &Buffer,
        first: u64,
        rows: Range<u64>,
        window: &Window<'_>,
    ) -> Result<(), RowsError> {
        let (kernel, stride) = self.kernel(run, encoding)?;
        let stride = stride as u64;
        let seeds = buffer.span((rows.start - first) * stride, (rows.end - rows.start) * stride);
        let selector = self.source.runs()[run].first_member_selector;
        let bases = TlBases { first_member_selector: selector as u32, ..self.first_bases() };
        self.launch(kernel, Some(seeds), rows, bases, window)
    }

    fn first_bases(&self) -> TlBases {
        let columns = self.source.columns();
        TlBases {
            first_selector: columns.first_selector as u32,
            first_member_selector: columns.first_selector as u32,
            first_auxiliary: columns.first_auxiliary as u32,
            width: columns.width as u32,
        }
    }

    fn launch(
        &self,
        kernel: &Kernel,
        seeds: Option<Span<'_>>,
        rows: Range<u64>,
        bases: TlBases,
        window: &Window<'_>,
    ) -> Result<(), RowsError> {
        let num_rows = rows.end - rows.start;
        let grid = kernel.grid(num_rows).ok_or_else(|| RowsError::Size {
            circuit: self.circuit.into(),
            what: "number of rows of a launch",
            value: num_rows,
            most: i32::MAX as u64 * 32,
        })?;
        let arguments = Arguments::Rows(RowsArguments {
            seeds,
            first_row: rows.start,
            num_rows,
            bases,
            cells: window.cells.span(0, window.cells.bytes()),
            stride: window.stride,
            first: window.first,
            count: window.count,
            height: self.source.height() as u64,
        });
        let place = || Place {
            kernel: Some(kernel.name().into()),
            circuit: Some(self.circuit.into()),
            rows: Some(rows.clone()),
            buffer: None,
        };
        let launched = self.engine.compute.launch(kernel.handle(), grid, arguments, place);
        launched.map_err(|error| self.device_error(error))?;
        self.ledger.dispatched(self.circuit, kernel.name(), num_rows);
        Ok(())
    }

    fn device_error(&self, error: DeviceError) -> RowsError {
        RowsError::Device { circuit: self.circuit.into(), error: Box::new(error) }
    }
}
