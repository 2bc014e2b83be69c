//! Why there is no plan: what is needed, what there is, what to do.

use traceloom_verifier::security::BelowFloor;
use traceloom_verifier::shape::ShapeError;

/// Why rows cannot be cut as asked for. Options are named as a [`super::ShardOptions`] has
/// them; on the command line they have dashes.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PlanError {
    /// No shards at all.
    #[error("shards: a proof has at least 1 shard, not 0; leave the option out for auto")]
    NoShards,
    /// More shards than the protocol has.
    #[error("shards: a proof has at most {max} shards, not {asked}; ask for fewer")]
    TooManyShards {
        /// As many.
        asked: usize,
        /// The most.
        max: usize,
    },
    /// A cap of nothing.
    #[error("{option}: 0 leaves no room for anything; leave the option out for no cap")]
    ZeroCap {
        /// Its name.
        option: &'static str,
    },
    /// Some shards would be empty.
    #[error(
        "shards: {asked} shards need {asked} rows of one circuit, the tallest ({circuit}) has \
         {rows}; ask for at most {rows}"
    )]
    MoreShardsThanRows {
        /// As many.
        asked: usize,
        /// The circuit with most rows.
        circuit: String,
        /// Its rows.
        rows: usize,
    },
    /// A trace that cannot be cut is higher than a cap.
    #[error(
        "max_log_height: {circuit} has 2^{need} rows and cannot be cut, the cap is 2^{have}; \
         raise the cap to {need} at least"
    )]
    TableHeight {
        /// The circuit.
        circuit: String,
        /// Log of its height.
        need: usize,
        /// The cap.
        have: usize,
    },
    /// A cap that no cut can obey.
    #[error(
        "max_shard_cells: {what} needs {need} cells, the cap is {have}; raise the cap to {need} \
         at least"
    )]
    CellsBelowLeast {
        /// What needs them: one row, or tables that cannot be cut.
        what: String,
        /// Cells.
        need: u128,
        /// The cap.
        have: u64,
    },
    /// A cap that no cut can obey.
    #[error(
        "max_memory: record, keys and the byte tables of shard 0 need {need} bytes, the cap is \
         {have}; raise the cap or prove less at once"
    )]
    MemoryBelowLeast {
        /// Bytes.
        need: u128,
        /// The cap.
        have: u64,
    },
    /// A given number of shards breaks a cap.
    #[error(
        "max_shard_cells: shard {shard} of {shards} needs {need} cells, the cap is {have}; ask \
         for more shards or raise the cap"
    )]
    Cells {
        /// How many shards there are.
        shards: usize,
        /// The largest.
        shard: usize,
        /// Its cells.
        need: u128,
        /// The cap.
        have: u64,
    },
    /// A given number of shards breaks a cap.
    #[error(
        "max_log_height: {circuit} is 2^{need} rows high in {shards} shards, the cap is 2^{have}; \
         ask for more shards or raise the cap"
    )]
    Height {
        /// How many shards there are.
        shards: usize,
        /// The circuit.
        circuit: String,
        /// Log of its height.
        need: usize,
        /// The cap.
        have: usize,
    },
    /// A given number of shards takes too much memory.
    #[error(
        "max_memory: {} {need} bytes (record and keys {base}), the cap is {have}; ask for more \
         shards, prove less at once, or raise the cap",
        needs(*shards)
    )]
    Memory {
        /// How many shards there are.
        shards: usize,
        /// Bytes.
        need: u128,
        /// Bytes that no number of shards changes.
        base: u128,
        /// The cap.
        have: u64,
    },
    /// A given number of shards takes too much memory of a device.
    #[error(
        "memory of the GPU: {} {need} bytes, there are {have}; ask for more shards, raise \
         --max-device-memory, end other users of the GPU, or prove on the CPU",
        needs(*shards)
    )]
    DeviceMemory {
        /// How many shards there are.
        shards: usize,
        /// Bytes.
        need: u64,
        /// Bytes for a proof.
        have: u64,
    },
    /// No number of shards obeys the caps.
    #[error("no number of shards obeys the caps; at {shards}, {last}")]
    TooLarge {
        /// The last number that was tried.
        shards: usize,
        /// What is wrong with it.
        last: Box<PlanError>,
    },
    /// The batch breaks a rule of the protocol.
    #[error("{}{error}", with(*shards))]
    Shape {
        /// How many shards there are.
        shards: usize,
        /// The rule.
        error: ShapeError,
    },
    /// The batch would be worth less than the profile promises.
    #[error("{}{error}", with(*shards))]
    Security {
        /// How many shards there are.
        shards: usize,
        /// The figure.
        error: BelowFloor,
    },
}

/// One shard needs no mention.
fn with(shards: usize) -> String {
    if shards == 1 { String::new() } else { format!("with {shards} shards, ") }
}

fn needs(shards: usize) -> String {
    if shards == 1 { "1 shard needs".into() } else { format!("{shards} shards need") }
}

impl PlanError {
    /// Whether an option is wrong in itself, whatever the rows are.
    #[must_use]
    pub const fn is_malformed(&self) -> bool {
        matches!(self, Self::NoShards | Self::TooManyShards { .. } | Self::ZeroCap { .. })
    }

    /// Whether other numbers of shards may obey.
    pub(super) const fn is_of_number(&self) -> bool {
        match self {
            Self::Cells { .. }
            | Self::Height { .. }
            | Self::Memory { .. }
            | Self::DeviceMemory { .. } => true,
            // More shards have lower traces, where there are several already.
            Self::Security { shards, .. } => *shards > 1,
            _ => false,
        }
    }
}
