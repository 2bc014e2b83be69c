//! The two commands: words, environment, and the file that runs.

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;

use crate::Error;

/// One of the two sides of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Side {
    /// What B is compared with.
    A,
    /// What is compared with A.
    B,
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Side::A => "A",
            Side::B => "B",
        })
    }
}

/// Whose command it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// That of a side.
    Side(Side),
    /// That of a job, which is compared with nothing.
    Job,
}

impl From<Side> for Owner {
    fn from(side: Side) -> Self {
        Self::Side(side)
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Side(side) => side.fmt(f),
            Self::Job => f.write_str("of the job"),
        }
    }
}

/// The place in a template that a setting fills.
pub const PLACE: &str = "{}";

/// A command that can be run: its program was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Command {
    /// Variables set for this command alone, in the order given.
    pub environment: Vec<(String, String)>,
    /// Program and arguments as written.
    pub words: Vec<String>,
    /// The file that runs, found through PATH.
    pub program: PathBuf,
}

impl Command {
    /// Splits `text` into words as a POSIX shell does, without any expansion.
    ///
    /// # Errors
    /// Quotes that do not close, no words, and a program that is not found.
    pub fn parse(side: Side, text: &str) -> Result<Self, Error> {
        Self::from_words(side.into(), split(side, text)?)
    }

    /// The command of a job: its words as they are.
    ///
    /// # Errors
    /// No words, and a program that is not found.
    pub fn of_job(words: &[String]) -> Result<Self, Error> {
        Self::from_words(Owner::Job, words.to_vec())
    }

    /// Puts `setting` at every place of `template`. An argument that is nothing but the
    /// place becomes the words of the setting: none, one or several.
    ///
    /// # Errors
    /// Those of [`Command::parse`], and a template without a place.
    pub fn from_template(side: Side, template: &[String], setting: &str) -> Result<Self, Error> {
        if !template.iter().any(|word| word.contains(PLACE)) {
            return Err(Error::NoPlace { template: join(template) });
        }
        let mut words = Vec::new();
        for word in template {
            if word == PLACE {
                words.extend(split(side, setting)?);
            } else {
                words.push(word.replace(PLACE, setting));
            }
        }
        Self::from_words(side.into(), words)
    }

    /// The command as one line that a shell would read the same way.
    pub fn line(&self) -> String {
        let assignments = self.environment.iter().map(|(name, value)| {
            // Only the value is quoted: a shell takes a quoted name for a program.
            format!("{name}={}", join(std::slice::from_ref(value)))
        });
        let parts: Vec<String> = assignments.chain([join(&self.words)]).collect();
        parts.join(" ")
    }

    fn from_words(side: Owner, mut words: Vec<String>) -> Result<Self, Error> {
        let is_program = |word: &String| assignment(word).is_none();
        let first = words.iter().position(is_program).ok_or(Error::EmptyCommand { side })?;
        let environment: Vec<_> =
            words.drain(..first).filter_map(|word| assignment(&word)).collect();
        let nul = |text: &String| text.contains('\0');
        if words.iter().any(nul) || environment.iter().any(|(_, value)| nul(value)) {
            return Err(Error::Nul { side });
        }
        let path = match environment.iter().rev().find(|(name, _)| name == "PATH") {
            Some((_, path)) => Some(path.into()),
            None => std::env::var_os("PATH"),
        };
        let folder = std::env::current_dir().map_err(|source| Error::Read {
            what: "the current folder",
            path: ".".into(),
            source,
        })?;
        let program = which::which_in(&words[0], path, folder)
            .map_err(|_| Error::NoProgram { side, program: words[0].clone() })?;
        Ok(Command { environment, words, program })
    }
}

/// Name and value of a word that a shell would take for an assignment.
fn assignment(word: &str) -> Option<(String, String)> {
    let (name, value) = word.split_once('=')?;
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let goes_on = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    (starts && goes_on).then(|| (name.to_owned(), value.to_owned()))
}

fn split(side: Side, text: &str) -> Result<Vec<String>, Error> {
    shlex::split(text).ok_or_else(|| Error::Quotes { side: side.into(), text: text.to_owned() })
}

/// Quotes words where a shell needs it. A word with a NUL, which cannot be quoted and
/// never runs, is shown as it is.
fn join(words: &[String]) -> String {
    shlex::try_join(words.iter().map(String::as_str)).unwrap_or_else(|_| words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &[&str]) -> Vec<String> {
        text.iter().map(|&word| word.to_owned()).collect()
    }

    #[test]
    fn quotes_and_assignments_are_read_as_a_shell_reads_them() {
        let command = Command::parse(Side::A, "X=1 Y='a b' sh -c 'exit 0'").unwrap();
        assert_eq!(command.environment, [("X".into(), "1".into()), ("Y".into(), "a b".into())]);
        assert_eq!(command.words, ["sh", "-c", "exit 0"]);
        assert_eq!(command.line(), "X=1 Y='a b' sh -c 'exit 0'");
        assert!(command.program.is_absolute());
    }

    #[test]
    fn an_argument_with_an_equals_sign_is_no_assignment() {
        let command = Command::parse(Side::A, "sh --a=b c=d").unwrap();
        assert_eq!(command.environment, []);
        assert_eq!(command.words, ["sh", "--a=b", "c=d"]);
    }

    #[test]
    fn a_setting_fills_every_place() {
        let template = words(&["N={}", "sh", "--n={}", "{}", "end"]);
        let of = |setting| Command::from_template(Side::B, &template, setting).unwrap();
        assert_eq!(of("3").words, ["sh", "--n=3", "3", "end"]);
        assert_eq!(of("3").environment, [("N".into(), "3".into())]);
        assert_eq!(of("-x 'a b'").words[2..], ["-x", "a b", "end"]);
        assert_eq!(of("").words, ["sh", "--n=", "end"]);
    }

    #[test]
    fn what_cannot_run_is_refused() {
        let parse = |text| Command::parse(Side::B, text).unwrap_err();
        assert!(matches!(parse("  "), Error::EmptyCommand { side: Owner::Side(Side::B) }));
        assert!(matches!(parse("X=1"), Error::EmptyCommand { .. }));
        assert!(matches!(parse("sh 'x"), Error::Quotes { .. }));
        assert!(matches!(parse("sh a\0b"), Error::Nul { .. }));
        assert!(matches!(parse("no-such-program-here"), Error::NoProgram { .. }));
        assert!(matches!(parse("PATH=/nowhere sh"), Error::NoProgram { .. }));
        let error = Command::from_template(Side::A, &words(&["sh", "-c"]), "x").unwrap_err();
        assert!(matches!(error, Error::NoPlace { .. }));
    }
}
