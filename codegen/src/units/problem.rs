//! What can be wrong with programs and units, as text.

use std::fmt;
use std::path::Path;

use super::{Difference, Units};

/// Everything that is wrong, and the command that mends it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problems {
    /// All problems, by file.
    pub problems: Vec<Problem>,
    /// The command line that writes what differs; none where a program is at fault.
    pub mend: Option<String>,
}

/// Something wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {kind}")]
pub struct Problem {
    /// The file.
    pub file: String,
    /// What is wrong.
    pub kind: Kind,
}

/// What is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Kind {
    /// It cannot be read.
    #[error("cannot be read: {0}")]
    Unreadable(String),
    /// It cannot be written.
    #[error("cannot be written: {0}")]
    Unwritable(String),
    /// The name of a program's file is not a module.
    #[error(
        "the name of a program becomes a module and a folder: use at most 64 of a-z, 0-9 and \
         single underscores, no keyword of Rust, no crate that units use, and no device of Windows"
    )]
    Name,
    /// A program is there in two forms, which are different programs.
    #[error(
        "its fingerprint is {own}, and {name}, the other form of the same program, has {other}; \
         remove one of them, or write it anew with `traceloom convert`"
    )]
    Forms {
        /// Name of the other file.
        name: String,
        /// Its fingerprint, in hexadecimal.
        other: String,
        /// The fingerprint of this file.
        own: String,
    },
    /// The name of a program of op tables is not a module, or another program's.
    #[error(
        "the name of a program of op tables becomes a module of its own: use at most 64 of a-z, \
         0-9 and single underscores, no keyword, and no name of another program"
    )]
    TableName,
    /// The program's text is malformed.
    #[error("is not a program:\n{0}")]
    Malformed(String),
    /// The program is invalid, or cannot be generated from.
    #[error("{0}")]
    Invalid(String),
    /// A unit's file is not there.
    #[error("missing")]
    Missing,
    /// The program or the generator has changed since it was written.
    #[error("stale, {0}")]
    Stale(FirstLine),
    /// A unit that is not there.
    #[error("missing, all {0} files")]
    Absent(usize),
    /// Files of a unit that were written before something changed.
    #[error("stale, {files} of {of} files: {why}")]
    Unit {
        /// Number of stale files.
        files: usize,
        /// Number of files of the unit.
        of: usize,
        /// What has changed.
        why: Why,
    },
    /// Something else than the generator changed it.
    #[error("edited, or another generator of the same version wrote it, {0}")]
    Edited(FirstLine),
    /// The registry is about another program.
    #[error("the registry's fingerprint is {found}, the program's {expected}")]
    Fingerprint {
        /// The program's, in hexadecimal.
        expected: String,
        /// What the registry states.
        found: String,
    },
    /// No program has such a file.
    #[error("orphaned: no program has this file{}", if *ours { "" } else { "; remove it" })]
    Orphaned {
        /// Whether a generator wrote it.
        ours: bool,
    },
}

/// Why a unit is stale.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Why {
    /// The program has another fingerprint.
    #[error("the program has changed, its fingerprint from {before} to {now}")]
    Program {
        /// The fingerprint that the registry states, in hexadecimal.
        before: String,
        /// The program's.
        now: String,
    },
    /// The fingerprint is the same.
    #[error("only names or labels have changed, the fingerprint is the same")]
    Names,
    /// Another generator wrote it.
    #[error("another version of the generator wrote them")]
    Generator,
    /// There is no registry.
    #[error("they were written in part")]
    Interrupted,
}

/// The first line that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstLine {
    /// Its number, from 1.
    pub line: usize,
    /// The expected line; none after the end.
    pub expected: Option<String>,
    /// The line that was found; none after the end.
    pub found: Option<String>,
}

impl FirstLine {
    /// Compares two different texts. Line breaks count: `a` and `a\n` differ.
    #[must_use]
    pub fn of(expected: &str, found: &str) -> Self {
        let [expected, found] = [expected, found].map(|text| text.split_inclusive('\n'));
        let mut line = 1;
        let (mut expected, mut found) = (expected.map(String::from), found.map(String::from));
        loop {
            match (expected.next(), found.next()) {
                (a, b) if a.is_some() && a == b => line += 1,
                (expected, found) => return Self { line, expected, found },
            }
        }
    }
}

impl fmt::Display for FirstLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let show = |line: &Option<String>| match line {
            None => "the end of the file".to_owned(),
            Some(line) => {
                // Any bytes may be there; nothing of them reaches a terminal as it is.
                let line = line.strip_suffix('\n').unwrap_or(line).escape_debug().to_string();
                let cut: String = line.chars().take(80).collect();
                if cut == line { format!("`{cut}`") } else { format!("`{cut}...`") }
            }
        };
        let (expected, found) = (show(&self.expected), show(&self.found));
        write!(f, "line {}: expected {expected}, found {found}", self.line)
    }
}

impl Problems {
    pub(super) const fn new(problems: Vec<Problem>) -> Self {
        Self { problems, mend: None }
    }

    pub(super) fn of_differences(units: &Units, differences: Vec<Difference>) -> Self {
        let problem = |Difference { file, kind }| Problem { file: units.shown(&file), kind };
        // The owner of a file that was not generated has to remove it.
        let mend = differences.iter().any(|d| d.kind != Kind::Orphaned { ours: false });
        let mend = mend.then(|| units.mend());
        Self { problems: differences.into_iter().map(problem).collect(), mend }
    }
}

impl Problem {
    pub(super) fn unreadable(path: &Path, error: &str) -> Self {
        Self { file: path.display().to_string(), kind: Kind::Unreadable(error.to_owned()) }
    }

    pub(super) fn unwritable(path: &Path, error: &str) -> Self {
        Self { file: path.display().to_string(), kind: Kind::Unwritable(error.to_owned()) }
    }
}

impl From<Problem> for Problems {
    fn from(problem: Problem) -> Self {
        Self::new(vec![problem])
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, problem) in self.problems.iter().enumerate() {
            if position > 0 {
                writeln!(f)?;
            }
            write!(f, "{problem}")?;
        }
        match &self.mend {
            Some(command) => write!(f, "\nto write the units anew, run: {command}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Problems {}

#[cfg(test)]
mod tests {
    use super::FirstLine;

    #[test]
    fn the_first_difference_is_named() {
        let first = |a, b| FirstLine::of(a, b).to_string();
        assert_eq!(first("a\nb\n", "a\nc\n"), "line 2: expected `b`, found `c`");
        assert_eq!(first("a\n", ""), "line 1: expected `a`, found the end of the file");
        assert_eq!(
            first("a\n", "a\n\0\x1b"),
            r"line 2: expected the end of the file, found `\0\u{1b}`"
        );
        assert_eq!(FirstLine::of("a\n", "a").line, 1);
    }
}
