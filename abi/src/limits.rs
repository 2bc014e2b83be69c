//! What an execution may use, and the meter that watches it.

use std::fmt;

/// What one execution may use. Programs are untrusted, so every resource that
/// they can consume has a bound; each can be raised by whoever runs them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Most operations and block ends, those of replays included. Default 2^36,
    /// some ten minutes.
    pub steps: u64,
    /// Most queries over all functions, those without constraints included.
    /// Default 2^28, at most 2^32 - 1 (ranks and positions are 32 bits wide).
    pub queries: u64,
    /// Most pointers over all memory widths. Default 2^28, at most 2^32 - 1.
    pub pointers: u64,
    /// Most bytes of record and frames, an estimate: growing arrays may take up to
    /// three times as much for a moment. The byte tables and the io that was given
    /// are not counted. Default 2^35.
    pub bytes: u64,
    /// Most frames at once. Default 2^24.
    pub depth: u64,
}

/// The most that [`Limits::queries`] and [`Limits::pointers`] can be.
pub const MAX_ROWS: u64 = u32::MAX as u64;

impl Default for Limits {
    fn default() -> Self {
        Self { steps: 1 << 36, queries: 1 << 28, pointers: 1 << 28, bytes: 1 << 35, depth: 1 << 24 }
    }
}

/// One of the [`Limits`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// [`Limits::steps`].
    Steps,
    /// [`Limits::queries`].
    Queries,
    /// [`Limits::pointers`].
    Pointers,
    /// [`Limits::bytes`].
    Bytes,
    /// [`Limits::depth`].
    Depth,
}

impl Limit {
    /// Name of its field of [`Limits`].
    #[must_use]
    pub const fn field(self) -> &'static str {
        match self {
            Self::Steps => "steps",
            Self::Queries => "queries",
            Self::Pointers => "pointers",
            Self::Bytes => "bytes",
            Self::Depth => "depth",
        }
    }
}

/// A limit that was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitError {
    /// Which one.
    pub limit: Limit,
    /// What it allows.
    pub most: u64,
    /// What the execution would have used.
    pub needed: u64,
}

impl fmt::Display for LimitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let field = self.limit.field();
        let what = match self.limit {
            Limit::Steps => "steps",
            Limit::Queries => "queries",
            Limit::Pointers => "memory pointers",
            Limit::Bytes => "bytes of record and frames",
            Limit::Depth => "nested calls",
        };
        let Self { limit, most, needed } = self;
        write!(f, "{needed} {what} needed, the limit is {most}; ")?;
        match limit {
            Limit::Queries | Limit::Pointers if *most >= MAX_ROWS => {
                write!(f, "no execution can have more: claim the work in parts")
            }
            _ => write!(f, "raise `Limits::{field}` if the program is meant to use more"),
        }
    }
}

impl std::error::Error for LimitError {}

/// What an execution has used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Operations and block ends.
    pub steps: u64,
    /// Queries of all functions.
    pub queries: u64,
    /// Pointers of all memory widths.
    pub pointers: u64,
    /// Bytes of the record, without the fixed byte tables; an estimate.
    pub record_bytes: u64,
    /// Most frames at once.
    pub max_depth: u64,
    /// Queries that were replayed because constraints came later.
    pub replays: u64,
}

/// Counts what is used against the limits. The interpreter and emitted executors have the
/// same one, so that both use the same of everything.
#[derive(Debug)]
pub struct Meter {
    limits: Limits,
    stats: Stats,
    /// Number of steps between two progress reports, 0 for none.
    every: u64,
    next_report: u64,
    /// At this number of steps something is due: a report or an error.
    next_stop: u64,
}

impl Meter {
    /// Nothing is used yet; progress is due every so many steps, 0 for never.
    #[must_use]
    pub fn new(limits: &Limits, every: u64) -> Self {
        let mut limits = limits.clone();
        limits.queries = limits.queries.min(MAX_ROWS);
        limits.pointers = limits.pointers.min(MAX_ROWS);
        let next_report = if every == 0 { u64::MAX } else { every };
        let next_stop = next_report.min(limits.steps.saturating_add(1));
        Self { limits, stats: Stats::default(), every, next_report, next_stop }
    }

    /// What is used so far.
    #[must_use]
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// Counts steps; whether progress is to be reported.
    ///
    /// # Errors
    /// [`LimitError`].
    #[inline]
    pub fn steps(&mut self, count: u64) -> Result<bool, LimitError> {
        self.stats.steps = self.stats.steps.saturating_add(count);
        if self.stats.steps < self.next_stop { Ok(false) } else { self.stop() }
    }

    #[cold]
    fn stop(&mut self) -> Result<bool, LimitError> {
        let steps = self.stats.steps;
        check(Limit::Steps, self.limits.steps, steps)?;
        let due = steps >= self.next_report;
        if due {
            // At least one step after now, whatever the stride.
            self.next_report = (steps - steps % self.every).saturating_add(self.every);
            self.next_stop = self.next_report.min(self.limits.steps.saturating_add(1));
        }
        Ok(due)
    }

    /// Counts a query that takes `bytes`, beside `stacks` bytes of frames.
    ///
    /// # Errors
    /// [`LimitError`].
    pub fn query(&mut self, bytes: u64, stacks: u64) -> Result<(), LimitError> {
        self.stats.queries += 1;
        check(Limit::Queries, self.limits.queries, self.stats.queries)?;
        self.bytes(bytes, stacks)
    }

    /// Counts a pointer that takes `bytes`, beside `stacks` bytes of frames.
    ///
    /// # Errors
    /// [`LimitError`].
    pub fn pointer(&mut self, bytes: u64, stacks: u64) -> Result<(), LimitError> {
        self.stats.pointers += 1;
        check(Limit::Pointers, self.limits.pointers, self.stats.pointers)?;
        self.bytes(bytes, stacks)
    }

    /// Counts `bytes` of record, beside `stacks` bytes of frames.
    ///
    /// # Errors
    /// [`LimitError`].
    pub fn bytes(&mut self, bytes: u64, stacks: u64) -> Result<(), LimitError> {
        self.stats.record_bytes = self.stats.record_bytes.saturating_add(bytes);
        check(Limit::Bytes, self.limits.bytes, self.stats.record_bytes.saturating_add(stacks))
    }

    /// Allows `depth` frames at once.
    ///
    /// # Errors
    /// [`LimitError`].
    pub fn depth(&mut self, depth: u64) -> Result<(), LimitError> {
        self.stats.max_depth = self.stats.max_depth.max(depth);
        check(Limit::Depth, self.limits.depth, depth)
    }

    /// Counts a replay.
    pub fn replay(&mut self) {
        self.stats.replays += 1;
    }
}

/// Bytes that a query takes beside its words, map entry included.
pub const QUERY_BYTES: u64 = 48;
/// Bytes that a pointer takes beside its values, map entry included.
pub const POINTER_BYTES: u64 = 16;
/// Bytes that an io key takes beside its words.
pub const KEY_BYTES: u64 = 64;

fn check(limit: Limit, most: u64, needed: u64) -> Result<(), LimitError> {
    if needed <= most { Ok(()) } else { Err(LimitError { limit, most, needed }) }
}
