//! Unit digest: identity of what is generated for a program.
//!
//! BLAKE3 over the canonical encoding of [`traceloom_plan::encode`] (version 1):
//! generator and ABI version, path cap, program fingerprint, then per function its
//! layout, its plans and its seed schemas. Names, notes and the grouping of functions
//! are outside.

use traceloom_abi::registry::{ABI_VERSION, GENERATOR_VERSION};
use traceloom_bytecode::paths::MAX_PATHS;
use traceloom_bytecode::{CheckedProgram, Program};
use traceloom_plan::encode::Encoder;
use traceloom_plan::{FunctionPlan, ProgramPlan};

const DOMAIN: &str = "traceloom unit digest v1";

const INPUT_DOMAIN: &str = "traceloom unit input v1";

/// Digest of what the files of a unit are made from: the program with its names,
/// in its canonical JSON, and the versions of the generator. Not an identity of
/// anything that is proven: it says whether files have to be written again.
#[must_use]
pub fn input_digest(program: &Program) -> [u8; 32] {
    let mut encoder = Encoder::new(blake3::Hasher::new_derive_key(INPUT_DOMAIN));
    encoder.numbers(&[GENERATOR_VERSION.into(), ABI_VERSION.into()]);
    encoder.bytes(traceloom_bytecode::json::print(program).as_bytes());
    encoder.digest()
}

/// The same for the list of all programs of a crate: their names and files.
#[must_use]
pub fn list_digest(programs: &[(&str, Option<&str>)]) -> [u8; 32] {
    let mut encoder = Encoder::new(blake3::Hasher::new_derive_key(INPUT_DOMAIN));
    encoder.numbers(&[GENERATOR_VERSION.into(), ABI_VERSION.into()]);
    encoder.list(programs, |encoder, (name, file)| {
        for text in [name, file.unwrap_or_default()] {
            encoder.number(text.len() as u64);
            encoder.bytes(text.as_bytes());
        }
    });
    encoder.digest()
}

/// The digest of everything generated from `plan`.
#[must_use]
pub fn unit_digest(plan: &ProgramPlan) -> [u8; 32] {
    let mut encoder = unit_encoder();
    encoder.program(plan);
    encoder.digest()
}

/// The same of plans that come one by one, in order.
pub(crate) struct UnitDigest(Encoder);

impl UnitDigest {
    /// The digest of the unit of `program`, before any plan.
    pub fn new(program: &CheckedProgram) -> Self {
        let functions = &program.program().functions;
        let num_outputs: Vec<u32> = functions.iter().map(|f| f.num_outputs).collect();
        let num_plans = functions.iter().filter(|function| function.constrained).count();
        let mut encoder = unit_encoder();
        encoder.head(&program.fingerprint(), &num_outputs, num_plans);
        Self(encoder)
    }

    /// Takes the plan of the next function.
    pub fn function(&mut self, plan: &FunctionPlan) {
        self.0.function(plan);
    }

    /// The digest.
    pub fn finish(self) -> [u8; 32] {
        self.0.digest()
    }
}

fn unit_encoder() -> Encoder {
    let mut encoder = Encoder::new(blake3::Hasher::new_derive_key(DOMAIN));
    encoder.numbers(&[GENERATOR_VERSION.into(), ABI_VERSION.into(), MAX_PATHS as u64]);
    encoder
}
