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

pub use traceloom_air::field::Packed;

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

/// Evaluates one circuit. Generated code may stand in for the compiled form; it
/// must compute exactly System's values.
pub trait Evaluator: Send + Sync {
    /// Number of scratch cells that it needs.
    fn scratch_len(&self) -> usize;

    /// Fills what does not change between rows; `scratch` has `scratch_len` cells.
    fn prepare(&self, scratch: &mut [Packed]);

    /// Computes one pack of rows from `cells`, see the module header.
    fn evaluate(&self, part: Part, cells: &mut [Packed], outputs: &mut Outputs<'_>);
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
}

impl Evaluator for CompiledEvaluator {
    fn scratch_len(&self) -> usize {
        self.scratch_len
    }

    fn prepare(&self, scratch: &mut [Packed]) {
        for (cell, &value) in scratch.iter_mut().zip(&self.constants) {
            *cell = value.into();
        }
    }

    fn evaluate(&self, part: Part, cells: &mut [Packed], outputs: &mut Outputs<'_>) {
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
