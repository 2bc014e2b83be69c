//! Identifiers and expressions: how a value of a plan reads in Rust.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote};
use traceloom_air::bytes::ByteOp;
use traceloom_plan::names::variable;
use traceloom_plan::{Expr, Value, ValueNo};

/// How a value is held in emitted text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// A `u64` below the modulus.
    Word,
    /// A field element.
    Field,
}

/// A value as emitted text sees it.
pub struct Operand {
    /// The expression that reads it: a name, or a place in an array.
    pub text: TokenStream,
    /// How it is held.
    pub held: Held,
}

impl Operand {
    /// As a canonical word.
    pub fn word(&self) -> TokenStream {
        let text = &self.text;
        match self.held {
            Held::Word => quote!(#text),
            Held::Field => quote!(word(#text)),
        }
    }

    /// As a field element.
    pub fn field(&self) -> TokenStream {
        let text = &self.text;
        match self.held {
            Held::Word => quote!(element(#text)),
            Held::Field => quote!(#text),
        }
    }
}

/// The variable of a value.
pub fn ident(number: ValueNo, value: &Value) -> Ident {
    Ident::new(variable(number, value).as_str(), Span::call_site())
}

/// `3`, without a suffix.
pub fn number(number: impl Into<u64>) -> Literal {
    Literal::u64_unsuffixed(number.into())
}

/// The right side that computes `expr`, and how it is held. Seed words and merged
/// values are not expressions of other values.
pub fn compute(
    expr: &Expr,
    is_integer: bool,
    operand: impl Fn(ValueNo) -> Operand,
) -> (TokenStream, Held) {
    let int = |value: ValueNo| operand(value).word();
    let field = |value: ValueNo| operand(value).field();
    let ints = |values: [ValueNo; 4]| {
        let values = values.map(int);
        quote!([#(#values),*])
    };
    let binary = |name: &str, a: ValueNo, b: ValueNo| {
        let (name, a, b) = (format_ident!("{name}"), int(a), int(b));
        quote!(#name(#a, #b))
    };
    let text = match *expr {
        // With its type: not every use tells it, as in `v3_const == 0`.
        Expr::Constant(word) if is_integer => {
            let word = Literal::u64_suffixed(word);
            quote!(#word)
        }
        Expr::Constant(word) => {
            let word = number(word);
            return (quote!(element(#word)), Held::Field);
        }
        Expr::Seed(_) | Expr::Merged(_) => unreachable!("printed where they come from"),
        Expr::Add(a, b) if is_integer => {
            let (a, b) = (int(a), int(b));
            quote!(#a + #b)
        }
        Expr::Mul(a, b) if is_integer => {
            let (a, b) = (int(a), int(b));
            quote!(#a * #b)
        }
        Expr::Pack(bytes) if is_integer => {
            let bytes = ints(bytes);
            quote!(pack(#bytes))
        }
        Expr::Add(a, b) => {
            let (a, b) = (field(a), field(b));
            return (quote!(#a + #b), Held::Field);
        }
        Expr::Sub(a, b) => {
            let (a, b) = (field(a), field(b));
            return (quote!(#a - #b), Held::Field);
        }
        Expr::Mul(a, b) => {
            let (a, b) = (field(a), field(b));
            return (quote!(#a * #b), Held::Field);
        }
        Expr::Pack(bytes) => {
            let bytes = bytes.map(field);
            return (quote!(pack_field([#(#bytes),*])), Held::Field);
        }
        Expr::InverseOrZero(a) => {
            let a = field(a);
            return (quote!(inverse_or_zero(#a)), Held::Field);
        }
        Expr::IsZero(a) => {
            let a = int(a);
            quote!(u64::from(#a == 0))
        }
        Expr::Unary(op, result, a) => {
            let (op, result, a) = (byte_op(op), number(result), int(a));
            quote!(unary(#op, #result, #a))
        }
        Expr::Binary(op, result, a, b) => {
            let (op, result, a, b) = (byte_op(op), number(result), int(a), int(b));
            quote!(binary(#op, #result, #a, #b))
        }
        Expr::ByteCarry(a, b) => binary("byte_carry", a, b),
        Expr::ByteBorrow(a, b) => binary("byte_borrow", a, b),
        Expr::PackLow(bytes) => {
            let bytes = ints(bytes);
            quote!(pack_low(#bytes))
        }
        Expr::ByteOf(a, byte) => {
            let (a, byte) = (int(a), number(byte));
            quote!(byte_of(#a, #byte))
        }
        Expr::High32(a) => {
            let a = int(a);
            quote!(#a >> 32)
        }
        Expr::Less(a, b) => {
            let (a, b) = (int(a), int(b));
            quote!(u64::from(#a < #b))
        }
        Expr::LessRest(a, b) => binary("gap", b, a),
        Expr::RankGap(a, b) => binary("gap", a, b),
    };
    (text, Held::Word)
}

fn byte_op(op: ByteOp) -> TokenStream {
    let name = format_ident!("{op:?}");
    quote!(ByteOp::#name)
}
