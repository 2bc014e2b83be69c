//! The file that lists the units of a program.

use quote::{format_ident, quote};
use traceloom_abi::registry::ABI_VERSION;

use super::names::number;
use super::print;
use crate::json::hex;
use crate::plan::ProgramPlan;

/// Text of the module of a program, without its header. Its functions are in
/// files of their symbols beside it.
#[must_use]
pub fn registry(plan: &ProgramPlan, digest: &[u8; 32]) -> String {
    let symbols = plan.functions.iter().map(|function| format_ident!("{}", function.symbol));
    let modules: Vec<_> = symbols.collect();
    let name = plan.name.escape_default().to_string();
    let version = number(ABI_VERSION);
    let (fingerprint, digest) = (hex(&plan.fingerprint), hex(digest));
    print(quote! {
        #(mod #modules;)*

        use traceloom_abi::registry::{FunctionUnit, ProgramUnit, bytes32};

        /// Everything generated for this program.
        pub static PROGRAM: ProgramUnit = ProgramUnit {
            name: #name,
            abi_version: #version,
            fingerprint: bytes32(#fingerprint),
            digest: bytes32(#digest),
            functions: FUNCTIONS,
        };

        static FUNCTIONS: &[FunctionUnit] = &[#(#modules::UNIT),*];
    })
}

/// Text of the module of all programs of a crate, without its header. Each is in
/// a folder of its name.
///
/// # Panics
/// If a name is no identifier.
#[must_use]
pub fn program_list(names: &[&str]) -> String {
    let modules: Vec<_> = names.iter().map(|name| format_ident!("{name}")).collect();
    let docs = names.iter().map(|name| format!(" Units of the program `{name}`."));
    print(quote! {
        #(#[doc = #docs] pub mod #modules;)*

        use traceloom_abi::registry::{DeviceImage, ProgramUnit};

        /// Units of all programs, by name.
        #[allow(dead_code)]
        pub static PROGRAMS: &[&ProgramUnit] = &[#(&#modules::PROGRAM),*];

        /// Compiled device code of these programs; none where the build found no CUDA
        /// compiler.
        #[allow(dead_code)]
        pub static IMAGES: &[DeviceImage] =
            include!(concat!(env!("OUT_DIR"), "/device_images.rs"));
    })
}
