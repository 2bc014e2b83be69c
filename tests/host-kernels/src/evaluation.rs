//! The values of a circuit's expressions, node by node: what every emitted
//! evaluator has to compute, domains to compute them on, and how kernels fold them.

use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use traceloom_abi::evaluate::{Cells, Evaluator, Outputs, Value};
use traceloom_air::field::{Goldilocks, MODULUS, element, word};
use traceloom_air::system::{Circuit, ExprId, Node};

use crate::fixtures::BOUNDARY;
use crate::job::{EvaluateJob, FoldJob, FoldPart};

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

/// Both kernels over both orders of rows, whole and in part, in extensions of all
/// degrees.
#[must_use]
pub fn fold_jobs(domain: &EvaluateJob, circuit: &Circuit) -> Vec<FoldJob> {
    let mut rng = ChaCha8Rng::seed_from_u64(domain.evaluator as u64);
    let height = domain.height;
    let mut jobs = Vec::new();
    for part in [FoldPart::Constraints, FoldPart::Lookups] {
        for (step, bit_reversed, first, count, degree) in [
            (1, false, 0, height, 2),
            (4, true, 0, height, 3),
            (2, true, 3, height - 4, 1),
            (2, false, height / 2, height / 2 - 1, 3),
            (height, true, height - 1, 1, 2),
        ] {
            let [powers, shift] = challenges(&mut rng, circuit, part, degree);
            let domain = domain.clone();
            jobs.push(FoldJob { part, domain, step, bit_reversed, first, count, powers, shift });
        }
    }
    jobs
}

/// Random words for the powers that a kernel takes, and a shift; the kernel need not
/// know that powers are powers.
pub fn challenges(
    rng: &mut ChaCha8Rng,
    circuit: &Circuit,
    part: FoldPart,
    degree: usize,
) -> [Vec<u64>; 2] {
    let arguments = circuit.lookups.iter().map(|lookup| lookup.arguments.len());
    let num_powers = match part {
        FoldPart::Constraints => circuit.constraints.len(),
        FoldPart::Lookups => arguments.max().unwrap_or(0),
    };
    [num_powers, 1].map(|count| (0..count * degree).map(|_| rng.next_u64() % MODULUS).collect())
}

/// The row one step of the trace further, by the definition of the order. `height` is
/// a power of two, at least two.
#[must_use]
pub fn next_row(height: usize, step: usize, bit_reversed: bool, row: usize) -> usize {
    let reversed = |row: usize| match bit_reversed {
        true => row.reverse_bits() >> (usize::BITS - height.ilog2()),
        false => row,
    };
    reversed((reversed(row) + step) % height)
}

/// What a kernel must compute of one row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoldedRow {
    /// The folded constraints, or the message of each lookup; coefficient by
    /// coefficient.
    pub sums: Vec<Goldilocks>,
    /// Multiplicity of each lookup; none of constraints.
    pub multiplicities: Vec<Goldilocks>,
}

/// Folds the values of one row.
#[must_use]
pub fn fold_row(
    circuit: &Circuit,
    values: Values,
    part: FoldPart,
    powers: &[u64],
    shift: &[u64],
) -> FoldedRow {
    let degree = shift.len();
    let sum = |values: &[Goldilocks], start: Goldilocks, k: usize| -> Goldilocks {
        let terms = values.iter().enumerate();
        terms.fold(start, |sum, (j, &x)| sum + element(powers[j * degree + k]) * x)
    };
    if part == FoldPart::Constraints {
        let sums = (0..degree).map(|k| sum(&values.constraints, element(0), k)).collect();
        return FoldedRow { sums, multiplicities: Vec::new() };
    }
    let mut arguments = &values.arguments[..];
    let mut sums = Vec::new();
    for lookup in &circuit.lookups {
        let (own, others) = arguments.split_at(lookup.arguments.len());
        arguments = others;
        sums.extend((0..degree).map(|k| sum(own, element(shift[k]), k)));
    }
    FoldedRow { sums, multiplicities: values.multiplicities }
}

/// What a kernel must write: folded elements, then multiplicities.
#[must_use]
pub fn folded(circuit: &Circuit, domain: &Domain, job: &FoldJob) -> Vec<u64> {
    let rows: Vec<FoldedRow> = (job.first..job.first + job.count)
        .map(|row| {
            let next = next_row(domain.height, job.step, job.bit_reversed, row);
            let values = domain.with_rows([row, next], |cells| interpret(circuit, cells));
            fold_row(circuit, values, job.part, &job.powers, &job.shift)
        })
        .collect();
    let columns = |column: fn(&FoldedRow) -> &Vec<Goldilocks>| {
        let rows = &rows;
        (0..column(&rows[0]).len()).flat_map(move |at| rows.iter().map(move |r| column(r)[at]))
    };
    columns(|row| &row.sums).chain(columns(|row| &row.multiplicities)).map(word).collect()
}
