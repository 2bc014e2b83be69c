//! Checks of the witness: shapes and security before any work, balance after it.

use traceloom_air::system::System;
use traceloom_air::trace::ShardWitness;
use traceloom_verifier::LookupChallenges;
use traceloom_verifier::VerifyingKey;
use traceloom_verifier::proof::{ShardProof, ShardStatement};
use traceloom_verifier::scheme::Extension;
use traceloom_verifier::security::check_floors;
use traceloom_verifier::shape::{ShapeError, ShardShape, check_statements};

use super::ProveError;
use crate::backend::MainTrace;

/// The shapes of a batch that states this; nothing is committed or bound yet.
pub(super) fn check_batch(
    key: &VerifyingKey,
    statements: &[ShardStatement],
    skip_security: bool,
) -> Result<Vec<ShardShape>, ProveError> {
    let shapes = check_statements(key, statements)?;
    if !skip_security {
        let num_claims = statements.iter().map(ShardStatement::num_stated).sum();
        check_floors(key, &shapes, num_claims)?;
    }
    Ok(shapes)
}

/// The traces that a source made are those that it stated, as far as shapes say.
pub(super) fn check_traces<T: MainTrace>(
    key: &VerifyingKey,
    shard: usize,
    traces: &[Option<T>],
    statement: &ShardStatement,
) -> Result<(), ProveError> {
    let heights = log_heights(key, shard, traces)?;
    let circuits = key.system().circuits.iter();
    for ((circuit, got), expected) in circuits.zip(heights).zip(&statement.log_heights) {
        if got != *expected {
            let circuit = circuit.name.clone();
            return Err(ProveError::TraceStated { shard, circuit, expected: *expected, got });
        }
    }
    Ok(())
}

/// The statement of a witness, its main root still zero and nothing bound.
pub(super) fn unsigned_statement<T: MainTrace>(
    key: &VerifyingKey,
    shard: usize,
    witness: &ShardWitness<T>,
) -> Result<ShardStatement, ProveError> {
    Ok(ShardStatement {
        log_heights: log_heights(key, shard, &witness.traces)?,
        main: [0; 32],
        publics: witness.publics.clone(),
        claims: witness.claims.clone(),
        boundary: witness.boundary.clone(),
        bound: vec![],
    })
}

/// The log heights of traces that have the widths of their circuits.
fn log_heights<T: MainTrace>(
    key: &VerifyingKey,
    shard: usize,
    traces: &[Option<T>],
) -> Result<Vec<Option<usize>>, ProveError> {
    let circuits = &key.system().circuits;
    let (expected, got) = (circuits.len(), traces.len());
    if expected != got {
        return Err(ShapeError::Count { shard, what: "traces", expected, got }.into());
    }
    let mut log_heights = Vec::new();
    for (circuit, trace) in circuits.iter().zip(traces) {
        let Some(trace) = trace else {
            log_heights.push(None);
            continue;
        };
        let circuit_name = || circuit.name.clone();
        let (width, cells) = (trace.width(), trace.num_cells());
        if width != circuit.width {
            let (expected, got) = (circuit.width, width);
            return Err(ProveError::TraceWidth { shard, circuit: circuit_name(), expected, got });
        }
        let height = cells / width;
        if !height.is_power_of_two() || height * width != cells {
            return Err(ProveError::TraceHeight { shard, circuit: circuit_name(), cells });
        }
        log_heights.push(Some(height.ilog2() as usize));
    }
    Ok(log_heights)
}

/// Terminals of all shards cancel with what the batch states.
pub(super) fn check_balance<E: Extension>(
    system: &System,
    statements: &[ShardStatement],
    proofs: &[ShardProof<E>],
    challenges: &LookupChallenges<E>,
) -> Result<(), ProveError> {
    let terminals: E = proofs.iter().flat_map(|proof| &proof.terminals).copied().sum();
    let stated = challenges.stated(system, statements).map_err(|_| ProveError::ZeroClaim)?;
    if terminals + stated == E::ZERO { Ok(()) } else { Err(ProveError::Unbalanced) }
}
