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

/// Step 1, per shard: all that enters the final sum, before any challenge.
pub fn statement(transcript: &mut Transcript, statement: &ShardStatement) {
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
