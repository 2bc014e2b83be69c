//! What the prover keeps of a system beside the verifying key.

use std::sync::Arc;

use traceloom_air::fixed::Fixed;
use traceloom_air::system::System;
use traceloom_verifier::fixed::commit_fixed;
use traceloom_verifier::scheme::F;
use traceloom_verifier::{KeyError, Params, VerifyingKey};

use crate::evaluator::{CompiledEvaluator, Evaluator};
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
    pub(crate) evaluators: Vec<Arc<dyn Evaluator>>,
}

impl ProvingKey {
    /// Analyses `system`, commits to its fixed tables and compiles its expressions.
    ///
    /// # Errors
    /// As [`VerifyingKey::new`].
    pub fn new(system: &System, params: &Params) -> Result<Self, KeyError> {
        let verifying = VerifyingKey::new(system, params)?;
        let mut fixed = Vec::new();
        let mut evaluators: Vec<Arc<dyn Evaluator>> = Vec::new();
        for (circuit, layout) in system.circuits.iter().zip(verifying.layouts()) {
            evaluators.push(Arc::new(CompiledEvaluator::new(circuit, layout)));
            let table = circuit.fixed().and_then(|table| fixed_table(table, params.log_blowup));
            fixed.push(table);
        }
        Ok(Self { verifying, fixed, evaluators })
    }

    /// The part that verifiers have.
    #[must_use]
    pub const fn verifying_key(&self) -> &VerifyingKey {
        &self.verifying
    }

    /// Replaces the compiled expressions of circuit `circuit` by another evaluator
    /// of the same expressions. Proof bytes do not depend on it.
    ///
    /// # Panics
    /// If there is no such circuit.
    pub fn set_evaluator(&mut self, circuit: usize, evaluator: Arc<dyn Evaluator>) {
        self.evaluators[circuit] = evaluator;
    }
}

/// The fixed columns of a circuit whose system has a verifying key, so that their cells
/// are there and as many as they should be.
fn fixed_table(fixed: Fixed<'_>, log_blowup: usize) -> Option<FixedTable> {
    let trace = fixed.cells()?.into_owned();
    let (_, tree) = commit_fixed(trace.clone(), fixed.width(), log_blowup);
    Some(FixedTable { trace, tree })
}

#[cfg(test)]
mod tests {
    use traceloom_air::bytes::ByteTable;
    use traceloom_verifier::fixed::fixed_root;

    use super::*;

    #[test]
    fn roots_of_fixed_tables_are_the_constants_of_the_protocol() {
        for table in ByteTable::ALL {
            for log_blowup in 1..=4 {
                let cells = Fixed::Bytes(table).cells().unwrap().into_owned();
                let (root, _) = commit_fixed(cells, table.preprocessed_width(), log_blowup);
                assert_eq!(
                    root,
                    fixed_root(table, log_blowup),
                    "{table:?}, {log_blowup}: {root:?}"
                );
            }
        }
    }
}
