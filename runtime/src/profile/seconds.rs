//! The times of a report. What a circuit alone took is shared out to its entries by their cells;
//! the rest of every stage belongs to the whole proof.

use traceloom_prover::Stage;

use super::{Cost, Entry};
use crate::report::{CircuitReport, ProofReport};

const WHOLE: &str = "whole proof";
const ROWS: &str = "rows";

/// Shares out the time of the circuit at `position`.
pub fn of_circuit(entries: &mut [Entry], report: &ProofReport, position: usize) {
    let Some(circuit) = report.trace.circuits.get(position) else { return };
    let all: f64 =
        report.stages.iter().map(|(stage, _)| of(circuit, stage) * scale(report, stage)).sum();
    let cells: u64 = entries.iter().map(|entry| entry.cost.cells).sum();
    for entry in entries {
        entry.cost.seconds = all * entry.cost.cells as f64 / cells.max(1) as f64;
    }
}

/// What is left of every stage, and what is in no stage.
pub fn of_all(report: &ProofReport) -> Vec<Entry> {
    let entry = |operation: &str, seconds: f64| Entry {
        stack: vec![WHOLE.into()],
        operation: operation.into(),
        cost: Cost { seconds, ..Cost::default() },
    };
    let mut all = vec![
        entry("setup", report.setup.as_secs_f64()),
        entry("verification", report.verification.as_secs_f64()),
    ];
    all.extend(report.stages.iter().map(|(stage, time)| {
        let circuits = of_circuits(report, stage) * scale(report, stage);
        entry(stage, (time.as_secs_f64() - circuits).max(0.0))
    }));
    all
}

/// What a stage took for one circuit alone.
fn of(circuit: &CircuitReport, stage: &str) -> f64 {
    if stage == ROWS {
        return (circuit.packing + circuit.writing).as_secs_f64();
    }
    let times = circuit.stages.iter().filter(|(of, _): &&(Stage, _)| of.name() == stage);
    times.map(|(_, time)| time.as_secs_f64()).sum()
}

fn of_circuits(report: &ProofReport, stage: &str) -> f64 {
    report.trace.circuits.iter().map(|circuit| of(circuit, stage)).sum()
}

/// Circuits that overlap take more together than their stage: then all of them are scaled to it.
fn scale(report: &ProofReport, stage: &str) -> f64 {
    let all = report.stages.iter().find(|(of, _)| *of == stage);
    let (all, circuits) = (all.map_or(0.0, |of| of.1.as_secs_f64()), of_circuits(report, stage));
    if circuits > all { all / circuits } else { 1.0 }
}
