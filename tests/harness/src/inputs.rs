//! Hostile bytes for everything that reads bytes.
//!
//! Each [`Target`] is a function of bytes that must neither panic nor accept what
//! it should not. Fuzzers (`tests/fuzz`), the quick tier and the soak call the same ones.
//! What is accepted is taken further: checked, printed and read again, planned.
//! What a target builds is counted, so that bounds on memory need no clock.

mod files;

use std::ffi::OsString;
use std::sync::OnceLock;

use traceloom::cli;
use traceloom_air::claim::Claim;
use traceloom_air::field::word;
use traceloom_bytecode::import::import as import_nested;
use traceloom_bytecode::lower::{contract, plan_program};
use traceloom_bytecode::model::{Block, Function, Op, Program, ValueId};
use traceloom_bytecode::{CheckedProgram, Malformed, json as json_form, limits, text as text_form};
use traceloom_codegen::compile;
use traceloom_runtime::session::{Expected, Request, Session};
use traceloom_verifier::{Profile, Proof};

pub use files::cli_files;

/// Longest input that is tried.
pub const MAX_LEN: usize = 64 << 10;
/// Size above which an accepted program is not planned: plans are many times
/// larger than programs, and a program may name a million values in a line.
const MAX_PLANNED: usize = 4_000;
/// Size above which no text is emitted: printing costs a hundred times what planning does.
const MAX_EMITTED: usize = 100;
/// Longest list of errors of an input of [`MAX_LEN`].
const MAX_MESSAGES: usize = 8 << 20;
/// Most bytes of a program that an input of [`MAX_LEN`] says. Files are read in 200 MB,
/// and what is read is there about three times while it grows and is checked.
const MAX_HEAP: usize = 60 << 20;
/// Something that reads bytes.
#[derive(Clone, Copy)]
pub struct Target {
    /// Its name, also of its folder in `tests/fuzz/corpus`.
    pub name: &'static str,
    /// Reads bytes; panics if something is wrong. Whether they were accepted.
    pub run: fn(&[u8]) -> bool,
}

/// All targets.
pub const TARGETS: [Target; 6] = [
    Target { name: "text", run: text },
    Target { name: "json", run: json },
    Target { name: "import", run: import },
    Target { name: "proof_decode_verify", run: proof_decode_verify },
    Target { name: "cli_args", run: cli_args },
    Target { name: "cli_files", run: cli_files },
];

/// Program text.
pub fn text(bytes: &[u8]) -> bool {
    accepted(bytes, |bytes| text_form::parse(bytes), text_and_back)
}

fn text_and_back(program: &Program) {
    let printed = text_form::print(program).expect("text has trees only");
    assert_eq!(text_form::parse(&printed).as_ref(), Ok(program), "text and back");
}

/// Flat JSON.
pub fn json(bytes: &[u8]) -> bool {
    accepted(bytes, |bytes| json_form::parse(bytes), json_and_back)
}

/// Nested JSON of another project.
pub fn import(bytes: &[u8]) -> bool {
    let read = |bytes: &[u8]| {
        import_nested(bytes).map(|imported| {
            assert_eq!(imported.layouts.len(), imported.program.functions.len());
            imported.program
        })
    };
    accepted(bytes, read, json_and_back)
}

fn json_and_back(program: &Program) {
    let printed = json_form::print(program);
    assert_eq!(json_form::parse(&printed).as_ref(), Ok(program), "JSON and back");
}

fn accepted(
    bytes: &[u8],
    read: impl Fn(&[u8]) -> Result<Program, Malformed>,
    again: impl FnOnce(&Program),
) -> bool {
    let program = match read(bytes) {
        Ok(program) => program,
        Err(error) => {
            assert!(error.total >= 1 && !error.diagnostics.is_empty(), "an error says why");
            assert!(error.diagnostics.len() <= limits::MAX_DIAGNOSTICS);
            let len = error.to_string().len();
            assert!(len <= MAX_MESSAGES, "{len} bytes of messages");
            return false;
        }
    };
    let size = Size::of(&program);
    // Ranges of names stand for values, and for nothing else.
    let written = size.functions + size.blocks + size.ops;
    assert!(written <= bytes.len(), "{size:?} of {} bytes", bytes.len());
    assert!(size.heap() <= MAX_HEAP, "{} bytes in memory: {size:?}", size.heap());
    again(&program);
    match CheckedProgram::new(program) {
        Ok(checked) if size.all() <= MAX_PLANNED => {
            let plan = plan_program(&checked);
            if let Err(faults) = traceloom_plan::verify(&contract(&checked), &plan) {
                panic!("{faults}");
            }
            if size.all() <= MAX_EMITTED {
                emit(&checked);
            }
        }
        Ok(_) => {}
        Err(error) => assert!(error.total >= 1 && !error.problems.is_empty()),
    }
    true
}

/// Rust and CUDA text of a program, in which no name of a program is left as it was: a
/// line end in one would leave its comment. The emitter parses its own Rust.
fn emit(program: &CheckedProgram) {
    let unit = compile(program).unwrap_or_else(|faults| panic!("{faults}"));
    for (name, text) in unit.files {
        let is_code = !name.ends_with(".json");
        let is_plain = |c: char| c == '\n' || !c.is_control() && (c.is_ascii() || !is_code);
        assert!(text.chars().all(is_plain), "{name}: more than printable ASCII");
        assert!(!name.is_empty() && !name.contains(['/', '\\']), "{name:?} is no file name");
    }
}

/// What a program consists of.
#[derive(Clone, Copy, Debug, Default)]
struct Size {
    functions: usize,
    blocks: usize,
    ops: usize,
    /// Inputs of functions and results of operations.
    values: usize,
    operands: usize,
}

impl Size {
    fn of(program: &Program) -> Self {
        let mut size = Self { functions: program.functions.len(), ..Self::default() };
        for function in &program.functions {
            size.blocks += function.blocks.len();
            size.values += function.num_inputs as usize;
            for op in function.blocks.iter().flat_map(|block| &block.ops) {
                size.ops += 1;
                size.values += op.num_results();
                op.for_each_operand(|_| size.operands += 1);
            }
        }
        size
    }

    fn all(self) -> usize {
        self.functions + self.blocks + self.ops + self.values + self.operands
    }

    /// Bytes in memory: results and inputs are numbers, operands are lists.
    fn heap(self) -> usize {
        self.functions * size_of::<Function>()
            + self.blocks * size_of::<Block>()
            + self.ops * size_of::<Op>()
            + self.operands * size_of::<ValueId>()
    }
}

/// A program whose proof is small, and an honest proof.
pub struct Honest {
    /// The program's session.
    pub session: Session,
    /// The proof's file.
    pub bytes: Vec<u8>,
    /// Fingerprint of the program.
    pub fingerprint: [u8; 32],
}

/// The program of [`Honest`]: x to x², as simple as can be.
const SQUARE: &str =
    "program \"square\"\nfn square(x) -> 1 entry {\n  y = mul x, x\n  return y\n}\nend\n";

/// Made once.
///
/// # Panics
/// If an honest proof cannot be made.
pub fn honest() -> &'static Honest {
    static HONEST: OnceLock<Honest> = OnceLock::new();
    HONEST.get_or_init(|| {
        let session = Session::of_bytes("square", SQUARE).profile(Profile::Fast).build();
        let session = session.expect("the program is valid");
        let proved = session.prove(Request::args([12])).expect("a proof");
        let fingerprint = session.program().fingerprint();
        Honest { session, bytes: proved.bytes, fingerprint }
    })
}

/// A proof file, which is verified for whatever it claims; what is accepted must be
/// true.
pub fn proof_decode_verify(bytes: &[u8]) -> bool {
    let honest = honest();
    let proof = match Proof::decode(bytes) {
        Ok(proof) => proof,
        Err(error) => {
            assert!(error.offset <= bytes.len(), "{error}");
            return false;
        }
    };
    assert_eq!(proof.encode(), bytes, "a file has one spelling");
    // Whatever it claims, any number of times.
    let claims: Vec<Claim> = proof.claims().cloned().collect();
    let expected = Expected::claims(claims.clone());
    if honest.session.verify_proof(&proof, &expected).is_err() {
        return false;
    }
    for claim in &claims {
        let (x, y) = (claim.inputs[0], claim.outputs[0]);
        assert_eq!(word(x * x), word(y), "a proof of something false");
    }
    true
}

/// Arguments of the command line, separated by newlines; on Unix any bytes.
pub fn cli_args(bytes: &[u8]) -> bool {
    let code = cli::check_usage(std::iter::once("traceloom".into()).chain(arguments(bytes)));
    assert!(code == 0 || code == 2, "exit code {code}");
    code == 0
}

/// Lines as arguments.
fn arguments(bytes: &[u8]) -> impl Iterator<Item = OsString> {
    let lines = bytes.strip_suffix(b"\n").unwrap_or(bytes).split(|&byte| byte == b'\n');
    lines.filter(|_| !bytes.is_empty()).map(argument)
}

#[cfg(unix)]
fn argument(line: &[u8]) -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(line.to_vec())
}

#[cfg(not(unix))]
fn argument(line: &[u8]) -> OsString {
    String::from_utf8_lossy(line).into_owned().into()
}
