//! A program with claims and input: what properties are tried on.

use std::fmt;

use traceloom_abi::io::Io;
use traceloom_bytecode::Program;
use traceloom_bytecode::model::FunctionId;
use traceloom_bytecode::text;

/// A program with what it is run on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The seed that it was made from; a shrunk case keeps it.
    pub seed: u64,
    /// The program.
    pub program: Program,
    /// Entries and their arguments.
    pub claims: Vec<(FunctionId, Vec<u64>)>,
    /// Channels and their words, each under the empty key.
    pub input: Vec<(u64, Vec<u64>)>,
}

impl Case {
    /// The input as an execution takes it.
    ///
    /// # Panics
    /// If a channel stands twice or a word is not canonical: generators and
    /// shrinkers make neither.
    #[must_use]
    pub fn io(&self) -> Io {
        let mut io = Io::default();
        for (channel, words) in &self.input {
            io.add_input(*channel, &[], words).expect("channels differ and words are canonical");
        }
        io
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "; seed {}", self.seed)?;
        for (function, args) in &self.claims {
            let name = self.program.functions.get(function.index()).map(|f| f.name.as_str());
            writeln!(f, "; claim #{} {:?} args {args:?}", function.0, name.unwrap_or_default())?;
        }
        for (channel, words) in &self.input {
            writeln!(f, "; channel {channel} {words:?}")?;
        }
        match text::print(&self.program) {
            Ok(text) => f.write_str(&text),
            Err(error) => write!(f, "; no text: {error}\n{:?}", self.program),
        }
    }
}
