//! What the work of a proof takes on the device: time between events, launches and the bytes
//! that it moves at least, by stage and step.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use traceloom_prover::{Metrics, Stage};
use traceloom_runtime::report::{DeviceStep, Sample};

use crate::device::{Event, Stream};
use crate::error::DeviceError;

/// What launches do together; each step has a closed form of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Step {
    Rows,
    Transposition,
    Tables,
    Extension,
    Tree,
    Messages,
    Constraints,
    Slices,
    Inverses,
    Values,
    Reduction,
    LayerTree,
    Fold,
    Gathering,
    Grinding,
}

impl Step {
    const fn name(self) -> &'static str {
        match self {
            Self::Rows => "rows",
            Self::Transposition => "transposition",
            Self::Tables => "tables of transforms",
            Self::Extension => "extension",
            Self::Tree => "tree",
            Self::Messages => "messages",
            Self::Constraints => "constraints",
            Self::Slices => "slices",
            Self::Inverses => "inverses of points",
            Self::Values => "values at points",
            Self::Reduction => "reduction",
            Self::LayerTree => "tree of a layer",
            Self::Fold => "fold",
            Self::Gathering => "gathering",
            Self::Grinding => "grinding",
        }
    }
}

/// Work that is queued: where it belongs, and the bytes that it moves at least.
#[derive(Clone, Copy, Debug)]
pub(super) struct Queued {
    pub(super) stage: &'static str,
    /// The circuit of the system that it is for, if it is for one alone.
    pub(super) circuit: Option<usize>,
    pub(super) step: Step,
    pub(super) launches: u64,
    pub(super) bytes: u64,
}

/// The work of one proof: events in front of it and behind it, and the bytes in buffers when it
/// was queued.
#[derive(Debug, Default)]
pub struct Clock {
    queued: Mutex<Vec<(Queued, Event, Event)>>,
    memory: Mutex<Vec<(Instant, u64)>>,
}

impl Clock {
    /// Notes the bytes in buffers.
    pub(super) fn sample(&self, bytes: u64) {
        let sample = (Instant::now(), bytes);
        self.memory.lock().unwrap_or_else(PoisonError::into_inner).push(sample);
    }

    /// The bytes in buffers over time since `began`.
    pub(super) fn memory(&self, began: Instant) -> Vec<Sample> {
        let memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        let sample = |&(at, bytes): &(Instant, u64)| Sample {
            at: at.saturating_duration_since(began),
            bytes,
        };
        let mut samples = memory.iter().map(sample).collect();
        while Sample::thin(&mut samples, Sample::MOST) {}
        samples
    }

    /// Notes work that was queued behind `begin` and is all that was queued since.
    pub(super) fn end(
        &self,
        stream: &Stream,
        begin: Event,
        queued: Queued,
    ) -> Result<(), DeviceError> {
        let end = stream.record()?;
        self.queued.lock().unwrap_or_else(PoisonError::into_inner).push((queued, begin, end));
        Ok(())
    }

    /// Adds the times of work that is complete. What a driver cannot measure is left out.
    pub(super) fn read(&self, metrics: &mut Metrics) {
        for (queued, begin, end) in &*self.queued.lock().unwrap_or_else(PoisonError::into_inner) {
            let elapsed = end.elapsed_since(begin).unwrap_or(Duration::ZERO);
            let stage = Stage::ALL.into_iter().find(|stage| stage.name() == queued.stage);
            if let Some(of) = stage.zip(queued.circuit) {
                *metrics.circuits.entry(of).or_default() += elapsed;
            }
            let sum = match queued.step {
                Step::Extension => &mut metrics.transforms,
                Step::Tree | Step::LayerTree => &mut metrics.hashing,
                Step::Messages | Step::Constraints | Step::Slices => &mut metrics.evaluation,
                _ => continue,
            };
            *sum += elapsed;
        }
    }

    /// Sums by stage and step, in the order in which they began.
    pub(super) fn steps(&self) -> Vec<DeviceStep> {
        let mut steps: Vec<DeviceStep> = Vec::new();
        let mut position: BTreeMap<(&str, Step), usize> = BTreeMap::new();
        for (queued, begin, end) in &*self.queued.lock().unwrap_or_else(PoisonError::into_inner) {
            let at = *position.entry((queued.stage, queued.step)).or_insert_with(|| {
                steps.push(DeviceStep::new(queued.stage, queued.step.name()));
                steps.len() - 1
            });
            let step = &mut steps[at];
            step.launches += queued.launches;
            step.bytes += queued.bytes;
            step.time += end.elapsed_since(begin).unwrap_or(Duration::ZERO);
        }
        steps
    }
}
