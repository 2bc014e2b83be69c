//! What comes back.

use std::collections::BTreeMap;
use std::time::Duration;

use traceloom_abi::io::IoMark;
use traceloom_abi::record::Record;
use traceloom_air::claim::{BoundaryMessage, Claim, RankedClaim};
use traceloom_air::field::word;
use traceloom_bytecode::execute::{Execution, Stats};
use traceloom_prover::Metrics;
use traceloom_verifier::{Proof, Report};

use super::ExecutedBy;
use crate::check::CheckReport;
use crate::report::{ProofReport, TraceReport};

/// A program that ran.
#[derive(Debug)]
pub struct Executed {
    /// Claims with their outputs, the record, and what it took.
    pub execution: Execution,
    /// Messages at the boundary: what is stated of a guest; none of a program of functions.
    pub boundary: Vec<BoundaryMessage>,
    /// Who ran it.
    pub by: ExecutedBy,
    /// Time of the execution.
    pub time: Duration,
    /// Its io before the program ran.
    pub(super) began: IoMark,
}

impl Executed {
    /// What is left when the record goes, whose rows are counted by circuit.
    pub(super) fn summary(self, rows: Vec<usize>) -> (Summary, Record) {
        let Self { execution, boundary, by, time, began } = self;
        let Execution { claims, record, stats } = execution;
        let written = record.io.written_since(&began);
        (Summary { claims, boundary, written, stats, rows, by, time }, record)
    }

    /// Number of claims and boundary messages.
    #[must_use]
    pub fn num_stated(&self) -> usize {
        self.execution.claims.len() + self.boundary.len()
    }

    /// The claims, in the order of the request.
    #[must_use]
    pub fn claims(&self) -> Vec<Claim> {
        self.execution.claims.iter().map(|ranked| ranked.claim.clone()).collect()
    }

    /// Outputs of the claim at `index`, as canonical words.
    ///
    /// # Panics
    /// If there is no such claim.
    #[must_use]
    pub fn outputs(&self, index: usize) -> Vec<u64> {
        self.execution.outputs(index)
    }
}

/// A program that ran, whose record was freed while it was proven.
#[derive(Debug)]
pub struct Summary {
    /// The claims in the order of the request, with outputs and ranks.
    pub claims: Vec<RankedClaim>,
    /// As [`Executed::boundary`].
    pub boundary: Vec<BoundaryMessage>,
    /// The words that the program has written, by channel of its io.
    pub written: BTreeMap<u64, Vec<u64>>,
    /// What the execution took.
    pub stats: Stats,
    /// Rows without padding, by circuit of the system.
    pub rows: Vec<usize>,
    /// Who ran it.
    pub by: ExecutedBy,
    /// Time of the execution.
    pub time: Duration,
}

impl Summary {
    /// The claims, in the order of the request.
    #[must_use]
    pub fn claims(&self) -> Vec<Claim> {
        self.claims.iter().map(|ranked| ranked.claim.clone()).collect()
    }

    /// Outputs of the claim at `index`, as canonical words.
    ///
    /// # Panics
    /// If there is no such claim.
    #[must_use]
    pub fn outputs(&self, index: usize) -> Vec<u64> {
        self.claims[index].claim.outputs.iter().map(|&output| word(output)).collect()
    }
}

/// Rows that were checked.
#[derive(Debug)]
pub struct Checked {
    /// The execution.
    pub executed: Executed,
    /// Who wrote which rows.
    pub trace: TraceReport,
    /// Everything that does not hold; [`CheckReport::is_ok`] says whether there is nothing.
    pub report: CheckReport,
    /// The cells that were changed before, in words.
    pub poked: Vec<String>,
}

/// A proof that was verified once.
#[derive(Debug)]
pub struct Proved {
    /// The execution.
    pub summary: Summary,
    /// The proof.
    pub proof: Proof,
    /// Its file.
    pub bytes: Vec<u8>,
    /// Time by stage, who wrote which rows and why, what was copied to and from a device, and the
    /// peak of memory.
    pub report: ProofReport,
    /// Time of the prover.
    pub metrics: Metrics,
}

impl Proved {
    /// The claims that are proven, in the order of the request.
    #[must_use]
    pub fn claims(&self) -> Vec<Claim> {
        self.summary.claims()
    }
}

/// A proof that is valid.
#[derive(Debug)]
pub struct Verified {
    /// What it proves. A caller who did not state all of the expected claim has to read this.
    pub claims: Vec<Claim>,
    /// The same of a guest: its messages at the boundary.
    pub boundary: Vec<BoundaryMessage>,
    /// Security figures and heights.
    pub report: Report,
    /// Time of the verification.
    pub time: Duration,
}
