//! Plans, interpreted: slow, and what emitted text is compared with.
//!
//! It evaluates integers as integers and field elements as field elements, and
//! checks every bound that the plan claims, so a wrong bound is found here before
//! it becomes wrong text.

use std::collections::BTreeMap;

use traceloom_abi::biguint;
use traceloom_abi::record::Record;
use traceloom_abi::seed::{FullLayout, Meaning};
use traceloom_air::field::{Goldilocks, element, inverse_or_zero, word};

use crate::columns::{Column, RowSource};
use crate::program::{FunctionPlan, GenericControl, PathPlan};
use crate::row::{Cell, Fetch, FetchKind, Read, ReadSource, Write};
use crate::value::{Expr, Value, ValueNo};

/// Words of a row's seed, by meaning.
pub type Words = BTreeMap<Meaning, u64>;
/// Cells of a row, by column; canonical words.
pub type Cells = BTreeMap<Column, u64>;

/// What a packer of `path` finds for `query`. With `check` it also compares the words that it
/// takes from the row's own outputs with those that the record has elsewhere.
///
/// # Errors
/// What is missing from the record, or disagrees.
pub fn pack_path(
    function: &FunctionPlan,
    path: &PathPlan,
    record: &Record,
    query: usize,
    check: bool,
) -> Result<Words, String> {
    let mut packer = Packer::new(function, record, query);
    let mut values = vec![0; path.values.len()];
    let need = |value: &Value| if check { value.need.checker } else { value.need.packer };
    packer.block(&path.values, 0, &path.reads, &path.fetches, &mut values, need, check)?;
    if check {
        for (i, output) in path.outputs.iter().enumerate() {
            let (found, recorded) = (values[output.index()], packer.output(i));
            if found != recorded {
                return Err(format!("output {i}: recorded {recorded}, found {found}"));
            }
        }
    }
    packer.words.insert(Meaning::Path, path.path.into());
    Ok(packer.words)
}

/// What the branching packer of `function` finds for `query`.
///
/// # Errors
/// What is missing from the record.
pub fn pack_generic(
    function: &FunctionPlan,
    record: &Record,
    query: usize,
) -> Result<Words, String> {
    let plan = &function.generic;
    let mut packer = Packer::new(function, record, query);
    let mut values = vec![0; plan.values.len()];
    let mut index = 0;
    loop {
        let block = &plan.blocks[index];
        let range = block.first_value as usize..block.end_value as usize;
        let (first, need) = (range.start, |value: &Value| value.need.packer);
        let of_block = &plan.values[..range.end];
        packer.block(of_block, first, &block.reads, &block.fetches, &mut values, need, false)?;
        match next(&block.control, |value| values[value.index()])? {
            Next::Done => break,
            Next::Block(to, merged) => {
                let first = plan.blocks[to].first_value as usize;
                values[first..first + merged.len()].copy_from_slice(&merged);
                index = to;
            }
        }
    }
    packer.words.insert(Meaning::Path, 0);
    Ok(packer.words)
}

/// The typed seed with these words, or `None` if one is too wide.
#[must_use]
pub fn typed_seed(path: &PathPlan, words: &Words) -> Option<Vec<u8>> {
    let mut seed = vec![0; path.schema.stride as usize];
    let mut fits = true;
    for word in &path.schema.words {
        fits &= word.write(&mut seed, words[&word.meaning]);
    }
    fits.then_some(seed)
}

/// The full seed with these words.
#[must_use]
pub fn full_seed(layout: &FullLayout, words: &Words) -> Vec<u64> {
    let mut seed = vec![0; layout.num_words()];
    words.iter().for_each(|(&meaning, &word)| seed[layout.position(meaning)] = word);
    seed
}

/// The row of a typed seed.
///
/// # Panics
/// If a value breaks the bound of the plan, or a cell is written twice.
#[must_use]
pub fn write_path(path: &PathPlan, seed: &[u8]) -> Cells {
    let mut values: Vec<u64> = vec![0; path.values.len()];
    for (index, value) in path.values.iter().enumerate() {
        if !value.need.writer {
            continue;
        }
        let outside = |expr: &Expr| match *expr {
            Expr::Seed(meaning) => path.schema.word(meaning).expect("a seed word").read(seed),
            _ => unreachable!("paths have no merged values"),
        };
        values[index] = evaluate(&path.values, index, &values, Value::is_integer, outside);
        assert!(values[index] < value.bound, "value {index} {value:?}: {}", values[index]);
    }
    let mut cells = Cells::new();
    write_cells(&mut cells, &path.writes, &values);
    cells
}

/// The row of a full seed, through the branching plan.
///
/// # Errors
/// If no block of a match fits.
///
/// # Panics
/// If a value breaks the bound of the plan, or a cell is written twice.
pub fn write_generic(function: &FunctionPlan, seed: &[u64]) -> Result<Cells, String> {
    let plan = &function.generic;
    let mut values: Vec<u64> = vec![0; plan.values.len()];
    let mut cells = Cells::new();
    let (mut index, mut num_reads) = (0, 0);
    loop {
        let block = &plan.blocks[index];
        for number in block.first_value as usize..block.end_value as usize {
            let value = &plan.values[number];
            if !value.need.writer || matches!(value.expr, Expr::Merged(_)) {
                continue;
            }
            let outside = |expr: &Expr| match *expr {
                Expr::Seed(Meaning::Read(read)) => {
                    seed[function.full.position(Meaning::Read(num_reads + read))]
                }
                Expr::Seed(meaning) => seed[function.full.position(meaning)],
                _ => unreachable!("merged values are set by yields"),
            };
            values[number] = evaluate(&plan.values, number, &values, Value::is_integer, outside);
            assert!(values[number] < value.bound, "value {number} {value:?}");
        }
        write_cells(&mut cells, &block.writes, &values);
        for column in block.zeros.iter().flat_map(|span| span.columns()) {
            assert_eq!(cells.insert(column, 0), None, "{column} is written twice");
        }
        num_reads += block.reads.len() as u32;
        match next(&block.control, |value| values[value.index()])? {
            Next::Done => return Ok(cells),
            Next::Block(to, merged) => {
                let first = plan.blocks[to].first_value as usize;
                values[first..first + merged.len()].copy_from_slice(&merged);
                index = to;
            }
        }
    }
}

fn write_cells(cells: &mut Cells, writes: &[Write], values: &[u64]) {
    for write in writes {
        let word = match write.cell {
            Cell::Constant(word) => word,
            Cell::Value(value) => values[value.index()],
        };
        assert_eq!(cells.insert(write.column, word), None, "{} is written twice", write.column);
    }
}

enum Next {
    Done,
    Block(usize, Vec<u64>),
}

fn next(control: &GenericControl, value: impl Fn(ValueNo) -> u64) -> Result<Next, String> {
    match control {
        GenericControl::Return { .. } => Ok(Next::Done),
        GenericControl::Yield { values, block } => {
            Ok(Next::Block(*block as usize, values.iter().map(|&v| value(v)).collect()))
        }
        GenericControl::Match { value: compared, cases, default, .. } => {
            let compared = value(*compared);
            let case = cases.iter().find(|(key, _)| *key == compared).map(|&(_, block)| block);
            let block = case.or(*default).ok_or_else(|| format!("no case for {compared}"))?;
            Ok(Next::Block(block as usize, Vec::new()))
        }
    }
}

/// A canonical word for value `index`, computed the way emitted text does.
fn evaluate(
    plan: &[Value],
    index: usize,
    values: &[u64],
    integer: impl Fn(&Value) -> bool,
    outside: impl FnOnce(&Expr) -> u64,
) -> u64 {
    let int = |value: ValueNo| values[value.index()];
    let field = |value: ValueNo| element(int(value));
    let is_integer = integer(&plan[index]);
    let low = |value: ValueNo| int(value) as u8;
    let packed = |bytes: [ValueNo; 4], word: &dyn Fn(ValueNo) -> u64| -> u64 {
        bytes.iter().enumerate().map(|(i, &byte)| word(byte) << (8 * i)).sum()
    };
    match plan[index].expr {
        Expr::Constant(word) => word,
        Expr::Seed(_) | Expr::Merged(_) => outside(&plan[index].expr),
        Expr::Add(a, b) if is_integer => int(a) + int(b),
        Expr::Mul(a, b) if is_integer => int(a) * int(b),
        Expr::Pack(bytes) if is_integer => packed(bytes, &int),
        Expr::Add(a, b) => word(field(a) + field(b)),
        Expr::Sub(a, b) => word(field(a) - field(b)),
        Expr::Mul(a, b) => word(field(a) * field(b)),
        Expr::Pack(bytes) => {
            let terms = bytes.iter().enumerate();
            word(terms.map(|(i, &byte)| field(byte) * element(1 << (8 * i))).sum::<Goldilocks>())
        }
        Expr::IsZero(a) => u64::from(int(a) == 0),
        Expr::InverseOrZero(a) => word(inverse_or_zero(field(a))),
        Expr::Unary(op, result, a) => op.results(low(a), 0)[usize::from(result)].into(),
        Expr::Binary(op, result, a, b) => op.results(low(a), low(b))[usize::from(result)].into(),
        Expr::ByteCarry(a, b) => (u64::from(low(a)) + u64::from(low(b))) >> 8,
        Expr::ByteBorrow(a, b) => u64::from(low(a) < low(b)),
        Expr::PackLow(bytes) => packed(bytes, &|byte| low(byte).into()),
        Expr::ByteOf(a, byte) => (int(a) >> (8 * byte)) & 255,
        Expr::LimbOf(a, limb) => (int(a) >> (16 * limb)) & 0xffff,
        Expr::High32(a) => int(a) >> 32,
        Expr::Less(a, b) => u64::from(int(a) < int(b)),
        Expr::LessRest(a, b) => int(b).wrapping_sub(int(a)).wrapping_sub(1) & 0xffff_ffff,
        Expr::RankGap(a, b) => int(a).wrapping_sub(int(b)).wrapping_sub(1) & 0xffff_ffff,
        Expr::Low32(a) => int(a) & 0xffff_ffff,
        Expr::Select(a, b, c) => int(if int(a) != 0 { b } else { c }),
    }
}

struct Packer<'a> {
    function: &'a FunctionPlan,
    record: &'a Record,
    query: usize,
    words: Words,
    num_reads: u32,
    num_ranks: usize,
}

impl<'a> Packer<'a> {
    fn new(function: &'a FunctionPlan, record: &'a Record, query: usize) -> Self {
        let mut words = Words::new();
        if let RowSource::Record { num_words } = function.layout.source {
            let own = &record.ops[function.function as usize];
            let inputs = (0..num_words).map(|i| (Meaning::Input(i), own.input(query, i as usize)));
            words.extend(inputs);
            return Self { function, record, query, words, num_reads: 0, num_ranks: 0 };
        }
        let own = &record.functions[function.function as usize];
        words.insert(Meaning::Multiplicity, own.multiplicity(query));
        if function.layout.ranked {
            words.insert(Meaning::Rank, own.rank(query).into());
        }
        for i in 0..function.layout.num_inputs {
            words.insert(Meaning::Input(i), own.input(query, i as usize));
        }
        Self { function, record, query, words, num_reads: 0, num_ranks: 0 }
    }

    fn output(&self, i: usize) -> u64 {
        self.record.functions[self.function.function as usize].output(self.query, i)
    }

    /// Straight-line code: values that are needed, external words where they come.
    #[allow(clippy::too_many_arguments)]
    fn block(
        &mut self,
        plan: &[Value],
        first: usize,
        reads: &[Read],
        fetches: &[Fetch],
        values: &mut [u64],
        need: impl Fn(&Value) -> bool,
        check: bool,
    ) -> Result<(), String> {
        let mut fetched: Vec<Option<Vec<u64>>> = vec![None; fetches.len()];
        for index in first..plan.len() {
            let Expr::Seed(Meaning::Read(read)) = plan[index].expr else {
                if need(&plan[index]) && !matches!(plan[index].expr, Expr::Merged(_)) {
                    let words = &self.words;
                    let outside = |expr: &Expr| match expr {
                        Expr::Seed(meaning) => words[meaning],
                        _ => unreachable!("merged values are set by yields"),
                    };
                    let integer = Value::is_integer_when_packing;
                    values[index] = evaluate(plan, index, values, integer, outside);
                    assert!(values[index] < plan[index].proven, "value {index}");
                }
                continue;
            };
            let source = reads[read as usize];
            let word = match source.source {
                ReadSource::CalleeRank(rank) => {
                    let own = &self.record.functions[self.function.function as usize];
                    own.callee_ranks(self.query)[self.num_ranks + rank as usize].into()
                }
                ReadSource::Fetched { fetch, result } => {
                    let at = fetch as usize;
                    if fetched[at].is_none() && (check || !fetches[at].aliased) {
                        fetched[at] = Some(self.fetch(&fetches[at], values)?);
                    }
                    let word = fetched[at].as_ref().map(|words| words[result as usize]);
                    let own = source.alias.map(|output| self.output(output as usize));
                    match (word, own) {
                        (Some(word), Some(own)) if word != own => {
                            return Err(format!("op {}: {word} is not {own}", source.op));
                        }
                        (Some(word), _) | (None, Some(word)) => word,
                        (None, None) => return Err("a read without a source".into()),
                    }
                }
            };
            values[index] = word;
            self.words.insert(Meaning::Read(self.num_reads + read), word);
        }
        let ranks = reads.iter().filter(|read| matches!(read.source, ReadSource::CalleeRank(_)));
        self.num_ranks += ranks.count();
        self.num_reads += reads.len() as u32;
        Ok(())
    }

    fn fetch(&self, fetch: &Fetch, values: &[u64]) -> Result<Vec<u64>, String> {
        let get = |value: &ValueNo| values[value.index()];
        let list = |list: &[ValueNo]| list.iter().map(get).collect::<Vec<u64>>();
        let missing = || format!("op {}: not in the record", fetch.op);
        let memory = |memory: &u32| &self.record.memories[*memory as usize];
        match &fetch.kind {
            FetchKind::Call { function, args } => {
                let table = &self.record.functions[*function as usize];
                let query = table.find(&list(args)).ok_or_else(missing)?;
                Ok((0..fetch.num_results as usize).map(|i| table.output(query, i)).collect())
            }
            FetchKind::Store { memory: at, values } => {
                let pointer = memory(at).find(&list(values)).ok_or_else(missing)?;
                Ok(vec![pointer as u64])
            }
            FetchKind::Load { memory: at, pointer } => {
                Ok(memory(at).load(get(pointer)).ok_or_else(missing)?.to_vec())
            }
            FetchKind::IoInfo { channel, key } => {
                let info = self.record.io.info(get(channel), &list(key));
                info.map(|(index, len)| vec![index, len]).map_err(|error| error.to_string())
            }
            FetchKind::IoRead { channel, index } => {
                let len = fetch.num_results.into();
                let words = self.record.io.read(get(channel), get(index), len);
                words.map(<[u64]>::to_vec).map_err(|error| error.to_string())
            }
            FetchKind::BigUintDivRem { memory: at, a, b } => {
                let found = biguint::find_div_rem(memory(at), get(a), get(b));
                found.map(Into::into).map_err(|error| error.to_string())
            }
        }
    }
}
