//! The reference row builder: slow, obvious, and the oracle of all others.
//!
//! It evaluates every operation and every match from the row's inputs, resolves
//! every call, store and load in the record itself, and fails when the record's
//! outputs, path or ranks differ from what it found. It shares nothing with the
//! generated writers but the layout.

use traceloom_abi::biguint::find_div_rem;
use traceloom_abi::record::Record;
use traceloom_air::bytes::ByteOp;
use traceloom_air::field::{Goldilocks, PrimeCharacteristicRing, element, inverse_or_zero, word};
use traceloom_air::trace::Trace;
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::callgraph::RankedCall;
use traceloom_bytecode::layout::{BlockPlace, FunctionLayout, OpPlace};
use traceloom_bytecode::model::{BIGUINT_WIDTH, Control, Function, FunctionId, Match, Op, ValueId};
use traceloom_bytecode::system::GroupColumns;

use crate::order::{Run, runs};

/// A record that does not fit its program, or a fault of ours: an executor that
/// recorded something else than what the bytecode says.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("function {function:?}, query {query}, {place}: {message}")]
pub struct RowError {
    /// Name of the function.
    pub function: String,
    /// Position of the query.
    pub query: u32,
    /// Block and operation.
    pub place: String,
    /// What disagrees.
    pub message: String,
}

/// The main trace of function circuit `circuit`, or `None` without rows.
///
/// # Errors
/// [`RowError`] if the record disagrees with the bytecode.
pub fn function_trace(
    program: &CheckedProgram,
    record: &Record,
    circuit: usize,
) -> Result<Option<Trace>, RowError> {
    rows_trace(program, record, circuit, &runs(program, record, circuit))
}

/// As [`function_trace`], of some rows only: those of `runs`.
///
/// # Errors
/// As [`function_trace`].
pub fn rows_trace(
    program: &CheckedProgram,
    record: &Record,
    circuit: usize,
    runs: &[Run],
) -> Result<Option<Trace>, RowError> {
    let num_rows = runs.iter().map(|run| run.queries.len()).sum();
    if num_rows == 0 {
        return Ok(None);
    }
    let columns = GroupColumns::new(program, &program.program().circuits[circuit]);
    let mut trace = Trace::zero(num_rows, columns.width);
    let mut row = 0;
    for run in runs {
        for &query in &run.queries {
            let first_selector = columns.first_selector[run.member];
            let mut builder = RowBuilder {
                program,
                record,
                id: run.function,
                function: program.function(run.function),
                layout: program.layout(run.function),
                query,
                place: String::new(),
                row: trace.row_mut(row),
                first_selector,
                first_auxiliary: columns.first_auxiliary,
                callee_ranks: Vec::new(),
                rank: 0,
                leaves: Vec::new(),
            };
            builder.fill()?;
            row += 1;
        }
    }
    Ok(Some(trace))
}

struct RowBuilder<'a> {
    program: &'a CheckedProgram,
    record: &'a Record,
    id: FunctionId,
    function: &'a Function,
    layout: &'a FunctionLayout,
    query: u32,
    place: String,
    row: &'a mut [Goldilocks],
    first_selector: usize,
    first_auxiliary: usize,
    callee_ranks: Vec<u32>,
    /// 1 + the largest rank of the callees inside the component so far, 0 without any.
    rank: u32,
    leaves: Vec<u32>,
}

impl RowBuilder<'_> {
    fn fill(&mut self) -> Result<(), RowError> {
        let table = &self.record.functions[self.id.index()];
        let query = self.query as usize;
        let mut values: Vec<Goldilocks> = Vec::new();
        for i in 0..self.layout.num_inputs {
            let input = element(table.input(query, i));
            self.row[i] = input;
            values.push(input);
        }
        self.set(0, element(table.multiplicity(query)));
        if self.layout.ranked {
            self.set(1, element(table.rank(query).into()));
        }
        let outputs = self.walk(values)?;
        self.place = "at its end".into();
        let recorded: Vec<u64> = (0..outputs.len()).map(|i| table.output(query, i)).collect();
        let outputs: Vec<u64> = outputs.into_iter().map(word).collect();
        self.agree("outputs", &recorded, &outputs)?;
        let path = self.program.paths(self.id).number(&self.leaves);
        self.agree("path", &table.path(query), &path)?;
        self.agree("rank", &table.rank(query), &self.rank)?;
        let ranks = std::mem::take(&mut self.callee_ranks);
        self.agree("ranks of callees", &table.callee_ranks(query), &&ranks[..])
    }

    /// Executes the body and writes the row; the outputs.
    fn walk(&mut self, mut values: Vec<Goldilocks>) -> Result<Vec<Goldilocks>, RowError> {
        let function = self.function;
        let mut block_index = 0;
        // Continuations that are waiting, innermost last: the number of values
        // at the match, its place and its continuation.
        let mut waiting: Vec<(usize, usize)> = Vec::new();
        loop {
            let block = &function.blocks[block_index];
            let place = &self.layout.blocks[block_index];
            for (index, (op, op_place)) in block.ops.iter().zip(&place.ops).enumerate() {
                self.place = format!("block {block_index}, op {index} {}", op.name());
                let results = self.op(op, op_place, &values)?;
                values.extend(results);
            }
            self.place = format!("block {block_index}, {}", block.control.name());
            let read = |used: &[ValueId]| used.iter().map(|v| values[v.index()]).collect();
            match &block.control {
                Control::Return { selector, values } => {
                    self.select(*selector);
                    return Ok(read(values));
                }
                Control::Yield { selector, values: used } => {
                    self.select(*selector);
                    let merged: Vec<Goldilocks> = read(used);
                    let (num_values, next) = waiting.pop().expect("a checked yield has a match");
                    let first = self.layout.blocks[next].first_auxiliary - merged.len();
                    for (i, &value) in merged.iter().enumerate() {
                        self.set(first + i, value);
                    }
                    values.truncate(num_values);
                    values.extend(merged);
                    block_index = next;
                }
                Control::Match(arms) => {
                    block_index = self.choose(arms, values[arms.value.index()], place)?;
                }
                Control::MatchContinue { arms, continuation, .. } => {
                    waiting.push((values.len(), continuation.index()));
                    block_index = self.choose(arms, values[arms.value.index()], place)?;
                }
            }
        }
    }

    fn choose(
        &mut self,
        arms: &Match,
        value: Goldilocks,
        place: &BlockPlace,
    ) -> Result<usize, RowError> {
        if let Some((_, block)) = arms.cases.iter().find(|(key, _)| *key == value) {
            return Ok(block.index());
        }
        let Some(default) = arms.default else {
            return Err(self.error(format!("no case for {}", word(value))));
        };
        for (position, (key, _)) in arms.cases.iter().enumerate() {
            self.set(place.end_auxiliary + position, inverse_or_zero(value - *key));
        }
        Ok(default.index())
    }

    fn select(&mut self, selector: u32) {
        self.leaves.push(selector);
        self.row[self.first_selector + selector as usize] = Goldilocks::ONE;
    }

    fn set(&mut self, auxiliary: usize, value: Goldilocks) {
        self.row[self.first_auxiliary + auxiliary] = value;
    }

    /// Writes values to the first auxiliaries of an operation, and returns them.
    fn write(&mut self, place: &OpPlace, values: Vec<Goldilocks>) -> Vec<Goldilocks> {
        for (i, &value) in values.iter().enumerate() {
            self.set(place.first_auxiliary + i, value);
        }
        values
    }

    fn error(&self, message: String) -> RowError {
        let function = self.function.name.clone();
        RowError { function, query: self.query, place: self.place.clone(), message }
    }

    fn agree<T: PartialEq + std::fmt::Debug>(
        &self,
        what: &str,
        recorded: &T,
        found: &T,
    ) -> Result<(), RowError> {
        if recorded == found {
            return Ok(());
        }
        Err(self.error(format!("{what}: recorded {recorded:?}, found {found:?}")))
    }

    fn op(
        &mut self,
        op: &Op,
        place: &OpPlace,
        values: &[Goldilocks],
    ) -> Result<Vec<Goldilocks>, RowError> {
        let read = |value: &ValueId| values[value.index()];
        let words = |used: &[ValueId]| -> Vec<u64> { used.iter().map(|v| word(read(v))).collect() };
        Ok(match op {
            Op::Const(value) => vec![*value],
            Op::Add(a, b) => vec![read(a) + read(b)],
            Op::Sub(a, b) => vec![read(a) - read(b)],
            Op::Mul(a, b) => {
                let product = read(a) * read(b);
                if place.num_auxiliaries == 1 {
                    self.set(place.first_auxiliary, product);
                }
                vec![product]
            }
            Op::EqZero(a) => {
                let is_zero = Goldilocks::from_bool(read(a) == Goldilocks::ZERO);
                if place.num_auxiliaries == 2 {
                    self.set(place.first_auxiliary, inverse_or_zero(read(a)));
                    self.set(place.first_auxiliary + 1, is_zero);
                }
                vec![is_zero]
            }
            Op::Call { function, args, .. } => {
                let outputs = self.call(*function, &words(args), place)?;
                self.write(place, outputs)
            }
            Op::Store { values } => {
                let pointer = self.find(&words(values))?;
                self.write(place, vec![pointer])
            }
            Op::Load { width, pointer } => {
                let index = self.program.memory_index(*width).expect("checked widths");
                let pointer = word(read(pointer));
                let loaded = self.record.memories[index].load(pointer);
                let loaded = loaded.map(|values| elements(&values.to_vec()));
                let loaded = loaded.ok_or_else(|| self.error(format!("no pointer {pointer}")))?;
                self.write(place, loaded)
            }
            Op::AssertEq { lhs, rhs, .. } => {
                self.agree("assertion", &words(lhs), &words(rhs))?;
                Vec::new()
            }
            Op::IoSetInfo { .. } | Op::IoWrite { .. } | Op::Debug { .. } | Op::Allow { .. } => {
                Vec::new()
            }
            Op::IoGetInfo { .. } | Op::IoRead { .. } => {
                let found = self.io_words(op, values)?;
                self.write(place, found)
            }
            Op::Unary(op, a) => {
                let results = self.byte_results(*op, read(a), Goldilocks::ZERO)?;
                self.write(place, results)
            }
            Op::Binary(op, a, b) => self.binary(*op, read(a), read(b), place)?,
            Op::U32LessThan(a, b) => {
                let (a, b) = (self.small(read(a), 32)?, self.small(read(b), 32)?);
                let c = (b.wrapping_sub(a).wrapping_sub(1)) & 0xffff_ffff;
                let limbs = [a, c, b].into_iter().flat_map(|word| [word % (1 << 16), word >> 16]);
                self.write(place, limbs.map(element).collect());
                vec![Goldilocks::from_bool(a < b)]
            }
            Op::U32ToField(bytes) => vec![pack(bytes.iter().map(read))],
            Op::HintU32Add(words) => self.u32_sum(words, place, values)?,
            Op::HintU32Add3(words) => self.u32_sum(words, place, values)?,
            Op::HintFieldToBytes(a) => self.write(place, bytes_of(word(read(a)), 8)),
            Op::HintInverse(a) => self.write(place, vec![inverse_or_zero(read(a))]),
            Op::HintBigUintDivRem(a, b) => {
                let pointers = self.div_rem(word(read(a)), word(read(b)))?;
                self.write(place, pointers)
            }
        })
    }

    /// The words that an io operation reads.
    fn io_words(&self, op: &Op, values: &[Goldilocks]) -> Result<Vec<Goldilocks>, RowError> {
        let read = |value: &ValueId| word(values[value.index()]);
        let io = &self.record.io;
        let found = match op {
            Op::IoGetInfo { channel, key } => {
                let key: Vec<u64> = key.iter().map(read).collect();
                io.info(read(channel), &key).map(|(index, len)| vec![element(index), element(len)])
            }
            Op::IoRead { channel, index, len } => {
                io.read(read(channel), read(index), (*len).into()).map(elements)
            }
            _ => unreachable!("only io operations read io"),
        };
        found.map_err(|error| self.error(error.to_string()))
    }

    /// Results of a binary byte operation; a carry or borrow has no column.
    fn binary(
        &mut self,
        op: ByteOp,
        a: Goldilocks,
        b: Goldilocks,
        place: &OpPlace,
    ) -> Result<Vec<Goldilocks>, RowError> {
        let results = self.byte_results(op, a, b)?;
        let mut results = self.write(place, results);
        let carry = match op {
            ByteOp::Add => Some(a + b - results[0]),
            ByteOp::Sub => Some(results[0] + b - a),
            _ => None,
        };
        results.extend(carry.map(|sum| sum * inverse_or_zero(element(256))));
        Ok(results)
    }

    fn call(
        &mut self,
        callee: FunctionId,
        args: &[u64],
        place: &OpPlace,
    ) -> Result<Vec<Goldilocks>, RowError> {
        let table = &self.record.functions[callee.index()];
        let query = table.find(args).filter(|&query| table.is_finished(query));
        let name = &self.program.function(callee).name;
        let query = query.ok_or_else(|| self.error(format!("no query {name:?} of {args:?}")))?;
        let num_outputs = self.program.function(callee).num_outputs as usize;
        let outputs = (0..num_outputs).map(|i| element(table.output(query, i))).collect();
        let rank = table.rank(query);
        let first = place.first_auxiliary + num_outputs;
        let own = self.record.functions[self.id.index()].rank(self.query as usize);
        let gap = own.checked_sub(1).and_then(|last| last.checked_sub(rank));
        match (place.ranked_call, gap) {
            (RankedCall::None, _) => return Ok(outputs),
            (RankedCall::Outside, _) => self.set(first, element(rank.into())),
            (RankedCall::Lone, Some(0)) => {
                self.rank = self.rank.max(rank + 1);
                return Ok(outputs);
            }
            (RankedCall::Inside, Some(gap)) => {
                self.rank = self.rank.max(rank + 1);
                self.set(first, element((gap % (1 << 16)).into()));
                self.set(first + 1, element((gap >> 16).into()));
            }
            (RankedCall::Lone | RankedCall::Inside, _) => {
                let problem = format!("rank {own} does not follow rank {rank} of {name:?}");
                return Err(self.error(problem));
            }
        }
        self.callee_ranks.push(rank);
        Ok(outputs)
    }

    fn find(&self, values: &[u64]) -> Result<Goldilocks, RowError> {
        let index = self.program.memory_index(values.len() as u32).expect("checked widths");
        let pointer = self.record.memories[index].find(values);
        let pointer = pointer.ok_or_else(|| self.error(format!("{values:?} was never stored")))?;
        Ok(element(pointer as u64))
    }

    /// The word of a value below 2^`bits`.
    fn small(&self, value: Goldilocks, bits: u32) -> Result<u64, RowError> {
        let value = word(value);
        match value >> bits {
            0 => Ok(value),
            _ => Err(self.error(format!("operand {value} is not below 2^{bits}"))),
        }
    }

    fn byte_results(
        &self,
        op: ByteOp,
        a: Goldilocks,
        b: Goldilocks,
    ) -> Result<Vec<Goldilocks>, RowError> {
        let (a, b) = (self.small(a, 8)? as u8, self.small(b, 8)? as u8);
        let results = op.results(a, b);
        Ok(results[..op.num_results()].iter().map(|&byte| element(byte.into())).collect())
    }

    fn u32_sum<const N: usize>(
        &mut self,
        words: &[[ValueId; 4]; N],
        place: &OpPlace,
        values: &[Goldilocks],
    ) -> Result<Vec<Goldilocks>, RowError> {
        let mut sum = 0;
        for operand in words {
            for (position, value) in operand.iter().enumerate() {
                sum += self.small(values[value.index()], 8)? << (8 * position);
            }
        }
        let mut results = self.write(place, bytes_of(sum & 0xffff_ffff, 4));
        results.push(element(sum >> 32));
        Ok(results)
    }

    fn div_rem(&self, a: u64, b: u64) -> Result<Vec<Goldilocks>, RowError> {
        let index = self.program.memory_index(BIGUINT_WIDTH).expect("checked widths");
        let pointers = find_div_rem(&self.record.memories[index], a, b);
        pointers.map(|found| elements(&found)).map_err(|error| self.error(error.to_string()))
    }
}

fn elements(words: &[u64]) -> Vec<Goldilocks> {
    words.iter().map(|&word| element(word)).collect()
}

fn bytes_of(value: u64, count: usize) -> Vec<Goldilocks> {
    value.to_le_bytes()[..count].iter().map(|&byte| element(byte.into())).collect()
}

fn pack(bytes: impl Iterator<Item = Goldilocks>) -> Goldilocks {
    bytes.enumerate().map(|(i, byte)| byte * element(1 << (8 * i))).sum()
}
