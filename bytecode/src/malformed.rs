//! What is wrong with a file: every error at once, with its position.

use std::fmt::{self, Write as _};

use thiserror::Error;

use crate::limits::{MAX_DIAGNOSTICS, MAX_INPUT_BYTES};

/// A file that is not a program. The fault is the file's.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}", self.render())]
pub struct Malformed {
    /// Number of errors found, those without a diagnostic included.
    pub total: usize,
    /// The first of them, at most [`MAX_DIAGNOSTICS`], by position.
    pub diagnostics: Vec<Diagnostic>,
}

/// One error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Where in the document, like `functions[3].blocks[2].ops[7].args[1]`; empty
    /// for text and for errors that concern no single element.
    pub path: String,
    /// What was found and what was expected.
    pub message: String,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: ", self.line, self.column)?;
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)
    }
}

impl Malformed {
    fn render(&self) -> String {
        let mut out = String::new();
        for (i, diagnostic) in self.diagnostics.iter().enumerate() {
            let separator = if i == 0 { "" } else { "\n" };
            let _ = write!(out, "{separator}{diagnostic}");
        }
        if self.total > self.diagnostics.len() {
            let _ = write!(out, "\nand {} more errors", self.total - self.diagnostics.len());
        }
        out
    }
}

/// Collects the errors of one file.
#[derive(Debug)]
pub(crate) struct Reports<'s> {
    source: &'s str,
    found: Vec<Found>,
    total: usize,
}

#[derive(Debug)]
struct Found {
    offset: usize,
    path: String,
    message: String,
}

impl<'s> Reports<'s> {
    /// Takes a file's bytes as text.
    ///
    /// # Errors
    /// [`Malformed`] if there are too many or if they are not UTF-8.
    pub fn new(source: &'s [u8]) -> Result<Self, Malformed> {
        let empty = |source| Reports { source, found: Vec::new(), total: 0 };
        if source.len() > MAX_INPUT_BYTES {
            let mut reports = empty("");
            let len = source.len();
            reports.add(0, format!("{len} bytes exceed the limit of {MAX_INPUT_BYTES}"));
            return Err(reports.malformed());
        }
        match std::str::from_utf8(source) {
            Ok(source) => Ok(empty(source)),
            Err(error) => {
                let valid = source.get(..error.valid_up_to()).unwrap_or_default();
                let mut reports = empty(std::str::from_utf8(valid).unwrap_or_default());
                reports.add(valid.len(), "found bytes that are not UTF-8".into());
                Err(reports.malformed())
            }
        }
    }

    /// The whole text.
    pub fn source(&self) -> &'s str {
        self.source
    }

    /// Reports an error at a byte of the text.
    pub fn add(&mut self, offset: usize, message: String) {
        self.add_at(offset, String::new, message);
    }

    /// The same, with the path of the element (built only if it will be shown).
    pub fn add_at(&mut self, offset: usize, path: impl FnOnce() -> String, message: String) {
        self.total += 1;
        if self.found.len() < MAX_DIAGNOSTICS {
            self.found.push(Found { offset, path: path(), message });
        }
    }

    /// Whether the next error will be shown, so that its message may take some work.
    pub fn has_room(&self) -> bool {
        self.found.len() < MAX_DIAGNOSTICS
    }

    /// `value` if there was no error.
    ///
    /// # Errors
    /// Everything that was reported.
    pub fn finish<T>(self, value: T) -> Result<T, Malformed> {
        if self.total == 0 { Ok(value) } else { Err(self.malformed()) }
    }

    /// What was reported, with lines and columns from one pass over the text.
    pub fn malformed(mut self) -> Malformed {
        self.found.sort_by_key(|found| found.offset);
        let (mut line, mut column, mut at) = (1, 1, 0);
        let mut diagnostics = Vec::with_capacity(self.found.len());
        for found in self.found {
            for c in self.source.get(at..found.offset).unwrap_or_default().chars() {
                (line, column) = if c == '\n' { (line + 1, 1) } else { (line, column + 1) };
            }
            at = found.offset;
            let Found { path, message, .. } = found;
            diagnostics.push(Diagnostic { line, column, path, message });
        }
        Malformed { total: self.total, diagnostics }
    }
}

/// A piece of a file as messages quote it: one line, at most 40 characters.
pub(crate) fn excerpt(text: &str) -> String {
    let mut out = String::from("`");
    for (i, c) in text.chars().enumerate() {
        if i == 40 {
            out.push('…');
            break;
        }
        if is_hidden(c) {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out.push('`');
    out
}

/// `1 name`, `2 names`.
pub(crate) fn counted(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

/// Characters that a reader would not see, or that reorder what they see.
pub(crate) fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_lines_and_characters() {
        let mut reports = Reports::new("aé\nβγδ\n".as_bytes()).unwrap();
        reports.add(6, "third".into());
        reports.add(0, "first".into());
        reports.add(3, "second".into());
        reports.add_at(11, || "a[0]".into(), "fourth".into());
        let rendered = reports.malformed().to_string();
        assert_eq!(rendered, "1:1: first\n1:3: second\n2:2: third\n3:1: a[0]: fourth");
    }

    #[test]
    fn the_list_is_capped_and_the_total_is_true() {
        let mut reports = Reports::new(b"x").unwrap();
        for _ in 0..MAX_DIAGNOSTICS + 5 {
            reports.add(0, "bad".into());
        }
        let malformed = reports.malformed();
        assert_eq!(malformed.total, MAX_DIAGNOSTICS + 5);
        assert_eq!(malformed.diagnostics.len(), MAX_DIAGNOSTICS);
        assert!(malformed.to_string().ends_with("1:1: bad\nand 5 more errors"));
    }

    #[test]
    fn bytes_that_are_not_text_have_a_position() {
        let error = Reports::new(b"ab\ncd\xff").unwrap_err();
        assert_eq!(error.to_string(), "2:3: found bytes that are not UTF-8");
    }
}
