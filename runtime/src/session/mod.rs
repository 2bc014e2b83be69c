//! The front door: one program, and everything from a request to a verified proof. The command
//! line, examples, benchmarks and tests call it and assemble nothing themselves.
//!
//! ```
//! use traceloom_runtime::session::{Expected, Request, Session};
//!
//! let text = "program \"square\"\nfn square(x) -> 1 entry {\n y = mul x, x\n return y\n}\nend\n";
//! let session = Session::of_bytes("square", text).build()?;
//! let proved = session.prove(Request::args([12]))?;
//! let verified = session.verify(&proved.bytes, &Expected::args([12]).outputs([144]))?;
//! assert_eq!(verified.claims, proved.claims());
//! # Ok::<(), traceloom_runtime::session::SessionError>(())
//! ```
//!
//! - `builder`: what a session is made of; `program`: where its program comes from; `file`:
//!   how files are read;
//! - `request`, `expected`: what is asked for, and what a verifier expects;
//! - `executor`: who executes; `run`: execution, rows and check; `prove`, `verify`: the rest;
//!   `rows`: the record while rows are made of it; `shards`: traces of one shard after the other;
//!   `workers`: who computes them;
//! - `profile`: what a request costs, by function and operation;
//! - `backend`: where a proof is computed; `device`: what may write rows;
//! - `progress`, `results`, `error`: what comes back, all of it as values.
//!
//! A session prints nothing, except `debug` lines of the program if no hook takes them. It runs
//! on the threads of rayon; to choose their number, call it in `rayon::ThreadPool::install`.

mod backend;
mod builder;
mod description;
mod device;
mod error;
mod executor;
mod expected;
mod file;
mod memory;
mod profile;
mod program;
mod progress;
mod prove;
mod request;
mod results;
mod rows;
mod run;
mod shards;
mod verify;
mod workers;

use std::fmt;
use std::sync::OnceLock;

use traceloom_air::claim::Claim;
use traceloom_air::field::word;
use traceloom_air::system::System;
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::advice;
use traceloom_bytecode::system::build_system;
use traceloom_prover::{ProvingKey, SetupError};
use traceloom_verifier::{Params, VerifyingKey};

use crate::check::Words;
use crate::machine::{FrontEnd, Machine};

use builder::Settings;
use executor::Chosen;
use program::Subject;

pub use backend::{Backend, BackendError};
pub use builder::SessionBuilder;
pub use description::Description;
pub use device::{Devices, OnDemand, SharedDevice};
pub use error::{Kind, SessionError, entry_functions};
pub use executor::{ExecutedBy, Executor};
pub use expected::{Difference, Expected, Mismatch};
pub use file::{FileKind, read_input, read_program, read_proof, read_proof_or_program};
pub use memory::{free_memory, peak_memory};
pub use program::is_json;
pub use progress::{Progress, ShardProgress, Step};
pub use request::Request;
pub use results::{Checked, Executed, Proved, Summary, Verified};
pub use run::CheckOptions;

/// A program with everything that depends on it alone. It is made once and used for any number
/// of requests.
pub struct Session {
    place: String,
    subject: Subject,
    /// The program as text, if it was read from text.
    text: Option<Vec<u8>>,
    settings: Settings,
    chosen: OnceLock<Chosen>,
    system: OnceLock<System>,
    proving: OnceLock<Result<ProvingKey, SetupError>>,
    verifying: OnceLock<Result<VerifyingKey, SetupError>>,
}

impl Session {
    fn new(place: String, subject: Subject, text: Option<Vec<u8>>, settings: Settings) -> Self {
        Self {
            place,
            subject,
            text,
            settings,
            chosen: OnceLock::new(),
            system: OnceLock::new(),
            proving: OnceLock::new(),
            verifying: OnceLock::new(),
        }
    }

    /// The program of functions.
    ///
    /// # Panics
    /// If the session is one of a machine, see [`Session::machine`].
    #[must_use]
    pub fn program(&self) -> &CheckedProgram {
        match &self.subject {
            Subject::Functions(program) => program,
            Subject::Machine(machine) => {
                panic!("{} is a machine of op tables and has no functions", machine.name())
            }
        }
    }

    /// The machine, if the session is one of a machine.
    #[must_use]
    pub fn machine(&self) -> Option<&dyn Machine> {
        match &self.subject {
            Subject::Functions(_) => None,
            Subject::Machine(machine) => Some(&**machine),
        }
    }

    /// Its program or its machine, for whoever works with rows.
    #[must_use]
    pub fn front(&self) -> FrontEnd<'_> {
        self.subject.front()
    }

    /// Identity of what is proven: of a program, or of a machine and its guest.
    #[must_use]
    pub fn fingerprint(&self) -> [u8; 32] {
        match &self.subject {
            Subject::Functions(program) => program.fingerprint(),
            Subject::Machine(_) => self.system().fingerprint,
        }
    }

    /// Advice of the program that reaches a use and that nothing ties, with lines and columns if
    /// the program is text. A machine has no advice.
    #[must_use]
    pub fn advice(&self) -> advice::Report {
        let Subject::Functions(program) = &self.subject else { return advice::Report::default() };
        let report = advice::analyse(program);
        match &self.text {
            Some(text) => report.in_text(text),
            None => report,
        }
    }

    /// Names for what fails in a check. A machine names its rows itself.
    fn words(&self) -> Words<'_> {
        match &self.subject {
            Subject::Functions(program) => Words::new(program, self.text.as_deref()),
            Subject::Machine(_) => Words::default(),
        }
    }

    /// The parameters of proofs.
    #[must_use]
    pub fn params(&self) -> &Params {
        &self.settings.params
    }

    /// Who executes: chosen once, before the first execution.
    fn chosen(&self, program: &CheckedProgram) -> &Chosen {
        let Settings { executor, registry, .. } = self.settings;
        self.chosen.get_or_init(|| Chosen::new(executor, program, registry))
    }

    /// Constraints and lookups of all circuits.
    pub fn system(&self) -> &System {
        self.system.get_or_init(|| match &self.subject {
            Subject::Functions(program) => build_system(program),
            Subject::Machine(machine) => machine.system(),
        })
    }

    /// The key that proofs are made with.
    ///
    /// # Errors
    /// [`SessionError::Key`].
    pub fn proving_key(&self) -> Result<&ProvingKey, SessionError> {
        let make = || ProvingKey::new(self.system(), &self.settings.params);
        self.key(self.proving.get_or_init(make))
    }

    /// The key that proofs are verified with; it costs much less than the other one.
    ///
    /// # Errors
    /// [`SessionError::Key`].
    pub fn verifying_key(&self) -> Result<&VerifyingKey, SessionError> {
        if let Some(Ok(key)) = self.proving.get() {
            return Ok(key.verifying_key());
        }
        let make = || Ok(VerifyingKey::new(self.system(), &self.settings.params)?);
        self.key(self.verifying.get_or_init(make))
    }

    /// A claim in words, if the program has a description.
    #[must_use]
    pub fn in_words(&self, claim: &Claim) -> Option<String> {
        let description = self.settings.description.as_ref()?;
        let Subject::Functions(program) = &self.subject else { return None };
        let name = &program.program().functions.get(claim.function as usize)?.name;
        let [inputs, outputs] = [&claim.inputs, &claim.outputs]
            .map(|elements| elements.iter().map(|&x| word(x)).collect::<Vec<_>>());
        description.phrase(name, &inputs, &outputs)
    }

    fn key<'a, K>(&self, made: &'a Result<K, SetupError>) -> Result<&'a K, SessionError> {
        made.as_ref().map_err(|error| SessionError::Key {
            place: self.place.clone(),
            error: Box::new(error.clone()),
        })
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "session of {} ({:?})", self.place, self.front().name())
    }
}
