//! What a table must obey before anything is made of it.
//!
//! - Every row program writes every column once.
//! - No cell can be wider than its column says. The planner's bounds prove it, from the types of
//!   the fields.
//! - Every bit of every field that means something is read by a cell.
//! - A row that stands for no operation counts no message by a multiplicity column.
//! - Names are unique, messages as wide as their bus, constraints of a degree that proofs allow.

use std::collections::BTreeSet;
use std::fmt;

use traceloom_air::bytes::ByteOp;
use traceloom_plan::{Cell, Expr, PathPlan, Value, ValueNo};

use crate::column::Role;
use crate::draft::path_plan;
use crate::table::{ROW_NUMBER, RowProgram, Table};

/// Highest degree of a constraint.
pub const MAX_DEGREE: u32 = 3;

/// Everything that is wrong with a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableFaults {
    /// Its name.
    pub table: &'static str,
    /// What is wrong.
    pub faults: Vec<TableFault>,
}

impl fmt::Display for TableFaults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "table {}:", self.table)?;
        self.faults.iter().try_for_each(|fault| write!(f, "\n  {fault}"))
    }
}

impl std::error::Error for TableFaults {}

/// Something that is wrong with a table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TableFault {
    /// Nothing says what makes its rows.
    #[error("no row program; call TableBuilder::rows")]
    NoRows,
    /// A program writes no cell of a column.
    #[error("the {program} program does not write {column}; put a value there")]
    NotWritten {
        /// Which program.
        program: &'static str,
        /// Name of the column.
        column: String,
    },
    /// A program writes a cell twice.
    #[error("the {program} program writes {column} twice; remove one of the two")]
    WrittenTwice {
        /// Which program.
        program: &'static str,
        /// Name of the column.
        column: String,
    },
    /// A cell may be wider than its column.
    #[error(
        "the {program} program may write {largest} to {column}, which has {bits} bits; narrow the \
         value or declare a wider limb"
    )]
    TooWide {
        /// Which program.
        program: &'static str,
        /// Name of the column.
        column: String,
        /// Bits of the column.
        bits: u32,
        /// The largest value that the planner cannot exclude.
        largest: u64,
    },
    /// A field, or some bits of it, reach no cell.
    #[error(
        "no cell of the {program} program depends on bits {bits:#x} of the field {field}; read \
         them, or take them out of the record"
    )]
    Unread {
        /// Which program.
        program: &'static str,
        /// Name of the field.
        field: &'static str,
        /// The bits.
        bits: u64,
    },
    /// A padding row may count messages.
    #[error("padding rows may have {column} other than zero; they stand for no operation")]
    PaddingCounts {
        /// Name of the column.
        column: String,
    },
    /// Two columns, or two fields, have one name.
    #[error("the name {name} stands twice; rename one of the two")]
    Name {
        /// The name.
        name: String,
    },
    /// A text is not fit for emitted comments.
    #[error("the text {text:?} has other characters than letters, digits and plain punctuation")]
    Text {
        /// The text.
        text: String,
    },
    /// A message has a wrong number of values.
    #[error("a message of {bus} has {expected} values, not {found}")]
    Message {
        /// Name of the bus.
        bus: &'static str,
        /// Values of the bus.
        expected: usize,
        /// Values of the message.
        found: usize,
    },
    /// A constraint has a high degree.
    #[error("the constraint {label:?} has degree {degree}; at most 3 is allowed")]
    Degree {
        /// What the constraint says.
        label: String,
        /// Its degree.
        degree: u32,
    },
}

/// What is wrong with `table`.
pub(crate) fn faults(table: &Table) -> Vec<TableFault> {
    let mut faults = Vec::new();
    names(table, &mut faults);
    let programs = [("row", Some(&table.rows)), ("padding", table.padding.as_ref())];
    for (name, program) in programs {
        let Some(program) = program else { continue };
        let before = faults.len();
        written_once(table, name, program, &mut faults);
        if faults.len() == before {
            let plan = path_plan(table, program);
            widths(table, name, &plan, &mut faults);
            unread(name, program, &plan, &mut faults);
        }
    }
    padding_counts(table, &mut faults);
    faults
}

fn names(table: &Table, faults: &mut Vec<TableFault>) {
    let columns: Vec<&str> = table.columns.iter().map(|column| &column.name[..]).collect();
    let padding = table.padding.as_ref();
    let programs = || std::iter::once(&table.rows).chain(padding);
    let fields = programs().map(|program| program.fields.iter().map(|f| f.name).collect());
    for list in std::iter::once(columns.clone()).chain(fields) {
        let mut seen = BTreeSet::new();
        let twice = list.into_iter().filter(|name| !seen.insert(*name));
        faults.extend(twice.map(|name| TableFault::Name { name: name.into() }));
    }
    let notes = programs().flat_map(|program| program.row.note_texts());
    let texts = notes.map(String::as_str).chain(columns).chain([table.name]);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || " .,:;-_+=<>()[]".contains(c);
    let odd = texts.filter(|text| text.is_empty() || !text.chars().all(is_plain));
    faults.extend(odd.map(|text| TableFault::Text { text: text.into() }));
}

fn written_once(
    table: &Table,
    program: &'static str,
    of: &RowProgram,
    faults: &mut Vec<TableFault>,
) {
    for (index, column) in table.columns.iter().enumerate() {
        let cells = of.row.cells.iter().filter(|(at, _)| at.index() == index);
        let column = column.name.clone();
        match cells.count() {
            0 => faults.push(TableFault::NotWritten { program, column }),
            1 => {}
            _ => faults.push(TableFault::WrittenTwice { program, column }),
        }
    }
}

fn widths(table: &Table, program: &'static str, plan: &PathPlan, faults: &mut Vec<TableFault>) {
    for write in &plan.writes {
        let column = &table.columns[write.column.index as usize];
        let bound = match write.cell {
            Cell::Constant(word) => word.saturating_add(1),
            Cell::Value(value) => plan.values[value.index()].bound,
        };
        if bound > column.limb.bound() {
            let (bits, largest, column) = (column.limb.bits(), bound - 1, column.name.clone());
            faults.push(TableFault::TooWide { program, column, bits, largest });
        }
    }
}

fn unread(program: &'static str, of: &RowProgram, plan: &PathPlan, faults: &mut Vec<TableFault>) {
    let mut word = 0;
    for field in &of.fields {
        let mut read = 0;
        for part in 0..field.num_words() {
            read |= u64::from(read_bits(plan, ValueNo(word))) << (32 * part);
            word += 1;
        }
        let bits = field.mask & !read;
        if bits != 0 && field.name != ROW_NUMBER {
            faults.push(TableFault::Unread { program, field: field.name, bits });
        }
    }
}

/// The bits of a word of the record that cells depend on. The words are the first values.
fn read_bits(plan: &PathPlan, word: ValueNo) -> u32 {
    let is_cell = |value: ValueNo| plan.writes.iter().any(|w| w.cell == Cell::Value(value));
    if is_cell(word) {
        return u32::MAX;
    }
    let byte_bits = |(index, value): (usize, &Value), byte: u8| match value.expr {
        Expr::Unary(ByteOp::Bits, bit, _) => 1_u32 << (8 * byte + bit),
        // A byte of a word: its own users say which bits of it matter.
        Expr::ByteOf(_, byte) => {
            let of_byte = ValueNo(index as u32);
            let bits = users(plan, of_byte).map(|(_, user)| match user.expr {
                Expr::Unary(ByteOp::Bits, bit, _) => 1_u32 << bit,
                _ => 0xff,
            });
            let bits = bits.fold(if is_cell(of_byte) { 0xff } else { 0 }, |all, bit| all | bit);
            bits.checked_shl(8 * u32::from(byte)).unwrap_or(0)
        }
        Expr::LimbOf(_, limb) => 0xffff_u32.checked_shl(16 * u32::from(limb)).unwrap_or(0),
        _ => u32::MAX,
    };
    users(plan, word).fold(0, |all, user| all | byte_bits(user, 0))
}

/// The values that are needed for cells and computed from `value`.
fn users(plan: &PathPlan, value: ValueNo) -> impl Iterator<Item = (usize, &Value)> {
    let needed = plan.values.iter().enumerate().filter(|(_, user)| user.need.writer);
    needed.filter(move |(_, user)| user.expr.operands().contains(&value))
}

/// Padding rows have the constant zero in multiplicity columns.
fn padding_counts(table: &Table, faults: &mut Vec<TableFault>) {
    let Some(padding) = &table.padding else { return };
    let plan = path_plan(table, padding);
    for write in &plan.writes {
        let column = &table.columns[write.column.index as usize];
        let is_zero = match write.cell {
            Cell::Constant(word) => word == 0,
            Cell::Value(value) => plan.values[value.index()].expr == Expr::Constant(0),
        };
        if column.role == Role::Multiplicity && !is_zero {
            faults.push(TableFault::PaddingCounts { column: column.name.clone() });
        }
    }
}
