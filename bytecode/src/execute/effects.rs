//! Io and debugging. Reads are repeated by replays, effects are not.

use std::io::Write;

use traceloom_abi::io::IoError;
use traceloom_air::field::is_canonical;

use super::DebugLine;
use super::machine::{Machine, Mode, Outcome};
use crate::model::{Op, ValueId};

/// Bytes that an io key takes beside its words.
const KEY_BYTES: u64 = 64;

impl Machine<'_> {
    /// Runs an operation on io, or `debug`.
    pub(super) fn effect(&mut self, base: usize, mode: Mode, op: &Op) -> Outcome<()> {
        let value = |value: &ValueId| self.values[base + value.index()];
        match op {
            Op::IoGetInfo { channel, key } => {
                let channel = value(channel);
                self.gather(base, key);
                self.io_get_info(channel)
            }
            Op::IoRead { channel, index, len } => {
                let words = self.record.io.read(value(channel), value(index), u64::from(*len))?;
                self.values.extend_from_slice(words);
                Ok(())
            }
            _ if mode == Mode::Replay => Ok(()),
            Op::IoSetInfo { channel, key, index, len } => {
                let (channel, index, len) = (value(channel), value(index), value(len));
                self.gather(base, key);
                self.meter.bytes(8 * key.len() as u64 + KEY_BYTES, self.stack_bytes())?;
                Ok(self.record.io.set_info(channel, &self.scratch, index, len)?)
            }
            Op::IoWrite { channel, values } => {
                let channel = value(channel);
                self.gather(base, values);
                self.meter.bytes(8 * values.len() as u64, self.stack_bytes())?;
                self.record.io.write(channel, &self.scratch);
                Ok(())
            }
            Op::Debug { label, values } => {
                self.gather(base, values);
                self.print(label);
                Ok(())
            }
            _ => unreachable!("no operation on io"),
        }
    }

    fn io_get_info(&mut self, channel: u64) -> Outcome<()> {
        let (index, len) = self.record.io.info(channel, &self.scratch)?;
        for word in [index, len] {
            // A key that the caller of the execution has set may hold any number.
            if !is_canonical(word) {
                return Err(IoError::NotCanonical { channel, word }.into());
            }
            self.values.push(word);
        }
        Ok(())
    }

    fn print(&mut self, label: &str) {
        let frame = self.frames.last().expect("a frame is running");
        let function = &self.program.function(frame.function).name;
        let line = DebugLine { function, label, values: &self.scratch };
        match &mut self.debug {
            Some(hook) => hook(line),
            // A closed standard error is no reason to stop.
            None => drop(writeln!(std::io::stderr(), "{line}")),
        }
    }
}
