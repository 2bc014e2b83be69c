//! The file that lists the units of a program.

use quote::{format_ident, quote};
use traceloom_abi::registry::ABI_VERSION;

use super::names::number;
use super::print;
use crate::plan::ProgramPlan;

/// Text of the module of a program, without its header. Its functions are in
/// files of their symbols beside it.
#[must_use]
pub fn registry(plan: &ProgramPlan, digest: &[u8; 32]) -> String {
    let symbols = plan.functions.iter().map(|function| format_ident!("{}", function.symbol));
    let modules: Vec<_> = symbols.collect();
    let name = plan.name.escape_default().to_string();
    let bytes = |bytes: &[u8; 32]| {
        let bytes = bytes.iter().map(|&byte| number(byte));
        quote!([#(#bytes),*])
    };
    let version = number(ABI_VERSION);
    let (fingerprint, digest) = (bytes(&plan.fingerprint), bytes(digest));
    print(quote! {
        #(mod #modules;)*

        use traceloom_abi::registry::{FunctionUnit, ProgramUnit};

        /// Everything generated for this program.
        pub static PROGRAM: ProgramUnit = ProgramUnit {
            name: #name,
            abi_version: #version,
            fingerprint: #fingerprint,
            digest: #digest,
            functions: FUNCTIONS,
        };

        static FUNCTIONS: &[FunctionUnit] = &[#(#modules::UNIT),*];
    })
}
