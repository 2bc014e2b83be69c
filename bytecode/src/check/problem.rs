//! What is wrong with a program, and where.

use std::fmt;

use crate::model::{Control, Function, Op};
use crate::text::{Element, Places};

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
    /// Where, as `functions[3].blocks[2].ops[7] (name, operation)`, or as `12:3 (name, operation)`
    /// in text.
    pub place: String,
    /// Where in the program.
    pub element: Element,
    /// What is wrong and what would be right.
    pub message: String,
}

impl InvalidProgram {
    /// The same problems with lines and columns of the text that the program was read from. What
    /// the text does not say itself keeps its place.
    #[must_use]
    pub fn in_text(mut self, source: &[u8]) -> Self {
        let places = Places::of(source);
        for problem in &mut self.problems {
            let Some((line, column)) = places.get(problem.element) else { continue };
            let what = problem.place.split_once(" (").map(|(_, what)| format!(" ({what}"));
            problem.place = format!("{line}:{column}{}", what.unwrap_or_default());
        }
        self
    }
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
    Memory(usize),
    Circuit(usize),
    Function(usize, &'a Function),
    Block(usize, &'a Function, usize),
    Op(usize, &'a Function, usize, usize, &'a Op),
    Control(usize, &'a Function, usize, &'a Control),
}

impl Place<'_> {
    pub fn element(self) -> Element {
        match self {
            Self::Program => Element::Program,
            Self::Memory(at) => Element::Memory(at),
            Self::Circuit(at) => Element::Circuit(at),
            Self::Function(function, _) => Element::Function(function),
            Self::Block(function, _, block) => Element::Block(function, block),
            Self::Op(function, _, block, op, _) => Element::Op(function, block, op),
            Self::Control(function, _, block, _) => Element::Control(function, block),
        }
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Program => write!(f, "program"),
            Self::Memory(at) => write!(f, "memory_sizes[{at}]"),
            Self::Circuit(at) => write!(f, "circuits[{at}]"),
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
