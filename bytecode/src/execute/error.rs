//! Why an execution stopped, and where.

use std::fmt;

use traceloom_abi::io::IoError;
use traceloom_abi::limits::LimitError;

use crate::check::CheckedProgram;
use crate::model::{BlockId, FunctionId, ValueId};
use crate::text::{Element, Places};

/// Why an execution gave no record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExecuteError {
    /// No such function.
    #[error("claim {index}: function {function} does not exist, the program has {count}")]
    UnknownFunction {
        /// Position of the claim in its list.
        index: usize,
        /// The claimed function.
        function: u32,
        /// Number of functions.
        count: usize,
    },
    /// The function may not be claimed.
    #[error("claim {index}: functions[{function}] ({name:?}) is no entry, so it cannot be claimed")]
    NotAnEntry {
        /// Position of the claim in its list.
        index: usize,
        /// The claimed function.
        function: u32,
        /// Its name.
        name: String,
    },
    /// Wrong number of arguments.
    #[error(
        "claim {index}: functions[{function}] ({name:?}) has {expected} inputs, got {got} arguments"
    )]
    Arity {
        /// Position of the claim in its list.
        index: usize,
        /// The claimed function.
        function: u32,
        /// Its name.
        name: String,
        /// Its number of inputs.
        expected: usize,
        /// Number of arguments.
        got: usize,
    },
    /// An argument that is no canonical word.
    #[error(
        "claim {index}: functions[{function}] ({name:?}), argument {position} is {word}, not below \
         the modulus 2^64 - 2^32 + 1"
    )]
    NotCanonical {
        /// Position of the claim in its list.
        index: usize,
        /// The claimed function.
        function: u32,
        /// Its name.
        name: String,
        /// Position of the argument.
        position: usize,
        /// The argument.
        word: u64,
    },
    /// The given io cannot be used.
    #[error("input: {0}")]
    Input(IoError),
    /// The program went wrong while it ran.
    #[error(transparent)]
    Failed(Box<Failure>),
}

impl ExecuteError {
    /// The same error with lines and columns of the text that the program was read from.
    #[must_use]
    pub fn in_text(mut self, source: &[u8]) -> Self {
        if let Self::Failed(failure) = &mut self {
            let places = Places::of(source);
            failure.place.in_text(&places);
            failure.callers.iter_mut().for_each(|caller| caller.in_text(&places));
        }
        self
    }
}

/// A fault and where it happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Where.
    pub place: Place,
    /// What.
    pub fault: Fault,
    /// Inputs of the query that was running.
    pub inputs: Words,
    /// The calls that led there, innermost first, at most [`MAX_CALLERS`].
    pub callers: Vec<Place>,
    /// Number of calls that led there.
    pub depth: usize,
}

/// Most callers that a [`Failure`] names.
pub const MAX_CALLERS: usize = 5;

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}\n  running with inputs {}", self.place, self.fault, self.inputs)?;
        for caller in &self.callers {
            write!(f, "\n  called from {caller}")?;
        }
        match self.depth - self.callers.len() {
            0 => Ok(()),
            more => write!(f, "\n  … and {more} more"),
        }
    }
}

impl std::error::Error for Failure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.fault)
    }
}

/// A place in a program, `functions[3].blocks[2].ops[7] ("fib", u8_add)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The function.
    pub function: FunctionId,
    /// Its name.
    pub name: String,
    /// The block; absent for a claim, before the body has started.
    pub block: Option<BlockId>,
    /// Position of the operation; absent for the block's control.
    pub op: Option<usize>,
    /// Name of the operation or control.
    pub what: &'static str,
    /// Line and column in the text of the program, if somebody has looked for them.
    pub at: Option<(usize, usize)>,
}

impl Place {
    /// The same place with its line and column.
    fn in_text(&mut self, places: &Places) {
        let function = self.function.index();
        self.at = places.get(match (self.block, self.op) {
            (None, _) => Element::Function(function),
            (Some(block), Some(op)) => Element::Op(function, block.index(), op),
            (Some(block), None) => Element::Control(function, block.index()),
        });
    }

    /// Operation `op` of a block, its control if there is no such operation.
    pub(super) fn new(
        program: &CheckedProgram,
        function: FunctionId,
        block: BlockId,
        op: usize,
    ) -> Self {
        let data = program.function(function);
        let code = &data.blocks[block.index()];
        let (op, what) = match code.ops.get(op) {
            Some(code) => (Some(op), code.name()),
            None => (None, code.control.name()),
        };
        Self { function, name: data.name.clone(), block: Some(block), op, what, at: None }
    }

    /// A claim of `function`.
    pub(super) fn claim(program: &CheckedProgram, function: FunctionId) -> Self {
        let name = program.function(function).name.clone();
        Self { function, name, block: None, op: None, what: "claim", at: None }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((line, column)) = self.at {
            return write!(f, "{line}:{column} ({:?}, {})", self.name, self.what);
        }
        write!(f, "functions[{}]", self.function.0)?;
        match (self.block, self.op) {
            (None, _) => {}
            (Some(block), Some(op)) => write!(f, ".blocks[{}].ops[{op}]", block.0)?,
            (Some(block), None) => write!(f, ".blocks[{}].control", block.0)?,
        }
        write!(f, " ({:?}, {})", self.name, self.what)
    }
}

/// The first few of a list of words, and how many there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    /// At most [`Self::SHOWN`].
    pub first: Vec<u64>,
    /// Number of words in the list.
    pub total: usize,
}

impl Words {
    /// As many words are kept.
    pub const SHOWN: usize = 16;

    /// The first words of a list.
    pub fn new(words: impl IntoIterator<Item = u64>) -> Self {
        let mut words = words.into_iter();
        let first: Vec<u64> = words.by_ref().take(Self::SHOWN).collect();
        let total = first.len() + words.count();
        Self { first, total }
    }
}

impl fmt::Display for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.first)?;
        match self.total - self.first.len() {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

/// What can go wrong while a program runs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// An operand is out of the range of its operation.
    #[error("operand {position} (value {}) is {word}, but it must be below {bound}", .value.0)]
    Range {
        /// Position among the operands.
        position: usize,
        /// The value that is read.
        value: ValueId,
        /// What it holds.
        word: u64,
        /// 2^8 or 2^32.
        bound: u64,
    },
    /// A pointer to nothing.
    #[error("pointer {pointer} was never stored: memory of width {width} has {count} pointers")]
    Pointer {
        /// Width of the memory.
        width: u32,
        /// The pointer.
        pointer: u64,
        /// Number of pointers there are.
        count: usize,
    },
    /// An assertion does not hold.
    #[error("assertion {}failed at position {position}: {lhs} is not {rhs}", quoted(.label))]
    Assertion {
        /// The assertion's label.
        label: Option<String>,
        /// First position that differs.
        position: usize,
        /// Left side.
        lhs: Words,
        /// Right side.
        rhs: Words,
    },
    /// No case has this key and there is no default.
    #[error("no case for {word} (value {}) and no default; the keys are {keys}", .value.0)]
    NoCase {
        /// The value that is matched.
        value: ValueId,
        /// What it holds.
        word: u64,
        /// The keys there are.
        keys: Words,
    },
    /// A query asks for itself.
    #[error(
        "functions[{}] ({name:?}) with inputs {inputs} is requested while it is still running, so \
         it would never end", .function.0
    )]
    Cycle {
        /// The function.
        function: FunctionId,
        /// Its name.
        name: String,
        /// Its inputs.
        inputs: Words,
    },
    /// A replay went another way than the first run.
    #[error(
        "functions[{}] ({name:?}) with inputs {inputs} was first run as advice, and running it \
         again with constraints {what}: the program's advice changed in between", .function.0
    )]
    Replay {
        /// The function that is replayed.
        function: FunctionId,
        /// Its name.
        name: String,
        /// Its inputs.
        inputs: Words,
        /// What differs.
        what: &'static str,
    },
    /// A list of limbs is malformed.
    #[error("operand {operand}, node {node}: {problem}")]
    Limbs {
        /// Position among the operands.
        operand: usize,
        /// Position of the node in the list.
        node: usize,
        /// What is wrong with it.
        problem: String,
    },
    /// An io access failed.
    #[error(transparent)]
    Io(IoError),
    /// A limit was reached.
    #[error(transparent)]
    Limit(LimitError),
}

impl From<LimitError> for Box<Fault> {
    #[cold]
    fn from(error: LimitError) -> Self {
        Box::new(Fault::Limit(error))
    }
}

impl From<IoError> for Box<Fault> {
    #[cold]
    fn from(error: IoError) -> Self {
        Box::new(Fault::Io(error))
    }
}

fn quoted(label: &Option<String>) -> String {
    label.as_ref().map_or_else(String::new, |label| format!("{label:?} "))
}
