//! From operations to values, reads, fetches and writes.
//!
//! Path plans and generic plans are lowered by the same code, block by block;
//! they differ in what a block starts with and in how its control continues.

use traceloom_abi::seed::Meaning;
use traceloom_air::bytes::ByteOp;
use traceloom_air::field::word;
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::callgraph::{GAP_BYTES, RankedCall};
use traceloom_bytecode::layout::{BlockPlace, FunctionLayout, OpPlace};
use traceloom_bytecode::model::{BIGUINT_WIDTH, Function, FunctionId, Match, Op, ValueId};

use super::bounds::UNKNOWN;
use super::{
    Cell, Column, Expr, Fetch, FetchKind, Fixed, Need, Read, ReadSource, Value, ValueNo, Write,
};

/// What a use says about a value.
#[derive(Clone, Copy, Debug)]
pub enum Use {
    /// It is below a bound, or the row is not packed narrow.
    Below(ValueNo, u64),
    /// Both are equal.
    Equal(ValueNo, ValueNo),
    /// It is an input of a constrained callee.
    Argument(ValueNo, FunctionId, usize),
    /// A constraint or a message reads it.
    Constrained(ValueNo),
    /// Whatever reads the first reads the second: a carry is an expression of its
    /// bytes.
    With(ValueNo, ValueNo),
}

/// A function being lowered.
pub struct Lowering<'a> {
    /// The program.
    pub program: &'a CheckedProgram,
    /// The function.
    pub function: &'a Function,
    /// Its layout.
    pub layout: &'a FunctionLayout,
    /// Values so far.
    pub values: Vec<Value>,
    /// Bytecode values that are in scope.
    pub scope: Vec<ValueNo>,
    /// Writes so far.
    pub writes: Vec<Write>,
    /// Reads so far.
    pub reads: Vec<Read>,
    /// Fetches so far.
    pub fetches: Vec<Fetch>,
    /// Uses so far.
    pub uses: Vec<Use>,
    /// The inputs.
    pub inputs: Vec<ValueNo>,
    rank: Option<ValueNo>,
    num_callee_ranks: u32,
    op: Option<u32>,
    degree: u32,
}

impl<'a> Lowering<'a> {
    /// Starts with the words that every row has: multiplicity, rank, inputs.
    pub fn new(program: &'a CheckedProgram, id: FunctionId) -> Self {
        let (function, layout) = (program.function(id), program.layout(id));
        let mut lowering = Self {
            program,
            function,
            layout,
            values: Vec::new(),
            scope: Vec::new(),
            writes: Vec::new(),
            reads: Vec::new(),
            fetches: Vec::new(),
            uses: Vec::new(),
            inputs: Vec::new(),
            rank: None,
            num_callee_ranks: 0,
            op: None,
            degree: 1,
        };
        let multiplicity = lowering.push(Expr::Seed(Meaning::Multiplicity));
        lowering.write(Column::auxiliary(0), multiplicity, Fixed::Determined);
        if layout.ranked {
            let rank = lowering.push(Expr::Seed(Meaning::Rank));
            lowering.write(Column::auxiliary(1), rank, Fixed::Determined);
            lowering.rank = Some(rank);
        }
        for i in 0..layout.num_inputs {
            let input = lowering.push(Expr::Seed(Meaning::Input(i as u32)));
            lowering.write(Column::input(i), input, Fixed::Determined);
            lowering.scope.push(input);
            lowering.inputs.push(input);
        }
        lowering
    }

    /// Reads, fetches, uses and callee ranks are counted from here on.
    pub fn restart_reads(&mut self) {
        self.num_callee_ranks = 0;
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

    /// Writes the selector of a leaf.
    pub fn select(&mut self, selector: u32) {
        let column = Column::selector(selector as usize);
        self.writes.push(Write { column, cell: Cell::Constant(1), fixed: Fixed::Determined });
    }

    /// The values of a leaf.
    pub fn read(&self, values: &[ValueId]) -> Vec<ValueNo> {
        values.iter().map(|value| self.scope[value.index()]).collect()
    }

    /// A constraint or message reads these values.
    pub fn constrain(&mut self, values: &[ValueNo]) {
        self.uses.extend(values.iter().copied().map(Use::Constrained));
    }

    /// The inverse witnesses of taking the default of `arms`, whose operations end
    /// at `place`.
    pub fn witnesses(&mut self, arms: &Match, place: &BlockPlace) {
        let value = self.scope[arms.value.index()];
        for (position, (key, _)) in arms.cases.iter().enumerate() {
            let key = self.push(Expr::Constant(word(*key)));
            let difference = self.push(Expr::Sub(value, key));
            let inverse = self.push(Expr::InverseOrZero(difference));
            let column = Column::auxiliary(place.end_auxiliary + position);
            self.write(column, inverse, Fixed::Determined);
        }
    }

    /// Writes the merge columns in front of `continuation`.
    pub fn merge(&mut self, continuation: usize, values: &[ValueNo]) {
        let first = self.layout.blocks[continuation].first_auxiliary - values.len();
        for (i, &value) in values.iter().enumerate() {
            self.write(Column::auxiliary(first + i), value, Fixed::Determined);
        }
        self.constrain(values);
    }

    /// Writes the merge columns in front of `continuation` where an arm returned
    /// instead of yielding: the match was entered, so they are required to be zero.
    pub fn leave(&mut self, continuation: usize) {
        let place = &self.layout.blocks[continuation];
        for index in place.first_auxiliary - place.num_merged..place.first_auxiliary {
            let (column, cell) = (Column::auxiliary(index), Cell::Constant(0));
            self.writes.push(Write { column, cell, fixed: Fixed::Determined });
        }
    }

    /// Lowers the operations of block `block`, numbered from `first_op` on.
    pub fn block(&mut self, block: usize, first_op: u32) {
        let (function, layout) = (self.function, self.layout);
        let places = &layout.blocks[block].ops;
        for (position, (op, place)) in function.blocks[block].ops.iter().zip(places).enumerate() {
            self.enter(first_op + position as u32, place.degree);
            let results = self.op(op, place);
            debug_assert_eq!(results.len(), op.num_results());
            self.scope.extend(results);
        }
    }

    fn op(&mut self, op: &Op, place: &OpPlace) -> Vec<ValueNo> {
        let get = |scope: &[ValueNo], value: &ValueId| scope[value.index()];
        let one = |lowering: &Self, value: &ValueId| get(&lowering.scope, value);
        match op {
            Op::Const(value) => vec![self.push(Expr::Constant(word(*value)))],
            Op::Add(a, b) => {
                let (a, b) = (one(self, a), one(self, b));
                vec![self.push(Expr::Add(a, b))]
            }
            Op::Sub(a, b) => {
                let (a, b) = (one(self, a), one(self, b));
                vec![self.push(Expr::Sub(a, b))]
            }
            Op::Mul(a, b) => {
                let (a, b) = (one(self, a), one(self, b));
                let product = self.push(Expr::Mul(a, b));
                if place.num_auxiliaries == 1 {
                    self.write_all(place, &[product], Fixed::Determined);
                    self.constrain(&[a, b, product]);
                }
                vec![product]
            }
            Op::EqZero(a) => {
                let a = one(self, a);
                vec![self.eq_zero(a, place)]
            }
            Op::Call { function, args, num_outputs, constrained } => {
                self.call(*function, args, *num_outputs, *constrained, place)
            }
            Op::Store { values } => {
                let values = self.read(values);
                self.constrain(&values);
                let memory = self.memory(values.len() as u32);
                self.fetch(FetchKind::Store { memory, values }, 1, true, place)
            }
            Op::Load { width, pointer } => {
                let pointer = one(self, pointer);
                self.constrain(&[pointer]);
                self.uses.push(Use::Below(pointer, 1 << 32));
                let memory = self.memory(*width);
                self.fetch(FetchKind::Load { memory, pointer }, *width, true, place)
            }
            Op::AssertEq { lhs, rhs, .. } => {
                for (a, b) in self.read(lhs).into_iter().zip(self.read(rhs)) {
                    self.constrain(&[a, b]);
                    self.uses.push(Use::Equal(a, b));
                }
                Vec::new()
            }
            Op::IoSetInfo { .. } | Op::IoWrite { .. } | Op::Debug { .. } => Vec::new(),
            Op::IoGetInfo { channel, key } => {
                let (channel, key) = (one(self, channel), self.read(key));
                self.fetch(FetchKind::IoInfo { channel, key }, 2, false, place)
            }
            Op::IoRead { channel, index, len } => {
                let (channel, index) = (one(self, channel), one(self, index));
                self.fetch(FetchKind::IoRead { channel, index }, *len, false, place)
            }
            Op::Unary(op, a) => {
                let a = one(self, a);
                self.byte_operands(&[a]);
                let results = (0..op.num_results() as u8).map(|i| Expr::Unary(*op, i, a));
                self.columns(place, results)
            }
            Op::Binary(op, a, b) => {
                let (a, b) = (one(self, a), one(self, b));
                self.byte_operands(&[a, b]);
                let results = (0..op.num_results() as u8).map(|i| Expr::Binary(*op, i, a, b));
                let mut results = self.columns(place, results);
                match op {
                    ByteOp::Add => results.push(self.push(Expr::ByteCarry(a, b))),
                    ByteOp::Sub => results.push(self.push(Expr::ByteBorrow(a, b))),
                    _ => {}
                }
                results
            }
            Op::U32LessThan(a, b) => {
                let (a, b) = (one(self, a), one(self, b));
                vec![self.u32_less_than(a, b, place)]
            }
            Op::U32ToField(bytes) => {
                let bytes = bytes.each_ref().map(|byte| one(self, byte));
                self.uses.extend(bytes.map(|byte| Use::Below(byte, 1 << 8)));
                vec![self.push(Expr::Pack(bytes))]
            }
            Op::HintU32Add(words) => self.u32_sum(words, place),
            Op::HintU32Add3(words) => self.u32_sum(words, place),
            Op::HintFieldToBytes(a) => {
                let a = one(self, a);
                self.advice(place, (0..8).map(|i| Expr::ByteOf(a, i)))
            }
            Op::HintInverse(a) => {
                let a = one(self, a);
                self.advice(place, [Expr::InverseOrZero(a)].into_iter())
            }
            Op::HintBigUintDivRem(a, b) => {
                let (a, b) = (one(self, a), one(self, b));
                self.uses.extend([a, b].map(|pointer| Use::Below(pointer, 1 << 32)));
                let memory = self.memory(BIGUINT_WIDTH);
                self.fetch(FetchKind::BigUintDivRem { memory, a, b }, 2, false, place)
            }
        }
    }

    fn memory(&self, width: u32) -> u32 {
        let index = self.program.memory_index(width);
        index.expect("a checked program declares its widths") as u32
    }

    /// Writes values to the first auxiliaries of an operation.
    fn write_all(&mut self, place: &OpPlace, values: &[ValueNo], fixed: Fixed) {
        for (i, &value) in values.iter().enumerate() {
            self.write(Column::auxiliary(place.first_auxiliary + i), value, fixed);
        }
    }

    /// Computed columns that a lookup fixes.
    fn columns(&mut self, place: &OpPlace, exprs: impl Iterator<Item = Expr>) -> Vec<ValueNo> {
        let values: Vec<ValueNo> = exprs.map(|expr| self.push(expr)).collect();
        self.write_all(place, &values, Fixed::Determined);
        self.constrain(&values);
        values
    }

    /// Computed columns that only the program itself checks; labelled later.
    fn advice(&mut self, place: &OpPlace, exprs: impl Iterator<Item = Expr>) -> Vec<ValueNo> {
        let values: Vec<ValueNo> = exprs.map(|expr| self.push(expr)).collect();
        self.write_all(place, &values, Fixed::FreeAdvice);
        values
    }

    fn byte_operands(&mut self, operands: &[ValueNo]) {
        self.constrain(operands);
        self.uses.extend(operands.iter().map(|&operand| Use::Below(operand, 1 << 8)));
    }

    fn eq_zero(&mut self, a: ValueNo, place: &OpPlace) -> ValueNo {
        let is_zero = self.push(Expr::IsZero(a));
        if place.num_auxiliaries == 2 {
            let inverse = self.push(Expr::InverseOrZero(a));
            let first = place.first_auxiliary;
            self.write(Column::auxiliary(first), inverse, Fixed::FreeWhenZero(a));
            self.write(Column::auxiliary(first + 1), is_zero, Fixed::Determined);
            self.constrain(&[a]);
        }
        is_zero
    }

    /// External words, written to the first auxiliaries of the operation.
    fn fetch(
        &mut self,
        kind: FetchKind,
        num_results: u32,
        constrained: bool,
        place: &OpPlace,
    ) -> Vec<ValueNo> {
        let op = self.op.expect("fetches belong to operations");
        let fetch = self.fetches.len() as u32;
        self.fetches.push(Fetch { op, kind, num_results, aliased: false });
        let sources = (0..num_results).map(|result| ReadSource::Fetched { fetch, result });
        let values: Vec<ValueNo> = sources.map(|source| self.external(source)).collect();
        let fixed = if constrained { Fixed::Determined } else { Fixed::FreeAdvice };
        self.write_all(place, &values, fixed);
        if constrained {
            self.constrain(&values);
        }
        values
    }

    fn external(&mut self, source: ReadSource) -> ValueNo {
        let value = self.push(Expr::Seed(Meaning::Read(self.reads.len() as u32)));
        let op = self.op.expect("reads belong to operations");
        self.reads.push(Read { op, source, alias: None, value });
        value
    }

    fn call(
        &mut self,
        callee: FunctionId,
        args: &[ValueId],
        num_outputs: u32,
        constrained: bool,
        place: &OpPlace,
    ) -> Vec<ValueNo> {
        let args = self.read(args);
        if constrained {
            self.constrain(&args);
            let arguments = args.iter().enumerate();
            self.uses.extend(arguments.map(|(i, &arg)| Use::Argument(arg, callee, i)));
        }
        let kind = FetchKind::Call { function: callee.0, args };
        let outputs = self.fetch(kind, num_outputs, constrained, place);
        if place.ranked_call != RankedCall::None {
            let rank = self.external(ReadSource::CalleeRank(self.num_callee_ranks));
            self.num_callee_ranks += 1;
            let first = place.first_auxiliary + num_outputs as usize;
            if place.ranked_call == RankedCall::Inside {
                let own = self.rank.expect("a member of a recursive component has a rank");
                let gap = self.push(Expr::RankGap(own, rank));
                for i in 0..GAP_BYTES {
                    let byte = self.push(Expr::ByteOf(gap, i as u8));
                    self.write(Column::auxiliary(first + i), byte, Fixed::Determined);
                }
            } else {
                self.write(Column::auxiliary(first), rank, Fixed::Determined);
            }
        }
        outputs
    }

    fn u32_less_than(&mut self, a: ValueNo, b: ValueNo, place: &OpPlace) -> ValueNo {
        self.constrain(&[a, b]);
        self.uses.extend([a, b].map(|operand| Use::Below(operand, 1 << 32)));
        let rest = self.push(Expr::LessRest(a, b));
        let bytes = [a, rest, b].into_iter().flat_map(|word| (0..4).map(move |i| (word, i)));
        let exprs: Vec<Expr> = bytes.map(|(word, i)| Expr::ByteOf(word, i)).collect();
        self.columns(place, exprs.into_iter());
        self.push(Expr::Less(a, b))
    }

    fn u32_sum(&mut self, words: &[[ValueId; 4]], place: &OpPlace) -> Vec<ValueNo> {
        let mut sum = None;
        for word in words {
            let bytes = word.each_ref().map(|byte| self.scope[byte.index()]);
            self.uses.extend(bytes.map(|byte| Use::Below(byte, 1 << 8)));
            let word = self.push(Expr::PackLow(bytes));
            sum = Some(match sum {
                None => word,
                Some(sum) => self.push(Expr::Add(sum, word)),
            });
        }
        let sum = sum.expect("sums have terms");
        let mut results = self.advice(place, (0..4).map(|i| Expr::ByteOf(sum, i)));
        let carry = self.push(Expr::High32(sum));
        self.uses.extend(results.iter().map(|&byte| Use::With(carry, byte)));
        results.push(carry);
        results
    }
}
