//! A mock device: everything above the driver runs on it, in ordinary tests.
//!
//! It keeps the promises of a driver and makes no others. Fresh memory is poison. With
//! [`Mock::delay`] work runs only when a caller waits for it, or step by step when a caller asks
//! whether it is done, so that missing synchronisation gives wrong results. Work on memory that
//! was released is a fault of the device. Any call can be made to fail. A [`KernelHost`] runs the
//! kernels.

mod host;
mod state;

use std::any::Any;
use std::fmt;
use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

pub use host::{HostRows, HostWord, HostWords, KernelHost, ScalarHost};

use self::state::{Op, State};
use crate::driver::{
    Arguments, DeviceInfo, Driver, EventHandle, HostMemory, KernelHandle, Memory, ModuleHandle,
    Pieces, Span, StreamHandle,
};
use crate::error::Code;

/// One call that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Which.
    pub name: &'static str,
    /// With what.
    pub detail: String,
}

/// The device. Clones are the same one.
#[derive(Clone)]
pub struct Mock {
    info: DeviceInfo,
    host: Arc<dyn KernelHost>,
    state: Arc<Mutex<State>>,
}

impl fmt::Debug for Mock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Mock({})", self.info)
    }
}

impl Mock {
    /// Device `ordinal` with 1 GiB of memory.
    #[must_use]
    pub fn new(ordinal: u32, host: Arc<dyn KernelHost>) -> Self {
        let info = DeviceInfo {
            ordinal,
            name: "mock".into(),
            uuid: format!("{ordinal:032x}"),
            capability: (9, 0),
            memory: 1 << 30,
            bandwidth: 1_000_000_000,
            driver: (13, 0),
        };
        Self { info, host, state: Arc::default() }
    }

    /// The same with another size.
    #[must_use]
    pub fn with_memory(mut self, bytes: u64) -> Self {
        self.info.memory = bytes;
        self
    }

    /// Lets work run late from now on.
    pub fn delay(&self) {
        self.lock().is_late = true;
    }

    /// Lets call `number` fail, counted from 0 over all that were made.
    pub fn fail_call(&self, number: u64, code: Code) {
        self.lock().fail = Some((number, code));
    }

    /// Every call so far.
    #[must_use]
    pub fn calls(&self) -> Vec<Call> {
        self.lock().calls.clone()
    }

    /// How often host memory was touched while a copy still used it, so that the caller had to
    /// wait.
    #[must_use]
    pub fn stalls(&self) -> u64 {
        self.lock().stalls
    }

    /// How often a stream was destroyed or code was unloaded while work was queued. Such work
    /// goes on, and nothing waits for it.
    #[must_use]
    pub fn busy_releases(&self) -> u64 {
        self.lock().busy_releases
    }

    /// Most bytes of device memory that were allocated at once.
    #[must_use]
    pub fn most_memory(&self) -> u64 {
        self.lock().most_used
    }

    /// Number of allocations that are not released, of device and host memory, and of
    /// streams, events and modules.
    #[must_use]
    pub fn num_live(&self) -> usize {
        self.lock().num_live()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic of a kernel host ends its test.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Logs a call and answers for it, unless it fails.
    fn call(&self, name: &'static str, detail: String) -> Result<MutexGuard<'_, State>, Code> {
        let mut state = self.lock();
        let number = state.calls.len() as u64;
        state.calls.push(Call { name, detail });
        if let Some(code) = state.fault {
            return Err(code);
        }
        match state.fail {
            Some((at, code)) if at == number => {
                state.fault = code.is_final().then_some(code);
                Err(code)
            }
            _ => Ok(state),
        }
    }

    /// Queues work, and does it unless work runs late.
    fn queue(&self, state: &mut State, stream: &StreamHandle, op: Op) -> Result<u64, Code> {
        let ticket = state.push(stream.0, op)?;
        if !state.is_late {
            state.run_until(stream.0, ticket, &*self.host);
        }
        state.fault.map_or(Ok(ticket), Err)
    }
}

/// Host memory that the mock knows.
#[derive(Debug)]
struct MockPinned {
    mock: Mock,
    bytes: Arc<Mutex<Vec<u8>>>,
    /// Stream and ticket of the last copy.
    last: Option<(u64, u64)>,
}

impl MockPinned {
    fn finish(&mut self) -> Result<(), Code> {
        let Some((stream, ticket)) = self.last.take() else { return Ok(()) };
        let mut state = self.mock.lock();
        state.run_until(stream, ticket, &*self.mock.host);
        state.fault.map_or(Ok(()), Err)
    }
}

impl HostMemory for MockPinned {
    fn is_idle(&self) -> Result<bool, Code> {
        let mut state = self.mock.call("query copy", String::new())?;
        let Some((stream, ticket)) = self.last else { return Ok(true) };
        state.run_one(stream, &*self.mock.host);
        state.fault.map_or(Ok(state.is_done(stream, ticket)), Err)
    }

    fn wait(&mut self) -> Result<(), Code> {
        drop(self.mock.call("wait for copy", String::new())?);
        self.finish()
    }

    fn bytes_mut(&mut self) -> Result<&mut [u8], Code> {
        if let Some((stream, ticket)) = self.last {
            let mut state = self.mock.lock();
            state.stalls += u64::from(!state.is_done(stream, ticket));
            drop(state);
            self.finish()?;
        }
        let bytes = Arc::get_mut(&mut self.bytes).expect("no copy holds the bytes");
        Ok(bytes.get_mut().unwrap_or_else(PoisonError::into_inner))
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

impl Drop for MockPinned {
    fn drop(&mut self) {
        let _ = self.finish();
        self.mock.lock().num_pinned -= 1;
    }
}

impl Driver for Mock {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn free_memory(&self) -> Result<u64, Code> {
        let state = self.call("free memory", String::new())?;
        Ok(self.info.memory - state.used())
    }

    fn allocate(&self, bytes: NonZeroU64) -> Result<Memory, Code> {
        let mut state = self.call("allocate", format!("{bytes} bytes"))?;
        if bytes.get() > self.info.memory - state.used() {
            return Err(Code::OUT_OF_MEMORY);
        }
        Ok(Memory { address: state.allocate(bytes.get()), bytes: bytes.get() })
    }

    fn release(&self, memory: Memory) -> Result<(), Code> {
        // Memory goes even when the call fails, as it does when a process ends.
        let result = self.call("release", format!("{} bytes", memory.bytes)).map(drop);
        self.lock().memories.remove(&memory.address);
        result
    }

    fn allocate_host(&self, bytes: NonZeroUsize) -> Result<Box<dyn HostMemory>, Code> {
        let mut state = self.call("allocate host", format!("{bytes} bytes"))?;
        state.num_pinned += 1;
        let bytes = Arc::new(Mutex::new(vec![0xff; bytes.get()]));
        Ok(Box::new(MockPinned { mock: self.clone(), bytes, last: None }))
    }

    fn create_stream(&self) -> Result<StreamHandle, Code> {
        let mut state = self.call("create stream", String::new())?;
        Ok(StreamHandle(state.add_stream()))
    }

    fn release_stream(&self, stream: StreamHandle) -> Result<(), Code> {
        let result = self.call("release stream", String::new()).map(drop);
        let mut state = self.lock();
        state.busy_releases += u64::from(state.is_busy(stream.0));
        state.run_all(stream.0, &*self.host);
        state.streams.remove(&stream.0);
        result
    }

    fn synchronize(&self, stream: &StreamHandle) -> Result<(), Code> {
        let mut state = self.call("synchronize", format!("stream {}", stream.0))?;
        state.run_all(stream.0, &*self.host);
        state.fault.map_or(Ok(()), Err)
    }

    fn create_event(&self) -> Result<EventHandle, Code> {
        let mut state = self.call("create event", String::new())?;
        Ok(EventHandle(state.add_event()))
    }

    fn release_event(&self, event: EventHandle) -> Result<(), Code> {
        let result = self.call("release event", String::new()).map(drop);
        self.lock().events.remove(&event.0);
        result
    }

    fn record(&self, event: &EventHandle, stream: &StreamHandle) -> Result<(), Code> {
        let mut state = self.call("record", format!("stream {}", stream.0))?;
        let ticket = self.queue(&mut state, stream, Op::Nothing)?;
        state.events.insert(event.0, Some((stream.0, ticket)));
        Ok(())
    }

    fn is_complete(&self, event: &EventHandle) -> Result<bool, Code> {
        let mut state = self.call("query event", String::new())?;
        let Some((stream, ticket)) = state.events.get(&event.0).copied().flatten() else {
            return Ok(true);
        };
        state.run_one(stream, &*self.host);
        state.fault.map_or(Ok(state.is_done(stream, ticket)), Err)
    }

    fn wait(&self, event: &EventHandle) -> Result<(), Code> {
        let mut state = self.call("wait for event", String::new())?;
        if let Some((stream, ticket)) = state.events.get(&event.0).copied().flatten() {
            state.run_until(stream, ticket, &*self.host);
        }
        state.fault.map_or(Ok(()), Err)
    }

    fn wait_on_stream(&self, stream: &StreamHandle, event: &EventHandle) -> Result<(), Code> {
        let mut state = self.call("stream waits", format!("stream {}", stream.0))?;
        if let Some((other, ticket)) = state.events.get(&event.0).copied().flatten() {
            self.queue(&mut state, stream, Op::Wait(other, ticket))?;
        }
        Ok(())
    }

    fn elapsed(&self, _from: &EventHandle, _to: &EventHandle) -> Result<Duration, Code> {
        self.call("elapsed", String::new()).map(|_| Duration::from_micros(1))
    }

    fn copy_up(
        &self,
        stream: &StreamHandle,
        to: Span<'_>,
        from: &mut dyn HostMemory,
    ) -> Result<(), Code> {
        let mut state = self.call("copy up", format!("{} bytes", to.bytes))?;
        let pinned = from.as_any().downcast_mut::<MockPinned>().ok_or(Code::INVALID_VALUE)?;
        let fits = pinned.bytes.lock().is_ok_and(|bytes| to.bytes <= bytes.len() as u64);
        if !fits || to.bytes == 0 {
            return Err(Code::INVALID_VALUE);
        }
        to.address()?;
        let op = Op::CopyUp {
            address: to.memory.address,
            offset: to.offset,
            bytes: to.bytes,
            from: Arc::clone(&pinned.bytes),
        };
        let ticket = self.queue(&mut state, stream, op)?;
        pinned.last = Some((stream.0, ticket));
        Ok(())
    }

    fn copy_down(
        &self,
        stream: &StreamHandle,
        to: &mut dyn HostMemory,
        from: Pieces<'_>,
    ) -> Result<(), Code> {
        let detail = format!("{} x {} bytes", from.count, from.length);
        let mut state = self.call("copy down", detail)?;
        let pinned = to.as_any().downcast_mut::<MockPinned>().ok_or(Code::INVALID_VALUE)?;
        from.address()?;
        let total = from.length * from.count;
        let fits = pinned.bytes.lock().is_ok_and(|bytes| total <= bytes.len());
        if !fits || total == 0 {
            return Err(Code::INVALID_VALUE);
        }
        let op = Op::CopyDown {
            address: from.span.memory.address,
            offset: from.span.offset,
            length: from.length,
            pitch: from.pitch,
            count: from.count,
            to: Arc::clone(&pinned.bytes),
        };
        let ticket = self.queue(&mut state, stream, op)?;
        pinned.last = Some((stream.0, ticket));
        Ok(())
    }

    fn fill(&self, stream: &StreamHandle, span: Span<'_>, byte: u8) -> Result<(), Code> {
        let mut state = self.call("fill", format!("{} bytes", span.bytes))?;
        span.address()?;
        let Span { memory, offset, bytes } = span;
        let op = Op::Fill { address: memory.address, offset, bytes, byte };
        self.queue(&mut state, stream, op).map(drop)
    }

    fn load(&self, image: &[u8]) -> Result<ModuleHandle, Code> {
        let mut state = self.call("load", format!("{} bytes", image.len()))?;
        state.num_modules += 1;
        Ok(ModuleHandle(1))
    }

    fn unload(&self, _module: ModuleHandle) -> Result<(), Code> {
        let result = self.call("unload", String::new()).map(drop);
        let mut state = self.lock();
        let is_busy = state.streams.keys().any(|&stream| state.is_busy(stream));
        state.busy_releases += u64::from(is_busy);
        state.num_modules -= 1;
        result
    }

    fn kernel(&self, _module: &ModuleHandle, name: &str) -> Result<KernelHandle, Code> {
        let mut state = self.call("kernel", name.into())?;
        match self.host.has(name) {
            true => Ok(KernelHandle(state.add_kernel(name))),
            false => Err(Code::NOT_FOUND),
        }
    }

    fn kernel_resources(&self, _kernel: KernelHandle) -> Result<(u32, u32), Code> {
        self.call("kernel resources", String::new()).map(|_| (32, 0))
    }

    fn launch(
        &self,
        stream: &StreamHandle,
        kernel: KernelHandle,
        blocks: u32,
        threads: u32,
        arguments: Arguments<'_>,
    ) -> Result<(), Code> {
        let name = self.lock().kernels[kernel.0 as usize].clone();
        let mut state = self.call("launch", format!("{name}, {blocks} x {threads}"))?;
        if blocks == 0 || !(1..=1024).contains(&threads) {
            return Err(Code::INVALID_VALUE);
        }
        let op = Op::launch(name, blocks, threads, arguments)?;
        self.queue(&mut state, stream, op).map(drop)
    }
}
