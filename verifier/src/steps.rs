//! The transcript steps that prover and verifier share, in protocol order.
//!
//! Layout (owned here); docs/protocol.md says the same for another implementer.

use p3_challenger::GrindingChallenger;
use traceloom_air::claim::RankedClaim;

use crate::challenges::LookupChallenges;
use crate::key::VerifyingKey;
use crate::proof::ShardStatement;
use crate::scheme::{Extension, F, Root};
use crate::transcript::{PROTOCOL_TAG, Transcript};

/// Absorbed where a statement of step 1 begins with a number of circuits, of which there
/// are fewer: what binds a shard is another transcript than that of a batch.
const BINDING: u64 = u64::MAX;

/// Step 0: protocol, parameters, number of shards, system.
pub fn seed(key: &VerifyingKey, num_shards: usize) -> Transcript {
    let mut transcript = Transcript::new();
    transcript.bytes(PROTOCOL_TAG);
    for parameter in key.params().words() {
        transcript.number(parameter);
    }
    transcript.number(num_shards as u64);
    transcript.bytes(key.digest());
    transcript
}

/// Step 1, per shard of a batch of several: the point at which its main columns are bound.
///
/// It depends on step 0, the index and the statement of this shard alone, so a shard can be
/// committed and bound while its traces are at hand, in any order and on any device.
pub fn bound_point<E: Extension>(seed: &Transcript, shard: usize, statement: &ShardStatement) -> E {
    let mut fork = seed.clone();
    fork.number(BINDING);
    fork.number(shard as u64);
    stated(&mut fork, statement);
    fork.challenge()
}

/// Step 1, per shard of a batch of `num_shards`: its statement and, if there are several
/// shards, the values that bind it, before any challenge that shards share.
pub fn statement(transcript: &mut Transcript, statement: &ShardStatement, num_shards: usize) {
    stated(transcript, statement);
    if num_shards > 1 {
        transcript.number(statement.bound.len() as u64);
        transcript.elements(&statement.bound);
    }
}

/// All of a statement that enters the final sum.
fn stated(transcript: &mut Transcript, statement: &ShardStatement) {
    let heights = &statement.log_heights;
    transcript.number(heights.len() as u64);
    for height in heights {
        transcript.number(u64::from(height.is_some()));
    }
    for height in heights.iter().flatten() {
        transcript.number(*height as u64);
    }
    transcript.root(&statement.main);
    for publics in &statement.publics {
        transcript.number(publics.len() as u64);
        transcript.elements(publics);
    }
    transcript.number(statement.claims.len() as u64);
    statement.claims.iter().for_each(|ranked| claim(transcript, ranked));
    transcript.number(statement.boundary.len() as u64);
    for message in &statement.boundary {
        transcript.number(u64::from(message.boundary));
        transcript.number(message.values.len() as u64);
        transcript.elements(&message.values);
    }
}

fn claim(transcript: &mut Transcript, ranked: &RankedClaim) {
    transcript.number(u64::from(ranked.claim.function));
    transcript.number(u64::from(ranked.rank.is_some()));
    transcript.number(ranked.claim.inputs.len() as u64);
    transcript.number(ranked.claim.outputs.len() as u64);
    if let Some(rank) = ranked.rank {
        transcript.number(u64::from(rank));
    }
    transcript.elements(&ranked.claim.inputs);
    transcript.elements(&ranked.claim.outputs);
}

/// Step 2, after grinding: the challenges of the lookup argument.
pub fn lookup_challenges<E: Extension>(transcript: &mut Transcript) -> LookupChallenges<E> {
    LookupChallenges { beta: transcript.challenge(), gamma: transcript.challenge() }
}

/// Step 3a, per shard on its fork: stage 2 and terminals, then alpha.
pub fn stage_two<E: Extension>(
    transcript: &mut Transcript,
    root: Option<&Root>,
    terminals: &[E],
) -> E {
    transcript.number(u64::from(root.is_some()));
    if let Some(root) = root {
        transcript.root(root);
    }
    transcript.number(terminals.len() as u64);
    for terminal in terminals {
        let coefficients: &[F] = terminal.as_basis_coefficients_slice();
        transcript.elements(coefficients);
    }
    transcript.challenge()
}

/// Step 3b, prover: quotient, grinding by `grind`, which absorbs its witness, zeta.
///
/// # Errors
/// Those of `grind`.
pub fn quotient<E: Extension, Error>(
    transcript: &mut Transcript,
    root: &Root,
    grind: impl FnOnce(&mut Transcript) -> Result<F, Error>,
) -> Result<(F, E), Error> {
    transcript.root(root);
    let witness = grind(transcript)?;
    Ok((witness, transcript.challenge()))
}

/// Step 3b, verifier; `None` if the witness does not pass.
pub fn check_quotient<E: Extension>(
    transcript: &mut Transcript,
    root: &Root,
    pow_bits: usize,
    witness: F,
) -> Option<E> {
    transcript.root(root);
    transcript.check_witness(pow_bits, witness).then(|| transcript.challenge())
}
