//! The memory of this machine, which plans and limits are compared with.

use std::fs;

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
    use super::{available, too_little};

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
