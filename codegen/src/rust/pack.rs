//! Seed packers of one path: typed, full, checked.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use traceloom_abi::seed::Meaning;
use traceloom_plan::stores::{Encoding, List, Store, end, stores, stride};
use traceloom_plan::{
    Expr, Fetch, FetchKind, FunctionPlan, PathPlan, Read, ReadSource, Value, ValueNo,
};

use super::names::{Held, Operand, compute, ident, number};
use super::write::op_comment;

/// The packers of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// Typed words.
    Typed,
    /// Eight bytes per word, for the generic writer.
    Full,
    /// Typed, with everything resolved and compared: see [`super::checked`].
    Checked,
}

impl Variant {
    /// Those that units have.
    pub const OF_UNITS: [Self; 2] = [Self::Typed, Self::Full];

    /// The name in emitted text.
    const fn name(self) -> &'static str {
        match self {
            Self::Typed => "typed",
            Self::Full => "full",
            Self::Checked => "checked",
        }
    }

    /// What it writes.
    const fn encoding(self) -> Encoding {
        match self {
            Self::Full => Encoding::Full,
            Self::Typed | Self::Checked => Encoding::Typed,
        }
    }
}

/// `path1_pack_typed`
pub fn packer_name(path: &PathPlan, variant: Variant) -> Ident {
    format_ident!("path{}_pack_{}", path.path, variant.name())
}

/// ```text
/// fn path1_pack_typed(record: &Record, query: usize, seed: &mut [u8; 176]) -> Packed {
///     let own = &record.functions[73];
///     let mut over = 0;
///     // op 5: load 3
///     let load2 = load::<4>(&record.memories[0], own.input(query, 3), 5)?;
///     over |= put::<8>(seed, 0, own.multiplicity(query));
///     over |= own.pack_inputs::<1>(query, 1, &mut seed[16..144]);
///     Ok(over)
/// }
/// ```
pub fn packer(function: &FunctionPlan, path: &PathPlan, variant: Variant) -> TokenStream {
    let name = packer_name(path, variant);
    let (own, index) = (own_list(function), number(function.function));
    let encoding = variant.encoding();
    let stride = stride(function, path, encoding);
    let sources = Sources { values: &path.values, reads: &path.reads, fetches: &path.fetches };
    let mut body = sources.resolve(function, variant);
    if variant == Variant::Checked {
        let last = function.ops.len() as u64 - 1;
        for (i, &output) in path.outputs.iter().enumerate() {
            let (i, op) = (number(i as u64), number(last));
            let found = sources.operand(output).word();
            body.extend(quote! { agree(own.output(query, #i), #found, #op)?; });
        }
    }
    let end = end(function, path, encoding);
    if end < stride {
        let end = number(end as u64);
        body.extend(quote! { seed[#end..].fill(0); });
    }
    if function.layout.of_records() && encoding == Encoding::Full {
        // A record has no multiplicity.
        body.extend(quote! { seed[..8].fill(0); });
    }
    for store in stores(function, path, encoding) {
        body.extend(sources.store(&store, path.path));
    }
    let stride = number(stride as u64);
    quote! {
        fn #name(record: &Record, query: usize, seed: &mut [u8; #stride]) -> Packed {
            let own = &record.#own[#index];
            let mut over = 0;
            #body
            Ok(over)
        }
    }
}

/// The list of the record that has what rows of `function` are made from.
fn own_list(function: &FunctionPlan) -> Ident {
    format_ident!("{}", if function.layout.of_records() { "ops" } else { "functions" })
}

/// Where the words of straight-line code come from.
struct Sources<'a> {
    values: &'a [Value],
    reads: &'a [Read],
    fetches: &'a [Fetch],
}

impl Sources<'_> {
    /// Values and fetches that the variant needs, in order of execution.
    fn resolve(&self, function: &FunctionPlan, variant: Variant) -> TokenStream {
        let checked = variant == Variant::Checked;
        let mut text = TokenStream::new();
        let mut last_op = None;
        let mut fetches = self.fetches.iter().enumerate().peekable();
        for (index, value) in self.values.iter().enumerate() {
            let before = value.op;
            // A fetch stands before the values of its operation and of later ones.
            while let Some((position, fetch)) =
                fetches.next_if(|(_, fetch)| before.is_some_and(|op| fetch.op <= op))
            {
                text.extend(self.fetch(function, position, fetch, checked, &mut last_op));
            }
            let need = if checked { value.need.checker } else { value.need.packer };
            if !need {
                continue;
            }
            let number = ValueNo(index as u32);
            let name = ident(number, value);
            let (right, _) = match value.expr {
                // Read in place; only external words get a name.
                Expr::Seed(Meaning::Read(read)) => (self.read(read), Held::Word),
                Expr::Seed(_) => continue,
                expr => compute(&expr, value.is_integer_when_packing(), |v| self.operand(v)),
            };
            let comment = op_comment(function, value.op, &mut last_op);
            text.extend(quote! { #comment let #name = #right; });
        }
        for (position, fetch) in fetches {
            text.extend(self.fetch(function, position, fetch, checked, &mut last_op));
        }
        text
    }

    fn fetch(
        &self,
        function: &FunctionPlan,
        position: usize,
        fetch: &Fetch,
        checked: bool,
        last_op: &mut Option<u32>,
    ) -> TokenStream {
        if fetch.aliased && !checked {
            return TokenStream::new();
        }
        let comment = op_comment(function, Some(fetch.op), last_op);
        let name = fetch_name(position, fetch);
        let right = fetch_call(fetch, |value| self.operand(value));
        let mut text = quote! { #comment let #name = #right; };
        if fetch.aliased {
            for read in self.reads.iter().filter(|read| is_of(read, position)) {
                let (ReadSource::Fetched { result, .. }, Some(output)) = (read.source, read.alias)
                else {
                    continue;
                };
                let (output, op) = (number(output), number(fetch.op));
                let found = fetch_result(position, fetch, result);
                text.extend(quote! { agree(own.output(query, #output), #found, #op)?; });
            }
            if fetch.num_results == 0 {
                text.extend(quote! { let _ = #name; });
            }
        }
        text
    }

    /// A value as the packer sees it: inputs in place, others by name.
    fn operand(&self, number: ValueNo) -> Operand {
        let value = &self.values[number.index()];
        match value.expr {
            Expr::Seed(Meaning::Read(_)) => {
                let name = ident(number, value);
                Operand { text: quote!(#name), held: Held::Word }
            }
            Expr::Seed(meaning) => Operand { text: self.word(meaning, 0), held: Held::Word },
            _ => {
                let name = ident(number, value);
                let integer = value.is_integer_when_packing();
                let held = if integer { Held::Word } else { Held::Field };
                Operand { text: quote!(#name), held }
            }
        }
    }

    /// The word with this meaning.
    fn word(&self, meaning: Meaning, path: u32) -> TokenStream {
        match meaning {
            Meaning::Multiplicity => quote!(own.multiplicity(query)),
            Meaning::Path => {
                let path = number(path);
                quote!(#path)
            }
            Meaning::Rank => quote!(u64::from(own.rank(query))),
            Meaning::Input(i) => {
                let i = number(i);
                quote!(own.input(query, #i))
            }
            Meaning::Read(read) => self.read(read),
        }
    }

    fn read(&self, read: u32) -> TokenStream {
        let read = &self.reads[read as usize];
        match (read.alias, read.source) {
            (Some(output), _) => {
                let output = number(output);
                quote!(own.output(query, #output))
            }
            (None, ReadSource::CalleeRank(rank)) => {
                let (rank, op) = (number(rank), number(read.op));
                quote!(callee_rank(own, query, #rank, #op)?)
            }
            (None, ReadSource::Fetched { fetch, result }) => {
                fetch_result(fetch as usize, &self.fetches[fetch as usize], result)
            }
        }
    }

    /// Stores one word, or a run of words of one list.
    fn store(&self, store: &Store, path: u32) -> TokenStream {
        let (list, first, words) = match store {
            Store::Word(word) => {
                let (width, offset) = (number(word.width.bytes() as u64), number(word.offset));
                let word = self.word(word.meaning, path);
                return quote! { over |= put::<#width>(seed, #offset, #word); };
            }
            Store::Run { list, first, words } => (*list, number(*first), words),
        };
        let width = words[0].width.bytes();
        let (offset, end) = (words[0].offset, words[0].offset + (words.len() * width) as u32);
        let (width, offset, end) = (number(width as u64), number(offset), number(end));
        match list {
            List::Inputs => {
                quote! { over |= own.pack_inputs::<#width>(query, #first, &mut seed[#offset..#end]); }
            }
            List::Outputs => {
                quote! { over |= own.pack_outputs::<#width>(query, #first, &mut seed[#offset..#end]); }
            }
            List::Fetch(position) => {
                let fetch = &self.fetches[position as usize];
                let name = fetch_name(position as usize, fetch);
                match &fetch.kind {
                    FetchKind::Call { function, .. } => {
                        let table = number(*function);
                        quote! {
                            over |= record.functions[#table]
                                .pack_outputs::<#width>(#name, #first, &mut seed[#offset..#end]);
                        }
                    }
                    _ => quote! {
                        over |= put_all::<#width>(&#name[#first..], &mut seed[#offset..#end]);
                    },
                }
            }
        }
    }
}

fn is_of(read: &Read, position: usize) -> bool {
    matches!(read.source, ReadSource::Fetched { fetch, .. } if fetch as usize == position)
}

/// `call2`: the second fetch, a call.
pub fn fetch_name(position: usize, fetch: &Fetch) -> Ident {
    let kind = match fetch.kind {
        FetchKind::Call { .. } => "call",
        FetchKind::Store { .. } => "stored",
        FetchKind::Load { .. } => "load",
        FetchKind::IoInfo { .. } => "info",
        FetchKind::IoRead { .. } => "io",
        FetchKind::BigUintDivRem { .. } => "div",
    };
    format_ident!("{kind}{position}")
}

/// The right side that looks something up.
pub fn fetch_call(fetch: &Fetch, operand: impl Fn(ValueNo) -> Operand) -> TokenStream {
    let op = number(fetch.op);
    let one = |value: &ValueNo| operand(*value).word();
    let list = |values: &[ValueNo]| {
        let words = values.iter().map(one);
        quote!(&[#(#words),*])
    };
    match &fetch.kind {
        FetchKind::Call { function, args } => {
            let (function, args) = (number(*function), list(args));
            quote!(find_call(&record.functions[#function], #args, #op)?)
        }
        FetchKind::Store { memory, values } => {
            let (memory, values) = (number(*memory), list(values));
            quote!(find_stored(&record.memories[#memory], #values, #op)?)
        }
        FetchKind::Load { memory, pointer } => {
            let (memory, pointer) = (number(*memory), one(pointer));
            let width = number(fetch.num_results);
            quote!(load::<#width>(&record.memories[#memory], #pointer, #op)?)
        }
        FetchKind::IoInfo { channel, key } => {
            let (channel, key) = (one(channel), list(key));
            quote!(io_info(record, #channel, #key, #op)?)
        }
        FetchKind::IoRead { channel, index } => {
            let (channel, index, len) = (one(channel), one(index), number(fetch.num_results));
            quote!(io_words(record, #channel, #index, #len, #op)?)
        }
        FetchKind::BigUintDivRem { memory, a, b } => {
            let (memory, a, b) = (number(*memory), one(a), one(b));
            quote!(div_rem(&record.memories[#memory], #a, #b, #op)?)
        }
    }
}

/// Word `result` of a fetch.
pub fn fetch_result(position: usize, fetch: &Fetch, result: u32) -> TokenStream {
    let (name, result) = (fetch_name(position, fetch), number(result));
    match &fetch.kind {
        FetchKind::Call { function, .. } => {
            let function = number(*function);
            quote!(record.functions[#function].output(#name, #result))
        }
        FetchKind::Store { .. } => quote!(#name),
        _ => quote!(#name[#result]),
    }
}
