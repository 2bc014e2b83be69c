//! Who computes the shards of a proof: the CPU, or devices, each on a thread of its own.

use std::panic;
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

use traceloom_air::claim::{BoundaryMessage, RankedClaim};
use traceloom_prover::backend::Backend as _;
use traceloom_prover::cpu::CpuBackend;
use traceloom_prover::{
    Batch, Finished, OnBackend, ProveError, ProveOptions, Retention, ShardStore,
};
use traceloom_verifier::VerifyingKey;

use super::backend::Decision;
use super::progress::Tracker;
use super::rows::Rows;
use super::shards::{Born, Counted, RecordShards, statements};
use super::{Session, SessionError};
use crate::device::{DeviceJob, DeviceOption, DeviceProofError, ProofDevice};
use crate::provider::{Choices, TraceProvider, WitnessError};
use crate::report::{DeviceReport, TraceReport};
use crate::shards::{Planned, RetentionChoice};

/// A proof that is to be made.
#[derive(Clone, Copy)]
pub(super) struct Work<'a> {
    pub session: &'a Session,
    pub claims: &'a [RankedClaim],
    pub boundary: &'a [BoundaryMessage],
    pub rows: &'a Rows,
    pub planned: &'a Planned,
    pub key: &'a VerifyingKey,
    pub tracker: &'a Tracker<'a>,
    pub store: Option<&'a dyn ShardStore>,
}

/// Rows that were written, and the time that it took.
pub(super) type Written = (TraceReport, Duration);

/// A proof, the rows of it, and what it took on devices that worked to the end.
pub(super) struct Made {
    pub finished: Finished,
    pub rows: Written,
    pub devices: Vec<DeviceReport>,
    /// When the record was freed, since the request began, if that was before the end.
    pub record_freed: Option<Duration>,
}

/// Rows that a device worked on, and what that took or why it stopped.
type Worked = (Written, Result<DeviceReport, Stopped>);

/// Why a worker does not go on: of a device, or its rows.
struct Stopped {
    error: DeviceProofError,
    rows: Option<WitnessError>,
}

impl Work<'_> {
    /// Makes the proof.
    pub fn run(&self, backend: &Decision<'_>) -> Result<Made, SessionError> {
        let progress = |progress| self.tracker.prove(progress);
        let freed = OnceLock::new();
        let free = || {
            self.rows.free();
            let _ = freed.set(self.tracker.elapsed());
        };
        // With several workers, and where the CPU may take over, somebody may need rows again.
        let is_alone = match backend.devices.len() {
            0 => true,
            devices => devices == 1 && !self.session.settings.cpu_takes_over,
        };
        let options = ProveOptions {
            progress: Some(&progress),
            rows_done: is_alone.then_some(&free),
            ..ProveOptions::default()
        };
        let retention = self.planned.retention;
        let stated = statements(self.session, self.claims, self.boundary, self.planned);
        let batch = Batch::new(self.key, stated, retention, self.store, &options);
        let batch = batch.map_err(|error| self.session.not_proved(error))?;
        let counted = Counted::new(self.planned.plan.shards.len());
        let (mut rows, mut devices, mut stopped) = (None, Vec::new(), Vec::new());
        if !backend.devices.is_empty() {
            for (made, worked) in self.on_devices(&batch, &counted, backend)? {
                add(&mut rows, made);
                match worked {
                    Ok(report) => devices.push(report),
                    Err(failure) => stopped.push(failure),
                }
            }
        }
        let goes_on = self.session.settings.cpu_takes_over && batch.wants_workers();
        if backend.devices.is_empty() || goes_on {
            let provider = match backend.provider {
                _ if !goes_on => backend.provider,
                TraceProvider::Device => TraceProvider::Auto,
                other => other,
            };
            if goes_on {
                self.tracker.notice("no device is left; the CPU goes on with this proof");
                stopped.clear();
            }
            let (made, failure) = self.on_cpu(&batch, &counted, provider)?;
            add(&mut rows, made);
            stopped.extend(failure);
        }
        let rows = rows.expect("somebody worked");
        match batch.finish() {
            Ok(finished) => {
                Ok(Made { finished, rows, devices, record_freed: freed.get().copied() })
            }
            Err(error) => Err(self.failed(error, stopped)),
        }
    }

    /// The error of the session: nearer to what failed than the prover's.
    fn failed(&self, error: ProveError, stopped: Vec<Stopped>) -> SessionError {
        let mut stopped = stopped;
        match (error, stopped.pop()) {
            (ProveError::Traces { .. }, Some(Stopped { rows: Some(rows), .. })) => {
                SessionError::Rows(rows)
            }
            (
                ProveError::NoWorker { .. },
                Some(Stopped { error: DeviceProofError::Setup(error), .. }),
            ) => {
                let place = self.session.place.clone();
                SessionError::Key { place, error: Box::new(error) }
            }
            (
                ProveError::NoWorker { .. },
                Some(Stopped { error: DeviceProofError::Prove(error), .. }),
            ) => self.session.not_proved(error),
            (error, _) => self.session.not_proved(error),
        }
    }

    fn on_cpu(
        &self,
        batch: &Batch<'_>,
        counted: &Counted,
        provider: TraceProvider,
    ) -> Result<(Written, Option<Stopped>), SessionError> {
        let Self { session, tracker, .. } = *self;
        // A device that writes rows for the CPU has room for those of this record, which stays.
        let ordered = self.rows.get().filter(|_| provider == TraceProvider::Device);
        let device = match &ordered {
            Some(ordered) => session.device(&ordered.record, provider),
            None => DeviceOption::NotAsked,
        };
        let choices = session.choose(device, provider, Some(self.key), tracker)?;
        let (key, backend) = (session.proving_key()?, CpuBackend::default());
        let worker = backend.name().to_owned();
        let mut source = RecordShards::new(*self, &choices, counted, worker);
        let worked = batch.work(&mut OnBackend::new(&backend, key, &mut source));
        let stopped = worked.err().map(|error| {
            let (error, rows) = (DeviceProofError::Prove(error), source.failure());
            Stopped { error, rows }
        });
        Ok((source.report(), stopped))
    }

    /// All devices at once; shards go to whichever is free.
    fn on_devices(
        &self,
        batch: &Batch<'_>,
        counted: &Counted,
        backend: &Decision<'_>,
    ) -> Result<Vec<Worked>, SessionError> {
        // All memory of a proof on a device was planned, that of rows included.
        let choices = (0..backend.devices.len()).map(|position| {
            let (session, provider) = (self.session, backend.provider);
            let device = session.settings.devices.planned(position);
            session.choose(device, provider, Some(self.key), self.tracker)
        });
        let choices = choices.collect::<Result<Vec<Choices<'_>>, _>>()?;
        let on = |((name, device), choices): (&(String, _), &Choices<'_>)| {
            let done = self.on_device(batch, counted, name, *device, choices);
            if let (_, Err(stopped)) = &done
                && backend.devices.len() > 1
            {
                let error = &stopped.error;
                self.tracker.notice(&format!("device {name} is not used again: {error}"));
            }
            done
        };
        let devices = backend.devices.iter().zip(&choices);
        // A single device works here, where errors and panics are those of the caller.
        Ok(match backend.devices.len() {
            1 => devices.map(on).collect(),
            _ => thread::scope(|scope| {
                let threads: Vec<_> = devices.map(|of| scope.spawn(move || on(of))).collect();
                let join = |thread: thread::ScopedJoinHandle<'_, _>| {
                    thread.join().unwrap_or_else(|payload| panic::resume_unwind(payload))
                };
                threads.into_iter().map(join).collect()
            }),
        })
    }

    fn on_device(
        &self,
        batch: &Batch<'_>,
        counted: &Counted,
        name: &str,
        device: &dyn ProofDevice,
        choices: &Choices<'_>,
    ) -> Worked {
        let Self { session, planned, key, .. } = *self;
        let mut source = RecordShards::new(*self, choices, counted, name.to_owned());
        let worked = device.work(DeviceJob {
            key,
            batch,
            rows: &mut Born(&mut source),
            retention: match planned.retention {
                Retention::Retain => session.settings.shards.retention,
                Retention::Regenerate => RetentionChoice::Always(Retention::Regenerate),
            },
            name: name.to_owned(),
            ledger: choices.ledger(),
            began: self.tracker.start(),
        });
        let worked = worked.map_err(|error| Stopped { error, rows: source.failure() });
        (source.report(), worked)
    }
}

fn add(all: &mut Option<Written>, (report, time): Written) {
    match all {
        None => *all = Some((report, time)),
        Some((so_far, sum)) => {
            so_far.add(report);
            *sum += time;
        }
    }
}
