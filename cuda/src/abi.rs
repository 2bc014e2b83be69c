//! The Rust side of `device_abi.h`, for kernels of rows. Device addresses are numbers
//! here: the host never follows them.

/// Where the columns of one member lie in the rows of its circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct TlBases {
    /// Column of selector 0 of the first member.
    pub first_selector: u32,
    /// Column of selector 0 of this member.
    pub first_member_selector: u32,
    /// Column of auxiliary 0.
    pub first_auxiliary: u32,
    /// Number of columns.
    pub width: u32,
}

/// Rows of a circuit, stored column by column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct TlWindow {
    /// Address of the cells.
    pub cells: u64,
    /// Words from column to column, at least `count`.
    pub stride: u64,
    /// First row, below `height`.
    pub first: u64,
    /// Number of rows, at most `height`.
    pub count: u64,
    /// Padded height of the circuit.
    pub height: u64,
}

/// Consecutive rows of one member and one encoding, or rows of padding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct TlRows {
    /// Address of the first row's seed; 0 for padding.
    pub seeds: u64,
    /// Its row in the circuit.
    pub first_row: u64,
    /// Number of rows.
    pub num_rows: u64,
    /// Columns.
    pub bases: TlBases,
    /// Where rows go.
    pub window: TlWindow,
}

// The sizes that `platform.cuh` states.
const _: () = assert!(size_of::<TlBases>() == 16);
const _: () = assert!(size_of::<TlWindow>() == 40);
const _: () = assert!(size_of::<TlRows>() == 80);
