//! Operations as statements of emitted executors: which function of
//! `traceloom_abi::execute` does it, with which operands, and how its results are held.
//! The printer of executors knows no operation.

use std::sync::OnceLock;

use traceloom_air::bytes::ByteOp;
use traceloom_air::field::MODULUS;

use crate::model::{Op, ValueId};
use crate::operations::Operation;

/// One statement of an executor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// What has the function.
    pub of: Of,
    /// Its name.
    pub name: &'static str,
    /// The name of the one that takes a word of 32 bits instead of four words, used where all
    /// operands of [`Arg::Four`] are held as bytes.
    pub byte_name: Option<&'static str>,
    /// Its arguments, in order.
    pub args: Vec<Arg>,
    /// What it gives.
    pub results: Results,
    /// Whether it can stop.
    pub can_stop: bool,
    /// What it is of integers, where nothing can reach the modulus.
    pub integer: Option<Integer>,
}

/// Arithmetic of two integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Integer {
    /// Their sum.
    Sum,
    /// Their product.
    Product,
}

/// What has the function of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// The module: it works on values alone.
    Values,
    /// The counts of byte operations.
    Counts,
    /// The machine.
    Machine,
}

/// An argument of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arg {
    /// A value as a word.
    Word(ValueId),
    /// A value as a byte; the executor stops if it is none.
    Byte(ValueId),
    /// Values as a list of words.
    Words(Vec<ValueId>),
    /// Four words, or their bytes as a word: see [`Statement::byte_name`].
    Four([ValueId; 4]),
    /// An array of words of 32 bits, of their bytes; the executor stops if one is none.
    Words32(Vec<[ValueId; 4]>),
    /// A byte operation.
    ByteOp(ByteOp),
    /// The position of the memory of this width.
    Memory(u32),
    /// Where the operation is: function, block, position.
    Place,
}

/// What a statement gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Results {
    /// Nothing.
    None,
    /// This word, and there is nothing to call.
    Constant(u64),
    /// One value.
    One(Held),
    /// A word of 32 bits, whose bytes are four values, and a byte that is at most this.
    Word32(u8),
    /// An array of so many words of 32 bits, whose bytes are four values each.
    Words32(usize),
    /// An array of values.
    All(Vec<Held>),
    /// Values at the beginning of a longer array.
    First(Vec<Held>),
}

/// How a value is held, and the most that it can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// As a canonical word.
    Word(u64),
    /// As a byte.
    Byte(u8),
}

impl Held {
    /// Any word.
    pub const WORD: Self = Self::Word(MODULUS - 1);
    /// Any byte.
    pub const BYTE: Self = Self::Byte(u8::MAX);
    /// Zero or one, as a byte.
    pub const BIT: Self = Self::Byte(1);
    /// Any word of 32 bits.
    pub const U32: Self = Self::Word(u32::MAX as u64);
}

/// The most that each result of `op` can be: what its table says, of all operands or of
/// those that are known.
#[must_use]
pub fn byte_results(op: ByteOp, operands: [Option<u8>; 2]) -> Vec<Held> {
    static MOST: OnceLock<Vec<[u8; 8]>> = OnceLock::new();
    let most = match operands {
        [None, None] => {
            let all = || ByteOp::UNARY.into_iter().chain(ByteOp::BINARY);
            let most = MOST.get_or_init(|| all().map(|op| most(op, operands)).collect());
            most[all().position(|of| of == op).expect("all operations are there")]
        }
        operands => most(op, operands),
    };
    most[..op.num_results()].iter().map(|&most| Held::Byte(most)).collect()
}

/// A byte operation that treats each bit alone, so that four of them on the bytes of words are
/// one on the words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bitwise {
    /// The function of the counts that counts four and gives a word.
    pub name: &'static str,
    /// What each result is of the word's byte.
    pub results: Vec<PartOfByte>,
}

/// Bits of a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartOfByte {
    /// All of them.
    Whole,
    /// `byte >> n`.
    Right(u8),
    /// `(byte << n) & 255`.
    Left(u8),
}

impl PartOfByte {
    /// These bits of `byte`.
    #[must_use]
    pub const fn of(self, byte: u8) -> u8 {
        match self {
            Self::Whole => byte,
            Self::Right(bits) => byte >> bits,
            Self::Left(bits) => byte << bits,
        }
    }
}

/// What `op` is on words, if it is that, of all operands or of those that are known.
#[must_use]
pub fn bitwise(op: ByteOp, operands: [Option<u8>; 2]) -> Option<Bitwise> {
    let (name, results) = match (op, operands[1]) {
        (ByteOp::Xor, _) => ("xor4", vec![PartOfByte::Whole]),
        (ByteOp::And, _) => ("and4", vec![PartOfByte::Whole]),
        (ByteOp::Or, _) => ("or4", vec![PartOfByte::Whole]),
        (ByteOp::XorSplit7, _) => ("xor4", vec![PartOfByte::Right(7), PartOfByte::Left(1)]),
        (ByteOp::XorSplit4, _) => ("xor4", vec![PartOfByte::Right(4), PartOfByte::Left(4)]),
        // By a power of two: a shift.
        (ByteOp::Mul, Some(factor)) if factor > 1 && factor.is_power_of_two() => {
            let bits = factor.trailing_zeros() as u8;
            ("first4", vec![PartOfByte::Left(bits), PartOfByte::Right(8 - bits)])
        }
        _ => return None,
    };
    Some(Bitwise { name, results })
}

fn most(op: ByteOp, operands: [Option<u8>; 2]) -> [u8; 8] {
    let [first, second] = operands.map(|known| known.map_or(0..=u8::MAX, |word| word..=word));
    let mut most = [0; 8];
    for (a, b) in first.flat_map(|a| second.clone().map(move |b| (a, b))) {
        for (most, result) in most.iter_mut().zip(op.results(a, b)) {
            *most = result.max(*most);
        }
    }
    most
}

impl Statement {
    /// A statement that cannot stop.
    pub(crate) fn new(of: Of, name: &'static str, args: Vec<Arg>, results: Results) -> Self {
        Self { of, name, byte_name: None, args, results, can_stop: false, integer: None }
    }

    /// A statement that can stop.
    pub(crate) fn stopping(of: Of, name: &'static str, args: Vec<Arg>, results: Results) -> Self {
        Self { can_stop: true, ..Self::new(of, name, args, results) }
    }
}

impl Op {
    /// What an executor does for it; nothing for a call, which ends a piece.
    #[must_use]
    pub fn statements(&self) -> Vec<Statement> {
        Operation::statements(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn byte_results_are_bounded_by_their_table() {
        let most = |op, operands| byte_results(op, operands);
        assert_eq!(most(ByteOp::Xor, [None; 2]), [Held::BYTE]);
        assert_eq!(most(ByteOp::LessThan, [None; 2]), [Held::BIT]);
        assert_eq!(most(ByteOp::Bits, [None; 2]), [Held::BIT; 8]);
        assert_eq!(most(ByteOp::XorSplit4, [None; 2]), [Held::Byte(15), Held::Byte(240)]);
        assert_eq!(most(ByteOp::XorSplit7, [None; 2]), [Held::Byte(1), Held::Byte(254)]);
        assert_eq!(most(ByteOp::Mul, [None, Some(8)]), [Held::Byte(248), Held::Byte(7)]);
        assert_eq!(most(ByteOp::And, [Some(3), Some(6)]), [Held::Byte(2)]);
        assert_eq!(most(ByteOp::RangeCheck, [None; 2]), []);
    }

    #[test]
    fn bitwise_results_are_those_of_the_table() {
        let mut found = 0;
        for op in ByteOp::BINARY {
            for known in [None, Some(0), Some(1), Some(3), Some(2), Some(8), Some(128)] {
                let Some(bitwise) = bitwise(op, [None, known]) else { continue };
                found += 1;
                assert_eq!(bitwise.results.len(), op.num_results());
                for (a, b) in (0..=255).flat_map(|a| (0..=255).map(move |b| (a, b))) {
                    let b = known.unwrap_or(b);
                    let byte = match bitwise.name {
                        "xor4" => a ^ b,
                        "and4" => a & b,
                        "or4" => a | b,
                        _ => a,
                    };
                    for (part, result) in bitwise.results.iter().zip(op.results(a, b)) {
                        assert_eq!(part.of(byte), result, "{op:?} {a} {b}");
                    }
                }
            }
        }
        assert_eq!(found, 5 * 7 + 3);
    }

    #[test]
    fn statements_give_as_many_values_as_their_operations() {
        let value = ValueId(0);
        let mut ops = vec![
            Op::Const(traceloom_air::field::element(7)),
            Op::Add(value, value),
            Op::Sub(value, value),
            Op::Mul(value, value),
            Op::EqZero(value),
            Op::Store { values: vec![value; 3] },
            Op::Load { width: 3, pointer: value },
            Op::AssertEq { lhs: vec![value; 2], rhs: vec![value; 2], label: None },
            Op::IoGetInfo { channel: value, key: vec![value] },
            Op::IoSetInfo { channel: value, key: vec![value], index: value, len: value },
            Op::IoRead { channel: value, index: value, len: 5 },
            Op::IoWrite { channel: value, values: vec![value] },
            Op::U32LessThan(value, value),
            Op::U32ToField([value; 4]),
            Op::HintU32Add([[value; 4]; 2]),
            Op::HintU32Add3([[value; 4]; 3]),
            Op::HintFieldToBytes(value),
            Op::HintInverse(value),
            Op::HintBigUintDivRem(value, value),
            Op::Debug { label: String::new(), values: vec![value] },
        ];
        ops.extend(ByteOp::UNARY.map(|op| Op::Unary(op, value)));
        ops.extend(ByteOp::BINARY.map(|op| Op::Binary(op, value, value)));
        for op in ops {
            let count = |statement: &Statement| match &statement.results {
                Results::None => 0,
                Results::Constant(_) | Results::One(_) => 1,
                Results::Word32(_) => 5,
                Results::Words32(words) => 4 * words,
                Results::All(held) | Results::First(held) => held.len(),
            };
            let statements = op.statements();
            assert_eq!(statements.iter().map(count).sum::<usize>(), op.num_results(), "{op:?}");
            assert!(!statements.is_empty(), "{op:?}");
        }
    }
}
