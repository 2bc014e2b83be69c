//! What can be wrong with a program while it is written.

use std::fmt;

use crate::model::BlockId;

/// One mistake, with where it was made. The author of the program is at fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildError {
    /// Name of the function, empty where the program as a whole is meant.
    pub function: String,
    /// Block and position of the operation or control, if it is about one.
    pub position: Option<(BlockId, usize)>,
    /// What was being added: an operation's or control's name.
    pub what: &'static str,
    /// The mistake.
    pub kind: BuildErrorKind,
}

/// The mistake itself.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BuildErrorKind {
    /// A value of another function.
    #[error("value {index} belongs to another function; pass it as an argument of a call")]
    ForeignValue {
        /// Its number there.
        index: u32,
    },
    /// A value of another branch, or of an arm that has ended.
    #[error(
        "value {index} is not visible here: its branch has ended; yield it to the continuation"
    )]
    OutOfScope {
        /// Its number there.
        index: u32,
    },
    /// A function of another program.
    #[error("function {index} belongs to another program")]
    ForeignFunction {
        /// Its position there.
        index: u32,
    },
    /// A count that differs from the declared one.
    #[error("expected {expected} {of}, got {got}")]
    Count {
        /// What is counted.
        of: &'static str,
        /// What is declared.
        expected: usize,
        /// What was given.
        got: usize,
    },
    /// A number that is not below the modulus.
    #[error("{word} is not below the modulus 2^64 - 2^32 + 1")]
    NotCanonical {
        /// The number.
        word: u64,
    },
    /// A proven call of a function that has no circuit.
    #[error("function {callee} is unconstrained; use call_unconstrained, its result is advice")]
    CallNeedsCircuit {
        /// Position of the callee.
        callee: u32,
    },
    /// Memory rows need at least one value.
    #[error("a memory row has at least one value")]
    EmptyMemory,
    /// A byte operation with the wrong number of operands.
    #[error("this byte operation has {expected} operands")]
    ByteOperands {
        /// 1 or 2.
        expected: usize,
    },
    /// Code after a return, a yield or a whole match.
    #[error("nothing may follow a return, a yield or a match without continuation")]
    AfterEnd,
    /// A block that does not end in a leaf or a match.
    #[error("the block does not end: add a return, a yield or a match")]
    MissingEnd,
    /// An arm outside a match, or inside an arm that has not ended.
    #[error("no match is waiting for an arm here")]
    NoOpenMatch,
    /// A match that was not closed.
    #[error("the match is not closed")]
    OpenMatch,
    /// Two arms with one key.
    #[error("case {key} occurs twice")]
    DuplicateCase {
        /// The key.
        key: u64,
    },
    /// A second default, or a case after the default.
    #[error("the default is the last arm, and there is one at most")]
    AfterDefault,
    /// A match that nothing can take.
    #[error("a match needs at least one arm")]
    NoArms,
    /// A yield with no match to continue.
    #[error("no enclosing match continues; return instead")]
    YieldOutside,
    /// A declared function without a body.
    #[error("declared, but never defined")]
    Undefined,
    /// A second body.
    #[error("defined twice")]
    DefinedTwice,
    /// Two functions of one name.
    #[error("two functions have this name")]
    DuplicateName,
    /// A function in two groups, or one without a circuit in any.
    #[error("a constrained function must be in exactly one circuit, an unconstrained one in none")]
    Grouping,
}

/// All mistakes of a program, in the order they were made; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildErrors(pub Vec<BuildError>);

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.function.is_empty() {
            write!(f, "function {}: ", self.function)?;
        }
        if let Some((block, op)) = self.position {
            write!(f, "block {}, operation {op}: ", block.0)?;
        }
        if !self.what.is_empty() {
            write!(f, "{}: ", self.what)?;
        }
        self.kind.fmt(f)
    }
}

impl fmt::Display for BuildErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, error) in self.0.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            error.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for BuildError {}
impl std::error::Error for BuildErrors {}
