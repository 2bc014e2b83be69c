//! Words of 32 bits: four bytes that are computed at once.
//!
//! Programs work on bytes, since byte tables prove their operations. Where four bytes are
//! those of a word, four operations are one on the word; two shifted bytes that are added
//! are eight other bits of it, and four of those are the word rotated or shifted.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};
use traceloom_air::bytes::ByteOp;
use traceloom_bytecode::model::{Op, ValueId};
use traceloom_bytecode::statements::{Arg, Of, PartOfByte, Statement, bitwise};

use super::scope::{Kind, Scope, word_variable};

impl Scope {
    /// Four values as the bytes of a word; `text` gets checks and the word, if it is new.
    pub(super) fn word32(&mut self, values: &[ValueId; 4], text: &mut TokenStream) -> TokenStream {
        if let Some(word) = self.as_word(values) {
            return word;
        }
        let bytes = values.map(|value| self.byte(value, text));
        let word = self.new_word();
        self.made.insert(values.map(|value| value.0), word);
        let name = self.read_word(word);
        text.extend(quote! { let #name = u32::from_le_bytes([#(#bytes),*]); });
        quote!(#name)
    }

    /// Four values as a word that is there already.
    pub(super) fn as_word(&self, values: &[ValueId; 4]) -> Option<TokenStream> {
        let kinds = values.map(|value| self.kinds[value.index()]);
        if let Some(&word) = self.made.get(&values.map(|value| value.0)) {
            let name = self.read_word(word);
            return Some(quote!(#name));
        }
        if let [Some(a), Some(b), Some(c), Some(d)] = values.map(|value| self.constant_byte(value))
        {
            let word = Literal::u32_suffixed(u32::from_le_bytes([a, b, c, d]));
            return Some(quote!(#word));
        }
        let Kind::Lane(word, first) = kinds[0] else { return None };
        let at = |position: u8| first + 8 * position;
        let rotated = |position: u8| Kind::Lane(word, at(position) % 32);
        let shifted = |position: u8| match at(position) {
            at @ ..=24 => Kind::Lane(word, at),
            at @ ..32 => Kind::Bits(word, 3, PartOfByte::Right(at - 24)),
            _ => Kind::Constant(0),
        };
        let bits = Literal::u8_unsuffixed(first);
        if kinds == [0, 1, 2, 3].map(rotated) {
            let name = self.read_word(word);
            Some(if first == 0 { quote!(#name) } else { quote!(#name.rotate_right(#bits)) })
        } else if kinds == [0, 1, 2, 3].map(shifted) {
            let name = self.read_word(word);
            Some(quote!((#name >> #bits)))
        } else {
            None
        }
    }

    /// The first four of `ops`, if they are one byte operation on the bytes of words; its
    /// results are appended to the values.
    pub fn four(&mut self, ops: &[Op]) -> Option<TokenStream> {
        let operations = ops.first_chunk::<4>()?.each_ref().map(byte_operation);
        let [Some(first), Some(second), Some(third), Some(fourth)] = operations else {
            return None;
        };
        let all = [first, second, third, fourth];
        let is_there = |value: ValueId| value.index() < self.len();
        if !all.iter().all(|&(op, a, b)| op == first.0 && is_there(a) && is_there(b)) {
            return None;
        }
        let known = self.constant_byte(first.2);
        let known = known.filter(|_| all.iter().all(|(_, _, b)| self.constant_byte(*b) == known));
        let bitwise = bitwise(first.0, [None, known])?;
        let mut text = TokenStream::new();
        let a = self.word32(&all.map(|(_, a, _)| a), &mut text);
        let b = self.word32(&all.map(|(_, _, b)| b), &mut text);
        let word = self.new_word();
        for byte in 0..4 {
            self.kinds.extend(bitwise.results.iter().map(|&part| match part {
                PartOfByte::Whole => Kind::Lane(word, 8 * byte),
                part => Kind::Bits(word, byte, part),
            }));
        }
        let (word, name) = (word_variable(word), format_ident!("{}", bitwise.name));
        let op = first.0;
        let op = format_ident!("{op:?}");
        text.extend(quote! { let #word = t.#name(ByteOp::#op, #a, #b); });
        Some(text)
    }

    /// A new word, whose bytes are appended to the values; its variable.
    pub(super) fn append_word(&mut self) -> Ident {
        let word = self.new_word();
        self.kinds.extend([0, 8, 16, 24].map(|first| Kind::Lane(word, first)));
        word_variable(word)
    }

    /// The sum of two values, if they are what two neighbours in a word were shifted to, so that
    /// it is eight bits of it.
    pub(super) fn sum_of_bits(&self, a: ValueId, b: ValueId) -> Option<Kind> {
        let lane = |a: ValueId, b: ValueId| match [a, b].map(|value| self.kinds[value.index()]) {
            [
                Kind::Bits(word, low, PartOfByte::Right(right)),
                Kind::Bits(other, high, PartOfByte::Left(left)),
            ] => {
                let is_one = word == other && high == (low + 1) % 4 && left + right == 8;
                is_one.then_some(Kind::Lane(word, 8 * low + right))
            }
            _ => None,
        };
        lane(a, b).or_else(|| lane(b, a))
    }
}

/// What an operation is, if it is a byte operation of two operands.
pub(super) fn byte_operation(op: &Op) -> Option<(ByteOp, ValueId, ValueId)> {
    match &op.statements()[..] {
        [Statement { of: Of::Counts, args, .. }] => match args[..] {
            [Arg::ByteOp(op), Arg::Byte(a), Arg::Byte(b)] => Some((op, a, b)),
            _ => None,
        },
        _ => None,
    }
}
