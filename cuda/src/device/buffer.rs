//! Memory of a device, and memory of the host that a device reads and writes.

use super::{Device, lock};
use crate::driver::{HostMemory, Memory, Span};
use crate::error::{DeviceError, Place};

/// Named memory of a device.
#[derive(Debug)]
pub struct Buffer {
    device: Device,
    name: String,
    bytes: u64,
    memory: Option<Memory>,
}

impl Buffer {
    pub(super) fn new(device: &Device, name: &str, bytes: u64, memory: Memory) -> Self {
        Self { device: device.clone(), name: name.into(), bytes, memory: Some(memory) }
    }

    /// Its device.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.device
    }

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
        inner.pool.leave(&self.name, self.bytes, memory, events);
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
    pub(super) fn new(device: &Device, len: usize, memory: Box<dyn HostMemory>) -> Self {
        Self { device: device.clone(), len, memory }
    }

    pub(super) fn device(&self) -> &Device {
        &self.device
    }

    pub(super) fn memory(&mut self) -> &mut dyn HostMemory {
        &mut *self.memory
    }

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
        self.device.ask("asking for a copy", Place::default, |_| self.memory.is_idle())
    }

    /// Waits until no copy uses it.
    ///
    /// # Errors
    /// [`DeviceError`], also of work that was queued before.
    pub fn wait(&mut self) -> Result<(), DeviceError> {
        let Self { device, memory, .. } = self;
        device.ask("waiting for a copy", Place::default, |_| memory.wait())
    }

    /// Its bytes, which no copy uses.
    ///
    /// # Errors
    /// [`DeviceError`].
    pub fn bytes_mut(&mut self) -> Result<&mut [u8], DeviceError> {
        self.wait()?;
        let device = &self.device;
        let failed = |code| device.failed("waiting for a copy", Place::default(), code);
        self.memory.bytes_mut().map_err(failed)
    }
}
