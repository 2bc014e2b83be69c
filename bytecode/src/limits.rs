//! What a file may ask for, in every form.
//!
//! Files come from outside. Each reader takes memory and time in proportion to the bytes of its
//! file: at most 4 bytes of memory per byte of text, and at most 32 per byte of JSON, mostly for
//! the nodes of a document of short numbers and brackets. A few bytes can stand for much (ranges
//! of names in text, counts in JSON). These limits say how much they may stand for, and a reader
//! keeps nothing that a limit refuses.

/// Bytes of one file.
pub const MAX_INPUT_BYTES: usize = 64 << 20;

/// Functions of a program.
pub const MAX_FUNCTIONS: usize = 1 << 16;

/// Blocks of a program.
pub const MAX_BLOCKS: usize = 1 << 22;

/// Operations of a program.
pub const MAX_OPS: usize = 1 << 22;

/// Values that a program's functions take and its operations append.
pub const MAX_VALUES: usize = 1 << 21;

/// Values that a program's operations and leaves read.
pub const MAX_OPERANDS: usize = 1 << 23;

/// Depth of nested arrays and objects in the JSON of another project.
pub const MAX_IMPORT_DEPTH: usize = 100_000;

/// Depth of nested arrays and objects in flat JSON, which needs nine.
pub const MAX_FLAT_DEPTH: usize = 16;

/// Most errors that are reported one by one. Of further errors only the number is reported.
pub const MAX_DIAGNOSTICS: usize = 100;

/// What a reader counts, with its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Resource {
    Functions,
    Blocks,
    Ops,
    Values,
    Operands,
}

impl Resource {
    const ALL: [Self; 5] = [Self::Functions, Self::Blocks, Self::Ops, Self::Values, Self::Operands];

    fn limit(self) -> usize {
        match self {
            Self::Functions => MAX_FUNCTIONS,
            Self::Blocks => MAX_BLOCKS,
            Self::Ops => MAX_OPS,
            Self::Values => MAX_VALUES,
            Self::Operands => MAX_OPERANDS,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Functions => "functions",
            Self::Blocks => "blocks",
            Self::Ops => "operations",
            Self::Values => "values",
            Self::Operands => "operands",
        }
    }
}

/// Counts what a program takes while it is read.
#[derive(Debug, Default)]
pub(crate) struct Budget {
    spent: [usize; Resource::ALL.len()],
}

impl Budget {
    /// Counts `amount` more of `resource`.
    ///
    /// # Errors
    /// The message to report, when that exceeds the limit. Nothing is counted
    /// then, so a reader that goes on stays within the limit.
    pub fn spend(&mut self, resource: Resource, amount: usize) -> Result<(), String> {
        let spent = &mut self.spent[resource as usize];
        if amount > resource.limit() - *spent {
            let (name, limit) = (resource.name(), resource.limit());
            return Err(format!("the program exceeds the limit of {limit} {name}"));
        }
        *spent += amount;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_spent_to_the_last_unit_and_not_beyond() {
        let mut budget = Budget::default();
        assert_eq!(budget.spend(Resource::Functions, MAX_FUNCTIONS - 1), Ok(()));
        assert!(budget.spend(Resource::Functions, 2).is_err());
        assert_eq!(budget.spend(Resource::Functions, 1), Ok(()));
        let message = budget.spend(Resource::Functions, 1).unwrap_err();
        assert_eq!(message, "the program exceeds the limit of 65536 functions");
        assert!(budget.spend(Resource::Blocks, usize::MAX).is_err());
    }
}
