//! Where a proof was computed, and by which version.

use std::fs;
use std::thread::available_parallelism;

use serde_json::{Value, json};
use traceloom_abi::registry::{ABI_VERSION, GENERATOR_VERSION};

/// The machine and the versions. What a system does not state is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Machine {
    /// Threads that computed.
    pub threads: usize,
    /// Model of the first processor.
    pub processor: Option<String>,
    /// Logical processors that the process may use.
    pub cores: Option<usize>,
    /// Bytes of memory.
    pub memory: Option<u64>,
    /// Operating system and architecture.
    pub system: String,
}

impl Machine {
    /// This one, with the threads of the calling thread's pool.
    #[must_use]
    pub fn this() -> Self {
        let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
        Self {
            threads: rayon::current_num_threads(),
            processor: field(&read("/proc/cpuinfo"), "model name").map(str::to_owned),
            cores: available_parallelism().ok().map(usize::from),
            memory: field(&read("/proc/meminfo"), "MemTotal").and_then(kibibytes),
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        }
    }

    /// As JSON, with the versions of this build.
    #[must_use]
    pub fn json(&self) -> Value {
        json!({
            "threads": self.threads,
            "processor": self.processor,
            "cores": self.cores,
            "memory_bytes": self.memory,
            "system": self.system,
            "versions": {
                "traceloom": env!("CARGO_PKG_VERSION"),
                "abi": ABI_VERSION,
                "generator": GENERATOR_VERSION,
                "proof_file": traceloom_verifier::codec::VERSION,
            },
        })
    }
}

fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = text.lines().filter_map(|line| line.split_once(':'));
    lines.find(|(field, _)| field.trim() == name).map(|(_, value)| value.trim())
}

fn kibibytes(text: &str) -> Option<u64> {
    text.strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::{field, kibibytes};

    #[test]
    fn fields_of_the_system_are_read_by_name() {
        let text = "processor\t: 0\nmodel name\t: Some: CPU\nmodel name\t: Other\n";
        assert_eq!(field(text, "model name"), Some("Some: CPU"));
        assert_eq!(field(text, "model"), None);
        assert_eq!(field("MemTotal:   3 kB\n", "MemTotal").and_then(kibibytes), Some(3 * 1024));
        assert_eq!(kibibytes("99999999999999999999 kB"), None);
        assert_eq!(kibibytes("3 MB"), None);
    }
}
