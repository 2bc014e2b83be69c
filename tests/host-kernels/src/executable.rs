//! Compiling emitted text as C++ and talking to it.

use std::fmt::Write as _;
use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;
use traceloom_abi::cuda::HEADERS;
use traceloom_air::system::Circuit;
use traceloom_codegen::cuda::TextFile;
use traceloom_codegen::cuda::writer::row_writers;
use traceloom_codegen::evaluator::{self, NamedCircuit};
use traceloom_plan::ProgramPlan;
use traceloom_plan::names::Ident;
use traceloom_plan::names::{
    Writer, constraints_kernel_name, kernel_name, lookups_kernel_name, padding_kernel_name,
};

use crate::job::Job;

/// The handwritten half of the executable.
const HARNESS: &str = include_str!("harness.hpp");

/// What goes into one executable.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// Emitted files.
    pub files: Vec<TextFile>,
    /// Names of row kernels; a job names one by position.
    pub kernels: Vec<String>,
    /// Evaluators; a job names one by position.
    pub evaluators: Vec<EvaluatorSource>,
    /// Whether it is compiled without optimisation: it is large, and run once.
    pub is_run_once: bool,
}

/// An emitted evaluator.
#[derive(Clone, Debug)]
pub struct EvaluatorSource {
    /// The namespace of its functions, inside `traceloom`.
    pub namespace: String,
    /// Names of the kernels that fold its constraints and its lookups.
    pub kernels: [String; 2],
    /// First argument of each lookup among the arguments of all, then their number.
    pub first_arguments: Vec<usize>,
}

impl Sources {
    /// Adds the row writers of a program, called `unit` in symbols.
    pub fn add_rows(&mut self, unit: &Ident, plan: &ProgramPlan) {
        self.files.extend(row_writers(plan, unit, &[7; 32]));
        self.kernels.push(padding_kernel_name(unit));
        for function in &plan.functions {
            let paths = function.paths.iter().map(|path| Writer::Path(path.path));
            for writer in paths.chain([Writer::Generic]) {
                self.kernels.push(kernel_name(unit, &function.symbol, writer));
            }
        }
    }

    /// Adds the evaluators of a circuit, called `name` in symbols; its position in jobs.
    pub fn add_evaluator(&mut self, name: &str, circuit: &Circuit) -> usize {
        let unit = Ident::new("unit");
        let named = NamedCircuit { symbol: name.to_owned(), circuit: circuit.clone() };
        self.files.extend(evaluator::cuda::evaluators(&unit, &named, &[]));
        let mut first_arguments = vec![0];
        for lookup in &circuit.lookups {
            first_arguments.push(first_arguments.last().unwrap_or(&0) + lookup.arguments.len());
        }
        self.evaluators.push(EvaluatorSource {
            namespace: format!("{unit}::{name}"),
            kernels: [constraints_kernel_name(&unit, name), lookups_kernel_name(&unit, name)],
            first_arguments,
        });
        self.evaluators.len() - 1
    }

    /// The position of a row kernel.
    ///
    /// # Panics
    /// If nobody added it.
    #[must_use]
    pub fn kernel(&self, name: &str) -> usize {
        let position = self.kernels.iter().position(|kernel| kernel == name);
        position.unwrap_or_else(|| panic!("{name} was not added"))
    }
}

/// A compiled executable.
pub struct Executable {
    folder: TempDir,
}

impl Executable {
    /// Compiles `sources` with the C++ compiler that `cc` finds.
    ///
    /// # Panics
    /// With the compiler's output if it fails: emitted text must compile.
    #[must_use]
    pub fn compile(sources: &Sources) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let write = |name: &str, text: &str| {
            fs::write(folder.path().join(name), text).expect("the temporary folder is writable");
        };
        for (name, text) in HEADERS {
            write(name, text);
        }
        for file in &sources.files {
            write(&file.name, &file.text);
        }
        write("harness.hpp", HARNESS);
        write("main.cpp", &main_source(sources));
        run_compiler(folder.path(), sources.is_run_once);
        Self { folder }
    }

    /// Runs `jobs` in order in one process; the output of each.
    ///
    /// # Panics
    /// If the process fails or answers with another number of words than a job has.
    #[must_use]
    pub fn run(&self, jobs: &[Job]) -> Vec<Vec<u64>> {
        let mut child = Command::new(self.folder.path().join("kernels"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the compiled executable starts");
        let mut stdin = child.stdin.take().expect("stdin is piped");
        let mut stdout = child.stdout.take().expect("stdout is piped");
        let mut stderr = child.stderr.take().expect("stderr is piped");
        let words: Vec<u8> = jobs.iter().flat_map(Job::words).flat_map(u64::to_le_bytes).collect();
        let (mut output, mut errors) = (Vec::new(), String::new());
        std::thread::scope(|scope| {
            scope.spawn(move || stdin.write_all(&words));
            scope.spawn(|| stderr.read_to_string(&mut errors));
            stdout.read_to_end(&mut output).expect("stdout is readable");
        });
        let status = child.wait().expect("the process ends");
        assert!(status.success(), "{status}\n{errors}");
        let (words, rest) = output.as_chunks::<8>();
        assert!(rest.is_empty(), "whole words come back");
        let mut words = words.iter().map(|word| u64::from_le_bytes(*word));
        let results: Vec<Vec<u64>> =
            jobs.iter().map(|job| words.by_ref().take(job.output_len()).collect()).collect();
        assert!(words.next().is_none(), "no words are left over");
        assert!(results.iter().zip(jobs).all(|(r, job)| r.len() == job.output_len()));
        results
    }
}

fn run_compiler(folder: &Path, is_run_once: bool) {
    let target = target_triple();
    let mut build = cc::Build::new();
    build
        .cpp(true)
        .opt_level(if is_run_once { 0 } else { 1 })
        .target(&target)
        .host(&target)
        .out_dir(folder);
    build.cargo_metadata(false).cargo_debug(false);
    let compiler = build.get_compiler();
    let compile = |sanitize: bool| {
        let mut command = compiler.to_command();
        command.current_dir(folder).args(["-std=c++17", "-Wall", "-Wextra", "-Werror"]);
        if sanitize {
            command.args(["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]);
        }
        command.args([
            "-Wno-unused-function",
            "-Wno-unused-parameter",
            // A program may compare a value with itself, or with what it cannot be.
            "-Wno-tautological-compare",
            "-Wno-type-limits",
            // As in Rust text: a value may have no use but in what is known already.
            "-Wno-unused-variable",
            "main.cpp",
            "-o",
            "kernels",
        ]);
        command.output().expect("a C++ compiler is installed")
    };
    let output = compile(std::env::var_os("TRACELOOM_SANITIZE").is_some());
    let errors = String::from_utf8_lossy(&output.stderr);
    let start: String = errors.chars().take(8_000).collect();
    assert!(output.status.success(), "emitted text does not compile:\n{start}");
}

/// The triple that this crate runs on, which `cc` otherwise reads in build scripts.
fn target_triple() -> String {
    let system = match std::env::consts::OS {
        "macos" => "apple-darwin",
        _ => "unknown-linux-gnu",
    };
    format!("{}-{system}", std::env::consts::ARCH)
}

/// Includes everything and lists the entry points.
fn main_source(sources: &Sources) -> String {
    let mut text = String::from("#include \"harness.hpp\"\n");
    for file in &sources.files {
        let _ = writeln!(text, "#include \"{}\"", file.name);
    }
    text.push_str("static const RowKernel ROW_KERNELS[] = {\n");
    for name in &sources.kernels {
        let _ = writeln!(text, "  &traceloom::{name},");
    }
    text.push_str("  nullptr};\n");
    for (index, evaluator) in sources.evaluators.iter().enumerate() {
        let name = &evaluator.namespace;
        let firsts = evaluator.first_arguments.iter();
        let firsts: Vec<String> = firsts.map(ToString::to_string).collect();
        let _ = writeln!(
            text,
            "static void evaluate_{index}(const traceloom::Cells &cells, Sink &sink) {{\n  \
               static const uint64_t FIRST[] = {{{}}};\n  sink.first_arguments = FIRST;\n  \
               traceloom::{name}::Evaluator::constraints(cells, sink);\n  \
               traceloom::{name}::Evaluator::lookups(cells, sink);\n}}",
            firsts.join(", ")
        );
    }
    text.push_str("static const EvaluatorKernel EVALUATORS[] = {\n");
    for index in 0..sources.evaluators.len() {
        let _ = writeln!(text, "  &evaluate_{index},");
    }
    text.push_str("  nullptr};\n");
    text.push_str("static const FoldKernel FOLD_KERNELS[][2] = {\n");
    for EvaluatorSource { kernels: [constraints, lookups], .. } in &sources.evaluators {
        let _ = writeln!(text, "  {{&traceloom::{constraints}, &traceloom::{lookups}}},");
    }
    text.push_str("  {nullptr, nullptr}};\n");
    text.push_str("int main() { return serve(ROW_KERNELS, EVALUATORS, FOLD_KERNELS); }\n");
    text
}
