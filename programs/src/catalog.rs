//! The programs by name: what they take and how their claims read.

use std::fmt::Write;

use traceloom_bytecode::Program;
use traceloom_bytecode::builder::BuildErrors;

/// An example program.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// Name of the program, of its files and of its only entry.
    pub name: &'static str,
    /// One line about it.
    pub about: &'static str,
    /// How a run of it is described on a command line.
    pub inputs: Inputs,
    /// Number of outputs.
    pub num_outputs: usize,
    build: fn() -> Result<Program, BuildErrors>,
    phrase: fn(&[u64], &[u64]) -> Option<String>,
}

/// Where the claimed inputs of a program come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inputs {
    /// A file. Its bytes are on channel 0 under the empty key, and the claimed
    /// input is their number divided by `unit`.
    File {
        /// Bytes per counted item.
        unit: u64,
        /// The largest number of items.
        max_items: u64,
    },
    /// Plain arguments, by name.
    Args(&'static [&'static str]),
}

/// Why a file is not an input of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InputError {
    /// The program takes arguments.
    #[error("this program takes arguments, not a file")]
    NoFile,
    /// Part of an item is left over.
    #[error("the file has {len} bytes, not a multiple of {unit}")]
    Partial {
        /// Bytes in the file.
        len: u64,
        /// Bytes per item.
        unit: u64,
    },
    /// Longer than the program proves.
    #[error("the file has {items} items, the program proves at most {max_items}")]
    TooLong {
        /// Items in the file.
        items: u64,
        /// The largest number of items.
        max_items: u64,
    },
}

/// All programs.
pub const ALL: [Example; 5] = [
    Example {
        name: "blake3",
        about: "the BLAKE3 digest of a file, one round per row",
        inputs: Inputs::File { unit: 1, max_items: 1 << 32 },
        num_outputs: 32,
        build: crate::blake3::program,
        phrase: |inputs, outputs| digest("BLAKE3", inputs, outputs),
    },
    Example {
        name: "sha256",
        about: "the SHA-256 digest of a file, four rounds per row",
        inputs: Inputs::File { unit: 1, max_items: (1 << 32) - 1 },
        num_outputs: 32,
        build: crate::sha256::program,
        phrase: |inputs, outputs| digest("SHA-256", inputs, outputs),
    },
    Example {
        name: "fibonacci",
        about: "a Fibonacci number modulo p by memoised recursion",
        inputs: Inputs::Args(&["n"]),
        num_outputs: 1,
        build: crate::fibonacci::program,
        phrase: |inputs, outputs| {
            let (&[n], &[value]) = (inputs, outputs) else { return None };
            Some(format!("Fibonacci number {n} is {value} modulo 2^64 - 2^32 + 1"))
        },
    },
    Example {
        name: "merge_sort",
        about: "minimum, lower median and maximum of a file of 32-bit words",
        inputs: Inputs::File { unit: 4, max_items: (1 << 24) - 1 },
        num_outputs: 3,
        build: crate::merge_sort::program,
        phrase: |inputs, outputs| {
            let (&[len], &[min, median, max]) = (inputs, outputs) else { return None };
            Some(match len {
                0 => "the list is empty".to_owned(),
                _ => format!(
                    "knowledge of {len} 32-bit words with minimum {min}, lower median {median} \
                     and maximum {max}"
                ),
            })
        },
    },
    Example {
        name: "div_rem",
        about: "quotient and remainder of two 128-bit numbers, each as four words of 32 bits, \
                least significant first",
        inputs: Inputs::Args(&["a0", "a1", "a2", "a3", "b0", "b1", "b2", "b3"]),
        num_outputs: 8,
        build: crate::div_rem::program,
        phrase: |inputs, outputs| {
            let (a, b) = inputs.split_at_checked(4)?;
            let (q, r) = outputs.split_at_checked(4)?;
            let [a, b, q, r] = [number(a)?, number(b)?, number(q)?, number(r)?];
            Some(match b {
                0 => format!("{a} divided by 0 is {q} with remainder {r}, by convention"),
                _ => format!("{a} divided by {b} is {q} with remainder {r}"),
            })
        },
    },
];

/// The program of this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Example> {
    const { &ALL }.iter().find(|example| example.name == name)
}

impl Example {
    /// Builds the program.
    ///
    /// # Errors
    /// None, unless the program is edited wrongly; a test builds them all.
    pub fn build(&self) -> Result<Program, BuildErrors> {
        (self.build)()
    }

    /// The claimed input for a file of `len` bytes.
    ///
    /// # Errors
    /// [`InputError`]: the file is at fault, or the program takes none.
    pub fn claimed_input(&self, len: u64) -> Result<u64, InputError> {
        let Inputs::File { unit, max_items } = self.inputs else {
            return Err(InputError::NoFile);
        };
        if !len.is_multiple_of(unit) {
            return Err(InputError::Partial { len, unit });
        }
        let items = len / unit;
        if items > max_items {
            return Err(InputError::TooLong { items, max_items });
        }
        Ok(items)
    }

    /// Number of claimed inputs.
    #[must_use]
    pub fn num_inputs(&self) -> usize {
        match self.inputs {
            Inputs::File { .. } => 1,
            Inputs::Args(names) => names.len(),
        }
    }

    /// What a proven claim says, in words. None if these are not inputs and outputs
    /// of the program.
    #[must_use]
    pub fn phrase(&self, inputs: &[u64], outputs: &[u64]) -> Option<String> {
        if inputs.len() != self.num_inputs() || outputs.len() != self.num_outputs {
            return None;
        }
        (self.phrase)(inputs, outputs)
    }
}

fn digest(hash: &str, inputs: &[u64], outputs: &[u64]) -> Option<String> {
    let &[len] = inputs else { return None };
    let mut hex = String::new();
    for &byte in outputs {
        write!(hex, "{:02x}", u8::try_from(byte).ok()?).ok()?;
    }
    let unit = if len == 1 { "byte" } else { "bytes" };
    Some(format!("knowledge of {len} {unit} whose {hash} is {hex}"))
}

/// The number with these 32-bit words, least significant first.
fn number(words: &[u64]) -> Option<u128> {
    words.iter().rev().try_fold(0, |number: u128, &word| {
        Some(number << 32 | u128::from(u32::try_from(word).ok()?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use traceloom_bytecode::text;

    #[test]
    fn every_program_builds_and_matches_its_description() {
        for example in ALL {
            let program = example.build().unwrap();
            assert_eq!(program.name, example.name);
            let entries: Vec<_> = program.functions.iter().filter(|f| f.entry).collect();
            assert_eq!(entries.len(), 1, "{}", example.name);
            assert_eq!(entries[0].name, example.name);
            assert_eq!(entries[0].num_inputs as usize, example.num_inputs());
            assert_eq!(entries[0].num_outputs as usize, example.num_outputs);
            assert_eq!(find(example.name).unwrap().about, example.about);
        }
        assert!(find("blake2").is_none());
    }

    #[test]
    fn every_program_survives_its_text_form() {
        for example in ALL {
            let program = example.build().unwrap();
            let printed = text::print(&program).unwrap();
            assert_eq!(text::parse(printed), Ok(program), "{}", example.name);
        }
    }

    #[test]
    fn claims_read_as_sentences() {
        let phrase =
            |name, inputs: &[u64], outputs: &[u64]| find(name).unwrap().phrase(inputs, outputs);
        let hex = "ab".repeat(32);
        assert_eq!(
            phrase("blake3", &[12], &[0xab; 32]).unwrap(),
            format!("knowledge of 12 bytes whose BLAKE3 is {hex}")
        );
        assert_eq!(phrase("sha256", &[12], &[256; 32]), None);
        assert_eq!(phrase("sha256", &[12], &[1; 31]), None);
        assert_eq!(
            phrase("div_rem", &[0, 1, 0, 0, 3, 0, 0, 0], &[0x5555_5555, 0, 0, 0, 1, 0, 0, 0]),
            Some("4294967296 divided by 3 is 1431655765 with remainder 1".to_owned())
        );
        assert_eq!(
            phrase("merge_sort", &[3], &[1, 2, 9]).unwrap(),
            "knowledge of 3 32-bit words with minimum 1, lower median 2 and maximum 9"
        );
    }

    #[test]
    fn files_are_counted_in_items() {
        let count = |name, len| find(name).unwrap().claimed_input(len);
        assert_eq!(count("blake3", 5), Ok(5));
        assert_eq!(count("merge_sort", 12), Ok(3));
        assert_eq!(count("merge_sort", 13), Err(InputError::Partial { len: 13, unit: 4 }));
        assert_eq!(count("fibonacci", 0), Err(InputError::NoFile));
        let error = InputError::TooLong { items: 1 << 32, max_items: (1 << 32) - 1 };
        assert_eq!(count("sha256", 1 << 32), Err(error));
    }
}
