//! Identifiers of emitted text.

use std::fmt;

/// A name that is valid in C++ and CUDA.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ident(String);

impl Ident {
    /// A name that our own code chose.
    ///
    /// # Panics
    /// If `name` is not an identifier: a fault of whoever chose it.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        let name = name.into();
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let first = name.chars().next();
        assert!(
            first.is_some_and(|c| !c.is_ascii_digit()) && name.chars().all(word),
            "our own code chooses identifiers, not {name:?}"
        );
        Self(name)
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Ident {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<&str> for Ident {
    fn from(name: &str) -> Self {
        Self::new(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    #[should_panic(expected = "our own code chooses identifiers")]
    fn syntax_is_no_identifier() {
        let _ = Ident::new("a; b");
    }
}
