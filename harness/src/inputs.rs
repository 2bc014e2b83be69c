//! Hostile bytes for everything that reads bytes.
//!
//! Each [`Target`] is a function of bytes that must neither panic nor accept what
//! it should not. Fuzzers (`fuzz/`), the quick tier and the soak call the same ones.
//! What is accepted is taken further: checked, printed and read again, planned.
//! What a target builds is counted, so that bounds on memory need no clock.

use std::ffi::OsString;
use std::sync::OnceLock;

use traceloom::cli;
use traceloom_abi::claim::Claim;
use traceloom_abi::field::word;
use traceloom_bytecode::import::import as import_nested;
use traceloom_bytecode::model::{FunctionId, Op, Program};
use traceloom_bytecode::system::build_system;
use traceloom_bytecode::{CheckedProgram, Malformed, json as json_form, limits, text as text_form};
use traceloom_codegen::plan::plan_program;
use traceloom_prover::{Profile, Proof, ProveOptions, ProvingKey, prove, verify};
use traceloom_runtime::witness::reference_witness;

use crate::case::Case;
use crate::properties;

/// Longest input that is tried.
pub const MAX_LEN: usize = 64 << 10;
/// Size above which an accepted program is not planned: plans are many times
/// larger than programs, and a program may name a million values in a line.
const MAX_PLANNED: usize = 4_000;
/// Longest list of errors of an input of [`MAX_LEN`].
const MAX_MESSAGES: usize = 8 << 20;

/// Something that reads bytes.
#[derive(Clone, Copy)]
pub struct Target {
    /// Its name, also of its folder in `fuzz/corpus`.
    pub name: &'static str,
    /// Reads bytes; panics if something is wrong. Whether they were accepted.
    pub run: fn(&[u8]) -> bool,
}

/// All targets.
pub const TARGETS: [Target; 5] = [
    Target { name: "text", run: text },
    Target { name: "json", run: json },
    Target { name: "import", run: import },
    Target { name: "proof_decode_verify", run: proof_decode_verify },
    Target { name: "cli_args", run: cli_args },
];

/// Program text.
pub fn text(bytes: &[u8]) -> bool {
    accepted(text_form::parse(bytes), |program| {
        let printed = text_form::print(program).expect("text has trees only");
        assert_eq!(text_form::parse(&printed).as_ref(), Ok(program), "text and back");
    })
}

/// Flat JSON.
pub fn json(bytes: &[u8]) -> bool {
    accepted(json_form::parse(bytes), json_and_back)
}

/// Nested JSON of another project.
pub fn import(bytes: &[u8]) -> bool {
    let imported = import_nested(bytes).map(|imported| {
        assert_eq!(imported.layouts.len(), imported.program.functions.len());
        imported.program
    });
    accepted(imported, json_and_back)
}

fn json_and_back(program: &Program) {
    let printed = json_form::print(program);
    assert_eq!(json_form::parse(&printed).as_ref(), Ok(program), "JSON and back");
}

fn accepted(read: Result<Program, Malformed>, again: impl FnOnce(&Program)) -> bool {
    let program = match read {
        Ok(program) => program,
        Err(error) => {
            assert!(error.total >= 1 && !error.diagnostics.is_empty(), "an error says why");
            assert!(error.diagnostics.len() <= limits::MAX_DIAGNOSTICS);
            let len = error.to_string().len();
            assert!(len <= MAX_MESSAGES, "{len} bytes of messages");
            return false;
        }
    };
    let size = size(&program);
    assert!(size <= limits::MAX_VALUES + limits::MAX_OPS + limits::MAX_OPERANDS, "{size}");
    again(&program);
    match CheckedProgram::new(program) {
        Ok(checked) if size <= MAX_PLANNED => {
            let plan = plan_program(&checked);
            if let Err(faults) = traceloom_codegen::verify::verify(&checked, &plan) {
                panic!("{faults}");
            }
        }
        Ok(_) => {}
        Err(error) => assert!(error.total >= 1 && !error.problems.is_empty()),
    }
    true
}

/// Blocks, operations, results and operands of a program.
fn size(program: &Program) -> usize {
    let blocks = program.functions.iter().flat_map(|function| &function.blocks);
    let of_op = |op: &Op| {
        let mut count = 1 + op.num_results();
        op.for_each_operand(|_| count += 1);
        count
    };
    let inputs: usize = program.functions.iter().map(|f| f.num_inputs as usize).sum();
    inputs + blocks.map(|block| 1 + block.ops.iter().map(of_op).sum::<usize>()).sum::<usize>()
}

/// A program whose proof is small: its key, and an honest proof.
pub struct Honest {
    /// The key.
    pub key: ProvingKey,
    /// The proof's file.
    pub bytes: Vec<u8>,
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
        let program = text_form::parse(SQUARE).expect("the text is right");
        let claims = vec![(FunctionId(0), vec![12])];
        let case = Case { seed: 0, program: program.clone(), claims, input: Vec::new() };
        let program = CheckedProgram::new(program).expect("the program is valid");
        let run = properties::execute(&case, &program).expect("it runs");
        let system = build_system(&program);
        let witness = reference_witness(&program, &system, &run.record, run.claims);
        let witness = witness.expect("rows are built");
        let key = ProvingKey::new(&system, &Profile::Fast.params()).expect("a key");
        let proof = prove(&key, vec![witness], &ProveOptions::default()).expect("a proof");
        Honest { key, bytes: proof.0.encode() }
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
    let claims: Vec<Claim> = proof.claims().cloned().collect();
    if verify(honest.key.verifying_key(), &claims, &proof).is_err() {
        return false;
    }
    for claim in &claims {
        let (x, y) = (claim.inputs[0], claim.outputs[0]);
        assert_eq!(word(x * x), word(y), "a proof of something false");
    }
    true
}

/// Arguments of the command line, separated by newlines.
pub fn cli_args(bytes: &[u8]) -> bool {
    let args = String::from_utf8_lossy(bytes);
    let args = std::iter::once("traceloom").chain(args.lines()).map(OsString::from);
    let code = cli::check_usage(args);
    assert!(code == 0 || code == 2, "exit code {code}");
    code == 0
}
