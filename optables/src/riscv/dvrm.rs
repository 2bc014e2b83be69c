//! DVRM: quotients and remainders.
//!
//! The table MUL gives the product of quotient and divisor in 128 bits. With the remainder it is
//! the dividend, and the table LT shows that the remainder is smaller than the divisor, both
//! without signs. A remainder has the sign of the dividend, or is zero. By zero, the quotient has
//! all bits set and the remainder is the dividend. The quotient of -2^63 and -1 does not fit: it
//! wraps, and the product is 2^63.

use traceloom_abi::ops::OpRecords;
use traceloom_air::bytes::ByteOp;
use traceloom_riscv::records::{DivRemOp, LtOp, MulOp};

use super::alu::divide;
use super::buses::{
    ALU, ALU_DIV, ALU_LT, ALU_MUL, ALU_SECOND, ALU_SIGNED, ALU_UPPER, carry, words_of_halves,
};
use super::machine::{MachineTable, Run};
use crate::check::TableFaults;
use crate::column::{Column, Limb, Role};
use crate::op_record;
use crate::poly::{Poly, constant, is_bit, join, not};
use crate::record::OpRecord;
use crate::row::{Int, Long, Row};
use crate::table::{Table, TableBuilder};
use crate::values;

const WORD: u64 = 1 << 32;

op_record! {
    /// A division with both results.
    pub struct DvrmOp as DvrmFields {
        /// Dividend.
        lhs: u64,
        /// Divisor.
        rhs: u64,
        /// Quotient.
        quotient: u64,
        /// Remainder.
        remainder: u64,
        /// Bit 5: with signs. Bit 7: the remainder is asked for.
        flags: u8[0xa0],
    }
}

impl From<&DivRemOp> for DvrmOp {
    fn from(&DivRemOp { lhs, rhs, flags }: &DivRemOp) -> Self {
        let (quotient, remainder) = divide(lhs, rhs, is_signed(flags));
        Self { lhs, rhs, quotient, remainder, flags }
    }
}

fn is_signed(flags: u8) -> bool {
    u64::from(flags) & ALU_SIGNED != 0
}

/// How the table is made and fed.
pub const TABLE: MachineTable = MachineTable::new(table, feed);

fn feed(run: &Run<'_>, records: &mut OpRecords) {
    for op in &run.records.div_rem {
        records.push(|words| DvrmOp::from(op).put(words));
    }
}

/// The products that a division asks for: both words of quotient times divisor.
pub fn products(op: &DivRemOp) -> [MulOp; 2] {
    let DvrmOp { quotient, rhs, flags, .. } = op.into();
    let signs = if is_signed(flags) { ALU_SIGNED + ALU_SECOND } else { 0 };
    [ALU_MUL, ALU_MUL + ALU_UPPER + signs].map(|flags| MulOp {
        lhs: quotient,
        rhs,
        flags: flags as u8,
    })
}

/// The comparison that a division asks for, unless it is by zero.
pub fn comparison(op: &DivRemOp) -> Option<LtOp> {
    let DvrmOp { rhs, remainder, flags, .. } = op.into();
    let size = |x: u64| if is_signed(flags) { (x as i64).unsigned_abs() } else { x };
    (rhs != 0).then(|| LtOp { lhs: size(remainder), rhs: size(rhs), flags: ALU_LT as u8 })
}

/// A number whose sign matters, as a low word and two halves.
#[derive(Clone, Copy)]
struct Number {
    low: Column,
    high: [Column; 2],
    /// Whether it has a sign, and that is set.
    negative: Column,
}

impl Number {
    fn words(&self) -> [Poly; 2] {
        [self.low.into(), join(16, &self.high)]
    }
}

/// The columns.
struct Columns {
    dividend: Number,
    divisor: Number,
    quotient: [Column; 2],
    remainder: [Column; 4],
    remainder_negative: Column,
    signed: Column,
    remains: Column,
    by_zero: Column,
    overflow: Column,
    /// Remainder and divisor without their signs.
    sizes: [[Column; 2]; 2],
    /// The product of quotient and divisor.
    product: [Column; 4],
    mu: Column,
}

/// The table.
///
/// # Errors
/// Never: tests make it.
pub fn table() -> Result<Table, TableFaults> {
    let mut t = TableBuilder::new("dvrm");
    let number = |t: &mut TableBuilder, name: &str| Number {
        low: t.limb(&format!("{name}_low"), Limb::Word),
        high: t.limbs(name, Limb::Half),
        negative: t.flag(&format!("{name}_negative")),
    };
    let c = Columns {
        dividend: number(&mut t, "dividend"),
        divisor: number(&mut t, "divisor"),
        quotient: t.words("quotient"),
        remainder: t.limbs("remainder", Limb::Half),
        remainder_negative: t.flag("remainder_negative"),
        signed: t.flag("signed"),
        remains: t.flag("remains"),
        by_zero: t.flag("by_zero"),
        overflow: t.flag("overflow"),
        sizes: [t.words("remainder_size"), t.words("divisor_size")],
        product: t.limbs("product", Limb::Word),
        mu: t.column("mu", Limb::Bit, Role::Multiplicity),
    };
    t.rows::<DvrmOp>(|row, op| rows(&c, row, op));
    constraints(&c, &mut t);
    messages(&c, &mut t);
    t.finish()
}

fn rows(c: &Columns, row: &mut Row, op: DvrmFields) {
    row.step("operands and results");
    let [signed, remains] = [5, 7].map(|i| row.bit(op.flags, i));
    row.put_all([c.signed, c.remains], [signed, remains]);
    for (number, long) in [(c.dividend, op.lhs), (c.divisor, op.rhs)] {
        row.put(number.low, long.low);
        let halves = [0, 1].map(|i| row.half(long.high, i));
        row.put_all(number.high, halves);
    }
    row.put_long(c.quotient, op.quotient);
    let halves = row.halves(op.remainder);
    row.put_all(c.remainder, halves);
    let signs = [op.lhs, op.rhs, op.remainder].map(|long| row.bit(long.high, 31));
    let [a, b, r] = signs.map(|sign| row.all(&[signed, sign]));
    row.put_all([c.dividend.negative, c.divisor.negative, c.remainder_negative], [a, b, r]);

    row.step("special cases");
    let by_zero = is_long(row, op.rhs, 0, 0);
    let least = is_long(row, op.lhs, 0, 1 << 31);
    let minus_one = is_long(row, op.rhs, WORD - 1, WORD - 1);
    let overflow = row.all(&[signed, least, minus_one]);
    row.put_all([c.by_zero, c.overflow], [by_zero, overflow]);

    row.step("sizes");
    let zero = row.constant(0);
    let zero = row.widen(zero);
    for (columns, (negative, long)) in c.sizes.into_iter().zip([(r, op.remainder), (b, op.rhs)]) {
        let size = row.sub_long(zero, long);
        let size = row.select_long(negative, size, long);
        row.put_long(columns, size);
    }

    row.step("product: the dividend less the remainder");
    let low = row.sub_long(op.lhs, op.remainder);
    let borrow = row.less_long(op.lhs, op.remainder);
    let ones = row.constant(WORD - 1);
    let fits = row.not(overflow);
    let fill = row.all(&[a, fits]);
    let [above, less] = [fill, r].map(|negative| row.keep(negative, ones));
    let [above, less] = [above, less].map(|word| Long { low: word, high: word });
    let borrow = row.widen(borrow);
    let high = row.sub_long(above, less);
    let high = row.sub_long(high, borrow);
    row.put_all(c.product, [low.low, low.high, high.low, high.high]);
    let one = row.constant(1);
    row.put(c.mu, one);
}

/// Whether a value has these words.
fn is_long(row: &mut Row, long: Long, low: u64, high: u64) -> Int {
    let both = [row.is(long.low, low), row.is(long.high, high)];
    row.all(&both)
}

fn constraints(c: &Columns, t: &mut TableBuilder) {
    let remainder = words_of_halves(c.remainder);
    let [dividend, divisor] = [c.dividend, c.divisor].map(|number| number.words());
    let (a, r) = (c.dividend.negative, c.remainder_negative);
    t.zero("mu is a bit", is_bit(c.mu));
    for (negative, name) in [(a, "dividend"), (c.divisor.negative, "divisor"), (r, "remainder")] {
        t.zero(&format!("a {name} without a sign"), not(c.signed) * negative);
    }
    t.zero("a division by zero is one", c.by_zero * not(c.mu));
    for i in 0..2 {
        t.zero(&format!("by_zero: divisor[{i}]"), c.by_zero * &divisor[i]);
        let quotient = c.quotient[i] - constant(WORD - 1);
        t.zero(&format!("by_zero: quotient[{i}]"), c.by_zero * quotient);
        let minus_one = &divisor[i] - constant(WORD - 1);
        t.zero(&format!("overflow: divisor[{i}]"), c.overflow * minus_one);
        let least = &dividend[i] - constant(if i == 0 { 0 } else { 1 << 31 });
        t.zero(&format!("overflow: dividend[{i}]"), c.overflow * least);
    }
    t.zero("overflow: with signs", c.overflow * not(c.signed));
    t.zero("a negative remainder is of a negative dividend", r * not(a));
    let words = &remainder[0] + &remainder[1];
    t.zero("another remainder of a negative dividend is 0", a * not(r) * words);

    let numbers = [(r, &remainder, "remainder"), (c.divisor.negative, &divisor, "divisor")];
    for (size, (negative, words, name)) in c.sizes.into_iter().zip(numbers) {
        let low = carry(&words[0] + size[0]);
        let high = &words[1] + size[1] + &low - constant(WORD);
        t.zero(&format!("low word of a negative {name}"), negative * is_bit(low));
        t.zero(&format!("high word of a negative {name}"), negative * high);
        for (i, word) in words.iter().enumerate() {
            let same = not(negative) * (size[i] - word);
            t.zero(&format!("word {i} of another {name}"), same);
        }
    }

    let [above, less] = [a - c.overflow, r.into()].map(|sign: Poly| sign * constant(WORD - 1));
    let [r0, r1] = remainder;
    let terms = [(r0, &dividend[0]), (r1, &dividend[1]), (less.clone(), &above), (less, &above)];
    let mut low = constant(0);
    for (i, (remainder, dividend)) in terms.into_iter().enumerate() {
        low = carry(c.product[i] + remainder + low - dividend);
        t.zero(&format!("word {i} of product and remainder"), is_bit(&low));
    }
}

fn messages(c: &Columns, t: &mut TableBuilder) {
    let (dividend, divisor) = (c.dividend, c.divisor);
    let halves = [&dividend.high[..], &divisor.high, &c.remainder].concat();
    for half in halves {
        t.look_up(ByteOp::RangeCheck16, constant(1), values![half]);
    }
    let signs = [
        (dividend.high[1], dividend.negative),
        (divisor.high[1], divisor.negative),
        (c.remainder[3], c.remainder_negative),
    ];
    for (half, negative) in signs {
        let rest = half * constant(2) - negative * constant(1 << 16);
        t.look_up(ByteOp::RangeCheck16, c.signed, vec![rest]);
    }
    let (mu, [q0, q1], [p0, p1, p2, p3]) = (c.mu, c.quotient, c.product);
    let ([a0, a1], [b0, b1]) = (dividend.words(), divisor.words());
    t.send(ALU, mu, values![q0, q1, &b0, &b1, ALU_MUL, p0, p1]);
    let flags = c.signed * constant(ALU_SIGNED + ALU_SECOND) + constant(ALU_MUL + ALU_UPPER);
    t.send(ALU, mu, values![q0, q1, &b0, &b1, flags, p2, p3]);
    let [[r0, r1], [d0, d1]] = c.sizes;
    t.send(ALU, mu - c.by_zero, values![r0, r1, d0, d1, ALU_LT, 1, 0]);
    let remainder = words_of_halves(c.remainder);
    let [out0, out1] = [0, 1].map(|i| not(c.remains) * c.quotient[i] + c.remains * &remainder[i]);
    let flags =
        c.signed * constant(ALU_SIGNED) + c.remains * constant(ALU_UPPER) + constant(ALU_DIV);
    t.receive(ALU, mu, values![a0, a1, b0, b1, flags, out0, out1]);
}
