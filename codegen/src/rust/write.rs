//! Scalar writers: a seed in, every cell of the row out.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use traceloom_plan::script::code::{Body, Copied, SeedPlace};
use traceloom_plan::script::{Main, Script};
use traceloom_plan::{
    Class, Column, FunctionPlan, GenericBlock, GenericControl, OpNote, PathPlan, Span,
};

use super::names::number;
use super::script::{Printer, kept_name, region, seed_word};

/// The writers of all paths, the generic writer, and the functions that they call.
pub fn writers(function: &FunctionPlan) -> TokenStream {
    let script = Script::of_writers(function);
    let functions = super::script::functions(function, &script);
    let num_paths = function.paths.len();
    let paths = function.paths.iter().enumerate();
    let paths = paths.map(|(number, path)| path_writer(function, path, &script, number));
    let layout = function.layout;
    let [i, s, a] = [layout.num_inputs, layout.num_selectors, layout.num_auxiliaries].map(number);
    let generic = generic_writer(function, &script, num_paths);
    quote! {
        /// The cells of a row.
        type Row<'a> = Cells<'a, #i, #s, #a>;

        #(#paths)*
        #generic
        #functions
    }
}

fn printer<'a>(function: &'a FunctionPlan, script: &'a Script, main: usize) -> Printer<'a> {
    Printer { plan: function, script, function: None, named: script.named(main) }
}

/// ```text
/// /// Path 1: leaves [1].
/// fn path1_write(seed: &[u8; 176], mut row: Row<'_>) {
///     let row = &mut row;
///     row.selector[0].fill(element(0));
///     copy_words::<1>(seed, 12, &mut row.input[0..129]);
///     // op 0: u8_xor
///     let v3_xor = write_word(&mut row.aux[2], binary(ByteOp::Xor, 0, u8_at(seed, 12), a0));
/// }
/// ```
fn path_writer(
    function: &FunctionPlan,
    path: &PathPlan,
    script: &Script,
    main: usize,
) -> TokenStream {
    let name = format_ident!("path{}_write", path.path);
    let stride = number(path.schema.stride);
    let Main { body, steps } = &script.mains[main];
    let (cells, copies) = (fixed_cells(body), copies(body));
    let steps = printer(function, script, main).steps(steps);
    let leaves = format!(" Path {}: leaves {:?}.", path.path, path.leaves);
    quote! {
        #[doc = #leaves]
        fn #name(seed: &[u8; #stride], mut row: Row<'_>) {
            let row = &mut row;
            #cells
            #steps
            #copies
        }
    }
}

/// Zeros and constants.
fn fixed_cells(body: &Body) -> TokenStream {
    let mut text = zeros(&body.zeros);
    for &(column, word) in &body.constants {
        let (cell, word) = (cell(column), number(word));
        text.extend(quote! { #cell = element(#word); });
    }
    text
}

/// Copies of words of the seed, last as in device code.
fn copies(body: &Body) -> TokenStream {
    body.copies.iter().map(copy).collect()
}

/// `row.aux[3]`.
fn cell(column: Column) -> TokenStream {
    let (region, index) = (region(column.region), number(column.index));
    quote!(#region[#index])
}

/// `row.aux[40..55]`
fn cells(span: Span) -> TokenStream {
    let (array, first) = (region(span.first.region), span.first.index);
    let (first, end) = (number(first), number(first + span.count));
    quote!(#array[#first..#end])
}

/// `row.aux[40..55].fill(element(0));`
fn zeros(spans: &[Span]) -> TokenStream {
    let zero = |span: &Span| {
        if span.count == 1 {
            let cell = cell(span.first);
            quote!(#cell = element(0);)
        } else {
            let cells = cells(*span);
            quote!(#cells.fill(element(0));)
        }
    };
    spans.iter().map(zero).collect()
}

/// `copy_words::<1>(seed, 12, &mut row.input[0..129]);`
fn copy(copied: &Copied) -> TokenStream {
    let offset = match copied.place {
        SeedPlace::At(offset) => {
            let offset = number(offset);
            quote!(#offset)
        }
        SeedPlace::Read(read) => {
            let offset = number(8 * read);
            quote!(reads + #offset)
        }
    };
    match (copied.span.count, copied.place) {
        (1, SeedPlace::At(at)) => {
            let (cell, word) = (cell(copied.span.first), seed_word(copied.width, at));
            quote!(#cell = element(#word);)
        }
        (1, SeedPlace::Read(_)) => {
            let cell = cell(copied.span.first);
            quote!(#cell = element(u64_at(seed, #offset));)
        }
        _ => {
            let (cells, width) = (cells(copied.span), number(copied.width.bytes() as u64));
            quote!(copy_words::<#width>(seed, #offset, &mut #cells);)
        }
    }
}

/// Branches over full seeds. Blocks are the arms of one `match` in a loop, so nothing nests
/// deeper than the text of one block; what several blocks read is kept in arrays.
///
/// ```text
/// fn generic_write(seed: &[u8; 2016], mut row: Row<'_>) -> Result<(), PackError> {
///     let row = &mut row;
///     let mut kept32 = [0; 3];
///     let mut reads = 0;
///     let mut block = 0;
///     loop {
///         match block {
///             0 => { …; block = match kept32[0] { 7 => 1, _ => 2 }; }
///             1 => { …; return Ok(()); }
///             …
/// ```
fn generic_writer(function: &FunctionPlan, script: &Script, first: usize) -> TokenStream {
    let stride = number(function.full.stride() as u64);
    let blocks = &function.generic.blocks;
    let arms = blocks.iter().enumerate().map(|(index, plan)| {
        let text = block(function, script, first + index, plan, index);
        let label = number(index as u64);
        quote! { #label => { #text } }
    });
    let kept = [Class::U32, Class::U64, Class::Field].into_iter().zip(script.num_kept());
    let kept = kept.filter(|&(_, count)| count > 0).map(|(class, count)| {
        let (name, count) = (kept_name(class), number(count));
        let zero = if class == Class::Field { quote!(element(0)) } else { quote!(0) };
        quote! { let mut #name = [#zero; #count]; }
    });
    let has_reads = blocks.iter().any(|block| !block.reads.is_empty());
    let reads = has_reads.then(|| quote!(let mut reads = 0;));
    quote! {
        /// All paths, over full seeds.
        fn generic_write(seed: &[u8; #stride], mut row: Row<'_>) -> Result<(), PackError> {
            let row = &mut row;
            #(#kept)*
            #reads
            let mut block = 0;
            loop {
                match block {
                    #(#arms)*
                    _ => unreachable!("a block of this function"),
                }
            }
        }
    }
}

fn block(
    function: &FunctionPlan,
    script: &Script,
    main: usize,
    plan: &GenericBlock,
    index: usize,
) -> TokenStream {
    let Main { body, steps } = &script.mains[main];
    let printer = printer(function, script, main);
    let mut text = fixed_cells(body);
    text.extend(printer.steps(steps));
    text.extend(copies(body));
    for &(reg, operand) in &body.assigns {
        let name = printer.name(reg);
        let operand = printer.operand(operand);
        let value = match script.regs[reg.index()].ty.class() {
            Class::Field => operand.field(),
            Class::U32 | Class::U64 => operand.word(),
        };
        text.extend(quote!(#name = #value;));
    }
    text.extend(match &plan.control {
        GenericControl::Return { .. } => quote! { return Ok(()); },
        GenericControl::Yield { block, .. } => {
            let block = number(*block);
            quote! { block = #block; }
        }
        GenericControl::Match { cases, default, .. } => {
            let value = body.reads.first().map(|&value| printer.operand(value).word());
            control(function, index, value, cases, *default)
        }
    });
    // Behind the match, whose value may be one of these reads.
    if !plan.reads.is_empty() && !matches!(plan.control, GenericControl::Return { .. }) {
        let bytes = number(8 * plan.reads.len() as u64);
        text.extend(quote! { reads += #bytes; });
    }
    text
}

/// `block = match value { 7 => 1, _ => 2 };`
pub(super) fn control(
    function: &FunctionPlan,
    index: usize,
    value: Option<TokenStream>,
    cases: &[(u64, u32)],
    default: Option<u32>,
) -> TokenStream {
    let arms = cases.iter().map(|&(key, block)| {
        let (key, block) = (number(key), number(block));
        quote! { #key => #block, }
    });
    let default = match default {
        Some(block) => {
            let block = number(block);
            quote!(#block)
        }
        None => {
            let op = number(control_op(function, index));
            quote!(return Err(PackError { op: #op, problem: Problem::NoCase }))
        }
    };
    match value {
        Some(value) if !cases.is_empty() => quote! {
            block = match #value { #(#arms)* _ => #default, };
        },
        _ => quote! { block = #default; },
    }
}

/// Number of the control of block `index`.
fn control_op(function: &FunctionPlan, index: usize) -> u32 {
    let of_block = |note: &OpNote| note.block as usize == index;
    let last = function.ops.iter().rposition(of_block);
    last.expect("every block has a control") as u32
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
