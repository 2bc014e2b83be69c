//! Where proving time goes.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A stage of proving, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stage {
    /// LDE and commitment of main traces.
    Main,
    /// Grinding before the lookup challenges.
    Lookup,
    /// Partial sums of the lookup argument, their LDE and commitment.
    StageTwo,
    /// Constraint evaluation, slices and their commitment; grinding before zeta.
    Quotient,
    /// Opened values, folding, queries.
    Opening,
}

impl Stage {
    /// All stages.
    pub const ALL: [Self; 5] =
        [Self::Main, Self::Lookup, Self::StageTwo, Self::Quotient, Self::Opening];

    /// Short name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Lookup => "lookup challenges",
            Self::StageTwo => "stage 2",
            Self::Quotient => "quotient",
            Self::Opening => "opening",
        }
    }
}

/// A stage of one shard, computed by one worker. A shard that is made again has more than one
/// span of a stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// Name of the worker.
    pub worker: String,
    /// The stage.
    pub stage: Stage,
    /// The shard; `None` in [`Stage::Lookup`], which all shards share.
    pub shard: Option<usize>,
    /// When it began.
    pub begin: Instant,
    /// When it ended.
    pub end: Instant,
}

/// Time per stage, summed over shards, and the share of the two kernels that
/// dominate it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metrics {
    stages: [Duration; 5],
    /// The stages of all shards, in the order in which a worker computed them.
    pub spans: Vec<Span>,
    /// By stage and circuit of the system: time of work that is for one circuit alone, within the
    /// stages above. Trees and openings are of all circuits, so they are not here.
    pub circuits: BTreeMap<(Stage, usize), Duration>,
    /// Number-theoretic transforms, within the stages above.
    pub transforms: Duration,
    /// Merkle trees of committed matrices, within the stages above.
    pub hashing: Duration,
    /// Row evaluation of stage 2 and quotient, within the stages above.
    pub evaluation: Duration,
}

impl Metrics {
    /// Time of one stage.
    #[must_use]
    pub fn stage(&self, stage: Stage) -> Duration {
        self.stages[stage as usize]
    }

    /// Time of all stages.
    #[must_use]
    pub fn total(&self) -> Duration {
        self.stages.iter().sum()
    }

    /// Adds the times of another worker.
    pub(crate) fn add(&mut self, other: &Self) {
        self.stages.iter_mut().zip(other.stages).for_each(|(all, of)| *all += of);
        self.spans.extend(other.spans.iter().cloned());
        for (key, time) in &other.circuits {
            *self.circuits.entry(*key).or_default() += *time;
        }
        self.transforms += other.transforms;
        self.hashing += other.hashing;
        self.evaluation += other.evaluation;
    }

    pub(crate) fn time<T>(
        &mut self,
        worker: &str,
        (stage, shard): (Stage, Option<usize>),
        run: impl FnOnce() -> T,
    ) -> T {
        let begin = Instant::now();
        let value = run();
        let end = Instant::now();
        self.stages[stage as usize] += end - begin;
        self.spans.push(Span { worker: worker.to_owned(), stage, shard, begin, end });
        value
    }
}

impl fmt::Display for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for stage in Stage::ALL {
            writeln!(f, "{:<18}{:>10.3} s", stage.name(), self.stage(stage).as_secs_f64())?;
        }
        let parts = [
            ("transforms", self.transforms),
            ("hashing", self.hashing),
            ("evaluation", self.evaluation),
        ];
        for (name, time) in parts {
            writeln!(f, "  of which {name:<11}{:>6.3} s", time.as_secs_f64())?;
        }
        write!(f, "{:<18}{:>10.3} s", "total", self.total().as_secs_f64())
    }
}

/// Kernel times of a backend.
#[derive(Debug, Default)]
pub(crate) struct KernelClock(Mutex<Times>);

#[derive(Debug, Default)]
struct Times {
    kernels: [Duration; 3],
    circuits: BTreeMap<(Stage, usize), Duration>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Kernel {
    Transforms,
    Hashing,
    Evaluation,
}

impl KernelClock {
    pub(crate) fn time<T>(&self, kernel: Kernel, run: impl FnOnce() -> T) -> T {
        self.add(run, |times| &mut times.kernels[kernel as usize])
    }

    /// Times work that is for one circuit of the system alone.
    pub(crate) fn circuit<T>(&self, stage: Stage, circuit: usize, run: impl FnOnce() -> T) -> T {
        self.add(run, |times| times.circuits.entry((stage, circuit)).or_default())
    }

    fn add<T>(&self, run: impl FnOnce() -> T, sum: impl FnOnce(&mut Times) -> &mut Duration) -> T {
        let start = Instant::now();
        let value = run();
        let elapsed = start.elapsed();
        // A poisoned clock only means that a kernel panicked elsewhere.
        let mut times = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *sum(&mut times) += elapsed;
        value
    }

    pub(crate) fn read(&self, metrics: &mut Metrics) {
        let times = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        [metrics.transforms, metrics.hashing, metrics.evaluation] = times.kernels;
        metrics.circuits.clone_from(&times.circuits);
    }
}
