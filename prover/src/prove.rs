//! The driver: protocol order, transcript, and checks of the witness. It owns no matrix
//! and computes no column; [`crate::backend`] says who does, and when what is freed.

//!
//! - `batch`: one proof by any number of workers; `rounds`: what they do; `queue`: what is to be
//!   done, `account`: how far it is, `rates`: how long it takes;
//! - `worker`: who computes shards; `opening`: the opening of one;
//! - `source`: where traces come from; `store`: what is kept beyond a process;
//! - `checks`, `progress`, `error`.

mod account;
mod batch;
mod checks;
mod error;
mod opening;
mod progress;
mod queue;
mod rates;
mod rounds;
mod source;
mod store;
mod worker;

use p3_challenger::GrindingChallenger;
use traceloom_air::trace::ShardWitness;
use traceloom_verifier::proof::Proof;
use traceloom_verifier::scheme::F;
use traceloom_verifier::transcript::Transcript;

use crate::backend::Backend;
use crate::cpu::CpuBackend;
use crate::key::ProvingKey;
use crate::metrics::Metrics;
use source::Witnesses;

pub use batch::{Batch, BatchReport, Finished, WorkerReport};
pub use error::ProveError;
pub use progress::{Progress, work as stage_cost};
pub use source::{Retention, ShardSource};
pub use store::{Committed, Part, ShardStore};
pub use worker::{OnBackend, ShardWorker, Task, Worker};

/// How to prove.
#[derive(Clone, Copy, Default)]
pub struct ProveOptions<'a> {
    /// Called when a stage of a shard begins.
    pub progress: Option<&'a (dyn Fn(Progress) + Sync)>,
    /// Called once, as soon as no traces will be asked for any more, so that what they are made
    /// from may be freed. Only a worker that fails would ask again; so this is for batches in which
    /// nobody takes over from a worker.
    pub rows_done: Option<&'a (dyn Fn() + Sync)>,
    /// Make a proof even of a witness that is known to be wrong. For tests of
    /// verifiers: what comes out is refused.
    pub skip_self_checks: bool,
}

/// Proves a batch of shards on the CPU.
///
/// # Errors
/// [`ProveError`]: the witness has the wrong shape, does not balance, or, if asked
/// for, a constraint does not hold.
pub fn prove(
    key: &ProvingKey,
    shards: Vec<ShardWitness>,
    options: &ProveOptions<'_>,
) -> Result<(Proof, Metrics), ProveError> {
    prove_with(&CpuBackend::default(), key, shards, options)
}

/// Proves a batch of shards with the kernels of `backend`, whose traces are where it
/// needs them.
///
/// # Errors
/// As [`prove`], and whatever the backend reports.
pub fn prove_with<B: Backend>(
    backend: &B,
    key: &ProvingKey<B::Key>,
    shards: Vec<ShardWitness<B::Trace>>,
    options: &ProveOptions<'_>,
) -> Result<(Proof, Metrics), ProveError> {
    let mut source = Witnesses::new(key.verifying_key(), shards);
    prove_shards(backend, key, &mut source, Retention::Retain, options)
}

/// Proves a batch of shards whose traces are made one shard after the other.
///
/// # Errors
/// As [`prove_with`], and whatever the source reports. [`ProveError::RootDiffers`] names a
/// shard that came out different in round two.
pub fn prove_shards<B: Backend>(
    backend: &B,
    key: &ProvingKey<B::Key>,
    source: &mut dyn ShardSource<Trace = B::Trace>,
    retention: Retention,
    options: &ProveOptions<'_>,
) -> Result<(Proof, Metrics), ProveError> {
    let statements = source.statements()?;
    let batch = Batch::new(key.verifying_key(), statements, retention, None, options)?;
    // The batch has the error, too.
    let _ = batch.work(&mut OnBackend::new(backend, key, source));
    let Finished { proof, metrics, .. } = batch.finish()?;
    Ok((proof, metrics))
}

/// Lets the backend find the smallest witness and absorbs it; at 0 bits it is 0.
fn grind<B: Backend>(
    backend: &B,
    transcript: &mut Transcript,
    bits: usize,
) -> Result<F, ProveError> {
    if bits == 0 {
        return Ok(F::default());
    }
    let witness = backend.grind(&transcript.grinding_state(), bits)?;
    if transcript.check_witness(bits, witness) {
        return Ok(witness);
    }
    let reason = format!("its grinding witness does not pass {bits} bits");
    Err(ProveError::backend(backend, reason))
}
