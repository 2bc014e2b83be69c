//! Main traces in the memory of a device: born there, or brought from the host.

use rayon::prelude::*;
use traceloom_air::field::{Goldilocks, word};
use traceloom_prover::backend::MainTrace;

use super::clock::Step;
use super::context::Work;
use super::error::Failure;
use crate::device::Buffer;
use crate::prover_kernels::queries::transpose;

/// Cells that one task converts.
const TASK: usize = 1 << 14;

/// A main trace on the device, column-major: column `c` of row `r` is word `c · height + r`.
#[derive(Debug)]
pub struct CudaTrace {
    pub(super) cells: Buffer,
    pub(super) width: usize,
    pub(super) height: usize,
}

impl CudaTrace {
    /// Over cells that lie there.
    pub(crate) fn born(cells: Buffer, width: usize, height: usize) -> Self {
        Self { cells, width, height }
    }
}

impl MainTrace for CudaTrace {
    fn width(&self) -> usize {
        self.width
    }

    fn num_cells(&self) -> usize {
        self.width * self.height
    }
}

/// Brings row-major cells to the device, as columns.
pub(super) fn uploaded(
    work: Work<'_>,
    circuit: &str,
    cells: &[Goldilocks],
    width: usize,
) -> Result<Buffer, Failure> {
    let convert = |first: usize, to: &mut [u8]| {
        let (to, _) = to.as_chunks_mut::<8>();
        let from = cells[first..].par_chunks(TASK);
        to.par_chunks_mut(TASK).zip(from).for_each(|(to, from)| {
            for (to, &cell) in to.iter_mut().zip(from) {
                *to = word(cell).to_le_bytes();
            }
        });
    };
    let rows = work.upload_cells(circuit, cells.len(), convert)?;
    let columns = work.buffer(&format!("trace of {circuit}"), cells.len() as u64)?;
    let (width, height) = (width as u64, (cells.len() / width) as u64);
    let step = (Step::Transposition, rows.bytes() + columns.bytes());
    work.run(step, &[transpose(width, height, 0, 1)], &[&rows, &columns])?;
    Ok(columns)
}
