//! The progress of a session, as a value.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use traceloom_prover::Stage;

use super::Session;

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
    /// What is done of it, in its own unit.
    pub done: u64,
    /// What there is to do, if that is known.
    pub total: Option<u64>,
    /// Time since the request began.
    pub elapsed: Duration,
    /// Time until the total is done, at the speed so far; `None` while nothing was measured or
    /// the total is unknown.
    pub remaining: Option<Duration>,
}

/// Follows one request. Threads may share it.
pub(super) struct Tracker<'a> {
    session: &'a Session,
    start: Instant,
    /// The step, and when it began.
    step: Mutex<(Step, Instant)>,
}

impl<'a> Tracker<'a> {
    /// No step has begun yet; `first` will.
    pub fn new(session: &'a Session, first: Step) -> Self {
        let start = Instant::now();
        Self { session, start, step: Mutex::new((first, start)) }
    }

    /// A step begins.
    pub fn begin(&self, step: Step) {
        *self.step.lock().unwrap_or_else(PoisonError::into_inner) = (step, Instant::now());
        self.report(0, None);
    }

    /// A stage of the prover begins.
    pub fn prove(&self, progress: traceloom_prover::Progress) {
        let traceloom_prover::Progress { stage, done, total, .. } = progress;
        {
            let mut step = self.step.lock().unwrap_or_else(PoisonError::into_inner);
            let began = match step.0 {
                Step::Prove(_) => step.1,
                _ => Instant::now(),
            };
            *step = (Step::Prove(stage), began);
        }
        self.report(done, Some(total));
    }

    /// Some of the step is done.
    pub fn report(&self, done: u64, total: Option<u64>) {
        let Some(observer) = &self.session.settings.observer else { return };
        let (stage, began) = *self.step.lock().unwrap_or_else(PoisonError::into_inner);
        let remaining = total.and_then(|total| remaining(began.elapsed(), done, total));
        observer(&Progress { stage, done, total, elapsed: self.start.elapsed(), remaining });
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
