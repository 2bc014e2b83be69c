//! Bytes of the input: channel 0, from word 0 on, under the empty key.
//!
//! What an execution reads is advice. A program that hashes its input proves
//! that its prover knows such bytes, and where they were stored is not part of
//! the claim. So positions are derived, not looked up, and [`expect_input`] only
//! turns a wrong length into a clear error of the execution.

use traceloom_bytecode::builder::{Body, FunctionHandle, ProgramBuilder, Value};

use crate::gadgets::zeros;

/// The channel of program inputs.
pub(crate) const CHANNEL: u64 = 0;

/// Number of bits of a length below 64.
pub(crate) const TAIL_BITS: usize = 6;

/// Refuses to execute unless the input starts at word 0 and has `len` words.
/// Proves nothing: both sides of the comparison with advice are free.
pub(crate) fn expect_input(f: &mut Body, len: Value) {
    let channel = f.constant(CHANNEL);
    let [index, available] = f.io_get_info(channel, &[]);
    let start = f.constant(0);
    f.assert_eq(index, start, "the input is the first thing on channel 0");
    f.assert_eq(available, len, "the input is as long as claimed");
}

/// `len` words from `index` on, proven to be bytes.
pub(crate) fn read_bytes(f: &mut Body, index: Value, len: u32) -> Vec<Value> {
    let channel = f.constant(CHANNEL);
    let bytes = f.io_read(channel, index, len);
    f.range_check_bytes(&bytes);
    bytes
}

/// Reads fewer than 64 bytes and pads them: functions `tail_6` .. `tail_1`, of
/// which `tail_k` takes a position and `k` bits of a length.
///
/// `tail_k` returns `2^k - 1` bytes and the end marker: as many input bytes as
/// its bits say, the marker, zeros. It matches on the highest bit. If that is 1
/// it reads `2^(k-1)` bytes in front of what `tail_(k-1)` returns, else it puts
/// as many zeros behind it. Two paths per function, six rows per proof.
///
/// Sound because the count is exact: a match without default is provable for 0
/// and 1 only, so the bits are bits, and every byte is read on one path and is a
/// constant on the other. All read bytes are range checked.
pub(crate) struct Tail {
    functions: Vec<FunctionHandle>,
    marker: Vec<u64>,
}

impl Tail {
    /// Adds the functions; `marker` holds the bytes right behind the data.
    pub(crate) fn define(program: &mut ProgramBuilder, marker: &[u64]) -> Self {
        let functions = (1..=TAIL_BITS as u32).map(|k| {
            let num_outputs = (1 << k) - 1 + marker.len() as u32;
            program.function(&format!("tail_{k}"), 1 + k, num_outputs)
        });
        let tail = Self { functions: functions.collect(), marker: marker.to_vec() };
        for k in 1..=TAIL_BITS {
            tail.define_step(program, k);
        }
        tail
    }

    /// The functions, for grouping.
    pub(crate) fn functions(&self) -> &[FunctionHandle] {
        &self.functions
    }

    /// `bits` is a length below 64, least significant bit first.
    pub(crate) fn read(&self, f: &mut Body, index: Value, bits: &[Value]) -> Vec<Value> {
        match bits.len().checked_sub(1) {
            None => self.marker.iter().map(|&byte| f.constant(byte)).collect(),
            Some(last) => {
                let args: Vec<_> = std::iter::once(index).chain(bits.iter().copied()).collect();
                f.call(self.functions[last], &args)
            }
        }
    }

    fn define_step(&self, program: &mut ProgramBuilder, k: usize) {
        let half = 1_u32 << (k - 1);
        program.define(self.functions[k - 1], |f, inputs| {
            let (index, bits) = (inputs[0], &inputs[1..]);
            let (low, high) = (&bits[..k - 1], bits[k - 1]);
            f.match_value(high, |arms| {
                arms.case(0, |f| {
                    let mut bytes = self.read(f, index, low);
                    bytes.extend(zeros(f, half as usize));
                    f.ret(&bytes)
                });
                arms.case(1, |f| {
                    let mut bytes = read_bytes(f, index, half);
                    let behind = f.add_const(index, u64::from(half));
                    bytes.extend(self.read(f, behind, low));
                    f.ret(&bytes)
                });
            })
        });
    }
}
