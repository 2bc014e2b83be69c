//! Guests: ELF files of RV64IM, which a session executes, checks, proves and verifies.
//!
//! [`Guest`] puts an ELF file on the machine of `optables::riscv`: `riscv` executes it and leaves
//! records, the tables make rows of them. What is proven of a guest is that it reads this input,
//! writes this output and exits with 0. docs/riscv.md describes the machine and the statement.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use traceloom_abi::io::Io;
use traceloom_abi::record::Record;
use traceloom_air::claim::BoundaryMessage;
use traceloom_air::field::word;
use traceloom_air::system::System;
use traceloom_optables::TableProgram;
use traceloom_optables::record::Field;
use traceloom_optables::riscv::{Machine as Tables, Run};
use traceloom_riscv::{Limits, Line, Program, Stored};
use traceloom_runtime::machine::{Machine, MachineError, MachineRun};
use traceloom_runtime::session::{Session, SessionBuilder, SessionError, read_program};

#[allow(missing_docs)]
mod units {
    include!(concat!(env!("OUT_DIR"), "/units/mod.rs"));
}

pub use units::{IMAGES, PROGRAMS};

/// An ELF file of RV64IM on the machine that proves it.
#[derive(Clone, Debug)]
pub struct Guest {
    name: String,
    tables: Tables,
    limits: Limits,
}

/// What a proof of a guest states, beside which guest it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statement {
    /// The whole input, also what the guest did not read.
    pub input: Vec<u8>,
    /// The output.
    pub output: Vec<u8>,
}

/// Whether a file begins like ELF.
#[must_use]
pub fn is_elf(path: &Path) -> bool {
    if !path.metadata().is_ok_and(|metadata| metadata.is_file()) {
        return false;
    }
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(4).read_to_end(&mut head));
    read.is_ok() && Program::is_elf(&head)
}

/// A session of the guest in an ELF file. A request has bytes and nothing else; see
/// [`Request::bytes`](traceloom_runtime::session::Request::bytes).
///
/// # Errors
/// [`SessionError`]: the file cannot be read, or is no guest.
pub fn session(path: &Path, limits: &Limits) -> Result<SessionBuilder, SessionError> {
    session_of(&path.display().to_string(), &read_program(path)?, limits)
}

/// The same of the bytes of a file; errors call it `name`.
///
/// # Errors
/// [`SessionError::NoGuest`].
pub fn session_of(name: &str, elf: &[u8], limits: &Limits) -> Result<SessionBuilder, SessionError> {
    let guest = Guest::load(name, elf, limits)?;
    Ok(Session::of_machine(Arc::new(guest)).named(name).registry(PROGRAMS))
}

impl Guest {
    /// Reads an ELF file.
    ///
    /// # Errors
    /// [`SessionError::NoGuest`] says what is wrong with it, where, and what to do.
    pub fn load(name: &str, elf: &[u8], limits: &Limits) -> Result<Self, SessionError> {
        let program = Program::load(elf, limits).map_err(|error| SessionError::NoGuest {
            place: name.to_owned(),
            error: MachineError(error.into()),
        })?;
        Ok(Self { name: name.to_owned(), tables: Tables::new(program), limits: limits.clone() })
    }

    /// What is stated of a run.
    #[must_use]
    pub fn statement(&self, statement: &Statement) -> Vec<BoundaryMessage> {
        self.tables.statement(&statement.input, &statement.output)
    }
}

impl Statement {
    /// What messages at the boundary of a guest state; nothing if they are no statement.
    #[must_use]
    pub fn of(boundary: &[BoundaryMessage]) -> Option<Self> {
        let (length, bytes) = boundary.split_first()?;
        let length = usize::try_from(word(*length.values.last()?)).ok()?;
        let byte = |message: &BoundaryMessage| u8::try_from(word(*message.values.last()?)).ok();
        let mut input = bytes.iter().map(byte).collect::<Option<Vec<u8>>>()?;
        if length > input.len() {
            return None;
        }
        let output = input.split_off(length);
        Some(Self { input, output })
    }
}

impl Machine for Guest {
    fn name(&self) -> &str {
        &self.name
    }

    fn tables(&self) -> &TableProgram {
        self.tables.tables()
    }

    fn system(&self) -> System {
        self.tables.system()
    }

    fn run(&self, io: Io, progress: &mut dyn FnMut(u64)) -> Result<MachineRun, MachineError> {
        let failed = |error: Box<dyn std::error::Error + Send + Sync>| MachineError(error);
        let input = input_of(&io);
        let mut records = Stored::default();
        let program = self.tables.program();
        let ran = traceloom_riscv::record(program, &input, &self.limits, &mut records);
        let ran = ran.map_err(|trap| failed(trap.into()))?;
        progress(ran.cycles);
        if ran.exit_code != 0 {
            let code = ran.exit_code;
            let error = format!(
                "the guest exited with code {code}, and only runs that exit with 0 are proven; mend \
                 the guest or its input"
            );
            return Err(failed(error.into()));
        }
        let run = Run::new(program, &input, &records);
        let mut record = Record::new([], [], io);
        record.ops = self.tables.records(&run).map_err(|error| failed(error.into()))?;
        let boundary = self.tables.statement(&input, &ran.output);
        Ok(MachineRun { record, boundary, steps: ran.cycles })
    }

    fn pad(&self, record: &mut Record, padding: &[usize]) {
        self.tables.pad(&mut record.ops, padding);
    }

    fn check_statement(&self, boundary: &[BoundaryMessage]) -> Result<(), String> {
        let statement = Statement::of(boundary);
        match statement.is_some_and(|statement| self.statement(&statement) == boundary) {
            true => Ok(()),
            false => {
                Err("its messages are not the length of an input, the bytes of this input in \
                          order, and the bytes of an output in order"
                    .into())
            }
        }
    }

    fn phrase(&self, boundary: &[BoundaryMessage]) -> Option<String> {
        let Statement { input, output } = Statement::of(boundary)?;
        let (name, read, written) = (&self.name, input.len(), output.len());
        Some(format!("{name}, given {read} bytes, writes {written} bytes and exits with 0"))
    }

    /// Where the instruction is that a row is about: rows state a pc, or when they happen.
    fn place(&self, record: &Record, table: usize, row: usize) -> Option<String> {
        let records = &record.ops[table];
        if row >= records.len() {
            return None;
        }
        let fields = &self.tables().tables()[table].rows.fields;
        let words = records.words(row);
        let pc = match (value(fields, words, "pc"), value(fields, words, "timestamp")) {
            (Some(pc), _) => pc,
            (None, Some(time)) => {
                let cpu = self.tables.position("cpu");
                let instructions = &record.ops[cpu];
                let index = usize::try_from(time.checked_sub(4)? / 4).ok()?;
                let words = (index < instructions.len()).then(|| instructions.words(index))?;
                value(&self.tables().tables()[cpu].rows.fields, words, "pc")?
            }
            (None, None) => return None,
        };
        let word = self.tables.program().word(pc);
        let text = word.and_then(|word| Line { address: pc, word }.text());
        Some(match text {
            Some(text) => format!("pc {pc:#x}: {text}"),
            None => format!("pc {pc:#x}"),
        })
    }
}

/// The bytes that a request gives to a guest.
fn input_of(io: &Io) -> Vec<u8> {
    let words = io.info(0, &[]).and_then(|(index, len)| io.read(0, index, len));
    // Without any the input is empty; requests give bytes as words.
    words.map_or_else(|_| Vec::new(), |words| words.iter().map(|&word| word as u8).collect())
}

/// The value of a field of a record, if it has one of this name.
fn value(fields: &[Field], words: &[u32], name: &str) -> Option<u64> {
    let at = fields.iter().position(|field| field.name == name)?;
    let first: usize = fields[..at].iter().map(Field::num_words).sum();
    let high = if fields[at].num_words() == 2 { words[first + 1] } else { 0 };
    Some(u64::from(words[first]) | u64::from(high) << 32)
}
