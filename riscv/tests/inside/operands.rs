//! Arithmetic at all boundary operands, against integers of 128 bits.

use traceloom_riscv::{Limits, Op, Program, alu::alu, execute};

use super::support::{ECALL, addi, elf, i, r, s, u};

/// Every power of two, its neighbours, their negatives, and their negatives as words.
fn boundaries() -> Vec<u64> {
    let mut all: Vec<u64> = (0..64)
        .flat_map(|bit| [(1u64 << bit) - 1, 1 << bit, (1 << bit) + 1])
        .flat_map(|x| [x, x.wrapping_neg(), u64::from((x as u32).wrapping_neg())])
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn word(value: i128) -> u64 {
    value as i32 as u64
}

/// What the manual says, in 128 bits.
fn expected(op: Op, a: u64, b: u64) -> u64 {
    let (ua, ub) = (i128::from(a), i128::from(b));
    let (sa, sb) = (i128::from(a as i64), i128::from(b as i64));
    let (wa, wb) = (i128::from(a as i32), i128::from(b as i32));
    let (va, vb) = (i128::from(a as u32), i128::from(b as u32));
    let floor_power = |n: u64| 1i128 << n;
    let quotient = |a: i128, b: i128| if b == 0 { -1 } else { a / b };
    let remainder = |a: i128, b: i128| if b == 0 { a } else { a - a / b * b };
    let value = match op {
        Op::Slt => i128::from(sa < sb),
        Op::Sltu => i128::from(ua < ub),
        Op::Sll => return (u128::from(a) << (b % 64)) as u64,
        Op::Srl => ua / floor_power(b % 64),
        Op::Sra => sa.div_euclid(floor_power(b % 64)),
        Op::Sllw => return word((u128::from(a) << (b % 32)) as i128),
        Op::Srlw => return word(va / floor_power(b % 32)),
        Op::Sraw => return word(wa.div_euclid(floor_power(b % 32))),
        Op::Mul => return (u128::from(a).wrapping_mul(u128::from(b))) as u64,
        Op::Mulh => return ((sa * sb) >> 64) as u64,
        Op::Mulhsu => return ((sa * ub) >> 64) as u64,
        Op::Mulhu => return ((u128::from(a) * u128::from(b)) >> 64) as u64,
        Op::Mulw => return word(wa * wb),
        Op::Div => quotient(sa, sb),
        Op::Divu => quotient(ua, ub),
        Op::Rem => remainder(sa, sb),
        Op::Remu => remainder(ua, ub),
        Op::Divw => return word(quotient(wa, wb)),
        Op::Divuw => return word(quotient(va, vb)),
        Op::Remw => return word(remainder(wa, wb)),
        Op::Remuw => return word(remainder(va, vb)),
        other => panic!("{other:?} has no boundary test"),
    };
    value as u64
}

#[rustfmt::skip]
const ALL: [(Op, u32, u32, u32); 21] = [
    (Op::Slt, 0x33, 2, 0), (Op::Sltu, 0x33, 3, 0),
    (Op::Sll, 0x33, 1, 0), (Op::Srl, 0x33, 5, 0), (Op::Sra, 0x33, 5, 0x20),
    (Op::Sllw, 0x3b, 1, 0), (Op::Srlw, 0x3b, 5, 0), (Op::Sraw, 0x3b, 5, 0x20),
    (Op::Mul, 0x33, 0, 1), (Op::Mulh, 0x33, 1, 1), (Op::Mulhsu, 0x33, 2, 1),
    (Op::Mulhu, 0x33, 3, 1), (Op::Mulw, 0x3b, 0, 1),
    (Op::Div, 0x33, 4, 1), (Op::Divu, 0x33, 5, 1), (Op::Rem, 0x33, 6, 1), (Op::Remu, 0x33, 7, 1),
    (Op::Divw, 0x3b, 4, 1), (Op::Divuw, 0x3b, 5, 1), (Op::Remw, 0x3b, 6, 1), (Op::Remuw, 0x3b, 7, 1),
];

#[test]
fn arithmetic_is_right_at_all_boundaries() {
    let values = boundaries();
    for (op, ..) in ALL {
        for &a in &values {
            for &b in &values {
                assert_eq!(alu(op, a, b), expected(op, a, b), "{op:?} {a:#x} {b:#x}");
            }
        }
    }
}

/// A guest that loads pairs of operands and stores all results: decoding is in it, too.
#[test]
fn machine_code_computes_the_same() {
    let values: Vec<u64> = boundaries().into_iter().step_by(29).collect();
    let pairs: Vec<(u64, u64)> =
        values.iter().flat_map(|&a| values.iter().map(move |&b| (a, b))).collect();
    let row = 16 + 8 * ALL.len() as i32;
    let mut data: Vec<u8> = Vec::new();
    for (a, b) in &pairs {
        data.extend(a.to_le_bytes());
        data.extend(b.to_le_bytes());
        data.resize(data.len() + 8 * ALL.len(), 0);
    }
    // x5: the row, x6: rows left, x7 and x8: operands.
    let mut code = vec![u(0x37, 5, 0x200), addi(6, 0, pairs.len() as i32)];
    let start = code.len();
    code.extend([i(3, 3, [7, 5], 0), i(3, 3, [8, 5], 8)]);
    for (at, (_, opcode, funct3, funct7)) in (16..).step_by(8).zip(ALL) {
        code.extend([r(opcode, funct3, funct7, [9, 7, 8]), s(3, [5, 9], at)]);
    }
    code.extend([addi(5, 5, row), addi(6, 6, -1)]);
    let distance = 4 * (start as i32 - code.len() as i32);
    code.push(super::support::b(1, [6, 0], distance));
    code.extend([addi(10, 0, 1), u(0x37, 11, 0x200), u(0x37, 12, data.len() as u32 >> 12)]);
    code.extend([
        addi(12, 12, (data.len() & 0x7ff) as i32),
        addi(12, 12, (data.len() & 0x800) as i32 / 2),
    ]);
    code.extend([addi(12, 12, (data.len() & 0x800) as i32 / 2), addi(17, 0, 64), ECALL]);
    code.extend(super::support::exit(0));
    let limits = Limits::default();
    let program = Program::load(&elf(&code, &data), &limits).unwrap();
    let output = execute(&program, &[], &limits).unwrap().output;
    assert_eq!(output.len(), data.len());
    for (row, &(a, b)) in output.chunks(row as usize).zip(&pairs) {
        for (result, (op, ..)) in row[16..].chunks(8).zip(ALL) {
            let result = u64::from_le_bytes(result.try_into().unwrap());
            assert_eq!(result, expected(op, a, b), "{op:?} {a:#x} {b:#x}");
        }
    }
}
