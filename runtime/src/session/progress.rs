//! The progress of a session, as a value.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use traceloom_prover::Stage;

use super::Session;
use crate::report::Span;

/// What a session does, in order. A request has some of these steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// The program runs. Progress counts operations; their total is not known before.
    Execute,
    /// Constraints, keys, and the choice of who writes rows.
    SetUp,
    /// Main traces are written.
    Rows,
    /// Constraints and lookups are evaluated on every row.
    Check,
    /// A stage of the prover. `done` and `total` count the work of all its stages together.
    Prove(Stage),
    /// A proof is verified.
    Verify,
}

impl Step {
    /// What happens, in a few words.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Execute => "executing",
            Self::SetUp => "setting up",
            Self::Rows => "building rows",
            Self::Check => "checking constraints and lookups",
            Self::Prove(stage) => stage.name(),
            Self::Verify => "verifying",
        }
    }
}

/// How far a request is. The observer is called when each step begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The step.
    pub stage: Step,
    /// Where the step is one of a shard.
    pub shard: Option<ShardProgress>,
    /// What is done of it, in its own unit.
    pub done: u64,
    /// What there is to do, if that is known.
    pub total: Option<u64>,
    /// Time since the request began.
    pub elapsed: Duration,
    /// Time until the total is done, at the speed so far; that of the prover counts every stage at
    /// its own. `None` while nothing was measured or the total is unknown.
    pub remaining: Option<Duration>,
}

/// Which shard a step is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShardProgress {
    /// The shard.
    pub shard: usize,
    /// Number of shards.
    pub num_shards: usize,
    /// Rows, with padding, of the shards that have this stage of the prover behind them.
    pub rows_done: u64,
    /// Rows, with padding, of all shards; 0 before they are stated.
    pub rows: u64,
    /// Who computes it: devices count from 0, and the CPU alone is 0.
    pub worker: usize,
}

/// The step at hand.
#[derive(Clone, Copy)]
struct Now {
    step: Step,
    shard: Option<ShardProgress>,
    began: Instant,
}

/// Follows one request. Threads may share it.
pub(super) struct Tracker<'a> {
    session: &'a Session,
    start: Instant,
    now: Mutex<Now>,
    spans: Mutex<Vec<Span>>,
}

impl<'a> Tracker<'a> {
    /// No step has begun yet; `first` will.
    pub fn new(session: &'a Session, first: Step) -> Self {
        let start = Instant::now();
        let now = Now { step: first, shard: None, began: start };
        Self { session, start, now: Mutex::new(now), spans: Mutex::default() }
    }

    /// When the request began.
    pub const fn start(&self) -> Instant {
        self.start
    }

    /// Notes a step that began at `begin` and ends now; returns its time.
    pub fn span(
        &self,
        step: &'static str,
        worker: Option<&str>,
        shard: Option<usize>,
        begin: Instant,
    ) -> Duration {
        let end = Instant::now();
        let since = |at: Instant| at.saturating_duration_since(self.start);
        let worker = worker.map(str::to_owned);
        let span = Span { step, worker, shard, begin: since(begin), end: since(end) };
        self.spans.lock().unwrap_or_else(PoisonError::into_inner).push(span);
        end - begin
    }

    /// All steps, those of the prover included, by time of begin.
    pub fn spans(&self, prover: &[traceloom_prover::Span]) -> Vec<Span> {
        let since = |at: Instant| at.saturating_duration_since(self.start);
        let mut spans = self.spans.lock().unwrap_or_else(PoisonError::into_inner).clone();
        spans.extend(prover.iter().map(|span| Span {
            step: span.stage.name(),
            worker: Some(span.worker.clone()),
            shard: span.shard,
            begin: since(span.begin),
            end: since(span.end),
        }));
        spans.sort_by_key(|span| (span.begin, span.end));
        spans
    }

    /// A step begins.
    pub fn begin(&self, step: Step) {
        let mut now = self.lock();
        (now.step, now.shard, now.began) = (step, None, Instant::now());
        drop(now);
        self.report(0, None);
    }

    /// The rows of a shard are written.
    pub fn rows(&self, shard: usize, num_shards: usize) {
        let mut now = self.lock();
        let shard = ShardProgress { shard, num_shards, rows_done: 0, rows: 0, worker: 0 };
        (now.step, now.shard, now.began) = (Step::Rows, Some(shard), Instant::now());
        drop(now);
        self.report(0, None);
    }

    fn lock(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A stage of the prover begins.
    pub fn prove(&self, progress: traceloom_prover::Progress) {
        let traceloom_prover::Progress { stage, done, total, remaining, .. } = progress;
        let traceloom_prover::Progress { shard, num_shards, rows_done, rows, worker, .. } =
            progress;
        let of_shard = ShardProgress { shard, num_shards, rows_done, rows, worker };
        let of_shard = Some(of_shard).filter(|_| stage != Stage::Lookup);
        let mut now = self.lock();
        (now.step, now.shard) = (Step::Prove(stage), of_shard);
        drop(now);
        self.say(done, Some(total), remaining);
    }

    /// Time since the request began.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Some of the step is done.
    pub fn report(&self, done: u64, total: Option<u64>) {
        let began = self.lock().began;
        self.say(done, total, total.and_then(|total| remaining(began.elapsed(), done, total)));
    }

    fn say(&self, done: u64, total: Option<u64>, remaining: Option<Duration>) {
        let Some(observer) = &self.session.settings.observer else { return };
        let Now { step: stage, shard, .. } = *self.lock();
        let elapsed = self.start.elapsed();
        observer(&Progress { stage, shard, done, total, elapsed, remaining });
    }

    /// Reports something that the user should know at once.
    pub fn notice(&self, notice: &str) {
        if let Some(notices) = &self.session.settings.notices {
            notices(notice);
        }
    }
}

/// Time for what is left, at the speed of what is done.
fn remaining(elapsed: Duration, done: u64, total: u64) -> Option<Duration> {
    if done == 0 {
        return None;
    }
    let left = total.saturating_sub(done) as f64 / done as f64;
    Duration::try_from_secs_f64(elapsed.as_secs_f64() * left).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_that_remains_follows_from_what_is_done() {
        let second = Duration::from_secs(1);
        assert_eq!(remaining(second, 0, 10), None);
        assert_eq!(remaining(second, 5, 10), Some(second));
        assert_eq!(remaining(second, 1, 4), Some(3 * second));
        assert_eq!(remaining(second, 10, 10), Some(Duration::ZERO));
        // More is done than the total that was stated.
        assert_eq!(remaining(second, 12, 10), Some(Duration::ZERO));
    }
}
