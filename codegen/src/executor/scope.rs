//! The values of one place in a piece, and how emitted text has them.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, format_ident, quote};
use traceloom_air::field::MODULUS;
use traceloom_bytecode::model::ValueId;
use traceloom_bytecode::statements::{Held, PartOfByte};

use super::sums::Sum;
use crate::rust::number;

/// The values of one place, by number.
#[derive(Clone, Debug)]
pub struct Scope {
    pub(super) kinds: Vec<Kind>,
    /// Number of variables `w3`, words of 32 bits.
    num_words: u32,
    /// Sums that are no variables.
    pub(super) sums: Vec<Sum>,
    /// The words that were made of the bytes of four values.
    pub(super) made: BTreeMap<[u32; 4], u32>,
    /// Values that are inputs of the query, and those that are outputs of the call before.
    stored: [Range<u32>; 2],
    /// What the text of the piece reads, in all of its arms.
    read: Rc<RefCell<Read>>,
}

/// Variables that text reads.
#[derive(Debug, Default)]
struct Read {
    values: BTreeSet<u32>,
    words: BTreeSet<u32>,
}

/// Fewer values than these are given as variables, although a record has them in a row.
const FEWEST_STORED: usize = 8;

/// How emitted text has a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Not at all: nothing here reads it.
    Absent,
    /// `v3`, a word that is at most this.
    Word(u64),
    /// `v3`, a byte that is at most this.
    Byte(u8),
    /// `v3`, a word, and the same as `b3`, a byte that is at most this.
    Both(u8),
    /// A constant.
    Constant(u64),
    /// Eight bits of `w3` from this one on, around its end.
    Lane(u32, u8),
    /// A part of byte number so much of `w3`.
    Bits(u32, u8, PartOfByte),
    /// The sum of this number, more than a byte.
    Sum(u32),
}

/// The variable of a value.
pub fn variable(value: u32) -> Ident {
    format_ident!("v{value}")
}

pub(super) fn word_variable(word: u32) -> Ident {
    format_ident!("w{word}")
}

impl Scope {
    /// So many values, none of which is there. The record has those of `inputs` and `outputs`.
    pub fn new(count: usize, inputs: Range<u32>, outputs: Range<u32>) -> Self {
        Self {
            kinds: vec![Kind::Absent; count],
            num_words: 0,
            sums: Vec::new(),
            made: BTreeMap::new(),
            stored: [inputs, outputs],
            read: Rc::default(),
        }
    }

    /// `value` is there, in its variable.
    pub fn set(&mut self, value: u32, held: Held) {
        self.kinds[value as usize] = Kind::of(held);
    }

    /// Four values from `first` on are there, as the bytes of a word; its number.
    pub fn set_word(&mut self, first: u32) -> u32 {
        let word = self.new_word();
        for at in 0..4 {
            self.kinds[first as usize + at] = Kind::Lane(word, 8 * at as u8);
        }
        word
    }

    /// Whether text so far reads the variable of `value`.
    pub fn is_read(&self, value: u32) -> bool {
        self.read.borrow().values.contains(&value)
    }

    /// Whether text so far reads the variable of a word.
    pub fn is_word_read(&self, word: u32) -> bool {
        self.read.borrow().words.contains(&word)
    }

    /// The variable of a value, to be read.
    fn read(&self, value: u32) -> Ident {
        self.read.borrow_mut().values.insert(value);
        variable(value)
    }

    /// The variable of a word, to be read.
    pub(super) fn read_word(&self, word: u32) -> Ident {
        self.read.borrow_mut().words.insert(word);
        word_variable(word)
    }

    /// Number of values, those that are not there included.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// A new variable for a word of 32 bits.
    pub(super) fn new_word(&mut self) -> u32 {
        self.num_words += 1;
        self.num_words - 1
    }

    /// A value as a word.
    pub fn word(&self, value: ValueId) -> TokenStream {
        match self.kinds[value.index()] {
            Kind::Absent => unreachable!("what is read is live"),
            Kind::Word(_) | Kind::Both(_) => self.read(value.0).into_token_stream(),
            Kind::Constant(word) => {
                let word = Literal::u64_suffixed(word);
                quote!(#word)
            }
            Kind::Sum(sum) => {
                let sum = self.sum_text(sum);
                quote!((#sum))
            }
            Kind::Byte(_) | Kind::Lane(..) | Kind::Bits(..) => {
                let byte = self.held_byte(value).expect("it is held as a byte");
                quote!(u64::from(#byte))
            }
        }
    }

    /// Values as words, separated by commas.
    pub fn words(&self, values: &[ValueId]) -> TokenStream {
        let words = values.iter().map(|&value| self.word(value));
        quote!(#(#words),*)
    }

    /// A value as a byte, if it needs no check; its text.
    pub fn held_byte(&self, value: ValueId) -> Option<TokenStream> {
        Some(match self.kinds[value.index()] {
            Kind::Absent => unreachable!("what is read is live"),
            Kind::Byte(_) => self.read(value.0).into_token_stream(),
            Kind::Both(_) => {
                let name = format_ident!("b{}", value.0);
                quote!(#name)
            }
            Kind::Constant(word) => {
                let word = Literal::u8_suffixed(u8::try_from(word).ok()?);
                quote!(#word)
            }
            Kind::Sum(_) => return None,
            Kind::Word(most) => {
                u8::try_from(most).ok()?;
                let name = self.read(value.0);
                quote!((#name as u8))
            }
            Kind::Lane(word, first) => self.lane(word, first),
            Kind::Bits(word, byte, part) => {
                let byte = self.lane(word, 8 * byte);
                match part {
                    PartOfByte::Whole => byte,
                    PartOfByte::Right(bits) => {
                        let bits = Literal::u8_unsuffixed(bits);
                        quote!((#byte >> #bits))
                    }
                    PartOfByte::Left(bits) => {
                        let bits = Literal::u8_unsuffixed(bits);
                        quote!((#byte << #bits))
                    }
                }
            }
        })
    }

    /// A value as a byte; `text` gets a check if it may be none.
    pub(super) fn byte(&mut self, value: ValueId, text: &mut TokenStream) -> TokenStream {
        if let Some(byte) = self.held_byte(value) {
            return byte;
        }
        let word = self.word(value);
        if let Kind::Constant(_) = self.kinds[value.index()] {
            return quote!(byte(#word)?);
        }
        let byte = format_ident!("b{}", value.0);
        let word = match self.kinds[value.index()] {
            Kind::Sum(_) => {
                let name = variable(value.0);
                text.extend(quote! { let #name = #word; });
                name.into_token_stream()
            }
            _ => word,
        };
        self.kinds[value.index()] = Kind::Both(u8::MAX);
        text.extend(quote! { let #byte = byte(#word)?; });
        quote!(#byte)
    }

    /// The most that a value can be.
    pub fn most(&self, value: ValueId) -> u64 {
        match self.kinds[value.index()] {
            Kind::Absent => MODULUS - 1,
            Kind::Word(most) | Kind::Constant(most) => most,
            Kind::Byte(most) | Kind::Both(most) => most.into(),
            Kind::Sum(sum) => self.sums[sum as usize].most,
            Kind::Lane(..) => u8::MAX.into(),
            Kind::Bits(_, _, part) => match part {
                PartOfByte::Left(bits) => (u8::MAX << bits).into(),
                part => part.of(u8::MAX).into(),
            },
        }
    }

    /// A value as a byte, if it is a constant.
    pub(super) fn constant_byte(&self, value: ValueId) -> Option<u8> {
        match self.kinds[value.index()] {
            Kind::Constant(word) => u8::try_from(word).ok(),
            _ => None,
        }
    }

    /// Whether it takes no check to have it as a byte.
    pub fn is_byte(&self, value: ValueId) -> bool {
        self.most(value) < 256
    }

    /// Eight bits of a word.
    fn lane(&self, word: u32, first: u8) -> TokenStream {
        let (word, bits) = (self.read_word(word), Literal::u8_unsuffixed(first));
        match first {
            0 => quote!((#word as u8)),
            1..=24 => quote!(((#word >> #bits) as u8)),
            _ => quote!((#word.rotate_right(#bits) as u8)),
        }
    }

    pub(super) fn append(&mut self, results: &[Held]) -> Vec<Ident> {
        let first = self.kinds.len();
        self.kinds.extend(results.iter().copied().map(Kind::of));
        (first..self.kinds.len()).map(|value| variable(value as u32)).collect()
    }

    /// Values as a list of parts: those that the record has in a row, bytes where values are
    /// held as such, and words.
    pub fn parts(&self, values: &[ValueId]) -> TokenStream {
        let mut parts = TokenStream::new();
        let is_next = |a: &ValueId, b: &ValueId| {
            let has_both = |stored: &Range<u32>| stored.contains(&a.0) && stored.contains(&b.0);
            a.0 + 1 == b.0 && self.stored.iter().any(has_both)
        };
        let (mut held, mut done) = (0, 0);
        for run in values.chunk_by(is_next) {
            let first = run[0].0;
            let stored = self.stored.iter().position(|stored| stored.contains(&first));
            if let Some(of) = stored.filter(|_| run.len() >= FEWEST_STORED) {
                self.held_parts(&values[held..done], &mut parts);
                held = done + run.len();
                let name = [quote!(Inputs), quote!(Outputs)][of].clone();
                let [first, count] = [first - self.stored[of].start, run.len() as u32].map(number);
                parts.extend(quote! { Given::#name(#first, #count), });
            }
            done += run.len();
        }
        self.held_parts(&values[held..], &mut parts);
        quote!(&[#parts])
    }

    /// The same of values that are held.
    fn held_parts(&self, values: &[ValueId], parts: &mut TokenStream) {
        let is_constant = |value: ValueId| matches!(self.kinds[value.index()], Kind::Constant(_));
        let same = |a: &ValueId, b: &ValueId| {
            let [a_is_byte, b_is_byte] = [a, b].map(|value| self.is_byte(*value));
            // A constant goes with its neighbours.
            a_is_byte == b_is_byte || (a_is_byte && is_constant(*a)) && !b_is_byte
        };
        for run in values.chunk_by(same) {
            match run.iter().all(|&value| self.is_byte(value)) {
                true => parts.extend(self.byte_parts(run)),
                false => {
                    let words = self.words(run);
                    parts.extend(quote! { Given::Words(&[#words]), });
                }
            }
        }
    }

    fn byte_parts(&self, values: &[ValueId]) -> TokenStream {
        let (fours, rest) = values.as_chunks::<4>();
        let bytes = |values: &[ValueId]| {
            let bytes = values.iter().map(|&value| self.held_byte(value).expect("it is a byte"));
            quote!([#(#bytes),*])
        };
        if !fours.iter().any(|four| self.as_word(four).is_some()) {
            let bytes = bytes(values);
            return quote! { Given::Bytes(&#bytes), };
        }
        let fours = fours.iter().map(|four| match self.as_word(four) {
            Some(word) => quote!(#word.to_le_bytes()),
            None => bytes(four),
        });
        let mut parts = quote! { Given::Bytes([#(#fours),*].as_flattened()), };
        if !rest.is_empty() {
            let rest = bytes(rest);
            parts.extend(quote! { Given::Bytes(&#rest), });
        }
        parts
    }
}

impl Kind {
    fn of(held: Held) -> Self {
        match held {
            Held::Word(most) => Self::Word(most),
            Held::Byte(most) => Self::Byte(most),
        }
    }
}
