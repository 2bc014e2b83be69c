//! Forgeries by repair.
//!
//! A start changes one or two cells of one circuit. While a constraint of the
//! mutated system is violated, it is solved for one of its cells that has not been
//! changed yet (nearly all of them are linear in nearly all cells); which cell is a
//! choice, so this is a search, bounded in depth and in tries.

use traceloom_air::field::{Goldilocks, PrimeCharacteristicRing, element, inverse_or_zero};
use traceloom_air::system::{Circuit, CircuitKind, ExprId, Node, System};
use traceloom_air::trace::{ShardWitness, Trace};
use traceloom_runtime::check::check;

use super::Subject;
use super::balance::{Anchors, balance};

/// Cells that a forgery may repair.
const MAX_DEPTH: usize = 9;
/// Repairs tried for one start.
const MAX_TRIES: usize = 40;

/// Row and column.
pub(super) type Cell = (usize, usize);

/// A start: cells and their new values.
type Start = Vec<(Cell, Goldilocks)>;

pub(super) struct Search<'a> {
    subject: &'a Subject,
    mutated: &'a System,
    anchors: Anchors,
    /// The circuit that lost an item.
    dropped: usize,
    /// By circuit and constraint of the mutated system: cells that it reads, as
    /// offset of the row and column.
    supports: Vec<Vec<Vec<Cell>>>,
}

impl<'a> Search<'a> {
    pub fn new(subject: &'a Subject, mutated: &'a System, dropped: usize) -> Self {
        let supports = mutated.circuits.iter().map(|circuit| {
            let constraints = circuit.constraints.iter();
            constraints.map(|constraint| support(circuit, constraint.expr)).collect()
        });
        let anchors = Anchors::new(&subject.system, &subject.witness);
        Self { subject, mutated, anchors, dropped, supports: supports.collect() }
    }

    /// A witness that only the full system refuses.
    pub fn run(&self) -> Option<ShardWitness> {
        // What memory allows too much shows in the rows that store and load.
        let kind = &self.mutated.circuits[self.dropped].kind;
        let users = if matches!(kind, CircuitKind::Memory { .. }) { 0..self.dropped } else { 0..0 };
        std::iter::once(self.dropped).chain(users).find_map(|circuit| self.in_circuit(circuit))
    }

    fn in_circuit(&self, circuit: usize) -> Option<ShardWitness> {
        let trace = self.subject.witness.traces[circuit].as_ref()?;
        starts(&self.mutated.circuits[circuit], trace).into_iter().find_map(|start| {
            let mut attempt = Attempt { search: self, circuit, tries: 0 };
            let mut trace = trace.clone();
            for (cell, value) in &start {
                trace.row_mut(cell.0)[cell.1] = *value;
            }
            attempt.repair(&trace, &mut start.iter().map(|(cell, _)| *cell).collect())
        })
    }
}

struct Attempt<'a, 'b> {
    search: &'a Search<'b>,
    circuit: usize,
    tries: usize,
}

impl Attempt<'_, '_> {
    fn repair(&mut self, trace: &Trace, changed: &mut Vec<Cell>) -> Option<ShardWitness> {
        self.tries += 1;
        if self.tries > MAX_TRIES {
            return None;
        }
        let circuit = &self.search.mutated.circuits[self.circuit];
        let publics = &self.search.subject.witness.publics[self.circuit];
        let Some((row, constraint)) = violated(circuit, trace, publics, changed) else {
            return self.finish(trace, changed);
        };
        if changed.len() > MAX_DEPTH {
            return None;
        }
        let expr = circuit.constraints[constraint].expr;
        let support = &self.search.supports[self.circuit][constraint];
        // Later columns depend on earlier ones, so they are tried first.
        for &(offset, column) in support.iter().rev() {
            let cell = ((row + offset) % trace.height(), column);
            if changed.contains(&cell) {
                continue;
            }
            let Some(value) = solve(circuit, trace, publics, row, expr, cell) else { continue };
            let mut trace = trace.clone();
            trace.row_mut(cell.0)[cell.1] = value;
            changed.push(cell);
            let found = self.repair(&trace, changed);
            changed.pop();
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// All constraints hold: whether messages can be made to balance, and whether
    /// the full system refuses.
    fn finish(&self, trace: &Trace, changed: &[Cell]) -> Option<ShardWitness> {
        let Search { subject, mutated, anchors, .. } = self.search;
        let mut witness = subject.witness.clone();
        witness.traces[self.circuit] = Some(trace.clone());
        let fixed: Vec<(usize, Cell)> = changed.iter().map(|&cell| (self.circuit, cell)).collect();
        if !balance(subject, mutated, anchors, &mut witness, &fixed) {
            return None;
        }
        let shards = [witness];
        if check(&subject.system, &shards).is_ok() || !check(mutated, &shards).is_ok() {
            return None;
        }
        let [witness] = shards;
        Some(witness)
    }
}

/// What to change first: any cell, two selectors of a row, a column of two rows in
/// opposite directions, two neighbours that pack to the same.
fn starts(circuit: &Circuit, trace: &Trace) -> Vec<Start> {
    let one = Goldilocks::ONE;
    let at = |row: usize, column: usize| trace.row(row)[column];
    let is_selector = |column: &usize| circuit.column_names[*column].starts_with("selector");
    let selectors: Vec<usize> = (0..circuit.width).filter(is_selector).collect();
    let mut starts = Vec::new();
    for row in 0..trace.height() {
        for column in 0..circuit.width {
            let old = at(row, column);
            let values = [old + one, Goldilocks::ZERO, one, element(2), element(77_777)];
            let values = values.into_iter().filter(|value| *value != old);
            starts.extend(values.map(|value| vec![((row, column), value)]));
        }
        for (position, &a) in selectors.iter().enumerate() {
            for &b in &selectors[..position] {
                for (x, y) in [(one, one), (one, -one), (-one, one), (element(2), -one)] {
                    starts.push(vec![((row, a), x), ((row, b), y)]);
                }
            }
        }
        for column in 1..circuit.width {
            let (low, high) = (at(row, column - 1), at(row, column));
            let (low, high) = (low + element(256), high - one);
            starts.push(vec![((row, column - 1), low), ((row, column), high)]);
        }
    }
    for row in 1..trace.height() {
        for column in 0..circuit.width {
            let (a, b) = (at(row - 1, column) + one, at(row, column) - one);
            starts.push(vec![((row - 1, column), a), ((row, column), b)]);
        }
    }
    starts
}

/// Cells that an expression reads.
pub(super) fn support(circuit: &Circuit, expr: ExprId) -> Vec<Cell> {
    let nodes = circuit.arena.nodes();
    let mut cells = Vec::new();
    let mut open = vec![expr];
    let mut seen = vec![false; nodes.len()];
    while let Some(expr) = open.pop() {
        if std::mem::replace(&mut seen[expr.0 as usize], true) {
            continue;
        }
        match nodes[expr.0 as usize] {
            Node::Main(column) => cells.push((0, column as usize)),
            Node::MainNext(column) => cells.push((1, column as usize)),
            Node::Add(a, b) | Node::Sub(a, b) | Node::Mul(a, b) => open.extend([a, b]),
            _ => {}
        }
    }
    cells.sort_unstable();
    cells
}

/// The first violated constraint on a row that a changed cell can have violated.
fn violated(
    circuit: &Circuit,
    trace: &Trace,
    publics: &[Goldilocks],
    changed: &[Cell],
) -> Option<(usize, usize)> {
    let height = trace.height();
    let mut rows: Vec<usize> =
        changed.iter().flat_map(|&(row, _)| [row, (row + height - 1) % height]).collect();
    rows.sort_unstable();
    rows.dedup();
    rows.into_iter().find_map(|row| {
        let values = evaluate(circuit, trace, publics, row);
        let mut constraints = circuit.constraints.iter();
        let broken = constraints.position(|c| values[c.expr.0 as usize] != Goldilocks::ZERO);
        broken.map(|constraint| (row, constraint))
    })
}

/// Values of all nodes on a row; there are no fixed columns in short systems.
pub(super) fn evaluate(
    circuit: &Circuit,
    trace: &Trace,
    publics: &[Goldilocks],
    row: usize,
) -> Vec<Goldilocks> {
    let (local, next) = (trace.row(row), trace.row((row + 1) % trace.height()));
    let mut values: Vec<Goldilocks> = Vec::with_capacity(circuit.arena.nodes().len());
    for node in circuit.arena.nodes() {
        let value = |id: &ExprId| values[id.0 as usize];
        let result = match node {
            Node::Constant(value) => *value,
            Node::Main(column) => local[*column as usize],
            Node::MainNext(column) => next[*column as usize],
            Node::Preprocessed(_) => Goldilocks::ZERO,
            Node::Public(index) => publics[*index as usize],
            Node::IsFirstRow => Goldilocks::from_bool(row == 0),
            Node::IsTransition => Goldilocks::from_bool(row + 1 != trace.height()),
            Node::Add(a, b) => value(a) + value(b),
            Node::Sub(a, b) => value(a) - value(b),
            Node::Mul(a, b) => value(a) * value(b),
        };
        values.push(result);
    }
    values
}

/// The value of `cell` at which `expr` vanishes on `row`, if it is linear in it.
fn solve(
    circuit: &Circuit,
    trace: &Trace,
    publics: &[Goldilocks],
    row: usize,
    expr: ExprId,
    cell: Cell,
) -> Option<Goldilocks> {
    let mut trace = trace.clone();
    let mut at = |value: u64| {
        trace.row_mut(cell.0)[cell.1] = element(value);
        evaluate(circuit, &trace, publics, row)[expr.0 as usize]
    };
    let (zero, one, two) = (at(0), at(1), at(2));
    let slope = one - zero;
    (slope != Goldilocks::ZERO && two - one == slope).then(|| -zero * inverse_or_zero(slope))
}
