//! Heights of the traces of a shard. They are decided once, before a row is written. Every
//! provider pads to them, so proofs do not depend on the provider.

use traceloom_abi::record::Record;
use traceloom_air::system::System;
use traceloom_verifier::VerifyingKey;
use traceloom_verifier::security::{Padding, padding};

use crate::machine::FrontEnd;

/// A log height per circuit; `None` for circuits without rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heights(Vec<Option<usize>>);

impl Heights {
    /// The least that hold the rows of `record`, padded for `key` if there is one.
    #[must_use]
    pub fn new<'a>(
        program: impl Into<FrontEnd<'a>>,
        system: &System,
        record: &Record,
        key: Option<&VerifyingKey>,
        num_claims: usize,
    ) -> Self {
        match key {
            Some(key) => Self::padded(program, key, record, num_claims),
            None => Self::least(program, system, record),
        }
    }

    /// The least that hold the rows of `record`. `system` must be the one of `program`.
    #[must_use]
    pub fn least<'a>(program: impl Into<FrontEnd<'a>>, system: &System, record: &Record) -> Self {
        let rows = row_counts(program, system, record).into_iter();
        let log = |rows: usize| (rows > 0).then(|| rows.next_power_of_two().ilog2() as usize);
        Self(rows.map(log).collect())
    }

    /// As [`Self::least`], and padded to what the parameters of `key` need of a shard that
    /// is proven alone.
    #[must_use]
    pub fn padded<'a>(
        program: impl Into<FrontEnd<'a>>,
        key: &VerifyingKey,
        record: &Record,
        num_claims: usize,
    ) -> Self {
        let mut heights = Self::least(program, key.system(), record);
        if let Some(Padding { circuit, log_height }) = padding(key, &heights.0, num_claims) {
            heights.0[circuit] = Some(log_height);
        }
        heights
    }

    /// Log of the height of a circuit; `None` for one without rows.
    #[must_use]
    pub fn log_height(&self, circuit: usize) -> Option<usize> {
        self.0[circuit]
    }

    /// Rows of a circuit, padding included; 0 for one without rows.
    #[must_use]
    pub fn of(&self, circuit: usize) -> usize {
        self.0[circuit].map_or(0, |log_height| 1 << log_height)
    }
}

/// Rows of every circuit without padding. `system` must be the one of `program`.
#[must_use]
pub fn row_counts<'a>(
    program: impl Into<FrontEnd<'a>>,
    system: &System,
    record: &Record,
) -> Vec<usize> {
    let front = program.into();
    let circuits = system.circuits.iter().enumerate();
    circuits.map(|(position, circuit)| front.num_rows(record, &circuit.kind, position)).collect()
}
