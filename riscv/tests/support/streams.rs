//! Random programs: every instruction of RV64IM, on random registers and memory.

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::{ECALL, addi, b, elf, exit, i, jal, r, s, u};

/// Bytes of data that a stream begins with and writes at its end: 4096 and a bit that it loads and
/// stores, and from 0x2000 on its registers.
pub const DATA_BYTES: usize = 0x2100;
/// The base register of loads and stores; no random instruction writes it.
const BASE: u32 = 31;

/// An ELF file that sets x1 to x30 from its data, executes `len` random instructions, and writes
/// its data with all registers to the output.
pub fn stream(rng: &mut ChaCha8Rng, len: usize) -> Vec<u8> {
    let mut data = vec![0; DATA_BYTES];
    data.chunks_mut(8).for_each(|word| {
        let value = operand(rng).to_le_bytes();
        word.copy_from_slice(&value[..word.len()]);
    });
    let mut code = vec![u(0x37, BASE, 0x202)];
    code.extend((1..31).map(|x| i(3, 3, [x, BASE], 8 * x as i32)));
    code.extend([u(0x37, BASE, 0x201), addi(BASE, BASE, -0x800)]);
    while code.len() < len {
        push(rng, &mut code);
    }
    // The last branches go beyond the stream.
    code.extend([addi(0, 0, 0); 16]);
    code.push(u(0x37, BASE, 0x202));
    code.extend((1..31).map(|x| s(3, [BASE, x], 8 * x as i32)));
    code.extend([addi(10, 0, 1), u(0x37, 11, 0x200), u(0x37, 12, 2), addi(12, 12, 0x100)]);
    code.extend([addi(17, 0, 64), ECALL]);
    code.extend(exit(0));
    elf(&code, &data)
}

/// Small numbers, numbers near powers of two, and any.
fn operand(rng: &mut ChaCha8Rng) -> u64 {
    let near =
        (1u64 << rng.random_range(0..64)).wrapping_add(rng.random_range(0..3)).wrapping_sub(1);
    match rng.random_range(0..4) {
        0 => rng.random_range(0..4),
        1 => near,
        2 => near.wrapping_neg(),
        _ => rng.random(),
    }
}

fn push(rng: &mut ChaCha8Rng, code: &mut Vec<u32>) {
    let rd = rng.random_range(0..31);
    let [rs1, rs2] = [rng.random_range(0..32), rng.random_range(0..32)];
    let imm = rng.random_range(-2048..2048);
    let forward = 4 * rng.random_range(1..8);
    let word = match rng.random_range(0..12) {
        0 | 1 => r(0x33, rng.random_range(0..8), 0, [rd, rs1, rs2]),
        2 => r(0x33, [0, 5][rng.random_range(0..2)], 0x20, [rd, rs1, rs2]),
        3 => r(0x33, rng.random_range(0..8), 1, [rd, rs1, rs2]),
        4 => {
            let all = [
                (0, 0),
                (0, 0x20),
                (1, 0),
                (5, 0),
                (5, 0x20),
                (0, 1),
                (4, 1),
                (5, 1),
                (6, 1),
                (7, 1),
            ];
            let (funct3, funct7) = all[rng.random_range(0..all.len())];
            r(0x3b, funct3, funct7, [rd, rs1, rs2])
        }
        5 => i(0x13, [0, 2, 3, 4, 6, 7][rng.random_range(0..6)], [rd, rs1], imm),
        6 => match rng.random_range(0..3) {
            0 => i(0x13, 1, [rd, rs1], imm & 63),
            1 => i(0x13, 5, [rd, rs1], imm & 63),
            _ => i(0x13, 5, [rd, rs1], imm & 63 | 0x400),
        },
        7 => match rng.random_range(0..4) {
            0 => i(0x1b, 0, [rd, rs1], imm),
            1 => i(0x1b, 1, [rd, rs1], imm & 31),
            2 => i(0x1b, 5, [rd, rs1], imm & 31),
            _ => i(0x1b, 5, [rd, rs1], imm & 31 | 0x400),
        },
        8 => i(3, rng.random_range(0..7), [rd, BASE], imm),
        9 => s(rng.random_range(0..4), [BASE, rs2], imm),
        10 => b([0, 1, 4, 5, 6, 7][rng.random_range(0..6)], [rs1, rs2], forward),
        _ => match rng.random_range(0..5) {
            0 => u(0x37, rd, rng.random::<u32>() >> 12),
            1 => u(0x17, rd, rng.random::<u32>() >> 12),
            2 => jal(rd, forward),
            3 => 0x0ff0_000f,
            _ => {
                // Branches may skip the first of the two, so x30 is made twice, far apart enough.
                code.extend([jal(30, 4); 9]);
                i(0x67, 0, [rd, 30], forward)
            }
        },
    };
    code.push(word);
}
