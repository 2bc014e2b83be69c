//! One proof on several devices that are none: each computes on the CPU, with the kernels of
//! either backend, and may fail. The proof has the bytes of the CPU.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use traceloom_abi::registry::ProgramUnit;
use traceloom_air::trace::{ShardWitness, Trace};
use traceloom_prover::cpu::CpuBackend;
use traceloom_prover::{OnBackend, ProveError, ProvingKey, Retention, SetupError, ShardSource};
use traceloom_runtime::device::{
    DeviceJob, DeviceMemory, DeviceProofError, DeviceRows, MainTrace, ProofDevice, RowDevice,
};
use traceloom_runtime::ledger::Ledger;
use traceloom_runtime::provider::TraceProvider;
use traceloom_runtime::report::DeviceReport;
use traceloom_runtime::session::{
    Backend, Devices, Proved, Request, Session, SessionBuilder, SessionError,
};
use traceloom_runtime::shards::{NumShards, RetentionChoice, ShardOptions};
use traceloom_runtime::source::SeedSource;
use traceloom_second_backend::{ColumnTrace, Columns};
use traceloom_verifier::proof::ShardStatement;
use traceloom_verifier::shape::ShardShape;
use traceloom_verifier::{Profile, VerifyingKey};

const SHARDS: usize = 4;

/// What a device does.
#[derive(Clone, Copy, Debug)]
enum Does {
    /// Computes as the CPU does.
    Compute,
    /// Computes with the second backend; its call with this index fails.
    FailAt(usize),
    /// Cannot keep a key.
    NoKey,
    /// Fails for the rows of this shard.
    NoRows(usize),
}

struct Fake {
    name: &'static str,
    does: Does,
}

impl fmt::Debug for Fake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name)
    }
}

impl RowDevice for Fake {
    fn name(&self) -> String {
        self.name.into()
    }

    fn bind(&self, _: &'static ProgramUnit, _: &Ledger) -> Result<(), String> {
        Err("it writes no rows".into())
    }

    fn free_bytes(&self) -> Result<u64, String> {
        Ok(0)
    }

    fn write(
        &self,
        _: &'static ProgramUnit,
        _: &str,
        _: &dyn SeedSource,
        _: &Ledger,
    ) -> Result<DeviceRows, String> {
        Err("it writes no rows".into())
    }

    fn prover(&self) -> Option<&dyn ProofDevice> {
        Some(self)
    }
}

/// Rows of the host for a backend that computes there.
struct Rows<'a, F> {
    rows: &'a mut dyn ShardSource<Trace = MainTrace>,
    fails: Option<usize>,
    to: F,
}

impl<T, F: Fn(Vec<Option<Trace>>) -> Vec<Option<T>>> ShardSource for Rows<'_, F>
where
    F: Fn(Vec<Option<Trace>>) -> Vec<Option<T>>,
{
    type Trace = T;

    fn statements(&self) -> Result<Vec<ShardStatement>, ProveError> {
        self.rows.statements()
    }

    fn traces(&mut self, shard: usize) -> Result<Vec<Option<T>>, ProveError> {
        if self.fails == Some(shard) {
            return Err(ProveError::Traces { shard, reason: "its cells are lost".into() });
        }
        let host = |trace| match trace {
            MainTrace::Host(trace) => trace,
            MainTrace::Device(trace) => panic!("no device wrote {trace:?}"),
        };
        let traces = self.rows.traces(shard)?.into_iter().map(|trace| trace.map(host));
        Ok((self.to)(traces.collect()))
    }
}

impl ProofDevice for Fake {
    fn backend(&self) -> &'static str {
        "fake"
    }

    fn memory(
        &self,
        _: &VerifyingKey,
        _: &[ShardShape],
        _: Retention,
    ) -> Result<DeviceMemory, ProveError> {
        Ok(DeviceMemory { need: 0, have: 0 })
    }

    fn estimate(&self, _: u128) -> Duration {
        Duration::ZERO
    }

    fn work(&self, job: DeviceJob<'_>) -> Result<DeviceReport, DeviceProofError> {
        let DeviceJob { key, batch, rows, name, .. } = job;
        match self.does {
            Does::NoKey => {
                let (circuit, backend) = ("bytes2".into(), "fake".into());
                Err(SetupError::FixedRoot { circuit, backend }.into())
            }
            Does::Compute | Does::NoRows(_) => {
                let fails = if let Does::NoRows(shard) = self.does { Some(shard) } else { None };
                let backend = CpuBackend::default();
                let key = ProvingKey::with_backend(&backend, key.system(), key.params())?;
                let mut source = Rows { rows, fails, to: |traces| traces };
                batch.work(&mut OnBackend::new(&backend, &key, &mut source).named(name))?;
                Ok(DeviceReport::default())
            }
            Does::FailAt(call) => {
                let made = Columns::default();
                let key = ProvingKey::with_backend(&made, key.system(), key.params())?;
                let backend = Columns::failing_at(call);
                let columns = |traces: Vec<Option<Trace>>| -> Vec<Option<ColumnTrace>> {
                    let (publics, claims, boundary) = Default::default();
                    backend.witness(&ShardWitness { traces, publics, claims, boundary }).traces
                };
                let mut source = Rows { rows, fails: None, to: columns };
                batch.work(&mut OnBackend::new(&backend, &key, &mut source).named(name))?;
                Ok(DeviceReport::default())
            }
        }
    }
}

const NAMES: [&str; 3] = ["left", "middle", "right"];

fn builder(retention: RetentionChoice) -> SessionBuilder {
    let program = traceloom_programs::fibonacci::program().unwrap();
    let shards = NumShards::Exactly(SHARDS);
    let shards = ShardOptions { shards, retention, ..ShardOptions::default() };
    Session::of_program(program)
        .profile(Profile::Fast)
        .trace(TraceProvider::Reference)
        .shards(shards)
}

fn expected() -> Vec<u8> {
    let session = builder(RetentionChoice::Auto).build().unwrap();
    session.prove(Request::args([12])).unwrap().bytes
}

/// A proof on these devices, and what was said.
fn on(
    devices: &[Does],
    change: impl Fn(SessionBuilder) -> SessionBuilder,
) -> (Result<Proved, SessionError>, Vec<String>) {
    let notes = Arc::<Mutex<Vec<String>>>::default();
    let said = notes.clone();
    let devices = devices.iter().zip(NAMES).map(|(&does, name)| Arc::new(Fake { name, does }) as _);
    let session = change(builder(RetentionChoice::Auto))
        .backend(Backend::Device)
        .devices(Devices::Found(devices.collect()))
        .notices(move |note| said.lock().unwrap().push(note.to_owned()));
    let proved = session.build().unwrap().prove(Request::args([12]));
    let mut notes = std::mem::take(&mut *notes.lock().unwrap());
    notes.retain(|note| !note.contains("rows"));
    (proved, notes)
}

const NEVER: Does = Does::FailAt(usize::MAX - 1);

#[test]
fn several_devices_have_the_bytes_of_one_and_of_the_cpu() {
    let expected = expected();
    for retention in [Retention::Retain, Retention::Regenerate].map(RetentionChoice::Always) {
        for devices in [&[Does::Compute][..], &[NEVER], &[Does::Compute, NEVER, NEVER]] {
            let shards = NumShards::Exactly(SHARDS);
            let shards = ShardOptions { shards, retention, ..ShardOptions::default() };
            let (proved, notes) = on(devices, |builder| builder.shards(shards));
            let proved = proved.unwrap();
            assert!(proved.bytes == expected);
            assert!(notes.is_empty(), "{notes:?}");
            let report = &proved.report;
            assert_eq!((report.backend.as_str(), report.workers.len()), ("fake", devices.len()));
            let sum = |of: fn(&traceloom_prover::WorkerReport) -> usize| {
                report.workers.iter().map(of).sum::<usize>()
            };
            assert_eq!((sum(|of| of.committed), sum(|of| of.proven)), (SHARDS, SHARDS));
            let keeps = retention == RetentionChoice::Always(Retention::Retain);
            assert_eq!(sum(|of| of.kept), if keeps { SHARDS } else { 0 });
            let rows: Vec<usize> = report.trace.circuits.iter().map(|of| of.rows).collect();
            assert_eq!(rows, proved.summary.rows);
            // Where another device may take over a shard, the record stays.
            assert_eq!(report.record_freed.is_some(), devices.len() == 1);
        }
    }
}

#[test]
fn a_device_that_fails_is_named_and_its_shards_are_done_by_others() {
    let expected = expected();
    for failing in [Does::FailAt(0), Does::FailAt(1), Does::FailAt(5), Does::NoRows(0), Does::NoKey]
    {
        let (proved, notes) = on(&[failing, Does::Compute], |builder| builder);
        let proved = proved.unwrap();
        assert!(proved.bytes == expected, "{failing:?}");
        let left = proved.report.workers.iter().find(|worker| worker.name == "left");
        let failure = left.and_then(|worker| worker.failure.clone());
        // The other device may have been faster than the failure.
        let has_failed = matches!(failing, Does::NoKey) || failure.is_some();
        assert_eq!(notes.len(), usize::from(has_failed), "{failing:?}: {notes:?}");
        for note in notes {
            assert!(note.starts_with("device left is not used again: "), "{note}");
        }
    }
}

#[test]
fn with_no_device_left_the_proof_fails_or_goes_on_on_the_cpu() {
    let expected = expected();
    for (devices, message) in [
        (&[Does::FailAt(3)][..], "was asked to fail"),
        (&[Does::FailAt(3), Does::FailAt(0)], "was asked to fail"),
        (&[Does::NoRows(0)], "its cells are lost"),
        (&[Does::NoKey], "commits to other fixed columns"),
        (&[Does::NoKey, Does::NoKey], "commits to other fixed columns"),
    ] {
        let (refused, _) = on(devices, |builder| builder);
        let error = refused.err().unwrap().to_string();
        assert!(error.contains(message), "{error}");
        let (proved, notes) = on(devices, |builder| builder.cpu_takes_over(true));
        let proved = proved.unwrap();
        assert!(proved.bytes == expected, "{devices:?}");
        let last = proved.report.workers.last().unwrap();
        assert_eq!((last.name.as_str(), &last.failure), ("cpu", &None));
        let line = "no device is left; the CPU goes on with this proof";
        assert_eq!(notes.last().map(String::as_str), Some(line));
    }
    // The CPU does nothing where a device is left.
    let (proved, _) = on(&[Does::Compute], |builder| builder.cpu_takes_over(true));
    assert_eq!(proved.unwrap().report.workers.len(), 1);
}

/// Devices and a cache: what one run of failing devices has finished is reused.
#[test]
fn what_failing_devices_have_finished_is_reused() {
    let folder = tempfile::tempdir().unwrap();
    let expected = expected();
    let mut reused = Vec::new();
    // Round one of all shards, and later some of round two.
    for call in [2 * SHARDS + 1, 2 * SHARDS + 60, usize::MAX - 1] {
        let (proved, _) = on(&[Does::FailAt(call)], |builder| builder.cache(folder.path()));
        match proved {
            Ok(proved) => {
                assert!(proved.bytes == expected);
                reused.push(proved.report.cache.unwrap());
            }
            Err(error) => assert!(error.to_string().contains("was asked to fail"), "{error}"),
        }
    }
    let last = reused.last().unwrap();
    assert_eq!(last.reused_roots, SHARDS);
    assert!(last.reused_proofs > 0);
}
