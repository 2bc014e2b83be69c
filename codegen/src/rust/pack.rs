//! Seed packers of paths: typed, full, checked.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use traceloom_abi::seed::Meaning;
use traceloom_plan::script::Script;
use traceloom_plan::script::code::{Operand, Reg, Type};
use traceloom_plan::stores::{Encoding, List, Store, end, stores, stride};
use traceloom_plan::{Fetch, FetchKind, FunctionPlan, PathPlan, ReadSource};

use super::names::{Operand as Text, number};
use super::script::Printer;

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

/// The packers of all paths in these variants, and the functions that they call.
pub fn packers(function: &FunctionPlan, variants: &[Variant]) -> TokenStream {
    let script = Script::of_packers(function, variants.contains(&Variant::Checked));
    let functions = super::script::functions(function, &script);
    let paths = function.paths.iter().enumerate().map(|(main, path)| {
        let packer = Packer {
            function,
            path,
            script: &script,
            main,
            printer: Printer {
                plan: function,
                script: &script,
                function: None,
                named: script.named(main),
            },
        };
        let packers = variants.iter().map(|&variant| packer.packer(variant));
        let find = packer.is_shared().then(|| packer.find());
        quote!(#find #(#packers)*)
    });
    quote!(#(#paths)* #functions)
}

struct Packer<'a> {
    function: &'a FunctionPlan,
    path: &'a PathPlan,
    script: &'a Script,
    main: usize,
    printer: Printer<'a>,
}

impl Packer<'_> {
    /// Whether what a packer looks up is a function, which its variants call.
    fn is_shared(&self) -> bool {
        self.script.mains[self.main].steps.len() > 1
    }

    fn find_name(&self) -> Ident {
        format_ident!("path{}_find", self.path.path)
    }

    /// What stores read of fetches.
    fn found(&self) -> Vec<Reg> {
        let reads = self.script.mains[self.main].body.reads.iter();
        reads.filter_map(|read| read.regs()[0]).collect()
    }

    /// ```text
    /// fn path1_find<'a>(record: &'a Record, own: &QueryTable, query: usize) -> Result<(usize, [u64; 4]), PackError> {
    ///     // op 5: load
    ///     let load2 = load::<4>(&record.memories[0], own.input(query, 3), 5)?;
    ///     …
    ///     Ok((call0, load2))
    /// }
    /// ```
    fn find(&self) -> TokenStream {
        let name = self.find_name();
        let found = self.found();
        let types = found.iter().map(|reg| match self.script.regs[reg.index()].ty {
            Type::Query => quote!(usize),
            Type::Words(count) => {
                let count = number(count);
                quote!([u64; #count])
            }
            Type::Slice => quote!(&'a [u64]),
            Type::Value { .. } => quote!(u64),
        });
        let names = found.iter().map(|&reg| self.printer.name(reg));
        let steps = self.printer.steps(&self.script.mains[self.main].steps);
        quote! {
            fn #name<'a>(
                record: &'a Record,
                own: &QueryTable,
                query: usize,
            ) -> Result<(#(#types,)*), PackError> {
                #steps
                Ok((#(#names,)*))
            }
        }
    }

    /// ```text
    /// fn path1_pack_typed(record: &Record, query: usize, seed: &mut [u8; 176]) -> Packed {
    ///     let own = &record.functions[73];
    ///     let (load2,) = path1_find(record, own, query)?;
    ///     let mut over = put::<8>(seed, 0, own.multiplicity(query));
    ///     over |= own.pack_inputs::<1>(query, 1, &mut seed[16..144]);
    ///     Ok(over)
    /// }
    /// ```
    fn packer(&self, variant: Variant) -> TokenStream {
        let (function, path) = (self.function, self.path);
        let name = packer_name(path, variant);
        let (own, index) = (own_list(function), number(function.function));
        let encoding = variant.encoding();
        let stride = stride(function, path, encoding);
        let mut body = if self.is_shared() {
            let (find, found) = (self.find_name(), self.found());
            let names = found.iter().map(|&reg| self.printer.name(reg));
            quote!(let (#(#names,)*) = #find(record, own, query)?;)
        } else {
            self.printer.steps(&self.script.mains[self.main].steps)
        };
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
            body.extend(self.store(&store));
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

    /// The word with this meaning.
    fn word(&self, meaning: Meaning) -> TokenStream {
        let operand = match meaning {
            Meaning::Multiplicity => Operand::Multiplicity,
            Meaning::Path => Operand::Constant(self.path.path.into()),
            Meaning::Rank => Operand::Rank,
            Meaning::Input(i) => Operand::Input(i),
            Meaning::Read(read) => return self.read(read),
        };
        self.printer.operand(operand).word()
    }

    fn read(&self, read: u32) -> TokenStream {
        let read = &self.path.reads[read as usize];
        match (read.alias, read.source) {
            (Some(output), _) => self.printer.operand(Operand::Output(output)).word(),
            (None, ReadSource::CalleeRank(rank)) => {
                let (rank, op) = (number(rank), number(read.op));
                quote!(callee_rank(own, query, #rank, #op)?)
            }
            (None, ReadSource::Fetched { fetch, result }) => {
                let found = self.script.mains[self.main].body.reads[fetch as usize];
                let found = self.printer.operand(found);
                word_of(&self.path.fetches[fetch as usize], &found, result)
            }
        }
    }

    /// Stores one word, or a run of words of one list.
    fn store(&self, store: &Store) -> TokenStream {
        let (list, first, words) = match store {
            Store::Word(word) => {
                let (width, offset) = (number(word.width.bytes() as u64), number(word.offset));
                let word = self.word(word.meaning);
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
                let found = self.script.mains[self.main].body.reads[position as usize];
                let name = self.printer.operand(found).text;
                match &self.path.fetches[position as usize].kind {
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

/// The list of the record that has what rows of `function` are made from.
fn own_list(function: &FunctionPlan) -> Ident {
    format_ident!("{}", if function.layout.of_records() { "ops" } else { "functions" })
}

/// Word `result` of what a fetch found.
fn word_of(fetch: &Fetch, found: &Text, result: u32) -> TokenStream {
    let (name, result) = (&found.text, number(result));
    match &fetch.kind {
        FetchKind::Call { function, .. } => {
            let function = number(*function);
            quote!(record.functions[#function].output(#name, #result))
        }
        FetchKind::Store { .. } => quote!(#name),
        _ => quote!(#name[#result]),
    }
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
pub fn fetch_call(fetch: &Fetch, operand: impl Fn(traceloom_plan::ValueNo) -> Text) -> TokenStream {
    let op = number(fetch.op);
    let one = |value: &traceloom_plan::ValueNo| operand(*value).word();
    let list = |values: &[traceloom_plan::ValueNo]| {
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
    let name = fetch_name(position, fetch);
    let found = Text { text: quote!(#name), held: super::names::Held::Word };
    word_of(fetch, &found, result)
}
