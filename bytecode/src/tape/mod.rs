//! JSON as a flat list of nodes, read without recursion.
//!
//! Layout (owned here): nodes in document order; a container is followed by its
//! elements, an object by key, value, key, value; `next` of a node is the node
//! after its last descendant. Scalars stay in the source, and numbers are kept as
//! they are written, so that nothing is rounded before it can be refused.

mod reader;
mod scalar;

pub(crate) use scalar::is_json_number;

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::malformed::{Reports, excerpt};

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Null,
    False,
    True,
    /// Any other bare word; whether it is a number is decided when it is used.
    Number,
    String,
    Array,
    Object,
}

/// A node of a [`Tape`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeId(u32);

#[derive(Clone, Copy, Debug)]
struct Node {
    kind: Kind,
    start: u32,
    end: u32,
    next: u32,
}

/// A document.
#[derive(Debug)]
pub(crate) struct Tape<'s> {
    source: &'s str,
    nodes: Vec<Node>,
}

impl<'s> Tape<'s> {
    /// The document's one value.
    pub const ROOT: NodeId = NodeId(0);

    /// Reads a document that nests at most `max_depth` containers.
    ///
    /// Wrong syntax is reported. `None` means that the structure was lost. A returned document
    /// may have errors too, so look at `reports` in the end.
    pub fn read(reports: &mut Reports<'s>, max_depth: usize) -> Option<Self> {
        let source = reports.source();
        let nodes = reader::nodes(source, max_depth, reports)?;
        let tape = Self { source, nodes };
        tape.report_repeated_keys(reports);
        Some(tape)
    }

    fn node(&self, id: NodeId) -> Node {
        self.nodes[id.0 as usize]
    }

    pub fn kind(&self, id: NodeId) -> Kind {
        self.node(id).kind
    }

    /// Byte at which the node begins.
    pub fn offset(&self, id: NodeId) -> usize {
        self.node(id).start as usize
    }

    /// A scalar as it is written.
    pub fn text(&self, id: NodeId) -> &'s str {
        let node = self.node(id);
        &self.source[node.start as usize..node.end as usize]
    }

    /// The characters of a string.
    pub fn string(&self, id: NodeId) -> Cow<'s, str> {
        let text = self.text(id);
        let inside = &text[1..text.len() - 1];
        match scalar::unescape(inside) {
            Ok(string) => string,
            // Reported while reading.
            Err(_) => Cow::Borrowed(inside),
        }
    }

    /// The direct descendants: elements, or keys and values in turn.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let end = self.node(id).next;
        let mut child = id.0 + 1;
        std::iter::from_fn(move || {
            let this = NodeId(child);
            (child < end).then(|| {
                child = self.node(this).next;
                this
            })
        })
    }

    /// Keys and values of an object.
    pub fn members(&self, id: NodeId) -> impl Iterator<Item = (NodeId, NodeId)> + '_ {
        let mut children = self.children(id);
        std::iter::from_fn(move || Some((children.next()?, children.next()?)))
    }

    /// The node and all its descendants.
    pub fn subtree(&self, id: NodeId) -> impl Iterator<Item = NodeId> + use<> {
        (id.0..self.node(id).next).map(NodeId)
    }

    fn report_repeated_keys(&self, reports: &mut Reports<'s>) {
        let mut keys = Vec::new();
        for object in self.subtree(Self::ROOT).filter(|&id| self.kind(id) == Kind::Object) {
            keys.clear();
            keys.extend(self.members(object).map(|(key, _)| (self.string(key), key.0)));
            keys.sort_unstable();
            for pair in keys.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
                let key = NodeId(pair[1].1);
                let message = format!("key {} occurs twice", excerpt(&pair[1].0));
                reports.add_at(self.offset(key), || self.path(object), message);
            }
        }
    }

    /// Where a node is, like `functions[3].blocks[2].ops[7].args[1]`. Of very long
    /// paths the middle is left out.
    pub fn path(&self, id: NodeId) -> String {
        const SHOWN: usize = 16;
        let mut steps = Vec::new();
        let mut at = Self::ROOT;
        while at != id {
            let within = |child: &NodeId| id.0 < self.node(*child).next;
            let (step, next) = if self.kind(at) == Kind::Object {
                let member = self.members(at).find(|(_, value)| within(value));
                let Some((key, value)) = member else { break };
                // A key is where its value is.
                (Step::Key(key), if id == key { id } else { value })
            } else {
                let child = self.children(at).enumerate().find(|(_, child)| within(child));
                let Some((index, child)) = child else { break };
                (Step::Index(index), child)
            };
            steps.push(step);
            at = next;
        }
        let mut path = String::new();
        for (i, step) in steps.iter().enumerate() {
            if i == SHOWN && steps.len() > 2 * SHOWN {
                path.push_str(".…");
            }
            if i >= SHOWN && i + SHOWN < steps.len() {
                continue;
            }
            match step {
                Step::Index(index) => {
                    let _ = write!(path, "[{index}]");
                }
                Step::Key(key) => {
                    let key = self.string(*key);
                    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
                    let quoted = key.is_empty() || !key.chars().all(plain);
                    path.push_str(if path.is_empty() { "" } else { "." });
                    path.push_str(&if quoted { Cow::Owned(excerpt(&key)) } else { key });
                }
            }
        }
        path
    }
}

enum Step {
    Index(usize),
    Key(NodeId),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(source: &str) -> String {
        let mut reports = Reports::new(source.as_bytes()).unwrap();
        Tape::read(&mut reports, 8);
        reports.finish(()).map_or_else(|error| error.to_string(), |()| String::new())
    }

    #[test]
    fn nodes_stand_in_document_order_with_paths() {
        let source = r#" {"a": [1, {"b\n": null}, "x"], "c": {}, "": [[]]} "#;
        let mut reports = Reports::new(source.as_bytes()).unwrap();
        let tape = Tape::read(&mut reports, 8).unwrap();
        let paths: Vec<_> = tape.subtree(Tape::ROOT).map(|id| tape.path(id)).collect();
        let expected = [
            "",
            "a",
            "a",
            "a[0]",
            "a[1]",
            "a[1].`b\\n`",
            "a[1].`b\\n`",
            "a[2]",
            "c",
            "c",
            "``",
            "``",
            "``[0]",
        ];
        assert_eq!(paths, expected);
    }

    #[test]
    fn wrong_syntax_is_reported_where_it_is() {
        let cases = [
            ("", "1:1: found the end of the file, expected a value"),
            ("[1 2]", "1:4: found `2`, expected `,` or `]`"),
            ("{\"a\" 1}", "1:6: found `1`, expected `:`"),
            ("{a: 1}", "1:2: found `a`, expected a key in quotes"),
            ("[1}", "1:3: found `}`, expected `,` or `]`"),
            ("[1,]", "1:3: expected no comma after the last element"),
            ("{\"a\":1,}", "1:7: expected no comma after the last element"),
            ("[,]", "1:2: found `,`, expected a value"),
            ("[] x", "1:4: found `x`, expected nothing after the document"),
            ("[] \"\"", "1:4: found a string, expected nothing after the document"),
            ("\u{feff}[]", "1:1: found a byte order mark, expected `{`"),
            ("[\"a", "1:2: found a string that is never closed"),
            ("[\"a\n\"]", "1:4: found a control character in a string"),
            ("[\"\\x\"]", "1:3: expected an escape that JSON knows"),
            ("[[[[[[[[[", "1:9: nesting exceeds the limit of 8"),
            ("{\"a\":{\"b\":1,\"\\u0062\":2}}", "1:13: a: key `b` occurs twice"),
            ("[//\n]", "1:2: found `/`, expected a value"),
        ];
        for (source, expected) in cases {
            assert_eq!(errors(source), expected, "{source}");
        }
    }
}
