//! Time that kernels of a proof take on the device, by what they do.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use traceloom_prover::Metrics;

use crate::device::{Event, Stream};
use crate::error::DeviceError;
use crate::prover_kernels::Launch;

/// What kernels do that [`Metrics`] tell apart.
#[derive(Clone, Copy, Debug)]
enum Class {
    Transforms,
    Hashing,
    Evaluation,
}

/// The kernels of one proof that were timed: events in front of them and behind them.
#[derive(Debug, Default)]
pub struct Clock(Mutex<Vec<(Class, Event, Event)>>);

impl Class {
    fn of(kernel: &str) -> Option<Self> {
        let begins = |names: &[&str]| names.iter().any(|name| kernel.starts_with(name));
        if begins(&["tl_extend", "tl_inverse_columns", "tl_forward_columns"]) {
            return Some(Self::Transforms);
        }
        if begins(&["tl_tree", "tl_layer"]) {
            return Some(Self::Hashing);
        }
        begins(&["tl_messages", "tl_constraints"]).then_some(Self::Evaluation)
    }
}

impl Clock {
    /// Queues work that begins with `launch`, between two events if it is told apart.
    pub(super) fn time<E: From<DeviceError>>(
        &self,
        stream: &Stream,
        launch: Option<&Launch>,
        queue: impl FnOnce() -> Result<(), E>,
    ) -> Result<(), E> {
        let Some(class) = launch.and_then(|launch| Class::of(&launch.kernel)) else {
            return queue();
        };
        let begin = stream.record()?;
        queue()?;
        let end = stream.record()?;
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((class, begin, end));
        Ok(())
    }

    /// Adds the times of work that is complete. What a driver cannot measure is left out.
    pub(super) fn read(&self, metrics: &mut Metrics) {
        for (class, begin, end) in &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            let sum = match class {
                Class::Transforms => &mut metrics.transforms,
                Class::Hashing => &mut metrics.hashing,
                Class::Evaluation => &mut metrics.evaluation,
            };
            *sum += end.elapsed_since(begin).unwrap_or(Duration::ZERO);
        }
    }
}
