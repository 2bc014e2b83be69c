//! From tables to [`System`]: circuits of the tables, then the byte tables that they use.

use std::collections::BTreeSet;

use traceloom_air::bytes::{ByteOp, ByteTable};
use traceloom_air::claim::Boundary;
use traceloom_air::field::word;
use traceloom_air::fixed::FixedColumns;
use traceloom_air::system::{Arena, Circuit, CircuitKind, Direction, ExprId, Lookup, Node, System};

use traceloom_plan::encode::Encoder;

use crate::program::TableProgram;
use crate::table::{Table, byte_op_label};

const FIXED_DOMAIN: &str = "traceloom op tables with fixed columns v1";

impl TableProgram {
    /// The system of its tables, none of which has fixed columns. `boundaries` are the messages
    /// that a claim may consist of.
    ///
    /// # Panics
    /// If a table has fixed columns.
    #[must_use]
    pub fn system(&self, boundaries: Vec<Boundary>) -> System {
        self.system_with(boundaries, &vec![None; self.tables().len()])
    }

    /// The same with fixed columns, by table. They are part of the fingerprint.
    ///
    /// # Panics
    /// If the numbers of fixed columns are not those of the tables.
    #[must_use]
    pub fn system_with(&self, boundaries: Vec<Boundary>, fixed: &[Option<FixedColumns>]) -> System {
        assert_eq!(fixed.len(), self.tables().len(), "one entry per table");
        let tables = self.tables().iter().zip(fixed).zip(0..);
        let tables = tables.map(|((table, fixed), index)| circuit(table, fixed.clone(), index));
        let used = self.tables().iter().flat_map(|table| table.byte_ops.iter().copied()).collect();
        let bytes = ByteTable::ALL.into_iter().filter_map(|table| bytes(table, &used));
        System {
            fingerprint: fingerprint(self.fingerprint(), fixed),
            circuits: tables.chain(bytes).collect(),
            entries: Vec::new(),
            boundaries,
        }
    }
}

/// Identity of tables and of the fixed columns that they have in one program of the machine.
fn fingerprint(tables: [u8; 32], fixed: &[Option<FixedColumns>]) -> [u8; 32] {
    if fixed.iter().all(Option::is_none) {
        return tables;
    }
    let mut encoder = Encoder::new(blake3::Hasher::new_derive_key(FIXED_DOMAIN));
    encoder.bytes(&tables);
    encoder.list(fixed, |encoder, fixed| {
        let cells = fixed.as_ref().and_then(|fixed| fixed.cells.as_deref());
        encoder.number(fixed.as_ref().map_or(0, |fixed| fixed.width as u64));
        encoder.list(cells.unwrap_or_default(), |encoder, &cell| encoder.number(word(cell)));
    });
    encoder.digest()
}

fn circuit(table: &Table, fixed: Option<FixedColumns>, index: u32) -> Circuit {
    let width = fixed.as_ref().map_or(0, |fixed| fixed.width);
    assert_eq!(width, table.fixed.len(), "fixed columns of {}", table.name);
    Circuit {
        name: table.name.into(),
        kind: CircuitKind::Ops { table: index, fixed },
        width: table.columns.len(),
        column_names: table.columns.iter().map(|column| column.name.clone()).collect(),
        num_publics: 0,
        arena: table.arena.clone(),
        constraints: table.constraints.clone(),
        lookups: table.lookups.clone(),
    }
}

/// A byte table with one multiplicity column and one lookup per operation of `used`, in the
/// order of the table's operations. `None` if none of them is this table's.
fn bytes(table: ByteTable, used: &BTreeSet<ByteOp>) -> Option<Circuit> {
    let mut arena = Arena::default();
    let (mut lookups, mut column_names) = (Vec::new(), Vec::new());
    for &op in table.ops().iter().filter(|op| used.contains(op)) {
        let multiplicity = arena.main(column_names.len());
        let mut arguments = vec![arena.word(op.channel())];
        if op == ByteOp::RangeCheck16 {
            arguments.push(row_number(&mut arena));
        } else {
            let first = table.result_column(op);
            let columns = (0..table.num_operands()).chain(first..first + op.num_results());
            arguments.extend(columns.map(|column| arena.intern(Node::Preprocessed(column as u32))));
        }
        let label = byte_op_label(op);
        column_names.push(label.to_owned());
        let direction = Direction::Pull;
        lookups.push(Lookup { direction, multiplicity, arguments, label: label.into() });
    }
    let name = match table {
        ByteTable::Bytes1 => "bytes1",
        ByteTable::Bytes2 => "bytes2",
    };
    (!column_names.is_empty()).then(|| Circuit {
        name: name.into(),
        kind: CircuitKind::Bytes(table),
        width: column_names.len(),
        column_names,
        num_publics: 0,
        arena,
        constraints: Vec::new(),
        lookups,
    })
}

/// The number of a row of table bytes2, from its operands.
fn row_number(arena: &mut Arena) -> ExprId {
    let [high, low] = [0, 1].map(|column| arena.intern(Node::Preprocessed(column)));
    let weight = arena.word(1 << 8);
    let high = arena.mul(high, weight);
    arena.add(high, low)
}
