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
    let reason = match backend {
        // Nothing of a driver is touched.
        Backend::Cpu => None,
        Backend::Cuda => {
            let refused = |why: &str| Err(Failure::Refused(format!("--backend cuda: {why}")));
            match probe::devices() {
                Err(error) => {
                    return refused(&format!(
                        "{error}; `traceloom doctor` says what this machine has, and --backend \
                         auto proves on the CPU where there is no GPU"
                    ));
                }
                Ok(devices) if devices.iter().all(|info| info.ordinal != trace.device) => {
                    return refused(&format!(
                        "there is no device {}; `traceloom doctor` lists those of this machine",
                        trace.device
                    ));
                }
                Ok(_) if trace.strict => {
                    return refused(
                        "with --strict: this version computes commitments and openings on the \
                         CPU only; --trace device --strict has a GPU write all rows of functions",
                    );
                }
                Ok(_) => {}
            }
            match trace.trace {
                TraceProvider::Auto | TraceProvider::Device => {
                    trace.trace = TraceProvider::Device;
                }
                other => {
                    return Err(Failure::Malformed(format!(
                        "--backend cuda --trace {}: a GPU has only the rows of a proof in this \
                         version, so leave one of the two out",
                        other.name()
                    )));
                }
            }
            Some("this version has a GPU write the rows, and nothing else of a proof".to_owned())
        }
        Backend::Auto => Some(match probe::devices() {
            Ok(_) => "this version proves on no GPU; --backend cuda or --trace device has it \
                      write the rows"
                .to_owned(),
            Err(error) => error.to_string(),
        }),
    };
    if let Some(reason) = &reason {
        progress.note(&format!("proving on the CPU: {reason}"));
    }
    Ok(Chosen { name: Backend::Cpu.name(), reason, trace })
}
