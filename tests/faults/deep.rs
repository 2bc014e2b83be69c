//! Programs as deep and as long as a circuit can hold, on a small stack.

use std::fmt::Write as _;
use std::fs;

use tempfile::TempDir;
use traceloom::bytecode::{json, text};

use crate::tools::{crate_folder, shell};

/// A stack of 1 MiB, and 4 GB of address space.
const SMALL: &str = "ulimit -s 1024; ulimit -v 4000000";

/// Matches in each other's default, and one after the other.
fn deep(depth: usize) -> [String; 2] {
    let wrap = |body: String| format!("program \"deep\"\nfn f(x) -> 1 entry {{\n{body}}}\nend\n");
    let (mut nested, mut row) = (String::new(), String::new());
    for i in 0..depth {
        let _ = writeln!(nested, "match x {{\ncase {i} {{ return x }}\ndefault {{");
        let arms = format!("case {i} {{ yield x }}\ndefault {{ yield x }}");
        let _ = writeln!(row, "y{i} = match_continue x {{\n{arms}\n}}");
    }
    [wrap(nested + "return x\n" + &"}\n}\n".repeat(depth)), wrap(row + "return x\n")]
}

/// No command needs a stack as deep as its program: 1 MiB does for all of them. A match in
/// a row takes four columns, of which a circuit has 65,536; one that is nested takes three.
#[test]
fn deep_programs_are_read_or_refused_on_a_small_stack() {
    let folder = TempDir::new().unwrap();
    // Shape, depth, exit code of every command.
    for (shape, depth, expected) in
        [(0, 20_000, 0), (0, 100_000, 1), (1, 16_383, 0), (1, 16_384, 1), (1, 100_000, 1)]
    {
        fs::write(folder.path().join("deep.tla"), &deep(depth)[shape]).unwrap();
        for command in ["inspect", "execute --args 7", "check --args 7", "plan"] {
            let (code, text) = shell(folder.path(), &format!("{SMALL}; $T {command} deep.tla"));
            let start: String = text.chars().take(500).collect();
            assert_eq!(code, Some(expected), "{shape} {depth} {command}: {start}");
            let says = expected == 0 || text.contains("at most 65536 are possible");
            assert!(says, "{shape} {depth} {command}: {start}");
        }
    }
}

/// The same of what takes longer: proofs and emitted text.
#[test]
fn deep_programs_are_proven_and_emitted_on_a_small_stack() {
    let folder = TempDir::new().unwrap();
    crate_folder(folder.path());
    for (shape, source) in deep(1000).into_iter().enumerate() {
        fs::write(folder.path().join("deep.tla"), &source).unwrap();
        let program = text::parse(&source).unwrap();
        fs::write(folder.path().join("programs/fib.json"), json::print(&program)).unwrap();
        for command in [
            "prove deep.tla --args 7 --profile fast --out p.proof",
            "verify p.proof --program deep.tla --profile fast",
            "inspect p.proof",
            "codegen --crate .",
            "codegen --crate . --check",
        ] {
            let (code, text) = shell(folder.path(), &format!("{SMALL}; $T {command}"));
            assert_eq!(code, Some(0), "{shape} {command}: {text}");
        }
    }
}
