//! Commitments: columns of all matrices of a round in one buffer, extended, with their tree.

use traceloom_verifier::scheme::Root;

use super::clock::Step;
use super::context::Work;
use super::error::Failure;
use crate::device::Buffer;
use crate::prover_kernels::transform::{ColumnsAt, Places};
use crate::prover_kernels::tree::{MatrixAt, Tree, TreePlaces};

/// Words of scratch memory that an extension may use: enough for 16 columns of 2^22 rows.
const SCRATCH_WORDS: u64 = 1 << 26;

/// Logarithm of the rows up to which an extension is one launch, without scratch memory.
const LOG_OF_ONE_LAUNCH: u32 = 12;

/// The committed matrices of one round on the device, with all digests of their tree.
#[derive(Debug)]
pub struct CudaCommitted {
    /// All matrices, columns of values on the committed domain in storage order.
    pub(super) cells: Buffer,
    pub(super) matrices: Vec<MatrixAt>,
    /// Leaves first, the root last.
    pub(super) digests: Buffer,
    pub(super) log_leaves: u32,
    /// The shard; a table of the key has none.
    pub(super) shard: Option<usize>,
}

/// Columns of a chunk, so that its scratch memory stays in bounds.
pub(super) fn chunk(extended_height: u64, width: u64) -> u64 {
    (SCRATCH_WORDS / extended_height).clamp(1, width.max(1))
}

/// A round before its tree is built: its matrices are extended one by one.
pub(super) struct Extending<'a> {
    work: Work<'a>,
    log_blowup: u32,
    cells: Buffer,
    matrices: Vec<MatrixAt>,
    /// For one matrix after the other.
    scratch: Buffer,
}

/// Words of scratch memory with which matrices of these committed heights are extended.
pub(super) fn scratch_words(
    matrices: impl IntoIterator<Item = (u64, u64)>,
    log_blowup: u32,
) -> u64 {
    let words = matrices.into_iter().map(|(width, extended)| {
        let is_split = extended >> log_blowup > 1 << LOG_OF_ONE_LAUNCH;
        if is_split { extended * chunk(extended, width) } else { 0 }
    });
    words.max().unwrap_or(0)
}

impl<'a> Extending<'a> {
    /// Memory for matrices of these widths and log heights.
    pub(super) fn new(
        work: Work<'a>,
        name: &str,
        shapes: impl IntoIterator<Item = (usize, usize)>,
        log_blowup: usize,
    ) -> Result<Self, Failure> {
        let (mut first, mut matrices) = (0, Vec::new());
        for (width, log_height) in shapes {
            let (width, height) = (width as u64, 1 << (log_height + log_blowup));
            matrices.push(MatrixAt { first, width, stride: height, height });
            first += width * height;
        }
        let (cells, log_blowup) = (work.buffer(name, first)?, log_blowup as u32);
        let of_scratch = matrices.iter().map(|matrix| (matrix.width, matrix.height));
        let scratch = scratch_words(of_scratch, log_blowup);
        let scratch = work.buffer("scratch of extensions", scratch)?;
        Ok(Self { work, log_blowup, cells, matrices, scratch })
    }

    /// Extends the columns in `from`, values on the trace domain, to matrix `index`. `work` says
    /// what that is counted under.
    pub(super) fn extend(
        &self,
        work: Work<'_>,
        index: usize,
        from: &Buffer,
    ) -> Result<(), Failure> {
        let to = self.matrices[index];
        let log_height = to.height.ilog2() - self.log_blowup;
        let tables = work.tables(log_height, self.log_blowup)?;
        let chunk = chunk(to.height, to.width);
        let places = Places {
            from: ColumnsAt { buffer: 0, first: 0, stride: 1 << log_height },
            to: ColumnsAt { buffer: 1, first: to.first, stride: to.stride },
            tables: 2,
            factors: 3,
            scratch: 4,
            chunk,
        };
        let launches = tables.extension.launches(&places, to.width)?;
        let buffers = [from, &self.cells, &tables.tables, &tables.factors, &self.scratch];
        let bytes = 8 * to.width * ((1 << log_height) + to.height);
        work.run((Step::Extension, bytes), &launches, &buffers)
    }

    /// Builds the tree and reads its root.
    pub(super) fn finish(self, shard: Option<usize>) -> Result<(Root, CudaCommitted), Failure> {
        let Self { work, cells, matrices, scratch, .. } = self;
        drop(scratch);
        let tree = Tree::new(&matrices)?;
        let list = work.upload("list of matrices", tree.list())?;
        let digests = work.buffer("digests", tree.digest_bytes() / 8)?;
        let scratch = work.buffer("leaves of lower matrices", tree.scratch_bytes() / 8)?;
        let places = TreePlaces { matrices: 0, list: 1, digests: 2, scratch: 3 };
        let buffers = [&cells, &list, &digests, &scratch];
        work.run((Step::Tree, tree.bytes()), &tree.launches(&places), &buffers)?;
        let root = digest(work, &digests, tree.root_at() / 32)?;
        let heights = matrices.iter().map(|matrix| matrix.height.ilog2());
        let log_leaves = heights.max().unwrap_or(0);
        Ok((root, CudaCommitted { cells, matrices, digests, log_leaves, shard }))
    }
}

/// Reads the digest with this index.
pub(super) fn digest(work: Work<'_>, digests: &Buffer, index: u64) -> Result<Root, Failure> {
    let words = work.read(digests, 4 * index, 4)?;
    Ok(root_of(&words))
}

/// The digest of four words.
pub(super) fn root_of(words: &[u64]) -> Root {
    let mut root = Root::default();
    for (bytes, word) in root.chunks_mut(8).zip(words) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    root
}
