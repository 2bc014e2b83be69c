//! The memory of a device: what is allocated, what is kept, what is free.

use std::collections::BTreeMap;
use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, Weak};

use super::{Buffer, Device, Inner, Pinned, Stream, lock};
use crate::driver::{EventHandle, Memory};
use crate::error::{Code, DeviceError, Place};

/// The byte that fills fresh memory if that is asked for. Eight of them are not a canonical word.
const POISON: u8 = 0xff;

/// The memory of a device that this process has.
#[derive(Default)]
pub(super) struct Pool {
    accounts: Mutex<Accounts>,
    /// Dropped buffers that work may still use.
    leaving: Mutex<Vec<Leaving>>,
    /// Memory that no work uses, by size.
    kept: Mutex<BTreeMap<u64, Vec<Memory>>>,
    /// How often memory went back to the driver.
    given_back: AtomicU64,
    /// Bytes that are the driver's no more: in buffers, dropped or kept.
    taken: Mutex<Taken>,
    caches: Mutex<Vec<Weak<dyn Reclaim>>>,
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
    /// The most since somebody began to look.
    recent: u64,
    by_name: BTreeMap<String, u64>,
}

/// Bytes taken from the driver, now and at most, and how many may be.
#[derive(Debug, Default)]
struct Taken {
    now: u64,
    peak: u64,
    limit: Option<NonZeroU64>,
}

impl Taken {
    fn room(&self) -> Option<u64> {
        Some(self.limit?.get().saturating_sub(self.now))
    }
}

/// Memory of a dropped buffer, and events after the work that may use it.
struct Leaving {
    memory: Memory,
    events: Vec<EventHandle>,
}

impl Pool {
    /// Counts a buffer.
    fn enter(&self, name: &str, bytes: u64) {
        let mut accounts = lock(&self.accounts);
        accounts.held += bytes;
        accounts.peak = accounts.peak.max(accounts.held);
        accounts.recent = accounts.recent.max(accounts.held);
        *accounts.by_name.entry(name.into()).or_default() += bytes;
    }

    /// Takes back the memory of a buffer, for others when the events are complete.
    pub(super) fn leave(&self, name: &str, bytes: u64, memory: Memory, events: Vec<EventHandle>) {
        let mut accounts = lock(&self.accounts);
        accounts.held -= bytes;
        if let Some(of_name) = accounts.by_name.get_mut(name) {
            *of_name -= bytes;
        }
        accounts.by_name.retain(|_, bytes| *bytes > 0);
        drop(accounts);
        lock(&self.leaving).push(Leaving { memory, events });
    }
}

impl Device {
    /// Bytes in buffers now, and at most so far.
    #[must_use]
    pub fn memory(&self) -> (u64, u64) {
        let accounts = lock(&self.0.pool.accounts);
        (accounts.held, accounts.peak)
    }

    /// Lets the process take at most so many bytes of the device for buffers. What is taken
    /// already stays.
    pub fn limit_memory(&self, bytes: NonZeroU64) {
        lock(&self.0.pool.taken).limit = Some(bytes);
    }

    /// Most bytes that buffers may take; that of the device without a limit.
    #[must_use]
    pub fn memory_limit(&self) -> u64 {
        let limit = lock(&self.0.pool.taken).limit;
        limit.map_or(self.info().memory, |limit| limit.get().min(self.info().memory))
    }

    /// Most bytes that were in buffers, and most that were taken from the driver for buffers,
    /// since [`Device::begin_peak`]: the second are more by rounding and by memory that was kept.
    #[must_use]
    pub fn peak(&self) -> (u64, u64) {
        let held = lock(&self.0.pool.accounts).recent;
        (held, lock(&self.0.pool.taken).peak)
    }

    /// Bytes in buffers now.
    #[must_use]
    pub fn held(&self) -> u64 {
        lock(&self.0.pool.accounts).held
    }

    /// Begins to look for the most bytes again.
    pub fn begin_peak(&self) {
        let mut accounts = lock(&self.0.pool.accounts);
        accounts.recent = accounts.held;
        drop(accounts);
        let mut taken = lock(&self.0.pool.taken);
        taken.peak = taken.now;
    }

    /// Bytes that a new buffer may have. They include the bytes of dropped buffers: an allocation
    /// waits for the work on those, if it has to.
    ///
    /// # Errors
    /// [`DeviceError`].
    pub fn free_memory(&self) -> Result<u64, DeviceError> {
        let free =
            self.ask("asking for free memory", Place::default, |driver| driver.free_memory())?;
        // Locked first, as in `settle`, so that nothing is missed or counted twice.
        let leaving = lock(&self.0.pool.leaving);
        let dropped: u64 = leaving.iter().map(|buffer| buffer.memory.bytes).sum();
        let kept: u64 = lock(&self.0.pool.kept).values().flatten().map(|memory| memory.bytes).sum();
        let room = lock(&self.0.pool.taken).room();
        Ok(room.map_or(free, |room| room.min(free)) + dropped + kept)
    }

    pub(crate) fn on_pressure(&self, cache: Weak<dyn Reclaim>) {
        lock(&self.0.pool.caches).push(cache);
    }

    /// Allocates memory of unspecified content. Work that fills it is queued on `stream`.
    ///
    /// # Errors
    /// [`DeviceError::Memory`] if there is not enough, also without resident seeds.
    pub fn allocate(
        &self,
        stream: &Stream,
        name: &str,
        bytes: NonZeroU64,
    ) -> Result<Buffer, DeviceError> {
        self.owns(stream.device(), || format!("the stream of {name:?}"))?;
        self.settle(false);
        let memory = self.allocate_memory(name, bytes)?;
        self.0.pool.enter(name, bytes.get());
        let buffer = Buffer::new(self, name, bytes.get(), memory);
        if self.0.poison.load(Ordering::Relaxed) {
            stream.fill(&buffer, POISON)?;
        }
        Ok(buffer)
    }

    fn allocate_memory(&self, name: &str, bytes: NonZeroU64) -> Result<Memory, DeviceError> {
        let size = rounded(bytes);
        if let Some(memory) = lock(&self.0.pool.kept).get_mut(&size.get()).and_then(Vec::pop) {
            return Ok(memory);
        }
        let attempt = || self.take(name, size);
        let is_full = |result: &Result<Memory, DeviceError>| {
            result.as_ref().is_err_and(|error| error.code() == Code::OUT_OF_MEMORY)
        };
        let mut result = attempt();
        while is_full(&result) && self.reclaim(size.get()) {
            result = attempt();
        }
        if !is_full(&result) {
            return result;
        }
        let free = self.free_memory()?;
        let accounts = lock(&self.0.pool.accounts);
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

    /// Takes memory from the driver, if the limit allows it.
    fn take(&self, name: &str, size: NonZeroU64) -> Result<Memory, DeviceError> {
        let enter = || {
            let mut taken = lock(&self.0.pool.taken);
            let fits = taken.room().is_none_or(|room| size.get() <= room);
            taken.now += if fits { size.get() } else { 0 };
            fits
        };
        let mut fits = enter();
        if !fits {
            self.give_back();
            fits = enter();
        }
        if !fits {
            let refused = Place::buffer(name);
            return Err(self.refused("allocating", refused, Code::OUT_OF_MEMORY));
        }
        let memory =
            self.call("allocating", || Place::buffer(name), |driver| driver.allocate(size));
        let mut taken = lock(&self.0.pool.taken);
        match &memory {
            Ok(_) => taken.peak = taken.peak.max(taken.now),
            Err(_) => taken.now -= size.get(),
        }
        memory
    }

    /// Waits for dropped buffers and gives the driver all memory that nobody uses.
    pub(super) fn give_back(&self) {
        self.settle(true);
        let pool = &self.0.pool;
        // Locked all the while: the next caller finds the memory given back.
        let mut kept = lock(&pool.kept);
        for memory in std::mem::take(&mut *kept).into_values().flatten() {
            lock(&pool.taken).now -= memory.bytes;
            if self.0.driver.release(memory).is_ok() {
                pool.given_back.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    /// How often memory went back to the driver.
    pub(super) fn given_back(&self) -> u64 {
        self.0.pool.given_back.load(Ordering::Relaxed)
    }

    /// Asks caches for memory. Returns whether one gave any.
    fn reclaim(&self, bytes: u64) -> bool {
        let caches: Vec<_> = lock(&self.0.pool.caches).iter().filter_map(Weak::upgrade).collect();
        // Every one is asked until one gives: they give what they can miss best.
        caches.iter().any(|cache| cache.reclaim(bytes))
    }

    /// Keeps the memory of dropped buffers whose work is complete, or waits for all. Work ends
    /// about in the order of drops, so without waiting nobody asks behind the first buffer
    /// whose work is not: a proof drops hundreds before it waits for something.
    fn settle(&self, wait: bool) {
        let driver = &*self.0.driver;
        // Locked all the while, so that memory on its way back does not count as missing.
        let mut leaving = lock(&self.0.pool.leaving);
        let mut is_early = false;
        for buffer in std::mem::take(&mut *leaving) {
            let ended = |event: &EventHandle| match wait {
                true => driver.wait(event).is_ok(),
                false => driver.is_complete(event).unwrap_or(false),
            };
            if is_early || !buffer.events.iter().all(ended) {
                is_early = !wait;
                leaving.push(buffer);
                continue;
            }
            for event in buffer.events {
                // An event that is not destroyed is memory of the driver, and no more.
                let _ = driver.release_event(event);
            }
            lock(&self.0.pool.kept).entry(buffer.memory.bytes).or_default().push(buffer.memory);
        }
    }

    /// Pinned memory of the host.
    ///
    /// # Errors
    /// [`DeviceError`].
    pub fn pinned(&self, bytes: NonZeroUsize) -> Result<Pinned, DeviceError> {
        let place = || Place::buffer("pinned memory");
        let memory = self.call("pinning memory", place, |driver| driver.allocate_host(bytes))?;
        Ok(Pinned::new(self, bytes.get(), memory))
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // No stream is left, for each keeps its device.
        for buffer in std::mem::take(&mut *lock(&self.pool.leaving)) {
            for event in buffer.events {
                let _ = self.driver.wait(&event);
                let _ = self.driver.release_event(event);
            }
            let _ = self.driver.release(buffer.memory);
        }
        for memory in std::mem::take(&mut *lock(&self.pool.kept)).into_values().flatten() {
            let _ = self.driver.release(memory);
        }
    }
}

/// The size to allocate: up to a thirty-second more, so that buffers of about the same size can
/// use each other's memory.
fn rounded(bytes: NonZeroU64) -> NonZeroU64 {
    const LEAST: u64 = 512;
    let step = (bytes.get().checked_next_power_of_two().unwrap_or(1 << 63) / 64).max(LEAST);
    bytes.get().checked_next_multiple_of(step).and_then(NonZeroU64::new).unwrap_or(bytes)
}
