//! The quotient of one circuit: all its constraints folded with powers of alpha,
//! divided by the vanishing polynomial, cut into coefficient slices.

use p3_dft::TwoAdicSubgroupDft;
use p3_field::{Field, PackedFieldExtension, PackedValue};
use p3_matrix::Matrix;
use p3_matrix::bitrev::BitReversibleMatrix;
use p3_matrix::dense::RowMajorMatrix;
use p3_maybe_rayon::prelude::*;
use p3_util::reverse_slice_index_bits;
use traceloom_air::field::PrimeCharacteristicRing;

use crate::domain::{DomainSelectors, next_row};
use crate::evaluator::{Packed, Part};
use crate::rows::{Fractions, LANES, PackedExt, RowContext, Workspace, gather_extension};
use traceloom_verifier::LookupChallenges;
use traceloom_verifier::scheme::{Dft, Extension, F};

/// Rows per task.
const CHUNK: usize = 256;

/// What a quotient depends on besides the committed main and fixed values, which
/// `RowContext` holds on the committed domain here.
pub(crate) struct QuotientInput<'a, E> {
    pub(crate) context: RowContext<'a>,
    /// Stage 2 on the committed domain, row-major; empty without lookups.
    pub(crate) stage_two: &'a [F],
    pub(crate) terminal: E,
    pub(crate) challenges: LookupChallenges<E>,
    pub(crate) alpha: E,
    pub(crate) log_height: usize,
}

impl<E: Extension> QuotientInput<'_, E> {
    /// Quotient values on the domain of `num_slices·height` points, storage order.
    pub(crate) fn values(&self) -> Vec<E> {
        let layout = self.context.layout;
        let log_slices = layout.num_slices.ilog2() as usize;
        let size = layout.num_slices << self.log_height;
        let selectors = DomainSelectors::new(self.log_height, log_slices);
        let fractions = Fractions::new(self.context.circuit, layout, &self.challenges);
        let num_constraints = layout.num_constraints(self.context.circuit.constraints.len());
        let powers: Vec<PackedExt<E>> =
            self.alpha.powers().take(num_constraints).map(Into::into).collect();
        let mut values = E::zero_vec(size);
        values.par_chunks_mut(CHUNK).enumerate().for_each_init(
            || self.context.workspace::<E>(),
            |workspace, (chunk, values)| {
                for (pack, values) in values.chunks_mut(LANES).enumerate() {
                    let first = chunk * CHUNK + pack * LANES;
                    // Domains smaller than a pack repeat rows in the surplus lanes.
                    let rows = std::array::from_fn(|lane| (first + lane) % size);
                    self.load(workspace, rows, log_slices, &selectors);
                    fractions.fold(workspace);
                    let folded = self.fold(workspace, rows, log_slices, &selectors, &powers);
                    let inverse = selectors.inverse_vanishing[first >> self.log_height];
                    let lanes_differ = (1 << self.log_height) < LANES;
                    for (lane, value) in values.iter_mut().enumerate() {
                        let inverse = if lanes_differ {
                            selectors.inverse_vanishing[rows[lane] >> self.log_height]
                        } else {
                            inverse
                        };
                        *value = folded.extract(lane) * inverse;
                    }
                }
            },
        );
        values
    }

    fn load(
        &self,
        workspace: &mut Workspace<E>,
        rows: [usize; LANES],
        log_slices: usize,
        selectors: &DomainSelectors,
    ) {
        let next = |row| next_row(row, self.log_height, log_slices);
        let pack = |values: &[F]| Packed::from_fn(|lane| values[rows[lane]]);
        let selectors = [pack(&selectors.first), pack(&selectors.transition)];
        self.context.load(workspace, rows, next, selectors);
        self.context.evaluate(workspace, Part::All);
    }

    /// The constraints of one pack, folded.
    fn fold(
        &self,
        workspace: &Workspace<E>,
        rows: [usize; LANES],
        log_slices: usize,
        selectors: &DomainSelectors,
        powers: &[PackedExt<E>],
    ) -> PackedExt<E> {
        let mut folded = PackedExt::<E>::ZERO;
        for (&constraint, &power) in workspace.constraints.iter().zip(powers) {
            folded += power * constraint;
        }
        let groups = workspace.fractions.len();
        if groups == 0 {
            return folded;
        }
        let powers = &powers[workspace.constraints.len()..];
        let width = groups * E::DEGREE;
        let column = |column, rows| gather_extension::<E>(self.stage_two, width, column, rows);
        let first = Packed::from_fn(|lane| selectors.first[rows[lane]]);
        let mut current = column(0, rows);
        folded += powers[0] * (current * first);
        let last = Packed::from_fn(|lane| selectors.last[rows[lane]]);
        let end = rows.map(|row| next_row(row, self.log_height, log_slices));
        let end = column(0, end) + PackedExt::<E>::from(self.terminal) * last;
        for (group, &(numerator, denominator)) in workspace.fractions.iter().enumerate() {
            let next = if group + 1 < groups { column(group + 1, rows) } else { end };
            folded += powers[group + 1] * (denominator * (next - current) - numerator);
            current = next;
        }
        folded
    }
}

/// The committed form of quotient `values`: coefficient slices as extension
/// columns, lowest first, evaluated on the committed domain in storage order.
pub(crate) fn slices_lde<E: Extension>(
    dft: &Dft,
    mut values: Vec<E>,
    num_slices: usize,
    log_blowup: usize,
) -> RowMajorMatrix<F> {
    reverse_slice_index_bits(&mut values);
    let height = values.len() / num_slices;
    let values = RowMajorMatrix::new(E::flatten_to_base(values), E::DEGREE);
    let coefficients = dft.coset_idft_batch(values, F::GENERATOR);
    let width = num_slices * E::DEGREE;
    let mut sliced = F::zero_vec((height << log_blowup) * width);
    for (row, cells) in sliced.chunks_mut(width).take(height).enumerate() {
        for (slice, cells) in cells.chunks_mut(E::DEGREE).enumerate() {
            let from = (slice * height + row) * E::DEGREE;
            cells.copy_from_slice(&coefficients.values[from..][..E::DEGREE]);
        }
    }
    let lde = dft.coset_dft_batch(RowMajorMatrix::new(sliced, width), F::GENERATOR);
    lde.bit_reverse_rows().to_row_major_matrix()
}
