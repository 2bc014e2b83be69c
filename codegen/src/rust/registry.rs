//! The files that list what was generated.

use std::path::Path;

use quote::{format_ident, quote};
use traceloom_abi::registry::{ABI_VERSION, GENERATOR_VERSION};
use traceloom_plan::ProgramPlan;
use traceloom_plan::hex;
use traceloom_plan::names::{Ident, digest_name, padding_kernel_name};

use super::names::number;
use super::print;

/// What the registry of a program lists.
#[derive(Clone, Copy, Debug)]
pub struct Registry<'a> {
    /// Its functions.
    pub plan: &'a ProgramPlan,
    /// The program in the symbols of kernels.
    pub unit: &'a Ident,
    /// Unit digest.
    pub digest: &'a [u8; 32],
    /// Names of the files of device code.
    pub sources: &'a [String],
    /// Whether the program has a file of executors.
    pub has_executors: bool,
}

impl Registry<'_> {
    /// Text of the module of the program, without its header. Functions are in files
    /// of their symbols beside it, and so is device code.
    ///
    /// ```text
    /// mod execute;
    /// mod f_fibonacci;
    ///
    /// pub static PROGRAM: ProgramUnit = ProgramUnit { …, functions: FUNCTIONS, … };
    ///
    /// static FUNCTIONS: &[FunctionUnit] = &[f_fibonacci::UNIT];
    /// static SOURCES: &[SourceFile] = &[SourceFile { … }];
    /// ```
    #[must_use]
    pub fn text(&self) -> String {
        let functions = self.plan.functions.iter().map(|function| &function.symbol);
        let functions: Vec<_> = functions.map(|symbol| format_ident!("{symbol}")).collect();
        let name = self.plan.name.escape_default().to_string();
        let (abi, generator) = (number(ABI_VERSION), number(GENERATOR_VERSION));
        let (fingerprint, digest) = (hex(&self.plan.fingerprint), hex(self.digest));
        let (padding, digest_kernel) = (padding_kernel_name(self.unit), digest_name(self.unit));
        let sources = self.sources;
        let (execute, executors) = match self.has_executors {
            true => (
                quote!(
                    mod execute;
                ),
                quote!(execute::EXECUTORS),
            ),
            false => (quote!(), quote!(&[])),
        };
        print(quote! {
            #execute
            #(mod #functions;)*

            use traceloom_abi::registry::{FunctionUnit, ProgramUnit, SourceFile, bytes32};

            /// Everything generated for this program.
            pub static PROGRAM: ProgramUnit = ProgramUnit {
                name: #name,
                abi_version: #abi,
                generator_version: #generator,
                fingerprint: bytes32(#fingerprint),
                digest: bytes32(#digest),
                functions: FUNCTIONS,
                executors: #executors,
                sources: SOURCES,
                padding_kernel: #padding,
                digest_kernel: #digest_kernel,
            };

            static FUNCTIONS: &[FunctionUnit] = &[#(#functions::UNIT),*];

            static SOURCES: &[SourceFile] = &[#(
                SourceFile { name: #sources, text: include_str!(#sources) }
            ),*];
        })
    }
}

/// Text of the module of all programs of a crate, without its header. Each is in
/// a folder of its name; its file is relative to the folder of the manifest.
///
/// # Panics
/// If a name is not an identifier.
#[must_use]
pub fn program_list(programs: &[(&str, Option<&str>)]) -> String {
    let names: Vec<&str> = programs.iter().map(|(name, _)| *name).collect();
    let modules: Vec<_> = names.iter().map(|name| format_ident!("{name}")).collect();
    let docs = names.iter().map(|name| format!(" Units of the program `{name}`."));
    let sources = programs.iter().filter_map(|&(name, file)| Some((name, file?)));
    let (sources, files): (Vec<&str>, Vec<&str>) = sources.unzip();
    let files = files.into_iter().map(|file| match Path::new(file).is_absolute() {
        true => quote!(#file),
        false => {
            let file = format!("/{file}");
            quote!(concat!(env!("CARGO_MANIFEST_DIR"), #file))
        }
    });
    print(quote! {
        #(#[doc = #docs] pub mod #modules;)*

        use traceloom_abi::registry::{DeviceImage, ProgramSource, ProgramUnit};

        /// Units of all programs, by name.
        #[allow(dead_code)]
        pub static PROGRAMS: &[&ProgramUnit] = &[#(&#modules::PROGRAM),*];

        /// These programs as text or JSON.
        #[allow(dead_code)]
        pub static SOURCES: &[ProgramSource] = &[#(
            ProgramSource { name: #sources, bytes: include_bytes!(#files) }
        ),*];

        /// Compiled device code of these programs; none where the build found no CUDA
        /// compiler.
        #[allow(dead_code)]
        pub static IMAGES: &[DeviceImage] =
            include!(concat!(env!("OUT_DIR"), "/device_images.rs"));
    })
}
