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

/// Statements of all shards, not committed and not bound yet, and their shapes.
pub(super) fn check_witnesses<T: MainTrace>(
    key: &VerifyingKey,
    witnesses: &[ShardWitness<T>],
    skip_security: bool,
) -> Result<(Vec<ShardStatement>, Vec<ShardShape>), ProveError> {
    let witnesses = witnesses.iter().enumerate();
    let statements = witnesses.map(|(shard, witness)| unsigned_statement(key, shard, witness));
    let statements = statements.collect::<Result<Vec<_>, _>>()?;
    let shapes = check_statements(key, &statements)?;
    if !skip_security {
        let num_claims = statements.iter().map(ShardStatement::num_stated).sum();
        check_floors(key, &shapes, num_claims)?;
    }
    Ok((statements, shapes))
}

/// The statement of a witness, its main root still zero and nothing bound.
fn unsigned_statement<T: MainTrace>(
    key: &VerifyingKey,
    shard: usize,
    witness: &ShardWitness<T>,
) -> Result<ShardStatement, ProveError> {
    let circuits = &key.system().circuits;
    let (expected, got) = (circuits.len(), witness.traces.len());
    if expected != got {
        return Err(ShapeError::Count { shard, what: "traces", expected, got }.into());
    }
    let mut log_heights = Vec::new();
    for (circuit, trace) in circuits.iter().zip(&witness.traces) {
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
    Ok(ShardStatement {
        log_heights,
        main: [0; 32],
        publics: witness.publics.clone(),
        claims: witness.claims.clone(),
        boundary: witness.boundary.clone(),
        bound: vec![],
    })
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
