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
    match element_text(expr, is_integer, &operand) {
        Some(text) => (text, Held::Field),
        None => (word_text(expr, &operand), Held::Word),
    }
}

/// The text of an expression that gives a field element.
fn element_text(
    expr: &Expr,
    is_integer: bool,
    operand: &impl Fn(ValueNo) -> Operand,
) -> Option<TokenStream> {
    let field = |value: ValueNo| operand(value).field();
    Some(match *expr {
        Expr::Sub(a, b) => {
            let (a, b) = (field(a), field(b));
            quote!(#a - #b)
        }
        Expr::InverseOrZero(a) => {
            let a = field(a);
            quote!(inverse_or_zero(#a))
        }
        _ if is_integer => return None,
        Expr::Constant(word) => {
            let word = number(word);
            quote!(element(#word))
        }
        Expr::Add(a, b) => {
            let (a, b) = (field(a), field(b));
            quote!(#a + #b)
        }
        Expr::Mul(a, b) => {
            let (a, b) = (field(a), field(b));
            quote!(#a * #b)
        }
        Expr::Pack(bytes) => {
            let bytes = bytes.map(field);
            quote!(pack_field([#(#bytes),*]))
        }
        Expr::Select(a, b, c) => {
            let (a, b, c) = (operand(a).word(), field(b), field(c));
            quote!(if #a != 0 { #b } else { #c })
        }
        _ => return None,
    })
}

/// The text of an expression that gives a word.
fn word_text(expr: &Expr, operand: &impl Fn(ValueNo) -> Operand) -> TokenStream {
    let int = |value: ValueNo| operand(value).word();
    let ints = |values: [ValueNo; 4]| {
        let values = values.map(int);
        quote!([#(#values),*])
    };
    let binary = |name: &str, a: ValueNo, b: ValueNo| {
        let (name, a, b) = (format_ident!("{name}"), int(a), int(b));
        quote!(#name(#a, #b))
    };
    match *expr {
        // With its type: not every use tells it, as in `v3_const == 0`.
        Expr::Constant(word) => {
            let word = Literal::u64_suffixed(word);
            quote!(#word)
        }
        Expr::Seed(_) | Expr::Merged(_) => unreachable!("printed where they come from"),
        Expr::Sub(..) | Expr::InverseOrZero(_) => unreachable!("these give field elements"),
        Expr::Add(a, b) => {
            let (a, b) = (int(a), int(b));
            quote!(#a + #b)
        }
        Expr::Mul(a, b) => {
            let (a, b) = (int(a), int(b));
            quote!(#a * #b)
        }
        Expr::Pack(bytes) => {
            let bytes = ints(bytes);
            quote!(pack(#bytes))
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
        Expr::LimbOf(a, limb) => {
            let (a, limb) = (int(a), number(limb));
            quote!(limb_of(#a, #limb))
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
        Expr::Low32(a) => {
            let a = int(a);
            quote!(low32(#a))
        }
        Expr::Select(a, b, c) => {
            let (a, b, c) = (int(a), int(b), int(c));
            quote!(select(#a, #b, #c))
        }
    }
}

fn byte_op(op: ByteOp) -> TokenStream {
    let name = format_ident!("{op:?}");
    quote!(ByteOp::#name)
}
