//! A recursive interpreter for tests, until there is an executor.

use std::collections::HashMap;

use rand::{RngCore, SeedableRng};
use traceloom_abi::bytes::ByteOp;
use traceloom_abi::field::{
    Field, Goldilocks, PrimeCharacteristicRing, element, inverse_or_zero, word,
};
use traceloom_bytecode::Program;
use traceloom_bytecode::model::{BlockId, Control, FunctionId, Op, ValueId};

pub(crate) struct Run {
    pub(crate) outputs: Vec<u64>,
    pub(crate) written: HashMap<u64, Vec<u64>>,
    rows: HashMap<String, usize>,
}

impl Run {
    pub(crate) fn rows(&self, function: &str) -> usize {
        self.rows.get(function).copied().unwrap_or(0)
    }
}

pub(crate) fn random_bytes(len: usize) -> Vec<u8> {
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(len as u64);
    let mut bytes = vec![0; len];
    rng.fill_bytes(&mut bytes);
    bytes
}

pub(crate) fn run(program: &Program, entry: &str, args: &[u64], input: &[u8]) -> Run {
    try_run(program, entry, args, input).unwrap()
}

pub(crate) fn try_run(
    program: &Program,
    entry: &str,
    args: &[u64],
    input: &[u8],
) -> Result<Run, String> {
    let function = program.functions.iter().position(|f| f.name == entry).unwrap();
    let args: Vec<_> = args.iter().map(|&arg| element(arg)).collect();
    let input = input.iter().map(|&byte| u64::from(byte)).collect::<Vec<_>>();
    std::thread::scope(|scope| {
        let body = || {
            let mut machine = Machine {
                program,
                memo: HashMap::new(),
                memory: HashMap::new(),
                pointers: HashMap::new(),
                keys: HashMap::from([((0, vec![]), (0, input.len() as u64))]),
                channels: HashMap::from([(0, input)]),
            };
            let outputs = machine.call(FunctionId(function as u32), args)?;
            let mut rows = HashMap::new();
            for (function, _) in machine.memo.keys() {
                let name = program.functions[function.index()].name.clone();
                *rows.entry(name).or_insert(0) += 1;
            }
            let outputs = outputs.into_iter().map(word).collect();
            Ok(Run { outputs, written: machine.channels, rows })
        };
        std::thread::Builder::new()
            .stack_size(1 << 28)
            .spawn_scoped(scope, body)
            .unwrap()
            .join()
            .unwrap()
    })
}

struct Machine<'a> {
    program: &'a Program,
    memo: HashMap<(FunctionId, Vec<u64>), Vec<Goldilocks>>,
    memory: HashMap<usize, Vec<Vec<u64>>>,
    pointers: HashMap<Vec<u64>, u64>,
    keys: HashMap<(u64, Vec<u64>), (u64, u64)>,
    channels: HashMap<u64, Vec<u64>>,
}

type Outcome<T> = Result<T, String>;

impl Machine<'_> {
    fn call(&mut self, id: FunctionId, args: Vec<Goldilocks>) -> Outcome<Vec<Goldilocks>> {
        let key = (id, args.iter().map(|&arg| word(arg)).collect());
        if let Some(outputs) = self.memo.get(&key) {
            return Ok(outputs.clone());
        }
        let function = &self.program.functions[id.index()];
        assert_eq!(args.len(), function.num_inputs as usize);
        let mut values = args;
        let mut block = BlockId::BODY;
        let mut continued = Vec::new();
        let outputs = loop {
            let current = &function.blocks[block.index()];
            for (i, op) in current.ops.iter().enumerate() {
                self.op(op, &mut values).map_err(|error| {
                    format!("{} block {} op {i} {}: {error}", function.name, block.0, op.name())
                })?;
            }
            match &current.control {
                Control::Return { values: outputs, .. } => break at(&values, outputs),
                Control::Yield { values: outputs, .. } => {
                    let (len, next) = continued.pop().unwrap();
                    let yielded = at(&values, outputs);
                    values.truncate(len);
                    values.extend(yielded);
                    block = next;
                }
                control => {
                    let arms = control.arms().unwrap();
                    if let Control::MatchContinue { continuation, .. } = control {
                        continued.push((values.len(), *continuation));
                    }
                    let value = values[arms.value.index()];
                    let case = arms.cases.iter().find(|case| case.0 == value);
                    block = case.map(|case| case.1).or(arms.default).ok_or_else(|| {
                        format!("{} block {}: no arm for {value}", function.name, block.0)
                    })?;
                }
            }
        };
        assert_eq!(outputs.len(), function.num_outputs as usize);
        self.memo.insert(key, outputs.clone());
        Ok(outputs)
    }

    fn op(&mut self, op: &Op, values: &mut Vec<Goldilocks>) -> Outcome<()> {
        let get = |id: &ValueId| values[id.index()];
        let byte = |id: &ValueId| {
            u8::try_from(word(get(id))).map_err(|_| format!("{} is no byte", get(id)))
        };
        let results = match op {
            Op::Const(c) => vec![*c],
            Op::Add(a, b) => vec![get(a) + get(b)],
            Op::Sub(a, b) => vec![get(a) - get(b)],
            Op::Mul(a, b) => vec![get(a) * get(b)],
            Op::EqZero(a) => vec![Goldilocks::from_bool(get(a).is_zero())],
            Op::Call { function, args, .. } => self.call(*function, at(values, args))?,
            Op::Store { values: stored } => {
                let stored: Vec<_> = stored.iter().map(|v| word(get(v))).collect();
                vec![element(self.store(stored))]
            }
            Op::Load { width, pointer } => {
                let rows = self.memory.get(&(*width as usize));
                let row = rows.and_then(|rows| rows.get(word(get(pointer)) as usize));
                row.ok_or("no such pointer")?.iter().map(|&word| element(word)).collect()
            }
            Op::AssertEq { lhs, rhs, label } => {
                if at(values, lhs) != at(values, rhs) {
                    return Err(format!("assertion failed: {label:?}"));
                }
                vec![]
            }
            Op::IoGetInfo { channel, key } => {
                let key = (word(get(channel)), key.iter().map(|v| word(get(v))).collect());
                let (index, len) = *self.keys.get(&key).ok_or("no such key")?;
                vec![element(index), element(len)]
            }
            Op::IoSetInfo { channel, key, index, len } => {
                let key = (word(get(channel)), key.iter().map(|v| word(get(v))).collect());
                self.keys.insert(key, (word(get(index)), word(get(len))));
                vec![]
            }
            Op::IoRead { channel, index, len } => {
                let index = word(get(index)) as usize;
                let words = self.channels.get(&word(get(channel))).ok_or("no such channel")?;
                let words = words.get(index..index + *len as usize).ok_or("read beyond the end")?;
                words.iter().map(|&word| element(word)).collect()
            }
            Op::IoWrite { channel, values: written } => {
                let written: Vec<_> = written.iter().map(|v| word(get(v))).collect();
                self.channels.entry(word(get(channel))).or_default().extend(written);
                vec![]
            }
            Op::Unary(op, a) => {
                let results = op.results(byte(a)?, 0);
                results[..op.num_results()].iter().map(|&x| Goldilocks::from_u8(x)).collect()
            }
            Op::Binary(op, a, b) => {
                let (a, b) = (byte(a)?, byte(b)?);
                let results = op.results(a, b);
                let mut results: Vec<_> =
                    results[..op.num_results()].iter().map(|&x| Goldilocks::from_u8(x)).collect();
                match op {
                    ByteOp::Add => results.push(Goldilocks::from_bool(a.checked_add(b).is_none())),
                    ByteOp::Sub => results.push(Goldilocks::from_bool(a < b)),
                    _ => {}
                }
                results
            }
            Op::U32LessThan(a, b) => {
                let (a, b) = (word(get(a)), word(get(b)));
                if a.max(b) >> 32 != 0 {
                    return Err("not below 2^32".to_owned());
                }
                vec![Goldilocks::from_bool(a < b)]
            }
            Op::U32ToField(bytes) => {
                let mut packed = Goldilocks::ZERO;
                for b in bytes.iter().rev() {
                    packed = packed * element(256) + Goldilocks::from_u8(byte(b)?);
                }
                vec![packed]
            }
            Op::HintU32Add(words) => add_words(words, byte)?,
            Op::HintU32Add3(words) => add_words(words, byte)?,
            Op::HintFieldToBytes(a) => word(get(a)).to_le_bytes().map(Goldilocks::from_u8).to_vec(),
            Op::HintInverse(a) => vec![inverse_or_zero(get(a))],
            Op::HintBigUintDivRem(a, b) => {
                let (a, b) = (self.limbs(word(get(a)))?, self.limbs(word(get(b)))?);
                let (quotient, remainder) = if b == 0 { (0, a) } else { (a / b, a % b) };
                vec![element(self.list(quotient)), element(self.list(remainder))]
            }
            Op::Debug { .. } => vec![],
        };
        assert_eq!(results.len(), op.num_results());
        values.extend(results);
        Ok(())
    }

    fn store(&mut self, row: Vec<u64>) -> u64 {
        let rows = self.memory.entry(row.len()).or_default();
        *self.pointers.entry(row.clone()).or_insert_with(|| {
            rows.push(row);
            rows.len() as u64 - 1
        })
    }

    fn limbs(&self, pointer: u64) -> Outcome<u128> {
        let row = &self.memory[&10][pointer as usize];
        if row[0] == 1 {
            return Ok(0);
        }
        let limb = row[1..9].iter().rev().fold(0, |limb, &byte| limb << 8 | u128::from(byte));
        let rest = self.limbs(row[9])?;
        if rest >> 64 != 0 {
            return Err("only two limbs here".to_owned());
        }
        Ok(rest << 64 | limb)
    }

    fn list(&mut self, value: u128) -> u64 {
        if value == 0 {
            return self.store([&[1][..], &[0; 9]].concat());
        }
        let next = self.list(value >> 64);
        let bytes = (value as u64).to_le_bytes().map(u64::from);
        self.store([&[0][..], &bytes, &[next]].concat())
    }
}

fn at(values: &[Goldilocks], ids: &[ValueId]) -> Vec<Goldilocks> {
    ids.iter().map(|id| values[id.index()]).collect()
}

fn add_words(
    words: &[[ValueId; 4]],
    byte: impl Fn(&ValueId) -> Outcome<u8>,
) -> Outcome<Vec<Goldilocks>> {
    let mut sum = 0;
    for word in words {
        for (i, id) in word.iter().enumerate() {
            sum += u64::from(byte(id)?) << (8 * i);
        }
    }
    let mut results: Vec<_> = (sum as u32).to_le_bytes().map(Goldilocks::from_u8).to_vec();
    results.push(element(sum >> 32));
    Ok(results)
}
