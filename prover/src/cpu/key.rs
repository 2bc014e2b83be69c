//! Preprocessed tables and compiled expressions, as the CPU backend keeps them.

use p3_matrix::dense::RowMajorMatrix;
use traceloom_air::bytes::ByteTable;
use traceloom_air::field::element;
use traceloom_verifier::VerifyingKey;
use traceloom_verifier::scheme::{F, Root};

use super::{CpuBackend, CpuCommitted};
use crate::evaluator::CompiledEvaluator;

/// What the CPU backend keeps of a system.
pub struct CpuKey {
    /// One entry per circuit of the system.
    pub(crate) fixed: Vec<Option<FixedTable>>,
    /// One evaluator per circuit of the system.
    pub(crate) evaluators: Vec<CompiledEvaluator>,
}

/// A preprocessed table.
pub(crate) struct FixedTable {
    /// Rows on the trace domain.
    pub(crate) trace: Vec<F>,
    pub(crate) root: Root,
    pub(crate) committed: CpuCommitted,
}

impl CpuKey {
    pub(super) fn new(backend: &CpuBackend, key: &VerifyingKey) -> Self {
        let log_blowup = key.params().log_blowup;
        let (mut fixed, mut evaluators) = (Vec::new(), Vec::new());
        for (circuit, layout) in key.system().circuits.iter().zip(key.layouts()) {
            evaluators.push(CompiledEvaluator::new(circuit, layout));
            let table = circuit.preprocessed();
            fixed.push(table.map(|table| FixedTable::new(backend, table, log_blowup)));
        }
        Self { fixed, evaluators }
    }
}

impl FixedTable {
    fn new(backend: &CpuBackend, table: ByteTable, log_blowup: usize) -> Self {
        let trace: Vec<F> = table.preprocessed().into_iter().map(element).collect();
        let matrix = RowMajorMatrix::new(trace.clone(), table.preprocessed_width());
        let (root, committed) = backend.commit(vec![backend.extend(matrix, log_blowup)]);
        Self { trace, root, committed }
    }
}

#[cfg(test)]
mod tests {
    use traceloom_verifier::fixed::fixed_root;

    use super::*;

    #[test]
    fn roots_of_fixed_tables_are_the_constants_of_the_protocol() {
        let backend = CpuBackend::default();
        for table in ByteTable::ALL {
            for log_blowup in 1..=4 {
                let root = FixedTable::new(&backend, table, log_blowup).root;
                let expected = fixed_root(table, log_blowup);
                assert_eq!(root, expected, "{table:?}, {log_blowup}: {root:?}");
            }
        }
    }
}
