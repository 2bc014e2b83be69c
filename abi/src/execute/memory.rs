//! Memory, io and integers in memory.

use num_bigint::BigUint;

use super::machine::Mode;
use super::{Ended, Machine, Stop};
use crate::biguint::{END_NODE, div_rem, node, read};
use crate::field::is_canonical;
use crate::limits::{KEY_BYTES, POINTER_BYTES};

impl Machine<'_> {
    /// The pointer to `values` in the memory at `index` of the program's list, stored if it
    /// is new.
    ///
    /// # Errors
    /// [`Stop`]: a replay that stores something else, a limit.
    pub fn store(&mut self, index: usize, values: &[u64]) -> Result<u64, Stop> {
        self.store_as(self.mode, index, values)
    }

    fn store_as(&mut self, mode: Mode, index: usize, values: &[u64]) -> Result<u64, Stop> {
        let memory = &mut self.record.memories[index];
        let (pointer, is_new) = memory.find_or_store(values);
        if is_new {
            if mode == Mode::Replay {
                return Err(Stop);
            }
            self.meter.pointer(8 * values.len() as u64 + POINTER_BYTES, self.stack_bytes)?;
        }
        if mode.counts() {
            memory.count(pointer);
        }
        Ok(pointer as u64)
    }

    /// The values behind a pointer.
    ///
    /// # Errors
    /// [`Stop`] if it was never stored.
    #[inline]
    pub fn load<const N: usize>(&mut self, index: usize, pointer: u64) -> Result<[u64; N], Stop> {
        let memory = &mut self.record.memories[index];
        let values = memory.load(pointer).and_then(|values| values.words(0)).ok_or(Stop)?;
        if self.mode.counts() {
            memory.count(pointer as usize);
        }
        Ok(values)
    }

    /// Index and length under an io key.
    ///
    /// # Errors
    /// [`Stop`] without such a key, or if a number there is no word.
    pub fn io_get_info(&self, channel: u64, key: &[u64]) -> Result<[u64; 2], Stop> {
        let (index, len) = self.record.io.info(channel, key)?;
        if is_canonical(index) && is_canonical(len) { Ok([index, len]) } else { Err(Stop) }
    }

    /// Names a stretch of a channel; nothing in a replay.
    ///
    /// # Errors
    /// [`Stop`] if the key is there, or at a limit.
    pub fn io_set_info(&mut self, channel: u64, key: &[u64], index: u64, len: u64) -> Ended {
        if self.mode == Mode::Replay {
            return Ok(());
        }
        self.meter.bytes(8 * key.len() as u64 + KEY_BYTES, self.stack_bytes)?;
        Ok(self.record.io.set_info(channel, key, index, len)?)
    }

    /// Words of a channel.
    ///
    /// # Errors
    /// [`Stop`] beyond its end.
    pub fn io_read<const N: usize>(&self, channel: u64, index: u64) -> Result<[u64; N], Stop> {
        self.record.io.read(channel, index, N as u64)?.try_into().map_err(|_| Stop)
    }

    /// Appends to a channel; nothing in a replay.
    ///
    /// # Errors
    /// [`Stop`] at a limit.
    pub fn io_write(&mut self, channel: u64, values: &[u64]) -> Ended {
        if self.mode == Mode::Replay {
            return Ok(());
        }
        self.meter.bytes(8 * values.len() as u64, self.stack_bytes)?;
        self.record.io.write(channel, values);
        Ok(())
    }

    /// Pointers to quotient and remainder of two integers in the memory at `index`, stored
    /// as advice.
    ///
    /// # Errors
    /// [`Stop`] if an operand is no integer, or at a limit.
    pub fn biguint_div_rem(&mut self, index: usize, a: u64, b: u64) -> Result<[u64; 2], Stop> {
        let (a, b) = (self.read_integer(index, a)?, self.read_integer(index, b)?);
        // Schoolbook division takes so many steps.
        let rows = (a.bits().saturating_sub(b.bits())) / 64 + 1;
        self.steps(rows.saturating_mul(b.bits() / 64 + 1))?;
        let [quotient, remainder] = div_rem(a, &b);
        Ok([self.store_integer(index, &quotient)?, self.store_integer(index, &remainder)?])
    }

    fn read_integer(&mut self, index: usize, pointer: u64) -> Result<BigUint, Stop> {
        let integer = read(&self.record.memories[index], pointer)?;
        self.steps(integer.bits() / 64 + 1)?;
        Ok(integer)
    }

    fn store_integer(&mut self, index: usize, integer: &BigUint) -> Result<u64, Stop> {
        let mut pointer = self.store_as(Mode::Advice, index, &END_NODE)?;
        for limb in integer.iter_u64_digits().rev() {
            self.steps(1)?;
            pointer = self.store_as(Mode::Advice, index, &node(limb, pointer))?;
        }
        Ok(pointer)
    }
}
