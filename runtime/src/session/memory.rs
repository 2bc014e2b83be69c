//! The memory of this machine, which plans and limits are compared with.

use std::fs;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::report::Sample;

/// Bytes of memory that a process may still take, if the system states it: what is free on the
/// machine, or what its group of processes may still use, whichever is less.
#[must_use]
pub fn free_memory() -> Option<u64> {
    let read = |path: &str| fs::read_to_string(path).ok();
    let machine = read("/proc/meminfo").and_then(|text| available(&text));
    let number = |path: &str| read(path)?.trim().parse::<u64>().ok();
    let group = number("/sys/fs/cgroup/memory.max")
        .zip(number("/sys/fs/cgroup/memory.current"))
        .map(|(most, used)| most.saturating_sub(used));
    [machine, group].into_iter().flatten().min()
}

/// Peak of this process's memory so far, in bytes, if the system states it.
#[must_use]
pub fn peak_memory() -> Option<u64> {
    status("VmHWM:")
}

/// Bytes of this process that are in memory now, if the system states them.
fn resident_memory() -> Option<u64> {
    status("VmRSS:")
}

fn status(field: &str) -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    let kibibytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    kibibytes.checked_mul(1024)
}

/// Looks at the memory of this process while something else runs, until it is dropped.
pub(super) struct Sampler {
    /// The thread ends when this is gone.
    stop: Sender<()>,
    thread: JoinHandle<Vec<Sample>>,
}

impl Sampler {
    /// Looks about as often as this. Where the system starts no thread, there are no samples.
    pub fn start(began: Instant, every: Duration) -> Option<Self> {
        let (stop, stopped) = mpsc::channel::<()>();
        let sample = move || {
            let (mut samples, mut every) = (Vec::new(), every);
            loop {
                samples
                    .extend(resident_memory().map(|bytes| Sample { at: began.elapsed(), bytes }));
                if Sample::thin(&mut samples, Sample::MOST) {
                    every *= 2;
                }
                if stopped.recv_timeout(every) != Err(RecvTimeoutError::Timeout) {
                    return samples;
                }
            }
        };
        let thread = thread::Builder::new().spawn(sample).ok()?;
        Some(Self { stop, thread })
    }

    /// All samples, in order.
    pub fn stop(self) -> Vec<Sample> {
        drop(self.stop);
        self.thread.join().unwrap_or_default()
    }
}

fn available(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    kibibytes.checked_mul(1024)
}

/// What to tell the user if a proof needs more than there is.
pub(super) fn too_little(needed: u128, free: Option<u64>) -> Option<String> {
    let free = free.filter(|&free| needed > free.into())?;
    let mebibytes = |bytes: u128| bytes.div_ceil(1 << 20);
    Some(format!(
        "the proof needs about {} MiB of memory, and {} MiB are free: it may end without a message; \
         a cap (--max-memory) makes shards that need less",
        mebibytes(needed),
        mebibytes(free.into())
    ))
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{Sampler, available, too_little};

    #[test]
    fn samples_are_taken_until_the_sampler_stops() {
        let sampler = Sampler::start(Instant::now(), Duration::from_millis(1)).unwrap();
        std::thread::sleep(Duration::from_millis(20));
        let samples = sampler.stop();
        let is_stated = std::path::Path::new("/proc/self/status").exists();
        assert_eq!(samples.is_empty(), !is_stated);
        assert!(samples.is_sorted_by_key(|sample| sample.at));
        assert!(samples.iter().all(|sample| sample.bytes > 0));
    }

    #[test]
    fn the_system_states_memory_in_kibibytes() {
        let text = "MemTotal:  8 kB\nMemAvailable:    3 kB\n";
        assert_eq!(available(text), Some(3 * 1024));
        assert_eq!(available("MemTotal: 8 kB\n"), None);
        assert_eq!(available("MemAvailable: 99999999999999999999 kB"), None);
    }

    #[test]
    fn a_need_is_compared_with_what_is_free() {
        assert_eq!(too_little(5 << 20, Some(5 << 20)), None);
        assert_eq!(too_little(5 << 20, None), None);
        let said = too_little((5 << 20) + 1, Some(5 << 20)).unwrap();
        assert!(said.starts_with("the proof needs about 6 MiB of memory, and 5 MiB are"), "{said}");
        assert!(said.contains("--max-memory"), "{said}");
    }
}
