//! Generated evaluators in the form that the prover takes.

use traceloom_abi::evaluate::{self, Cells, Evaluator};
use traceloom_air::field::Packed;
use traceloom_prover::evaluator::{self, CellLayout, Outputs, Part};

/// A generated evaluator over the prover's cells.
#[derive(Clone, Copy, Debug)]
pub struct GeneratedEvaluator {
    /// What was generated.
    pub evaluator: Evaluator<Packed>,
    /// Where the cells of its circuit are.
    pub layout: CellLayout,
}

impl evaluator::Evaluator for GeneratedEvaluator {
    fn scratch_len(&self) -> usize {
        self.evaluator.scratch_len
    }

    /// Nothing: constants are in the code.
    fn prepare(&self, _: &mut [Packed]) {}

    fn evaluate(&self, part: Part, cells: &mut [Packed], outputs: &mut Outputs<'_>) {
        let CellLayout { next, fixed, publics, selectors, scratch } = self.layout;
        let (cells, scratch) = cells.split_at_mut(scratch);
        let cells = Cells {
            main: &cells[..next],
            next: &cells[next..fixed],
            fixed: &cells[fixed..publics],
            publics: &cells[publics..selectors],
            is_first_row: cells[selectors],
            is_transition: cells[selectors + 1],
        };
        let mut outputs = evaluate::Outputs {
            constraints: &mut *outputs.constraints,
            multiplicities: &mut *outputs.multiplicities,
            arguments: &mut *outputs.arguments,
        };
        if part == Part::All {
            (self.evaluator.constraints)(&cells, scratch, &mut outputs);
        }
        (self.evaluator.lookups)(&cells, scratch, &mut outputs);
    }
}
