//! Sums of bytes at bits of their own.
//!
//! Programs put words together from bytes: `b0 + 256·b1 + …`. Where no two terms share a bit, the
//! sum is those bits side by side, and terms that are bytes of one word are moved at once. Such
//! sums are no variables: whoever reads one has it as an expression.

use proc_macro2::{Literal, TokenStream};
use quote::quote;
use traceloom_bytecode::model::ValueId;
use traceloom_bytecode::statements::Integer;

use super::scope::{Kind, Scope};

/// More terms than a word of 64 bits has bytes are added up as usual.
const MOST_TERMS: usize = 8;

/// Bytes whose bits do not overlap.
#[derive(Clone, Debug)]
pub(super) struct Sum {
    terms: Vec<Term>,
    pub(super) most: u64,
}

#[derive(Clone, Copy, Debug)]
struct Term {
    /// A value that is held as a byte.
    byte: ValueId,
    shift: u32,
}

/// Bytes of one word that move by as many bits.
struct Moved {
    word: u32,
    /// The word is rotated by so many bits to the right first.
    rotation: u8,
    mask: u32,
    /// To the left, or to the right if it is less than zero.
    by: i32,
}

impl Scope {
    /// The sum or product of two values as such a sum, which is more than a byte.
    pub(super) fn side_by_side(&self, integer: Integer, a: ValueId, b: ValueId) -> Option<Sum> {
        let mut terms = match integer {
            Integer::Sum => [self.terms(a)?, self.terms(b)?].concat(),
            Integer::Product => {
                let (value, factor) = match [a, b].map(|value| self.kinds[value.index()]) {
                    [_, Kind::Constant(factor)] => (a, factor),
                    [Kind::Constant(factor), _] => (b, factor),
                    _ => return None,
                };
                let shift = factor.is_power_of_two().then(|| factor.trailing_zeros())?;
                let mut terms = self.terms(value)?;
                terms.iter_mut().for_each(|term| term.shift += shift);
                terms
            }
        };
        terms.sort_by_key(|term| term.shift);
        let (mut most, mut end) = (0, 0);
        for term in &terms {
            let byte = self.most(term.byte);
            let bits = u64::BITS - byte.leading_zeros();
            if term.shift < end || term.shift + bits > u64::BITS {
                return None;
            }
            (end, most) = (term.shift + bits, most + (byte << term.shift));
        }
        (terms.len() <= MOST_TERMS && most > u8::MAX.into()).then_some(Sum { terms, most })
    }

    fn terms(&self, value: ValueId) -> Option<Vec<Term>> {
        match self.kinds[value.index()] {
            Kind::Sum(sum) => Some(self.sums[sum as usize].terms.clone()),
            Kind::Byte(_) | Kind::Both(_) | Kind::Lane(..) | Kind::Bits(..) => {
                Some(vec![Term { byte: value, shift: 0 }])
            }
            Kind::Absent | Kind::Word(_) | Kind::Constant(_) => None,
        }
    }

    /// The text of a sum.
    pub(super) fn sum_text(&self, sum: u32) -> TokenStream {
        let (mut moved, mut others) = (Vec::<Moved>::new(), Vec::new());
        for term in &self.sums[sum as usize].terms {
            let shift = term.shift;
            let Kind::Lane(word, first) = self.kinds[term.byte.index()] else {
                let byte = self.held_byte(term.byte).expect("terms are bytes");
                others.push(shifted(quote!(u64::from(#byte)), shift as i32));
                continue;
            };
            let (rotation, from) = (first % 8, first / 8 * 8);
            let (mask, by) = (0xff << from, shift as i32 - i32::from(from));
            let with_it =
                |moved: &&mut Moved| (moved.word, moved.rotation, moved.by) == (word, rotation, by);
            match moved.iter_mut().find(with_it) {
                Some(moved) => moved.mask |= mask,
                None => moved.push(Moved { word, rotation, mask, by }),
            }
        }
        let moved = moved.iter().map(|moved| self.moved_text(moved));
        let mut all = moved.chain(others);
        let first = all.next().expect("a sum has terms");
        all.fold(first, |text, other| quote!(#text | #other))
    }

    fn moved_text(&self, moved: &Moved) -> TokenStream {
        let word = self.read_word(moved.word);
        let bits = Literal::u8_unsuffixed(moved.rotation);
        let word = match moved.rotation {
            0 => quote!(#word),
            _ => quote!(#word.rotate_right(#bits)),
        };
        let word = match moved.mask {
            u32::MAX => quote!(u64::from(#word)),
            mask => {
                let mask: TokenStream = format!("0x{mask:08x}").parse().expect("it is a literal");
                quote!(u64::from(#word & #mask))
            }
        };
        shifted(word, moved.by)
    }
}

/// `text << by`, or `>>` if it is negative.
fn shifted(text: TokenStream, by: i32) -> TokenStream {
    let bits = Literal::u32_unsuffixed(by.unsigned_abs());
    match by {
        0 => text,
        1.. => quote!((#text << #bits)),
        _ => quote!((#text >> #bits)),
    }
}
