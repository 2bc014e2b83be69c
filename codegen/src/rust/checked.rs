//! Checked packers: typed seeds, with every operation of the path resolved and its
//! results compared with the record. Tests compile them beside the unit of the same
//! plan and compare the seeds; units have none, since no proof uses them.

use quote::{format_ident, quote};
use traceloom_plan::{FunctionPlan, ProgramPlan};

use super::names::number;
use super::pack::{Variant, packer, packer_name};
use super::print;

/// Text of a module with the checked packers of all paths of a program, by function
/// index and path number:
///
/// ```text
/// pub static CHECKED: &[(u32, &[Pack])] = &[(0, f_fibonacci::CHECKED)];
///
/// mod f_fibonacci { … }
/// ```
///
/// # Panics
/// If the emitted tokens are not Rust: our own fault.
#[must_use]
pub fn program_text(plan: &ProgramPlan) -> String {
    let functions = plan.functions.iter();
    let symbols: Vec<_> =
        functions.clone().map(|function| format_ident!("{}", function.symbol)).collect();
    let indices = functions.clone().map(|function| number(function.function));
    let modules = functions.map(function_tokens);
    print(quote! {
        use traceloom_abi::registry::Pack;

        /// Checked packers by function index and path number.
        pub static CHECKED: &[(u32, &[Pack])] = &[#((#indices, #symbols::CHECKED)),*];

        #(mod #symbols { #modules })*
    })
}

fn function_tokens(function: &FunctionPlan) -> proc_macro2::TokenStream {
    let names = function.paths.iter().map(|path| packer_name(path, Variant::Checked));
    let packers = function.paths.iter().map(|path| packer(function, path, Variant::Checked));
    quote! {
        #![allow(unused_imports, unused_mut, unused_variables, clippy::all)]
        use traceloom_abi::bytes::ByteOp;
        use traceloom_abi::field::{Goldilocks, element, word};
        use traceloom_abi::pack::*;
        use traceloom_abi::record::Record;
        use traceloom_abi::registry::Pack;
        use traceloom_abi::row::*;

        type Packed = Result<u64, PackError>;

        pub static CHECKED: &[Pack] = &[#(|r, q, s| pack_rows(r, q, s, #names)),*];

        #(#packers)*
    }
}
