//! Providers of main traces and evaluators of circuits, and the one place where they
//! are chosen.
//!
//! Every circuit of functions gets its provider in [`Choices::new`], before a row
//! is written, as a value that all later stages read. Nothing decides again: if a
//! chosen provider fails, the proof fails. Memory and byte tables have a single
//! builder and no choice.
//!
//! Along with its rows a circuit gets its evaluator: the generated one if the program
//! has units and the circuit is among them, else System's expressions as the prover
//! compiles them. Proof bytes depend on neither.
//!
//! Writers know nothing of groups, so a grouping is no reason to fall back. But a
//! system that groups otherwise than its program belongs to no provider: it is
//! refused.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use traceloom_abi::claim::RankedClaim;
use traceloom_abi::field::element;
use traceloom_abi::record::Record;
use traceloom_abi::registry::{CircuitUnit, ProgramUnit};
use traceloom_abi::system::{CircuitKind, System};
use traceloom_abi::trace::{ShardWitness, Trace};
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::model::FunctionId;
use traceloom_prover::evaluator::CellLayout;
use traceloom_prover::{ProvingKey, VerifyingKey};

use crate::bind::{BindError, Binding, Difference, Member, hex, same};
use crate::device::{DeviceOption, MainTrace, RowDevice, ShardTraces};
use crate::evaluators::GeneratedEvaluator;
use crate::heights::{Heights, circuit_rows};
use crate::ledger::Ledger;
use crate::order::{num_rows, runs};
use crate::reference::{self, RowError};
use crate::report::{CircuitReport, RunReport, TraceReport};
use crate::seeds::{CircuitSeeds, PackOptions, SeedError};
use crate::source::{RecordSource, SeedSource};
use crate::witness::{FIRST_POINTER, bytes_trace, memory_trace};

/// What a caller may ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TraceProvider {
    /// The best one that each circuit has for a backend that computes on the CPU:
    /// generated code there. Rows of a device would have to come down again.
    #[default]
    Auto,
    /// Generated packers on the CPU and writers on a device.
    Device,
    /// Generated packers and writers on the CPU.
    Scalar,
    /// The interpreter over bytecode.
    Reference,
}

impl TraceProvider {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Reference, Self::Scalar, Self::Device, Self::Auto];

    /// Its name on command lines and in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Device => "device",
            Self::Scalar => "scalar",
            Self::Reference => "reference",
        }
    }

    /// The provider of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|provider| provider.name() == name)
    }
}

/// Who writes the rows of a circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provider {
    /// The interpreter over bytecode.
    Reference,
    /// Generated packers and writers on the CPU.
    Scalar,
    /// Generated packers on the CPU and writers on a device.
    Device,
    /// The builder of memory and byte tables.
    Table,
}

impl Provider {
    /// Its name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reference => "reference",
            Self::Scalar => "scalar",
            Self::Device => "device",
            Self::Table => "table",
        }
    }
}

/// What evaluates the constraints and lookups of a circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evaluation {
    /// System's expressions.
    System,
    /// Generated code.
    Generated,
}

impl Evaluation {
    /// Its name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Generated => "generated",
        }
    }
}

/// Why a circuit has other rows than those that were asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// They were asked for.
    Disabled,
    /// Nothing was generated for the program, or from other bytecode, or it does not
    /// fit.
    Unbound(BindError),
    /// A seed of the circuit takes more bytes than allowed.
    SeedTooWide {
        /// Bytes of its widest seed.
        stride: usize,
        /// Bytes that are allowed.
        most: usize,
    },
    /// There is no device.
    NoDevice(String),
    /// The device has no kernels of the program.
    NoKernels(String),
    /// The device has not enough memory.
    NotEnoughMemory {
        /// Bytes of the trace and its seeds.
        need: u64,
        /// Bytes that circuits before it have left.
        have: u64,
    },
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Disabled => write!(f, "generated rows are disabled"),
            Self::Unbound(error) => error.fmt(f),
            Self::SeedTooWide { stride, most } => {
                write!(f, "a seed takes {stride} bytes, more than {most}")
            }
            Self::NoDevice(reason) | Self::NoKernels(reason) => f.write_str(reason),
            Self::NotEnoughMemory { need, have } => write!(
                f,
                "its trace takes {need} bytes of device memory and {have} are left; end other \
                 users of the device or prove less at once"
            ),
        }
    }
}

/// What a proof is asked to use.
#[derive(Clone, Copy, Debug)]
pub struct TraceOptions<'a> {
    /// Which provider.
    pub provider: TraceProvider,
    /// Whether a fallback is an error.
    pub strict: bool,
    /// What was generated.
    pub registry: &'a [&'static ProgramUnit],
    /// Most bytes of a seed.
    pub max_seed_bytes: usize,
    /// How seeds are packed.
    pub pack: PackOptions,
    /// The device that may write rows.
    pub device: DeviceOption<'a>,
    /// Whose parameters say how far the shard is padded; without one, no further than its
    /// rows need.
    pub key: Option<&'a VerifyingKey>,
}

impl<'a> TraceOptions<'a> {
    /// Default options over what was generated.
    #[must_use]
    pub fn new(registry: &'a [&'static ProgramUnit]) -> Self {
        Self {
            provider: TraceProvider::Auto,
            strict: false,
            registry,
            max_seed_bytes: 1 << 16,
            pack: PackOptions::default(),
            device: DeviceOption::NotAsked,
            key: None,
        }
    }
}

/// Why no provider was chosen.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChoiceError {
    /// A circuit would fall back, and fallbacks are forbidden.
    #[error("circuit {circuit:?} would have {} rows: {reason}", provider.name())]
    Strict {
        /// Name of the circuit.
        circuit: String,
        /// What it would fall back to.
        provider: Provider,
        /// Why.
        reason: Box<Reason>,
    },
    /// The system is not the program's.
    #[error("system and program differ: {0}")]
    System(Difference),
}

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

/// The provider of every circuit of a program, chosen once.
#[derive(Debug)]
pub struct Choices<'a> {
    requested: TraceProvider,
    strict: bool,
    pack: PackOptions,
    digest: Option<[u8; 32]>,
    circuits: Vec<Choice>,
    /// Who writes device-born traces, from which unit.
    device: Option<(&'a dyn RowDevice, &'static ProgramUnit)>,
    ledger: Ledger,
    /// Generated evaluators, by circuit.
    evaluators: Vec<Option<&'static CircuitUnit>>,
    key: Option<&'a VerifyingKey>,
}

/// The provider of one circuit.
#[derive(Clone, Debug)]
enum Choice {
    Reference(Reason),
    /// With the reason, if a device was asked for.
    Scalar(Vec<Member>, Option<Reason>),
    Device(Vec<Member>),
    Table,
}

impl Choice {
    fn provider(&self) -> Provider {
        match self {
            Self::Reference(_) => Provider::Reference,
            Self::Scalar(..) => Provider::Scalar,
            Self::Device(_) => Provider::Device,
            Self::Table => Provider::Table,
        }
    }

    fn reason(&self) -> Option<&Reason> {
        match self {
            Self::Reference(reason) => Some(reason),
            Self::Scalar(_, reason) => reason.as_ref(),
            Self::Device(_) | Self::Table => None,
        }
    }
}

impl<'a> Choices<'a> {
    /// Chooses.
    ///
    /// # Errors
    /// [`ChoiceError`] if `system` is not the one of `program`, or if a circuit would
    /// fall back and `options` forbid it.
    pub fn new(
        program: &CheckedProgram,
        system: &System,
        options: &TraceOptions<'a>,
    ) -> Result<Self, ChoiceError> {
        compare_system(program, system).map_err(ChoiceError::System)?;
        let bind = || -> Result<_, BindError> {
            let binding = Binding::new(program, options.registry)?;
            let evaluators = binding.circuits(system)?;
            Ok((binding, evaluators))
        };
        let bound = match options.provider {
            TraceProvider::Reference => None,
            _ => Some(bind()),
        };
        let ledger = Ledger::default();
        let mut device = match &bound {
            Some(Ok((binding, _))) if options.provider == TraceProvider::Device => {
                let heights = |record: &Record| heights(program, system, record, options.key, 1);
                Some(Admission::new(options.device, binding.unit(), &ledger, heights))
            }
            _ => None,
        };
        let mut circuits = Vec::with_capacity(system.circuits.len());
        for (position, circuit) in system.circuits.iter().enumerate() {
            let choice = match (&circuit.kind, &bound) {
                (CircuitKind::Memory { .. } | CircuitKind::Bytes(_), _) => Choice::Table,
                (_, None) => Choice::Reference(Reason::Disabled),
                (_, Some(Err(error))) => Choice::Reference(Reason::Unbound(error.clone())),
                (_, Some(Ok((binding, _)))) => {
                    let members = binding.members(program, &program.program().circuits[position]);
                    match (widest_seed(&members), &mut device) {
                        (stride, _) if stride > options.max_seed_bytes => {
                            let most = options.max_seed_bytes;
                            Choice::Reference(Reason::SeedTooWide { stride, most })
                        }
                        (_, None) => Choice::Scalar(members, None),
                        (stride, Some(device)) => {
                            match device.admit(program, position, circuit.width, stride) {
                                Ok(()) => Choice::Device(members),
                                Err(reason) => Choice::Scalar(members, Some(reason)),
                            }
                        }
                    }
                }
            };
            if let Some(reason) = choice.reason()
                && options.strict
                && *reason != Reason::Disabled
            {
                let (circuit, reason) = (circuit.name.clone(), Box::new(reason.clone()));
                return Err(ChoiceError::Strict { circuit, provider: choice.provider(), reason });
            }
            circuits.push(choice);
        }
        let (digest, evaluators) = match bound {
            Some(Ok((binding, evaluators))) => (Some(binding.digest()), evaluators),
            _ => (None, vec![None; circuits.len()]),
        };
        let device = device.and_then(|admission| admission.device);
        let TraceOptions { provider: requested, strict, pack, key, .. } = *options;
        Ok(Self { requested, strict, pack, digest, circuits, evaluators, device, ledger, key })
    }

    /// What evaluates circuit `circuit`.
    #[must_use]
    pub fn evaluation(&self, circuit: usize) -> Evaluation {
        match self.evaluators[circuit] {
            Some(_) => Evaluation::Generated,
            None => Evaluation::System,
        }
    }

    /// Gives `key`, which is of the same system, its generated evaluators.
    ///
    /// # Panics
    /// If it is of a system with another number of circuits.
    pub fn set_evaluators(&self, key: &mut ProvingKey) {
        let verifying = key.verifying_key();
        let (circuits, layouts) = (&verifying.system().circuits, verifying.layouts());
        assert_eq!(circuits.len(), self.evaluators.len(), "key and choices are of one system");
        let layouts: Vec<CellLayout> = (circuits.iter().zip(layouts))
            .map(|(circuit, layout)| CellLayout::new(circuit, layout))
            .collect();
        for (circuit, (unit, layout)) in self.evaluators.iter().zip(layouts).enumerate() {
            if let Some(CircuitUnit { evaluator, .. }) = *unit {
                let evaluator = GeneratedEvaluator { evaluator: *evaluator, layout };
                key.set_evaluator(circuit, Arc::new(evaluator));
            }
        }
    }

    /// The provider of circuit `circuit`.
    #[must_use]
    pub fn provider(&self, circuit: usize) -> Provider {
        self.circuits[circuit].provider()
    }

    /// Why circuit `circuit` has other rows than those asked for, if it has.
    #[must_use]
    pub fn reason(&self, circuit: usize) -> Option<&Reason> {
        self.circuits[circuit].reason()
    }

    /// What was moved to and from the device so far.
    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// One line about circuits that fell back, for a log; `None` if all have what was
    /// asked for.
    #[must_use]
    pub fn notice(&self) -> Option<String> {
        let of_provider = |provider: Provider| {
            let circuits = self.circuits.iter().filter(|choice| choice.provider() == provider);
            let mut reasons = circuits.filter_map(Choice::reason);
            let first = reasons.by_ref().find(|&reason| *reason != Reason::Disabled)?;
            let name = provider.name();
            Some(match reasons.count() {
                0 => format!("1 circuit has {name} rows: {first}"),
                more => format!("{} circuits have {name} rows, the first: {first}", more + 1),
            })
        };
        let lines: Vec<String> =
            [Provider::Scalar, Provider::Reference].into_iter().filter_map(of_provider).collect();
        (!lines.is_empty()).then(|| lines.join("; "))
    }
}

/// Hands out the memory of a device, circuit by circuit.
struct Admission<'a> {
    device: Option<(&'a dyn RowDevice, &'static ProgramUnit)>,
    /// The record with the heights of its traces.
    record: Option<(&'a Record, Heights)>,
    left: u64,
    /// Why no circuit gets any.
    reason: Option<Reason>,
}

impl<'a> Admission<'a> {
    fn new(
        option: DeviceOption<'a>,
        unit: &'static ProgramUnit,
        ledger: &Ledger,
        heights: impl Fn(&Record) -> Heights,
    ) -> Self {
        let none = |reason| Self { device: None, record: None, left: 0, reason: Some(reason) };
        match option {
            DeviceOption::NotAsked => none(Reason::NoDevice("no device was looked for".into())),
            DeviceOption::Unavailable(reason) => none(Reason::NoDevice(reason.into())),
            DeviceOption::Ready { device, record } => {
                let bound = device.bind(unit, ledger).map_err(Reason::NoKernels);
                let left = bound.and_then(|()| device.free_bytes().map_err(Reason::NoDevice));
                match left {
                    Err(reason) => none(reason),
                    Ok(left) => {
                        let (device, record) =
                            (Some((device, unit)), Some((record, heights(record))));
                        Self { device, record, left, reason: None }
                    }
                }
            }
        }
    }

    /// Takes the memory of a circuit.
    fn admit(
        &mut self,
        program: &CheckedProgram,
        position: usize,
        width: usize,
        stride: usize,
    ) -> Result<(), Reason> {
        if let Some(reason) = &self.reason {
            return Err(reason.clone());
        }
        let (rows, height) = self.record.as_ref().map_or((0, 0), |(record, heights)| {
            (num_rows(program, record, position), heights.of(position) as u64)
        });
        let cells = height.saturating_mul(8 * width as u64);
        let need = cells.saturating_add(rows as u64 * stride as u64);
        match self.left.checked_sub(need) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(Reason::NotEnoughMemory { need, have: self.left }),
        }
    }
}

/// Bytes of the widest seed of a circuit.
fn widest_seed(members: &[Member]) -> usize {
    let strides = members.iter().map(|member| {
        let typed = member.unit.paths.iter().map(|path| path.schema.stride as usize);
        typed.fold(member.unit.full.stride(), usize::max)
    });
    strides.max().unwrap_or(0)
}

/// Fingerprint and grouping: rows are written in the program's groups, and proven in
/// the system's.
fn compare_system(program: &CheckedProgram, system: &System) -> Result<(), Difference> {
    let place = || format!("program {:?}", program.program().name);
    same(place, "fingerprint", &hex(&program.fingerprint()), &hex(&system.fingerprint))?;
    let ids = |members: &[u32]| members.iter().map(u32::to_string).collect::<Vec<_>>().join("+");
    let groups = system.circuits.iter().filter_map(|circuit| match &circuit.kind {
        CircuitKind::Function { members, .. } => Some(ids(members)),
        CircuitKind::Memory { .. } | CircuitKind::Bytes(_) => None,
    });
    let groups: Vec<String> = groups.collect();
    let of_program = program.program().circuits.iter().map(|members| {
        let members: Vec<u32> = members.iter().map(|id: &FunctionId| id.0).collect();
        ids(&members)
    });
    let of_program: Vec<String> = of_program.collect();
    same(place, "groups of functions", &of_program.join(", "), &groups.join(", "))
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
    let heights = heights(program, system, record, choices.key, claims.len());
    let mut traces = Vec::with_capacity(system.circuits.len());
    let mut publics = Vec::with_capacity(system.circuits.len());
    let mut reports = Vec::with_capacity(system.circuits.len());
    for (position, circuit) in system.circuits.iter().enumerate() {
        let mut report = CircuitReport::new(circuit, choices.provider(position));
        report.reason = choices.reason(position).map(Reason::to_string);
        let name = &circuit.name;
        let height = heights.of(position);
        let source = Source { program, record, position, name, height, choices };
        report.evaluation = choices.evaluation(position);
        let trace = match &choices.circuits[position] {
            Choice::Table => {
                let trace =
                    timed(&mut report.writing, || table(program, record, &circuit.kind, height));
                trace.map(MainTrace::Host)
            }
            Choice::Reference(_) => {
                let write = || reference::function_trace(program, record, position);
                let trace = timed(&mut report.writing, write)?;
                trace.map(|trace| MainTrace::Host(trace.padded(height)))
            }
            Choice::Scalar(members, _) => {
                let trace = source.scalar(members, &mut report).map_err(|error| {
                    WitnessError::Scalar { circuit: circuit.name.clone(), error }
                })?;
                trace.map(MainTrace::Host)
            }
            Choice::Device(members) => source
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

/// Heights of a shard that is proven with `key`.
fn heights(
    program: &CheckedProgram,
    system: &System,
    record: &Record,
    key: Option<&VerifyingKey>,
    num_claims: usize,
) -> Heights {
    match key {
        Some(key) => Heights::padded(program, key, record, num_claims),
        None => Heights::least(program, system, record),
    }
}

fn table(
    program: &CheckedProgram,
    record: &Record,
    kind: &CircuitKind,
    height: usize,
) -> Option<Trace> {
    match kind {
        CircuitKind::Memory { width } => {
            let index = program.memory_index(*width).expect("the system is the program's");
            memory_trace(&record.memories[index], height)
        }
        CircuitKind::Bytes(table) => Some(bytes_trace(record, *table)),
        CircuitKind::Function { .. } => unreachable!("functions have other providers"),
    }
}

/// What the rows of a circuit of functions come from.
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

    /// Packing is part of writing: seeds go to the device while others are packed.
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
