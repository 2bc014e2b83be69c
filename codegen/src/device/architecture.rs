//! Processors that device code is compiled for.

use std::fmt;
use std::process::Command;

use super::Failure;

/// The variable that lists architectures.
pub const VARIABLE: &str = "TRACELOOM_CUDA_ARCHS";

/// The oldest architecture that emitted code is written for: Turing.
const OLDEST: u32 = 75;

/// The default if the variable is not set and the machine has no GPU: one architecture as
/// machine code, and text that drivers compile for all others.
const USUAL: [Architecture; 2] =
    [Architecture::machine(90), Architecture { number: OLDEST, variant: None, is_text: true }];

/// Machine code of one architecture, or text that a driver compiles for this one
/// and all later ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Architecture {
    /// Text (PTX) comes after all machine code.
    is_text: bool,
    /// 90 for compute capability 9.0.
    number: u32,
    /// `a` or `f`: code with instructions of this architecture or family only.
    variant: Option<char>,
}

impl Architecture {
    const fn machine(number: u32) -> Self {
        Self { is_text: false, number, variant: None }
    }

    /// Whether it stands for text.
    pub(super) const fn is_text(self) -> bool {
        self.is_text
    }

    /// `90`, `90a`
    pub(super) fn digits(self) -> String {
        self.variant.map_or_else(|| self.number.to_string(), |v| format!("{}{v}", self.number))
    }

    /// The name of its instruction set, as `nvcc --list-gpu-arch` has it.
    fn instruction_set(self) -> String {
        format!("compute_{}", self.number)
    }

    /// `sm_90`, `compute_90`, `90`, with `a` or `f` after it.
    fn parse(entry: &str) -> Result<Self, String> {
        let (is_text, rest) = match (entry.strip_prefix("sm_"), entry.strip_prefix("compute_")) {
            (Some(rest), _) => (false, rest),
            (_, Some(rest)) => (true, rest),
            _ => (false, entry),
        };
        let variant = rest.chars().last().filter(|c| matches!(c, 'a' | 'f'));
        let digits = rest.strip_suffix(['a', 'f']).unwrap_or(rest);
        let is_number =
            (2..=3).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
        let Some(number) = is_number.then(|| digits.parse().ok()).flatten() else {
            return Err("is not an architecture; write sm_90, compute_90, 90 or native".into());
        };
        if number < OLDEST {
            return Err(format!("is too old; the oldest is sm_{OLDEST}"));
        }
        Ok(Self { is_text, number, variant })
    }
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}_{}", if self.is_text { "compute" } else { "sm" }, self.digits())
    }
}

/// The architectures to compile for, each once: those of `list`, else those of the
/// GPUs at hand, else the usual ones. `known` are the instruction sets of the compiler
/// and `local` asks for the GPUs at hand.
///
/// # Errors
/// [`Failure::Architecture`] names the entry of `list` that is at fault.
pub(super) fn choose(
    list: Option<&str>,
    known: &[String],
    local: impl Fn() -> Vec<u32>,
) -> Result<Vec<Architecture>, Failure> {
    let Some(list) = list.filter(|list| !list.trim().is_empty()) else {
        let local = usable(&local(), known);
        return Ok(if local.is_empty() { USUAL.to_vec() } else { local });
    };
    let mut chosen = Vec::new();
    let entries = list.split([',', ';', ' ']).map(str::trim).filter(|entry| !entry.is_empty());
    for entry in entries {
        let failure = |why: String| Failure::Architecture { entry: entry.to_owned(), why };
        if entry == "native" {
            let local = usable(&local(), known);
            if local.is_empty() {
                return Err(failure("stands for the GPUs at hand, and there is none".into()));
            }
            chosen.extend(local);
            continue;
        }
        let architecture = Architecture::parse(entry).map_err(failure)?;
        if !known.contains(&architecture.instruction_set()) {
            let known = known.join(" ");
            return Err(failure(format!("is unknown to this nvcc, which has {known}")));
        }
        chosen.push(architecture);
    }
    chosen.sort_unstable();
    chosen.dedup();
    Ok(chosen)
}

/// What serves these GPUs: their machine code, or, for one that is newer than the
/// compiler, the newest text that it can write.
fn usable(local: &[u32], known: &[String]) -> Vec<Architecture> {
    let known: Vec<u32> =
        known.iter().filter_map(|name| name.strip_prefix("compute_")?.parse().ok()).collect();
    let serve = |&number: &u32| match known.contains(&number) {
        true => Some(Architecture::machine(number)),
        false => {
            let newest = known.iter().copied().filter(|&other| other < number).max()?;
            Some(Architecture { is_text: true, number: newest, variant: None })
        }
    };
    let mut usable: Vec<_> =
        local.iter().filter(|&&number| number >= OLDEST).filter_map(serve).collect();
    usable.sort_unstable();
    usable.dedup();
    usable
}

/// Compute capabilities of the GPUs of this machine; empty if they cannot be found out.
pub(super) fn local() -> Vec<u32> {
    let output = Command::new("nvidia-smi")
        .args(["--query-gpu=compute_cap", "--format=csv,noheader"])
        .output();
    let Ok(output) = output else { return Vec::new() };
    let text = String::from_utf8_lossy(&output.stdout);
    // `9.0` is 90; a driver that does not know the question answers with a sentence.
    text.lines().filter_map(|line| line.trim().replace('.', "").parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::choose;

    fn known() -> Vec<String> {
        [75, 80, 90, 120].map(|number| format!("compute_{number}")).to_vec()
    }

    fn names(list: Option<&str>, local: &[u32]) -> Result<String, String> {
        let chosen = choose(list, &known(), || local.to_vec()).map_err(|e| e.to_string())?;
        Ok(chosen.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn lists_are_read_in_every_spelling() {
        let read = |list| names(Some(list), &[90]).unwrap();
        assert_eq!(read("sm_90"), "sm_90");
        assert_eq!(read("90,80;90 sm_75"), "sm_75 sm_80 sm_90");
        assert_eq!(read("compute_80, 90a"), "sm_90a compute_80");
        assert_eq!(read("native,compute_75"), "sm_90 compute_75");
    }

    #[test]
    fn a_bad_entry_is_named() {
        for (list, parts) in [
            ("sm_90,sm_9x", ["`sm_9x`", "write sm_90"]),
            ("70", ["`70`", "the oldest is sm_75"]),
            ("sm_999", ["`sm_999`", "unknown to this nvcc, which has compute_75"]),
            ("native", ["`native`", "there is none"]),
            ("9.0", ["`9.0`", "is not an architecture"]),
        ] {
            let error = names(Some(list), &[]).unwrap_err();
            for part in parts.iter().chain(&["TRACELOOM_CUDA_ARCHS"]) {
                assert!(error.contains(part), "{list}: {error}");
            }
        }
    }

    #[test]
    fn without_a_list_the_machine_decides() {
        assert_eq!(names(None, &[90, 90, 80]).unwrap(), "sm_80 sm_90");
        assert_eq!(names(None, &[]).unwrap(), "sm_90 compute_75");
        assert_eq!(names(Some(" "), &[]).unwrap(), "sm_90 compute_75");
        // Too old for us; newer than the compiler.
        assert_eq!(names(None, &[60]).unwrap(), "sm_90 compute_75");
        assert_eq!(names(None, &[110]).unwrap(), "compute_90");
    }
}
