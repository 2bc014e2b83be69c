//! Work in order, and points in it.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use traceloom_runtime::ledger::{Direction, Ledger, Transfer};

use super::{Buffer, Device, Pinned, lock};
use crate::driver::{Arguments, Driver, EventHandle, KernelHandle, Pieces, StreamHandle};
use crate::error::{Code, DeviceError, Place};

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

    fn owns(&self, buffer: &Buffer) -> Result<(), DeviceError> {
        self.device().owns(buffer.device(), || format!("buffer {:?}", buffer.name()))
    }

    fn call<T>(
        &self,
        call: &'static str,
        place: impl FnOnce() -> Place,
        mut work: impl FnMut(&dyn Driver, &StreamHandle) -> Result<T, Code>,
    ) -> Result<T, DeviceError> {
        self.0.device.call(call, place, |driver| work(driver, self.0.handle()))
    }

    /// An event after everything that is on the stream now.
    ///
    /// # Errors
    /// [`DeviceError`].
    pub fn record(&self) -> Result<Event, DeviceError> {
        let device = self.device();
        let handle =
            device.call("making an event", Place::default, |driver| driver.create_event())?;
        let event = Event { device: device.clone(), handle: Some(handle) };
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
        self.device().owns(&event.device, || "an event to wait for".into())?;
        self.call("ordering streams", Place::default, |driver, stream| {
            driver.wait_on_stream(stream, event.handle())
        })
    }

    /// Waits until everything on the stream is complete.
    ///
    /// # Errors
    /// [`DeviceError`], also of work that was queued before.
    pub fn synchronize(&self, place: &Place) -> Result<(), DeviceError> {
        let handle = self.0.handle();
        self.device().ask("waiting for work", || place.clone(), |driver| driver.synchronize(handle))
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
        self.owns(to)?;
        self.device().owns(from.device(), || "pinned memory".into())?;
        let span = to.span(offset, len as u64);
        let circuit = Some(transfer.circuit.into());
        let place = || Place { circuit, ..Place::buffer(to.name()) };
        self.call("uploading", place, |driver, stream| {
            driver.copy_up(stream, span, from.memory())
        })?;
        ledger.moved(transfer, Direction::Up, len as u64);
        Ok(())
    }

    /// Copies pieces of `from`, one after the other, to the start of `to`. The bytes are
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
        self.device().owns(to.device(), || "pinned memory".into())?;
        let bytes = (from.length * from.count) as u64;
        let place = || Place { circuit: Some(transfer.circuit.into()), ..Place::default() };
        self.call("downloading", place, |driver, stream| {
            driver.copy_down(stream, to.memory(), from)
        })?;
        ledger.moved(transfer, Direction::Down, bytes);
        Ok(())
    }

    /// Copies a buffer to the host, after the work on the stream, and waits for it. For
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
        self.owns(from)?;
        let size = usize::try_from(from.bytes()).ok().and_then(NonZeroUsize::new);
        let size = size.expect("buffers have bytes and fit the address space");
        let mut pinned = self.device().pinned(size)?;
        let length = size.get();
        let pieces = Pieces { span: from.span(0, from.bytes()), length, pitch: length, count: 1 };
        self.download(&mut pinned, pieces, ledger, transfer)?;
        pinned.wait()?;
        Ok(pinned.bytes_mut()?.to_vec())
    }

    /// Fills a buffer.
    ///
    /// # Errors
    /// [`DeviceError`].
    pub fn fill(&self, buffer: &Buffer, byte: u8) -> Result<(), DeviceError> {
        self.owns(buffer)?;
        self.call(
            "filling",
            || Place::buffer(buffer.name()),
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

impl Device {
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
        self.device.ask("waiting for an event", Place::default, |driver| driver.wait(self.handle()))
    }

    /// Time between two events that are complete.
    ///
    /// # Errors
    /// [`DeviceError`], where code 500 means that the driver cannot measure.
    pub fn elapsed_since(&self, from: &Self) -> Result<Duration, DeviceError> {
        self.device.owns(&from.device, || "an event to measure from".into())?;
        self.device.ask("measuring time", Place::default, |driver| {
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
