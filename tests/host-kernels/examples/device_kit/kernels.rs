//! The kernels of a kit, and the table through which the harness finds them.

use std::fmt::Write;

use traceloom_codegen::cuda::TextFile;
use traceloom_plan::FunctionPlan;
use traceloom_plan::names::Ident;
use traceloom_plan::names::{Writer, kernel_name};

/// Entry points with the 32-bit words of their seeds; jobs name one by position.
#[derive(Default)]
pub struct Kernels(Vec<(String, u32)>);

impl Kernels {
    /// Number of kernels.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Adds a kernel.
    pub fn push(&mut self, name: String, seed_words: u32) {
        self.0.push((name, seed_words));
    }

    /// Position of a kernel.
    ///
    /// # Panics
    /// If there is no such kernel.
    pub fn position(&self, name: &str) -> u64 {
        let position = self.0.iter().position(|(kernel, _)| kernel == name);
        position.unwrap_or_else(|| panic!("{name} is not in the kit")) as u64
    }

    /// Adds the writers of a function.
    pub fn push_function(&mut self, unit: &Ident, function: &FunctionPlan) {
        for (writer, words) in writers(function) {
            self.push(kernel_name(unit, &function.symbol, writer), words);
        }
    }

    /// Adds other forms of the same writers, for comparison, and their source.
    pub fn variants(&mut self, unit: &Ident, function: &FunctionPlan) -> TextFile {
        let symbol = &function.symbol;
        let mut text = format!("#include \"{unit}_{symbol}.cuh\"\n#include \"variants.cuh\"\n\n");
        text.push_str("namespace traceloom {\n");
        for (writer, words) in writers(function) {
            let name = kernel_name(unit, symbol, writer);
            let writer = match writer {
                Writer::Path(path) => format!("{unit}::{symbol}::Path{path}"),
                Writer::Generic => format!("{unit}::{symbol}::Generic"),
            };
            for variant in ["direct", "bounded"] {
                let _ = writeln!(text, "TL_VARIANT_{variant}({variant}_{name}, {writer})");
                self.push(format!("{variant}_{name}"), words);
            }
        }
        text.push_str("}  // namespace traceloom\n");
        TextFile { name: format!("variants_{unit}_{symbol}.cu"), text }
    }

    /// Plain C++: entry points are functions there, which launches name by address.
    pub fn table(&self) -> String {
        let mut text = String::from("#include \"device_abi.h\"\n#include \"jobs.hpp\"\n\n");
        text.push_str("extern \"C\" {\n");
        for (name, _) in &self.0 {
            let _ = writeln!(text, "void {name}(TlRows rows);");
        }
        text.push_str("}\n\nconst std::vector<Kernel> &kernels() {\n");
        text.push_str("  static const std::vector<Kernel> table = {\n");
        for (name, words) in &self.0 {
            let _ = writeln!(text, "    {{\"{name}\", (const void *)&{name}, {words}u}},");
        }
        text.push_str("  };\n  return table;\n}\n");
        text
    }
}

/// The writers of a function with the 32-bit words of their seeds.
fn writers(function: &FunctionPlan) -> impl Iterator<Item = (Writer, u32)> {
    let paths = function.paths.iter().map(|path| (Writer::Path(path.path), path.schema.stride / 4));
    paths.chain([(Writer::Generic, function.full.stride() as u32 / 4)])
}
