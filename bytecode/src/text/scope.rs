//! Names of the values on the path to the current line.

use hashbrown::{HashMap, HashSet};

use crate::model::ValueId;

/// A value's name: an identifier, cut before a canonical decimal suffix, so that
/// the names of a range are made without making strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Name {
    prefix: u32,
    number: u32,
}

/// Stands for "no suffix"; as a suffix this number is left in the prefix.
const NO_NUMBER: u32 = u32::MAX;

/// The name of a value that repeated another one's name.
const UNNAMED: Name = Name { prefix: u32::MAX, number: NO_NUMBER };

impl Name {
    /// The names from this one to `last`, if both differ in the suffix only.
    pub fn range_to(self, last: Self) -> Option<impl ExactSizeIterator<Item = Self>> {
        let Self { prefix, number: first } = self;
        let valid = prefix == last.prefix && first <= last.number && last.number != NO_NUMBER;
        let len = (last.number as usize + 1).saturating_sub(first as usize);
        valid.then(|| (0..len).map(move |i| Self { prefix, number: first + i as u32 }))
    }
}

/// The names of one function, each with its value.
#[derive(Debug, Default)]
pub(super) struct Scope<'s> {
    prefixes: HashMap<&'s str, u32>,
    values: HashMap<Name, ValueId>,
    /// By value.
    names: Vec<Name>,
    /// Names that were reported as unknown.
    unknown: HashSet<Name>,
}

impl<'s> Scope<'s> {
    /// The name that an identifier spells.
    pub fn name(&mut self, identifier: &'s str) -> Name {
        let digits = identifier.bytes().rev().take_while(u8::is_ascii_digit).count();
        let (prefix, suffix) = identifier.split_at(identifier.len() - digits);
        let canonical = suffix.len() == 1 || !suffix.starts_with('0');
        match suffix.parse() {
            Ok(number) if canonical && number != NO_NUMBER => {
                Name { prefix: self.prefix(prefix), number }
            }
            _ => Name { prefix: self.prefix(identifier), number: NO_NUMBER },
        }
    }

    fn prefix(&mut self, prefix: &'s str) -> u32 {
        let next = self.prefixes.len() as u32;
        *self.prefixes.entry(prefix).or_insert(next)
    }

    /// Number of values on the path.
    pub fn len(&self) -> u32 {
        self.names.len() as u32
    }

    /// Appends a value. If the name is taken it stays with its old value, and
    /// the answer is false.
    pub fn define(&mut self, name: Name) -> bool {
        let value = ValueId(self.len());
        let free = *self.values.entry(name).or_insert(value) == value;
        self.names.push(if free { name } else { UNNAMED });
        free
    }

    /// The value called `name`; `guess` is tried first.
    pub fn get(&self, name: Name, guess: ValueId) -> Option<ValueId> {
        if self.names.get(guess.index()) == Some(&name) {
            return Some(guess);
        }
        self.values.get(&name).copied()
    }

    /// Forgets all but the first `len` values.
    pub fn truncate(&mut self, len: u32) {
        for name in self.names.drain(len as usize..) {
            self.values.remove(&name);
        }
    }

    /// Forgets all values, and which names were unknown.
    pub fn clear(&mut self) {
        self.truncate(0);
        self.unknown = HashSet::new();
    }

    /// Whether `name` is unknown for the first time in this function.
    pub fn is_first_unknown(&mut self, name: Name) -> bool {
        self.unknown.insert(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identifier_spells_one_name() {
        let mut scope = Scope::default();
        let identifiers = [
            "v",
            "v0",
            "v00",
            "v1",
            "v01",
            "v10",
            "w1",
            "v4294967294",
            "v4294967295",
            "v4294967296",
        ];
        let names: HashSet<_> = identifiers.map(|identifier| scope.name(identifier)).into();
        assert_eq!(names.len(), identifiers.len());
        assert_eq!(scope.name("v10"), scope.name("v10"));
    }

    #[test]
    fn ranges_are_ascending_and_of_one_prefix() {
        let mut scope = Scope::default();
        let mut len = |first, last| {
            let (first, last) = (scope.name(first), scope.name(last));
            first.range_to(last).map(|range| range.len())
        };
        assert_eq!(len("v0", "v3"), Some(4));
        assert_eq!(len("v3", "v3"), Some(1));
        assert_eq!(len("v0", "v4294967294"), Some(u32::MAX as usize));
        for (first, last) in
            [("v3", "v2"), ("v0", "w3"), ("v", "v3"), ("v0", "v"), ("v00", "v01"), ("v", "v")]
        {
            assert_eq!(len(first, last), None, "{first}..{last}");
        }
    }

    #[test]
    fn a_repeated_name_keeps_its_first_value() {
        let mut scope = Scope::default();
        let a = scope.name("a");
        assert!(scope.define(a));
        assert!(!scope.define(a));
        scope.truncate(1);
        assert_eq!(scope.get(a, ValueId(9)), Some(ValueId(0)));
        scope.truncate(0);
        assert_eq!(scope.get(a, ValueId(0)), None);
    }
}
