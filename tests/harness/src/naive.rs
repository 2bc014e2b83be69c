//! A second executor: recursive, without ranks, modes or record.
//!
//! It knows what a program means and nothing of how it is proven: a function is a
//! memoised map, memory a list per width, io arrays with keys. All arithmetic is
//! its own, on `u128`. It recurses on the host stack, so it is for small programs.

use std::collections::{BTreeSet, HashMap};

use traceloom_air::bytes::ByteOp;
use traceloom_air::field::{MODULUS, word};
use traceloom_bytecode::model::{
    BIGUINT_WIDTH, BlockId, Control, FunctionId, Op, Program, ValueId,
};

use crate::case::Case;

/// Steps after which a run is given up.
pub const MAX_STEPS: u64 = 300_000;

/// A query and what came of it; nothing while it runs.
pub type Query = (Vec<u64>, Option<Vec<u64>>);

/// What is left after a run.
#[derive(Debug)]
pub struct Naive<'a> {
    program: &'a Program,
    /// By function: queries in the order in which they were first asked.
    pub queries: Vec<Vec<Query>>,
    known: Vec<HashMap<Vec<u64>, usize>>,
    /// By width: values by pointer.
    pub memory: HashMap<usize, Vec<Vec<u64>>>,
    /// By channel: words.
    pub channels: HashMap<u64, Vec<u64>>,
    keys: HashMap<(u64, Vec<u64>), (u64, u64)>,
    /// Names of operations and controls that were executed.
    pub executed: BTreeSet<&'static str>,
    steps: u64,
}

/// Why a run failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The program did something wrong.
    Fault(Kind),
    /// It took too long.
    Steps,
}

/// What a program can do wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An operand is out of range.
    Range,
    /// A pointer to nothing.
    Pointer,
    /// An assertion does not hold.
    Assertion,
    /// No case fits, and there is no default.
    NoCase,
    /// A query asks for itself.
    Cycle,
    /// No list of limbs.
    Limbs,
    /// An io key that nobody set.
    MissingKey,
    /// An io key that is set twice.
    KeySet,
    /// A read beyond the end of a channel.
    OutOfRange,
    /// A body yields: a checked program does not.
    Yield,
}

fn fault<T>(kind: Kind) -> Result<T, Stop> {
    Err(Stop::Fault(kind))
}

/// Runs all claims; their outputs.
///
/// # Errors
/// The first [`Stop`].
pub fn run(case: &Case) -> Result<(Vec<Vec<u64>>, Naive<'_>), Stop> {
    let count = case.program.functions.len();
    let mut naive = Naive {
        program: &case.program,
        queries: vec![Vec::new(); count],
        known: vec![HashMap::new(); count],
        memory: HashMap::new(),
        channels: HashMap::new(),
        keys: HashMap::new(),
        executed: BTreeSet::new(),
        steps: 0,
    };
    for (channel, words) in &case.input {
        naive.keys.insert((*channel, Vec::new()), (0, words.len() as u64));
        naive.channels.insert(*channel, words.clone());
    }
    let outputs: Result<_, _> =
        case.claims.iter().map(|(id, args)| naive.call(*id, args)).collect();
    Ok((outputs?, naive))
}

fn add(a: u64, b: u64) -> u64 {
    ((u128::from(a) + u128::from(b)) % u128::from(MODULUS)) as u64
}

fn sub(a: u64, b: u64) -> u64 {
    add(a, MODULUS - b)
}

fn mul(a: u64, b: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(MODULUS)) as u64
}

/// By Fermat; 0 for 0.
fn inverse(a: u64) -> u64 {
    let (mut power, mut exponent, mut result) = (a, MODULUS - 2, 1);
    while exponent > 0 {
        if exponent % 2 == 1 {
            result = mul(result, power);
        }
        power = mul(power, power);
        exponent /= 2;
    }
    result
}

impl Naive<'_> {
    fn call(&mut self, id: FunctionId, args: &[u64]) -> Result<Vec<u64>, Stop> {
        if let Some(&query) = self.known[id.index()].get(args) {
            return match &self.queries[id.index()][query].1 {
                Some(outputs) => Ok(outputs.clone()),
                None => fault(Kind::Cycle),
            };
        }
        let query = self.queries[id.index()].len();
        self.known[id.index()].insert(args.to_vec(), query);
        self.queries[id.index()].push((args.to_vec(), None));
        let outputs = match self.block(id, BlockId::BODY, args.to_vec())? {
            End::Return(outputs) => outputs,
            End::Yield(_) => return fault(Kind::Yield),
        };
        self.queries[id.index()][query].1 = Some(outputs.clone());
        Ok(outputs)
    }

    fn block(&mut self, id: FunctionId, block: BlockId, mut values: Vec<u64>) -> Result<End, Stop> {
        let program = self.program;
        let code = &program.functions[id.index()].blocks[block.index()];
        self.steps += code.ops.len() as u64 + 1;
        if self.steps > MAX_STEPS {
            return Err(Stop::Steps);
        }
        self.executed.insert(code.control.name());
        for op in &code.ops {
            self.executed.insert(op.name());
            let results = self.op(op, &values)?;
            values.extend(results);
        }
        let list = |list: &[ValueId]| list.iter().map(|v| values[v.index()]).collect::<Vec<_>>();
        let arm = match &code.control {
            Control::Return { values, .. } => return Ok(End::Return(list(values))),
            Control::Yield { values, .. } => return Ok(End::Yield(list(values))),
            Control::Match(arms) | Control::MatchContinue { arms, .. } => {
                let key = values[arms.value.index()];
                let case = arms.cases.iter().find(|(case, _)| word(*case) == key);
                match case.map(|&(_, block)| block).or(arms.default) {
                    Some(block) => block,
                    None => return fault(Kind::NoCase),
                }
            }
        };
        let end = self.block(id, arm, values.clone())?;
        match (&code.control, end) {
            (Control::MatchContinue { continuation, .. }, End::Yield(yielded)) => {
                values.extend(yielded);
                self.block(id, *continuation, values)
            }
            (_, end) => Ok(end),
        }
    }

    fn op(&mut self, op: &Op, values: &[u64]) -> Result<Vec<u64>, Stop> {
        let get = |value: &ValueId| values[value.index()];
        let list = |list: &[ValueId]| list.iter().map(get).collect::<Vec<u64>>();
        let below = |value: &ValueId, bound: u64| match get(value) {
            word if word < bound => Ok(word),
            _ => fault(Kind::Range),
        };
        Ok(match op {
            Op::Const(constant) => vec![word(*constant)],
            Op::Add(a, b) => vec![add(get(a), get(b))],
            Op::Sub(a, b) => vec![sub(get(a), get(b))],
            Op::Mul(a, b) => vec![mul(get(a), get(b))],
            Op::EqZero(a) => vec![u64::from(get(a) == 0)],
            Op::Call { function, args, .. } => self.call(*function, &list(args))?,
            Op::Store { values } => vec![self.store(list(values))],
            Op::Load { width, pointer } => self.load(*width as usize, get(pointer))?,
            Op::AssertEq { lhs, rhs, .. } if list(lhs) == list(rhs) => Vec::new(),
            Op::AssertEq { .. } => return fault(Kind::Assertion),
            Op::IoGetInfo { channel, key } => match self.keys.get(&(get(channel), list(key))) {
                Some(&(index, len)) => vec![index, len],
                None => return fault(Kind::MissingKey),
            },
            Op::IoSetInfo { channel, key, index, len } => {
                let key = (get(channel), list(key));
                if self.keys.insert(key, (get(index), get(len))).is_some() {
                    return fault(Kind::KeySet);
                }
                Vec::new()
            }
            Op::IoRead { channel, index, len } => {
                let words = self.channels.get(&get(channel)).map_or(&[][..], Vec::as_slice);
                let from = u128::from(get(index));
                let to = from + u128::from(*len);
                if to > words.len() as u128 {
                    return fault(Kind::OutOfRange);
                }
                words[from as usize..to as usize].to_vec()
            }
            Op::IoWrite { channel, values } => {
                self.channels.entry(get(channel)).or_default().extend(list(values));
                Vec::new()
            }
            Op::Unary(op, a) => byte_op(*op, below(a, 256)?, 0),
            Op::Binary(op, a, b) => byte_op(*op, below(a, 256)?, below(b, 256)?),
            Op::U32LessThan(a, b) => {
                vec![u64::from(below(a, 1 << 32)? < below(b, 1 << 32)?)]
            }
            Op::U32ToField(bytes) => vec![pack(&list(bytes))],
            Op::HintU32Add(words) => u32_sum(words, below)?,
            Op::HintU32Add3(words) => u32_sum(words, below)?,
            Op::HintFieldToBytes(a) => digits(get(a), 8),
            Op::HintInverse(a) => vec![inverse(get(a))],
            Op::HintBigUintDivRem(a, b) => {
                let (a, b) = (self.read_limbs(get(a))?, self.read_limbs(get(b))?);
                let (quotient, remainder) = divide(&a, &b);
                vec![self.store_limbs(&quotient), self.store_limbs(&remainder)]
            }
            Op::Debug { .. } | Op::Allow { .. } => Vec::new(),
        })
    }

    fn store(&mut self, values: Vec<u64>) -> u64 {
        let memory = self.memory.entry(values.len()).or_default();
        match memory.iter().position(|other| *other == values) {
            Some(pointer) => pointer as u64,
            None => {
                memory.push(values);
                memory.len() as u64 - 1
            }
        }
    }

    fn load(&self, width: usize, pointer: u64) -> Result<Vec<u64>, Stop> {
        let memory = self.memory.get(&width);
        match memory.and_then(|memory| memory.get(usize::try_from(pointer).ok()?)) {
            Some(values) => Ok(values.clone()),
            None => fault(Kind::Pointer),
        }
    }

    fn read_limbs(&self, mut pointer: u64) -> Result<Vec<u64>, Stop> {
        let mut limbs = Vec::new();
        loop {
            let node = self.load(BIGUINT_WIDTH as usize, pointer);
            let node = node.or_else(|_| fault(Kind::Limbs))?;
            if node[0] == 1 && node[1..].iter().all(|&word| word == 0) {
                return Ok(limbs);
            }
            if node[0] != 0 || node[1..9].iter().any(|&byte| byte > 255) || limbs.len() > 1000 {
                return fault(Kind::Limbs);
            }
            limbs.push(node[1..9].iter().rev().fold(0, |limb, byte| limb * 256 + byte));
            pointer = node[9];
        }
    }

    fn store_limbs(&mut self, limbs: &[u64]) -> u64 {
        let used = limbs.iter().rposition(|&limb| limb != 0).map_or(0, |last| last + 1);
        let mut end = vec![0; BIGUINT_WIDTH as usize];
        end[0] = 1;
        let mut pointer = self.store(end);
        for &limb in limbs[..used].iter().rev() {
            let mut node = vec![0];
            node.extend(digits(limb, 8));
            node.push(pointer);
            pointer = self.store(node);
        }
        pointer
    }
}

enum End {
    Return(Vec<u64>),
    Yield(Vec<u64>),
}

/// The lowest bytes of a word.
fn digits(word: u64, count: u32) -> Vec<u64> {
    (0..count).map(|i| (word >> (8 * i)) % 256).collect()
}

fn pack(bytes: &[u64]) -> u64 {
    bytes.iter().rev().fold(0, |sum, &byte| add(mul(sum, 256), byte))
}

fn u32_sum(
    words: &[[ValueId; 4]],
    below: impl Fn(&ValueId, u64) -> Result<u64, Stop>,
) -> Result<Vec<u64>, Stop> {
    let mut sum = 0;
    for word in words {
        let bytes: Result<Vec<u64>, Stop> = word.iter().map(|byte| below(byte, 256)).collect();
        sum += pack(&bytes?);
    }
    Ok(digits(sum, 5))
}

/// Results of a byte operation, from its description alone.
fn byte_op(op: ByteOp, a: u64, b: u64) -> Vec<u64> {
    let bit = |word: u64, i: u32| (word >> i) % 2;
    let bitwise =
        |f: fn(u64, u64) -> u64| -> u64 { (0..8).map(|i| f(bit(a, i), bit(b, i)) << i).sum() };
    let xor = || bitwise(|x, y| (x + y) % 2);
    match op {
        ByteOp::Bits => (0..8).map(|i| bit(a, i)).collect(),
        ByteOp::ShiftLeft => vec![2 * a % 256],
        ByteOp::ShiftRight => vec![a / 2],
        ByteOp::Xor => vec![xor()],
        ByteOp::And => vec![bitwise(|x, y| x * y)],
        ByteOp::Or => vec![bitwise(|x, y| (x + y).min(1))],
        ByteOp::LessThan => vec![u64::from(a < b)],
        ByteOp::Add => vec![(a + b) % 256, (a + b) / 256],
        ByteOp::Sub => vec![(256 + a - b) % 256, u64::from(a < b)],
        ByteOp::Mul => vec![a * b % 256, a * b / 256],
        ByteOp::XorSplit7 => vec![xor() / 128, xor() * 2 % 256],
        ByteOp::XorSplit4 => vec![xor() / 16, xor() * 16 % 256],
        ByteOp::RangeCheck | ByteOp::RangeCheck16 => Vec::new(),
    }
}

/// Long division bit by bit; by zero it gives (0, a).
fn divide(a: &[u64], b: &[u64]) -> (Vec<u64>, Vec<u64>) {
    if b.iter().all(|&limb| limb == 0) {
        return (Vec::new(), a.to_vec());
    }
    let len = a.len().max(b.len()) + 1;
    let limb = |i: usize| b.get(i).copied().unwrap_or(0);
    let (mut quotient, mut rest) = (vec![0_u64; len], vec![0_u64; len]);
    for i in (0..64 * a.len()).rev() {
        let mut carry = (a[i / 64] >> (i % 64)) & 1;
        for digit in &mut rest {
            (*digit, carry) = ((*digit << 1) | carry, *digit >> 63);
        }
        let highest = (0..len).rev().find(|&k| rest[k] != limb(k));
        if highest.is_none_or(|k| rest[k] > limb(k)) {
            let mut borrow = false;
            for (k, digit) in rest.iter_mut().enumerate() {
                let (once, first) = digit.overflowing_sub(limb(k));
                let (twice, second) = once.overflowing_sub(u64::from(borrow));
                (*digit, borrow) = (twice, first || second);
            }
            quotient[i / 64] |= 1 << (i % 64);
        }
    }
    (quotient, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_is_undone_by_multiplication() {
        let (q, r) = divide(&[5, 7], &[3]);
        let a = (7_u128 << 64) + 5;
        assert_eq!((q[0], q[1], r[0]), ((a / 3) as u64, ((a / 3) >> 64) as u64, (a % 3) as u64));
        assert_eq!(divide(&[9], &[]), (vec![], vec![9]));
        let (q, r) = divide(&[u64::MAX, u64::MAX], &[0, 1]);
        assert_eq!((q[0], q[1], r[0], r[1]), (u64::MAX, 0, u64::MAX, 0));
    }

    #[test]
    fn inverses_are_inverse() {
        assert_eq!(mul(inverse(12_345), 12_345), 1);
        assert_eq!(inverse(0), 0);
        assert_eq!(sub(0, 1), MODULUS - 1);
    }
}
