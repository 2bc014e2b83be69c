//! What the prover keeps of a system beside the verifying key.

use p3_commit::Mmcs as _;
use p3_dft::TwoAdicSubgroupDft;
use p3_field::Field;
use p3_matrix::Matrix;
use p3_matrix::bitrev::BitReversibleMatrix;
use p3_matrix::dense::RowMajorMatrix;
use traceloom_air::bytes::ByteTable;
use traceloom_air::field::element;
use traceloom_air::system::System;
use traceloom_verifier::scheme::{Dft, F, Root, mmcs};
use traceloom_verifier::{KeyError, Params, VerifyingKey};

use crate::evaluator::CompiledEvaluator;
use crate::scheme::Tree;

/// A fixed table, as the prover keeps it.
pub(crate) struct FixedTable {
    /// Rows on the trace domain.
    pub(crate) trace: Vec<F>,
    /// Committed values.
    pub(crate) tree: Tree,
}

/// A verifying key and what the prover keeps beside it.
pub struct ProvingKey {
    verifying: VerifyingKey,
    pub(crate) fixed: Vec<Option<FixedTable>>,
    pub(crate) evaluators: Vec<CompiledEvaluator>,
}

impl ProvingKey {
    /// Analyses `system`, commits to its fixed tables and compiles its expressions.
    ///
    /// # Errors
    /// As [`VerifyingKey::new`].
    pub fn new(system: &System, params: &Params) -> Result<Self, KeyError> {
        let verifying = VerifyingKey::new(system, params)?;
        let mut fixed = Vec::new();
        let mut evaluators = Vec::new();
        for (circuit, layout) in system.circuits.iter().zip(verifying.layouts()) {
            evaluators.push(CompiledEvaluator::new(circuit, layout));
            let table = circuit.preprocessed().map(|table| commit_fixed(table, params.log_blowup));
            fixed.push(table.map(|(_, table)| table));
        }
        Ok(Self { verifying, fixed, evaluators })
    }

    /// The part that verifiers have.
    #[must_use]
    pub const fn verifying_key(&self) -> &VerifyingKey {
        &self.verifying
    }
}

fn commit_fixed(table: ByteTable, log_blowup: usize) -> (Root, FixedTable) {
    let trace: Vec<F> = table.preprocessed().into_iter().map(element).collect();
    let matrix = RowMajorMatrix::new(trace.clone(), table.preprocessed_width());
    let lde = Dft::default().coset_lde_batch(matrix, log_blowup, F::GENERATOR);
    let (cap, tree) = mmcs().commit_matrix(lde.bit_reverse_rows().to_row_major_matrix());
    (cap.roots()[0], FixedTable { trace, tree })
}

#[cfg(test)]
mod tests {
    use traceloom_verifier::fixed::fixed_root;

    use super::*;

    #[test]
    fn roots_of_fixed_tables_are_the_constants_of_the_protocol() {
        for table in ByteTable::ALL {
            for log_blowup in 1..=4 {
                let (root, _) = commit_fixed(table, log_blowup);
                assert_eq!(
                    root,
                    fixed_root(table, log_blowup),
                    "{table:?}, {log_blowup}: {root:?}"
                );
            }
        }
    }
}
