//! Names in emitted text. This module chooses each once, for text, registry and images.
//!
//! Names of programs and functions are untrusted; [`symbols`] and [`program_symbol`]
//! make identifiers of them, and everything else is named after these.

mod ident;
mod mangle;

use traceloom_abi::seed::Meaning;

use crate::value::{Expr, Value, ValueNo};

pub use ident::Ident;
pub use mangle::{escape, program_symbol, symbols};

/// Which writer of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writer {
    /// The typed writer of a path number.
    Path(u32),
    /// The generic writer.
    Generic,
}

impl Writer {
    /// `Path3`, `Generic`
    #[must_use]
    pub fn type_name(self) -> String {
        match self {
            Self::Path(path) => format!("Path{path}"),
            Self::Generic => "Generic".into(),
        }
    }

    /// `path3`, `generic`
    fn suffix(self) -> String {
        self.type_name().to_ascii_lowercase()
    }
}

/// Entry point of a row writer: `tl_p_blake3_f_compress_path0`.
#[must_use]
pub fn kernel_name(unit: &Ident, symbol: &str, writer: Writer) -> String {
    format!("tl_{unit}_{symbol}_{}", writer.suffix())
}

/// Entry point that writes zeros to padding rows.
#[must_use]
pub fn padding_kernel_name(unit: &Ident) -> String {
    format!("tl_{unit}_padding")
}

/// Entry point that returns the unit digest: four words, little-endian. It is a kernel, because
/// compilers drop variables that no kernel reads from the symbols of an image.
#[must_use]
pub fn digest_name(unit: &Ident) -> String {
    format!("tl_{unit}_digest")
}

/// Entry point that folds constraints: `tl_p_fib_c_fib_constraints`.
#[must_use]
pub fn constraints_kernel_name(unit: &Ident, symbol: &str) -> String {
    format!("tl_{unit}_{symbol}_constraints")
}

/// Entry point that computes messages: `tl_p_fib_c_fib_lookups`.
#[must_use]
pub fn lookups_kernel_name(unit: &Ident, symbol: &str) -> String {
    format!("tl_{unit}_{symbol}_lookups")
}

/// Symbol of the circuit whose first function has the symbol `first`: `c_fib` of
/// `f_fib`. No function is in two circuits.
#[must_use]
pub fn circuit_symbol(first: &str) -> String {
    format!("c_{}", first.trim_start_matches("f_"))
}

/// File of Rust of a function or circuit.
#[must_use]
pub fn rust_file(symbol: &str) -> String {
    format!("{symbol}.rs")
}

/// Header of device code of a function or circuit.
#[must_use]
pub fn header_file(unit: &Ident, symbol: &str) -> String {
    format!("{unit}_{symbol}.cuh")
}

/// Source file of the kernels of a function or circuit.
#[must_use]
pub fn source_file(unit: &Ident, symbol: &str) -> String {
    format!("{unit}_{symbol}.cu")
}

/// Source file of the kernels that belong to no function.
#[must_use]
pub fn unit_file(unit: &Ident) -> String {
    format!("{unit}.cu")
}

/// The variable of a value in every target: `v12_xor`, `input3`, `multiplicity`.
#[must_use]
pub fn variable(no: ValueNo, value: &Value) -> Ident {
    Ident::new(match value.expr {
        Expr::Seed(Meaning::Multiplicity) => "multiplicity".into(),
        Expr::Seed(Meaning::Path) => "path".into(),
        Expr::Seed(Meaning::Rank) => "rank".into(),
        Expr::Seed(Meaning::Input(i)) => format!("input{i}"),
        // Reads of generic plans are numbered by block, so the value is named.
        expr => format!("v{}_{}", no.0, expr.name()),
    })
}
