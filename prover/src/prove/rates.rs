//! How long stages take: as measured in this run, and guessed until then.

use std::time::Duration;

use crate::metrics::Stage;

/// What stages of a shard cost, in cells: see [`super::stage_cost`].
pub(super) type Costs = [u64; Stage::ALL.len()];

/// Time of a cell in every stage, in parts of that of main, for stages that this run has not
/// measured. Measured for BLAKE3 on the CPU (docs/measurements.md, "Shards of release builds"); rows
/// belong to main.
const GUESS: [f64; Stage::ALL.len()] = [1.0, 0.0, 0.45, 0.6, 0.3];

/// Cells that were worked on, and the time that it took, by stage.
#[derive(Clone, Debug, Default)]
pub(super) struct Rates {
    cells: Costs,
    times: [Duration; Stage::ALL.len()],
}

impl Rates {
    /// A stage is done.
    pub(super) fn add(&mut self, stage: Stage, cells: u64, time: Duration) {
        self.cells[stage as usize] += cells;
        self.times[stage as usize] += time;
    }

    /// Those of several workers, as of one that did all of it.
    pub(super) fn of_all(workers: &[Self]) -> Self {
        let mut all = Self::default();
        for (worker, stage) in workers.iter().flat_map(|of| Stage::ALL.map(|stage| (of, stage))) {
            all.add(stage, worker.cells[stage as usize], worker.times[stage as usize]);
        }
        all
    }

    /// Time for these costs, one after the other; `None` while nothing was measured.
    pub(super) fn time(&self, costs: &Costs) -> Option<Duration> {
        let seconds = self.times.iter().sum::<Duration>().as_secs_f64();
        let guessed = self.cells.iter().zip(GUESS).map(|(&cells, guess)| cells as f64 * guess);
        let unit = seconds / guessed.sum::<f64>();
        if !unit.is_finite() {
            return None;
        }
        let measured = self.cells.iter().zip(&self.times).zip(GUESS);
        let of = |(((&cells, time), guess), &cost): (((&u64, &Duration), f64), &u64)| {
            let each = if cells > 0 { time.as_secs_f64() / cells as f64 } else { unit * guess };
            each * cost as f64
        };
        Duration::try_from_secs_f64(measured.zip(costs).map(of).sum()).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn what_was_measured_counts_and_the_rest_is_guessed() {
        let mut rates = Rates::default();
        assert_eq!(rates.time(&[1; 5]), None);
        rates.add(Stage::Main, 100, 2 * SECOND);
        // 20 ms a cell of main, and parts of that elsewhere.
        assert_eq!(rates.time(&[100, 0, 0, 0, 0]), Some(2 * SECOND));
        assert_eq!(rates.time(&[0, 0, 100, 100, 100]), Some(SECOND * 27 / 10));
        // A stage that takes longer than guessed raises the guesses of the others, too.
        rates.add(Stage::StageTwo, 100, 9 * SECOND);
        assert_eq!(rates.time(&[0, 0, 10, 0, 0]), Some(SECOND * 9 / 10));
        let guessed = rates.time(&[0, 0, 0, 100, 0]).unwrap().as_secs_f64();
        assert!((guessed - 0.6 * 11.0 / 1.45).abs() < 1e-6, "{guessed}");
    }

    #[test]
    fn rates_of_several_workers_add_up() {
        let (mut slow, mut fast) = (Rates::default(), Rates::default());
        slow.add(Stage::Main, 10, 3 * SECOND);
        fast.add(Stage::Main, 30, SECOND);
        let all = Rates::of_all(&[slow, fast]);
        assert_eq!(all.time(&[40, 0, 0, 0, 0]), Some(4 * SECOND));
    }
}
