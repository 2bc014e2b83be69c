//! The values of a circuit's expressions, node by node: what every emitted
//! evaluator has to compute, and domains to compute them on.

use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use traceloom_abi::evaluate::{Cells, Evaluator, Outputs, Value};
use traceloom_abi::field::{Goldilocks, MODULUS, element, word};
use traceloom_abi::system::{Circuit, ExprId, Node};

use crate::fixtures::BOUNDARY;
use crate::job::EvaluateJob;

/// Constraints, multiplicities and arguments of one row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Values {
    /// One value per constraint.
    pub constraints: Vec<Goldilocks>,
    /// One multiplicity per lookup.
    pub multiplicities: Vec<Goldilocks>,
    /// The arguments of all lookups.
    pub arguments: Vec<Goldilocks>,
}

/// Interprets the arena of `circuit`.
#[must_use]
pub fn interpret(circuit: &Circuit, cells: &Cells<'_, Goldilocks>) -> Values {
    let mut values: Vec<Goldilocks> = Vec::new();
    for node in circuit.arena.nodes() {
        let of = |expr: ExprId| values[expr.0 as usize];
        values.push(match *node {
            Node::Constant(value) => value,
            Node::Main(column) => cells.main[column as usize],
            Node::MainNext(column) => cells.next[column as usize],
            Node::Preprocessed(column) => cells.fixed[column as usize],
            Node::Public(index) => cells.publics[index as usize],
            Node::IsFirstRow => cells.is_first_row,
            Node::IsTransition => cells.is_transition,
            Node::Add(a, b) => of(a) + of(b),
            Node::Sub(a, b) => of(a) - of(b),
            Node::Mul(a, b) => of(a) * of(b),
        });
    }
    let of = |expr: ExprId| values[expr.0 as usize];
    let lookups = circuit.lookups.iter();
    Values {
        constraints: circuit.constraints.iter().map(|constraint| of(constraint.expr)).collect(),
        multiplicities: lookups.clone().map(|lookup| of(lookup.multiplicity)).collect(),
        arguments: lookups.flat_map(|lookup| lookup.arguments.iter().map(|&a| of(a))).collect(),
    }
}

impl Values {
    /// All of them, one after the other: how an executable answers for a row.
    #[must_use]
    pub fn words(self) -> Vec<u64> {
        let parts = [self.constraints, self.multiplicities, self.arguments];
        parts.concat().into_iter().map(word).collect()
    }

    /// What an emitted Rust evaluator leaves in zeroed outputs: it writes no argument
    /// that is a constant of the system.
    #[must_use]
    pub fn written(mut self, circuit: &Circuit) -> [Vec<Goldilocks>; 3] {
        let arguments = circuit.lookups.iter().flat_map(|lookup| &lookup.arguments);
        for (&argument, value) in arguments.zip(&mut self.arguments) {
            if matches!(circuit.arena.node(argument), Node::Constant(_)) {
                *value = element(0);
            }
        }
        [self.constraints, self.multiplicities, self.arguments]
    }
}

/// Runs an emitted Rust evaluator over zeroed outputs.
pub fn run<T: Value>(circuit: &Circuit, of: &Evaluator<T>, cells: &Cells<'_, T>) -> [Vec<T>; 3] {
    let zero = T::from(element(0));
    let num_arguments = circuit.lookups.iter().map(|lookup| lookup.arguments.len()).sum();
    let mut constraints = vec![zero; circuit.constraints.len()];
    let mut multiplicities = vec![zero; circuit.lookups.len()];
    let mut arguments = vec![zero; num_arguments];
    let mut scratch = vec![zero; of.scratch_len];
    let mut outputs = Outputs {
        constraints: &mut constraints,
        multiplicities: &mut multiplicities,
        arguments: &mut arguments,
    };
    (of.constraints)(cells, &mut scratch, &mut outputs);
    (of.lookups)(cells, &mut scratch, &mut outputs);
    [constraints, multiplicities, arguments]
}

/// A domain of random cells, some of them at the boundaries of representations.
#[derive(Clone, Debug)]
pub struct Domain {
    /// Number of rows.
    pub height: usize,
    main: Vec<Goldilocks>,
    fixed: Vec<Goldilocks>,
    publics: Vec<Goldilocks>,
    selectors: Vec<[Goldilocks; 2]>,
}

impl Domain {
    /// A domain of `height` rows for `circuit`; a function of `seed`.
    #[must_use]
    pub fn random(circuit: &Circuit, height: usize, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut draw = || match rng.next_u32() % 3 {
            0 => element(BOUNDARY[rng.next_u32() as usize % BOUNDARY.len()]),
            _ => element(rng.next_u64() % MODULUS),
        };
        let mut cells = |count: usize| (0..count).map(|_| draw()).collect::<Vec<_>>();
        let main = cells(circuit.width * height);
        let fixed = cells(circuit.preprocessed_width() * height);
        let publics = cells(circuit.num_publics);
        let selectors = (0..height).map(|_| [draw(), draw()]).collect();
        Self { height, main, fixed, publics, selectors }
    }

    /// One row of column-major cells.
    fn row(&self, cells: &[Goldilocks], row: usize) -> Vec<Goldilocks> {
        (0..cells.len() / self.height).map(|column| cells[column * self.height + row]).collect()
    }

    /// Hands a row to `act`, with each cell made a `T`: itself, or a pack of it.
    pub fn with_cells<T: Value, R>(&self, row: usize, act: impl FnOnce(&Cells<'_, T>) -> R) -> R {
        self.with_rows([row, (row + 1) % self.height], act)
    }

    /// Hands a row, and the one that is its next in some order, to `act`.
    pub fn with_rows<T: Value, R>(
        &self,
        [row, next]: [usize; 2],
        act: impl FnOnce(&Cells<'_, T>) -> R,
    ) -> R {
        let lift = |cells: &[Goldilocks]| cells.iter().map(|&c| T::from(c)).collect::<Vec<T>>();
        let [is_first_row, is_transition] = self.selectors[row];
        act(&Cells {
            main: &lift(&self.row(&self.main, row)),
            next: &lift(&self.row(&self.main, next)),
            fixed: &lift(&self.row(&self.fixed, row)),
            publics: &lift(&self.publics),
            is_first_row: is_first_row.into(),
            is_transition: is_transition.into(),
        })
    }

    /// Asks an executable for the values of every row.
    #[must_use]
    pub fn job(&self, circuit: &Circuit, evaluator: usize) -> EvaluateJob {
        let words = |cells: &[Goldilocks]| cells.iter().map(|&cell| word(cell)).collect();
        let num_arguments = circuit.lookups.iter().map(|lookup| lookup.arguments.len()).sum();
        EvaluateJob {
            evaluator,
            height: self.height,
            main: words(&self.main),
            fixed: words(&self.fixed),
            publics: words(&self.publics),
            selectors: self.selectors.iter().map(|pair| pair.map(word)).collect(),
            outputs: [circuit.constraints.len(), circuit.lookups.len(), num_arguments],
        }
    }

    /// Compares an answer with the interpreted arena.
    ///
    /// # Errors
    /// The first row that differs.
    pub fn compare(&self, circuit: &Circuit, output: &[u64]) -> Result<(), String> {
        let len = output.len() / self.height;
        for row in 0..self.height {
            let expected = self.with_cells(row, |cells| interpret(circuit, cells)).words();
            let found = &output[row * len..][..len];
            if let Some(at) = (0..len).find(|&at| found[at] != expected[at]) {
                let [constraints, lookups] = [circuit.constraints.len(), circuit.lookups.len()];
                return Err(format!(
                    "circuit {:?}, row {row}: value {at} of {constraints} constraints, {lookups} \
                     lookups and their arguments is {}, not {}",
                    circuit.name, found[at], expected[at]
                ));
            }
        }
        Ok(())
    }
}
