//! Rust text of packers and writers: one file per function, and the files that list everything.
//! [`checked`] packers are printed here too, but are not part of units.
//!
//! Everything here prints what a plan says: tokens by `quote`, layout by
//! prettyplease. Comments are `#[comment = "…"]` attributes, which prettyplease
//! prints as `//` lines.

pub mod checked;
mod generic;
mod names;
mod pack;
mod registry;
mod write;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use traceloom_abi::seed::{Meaning, OwnedSchema, Width};

pub(crate) use names::number;
use pack::Variant;
use traceloom_plan::hex;
use traceloom_plan::names::{Ident, Writer, kernel_name};
use traceloom_plan::{FunctionPlan, PathPlan};

pub use registry::{Registry, program_list};

/// Text of the file of `function`, without its header. `unit` names the program in
/// the symbols of kernels; `contract` is the function's contract digest.
///
/// # Panics
/// If the emitted tokens are not Rust: our own fault.
#[must_use]
pub fn function_file(unit: &Ident, function: &FunctionPlan, contract: &[u8; 32]) -> String {
    print(function_tokens(unit, function, contract))
}

/// Formats tokens.
pub(crate) fn print(tokens: TokenStream) -> String {
    let file = syn::parse2(tokens).expect("emitted tokens are Rust");
    prettyplease::unparse(&file)
}

fn function_tokens(unit: &Ident, function: &FunctionPlan, contract: &[u8; 32]) -> TokenStream {
    let paths = function.paths.iter().map(|path| path_tokens(function, path));
    let [generic_write, generic_pack] = generic::names();
    let generic = generic::writer(function);
    let packer = generic::has_packer(function).then(|| generic::packer(function));
    let generic_packs = match generic::has_packer(function) {
        true => quote! {
            Some(|r, q, s| pack_rows(r, q, s, #generic_pack))
        },
        false => quote!(None),
    };
    let layout = function.layout;
    let [i, s, a, l] =
        [layout.num_inputs, layout.num_selectors, layout.num_auxiliaries, layout.num_lookups]
            .map(number);
    let (symbol, index) = (&function.symbol, number(function.function));
    let contract = hex(contract);
    let full = function.full;
    let (ranked, words, reads) = (full.ranked, number(full.num_inputs), number(full.max_reads));
    let units = function.paths.iter().map(|path| path_unit(unit, function, path));
    let kernel = kernel_name(unit, &function.symbol, Writer::Generic);
    quote! {
        #![allow(unused_assignments, unused_imports, unused_mut, unused_variables, clippy::all)]
        use traceloom_abi::bytes::ByteOp;
        use traceloom_abi::field::{Goldilocks, element, word};
        use traceloom_abi::pack::*;
        use traceloom_abi::record::Record;
        use traceloom_abi::registry::{FunctionUnit, GenericUnit, PathUnit, UnitLayout, bytes32};
        use traceloom_abi::row::*;
        use traceloom_abi::seed::Meaning::{Input, Multiplicity, Path, Rank, Read};
        use traceloom_abi::seed::Width::{Full, U8, U16, U32};
        use traceloom_abi::seed::{FullLayout, SeedSchema, SeedWord};

        type Packed = Result<u64, PackError>;

        /// Everything in this file.
        pub const UNIT: FunctionUnit = FunctionUnit {
            symbol: #symbol,
            function: #index,
            contract: bytes32(#contract),
            layout: UnitLayout {
                num_inputs: #i,
                num_selectors: #s,
                num_auxiliaries: #a,
                num_lookups: #l,
            },
            full: FullLayout { ranked: #ranked, num_inputs: #words, max_reads: #reads },
            paths: &[#(#units),*],
            generic: GenericUnit {
                pack: #generic_packs,
                write: |s, r, shape| write_generic_rows(s, r, shape, #generic_write),
                kernel: #kernel,
            },
        };

        #(#paths)*

        #packer
        #generic
    }
}

fn path_tokens(function: &FunctionPlan, path: &PathPlan) -> TokenStream {
    let schema = schema_tokens(path);
    let packers = Variant::OF_UNITS.map(|variant| pack::packer(function, path, variant));
    let writer = write::writer(function, path);
    quote! { #schema #(#packers)* #writer }
}

/// Names of a path's schema: `PATH1_WORDS`.
fn schema_name(path: &PathPlan) -> proc_macro2::Ident {
    format_ident!("PATH{}_WORDS", path.path)
}

fn schema_tokens(path: &PathPlan) -> TokenStream {
    let OwnedSchema { words, .. } = &path.schema;
    let name = schema_name(path);
    let count = number(words.len() as u64);
    let words = words.iter().map(|word| {
        let meaning = meaning_tokens(word.meaning);
        let width = match word.width {
            Width::U8 => quote!(U8),
            Width::U16 => quote!(U16),
            Width::U32 => quote!(U32),
            Width::Full => quote!(Full),
        };
        let offset = number(word.offset);
        quote!(SeedWord::at(#offset, #width, #meaning))
    });
    quote! { static #name: [SeedWord; #count] = [#(#words),*]; }
}

fn meaning_tokens(meaning: Meaning) -> TokenStream {
    match meaning {
        Meaning::Multiplicity => quote!(Multiplicity),
        Meaning::Path => quote!(Path),
        Meaning::Rank => quote!(Rank),
        Meaning::Input(i) => {
            let i = number(i);
            quote!(Input(#i))
        }
        Meaning::Read(read) => {
            let read = number(read);
            quote!(Read(#read))
        }
    }
}

fn path_unit(unit: &Ident, function: &FunctionPlan, path: &PathPlan) -> TokenStream {
    let leaves = path.leaves.iter().map(|&leaf| number(leaf));
    let (words, stride) = (schema_name(path), number(path.schema.stride));
    let [typed, full] = Variant::OF_UNITS.map(|variant| pack::packer_name(path, variant));
    let write = format_ident!("path{}_write", path.path);
    let kernel = kernel_name(unit, &function.symbol, Writer::Path(path.path));
    quote! {
        PathUnit {
            leaves: &[#(#leaves),*],
            schema: SeedSchema { words: &#words, stride: #stride },
            pack_typed: |r, q, s| pack_rows(r, q, s, #typed),
            pack_full: |r, q, s| pack_rows(r, q, s, #full),
            write: |s, r, shape| write_rows(s, r, shape, #write),
            kernel: #kernel,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `quote!` drops comments; this is the way around it, so it is pinned.
    #[test]
    fn comment_attributes_are_printed_as_comments() {
        let text = print(quote! {
            fn f() {
                #[comment = " op 0: const 3"]
                let x = 3;
                #[comment = " unused from here on"]
                row.aux[1] = element(0);
            }
        });
        assert!(text.contains("    // op 0: const 3\n    let x = 3;"), "{text}");
        assert!(text.contains("    // unused from here on\n    row.aux[1] ="), "{text}");
    }
}
