//! Statements of operations.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use traceloom_air::field::MODULUS;
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::model::FunctionId;
use traceloom_bytecode::statements::{Arg, Held, Integer, Of, Results, Statement, byte_results};

use super::live::At;
use super::scope::{Kind, Scope};
use crate::rust::number;

impl Scope {
    /// Arithmetic of integers, if the result is below the modulus.
    fn integer(&mut self, integer: Integer, args: &[Arg]) -> Option<TokenStream> {
        let [Arg::Word(a), Arg::Word(b)] = *args else { return None };
        let [most_a, most_b] = [a, b].map(|value| u128::from(self.most(value)));
        if let (Integer::Sum, Some(lane)) = (integer, self.sum_of_bits(a, b)) {
            self.kinds.push(lane);
            return Some(TokenStream::new());
        }
        let most = match integer {
            Integer::Sum => most_a + most_b,
            Integer::Product => most_a * most_b,
        };
        let most = u64::try_from(most).ok().filter(|&most| most < MODULUS)?;
        if let [Kind::Constant(_), Kind::Constant(_)] =
            [a, b].map(|value| self.kinds[value.index()])
        {
            self.kinds.push(Kind::Constant(most));
            return Some(TokenStream::new());
        }
        if let Some(sum) = self.side_by_side(integer, a, b) {
            self.kinds.push(Kind::Sum(self.sums.len() as u32));
            self.sums.push(sum);
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
            self.kinds.push(Kind::Constant(*word));
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
            Results::Word32(most) => {
                let (word, names) = (self.append_word(), self.append(&[Held::Byte(*most)]));
                quote! { let (#word, #(#names)*) = #call; }
            }
            Results::Words32(count) => {
                let words = (0..*count).map(|_| self.append_word()).collect::<Vec<_>>();
                quote! { let [#(#words),*] = #call; }
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
            Arg::Four(values) if as_bytes => self.word32(values, text),
            Arg::Four(values) => {
                let words = self.words(values);
                quote!([#words])
            }
            Arg::Words32(words) => {
                let words: Vec<_> = words.iter().map(|word| self.word32(word, text)).collect();
                quote!([#(#words),*])
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
}
