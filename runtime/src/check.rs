//! The debug checker: every constraint on every row, and the balance of every
//! message, on concrete traces. It needs no proof and names what fails.
//!
//! Output is bounded: a few failures are described, the total is always stated.

use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::fmt;

use rayon::prelude::*;
use traceloom_air::bytes::ByteTable;
use traceloom_air::field::{Goldilocks, PrimeCharacteristicRing, element, word};
use traceloom_air::fixed::Fixed;
use traceloom_air::message::{FUNCTION_CHANNEL, MEMORY_CHANNEL, OPS_CHANNEL};
use traceloom_air::system::{Circuit, Direction, Lookup, Node, System};
use traceloom_air::trace::{ShardWitness, Trace};

/// Failures of each kind that are described.
pub const MAX_DESCRIBED: usize = 4;
/// Elements of a message that are printed.
const MAX_ELEMENTS: usize = 12;
/// Rows that one task evaluates.
const CHUNK: usize = 1 << 10;

/// What the checker found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// The first [`MAX_DESCRIBED`] constraints that do not vanish, by circuit and row.
    pub constraints: Vec<ConstraintFailure>,
    /// Number of (constraint, row) pairs that do not vanish.
    pub num_constraints: usize,
    /// The first [`MAX_DESCRIBED`] messages that do not balance, by first use.
    pub messages: Vec<Imbalance>,
    /// Number of distinct messages that do not balance.
    pub num_messages: usize,
}

impl CheckReport {
    /// Whether everything holds.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.num_constraints == 0 && self.num_messages == 0
    }
}

/// A constraint that does not vanish on a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConstraintFailure {
    /// Name of the circuit.
    pub circuit: String,
    /// The row.
    pub row: usize,
    /// What the row is about, if its front end says that.
    pub place: Option<String>,
    /// Position of the constraint in its circuit.
    pub constraint: usize,
    /// What it says.
    pub label: String,
    /// The expression.
    pub expr: String,
    /// Its value, not zero.
    pub value: u64,
}

/// A message that is not pushed as often as it is pulled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imbalance {
    /// The message in words.
    pub message: String,
    /// How often it is used, a field element.
    pub pushed: u64,
    /// How often it is provided, a field element.
    pub pulled: u64,
    /// First use, if any.
    pub pushed_by: Option<String>,
    /// First provider, if any.
    pub pulled_by: Option<String>,
}

impl fmt::Display for CheckReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_ok() {
            return write!(f, "all constraints hold, all messages balance");
        }
        write!(
            f,
            "{} constraint failures, {} unbalanced messages",
            self.num_constraints, self.num_messages
        )?;
        for failure in &self.constraints {
            let ConstraintFailure { circuit, row, place, constraint, label, expr, value } = failure;
            let place = place.as_ref().map_or_else(String::new, |place| format!(" ({place})"));
            write!(f, "\ncircuit {circuit:?}, row {row}{place}, constraint {constraint}: {label}")?;
            write!(f, "\n  {expr} = {value}, expected 0")?;
        }
        for imbalance in &self.messages {
            write!(f, "\n{}", imbalance.message)?;
            let describe = |by: &Option<String>| by.clone().unwrap_or_else(|| "nothing".into());
            let (pushes, pulls) = (describe(&imbalance.pushed_by), describe(&imbalance.pulled_by));
            write!(f, "\n  used {} times, first by {pushes};", imbalance.pushed)?;
            write!(f, " provided {} times, first by {pulls}", imbalance.pulled)?;
        }
        Ok(())
    }
}

/// Checks one whole batch: the shards' traces against `system`.
///
/// The system states the shapes; a trace of another width is a mistake of the caller.
///
/// # Panics
/// If a shard does not have one entry per circuit, a trace has the wrong width, the system has
/// no cells of its fixed columns, or a shard names a boundary that the system does not have.
#[must_use]
pub fn check(system: &System, shards: &[ShardWitness]) -> CheckReport {
    check_with(system, shards, &|_, _| None)
}

/// What the row of a circuit is about, in words.
pub type PlaceOf<'a> = dyn Fn(usize, usize) -> Option<String> + 'a;

/// The same; `place` says what a row of a circuit is about.
///
/// # Panics
/// As [`check`].
#[must_use]
pub fn check_with(system: &System, shards: &[ShardWitness], place: &PlaceOf<'_>) -> CheckReport {
    let mut constraints = Vec::new();
    let mut num_constraints = 0;
    let mut bus = Bus::default();
    for (shard_index, shard) in shards.iter().enumerate() {
        assert_eq!(shard.traces.len(), system.circuits.len(), "one entry per circuit");
        for (index, circuit) in system.circuits.iter().enumerate() {
            let Some(trace) = &shard.traces[index] else { continue };
            assert_eq!(trace.width, circuit.width, "the trace of {:?}", circuit.name);
            let at = (shard_index as u32, index as u32);
            let table = Table::new(circuit, trace, &shard.publics[index]);
            for part in table.check(at) {
                num_constraints += part.num_failures;
                let space = MAX_DESCRIBED - constraints.len();
                let failures = part.failures.into_iter().take(space);
                constraints.extend(failures.map(|failure| ConstraintFailure {
                    place: place(index, failure.row),
                    ..failure
                }));
                bus.absorb(part.bus);
            }
        }
        for (index, claim) in shard.claims.iter().enumerate() {
            let site = Site { shard: shard_index as u32, circuit: u32::MAX, row: index, lookup: 0 };
            bus.add(&claim.message(), Direction::Push, Goldilocks::ONE, site);
        }
        for (row, stated) in (shard.claims.len()..).zip(&shard.boundary) {
            let site = Site { shard: shard_index as u32, circuit: u32::MAX, row, lookup: 0 };
            let boundary = &system.boundaries[stated.boundary as usize];
            let message = boundary.message(&stated.values);
            bus.add(&message, boundary.direction, Goldilocks::ONE, site);
        }
    }
    let mut unbalanced: Vec<Balance> =
        bus.balances.into_values().filter(|balance| balance.pushed != balance.pulled).collect();
    let num_messages = unbalanced.len();
    unbalanced.sort_unstable_by_key(Balance::first_site);
    unbalanced.truncate(MAX_DESCRIBED);
    let describe = |balance: &Balance| balance.describe(system, shards, place);
    let messages = unbalanced.iter().map(describe).collect();
    CheckReport { constraints, num_constraints, messages, num_messages }
}

/// One circuit's rows, ready to be evaluated.
struct Table<'a> {
    circuit: &'a Circuit,
    trace: &'a Trace,
    publics: &'a [Goldilocks],
    /// Cells of the fixed columns.
    fixed: Cow<'a, [Goldilocks]>,
}

struct Part {
    failures: Vec<ConstraintFailure>,
    num_failures: usize,
    bus: Bus,
}

impl<'a> Table<'a> {
    fn new(circuit: &'a Circuit, trace: &'a Trace, publics: &'a [Goldilocks]) -> Self {
        let fixed = circuit.fixed().and_then(Fixed::cells).unwrap_or_default();
        Self { circuit, trace, publics, fixed }
    }

    fn check(&self, (shard, circuit): (u32, u32)) -> Vec<Part> {
        let height = self.trace.height();
        let starts: Vec<usize> = (0..height).step_by(CHUNK).collect();
        let check_chunk = |&start: &usize| {
            let mut part = Part { failures: Vec::new(), num_failures: 0, bus: Bus::default() };
            let mut values = Vec::with_capacity(self.circuit.arena.nodes().len());
            let mut message = Vec::new();
            for row in start..height.min(start + CHUNK) {
                self.evaluate(row, &mut values);
                self.check_constraints(row, &values, &mut part);
                for (index, lookup) in self.circuit.lookups.iter().enumerate() {
                    let count = values[lookup.multiplicity.0 as usize];
                    if count != Goldilocks::ZERO {
                        message.clear();
                        message.extend(lookup.arguments.iter().map(|a| values[a.0 as usize]));
                        let site = Site { shard, circuit, row, lookup: index as u32 };
                        part.bus.add(&message, lookup.direction, count, site);
                    }
                }
            }
            part
        };
        starts.par_iter().map(check_chunk).collect()
    }

    /// Values of all nodes on `row`.
    fn evaluate(&self, row: usize, values: &mut Vec<Goldilocks>) {
        let height = self.trace.height();
        let (local, next) = (self.trace.row(row), self.trace.row((row + 1) % height));
        values.clear();
        for node in self.circuit.arena.nodes() {
            let value = |id: &traceloom_air::system::ExprId| values[id.0 as usize];
            let result = match node {
                Node::Constant(value) => *value,
                Node::Main(column) => local[*column as usize],
                Node::MainNext(column) => next[*column as usize],
                Node::Preprocessed(column) => {
                    self.fixed[row * self.circuit.preprocessed_width() + *column as usize]
                }
                Node::Public(index) => self.publics[*index as usize],
                Node::IsFirstRow => Goldilocks::from_bool(row == 0),
                Node::IsTransition => Goldilocks::from_bool(row + 1 != height),
                Node::Add(a, b) => value(a) + value(b),
                Node::Sub(a, b) => value(a) - value(b),
                Node::Mul(a, b) => value(a) * value(b),
            };
            values.push(result);
        }
    }

    fn check_constraints(&self, row: usize, values: &[Goldilocks], part: &mut Part) {
        for (index, constraint) in self.circuit.constraints.iter().enumerate() {
            let value = values[constraint.expr.0 as usize];
            if value == Goldilocks::ZERO {
                continue;
            }
            part.num_failures += 1;
            if part.failures.len() < MAX_DESCRIBED {
                let names = &self.circuit.column_names;
                part.failures.push(ConstraintFailure {
                    circuit: self.circuit.name.clone(),
                    row,
                    place: None,
                    constraint: index,
                    label: constraint.label.clone(),
                    expr: self.circuit.arena.display(constraint.expr, names, 160),
                    value: word(value),
                });
            }
        }
    }
}

/// Where a message was sent from; claims have no circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Site {
    shard: u32,
    circuit: u32,
    row: usize,
    lookup: u32,
}

#[derive(Default)]
struct Bus {
    balances: HashMap<Box<[u64]>, Balance>,
}

#[derive(Clone)]
struct Balance {
    message: Box<[u64]>,
    pushed: Goldilocks,
    pulled: Goldilocks,
    first_push: Option<Site>,
    first_pull: Option<Site>,
}

impl Bus {
    fn add(&mut self, message: &[Goldilocks], direction: Direction, count: Goldilocks, site: Site) {
        // A fingerprint pads with zeros, so trailing zeros make no difference.
        let len = message.iter().rposition(|x| *x != Goldilocks::ZERO).map_or(0, |last| last + 1);
        let key: Box<[u64]> = message[..len].iter().map(|&x| word(x)).collect();
        let balance = self.balances.entry(key).or_insert_with_key(|key| Balance::new(key));
        match direction {
            Direction::Push => {
                balance.pushed += count;
                balance.first_push.get_or_insert(site);
            }
            Direction::Pull => {
                balance.pulled += count;
                balance.first_pull.get_or_insert(site);
            }
        }
    }

    /// Adds a part that comes later in row order.
    fn absorb(&mut self, other: Self) {
        for (key, balance) in other.balances {
            match self.balances.entry(key) {
                Entry::Vacant(entry) => {
                    entry.insert(balance);
                }
                Entry::Occupied(mut entry) => {
                    let own = entry.get_mut();
                    own.pushed += balance.pushed;
                    own.pulled += balance.pulled;
                    own.first_push = own.first_push.or(balance.first_push);
                    own.first_pull = own.first_pull.or(balance.first_pull);
                }
            }
        }
    }
}

impl Balance {
    fn new(message: &[u64]) -> Self {
        let zero = Goldilocks::ZERO;
        let message = message.into();
        Self { message, pushed: zero, pulled: zero, first_push: None, first_pull: None }
    }

    fn first_site(&self) -> Option<Site> {
        self.first_push.into_iter().chain(self.first_pull).min()
    }

    fn describe(&self, system: &System, shards: &[ShardWitness], place: &PlaceOf<'_>) -> Imbalance {
        let site = |site: Option<Site>| {
            site.map(|site| match system.circuits.get(site.circuit as usize) {
                None => format!("claim {}", site.row),
                Some(circuit) => {
                    let lookup = &circuit.lookups[site.lookup as usize].label;
                    let shard = match shards.len() {
                        1 => String::new(),
                        _ => format!("shard {}, ", site.shard),
                    };
                    let (name, row) = (&circuit.name, site.row);
                    let place = place(site.circuit as usize, row);
                    let place = place.map_or_else(String::new, |place| format!(" ({place})"));
                    format!(
                        "{shard}circuit {name:?}, row {row}{place}, lookup {} ({lookup})",
                        site.lookup
                    )
                }
            })
        };
        Imbalance {
            message: describe_message(system, &self.message),
            pushed: word(self.pushed),
            pulled: word(self.pulled),
            pushed_by: site(self.first_push),
            pulled_by: site(self.first_pull),
        }
    }
}

fn describe_message(system: &System, message: &[u64]) -> String {
    let channels: BTreeMap<u64, String> = ByteTable::ALL
        .into_iter()
        .flat_map(ByteTable::ops)
        .map(|op| (op.channel(), traceloom_bytecode::model::byte_op_name(*op).to_owned()))
        .collect();
    let get = |position: usize| message.get(position).copied().unwrap_or(0);
    let (what, rest) = match get(0) {
        FUNCTION_CHANNEL => (format!("message of function {}", get(1)), 2),
        MEMORY_CHANNEL => (format!("message of memory width {}", get(1)), 2),
        channel => match channels.get(&channel) {
            Some(name) => (format!("message of {name}"), 1),
            None => match bus_name(system, channel) {
                Some(name) => (format!("message of {name}"), 1),
                None => (format!("message on channel {channel}"), 1),
            },
        },
    };
    let rest = message.get(rest..).unwrap_or_default();
    let shown: Vec<String> = rest.iter().take(MAX_ELEMENTS).map(u64::to_string).collect();
    let more = match rest.len().saturating_sub(MAX_ELEMENTS) {
        0 => String::new(),
        more => format!(", … {more} more"),
    };
    format!("{what}: [{}{more}]", shown.join(", "))
}

/// Name of a bus of op tables: lookups of tables have the name of theirs.
fn bus_name(system: &System, channel: u64) -> Option<&str> {
    if channel < OPS_CHANNEL {
        return None;
    }
    let mut lookups = system.circuits.iter().flat_map(|circuit| {
        let is_on = move |lookup: &&Lookup| {
            let first = lookup.arguments.first().map(|&first| circuit.arena.node(first));
            first == Some(Node::Constant(element(channel)))
        };
        circuit.lookups.iter().filter(is_on)
    });
    lookups.next().map(|lookup| &lookup.label[..])
}
