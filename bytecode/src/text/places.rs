//! Where the elements of a program stand in its text.
//!
//! A program does not keep this, because most programs have no error. [`Places::of`] reads the
//! text once more when somebody asks.

use super::parser;

/// Names of one range that are given, at most.
const MAX_NAMES: usize = 1 << 12;

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

    /// Names of a function's inputs, in order; none if there is no text.
    #[must_use]
    pub fn inputs(&self, function: usize) -> Vec<String> {
        let offset = self.offset(Element::Function(function));
        let text = offset.and_then(|offset| self.source.get(offset..)).unwrap_or_default();
        let list = after_name(text).and_then(|rest| rest.trim_start().strip_prefix('('));
        let list = list.and_then(|rest| rest.split_once(')')).map_or("", |(list, _)| list);
        names(list)
    }

    /// Names of what an operation, or a match that goes on, gives; none if there is no text.
    #[must_use]
    pub fn results(&self, element: Element) -> Vec<String> {
        let offset = self.offset(element);
        let text = offset.and_then(|offset| self.source.get(offset..)).unwrap_or_default();
        text.split_once('=').map_or_else(Vec::new, |(list, _)| names(list))
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

/// What follows the name of a function, which may be quoted.
fn after_name(text: &str) -> Option<&str> {
    let Some(quoted) = text.strip_prefix('"') else {
        return text.find(['(', ' ']).and_then(|end| text.get(end..));
    };
    let mut is_escaped = false;
    let end = quoted.char_indices().find(|&(_, c)| {
        let is_end = c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        is_end
    });
    end.and_then(|(end, _)| quoted.get(end + 1..))
}

/// Names of a list in text that was read before; nothing of anything else.
fn names(list: &str) -> Vec<String> {
    let mut names = Vec::new();
    let lines = list.lines().map(|line| line.split(';').next().unwrap_or_default());
    let list: String = lines.collect::<Vec<_>>().join(" ");
    for item in list.split(',').map(str::trim).filter(|item| !item.is_empty()) {
        let is_name = |name: &str| name.chars().all(|c| c.is_alphanumeric() || c == '_');
        let Some((first, last)) = item.split_once("..") else {
            if !is_name(item) {
                return Vec::new();
            }
            names.push(item.to_owned());
            continue;
        };
        let digits =
            |name: &str| name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let (first, last) = (first.trim(), last.trim());
        let (prefix, from) = first.split_at(first.len() - digits(first));
        let to = &last[last.len() - digits(last)..];
        let (Ok(from), Ok(to)) = (from.parse::<u32>(), to.parse::<u32>()) else {
            return Vec::new();
        };
        let len = (to.saturating_sub(from) as usize + 1).min(MAX_NAMES);
        names.extend((from..=to).take(len).map(|number| format!("{prefix}{number}")));
    }
    names
}
