//! How a value is held in text.
//!
//! Bounds decide the class: below 2^32 in a `uint32_t`, other integers below p in
//! a `uint64_t`, everything else as a field element. All three stand for the same
//! canonical word, so conversions never compute.

use traceloom_abi::seed::Meaning;

use crate::cuda::ast::{BinaryOp, Expr, Type};
use crate::cuda::ident::Ident;
use crate::plan::{self, Value, ValueNo};

/// The variable of a value, as in Rust: `v12_xor`, `input3`, `multiplicity`.
pub(super) fn variable(no: ValueNo, value: &Value) -> Ident {
    Ident::new(match value.expr {
        plan::Expr::Seed(Meaning::Multiplicity) => "multiplicity".into(),
        plan::Expr::Seed(Meaning::Path) => "path".into(),
        plan::Expr::Seed(Meaning::Rank) => "rank".into(),
        plan::Expr::Seed(Meaning::Input(i)) => format!("input{i}"),
        expr => format!("v{}_{}", no.0, expr.name()),
    })
}

/// The type that holds a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// `uint32_t`
    U32,
    /// `uint64_t`
    U64,
    /// `Gl`
    Field,
}

impl Class {
    /// The class of a value in the encoding of its plan.
    pub(super) fn of(value: &Value) -> Self {
        match value.bound {
            bound if bound <= 1 << 32 => Self::U32,
            _ if value.is_integer() => Self::U64,
            _ => Self::Field,
        }
    }

    /// Its type.
    pub(super) fn ty(self) -> Type {
        match self {
            Self::U32 => Type::U32,
            Self::U64 => Type::U64,
            Self::Field => Type::Gl,
        }
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
