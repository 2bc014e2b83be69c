//! CUDA text: a typed syntax tree and its one printer.
//!
//! Emitters build [`ast`] values and never strings of syntax; [`mod@print`] owns
//! indentation, blank lines, line length and escaping. Functions of a
//! program are known by their symbols, which are identifiers.

pub mod ast;
pub mod print;
pub mod writer;

use traceloom_plan::names::Ident;

use ast::{Expr, Function, FunctionKind, Item, Stmt, Type};

/// One emitted file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextFile {
    /// File name, made of symbols.
    pub name: String,
    /// Content.
    pub text: String,
}

/// `TL_KERNEL void name(Type parameter) { callee(parameter); }`
pub(crate) fn kernel(name: &str, (ty, parameter): (&str, &str), callee: Expr) -> Item {
    let call = Expr::Call(Box::new(callee), vec![Expr::name(parameter)]);
    Item::Function(Function {
        doc: Vec::new(),
        kind: FunctionKind::Kernel,
        template: Vec::new(),
        name: Ident::new(name),
        params: vec![(Type::Named(ty.into()), parameter.into())],
        body: vec![Stmt::Expr(call)],
    })
}
