//! What arithmetic instructions compute.

use crate::instruction::Op;

/// The result of an arithmetic instruction with operands `a` and `b`, as words of 64 bits. `b`
/// is the second register or the immediate. Shift amounts are taken modulo 64, or 32 for the
/// 32-bit forms, whose results are sign-extended. Division by zero and overflow are as the
/// RISC-V manual says. Operations that compute nothing give 0.
#[inline(always)]
#[must_use]
pub fn alu(op: Op, a: u64, b: u64) -> u64 {
    let (sa, sb) = (a as i64, b as i64);
    let (wa, wb) = (a as i32, b as i32);
    match op {
        Op::Add => a.wrapping_add(b),
        Op::Sub => a.wrapping_sub(b),
        Op::And => a & b,
        Op::Or => a | b,
        Op::Xor => a ^ b,
        Op::Sll => a.wrapping_shl(b as u32),
        Op::Srl => a.wrapping_shr(b as u32),
        Op::Sra => sa.wrapping_shr(b as u32) as u64,
        Op::Slt => u64::from(sa < sb),
        Op::Sltu => u64::from(a < b),
        Op::Addw => extended(wa.wrapping_add(wb)),
        Op::Subw => extended(wa.wrapping_sub(wb)),
        Op::Sllw => extended(wa.wrapping_shl(b as u32)),
        Op::Srlw => extended((a as u32).wrapping_shr(b as u32) as i32),
        Op::Sraw => extended(wa.wrapping_shr(b as u32)),
        Op::Mul => a.wrapping_mul(b),
        Op::Mulh => ((i128::from(sa) * i128::from(sb)) >> 64) as u64,
        Op::Mulhsu => (i128::from(sa).wrapping_mul(i128::from(b)) >> 64) as u64,
        Op::Mulhu => ((u128::from(a) * u128::from(b)) >> 64) as u64,
        Op::Mulw => extended(wa.wrapping_mul(wb)),
        Op::Div if b == 0 => u64::MAX,
        Op::Div => sa.wrapping_div(sb) as u64,
        Op::Divu => a.checked_div(b).unwrap_or(u64::MAX),
        Op::Rem if b == 0 => a,
        Op::Rem => sa.wrapping_rem(sb) as u64,
        Op::Remu => a.checked_rem(b).unwrap_or(a),
        Op::Divw if wb == 0 => u64::MAX,
        Op::Divw => extended(wa.wrapping_div(wb)),
        Op::Divuw => extended((a as u32).checked_div(b as u32).unwrap_or(u32::MAX) as i32),
        Op::Remw if wb == 0 => extended(wa),
        Op::Remw => extended(wa.wrapping_rem(wb)),
        Op::Remuw => extended((a as u32).checked_rem(b as u32).unwrap_or(a as u32) as i32),
        _ => 0,
    }
}

const fn extended(word: i32) -> u64 {
    word as i64 as u64
}

/// Whether a conditional branch with these operands is taken; false for other operations.
#[inline(always)]
#[must_use]
pub const fn is_taken(op: Op, a: u64, b: u64) -> bool {
    match op {
        Op::Beq => a == b,
        Op::Bne => a != b,
        Op::Blt => (a as i64) < b as i64,
        Op::Bge => a as i64 >= b as i64,
        Op::Bltu => a < b,
        Op::Bgeu => a >= b,
        _ => false,
    }
}
