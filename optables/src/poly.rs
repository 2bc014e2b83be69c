//! Polynomials over the columns of a row: what constraints and messages are made of.

use std::ops::{Add, Mul, Sub};
use std::rc::Rc;

use traceloom_air::system::{Arena, ExprId, Node};

use crate::column::{Column, FixedColumn};

/// A polynomial over the cells of one row. Its coefficients are field elements.
#[derive(Clone, Debug)]
pub struct Poly(Rc<Term>);

#[derive(Debug)]
enum Term {
    Constant(u64),
    Cell(Column),
    Fixed(FixedColumn),
    Sum(Poly, Poly),
    Difference(Poly, Poly),
    Product(Poly, Poly),
}

impl Poly {
    fn new(term: Term) -> Self {
        Self(Rc::new(term))
    }

    /// Its expression in `arena`.
    pub(crate) fn lower(&self, arena: &mut Arena) -> ExprId {
        let mut both = |a: &Self, b: &Self| (a.lower(arena), b.lower(arena));
        match &*self.0 {
            Term::Constant(word) => arena.word(*word),
            Term::Cell(column) => arena.main(column.index()),
            Term::Fixed(column) => arena.intern(Node::Preprocessed(column.0)),
            Term::Sum(a, b) => {
                let (a, b) = both(a, b);
                arena.add(a, b)
            }
            Term::Difference(a, b) => {
                let (a, b) = both(a, b);
                arena.sub(a, b)
            }
            Term::Product(a, b) => {
                let (a, b) = both(a, b);
                arena.mul(a, b)
            }
        }
    }
}

impl From<Column> for Poly {
    fn from(column: Column) -> Self {
        Self::new(Term::Cell(column))
    }
}

impl From<FixedColumn> for Poly {
    fn from(column: FixedColumn) -> Self {
        Self::new(Term::Fixed(column))
    }
}

impl From<u64> for Poly {
    fn from(word: u64) -> Self {
        Self::new(Term::Constant(word))
    }
}

impl From<&Poly> for Poly {
    fn from(poly: &Poly) -> Self {
        poly.clone()
    }
}

macro_rules! operators {
    ($($left:ty)*) => {$(
        impl<R: Into<Poly>> Add<R> for $left {
            type Output = Poly;

            fn add(self, right: R) -> Poly {
                Poly::new(Term::Sum(self.into(), right.into()))
            }
        }

        impl<R: Into<Poly>> Sub<R> for $left {
            type Output = Poly;

            fn sub(self, right: R) -> Poly {
                Poly::new(Term::Difference(self.into(), right.into()))
            }
        }

        impl<R: Into<Poly>> Mul<R> for $left {
            type Output = Poly;

            fn mul(self, right: R) -> Poly {
                Poly::new(Term::Product(self.into(), right.into()))
            }
        }
    )*};
}

operators!(Poly &Poly Column FixedColumn);

/// A constant as a polynomial, to write it on the left of an operator.
#[must_use]
pub fn constant(word: u64) -> Poly {
    word.into()
}

/// The sum; zero of nothing.
pub fn sum<T: Into<Poly>>(terms: impl IntoIterator<Item = T>) -> Poly {
    let terms = terms.into_iter().map(Into::into);
    terms.reduce(|sum, term| sum + term).unwrap_or_else(|| constant(0))
}

/// `1 - a`, of a bit.
pub fn not(a: impl Into<Poly>) -> Poly {
    constant(1) - a
}

/// Zero exactly if `a` is 0 or 1.
pub fn is_bit(a: impl Into<Poly>) -> Poly {
    let a = a.into();
    &a * (&a - constant(1))
}

/// `a_0 + 2^bits · a_1 + …`: limbs of `bits` bits each, low one first.
#[must_use]
pub fn join(bits: u32, limbs: &[Column]) -> Poly {
    sum(limbs.iter().zip(0..).map(|(&limb, i)| limb * (1_u64 << (bits * i))))
}
