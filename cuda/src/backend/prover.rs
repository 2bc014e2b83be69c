//! Whole proofs on a device, for the sessions of `runtime`.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use traceloom_prover::{OnBackend, ProveError, ProvingKey, Retention, SetupError, ShardSource};
use traceloom_runtime::device::{DeviceJob, DeviceProofError, DeviceTrace, MainTrace, ProofDevice};
use traceloom_runtime::ledger::Ledger;
use traceloom_runtime::shards::RetentionChoice;
use traceloom_verifier::proof::ShardStatement;
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
    /// Refuses a batch that does not fit beside what is on the device. Returns whether shards may
    /// be kept between the rounds.
    fn admit(
        &self,
        verifying: &VerifyingKey,
        key: &CudaKey,
        shapes: &[ShardShape],
        retention: RetentionChoice,
    ) -> Result<bool, ProveError> {
        let all = Plan::new(verifying, key, shapes);
        let at = At { stage: "memory", shard: None, circuit: None };
        let device = self.engine.device();
        let free = device.free_memory().map_err(|error| at.failed(error))?;
        let have = free + self.engine.seeds().used();
        let retained = all.peak() + all.tables();
        // Rows are written again, and one shard is there at a time.
        let single = |shape| Plan::new(verifying, key, std::slice::from_ref(shape)).peak();
        let regenerated = shapes.iter().map(single).max().unwrap_or(0) + all.tables();
        let (keeps, need) = match retention {
            RetentionChoice::Always(Retention::Retain) => (true, retained),
            RetentionChoice::Auto if retained <= have => (true, retained),
            RetentionChoice::Always(Retention::Regenerate) | RetentionChoice::Auto => {
                (false, regenerated)
            }
        };
        match need > have {
            true => Err(at.failed(Failure::Memory { need, have, held: device.memory().0 })),
            false => Ok(keeps),
        }
    }
}

impl ProofDevice for DeviceProver {
    fn backend(&self) -> &'static str {
        NAME
    }

    fn work(&self, job: DeviceJob<'_>) -> Result<(), DeviceProofError> {
        let DeviceJob { key, batch, rows, retention, name, ledger } = job;
        let context = self.context(ledger)?;
        let clock = Clock::default();
        let backend = CudaBackend::new(&context, ledger, &clock);
        let proving = self.key(&backend, key)?;
        let keeps = self.admit(key, proving.backend_key(), batch.shapes(), retention)?;
        let mut source = OnDevice { backend: &backend, key, rows };
        let worker = OnBackend::new(&backend, &proving, &mut source);
        Ok(batch.work(&mut worker.named(name).keeping(keeps))?)
    }
}

/// The traces of shards, all of them on the device.
struct OnDevice<'a, 'b> {
    backend: &'a CudaBackend<'b>,
    key: &'a VerifyingKey,
    rows: &'a mut dyn ShardSource<Trace = MainTrace>,
}

impl ShardSource for OnDevice<'_, '_> {
    type Trace = CudaTrace;

    fn statements(&self) -> Result<Vec<ShardStatement>, ProveError> {
        self.rows.statements()
    }

    fn traces(&mut self, shard: usize) -> Result<Vec<Option<CudaTrace>>, ProveError> {
        let traces = self.rows.traces(shard)?.into_iter().zip(&self.key.system().circuits);
        let on_device = traces.map(|(trace, circuit)| match trace {
            None => Ok(None),
            Some(MainTrace::Host(trace)) => {
                self.backend.upload(shard, &circuit.name, &trace).map(Some)
            }
            Some(MainTrace::Device(trace)) => born(trace)
                .map(Some)
                .map_err(|failure| At::shard("rows", shard).circuit(&circuit.name).failed(failure)),
        });
        on_device.collect()
    }
}

/// The cells of a trace that was born on a device.
fn born(trace: Box<dyn DeviceTrace>) -> Result<CudaTrace, Failure> {
    let (width, height) = (trace.width(), trace.height());
    let trace: Box<dyn Any> = trace;
    let foreign = || Failure::Fault("the trace was written by another kind of device".into());
    let trace = trace.downcast::<BornTrace>().map_err(|_| foreign())?;
    Ok(CudaTrace::born(trace.into_cells(), width, height))
}
