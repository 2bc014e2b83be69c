//! What this machine has for a build that runs on the CPU: threads and instructions.

use std::fs;
use std::io;
use std::sync::mpsc::channel;
use std::thread::{self, available_parallelism};

use rayon::ThreadPoolBuilder;

use super::Failure;

/// Starts the threads that everything is computed on, in a process that has none so far. Where the
/// system refuses as many, this thread computes alone, and the note to print is returned.
///
/// The pool of a process can be made once, even if that fails, so threads are tried before.
pub fn start_threads() -> Result<Option<String>, Failure> {
    let told = std::env::var("RAYON_NUM_THREADS").ok().and_then(|text| text.parse().ok());
    let usual = || available_parallelism().map_or(1, usize::from);
    let number = told.filter(|&number: &usize| number > 0).unwrap_or_else(usual);
    let pool = ThreadPoolBuilder::new();
    let (made, note) = match try_threads(number) {
        Ok(()) => (pool.num_threads(number).build_global(), None),
        Err(error) => {
            let note = format!(
                "the system does not start {number} threads ({error}), so one thread computes \
                 everything"
            );
            (pool.num_threads(1).use_current_thread().build_global(), Some(note))
        }
    };
    let failure = |error| Failure::Malformed(format!("the system starts no threads: {error}"));
    made.map(|()| note).map_err(failure)
}

/// Runs as many threads at once, which do nothing.
fn try_threads(number: usize) -> io::Result<()> {
    let mut threads = Vec::new();
    // Threads wait until their sender is gone.
    let mut senders = Vec::new();
    let mut tried = Ok(());
    for _ in 0..number {
        let (sender, receiver) = channel::<()>();
        match thread::Builder::new().spawn(move || receiver.recv().is_ok()) {
            Ok(thread) => threads.push(thread),
            Err(error) => {
                tried = Err(error);
                break;
            }
        }
        senders.push(sender);
    }
    drop(senders);
    for thread in threads {
        let _ = thread.join();
    }
    tried
}

/// Sets of instructions that this build uses without asking, in the names of the system.
const REQUIRED: &[&str] = &[
    #[cfg(target_feature = "avx2")]
    "avx2",
    #[cfg(target_feature = "bmi2")]
    "bmi2",
    #[cfg(target_feature = "fma")]
    "fma",
    #[cfg(target_feature = "avx512f")]
    "avx512f",
];

/// What this build is for: `x86_64 with avx2, bmi2, fma`.
pub fn built_for() -> String {
    match REQUIRED {
        [] => format!("{} without further instructions", std::env::consts::ARCH),
        sets => format!("{} with {}", std::env::consts::ARCH, sets.join(", ")),
    }
}

/// Sets of instructions that this build uses and this processor does not have, if the system
/// states those that it has.
pub fn missing_instructions() -> Vec<&'static str> {
    fs::read_to_string("/proc/cpuinfo").map_or_else(|_| Vec::new(), |text| missing(&text, REQUIRED))
}

fn missing(cpuinfo: &str, required: &[&'static str]) -> Vec<&'static str> {
    let line = cpuinfo.lines().find_map(|line| line.strip_prefix("flags")?.split_once(':'));
    let Some((_, flags)) = line else { return Vec::new() };
    let has = |set: &&&str| flags.split_whitespace().any(|flag| flag == **set);
    required.iter().filter(|set| !has(set)).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::missing;

    #[test]
    fn instructions_that_a_processor_lacks_are_named() {
        let text = "processor\t: 0\nflags\t\t: fpu sse2 avx bmi2\n";
        assert_eq!(missing(text, &["avx2", "bmi2"]), ["avx2"]);
        assert_eq!(missing("Features : neon", &["avx2"]), [] as [&str; 0]);
    }
}
