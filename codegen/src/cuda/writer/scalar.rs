//! One value of a plan as an expression in the type of its class.
//!
//! Integer arithmetic of 32 bits is taken modulo 2^32 and of 64 bits modulo 2^64;
//! the planner has proven that integer results do not wrap, so the low bits of
//! the operands are enough.

use traceloom_air::bytes::ByteOp;
use traceloom_plan::{self as plan, Class, Value, ValueNo};

use super::held::{Held, ty};
use crate::cuda::ast::{BinaryOp, Expr, Type};

/// The values of a plan and where the computed ones are.
pub(super) struct Values<'a> {
    pub(super) values: &'a [Value],
    pub(super) held: Vec<Option<Held>>,
}

impl<'a> Values<'a> {
    pub(super) fn new(values: &'a [Value]) -> Self {
        Self { values, held: vec![None; values.len()] }
    }

    pub(super) fn value(&self, no: ValueNo) -> &'a Value {
        &self.values[no.index()]
    }

    pub(super) fn held(&self, no: ValueNo) -> &Held {
        self.held[no.index()].as_ref().expect("operands are computed before their users")
    }

    fn low(&self, no: ValueNo) -> Expr {
        self.held(no).low(self.value(no).bound)
    }

    /// What a value computes, unless it is a seed word or merged.
    pub(super) fn expression(&self, no: ValueNo) -> Expr {
        let class = Class::of(self.value(no));
        let operand = |no: ValueNo| self.held(no).as_class(class);
        let u32_of = |no: ValueNo| self.held(no).as_u32();
        let u64_of = |no: ValueNo| self.held(no).as_u64();
        match self.value(no).expr {
            plan::Expr::Constant(word) => Held::Constant(word).as_class(class),
            plan::Expr::Seed(_) | plan::Expr::Merged(_) => {
                unreachable!("seed words and merged values are read by their writer")
            }
            plan::Expr::Add(a, b) => Expr::binary(BinaryOp::Add, operand(a), operand(b)),
            plan::Expr::Sub(a, b) => Expr::binary(BinaryOp::Sub, operand(a), operand(b)),
            plan::Expr::Mul(a, b) => Expr::binary(BinaryOp::Mul, operand(a), operand(b)),
            plan::Expr::IsZero(a) => {
                let word = match self.held(a).class() {
                    Class::U32 => u32_of(a),
                    Class::U64 | Class::Field => u64_of(a),
                };
                self.bit(class, Expr::binary(BinaryOp::Equal, word, Expr::Int(0)))
            }
            plan::Expr::InverseOrZero(a) => convert(
                class,
                Class::Field,
                Expr::call("inverse_or_zero", vec![self.held(a).as_gl()]),
            ),
            plan::Expr::Unary(op, result, a) => {
                convert(class, Class::U32, unary(op, result, self.low(a)))
            }
            plan::Expr::Binary(op, result, a, b) => {
                convert(class, Class::U32, binary(op, result, self.low(a), self.low(b)))
            }
            plan::Expr::ByteCarry(a, b) => {
                let args = vec![self.low(a), self.low(b)];
                convert(class, Class::U32, Expr::call("byte_add_carry", args))
            }
            plan::Expr::ByteBorrow(a, b) => {
                let args = vec![self.low(a), self.low(b)];
                convert(class, Class::U32, Expr::call("byte_sub_borrow", args))
            }
            plan::Expr::Pack(parts) => self.pack(class, parts),
            plan::Expr::PackLow(parts) => {
                let bytes = parts.iter().map(|&part| self.low(part)).collect();
                convert(class, Class::U32, Expr::call("pack", bytes))
            }
            plan::Expr::ByteOf(a, index) => {
                let index = Expr::Int(index.into());
                let byte = match self.held(a).class() {
                    Class::U32 => Expr::call("byte_of", vec![u32_of(a), index]),
                    _ => Expr::call("byte_of_wide", vec![u64_of(a), index]),
                };
                // A word below 2^32 has no bytes above, and shifting it by as many bits
                // as it has is not defined.
                let high = matches!(self.value(no).expr, plan::Expr::ByteOf(_, 4..));
                let is_u32 = self.held(a).class() == Class::U32;
                convert(class, Class::U32, if high && is_u32 { Expr::Int(0) } else { byte })
            }
            plan::Expr::LimbOf(a, index) => {
                let index = Expr::Int(index.into());
                let limb = match self.held(a).class() {
                    Class::U32 => Expr::call("limb_of", vec![u32_of(a), index]),
                    _ => Expr::call("limb_of_wide", vec![u64_of(a), index]),
                };
                convert(class, Class::U32, limb)
            }
            plan::Expr::High32(a) => {
                let high = Expr::binary(BinaryOp::Shr, u64_of(a), Expr::Int(32));
                convert(class, Class::U32, Expr::Cast(Type::U32, Box::new(high)))
            }
            plan::Expr::Less(a, b) => {
                let is_u32 = [a, b].iter().all(|&no| self.held(no).class() == Class::U32);
                let (a, b) = if is_u32 { (u32_of(a), u32_of(b)) } else { (u64_of(a), u64_of(b)) };
                self.bit(class, Expr::binary(BinaryOp::Less, a, b))
            }
            plan::Expr::Low32(a) => convert(class, Class::U32, u32_of(a)),
            plan::Expr::Select(a, b, c) => {
                let condition = match self.held(a).class() {
                    Class::U32 => u32_of(a),
                    Class::U64 | Class::Field => u64_of(a),
                };
                let is_zero = Expr::binary(BinaryOp::Equal, condition, Expr::Int(0));
                Expr::Select(Box::new(is_zero), Box::new(operand(c)), Box::new(operand(b)))
            }
            plan::Expr::LessRest(a, b) | plan::Expr::RankGap(b, a) => {
                let difference = Expr::binary(BinaryOp::Sub, u32_of(b), u32_of(a));
                let rest = Expr::binary(BinaryOp::Sub, difference, Expr::Int(1));
                convert(class, Class::U32, rest)
            }
        }
    }

    /// `condition ? 1u : 0u`
    fn bit(&self, class: Class, condition: Expr) -> Expr {
        let bit = Expr::Select(Box::new(condition), Box::new(Expr::Int(1)), Box::new(Expr::Int(0)));
        convert(class, Class::U32, bit)
    }

    /// `pack(a, b, c, d)` of bytes, else a weighted sum.
    fn pack(&self, class: Class, parts: [ValueNo; 4]) -> Expr {
        let is_byte = |&part: &ValueNo| self.value(part).bound <= 1 << 8;
        if parts.iter().all(is_byte) {
            let bytes = parts.iter().map(|&part| self.low(part)).collect();
            return convert(class, Class::U32, Expr::call("pack", bytes));
        }
        let term = |(position, &part): (usize, &ValueNo)| {
            let part = self.held(part).as_class(class);
            let weight = Held::Constant(1 << (8 * position)).as_class(class);
            if position == 0 { part } else { Expr::binary(BinaryOp::Mul, part, weight) }
        };
        let terms = parts.iter().enumerate().map(term);
        terms.reduce(|sum, term| Expr::binary(BinaryOp::Add, sum, term)).expect("four parts")
    }
}

/// `value` of class `from` in the type of class `to`.
pub(super) fn convert(to: Class, from: Class, value: Expr) -> Expr {
    match (to, from) {
        _ if to == from => value,
        (Class::Field, Class::U32 | Class::U64) => Expr::call("gl", vec![value]),
        (_, Class::Field) => {
            let word = Expr::Member(Box::new(value), "value".into());
            if to == Class::U32 { Expr::Cast(Type::U32, Box::new(word)) } else { word }
        }
        (_, _) => Expr::Cast(ty(to), Box::new(value)),
    }
}

/// Result `result` of a unary byte operation.
fn unary(op: ByteOp, result: u8, a: Expr) -> Expr {
    match op {
        ByteOp::Bits => {
            let shifted = Expr::binary(BinaryOp::Shr, a, Expr::Int(result.into()));
            Expr::binary(BinaryOp::BitAnd, shifted, Expr::Int(1))
        }
        ByteOp::ShiftLeft => Expr::call("byte_shift_left", vec![a]),
        ByteOp::ShiftRight => Expr::call("byte_shift_right", vec![a]),
        _ => unreachable!("the plan's operation is unary"),
    }
}

/// Result `result` of a binary byte operation.
fn binary(op: ByteOp, result: u8, a: Expr, b: Expr) -> Expr {
    let split = |shift: u64, a, b| {
        let x = Expr::binary(BinaryOp::BitXor, a, b);
        let part = if result == 0 { "byte_split_high" } else { "byte_split_low" };
        Expr::call(part, vec![x, Expr::Int(shift)])
    };
    match op {
        ByteOp::Xor => Expr::binary(BinaryOp::BitXor, a, b),
        ByteOp::And => Expr::binary(BinaryOp::BitAnd, a, b),
        ByteOp::Or => Expr::binary(BinaryOp::BitOr, a, b),
        ByteOp::LessThan => Expr::call("byte_less_than", vec![a, b]),
        ByteOp::Add => Expr::call("byte_add", vec![a, b]),
        ByteOp::Sub => Expr::call("byte_sub", vec![a, b]),
        ByteOp::Mul => {
            let product = Expr::binary(BinaryOp::Mul, a, b);
            Expr::call("byte_of", vec![product, Expr::Int(result.into())])
        }
        ByteOp::XorSplit7 => split(7, a, b),
        ByteOp::XorSplit4 => split(4, a, b),
        ByteOp::Bits
        | ByteOp::ShiftLeft
        | ByteOp::ShiftRight
        | ByteOp::RangeCheck
        | ByteOp::RangeCheck16 => unreachable!("the plan's operation is binary and has results"),
    }
}
