//! Statements of operations, and how values read.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};
use traceloom_air::field::MODULUS;
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::model::{FunctionId, ValueId};
use traceloom_bytecode::statements::{Arg, Held, Integer, Of, Results, Statement, byte_results};

use super::live::At;
use crate::rust::number;

/// The values of one place in a piece, by number.
#[derive(Clone, Debug)]
pub struct Scope(Vec<Kind>);

/// How emitted text has a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
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
}

/// The variable of a value.
pub fn variable(value: u32) -> Ident {
    format_ident!("v{value}")
}

impl Scope {
    /// As many values, of which `words` are there, as words.
    pub fn new(count: usize, words: &[u32]) -> Self {
        let mut kinds = vec![Kind::Absent; count];
        words.iter().for_each(|&value| kinds[value as usize] = Kind::Word(MODULUS - 1));
        Self(kinds)
    }

    /// Number of values, those that are not there included.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// A value as a word.
    pub fn word(&self, value: ValueId) -> TokenStream {
        let name = variable(value.0);
        match self.0[value.index()] {
            Kind::Absent => unreachable!("what is read is live"),
            Kind::Word(_) | Kind::Both(_) => quote!(#name),
            Kind::Byte(_) => quote!(u64::from(#name)),
            Kind::Constant(word) => {
                let word = Literal::u64_suffixed(word);
                quote!(#word)
            }
        }
    }

    /// Values as words, separated by commas.
    pub fn words(&self, values: &[ValueId]) -> TokenStream {
        let words = values.iter().map(|&value| self.word(value));
        quote!(#(#words),*)
    }

    /// A value as a byte; `text` gets a check if it may be none.
    fn byte(&mut self, value: ValueId, text: &mut TokenStream) -> TokenStream {
        let (name, byte) = (variable(value.0), format_ident!("b{}", value.0));
        match self.0[value.index()] {
            Kind::Absent => unreachable!("what is read is live"),
            Kind::Byte(_) => quote!(#name),
            Kind::Both(_) => quote!(#byte),
            Kind::Constant(word) => match u8::try_from(word) {
                Ok(word) => {
                    let word = Literal::u8_suffixed(word);
                    quote!(#word)
                }
                Err(_) => {
                    let word = Literal::u64_suffixed(word);
                    quote!(byte(#word)?)
                }
            },
            Kind::Word(most) => {
                let proven = u8::try_from(most);
                self.0[value.index()] = Kind::Both(proven.unwrap_or(u8::MAX));
                text.extend(match proven {
                    Ok(_) => quote! { let #byte = #name as u8; },
                    Err(_) => quote! { let #byte = byte(#name)?; },
                });
                quote!(#byte)
            }
        }
    }

    /// The most that a value can be.
    fn most(&self, value: ValueId) -> u64 {
        match self.0[value.index()] {
            Kind::Absent => MODULUS - 1,
            Kind::Word(most) | Kind::Constant(most) => most,
            Kind::Byte(most) | Kind::Both(most) => most.into(),
        }
    }

    /// A value as a byte, if it is a constant.
    fn constant_byte(&self, value: ValueId) -> Option<u8> {
        match self.0[value.index()] {
            Kind::Constant(word) => u8::try_from(word).ok(),
            _ => None,
        }
    }

    /// Whether it takes no check to have it as a byte.
    fn is_byte(&self, value: ValueId) -> bool {
        self.most(value) < 256
    }

    fn append(&mut self, results: &[Held]) -> Vec<Ident> {
        let first = self.0.len();
        self.0.extend(results.iter().map(|held| match *held {
            Held::Word(most) => Kind::Word(most),
            Held::Byte(most) => Kind::Byte(most),
        }));
        (first..self.0.len()).map(|value| variable(value as u32)).collect()
    }

    /// Arithmetic of integers, if the result is below the modulus.
    fn integer(&mut self, integer: Integer, args: &[Arg]) -> Option<TokenStream> {
        let [Arg::Word(a), Arg::Word(b)] = *args else { return None };
        let [most_a, most_b] = [a, b].map(|value| u128::from(self.most(value)));
        let most = match integer {
            Integer::Sum => most_a + most_b,
            Integer::Product => most_a * most_b,
        };
        let most = u64::try_from(most).ok().filter(|&most| most < MODULUS)?;
        if let [Kind::Constant(_), Kind::Constant(_)] = [a, b].map(|value| self.0[value.index()]) {
            self.0.push(Kind::Constant(most));
            return Some(TokenStream::new());
        }
        let mut text = TokenStream::new();
        let (held, [a, b]) = match u8::try_from(most) {
            Ok(most) if self.is_byte(a) && self.is_byte(b) => {
                (Held::Byte(most), [a, b].map(|value| self.byte(value, &mut text)))
            }
            _ => (Held::Word(most), [a, b].map(|value| self.word(value))),
        };
        let names = self.append(&[held]);
        text.extend(match integer {
            Integer::Sum => quote! { let #(#names)* = #a + #b; },
            Integer::Product => quote! { let #(#names)* = #a * #b; },
        });
        Some(text)
    }

    /// Results of a byte operation, where a constant among its operands says more of them.
    fn byte_results(&self, args: &[Arg], held: &[Held]) -> Vec<Held> {
        match *args {
            [Arg::ByteOp(op), Arg::Byte(a), Arg::Byte(b)] => {
                byte_results(op, [a, b].map(|value| self.constant_byte(value)))
            }
            _ => held.to_vec(),
        }
    }

    /// The text of a statement of function `id`; its results are appended.
    pub fn statement(
        &mut self,
        program: &CheckedProgram,
        id: FunctionId,
        at: At,
        statement: &Statement,
    ) -> TokenStream {
        let Statement { of, name, byte_name, args, results, can_stop, integer } = statement;
        if let Results::Constant(word) = results {
            self.0.push(Kind::Constant(*word));
            return TokenStream::new();
        }
        if let Some(text) = integer.and_then(|integer| self.integer(integer, args)) {
            return text;
        }
        let mut text = TokenStream::new();
        let bytes = args.iter().all(|arg| match arg {
            Arg::Four(values) => values.iter().all(|&value| self.is_byte(value)),
            _ => false,
        });
        let (name, as_bytes) = match byte_name {
            Some(byte_name) if bytes => (format_ident!("{byte_name}"), true),
            _ => (format_ident!("{name}"), false),
        };
        let mut list = Vec::new();
        for arg in args {
            list.push(self.arg(program, id, at, arg, as_bytes, &mut text));
        }
        let call = match of {
            Of::Values => quote!(#name(#(#list),*)),
            Of::Counts => quote!(t.#name(#(#list),*)),
            Of::Machine => quote!(m.#name(#(#list),*)),
        };
        let call = if *can_stop { quote!(#call?) } else { call };
        text.extend(match results {
            Results::None | Results::Constant(_) => quote! { #call; },
            Results::One(held) => {
                // Four bytes are a word of 32 bits.
                let held = if as_bytes { Held::U32 } else { *held };
                let names = self.append(&[held]);
                quote! { let #(#names)* = #call; }
            }
            Results::All(held) => {
                let names = self.append(held);
                quote! { let [#(#names),*] = #call; }
            }
            Results::First(held) => {
                let names = self.append(&self.byte_results(args, held));
                quote! { let [#(#names,)* ..] = #call; }
            }
        });
        text
    }

    fn arg(
        &mut self,
        program: &CheckedProgram,
        id: FunctionId,
        at: At,
        arg: &Arg,
        as_bytes: bool,
        text: &mut TokenStream,
    ) -> TokenStream {
        match arg {
            Arg::Word(value) => self.word(*value),
            Arg::Byte(value) => self.byte(*value, text),
            Arg::Words(values) => {
                let words = self.words(values);
                quote!(&[#words])
            }
            Arg::Four(values) if as_bytes => self.four_bytes(values, text),
            Arg::Four(values) => {
                let words = self.words(values);
                quote!([#words])
            }
            Arg::ByteArrays(arrays) => {
                let arrays = arrays.iter().map(|values| self.four_bytes(values, text));
                let arrays: Vec<_> = arrays.collect();
                quote!([#(#arrays),*])
            }
            Arg::ByteOp(op) => {
                let name = format_ident!("{op:?}");
                quote!(ByteOp::#name)
            }
            Arg::Memory(width) => {
                let index = program.memory_index(*width).expect("widths in use are declared");
                let index = number(index as u64);
                quote!(#index)
            }
            Arg::Place => {
                let [function, block, op] = [id.0, at.0, at.1].map(number);
                quote!(#function, #block, #op)
            }
        }
    }

    fn four_bytes(&mut self, values: &[ValueId; 4], text: &mut TokenStream) -> TokenStream {
        let bytes = values.map(|value| self.byte(value, text));
        quote!([#(#bytes),*])
    }
}
