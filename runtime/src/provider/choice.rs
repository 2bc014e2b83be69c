//! The choice itself, once per proof and for every circuit.

use std::sync::OnceLock;

use traceloom_abi::record::Record;
use traceloom_abi::registry::ProgramUnit;
use traceloom_air::system::{Circuit, CircuitKind, System};
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::model::FunctionId;
use traceloom_optables::TableProgram;
use traceloom_verifier::VerifyingKey;

use super::admission::Admission;
use super::{ChoiceError, Provider, Reason, TraceOptions, TraceProvider};
use crate::bind::{Binding, Difference, Member, hex, same};
use crate::device::RowDevice;
use crate::heights::Heights;
use crate::ledger::Ledger;
use crate::machine::{FrontEnd, Interpreted, Machine};
use crate::seeds::PackOptions;

/// The provider of every circuit of a program, chosen once.
#[derive(Debug)]
pub struct Choices<'a> {
    pub(super) requested: TraceProvider,
    pub(super) strict: bool,
    pub(super) pack: PackOptions,
    pub(super) digest: Option<[u8; 32]>,
    /// Who writes device-born traces, from which unit.
    pub(super) device: Option<(&'a dyn RowDevice, &'static ProgramUnit)>,
    pub(super) ledger: Ledger,
    /// Whose parameters say how far a shard is padded.
    pub(super) key: Option<&'a VerifyingKey>,
    circuits: Vec<Choice>,
    /// Plans of op tables, where rows of some are interpreted.
    interpreted: OnceLock<Interpreted>,
}

/// What was chosen for one circuit.
#[derive(Debug)]
struct Choice {
    name: String,
    rows: Rows,
}

/// Who writes the rows of one circuit.
#[derive(Clone, Debug)]
pub(super) enum Rows {
    Reference(Reason),
    /// With the reason, if a device was asked for.
    Scalar(Vec<Member>, Option<Reason>),
    Device(Vec<Member>),
    Table,
}

impl Rows {
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
    pub fn new<'p>(
        program: impl Into<FrontEnd<'p>>,
        system: &System,
        options: &TraceOptions<'a>,
    ) -> Result<Self, ChoiceError> {
        let front = program.into();
        match front {
            FrontEnd::Functions(program) => compare_system(program, system),
            FrontEnd::Tables(machine) => compare_tables(machine, system),
        }
        .map_err(ChoiceError::System)?;
        let ledger = Ledger::default();
        let mut bound = Bound::new(front, system, options, &ledger);
        let mut circuits = Vec::with_capacity(system.circuits.len());
        for (position, circuit) in system.circuits.iter().enumerate() {
            let rows = match (&circuit.kind, &mut bound) {
                (CircuitKind::Memory { .. } | CircuitKind::Bytes(_), _) => Rows::Table,
                (_, Err(reason)) => Rows::Reference(reason.clone()),
                (_, Ok(bound)) => bound
                    .rows(front, position, circuit, options.max_seed_bytes)
                    .unwrap_or_else(Rows::Reference),
            };
            let choice = Choice { name: circuit.name.clone(), rows };
            if options.strict {
                choice.refuse_fallback()?;
            }
            circuits.push(choice);
        }
        let (digest, device) = match bound {
            Ok(Bound { binding, device }) => (Some(binding.digest()), device),
            Err(_) => (None, None),
        };
        let device = device.and_then(|admission| admission.device);
        let TraceOptions { provider: requested, strict, pack, key, .. } = *options;
        Ok(Self {
            requested,
            strict,
            pack,
            digest,
            device,
            ledger,
            key,
            circuits,
            interpreted: OnceLock::new(),
        })
    }

    /// The provider of circuit `circuit`.
    #[must_use]
    pub fn provider(&self, circuit: usize) -> Provider {
        self.circuits[circuit].rows.provider()
    }

    /// Why circuit `circuit` has other rows than those asked for, if it has.
    #[must_use]
    pub fn reason(&self, circuit: usize) -> Option<&Reason> {
        self.circuits[circuit].rows.reason()
    }

    /// What was moved to and from the device so far.
    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// The interpreter of the plans of these tables, which are those of the proof.
    pub(super) fn interpreted(&self, tables: &TableProgram) -> &Interpreted {
        self.interpreted.get_or_init(|| Interpreted::new(tables))
    }

    pub(super) fn num_circuits(&self) -> usize {
        self.circuits.len()
    }

    pub(super) fn name(&self, circuit: usize) -> &str {
        &self.circuits[circuit].name
    }

    pub(super) fn rows(&self, circuit: usize) -> &Rows {
        &self.circuits[circuit].rows
    }
}

impl Choice {
    /// A fallback is an error where fallbacks are forbidden.
    fn refuse_fallback(&self) -> Result<(), ChoiceError> {
        match self.rows.reason() {
            None | Some(Reason::Disabled) => Ok(()),
            Some(reason) => {
                let (provider, reason) = (self.rows.provider(), Box::new(reason.clone()));
                Err(ChoiceError::Strict { circuit: self.name.clone(), provider, reason })
            }
        }
    }
}

/// What a program has whose unit is bound.
struct Bound<'a> {
    binding: Binding,
    /// Where rows of a device were asked for.
    device: Option<Admission<'a>>,
}

impl<'a> Bound<'a> {
    fn new(
        front: FrontEnd<'_>,
        system: &System,
        options: &TraceOptions<'a>,
        ledger: &Ledger,
    ) -> Result<Self, Reason> {
        if options.provider == TraceProvider::Reference {
            return Err(Reason::Disabled);
        }
        let binding = match front {
            FrontEnd::Functions(program) => Binding::new(program, options.registry)?,
            FrontEnd::Tables(machine) => Binding::of_tables(machine.tables(), options.registry)?,
        };
        let asked = options.provider == TraceProvider::Device;
        // The number of claims is not known here, and has almost no influence on heights.
        let heights = |record: &Record| Heights::new(front, system, record, options.key, 1);
        let device = asked.then(|| Admission::new(options.device, binding.unit(), ledger, heights));
        Ok(Self { binding, device })
    }

    /// Who writes the rows of a circuit of functions, or of an op table.
    fn rows(
        &mut self,
        front: FrontEnd<'_>,
        position: usize,
        circuit: &Circuit,
        most: usize,
    ) -> Result<Rows, Reason> {
        let (members, names) = self.members(front, position)?;
        let strides = members.iter().map(widest_seed).zip(names);
        let (stride, function) = strides.max_by_key(|seed| seed.0).unwrap_or_default();
        if stride > most {
            return Err(Reason::SeedTooWide { function, stride, most });
        }
        let Some(device) = &mut self.device else { return Ok(Rows::Scalar(members, None)) };
        let rows = |record: &Record| front.num_rows(record, &circuit.kind, position);
        Ok(match device.admit(position, circuit.width, rows, stride) {
            Ok(()) => Rows::Device(members),
            Err(reason) => Rows::Scalar(members, Some(reason)),
        })
    }

    /// What writes the rows of a circuit, with names.
    fn members(
        &self,
        front: FrontEnd<'_>,
        position: usize,
    ) -> Result<(Vec<Member>, Vec<String>), Reason> {
        match front {
            FrontEnd::Functions(program) => {
                let ids = &program.program().circuits[position];
                let names = ids.iter().map(|&id| program.function(id).name.clone()).collect();
                Ok((self.binding.members(program, ids)?, names))
            }
            FrontEnd::Tables(machine) => {
                let members = self.binding.table_members(machine.tables(), position)?;
                let name = machine.tables().tables()[position].name;
                let names = vec![name.to_owned(); members.len()];
                Ok((members, names))
            }
        }
    }
}

/// Bytes of the widest seed of a function.
fn widest_seed(member: &Member) -> usize {
    let typed = member.unit.paths.iter().map(|path| path.schema.stride as usize);
    typed.fold(member.unit.full.stride(), usize::max)
}

/// Fingerprint and grouping: rows are written in the program's groups, and proven in
/// the system's.
fn compare_system(program: &CheckedProgram, system: &System) -> Result<(), Difference> {
    let place = || format!("program {:?}", program.program().name);
    same(place, "fingerprint", &hex(&program.fingerprint()), &hex(&system.fingerprint))?;
    let ids = |members: &[u32]| members.iter().map(u32::to_string).collect::<Vec<_>>().join("+");
    let groups = system.circuits.iter().filter_map(|circuit| match &circuit.kind {
        CircuitKind::Function { members, .. } => Some(ids(members)),
        CircuitKind::Memory { .. } | CircuitKind::Bytes(_) | CircuitKind::Ops { .. } => None,
    });
    let groups: Vec<String> = groups.collect();
    let of_program = program.program().circuits.iter().map(|members| {
        let members: Vec<u32> = members.iter().map(|id: &FunctionId| id.0).collect();
        ids(&members)
    });
    let of_program: Vec<String> = of_program.collect();
    same(place, "groups of functions", &of_program.join(", "), &groups.join(", "))
}

/// The tables of a machine, in order and before all else, with their widths.
fn compare_tables(machine: &dyn Machine, system: &System) -> Result<(), Difference> {
    let place = || format!("machine {:?}", machine.name());
    let tables = machine.tables().tables().iter();
    let of_machine: Vec<String> =
        tables.map(|table| format!("{} of width {}", table.name, table.columns.len())).collect();
    let ops = |kind: &CircuitKind| matches!(kind, CircuitKind::Ops { .. });
    let circuits = system.circuits.iter().take_while(|circuit| ops(&circuit.kind));
    let of_system: Vec<String> =
        circuits.map(|circuit| format!("{} of width {}", circuit.name, circuit.width)).collect();
    same(place, "tables", &of_machine.join(", "), &of_system.join(", "))
}
