//! The CPU backend, and the reference for every other: host matrices and p3's transforms,
//! trees and folds.

mod key;
mod opening;

use std::marker::PhantomData;

use p3_commit::Mmcs as _;
use p3_dft::TwoAdicSubgroupDft;
use p3_field::Field;
use p3_fri::{FriFoldingStrategy, TwoAdicFriFolding};
use p3_matrix::Matrix;
use p3_matrix::bitrev::BitReversibleMatrix;
use p3_matrix::dense::RowMajorMatrix;
use p3_maybe_rayon::prelude::*;
use traceloom_air::trace::Trace;
use traceloom_verifier::proof::{OpenedRows, OpenedValues};
use traceloom_verifier::scheme::{Dft, Extension, F, FriMmcs, Mmcs, Root, mmcs};
use traceloom_verifier::{LookupChallenges, VerifyingKey};

use crate::backend::{Backend, Commitment, LayerRows, QuotientChallenges, ShardInput, StageTwo};
use crate::metrics::{Kernel, KernelClock, Metrics, Stage};
use crate::prove::ProveError;
use crate::quotient::{QuotientInput, slices_lde};
use crate::rows::RowContext;
use crate::scheme::{LayerTree, Tree};
use crate::stage_two::stage_two;
use opening::{OpenedMatrix, values_at};

pub use key::CpuKey;
pub use opening::CpuPoints;

/// Kernels on the threads of this process.
#[derive(Debug)]
pub struct CpuBackend {
    dft: Dft,
    mmcs: Mmcs,
    clock: KernelClock,
}

impl Default for CpuBackend {
    fn default() -> Self {
        Self { dft: Dft::default(), mmcs: mmcs(), clock: KernelClock::default() }
    }
}

/// One commitment on the CPU: its matrices, in storage order, and its tree.
pub struct CpuCommitted(Tree);

/// A committed codeword on the CPU.
pub struct CpuLayer<E: Extension>(LayerTree<E>);

impl CpuBackend {
    fn extend(&self, matrix: RowMajorMatrix<F>, log_blowup: usize) -> RowMajorMatrix<F> {
        self.clock.time(Kernel::Transforms, || {
            let lde = self.dft.coset_lde_batch(matrix, log_blowup, F::GENERATOR);
            lde.bit_reverse_rows().to_row_major_matrix()
        })
    }

    fn commit(&self, ldes: Vec<RowMajorMatrix<F>>) -> Commitment<CpuCommitted> {
        let (cap, tree) = self.clock.time(Kernel::Hashing, || self.mmcs.commit(ldes));
        (cap.roots()[0], CpuCommitted(tree))
    }

    fn matrices<'a>(&self, committed: &'a CpuCommitted) -> Vec<&'a RowMajorMatrix<F>> {
        self.mmcs.get_matrices(&committed.0)
    }

    fn opened<'a>(
        &self,
        input: ShardInput<'a, CpuKey>,
        committed: &[&'a CpuCommitted],
    ) -> Vec<Vec<OpenedMatrix<'a>>> {
        let rounds = input.shape.rounds.iter().zip(committed);
        let matrices = rounds.map(|(round, committed)| {
            let matrices = round.matrices.iter().zip(self.matrices(committed));
            matrices.map(|(shape, values)| OpenedMatrix { shape, values }).collect()
        });
        matrices.collect()
    }
}

fn layers<E: Extension>() -> FriMmcs<E> {
    FriMmcs::<E>::new(mmcs())
}

fn context<'a>(
    input: ShardInput<'a, CpuKey>,
    circuit: usize,
    main: &'a [F],
    fixed: &'a [F],
) -> RowContext<'a> {
    let key = input.key.verifying_key();
    RowContext {
        circuit: &key.system().circuits[circuit],
        layout: &key.layouts()[circuit],
        evaluator: &input.key.backend_key().evaluators[circuit],
        publics: &input.publics[circuit],
        main,
        fixed,
    }
}

impl Backend for CpuBackend {
    type Trace = Trace;
    type Committed = CpuCommitted;
    type Key = CpuKey;
    type Points<E: Extension> = CpuPoints<E>;
    type Codeword<E: Extension> = Vec<E>;
    type Layer<E: Extension> = CpuLayer<E>;

    fn name(&self) -> &str {
        "cpu"
    }

    fn preprocess(&self, key: &VerifyingKey) -> Result<CpuKey, ProveError> {
        Ok(CpuKey::new(self, key))
    }

    fn fixed<'k>(&self, key: &'k CpuKey, circuit: usize) -> Option<(Root, &'k CpuCommitted)> {
        key.fixed[circuit].as_ref().map(|table| (table.root, &table.committed))
    }

    fn commit_main(
        &self,
        input: ShardInput<'_, CpuKey>,
        traces: &[Trace],
    ) -> Result<Commitment<CpuCommitted>, ProveError> {
        let log_blowup = input.key.verifying_key().params().log_blowup;
        let extend = |trace: &Trace| {
            // Room for the extension, so that the transform does not copy again.
            let mut values = Vec::with_capacity(trace.values.len() << log_blowup);
            values.extend_from_slice(&trace.values);
            self.extend(RowMajorMatrix::new(values, trace.width), log_blowup)
        };
        let traces = traces.iter().zip(&input.shape.active);
        let ldes = traces.map(|(trace, active)| {
            self.clock.circuit(Stage::Main, active.circuit, || extend(trace))
        });
        Ok(self.commit(ldes.collect()))
    }

    fn bind<E: Extension>(
        &self,
        input: ShardInput<'_, CpuKey>,
        main: &CpuCommitted,
        point: E,
    ) -> Result<Vec<Vec<E>>, ProveError> {
        let log_blowup = input.key.verifying_key().params().log_blowup;
        Ok(values_at(&self.matrices(main), point, log_blowup))
    }

    fn stage_two<E: Extension>(
        &self,
        input: ShardInput<'_, CpuKey>,
        traces: Vec<Trace>,
        challenges: &LookupChallenges<E>,
    ) -> Result<StageTwo<E, CpuCommitted>, ProveError> {
        let key = input.key.verifying_key();
        let mut terminals = Vec::new();
        let mut ldes = Vec::new();
        for (active, trace) in input.shape.active.iter().zip(traces) {
            let index = active.circuit;
            if key.layouts()[index].groups.is_empty() {
                terminals.push(E::ZERO);
                continue;
            }
            let fixed = input.key.backend_key().fixed[index].as_ref();
            let fixed = fixed.map_or(&[][..], |table| &table.trace);
            let (lde, terminal) = self.clock.circuit(Stage::StageTwo, index, || {
                let context = context(input, index, &trace.values, fixed);
                let computed =
                    self.clock.time(Kernel::Evaluation, || stage_two(&context, challenges));
                let (matrix, terminal) = computed.map_err(|row| ProveError::ZeroDenominator {
                    shard: input.shard,
                    circuit: context.circuit.name.clone(),
                    row,
                })?;
                drop(trace);
                Ok::<_, ProveError>((self.extend(matrix, key.params().log_blowup), terminal))
            })?;
            terminals.push(terminal);
            ldes.push(lde);
        }
        let committed = (!ldes.is_empty()).then(|| self.commit(ldes));
        Ok(StageTwo { committed, terminals })
    }

    fn quotient<E: Extension>(
        &self,
        input: ShardInput<'_, CpuKey>,
        main: &CpuCommitted,
        stage_two: Option<&CpuCommitted>,
        challenges: &QuotientChallenges<'_, E>,
    ) -> Result<Commitment<CpuCommitted>, ProveError> {
        let key = input.key.verifying_key();
        let mut ldes = Vec::new();
        let mut stage_two = stage_two.map_or(vec![], |tree| self.matrices(tree)).into_iter();
        let actives = input.shape.active.iter().zip(self.matrices(main));
        for ((active, main), &terminal) in actives.zip(challenges.terminals) {
            let index = active.circuit;
            let layout = &key.layouts()[index];
            let fixed = self.fixed(input.key.backend_key(), index);
            let fixed = fixed.map(|(_, table)| &self.matrices(table)[0].values);
            let stage_two = if layout.groups.is_empty() { None } else { stage_two.next() };
            let quotient = QuotientInput {
                context: context(input, index, &main.values, fixed.map_or(&[], |f| f)),
                stage_two: stage_two.map_or(&[], |matrix| &matrix.values),
                terminal,
                challenges: *challenges.lookup,
                alpha: challenges.alpha,
                log_height: active.log_height,
            };
            ldes.push(self.clock.circuit(Stage::Quotient, index, || {
                let values = self.clock.time(Kernel::Evaluation, || quotient.values());
                let (slices, log_blowup) = (layout.num_slices, key.params().log_blowup);
                let extend = || slices_lde(&self.dft, values, slices, log_blowup);
                self.clock.time(Kernel::Transforms, extend)
            }));
        }
        Ok(self.commit(ldes))
    }

    fn open_values<E: Extension>(
        &self,
        input: ShardInput<'_, CpuKey>,
        committed: &[&CpuCommitted],
        zeta: E,
        bound: Option<E>,
    ) -> Result<(OpenedValues<E>, Self::Points<E>), ProveError> {
        let log_blowup = input.key.verifying_key().params().log_blowup;
        let points = CpuPoints::new(&input.shape.rounds, zeta, bound, log_blowup);
        let values = points.values(&self.opened(input, committed), log_blowup);
        Ok((values, points))
    }

    fn reduce<E: Extension>(
        &self,
        input: ShardInput<'_, CpuKey>,
        committed: &[&CpuCommitted],
        opened: &OpenedValues<E>,
        points: Self::Points<E>,
        alpha: E,
    ) -> Result<Vec<Vec<E>>, ProveError> {
        Ok(points.reduce(&self.opened(input, committed), opened, alpha))
    }

    fn commit_layer<E: Extension>(
        &self,
        codeword: Vec<E>,
        log_arity: usize,
    ) -> Result<Commitment<CpuLayer<E>>, ProveError> {
        let groups = RowMajorMatrix::new(codeword, 1 << log_arity);
        let commit = || layers::<E>().commit_matrix(groups);
        let (cap, tree) = self.clock.time(Kernel::Hashing, commit);
        Ok((cap.roots()[0], CpuLayer(tree)))
    }

    fn fold<E: Extension>(
        &self,
        layer: &CpuLayer<E>,
        beta: E,
        joined: Option<Vec<E>>,
    ) -> Result<Vec<E>, ProveError> {
        let mmcs = layers::<E>();
        let groups: &RowMajorMatrix<E> = mmcs.get_matrices(&layer.0)[0];
        let log_arity = groups.width().ilog2() as usize;
        let folding = TwoAdicFriFolding::<(), ()>(PhantomData);
        let mut folded =
            FriFoldingStrategy::<F, E>::fold_matrix(&folding, beta, log_arity, groups.as_view());
        if let Some(joined) = joined {
            let weight = beta.exp_power_of_2(log_arity);
            let cells = folded.par_iter_mut().zip(&joined);
            cells.for_each(|(cell, &value)| *cell += weight * value);
        }
        Ok(folded)
    }

    fn final_value<E: Extension>(&self, codeword: Vec<E>) -> Result<E, ProveError> {
        Ok(codeword[0])
    }

    fn open_rows(
        &self,
        committed: &CpuCommitted,
        positions: &[usize],
    ) -> Result<OpenedRows<F>, ProveError> {
        let (rows, path) = self.mmcs.open_multi_batch(positions, &committed.0);
        Ok(OpenedRows { rows, path: path.sibling_hashes })
    }

    fn open_layer<E: Extension>(
        &self,
        layer: &CpuLayer<E>,
        positions: &[usize],
    ) -> Result<LayerRows<E>, ProveError> {
        let (rows, path) = layers::<E>().open_multi_batch(positions, &layer.0);
        let rows = rows.into_iter().flatten().collect();
        Ok(LayerRows { rows, path: path.sibling_hashes })
    }

    fn read_metrics(&self, metrics: &mut Metrics) {
        self.clock.read(metrics);
    }
}
