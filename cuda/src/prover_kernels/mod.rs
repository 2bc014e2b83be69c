//! The handwritten kernels of the prover.
//!
//! - [`transform`]: which launches extend columns, and the tables that they read;
//! - [`tree`]: which launches hash the rows of matrices and build a tree;
//! - [`tape`], [`evaluator`]: a circuit's expressions as a device evaluates them;
//! - [`messages`]: which launches compute stage 2 of a circuit, and its terminal;
//! - [`constraints`]: which launches compute the quotient of a circuit, and its slices;
//! - [`openings`]: values at points, and the codewords that they are reduced to;
//! - [`layers`]: trees over codewords, and folds;
//! - [`queries`]: gathering of rows and digests, grinding, columns from rows;
//! - [`image`]: the kernels as the build compiled them; [`load`]: the kernels on a device.
//!
//! A list of [`Launch`]es is a value: tests run it on the host, where the same text is
//! compiled as C++, and a device runs it with [`load::ProverKernels::run`]. `cuda/kernels`
//! has the text, and in its headers the formulas, layouts and floors.

pub mod constraints;
mod digest;
pub mod evaluator;
pub mod image;
pub mod layers;
pub mod load;
pub mod messages;
pub mod openings;
pub mod queries;
mod schedule;
pub mod tape;
pub mod transform;
pub mod tree;

use traceloom_abi::registry::SourceFile;

macro_rules! source {
    ($name:literal) => {
        SourceFile { name: $name, text: include_str!(concat!("../../kernels/", $name)) }
    };
}

/// The text of the kernels: `.cu` files are compiled, `.cuh` files included by name.
pub const SOURCES: [SourceFile; 26] = [
    source!("block.cuh"),
    source!("wide.cuh"),
    source!("steps.cuh"),
    source!("columns.cuh"),
    source!("extend.cuh"),
    source!("blake3.cuh"),
    source!("tree.cuh"),
    source!("element.cuh"),
    source!("inverses.cuh"),
    source!("values.cuh"),
    source!("reduction.cuh"),
    source!("layers.cuh"),
    source!("queries.cuh"),
    source!("sums.cuh"),
    source!("extension.cuh"),
    source!("tape.cuh"),
    source!("messages.cuh"),
    source!("constraints.cuh"),
    source!("columns.cu"),
    source!("extend.cu"),
    source!("tree.cu"),
    source!("points.cu"),
    source!("folding.cu"),
    source!("queries.cu"),
    source!("messages.cu"),
    source!("constraints.cu"),
];

/// Eight bytes of a kernel's parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// As it is.
    Number(u64),
    /// The address of a part of one of the buffers that a launch is run over.
    Part {
        /// Its position among the buffers.
        buffer: usize,
        /// First byte.
        offset: u64,
        /// Bytes that the kernel may touch from there.
        bytes: u64,
    },
}

impl Word {
    /// The part of `count` words from word `first` on.
    #[must_use]
    pub fn words(buffer: usize, first: u64, count: u64) -> Self {
        Self::Part { buffer, offset: 8 * first, bytes: 8 * count }
    }
}

/// A kernel to be run over a grid of blocks; its parameter is a structure of words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Its name.
    pub kernel: String,
    /// Blocks.
    pub blocks: u64,
    /// Threads of a block.
    pub threads: u32,
    /// Bytes of shared memory of a block.
    pub shared_bytes: u32,
    /// Its parameter.
    pub words: Vec<Word>,
}

/// Why there are no launches for a shape.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShapeError {
    /// A matrix has no rows or too many.
    #[error("a height of {height} rows: at least 1 and at most 2^{most} are supported")]
    Height {
        /// Rows.
        height: u64,
        /// Logarithm of the most rows.
        most: u32,
    },
    /// Heights are powers of two.
    #[error("a height of {height} rows is no power of two; pad it")]
    PowerOfTwo {
        /// Rows.
        height: u64,
    },
    /// The blowup is 2 to 16.
    #[error("a blowup of 2^{log_blowup}; 2^1 to 2^4 are supported")]
    Blowup {
        /// Its logarithm.
        log_blowup: u32,
    },
    /// Something has no columns.
    #[error("a matrix of height {height} has no columns; leave it out")]
    NoColumns {
        /// Rows.
        height: u64,
    },
    /// Nothing is committed.
    #[error("a tree has no matrices; commit to at least one")]
    NoMatrices,
    /// A row has more chunks than the kernel's stack has room for.
    #[error("rows of height {height} have {columns} columns; at most {most} are supported")]
    Wide {
        /// Rows.
        height: u64,
        /// Columns of all matrices of this height.
        columns: u64,
        /// The most.
        most: u64,
    },
    /// Columns overlap.
    #[error("columns of {height} rows lie {stride} words apart; at least {height} are needed")]
    Stride {
        /// Rows.
        height: u64,
        /// Words from column to column.
        stride: u64,
    },
    /// Not even one block of rows can be evaluated.
    #[error("a scratch memory of {words} words for registers; at least {least} are needed")]
    Scratch {
        /// Words that there are.
        words: u64,
        /// Words of one block.
        least: u64,
    },
    /// A grid has at most 2^31 - 1 blocks.
    #[error("{columns} columns of {height} rows need {blocks} blocks; extend fewer at a time")]
    Blocks {
        /// Columns.
        columns: u64,
        /// Rows.
        height: u64,
        /// Blocks of the largest launch.
        blocks: u64,
    },
}
