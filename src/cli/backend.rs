//! Where proofs are computed. There is one backend so far, and it says so.

use traceloom_cuda::probe;

use super::Failure;
use super::output::Progress;

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
    /// Why it is not a GPU's, where that could have been.
    pub reason: Option<String>,
}

/// Chooses, once; a fallback is said in a line on standard error.
pub fn choose(backend: Backend, progress: &Progress) -> Result<Chosen, Failure> {
    let reason = match (backend, probe::devices()) {
        (Backend::Cpu, _) => None,
        (Backend::Cuda, _) => {
            return Err(Failure::Malformed(
                "--backend cuda: this version commits and proves on the CPU only; use --backend \
                 cpu, and --trace device to have a GPU write the rows"
                    .into(),
            ));
        }
        (Backend::Auto, Ok(_)) => {
            Some("this version proves on no GPU; --trace device has it write the rows".to_owned())
        }
        (Backend::Auto, Err(error)) => Some(error.to_string()),
    };
    if let Some(reason) = &reason {
        progress.note(&format!("proving on the CPU: {reason}"));
    }
    Ok(Chosen { name: Backend::Cpu.name(), reason })
}
