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
    /// The name of the one that takes bytes instead of words, used where all operands of
    /// [`Arg::Four`] are held as bytes.
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
    /// Four words, or four bytes: see [`Statement::byte_name`].
    Four([ValueId; 4]),
    /// Values as arrays of four bytes; the executor stops if one is none.
    ByteArrays(Vec<[ValueId; 4]>),
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
                Results::All(held) | Results::First(held) => held.len(),
            };
            let statements = op.statements();
            assert_eq!(statements.iter().map(count).sum::<usize>(), op.num_results(), "{op:?}");
            assert!(!statements.is_empty(), "{op:?}");
        }
    }
}
