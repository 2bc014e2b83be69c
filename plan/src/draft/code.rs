//! Straight-line code under construction: values, cells, reads, and what uses say.
//!
//! A front end appends to the code in the order of execution. It decides nothing about
//! widths, zeros, aliases or which values are needed: that is found when a draft is finished.

use traceloom_abi::seed::Meaning;

use crate::bounds::UNKNOWN;
use crate::columns::{Column, PlanLayout};
use crate::program::{GenericBlock, GenericControl};
use crate::row::{Cell, Fetch, FetchKind, Fixed, Read, ReadSource, Write};
use crate::value::{Expr, Need, Value, ValueNo};

/// What a use says about a value.
#[derive(Clone, Copy, Debug)]
pub enum Use {
    /// It is below a bound, or the row is not packed narrow.
    Below(ValueNo, u64),
    /// Both are equal.
    Equal(ValueNo, ValueNo),
    /// It is input `.2` of the constrained function `.1`, which is called.
    Argument(ValueNo, u32, usize),
    /// A constraint or a message reads it.
    Constrained(ValueNo),
    /// Whatever reads the first reads the second: a carry is an expression of its
    /// bytes.
    With(ValueNo, ValueNo),
}

/// Code of one path, or of all blocks of a function.
#[derive(Clone, Debug)]
pub struct Code {
    pub(crate) values: Vec<Value>,
    pub(crate) writes: Vec<Write>,
    pub(crate) reads: Vec<Read>,
    pub(crate) fetches: Vec<Fetch>,
    pub(crate) uses: Vec<Use>,
    inputs: Vec<ValueNo>,
    rank: Option<ValueNo>,
    num_callee_ranks: u32,
    op: Option<u32>,
    degree: u32,
}

impl Code {
    /// Starts with the words that every row of a function has: multiplicity, rank, inputs.
    #[must_use]
    pub fn new(layout: &PlanLayout) -> Self {
        let mut code = Self::empty();
        let multiplicity = code.push(Expr::Seed(Meaning::Multiplicity));
        code.write(Column::auxiliary(0), multiplicity, Fixed::Determined);
        if layout.ranked {
            let rank = code.push(Expr::Seed(Meaning::Rank));
            code.write(Column::auxiliary(1), rank, Fixed::Determined);
            code.rank = Some(rank);
        }
        for i in 0..layout.num_inputs {
            let input = code.push(Expr::Seed(Meaning::Input(i)));
            code.write(Column::input(i as usize), input, Fixed::Determined);
            code.inputs.push(input);
        }
        code
    }

    /// Starts with the words of a record, each below its bound in every record.
    #[must_use]
    pub fn of_record(bounds: &[u64]) -> Self {
        let mut code = Self::empty();
        for (&bound, i) in bounds.iter().zip(0..) {
            let word = code.push(Expr::Seed(Meaning::Input(i)));
            code.inputs.push(word);
            code.below(&[word], bound);
        }
        code
    }

    fn empty() -> Self {
        Self {
            values: Vec::new(),
            writes: Vec::new(),
            reads: Vec::new(),
            fetches: Vec::new(),
            uses: Vec::new(),
            inputs: Vec::new(),
            rank: None,
            num_callee_ranks: 0,
            op: None,
            degree: 1,
        }
    }

    /// The inputs, or the words of the record, in order.
    #[must_use]
    pub fn inputs(&self) -> &[ValueNo] {
        &self.inputs
    }

    /// The row's own rank, if it has one.
    #[must_use]
    pub fn rank(&self) -> Option<ValueNo> {
        self.rank
    }

    /// Number of values so far.
    #[must_use]
    pub fn num_values(&self) -> u32 {
        self.values.len() as u32
    }

    /// Everything from here on belongs to operation `op`, of tracked degree `degree`.
    pub fn enter(&mut self, op: u32, degree: u32) {
        self.op = Some(op);
        self.degree = degree;
    }

    /// Appends a value.
    pub fn push(&mut self, expr: Expr) -> ValueNo {
        let number = ValueNo(self.values.len() as u32);
        self.values.push(Value {
            expr,
            op: self.op,
            degree: self.degree,
            proven: UNKNOWN,
            guarded: UNKNOWN,
            bound: UNKNOWN,
            need: Need::default(),
        });
        number
    }

    /// Writes a value to a column.
    pub fn write(&mut self, column: Column, value: ValueNo, fixed: Fixed) {
        self.writes.push(Write { column, cell: Cell::Value(value), fixed });
    }

    /// Writes a canonical word, which constraints require, to a column.
    pub fn write_word(&mut self, column: Column, word: u64) {
        self.writes.push(Write { column, cell: Cell::Constant(word), fixed: Fixed::Determined });
    }

    /// Notes what a use says.
    pub fn note(&mut self, used: Use) {
        self.uses.push(used);
    }

    /// Notes that each of these values is below `bound` in a row that is packed narrow.
    pub fn below(&mut self, values: &[ValueNo], bound: u64) {
        self.uses.extend(values.iter().map(|&value| Use::Below(value, bound)));
    }

    /// Notes that a constraint or message reads these values.
    pub fn constrain(&mut self, values: &[ValueNo]) {
        self.uses.extend(values.iter().copied().map(Use::Constrained));
    }

    /// Looks up `num_results` words for the operation that was entered last.
    ///
    /// # Panics
    /// If no operation was entered.
    pub fn fetch(&mut self, kind: FetchKind, num_results: u32) -> Vec<ValueNo> {
        let op = self.op.expect("fetches belong to operations");
        let fetch = self.fetches.len() as u32;
        self.fetches.push(Fetch { op, kind, num_results, aliased: false });
        let sources = (0..num_results).map(|result| ReadSource::Fetched { fetch, result });
        sources.map(|source| self.external(source)).collect()
    }

    /// The rank of the callee of the call that was entered last.
    ///
    /// # Panics
    /// If no operation was entered.
    pub fn callee_rank(&mut self) -> ValueNo {
        let rank = self.external(ReadSource::CalleeRank(self.num_callee_ranks));
        self.num_callee_ranks += 1;
        rank
    }

    fn external(&mut self, source: ReadSource) -> ValueNo {
        let value = self.push(Expr::Seed(Meaning::Read(self.reads.len() as u32)));
        let op = self.op.expect("reads belong to operations");
        self.reads.push(Read { op, source, alias: None, value });
        value
    }

    /// Ends a block of a branching draft. Everything that was written and read since the end of
    /// the last block belongs to this block. Its values begin with `first_value`.
    pub fn end_block(&mut self, first_value: u32, control: GenericControl) -> GenericBlock {
        self.num_callee_ranks = 0;
        GenericBlock {
            first_value,
            end_value: self.num_values(),
            writes: std::mem::take(&mut self.writes),
            zeros: Vec::new(),
            reads: std::mem::take(&mut self.reads),
            fetches: std::mem::take(&mut self.fetches),
            control,
        }
    }
}
