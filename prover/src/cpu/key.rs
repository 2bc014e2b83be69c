//! Fixed columns and compiled expressions, as the CPU backend keeps them.

use p3_matrix::dense::RowMajorMatrix;
use traceloom_air::fixed::Fixed;
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

/// The fixed columns of a circuit.
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
            let columns = circuit.fixed();
            fixed.push(columns.and_then(|fixed| FixedTable::new(backend, fixed, log_blowup)));
        }
        Self { fixed, evaluators }
    }
}

impl FixedTable {
    /// `None` if the system came without the cells, which is for verifiers only.
    fn new(backend: &CpuBackend, fixed: Fixed<'_>, log_blowup: usize) -> Option<Self> {
        let trace: Vec<F> = fixed.cells()?.into_owned();
        let matrix = RowMajorMatrix::new(trace.clone(), fixed.width());
        let (root, committed) = backend.commit(vec![backend.extend(matrix, log_blowup)]);
        Some(Self { trace, root, committed })
    }
}

#[cfg(test)]
mod tests {
    use traceloom_air::bytes::ByteTable;
    use traceloom_verifier::fixed::fixed_root;

    use super::*;

    #[test]
    fn roots_of_fixed_tables_are_the_constants_of_the_protocol() {
        let backend = CpuBackend::default();
        for table in ByteTable::ALL {
            for log_blowup in 1..=4 {
                let made = FixedTable::new(&backend, Fixed::Bytes(table), log_blowup);
                let root = made.expect("a byte table has its cells").root;
                let expected = fixed_root(table, log_blowup);
                assert_eq!(root, expected, "{table:?}, {log_blowup}: {root:?}");
            }
        }
    }
}
