//! Main traces of a shard, by the providers that were chosen. Nothing is decided here.

use std::time::{Duration, Instant};

use traceloom_abi::record::Record;
use traceloom_air::claim::RankedClaim;
use traceloom_air::field::element;
use traceloom_air::system::{Circuit, CircuitKind, System};
use traceloom_air::trace::{ShardWitness, Trace};
use traceloom_bytecode::CheckedProgram;

use super::choice::{Choices, Rows};
use super::{Provider, Reason};
use crate::bind::{Member, hex};
use crate::device::{MainTrace, ShardTraces};
use crate::heights::{Heights, circuit_rows};
use crate::order::runs;
use crate::reference::{self, RowError};
use crate::report::{CircuitReport, RunReport, TraceReport};
use crate::seeds::{CircuitSeeds, SeedError};
use crate::source::{RecordSource, SeedSource};
use crate::witness::{FIRST_POINTER, bytes_trace, memory_trace};

/// Writing rows failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WitnessError {
    /// The reference builder.
    #[error(transparent)]
    Reference(#[from] RowError),
    /// Generated code.
    #[error("circuit {circuit:?}: {error}")]
    Scalar {
        /// Name of the circuit.
        circuit: String,
        /// What failed.
        error: SeedError,
    },
    /// The device.
    #[error("circuit {circuit:?}: {error}")]
    Device {
        /// Name of the circuit.
        circuit: String,
        /// What failed.
        error: String,
    },
}

/// Builds every trace with its chosen provider, in the system's order of circuits, on
/// the host: device-born ones are downloaded. `choices` must be those of `program` and
/// `system`.
///
/// # Errors
/// [`WitnessError`] if record and program disagree, or a device fails.
pub fn witness(
    program: &CheckedProgram,
    system: &System,
    record: &Record,
    claims: Vec<RankedClaim>,
    choices: &Choices<'_>,
) -> Result<(ShardWitness, TraceReport), WitnessError> {
    let (traces, mut report) = traces(program, system, record, claims, choices)?;
    let names: Vec<String> = system.circuits.iter().map(|circuit| circuit.name.clone()).collect();
    let mut downloading = Duration::ZERO;
    let witness = timed(&mut downloading, || traces.download(&names, &choices.ledger))?;
    report.downloading = downloading;
    report.ledger = choices.ledger.entries();
    Ok((witness, report))
}

/// Builds every trace with its chosen provider and leaves it where it was born.
///
/// # Errors
/// As [`witness`].
pub fn traces(
    program: &CheckedProgram,
    system: &System,
    record: &Record,
    claims: Vec<RankedClaim>,
    choices: &Choices<'_>,
) -> Result<(ShardTraces, TraceReport), WitnessError> {
    let heights = Heights::new(program, system, record, choices.key, claims.len());
    let mut traces = Vec::with_capacity(system.circuits.len());
    let mut publics = Vec::with_capacity(system.circuits.len());
    let mut reports = Vec::with_capacity(system.circuits.len());
    for (position, circuit) in system.circuits.iter().enumerate() {
        let mut report = CircuitReport::new(circuit, choices.provider(position));
        report.reason = choices.reason(position).map(Reason::to_string);
        let name = &circuit.name;
        let height = heights.of(position);
        let source = Source { program, record, position, name, height, choices };
        let trace = match choices.rows(position) {
            Rows::Table => {
                let trace = timed(&mut report.writing, || table(program, record, circuit, height));
                trace.map(MainTrace::Host)
            }
            Rows::Reference(_) => {
                let write = || reference::function_trace(program, record, position);
                let trace = timed(&mut report.writing, write)?;
                trace.map(|trace| MainTrace::Host(trace.padded(height)))
            }
            Rows::Scalar(members, _) => {
                let trace = source.scalar(members, &mut report).map_err(|error| {
                    WitnessError::Scalar { circuit: circuit.name.clone(), error }
                })?;
                trace.map(MainTrace::Host)
            }
            Rows::Device(members) => source
                .device(members, &mut report)
                .map_err(|error| WitnessError::Device { circuit: circuit.name.clone(), error })?,
        };
        report.rows = circuit_rows(program, &circuit.kind, record, position);
        report.height = trace.as_ref().map_or(0, MainTrace::height);
        let active = trace.is_some();
        publics.push(vec![element(FIRST_POINTER); if active { circuit.num_publics } else { 0 }]);
        traces.push(trace);
        reports.push(report);
    }
    let report = TraceReport {
        requested: choices.requested.name(),
        strict: choices.strict,
        fingerprint: hex(&system.fingerprint),
        unit_digest: choices.digest.as_ref().map(|digest| hex(digest)),
        device: choices
            .device
            .filter(|_| reports.iter().any(|of| of.provider == Provider::Device))
            .map(|(device, _)| device.name()),
        circuits: reports,
        downloading: Duration::ZERO,
        ledger: choices.ledger.entries(),
    };
    Ok((ShardTraces { traces, publics, claims }, report))
}

fn timed<T>(time: &mut Duration, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    *time += start.elapsed();
    result
}

fn table(
    program: &CheckedProgram,
    record: &Record,
    circuit: &Circuit,
    height: usize,
) -> Option<Trace> {
    match &circuit.kind {
        CircuitKind::Memory { width } => {
            let index = program.memory_index(*width).expect("the system is the program's");
            memory_trace(&record.memories[index], height)
        }
        CircuitKind::Bytes(table) => Some(bytes_trace(record, *table, circuit)),
        // No program of functions has any.
        CircuitKind::Ops { .. } => None,
        CircuitKind::Function { .. } => unreachable!("functions have other providers"),
    }
}

/// Everything from which the rows of a function circuit are made.
struct Source<'a> {
    program: &'a CheckedProgram,
    record: &'a Record,
    position: usize,
    name: &'a str,
    /// Rows with padding.
    height: usize,
    choices: &'a Choices<'a>,
}

impl Source<'_> {
    fn scalar(
        &self,
        members: &[Member],
        report: &mut CircuitReport,
    ) -> Result<Option<Trace>, SeedError> {
        let pack = &self.choices.pack;
        let seeds = timed(&mut report.packing, || {
            let runs = runs(self.program, self.record, self.position);
            CircuitSeeds::pack(members.to_vec(), &runs, self.record, pack)
        })?
        .padded(self.height);
        report.runs = seeds.runs().iter().map(RunReport::new).collect();
        timed(&mut report.writing, || seeds.trace(pack))
    }

    /// Packing is part of writing here: seeds are copied to the device while others are packed.
    fn device(
        &self,
        members: &[Member],
        report: &mut CircuitReport,
    ) -> Result<Option<MainTrace>, String> {
        let (device, unit) = self.choices.device.expect("a device was chosen with its circuits");
        let runs = runs(self.program, self.record, self.position);
        let source = RecordSource::new(members.to_vec(), runs, self.record, &self.choices.pack);
        let Some(source) = source else { return Ok(None) };
        let source = source.padded(self.height);
        let ledger = &self.choices.ledger;
        let write = || device.write(unit, self.name, &source, ledger);
        let rows = timed(&mut report.writing, write)?;
        let runs = source.runs().iter().zip(&rows.runs);
        report.runs = runs.map(|(run, written)| RunReport::of_device(run, *written)).collect();
        Ok(Some(MainTrace::Device(rows.trace)))
    }
}
