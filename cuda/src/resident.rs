//! Seeds that stay on the device, so that rows are written again without an upload.
//!
//! Their bytes are bounded; the least recently used seeds are released first. Before an
//! allocation fails, all of them are released.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use traceloom_runtime::seeds::Encoding;

use crate::device::{Buffer, Device, Event, Reclaim};

/// The variable that bounds resident seeds.
pub const BUDGET_VARIABLE: &str = "TRACELOOM_SEED_CACHE_BYTES";

/// Where that says nothing: this part of the device's memory.
const DEFAULT_FRACTION: u64 = 16;

/// The budget of a device.
///
/// # Errors
/// What the variable has in place of a number of bytes.
pub fn budget_from_environment(memory: u64) -> Result<u64, String> {
    let Some(value) = std::env::var_os(BUDGET_VARIABLE) else {
        return Ok(memory / DEFAULT_FRACTION);
    };
    let number = value.to_str().and_then(|text| text.trim().parse().ok());
    number.ok_or_else(|| format!("{BUDGET_VARIABLE} is {value:?}, which is not a number of bytes"))
}

/// The seeds of a circuit on the device.
#[derive(Debug)]
pub(crate) struct Resident {
    /// By run.
    pub(crate) runs: Vec<(Encoding, Buffer)>,
    /// Behind the upload.
    pub(crate) ready: Event,
}

impl Resident {
    fn bytes(&self) -> u64 {
        self.runs.iter().map(|(_, buffer)| buffer.bytes()).sum()
    }
}

/// Resident seeds of circuits, each under a number of its own.
#[derive(Debug)]
pub struct SeedCache {
    budget: u64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    used: u64,
    clock: u64,
    entries: BTreeMap<u64, Entry>,
}

#[derive(Debug)]
struct Entry {
    last_use: u64,
    bytes: u64,
    resident: Arc<Resident>,
}

impl SeedCache {
    /// Bounded by `budget` bytes; asked by `device` when memory is short.
    #[must_use]
    pub fn new(device: &Device, budget: u64) -> Arc<Self> {
        let cache = Arc::new(Self { budget, state: Mutex::default() });
        let reclaim: Arc<dyn Reclaim> = cache.clone();
        device.on_pressure(Arc::downgrade(&reclaim));
        cache
    }

    /// The bound.
    #[must_use]
    pub fn budget(&self) -> u64 {
        self.budget
    }

    /// Bytes of seeds that are resident.
    #[must_use]
    pub fn used(&self) -> u64 {
        self.lock().used
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The seeds under a number, which are used now.
    pub(crate) fn get(&self, key: u64) -> Option<Arc<Resident>> {
        let mut state = self.lock();
        state.clock += 1;
        let now = state.clock;
        let entry = state.entries.get_mut(&key)?;
        entry.last_use = now;
        Some(Arc::clone(&entry.resident))
    }

    /// Releases the least recently used until `bytes` more are within the budget.
    pub(crate) fn make_room(&self, bytes: u64) {
        let mut state = self.lock();
        while state.used + bytes > self.budget && state.release_oldest().is_some() {}
    }

    /// Keeps seeds that are within the budget.
    pub(crate) fn insert(&self, key: u64, resident: Arc<Resident>) {
        let bytes = resident.bytes();
        self.make_room(bytes);
        let mut state = self.lock();
        // Another thread may have taken the room; these seeds are then released after use.
        if state.used + bytes > self.budget {
            return;
        }
        state.clock += 1;
        let entry = Entry { last_use: state.clock, bytes, resident };
        state.used += bytes;
        if let Some(old) = state.entries.insert(key, entry) {
            state.used -= old.bytes;
        }
    }

    /// Releases what is under a number.
    pub(crate) fn remove(&self, key: u64) {
        let mut state = self.lock();
        if let Some(entry) = state.entries.remove(&key) {
            state.used -= entry.bytes;
        }
    }
}

impl State {
    fn release_oldest(&mut self) -> Option<u64> {
        let (&key, _) = self.entries.iter().min_by_key(|(_, entry)| entry.last_use)?;
        let bytes = self.entries.remove(&key)?.bytes;
        self.used -= bytes;
        Some(bytes)
    }
}

impl Reclaim for SeedCache {
    fn reclaim(&self, bytes: u64) -> bool {
        let mut state = self.lock();
        let mut released = 0;
        while released < bytes
            && let Some(more) = state.release_oldest()
        {
            released += more;
        }
        released > 0
    }
}
