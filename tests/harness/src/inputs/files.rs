//! Files that the command line is given, whatever they are meant to be.

use tempfile::TempDir;
use traceloom::cli;
use traceloom_bytecode::execute::Limits;
use traceloom_bytecode::import::import;
use traceloom_bytecode::{CheckedProgram, json, text};
use traceloom_verifier::codec::MAGIC;

use super::{MAX_EMITTED, SQUARE, Size, honest};

/// Size above which the command line is not asked for more than to show a program.
const MAX_RUN: usize = 400;

/// A file that the command line is given: as program, as proof, as input of a program,
/// and among the programs of a crate. Whether it can be shown, which is so of programs
/// and proofs.
///
/// # Panics
/// If a folder for it cannot be written, too.
pub fn cli_files(bytes: &[u8]) -> bool {
    let given = Given::new(bytes);
    let shown = given.run("inspect FILE");
    given.run("verify FILE --profile fast --program SQUARE --explain");
    given.run("execute merge_sort --input FILE");
    given.import();
    let is_proof = bytes.starts_with(MAGIC);
    if is_proof {
        let alone = given.run("verify FILE --profile fast");
        assert_ne!(alone.code, 0, "nothing built in has such a proof: {}", alone.out);
        return shown.code == 0;
    }
    let program = match is_json(bytes) {
        true => json::parse(bytes),
        false => text::parse(bytes),
    };
    let checked = program.map(CheckedProgram::new);
    let expected = match &checked {
        Err(_) => 2,
        Ok(Err(_)) => 1,
        Ok(Ok(_)) => 0,
    };
    // What has no trees has no text, and cannot be shown.
    assert!(shown.code == expected || (shown.code, expected) == (1, 0), "{}", shown.err);
    given.run_program(checked.ok().and_then(Result::ok).as_ref(), expected);
    shown.code == 0
}

/// Whether the command line takes this for JSON.
fn is_json(bytes: &[u8]) -> bool {
    bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{')
}

/// A folder with a file of these bytes, and with what else commands need.
struct Given<'a> {
    folder: TempDir,
    bytes: &'a [u8],
}

impl<'a> Given<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        let folder = TempDir::new().expect("a folder for files");
        for (name, bytes) in [("FILE", bytes), ("SQUARE", SQUARE.as_bytes())] {
            std::fs::write(folder.path().join(name), bytes).expect("a file is written");
        }
        Self { folder, bytes }
    }

    /// Runs a command line in which words in capitals are files.
    fn run(&self, line: &str) -> cli::Ran {
        let is_file = |word: &str| word.bytes().all(|byte| byte.is_ascii_uppercase());
        let words = line.split(' ').map(|word| match is_file(word) {
            true => self.folder.path().join(word).into_os_string(),
            false => word.into(),
        });
        let limits = Limits {
            steps: 1 << 14,
            queries: 1 << 12,
            pointers: 1 << 12,
            bytes: 1 << 24,
            depth: 1 << 10,
        };
        let ran = cli::run_kept(std::iter::once("traceloom".into()).chain(words), &limits);
        let printed = [&ran.out, &ran.err].map(|text| text.escape_debug().to_string());
        assert!(ran.code <= 2, "{line}: exit code {}", ran.code);
        assert_eq!(ran.code != 0, ran.err.contains("error: "), "{line}: {}", printed[1]);
        for text in [&ran.out, &ran.err] {
            let is_plain = |c: char| c == '\n' || !c.is_control();
            assert!(text.chars().all(is_plain), "{line}: raw to a terminal: {printed:?}");
        }
        ran
    }

    /// Imports the file: what is written can be loaded, and nothing is where that failed.
    fn import(&self) {
        let expected =
            match import(self.bytes).map(|imported| CheckedProgram::new(imported.program)) {
                Err(_) => 2,
                Ok(Err(_)) => 1,
                Ok(Ok(_)) => 0,
            };
        let imported = self.run("import FILE --out IMPORTED");
        assert_eq!(imported.code, expected, "{}", imported.err);
        assert_eq!(self.folder.path().join("IMPORTED").exists(), expected == 0);
        if expected == 0 {
            let shown = self.run("inspect IMPORTED");
            assert_eq!(shown.code, 0, "{}", shown.err);
        }
    }

    /// What commands say of a program that can be loaded, or about one that cannot and ends
    /// all of them with the same exit code.
    fn run_program(&self, program: Option<&CheckedProgram>, expected: u8) {
        let size = program.map_or(0, |program| Size::of(program.program()).all());
        if size > MAX_RUN {
            return;
        }
        assert_eq!(self.run("plan FILE").code, expected);
        let args = program.map_or_else(String::new, |program| {
            let entry = program.program().functions.iter().find(|function| function.entry);
            let num_inputs = entry.map_or(0, |entry| entry.num_inputs);
            (1..=num_inputs).map(|i| i.to_string()).collect::<Vec<_>>().join(",")
        });
        let executed = self.run(&format!("execute FILE --args={args}"));
        let checked = self.run(&format!("check FILE --args={args}"));
        assert!(executed.code >= expected, "{}", executed.err);
        assert_eq!(checked.code, executed.code, "{}\n{}", executed.err, checked.err);
        self.run("execute FILE --input FILE");
        std::fs::write(self.folder.path().join("PROOF"), &honest().bytes).expect("a file");
        let verified = self.run("verify PROOF --profile fast --program FILE");
        let square = honest().fingerprint;
        let is_square = program.is_some_and(|program| program.fingerprint() == square);
        assert_eq!(verified.code == 0, is_square, "{}", verified.err);
        if is_json(self.bytes) && size <= MAX_EMITTED {
            self.check_units();
        }
    }

    /// The file as a program of a crate that has no units yet.
    fn check_units(&self) {
        let root = self.folder.path().join("CRATE");
        std::fs::create_dir_all(root.join("programs")).expect("a folder");
        std::fs::write(root.join("Cargo.toml"), "").expect("a file");
        std::fs::write(root.join("programs/file.json"), self.bytes).expect("a file");
        let missing = self.run("codegen --check --crate CRATE");
        assert_eq!(missing.code, 1, "{}", missing.err);
    }
}
