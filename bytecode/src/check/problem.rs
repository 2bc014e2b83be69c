//! What is wrong with a program, and where.

use std::fmt;

use crate::model::{Control, Function, Op};

/// A program that breaks rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidProgram {
    /// The first [`MAX_PROBLEMS`](super::MAX_PROBLEMS) problems, in program order.
    pub problems: Vec<Problem>,
    /// How many there are in all.
    pub total: usize,
}

/// One broken rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where, as `functions[3].blocks[2].ops[7] (name, operation)`.
    pub place: String,
    /// What is wrong and what would be right.
    pub message: String,
}

impl fmt::Display for InvalidProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = if self.total == 1 { "" } else { "s" };
        write!(f, "invalid program, {} problem{s}:", self.total)?;
        for problem in &self.problems {
            write!(f, "\n  {}: {}", problem.place, problem.message)?;
        }
        match self.total - self.problems.len() {
            0 => Ok(()),
            more => write!(f, "\n  … and {more} more"),
        }
    }
}

impl std::error::Error for InvalidProgram {}

/// Where the checker is, formatted only when something is wrong.
#[derive(Clone, Copy)]
pub(super) enum Place<'a> {
    Program,
    Function(usize, &'a Function),
    Block(usize, &'a Function, usize),
    Op(usize, &'a Function, usize, usize, &'a Op),
    Control(usize, &'a Function, usize, &'a Control),
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Program => write!(f, "program"),
            Self::Function(index, function) => {
                write!(f, "functions[{index}] ({:?})", function.name)
            }
            Self::Block(index, function, block) => {
                write!(f, "functions[{index}].blocks[{block}] ({:?})", function.name)
            }
            Self::Op(index, function, block, at, op) => {
                let (name, op) = (&function.name, op.name());
                write!(f, "functions[{index}].blocks[{block}].ops[{at}] ({name:?}, {op})")
            }
            Self::Control(index, function, block, control) => {
                let (name, control) = (&function.name, control.name());
                write!(f, "functions[{index}].blocks[{block}].control ({name:?}, {control})")
            }
        }
    }
}
