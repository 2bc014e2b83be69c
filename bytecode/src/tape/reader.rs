//! Syntax of JSON, with a stack of its own.

use super::scalar::unescape;
use super::{Kind, Node};
use crate::malformed::{Reports, excerpt};

/// The nodes of a document; `None` if the structure was lost.
pub(super) fn nodes(
    source: &str,
    max_depth: usize,
    reports: &mut Reports<'_>,
) -> Option<Vec<Node>> {
    let mut reader = Reader { source, at: 0, nodes: Vec::new(), open: Vec::new(), max_depth };
    reader.document(reports)?;
    Some(reader.nodes)
}

struct Reader<'s> {
    source: &'s str,
    at: usize,
    nodes: Vec<Node>,
    /// Open containers.
    open: Vec<u32>,
    max_depth: usize,
}

/// What may stand at the reader's position.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expected {
    Value,
    Key,
    /// A comma or the end of the container.
    Separator,
}

impl<'s> Reader<'s> {
    fn document(&mut self, reports: &mut Reports<'_>) -> Option<()> {
        if self.source.starts_with('\u{feff}') {
            reports.add(0, "found a byte order mark, expected `{`".into());
            self.at = '\u{feff}'.len_utf8();
        }
        let mut expected = Expected::Value;
        loop {
            self.skip_blanks();
            expected = match expected {
                Expected::Value => self.value(reports)?,
                Expected::Key => self.key(reports)?,
                Expected::Separator => self.separator(reports)?,
            };
            if expected == Expected::Separator && self.open.is_empty() {
                break;
            }
        }
        self.skip_blanks();
        if self.at < self.source.len() {
            self.fail(reports, "nothing after the document");
        }
        Some(())
    }

    fn rest(&self) -> &'s str {
        &self.source[self.at..]
    }

    fn peek(&self) -> Option<u8> {
        self.source.as_bytes().get(self.at).copied()
    }

    fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn fail(&self, reports: &mut Reports<'_>, expected: &str) {
        let rest = self.rest();
        let word = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let len = if word > 0 { word } else { rest.chars().next().map_or(0, char::len_utf8) };
        let found = match &rest[..len] {
            "" => "the end of the file".into(),
            "\"" => "a string".into(),
            text => excerpt(text),
        };
        reports.add(self.at, format!("found {found}, expected {expected}"));
    }

    /// Appends a node that ends where it begins, for now.
    fn push(&mut self, kind: Kind, len: usize) {
        let (start, end) = (self.at as u32, (self.at + len) as u32);
        let next = self.nodes.len() as u32 + 1;
        self.nodes.push(Node { kind, start, end, next });
        self.at += len;
    }

    fn value(&mut self, reports: &mut Reports<'_>) -> Option<Expected> {
        match self.peek() {
            Some(b'{') => return self.open(reports, Kind::Object),
            Some(b'[') => return self.open(reports, Kind::Array),
            Some(b'"') => self.string(reports)?,
            _ => {
                let rest = self.rest();
                let len = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
                let kind = match &rest[..len] {
                    "" => {
                        self.fail(reports, "a value");
                        return None;
                    }
                    "null" => Kind::Null,
                    "true" => Kind::True,
                    "false" => Kind::False,
                    _ => Kind::Number,
                };
                self.push(kind, len);
            }
        }
        Some(Expected::Separator)
    }

    fn open(&mut self, reports: &mut Reports<'_>, kind: Kind) -> Option<Expected> {
        if self.open.len() == self.max_depth {
            reports.add(self.at, format!("nesting exceeds the limit of {}", self.max_depth));
            return None;
        }
        self.open.push(self.nodes.len() as u32);
        self.push(kind, 1);
        self.skip_blanks();
        if self.take_close(kind) {
            return Some(Expected::Separator);
        }
        Some(if kind == Kind::Object { Expected::Key } else { Expected::Value })
    }

    /// Closes the innermost container, one of this kind, if its end comes next.
    fn take_close(&mut self, kind: Kind) -> bool {
        let close = if kind == Kind::Object { b'}' } else { b']' };
        if self.peek() != Some(close) {
            return false;
        }
        self.at += 1;
        if let Some(container) = self.open.pop() {
            let next = self.nodes.len() as u32;
            let node = &mut self.nodes[container as usize];
            (node.next, node.end) = (next, self.at as u32);
        }
        true
    }

    fn separator(&mut self, reports: &mut Reports<'_>) -> Option<Expected> {
        let container = *self.open.last()?;
        let kind = self.nodes[container as usize].kind;
        if self.take_close(kind) {
            return Some(Expected::Separator);
        }
        if self.peek() != Some(b',') {
            let object = kind == Kind::Object;
            self.fail(reports, if object { "`,` or `}`" } else { "`,` or `]`" });
            return None;
        }
        let comma = self.at;
        self.at += 1;
        self.skip_blanks();
        if self.take_close(kind) {
            reports.add(comma, "expected no comma after the last element".into());
            return Some(Expected::Separator);
        }
        Some(if kind == Kind::Object { Expected::Key } else { Expected::Value })
    }

    fn key(&mut self, reports: &mut Reports<'_>) -> Option<Expected> {
        if self.peek() != Some(b'"') {
            self.fail(reports, "a key in quotes");
            return None;
        }
        self.string(reports)?;
        self.skip_blanks();
        if self.peek() != Some(b':') {
            self.fail(reports, "`:`");
            return None;
        }
        self.at += 1;
        Some(Expected::Value)
    }

    fn string(&mut self, reports: &mut Reports<'_>) -> Option<()> {
        let mut escaped = false;
        for (i, byte) in self.rest().bytes().enumerate().skip(1) {
            match byte {
                0..0x20 => {
                    reports.add(self.at + i, "found a control character in a string".into());
                    return None;
                }
                b'"' if !escaped => {
                    let inside = &self.rest()[1..i];
                    if let Err((at, message)) = unescape(inside) {
                        reports.add(self.at + 1 + at, message.into());
                    }
                    self.push(Kind::String, i + 1);
                    return Some(());
                }
                _ => escaped = byte == b'\\' && !escaped,
            }
        }
        reports.add(self.at, "found a string that is never closed".into());
        None
    }
}

/// Whether `c` belongs to a bare word: what is glued together is one value.
fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.' | '_')
}
