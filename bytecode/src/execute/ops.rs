//! What operations need of the machine: words, ranges, memory, debug lines.

use std::io::Write;

use traceloom_abi::limits::POINTER_BYTES;
use traceloom_air::field::{Goldilocks, element};

use super::error::Fault;
use super::machine::{At, Machine, Mode, Outcome, one_more};
use super::{DebugHook, DebugLine};
use crate::model::ValueId;

/// First word that is no byte.
const BYTE_BOUND: u64 = 1 << 8;
/// First word that is no 32-bit word.
const U32_BOUND: u64 = 1 << 32;

impl Machine<'_> {
    /// A value of the frame.
    #[inline]
    pub(crate) fn word(&self, at: At, value: ValueId) -> u64 {
        self.values[at.base + value.index()]
    }

    /// The same as a field element.
    #[inline]
    pub(crate) fn element(&self, at: At, value: ValueId) -> Goldilocks {
        element(self.word(at, value))
    }

    /// Operand `position`, refused if it is no byte.
    #[inline]
    pub(crate) fn byte(&self, at: At, position: usize, value: ValueId) -> Outcome<u8> {
        let word = self.word(at, value);
        match u8::try_from(word) {
            Ok(byte) => Ok(byte),
            Err(_) => Err(out_of_range(position, value, word, BYTE_BOUND)),
        }
    }

    /// Operand `position`, refused if it is no word of 32 bits.
    #[inline]
    pub(crate) fn u32(&self, at: At, position: usize, value: ValueId) -> Outcome<u32> {
        let word = self.word(at, value);
        match u32::try_from(word) {
            Ok(word) => Ok(word),
            Err(_) => Err(out_of_range(position, value, word, U32_BOUND)),
        }
    }

    /// The pointer to the scratch list, stored if it is new.
    pub(crate) fn store_scratch(&mut self, mode: Mode) -> Outcome<u64> {
        let width = self.scratch.len();
        let index = self.memory_index(width as u32);
        let pointer = match self.record.memories[index].find(&self.scratch) {
            Some(pointer) => pointer,
            None if mode == Mode::Replay => {
                return Err(self.replay_fault("stored values that it did not store before"));
            }
            None => {
                self.meter.pointer(8 * width as u64 + POINTER_BYTES, self.stack_bytes())?;
                self.record.memories[index].store(&self.scratch)
            }
        };
        if mode.counts() {
            self.count_pointer(index, pointer);
        }
        Ok(pointer as u64)
    }

    /// Counts a lookup of a pointer.
    pub(crate) fn count_pointer(&mut self, index: usize, pointer: usize) {
        let memory = &mut self.record.memories[index];
        memory.set_multiplicity(pointer, one_more(memory.multiplicity(pointer)));
    }

    /// Position of the memory table of this width.
    pub(crate) fn memory_index(&self, width: u32) -> usize {
        self.program.memory_index(width).expect("widths in use are declared")
    }

    /// Prints the scratch list, under the name of the running function.
    pub(crate) fn print(&mut self, label: &str) {
        let frame = self.frames.last().expect("a frame is running");
        let function = &self.program.function(frame.function).name;
        let line = DebugLine { function, label, values: &self.scratch };
        print(&mut self.debug, line);
    }
}

/// Hands a line to whoever takes it.
pub(super) fn print(debug: &mut Option<DebugHook<'_>>, line: DebugLine<'_>) {
    match debug {
        Some(hook) => hook(line),
        // A closed standard error is no reason to stop.
        None => drop(writeln!(std::io::stderr(), "{line}")),
    }
}

#[cold]
fn out_of_range(position: usize, value: ValueId, word: u64, bound: u64) -> Box<Fault> {
    Box::new(Fault::Range { position, value, word, bound })
}
