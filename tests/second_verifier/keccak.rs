//! Keccak-256 with the original padding: the hash inside p3's transcript seeds.

const RATE: usize = 136;

/// Keccak-256 of `message`.
pub fn keccak256(message: &[u8]) -> [u8; 32] {
    let mut padded = message.to_vec();
    padded.push(1);
    padded.resize(padded.len().next_multiple_of(RATE), 0);
    *padded.last_mut().expect("it has a byte") |= 0x80;
    let mut state = [0_u64; 25];
    for block in padded.chunks(RATE) {
        for (lane, bytes) in state.iter_mut().zip(block.chunks(8)) {
            *lane ^= u64::from_le_bytes(bytes.try_into().expect("the rate is whole lanes"));
        }
        permute(&mut state);
    }
    let mut digest = [0; 32];
    for (bytes, lane) in digest.chunks_mut(8).zip(state) {
        bytes.copy_from_slice(&lane.to_le_bytes());
    }
    digest
}

/// Keccak-f\[1600\]; lane (x, y) is at 5·y + x.
fn permute(state: &mut [u64; 25]) {
    let mut lfsr = 1_u8;
    for _ in 0..24 {
        theta(state);
        rho_pi(state);
        for row in state.chunks_mut(5) {
            let old: [u64; 5] = std::array::from_fn(|x| row[x]);
            for x in 0..5 {
                row[x] = old[x] ^ (!old[(x + 1) % 5] & old[(x + 2) % 5]);
            }
        }
        state[0] ^= round_constant(&mut lfsr);
    }
}

fn theta(state: &mut [u64; 25]) {
    let parity: [u64; 5] = std::array::from_fn(|x| (0..5).fold(0, |sum, y| sum ^ state[5 * y + x]));
    for (index, lane) in state.iter_mut().enumerate() {
        let x = index % 5;
        *lane ^= parity[(x + 4) % 5] ^ parity[(x + 1) % 5].rotate_left(1);
    }
}

fn rho_pi(state: &mut [u64; 25]) {
    let (mut x, mut y) = (1, 0);
    let mut moving = state[1];
    for step in 0..24_u32 {
        (x, y) = (y, (2 * x + 3 * y) % 5);
        let rotated = moving.rotate_left((step + 1) * (step + 2) / 2 % 64);
        moving = std::mem::replace(&mut state[5 * y + x], rotated);
    }
}

/// Bits 2^j - 1 of the constant come from the register x^8 + x^6 + x^5 + x^4 + 1.
fn round_constant(lfsr: &mut u8) -> u64 {
    let mut constant = 0;
    for j in 0..7 {
        if *lfsr & 1 == 1 {
            constant |= 1 << ((1_u32 << j) - 1);
        }
        let carry = *lfsr >> 7;
        *lfsr = (*lfsr << 1) ^ (carry * 0x71);
    }
    constant
}

#[test]
fn the_hash_of_nothing_is_the_published_one() {
    let hex: String = keccak256(b"").iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(hex, "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470");
}
