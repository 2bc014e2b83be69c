//! Fixed columns: cells that need no proof, because verifiers know them.

use std::borrow::Cow;
use std::sync::Arc;

use crate::bytes::ByteTable;
use crate::field::{Goldilocks, element};

/// Columns of a table that belong to a program, like its decoded instructions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixedColumns {
    /// Number of columns, at least one.
    pub width: usize,
    /// Log of the number of rows: a trace of the table has exactly these.
    pub log_height: usize,
    /// `width << log_height` cells, row-major. Without the cells only a verifier can use the
    /// system, and only if its caller has pinned the system digest.
    pub cells: Option<Arc<[Goldilocks]>>,
}

/// The fixed columns of a circuit, wherever they come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fixed<'a> {
    /// A byte table, the same for all programs.
    Bytes(ByteTable),
    /// Columns of this program.
    Program(&'a FixedColumns),
}

impl<'a> Fixed<'a> {
    /// Number of columns.
    #[must_use]
    pub fn width(self) -> usize {
        match self {
            Self::Bytes(table) => table.preprocessed_width(),
            Self::Program(columns) => columns.width,
        }
    }

    /// Log of the number of rows.
    #[must_use]
    pub fn log_height(self) -> usize {
        match self {
            Self::Bytes(table) => table.height().ilog2() as usize,
            Self::Program(columns) => columns.log_height,
        }
    }

    /// The cells, row-major, if they are here.
    #[must_use]
    pub fn cells(self) -> Option<Cow<'a, [Goldilocks]>> {
        match self {
            Self::Bytes(table) => {
                Some(table.preprocessed().into_iter().map(element).collect::<Vec<_>>().into())
            }
            Self::Program(columns) => columns.cells.as_deref().map(Cow::Borrowed),
        }
    }
}
