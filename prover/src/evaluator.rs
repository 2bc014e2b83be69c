//! Values of a circuit's expressions on several rows at once.
//!
//! Layout (owned here). An evaluator works on packed *cells*, one lane per row:
//!
//! ```text
//! main columns | next row's main columns, if any is read | fixed columns |
//! public values | first-row selector | transition selector | scratch
//! ```

use traceloom_air::system::{Circuit, ExprId, Node};

use traceloom_verifier::layout::{CircuitLayout, constant};
use traceloom_verifier::scheme::F;

pub(crate) use traceloom_air::field::Packed;

/// What to compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Lookups only, for stage 2.
    Lookups,
    /// Constraints and lookups, for the quotient.
    All,
}

/// Where the values of one pack of rows go.
#[derive(Debug)]
pub struct Outputs<'a> {
    /// One value per constraint, in order; empty in [`Part::Lookups`].
    pub constraints: &'a mut [Packed],
    /// One multiplicity per lookup, without its sign.
    pub multiplicities: &'a mut [Packed],
    /// The arguments of all lookups, one lookup after the other. Those that System
    /// gives as constants are neither written nor read.
    pub arguments: &'a mut [Packed],
}

/// Positions within the cells of a circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellLayout {
    /// First cell of the next row; equals `fixed` if no next row is read.
    pub next: usize,
    /// First fixed column.
    pub fixed: usize,
    /// First public value.
    pub publics: usize,
    /// First-row selector; the transition selector follows.
    pub selectors: usize,
    /// First scratch cell.
    pub scratch: usize,
}

impl CellLayout {
    /// The cells of `circuit`.
    #[must_use]
    pub fn new(circuit: &Circuit, layout: &CircuitLayout) -> Self {
        let next = circuit.width;
        let fixed = next + if layout.reads_next { circuit.width } else { 0 };
        let publics = fixed + circuit.preprocessed_width();
        let selectors = publics + circuit.num_publics;
        Self { next, fixed, publics, selectors, scratch: selectors + 2 }
    }
}

/// A circuit's expressions as a straight line of packed operations, with scratch
/// cells reused once their last reader is done.
pub struct CompiledEvaluator {
    constants: Vec<F>,
    scratch_len: usize,
    all: Vec<Step>,
    lookups: Vec<Step>,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Add { to: u32, a: u32, b: u32 },
    Sub { to: u32, a: u32, b: u32 },
    Mul { to: u32, a: u32, b: u32 },
    Constraint { index: u32, from: u32 },
    Multiplicity { index: u32, from: u32 },
    Argument { index: u32, from: u32 },
}

impl CompiledEvaluator {
    /// Compiles `circuit`, which `layout` has checked.
    #[must_use]
    pub fn new(circuit: &Circuit, layout: &CircuitLayout) -> Self {
        let cells = CellLayout::new(circuit, layout);
        let nodes = circuit.arena.nodes().iter();
        let constants: Vec<F> = nodes
            .filter_map(|node| if let Node::Constant(value) = node { Some(*value) } else { None })
            .collect();
        let first_free = cells.scratch + constants.len();
        let (all, end_all) = compile(circuit, cells, first_free, Part::All);
        let (lookups, end_lookups) = compile(circuit, cells, first_free, Part::Lookups);
        let scratch_len = end_all.max(end_lookups) - cells.scratch;
        Self { constants, scratch_len, all, lookups }
    }

    /// Number of scratch cells that it needs.
    pub(crate) const fn scratch_len(&self) -> usize {
        self.scratch_len
    }

    /// Fills what does not change between rows; `scratch` has `scratch_len` cells.
    pub(crate) fn prepare(&self, scratch: &mut [Packed]) {
        for (cell, &value) in scratch.iter_mut().zip(&self.constants) {
            *cell = value.into();
        }
    }

    /// Computes one pack of rows from `cells`, see the module header.
    pub(crate) fn evaluate(&self, part: Part, cells: &mut [Packed], outputs: &mut Outputs<'_>) {
        let steps = match part {
            Part::All => &self.all,
            Part::Lookups => &self.lookups,
        };
        for &step in steps {
            match step {
                Step::Add { to, a, b } => {
                    cells[to as usize] = cells[a as usize] + cells[b as usize]
                }
                Step::Sub { to, a, b } => {
                    cells[to as usize] = cells[a as usize] - cells[b as usize]
                }
                Step::Mul { to, a, b } => {
                    cells[to as usize] = cells[a as usize] * cells[b as usize]
                }
                Step::Constraint { index, from } => {
                    outputs.constraints[index as usize] = cells[from as usize];
                }
                Step::Multiplicity { index, from } => {
                    outputs.multiplicities[index as usize] = cells[from as usize];
                }
                Step::Argument { index, from } => {
                    outputs.arguments[index as usize] = cells[from as usize];
                }
            }
        }
    }
}

/// Steps for `part`, and the first cell behind the scratch cells that they use.
fn compile(
    circuit: &Circuit,
    layout: CellLayout,
    first_free: usize,
    part: Part,
) -> (Vec<Step>, usize) {
    let nodes = circuit.arena.nodes();
    let stores = stores(circuit, part);
    let mut last_use = vec![0; nodes.len()];
    let mut used = vec![false; nodes.len()];
    for (expr, _) in &stores {
        used[expr.0 as usize] = true;
    }
    for (index, node) in nodes.iter().enumerate().rev() {
        if let (true, Node::Add(a, b) | Node::Sub(a, b) | Node::Mul(a, b)) = (used[index], *node) {
            for operand in [a.0 as usize, b.0 as usize] {
                used[operand] = true;
                last_use[operand] = last_use[operand].max(index);
            }
        }
    }
    let mut by_node = vec![Vec::new(); nodes.len()];
    for &(expr, store) in &stores {
        by_node[expr.0 as usize].push(store);
    }
    let mut compiler = Compiler { cells: vec![0; nodes.len()], free: Vec::new(), end: first_free };
    let mut steps = Vec::new();
    let mut next_constant = layout.scratch;
    for (index, node) in nodes.iter().enumerate() {
        let leaf = match *node {
            Node::Constant(_) => {
                next_constant += 1;
                next_constant - 1
            }
            Node::Main(column) => column as usize,
            Node::MainNext(column) => layout.next + column as usize,
            Node::Preprocessed(column) => layout.fixed + column as usize,
            Node::Public(column) => layout.publics + column as usize,
            Node::IsFirstRow => layout.selectors,
            Node::IsTransition => layout.selectors + 1,
            Node::Add(a, b) | Node::Sub(a, b) | Node::Mul(a, b) => {
                if used[index] {
                    steps.push(compiler.operation(*node, index, [a, b], &last_use, first_free));
                }
                compiler.cells[index]
            }
        };
        compiler.cells[index] = leaf;
        let from = leaf as u32;
        steps.extend(by_node[index].iter().map(|store| store.step(from)));
        if used[index] && last_use[index] <= index && leaf >= first_free {
            compiler.free.push(leaf);
        }
    }
    (steps, compiler.end)
}

#[derive(Clone, Copy)]
enum Store {
    Constraint(u32),
    Multiplicity(u32),
    Argument(u32),
}

impl Store {
    const fn step(self, from: u32) -> Step {
        match self {
            Self::Constraint(index) => Step::Constraint { index, from },
            Self::Multiplicity(index) => Step::Multiplicity { index, from },
            Self::Argument(index) => Step::Argument { index, from },
        }
    }
}

fn stores(circuit: &Circuit, part: Part) -> Vec<(ExprId, Store)> {
    let mut stores = Vec::new();
    if part == Part::All {
        for (index, constraint) in (0..).zip(&circuit.constraints) {
            stores.push((constraint.expr, Store::Constraint(index)));
        }
    }
    let mut argument_index = 0;
    for (index, lookup) in (0..).zip(&circuit.lookups) {
        stores.push((lookup.multiplicity, Store::Multiplicity(index)));
        for &argument in &lookup.arguments {
            if constant(&circuit.arena, argument).is_none() {
                stores.push((argument, Store::Argument(argument_index)));
            }
            argument_index += 1;
        }
    }
    stores
}

struct Compiler {
    /// Cell of each node so far.
    cells: Vec<usize>,
    /// Scratch cells whose last reader is done.
    free: Vec<usize>,
    /// First cell never used.
    end: usize,
}

impl Compiler {
    fn operation(
        &mut self,
        node: Node,
        index: usize,
        [a, b]: [ExprId; 2],
        last_use: &[usize],
        first_free: usize,
    ) -> Step {
        let [cell_a, cell_b] = [a, b].map(|operand| self.cells[operand.0 as usize]);
        // Operands that die here may lend their cell to the result.
        let mut dying = vec![(a, cell_a)];
        if b != a {
            dying.push((b, cell_b));
        }
        for (operand, cell) in dying {
            if last_use[operand.0 as usize] == index && cell >= first_free {
                self.free.push(cell);
            }
        }
        let to = self.free.pop().unwrap_or_else(|| {
            self.end += 1;
            self.end - 1
        });
        self.cells[index] = to;
        let (to, a, b) = (to as u32, cell_a as u32, cell_b as u32);
        match node {
            Node::Add(..) => Step::Add { to, a, b },
            Node::Sub(..) => Step::Sub { to, a, b },
            _ => Step::Mul { to, a, b },
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;
    use traceloom_air::bytes::ByteTable;
    use traceloom_air::field::{PrimeCharacteristicRing, element};
    use traceloom_air::system::{Arena, CircuitKind, Constraint, Direction, Lookup};
    use traceloom_verifier::params::Profile;

    use super::*;

    /// A circuit of random expressions that share subexpressions, over leaves of all kinds.
    fn random_circuit(rng: &mut ChaCha8Rng) -> Circuit {
        let mut arena = Arena::default();
        let leaves = (0..4).flat_map(|i| [Node::Main(i), Node::MainNext(i)]).chain([
            Node::Preprocessed(0),
            Node::Public(0),
            Node::IsFirstRow,
            Node::Constant(element(7)),
        ]);
        let mut exprs: Vec<ExprId> = leaves.map(|node| arena.intern(node)).collect();
        for _ in 0..60 {
            let [a, b] = [0; 2].map(|_| exprs[rng.random_range(0..exprs.len())]);
            let node = match rng.random_range(0..3) {
                0 => Node::Add(a, b),
                1 => Node::Sub(a, b),
                _ if arena.degree(a) + arena.degree(b) <= 2 => Node::Mul(a, b),
                _ => Node::Add(b, a),
            };
            exprs.push(arena.intern(node));
        }
        let linear = |expr: &&ExprId| arena.degree(**expr) <= 1;
        let linear: Vec<ExprId> = exprs.iter().filter(linear).copied().collect();
        let mut pick = |from: &[ExprId]| from[rng.random_range(0..from.len())];
        let label = String::new;
        let mut constrained: Vec<ExprId> = (0..8).map(|_| pick(&exprs)).collect();
        // Once per constraint, and with a column: more has no quotient.
        let [column, transition] = [Node::Main(1), Node::IsTransition].map(|n| arena.intern(n));
        constrained.push(arena.intern(Node::Mul(transition, column)));
        let constraint = |expr| Constraint { expr, label: label() };
        let constraints = constrained.into_iter().map(constraint).collect();
        let lookups = (0..4).map(|_| Lookup {
            direction: Direction::Push,
            multiplicity: pick(&linear),
            arguments: vec![pick(&linear), exprs[11], pick(&linear)],
            label: label(),
        });
        Circuit {
            name: "random".into(),
            kind: CircuitKind::Bytes(ByteTable::Bytes1),
            width: 4,
            column_names: vec![label(); 4],
            num_publics: 1,
            lookups: lookups.collect(),
            constraints,
            arena,
        }
    }

    /// Every node by its definition, one value each: what the compiled form must give.
    fn values(circuit: &Circuit, layout: CellLayout, cells: &[Packed]) -> Vec<Packed> {
        let mut values: Vec<Packed> = Vec::new();
        for node in circuit.arena.nodes() {
            let of = |expr: ExprId| values[expr.0 as usize];
            let value = match *node {
                Node::Constant(value) => value.into(),
                Node::Main(column) => cells[column as usize],
                Node::MainNext(column) => cells[layout.next + column as usize],
                Node::Preprocessed(column) => cells[layout.fixed + column as usize],
                Node::Public(index) => cells[layout.publics + index as usize],
                Node::IsFirstRow => cells[layout.selectors],
                Node::IsTransition => cells[layout.selectors + 1],
                Node::Add(a, b) => of(a) + of(b),
                Node::Sub(a, b) => of(a) - of(b),
                Node::Mul(a, b) => of(a) * of(b),
            };
            values.push(value);
        }
        values
    }

    #[test]
    fn compiled_expressions_have_the_values_of_their_nodes() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for _ in 0..50 {
            let circuit = random_circuit(&mut rng);
            let layout = CircuitLayout::new(&circuit, &Profile::Fast.params()).unwrap();
            let places = CellLayout::new(&circuit, &layout);
            let evaluator = CompiledEvaluator::new(&circuit, &layout);
            let mut cells = vec![Packed::ZERO; places.scratch + evaluator.scratch_len()];
            cells.fill_with(|| element(rng.random_range(0..1 << 40)).into());
            let expected = values(&circuit, places, &cells);
            let of = |expr: ExprId| expected[expr.0 as usize];
            evaluator.prepare(&mut cells[places.scratch..]);
            for part in [Part::Lookups, Part::All] {
                let num_constraints = if part == Part::All { circuit.constraints.len() } else { 0 };
                let mut constraints = vec![Packed::ZERO; num_constraints];
                let (mut multiplicities, mut arguments) = ([Packed::ZERO; 4], [Packed::ZERO; 12]);
                let mut outputs = Outputs {
                    constraints: &mut constraints,
                    multiplicities: &mut multiplicities,
                    arguments: &mut arguments,
                };
                evaluator.evaluate(part, &mut cells, &mut outputs);
                for (found, constraint) in constraints.iter().zip(&circuit.constraints) {
                    assert_eq!(*found, of(constraint.expr));
                }
                for (index, lookup) in circuit.lookups.iter().enumerate() {
                    assert_eq!(multiplicities[index], of(lookup.multiplicity));
                    // The constant in the middle is not written.
                    for position in [0, 2] {
                        let argument = lookup.arguments[position];
                        let is_constant = constant(&circuit.arena, argument).is_some();
                        let expected = if is_constant { Packed::ZERO } else { of(argument) };
                        assert_eq!(arguments[3 * index + position], expected);
                    }
                }
            }
        }
    }
}
