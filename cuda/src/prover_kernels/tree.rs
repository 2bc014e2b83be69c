//! Merkle trees: launches, and the list of matrices that they read. The header of
//! `cuda/kernels/tree.cuh` has the formulas.

use std::collections::BTreeMap;

use super::{Launch, ShapeError, Word};

/// Logarithm of the most rows that a matrix may have.
pub const MOST_LOG_HEIGHT: u32 = 32;
/// Columns of one height that fill 2^20 chunks.
const MOST_COLUMNS: u64 = 128 << 20;

const LEAF_THREADS: u64 = 128;
const NODE_THREADS: u64 = 256;
/// Words of a chunk of BLAKE3.
const CHUNK_WORDS: u64 = 128;
/// Layers that a block of 256 threads computes.
const MOST_LAYERS: u64 = 9;
const DIGEST_BYTES: u64 = 32;

/// A column-major matrix in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatrixAt {
    /// Word of the first cell.
    pub first: u64,
    /// Columns.
    pub width: u64,
    /// Words from column to column.
    pub stride: u64,
    /// Rows.
    pub height: u64,
}

impl MatrixAt {
    /// The part of buffer `buffer` that it covers, for a kernel's parameter.
    #[must_use]
    pub fn part(&self, buffer: usize) -> Word {
        Word::words(buffer, self.first, (self.width - 1) * self.stride + self.height)
    }
}

/// A tree over matrices of one buffer.
#[derive(Clone, Debug)]
pub struct Tree {
    /// By height: words of all columns, and the positions of the matrices in the list.
    groups: BTreeMap<u64, Group>,
    list: Vec<u64>,
    /// Words of the buffer up to the last cell.
    end: u64,
    log_height: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Group {
    num_words: u64,
    first: u64,
    count: u64,
}

/// Where a tree reads and writes: positions among the buffers of its launches.
#[derive(Clone, Copy, Debug)]
pub struct TreePlaces {
    /// Buffer of the matrices.
    pub matrices: usize,
    /// Buffer with [`Tree::list`].
    pub list: usize,
    /// Buffer of [`Tree::digest_bytes`]: layers, leaves first, the root last.
    pub digests: usize,
    /// Buffer of [`Tree::scratch_bytes`].
    pub scratch: usize,
}

impl Tree {
    /// Over these matrices in the order of commitment.
    ///
    /// # Errors
    /// [`ShapeError`].
    pub fn new(matrices: &[MatrixAt]) -> Result<Self, ShapeError> {
        let mut by_height: BTreeMap<u64, Vec<&MatrixAt>> = BTreeMap::new();
        for matrix in matrices {
            let MatrixAt { height, stride, .. } = *matrix;
            check(matrix)?;
            if stride < height {
                return Err(ShapeError::Stride { height, stride });
            }
            by_height.entry(height).or_default().push(matrix);
        }
        let Some((&tallest, _)) = by_height.last_key_value() else {
            return Err(ShapeError::NoMatrices);
        };
        let (mut groups, mut list, mut end) = (BTreeMap::new(), Vec::new(), 0);
        for (&height, of_height) in &by_height {
            let first = list.len() as u64;
            let num_words = of_height.iter().map(|matrix| matrix.width).sum();
            if num_words > MOST_COLUMNS {
                let most = MOST_COLUMNS;
                return Err(ShapeError::Wide { height, columns: num_words, most });
            }
            for matrix in of_height {
                list.extend([matrix.first, matrix.width, matrix.stride]);
                end = end.max(matrix.first + (matrix.width - 1) * matrix.stride + height);
            }
            groups.insert(height, Group { num_words, first, count: of_height.len() as u64 });
        }
        Ok(Self { groups, list, end, log_height: tallest.ilog2() })
    }

    /// What the buffer of the list has.
    #[must_use]
    pub fn list(&self) -> &[u64] {
        &self.list
    }

    /// Bytes of all digests: two per leaf but one.
    #[must_use]
    pub fn digest_bytes(&self) -> u64 {
        DIGEST_BYTES * ((2 << self.log_height) - 1)
    }

    /// Byte of the root among the digests.
    #[must_use]
    pub fn root_at(&self) -> u64 {
        self.digest_bytes() - DIGEST_BYTES
    }

    /// Bytes of leaves of matrices that are not the tallest, one height at a time; 0 if
    /// there are none.
    #[must_use]
    pub fn scratch_bytes(&self) -> u64 {
        let shorter = self.groups.range(..1 << self.log_height).next_back();
        shorter.map_or(0, |(height, _)| DIGEST_BYTES * height)
    }

    /// Bytes that building it moves at least: cells once, digests written and read once.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let cells: u64 =
            self.groups.iter().map(|(height, group)| 8 * height * group.num_words).sum();
        cells + 2 * self.digest_bytes()
    }

    /// Compressions of BLAKE3: the unit of the issue floor.
    #[must_use]
    pub fn compressions(&self) -> u64 {
        let leaves = self.groups.iter().map(|(height, group)| {
            height * (group.num_words.div_ceil(8) + group.num_words.div_ceil(CHUNK_WORDS) - 1)
        });
        let injected: u64 =
            self.groups.range(..1 << self.log_height).map(|(height, _)| height).sum();
        leaves.sum::<u64>() + (1 << self.log_height) - 1 + injected
    }

    /// Builds it.
    #[must_use]
    pub fn launches(&self, places: &TreePlaces) -> Vec<Launch> {
        let tallest = 1_u64 << self.log_height;
        let mut launches = vec![self.leaves(places, tallest, places.digests)];
        let (mut layer, mut at) = (tallest, 0);
        while layer > 1 {
            let num_nodes = layer / 2;
            let is_injected = self.groups.contains_key(&num_nodes);
            if is_injected {
                launches.push(self.leaves(places, num_nodes, places.scratch));
            }
            // Layers up to the one that the next matrices have the height of.
            let above = match self.groups.range(..num_nodes).next_back() {
                Some((next, _)) => (num_nodes / next).ilog2(),
                None => num_nodes.ilog2() + 1,
            };
            let layers = u64::from(above).min(MOST_LAYERS);
            launches.push(nodes(places, at, num_nodes, layers, is_injected));
            for _ in 0..layers {
                at += DIGEST_BYTES * layer;
                layer /= 2;
            }
        }
        launches
    }

    /// Hashes the rows of one height into a buffer.
    fn leaves(&self, places: &TreePlaces, height: u64, digests: usize) -> Launch {
        let group = self.groups[&height];
        let kernel =
            if group.num_words > CHUNK_WORDS { "tl_tree_wide_leaves" } else { "tl_tree_leaves" };
        Launch {
            kernel: kernel.into(),
            blocks: height.div_ceil(LEAF_THREADS),
            threads: LEAF_THREADS as u32,
            shared_bytes: 0,
            words: vec![
                Word::words(places.matrices, 0, self.end),
                Word::words(places.list, group.first, 3 * group.count),
                Word::Part { buffer: digests, offset: 0, bytes: DIGEST_BYTES * height },
                Word::Number(group.num_words),
                Word::Number(height),
            ],
        }
    }
}

/// Builds what is above `2^log_leaves` leaves, at the begin of buffer `digests`, behind them.
pub(super) fn plain_nodes(digests: usize, log_leaves: u32) -> Vec<Launch> {
    let places = TreePlaces { matrices: digests, list: digests, digests, scratch: digests };
    let (mut launches, mut layer, mut at) = (Vec::new(), 1_u64 << log_leaves, 0);
    while layer > 1 {
        let num_nodes = layer / 2;
        let layers = u64::from(num_nodes.ilog2() + 1).min(MOST_LAYERS);
        launches.push(nodes(&places, at, num_nodes, layers, false));
        for _ in 0..layers {
            at += DIGEST_BYTES * layer;
            layer /= 2;
        }
    }
    launches
}

/// Layers from the children at byte `at` on.
fn nodes(places: &TreePlaces, at: u64, num_nodes: u64, layers: u64, is_injected: bool) -> Launch {
    let part = |buffer, offset, bytes| Word::Part { buffer, offset, bytes };
    let above: u64 = (0..layers).map(|layer| DIGEST_BYTES * (num_nodes >> layer)).sum();
    let children = 2 * DIGEST_BYTES * num_nodes;
    Launch {
        kernel: "tl_tree_nodes".into(),
        blocks: num_nodes.div_ceil(NODE_THREADS),
        threads: NODE_THREADS as u32,
        shared_bytes: 0,
        words: vec![
            part(places.digests, at, children),
            part(places.digests, at + children, above),
            match is_injected {
                true => part(places.scratch, 0, DIGEST_BYTES * num_nodes),
                false => Word::Number(0),
            },
            Word::Number(num_nodes),
            Word::Number(layers),
        ],
    }
}

fn check(matrix: &MatrixAt) -> Result<(), ShapeError> {
    let MatrixAt { width, height, .. } = *matrix;
    if height == 0 || height > 1 << MOST_LOG_HEIGHT {
        return Err(ShapeError::Height { height, most: MOST_LOG_HEIGHT });
    }
    if !height.is_power_of_two() {
        return Err(ShapeError::PowerOfTwo { height });
    }
    match width {
        0 => Err(ShapeError::NoColumns { height }),
        _ => Ok(()),
    }
}
