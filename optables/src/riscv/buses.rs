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
    /// half, amount of 4 bits, shifted half, bits shifted out.
    HWSL = 9, 4;
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
    /// operands (2 + 2), flags, result (2).
    ALU = 25, 7;
    /// time (2), address (2), value to store (2), flags, loaded value (2).
    MEMORY_OP = 26, 9;
    /// time (2), pc (2), half of the length.
    CPU32 = 27, 5;
}

/// [`ALU`]: the operation less-than.
pub const ALU_LT: u64 = 4;
/// [`ALU`]: the operation shift; the shift of 32 bits is the next one.
pub const ALU_SHIFT: u64 = 5;
/// [`ALU`]: weight of the flag "signed".
pub const ALU_SIGNED: u64 = 32;
/// [`ALU`]: weight of the flag "inverted", or "to the right" of shifts.
pub const ALU_SECOND: u64 = 64;

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

/// A register as eight cells, of which it uses two.
#[must_use]
pub fn register_cells([low, high]: [Column; 2]) -> [Poly; 8] {
    let mut cells = [const { None }; 8];
    (cells[0], cells[1]) = (Some(low), Some(high));
    cells.map(|cell| cell.map_or_else(|| constant(0), Poly::from))
}

/// The values of [`MEMW_WRITE`] of a register.
#[must_use]
pub fn register_write(register: Poly, value: [Column; 2], time: [Poly; 2]) -> Vec<Poly> {
    let base = [register * constant(2), constant(0)];
    let widths = [constant(1), constant(0), constant(0)];
    memw_write(constant(1), base, register_cells(value), time, widths)
}
