//! Environment calls. Numbers and arguments are those of Linux, so that guests also run under
//! an emulator of Linux programs.

use crate::machine::{Machine, Stop};
use crate::records::{Call, CallKind, Observer};
use crate::trap::TrapKind;

/// Reads input: a0 = 0, a1 the address, a2 the number of bytes at most. Returns the number of
/// bytes that were read, 0 at the end of the input.
const READ: u64 = 63;
/// Writes output: a0 = 1, a1 the address, a2 the number of bytes. Returns it.
const WRITE: u64 = 64;
/// Ends the execution; a0 is the exit code.
const EXIT: u64 = 93;

const STANDARD_INPUT: u64 = 0;
const STANDARD_OUTPUT: u64 = 1;

impl Machine<'_, '_> {
    /// Executes the call that the registers name. Returns the exit code, if it was an exit.
    pub fn ecall<O: Observer>(&mut self, observer: &mut O) -> Result<Option<u64>, Stop> {
        match self.x[17] {
            READ => self.read_input(observer),
            WRITE => self.write_output(observer),
            EXIT => {
                let result = self.x[10];
                let arguments = [result, 0, 0];
                let (kind, bytes, index) = (CallKind::Exit, &[][..], 0);
                let call = Call { number: EXIT, arguments, result, kind, bytes, index };
                observer.ecall(&call, &self.memory);
                Ok(Some(result))
            }
            number => Err(TrapKind::UnknownEcall { number }.into()),
        }
    }

    fn read_input<O: Observer>(&mut self, observer: &mut O) -> Result<Option<u64>, Stop> {
        let arguments = self.arguments(READ, STANDARD_INPUT)?;
        let [_, address, most] = arguments;
        let rest = &self.input[self.input_read..];
        let count = rest.len().min(usize::try_from(most).unwrap_or(usize::MAX));
        let bytes = &rest[..count];
        let result = count as u64;
        self.memory.check_writable(address, result)?;
        let (kind, index) = (CallKind::Read, self.input_read as u64);
        observer.ecall(&Call { number: READ, arguments, result, kind, bytes, index }, &self.memory);
        for (offset, &byte) in bytes.iter().enumerate() {
            self.memory.write(address.wrapping_add(offset as u64), [byte])?;
        }
        self.input_read += count;
        self.x[10] = result;
        Ok(None)
    }

    fn write_output<O: Observer>(&mut self, observer: &mut O) -> Result<Option<u64>, Stop> {
        let arguments = self.arguments(WRITE, STANDARD_OUTPUT)?;
        let [_, address, count] = arguments;
        let index = self.output.len() as u64;
        let bytes = index.saturating_add(count);
        if bytes > self.limits.output {
            return Err(TrapKind::Output { bytes, limit: self.limits.output }.into());
        }
        for offset in 0..count {
            let [byte] = self.memory.read(address.wrapping_add(offset))?;
            self.output.push(byte);
        }
        let bytes = &self.output[index as usize..];
        let (kind, result) = (CallKind::Write, count);
        let call = Call { number: WRITE, arguments, result, kind, bytes, index };
        observer.ecall(&call, &self.memory);
        self.x[10] = result;
        Ok(None)
    }

    /// a0 to a2, of which the first names the only file that the call may name.
    fn arguments(&self, number: u64, allowed: u64) -> Result<[u64; 3], Stop> {
        let arguments = [self.x[10], self.x[11], self.x[12]];
        match arguments[0] {
            file if file == allowed => Ok(arguments),
            file => Err(TrapKind::UnknownFile { number, file, allowed }.into()),
        }
    }
}
