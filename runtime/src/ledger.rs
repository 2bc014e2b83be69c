//! The ledger of a proof: every byte that went to a device or came from it, by circuit and
//! kind; the bytes that host-built traces would have sent; what was filled there; and the kernels
//! that ran.
//!
//! The device layer writes the ledger in the functions that make transfers. No other code makes
//! transfers.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

/// What is moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Seeds of rows.
    Seeds,
    /// Rows of a trace.
    Rows,
    /// Kernels, where a proof is the first to use them.
    Code,
    /// Identities of kernels.
    Identity,
    /// Tables that kernels of the prover read.
    Tables,
    /// What a prover reads of its stages: roots, terminals, opened values, rows and paths.
    Proof,
}

impl Kind {
    /// Its name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Seeds => "seeds",
            Self::Rows => "rows",
            Self::Code => "code",
            Self::Identity => "identity",
            Self::Tables => "tables",
            Self::Proof => "proof",
        }
    }
}

/// Why something is moved.
#[derive(Clone, Copy, Debug)]
pub struct Transfer<'a> {
    /// Name of the circuit, or of the program where it belongs to none.
    pub circuit: &'a str,
    /// What is moved.
    pub kind: Kind,
}

/// Where to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To the device.
    Up,
    /// From the device.
    Down,
}

/// Bytes of one circuit and kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    /// Bytes to the device.
    pub up: u64,
    /// Bytes from the device.
    pub down: u64,
    /// Number of transfers.
    pub transfers: u64,
}

/// Launches of one kernel for one circuit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dispatched {
    /// Number of launches.
    pub launches: u64,
    /// Rows of all launches.
    pub rows: u64,
}

/// The ledger. Threads may share it.
#[derive(Debug, Default)]
pub struct Ledger(Mutex<Entries>);

/// What a ledger says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entries {
    /// By circuit and kind.
    pub moved: BTreeMap<(String, Kind), Moved>,
    /// By circuit: bytes that a host-built trace would have sent, for device-born ones.
    pub avoided: BTreeMap<String, u64>,
    /// Bytes that were filled on the device, by circuit.
    pub filled: BTreeMap<String, u64>,
    /// By circuit and kernel.
    pub dispatched: BTreeMap<(String, String), Dispatched>,
}

impl Ledger {
    fn entries_mut(&self) -> MutexGuard<'_, Entries> {
        // Every change is a single statement.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a transfer.
    pub fn moved(&self, transfer: &Transfer<'_>, direction: Direction, bytes: u64) {
        let mut entries = self.entries_mut();
        let moved = entries.moved.entry((transfer.circuit.into(), transfer.kind)).or_default();
        match direction {
            Direction::Up => moved.up += bytes,
            Direction::Down => moved.down += bytes,
        }
        moved.transfers += 1;
    }

    /// Notes that a trace of `bytes` bytes was born on the device.
    pub fn avoided(&self, circuit: &str, bytes: u64) {
        *self.entries_mut().avoided.entry(circuit.into()).or_default() += bytes;
    }

    /// Counts bytes that the device fills by itself.
    pub fn filled(&self, circuit: &str, bytes: u64) {
        *self.entries_mut().filled.entry(circuit.into()).or_default() += bytes;
    }

    /// Counts a launch.
    pub fn dispatched(&self, circuit: &str, kernel: &str, rows: u64) {
        let mut entries = self.entries_mut();
        let key = (circuit.to_owned(), kernel.to_owned());
        let dispatched = entries.dispatched.entry(key).or_default();
        dispatched.launches += 1;
        dispatched.rows += rows;
    }

    /// What it says so far.
    #[must_use]
    pub fn entries(&self) -> Entries {
        self.entries_mut().clone()
    }
}

impl Entries {
    /// Adds what another ledger says.
    pub fn add(&mut self, other: &Self) {
        for (key, moved) in &other.moved {
            let all = self.moved.entry(key.clone()).or_default();
            *all = all.plus(*moved);
        }
        for (circuit, bytes) in &other.avoided {
            *self.avoided.entry(circuit.clone()).or_default() += bytes;
        }
        for (key, dispatched) in &other.dispatched {
            let all = self.dispatched.entry(key.clone()).or_default();
            all.launches += dispatched.launches;
            all.rows += dispatched.rows;
        }
    }

    /// Bytes up and down of one kind.
    #[must_use]
    pub fn of_kind(&self, kind: Kind) -> Moved {
        let of_kind = self.moved.iter().filter(|((_, of), _)| *of == kind);
        of_kind.fold(Moved::default(), |sum, (_, moved)| sum.plus(*moved))
    }

    /// Bytes up and down in all.
    #[must_use]
    pub fn total(&self) -> Moved {
        self.moved.values().fold(Moved::default(), |sum, moved| sum.plus(*moved))
    }

    /// As JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        let total = self.total();
        let moved = self.moved.iter().map(|((circuit, kind), moved)| {
            json!({
                "circuit": circuit,
                "kind": kind.name(),
                "bytes_up": moved.up,
                "bytes_down": moved.down,
                "transfers": moved.transfers,
            })
        });
        let avoided = self
            .avoided
            .iter()
            .map(|(circuit, bytes)| json!({ "circuit": circuit, "bytes": bytes }));
        let dispatched = self.dispatched.iter().map(|((circuit, kernel), dispatched)| {
            json!({
                "circuit": circuit,
                "kernel": kernel,
                "launches": dispatched.launches,
                "rows": dispatched.rows,
            })
        });
        json!({
            "bytes_up": total.up,
            "bytes_down": total.down,
            "filled_bytes": self.filled.values().sum::<u64>(),
            "host_built_bytes_up": self.avoided.values().sum::<u64>(),
            "transfers": moved.collect::<Vec<_>>(),
            "host_built": avoided.collect::<Vec<_>>(),
            "dispatches": dispatched.collect::<Vec<_>>(),
        })
    }
}

impl Moved {
    const fn plus(self, other: Self) -> Self {
        Self {
            up: self.up + other.up,
            down: self.down + other.down,
            transfers: self.transfers + other.transfers,
        }
    }
}
