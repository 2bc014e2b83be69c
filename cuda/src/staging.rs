//! A ring of pinned chunks. All copies to and from the device use it. Its bytes are bounded, and
//! all circuits and threads share it.
//!
//! A chunk that is sent returns to the ring at once. It is handed out again when its copy is
//! complete, the oldest first. So packing the next chunk overlaps the copy of the last one.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use traceloom_runtime::ledger::{Ledger, Transfer};

use crate::device::{Buffer, Device, Event, Pinned, Stream};
use crate::driver::Pieces;
use crate::error::{DeviceError, Place};

/// Sizes of a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StagingOptions {
    /// Bytes of a chunk, at least one seed.
    pub chunk_bytes: NonZeroUsize,
    /// Most chunks.
    pub max_chunks: NonZeroUsize,
}

impl Default for StagingOptions {
    /// Chunks that take a fast link some 160 µs each, and enough of them to pack into
    /// while others are under way. Smaller ones leave threads idle at the end of each.
    fn default() -> Self {
        const CHUNK: NonZeroUsize = NonZeroUsize::new(8 << 20).expect("it is not zero");
        const CHUNKS: NonZeroUsize = NonZeroUsize::new(8).expect("it is not zero");
        Self { chunk_bytes: CHUNK, max_chunks: CHUNKS }
    }
}

/// The ring of a device, and the stream that it copies up on.
#[derive(Debug)]
pub struct Staging {
    stream: Stream,
    options: StagingOptions,
    ring: Mutex<Ring>,
    returned: Condvar,
}

#[derive(Debug, Default)]
struct Ring {
    free: Vec<Pinned>,
    /// Sent, the oldest first.
    sent: VecDeque<Pinned>,
    /// All that exist, also those that were handed out.
    num_chunks: usize,
}

/// Where the next chunk comes from.
enum Next {
    Ready(Pinned),
    Sent(Pinned),
    New,
}

impl Staging {
    /// A ring without chunks; they are made when they are needed.
    ///
    /// # Errors
    /// [`DeviceError`].
    pub fn new(device: &Device, options: StagingOptions) -> Result<Self, DeviceError> {
        let (ring, returned) = (Mutex::default(), Condvar::new());
        Ok(Self { stream: device.stream()?, options, ring, returned })
    }

    /// The stream that uploads are made on.
    #[must_use]
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// Bytes of a chunk.
    #[must_use]
    pub fn chunk_bytes(&self) -> usize {
        self.options.chunk_bytes.get()
    }

    /// Waits until everything that was sent has arrived.
    ///
    /// # Errors
    /// [`DeviceError`].
    pub fn synchronize(&self) -> Result<(), DeviceError> {
        self.stream.synchronize(&Place::buffer("pinned chunks"))
    }

    fn lock(&self) -> MutexGuard<'_, Ring> {
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A chunk. Waits for one if all are in use, so a caller that holds one must not: it
    /// calls [`Self::try_chunk`].
    ///
    /// # Errors
    /// [`DeviceError`].
    pub fn chunk(&self) -> Result<Chunk<'_>, DeviceError> {
        let mut ring = self.lock();
        loop {
            if let Some(next) = self.next(&mut ring, true)? {
                drop(ring);
                return self.take(next);
            }
            ring = self.returned.wait(ring).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// A chunk, if one can be had without waiting.
    ///
    /// # Errors
    /// [`DeviceError`].
    pub fn try_chunk(&self) -> Result<Option<Chunk<'_>>, DeviceError> {
        let next = self.next(&mut self.lock(), false)?;
        next.map(|next| self.take(next)).transpose()
    }

    /// Where a chunk comes from, unless all are handed out; without `may_wait` also unless
    /// all are under way.
    fn next(&self, ring: &mut Ring, may_wait: bool) -> Result<Option<Next>, DeviceError> {
        if let Some(pinned) = ring.free.pop() {
            return Ok(Some(Next::Ready(pinned)));
        }
        let is_full = ring.num_chunks == self.options.max_chunks.get();
        if let Some(oldest) = ring.sent.pop_front() {
            match oldest.is_idle() {
                Ok(idle) if idle || (is_full && may_wait) => return Ok(Some(Next::Sent(oldest))),
                Ok(_) => ring.sent.push_front(oldest),
                Err(error) => {
                    ring.num_chunks -= 1;
                    self.returned.notify_one();
                    return Err(error);
                }
            }
        }
        if is_full {
            return Ok(None);
        }
        ring.num_chunks += 1;
        Ok(Some(Next::New))
    }

    /// The slow part, without the lock.
    fn take(&self, next: Next) -> Result<Chunk<'_>, DeviceError> {
        let pinned = match next {
            Next::Ready(pinned) => Ok(pinned),
            Next::Sent(mut pinned) => pinned.wait().map(|()| pinned),
            Next::New => self.stream.device().pinned(self.options.chunk_bytes),
        };
        match pinned {
            Ok(pinned) => Ok(Chunk { staging: self, pinned: Some(pinned) }),
            Err(error) => {
                self.forget();
                Err(error)
            }
        }
    }

    /// One chunk less.
    fn forget(&self) {
        self.lock().num_chunks -= 1;
        self.returned.notify_one();
    }
}

/// A chunk that was handed out. Dropped, it returns to the ring.
#[derive(Debug)]
pub struct Chunk<'a> {
    staging: &'a Staging,
    pinned: Option<Pinned>,
}

impl Chunk<'_> {
    fn pinned(&mut self) -> &mut Pinned {
        self.pinned.as_mut().expect("a chunk has its memory until it is sent")
    }

    /// Its bytes.
    ///
    /// # Errors
    /// [`DeviceError`] of a copy into it.
    pub fn bytes_mut(&mut self) -> Result<&mut [u8], DeviceError> {
        self.pinned().bytes_mut()
    }

    /// Sends the first `len` bytes to byte `offset` of a buffer. Returns an event after the copy.
    ///
    /// # Errors
    /// [`DeviceError`].
    pub fn send(
        mut self,
        to: &Buffer,
        offset: u64,
        len: usize,
        ledger: &Ledger,
        transfer: &Transfer<'_>,
    ) -> Result<Event, DeviceError> {
        let stream = &self.staging.stream;
        stream.upload(to, offset, self.pinned(), len, ledger, transfer)?;
        let event = stream.record()?;
        let pinned = self.pinned.take();
        self.staging.lock().sent.extend(pinned);
        self.staging.returned.notify_one();
        Ok(event)
    }

    /// Copies pieces of device memory to its start, after the work on `stream`.
    ///
    /// # Errors
    /// [`DeviceError`].
    pub(crate) fn receive(
        &mut self,
        stream: &Stream,
        from: Pieces<'_>,
        ledger: &Ledger,
        transfer: &Transfer<'_>,
    ) -> Result<(), DeviceError> {
        stream.download(self.pinned(), from, ledger, transfer)
    }

    /// Waits for what was received.
    ///
    /// # Errors
    /// [`DeviceError`], also of the work before it.
    pub fn wait(&mut self) -> Result<(), DeviceError> {
        self.pinned().wait()
    }
}

impl Drop for Chunk<'_> {
    fn drop(&mut self) {
        let Some(mut pinned) = self.pinned.take() else { return };
        // After an error a copy may still use it.
        match pinned.wait() {
            Ok(()) => {
                self.staging.lock().free.push(pinned);
                self.staging.returned.notify_one();
            }
            Err(_) => self.staging.forget(),
        }
    }
}
