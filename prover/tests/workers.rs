//! One proof by several workers, and with what an earlier run has kept: the bytes never change,
//! whoever fails and whatever a store says.

mod common;

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex};
use std::thread;
use std::time::Duration;

use common::{Inner, batch, claim, fast, shard, system, with_first_pointer};
use traceloom_air::claim::Claim;
use traceloom_air::field::element;
use traceloom_air::trace::{ShardWitness, Trace};
use traceloom_prover::backend::{Backend, MainTrace};
use traceloom_prover::cpu::CpuBackend;
use traceloom_prover::{
    Batch, BatchReport, Committed, Finished, OnBackend, Part, Progress, ProveError, ProveOptions,
    ProvingKey, Retention, ShardSource, ShardStore, Stage, prove,
};
use traceloom_second_backend::{ColumnTrace, Columns};
use traceloom_verifier::proof::{ShardStatement, Shards};
use traceloom_verifier::{Proof, verify};

const NUM_SHARDS: usize = 3;
const ROWS: u64 = 4;

fn shards() -> Vec<ShardWitness> {
    let pointers = (0..).step_by(ROWS as usize);
    let shards = (1..=NUM_SHARDS as u64).zip(pointers);
    batch(shards.map(|(x, at)| with_first_pointer(shard(&[x], Inner::Here, &[]), at)).collect())
}

fn claims() -> Vec<Claim> {
    (1..=NUM_SHARDS as u64).map(claim).collect()
}

fn key(degree: usize) -> ProvingKey {
    ProvingKey::new(&system(), &fast(degree)).unwrap()
}

fn statements(proof: &Proof) -> Vec<ShardStatement> {
    let statements = proof.statements.iter().cloned();
    statements
        .map(|statement| ShardStatement { main: [0; 32], bound: Vec::new(), ..statement })
        .collect()
}

fn expected(key: &ProvingKey) -> Proof {
    prove(key, shards(), &ProveOptions::default()).unwrap().0
}

type Make<'a, T> = Box<dyn Fn(usize) -> Vec<Option<T>> + 'a>;

/// Traces for any number of askings.
struct Again<'a, T> {
    make: Make<'a, T>,
    asked: Vec<usize>,
}

impl<'a, T> Again<'a, T> {
    fn new(make: impl Fn(usize) -> Vec<Option<T>> + 'a) -> Self {
        Self { make: Box::new(make), asked: Vec::new() }
    }
}

impl Again<'static, Trace> {
    fn host() -> Self {
        Self::new(|shard| shards()[shard].traces.clone())
    }
}

impl<T: MainTrace> ShardSource for Again<'_, T> {
    type Trace = T;

    fn statements(&self) -> Result<Vec<ShardStatement>, ProveError> {
        Err(ProveError::NoWorker { shards: 0 })
    }

    fn traces(&mut self, shard: usize) -> Result<Vec<Option<T>>, ProveError> {
        self.asked.push(shard);
        Ok((self.make)(shard))
    }
}

fn columns(backend: &Columns) -> Again<'_, ColumnTrace> {
    Again::new(|shard| backend.witness(&shards()[shard]).traces)
}

/// A key of a backend of columns, however often calls of the backend fail later.
type ColumnsKey = ProvingKey<<Columns as Backend>::Key>;

fn columns_key(degree: usize) -> ColumnsKey {
    ProvingKey::with_backend(&Columns::default(), &system(), &fast(degree)).unwrap()
}

/// Works on the CPU alone, with `store`.
fn alone(
    key: &ProvingKey,
    expected: &Proof,
    retention: Retention,
    store: Option<&dyn ShardStore>,
    source: &mut Again<'_, Trace>,
) -> Result<Finished, ProveError> {
    let (options, backend) = (ProveOptions::default(), CpuBackend::default());
    let statements = statements(expected);
    let batch = Batch::new(key.verifying_key(), statements, retention, store, &options)?;
    let worked = batch.work(&mut OnBackend::new(&backend, key, source));
    let finished = batch.finish();
    assert_eq!(worked.err().as_ref(), finished.as_ref().err());
    finished
}

#[test]
fn two_backends_prove_one_batch_with_the_bytes_of_one() {
    for degree in [2, 3] {
        let (key, other) = (key(degree), columns_key(degree));
        let expected = expected(&key);
        for retention in [Retention::Retain, Retention::Regenerate] {
            let (cpu, second) = (CpuBackend::default(), Columns::default());
            let options = ProveOptions::default();
            let statements = statements(&expected);
            let batch =
                Batch::new(key.verifying_key(), statements, retention, None, &options).unwrap();
            thread::scope(|scope| {
                scope.spawn(|| {
                    batch.work(&mut OnBackend::new(&cpu, &key, &mut Again::host())).unwrap();
                });
                scope.spawn(|| {
                    batch
                        .work(&mut OnBackend::new(&second, &other, &mut columns(&second)))
                        .unwrap();
                });
            });
            assert!(!batch.wants_workers());
            let Finished { proof, report, .. } = batch.finish().unwrap();
            assert!(proof == expected && proof.encode() == expected.encode());
            assert_eq!(verify(key.verifying_key(), &claims(), &proof).map(drop), Ok(()));
            let sum = |of: fn(&traceloom_prover::WorkerReport) -> usize| {
                report.workers.iter().map(of).sum::<usize>()
            };
            assert_eq!((sum(|of| of.committed), sum(|of| of.proven)), (NUM_SHARDS, NUM_SHARDS));
        }
    }
}

/// A worker that fails at its n-th call, for every n: the other one ends with the same bytes.
#[test]
fn a_worker_that_fails_is_not_used_again_and_its_shards_are_done_by_others() {
    let (key, other) = (key(2), columns_key(2));
    let expected = expected(&key);
    for retention in [Retention::Retain, Retention::Regenerate] {
        let mut failures = 0;
        for call in 0.. {
            let (cpu, failing) = (CpuBackend::default(), Columns::failing_at(call));
            let options = ProveOptions::default();
            let statements = statements(&expected);
            let batch =
                Batch::new(key.verifying_key(), statements, retention, None, &options).unwrap();
            // Alone, so that it comes to its n-th call.
            let worked = batch.work(&mut OnBackend::new(&failing, &other, &mut columns(&failing)));
            let has_failed = worked.is_err();
            assert_eq!(has_failed, batch.wants_workers());
            assert_eq!(has_failed, failing.calls().len() == call + 1);
            let called = failing.calls().len();
            let mut source = Again::host();
            let mut cpu = OnBackend::new(&cpu, &key, &mut source).named("the CPU");
            batch.work(&mut cpu).unwrap();
            assert_eq!(failing.calls().len(), called, "it is used again");
            let alive = failing.alive();
            assert_eq!((alive.traces, alive.commitments, alive.layers), (0, 0, 0), "{call}");
            let Finished { proof, report, .. } = batch.finish().unwrap();
            assert!(proof == expected, "{retention:?}, call {call}");
            let BatchReport { workers, .. } = report;
            assert_eq!(workers[1].name, "the CPU");
            if !has_failed {
                assert_eq!((workers[0].proven, &workers[0].failure), (NUM_SHARDS, &None));
                break;
            }
            failures += 1;
            let failure = workers[0].failure.as_ref().unwrap();
            assert!(failure.contains("was asked to fail"), "{failure}");
            assert_eq!(workers[0].proven + workers[1].proven, NUM_SHARDS);
            // Whatever was kept there is lost with it.
            assert!(workers[0].committed < NUM_SHARDS || workers[1].committed == 0);
        }
        assert!(failures >= 15 * NUM_SHARDS, "{failures}");
    }
}

#[test]
fn with_no_worker_left_the_last_failure_is_the_error() {
    let other = columns_key(2);
    let expected = expected(&key(2));
    let options = ProveOptions::default();
    let new = || {
        let statements = statements(&expected);
        let key = other.verifying_key();
        Batch::new(key, statements, Retention::Retain, None, &options).unwrap()
    };
    let batch = new();
    for call in [3, 0] {
        let failing = Columns::failing_at(call);
        batch.work(&mut OnBackend::new(&failing, &other, &mut columns(&failing))).unwrap_err();
        assert!(batch.wants_workers());
    }
    let error = batch.finish().unwrap_err();
    assert!(matches!(error, ProveError::Backend { .. }), "{error}");
    let error = new().finish().unwrap_err();
    assert_eq!(error, ProveError::NoWorker { shards: NUM_SHARDS });
}

/// A store that holds the first finished proof back until somebody else asks for traces.
#[derive(Default)]
struct HoldsBack {
    is_asked: Mutex<bool>,
    changed: Condvar,
}

impl ShardStore for HoldsBack {
    fn root(&self, _: usize) -> Option<Committed> {
        None
    }

    fn proof(&self, _: usize, _: &[u8; 32]) -> Option<Shards> {
        None
    }

    fn keep_root(&self, _: usize, _: &Committed) {}

    fn keep_proof(&self, shard: usize, _: &[u8; 32], _: &Shards) {
        if shard == 0 {
            let asked = self.is_asked.lock().unwrap();
            let waits = |asked: &mut bool| !*asked;
            let limit = Duration::from_secs(100);
            let (_asked, waited) = self.changed.wait_timeout_while(asked, limit, waits).unwrap();
            assert!(!waited.timed_out(), "nobody took over a shard");
        }
    }

    fn discard(&self, _: usize, _: Part, _: &str) {}
}

/// One worker keeps all shards and is held up; another one, which has nothing, takes over the
/// last of them. The bytes are the same, and the first one drops what it kept of it.
#[test]
fn an_idle_worker_takes_over_shards_that_another_one_keeps() {
    const MANY: usize = 8;
    let (key, other) = (key(2), columns_key(2));
    let pointers = (0..).step_by(ROWS as usize);
    let made = (1..=MANY as u64).zip(pointers);
    let made =
        batch(made.map(|(x, at)| with_first_pointer(shard(&[x], Inner::Here, &[]), at)).collect());
    let expected = prove(&key, made.clone(), &ProveOptions::default()).unwrap().0;
    let (options, store) = (ProveOptions::default(), HoldsBack::default());
    let (keeper, helper) = (Columns::default(), CpuBackend::default());
    let statements = statements(&expected);
    let store_of: Option<&dyn ShardStore> = Some(&store);
    let batch =
        Batch::new(key.verifying_key(), statements, Retention::Retain, store_of, &options).unwrap();
    let (is_first, all_committed) = (Mutex::new(0), Condvar::new());
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut source = Again::new(|shard| {
                let mut committed = is_first.lock().unwrap();
                *committed += 1;
                all_committed.notify_all();
                keeper.witness(&made[shard]).traces
            });
            let worked = batch.work(&mut OnBackend::new(&keeper, &other, &mut source));
            worked.unwrap();
            assert_eq!(source.asked, (0..MANY).collect::<Vec<_>>());
        });
        scope.spawn(|| {
            // When the keeper has asked for all traces, nobody else does.
            let committed = is_first.lock().unwrap();
            drop(all_committed.wait_while(committed, |committed| *committed < MANY).unwrap());
            let mut source = Again::new(|shard| {
                *store.is_asked.lock().unwrap() = true;
                store.changed.notify_all();
                made[shard].traces.clone()
            });
            batch.work(&mut OnBackend::new(&helper, &key, &mut source)).unwrap();
            assert_eq!(source.asked[0], MANY - 1, "the last one first: {:?}", source.asked);
        });
    });
    let Finished { proof, report, .. } = batch.finish().unwrap();
    assert!(proof == expected);
    let of = |kept: usize| report.workers.iter().find(|worker| worker.kept == kept).unwrap();
    assert_eq!((of(MANY).committed, of(0).committed), (MANY, 0));
    assert!(of(0).proven > 0 && of(0).proven + of(MANY).proven == MANY);
    let alive = keeper.alive();
    assert_eq!((alive.traces, alive.commitments, alive.layers), (0, 0, 0));
}

/// Rows are done when no traces will be asked for any more, which is said once.
#[test]
fn what_rows_are_made_from_may_be_freed_as_soon_as_they_are_made() {
    let key = key(2);
    let expected = expected(&key);
    let full = Memory::default();
    alone(&key, &expected, Retention::Retain, Some(&full), &mut Again::host()).unwrap();
    let all: Vec<usize> = (0..NUM_SHARDS).collect();
    for (retention, roots, proofs, last) in [
        // After round one, where everything is kept.
        (Retention::Retain, &[][..], &[][..], (Stage::Main, NUM_SHARDS - 1)),
        // When the last shard is made again.
        (Retention::Regenerate, &[], &[], (Stage::Main, NUM_SHARDS - 1)),
        // What an earlier run has finished needs none.
        (Retention::Retain, &all, &[1, 2], (Stage::Main, 0)),
        (Retention::Regenerate, &all, &all, (Stage::Lookup, 0)),
    ] {
        let store = Memory::of(&full, roots, proofs);
        let (seen, said) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
        let asked = Mutex::new(0);
        let report = |step: Progress| seen.lock().unwrap().push((step.stage, step.shard));
        let rows_done = || {
            let last = seen.lock().unwrap().last().copied();
            said.lock().unwrap().push((last.unwrap(), *asked.lock().unwrap()));
        };
        let options = ProveOptions {
            progress: Some(&report),
            rows_done: Some(&rows_done),
            ..ProveOptions::default()
        };
        let store: Option<&dyn ShardStore> = Some(&store);
        let statements = statements(&expected);
        let batch =
            Batch::new(key.verifying_key(), statements, retention, store, &options).unwrap();
        let mut source = Again::new(|shard| {
            *asked.lock().unwrap() += 1;
            shards()[shard].traces.clone()
        });
        let backend = CpuBackend::default();
        batch.work(&mut OnBackend::new(&backend, &key, &mut source)).unwrap();
        assert!(batch.finish().unwrap().proof == expected);
        let times = *asked.lock().unwrap();
        assert_eq!(*said.lock().unwrap(), [(last, times)], "{retention:?}, {roots:?}");
    }
}

/// What makes a proof impossible stops all workers.
#[test]
fn a_shard_that_differs_on_another_worker_stops_the_proof() {
    let (key, other) = (key(2), columns_key(2));
    let expected = expected(&key);
    let options = ProveOptions::default();
    let (cpu, failing) = (CpuBackend::default(), Columns::failing_at(2 * NUM_SHARDS + 1));
    let statements = statements(&expected);
    let batch =
        Batch::new(key.verifying_key(), statements, Retention::Retain, None, &options).unwrap();
    // It commits to all shards and fails in round two.
    batch.work(&mut OnBackend::new(&failing, &other, &mut columns(&failing))).unwrap_err();
    let mut wrong = Again::new(|shard| {
        let mut traces = shards()[shard].traces.clone();
        traces[common::OUTER].as_mut().unwrap().values[0] += element(1);
        traces
    });
    let error = batch.work(&mut OnBackend::new(&cpu, &key, &mut wrong)).unwrap_err();
    assert_eq!(error, ProveError::RootDiffers { shard: 0 });
    assert!(!batch.wants_workers());
    batch.work(&mut OnBackend::new(&cpu, &key, &mut Again::host())).unwrap();
    assert_eq!(batch.finish().unwrap_err(), ProveError::RootDiffers { shard: 0 });
}

#[test]
fn a_worker_that_panics_leaves_nobody_waiting() {
    let key = key(2);
    let expected = expected(&key);
    let options = ProveOptions::default();
    let statements = statements(&expected);
    let batch =
        Batch::new(key.verifying_key(), statements, Retention::Retain, None, &options).unwrap();
    thread::scope(|scope| {
        let panics = scope.spawn(|| {
            let mut source = Again::new(|_| -> Vec<Option<Trace>> { panic!("on purpose") });
            let _ = batch.work(&mut OnBackend::new(&CpuBackend::default(), &key, &mut source));
        });
        assert!(panics.join().is_err());
        scope.spawn(|| {
            let _ =
                batch.work(&mut OnBackend::new(&CpuBackend::default(), &key, &mut Again::host()));
        });
    });
    assert!(!batch.wants_workers() && batch.finish().is_err());
}

/// A store in memory, which may hold anything.
#[derive(Default)]
struct Memory {
    roots: Mutex<BTreeMap<usize, Committed>>,
    proofs: Mutex<BTreeMap<usize, ([u8; 32], Shards)>>,
    discarded: Mutex<Vec<(usize, Part, String)>>,
}

impl Memory {
    /// With these shards of `other` only.
    fn of(other: &Self, roots: &[usize], proofs: &[usize]) -> Self {
        let store = Self::default();
        let kept = other.roots.lock().unwrap();
        let kept = roots.iter().map(|shard| (*shard, kept[shard].clone()));
        store.roots.lock().unwrap().extend(kept);
        let kept = other.proofs.lock().unwrap();
        let kept = proofs.iter().map(|shard| (*shard, kept[shard].clone()));
        store.proofs.lock().unwrap().extend(kept);
        store
    }

    fn discarded(&self) -> Vec<(usize, Part, String)> {
        self.discarded.lock().unwrap().clone()
    }
}

impl ShardStore for Memory {
    fn root(&self, shard: usize) -> Option<Committed> {
        self.roots.lock().unwrap().get(&shard).cloned()
    }

    fn proof(&self, shard: usize, about: &[u8; 32]) -> Option<Shards> {
        let proofs = self.proofs.lock().unwrap();
        proofs.get(&shard).filter(|(of, _)| of == about).map(|(_, proof)| proof.clone())
    }

    fn keep_root(&self, shard: usize, committed: &Committed) {
        self.roots.lock().unwrap().insert(shard, committed.clone());
    }

    fn keep_proof(&self, shard: usize, about: &[u8; 32], proof: &Shards) {
        self.proofs.lock().unwrap().insert(shard, (*about, proof.clone()));
    }

    fn discard(&self, shard: usize, part: Part, reason: &str) {
        match part {
            Part::Root => drop(self.roots.lock().unwrap().remove(&shard)),
            Part::Proof => drop(self.proofs.lock().unwrap().remove(&shard)),
        }
        self.discarded.lock().unwrap().push((shard, part, reason.to_owned()));
    }
}

fn subsets() -> impl Iterator<Item = Vec<usize>> {
    (0..1 << NUM_SHARDS)
        .map(|bits: usize| (0..NUM_SHARDS).filter(|shard| bits >> shard & 1 == 1).collect())
}

/// Any roots and any proofs of an earlier run: the same bytes, and nothing is done twice.
#[test]
fn whatever_was_kept_the_proof_is_that_of_an_uninterrupted_run() {
    for degree in [2, 3] {
        let key = key(degree);
        let expected = expected(&key);
        let full = Memory::default();
        let mut source = Again::host();
        let first = alone(&key, &expected, Retention::Regenerate, Some(&full), &mut source);
        assert!(first.unwrap().proof == expected);
        assert_eq!(source.asked, [0, 1, 2, 0, 1, 2]);
        for retention in [Retention::Retain, Retention::Regenerate] {
            for roots in subsets() {
                for proofs in subsets() {
                    let store = Memory::of(&full, &roots, &proofs);
                    let mut source = Again::host();
                    let done = alone(&key, &expected, retention, Some(&store), &mut source);
                    let Finished { proof, report, .. } = done.unwrap();
                    assert!(proof == expected, "{roots:?}, {proofs:?}");
                    assert_eq!(report.reused_roots, roots.len());
                    assert_eq!(report.reused_proofs, proofs.len());
                    assert_eq!(store.discarded(), []);
                    let times = |shard: usize| source.asked.iter().filter(|&&s| s == shard).count();
                    for shard in 0..NUM_SHARDS {
                        let (root, proof) = (roots.contains(&shard), proofs.contains(&shard));
                        let keeps = retention == Retention::Retain;
                        // Round one without a root; round two without a proof, unless it was kept.
                        let expected = usize::from(!root) + usize::from(!proof && (root || !keeps));
                        assert_eq!(times(shard), expected, "{shard}: {roots:?}, {proofs:?}");
                    }
                    assert!(*store.roots.lock().unwrap() == *full.roots.lock().unwrap());
                    assert!(*store.proofs.lock().unwrap() == *full.proofs.lock().unwrap());
                }
            }
        }
    }
}

/// A kept root of other traces: it is discarded, and its shard and all proofs are done again.
#[test]
fn a_kept_root_that_is_wrong_is_discarded_and_its_shard_done_again() {
    let key = key(2);
    let expected = expected(&key);
    let full = Memory::default();
    let retention = Retention::Regenerate;
    alone(&key, &expected, retention, Some(&full), &mut Again::host()).unwrap();
    type Wrong = fn(&mut Committed);
    let wrongs: [Wrong; 2] = [|of| of.root[7] ^= 1, |of| of.bound[2] += element(1)];
    for wrong in wrongs {
        for shard in 0..NUM_SHARDS {
            for retention in [Retention::Retain, Retention::Regenerate] {
                let store = Memory::of(&full, &[0, 1, 2], &[0, 1, 2]);
                wrong(store.roots.lock().unwrap().get_mut(&shard).unwrap());
                let done = alone(&key, &expected, retention, Some(&store), &mut Again::host());
                let Finished { proof, report, .. } = done.unwrap();
                assert!(proof == expected, "{shard}");
                let discarded = store.discarded();
                let reason = "its traces have another root now".to_owned();
                assert_eq!(discarded, [(shard, Part::Root, reason)]);
                assert_eq!(report.reused_roots, NUM_SHARDS - 1);
                assert!(*store.roots.lock().unwrap() == *full.roots.lock().unwrap());
            }
        }
    }
    // All roots are wrong.
    let store = Memory::of(&full, &[0, 1, 2], &[]);
    store.roots.lock().unwrap().values_mut().for_each(|of| of.root[0] ^= 1);
    let done = alone(&key, &expected, retention, Some(&store), &mut Again::host()).unwrap();
    assert!(done.proof == expected && done.report.reused_roots == 0);
    assert_eq!(store.discarded().len(), NUM_SHARDS);
}

/// A kept proof that is valid and of another shard, another batch or another field, or damaged.
#[test]
fn a_kept_proof_is_verified_for_being_about_this_shard() {
    let key = key(2);
    let expected = expected(&key);
    let full = Memory::default();
    alone(&key, &expected, Retention::Retain, Some(&full), &mut Again::host()).unwrap();
    let Shards::Quadratic(proofs) = expected.shards.clone() else { panic!("degree 2") };
    let one =
        |proof: &traceloom_verifier::proof::ShardProof<_>| Shards::Quadratic(vec![proof.clone()]);
    let mut damaged = proofs[1].clone();
    damaged.opening.query_witness += element(1);
    let cubic = self::expected(&self::key(3)).shards;
    let Shards::Cubic(cubic) = cubic else { panic!("degree 3") };
    let other = {
        let shards = memories_of_others();
        let Shards::Quadratic(proofs) =
            prove(&key, shards, &ProveOptions::default()).unwrap().0.shards
        else {
            panic!("degree 2")
        };
        proofs
    };
    for (foreign, reason) in [
        (one(&proofs[0]), "it is refused: "),
        (one(&proofs[2]), "it is refused: "),
        (one(&damaged), "it is refused: "),
        (one(&other[1]), "it is refused: "),
        (Shards::Quadratic(proofs.clone()), "it is not one proof"),
        (Shards::Quadratic(Vec::new()), "it is not one proof"),
        (Shards::Cubic(vec![cubic[1].clone()]), "it is not one proof"),
    ] {
        let store = Memory::of(&full, &[0, 1, 2], &[0, 1, 2]);
        store.proofs.lock().unwrap().get_mut(&1).unwrap().1 = foreign;
        let done = alone(&key, &expected, Retention::Retain, Some(&store), &mut Again::host());
        let Finished { proof, report, .. } = done.unwrap();
        assert!(proof == expected);
        assert_eq!(report.reused_proofs, NUM_SHARDS - 1);
        let discarded = store.discarded();
        assert_eq!((discarded.len(), discarded[0].0, discarded[0].1), (1, 1, Part::Proof));
        assert!(discarded[0].2.starts_with(reason), "{}", discarded[0].2);
    }
    // A root that binds by too few values is no root of this batch.
    let store = Memory::of(&full, &[0, 1, 2], &[]);
    store.roots.lock().unwrap().get_mut(&2).unwrap().bound.pop();
    let done = alone(&key, &expected, Retention::Retain, Some(&store), &mut Again::host()).unwrap();
    assert!(done.proof == expected && done.report.reused_roots == 2);
}

fn memories_of_others() -> Vec<ShardWitness> {
    let others = (11..=13).zip((0..).step_by(ROWS as usize));
    batch(others.map(|(x, at)| with_first_pointer(shard(&[x], Inner::Here, &[]), at)).collect())
}

/// A fresh root that differs in round two is fatal, with a store too, and names the shard.
#[test]
fn a_fresh_root_that_differs_is_fatal_with_a_store_too() {
    let key = key(2);
    let expected = expected(&key);
    let full = Memory::default();
    alone(&key, &expected, Retention::Retain, Some(&full), &mut Again::host()).unwrap();
    let store = Memory::of(&full, &[0, 2], &[]);
    let made = Mutex::new(0);
    let mut source = Again::new(|shard| {
        let mut traces = shards()[shard].traces.clone();
        if shard == 1 {
            let mut made = made.lock().unwrap();
            traces[common::OUTER].as_mut().unwrap().values[0] += element(*made);
            *made += 1;
        }
        traces
    });
    let error = alone(&key, &expected, Retention::Regenerate, Some(&store), &mut source);
    assert_eq!(error.unwrap_err(), ProveError::RootDiffers { shard: 1 });
    assert_eq!(store.discarded(), []);
}

/// Progress counts rows by stage; what a store has is not to be done.
#[test]
fn progress_states_rows_and_what_is_left() {
    let key = key(2);
    let expected = expected(&key);
    let full = Memory::default();
    let seen = |store: &Memory, retention: Retention| {
        let seen: Mutex<Vec<Progress>> = Mutex::default();
        let report = |step: Progress| seen.lock().unwrap().push(step);
        let options = ProveOptions { progress: Some(&report), ..ProveOptions::default() };
        let store: Option<&dyn ShardStore> = Some(store);
        let statements = statements(&expected);
        let batch =
            Batch::new(key.verifying_key(), statements, retention, store, &options).unwrap();
        let backend = CpuBackend::default();
        batch.work(&mut OnBackend::new(&backend, &key, &mut Again::host())).unwrap();
        batch.finish().unwrap();
        seen.into_inner().unwrap()
    };
    let steps = seen(&full, Retention::Regenerate);
    assert!(steps.iter().all(|step| step.total == steps[0].total && step.done < step.total));
    assert!(steps.is_sorted_by_key(|step| step.done));
    let of = |stage| steps.iter().filter(move |step| step.stage == stage);
    for stage in [Stage::Main, Stage::StageTwo, Stage::Quotient, Stage::Opening] {
        let rows: Vec<u64> = of(stage).map(|step| step.rows_done).collect();
        let all = steps[0].rows;
        assert_eq!(rows[..3], [0, all / 3, 2 * all / 3], "{stage:?}");
        assert!(rows.len() == 3 || rows[3..] == [all; 3]);
    }
    // One shard is left: its stages, once.
    let store = Memory::of(&full, &[0, 1, 2], &[0, 2]);
    let steps = seen(&store, Retention::Regenerate);
    let stages: Vec<_> = steps.iter().map(|step| (step.stage, step.shard)).collect();
    let rest = [Stage::Main, Stage::StageTwo, Stage::Quotient, Stage::Opening];
    assert_eq!(stages, [vec![(Stage::Lookup, 0)], rest.map(|stage| (stage, 1)).to_vec()].concat());
    // Nothing was measured before the first stage ends.
    assert!(steps[..2].iter().all(|step| step.remaining.is_none()));
    assert!(steps[2..].iter().all(|step| step.remaining.is_some()), "{steps:?}");
    let left: Vec<_> = steps.iter().skip(1).map(|step| (step.done, step.total)).collect();
    assert!(left[0].0 == 0 && left.iter().all(|(_, total)| *total == left[0].1), "{left:?}");
}
