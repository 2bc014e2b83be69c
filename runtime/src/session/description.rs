//! Descriptions: what the claims of a program mean, which its bytecode does not say.

use std::fmt;

/// What the claims of a program mean, and how its claimed inputs follow from a file. Each
/// built-in program has a description. A description changes no proof.
pub trait Description: fmt::Debug + Send + Sync {
    /// The claimed inputs for a file of `len` bytes.
    ///
    /// # Errors
    /// What is wrong with a file of this length.
    fn claimed_inputs(&self, len: u64) -> Result<Vec<u64>, String>;

    /// What the program takes, after "it takes".
    fn takes(&self) -> String;

    /// A claim of the entry function `function` in words; `None` if it says nothing.
    fn phrase(&self, function: &str, inputs: &[u64], outputs: &[u64]) -> Option<String>;
}
