//! `traceloom cache`.

use std::path::Path;
use std::time::Duration;

use traceloom_runtime::session::SessionError;
use traceloom_runtime::shards::cache::{Inventory, Removal};

use super::output::{plain, say, size};
use super::{CacheCommand, Failure};

/// Lists, verifies or prunes a cache.
pub fn run(command: &CacheCommand) -> Result<(), Failure> {
    match command {
        CacheCommand::List { folder } => list(folder),
        CacheCommand::Verify { folder } => verify(folder),
        CacheCommand::Prune { folder, all, older_than } => {
            prune(folder, Removal { all: *all, older_than: *older_than })
        }
    }
}

fn read(folder: &Path) -> Result<Inventory, Failure> {
    Ok(Inventory::read(folder).map_err(SessionError::from)?)
}

/// Prints every proof of which something is kept, and what is of no use.
fn list(folder: &Path) -> Result<(), Failure> {
    let inventory = read(folder)?;
    let mut sum = 0;
    for (header, kept) in inventory.by_proof() {
        let subject = &header.subject;
        say!("{} {}, profile {}", subject.folder(), plain(&subject.program), subject.profile);
        say!("    {}", plain(&subject.claim));
        let (roots, proofs, shards) = (kept.roots, kept.proofs, subject.shards);
        let (size, age) = (size(kept.size), words(kept.age));
        say!("    {roots} of {shards} roots, {proofs} of {shards} shard proofs, {size}, {age} old");
        sum += kept.size;
    }
    let unusable = print_unusable(&inventory);
    say!("{} of use, {} of no use to this version", size(sum), size(unusable));
    Ok(())
}

/// Prints what this version cannot use; returns its bytes.
fn print_unusable(inventory: &Inventory) -> u64 {
    let mut sum = 0;
    for (entry, why) in inventory.unusable() {
        let path = entry.path.display().to_string();
        let (size, age) = (size(entry.size), words(entry.age));
        say!("{}: {}; {size}, {age} old", plain(&path), plain(&why.to_string()));
        sum += entry.size;
    }
    sum
}

/// Checks the length and the digest of every file, and that it is about what its place says.
fn verify(folder: &Path) -> Result<(), Failure> {
    let inventory = read(folder)?;
    print_unusable(&inventory);
    let (all, bad) = (inventory.entries.len(), inventory.unusable().count());
    match bad {
        0 => {
            say!("all {all} files are whole; what they say is verified when they are used");
            Ok(())
        }
        bad => Err(Failure::Refused(format!(
            "{bad} of {all} files are of no use to this version; `traceloom cache prune` removes \
             those of a cache"
        ))),
    }
}

fn prune(folder: &Path, removal: Removal) -> Result<(), Failure> {
    let removed = read(folder)?.prune(removal);
    say!("{} files removed, {}", removed.files, size(removed.bytes));
    for left in &removed.left {
        say!("left      {}", plain(left));
    }
    Ok(())
}

/// Parses an age: a number with s, m, h or d.
pub fn age(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let unit = match &text[digits.len()..] {
        "s" => Some(1),
        "m" => Some(60),
        "h" => Some(60 * 60),
        "d" => Some(24 * 60 * 60),
        _ => None,
    };
    let number: Option<u64> = digits.parse().ok();
    let seconds = number.zip(unit).and_then(|(number, unit)| number.checked_mul(unit));
    let bad = || format!("{text:?} is no age; give a number with s, m, h or d, for example 7d");
    seconds.map(Duration::from_secs).ok_or_else(bad)
}

/// An age in its largest unit.
fn words(age: Duration) -> String {
    match age.as_secs() {
        seconds @ 0..60 => format!("{seconds} s"),
        seconds @ 60..3600 => format!("{} min", seconds / 60),
        seconds @ 3600..86_400 => format!("{} h", seconds / 3600),
        seconds => format!("{} days", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_have_units() {
        for (text, seconds) in [("0s", 0), ("90s", 90), ("5m", 300), ("2h", 7200), ("7d", 604_800)]
        {
            assert_eq!(age(text), Ok(Duration::from_secs(seconds)));
        }
        for text in ["", "7", "d", "-1d", "1.5h", "1 d", "99999999999999999999d", "1w"] {
            assert!(age(text).unwrap_err().contains("is no age"), "{text}");
        }
        let day = 24 * 60 * 60;
        for (seconds, text) in [(0, "0 s"), (59, "59 s"), (61, "1 min"), (2 * day, "2 days")] {
            assert_eq!(words(Duration::from_secs(seconds)), text);
        }
    }
}
