//! Rows as the description of the tables states them, in arithmetic of whole integers.
//!
//! Nothing here reads the row programs: columns are in the order and with the values of the
//! description, and are counted by hand. `reference_more` has the tables that came later.

use traceloom_optables::record::Counted;
use traceloom_optables::riscv::cpu::CpuOp;
use traceloom_riscv::records::{AlignedOp, LoadOp, LtOp, RegisterOp, ShiftOp, StoreOp};

/// Two words.
pub fn wl(x: u64) -> [u64; 2] {
    [x & 0xffff_ffff, x >> 32]
}

/// Four halves.
pub fn hl(x: u64) -> [u64; 4] {
    [0, 16, 32, 48].map(|shift| x >> shift & 0xffff)
}

/// Eight bytes.
pub fn bl(x: u64) -> [u64; 8] {
    x.to_le_bytes().map(u64::from)
}

pub fn bit(flags: impl Into<u64>, i: u32) -> bool {
    flags.into() >> i & 1 == 1
}

pub fn bits<const N: usize>(flags: [bool; N]) -> [u64; N] {
    flags.map(u64::from)
}

/// 38 columns.
pub fn cpu(op: &CpuOp) -> Vec<u64> {
    let f = |i| bit(op.flags, i);
    let word = f(0);
    let masked = |x: u64| if word { 0 } else { x };
    let [read1, read2, write] =
        [(1, op.rs1), (2, op.rs2), (3, op.rd)].map(|(i, r)| f(i) && r != 0 && !word);
    let [alu, add, sub, memory, branch, ecall] = [4, 5, 6, 7, 8, 9].map(|i| f(i) && !word);
    let imm = i64::from(op.imm as i32) as u64;
    let length = 2 * u64::from(op.half_length);
    let rv1 = match op.rs1 {
        _ if !read1 => 0,
        255 => op.pc,
        _ => op.rv1,
    };
    let rv2 = if read2 { op.rv2 } else { 0 };
    let arg2 = match (memory, branch) {
        (true, _) => imm,
        (_, true) => rv2,
        _ => rv2.wrapping_add(imm),
    };
    let res = match (add, sub) {
        (true, _) => rv1.wrapping_add(arg2),
        (_, true) => rv1.wrapping_sub(arg2),
        _ if branch && bit(op.memory_flags, 0) => op.pc.wrapping_add(length),
        _ => op.result,
    };
    let is_store_or_jump = bit(op.memory_flags, 0);
    let taken = branch && (is_store_or_jump || op.result & 1 == 1);
    let following = op.pc.wrapping_add(length);
    let next_pc = match (taken, is_store_or_jump) {
        (false, _) => following,
        // JALR, and JAL with the pc as its register.
        (true, true) => rv1.wrapping_add(imm) & !1,
        (true, false) => op.pc.wrapping_add(imm),
    };
    let rvd = match (memory, branch) {
        (true, _) if is_store_or_jump => 0,
        (true, _) => op.result,
        (_, true) => following,
        _ => res,
    };
    let double = read1 && op.rs1 == 255;
    let borrow = !double && op.timestamp < 3;
    let mut row = vec![op.timestamp.into()];
    row.extend(wl(op.pc));
    row.extend([op.rs1, op.rs2, op.rd].map(|r| masked(r.into())));
    row.extend(bits([read1, read2, write]));
    row.extend(wl(masked(imm)));
    row.push(op.half_length.into());
    row.extend(bits([word, alu]));
    row.push(masked(op.alu_flags.into()));
    row.extend(bits([add, sub, memory]));
    row.push(masked(op.memory_flags.into()));
    row.extend(bits([branch, ecall]));
    row.extend(wl(next_pc));
    row.extend(wl(masked(rvd)));
    row.extend(bits([borrow, double]));
    row.extend([rv1, rv2, arg2].map(|x| wl(masked(x))).concat());
    row.extend(hl(masked(res)));
    row.push(taken.into());
    row
}

/// The padding row number `number` behind the last real one at `last`.
pub fn cpu_padding(last: u32, number: u32) -> Vec<u64> {
    let mut row = vec![0; 38];
    row[0] = (u64::from(last) + 4 * u64::from(number)) % (1 << 32);
    row[1] = 1;
    row[21] = 1;
    row
}

/// 10 columns.
pub fn memw_r(op: &RegisterOp) -> Vec<u64> {
    let is_read = op.is_write == 0;
    let mut row = vec![op.register.into()];
    row.extend(wl(op.timestamp));
    row.extend(wl(op.value));
    row.extend(wl(if is_read { op.value } else { op.old_value }));
    row.push(op.old_timestamp_low.into());
    row.extend(bits([is_read, !is_read]));
    row
}

/// 29 columns.
pub fn memw_a(op: &AlignedOp) -> Vec<u64> {
    let [is_write, w2, w4, w8, register] = [0, 2, 3, 4, 5].map(|i| bit(op.flags, i));
    let is_read = !is_write;
    let cells = |x: u64| match register {
        true => [x & 0xffff_ffff, x >> 32, 0, 0, 0, 0, 0, 0],
        false => bl(x),
    };
    let [b0, b1, ..] = hl(op.base);
    let mut row = vec![register.into(), b0, b1, op.base >> 32];
    row.extend(cells(op.value));
    row.extend(wl(op.timestamp));
    row.extend(bits([w2, w4, w8]));
    row.extend(cells(if is_read { op.value } else { op.old_value }));
    row.extend(wl(op.old_timestamp));
    row.extend(bits([is_read, !is_read]));
    row
}

/// 18 columns.
pub fn load(op: &LoadOp) -> Vec<u64> {
    let [signed, r2, r4, r8] = [1, 2, 3, 4].map(|i| bit(op.flags, i));
    let highest = match (r2, r4, r8) {
        (_, _, true) => 7,
        (_, true, _) => 3,
        (true, ..) => 1,
        _ => 0,
    };
    let mut row = wl(op.base).to_vec();
    row.extend(wl(op.timestamp));
    row.extend(bits([r2, r4, r8, signed && !r8]));
    row.extend(bl(op.result));
    row.push(bl(op.result)[highest] >> 7);
    row.push(1);
    row
}

/// 16 columns.
pub fn store(op: &StoreOp) -> Vec<u64> {
    let mut row = wl(op.base).to_vec();
    row.extend(wl(op.timestamp));
    row.extend(bits([2, 3, 4].map(|i| bit(op.flags, i))));
    row.extend(bl(op.value));
    row.push(1);
    row
}

/// 17 columns.
pub fn lt(&Counted { op, count }: &Counted<LtOp, u8>) -> Vec<u64> {
    let [signed, invert] = [5, 6].map(|i| bit(op.flags, i));
    let less = match signed {
        true => (op.lhs as i64) < op.rhs as i64,
        false => op.lhs < op.rhs,
    };
    let hhw = |x: u64| [x & 0xffff_ffff, x >> 32 & 0xffff, x >> 48];
    let mut row = hhw(op.lhs).to_vec();
    row.extend(hhw(op.rhs));
    row.extend(bits([signed, less]));
    row.extend(hl(op.lhs.wrapping_sub(op.rhs)));
    row.extend([op.lhs >> 63, op.rhs >> 63]);
    row.extend(bits([invert, less != invert]));
    row.push(count.into());
    row
}

/// 30 columns: the last one is no column of the description.
pub fn shift(op: &ShiftOp) -> Vec<u64> {
    let [right, signed] = [6, 5].map(|i| bit(op.flags, i));
    let word = op.flags % 32 == 6;
    let input = hl(op.lhs);
    let amount = op.rhs & 255;
    let negative = signed && op.lhs >> 63 == 1;
    let extension = if negative { 0xffff } else { 0 };
    let bit_shift = if right { (256 - amount) % 16 } else { amount % 16 };
    let left = |half: u64| (half << bit_shift) % (1 << 16);
    let out = |half: u64| half >> (16 - bit_shift);
    let (x, y): ([u64; 5], [u64; 4]) = match (bit_shift, right) {
        (0, true) => ([0; 5], input),
        (0, false) => ([input[0], input[1], input[2], input[3], 0], [0; 4]),
        _ => {
            let [a, b, c, d] = input.map(left);
            ([a, b, c, d, left(extension)], input.map(out))
        }
    };
    let index = amount / 16 % if word { 2 } else { 4 };
    let j = index as usize;
    let halves = [0, 1, 2, 3].map(|i: usize| match right {
        false if i < j => 0,
        false if i == j => x[0],
        false => x[i - j] + y[i - j - 1],
        true if i + j < 4 => y[i + j] + x[i + j + 1],
        true => extension,
    });
    let mut row = input.to_vec();
    row.push(amount);
    row.extend(bits([right, signed, word]));
    row.extend([halves[0] + (halves[1] << 16), halves[2] + (halves[3] << 16)]);
    row.push(negative.into());
    row.extend([bit_shift, u64::from(bit_shift == 0)]);
    row.extend(x);
    row.extend(y);
    row.extend([0, 1, 2].map(|limb| u64::from(limb == index)));
    row.push(1);
    row.extend([op.rhs >> 8 & 0xff, op.rhs >> 16 & 0xffff, op.rhs >> 32]);
    // What halves are multiplied by.
    row.push(if right && bit_shift == 0 { 1 << 16 } else { 1 << bit_shift });
    row
}

/// The padding row of SHIFT.
pub fn shift_padding() -> Vec<u64> {
    let mut row = vec![0; 30];
    (row[12], row[29]) = (1, 1);
    row
}
