//! Device-born main traces, and their explicit download.

use std::collections::VecDeque;
use std::num::NonZeroU64;
use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;
use traceloom_air::field::{element, is_canonical};
use traceloom_air::trace::Trace;
use traceloom_runtime::device::DeviceTrace;
use traceloom_runtime::ledger::{Kind, Ledger, Transfer};

use crate::device::Buffer;
use crate::driver::Pieces;
use crate::error::DeviceError;
use crate::rows::{CircuitRows, RowEngine, RowsError, Window};
use crate::staging::Chunk;

/// Rows that one task turns, so that it reads whole cache lines.
const TURNED_ROWS: usize = 8;

/// A trace in device memory, column-major. It has no host matrix.
#[derive(Debug)]
pub struct BornTrace {
    /// Dropped before the engine, whose streams write it.
    cells: Buffer,
    engine: Arc<RowEngine>,
    circuit: String,
    width: usize,
    height: usize,
}

impl BornTrace {
    /// Queues everything that writes the whole trace of a circuit.
    ///
    /// # Errors
    /// [`RowsError`].
    pub fn write(
        engine: &Arc<RowEngine>,
        circuit: &str,
        rows: &CircuitRows<'_>,
        ledger: &Ledger,
    ) -> Result<Self, RowsError> {
        let (width, height) = (rows.width(), rows.height());
        let bytes = trace_bytes(width, height);
        let size = || RowsError::Size {
            circuit: circuit.into(),
            what: "number of bytes of a trace",
            value: u64::MAX,
            most: u64::MAX - 1,
        };
        let bytes = bytes.and_then(NonZeroU64::new).ok_or_else(size)?;
        let name = format!("trace of {circuit}");
        let device = engine.device();
        let cells = device.allocate(engine.compute(), &name, bytes);
        let cells = cells.map_err(|error| RowsError::Device {
            circuit: circuit.into(),
            error: Box::new(error),
        })?;
        let (stride, count) = (height as u64, height as u64);
        rows.write(&Window { cells: &cells, stride, first: 0, count })?;
        ledger.avoided(circuit, bytes.get());
        Ok(Self { engine: Arc::clone(engine), circuit: circuit.into(), width, height, cells })
    }

    /// The cells: column `c` of row `r` is word `c · height + r`.
    #[must_use]
    pub fn cells(&self) -> &Buffer {
        &self.cells
    }

    /// What writes it.
    #[must_use]
    pub fn engine(&self) -> &Arc<RowEngine> {
        &self.engine
    }

    /// The cells alone, for a prover on the same device.
    #[must_use]
    pub fn into_cells(self) -> Buffer {
        self.cells
    }
}

/// Bytes of a trace, if that is a number.
fn trace_bytes(width: usize, height: usize) -> Option<u64> {
    (width as u64).checked_mul(height as u64)?.checked_mul(8)
}

impl DeviceTrace for BornTrace {
    fn width(&self) -> usize {
        self.width
    }

    fn height(&self) -> usize {
        self.height
    }

    fn download(&self, ledger: &Ledger) -> Result<Trace, String> {
        let failed =
            |error: DownloadError| format!("downloading the trace of {:?}: {error}", self.circuit);
        self.download_tiles(ledger).map_err(failed)
    }
}

#[derive(Debug, thiserror::Error)]
enum DownloadError {
    #[error(transparent)]
    Device(#[from] DeviceError),
    #[error(
        "column {column} of row {row} is {word:#x}, which is not below the modulus: no kernel \
         wrote it, and that is a fault of traceloom or of the device"
    )]
    Cell { row: usize, column: usize, word: u64 },
}

/// Rows and columns that fit a chunk.
#[derive(Clone, Debug)]
struct Tile {
    rows: Range<usize>,
    columns: Range<usize>,
}

impl BornTrace {
    fn tiles(&self) -> impl Iterator<Item = Tile> + use<> {
        let (width, height) = (self.width, self.height);
        let words = (self.engine.staging().chunk_bytes() / 8).max(1);
        let num_columns = width.min(words);
        let num_rows = (words / num_columns).min(height);
        (0..height).step_by(num_rows).flat_map(move |row| {
            (0..width).step_by(num_columns).map(move |column| Tile {
                rows: row..height.min(row + num_rows),
                columns: column..width.min(column + num_columns),
            })
        })
    }

    fn download_tiles(&self, ledger: &Ledger) -> Result<Trace, DownloadError> {
        let staging = self.engine.staging();
        let mut trace = Trace::zero(self.height, self.width);
        let mut pending: VecDeque<(Chunk<'_>, Tile)> = VecDeque::new();
        for tile in self.tiles() {
            // A thread that holds chunks takes them back before it waits for chunks of others.
            let chunk = match pending.is_empty() {
                true => Some(staging.chunk()?),
                false => staging.try_chunk()?,
            };
            let mut chunk = match chunk {
                Some(chunk) => chunk,
                None => {
                    let (mut chunk, done) = pending.pop_front().expect("it is not empty");
                    turn(&mut chunk, &done, &mut trace)?;
                    chunk
                }
            };
            self.receive(&mut chunk, &tile, ledger)?;
            pending.push_back((chunk, tile));
        }
        for (mut chunk, tile) in pending {
            turn(&mut chunk, &tile, &mut trace)?;
        }
        Ok(trace)
    }

    fn receive(
        &self,
        chunk: &mut Chunk<'_>,
        tile: &Tile,
        ledger: &Ledger,
    ) -> Result<(), DeviceError> {
        let (first, length) = (tile.columns.start * self.height + tile.rows.start, tile.rows.len());
        let words = (tile.columns.len() - 1) * self.height + length;
        let pieces = Pieces {
            span: self.cells.span(8 * first as u64, 8 * words as u64),
            length: 8 * length,
            pitch: 8 * self.height,
            count: tile.columns.len(),
        };
        let transfer = Transfer { circuit: &self.circuit, kind: Kind::Rows };
        chunk.receive(self.engine.compute(), pieces, ledger, &transfer)
    }
}

/// Writes a tile, which came column by column, to the rows of a trace.
fn turn(chunk: &mut Chunk<'_>, tile: &Tile, trace: &mut Trace) -> Result<(), DownloadError> {
    chunk.wait()?;
    let (words, _) = chunk.bytes_mut()?.as_chunks::<8>();
    let (width, num_rows) = (trace.width, tile.rows.len());
    let rows = &mut trace.values[tile.rows.start * width..tile.rows.end * width];
    rows.par_chunks_mut(TURNED_ROWS * width).enumerate().try_for_each(|(task, rows)| {
        for (i, row) in rows.chunks_exact_mut(width).enumerate() {
            let of_tile = task * TURNED_ROWS + i;
            for (position, column) in tile.columns.clone().enumerate() {
                let word = u64::from_le_bytes(words[position * num_rows + of_tile]);
                if !is_canonical(word) {
                    return Err(DownloadError::Cell {
                        row: tile.rows.start + of_tile,
                        column,
                        word,
                    });
                }
                row[column] = element(word);
            }
        }
        Ok(())
    })
}
