//! Buses between the tables of the machine. Values of 64 bits are two words, low one first.

use traceloom_air::field::MODULUS;

use crate::bus::Bus;
use crate::column::Column;
use crate::poly::{Poly, constant, join};

macro_rules! buses {
    ($($(#[$doc:meta])* $name:ident = $number:literal, $width:literal;)*) => {
        $($(#[$doc])* pub const $name: Bus =
            Bus { name: stringify!($name), number: $number, width: $width };)*

        /// All of them.
        pub const ALL: &[Bus] = &[$($name),*];
    };
}

buses! {
    /// Asks for a read: the eight old values, then as [`MEMW_WRITE`].
    MEMW_READ = 13, 24;
    /// Asks for a write: is register, address (2), values (8), time (2), width is 2, 4, 8.
    MEMW_WRITE = 14, 16;
    /// A cell at a time: is register, address (2), time (2), value.
    MEMORY_TOKEN = 16, 6;
    /// next pc (2), pc (2), immediate (2), first operand (2), is JALR.
    BRANCH = 17, 9;
    /// pc (2), immediate (2), packed decode word.
    DECODE = 18, 5;
    /// time (2), first operand (2).
    ECALL = 19, 4;
    /// bytes of input that are left, byte: the statement sends it.
    INPUT = 20, 2;
    /// number of the byte, byte: the statement receives it.
    OUTPUT = 21, 2;
    /// operands (2 + 2), flags, result (2).
    ALU = 25, 7;
    /// time (2), address (2), value to store (2), flags, loaded value (2).
    MEMORY_OP = 26, 9;
    /// time (2), pc (2), half of the length.
    CPU32 = 27, 5;
    /// time of the call that ends the execution.
    HALT = 28, 1;
    /// is output, time, address (2), counter, bytes that are left of the call.
    MOVE = 29, 6;
    /// exponent, power of two.
    POWER = 30, 2;
    /// number of a table that is there exactly once.
    ONCE = 31, 1;
    /// region, address behind the last eight bytes below (low, high).
    ORDER = 32, 3;
}

/// [`ALU`]: the operation equality.
pub const ALU_EQ: u64 = 3;
/// [`ALU`]: the operation less-than.
pub const ALU_LT: u64 = 4;
/// [`ALU`]: the operation shift; the shift of 32 bits is the next one.
pub const ALU_SHIFT: u64 = 5;
/// [`ALU`]: the operation product.
pub const ALU_MUL: u64 = 7;
/// [`ALU`]: the operation division.
pub const ALU_DIV: u64 = 8;
/// [`ALU`]: weight of the flag "signed".
pub const ALU_SIGNED: u64 = 32;
/// [`ALU`]: weight of the flag "inverted", or "to the right" of shifts.
pub const ALU_SECOND: u64 = 64;
/// [`ALU`]: weight of the flag "high word" of products, "remainder" of divisions.
pub const ALU_UPPER: u64 = 128;

/// `x / 2^32`, where `x` is a sum of words less its word: the carry, if that is a bit.
pub fn carry(x: impl Into<Poly>) -> Poly {
    // 2^64 is 2^32 - 1 modulo p, so 2^32 · (1 - 2^32) is 1.
    constant(MODULUS - ((1 << 32) - 1)) * x
}

/// The values of a message: of columns, numbers and polynomials.
#[macro_export]
macro_rules! values {
    ($($value:expr),* $(,)?) => { vec![$($crate::poly::Poly::from($value)),*] };
}

/// Both words of a value of four halves.
#[must_use]
pub fn words_of_halves(halves: [Column; 4]) -> [Poly; 2] {
    [join(16, &halves[..2]), join(16, &halves[2..])]
}

/// Both words of a value of eight bytes.
#[must_use]
pub fn words_of_bytes(bytes: [Column; 8]) -> [Poly; 2] {
    [join(8, &bytes[..4]), join(8, &bytes[4..])]
}

/// The values of [`MEMW_WRITE`].
pub fn memw_write(
    is_register: impl Into<Poly>,
    base: [Poly; 2],
    values: [Poly; 8],
    time: [Poly; 2],
    widths: [Poly; 3],
) -> Vec<Poly> {
    let mut message = vec![is_register.into()];
    message.extend(base);
    message.extend(values);
    message.extend(time);
    message.extend(widths);
    message
}

/// The values of [`MEMW_READ`].
#[must_use]
pub fn memw_read(old: [Poly; 8], write: Vec<Poly>) -> Vec<Poly> {
    old.into_iter().chain(write).collect()
}

/// A value as the first of eight cells.
pub fn first_cells<const N: usize>(cells: [impl Into<Poly>; N]) -> [Poly; 8] {
    let mut cells = cells.into_iter();
    [(); 8].map(|()| cells.next().map_or_else(|| constant(0), Into::into))
}

/// The values of [`MEMW_WRITE`] of a register.
#[must_use]
pub fn register_write(register: Poly, value: [impl Into<Poly>; 2], time: [Poly; 2]) -> Vec<Poly> {
    let base = [register * constant(2), constant(0)];
    let widths = [constant(1), constant(0), constant(0)];
    memw_write(constant(1), base, first_cells(value), time, widths)
}

/// The values of [`MEMW_READ`] of a register.
#[must_use]
pub fn register_read<P: Into<Poly> + Clone>(
    register: Poly,
    value: [P; 2],
    time: [Poly; 2],
) -> Vec<Poly> {
    memw_read(first_cells(value.clone()), register_write(register, value, time))
}
