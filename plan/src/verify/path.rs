//! Invariants of the plan of one path.

use std::collections::BTreeSet;

use traceloom_abi::seed::{Meaning, SeedWord, Width};

use super::Verifier;
use crate::bounds::bound_of;
use crate::columns::Region;
use crate::program::PathPlan;
use crate::row::{Cell, ReadSource};
use crate::value::{Expr, Value, ValueNo};

impl Verifier<'_> {
    pub(super) fn path(&mut self, path: &PathPlan) {
        self.values(&path.values, 0..path.values.len());
        self.cells(path);
        self.schema(path);
        self.reads(path);
        self.bounds(path);
        let writes = path.writes.iter().filter_map(|write| match write.cell {
            Cell::Value(value) => Some(value),
            Cell::Constant(_) => None,
        });
        for value in writes {
            let (op, needed) = self.of(&path.values, value, |value| value.need.writer);
            self.require(needed, op, || format!("value {} is written but not needed", value.0));
        }
        for fetch in &path.fetches {
            for value in fetch.kind.operands() {
                let packed = |value: &Value| value.need.packer || fetch.aliased;
                let (op, needed) =
                    self.of(&path.values, value, |value| packed(value) && value.need.checker);
                self.require(needed, op, || format!("value {} finds a word", value.0));
            }
        }
    }

    fn of(
        &self,
        values: &[Value],
        value: ValueNo,
        holds: impl Fn(&Value) -> bool,
    ) -> (Option<u32>, bool) {
        values.get(value.index()).map_or((None, false), |value| (value.op, holds(value)))
    }

    /// Operands precede; needs are closed under operands.
    pub(super) fn values(&mut self, values: &[Value], range: std::ops::Range<usize>) {
        for index in range {
            let value = &values[index];
            for operand in value.expr.operands() {
                self.require(operand.index() < index, value.op, || {
                    format!("value {index} reads value {}, which comes later", operand.0)
                });
                let need = values.get(operand.index()).map(|operand| operand.need);
                let closed = need.is_some_and(|need| {
                    (need.writer || !value.need.writer)
                        && (need.packer || !value.need.packer)
                        && (need.checker || !value.need.checker)
                });
                self.require(closed, value.op, || {
                    format!("value {index} is computed, its operand {} is not", operand.0)
                });
            }
        }
    }

    fn cells(&mut self, path: &PathPlan) {
        let layout = self.function.layout;
        let mut seen: Vec<Option<Cell>> = vec![None; layout.width() as usize];
        for write in &path.writes {
            let cell = layout.position(write.column).map(|position| &mut seen[position]);
            self.require(cell.is_some(), None, || format!("there is no {}", write.column));
            let twice = cell.is_some_and(|cell| cell.replace(write.cell).is_some());
            self.require(!twice, None, || format!("{} is written twice", write.column));
        }
        for (column, cell) in layout.columns().zip(seen) {
            self.require(cell.is_some(), None, || format!("{column} is not written"));
            if column.region == Region::Selector {
                let on = u64::from(path.leaves.contains(&column.index));
                let right = cell == Some(Cell::Constant(on));
                self.require(right, None, || format!("{column} should be {on}"));
            }
        }
    }

    fn schema(&mut self, path: &PathPlan) {
        let words = &path.schema.words;
        let mut end = 0;
        for word in words {
            let bytes = word.width.bytes() as u32;
            let aligned = word.offset.is_multiple_of(bytes) && word.offset >= end;
            self.require(aligned, None, || {
                format!("seed word {word:?} is not aligned or overlaps")
            });
            end = word.offset + bytes;
        }
        let (stride, alignment) = (path.schema.stride, path.schema.alignment());
        self.require(end <= stride && stride.is_multiple_of(alignment), None, || {
            format!("a stride of {stride} bytes for {end} bytes of words")
        });
        if self.function.layout.of_records() {
            let only = |word: &SeedWord| matches!(word.meaning, Meaning::Input(_));
            self.require(words.iter().all(only), None, || {
                "a seed made from a record has other words than the record".into()
            });
        } else {
            let first = words.first().map(|word| (word.meaning, word.width, word.offset));
            self.require(first == Some((Meaning::Multiplicity, Width::Full, 0)), None, || {
                "the multiplicity is not first".into()
            });
        }
        let mut expected: Vec<Meaning> = path
            .values
            .iter()
            .filter_map(|value| match value.expr {
                Expr::Seed(meaning) => Some(meaning),
                _ => None,
            })
            .collect();
        expected.sort();
        expected.dedup();
        let mut got: Vec<Meaning> = words.iter().map(|word| word.meaning).collect();
        got.sort();
        self.require(expected == got, None, || {
            "the seed does not have exactly the words that the path reads".into()
        });
    }

    fn reads(&mut self, path: &PathPlan) {
        let mut results: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); path.fetches.len()];
        for (position, read) in path.reads.iter().enumerate() {
            let expr = path.values.get(read.value.index()).map(|value| value.expr);
            let own = expr == Some(Expr::Seed(Meaning::Read(position as u32)));
            self.require(own, Some(read.op), || format!("read {position} defines no value"));
            if let ReadSource::Fetched { fetch, result } = read.source {
                let known = results.get_mut(fetch as usize).is_some_and(|set| set.insert(result));
                self.require(known, Some(read.op), || {
                    format!("read {position} has no source, or one that is read twice")
                });
            }
            if let Some(output) = read.alias {
                let same = path.outputs.get(output as usize) == Some(&read.value);
                self.require(same, Some(read.op), || {
                    format!("read {position} is not output {output}")
                });
            }
        }
        for (fetch, results) in path.fetches.iter().zip(results) {
            let complete = results.len() as u32 == fetch.num_results
                && results.iter().all(|&result| result < fetch.num_results);
            self.require(complete, Some(fetch.op), || "not every word is read".into());
        }
    }

    fn bounds(&mut self, path: &PathPlan) {
        let words = path.schema.by_meaning();
        for (index, value) in path.values.iter().enumerate() {
            let seed = |expr: &Expr| match *expr {
                Expr::Seed(meaning) => {
                    words.word(meaning).map_or(u64::MAX, |word| word.width.bound())
                }
                _ => u64::MAX,
            };
            let of = |operand: ValueNo| path.values[operand.index()].bound;
            let bound = bound_of(&value.expr, of, seed);
            self.require(bound <= value.bound, value.op, || {
                format!("value {index} is bounded by {}, but may reach {bound}", value.bound)
            });
        }
    }
}
