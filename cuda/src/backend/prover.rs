//! Whole proofs on a device, for the sessions of `runtime`.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use traceloom_abi::registry::DeviceImage;
use traceloom_prover::{OnBackend, ProveError, ProvingKey, Retention, SetupError, ShardSource};
use traceloom_runtime::device::{
    DeviceJob, DeviceMemory, DeviceProofError, DeviceTrace, MainTrace, ProofDevice,
};
use traceloom_runtime::ledger::Ledger;
use traceloom_runtime::report::DeviceReport;
use traceloom_runtime::shards::RetentionChoice;
use traceloom_verifier::proof::ShardStatement;
use traceloom_verifier::shape::ShardShape;
use traceloom_verifier::{Params, VerifyingKey};

use super::admission::{Admission, Admitted, Bytes, Capacity};
use super::clock::{Queued, Step};
use super::context::ProofContext;
use super::cost;
use super::error::{At, Failure};
use super::memory::{Plan, ROOT_BYTES};
use super::trace::CudaTrace;
use super::{Clock, CudaBackend, CudaKey, Launches, NAME, ROWS};
use crate::cache::KernelCache;
use crate::error::DeviceError;
use crate::kernels::Origin;
use crate::rows::RowEngine;
use crate::trace::BornTrace;

/// The part of the free memory that is left for the driver, which loads kernels into it.
const RESERVED_FRACTION: u64 = 16;

/// The prover of a device. Kernels are loaded with the first proof, and what a system needs
/// is kept for the next one.
pub struct DeviceProver {
    engine: Arc<RowEngine>,
    images: &'static [DeviceImage],
    cache: Option<KernelCache>,
    context: Mutex<Option<Arc<ProofContext>>>,
    launches: Mutex<Vec<(System, Arc<Launches>)>>,
    keys: Mutex<Vec<(System, Arc<ProvingKey<CudaKey>>)>>,
    admission: Admission,
}

impl fmt::Debug for DeviceProver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "prover on {:?}", self.engine.device())
    }
}

/// What tells systems apart.
type System = ([u8; 32], Params);

fn system(key: &VerifyingKey) -> System {
    (*key.digest(), *key.params())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What is in these mutexes is whole between any two statements.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn find<T>(known: &[(System, Arc<T>)], system: &System) -> Option<Arc<T>> {
    known.iter().find(|(known, _)| known == system).map(|(_, found)| Arc::clone(found))
}

impl DeviceProver {
    /// On a device; `images` may have the kernels, and `cache` keeps those that are compiled.
    #[must_use]
    pub fn new(
        engine: &Arc<RowEngine>,
        images: &'static [DeviceImage],
        cache: Option<KernelCache>,
    ) -> Self {
        Self {
            engine: Arc::clone(engine),
            images,
            cache,
            context: Mutex::default(),
            launches: Mutex::default(),
            keys: Mutex::default(),
            admission: Admission::default(),
        }
    }

    /// With kernels that are loaded already.
    #[must_use]
    pub fn of_context(context: Arc<ProofContext>) -> Self {
        let prover = Self::new(context.engine(), &[], None);
        *lock(&prover.context) = Some(context);
        prover
    }

    /// Where its kernels came from, once they are loaded.
    #[must_use]
    pub fn origin(&self) -> Option<Origin> {
        lock(&self.context).as_ref().map(|context| context.origin().clone())
    }

    /// The kernels, loaded on first use.
    ///
    /// # Errors
    /// [`ProveError::Backend`].
    pub fn context(&self, ledger: &Ledger) -> Result<Arc<ProofContext>, ProveError> {
        let mut known = lock(&self.context);
        if let Some(context) = &*known {
            return Ok(Arc::clone(context));
        }
        let made = ProofContext::new(&self.engine, self.images, self.cache.as_ref(), ledger);
        let made = made.map_err(|error| ProveError::Backend {
            backend: NAME.into(),
            reason: format!("kernels of the prover: {error}"),
        })?;
        Ok(Arc::clone(known.insert(Arc::new(made))))
    }

    fn launches(&self, key: &VerifyingKey) -> Result<Arc<Launches>, ProveError> {
        let mut known = lock(&self.launches);
        if let Some(launches) = find(&known, &system(key)) {
            return Ok(launches);
        }
        let made = Arc::new(Launches::new(key)?);
        known.push((system(key), Arc::clone(&made)));
        Ok(made)
    }

    fn key(
        &self,
        backend: &CudaBackend<'_>,
        key: &VerifyingKey,
    ) -> Result<Arc<ProvingKey<CudaKey>>, SetupError> {
        let mut keys = lock(&self.keys);
        if let Some(known) = find(&keys, &system(key)) {
            return Ok(known);
        }
        let made = Arc::new(ProvingKey::with_backend(backend, key.system(), key.params())?);
        keys.push((system(key), Arc::clone(&made)));
        Ok(made)
    }

    /// What this process has of the device. Resident seeds are released when they are in the
    /// way.
    fn capacity(&self) -> Result<Capacity, DeviceError> {
        let device = self.engine.device();
        let (held, seeds) = (device.memory().0, self.engine.seeds().used());
        // Plans count them with the key.
        let roots = lock(&self.context).as_ref().map_or(0, |_| ROOT_BYTES);
        let free = device.free_memory()?;
        // A limit leaves enough to others, so nothing is held back of it.
        let is_limited = device.memory_limit() < device.info().memory;
        let reserved = if is_limited { 0 } else { free / RESERVED_FRACTION };
        Ok(Capacity { all: free - reserved + held, held: held.saturating_sub(seeds + roots) })
    }

    /// What a batch takes beside what the device has of its key and tables.
    fn bytes(&self, context: &ProofContext, key: &VerifyingKey, plan: &Plan<'_>) -> Bytes {
        let is_known = find(&lock(&self.keys), &system(key)).is_some();
        let of_key = if is_known { 0 } else { plan.key() };
        let stays = of_key + plan.tables(|transform| context.has(transform));
        Bytes { need: plan.need_with(stays), stays }
    }

    /// What is kept between the rounds: all shards if they fit, where that is left to the device.
    fn retention(
        &self,
        context: &ProofContext,
        key: &VerifyingKey,
        launches: &Launches,
        shapes: &[ShardShape],
        choice: RetentionChoice,
    ) -> Result<Retention, ProveError> {
        if let RetentionChoice::Always(retention) = choice {
            return Ok(retention);
        }
        let at = At { stage: "memory", shard: None, circuit: None };
        let capacity = self.capacity().map_err(|error| at.failed(error))?;
        let need = self.bytes(context, key, &Plan::new(key, launches, shapes, Retention::Retain));
        Ok(match need.need <= self.admission.alone(capacity) {
            true => Retention::Retain,
            false => Retention::Regenerate,
        })
    }

    /// Admits a batch with all bytes that it takes.
    fn admit(
        &self,
        context: &ProofContext,
        key: &VerifyingKey,
        plan: &Plan<'_>,
    ) -> Result<Admitted<'_>, ProveError> {
        let at = At { stage: "memory", shard: None, circuit: None };
        let bytes = self.bytes(context, key, plan);
        let need = bytes.need;
        let held = self.engine.device().memory().0;
        self.admission.admit(
            bytes,
            || self.capacity().map_err(|error| at.failed(error)),
            |have| at.failed(Failure::Memory { need, have, held }),
        )
    }

    fn report(&self, admitted: &Admitted<'_>, planned: u64, clock: &Clock) -> DeviceReport {
        let device = self.engine.device();
        let (held, taken) = device.peak();
        DeviceReport {
            name: device.info().to_string(),
            kernels: self.origin().map(|origin| origin.to_string()).unwrap_or_default(),
            bandwidth: device.info().bandwidth,
            planned_bytes: planned,
            available_bytes: admitted.have,
            peak_bytes: held,
            taken_bytes: taken,
            memory: Vec::new(),
            steps: clock.steps(),
        }
    }
}

impl ProofDevice for DeviceProver {
    fn backend(&self) -> &'static str {
        NAME
    }

    fn memory(
        &self,
        key: &VerifyingKey,
        shapes: &[ShardShape],
        retention: Retention,
    ) -> Result<DeviceMemory, ProveError> {
        let launches = self.launches(key)?;
        let at = At { stage: "memory", shard: None, circuit: None };
        let capacity = self.capacity().map_err(|error| at.failed(error))?;
        let need = Plan::new(key, &launches, shapes, retention).need();
        Ok(DeviceMemory { need, have: self.admission.alone(capacity) })
    }

    fn estimate(&self, cells: u128) -> Duration {
        let is_loaded = lock(&self.context).is_some();
        cost::estimate(cells) + if is_loaded { Duration::ZERO } else { cost::loading(self.images) }
    }

    fn work(&self, job: DeviceJob<'_>) -> Result<DeviceReport, DeviceProofError> {
        let DeviceJob { key, batch, rows, retention, name, ledger, began } = job;
        let context = self.context(ledger)?;
        let launches = self.launches(key)?;
        let retention = self.retention(&context, key, &launches, batch.shapes(), retention)?;
        let plan = Plan::new(key, &launches, batch.shapes(), retention);
        let admitted = self.admit(&context, key, &plan)?;
        self.engine.device().begin_peak();
        let clock = Clock::default();
        let backend = CudaBackend::new(&context, ledger, &clock).with_launches(&launches);
        let proving = self.key(&backend, key)?;
        let statements = rows.statements()?;
        let mut source = Born { backend, clock: &clock, key, statements, shards: rows };
        let worker = OnBackend::new(&backend, &proving, &mut source);
        batch.work(&mut worker.named(name).keeping(retention == Retention::Retain))?;
        let memory = clock.memory(began);
        Ok(DeviceReport { memory, ..self.report(&admitted, plan.need(), &clock) })
    }
}

/// The shards of a session, all of whose traces go to the device.
struct Born<'a> {
    backend: CudaBackend<'a>,
    clock: &'a Clock,
    key: &'a VerifyingKey,
    statements: Vec<ShardStatement>,
    shards: &'a mut dyn ShardSource<Trace = MainTrace>,
}

impl ShardSource for Born<'_> {
    type Trace = CudaTrace;

    fn statements(&self) -> Result<Vec<ShardStatement>, ProveError> {
        Ok(self.statements.clone())
    }

    fn traces(&mut self, shard: usize) -> Result<Vec<Option<CudaTrace>>, ProveError> {
        let failed = |error: DeviceError| At::shard(ROWS, shard).failed(error);
        let stream = self.backend.stream();
        let begin = stream.record().map_err(failed)?;
        let traces = self.shards.traces(shard)?;
        let bytes = traces.iter().flatten().map(|trace| match trace {
            MainTrace::Host(_) => 0,
            MainTrace::Device(trace) => 8 * (trace.width() * trace.height()) as u64,
        });
        let (bytes, launches) = (bytes.sum(), 0);
        let queued = Queued { stage: ROWS, circuit: None, step: Step::Rows, launches, bytes };
        self.clock.end(stream, begin, queued).map_err(failed)?;
        let traces = traces.into_iter().zip(&self.key.system().circuits);
        traces
            .map(|(trace, circuit)| match trace {
                None => Ok(None),
                Some(MainTrace::Host(trace)) => {
                    self.backend.upload(shard, &circuit.name, &trace).map(Some)
                }
                Some(MainTrace::Device(trace)) => self.born(trace).map(Some).map_err(|failure| {
                    At::shard(ROWS, shard).circuit(&circuit.name).failed(failure)
                }),
            })
            .collect()
    }
}

impl Born<'_> {
    /// The cells of a trace that was born on a device. Work on them waits for their rows, also
    /// where another engine writes those.
    fn born(&self, trace: Box<dyn DeviceTrace>) -> Result<CudaTrace, Failure> {
        let (width, height) = (trace.width(), trace.height());
        let trace: Box<dyn Any> = trace;
        let foreign = || Failure::Fault("the trace was written by another kind of device".into());
        let trace = trace.downcast::<BornTrace>().map_err(|_| foreign())?;
        let (rows, stream) = (trace.engine().compute(), self.backend.stream());
        if !Arc::ptr_eq(trace.engine(), self.backend.engine()) {
            stream.wait_for(&rows.record()?)?;
        }
        Ok(CudaTrace::born(trace.into_cells(), width, height))
    }
}
