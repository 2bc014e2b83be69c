//! Hosts that run kernels for the mock.

use std::collections::BTreeMap;

use traceloom_abi::device_abi::TlBases;
use traceloom_abi::registry::{ProgramUnit, WriteGenericRows, WriteRows};
use traceloom_abi::row::RowShape;
use traceloom_air::field::{Goldilocks, word};

use crate::kernels::KernelNames;

/// Runs kernels by name.
pub trait KernelHost: Send + Sync {
    /// Whether there is such a kernel.
    fn has(&self, kernel: &str) -> bool;

    /// The unit digest that a kernel returns, if it is the digest kernel.
    fn digest(&self, kernel: &str) -> Option<[u8; 32]>;

    /// Writes rows.
    ///
    /// # Errors
    /// What went wrong: a failed launch.
    fn rows(&self, rows: HostRows<'_>) -> Result<(), String>;

    /// Runs a handwritten kernel.
    ///
    /// # Errors
    /// What went wrong: a failed launch, also of a host that has none.
    fn words(&self, launch: HostWords<'_>) -> Result<(), String> {
        Err(format!("kernel {} has no form on this host", launch.kernel))
    }
}

/// What a handwritten kernel is given.
#[derive(Debug)]
pub struct HostWords<'a> {
    /// The kernel.
    pub kernel: &'a str,
    /// Blocks.
    pub blocks: u64,
    /// Threads of a block.
    pub threads: u32,
    /// Bytes of shared memory of a block.
    pub shared_bytes: u32,
    /// Its parameter.
    pub words: Vec<HostWord>,
    /// All parts of memory that it has addresses of, with words between them that it must
    /// leave as they are.
    pub memory: &'a mut Vec<u64>,
}

/// Eight bytes of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostWord {
    /// As it is.
    Number(u64),
    /// The address of a word of [`HostWords::memory`].
    Address(usize),
}

/// What a kernel of rows is given; see `device_abi.h`.
#[derive(Debug)]
pub struct HostRows<'a> {
    /// The kernel.
    pub kernel: &'a str,
    /// One seed per row; empty for padding.
    pub seeds: &'a [u8],
    /// First row in the circuit.
    pub first_row: u64,
    /// Number of rows.
    pub num_rows: u64,
    /// Columns.
    pub bases: TlBases,
    /// Words from column to column.
    pub stride: u64,
    /// First row of the window.
    pub first: u64,
    /// Rows of the window.
    pub count: u64,
    /// Padded height.
    pub height: u64,
    /// Cells of the window, column by column.
    pub cells: &'a mut [u64],
}

impl HostRows<'_> {
    /// The launch's rows that lie in the window: their numbers and their positions.
    pub fn positions(&self) -> impl Iterator<Item = (u64, u64)> + use<> {
        let Self { first_row, num_rows, first, count, height, .. } = *self;
        let position = move |index: u64| (first_row + index).wrapping_sub(first) & (height - 1);
        let positions = (0..num_rows).map(move |index| (index, position(index)));
        positions.filter(move |&(_, position)| position < count)
    }
}

/// Runs the scalar Rust writers of units in place of their kernels.
#[derive(Clone, Debug, Default)]
pub struct ScalarHost {
    kernels: BTreeMap<String, Scalar>,
}

#[derive(Clone, Copy, Debug)]
enum Scalar {
    Typed(WriteRows),
    Full(WriteGenericRows),
    Padding,
    Digest([u8; 32]),
}

impl ScalarHost {
    /// Over the kernels of some units.
    #[must_use]
    pub fn new(units: &[&'static ProgramUnit]) -> Self {
        let mut kernels = BTreeMap::new();
        for unit in units {
            let names = KernelNames::of(unit);
            kernels.insert(names.padding, Scalar::Padding);
            kernels.insert(names.digest, Scalar::Digest(unit.digest));
            for function in unit.functions {
                let generic = &function.generic;
                kernels.insert(generic.kernel.into(), Scalar::Full(generic.write));
                for path in function.paths {
                    kernels.insert(path.kernel.into(), Scalar::Typed(path.write));
                }
            }
        }
        Self { kernels }
    }
}

impl KernelHost for ScalarHost {
    fn has(&self, kernel: &str) -> bool {
        self.kernels.contains_key(kernel)
    }

    fn digest(&self, kernel: &str) -> Option<[u8; 32]> {
        match self.kernels.get(kernel)? {
            Scalar::Digest(digest) => Some(*digest),
            Scalar::Typed(_) | Scalar::Full(_) | Scalar::Padding => None,
        }
    }

    fn rows(&self, rows: HostRows<'_>) -> Result<(), String> {
        let scalar = self.kernels.get(rows.kernel).ok_or("no such kernel")?;
        let width = rows.bases.width as usize;
        let shape = RowShape {
            width,
            input: 0,
            selector: rows.bases.first_member_selector as usize,
            auxiliary: rows.bases.first_auxiliary as usize,
        };
        let seed_bytes = rows.seeds.len() / rows.num_rows.max(1) as usize;
        let mut row = vec![Goldilocks::new(0); width];
        for (index, position) in rows.positions() {
            let seed = &rows.seeds[index as usize * seed_bytes..][..seed_bytes];
            match scalar {
                Scalar::Typed(write) => write(seed, &mut row, &shape),
                Scalar::Full(write) => {
                    write(seed, &mut row, &shape).map_err(|error| error.to_string())?;
                }
                Scalar::Padding => row.fill(Goldilocks::new(0)),
                Scalar::Digest(_) => return Err("it writes no rows".into()),
            }
            for (column, &cell) in row.iter().enumerate() {
                rows.cells[column * rows.stride as usize + position as usize] = word(cell);
            }
        }
        Ok(())
    }
}
