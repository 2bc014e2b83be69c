//! Names of the values on the path to the current line.

use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Unbounded};

use hashbrown::{HashMap, HashSet};

use crate::model::ValueId;

/// A value's name: an identifier, cut before a canonical decimal suffix, so that
/// the names of a range are made without making strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Name {
    prefix: u32,
    number: u32,
}

/// Identifiers that a message looks at, and prefixes of them.
const MOST_SPELLINGS: usize = 200;
const MOST_PREFIXES: usize = 10_000;

/// Stands for "no suffix"; as a suffix this number is left in the prefix.
const NO_NUMBER: u32 = u32::MAX;

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
///
/// A short text may name two million values, in ranges. So names are kept in runs:
/// values in a row under names in a row.
#[derive(Debug, Default)]
pub(super) struct Scope<'s> {
    prefixes: HashMap<&'s str, u32>,
    /// In the order of their values.
    runs: Vec<Run>,
    /// By first name: the run.
    starts: BTreeMap<Name, u32>,
    /// Number of values.
    len: u32,
    /// Names that were reported as unknown.
    unknown: HashSet<Name>,
}

#[derive(Debug)]
struct Run {
    value: u32,
    len: u32,
    /// None for values that repeated others' names.
    first: Option<Name>,
    /// The number at which the names of another run begin. Holds while the run is the
    /// last one: those that began after it are gone by then.
    limit: u32,
}

impl Run {
    fn is_continued_by(&self, name: Name) -> bool {
        self.first.is_some_and(|first| {
            first.prefix == name.prefix
                && first.number != NO_NUMBER
                && first.number.checked_add(self.len) == Some(name.number)
                && name.number < self.limit
        })
    }
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

    /// The identifier of a name.
    pub fn spelling(&self, name: Name) -> String {
        let prefix = self.prefixes.iter().find(|&(_, &prefix)| prefix == name.prefix);
        let prefix = prefix.map_or("", |(prefix, _)| *prefix);
        match name.number {
            NO_NUMBER => prefix.to_owned(),
            number => format!("{prefix}{number}"),
        }
    }

    /// Some of the identifiers that have a value here: those that begin a run, the first ones.
    /// None in a function with very many names.
    pub fn spellings(&self) -> Vec<String> {
        if self.prefixes.len() > MOST_PREFIXES {
            return Vec::new();
        }
        let by_prefix: HashMap<u32, &str> =
            self.prefixes.iter().map(|(&prefix, &id)| (id, prefix)).collect();
        let spelling = |name: &Name| {
            let prefix = by_prefix.get(&name.prefix).copied().unwrap_or_default();
            match name.number {
                NO_NUMBER => prefix.to_owned(),
                number => format!("{prefix}{number}"),
            }
        };
        self.starts.keys().take(MOST_SPELLINGS).map(spelling).collect()
    }

    /// Number of values on the path.
    pub fn len(&self) -> u32 {
        self.len
    }

    /// Appends a value. If the name is taken, it keeps its old value, and this returns false.
    pub fn define(&mut self, name: Name) -> bool {
        let value = self.len;
        self.len += 1;
        match self.runs.last_mut() {
            Some(run) if run.is_continued_by(name) => {
                run.len += 1;
                return true;
            }
            _ => {}
        }
        let free = self.find(name).is_none();
        let first = free.then_some(name);
        match self.runs.last_mut() {
            Some(run) if !free && run.first.is_none() => run.len += 1,
            _ => {
                let next = self.starts.range((Excluded(name), Unbounded)).next();
                let next = next.filter(|(next, _)| next.prefix == name.prefix);
                let limit = next.map_or(NO_NUMBER, |(next, _)| next.number);
                self.starts.extend(first.map(|name| (name, self.runs.len() as u32)));
                self.runs.push(Run { value, len: 1, first, limit });
            }
        }
        free
    }

    /// The value named `name`, and how many values from it on have the names that follow when the
    /// suffix counts up.
    pub fn find(&self, name: Name) -> Option<(ValueId, u32)> {
        let before = self.starts.range(..=name).next_back();
        let (first, &run) = before.filter(|(first, _)| first.prefix == name.prefix)?;
        let (run, offset) = (&self.runs[run as usize], name.number - first.number);
        (offset < run.len).then(|| (ValueId(run.value + offset), run.len - offset))
    }

    /// Forgets all but the first `len` values.
    pub fn truncate(&mut self, len: u32) {
        self.len = self.len.min(len);
        while let Some(run) = self.runs.pop_if(|run| run.value >= len) {
            if let Some(first) = run.first {
                self.starts.remove(&first);
            }
        }
        if let Some(run) = self.runs.last_mut() {
            run.len = run.len.min(len - run.value);
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
        assert_eq!(scope.find(a), Some((ValueId(0), 1)));
        scope.truncate(0);
        assert_eq!(scope.find(a), None);
    }

    /// A name per value, as it would be without runs.
    #[derive(Default)]
    struct Naive(Vec<Option<Name>>);

    impl Naive {
        fn define(&mut self, name: Name) -> bool {
            let free = self.find(name).is_none();
            self.0.push(free.then_some(name));
            free
        }

        fn find(&self, name: Name) -> Option<ValueId> {
            let value = self.0.iter().position(|&found| found == Some(name))?;
            Some(ValueId(value as u32))
        }
    }

    #[test]
    fn runs_are_names_by_value() {
        let mut state = 1_u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            ((state >> 33) % below) as u32
        };
        let last = NO_NUMBER - 1;
        let (mut num_repeated, mut num_in_runs) = (0, 0);
        for _ in 0..300 {
            let (mut scope, mut naive) = (Scope::default(), Naive::default());
            for _ in 0..60 {
                // Two prefixes, few numbers, and those at the end of what there is.
                let number = match random(8) {
                    0 => NO_NUMBER,
                    1 => last - random(3),
                    _ => random(12),
                };
                let name = Name { prefix: random(2), number };
                if random(6) == 0 {
                    let len = random(naive.0.len() as u64 + 1);
                    scope.truncate(len);
                    naive.0.truncate(len as usize);
                }
                for i in 0..=random(4) {
                    let Some(number) = name.number.checked_add(i) else { break };
                    let name = Name { number, ..name };
                    let free = naive.define(name);
                    assert_eq!(scope.define(name), free);
                    num_repeated += usize::from(!free);
                    if number == NO_NUMBER {
                        break;
                    }
                }
                assert_eq!(scope.len() as usize, naive.0.len());
                for number in (0..20).chain(last - 4..=NO_NUMBER) {
                    for prefix in 0..3 {
                        let name = Name { prefix, number };
                        let found = scope.find(name);
                        assert_eq!(found.map(|(value, _)| value), naive.find(name), "{name:?}");
                        for i in 1..found.map_or(0, |(_, len)| len) {
                            let (value, name) =
                                (found.unwrap().0, Name { number: number + i, prefix });
                            assert_eq!(naive.find(name), Some(ValueId(value.0 + i)));
                            num_in_runs += 1;
                        }
                    }
                }
            }
        }
        assert!(num_repeated > 1000 && num_in_runs > 1000, "{num_repeated}, {num_in_runs}");
    }
}
