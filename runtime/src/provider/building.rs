//! Main traces of a shard, by the providers that were chosen. Nothing is decided here.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use traceloom_abi::record::Record;
use traceloom_air::claim::RankedClaim;
use traceloom_air::system::{Circuit, CircuitKind, System};
use traceloom_air::trace::{ShardWitness, Trace};

use super::choice::{Choices, Rows};
use super::{Provider, Reason};
use crate::bind::{Member, hex};
use crate::device::{KeptSeeds, MainTrace, ShardTraces};
use crate::machine::{self, FrontEnd};
use crate::order::{Run, part, runs};
use crate::reference::{self, RowError};
use crate::report::{CircuitReport, RunReport, TraceReport};
use crate::seeds::{CircuitSeeds, SeedError};
use crate::shards::{Piece, ShardPlan};
use crate::source::{RecordSource, SeedSource};
use crate::witness::{bytes_trace, memory_piece};

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
    /// The interpreter of the plan of an op table.
    #[error("table {table:?}, record {row}: {error}")]
    Table {
        /// Name of the table.
        table: String,
        /// Position of the record.
        row: usize,
        /// What failed.
        error: String,
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
pub fn witness<'a>(
    program: impl Into<FrontEnd<'a>>,
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
pub fn traces<'a>(
    program: impl Into<FrontEnd<'a>>,
    system: &System,
    record: &Record,
    claims: Vec<RankedClaim>,
    choices: &Choices<'_>,
) -> Result<(ShardTraces, TraceReport), WitnessError> {
    let front = program.into();
    let plan = machine::whole(front, system, record, choices.key, claims.len());
    let runs = all_runs(front, system, record);
    let builder = Builder { front, system, record, runs: &runs, choices, kept: None };
    let (traces, circuits) = builder.shard(&plan.shards[0], claims)?;
    Ok((traces, choices.report(system, circuits)))
}

/// The row order of every circuit of functions; nothing of the others, whose rows are in order.
#[must_use]
pub fn all_runs<'a>(
    program: impl Into<FrontEnd<'a>>,
    system: &System,
    record: &Record,
) -> Vec<Vec<Run>> {
    let front = program.into();
    let circuits = system.circuits.iter().enumerate();
    let runs = circuits.map(|(position, circuit)| match (front, &circuit.kind) {
        (FrontEnd::Functions(program), CircuitKind::Function { .. }) => {
            runs(program, record, position)
        }
        _ => Vec::new(),
    });
    runs.collect()
}

/// Builds the traces of any shard. `choices` must be those of `program` and `system`.
#[derive(Clone, Copy, Debug)]
pub struct Builder<'a> {
    /// The program or the machine.
    pub front: FrontEnd<'a>,
    /// Its system.
    pub system: &'a System,
    /// What rows are made of.
    pub record: &'a Record,
    /// The order of its rows, by [`all_runs`].
    pub runs: &'a [Vec<Run>],
    /// Who writes them.
    pub choices: &'a Choices<'a>,
    /// Where seeds stay on a device as far as it has room, because rows are written again.
    pub kept: Option<&'a KeptPieces>,
}

/// What a device keeps of the pieces of one proof.
#[derive(Debug, Default)]
pub struct KeptPieces(Mutex<BTreeMap<(usize, usize), KeptSeeds>>);

impl KeptPieces {
    /// By circuit and first row.
    fn lock(&self) -> MutexGuard<'_, BTreeMap<(usize, usize), KeptSeeds>> {
        // Every change is a single statement.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Builder<'_> {
    /// The traces of a shard, with a report for every circuit of the system.
    ///
    /// # Errors
    /// As [`witness`].
    pub fn shard(
        &self,
        shard: &ShardPlan,
        claims: Vec<RankedClaim>,
    ) -> Result<(ShardTraces, Vec<CircuitReport>), WitnessError> {
        let mut traces = Vec::with_capacity(self.system.circuits.len());
        let mut reports = Vec::with_capacity(self.system.circuits.len());
        for (position, circuit) in self.system.circuits.iter().enumerate() {
            let mut report = self.choices.circuit(position, circuit);
            let piece = shard.pieces[position].as_ref();
            let trace = piece.map(|piece| self.piece(position, piece, &mut report)).transpose()?;
            let trace = trace.flatten();
            report.height = trace.as_ref().map_or(0, MainTrace::height);
            traces.push(trace);
            reports.push(report);
        }
        Ok((ShardTraces { traces, publics: shard.publics(self.system), claims }, reports))
    }

    /// The trace of one piece.
    fn piece(
        &self,
        position: usize,
        piece: &Piece,
        report: &mut CircuitReport,
    ) -> Result<Option<MainTrace>, WitnessError> {
        let Self { front, record, choices, .. } = *self;
        let circuit = &self.system.circuits[position];
        let (name, height) = (&circuit.name, piece.height());
        report.rows = piece.rows.len();
        let rows = match front {
            FrontEnd::Tables(machine) if position < machine.tables().tables().len() => {
                machine::runs(machine.tables(), record, position, &piece.rows, height)
            }
            _ => part(&self.runs[position], piece.rows.clone()),
        };
        let kept = self.kept.map(|kept| (kept, (position, piece.rows.start)));
        let source = Source { record, runs: rows, name, height, choices, kept };
        Ok(match choices.rows(position) {
            Rows::Table => {
                let write = || table(front, record, circuit, piece);
                timed(&mut report.writing, write).map(MainTrace::Host)
            }
            Rows::Reference(_) => {
                let write = || self.reference(position, &source.runs, height);
                timed(&mut report.writing, write)?.map(MainTrace::Host)
            }
            Rows::Scalar(members, _) => {
                let trace = source.scalar(members, report).map_err(|error| {
                    WitnessError::Scalar { circuit: circuit.name.clone(), error }
                })?;
                trace.map(MainTrace::Host)
            }
            Rows::Device(members) => source
                .device(members, report)
                .map_err(|error| WitnessError::Device { circuit: circuit.name.clone(), error })?,
        })
    }
}

impl Builder<'_> {
    /// Rows of a circuit of functions by the reference builder, of a table by its plan.
    fn reference(
        &self,
        position: usize,
        runs: &[Run],
        height: usize,
    ) -> Result<Option<Trace>, WitnessError> {
        match self.front {
            FrontEnd::Functions(program) => {
                let trace = reference::rows_trace(program, self.record, position, runs)?;
                Ok(trace.map(|trace| trace.padded(height)))
            }
            FrontEnd::Tables(machine) => {
                let width = self.system.circuits[position].width;
                let interpreted = self.choices.interpreted(machine.tables());
                interpreted.trace(self.record, runs, width, height)
            }
        }
    }
}

impl Choices<'_> {
    /// A report for every circuit of the system, of which nothing is written yet.
    #[must_use]
    pub fn circuits(&self, system: &System) -> Vec<CircuitReport> {
        let circuits = system.circuits.iter().enumerate();
        circuits.map(|(position, circuit)| self.circuit(position, circuit)).collect()
    }

    fn circuit(&self, position: usize, circuit: &Circuit) -> CircuitReport {
        let mut report = CircuitReport::new(circuit, self.provider(position));
        report.reason = self.reason(position).map(Reason::to_string);
        report
    }

    /// What is said of traces with these circuits.
    #[must_use]
    pub fn report(&self, system: &System, circuits: Vec<CircuitReport>) -> TraceReport {
        TraceReport {
            requested: self.requested.name(),
            strict: self.strict,
            fingerprint: hex(&system.fingerprint),
            unit_digest: self.digest.as_ref().map(|digest| hex(digest)),
            device: self
                .device
                .filter(|_| circuits.iter().any(|of| of.provider == Provider::Device))
                .map(|(device, _)| device.name()),
            circuits,
            downloading: Duration::ZERO,
            ledger: self.ledger.entries(),
        }
    }
}

fn timed<T>(time: &mut Duration, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    *time += start.elapsed();
    result
}

fn table(front: FrontEnd<'_>, record: &Record, circuit: &Circuit, piece: &Piece) -> Option<Trace> {
    match (front, &circuit.kind) {
        (FrontEnd::Functions(program), CircuitKind::Memory { width }) => {
            let index = program.memory_index(*width).expect("the system is the program's");
            memory_piece(&record.memories[index], piece.rows.clone(), piece.height())
        }
        (_, CircuitKind::Bytes(table)) => Some(bytes_trace(record, *table, circuit)),
        (_, kind) => unreachable!("{kind:?} has other providers"),
    }
}

/// Everything from which the rows of a function circuit are made.
struct Source<'a> {
    record: &'a Record,
    runs: Vec<Run>,
    name: &'a str,
    /// Rows with padding.
    height: usize,
    choices: &'a Choices<'a>,
    /// Where seeds are kept, and under what.
    kept: Option<(&'a KeptPieces, (usize, usize))>,
}

impl Source<'_> {
    fn scalar(
        &self,
        members: &[Member],
        report: &mut CircuitReport,
    ) -> Result<Option<Trace>, SeedError> {
        let pack = &self.choices.pack;
        let seeds = timed(&mut report.packing, || {
            CircuitSeeds::pack(members.to_vec(), &self.runs, self.record, pack)
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
        let (members, runs) = (members.to_vec(), self.runs.clone());
        let source = RecordSource::new(members, runs, self.record, &self.choices.pack);
        let Some(source) = source else { return Ok(None) };
        let source = source.padded(self.height);
        let ledger = &self.choices.ledger;
        // Rows are written twice at most: what is kept goes when they are.
        let kept = self.kept.and_then(|(kept, piece)| kept.lock().remove(&piece));
        let is_again = kept.is_some();
        let write = || match &kept {
            Some(kept) => device.write_again(unit, self.name, &source, kept, ledger),
            None => device.write(unit, self.name, &source, ledger),
        };
        let rows = timed(&mut report.writing, write)?;
        if let (Some((all, piece)), Some(kept), false) = (self.kept, rows.kept, is_again) {
            all.lock().insert(piece, kept);
        }
        let runs = source.runs().iter().zip(&rows.runs);
        report.runs = runs.map(|(run, written)| RunReport::of_device(run, *written)).collect();
        Ok(Some(MainTrace::Device(rows.trace)))
    }
}
