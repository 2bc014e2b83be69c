//! Where a value is in text, and conversions between its types.

use traceloom_plan::Class;
use traceloom_plan::names::Ident;

use crate::cuda::ast::{BinaryOp, Expr, Type};

/// The type that holds a class: `uint32_t`, `uint64_t`, `Gl`.
pub(super) fn ty(class: Class) -> Type {
    match class {
        Class::U32 => Type::U32,
        Class::U64 => Type::U64,
        Class::Field => Type::Gl,
    }
}

/// Where a value is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Held {
    /// Nowhere: it is a canonical word known now.
    Constant(u64),
    /// In a variable.
    Variable(Class, Ident),
    /// Byte `.1` of the word in a variable.
    Lane(Ident, u8),
}

impl Held {
    /// The class it is cheapest in.
    pub(super) fn class(&self) -> Class {
        match self {
            Self::Constant(word) if *word >> 32 == 0 => Class::U32,
            Self::Constant(_) => Class::U64,
            Self::Variable(class, _) => *class,
            Self::Lane(..) => Class::U32,
        }
    }

    /// The lowest 32 bits of the word.
    pub(super) fn as_u32(&self) -> Expr {
        match self {
            Self::Constant(word) => Expr::Int(word & 0xffff_ffff),
            Self::Variable(Class::U32, name) => Expr::Name(name.clone()),
            Self::Variable(..) => Expr::Cast(Type::U32, Box::new(self.as_u64())),
            Self::Lane(word, index) => {
                Expr::call("byte_of", vec![Expr::Name(word.clone()), Expr::Int((*index).into())])
            }
        }
    }

    /// The word, in 64 bits: two small constants must not be computed with in 32.
    pub(super) fn as_u64(&self) -> Expr {
        match self {
            Self::Constant(word) => Expr::Cast(Type::U64, Box::new(Expr::Int(*word))),
            Self::Variable(Class::U64, name) => Expr::Name(name.clone()),
            Self::Variable(Class::Field, name) => {
                Expr::Member(Box::new(Expr::Name(name.clone())), "value".into())
            }
            Self::Variable(Class::U32, _) | Self::Lane(..) => {
                Expr::Cast(Type::U64, Box::new(self.as_u32()))
            }
        }
    }

    /// The field element.
    pub(super) fn as_gl(&self) -> Expr {
        match self {
            Self::Constant(word) => Expr::call("gl", vec![Expr::Int(*word)]),
            Self::Variable(Class::Field, name) => Expr::Name(name.clone()),
            Self::Variable(Class::U64, name) => Expr::call("gl", vec![Expr::Name(name.clone())]),
            Self::Variable(Class::U32, _) | Self::Lane(..) => Expr::call("gl", vec![self.as_u32()]),
        }
    }

    /// In the type of a class that holds the value.
    pub(super) fn as_class(&self, class: Class) -> Expr {
        match class {
            Class::U32 => self.as_u32(),
            Class::U64 => self.as_u64(),
            Class::Field => self.as_gl(),
        }
    }

    /// The lowest byte; `bound` is the value's.
    pub(super) fn low(&self, bound: u64) -> Expr {
        let is_byte = bound <= 1 << 8 || matches!(self, Self::Lane(..));
        match self {
            Self::Constant(word) => Expr::Int(word & 255),
            _ if is_byte => self.as_u32(),
            _ => Expr::binary(BinaryOp::BitAnd, self.as_u32(), Expr::Int(255)),
        }
    }
}
