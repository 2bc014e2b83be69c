//! MUL: low or high words of products, in halves of 16 bits.
//!
//! A factor with a sign is its bits minus 2^64 if it is negative. So the high word of the product
//! is that of the bits, less the other factor for each factor that is negative.

use traceloom_abi::ops::OpRecords;
use traceloom_air::bytes::ByteOp;
use traceloom_riscv::records::MulOp;

use super::buses::{ALU, ALU_MUL, ALU_SECOND, ALU_SIGNED, ALU_UPPER, words_of_halves};
use super::dvrm;
use super::machine::{MachineTable, Run};
use crate::check::TableFaults;
use crate::column::{Column, Limb, Role};
use crate::op_record;
use crate::poly::{Poly, constant, join, not, sum};
use crate::record::{Counted, CountedFields, OpRecord, merged};
use crate::row::{Int, Row};
use crate::table::{Table, TableBuilder};
use crate::values;

op_record! {
    /// Values of the fields of [`MulOp`].
    MulOp as MulFields {
        lhs: u64,
        rhs: u64,
        flags: u8[0xe0],
    }
}

/// How the table is made and fed.
pub const TABLE: MachineTable = MachineTable::new(table, feed);

/// One record per product that is asked for, also by divisions; equal ones are counted.
fn feed(run: &Run<'_>, records: &mut OpRecords) {
    let divisions = run.records.div_rem.iter().flat_map(dvrm::products);
    let all = run.records.mul.iter().copied().chain(divisions);
    for op in merged(all, u32::MAX) {
        records.push(|words| op.put(words));
    }
}

/// The columns.
struct Columns {
    lhs: [Column; 4],
    rhs: [Column; 4],
    /// Whether a factor has a sign.
    signed: [Column; 2],
    upper: Column,
    /// The top bits of both factors.
    tops: [Column; 2],
    product: [Column; 8],
    /// What each word of 32 bits carries into the next one: a half, and a byte above it.
    carry_low: [Column; 4],
    carry_high: [Column; 4],
    mu: Column,
}

/// The table.
///
/// # Errors
/// Never: tests make it.
pub fn table() -> Result<Table, TableFaults> {
    let mut t = TableBuilder::new("mul");
    let c = Columns {
        lhs: t.limbs("lhs", Limb::Half),
        rhs: t.limbs("rhs", Limb::Half),
        signed: [t.flag("lhs_signed"), t.flag("rhs_signed")],
        upper: t.flag("upper"),
        tops: [t.flag("lhs_top"), t.flag("rhs_top")],
        product: t.limbs("product", Limb::Half),
        carry_low: t.limbs("carry_low", Limb::Half),
        carry_high: t.limbs("carry_high", Limb::Byte),
        mu: t.column("mu", Limb::Word, Role::Multiplicity),
    };
    t.rows::<Counted<MulOp>>(|row, CountedFields { op, count }| {
        rows(&c, row, op);
        row.put(c.mu, count);
    });
    constraints(&c, &mut t);
    messages(&c, &mut t);
    t.finish()
}

/// The sum of products of halves `i` and `k - i`, by `k`.
const fn places(k: usize) -> std::ops::RangeInclusive<usize> {
    k.saturating_sub(3)..=(if k < 3 { k } else { 3 })
}

fn rows(c: &Columns, row: &mut Row, op: MulFields) {
    row.step("factors");
    let factors = [op.lhs, op.rhs];
    let [a, b] = factors.map(|long| row.halves(long));
    row.put_all(c.lhs, a);
    row.put_all(c.rhs, b);
    let [first, second, upper] = [5, 6, 7].map(|i| row.bit(op.flags, i));
    let tops = factors.map(|long| row.bit(long.high, 31));
    row.put_all(c.signed, [first, second]);
    row.put_all(c.tops, tops);
    row.put(c.upper, upper);
    let negative = [(first, tops[0]), (second, tops[1])].map(|(sign, top)| row.all(&[sign, top]));

    row.step("product");
    let zero = row.constant(0);
    let mut carry = zero;
    for word in 0..4 {
        let mut total = carry;
        for (k, weight) in [(2 * word, 1), (2 * word + 1, 1 << 16)] {
            for i in places(k).filter(|_| k < 7) {
                let product = row.mul(a[i], b[k - i]);
                let product = row.scale(weight, product);
                total = row.add(total, product);
            }
        }
        for (negative, other) in negative.into_iter().zip([op.rhs, op.lhs]) {
            let less = match word {
                0 | 1 => zero,
                2 => complement(row, other.low, 1),
                _ => complement(row, other.high, 0),
            };
            let less = row.keep(negative, less);
            total = row.add(total, less);
        }
        let low = row.low32(total);
        for i in 0..2 {
            let half = row.half(low, i);
            row.put(c.product[2 * word + i as usize], half);
        }
        carry = row.high32(total);
        let parts = (row.half(carry, 0), row.byte(carry, 2));
        row.put_all([c.carry_low[word], c.carry_high[word]], [parts.0, parts.1]);
    }
}

/// `2^32 - 1 - x + more`.
fn complement(row: &mut Row, x: Int, more: u64) -> Int {
    let ones = row.constant(0xffff_ffff);
    let rest = row.sub_wrapping(ones, x);
    row.add_constant(rest, more)
}

fn constraints(c: &Columns, t: &mut TableBuilder) {
    let negative = [0, 1].map(|i| c.signed[i] * c.tops[i]);
    let factors = [words_of_halves(c.rhs), words_of_halves(c.lhs)];
    for word in 0..4 {
        let mut total = match word {
            0 => constant(0),
            _ => carry(c, word - 1),
        };
        for (k, weight) in [(2 * word, 1_u64), (2 * word + 1, 1 << 16)] {
            let products = places(k).filter(|_| k < 7).map(|i| c.lhs[i] * c.rhs[k - i]);
            total = total + sum(products) * constant(weight);
        }
        for (negative, other) in negative.iter().zip(&factors).filter(|_| word >= 2) {
            // The carry of word 2 was made larger by 1, so that it is never below zero.
            let size = (1 << 32) - u64::from(word == 3);
            total = total + negative * (constant(size) - &other[word - 2]);
        }
        let found = join(16, &c.product[2 * word..][..2]) + carry(c, word) * constant(1 << 32);
        t.zero(&format!("word {word} of the product"), total - found);
    }
}

fn carry(c: &Columns, word: usize) -> Poly {
    c.carry_low[word] + c.carry_high[word] * constant(1 << 16)
}

/// All lookups count on every row, so rows hold whatever their multiplicity is.
fn messages(c: &Columns, t: &mut TableBuilder) {
    let halves = [&c.lhs[..], &c.rhs, &c.product, &c.carry_low].concat();
    for half in halves {
        t.look_up(ByteOp::RangeCheck16, constant(1), values![half]);
    }
    for pair in c.carry_high.chunks(2) {
        t.look_up(ByteOp::RangeCheck, constant(1), values![pair[0], pair[1]]);
    }
    for (half, top) in [(c.lhs[3], c.tops[0]), (c.rhs[3], c.tops[1])] {
        let rest = half * constant(2) - top * constant(1 << 16);
        t.look_up(ByteOp::RangeCheck16, constant(1), vec![rest]);
    }
    let [low, high] = [0, 4].map(|i| [0, 2].map(|word| join(16, &c.product[i + word..][..2])));
    let [out0, out1] = [0, 1].map(|i| not(c.upper) * &low[i] + c.upper * &high[i]);
    let flags = c.signed[0] * constant(ALU_SIGNED)
        + c.signed[1] * constant(ALU_SECOND)
        + c.upper * constant(ALU_UPPER)
        + constant(ALU_MUL);
    let ([a0, a1], [b0, b1]) = (words_of_halves(c.lhs), words_of_halves(c.rhs));
    t.receive(ALU, c.mu, values![a0, a1, b0, b1, flags, out0, out1]);
}
