//! SHIFT: shifts of 64 bits, and of 32, in two steps: by 0 to 15 bits within halves, then by
//! whole halves.
//!
//! A shift to the right by n is one to the left by 16 - n within halves, where the bits that are
//! shifted out stay. If nothing is shifted within halves, a shift to the right takes the halves as
//! bits that were shifted out.

use traceloom_air::bytes::ByteOp;
use traceloom_riscv::records::ShiftOp;

use super::buses::{ALU, ALU_SECOND, ALU_SHIFT, ALU_SIGNED, POWER, words_of_halves};
use super::machine::{MachineTable, push_all};
use crate::check::TableFaults;
use crate::column::{Column, Limb, Role};
use crate::op_record;
use crate::poly::{Poly, constant, is_bit, join, not, sum};
use crate::row::{Int, Row};
use crate::table::{Table, TableBuilder};
use crate::values;

op_record! {
    /// Values of the fields of [`ShiftOp`].
    ShiftOp as ShiftFields {
        lhs: u64,
        rhs: u64,
        flags: u8[0x62],
    }
}

/// How the table is made and fed.
pub const TABLE: MachineTable =
    MachineTable::new(table, |run, records| push_all(records, &run.records.shift));

/// The columns.
struct Columns {
    input: [Column; 4],
    amount: Column,
    right: Column,
    signed: Column,
    word: Column,
    out: [Column; 2],
    negative: Column,
    bit_shift: Column,
    no_bit_shift: Column,
    /// Halves shifted to the left; the last one is the extension's.
    x: [Column; 5],
    /// Bits that were shifted out of halves.
    y: [Column; 4],
    /// Which number of whole halves; the fourth is what is left of 1.
    limbs: [Column; 3],
    mu: Column,
    amount_1: Column,
    amount_2: Column,
    amount_4: Column,
    /// What halves are multiplied by: 2^16 if a shift to the right moves whole halves.
    power: Column,
}

/// The table.
///
/// # Errors
/// Never: tests make it.
pub fn table() -> Result<Table, TableFaults> {
    let mut t = TableBuilder::new("shift");
    let c = Columns {
        input: t.limbs("in", Limb::Half),
        amount: t.limb("amount", Limb::Byte),
        right: t.flag("right"),
        signed: t.flag("signed"),
        word: t.flag("word"),
        out: t.words("out"),
        negative: t.limb("negative", Limb::Bit),
        bit_shift: t.limb("bit_shift", Limb::Nibble),
        no_bit_shift: t.limb("no_bit_shift", Limb::Bit),
        x: t.limbs("x", Limb::Half),
        y: t.limbs("y", Limb::Half),
        limbs: t.limbs("limb", Limb::Bit),
        mu: t.column("mu", Limb::Bit, Role::Multiplicity),
        amount_1: t.limb("amount_1", Limb::Byte),
        amount_2: t.limb("amount_2", Limb::Half),
        amount_4: t.limb("amount_4", Limb::Word),
        power: t.limb("power", Limb::Word),
    };
    t.rows::<ShiftOp>(|row, op| rows(&c, row, op));
    // The power of no shift.
    t.constant_padding(|row| {
        row.step("no shift");
        let one = row.constant(1);
        row.put_all([c.no_bit_shift, c.power], [one; 2]);
        row.put_zero_elsewhere();
    });
    constraints(&c, &mut t);
    messages(&c, &mut t);
    t.finish()
}

fn rows(c: &Columns, row: &mut Row, op: ShiftFields) {
    row.step("operands");
    let input = row.halves(op.lhs);
    row.put_all(c.input, input);
    let amount = row.byte(op.rhs.low, 0);
    row.put(c.amount, amount);
    let rest = [row.byte(op.rhs.low, 1), row.half(op.rhs.low, 1), op.rhs.high];
    row.put_all([c.amount_1, c.amount_2, c.amount_4], rest);
    let [signed, right, word] = [5, 6, 1].map(|i| row.bit(op.flags, i));
    row.put_all([c.right, c.signed, c.word], [right, signed, word]);
    let top = row.bit(op.lhs.high, 31);
    let negative = row.all(&[signed, top]);
    row.put(c.negative, negative);

    row.step("shift within halves");
    let to_left = [0, 1, 2, 3].map(|i| row.bit(amount, i));
    let bit_shift = bit_shift(row, right, to_left);
    let none = row.not(bit_shift);
    row.put_all([c.bit_shift, c.no_bit_shift], [bit_shift, none]);
    let power = power_of_two(row, bit_shift);
    let is_out = row.all(&[none, right]);
    let (zero, whole) = (row.constant(0), row.constant(1 << 16));
    let power = row.select(is_out, whole, power);
    row.put(c.power, power);
    let (mut x, mut y) = ([zero; 5], [zero; 4]);
    for i in 0..4 {
        let shifted = row.mul(input[i], power);
        [x[i], y[i]] = [0, 1].map(|half| row.half(shifted, half));
    }
    let ones = row.constant(0xffff);
    let extension = row.keep(negative, ones);
    let shifted = row.mul(extension, power);
    let low = row.half(shifted, 0);
    x[4] = row.select(none, zero, low);
    row.put_all(c.x, x);
    row.put_all(c.y, y);

    row.step("shift by halves");
    let [low, high] = [4, 5].map(|i| row.bit(amount, i));
    let long = row.not(word);
    let high = row.all(&[high, long]);
    let (even, short) = (row.not(low), row.not(high));
    let limbs = [[even, short], [low, short], [even, high], [low, high]];
    let limbs = limbs.map(|bits| row.all(&bits));
    row.put_all(c.limbs, [limbs[0], limbs[1], limbs[2]]);
    let halves = [0, 1, 2, 3].map(|i| half(row, i, right, limbs, (x, y, extension)));
    let out = [(0, 1), (2, 3)].map(|(low, high)| {
        let high = row.scale(1 << 16, halves[high]);
        row.add(halves[low], high)
    });
    row.put_all(c.out, out);
    let one = row.constant(1);
    row.put(c.mu, one);
}

/// The amount modulo 16, or 16 minus that.
fn bit_shift(row: &mut Row, right: Int, bits: [Int; 4]) -> Int {
    let zero = row.constant(0);
    let amount = bits.iter().zip(0..).fold(zero, |sum, (&bit, i)| {
        let part = row.scale(1 << i, bit);
        row.add(sum, part)
    });
    let sixteen = row.constant(16);
    let rest = row.sub_wrapping(sixteen, amount);
    // The rest modulo 16: its four low bits.
    let low = [0, 1, 2, 3].map(|i| row.bit(rest, i));
    let rest = low.iter().zip(0..).fold(zero, |sum, (&bit, i)| {
        let part = row.scale(1 << i, bit);
        row.add(sum, part)
    });
    row.select(right, rest, amount)
}

/// `2^exponent`, of an exponent below 16.
fn power_of_two(row: &mut Row, exponent: Int) -> Int {
    let one = row.constant(1);
    let mut power = one;
    for i in 0..4 {
        let (bit, factor) = (row.bit(exponent, i), row.constant(1 << (1 << i)));
        let factor = row.select(bit, factor, one);
        power = if i == 0 { factor } else { row.mul(power, factor) };
    }
    power
}

/// Half `i` of the result.
fn half(
    row: &mut Row,
    i: usize,
    right: Int,
    limbs: [Int; 4],
    (x, y, extension): ([Int; 5], [Int; 4], Int),
) -> Int {
    let zero = row.constant(0);
    let (mut to_left, mut to_right) = (zero, zero);
    for j in 0..4 {
        let left = match i.checked_sub(j) {
            None => zero,
            Some(0) => x[0],
            Some(from) => row.add(x[from], y[from - 1]),
        };
        to_left = row.select(limbs[j], left, to_left);
        let other = if i + j < 4 { row.add(y[i + j], x[i + j + 1]) } else { extension };
        to_right = row.select(limbs[j], other, to_right);
    }
    let half = row.select(right, to_right, to_left);
    // Both parts have no bit in common, so the sum is a half already.
    row.half(half, 0)
}

fn constraints(c: &Columns, t: &mut TableBuilder) {
    let (right, none) = (c.right, c.no_bit_shift);
    t.zero("a direction is of a shift", right * not(c.mu));
    t.zero("negative is a bit", is_bit(c.negative));
    t.zero("only signed shifts are negative", not(c.signed) * c.negative);
    t.zero("no_bit_shift is a bit", is_bit(none));
    for i in 0..4 {
        let shifted = c.x[i] + c.y[i] * constant(1 << 16);
        t.zero(&format!("half {i} is shifted"), c.input[i] * c.power - shifted);
    }
    // Of a number with a sign, the halves above it are all ones.
    let ones = c.negative * (constant(1 << 16) - c.power);
    t.zero("the half above is shifted", not(none) * (ones - c.x[4]));
    t.zero("x[4] without a shift", none * c.x[4]);
    let [l0, l1, l2] = c.limbs;
    let limbs: [Poly; 4] = [l0.into(), l1.into(), l2.into(), constant(1) - l0 - l1 - l2];
    for (i, limb) in limbs.iter().enumerate() {
        t.zero(&format!("limb {i} is a bit"), is_bit(limb));
    }
    let extension = c.negative * constant(0xffff);
    let half = |i: usize| {
        let left = (0..=i).map(|j| match i - j {
            0 => &limbs[j] * c.x[0],
            from => &limbs[j] * (c.x[from] + c.y[from - 1]),
        });
        let to_right = (0..4).map(|j| match i + j {
            from @ 0..4 => &limbs[j] * (c.y[from] + c.x[from + 1]),
            _ => &limbs[j] * &extension,
        });
        not(right) * sum(left) + right * sum(to_right)
    };
    for (i, out) in c.out.into_iter().enumerate() {
        let word = half(2 * i) + half(2 * i + 1) * constant(1 << 16);
        t.zero(&format!("word {i} of the result"), word - out);
    }
}

fn messages(c: &Columns, t: &mut TableBuilder) {
    let (mu, right, none) = (c.mu, c.right, c.no_bit_shift);
    let top = c.input[3] * constant(2) - c.negative * constant(1 << 16);
    t.look_up(ByteOp::RangeCheck16, c.signed, vec![top]);
    t.look_up(ByteOp::And, mu - right, values![c.amount, 15, c.bit_shift]);
    // 16 less where nothing is shifted, so that the operand is a byte for an amount of 0.
    let complement = constant(256) - none * constant(16) - c.amount;
    t.look_up(ByteOp::And, right, values![complement, 15, c.bit_shift]);
    t.look_up(ByteOp::LessThan, mu, values![c.bit_shift, 1, none]);
    t.send(POWER, mu, values![c.bit_shift + none * right * constant(16), c.power]);
    for half in c.x.into_iter().take(4).chain(c.y) {
        t.look_up(ByteOp::RangeCheck16, mu, values![half]);
    }
    let [l0, l1, l2] = c.limbs;
    let mask = constant(48) - c.word * constant(32);
    let limb = constant(48) - l0 * constant(48) - l1 * constant(32) - l2 * constant(16);
    t.look_up(ByteOp::And, mu, values![c.amount, mask, limb]);
    t.look_up(ByteOp::RangeCheck, mu, values![c.amount, c.amount_1]);
    for half in c.input.into_iter().chain([c.amount_2]) {
        t.look_up(ByteOp::RangeCheck16, mu, values![half]);
    }
    let flags = c.signed * constant(ALU_SIGNED) + right * constant(ALU_SECOND) + c.word;
    let flags = flags + constant(ALU_SHIFT);
    let amount = join(8, &[c.amount, c.amount_1]) + c.amount_2 * constant(1 << 16);
    let [low, high] = words_of_halves(c.input);
    let message = values![low, high, amount, c.amount_4, flags, c.out[0], c.out[1]];
    t.receive(ALU, mu, message);
}
