//! Scalar writer of one path: a typed seed in, every cell of the row out.

use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use traceloom_abi::seed::{SeedWord, Width};
use traceloom_plan::{
    Cell, Column, Expr, FunctionPlan, PathPlan, Region, Span, Value, ValueNo, Write,
};

use super::names::{Held, Operand, compute, ident, number};

/// ```text
/// fn path1_write(seed: &[u8; 176], row: Cells<'_, 129, 2, 407>) {
///     let multiplicity = element(u64_at(seed, 0));
///     row.aux[0] = multiplicity;
///     // op 0: u8_xor 1 2
///     let v3_xor = binary(ByteOp::Xor, 0, input1, input2);
///     row.aux[2] = element(v3_xor);
///     // cells that this path does not use
///     row.selector[1] = element(0);
/// }
/// ```
pub fn writer(function: &FunctionPlan, path: &PathPlan) -> TokenStream {
    let name = format_ident!("path{}_write", path.path);
    let stride = number(path.schema.stride);
    let cells = cells_type(function);
    let mut by_value: BTreeMap<ValueNo, Vec<&Write>> = BTreeMap::new();
    let mut constants = Vec::new();
    for write in &path.writes {
        match write.cell {
            Cell::Value(value) => by_value.entry(value).or_default().push(write),
            Cell::Constant(word) => constants.push((write.column, word)),
        }
    }
    let operand = |value: ValueNo| local(value, &path.values[value.index()]);
    let mut body = TokenStream::new();
    let mut last_op = None;
    for (index, value) in path.values.iter().enumerate() {
        let number = ValueNo(index as u32);
        if !value.need.writer {
            continue;
        }
        let comment = op_comment(function, value.op, &mut last_op);
        let name = ident(number, value);
        let text = match value.expr {
            Expr::Seed(meaning) => {
                let word = path.schema.word(meaning).expect("verified plans read seed words");
                seed_word(word, value)
            }
            expr => compute(&expr, value.is_integer(), operand).0,
        };
        body.extend(quote! { #comment let #name = #text; });
        for write in by_value.get(&number).into_iter().flatten() {
            let cell = cell(write.column);
            let value = operand(number).field();
            body.extend(quote! { #cell = #value; });
        }
    }
    body.extend(constant_cells(&constants));
    let leaves = format!(" Path {}: leaves {:?}.", path.path, path.leaves);
    quote! {
        #[doc = #leaves]
        fn #name(seed: &[u8; #stride], row: #cells) { #body }
    }
}

/// `Cells<'_, 129, 2, 407>`.
pub fn cells_type(function: &FunctionPlan) -> TokenStream {
    let layout = function.layout;
    let [i, s, a] = [layout.num_inputs, layout.num_selectors, layout.num_auxiliaries].map(number);
    quote!(Cells<'_, #i, #s, #a>)
}

/// A value in a local variable.
fn local(number: ValueNo, value: &Value) -> Operand {
    let name = ident(number, value);
    let held = held(value);
    Operand { text: quote!(#name), held }
}

/// How a writer holds a value: results that are small by form stay words.
pub fn held(value: &Value) -> Held {
    if value.is_integer() { Held::Word } else { Held::Field }
}

fn seed_word(word: SeedWord, value: &Value) -> TokenStream {
    let offset = number(word.offset);
    let read = match word.width {
        Width::U8 => quote!(u8_at(seed, #offset)),
        Width::U16 => quote!(u16_at(seed, #offset)),
        Width::U32 => quote!(u32_at(seed, #offset)),
        Width::Full => quote!(u64_at(seed, #offset)),
    };
    if value.is_integer() { read } else { quote!(element(#read)) }
}

/// `row.aux[3]`.
pub fn cell(column: Column) -> TokenStream {
    let (region, index) = (region(column.region), number(column.index));
    quote!(row.#region[#index])
}

fn region(region: Region) -> proc_macro2::Ident {
    match region {
        Region::Input => format_ident!("input"),
        Region::Selector => format_ident!("selector"),
        Region::Auxiliary => format_ident!("aux"),
    }
}

/// Selectors of the path, then zeros by span.
fn constant_cells(constants: &[(Column, u64)]) -> TokenStream {
    let mut text = TokenStream::new();
    for &(column, word) in constants.iter().filter(|(_, word)| *word != 0) {
        let (cell, word) = (cell(column), number(word));
        text.extend(quote! { #[comment = " a leaf of this path"] #cell = element(#word); });
    }
    let zeros = constants.iter().filter(|(_, word)| *word == 0).map(|&(column, _)| column);
    text.extend(zero_spans(&Span::compress(zeros)));
    text
}

/// `row.aux[40..55].fill(element(0));`
pub fn zero_spans(spans: &[Span]) -> TokenStream {
    let mut text = TokenStream::new();
    for (position, span) in spans.iter().enumerate() {
        let comment = (position == 0).then(|| quote!(#[comment = " unused from here on"]));
        let statement = if span.count == 1 {
            let cell = cell(span.first);
            quote!(#cell = element(0);)
        } else {
            let region = region(span.first.region);
            let (first, end) = (number(span.first.index), number(span.first.index + span.count));
            quote!(row.#region[#first..#end].fill(element(0));)
        };
        text.extend(quote!(#comment #statement));
    }
    text
}

/// `// op 3: u8_xor 1 2`, once per operation. Without the number's text where it
/// would be too long for a line.
pub fn op_comment(
    function: &FunctionPlan,
    op: Option<u32>,
    last: &mut Option<u32>,
) -> Option<TokenStream> {
    if op == *last {
        return None;
    }
    *last = op;
    let op = op?;
    let text = &function.ops[op as usize].text;
    let comment = format!(" op {op}: {}", text.chars().take(70).collect::<String>());
    Some(quote!(#[comment = #comment]))
}
