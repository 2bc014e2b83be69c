//! CUDA row writers of a program, printed from its plans.
//!
//! Per function a header with one writer per path and the generic one, and a
//! small source file with their entry points; per program one source file with
//! what belongs to none of them. Seeds, rows, staging and the loop over rows are
//! in the support header `launch.cuh`.
//!
//! - [`held`]: where a value is in text, and conversions;
//! - [`scalar`]: one value as an expression;
//! - [`word`]: words of four bytes as expressions;
//! - [`seed`]: words of a typed seed;
//! - [`path`], [`generic`]: the two kinds of writers.

mod columns;
mod generic;
mod held;
mod path;
mod scalar;
mod seed;
mod word;

use traceloom_plan::names::{
    Ident, Writer, digest_name, escape, header_file, kernel_name, padding_kernel_name, source_file,
    unit_file,
};
use traceloom_plan::{FunctionPlan, ProgramPlan};

use super::ast::{Expr, File, Function, FunctionKind, Item, Stmt, Type};
use super::print::print;
use super::{TextFile, kernel};
use crate::compile::banner;

/// All row writers of a program. `unit` names the program in symbols and file
/// names; `digest` is the unit digest.
#[must_use]
pub fn row_writers(plan: &ProgramPlan, unit: &Ident, digest: &[u8; 32]) -> Vec<TextFile> {
    let mut files = Vec::new();
    for function in &plan.functions {
        let name = header_file(unit, &function.symbol);
        files.push(TextFile { text: print(&header(plan, unit, function)), name });
        let name = source_file(unit, &function.symbol);
        files.push(TextFile { text: print(&kernels(plan, unit, function)), name });
    }
    let text = print(&unit_source(plan, unit, digest));
    files.push(TextFile { name: unit_file(unit), text });
    files
}

/// The header of one function:
///
/// ```text
/// namespace traceloom::UNIT::f_fib { enum Column …; struct Path0 { … }; struct Generic { … }; }
/// ```
fn header(plan: &ProgramPlan, unit: &Ident, function: &FunctionPlan) -> File {
    let mut items = columns::items(&function.layout);
    for path in &function.paths {
        items.extend(path::items(function, path));
    }
    items.extend(generic::items(function));
    let inner = Item::Namespace(Ident::new(&*function.symbol), items);
    let inner = Item::Namespace(unit.clone(), vec![inner]);
    File {
        banner: banner(plan, &format!("row writers of function {}.", escape(&function.name))),
        is_header: true,
        includes: vec!["launch.cuh".into()],
        items: vec![Item::Namespace("traceloom".into(), vec![inner])],
    }
}

/// The source file with the entry points of one function:
///
/// ```text
/// TL_KERNEL void tl_fib_f_fib_path0(TlRows rows) {
///   traceloom::write_rows<traceloom::fib::f_fib::Path0>(rows);
/// }
/// ```
fn kernels(plan: &ProgramPlan, unit: &Ident, function: &FunctionPlan) -> File {
    let paths = function.paths.iter().map(|path| Writer::Path(path.path));
    let entry = |writer: Writer| {
        let ty = [unit.as_str(), &function.symbol, &writer.type_name()].map(Ident::new);
        let callee = Expr::Instance("write_rows".into(), vec![Type::Scoped(ty.to_vec())]);
        kernel(&kernel_name(unit, &function.symbol, writer), ("TlRows", "rows"), callee)
    };
    let items = paths.chain([Writer::Generic]).map(entry).collect();
    File {
        banner: banner(plan, &format!("kernels of function {}.", escape(&function.name))),
        is_header: false,
        includes: vec![header_file(unit, &function.symbol)],
        items: vec![Item::Namespace("traceloom".into(), items)],
    }
}

/// The padding kernel and the digest:
///
/// ```text
/// TL_KERNEL void tl_fib_digest(uint64_t *out) {
///   out[0u] = 0x0123456789abcdefull;
///   …
/// ```
fn unit_source(plan: &ProgramPlan, unit: &Ident, digest: &[u8; 32]) -> File {
    let (words, _) = digest.as_chunks::<8>();
    let assign = |(index, word): (usize, &[u8; 8])| {
        let place = Expr::Index(Box::new(Expr::name("out")), Box::new(Expr::Int(index as u64)));
        Stmt::Assign(place, Expr::Int(u64::from_le_bytes(*word)))
    };
    let digest = Item::Function(Function {
        doc: vec!["Unit digest: what these kernels were made from.".into()],
        kind: FunctionKind::Kernel,
        template: Vec::new(),
        name: Ident::new(digest_name(unit)),
        params: vec![(Type::Pointer(Box::new(Type::U64)), "out".into())],
        body: words.iter().enumerate().map(assign).collect(),
    });
    let padding =
        kernel(&padding_kernel_name(unit), ("TlRows", "rows"), Expr::name("write_padding"));
    File {
        banner: banner(plan, "kernels of no function."),
        is_header: false,
        includes: vec!["launch.cuh".into()],
        items: vec![Item::Namespace("traceloom".into(), vec![digest, padding])],
    }
}

/// `static TL_DEVICE void write(const Seed &seed, const Row &row) { body }`
fn write_function(body: Vec<Stmt>) -> Function {
    let reference = |name: &str| Type::ConstRef(Box::new(Type::Named(name.into())));
    Function {
        doc: Vec::new(),
        kind: FunctionKind::Member,
        template: Vec::new(),
        name: "write".into(),
        params: vec![(reference("Seed"), "seed".into()), (reference("Row"), "row".into())],
        body,
    }
}
