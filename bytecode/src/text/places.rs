//! Where the elements of a program stand in its text.
//!
//! A program does not keep this, because most programs have no error. [`Places::of`] reads the
//! text once more when somebody asks.

use super::parser;

/// An element of a program, by positions in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// The program as a whole.
    Program,
    /// A width of memory.
    Memory(usize),
    /// A circuit.
    Circuit(usize),
    /// A function.
    Function(usize),
    /// Function and block.
    Block(usize, usize),
    /// Function, block and operation.
    Op(usize, usize, usize),
    /// Function and block: how the block ends.
    Control(usize, usize),
}

/// Lines and columns of the elements of one program.
#[derive(Clone, Debug, Default)]
pub struct Places {
    source: String,
    marks: Marks,
}

/// Bytes of the text at which elements begin.
#[derive(Clone, Debug, Default)]
pub(super) struct Marks {
    pub memory: Vec<usize>,
    pub circuits: Vec<usize>,
    pub functions: Vec<FunctionMarks>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct FunctionMarks {
    pub offset: usize,
    pub constrained: bool,
    pub blocks: Vec<BlockMarks>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct BlockMarks {
    pub offset: usize,
    pub ops: Vec<usize>,
    pub control: Option<usize>,
}

impl Places {
    /// Those of a text that can be read; of any other bytes there are none.
    #[must_use]
    pub fn of(source: &[u8]) -> Self {
        let marks = parser::marks(source).unwrap_or_default();
        Self { source: String::from_utf8_lossy(source).into_owned(), marks }
    }

    /// Line and column, from 1, at which an element begins. None of what text does not say, such
    /// as the program as a whole.
    #[must_use]
    pub fn get(&self, element: Element) -> Option<(usize, usize)> {
        let before = self.source.get(..self.offset(element)?)?;
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Some((line, column))
    }

    fn offset(&self, element: Element) -> Option<usize> {
        let Marks { memory, circuits, functions } = &self.marks;
        let block = |function: usize, block: usize| functions.get(function)?.blocks.get(block);
        match element {
            Element::Program => None,
            Element::Memory(at) => memory.get(at).copied(),
            // If text names no circuit, each constrained function is one.
            Element::Circuit(at) if circuits.is_empty() => {
                functions.iter().filter(|function| function.constrained).nth(at).map(|f| f.offset)
            }
            Element::Circuit(at) => circuits.get(at).copied(),
            Element::Function(function) => functions.get(function).map(|f| f.offset),
            Element::Block(function, at) => block(function, at).map(|block| block.offset),
            Element::Op(function, at, op) => block(function, at)?.ops.get(op).copied(),
            Element::Control(function, at) => {
                block(function, at).map(|block| block.control.unwrap_or(block.offset))
            }
        }
    }
}
