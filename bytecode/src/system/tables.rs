//! The tables that every program has: memory and bytes.

use std::collections::BTreeSet;

use traceloom_air::bytes::{ByteOp, ByteTable};
use traceloom_air::message::MEMORY_CHANNEL;
use traceloom_air::system::{
    Arena, Circuit, CircuitKind, Constraint, Direction, ExprId, Lookup, Node,
};

/// Memory column of the multiplicity.
pub const MEMORY_MULTIPLICITY: usize = 0;
/// Memory column of the pointer.
pub const MEMORY_POINTER: usize = 1;
/// First memory column of the values.
pub const MEMORY_VALUES: usize = 2;

/// The write-once memory of one width.
///
/// Pointers count up by one on every row, from a public first pointer, so no pointer
/// stands twice: equal pointers mean equal values. Nothing says that equal values have
/// equal pointers, nor that a store produced a row. So a row needs no selector: one that
/// nobody stored is a cell like any other, which a load may use, and its multiplicity is
/// free. Who builds a trace fills the rows behind the stored ones with zeros, but for the
/// pointer. That pointers do not wrap around is checked on the statement: first pointer
/// plus height is at most 2^32.
pub(super) fn memory(width: u32) -> Circuit {
    let mut arena = Arena::default();
    let [multiplicity, pointer] =
        [MEMORY_MULTIPLICITY, MEMORY_POINTER].map(|column| arena.main(column));
    let next_pointer = arena.intern(Node::MainNext(MEMORY_POINTER as u32));
    let transition = arena.intern(Node::IsTransition);
    let first_row = arena.intern(Node::IsFirstRow);
    let first_pointer = arena.intern(Node::Public(0));
    let one = arena.word(1);
    let mut constraints = Vec::new();
    let mut require = |expr: ExprId, label: &str| {
        constraints.push(Constraint { expr, label: label.into() });
    };
    let step = arena.sub(next_pointer, pointer);
    let step = arena.sub(step, one);
    require(arena.mul(transition, step), "pointer increases by one");
    let first = arena.sub(pointer, first_pointer);
    require(arena.mul(first_row, first), "first pointer is the stated one");
    let mut arguments = vec![arena.word(MEMORY_CHANNEL), arena.word(width.into()), pointer];
    arguments.extend((0..width as usize).map(|i| arena.main(MEMORY_VALUES + i)));
    let lookups = vec![Lookup {
        direction: Direction::Pull,
        multiplicity,
        arguments,
        label: format!("memory {width}"),
    }];
    let mut column_names: Vec<String> = ["multiplicity", "pointer"].map(str::to_owned).into();
    column_names.extend((0..width).map(|i| format!("value{i}")));
    Circuit {
        name: format!("memory{width}"),
        kind: CircuitKind::Memory { width },
        width: MEMORY_VALUES + width as usize,
        column_names,
        num_publics: 1,
        arena,
        constraints,
        lookups,
    }
}

/// A byte table: operands and results are preprocessed, and each operation of `used` has
/// one multiplicity column and one lookup, in the order of the table's operations. `None`
/// if none of them is this table's.
pub(super) fn bytes(table: ByteTable, used: &BTreeSet<ByteOp>) -> Option<Circuit> {
    let mut arena = Arena::default();
    let mut lookups = Vec::new();
    let mut column_names = Vec::new();
    for op in table.ops().iter().filter(|op| used.contains(op)) {
        let multiplicity = arena.main(column_names.len());
        let mut arguments = vec![arena.word(op.channel())];
        if *op == ByteOp::RangeCheck16 {
            arguments.push(limb(&mut arena));
        } else {
            let results = table.result_column(*op)..table.result_column(*op) + op.num_results();
            let columns = (0..table.num_operands()).chain(results);
            arguments.extend(columns.map(|column| arena.intern(Node::Preprocessed(column as u32))));
        }
        let name = crate::model::byte_op_name(*op);
        column_names.push(name.to_owned());
        lookups.push(Lookup {
            direction: Direction::Pull,
            multiplicity,
            arguments,
            label: name.into(),
        });
    }
    if column_names.is_empty() {
        return None;
    }
    let name = match table {
        ByteTable::Bytes1 => "bytes1",
        ByteTable::Bytes2 => "bytes2",
    };
    Some(Circuit {
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

/// The number of a row of table bytes2, from its operands: every limb once.
fn limb(arena: &mut Arena) -> ExprId {
    let [high, low] = [0, 1].map(|column| arena.intern(Node::Preprocessed(column)));
    let weight = arena.word(1 << 8);
    let high = arena.mul(high, weight);
    arena.add(high, low)
}
