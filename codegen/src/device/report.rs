//! Registers, stack and spills of every kernel, from what the compilers say.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use super::Architecture;

/// What a kernel takes from a processor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// The program.
    pub program: String,
    /// What it was compiled for.
    pub architecture: Architecture,
    /// Its symbol.
    pub name: String,
    /// Registers of a thread, after linking.
    pub registers: u32,
    /// Bytes of stack of a thread.
    pub stack: u32,
    /// Bytes that are stored because registers are short, by the kernel and by all functions of
    /// its file that are not kernels: the kernel may call any of them.
    pub spill_stores: u32,
    /// Bytes of them that are loaded again.
    pub spill_loads: u32,
    /// Bytes of shared memory of a block.
    pub shared: u32,
}

/// What was compiled, and what came of it.
#[derive(Clone, Debug)]
pub struct Report {
    /// The compiler and its version.
    pub compiler: String,
    /// What was compiled for.
    pub architectures: Vec<Architecture>,
    /// The kernels of all programs, those that spill or need most registers first.
    pub kernels: Vec<Kernel>,
    /// Name and bytes of each image.
    pub images: Vec<(String, u64)>,
    /// Number of objects that were compiled.
    pub num_compiled: usize,
    /// Number of objects that were there already.
    pub num_cached: usize,
    /// How long that took.
    pub duration: Duration,
}

impl Report {
    /// One line without the table.
    #[must_use]
    pub fn summary(&self) -> String {
        let architectures: Vec<String> =
            self.architectures.iter().map(ToString::to_string).collect();
        format!(
            "{} for {}: {} objects compiled, {} from the cache, {:.1} s",
            self.compiler,
            architectures.join(" "),
            self.num_compiled,
            self.num_cached,
            self.duration.as_secs_f64()
        )
    }
}

const TITLES: [&str; 8] = [
    "program",
    "architecture",
    "registers",
    "stack",
    "spill stores",
    "spill loads",
    "shared",
    "kernel",
];

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.summary())?;
        for (program, bytes) in &self.images {
            writeln!(f, "{program}: image of {bytes} bytes")?;
        }
        let mut rows = vec![TITLES.map(str::to_owned)];
        rows.extend(self.kernels.iter().map(|kernel| {
            let numbers = [
                kernel.registers,
                kernel.stack,
                kernel.spill_stores,
                kernel.spill_loads,
                kernel.shared,
            ];
            let [registers, stack, stores, loads, shared] = numbers.map(|n| n.to_string());
            let architecture = kernel.architecture.to_string();
            let (program, name) = (kernel.program.clone(), kernel.name.clone());
            [program, architecture, registers, stack, stores, loads, shared, name]
        }));
        let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
        let widths: [usize; 8] = std::array::from_fn(width);
        for row in &rows {
            for (column, (text, width)) in row.iter().zip(widths).enumerate() {
                match column {
                    0 | 1 => write!(f, "{text:<width$}  ")?,
                    7 => writeln!(f, "{text}")?,
                    _ => write!(f, "{text:>width$}  ")?,
                }
            }
        }
        let spilling = self.kernels.iter().filter(|kernel| kernel.spill_stores > 0).count();
        writeln!(f, "{} kernels, {spilling} of them spill", self.kernels.len())
    }
}

/// Those that spill most first, then those with most registers.
pub(super) fn sort(kernels: &mut [Kernel]) {
    fn key(kernel: &Kernel) -> impl Ord {
        let heavy = (Reverse(kernel.spill_stores), Reverse(kernel.registers));
        (heavy, &kernel.program, &kernel.name, kernel.architecture)
    }
    kernels.sort_by(|a, b| key(a).cmp(&key(b)));
}

/// Kernels of a program, from what the assembler says about each file and the
/// linker about all.
pub(super) fn kernels<'a>(
    program: &str,
    architecture: Architecture,
    assembler: impl IntoIterator<Item = &'a str>,
    linker: &str,
) -> Vec<Kernel> {
    let spills: BTreeMap<&str, [u32; 2]> = assembler.into_iter().flat_map(spills).collect();
    let mut kernels = Vec::new();
    let mut subject = None;
    for line in linker.lines() {
        if let Some((_, name)) = line.split_once("Function properties for ") {
            subject = Some(unquoted(name));
        } else if let (Some(name), Some(registers)) = (subject, before(line, "registers")) {
            subject = None;
            // The linker also has functions that kernels call.
            let Some(&[spill_stores, spill_loads]) = spills.get(name) else { continue };
            kernels.push(Kernel {
                program: program.to_owned(),
                architecture,
                name: name.to_owned(),
                registers,
                stack: before(line, "stack").unwrap_or(0),
                spill_stores,
                spill_loads,
                shared: before(line, "bytes smem").unwrap_or(0),
            });
        }
    }
    kernels
}

/// Bytes of spill stores and loads of each kernel that the assembler names, those of
/// functions that are not kernels included.
fn spills(log: &str) -> Vec<(&str, [u32; 2])> {
    let entries = log.lines().filter_map(|line| {
        Some(unquoted(line.split_once("Compiling entry function ")?.1.split(" for ").next()?))
    });
    let entries: Vec<&str> = entries.collect();
    let pairs = log.lines().zip(log.lines().skip(1));
    let functions = pairs.filter_map(|(line, properties)| {
        let name = unquoted(line.split_once("Function properties for ")?.1);
        let spills = ["bytes spill stores", "bytes spill loads"];
        let [stores, loads] = spills.map(|what| before(properties, what));
        Some((name, [stores?, loads?]))
    });
    let (mut kernels, others): (Vec<_>, Vec<_>) =
        functions.partition(|(name, _)| entries.contains(name));
    for (_, called) in others {
        for (_, spills) in &mut kernels {
            *spills = std::array::from_fn(|i| spills[i] + called[i]);
        }
    }
    kernels
}

/// `tl_fib_padding` of `'tl_fib_padding':`
fn unquoted(name: &str) -> &str {
    name.trim_matches(|c: char| c.is_whitespace() || c == '\'' || c == ':')
}

/// 48 of `used 48 registers`
fn before(line: &str, what: &str) -> Option<u32> {
    let (start, _) = line.split_once(&format!(" {what}"))?;
    start.rsplit(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Report, kernels};
    use crate::device::architecture;

    const ASSEMBLER: &str = "\
ptxas info    : 0 bytes gmem
ptxas info    : Function properties for _ZN58_INTERNAL_inverse
    0 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads
ptxas info    : Compile time = 160.718 ms
ptxas info    : Compiling entry function 'tl_generic' for 'sm_90'
ptxas info    : Function properties for tl_generic
    16 bytes stack frame, 12 bytes spill stores, 24 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers
ptxas info    : Compiling entry function 'tl_path0' for 'sm_90'
ptxas info    : Function properties for tl_path0
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 48 registers, used 1 barriers
";

    const LINKER: &str = "\
nvlink info    : 0 bytes gmem
nvlink info    : Function properties for 'tl_path0':
nvlink info    : used 48 registers, used 1 barriers, 0 stack, 5632 bytes smem, 608 bytes cmem[0]
nvlink info    : Function properties for 'tl_generic':
nvlink info    : used 255 registers, used 1 barriers, 16 stack, 0 bytes smem, 608 bytes cmem[0]
nvlink info    : Function properties for '_ZN58_INTERNAL_inverse':
nvlink info    : used 20 registers, 0 stack, 0 bytes smem
";

    #[test]
    fn a_table_of_all_kernels() {
        let known = ["compute_90".to_owned()];
        let architectures = architecture::choose(Some("sm_90"), &known, Vec::new).unwrap();
        let mut kernels = kernels("fib", architectures[0], [ASSEMBLER], LINKER);
        super::sort(&mut kernels);
        let report = Report {
            compiler: "nvcc 13.0.88".into(),
            architectures,
            kernels,
            images: vec![("fib".into(), 400)],
            num_compiled: 1,
            num_cached: 2,
            duration: Duration::from_millis(1_250),
        };
        assert_eq!(
            report.to_string(),
            "nvcc 13.0.88 for sm_90: 1 objects compiled, 2 from the cache, 1.2 s\n\
             fib: image of 400 bytes\n\
             program  architecture  registers  stack  spill stores  spill loads  shared  kernel\n\
             fib      sm_90               255     16            20           32       0  tl_generic\n\
             fib      sm_90                48      0             8            8    5632  tl_path0\n\
             2 kernels, 2 of them spill\n"
        );
    }
}
