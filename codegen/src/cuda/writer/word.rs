//! Words of four bytes as expressions.

use traceloom_plan::PathPlan;
use traceloom_plan::lanes::{Bitwise, Source, WordKind, WordNo};
use traceloom_plan::names::Ident;

use super::scalar::Values;
use super::seed::seed_name;
use crate::cuda::ast::{BinaryOp, Expr, Type};

/// The right side that computes a word.
pub(super) fn word_text(path: &PathPlan, values: &Values<'_>, kind: WordKind) -> Expr {
    let call = |function: &str, word: WordNo, shift: u8| {
        Expr::call(function, vec![Expr::Name(word_name(word)), Expr::Int(shift.into())])
    };
    match kind {
        WordKind::Seed(offset) => {
            let at = path.schema.words.iter().find(|word| word.offset >= offset);
            let at = at.expect("a lane of the seed is one of its words");
            let name = Expr::name(seed_name(path, at.meaning));
            let name = match at.offset - offset {
                0 => name,
                rest => Expr::binary(BinaryOp::Sub, name, Expr::Int(rest.into())),
            };
            Expr::method("seed", "u32", vec![name])
        }
        WordKind::Low(a) => values.held(a).as_u32(),
        WordKind::High(a) => {
            let high = Expr::binary(BinaryOp::Shr, values.held(a).as_u64(), Expr::Int(32));
            Expr::Cast(Type::U32, Box::new(high))
        }
        WordKind::Bitwise(op, a, b) => {
            let op = match op {
                Bitwise::Xor => BinaryOp::BitXor,
                Bitwise::And => BinaryOp::BitAnd,
                Bitwise::Or => BinaryOp::BitOr,
            };
            Expr::binary(op, source_text(a), source_text(b))
        }
        WordKind::SplitHigh(x, shift) => call("packed_shift_right", x, shift),
        WordKind::SplitLow(x, shift) => call("packed_shift_left", x, shift),
        WordKind::Sum(a, b) => Expr::binary(BinaryOp::Add, source_text(a), source_text(b)),
    }
}

/// `word3`
pub(super) fn word_name(word: WordNo) -> Ident {
    Ident::new(format!("word{}", word.0))
}

/// `word3`, `permute(word3, word4, 0x6210u)`
pub(super) fn source_text(source: Source) -> Expr {
    let permute =
        |low, high, selector| Expr::call("permute", vec![low, high, Expr::Mask(selector)]);
    match source {
        Source::Constant(word) => Expr::Mask(word),
        Source::Word(word) => Expr::Name(word_name(word)),
        Source::Permuted(low, high, selector) => {
            permute(Expr::Name(word_name(low)), Expr::Name(word_name(high)), selector)
        }
        Source::Filled(word, constant, selector) => {
            permute(Expr::Name(word_name(word)), Expr::Mask(constant), selector)
        }
    }
}
