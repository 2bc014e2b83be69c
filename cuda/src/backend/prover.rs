//! Whole proofs on a device, for the sessions of `runtime`.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use traceloom_air::trace::ShardWitness;
use traceloom_prover::{Metrics, ProveError, ProveOptions, ProvingKey, SetupError, prove_with};
use traceloom_runtime::device::{
    DeviceProofError, DeviceTrace, MainTrace, ProofDevice, ShardTraces,
};
use traceloom_runtime::ledger::Ledger;
use traceloom_verifier::proof::Proof;
use traceloom_verifier::shape::ShardShape;
use traceloom_verifier::{Params, VerifyingKey};

use super::context::ProofContext;
use super::error::{At, Failure};
use super::memory::Plan;
use super::trace::CudaTrace;
use super::{Clock, CudaBackend, CudaKey, NAME};
use crate::cache::KernelCache;
use crate::rows::RowEngine;
use crate::trace::BornTrace;

/// The prover of a device. Kernels are loaded with the first proof, and what a system needs
/// is kept for the next one.
pub struct DeviceProver {
    engine: Arc<RowEngine>,
    cache: Option<KernelCache>,
    context: Mutex<Option<Arc<ProofContext>>>,
    keys: Mutex<Vec<(System, Arc<ProvingKey<CudaKey>>)>>,
}

impl fmt::Debug for DeviceProver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "prover on {:?}", self.engine.device())
    }
}

/// What tells systems apart.
type System = ([u8; 32], Params);

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What is in these mutexes is whole between any two statements.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl DeviceProver {
    /// On a device; `cache` keeps compiled kernels.
    #[must_use]
    pub fn new(engine: &Arc<RowEngine>, cache: Option<KernelCache>) -> Self {
        let engine = Arc::clone(engine);
        Self { engine, cache, context: Mutex::default(), keys: Mutex::default() }
    }

    /// With kernels that are loaded already.
    #[must_use]
    pub fn of_context(context: Arc<ProofContext>) -> Self {
        let prover = Self::new(context.engine(), None);
        *lock(&prover.context) = Some(context);
        prover
    }

    fn context(&self, ledger: &Ledger) -> Result<Arc<ProofContext>, ProveError> {
        let mut known = lock(&self.context);
        if let Some(context) = &*known {
            return Ok(Arc::clone(context));
        }
        let made = ProofContext::new(&self.engine, self.cache.as_ref(), ledger);
        let made = made.map_err(|error| ProveError::Backend {
            backend: NAME.into(),
            reason: format!("kernels of the prover: {error}"),
        })?;
        Ok(Arc::clone(known.insert(Arc::new(made))))
    }

    fn key(
        &self,
        backend: &CudaBackend<'_>,
        key: &VerifyingKey,
    ) -> Result<Arc<ProvingKey<CudaKey>>, SetupError> {
        let system = (*key.digest(), *key.params());
        let mut keys = lock(&self.keys);
        if let Some((_, known)) = keys.iter().find(|(known, _)| *known == system) {
            return Ok(Arc::clone(known));
        }
        let made = Arc::new(ProvingKey::with_backend(backend, key.system(), key.params())?);
        keys.push((system, Arc::clone(&made)));
        Ok(made)
    }
}

impl DeviceProver {
    /// Refuses a batch that does not fit beside what is on the device.
    fn admit(
        &self,
        verifying: &VerifyingKey,
        key: &CudaKey,
        shards: &[ShardWitness<CudaTrace>],
    ) -> Result<(), ProveError> {
        let heights = |shard: &ShardWitness<CudaTrace>| -> Vec<Option<usize>> {
            let traces = shard.traces.iter();
            traces.map(|trace| Some(trace.as_ref()?.height.max(1).ilog2() as usize)).collect()
        };
        let shape = |shard| ShardShape::new(verifying, &heights(shard), shards.len());
        let shapes = shards.iter().map(shape);
        let shapes: Vec<ShardShape> = shapes.collect();
        let plan = Plan::new(verifying, key, &shapes);
        let need = plan.peak().saturating_sub(plan.traces()) + plan.tables();
        let at = At { stage: "memory", shard: None, circuit: None };
        let device = self.engine.device();
        let free = device.free_memory().map_err(|error| at.failed(error))?;
        let have = free + self.engine.seeds().used();
        match need > have {
            true => Err(at.failed(Failure::Memory { need, have, held: device.memory().0 })),
            false => Ok(()),
        }
    }
}

impl ProofDevice for DeviceProver {
    fn backend(&self) -> &'static str {
        NAME
    }

    fn prove(
        &self,
        key: &VerifyingKey,
        shards: Vec<ShardTraces>,
        options: &ProveOptions<'_>,
        ledger: &Ledger,
    ) -> Result<(Proof, Metrics), DeviceProofError> {
        let context = self.context(ledger)?;
        let clock = Clock::default();
        let backend = CudaBackend::new(&context, ledger, &clock);
        let proving = self.key(&backend, key)?;
        let shards = shards.into_iter().enumerate();
        let witnesses = shards.map(|(shard, traces)| witness(&backend, key, shard, traces));
        let witnesses = witnesses.collect::<Result<Vec<_>, ProveError>>()?;
        self.admit(key, proving.backend_key(), &witnesses)?;
        Ok(prove_with(&backend, &proving, witnesses, options)?)
    }
}

/// A shard with all traces on the device.
fn witness(
    backend: &CudaBackend<'_>,
    key: &VerifyingKey,
    shard: usize,
    of: ShardTraces,
) -> Result<ShardWitness<CudaTrace>, ProveError> {
    let traces = of.traces.into_iter().zip(&key.system().circuits);
    let traces = traces.map(|(trace, circuit)| match trace {
        None => Ok(None),
        Some(MainTrace::Host(trace)) => backend.upload(shard, &circuit.name, &trace).map(Some),
        Some(MainTrace::Device(trace)) => born(trace)
            .map(Some)
            .map_err(|failure| At::shard("rows", shard).circuit(&circuit.name).failed(failure)),
    });
    let traces = traces.collect::<Result<_, _>>()?;
    Ok(ShardWitness { traces, publics: of.publics, claims: of.claims, boundary: Vec::new() })
}

/// The cells of a trace that was born on a device.
fn born(trace: Box<dyn DeviceTrace>) -> Result<CudaTrace, Failure> {
    let (width, height) = (trace.width(), trace.height());
    let trace: Box<dyn Any> = trace;
    let foreign = || Failure::Fault("the trace was written by another kind of device".into());
    let trace = trace.downcast::<BornTrace>().map_err(|_| foreign())?;
    Ok(CudaTrace::born(trace.into_cells(), width, height))
}
