//! Where two records differ: what comparisons of executors ask.

use std::fmt;

use crate::bytes::ByteTable;
use crate::record::{MemoryTable, QueryTable, Record};

impl Record {
    /// The first field in which `self` and `other`, records of one program, differ, in
    /// words; `None` if they are the same in everything.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Option<String> {
        let functions = self.functions.iter().zip(&other.functions).enumerate();
        let mut functions = functions.map(|(at, (a, b))| {
            queries(a, b).map(|difference| format!("function {at}: {difference}"))
        });
        let memories = self.memories.iter().zip(&other.memories);
        let mut memories = memories.map(|(a, b)| {
            pointers(a, b).map(|difference| format!("memory {}: {difference}", a.width()))
        });
        let counts = |table: ByteTable| {
            let (a, b) = (self.byte_counts(table), other.byte_counts(table));
            if a == b {
                return None;
            }
            let row = (0..table.height()).find(|&row| !a.row(row).eq(b.row(row)))?;
            differ(
                &format!("{table:?} row {row}"),
                a.row(row).collect::<Vec<_>>(),
                b.row(row).collect(),
            )
        };
        differ("number of functions", self.functions.len(), other.functions.len())
            .or_else(|| differ("number of memories", self.memories.len(), other.memories.len()))
            .or_else(|| functions.find_map(|difference| difference))
            .or_else(|| memories.find_map(|difference| difference))
            .or_else(|| ByteTable::ALL.into_iter().find_map(counts))
            .or_else(|| differ("io", &self.io, &other.io))
            .or_else(|| differ("operations", &self.ops, &other.ops))
    }
}

fn queries(a: &QueryTable, b: &QueryTable) -> Option<String> {
    let query = |query: usize| {
        let words = |table: &QueryTable| {
            (
                table.inputs(query).to_vec(),
                table.outputs(query).to_vec(),
                table.multiplicity(query),
                table.is_finished(query),
            )
        };
        let place = |table: &QueryTable| {
            (table.path(query), table.rank(query), table.callee_ranks(query).to_vec())
        };
        differ(&format!("query {query}"), words(a), words(b))
            .or_else(|| differ(&format!("path and ranks of query {query}"), place(a), place(b)))
    };
    differ("number of queries", a.len(), b.len()).or_else(|| (0..a.len()).find_map(query))
}

fn pointers(a: &MemoryTable, b: &MemoryTable) -> Option<String> {
    let pointer = |pointer: usize| {
        let entry = |table: &MemoryTable| {
            (table.load(pointer as u64).map(|values| values.to_vec()), table.multiplicity(pointer))
        };
        differ(&format!("pointer {pointer}"), entry(a), entry(b))
    };
    differ("number of pointers", a.len(), b.len()).or_else(|| (0..a.len()).find_map(pointer))
}

fn differ<T: PartialEq + fmt::Debug>(what: &str, a: T, b: T) -> Option<String> {
    (a != b).then(|| format!("{what}: {a:?} and {b:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::ByteOp;
    use crate::io::Io;
    use crate::ops::OpRecords;
    use crate::record::{Finish, Part};

    /// What differs, and what makes it differ.
    type Change<'a> = (&'static str, &'a dyn Fn(&mut Record));

    fn record() -> Record {
        let mut record = Record::new([(1, 1)], [2], Io::default());
        record.functions[0].insert(&[7]);
        record.functions[0].finish(
            0,
            Finish { path: 1, rank: 2, callee_ranks: &[3], outputs: &[Part::Words(&[4])] },
        );
        record.memories[0].store(&[5, 6]);
        record
    }

    #[test]
    fn every_field_is_compared() {
        let same = record();
        assert_eq!(same.difference(&record()), None);
        let finish = Finish { path: 1, rank: 2, callee_ranks: &[3], outputs: &[Part::Words(&[4])] };
        let changes: [Change<'_>; 12] = [
            ("number of queries", &|r| _ = r.functions[0].insert(&[8])),
            ("query 0", &|r| r.functions[0].set_multiplicity(0, 1)),
            ("query 0", &|r| {
                r.functions[0].finish(0, Finish { outputs: &[Part::Bytes(&[5])], ..finish })
            }),
            ("path and", &|r| r.functions[0].finish(0, Finish { path: 0, ..finish })),
            ("path and", &|r| r.functions[0].finish(0, Finish { rank: 3, ..finish })),
            ("path and", &|r| r.functions[0].finish(0, Finish { callee_ranks: &[], ..finish })),
            ("number of pointers", &|r| _ = r.memories[0].store(&[1, 1])),
            ("pointer 0", &|r| r.memories[0].set_multiplicity(0, 1)),
            ("Bytes1 row 3", &|r| r.count_byte_op(ByteOp::ShiftLeft, 3, 0)),
            ("Bytes2 row 259", &|r| r.count_byte_op(ByteOp::Xor, 1, 3)),
            ("io", &|r| r.io.add_input(0, &[], &[]).unwrap()),
            ("operations", &|r| r.ops.push(OpRecords::new(1))),
        ];
        for (what, change) in changes {
            let mut other = record();
            change(&mut other);
            let difference = same.difference(&other).expect(what);
            assert!(difference.contains(what), "{difference}");
        }
    }
}
