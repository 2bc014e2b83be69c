//! Devices, streams, events and buffers, with an owner each.
//!
//! - A [`Buffer`] is released behind everything that is queued on any stream of its
//!   device when it is dropped; nobody waits for that. Its memory is kept for the next
//!   buffer of its size, since drivers allocate slowly, and given back when an
//!   allocation would fail.
//! - After an error that is final a device answers [`DeviceError::Lost`] to all.
//! - Transfers are made in [`Stream::upload`] and [`Stream::download`] alone, and both
//!   write the ledger.

use std::collections::BTreeMap;
use std::fmt;
use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use traceloom_runtime::ledger::{Direction, Ledger, Transfer};

use crate::driver::{
    Arguments, DeviceInfo, Driver, EventHandle, HostMemory, KernelHandle, Memory, ModuleHandle,
    Pieces, Span, StreamHandle,
};
use crate::error::{Code, DeviceError, Place};
use crate::mock::Mock;
use crate::native::driver::CudaDriver;
use crate::probe::Unavailable;

/// What fresh memory is filled with where that is asked for: no canonical word.
const POISON: u8 = 0xff;

/// A device. Clones are the same device.
#[derive(Clone)]
pub struct Device(Arc<Inner>);

struct Inner {
    driver: Box<dyn Driver>,
    memory: Mutex<Accounts>,
    /// Dropped buffers that work may still use.
    leaving: Mutex<Vec<Leaving>>,
    /// Memory that no work uses, by size.
    kept: Mutex<BTreeMap<u64, Vec<Memory>>>,
    /// All that are not destroyed: work on them may use a buffer that is dropped.
    streams: Mutex<Vec<Arc<StreamHandle>>>,
    caches: Mutex<Vec<Weak<dyn Reclaim>>>,
    /// The code of a final error; 0 without.
    lost: AtomicU32,
    poison: AtomicBool,
}

/// What gives memory back when there is no more.
pub(crate) trait Reclaim: Send + Sync {
    /// Drops buffers of at least `bytes` bytes, if it has them; whether it dropped any.
    fn reclaim(&self, bytes: u64) -> bool;
}

/// Bytes in buffers.
#[derive(Debug, Default)]
struct Accounts {
    held: u64,
    peak: u64,
    by_name: BTreeMap<String, u64>,
}

struct Leaving {
    memory: Memory,
    events: Vec<EventHandle>,
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.info())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What is in these mutexes is whole between any two statements.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Device {
    /// Takes device `ordinal` of this machine.
    ///
    /// # Errors
    /// [`Unavailable`].
    pub fn open(ordinal: u32) -> Result<Self, Unavailable> {
        Ok(Self::over(Box::new(CudaDriver::open(ordinal)?)))
    }

    /// A device that is none.
    #[must_use]
    pub fn mock(mock: &Mock) -> Self {
        Self::over(Box::new(mock.clone()))
    }

    fn over(driver: Box<dyn Driver>) -> Self {
        Self(Arc::new(Inner {
            driver,
            memory: Mutex::default(),
            leaving: Mutex::default(),
            kept: Mutex::default(),
            streams: Mutex::default(),
            caches: Mutex::default(),
            lost: AtomicU32::new(0),
            poison: AtomicBool::new(false),
        }))
    }

    /// What it is.
    #[must_use]
    pub fn info(&self) -> &DeviceInfo {
        self.0.driver.info()
    }

    /// Fills memory that is allocated from now on, so that a cell that nothing writes is
    /// no word of the field. For tests.
    pub fn poison_fresh_memory(&self) {
        self.0.poison.store(true, Ordering::Relaxed);
    }

    /// Bytes in buffers now, and at most so far.
    #[must_use]
    pub fn memory(&self) -> (u64, u64) {
        let accounts = lock(&self.0.memory);
        (accounts.held, accounts.peak)
    }

    /// Bytes that a new buffer may have. Those of dropped buffers are among them: who
    /// allocates waits for their work, if it has to.
    ///
    /// # Errors
    /// [`DeviceError`].
    pub fn free_memory(&self) -> Result<u64, DeviceError> {
        let free =
            self.call("asking for free memory", Place::default, |driver| driver.free_memory())?;
        // Locked first, as in `settle`, so that nothing is missed or counted twice.
        let leaving = lock(&self.0.leaving);
        let dropped: u64 = leaving.iter().map(|buffer| buffer.memory.bytes).sum();
        let kept: u64 = lock(&self.0.kept).values().flatten().map(|memory| memory.bytes).sum();
        Ok(free + dropped + kept)
    }

    /// The final error that this device has had.
    #[must_use]
    pub fn lost(&self) -> Option<Code> {
        match self.0.lost.load(Ordering::Relaxed) {
            0 => None,
            code => Some(Code(code)),
        }
    }

    pub(crate) fn on_pressure(&self, cache: Weak<dyn Reclaim>) {
        lock(&self.0.caches).push(cache);
    }

    /// Makes a call, and remembers an error that is final.
    fn call<T>(
        &self,
        call: &'static str,
        place: impl FnOnce() -> Place,
        work: impl FnOnce(&dyn Driver) -> Result<T, Code>,
    ) -> Result<T, DeviceError> {
        if let Some(code) = self.lost() {
            return Err(DeviceError::Lost { device: self.info().to_string(), code });
        }
        work(&*self.0.driver).map_err(|code| {
            if code.is_final() {
                self.0.lost.store(code.0, Ordering::Relaxed);
            }
            let (device, place) = (self.info().to_string(), Box::new(place()));
            DeviceError::Call { device, call, place, code }
        })
    }

    /// A stream of its own.
    ///
    /// # Errors
    /// [`DeviceError`].
    pub fn stream(&self) -> Result<Stream, DeviceError> {
        let handle =
            self.call("making a stream", Place::default, |driver| driver.create_stream())?;
        let handle = Arc::new(handle);
        lock(&self.0.streams).push(Arc::clone(&handle));
        Ok(Stream(Arc::new(StreamInner { device: self.clone(), handle: Some(handle) })))
    }

    fn event(&self) -> Result<Event, DeviceError> {
        let handle =
            self.call("making an event", Place::default, |driver| driver.create_event())?;
        Ok(Event { device: self.clone(), handle: Some(handle) })
    }

    /// Memory. What is in it is not said; work that fills it goes to `stream`.
    ///
    /// # Errors
    /// [`DeviceError::Memory`] if there is not enough, also without resident seeds.
    pub fn allocate(
        &self,
        stream: &Stream,
        name: &str,
        bytes: NonZeroU64,
    ) -> Result<Buffer, DeviceError> {
        self.settle(false);
        let memory = self.allocate_memory(name, bytes)?;
        {
            let mut accounts = lock(&self.0.memory);
            accounts.held += bytes.get();
            accounts.peak = accounts.peak.max(accounts.held);
            *accounts.by_name.entry(name.into()).or_default() += bytes.get();
        }
        let bytes = bytes.get();
        let buffer =
            Buffer { device: self.clone(), name: name.into(), bytes, memory: Some(memory) };
        if self.0.poison.load(Ordering::Relaxed) {
            stream.fill(&buffer, POISON)?;
        }
        Ok(buffer)
    }

    fn allocate_memory(&self, name: &str, bytes: NonZeroU64) -> Result<Memory, DeviceError> {
        let size = rounded(bytes);
        if let Some(memory) = lock(&self.0.kept).get_mut(&size.get()).and_then(Vec::pop) {
            return Ok(memory);
        }
        let attempt =
            || self.call("allocating", || Place::buffer(name), |driver| driver.allocate(size));
        let is_full = |result: &Result<Memory, DeviceError>| {
            result.as_ref().is_err_and(|error| error.code() == Code::OUT_OF_MEMORY)
        };
        let mut result = attempt();
        if is_full(&result) {
            self.settle(true);
            if self.give_back() {
                result = attempt();
            }
        }
        while is_full(&result) && self.reclaim(size.get()) {
            self.settle(true);
            self.give_back();
            result = attempt();
        }
        if !is_full(&result) {
            return result;
        }
        let free = self.free_memory()?;
        let accounts = lock(&self.0.memory);
        let largest = accounts.by_name.iter().max_by_key(|(_, bytes)| **bytes);
        let largest = largest.map(|(name, bytes)| format!(", most of it {bytes} of {name:?}"));
        Err(DeviceError::Memory {
            device: self.info().to_string(),
            buffer: name.into(),
            need: bytes.get(),
            free,
            held: accounts.held,
            largest: largest.unwrap_or_default(),
        })
    }

    /// Gives the driver what is kept; whether there was any.
    fn give_back(&self) -> bool {
        let kept = std::mem::take(&mut *lock(&self.0.kept));
        kept.into_values()
            .flatten()
            .fold(false, |any, memory| any | self.0.driver.release(memory).is_ok())
    }

    /// Asks caches for memory; whether one gave any.
    fn reclaim(&self, bytes: u64) -> bool {
        let caches: Vec<_> = lock(&self.0.caches).iter().filter_map(Weak::upgrade).collect();
        // Every one is asked until one gives: they give what they can miss best.
        caches.iter().any(|cache| cache.reclaim(bytes))
    }

    /// Keeps the memory of dropped buffers whose work is complete, or waits for all.
    fn settle(&self, wait: bool) {
        let driver = &*self.0.driver;
        // Locked all the while, so that nobody finds memory short that is on its way.
        let mut leaving = lock(&self.0.leaving);
        for buffer in std::mem::take(&mut *leaving) {
            let ended = |event: &EventHandle| match wait {
                true => driver.wait(event).is_ok(),
                false => driver.is_complete(event).unwrap_or(false),
            };
            if !buffer.events.iter().all(ended) {
                leaving.push(buffer);
                continue;
            }
            for event in buffer.events {
                // An event that is not destroyed is memory of the driver, and no more.
                let _ = driver.release_event(event);
            }
            lock(&self.0.kept).entry(buffer.memory.bytes).or_default().push(buffer.memory);
        }
    }

    /// Pinned memory of the host.
    ///
    /// # Errors
    /// [`DeviceError`].
    pub fn pinned(&self, bytes: NonZeroUsize) -> Result<Pinned, DeviceError> {
        let place = || Place::buffer("pinned memory");
        let memory = self.call("pinning memory", place, |driver| driver.allocate_host(bytes))?;
        Ok(Pinned { device: self.clone(), len: bytes.get(), memory })
    }

    /// Loads code.
    ///
    /// # Errors
    /// [`DeviceError`], where code 209 means that there is none for this device.
    pub fn load(&self, image: &[u8]) -> Result<Module, DeviceError> {
        let attempt = || self.call("loading kernels", Place::default, |driver| driver.load(image));
        let mut handle = attempt();
        if handle.as_ref().is_err_and(|error| error.code() == Code::OUT_OF_MEMORY) {
            // What is kept for buffers is memory, too.
            self.settle(true);
            if self.give_back() {
                handle = attempt();
            }
        }
        let handle = handle?;
        Ok(Module { device: self.clone(), handle: Some(handle) })
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // No stream is left, for each keeps its device.
        for buffer in std::mem::take(&mut *lock(&self.leaving)) {
            for event in buffer.events {
                let _ = self.driver.wait(&event);
                let _ = self.driver.release_event(event);
            }
            let _ = self.driver.release(buffer.memory);
        }
        for memory in std::mem::take(&mut *lock(&self.kept)).into_values().flatten() {
            let _ = self.driver.release(memory);
        }
    }
}

/// A size to allocate: at most a thirty-second more, so that buffers of about the same
/// size can have each other's memory.
fn rounded(bytes: NonZeroU64) -> NonZeroU64 {
    const LEAST: u64 = 512;
    let step = (bytes.get().checked_next_power_of_two().unwrap_or(1 << 63) / 64).max(LEAST);
    bytes.get().checked_next_multiple_of(step).and_then(NonZeroU64::new).unwrap_or(bytes)
}

/// Work in order.
#[derive(Clone, Debug)]
pub struct Stream(Arc<StreamInner>);

#[derive(Debug)]
struct StreamInner {
    device: Device,
    handle: Option<Arc<StreamHandle>>,
}

impl Drop for StreamInner {
    fn drop(&mut self) {
        let Some(handle) = self.handle.take() else { return };
        let driver = &*self.device.0.driver;
        // Locked until it is destroyed: whoever drops a buffer finds the stream with its
        // work, or finds neither. A driver destroys a stream at once and lets its work run
        // on, where no event can follow it.
        let mut streams = lock(&self.device.0.streams);
        let _ = driver.synchronize(&handle);
        streams.retain(|other| !Arc::ptr_eq(other, &handle));
        if let Some(handle) = Arc::into_inner(handle) {
            let _ = driver.release_stream(handle);
        }
    }
}

impl StreamInner {
    fn handle(&self) -> &StreamHandle {
        self.handle.as_ref().expect("a stream has its handle until it is dropped")
    }
}

/// A grid of threads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grid {
    pub(crate) blocks: u32,
    pub(crate) threads: u32,
}

impl Stream {
    /// Its device.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.0.device
    }

    fn call<T>(
        &self,
        call: &'static str,
        place: impl FnOnce() -> Place,
        work: impl FnOnce(&dyn Driver, &StreamHandle) -> Result<T, Code>,
    ) -> Result<T, DeviceError> {
        self.0.device.call(call, place, |driver| work(driver, self.0.handle()))
    }

    /// An event behind everything that is on the stream now.
    ///
    /// # Errors
    /// [`DeviceError`].
    pub fn record(&self) -> Result<Event, DeviceError> {
        let event = self.0.device.event()?;
        self.call("recording an event", Place::default, |driver, stream| {
            driver.record(event.handle(), stream)
        })?;
        Ok(event)
    }

    /// Lets what comes next on this stream wait for an event of any stream.
    ///
    /// # Errors
    /// [`DeviceError`].
    pub fn wait_for(&self, event: &Event) -> Result<(), DeviceError> {
        self.call("ordering streams", Place::default, |driver, stream| {
            driver.wait_on_stream(stream, event.handle())
        })
    }

    /// Waits until everything on the stream is complete.
    ///
    /// # Errors
    /// [`DeviceError`], also of work that was queued before.
    pub fn synchronize(&self, place: &Place) -> Result<(), DeviceError> {
        self.call("waiting for work", || place.clone(), |driver, stream| driver.synchronize(stream))
    }

    /// Copies the first `len` bytes of `from` to byte `offset` of `to`.
    ///
    /// # Errors
    /// [`DeviceError`].
    pub fn upload(
        &self,
        to: &Buffer,
        offset: u64,
        from: &mut Pinned,
        len: usize,
        ledger: &Ledger,
        transfer: &Transfer<'_>,
    ) -> Result<(), DeviceError> {
        let span = to.span(offset, len as u64);
        let place = || Place { circuit: Some(transfer.circuit.into()), ..Place::buffer(&to.name) };
        self.call("uploading", place, |driver, stream| {
            driver.copy_up(stream, span, &mut *from.memory)
        })?;
        ledger.moved(transfer, Direction::Up, len as u64);
        Ok(())
    }

    /// Copies pieces of `from`, one behind the other, to the begin of `to`. The bytes are
    /// there after [`Pinned::wait`].
    ///
    /// # Errors
    /// [`DeviceError`].
    pub(crate) fn download(
        &self,
        to: &mut Pinned,
        from: Pieces<'_>,
        ledger: &Ledger,
        transfer: &Transfer<'_>,
    ) -> Result<(), DeviceError> {
        let bytes = (from.length * from.count) as u64;
        let place = || Place { circuit: Some(transfer.circuit.into()), ..Place::default() };
        self.call("downloading", place, |driver, stream| {
            driver.copy_down(stream, &mut *to.memory, from)
        })?;
        ledger.moved(transfer, Direction::Down, bytes);
        Ok(())
    }

    /// Copies a buffer to the host, behind what is on the stream, and waits for it. For
    /// what is small or is checked: traces come through the ring of pinned memory.
    ///
    /// # Errors
    /// [`DeviceError`], also of the work before it.
    pub fn read(
        &self,
        from: &Buffer,
        ledger: &Ledger,
        transfer: &Transfer<'_>,
    ) -> Result<Vec<u8>, DeviceError> {
        let size = usize::try_from(from.bytes).ok().and_then(NonZeroUsize::new);
        let size = size.expect("buffers have bytes and fit the address space");
        let mut pinned = self.device().pinned(size)?;
        let length = size.get();
        let pieces = Pieces { span: from.span(0, from.bytes), length, pitch: length, count: 1 };
        self.download(&mut pinned, pieces, ledger, transfer)?;
        pinned.wait()?;
        Ok(pinned.bytes_mut()?.to_vec())
    }

    /// Fills a buffer.
    ///
    /// # Errors
    /// [`DeviceError`].
    pub fn fill(&self, buffer: &Buffer, byte: u8) -> Result<(), DeviceError> {
        self.call(
            "filling",
            || Place::buffer(&buffer.name),
            |driver, stream| driver.fill(stream, buffer.span(0, buffer.bytes()), byte),
        )
    }

    pub(crate) fn launch(
        &self,
        kernel: KernelHandle,
        grid: Grid,
        arguments: Arguments<'_>,
        place: impl FnOnce() -> Place,
    ) -> Result<(), DeviceError> {
        self.call("launching", place, |driver, stream| {
            driver.launch(stream, kernel, grid.blocks, grid.threads, arguments)
        })
    }
}

/// A point on a stream.
#[derive(Debug)]
pub struct Event {
    device: Device,
    handle: Option<EventHandle>,
}

impl Event {
    fn handle(&self) -> &EventHandle {
        self.handle.as_ref().expect("an event has its handle until it is dropped")
    }

    /// Waits for it.
    ///
    /// # Errors
    /// [`DeviceError`].
    pub fn wait(&self) -> Result<(), DeviceError> {
        self.device
            .call("waiting for an event", Place::default, |driver| driver.wait(self.handle()))
    }

    /// Time between two events that are complete.
    ///
    /// # Errors
    /// [`DeviceError`], where code 500 means that the driver cannot measure.
    pub fn elapsed_since(&self, from: &Self) -> Result<Duration, DeviceError> {
        self.device.call("measuring time", Place::default, |driver| {
            driver.elapsed(from.handle(), self.handle())
        })
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        if let Some(handle) = self.handle.take() {
            let _ = self.device.0.driver.release_event(handle);
        }
    }
}

/// Named memory of a device.
#[derive(Debug)]
pub struct Buffer {
    device: Device,
    name: String,
    bytes: u64,
    memory: Option<Memory>,
}

impl Buffer {
    fn memory(&self) -> &Memory {
        self.memory.as_ref().expect("a buffer has its memory until it is dropped")
    }

    /// Its size.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A part; the driver refuses one that does not lie inside.
    pub(crate) fn span(&self, offset: u64, bytes: u64) -> Span<'_> {
        Span { memory: self.memory(), offset, bytes }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let Some(memory) = self.memory.take() else { return };
        let inner = &self.device.0;
        {
            let mut accounts = lock(&inner.memory);
            accounts.held -= self.bytes;
            if let Some(bytes) = accounts.by_name.get_mut(&self.name) {
                *bytes -= self.bytes;
            }
            accounts.by_name.retain(|_, bytes| *bytes > 0);
        }
        let streams = lock(&inner.streams);
        let mut events = Vec::new();
        for stream in streams.iter() {
            let event = inner.driver.create_event();
            let recorded = event.and_then(|event| {
                let recorded = inner.driver.record(&event, stream);
                events.push(event);
                recorded
            });
            // Without an event behind its work the stream is waited for; if that fails, too,
            // the device does no work any more.
            if recorded.is_err() {
                let _ = inner.driver.synchronize(stream);
            }
        }
        drop(streams);
        lock(&inner.leaving).push(Leaving { memory, events });
    }
}

/// Pinned memory of the host.
#[derive(Debug)]
pub struct Pinned {
    device: Device,
    len: usize,
    memory: Box<dyn HostMemory>,
}

impl Pinned {
    /// Its size.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it has no bytes: never.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether no copy uses it.
    ///
    /// # Errors
    /// [`DeviceError`].
    pub fn is_idle(&self) -> Result<bool, DeviceError> {
        self.device.call("asking for a copy", Place::default, |_| self.memory.is_idle())
    }

    /// Waits until no copy uses it.
    ///
    /// # Errors
    /// [`DeviceError`], also of work that was queued before.
    pub fn wait(&mut self) -> Result<(), DeviceError> {
        let (device, memory) = (self.device.clone(), &mut self.memory);
        device.call("waiting for a copy", Place::default, |_| memory.wait())
    }

    /// Its bytes, which no copy uses.
    ///
    /// # Errors
    /// [`DeviceError`].
    pub fn bytes_mut(&mut self) -> Result<&mut [u8], DeviceError> {
        let (device, memory) = (self.device.clone(), &mut self.memory);
        device.call("waiting for a copy", Place::default, |_| memory.bytes_mut())
    }
}

/// Loaded code.
#[derive(Debug)]
pub struct Module {
    device: Device,
    handle: Option<ModuleHandle>,
}

impl Module {
    pub(crate) fn kernel(&self, name: &str) -> Result<KernelHandle, DeviceError> {
        let handle = self.handle.as_ref().expect("a module has its handle until it is dropped");
        let place = || Place { kernel: Some(name.into()), ..Place::default() };
        self.device.call("finding a kernel", place, |driver| driver.kernel(handle, name))
    }

    pub(crate) fn resources(&self, kernel: KernelHandle) -> Result<(u32, u32), DeviceError> {
        self.device
            .call("asking for resources", Place::default, |driver| driver.kernel_resources(kernel))
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        let Some(handle) = self.handle.take() else { return };
        let driver = &*self.device.0.driver;
        // Its kernels may be queued on any of them.
        for stream in lock(&self.device.0.streams).iter() {
            let _ = driver.synchronize(stream);
        }
        let _ = driver.unload(handle);
    }
}
