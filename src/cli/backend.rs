//! Where proofs are computed. There is one whole backend so far, and it says so.

use traceloom_cuda::probe;
use traceloom_runtime::provider::TraceProvider;

use super::output::Progress;
use super::{Failure, TraceArgs};

/// What `--backend` asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// The best that there is.
    Auto,
    /// The processor.
    Cpu,
    /// A GPU.
    Cuda,
}

impl Backend {
    const ALL: [Self; 3] = [Self::Cpu, Self::Cuda, Self::Auto];

    const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Cpu => "cpu",
            Self::Cuda => "cuda",
        }
    }
}

/// Parses `--backend`.
pub fn parse(name: &str) -> Result<Backend, String> {
    Backend::ALL.into_iter().find(|backend| backend.name() == name).ok_or_else(|| {
        let names = Backend::ALL.map(Backend::name);
        format!("{name:?} is no backend; there are {}", names.join(", "))
    })
}

/// The backend of a proof, as reports name it.
pub struct Chosen {
    /// Its name.
    pub name: &'static str,
    /// Why it is not a GPU's, or not all of it, where that could have been.
    pub reason: Option<String>,
    /// Rows as the command asks for them, with what the backend says about `auto`.
    pub trace: TraceArgs,
}

/// Chooses, once; a fallback is said in a line on standard error.
///
/// A GPU has only the rows of a proof so far, so `cuda` asks for those and says where
/// the rest is computed.
pub fn choose(backend: Backend, trace: &TraceArgs, progress: &Progress) -> Result<Chosen, Failure> {
    let mut trace = *trace;
    let reason = match (backend, probe::devices()) {
        (Backend::Cpu, _) => None,
        (Backend::Cuda, Err(error)) => {
            return Err(Failure::Refused(format!(
                "--backend cuda: {error}; `traceloom doctor` says what this machine has, and \
                 --backend auto proves on the CPU where there is no GPU"
            )));
        }
        (Backend::Cuda, Ok(_)) if trace.strict => {
            return Err(Failure::Refused(
                "--backend cuda --strict: this version computes commitments and openings on the \
                 CPU only; --trace device --strict has a GPU write all rows of functions"
                    .into(),
            ));
        }
        (Backend::Cuda, Ok(_)) => {
            if trace.trace == TraceProvider::Auto {
                trace.trace = TraceProvider::Device;
            }
            Some("this version has a GPU write the rows, and nothing else of a proof".to_owned())
        }
        (Backend::Auto, Ok(_)) => Some(
            "this version proves on no GPU; --backend cuda or --trace device has it write the rows"
                .to_owned(),
        ),
        (Backend::Auto, Err(error)) => Some(error.to_string()),
    };
    if let Some(reason) = &reason {
        progress.note(&format!("proving on the CPU: {reason}"));
    }
    Ok(Chosen { name: Backend::Cpu.name(), reason, trace })
}
