//! The reference for the tables beside the seven, as docs/riscv.md states them.

use traceloom_optables::record::Counted;
use traceloom_optables::riscv::cpu32::Cpu32Op;
use traceloom_optables::riscv::dvrm::DvrmOp;
use traceloom_optables::riscv::ecall::EcallOp;
use traceloom_optables::riscv::image::EightOp;
use traceloom_optables::riscv::input::InputOp;
use traceloom_optables::riscv::memw::MemwOp;
use traceloom_optables::riscv::moves::MoveOp;
use traceloom_optables::riscv::zero::ZeroOp;
use traceloom_riscv::records::{BranchOp, BytewiseOp, EqOp, HaltOp, MulOp};

use crate::reference::{bit, bits, bl, hl, wl};

const P: u128 = (1 << 64) - (1 << 32) + 1;

/// 49 columns.
pub fn memw(op: &MemwOp) -> Vec<u64> {
    let mut row = wl(op.base).to_vec();
    let above = |i: u64| (op.base % (1 << 32) + i) >> 32;
    row.extend((1..8).map(above));
    row.push(u64::from(op.base.checked_add(7).is_none()));
    row.extend(bl(op.value));
    row.extend(wl(op.timestamp));
    row.extend(bits([2, 3, 4].map(|i| bit(op.flags, i))));
    let is_write = bit(op.flags, 0);
    row.extend(bl(if is_write { op.old_value } else { op.value }));
    let times = [
        op.old_timestamp_0,
        op.old_timestamp_1,
        op.old_timestamp_2,
        op.old_timestamp_3,
        op.old_timestamp_4,
        op.old_timestamp_5,
        op.old_timestamp_6,
        op.old_timestamp_7,
    ];
    row.extend(times.map(wl).concat());
    row.extend(bits([!is_write, is_write]));
    row
}

/// 30 columns.
pub fn mul(&Counted { op, count }: &Counted<MulOp>) -> Vec<u64> {
    let [left, right, upper] = [5, 6, 7].map(|i| bit(op.flags, i));
    let number = |x: u64, signed: bool| if signed { i128::from(x as i64) } else { i128::from(x) };
    let product = number(op.lhs, left).wrapping_mul(number(op.rhs, right)) as u128;
    let mut row = [hl(op.lhs), hl(op.rhs)].concat();
    row.extend(bits([left, right, upper]));
    row.extend([op.lhs >> 63, op.rhs >> 63]);
    row.extend([hl(product as u64), hl((product >> 64) as u64)].concat());
    // Carries of words: what is above the words of 32 bits up to this one.
    let (a, b) = (hl(op.lhs).map(i128::from), hl(op.rhs).map(i128::from));
    let [minus_b, minus_a] = [(left, op.lhs, op.rhs), (right, op.rhs, op.lhs)]
        .map(|(signed, x, other)| if signed && x >> 63 == 1 { wl(other) } else { [0, 0] });
    let signs = [(left, op.lhs), (right, op.rhs)];
    let signs: i128 = signs.map(|(signed, x)| i128::from(signed && x >> 63 == 1)).iter().sum();
    let mut carries = Vec::new();
    let mut carry = 0;
    for word in 0..4 {
        let place = |k: usize| -> i128 {
            (0..4).filter(|i| (i..=&(i + 3)).contains(&&k)).map(|i| a[i] * b[k - i]).sum()
        };
        let mut total = carry + place(2 * word) + (place(2 * word + 1) << 16);
        if word >= 2 {
            total -= i128::from(minus_a[word - 2]) + i128::from(minus_b[word - 2]);
        }
        carry = total >> 32;
        carries.push((carry + if word >= 2 { signs } else { 0 }) as u64);
    }
    row.extend(carries.iter().map(|carry| carry % (1 << 16)));
    row.extend(carries.iter().map(|carry| carry >> 16));
    row.push(count.into());
    row
}

/// 28 columns.
pub fn dvrm(op: &DvrmOp) -> Vec<u64> {
    let [signed, remains] = [5, 7].map(|i| bit(op.flags, i));
    let number = |x: u64| if signed { i128::from(x as i64) } else { i128::from(x) };
    let negative = |x: u64| number(x) < 0;
    let [n, d, q, r] = [op.lhs, op.rhs, op.quotient, op.remainder].map(number);
    let overflow = signed && n == i128::from(i64::MIN) && d == -1;
    let mut row = Vec::new();
    for x in [op.lhs, op.rhs] {
        let [.., a, b] = hl(x);
        row.extend([wl(x)[0], a, b, u64::from(negative(x))]);
    }
    row.extend(wl(op.quotient));
    row.extend(hl(op.remainder));
    row.extend(bits([negative(op.remainder), signed, remains, d == 0, overflow]));
    row.extend([r, d].map(|x| wl(x.unsigned_abs() as u64)).concat());
    let product = q * d;
    row.extend([product, product >> 64].map(|x| wl(x as u64)).concat());
    row.push(1);
    row
}

/// 27 columns.
pub fn bytewise(&Counted { op, count }: &Counted<BytewiseOp>) -> Vec<u64> {
    let mut row = [op.lhs, op.rhs, op.lhs & op.rhs].map(bl).concat();
    row.extend(bits([op.flags == 1, op.flags == 2]));
    row.push(count.into());
    row
}

/// The inverse modulo p, by Fermat.
fn inverse(x: u128) -> u64 {
    let (mut power, mut square, mut exponent) = (1, x % P, P - 2);
    while exponent > 0 {
        if exponent & 1 == 1 {
            power = power * square % P;
        }
        (square, exponent) = (square * square % P, exponent >> 1);
    }
    power as u64
}

/// 9 columns.
pub fn eq(&Counted { op, count }: &Counted<EqOp>) -> Vec<u64> {
    let (l, r) = (wl(op.lhs), wl(op.rhs));
    let mut row = [l, r].concat();
    row.push(u64::from(op.lhs != op.rhs));
    let difference = |i: usize| P + u128::from(l[i]) - u128::from(r[i]);
    let [low, high] = [0, 1].map(|i| if l[i] == r[i] { 0 } else { inverse(difference(i)) });
    row.extend([low, if low == 0 { high } else { 0 }]);
    row.push(u64::from(op.flags >> 6));
    row.push(count.into());
    row
}

/// 16 columns.
pub fn branch(&Counted { op, count }: &Counted<BranchOp>) -> Vec<u64> {
    let base = if op.is_jalr == 1 { op.rv1 } else { op.pc };
    let target = u128::from(base) + u128::from(op.imm);
    let next = target as u64 & !1;
    let mut row = vec![next % 256 / 2, next >> 8 & 255];
    row.extend(&hl(next)[1..]);
    row.extend([op.pc, op.imm, op.rv1].map(wl).concat());
    row.extend([op.is_jalr.into(), target as u64 % 2]);
    let low = wl(base)[0] + wl(op.imm)[0];
    row.extend([low >> 32, (target >> 64) as u64]);
    row.push(count.into());
    row
}

/// 35 columns.
pub fn cpu32(op: &Cpu32Op) -> Vec<u64> {
    let f = |i| bit(op.flags, i);
    let imm = op.imm as i32 as u64;
    let rv1 = if f(0) { op.rv1 } else { 0 };
    let rv2 = if f(1) { op.rv2 } else { 0 };
    let (a, b) = (rv1 as u32, (rv2 as u32).wrapping_add(op.imm));
    let result = match (f(3), f(4)) {
        (true, _) => a.wrapping_add(b),
        (_, true) => a.wrapping_sub(b),
        _ => op.result as u32,
    };
    let halves = |x: u32| [x & 0xffff, x >> 16].map(u64::from);
    let mut row = vec![op.timestamp.into()];
    row.extend([op.pc, imm].map(wl).concat());
    row.extend([op.rs1, op.rs2, op.rd].map(u64::from));
    row.extend(bits([f(0), f(1), f(2)]));
    row.push(op.half_length.into());
    row.extend(bits([3, 4, 5, 6, 7, 8, 9, 10].map(f)));
    row.extend(halves(a));
    row.push(rv1 >> 32);
    row.extend(wl(rv2));
    row.extend(halves(b));
    row.extend(bits([f(8) && (a as i32) < 0, f(8) && (b as i32) < 0]));
    row.extend(halves(result));
    row.push(op.result >> 32);
    row.push(u64::from((result as i32) < 0));
    row.push(1);
    row
}

/// 16 columns.
pub fn eight(op: &EightOp) -> Vec<u64> {
    let mut row = bl(op.last).to_vec();
    let times = [
        op.timestamp_0,
        op.timestamp_1,
        op.timestamp_2,
        op.timestamp_3,
        op.timestamp_4,
        op.timestamp_5,
        op.timestamp_6,
        op.timestamp_7,
    ];
    row.extend(times.map(u64::from));
    row
}

/// 21 columns.
pub fn zero(op: &ZeroOp) -> Vec<u64> {
    let place = op.place;
    let mut row = [place.region, place.high, place.from].map(u64::from).to_vec();
    row.push(place.between.into());
    row.extend(eight(&op.eight));
    row.push(1);
    row
}

/// 12 columns.
pub fn ecall(op: &EcallOp) -> Vec<u64> {
    let [read, write] = [0, 1].map(|i| bit(op.flags, i));
    let mut row = vec![op.timestamp.into()];
    row.extend([op.address, op.most].map(wl).concat());
    row.extend([op.moved, op.counter].map(u64::from));
    row.extend(bits([read && u64::from(op.counter) < op.most, op.moved > 0]));
    row.extend(bits([read, write, !read && !write]));
    row
}

fn moved(op: &MoveOp) -> Vec<u64> {
    let mut row = vec![op.timestamp.into()];
    row.extend(wl(op.address));
    row.push(u64::from(op.address as u32 == u32::MAX));
    row.extend([op.counter, op.remaining].map(u64::from));
    row.extend([u64::from(op.remaining == 1), op.value.into()]);
    row
}

/// 10 columns.
pub fn input(op: &InputOp) -> Vec<u64> {
    let is_read = u64::from(op.read.is_read);
    let mut row = moved(&op.moves);
    row.extend([is_read, 1 - is_read]);
    row
}

/// 9 columns.
pub fn commit(op: &MoveOp) -> Vec<u64> {
    let mut row = moved(op);
    row.push(1);
    row
}

/// 4 columns.
pub fn halt(op: &HaltOp) -> Vec<u64> {
    let mut row = vec![op.timestamp];
    row.extend(wl(op.next_pc));
    row.push(1);
    row
}
