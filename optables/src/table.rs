//! Tables: declared with a builder, checked when they are finished.

use std::collections::BTreeSet;

use traceloom_abi::ops::OpRecords;
use traceloom_air::bytes::ByteOp;
use traceloom_air::system::{Arena, Constraint, Direction, Lookup};

use crate::bus::Bus;
use crate::check::{self, TableFault, TableFaults};
use crate::column::{Column, ColumnDecl, FixedColumn, Limb, Role};
use crate::poly::{Poly, is_bit};
use crate::record::{Declare, Field, NoScalars, OpRecord};
use crate::row::{Int, Row};

/// Name of the word that every padding program has behind its scalars.
pub(crate) const ROW_NUMBER: &str = "row number";

/// A table, checked.
#[derive(Clone, Debug)]
pub struct Table {
    /// Name.
    pub name: &'static str,
    /// Columns in order.
    pub columns: Vec<ColumnDecl>,
    /// Names of the fixed columns in order. If there are any, all rows have records or are zero.
    pub fixed: Vec<String>,
    /// What makes a row of a record.
    pub rows: RowProgram,
    /// What makes a row that stands for no operation; zeros if there is none.
    pub padding: Option<RowProgram>,
    /// The nodes of all expressions.
    pub arena: Arena,
    /// Constraints in the order in which they were declared.
    pub constraints: Vec<Constraint>,
    /// Lookups in the order in which they were declared.
    pub lookups: Vec<Lookup>,
    /// Operations of byte tables that the lookups use.
    pub byte_ops: BTreeSet<ByteOp>,
}

/// A row program and the fields of its records.
#[derive(Clone, Debug)]
pub struct RowProgram {
    /// Fields in order. The last one of a padding program is the row number.
    pub fields: Vec<Field>,
    pub(crate) row: Row,
}

impl RowProgram {
    /// Exclusive upper bounds of the words of a record.
    #[must_use]
    pub fn word_bounds(&self) -> Vec<u64> {
        word_bounds(&self.fields)
    }

    /// An empty list of its records.
    #[must_use]
    pub fn records(&self) -> OpRecords {
        OpRecords::new(self.fields.iter().map(Field::num_words).sum())
    }

    /// Appends the records of `count` padding rows, numbered from `first`; the first row behind
    /// the real ones has number 1.
    ///
    /// # Panics
    /// If `scalars` are not those of the program, or a number does not fit 32 bits.
    pub fn push_padding<S: OpRecord>(
        &self,
        records: &mut OpRecords,
        scalars: &S,
        first: usize,
        count: usize,
    ) {
        for number in first..first + count {
            let number = u32::try_from(number).expect("a table has fewer than 2^32 rows");
            records.push(|words| {
                scalars.put(words);
                words.push(number);
            });
        }
    }
}

fn word_bounds(fields: &[Field]) -> Vec<u64> {
    let bounds = |field: &Field| std::iter::repeat_n(field.word_bound(), field.num_words());
    fields.iter().flat_map(bounds).collect()
}

/// A table under construction.
#[derive(Debug)]
pub struct TableBuilder {
    name: &'static str,
    columns: Vec<ColumnDecl>,
    fixed: Vec<String>,
    rows: Option<RowProgram>,
    padding: Option<RowProgram>,
    arena: Arena,
    constraints: Vec<Constraint>,
    lookups: Vec<Lookup>,
    byte_ops: BTreeSet<ByteOp>,
    faults: Vec<TableFault>,
}

impl TableBuilder {
    /// A table without columns.
    #[must_use]
    pub fn new(name: &'static str) -> Self {
        Self {
            name,
            columns: Vec::new(),
            fixed: Vec::new(),
            rows: None,
            padding: None,
            arena: Arena::default(),
            constraints: Vec::new(),
            lookups: Vec::new(),
            byte_ops: BTreeSet::new(),
            faults: Vec::new(),
        }
    }

    /// Declares a column.
    pub fn column(&mut self, name: impl Into<String>, limb: Limb, role: Role) -> Column {
        let (name, column) = (name.into(), Column(self.columns.len() as u32));
        if role == Role::Flag {
            self.zero(&format!("{name} is a bit"), is_bit(column));
        }
        self.columns.push(ColumnDecl { name, limb, role });
        column
    }

    /// Declares columns of values: `name[0]`, `name[1]`, …
    pub fn limbs<const N: usize>(&mut self, name: &str, limb: Limb) -> [Column; N] {
        let mut i = 0;
        [(); N].map(|()| {
            i += 1;
            self.column(format!("{name}[{}]", i - 1), limb, Role::Value)
        })
    }

    /// Declares a column of a value.
    pub fn limb(&mut self, name: &str, limb: Limb) -> Column {
        self.column(name, limb, Role::Value)
    }

    /// Declares a fixed column.
    pub fn fixed(&mut self, name: &str) -> FixedColumn {
        self.fixed.push(name.into());
        FixedColumn(self.fixed.len() as u32 - 1)
    }

    /// Declares a bit that a constraint proves to be one.
    pub fn flag(&mut self, name: &str) -> Column {
        self.column(name, Limb::Bit, Role::Flag)
    }

    /// Declares the two words of a value of 64 bits.
    pub fn words(&mut self, name: &str) -> [Column; 2] {
        self.limbs(name, Limb::Word)
    }

    /// States what makes a row of a record of type `R`. Columns are declared before.
    pub fn rows<R: OpRecord>(&mut self, body: impl FnOnce(&mut Row, R::Fields)) {
        let mut fields = Vec::new();
        let mut dummies = (0..).map(Int::number);
        R::declare(&mut Declare { fields: &mut fields, words: &mut dummies });
        let mut row = Row::new(&word_bounds(&fields), self.columns.len());
        let mut words = row.words().into_iter();
        let values = R::declare(&mut Declare { fields: &mut Vec::new(), words: &mut words });
        body(&mut row, values);
        self.rows = Some(RowProgram { fields, row });
    }

    /// States what makes a row that stands for no operation, of scalars of a launch and of the
    /// number of the row, which is 1 for the first one behind the real rows. Without this the
    /// cells are zeros.
    pub fn padding<S: OpRecord>(&mut self, body: impl FnOnce(&mut Row, S::Fields, Int)) {
        let mut fields = Vec::new();
        let mut dummies = (0..).map(Int::number);
        S::declare(&mut Declare { fields: &mut fields, words: &mut dummies });
        fields.push(Field { name: ROW_NUMBER, bytes: 4, mask: 0xffff_ffff });
        let mut row = Row::new(&word_bounds(&fields), self.columns.len());
        let words = row.words();
        let mut scalars = words.iter().copied();
        let values = S::declare(&mut Declare { fields: &mut Vec::new(), words: &mut scalars });
        body(&mut row, values, words[words.len() - 1]);
        self.padding = Some(RowProgram { fields, row });
    }

    /// The same without scalars and without the number: all padding rows are alike.
    pub fn constant_padding(&mut self, body: impl FnOnce(&mut Row)) {
        self.padding::<NoScalars>(|row, (), _| body(row));
    }

    /// Requires that `poly` is zero on every row.
    pub fn zero(&mut self, label: &str, poly: impl Into<Poly>) {
        let expr = poly.into().lower(&mut self.arena);
        let degree = self.arena.degree(expr);
        if degree > check::MAX_DEGREE {
            self.faults.push(TableFault::Degree { label: label.into(), degree });
        }
        self.constraints.push(Constraint { expr, label: label.into() });
    }

    /// Sends a message `multiplicity` times: its receiver is somebody else.
    pub fn send(&mut self, bus: Bus, multiplicity: impl Into<Poly>, values: Vec<Poly>) {
        self.message(bus, Direction::Push, &multiplicity.into(), &values);
    }

    /// Receives a message `multiplicity` times.
    pub fn receive(&mut self, bus: Bus, multiplicity: impl Into<Poly>, values: Vec<Poly>) {
        self.message(bus, Direction::Pull, &multiplicity.into(), &values);
    }

    fn message(&mut self, bus: Bus, direction: Direction, multiplicity: &Poly, values: &[Poly]) {
        if values.len() != bus.width {
            let (expected, found) = (bus.width, values.len());
            self.faults.push(TableFault::Message { bus: bus.name, expected, found });
        }
        self.lookup(bus.name, bus.channel(), direction, multiplicity, values);
    }

    /// Looks up operands and results of a byte operation, `multiplicity` times.
    pub fn look_up(&mut self, op: ByteOp, multiplicity: impl Into<Poly>, values: Vec<Poly>) {
        let operands = if op == ByteOp::RangeCheck16 { 1 } else { op.num_operands() };
        let expected = operands + op.num_results();
        let name = byte_op_label(op);
        if values.len() != expected {
            let found = values.len();
            self.faults.push(TableFault::Message { bus: name, expected, found });
        }
        self.byte_ops.insert(op);
        self.lookup(name, op.channel(), Direction::Push, &multiplicity.into(), &values);
    }

    fn lookup(
        &mut self,
        label: &str,
        channel: u64,
        direction: Direction,
        multiplicity: &Poly,
        values: &[Poly],
    ) {
        let arena = &mut self.arena;
        let multiplicity = multiplicity.lower(arena);
        let mut arguments = vec![arena.word(channel)];
        arguments.extend(values.iter().map(|value| value.lower(arena)));
        self.lookups.push(Lookup { direction, multiplicity, arguments, label: label.into() });
    }

    /// The table, if it obeys all rules.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn finish(self) -> Result<Table, TableFaults> {
        let Self {
            name,
            columns,
            fixed,
            rows,
            padding,
            arena,
            constraints,
            lookups,
            byte_ops,
            faults,
        } = self;
        let Some(rows) = rows else {
            return Err(TableFaults { table: name, faults: vec![TableFault::NoRows] });
        };
        let table =
            Table { name, columns, fixed, rows, padding, arena, constraints, lookups, byte_ops };
        let mut all = faults;
        all.extend(check::faults(&table));
        if all.is_empty() { Ok(table) } else { Err(TableFaults { table: name, faults: all }) }
    }
}

/// A name of a byte operation for people.
pub(crate) fn byte_op_label(op: ByteOp) -> &'static str {
    match op {
        ByteOp::Bits => "bits",
        ByteOp::ShiftLeft => "shift left",
        ByteOp::ShiftRight => "shift right",
        ByteOp::Xor => "xor",
        ByteOp::And => "and",
        ByteOp::Or => "or",
        ByteOp::LessThan => "less than",
        ByteOp::Add => "add",
        ByteOp::Sub => "sub",
        ByteOp::Mul => "mul",
        ByteOp::XorSplit7 => "xor split 7",
        ByteOp::XorSplit4 => "xor split 4",
        ByteOp::RangeCheck => "two bytes",
        ByteOp::RangeCheck16 => "half",
    }
}
