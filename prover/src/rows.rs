//! Packs of rows: gathering cells, and folding messages into fingerprints.

use p3_field::{ExtensionField, PackedFieldExtension, PackedValue};
use traceloom_air::field::PrimeCharacteristicRing;
use traceloom_air::system::{Circuit, Direction};

use crate::evaluator::{CellLayout, CompiledEvaluator, Outputs, Packed, Part};
use traceloom_verifier::LookupChallenges;
use traceloom_verifier::layout::{CircuitLayout, constant, signed};
use traceloom_verifier::scheme::{Extension, F};

/// One extension element per lane.
pub(crate) type PackedExt<E> = <E as ExtensionField<F>>::ExtensionPacking;

/// Rows per pack.
pub(crate) const LANES: usize = Packed::WIDTH;

/// A circuit as both passes over its rows see it.
pub(crate) struct RowContext<'a> {
    pub(crate) circuit: &'a Circuit,
    pub(crate) layout: &'a CircuitLayout,
    pub(crate) evaluator: &'a CompiledEvaluator,
    pub(crate) publics: &'a [F],
    /// Main values, row-major.
    pub(crate) main: &'a [F],
    /// Fixed values, row-major; empty without fixed columns.
    pub(crate) fixed: &'a [F],
}

/// One thread's buffers.
pub(crate) struct Workspace<E: Extension> {
    pub(crate) cells: Vec<Packed>,
    pub(crate) constraints: Vec<Packed>,
    multiplicities: Vec<Packed>,
    arguments: Vec<Packed>,
    /// Numerator and denominator of each group's fraction.
    pub(crate) fractions: Vec<(PackedExt<E>, PackedExt<E>)>,
}

/// The lookups of a circuit, with the challenges applied to all that is constant.
pub(crate) struct Fractions<E: Extension> {
    lookups: Vec<FoldedLookup<E>>,
    groups: Vec<std::ops::Range<usize>>,
}

struct FoldedLookup<E: Extension> {
    pull: bool,
    /// beta and the constant arguments.
    constant: PackedExt<E>,
    /// Argument index and power of gamma of the others.
    arguments: Vec<(usize, PackedExt<E>)>,
}

impl<E: Extension> Fractions<E> {
    pub(crate) fn new(
        circuit: &Circuit,
        layout: &CircuitLayout,
        challenges: &LookupChallenges<E>,
    ) -> Self {
        let mut first_argument = 0;
        let lookups = circuit.lookups.iter().map(|lookup| {
            let mut sum = challenges.beta;
            let mut arguments = Vec::new();
            let mut power = E::ONE;
            for (index, &argument) in (first_argument..).zip(&lookup.arguments) {
                match constant(&circuit.arena, argument) {
                    Some(value) => sum += power * value,
                    None => arguments.push((index, power.into())),
                }
                power *= challenges.gamma;
            }
            first_argument += lookup.arguments.len();
            let pull = lookup.direction == Direction::Pull;
            FoldedLookup { pull, constant: sum.into(), arguments }
        });
        Self { lookups: lookups.collect(), groups: layout.groups.clone() }
    }

    /// Adds the fractions of each group from the evaluated lookups.
    pub(crate) fn fold(&self, workspace: &mut Workspace<E>) {
        for (group, out) in self.groups.iter().zip(&mut workspace.fractions) {
            let mut sum: Option<(PackedExt<E>, PackedExt<E>)> = None;
            for index in group.clone() {
                let lookup = &self.lookups[index];
                let mut denominator = lookup.constant;
                for &(argument, power) in &lookup.arguments {
                    denominator += power * workspace.arguments[argument];
                }
                let multiplicity = signed(workspace.multiplicities[index], lookup.pull);
                sum = Some(match sum {
                    None => (multiplicity.into(), denominator),
                    Some((n, d)) => (n * denominator + d * multiplicity, d * denominator),
                });
            }
            *out = sum.expect("a group has lookups");
        }
    }
}

impl<'a> RowContext<'a> {
    pub(crate) fn workspace<E: Extension>(&self) -> Workspace<E> {
        let cells = CellLayout::new(self.circuit, self.layout);
        let mut values = vec![Packed::ZERO; cells.scratch + self.evaluator.scratch_len()];
        for (cell, &public) in values[cells.publics..].iter_mut().zip(self.publics) {
            *cell = public.into();
        }
        self.evaluator.prepare(&mut values[cells.scratch..]);
        let arguments = self.circuit.lookups.iter().map(|lookup| lookup.arguments.len()).sum();
        let zero = PackedExt::<E>::ZERO;
        Workspace {
            cells: values,
            constraints: vec![Packed::ZERO; self.circuit.constraints.len()],
            multiplicities: vec![Packed::ZERO; self.circuit.lookups.len()],
            arguments: vec![Packed::ZERO; arguments],
            fractions: vec![(zero, zero); self.layout.groups.len()],
        }
    }

    /// Loads the rows with these storage indices, and the rows after them.
    pub(crate) fn load<E: Extension>(
        &self,
        workspace: &mut Workspace<E>,
        rows: [usize; LANES],
        next: impl Fn(usize) -> usize,
        selectors: [Packed; 2],
    ) {
        let cells = CellLayout::new(self.circuit, self.layout);
        let width = self.circuit.width;
        gather(&mut workspace.cells[..width], self.main, rows);
        if self.layout.reads_next {
            gather(&mut workspace.cells[cells.next..cells.fixed], self.main, rows.map(next));
        }
        gather(&mut workspace.cells[cells.fixed..cells.publics], self.fixed, rows);
        workspace.cells[cells.selectors..cells.scratch].copy_from_slice(&selectors);
    }

    pub(crate) fn evaluate<E: Extension>(&self, workspace: &mut Workspace<E>, part: Part) {
        let mut outputs = Outputs {
            constraints: match part {
                Part::All => &mut workspace.constraints,
                Part::Lookups => &mut [],
            },
            multiplicities: &mut workspace.multiplicities,
            arguments: &mut workspace.arguments,
        };
        self.evaluator.evaluate(part, &mut workspace.cells, &mut outputs);
    }
}

/// Transposes rows of a row-major matrix of `cells.len()` columns into packs.
fn gather(cells: &mut [Packed], matrix: &[F], rows: [usize; LANES]) {
    let width = cells.len();
    let rows = rows.map(|row| &matrix[row * width..][..width]);
    for (column, cell) in cells.iter_mut().enumerate() {
        *cell = Packed::from_fn(|lane| rows[lane][column]);
    }
}

/// One extension column of a flattened row-major matrix with `width` base columns.
pub(crate) fn gather_extension<E: Extension>(
    matrix: &[F],
    width: usize,
    column: usize,
    rows: [usize; LANES],
) -> PackedExt<E> {
    let first = column * E::DEGREE;
    PackedExt::<E>::from_ext_fn(|lane| {
        let row = &matrix[rows[lane] * width + first..];
        E::from_basis_coefficients_fn(|i| row[i])
    })
}
