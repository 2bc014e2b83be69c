//! What a proof took on a device: memory, launches, time and bytes by stage and step.

use std::time::Duration;

use serde_json::{Value, json};

use super::Sample;

/// A proof on a device.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeviceReport {
    /// The device.
    pub name: String,
    /// Where the kernels of the prover came from.
    pub kernels: String,
    /// Bytes per second that its memory moves at most, by its clock and width; 0 if unknown.
    pub bandwidth: u64,
    /// Bytes that were planned and admitted before the first launch.
    pub planned_bytes: u64,
    /// Bytes that there were for the proof.
    pub available_bytes: u64,
    /// Most bytes in buffers while the proof ran, those of other proofs included.
    pub peak_bytes: u64,
    /// Most bytes that were taken from the driver: the same with rounding, and with memory that
    /// was kept for the next buffer.
    pub taken_bytes: u64,
    /// Bytes in buffers over time, those of other proofs included, when the host queued work: in
    /// time since the request began.
    pub memory: Vec<Sample>,
    /// By stage and step, in the order in which they began.
    pub steps: Vec<DeviceStep>,
}

/// One step of a stage, over all shards and circuits.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceStep {
    /// Its stage.
    pub stage: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Number of launches; 0 for rows, whose launches the ledger has by circuit.
    pub launches: u64,
    /// Bytes that it moves at least: what it reads and writes, once.
    pub bytes: u64,
    /// Time between the events in front of its work and behind it.
    pub time: Duration,
}

impl DeviceStep {
    /// Nothing yet.
    #[must_use]
    pub const fn new(stage: &'static str, name: &'static str) -> Self {
        Self { stage, name, launches: 0, bytes: 0, time: Duration::ZERO }
    }

    /// The time that its bytes take at this many bytes per second, as a part of its time: 1 is
    /// the floor. `None` where one of both is not known.
    #[must_use]
    pub fn of_floor(&self, bandwidth: u64) -> Option<f64> {
        let seconds = self.time.as_secs_f64();
        let is_known = bandwidth > 0 && seconds > 0.0;
        is_known.then(|| self.bytes as f64 / bandwidth as f64 / seconds)
    }
}

impl DeviceReport {
    /// Time of work on the device by stage, in the order in which they began.
    #[must_use]
    pub fn stages(&self) -> Vec<(&'static str, Duration)> {
        let mut stages: Vec<(&'static str, Duration)> = Vec::new();
        for step in &self.steps {
            match stages.iter_mut().find(|(stage, _)| *stage == step.stage) {
                Some((_, time)) => *time += step.time,
                None => stages.push((step.stage, step.time)),
            }
        }
        stages
    }

    /// Number of launches of the prover.
    #[must_use]
    pub fn launches(&self) -> u64 {
        self.steps.iter().map(|step| step.launches).sum()
    }

    /// As JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        let stages = self.stages();
        let stage = |(name, time): &(&str, Duration)| json!({ "name": name, "seconds": time.as_secs_f64() });
        let step = |step: &DeviceStep| {
            json!({
                "stage": step.stage,
                "name": step.name,
                "launches": step.launches,
                "seconds": step.time.as_secs_f64(),
                "floor_bytes": step.bytes,
                "of_floor": step.of_floor(self.bandwidth),
            })
        };
        json!({
            "name": self.name,
            "kernels": self.kernels,
            "bytes_per_second": self.bandwidth,
            "planned_bytes": self.planned_bytes,
            "available_bytes": self.available_bytes,
            "peak_bytes": self.peak_bytes,
            "taken_bytes": self.taken_bytes,
            "memory": self.memory.iter().map(Sample::json).collect::<Vec<_>>(),
            "launches": self.launches(),
            "stages": stages.iter().map(stage).collect::<Vec<_>>(),
            "steps": self.steps.iter().map(step).collect::<Vec<_>>(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(stage: &'static str, name: &'static str, millis: u64, bytes: u64) -> DeviceStep {
        let time = Duration::from_millis(millis);
        DeviceStep { launches: 2, bytes, time, ..DeviceStep::new(stage, name) }
    }

    #[test]
    fn stages_are_sums_of_steps_and_floors_are_parts_of_times() {
        let steps = vec![
            step("main", "extension", 10, 4_000),
            step("opening", "fold", 5, 0),
            step("main", "tree", 20, 1),
        ];
        let report = DeviceReport { bandwidth: 800_000, steps, ..DeviceReport::default() };
        let [main, opening] = report.stages()[..] else { panic!("{:?}", report.stages()) };
        assert_eq!(main, ("main", Duration::from_millis(30)));
        assert_eq!(opening, ("opening", Duration::from_millis(5)));
        let json = report.json();
        assert_eq!(json["launches"], 6);
        // 4,000 bytes at 800,000 a second take 5 of the 10 ms.
        assert_eq!(json["steps"][0]["of_floor"], 0.5);
        assert_eq!(DeviceStep::new("main", "tree").of_floor(1), None);
        assert_eq!(report.steps[0].of_floor(0), None);
    }
}
