//! The CPU backend, and the reference for every other.

use p3_commit::{Mmcs as _, OpeningRequest, Pcs as _};
use p3_dft::TwoAdicSubgroupDft;
use p3_field::Field;
use p3_matrix::Matrix;
use p3_matrix::bitrev::BitReversibleMatrix;
use p3_matrix::dense::RowMajorMatrix;
use traceloom_air::trace::Trace;

use crate::backend::{Backend, QuotientChallenges, ShardInput, StageTwo};
use crate::metrics::{Kernel, KernelClock, Metrics};
use crate::prove::ProveError;
use crate::quotient::{QuotientInput, slices_lde};
use crate::rows::RowContext;
use crate::scheme::Tree;
use crate::stage_two::stage_two;
use traceloom_verifier::LookupChallenges;
use traceloom_verifier::proof::{OpenedValues, Opening};
use traceloom_verifier::scheme::{Dft, Extension, F, Mmcs, Root, mmcs, pcs};
use traceloom_verifier::shape::RoundKind;
use traceloom_verifier::transcript::Transcript;
use traceloom_verifier::verify::points;

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

impl CpuBackend {
    fn extend(&self, matrix: RowMajorMatrix<F>, log_blowup: usize) -> RowMajorMatrix<F> {
        self.clock.time(Kernel::Transforms, || {
            let lde = self.dft.coset_lde_batch(matrix, log_blowup, F::GENERATOR);
            lde.bit_reverse_rows().to_row_major_matrix()
        })
    }

    fn commit(&self, ldes: Vec<RowMajorMatrix<F>>) -> (Root, CpuCommitted) {
        let (cap, tree) = self.clock.time(Kernel::Hashing, || self.mmcs.commit(ldes));
        (cap.roots()[0], CpuCommitted(tree))
    }

    fn matrices<'a>(&self, committed: &'a CpuCommitted) -> Vec<&'a RowMajorMatrix<F>> {
        self.mmcs.get_matrices(&committed.0)
    }
}

fn context<'a>(
    input: ShardInput<'a>,
    circuit: usize,
    main: &'a [F],
    fixed: &'a [F],
) -> RowContext<'a> {
    let key = input.key.verifying_key();
    RowContext {
        circuit: &key.system().circuits[circuit],
        layout: &key.layouts()[circuit],
        evaluator: &input.key.evaluators[circuit],
        publics: &input.publics[circuit],
        main,
        fixed,
    }
}

impl<E: Extension> Backend<E> for CpuBackend {
    type Committed = CpuCommitted;

    fn commit_main(
        &self,
        input: ShardInput<'_>,
        traces: &[&Trace],
    ) -> Result<(Root, CpuCommitted), ProveError> {
        let log_blowup = input.key.verifying_key().params().log_blowup;
        let extend = |trace: &&Trace| {
            // Room for the extension, so that the transform does not copy again.
            let mut values = Vec::with_capacity(trace.values.len() << log_blowup);
            values.extend_from_slice(&trace.values);
            self.extend(RowMajorMatrix::new(values, trace.width), log_blowup)
        };
        Ok(self.commit(traces.iter().map(extend).collect()))
    }

    fn stage_two(
        &self,
        input: ShardInput<'_>,
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
            let fixed = input.key.fixed[index].as_ref().map_or(&[][..], |table| &table.trace);
            let context = context(input, index, &trace.values, fixed);
            let computed = self.clock.time(Kernel::Evaluation, || stage_two(&context, challenges));
            let (matrix, terminal) = computed.map_err(|row| ProveError::ZeroDenominator {
                shard: input.shard,
                circuit: context.circuit.name.clone(),
                row,
            })?;
            drop(trace);
            terminals.push(terminal);
            ldes.push(self.extend(matrix, key.params().log_blowup));
        }
        let committed = (!ldes.is_empty()).then(|| self.commit(ldes));
        Ok(StageTwo { committed, terminals })
    }

    fn quotient(
        &self,
        input: ShardInput<'_>,
        main: &CpuCommitted,
        stage_two: Option<&CpuCommitted>,
        challenges: &QuotientChallenges<'_, E>,
    ) -> Result<(Root, CpuCommitted), ProveError> {
        let key = input.key.verifying_key();
        let mut ldes = Vec::new();
        let mut stage_two = stage_two.map_or(vec![], |tree| self.matrices(tree)).into_iter();
        let actives = input.shape.active.iter().zip(self.matrices(main));
        for ((active, main), &terminal) in actives.zip(challenges.terminals) {
            let index = active.circuit;
            let layout = &key.layouts()[index];
            let fixed = input.key.fixed[index].as_ref().map(|table| {
                let matrices: Vec<&RowMajorMatrix<F>> = self.mmcs.get_matrices(&table.tree);
                &matrices[0].values
            });
            let stage_two = if layout.groups.is_empty() { None } else { stage_two.next() };
            let quotient = QuotientInput {
                context: context(input, index, &main.values, fixed.map_or(&[], |f| f)),
                stage_two: stage_two.map_or(&[], |matrix| &matrix.values),
                terminal,
                challenges: *challenges.lookup,
                alpha: challenges.alpha,
                log_height: active.log_height,
            };
            let values = self.clock.time(Kernel::Evaluation, || quotient.values());
            let slices = layout.num_slices;
            ldes.push(self.clock.time(Kernel::Transforms, || {
                slices_lde(&self.dft, values, slices, key.params().log_blowup)
            }));
        }
        Ok(self.commit(ldes))
    }

    fn open(
        &self,
        input: ShardInput<'_>,
        committed: &[(RoundKind, CpuCommitted)],
        zeta: E,
        transcript: &mut Transcript,
    ) -> Result<(OpenedValues<E>, Opening<E>), ProveError> {
        let mut requests = Vec::new();
        for round in &input.shape.rounds {
            let tree = match round.kind {
                RoundKind::Fixed(circuit) => input.key.fixed[circuit].as_ref().map(|t| &t.tree),
                kind => committed.iter().find(|(of, _)| *of == kind).map(|(_, tree)| &tree.0),
            };
            let prover_data = tree.expect("every round of the shape was committed");
            let points = round.matrices.iter();
            let points = points.map(|matrix| points_of(zeta, matrix)).collect();
            requests.push(OpeningRequest { prover_data, points });
        }
        let pcs = pcs::<E>(input.key.verifying_key().params());
        let (opened, proof) = pcs
            .open(requests, transcript)
            .map_err(|error| ProveError::Opening { reason: error.to_string() })?;
        Ok((opened, Opening::from_p3(proof)))
    }

    fn read_metrics(&self, metrics: &mut Metrics) {
        self.clock.read(metrics);
    }
}

fn points_of<E: Extension>(zeta: E, matrix: &traceloom_verifier::shape::MatrixShape) -> Vec<E> {
    points(zeta, matrix.log_height, matrix.opens_next)
}
