//! A second backend of the prover, deliberately different from the first.
//!
//! It keeps columns instead of rows, in natural instead of storage order, and computes
//! from coefficients where the CPU backend interpolates. Transforms, trees, expressions,
//! openings and folds are written here again, plainly, over the field arithmetic alone. So
//! equal proof bytes show that the trait [`Backend`] says all that a backend must know:
//! this is what a device stands on.
//!
//! For tests of the driver it notes every call with what was alive at that time, and fails
//! at any call that a test asks for.

mod columns;
mod opening;
mod rows;
mod stages;
mod transform;
mod tree;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use traceloom_air::trace::{ShardWitness, Trace};
use traceloom_prover::backend::{
    Backend, Commitment, LayerRows, MainTrace, QuotientChallenges, ShardInput, StageTwo,
};
use traceloom_prover::{Metrics, ProveError};
use traceloom_verifier::proof::{OpenedRows, OpenedValues};
use traceloom_verifier::scheme::{Extension, F, Root};
use traceloom_verifier::{LookupChallenges, VerifyingKey};

use columns::Matrix;
use opening::Layer;
use tree::Tree;

/// The backend.
#[derive(Default)]
pub struct Columns {
    calls: Mutex<Vec<Call>>,
    fails_at: Option<usize>,
    /// Whether it commits to wrong tables.
    wrong_tables: AtomicBool,
    forged: Option<ForgedBinding>,
    /// Coefficients of the first point at which it was asked to bind a shard.
    first_point: Mutex<Vec<F>>,
    traces: Alive,
    commitments: Alive,
    layers: Alive,
}

/// How the values that bind a shard are forged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForgedBinding {
    /// The first value is one more than that of the column.
    Value,
    /// The values, and later the opening, are those at the point of the shard that was bound
    /// first: what its index gives, not their own.
    FirstPoint,
}

/// A call of the driver, and what was alive when it came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// Name of the method.
    pub method: &'static str,
    /// Main traces.
    pub traces: usize,
    /// Commitments, those of fixed columns included.
    pub commitments: usize,
    /// FRI layers.
    pub layers: usize,
}

/// Counts values of one kind: each holds a clone.
#[derive(Clone, Default)]
struct Alive(Arc<()>);

impl Alive {
    fn count(&self) -> usize {
        Arc::strong_count(&self.0) - 1
    }
}

/// A main trace: a list per column.
pub struct ColumnTrace {
    columns: Vec<Vec<F>>,
    num_cells: usize,
    _alive: Alive,
}

impl MainTrace for ColumnTrace {
    fn width(&self) -> usize {
        self.columns.len()
    }

    fn num_cells(&self) -> usize {
        self.num_cells
    }
}

/// Matrices of one commitment.
pub struct Committed {
    matrices: Vec<Matrix>,
    tree: Tree,
    _alive: Alive,
}

/// Fixed columns, one entry per circuit of the system.
pub struct Key(Vec<Option<Table>>);

struct Table {
    columns: Vec<Vec<F>>,
    root: Root,
    committed: Committed,
}

/// A committed codeword.
pub struct ColumnLayer<E> {
    layer: Layer<E>,
    _alive: Alive,
}

impl Columns {
    /// A backend whose call with this index fails.
    #[must_use]
    pub fn failing_at(call: usize) -> Self {
        Self { fails_at: Some(call), ..Self::default() }
    }

    /// A backend whose fixed columns are not those of the system.
    #[must_use]
    pub fn with_wrong_tables() -> Self {
        Self { wrong_tables: AtomicBool::new(true), ..Self::default() }
    }

    /// A backend that forges the values that bind a shard.
    #[must_use]
    pub fn forging(forged: ForgedBinding) -> Self {
        Self { forged: Some(forged), ..Self::default() }
    }

    /// The point at which a shard is bound and opened in place of `point`.
    fn forged_point<E: Extension>(&self, point: E) -> E {
        if self.forged != Some(ForgedBinding::FirstPoint) {
            return point;
        }
        let mut first = self.first_point.lock().unwrap_or_else(PoisonError::into_inner);
        if first.is_empty() {
            first.extend_from_slice(point.as_basis_coefficients_slice());
        }
        E::from_basis_coefficients_slice(&first).expect("all shards have one challenge field")
    }

    /// The calls so far.
    pub fn calls(&self) -> Vec<Call> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What is alive now, as a call without a method.
    pub fn alive(&self) -> Call {
        Call {
            method: "",
            traces: self.traces.count(),
            commitments: self.commitments.count(),
            layers: self.layers.count(),
        }
    }

    /// A witness with its traces where this backend has them.
    #[must_use]
    pub fn witness(&self, witness: &ShardWitness) -> ShardWitness<ColumnTrace> {
        let trace = |trace: &Trace| ColumnTrace {
            columns: columns::transposed(&trace.values, trace.width),
            num_cells: trace.values.len(),
            _alive: self.traces.clone(),
        };
        ShardWitness {
            traces: witness.traces.iter().map(|host| host.as_ref().map(trace)).collect(),
            publics: witness.publics.clone(),
            claims: witness.claims.clone(),
            boundary: witness.boundary.clone(),
        }
    }

    fn enter(&self, method: &'static str) -> Result<(), ProveError> {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        calls.push(Call { method, ..self.alive() });
        match self.fails_at {
            Some(call) if calls.len() == call + 1 => {
                Err(ProveError::backend(self, format!("{method} was asked to fail")))
            }
            _ => Ok(()),
        }
    }

    fn commit(&self, matrices: Vec<Matrix>) -> Commitment<Committed> {
        let tree = columns::tree(&matrices);
        (tree.root(), Committed { matrices, tree, _alive: self.commitments.clone() })
    }
}

impl Backend for Columns {
    type Trace = ColumnTrace;
    type Committed = Committed;
    type Key = Key;
    type Points<E: Extension> = (E, Option<E>);
    type Codeword<E: Extension> = Vec<E>;
    type Layer<E: Extension> = ColumnLayer<E>;

    fn name(&self) -> &str {
        "columns"
    }

    fn preprocess(&self, key: &VerifyingKey) -> Result<Key, ProveError> {
        self.enter("preprocess")?;
        let table = |circuit: &traceloom_air::system::Circuit| {
            circuit.fixed().and_then(|fixed| {
                let mut columns = columns::fixed(fixed)?;
                if self.wrong_tables.load(Ordering::Relaxed) {
                    columns[0].swap(1, 2);
                }
                let matrix = Matrix::from_values(columns.clone(), key.params().log_blowup);
                let (root, committed) = self.commit(vec![matrix]);
                Some(Table { columns, root, committed })
            })
        };
        Ok(Key(key.system().circuits.iter().map(table).collect()))
    }

    fn fixed<'k>(&self, key: &'k Key, circuit: usize) -> Option<(Root, &'k Committed)> {
        key.0[circuit].as_ref().map(|table| (table.root, &table.committed))
    }

    fn commit_main(
        &self,
        input: ShardInput<'_, Key>,
        traces: &[ColumnTrace],
    ) -> Result<Commitment<Committed>, ProveError> {
        self.enter("commit_main")?;
        let log_blowup = input.key.verifying_key().params().log_blowup;
        let matrix = |trace: &ColumnTrace| Matrix::from_values(trace.columns.clone(), log_blowup);
        Ok(self.commit(traces.iter().map(matrix).collect()))
    }

    fn bind<E: Extension>(
        &self,
        _: ShardInput<'_, Key>,
        main: &Committed,
        point: E,
    ) -> Result<Vec<Vec<E>>, ProveError> {
        self.enter("bind")?;
        let point = self.forged_point(point);
        let mut values = opening::values_at(&main.matrices, point);
        if self.forged == Some(ForgedBinding::Value) {
            values[0][0] += E::ONE;
        }
        Ok(values)
    }

    fn stage_two<E: Extension>(
        &self,
        input: ShardInput<'_, Key>,
        traces: Vec<ColumnTrace>,
        challenges: &LookupChallenges<E>,
    ) -> Result<StageTwo<E, Committed>, ProveError> {
        self.enter("stage_two")?;
        let log_blowup = input.key.verifying_key().params().log_blowup;
        let (mut matrices, mut terminals) = (Vec::new(), Vec::new());
        for (active, trace) in input.shape.active.iter().zip(traces) {
            let fixed = input.key.backend_key().0[active.circuit].as_ref();
            let fixed = fixed.map_or(&[][..], |table| &table.columns);
            let (sums, terminal) =
                stages::partial_sums(input, active.circuit, &trace.columns, fixed, challenges)?;
            terminals.push(terminal);
            if !sums.is_empty() {
                matrices.push(Matrix::from_values(sums, log_blowup));
            }
        }
        let committed = (!matrices.is_empty()).then(|| self.commit(matrices));
        Ok(StageTwo { committed, terminals })
    }

    fn quotient<E: Extension>(
        &self,
        input: ShardInput<'_, Key>,
        main: &Committed,
        stage_two: Option<&Committed>,
        challenges: &QuotientChallenges<'_, E>,
    ) -> Result<Commitment<Committed>, ProveError> {
        self.enter("quotient")?;
        let mut sums = stage_two.map_or(&[][..], |committed| &committed.matrices).iter();
        let mut matrices = Vec::new();
        for (position, active) in input.shape.active.iter().enumerate() {
            let layout = &input.key.verifying_key().layouts()[active.circuit];
            let fixed = self.fixed(input.key.backend_key(), active.circuit);
            let committed = stages::Committed {
                main: &main.matrices[position],
                fixed: fixed.map(|(_, table)| &table.matrices[0]),
                sums: if layout.groups.is_empty() { None } else { sums.next() },
            };
            matrices.push(stages::quotient(input, position, &committed, challenges));
        }
        Ok(self.commit(matrices))
    }

    fn open_values<E: Extension>(
        &self,
        input: ShardInput<'_, Key>,
        committed: &[&Committed],
        zeta: E,
        bound: Option<E>,
    ) -> Result<(OpenedValues<E>, Self::Points<E>), ProveError> {
        self.enter("open_values")?;
        let bound = bound.map(|point| self.forged_point(point));
        let values = opening::values(&input.shape.rounds, &matrices(committed), zeta);
        Ok((values, (zeta, bound)))
    }

    fn reduce<E: Extension>(
        &self,
        input: ShardInput<'_, Key>,
        committed: &[&Committed],
        opened: &OpenedValues<E>,
        points: Self::Points<E>,
        alpha: E,
    ) -> Result<Vec<Vec<E>>, ProveError> {
        self.enter("reduce")?;
        Ok(opening::reduced(&input.shape.rounds, &matrices(committed), opened, points, alpha))
    }

    fn commit_layer<E: Extension>(
        &self,
        codeword: Vec<E>,
        log_arity: usize,
    ) -> Result<Commitment<ColumnLayer<E>>, ProveError> {
        self.enter("commit_layer")?;
        let layer = Layer::new(codeword, log_arity);
        Ok((layer.root(), ColumnLayer { layer, _alive: self.layers.clone() }))
    }

    fn fold<E: Extension>(
        &self,
        layer: &ColumnLayer<E>,
        beta: E,
        joined: Option<Vec<E>>,
    ) -> Result<Vec<E>, ProveError> {
        self.enter("fold")?;
        Ok(layer.layer.folded(beta, joined.as_deref()))
    }

    fn final_value<E: Extension>(&self, codeword: Vec<E>) -> Result<E, ProveError> {
        self.enter("final_value")?;
        let is_constant = codeword.iter().all(|&value| value == codeword[0]);
        assert!(is_constant || self.forged.is_some(), "folds end in a constant");
        Ok(codeword[0])
    }

    fn open_rows(
        &self,
        committed: &Committed,
        positions: &[usize],
    ) -> Result<OpenedRows<F>, ProveError> {
        self.enter("open_rows")?;
        let rows = positions.iter().map(|&at| columns::rows(&committed.matrices, at)).collect();
        Ok(OpenedRows { rows, path: committed.tree.path(positions) })
    }

    fn open_layer<E: Extension>(
        &self,
        layer: &ColumnLayer<E>,
        positions: &[usize],
    ) -> Result<LayerRows<E>, ProveError> {
        self.enter("open_layer")?;
        Ok(layer.layer.open(positions))
    }

    fn grind(&self, state: &[u8; 32], bits: usize) -> Result<F, ProveError> {
        self.enter("grind")?;
        Ok(tree::smallest_witness(state, bits))
    }

    fn read_metrics(&self, _: &mut Metrics) {}
}

fn matrices<'a>(committed: &[&'a Committed]) -> Vec<&'a [Matrix]> {
    committed.iter().map(|committed| committed.matrices.as_slice()).collect()
}
