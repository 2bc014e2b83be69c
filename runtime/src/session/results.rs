//! What comes back.

use std::time::Duration;

use traceloom_air::claim::Claim;
use traceloom_bytecode::execute::Execution;
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
    /// Who ran it.
    pub by: ExecutedBy,
    /// Time of the execution.
    pub time: Duration,
}

impl Executed {
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

/// Rows that were checked.
#[derive(Debug)]
pub struct Checked {
    /// The execution.
    pub executed: Executed,
    /// Who wrote which rows.
    pub trace: TraceReport,
    /// Everything that does not hold; [`CheckReport::is_ok`] says whether there is nothing.
    pub report: CheckReport,
}

/// A proof that was verified once.
#[derive(Debug)]
pub struct Proved {
    /// The execution.
    pub executed: Executed,
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
        self.executed.claims()
    }
}

/// A proof that is valid.
#[derive(Debug)]
pub struct Verified {
    /// What it proves. A caller who did not state all of the expected claim has to read this.
    pub claims: Vec<Claim>,
    /// Security figures and heights.
    pub report: Report,
    /// Time of the verification.
    pub time: Duration,
}
