//! What is asked for: entry functions, their arguments, and io.

use std::path::Path;

use traceloom_abi::io::Io;
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::model::FunctionId;

use super::file::read_input;
use super::{Session, SessionError};

/// The io channel of a file.
const FILE_CHANNEL: u64 = 0;

/// One execution: calls of entry functions, in order, over one io.
#[derive(Clone, Debug, Default)]
pub struct Request {
    calls: Vec<Call>,
    io: Io,
    file: Option<(String, u64)>,
}

/// What an execution takes.
pub(super) type Resolved = (Vec<(FunctionId, Vec<u64>)>, Io);

/// What one claim is about.
#[derive(Clone, Debug, Default)]
struct Call {
    entry: Entry,
    args: Option<Vec<u64>>,
}

#[derive(Clone, Debug, Default)]
enum Entry {
    #[default]
    Only,
    Named(String),
    Id(FunctionId),
}

impl Request {
    /// A call of the only entry function, without arguments so far.
    #[must_use]
    pub fn new() -> Self {
        Self { calls: vec![Call::default()], ..Self::default() }
    }

    /// A call of the only entry function.
    #[must_use]
    pub fn args(args: impl Into<Vec<u64>>) -> Self {
        Self::new().with_args(args)
    }

    /// A call of the entry function `name`.
    #[must_use]
    pub fn call(name: impl Into<String>, args: impl Into<Vec<u64>>) -> Self {
        Self::args(args).entry(name)
    }

    /// Calls of functions by their position in the program.
    #[must_use]
    pub fn calls(calls: impl IntoIterator<Item = (FunctionId, Vec<u64>)>) -> Self {
        let call = |(function, args)| Call { entry: Entry::Id(function), args: Some(args) };
        Self { calls: calls.into_iter().map(call).collect(), ..Self::default() }
    }

    /// A call of the only entry function over bytes: they are words of io channel 0 under
    /// the empty key, and the claimed inputs follow from their number.
    ///
    /// # Errors
    /// None today. Reserved for more bytes than an io can hold.
    pub fn bytes(bytes: &[u8]) -> Result<Self, SessionError> {
        Self::new().with_bytes("input", bytes)
    }

    /// The same over the bytes of a file.
    ///
    /// # Errors
    /// [`SessionError::Unreadable`], [`SessionError::TooLong`], [`SessionError::NoMemory`].
    pub fn file(path: &Path) -> Result<Self, SessionError> {
        Self::new().with_file(path)
    }

    /// The last call with these arguments.
    #[must_use]
    pub fn with_args(mut self, args: impl Into<Vec<u64>>) -> Self {
        self.last().args = Some(args.into());
        self
    }

    /// The last call with the entry function `name`.
    #[must_use]
    pub fn entry(mut self, name: impl Into<String>) -> Self {
        self.last().entry = Entry::Named(name.into());
        self
    }

    /// One call more, with the same io.
    #[must_use]
    pub fn and_call(mut self, name: impl Into<String>, args: impl Into<Vec<u64>>) -> Self {
        self.calls.push(Call { entry: Entry::Named(name.into()), args: Some(args.into()) });
        self
    }

    /// Words of an io channel under a key.
    ///
    /// # Errors
    /// [`SessionError::Io`]: the key is set, or a word is not below the modulus.
    pub fn input(mut self, channel: u64, key: &[u64], words: &[u64]) -> Result<Self, SessionError> {
        self.io.add_input(channel, key, words)?;
        Ok(self)
    }

    /// All of the io, in place of what it was.
    #[must_use]
    pub fn with_io(mut self, io: Io) -> Self {
        self.io = io;
        self
    }

    /// The bytes of a file as words of an io channel under a key.
    ///
    /// # Errors
    /// As [`Request::file`], and if the channel already has the key.
    pub fn with_io_file(
        mut self,
        channel: u64,
        key: &[u64],
        path: &Path,
    ) -> Result<Self, SessionError> {
        let words: Vec<u64> = read_input(path)?.into_iter().map(u64::from).collect();
        self.io.add_input(channel, key, &words).map_err(|error| SessionError::Input {
            input: path.display().to_string(),
            reason: error.to_string(),
        })?;
        Ok(self)
    }

    /// The bytes of a file, as [`Request::bytes`] says.
    ///
    /// # Errors
    /// As [`Request::file`], and if channel 0 already has the empty key.
    pub fn with_file(self, path: &Path) -> Result<Self, SessionError> {
        self.with_bytes(&path.display().to_string(), &read_input(path)?)
    }

    fn with_bytes(mut self, name: &str, bytes: &[u8]) -> Result<Self, SessionError> {
        let words: Vec<u64> = bytes.iter().map(|&byte| byte.into()).collect();
        self.io.add_input(FILE_CHANNEL, &[], &words).map_err(|error| SessionError::Input {
            input: name.to_owned(),
            reason: error.to_string(),
        })?;
        self.file = Some((name.to_owned(), bytes.len() as u64));
        Ok(self)
    }

    fn last(&mut self) -> &mut Call {
        if self.calls.is_empty() {
            self.calls.push(Call::default());
        }
        self.calls.last_mut().expect("there is one")
    }
}

impl Session {
    /// Io of a request to a guest, which has no calls.
    pub(super) fn resolve_io(&self, request: Request) -> Result<Io, SessionError> {
        let is_plain = |call: &Call| matches!(call.entry, Entry::Only) && call.args.is_none();
        match request.calls.iter().all(is_plain) {
            true => Ok(request.io),
            false => Err(SessionError::Calls { place: self.place.clone() }),
        }
    }

    /// Functions, arguments and io of a request.
    pub(super) fn resolve(
        &self,
        program: &CheckedProgram,
        request: Request,
    ) -> Result<Resolved, SessionError> {
        let claims = request.calls.iter().map(|call| self.claim(program, &request, call));
        let claims = claims.collect::<Result<_, _>>()?;
        Ok((claims, request.io))
    }

    fn claim(
        &self,
        program: &CheckedProgram,
        request: &Request,
        call: &Call,
    ) -> Result<(FunctionId, Vec<u64>), SessionError> {
        let function = match &call.entry {
            // The execution says what is wrong with it.
            Entry::Id(function) => return Ok((*function, call.args.clone().unwrap_or_default())),
            Entry::Only => self.entry(program, None)?,
            Entry::Named(name) => self.entry(program, Some(name))?,
        };
        let data = program.function(function);
        let num_inputs = data.num_inputs as usize;
        let args = match (&call.args, &request.file) {
            (Some(args), _) => args.clone(),
            (None, Some((name, len))) => self.claimed_inputs(name, *len, num_inputs)?,
            (None, None) => Vec::new(),
        };
        if args.len() == num_inputs {
            return Ok((function, args));
        }
        let description = self.settings.description.as_ref();
        let takes = || format!("{num_inputs} numbers as arguments");
        Err(SessionError::Arity {
            place: self.place.clone(),
            function: data.name.clone(),
            expected: num_inputs,
            got: args.len(),
            takes: description.map_or_else(takes, |description| description.takes()),
        })
    }

    /// The claimed inputs for a file of `len` bytes: its length, unless a description says
    /// otherwise.
    fn claimed_inputs(
        &self,
        name: &str,
        len: u64,
        num_inputs: usize,
    ) -> Result<Vec<u64>, SessionError> {
        match &self.settings.description {
            Some(description) => description
                .claimed_inputs(len)
                .map_err(|reason| SessionError::Input { input: name.to_owned(), reason }),
            None if num_inputs == 1 => Ok(vec![len]),
            None => Ok(Vec::new()),
        }
    }

    /// The entry function of this name, or the only one.
    pub(super) fn entry(
        &self,
        program: &CheckedProgram,
        name: Option<&str>,
    ) -> Result<FunctionId, SessionError> {
        let entries: Vec<FunctionId> =
            program.function_ids().filter(|&id| program.function(id).entry).collect();
        let is_wanted = |&&id: &&FunctionId| name.is_none_or(|n| program.function(id).name == n);
        let found: Vec<&FunctionId> = entries.iter().filter(is_wanted).collect();
        match found[..] {
            [&entry] => Ok(entry),
            _ => Err(SessionError::Entry {
                place: self.place.clone(),
                wanted: name.map(str::to_owned),
                is_function: name.is_some_and(|name| program.find(name).is_some()),
                entries: entries.iter().map(|&id| program.function(id).name.clone()).collect(),
            }),
        }
    }
}
