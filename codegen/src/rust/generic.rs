//! The branching writer of a function, and its packer where paths are not numbered.
//!
//! Blocks are the arms of one `match` in a loop, so nothing nests deeper than the
//! text of one block. Values that another block reads are kept in an array, merged
//! values among them; all others are local.

use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use traceloom_abi::seed::Meaning;
use traceloom_plan::kept::{Role, is_header, kept};
use traceloom_plan::{
    Cell, Expr, Fetch, FunctionPlan, GenericBlock, GenericControl, ReadSource, ValueNo,
};

use super::names::{Held, Operand, compute, ident, number};
use super::pack::{fetch_call, fetch_name, fetch_result};
use super::write::{cell, cells_type, op_comment, zero_spans};

/// ```text
/// fn generic_write(seed: &[u8; 2016], row: Cells<'_, 129, 2, 407>) -> Result<(), PackError> {
///     let mut kept = [element(0); 3];
///     let mut reads = 1048;
///     let mut block = 0;
///     loop {
///         match block {
///             0 => { …; block = match word(kept[0]) { 7 => 1, _ => 2 }; }
///             1 => { …; return Ok(()); }
///             …
/// ```
pub fn writer(function: &FunctionPlan) -> TokenStream {
    let (stride, cells) = (number(function.full.stride() as u64), cells_type(function));
    let body = Emitter::new(function, Role::Writer).body();
    quote! {
        fn generic_write(seed: &[u8; #stride], row: #cells) -> Result<(), PackError> { #body }
    }
}

/// The packer of full seeds that finds the path itself.
pub fn packer(function: &FunctionPlan) -> TokenStream {
    let (stride, own) = (number(function.full.stride() as u64), number(function.function));
    let body = Emitter::new(function, Role::Packer).body();
    let offset = |meaning| number(8 * function.full.position(meaning) as u64);
    let rank = function.layout.ranked.then(|| {
        let offset = offset(Meaning::Rank);
        quote! { put::<8>(seed, #offset, u64::from(own.rank(query))); }
    });
    let inputs = (function.layout.num_inputs > 0).then(|| {
        let (first, end) = (offset(Meaning::Input(0)), offset(Meaning::Read(0)));
        quote! { own.pack_inputs::<8>(query, 0, &mut seed[#first..#end]); }
    });
    quote! {
        fn generic_pack(record: &Record, query: usize, seed: &mut [u8; #stride]) -> Packed {
            let own = &record.functions[#own];
            seed.fill(0);
            put::<8>(seed, 0, own.multiplicity(query));
            #rank
            #inputs
            #body
        }
    }
}

struct Emitter<'a> {
    function: &'a FunctionPlan,
    role: Role,
    /// Place of a value that another block reads.
    kept: BTreeMap<ValueNo, usize>,
}

impl<'a> Emitter<'a> {
    fn new(function: &'a FunctionPlan, role: Role) -> Self {
        Self { function, role, kept: kept(function, role).into_iter().zip(0..).collect() }
    }

    fn body(&self) -> TokenStream {
        let plan = &self.function.generic;
        let size = number(self.kept.len() as u64);
        let first = number(8 * self.function.full.position(Meaning::Read(0)) as u64);
        let ranks = self.role == Role::Packer;
        let ranks = ranks.then(|| quote!(let mut ranks = 0;));
        let arms = plan.blocks.iter().enumerate().map(|(index, block)| {
            let (label, text) = (number(index as u64), self.block(index, block));
            quote! { #label => { #text } }
        });
        quote! {
            let mut kept = [element(0); #size];
            let mut reads = #first;
            #ranks
            let mut block = 0;
            loop {
                match block {
                    #(#arms)*
                    _ => unreachable!("a block of this function"),
                }
            }
        }
    }

    fn block(&self, index: usize, block: &GenericBlock) -> TokenStream {
        let plan = &self.function.generic;
        let mut text = TokenStream::new();
        let mut last_op = None;
        let mut fetches = block.fetches.iter().enumerate().peekable();
        for position in block.first_value..block.end_value {
            let (this, value) = (ValueNo(position), &plan.values[position as usize]);
            if self.role == Role::Packer {
                while let Some((at, fetch)) =
                    fetches.next_if(|(_, fetch)| value.op.is_some_and(|op| fetch.op <= op))
                {
                    text.extend(self.fetch(index, block, at, fetch, &mut last_op));
                }
            }
            if !self.role.needs(value) || is_header(value) || matches!(value.expr, Expr::Merged(_))
            {
                continue;
            }
            let name = ident(this, value);
            let (right, held) = match value.expr {
                Expr::Seed(Meaning::Read(read)) => self.read(block, read),
                expr => compute(&expr, value.is_integer(), |v| self.operand(index, v)),
            };
            let comment = op_comment(self.function, value.op, &mut last_op);
            text.extend(quote! { #comment let #name = #right; });
            if let Some(&place) = self.kept.get(&this) {
                let place = number(place as u64);
                let value = Operand { text: quote!(#name), held }.field();
                text.extend(quote! { kept[#place] = #value; });
            }
        }
        if self.role == Role::Packer {
            for (at, fetch) in fetches {
                text.extend(self.fetch(index, block, at, fetch, &mut last_op));
            }
            text.extend(self.store_ranks(block));
        } else {
            text.extend(self.writes(index, block));
        }
        if !block.reads.is_empty() && !matches!(block.control, GenericControl::Return { .. }) {
            let bytes = number(8 * block.reads.len() as u64);
            text.extend(quote! { reads += #bytes; });
        }
        text.extend(self.control(index, block));
        text
    }

    fn writes(&self, index: usize, block: &GenericBlock) -> TokenStream {
        let mut text = TokenStream::new();
        for write in &block.writes {
            let cell = cell(write.column);
            let value = match write.cell {
                Cell::Constant(word) => {
                    let word = number(word);
                    quote!(element(#word))
                }
                Cell::Value(value) => self.operand(index, value).field(),
            };
            text.extend(quote! { #cell = #value; });
        }
        text.extend(zero_spans(&block.zeros));
        text
    }

    fn control(&self, index: usize, block: &GenericBlock) -> TokenStream {
        let plan = &self.function.generic;
        match &block.control {
            GenericControl::Return { .. } => match self.role {
                Role::Writer => quote! { return Ok(()); },
                Role::Packer => quote! { return Ok(0); },
            },
            GenericControl::Yield { values, block } => {
                let first = plan.blocks[*block as usize].first_value;
                let merged = values.iter().enumerate().map(|(i, &value)| {
                    let place = number(self.kept[&ValueNo(first + i as u32)] as u64);
                    let value = self.operand(index, value).field();
                    quote! { kept[#place] = #value; }
                });
                let block = number(*block);
                quote! { #(#merged)* block = #block; }
            }
            GenericControl::Match { value, cases, default, .. } => {
                let arms = cases.iter().map(|&(key, block)| {
                    let (key, block) = (number(key), number(block));
                    quote! { #key => #block, }
                });
                let default = match default {
                    Some(block) => {
                        let block = number(*block);
                        quote!(#block)
                    }
                    None => {
                        let op = number(plan_control_op(self.function, index));
                        quote!(return Err(PackError { op: #op, problem: Problem::NoCase }))
                    }
                };
                if cases.is_empty() {
                    return quote! { block = #default; };
                }
                let value = self.operand(index, *value).word();
                quote! { block = match #value { #(#arms)* _ => #default, }; }
            }
        }
    }

    /// A value as block `index` sees it.
    fn operand(&self, index: usize, this: ValueNo) -> Operand {
        let plan = &self.function.generic;
        let (block, value) = (&plan.blocks[index], &plan.values[this.index()]);
        if let Expr::Seed(meaning) = value.expr
            && is_header(value)
        {
            let text = match (self.role, meaning) {
                (Role::Packer, Meaning::Input(i)) => {
                    let i = number(i);
                    quote!(own.input(query, #i))
                }
                (_, meaning) => {
                    let offset = number(8 * self.function.full.position(meaning) as u64);
                    quote!(u64_at(seed, #offset))
                }
            };
            return Operand { text, held: Held::Word };
        }
        let local = (block.first_value..block.end_value).contains(&this.0);
        if local && !matches!(value.expr, Expr::Merged(_)) {
            let name = ident(this, value);
            let read = matches!(value.expr, Expr::Seed(_));
            let held = if read || value.is_integer() { Held::Word } else { Held::Field };
            return Operand { text: quote!(#name), held };
        }
        let place = number(self.kept[&this] as u64);
        Operand { text: quote!(kept[#place]), held: Held::Field }
    }

    fn read(&self, block: &GenericBlock, read: u32) -> (TokenStream, Held) {
        if self.role == Role::Writer {
            let at = number(8 * u64::from(read));
            return (quote!(u64_at(seed, reads + #at)), Held::Word);
        }
        let source = &block.reads[read as usize];
        let text = match source.source {
            ReadSource::CalleeRank(rank) => {
                let (rank, op) = (number(rank), number(source.op));
                quote!(callee_rank(own, query, ranks + #rank, #op)?)
            }
            ReadSource::Fetched { fetch, result } => {
                fetch_result(fetch as usize, &block.fetches[fetch as usize], result)
            }
        };
        (text, Held::Word)
    }

    /// Looks something up and stores its words.
    fn fetch(
        &self,
        index: usize,
        block: &GenericBlock,
        at: usize,
        fetch: &Fetch,
        last_op: &mut Option<u32>,
    ) -> TokenStream {
        let comment = op_comment(self.function, Some(fetch.op), last_op);
        let name = fetch_name(at, fetch);
        let right = fetch_call(fetch, |value| self.operand(index, value));
        let mut text = quote! { #comment let #name = #right; };
        for (read, source) in block.reads.iter().enumerate() {
            if let ReadSource::Fetched { fetch: of, result } = source.source
                && of as usize == at
            {
                let offset = number(8 * read as u64);
                let word = fetch_result(at, fetch, result);
                text.extend(quote! { put::<8>(seed, reads + #offset, #word); });
            }
        }
        text
    }

    fn store_ranks(&self, block: &GenericBlock) -> TokenStream {
        let mut text = TokenStream::new();
        let mut count = 0_u64;
        for (read, source) in block.reads.iter().enumerate() {
            if let ReadSource::CalleeRank(rank) = source.source {
                let (offset, rank, op) = (number(8 * read as u64), number(rank), number(source.op));
                text.extend(quote! {
                    put::<8>(seed, reads + #offset, callee_rank(own, query, ranks + #rank, #op)?);
                });
                count += 1;
            }
        }
        if count > 0 {
            let count = number(count);
            text.extend(quote! { ranks += #count; });
        }
        text
    }
}

/// Number of the control of block `index`.
fn plan_control_op(function: &FunctionPlan, index: usize) -> u32 {
    let of_block = |note: &traceloom_plan::OpNote| note.block as usize == index;
    let last = function.ops.iter().rposition(of_block);
    last.expect("every block has a control") as u32
}

/// Whether `generic_pack` is there.
pub fn has_packer(function: &FunctionPlan) -> bool {
    function.paths.is_empty()
}

/// Names of the functions of this file, for the registry.
pub fn names() -> [proc_macro2::Ident; 2] {
    [format_ident!("generic_write"), format_ident!("generic_pack")]
}
