//! Rows at query positions, and the digests that complete their pruned paths.

use std::collections::BTreeSet;

use traceloom_air::field::element;
use traceloom_verifier::proof::OpenedRows;
use traceloom_verifier::scheme::{F, Root};

use super::clock::Step;
use super::commit::{CudaCommitted, root_of};
use super::context::Work;
use super::error::Failure;
use crate::device::Buffer;
use crate::prover_kernels::queries::{Gather, GatherColumn, GatherPlaces};

/// Gathers words from a buffer and reads them, by row and column.
pub(super) fn gathered(
    work: Work<'_>,
    base: &Buffer,
    gather: &Gather,
) -> Result<Vec<u64>, Failure> {
    if gather.words() == 0 {
        return Ok(Vec::new());
    }
    let list = work.upload("list of queries", &gather.list())?;
    let to = work.buffer("opened rows", gather.words())?;
    let places = GatherPlaces { base: 0, base_words: base.bytes() / 8, list: 1, to: 2 };
    let step = (Step::Gathering, 16 * gather.words() + list.bytes());
    work.run(step, &[gather.launch(&places)], &[base, &list, &to])?;
    work.read(&to, 0, gather.words())
}

/// The rows of all matrices of a commitment at `positions` of its tallest, with their path.
pub(super) fn opened_rows(
    work: Work<'_>,
    committed: &CudaCommitted,
    positions: &[usize],
) -> Result<OpenedRows<F>, Failure> {
    let columns = committed.matrices.iter().flat_map(|matrix| {
        let shift = u64::from(committed.log_leaves - matrix.height.ilog2());
        let first = move |column| matrix.first + column * matrix.stride;
        let column = move |column| GatherColumn { first: first(column), shift, scale: 1 };
        (0..matrix.width).map(column)
    });
    let rows = positions.iter().map(|&position| position as u64).collect();
    let gather = Gather { rows, columns: columns.collect() };
    let words = gathered(work, &committed.cells, &gather)?;
    let row = |mut words: &[u64]| {
        let of_matrix = committed.matrices.iter().map(|matrix| {
            let (of_matrix, rest) = words.split_at(matrix.width as usize);
            words = rest;
            of_matrix.iter().map(|&word| element(word)).collect()
        });
        of_matrix.collect()
    };
    let rows = words.chunks(gather.columns.len()).map(row).collect();
    let path = path(work, &committed.digests, committed.log_leaves, positions)?;
    Ok(OpenedRows { rows, path })
}

/// The digests that complete the paths of all `positions` of a tree of `2^log_leaves` leaves:
/// level by level, by ascending position.
pub(super) fn path(
    work: Work<'_>,
    digests: &Buffer,
    log_leaves: u32,
    positions: &[usize],
) -> Result<Vec<Root>, Failure> {
    let columns = (0..4).map(|first| GatherColumn { first, shift: 0, scale: 4 }).collect();
    let gather = Gather { rows: unknown_nodes(log_leaves, positions), columns };
    let words = gathered(work, digests, &gather)?;
    Ok(words.chunks(4).map(root_of).collect())
}

/// Indices of these digests, leaves first, level behind level.
fn unknown_nodes(log_leaves: u32, positions: &[usize]) -> Vec<u64> {
    let mut known: BTreeSet<u64> = positions.iter().map(|&position| position as u64).collect();
    let (mut nodes, mut first) = (Vec::new(), 0);
    for level in 0..log_leaves {
        let siblings = known.iter().map(|node| node ^ 1);
        nodes.extend(siblings.filter(|node| !known.contains(node)).map(|node| first + node));
        known = known.iter().map(|node| node >> 1).collect();
        first += 1 << (log_leaves - level);
    }
    nodes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_that_no_position_covers_are_listed_by_level() {
        // Leaves 0 to 7, then 8 to 11, then 12 and 13, then the root 14.
        assert_eq!(unknown_nodes(3, &[2]), [3, 8, 13]);
        assert_eq!(unknown_nodes(3, &[5, 2, 5]), [3, 4, 8, 11]);
        assert_eq!(unknown_nodes(3, &[0, 1, 2, 3]), [13]);
        assert_eq!(unknown_nodes(0, &[0]), [0; 0]);
    }
}
