//! What the readers of JSON expect of a node.
//!
//! A wrong node is reported with its path and read as something harmless, so that the reader
//! also finds later errors. A file with an error gives no program.

use crate::limits::{Budget, Resource};
use crate::malformed::{Reports, counted, excerpt};
use crate::model::ValueId;
use crate::number::{self, NumberError};
use crate::tape::{Kind, NodeId, Tape, is_json_number};

/// A document, and what is wrong with it.
pub(crate) struct Fields<'s> {
    pub tape: Tape<'s>,
    pub reports: Reports<'s>,
    budget: Budget,
}

/// The members of an object by key.
pub(crate) struct Object<'k> {
    node: NodeId,
    keys: &'k [&'k str],
    values: Vec<Option<NodeId>>,
}

impl Object<'_> {
    /// The value of a key, if the object has it.
    pub fn get(&self, key: &str) -> Option<NodeId> {
        let position = self.keys.iter().position(|known| *known == key);
        self.values[position.expect("only known keys are asked for")]
    }
}

impl<'s> Fields<'s> {
    pub fn new(tape: Tape<'s>, reports: Reports<'s>) -> Self {
        Self { tape, reports, budget: Budget::default() }
    }

    /// Reports an error at a node.
    pub fn fail(&mut self, node: NodeId, message: String) {
        let Self { tape, reports, .. } = self;
        reports.add_at(tape.offset(node), || tape.path(node), message);
    }

    /// Reports that a node is not what was `expected`.
    pub fn unexpected(&mut self, node: NodeId, expected: &str) {
        let found = match self.tape.kind(node) {
            Kind::Array => "an array".into(),
            Kind::Object => "an object".into(),
            Kind::String => format!("string {}", excerpt(self.tape.text(node))),
            Kind::Null | Kind::False | Kind::True | Kind::Number => excerpt(self.tape.text(node)),
        };
        self.fail(node, format!("found {found}, expected {expected}"));
    }

    /// Counts against a limit. Returns whether to go on with this node.
    pub fn spend(&mut self, node: NodeId, resource: Resource, amount: usize) -> bool {
        let spent = self.budget.spend(resource, amount);
        spent.map_err(|message| self.fail(node, message)).is_ok()
    }

    /// An object with no other keys than `keys`.
    pub fn object<'k>(&mut self, node: NodeId, keys: &'k [&'k str]) -> Object<'k> {
        let mut values = vec![None; keys.len()];
        if self.tape.kind(node) != Kind::Object {
            self.unexpected(node, "an object");
            return Object { node, keys, values };
        }
        let mut unknown = Vec::new();
        for (key, value) in self.tape.members(node) {
            let name = self.tape.string(key);
            match keys.iter().position(|known| *known == name) {
                Some(position) => values[position] = Some(value),
                None => unknown.push(key),
            }
        }
        for key in unknown {
            let names: Vec<_> = keys.iter().map(|key| format!("`{key}`")).collect();
            self.fail(key, format!("unknown key; expected {}", names.join(", ")));
        }
        Object { node, keys, values }
    }

    /// The string under `key`, which says what else the object holds.
    pub fn variant(&mut self, node: NodeId, key: &str) -> Option<String> {
        if self.tape.kind(node) != Kind::Object {
            self.unexpected(node, "an object");
            return None;
        }
        match self.member(node, key) {
            Some(value) if self.tape.kind(value) == Kind::String => Some(self.string(value)),
            Some(value) => {
                self.unexpected(value, "a string");
                None
            }
            None => {
                self.fail(node, format!("key `{key}` is missing"));
                None
            }
        }
    }

    /// The value of a key of an object, whatever its other keys are.
    pub fn member(&self, node: NodeId, key: &str) -> Option<NodeId> {
        let member = self.tape.members(node).find(|(name, _)| self.tape.string(*name) == key);
        member.map(|(_, value)| value)
    }

    /// The value of a key that the object must have.
    pub fn required(&mut self, object: &Object<'_>, key: &str) -> Option<NodeId> {
        let value = object.get(key);
        if value.is_none() && self.tape.kind(object.node) == Kind::Object {
            self.fail(object.node, format!("key `{key}` is missing"));
        }
        value
    }

    /// The value of a key that may be left out or null.
    pub fn optional(&self, object: &Object<'_>, key: &str) -> Option<NodeId> {
        object.get(key).filter(|&value| self.tape.kind(value) != Kind::Null)
    }

    /// The elements of the array under a required key.
    pub fn array(&mut self, object: &Object<'_>, key: &str) -> Vec<NodeId> {
        let node = self.required(object, key);
        node.and_then(|node| self.elements(node, None)).unwrap_or_default()
    }

    /// The elements of an array; exactly `len`, where that is given.
    pub fn elements(&mut self, node: NodeId, len: Option<usize>) -> Option<Vec<NodeId>> {
        if self.tape.kind(node) != Kind::Array {
            self.unexpected(node, "an array");
            return None;
        }
        let elements: Vec<_> = self.tape.children(node).collect();
        if let Some(len) = len.filter(|&len| len != elements.len()) {
            let found = counted(elements.len(), "element");
            self.fail(node, format!("found {found}, expected {len}"));
            return None;
        }
        Some(elements)
    }

    pub fn text(&mut self, object: &Object<'_>, key: &str) -> String {
        self.required(object, key).map(|node| self.string(node)).unwrap_or_default()
    }

    pub fn string(&mut self, node: NodeId) -> String {
        if self.tape.kind(node) == Kind::String {
            return self.tape.string(node).into_owned();
        }
        self.unexpected(node, "a string");
        String::new()
    }

    pub fn flag(&mut self, object: &Object<'_>, key: &str) -> bool {
        let Some(node) = self.required(object, key) else {
            return false;
        };
        match self.tape.kind(node) {
            Kind::True => return true,
            Kind::False => {}
            _ => self.unexpected(node, "`true` or `false`"),
        }
        false
    }

    /// A count or an index under a required key.
    pub fn count(&mut self, object: &Object<'_>, key: &str) -> u32 {
        self.required(object, key).map_or(0, |node| self.index(node))
    }

    /// A count or an index.
    pub fn index(&mut self, node: NodeId) -> u32 {
        self.number(node, number::count)
    }

    /// A field element.
    pub fn word(&mut self, node: NodeId) -> u64 {
        self.number(node, number::word)
    }

    fn number<T: Default>(&mut self, node: NodeId, read: fn(&str) -> Result<T, NumberError>) -> T {
        if self.tape.kind(node) != Kind::Number {
            self.unexpected(node, "a number");
            return T::default();
        }
        read(self.tape.text(node)).unwrap_or_else(|error| {
            self.fail(node, error.to_string());
            T::default()
        })
    }

    /// The values under a required key; exactly `len`, where that is given.
    pub fn values(
        &mut self,
        object: &Object<'_>,
        key: &str,
        len: Option<usize>,
    ) -> Option<Vec<ValueId>> {
        let node = self.required(object, key)?;
        self.value_list(node, len)
    }

    /// The values in an array; `None` if their number is wrong.
    pub fn value_list(&mut self, node: NodeId, len: Option<usize>) -> Option<Vec<ValueId>> {
        let elements = self.elements(node, len)?;
        let spent = self.spend(node, Resource::Operands, elements.len());
        spent.then(|| elements.into_iter().map(|value| ValueId(self.index(value))).collect())
    }

    /// Takes whatever is there, as long as it is JSON.
    pub fn ignore(&mut self, node: NodeId) {
        for node in self.tape.subtree(node) {
            let scalar = self.tape.kind(node) == Kind::Number;
            if scalar && !is_json_number(self.tape.text(node)) {
                self.unexpected(node, "a value");
            }
        }
    }
}
