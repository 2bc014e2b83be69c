//! Whole sessions: rows born on the device, and a proof that never leaves it.

use std::sync::Arc;

use traceloom_bytecode::Program;
use traceloom_bytecode::builder::BuildErrors;
use traceloom_cuda::device::Device;
use traceloom_cuda::error::Code;
use traceloom_cuda::mock::Mock;
use traceloom_cuda::provider::{RowOptions, RowWriter};
use traceloom_generated::PROGRAMS;
use traceloom_prover::Retention;
use traceloom_runtime::ledger::Kind;
use traceloom_runtime::session::{Backend, Devices, Proved, Request, Session, SessionBuilder};
use traceloom_runtime::shards::cache::file;
use traceloom_runtime::shards::{NumShards, RetentionChoice, ShardOptions};
use traceloom_verifier::Profile;

use crate::common::{images, staging};
use crate::{Kernels, Test, embedded};

pub const TESTS: [(&str, Test); 7] = [
    ("sessions_prove_on_a_device_again_and_again", functions),
    ("rows_of_every_program_stay_on_the_device", programs),
    ("circuits_that_fall_back_are_uploaded", fallback),
    ("shards_on_a_device_have_the_bytes_of_the_cpu", shards),
    ("several_devices_have_the_bytes_of_the_cpu_whoever_fails", several_devices),
    ("what_is_kept_of_a_proof_on_a_device_is_compared", kept),
    ("what_does_not_fit_is_refused_with_need_and_have", memory),
];

pub fn builder(program: Program, profile: Profile) -> SessionBuilder {
    Session::of_program(program).profile(profile).registry(PROGRAMS)
}

/// A session whose proofs are computed on a mock device, several in a row.
fn on_device(kernels: &Kernels, program: Program, profile: Profile) -> Session {
    let builder = builder(program, profile).strict(true);
    with_device(&kernels.mock(true), builder).0
}

fn with_device(mock: &Mock, builder: SessionBuilder) -> (Session, Device) {
    with_seeds(mock, builder, 0)
}

fn with_seeds(mock: &Mock, builder: SessionBuilder, seed_budget: u64) -> (Session, Device) {
    let device = Device::mock(mock);
    let devices = Devices::Found(vec![Arc::new(writer(&device, seed_budget))]);
    (builder.backend(Backend::Device).devices(devices).build().unwrap(), device)
}

/// Rows and proofs on a device.
pub fn writer(device: &Device, seed_budget: u64) -> RowWriter {
    device.poison_fresh_memory();
    let (staging, prover_images) = (staging(1 << 16, 2), embedded());
    let options = RowOptions { staging, seed_budget, prover_images, ..RowOptions::default() };
    RowWriter::new(device, images(), options).unwrap()
}

pub fn check(found: &Proved, expected: &Proved) {
    assert!(found.bytes == expected.bytes, "proof bytes differ");
    assert_eq!((found.report.backend.as_str(), &found.report.backend_reason), ("cuda", &None));
    let ledger = &found.report.trace.ledger;
    assert_eq!(ledger.of_kind(Kind::Rows).down, 0, "rows came down");
    let device = found.report.trace.circuits.iter().filter(|of| of.provider.name() == "device");
    for circuit in device {
        let up = ledger.moved.get(&(circuit.name.clone(), Kind::Rows));
        assert_eq!(up, None, "rows of {} went up", circuit.name);
    }
    let proof = ledger.of_kind(Kind::Proof).down;
    assert!(proof <= found.bytes.len() as u64 + (1 << 20), "{proof} bytes came down");
}

fn functions(kernels: &Kernels) {
    for (profile, args) in [(Profile::Fast, 30), (Profile::Standard, 5)] {
        let program = || traceloom_programs::fibonacci::program().unwrap();
        let request = || Request::args([args]);
        let expected = builder(program(), profile).build().unwrap().prove(request()).unwrap();
        let session = on_device(kernels, program(), profile);
        for _ in 0..2 {
            check(&session.prove(request()).unwrap(), &expected);
        }
    }
}

/// Every example program once.
fn programs(kernels: &Kernels) {
    use traceloom_programs::{blake3, div_rem, merge_sort, sha256};
    type Build = fn() -> Result<Program, BuildErrors>;
    let numbers: &[u64] = &[7, 0, 0, 9, 0, 2, 0, 0];
    let cases: [(Build, &[u64], u64); 4] = [
        (blake3::program, &[1100], 1100),
        (sha256::program, &[150], 150),
        (merge_sort::program, &[20], 80),
        (div_rem::program, numbers, 0),
    ];
    for (build, args, input) in cases {
        let request = || {
            let words: Vec<u64> = (0..input).map(|i| i * 7 % 251).collect();
            Request::args(args).input(0, &[], &words).unwrap()
        };
        let expected = builder(build().unwrap(), Profile::Fast).build().unwrap();
        let expected = expected.prove(request()).unwrap();
        let session = on_device(kernels, build().unwrap(), Profile::Fast);
        check(&session.prove(request()).unwrap(), &expected);
    }
}

/// Shards whose rows are born on the device, with a memory in pieces.
fn shards(kernels: &Kernels) {
    let program = || traceloom_programs::merge_sort::program().unwrap();
    let request = || {
        let words: Vec<u64> = (0..80).map(|i| i * 7 % 251).collect();
        Request::args([20]).input(0, &[], &words).unwrap()
    };
    let options = |retention| ShardOptions {
        shards: NumShards::Exactly(3),
        retention: RetentionChoice::Always(retention),
        ..ShardOptions::default()
    };
    let expected = builder(program(), Profile::Fast).shards(options(Retention::Regenerate));
    let expected = expected.build().unwrap().prove(request()).unwrap();
    assert_eq!(expected.proof.statements.len(), 3);
    let prove = |retention, seed_budget| {
        let builder = builder(program(), Profile::Fast).strict(true).shards(options(retention));
        let (session, device) = with_seeds(&kernels.mock(true), builder, seed_budget);
        let proved = session.prove(request()).unwrap();
        check(&proved, &expected);
        let kept = if retention == Retention::Retain { 3 } else { 0 };
        assert_eq!((proved.report.workers.len(), proved.report.workers[0].kept), (1, kept));
        assert_eq!(proved.report.devices.len(), 1);
        drop(session);
        assert_eq!(device.memory().0, 0, "seeds stay behind");
        let ledger = proved.report.trace.ledger;
        let circuits: Vec<&str> = proved
            .report
            .trace
            .circuits
            .iter()
            .filter_map(|of| (of.provider.name() == "device").then_some(&of.name[..]))
            .collect();
        let of_rows = |(circuit, _): &&(String, String)| circuits.contains(&&circuit[..]);
        let rows = ledger.dispatched.iter().filter(|(of, _)| of_rows(of)).map(|(_, of)| of.rows);
        (ledger.of_kind(Kind::Seeds).up, rows.sum::<u64>())
    };
    let kept = prove(Retention::Retain, 0);
    assert!(kept.0 > 0 && kept.1 > 0, "{kept:?}");
    // Rows are written twice; their seeds go up twice only where they could not stay.
    assert_eq!(prove(Retention::Regenerate, 1 << 20), (kept.0, 2 * kept.1));
    assert_eq!(prove(Retention::Regenerate, 0), (2 * kept.0, 2 * kept.1));
}

/// A session on several mock devices, each with a driver of its own.
fn with_devices(mocks: &[Mock], builder: SessionBuilder) -> Session {
    let device = |mock: &Mock| Arc::new(writer(&Device::mock(mock), 0)) as _;
    let devices = Devices::Found(mocks.iter().map(device).collect());
    builder.backend(Backend::Device).devices(devices).build().unwrap()
}

/// Two devices have the bytes of the CPU, also if one of them fails in the middle, which the
/// report says. If both fail, the CPU goes on where that was allowed.
fn several_devices(kernels: &Kernels) {
    let program = || traceloom_programs::fibonacci::program().unwrap();
    let options = |retention| ShardOptions {
        shards: NumShards::Exactly(4),
        retention: RetentionChoice::Always(retention),
        ..ShardOptions::default()
    };
    let request = || Request::args([30]);
    let on = |retention| builder(program(), Profile::Fast).shards(options(retention));
    let expected = on(Retention::Retain).build().unwrap().prove(request()).unwrap();
    for retention in [Retention::Retain, Retention::Regenerate] {
        let mocks = [kernels.mock(true), kernels.mock(false)];
        let session = with_devices(&mocks, on(retention).strict(true));
        let proved = session.prove(request()).unwrap();
        check(&proved, &expected);
        let workers = &proved.report.workers;
        assert_eq!(workers.iter().map(|worker| worker.proven).sum::<usize>(), 4);
        let calls = mocks[0].calls().len() as u64;
        for part in [3, 2] {
            let mocks = [kernels.mock(true), kernels.mock(false)];
            let session = with_devices(&mocks, on(retention));
            let now = mocks[0].calls().len() as u64;
            mocks[0].fail_call(now + (calls - now) / part, Code::LAUNCH_FAILED);
            let proved = session.prove(request()).unwrap();
            assert!(proved.bytes == expected.bytes, "{retention:?}, a {part}th of {calls} calls");
            let failed = proved.report.workers.iter().filter(|worker| worker.failure.is_some());
            assert!(failed.count() <= 1);
        }
    }
    let failing = || {
        let mocks = [kernels.mock(true), kernels.mock(false)];
        let session = with_devices(&mocks, on(Retention::Retain).cpu_takes_over(true));
        for mock in &mocks {
            mock.fail_call(mock.calls().len() as u64 + 40, Code::LAUNCH_FAILED);
        }
        session
    };
    let proved = failing().prove(request()).unwrap();
    assert!(proved.bytes == expected.bytes);
    let last = proved.report.workers.last().unwrap();
    assert_eq!((last.name.as_str(), &last.failure), ("cpu", &None));
}

/// What is kept of a proof on a device is reused on a device and on the CPU; a root that is not
/// that of the traces is discarded and its shard done again.
fn kept(kernels: &Kernels) {
    let folder = tempfile::tempdir().unwrap();
    let program = || traceloom_programs::fibonacci::program().unwrap();
    let options = ShardOptions { shards: NumShards::Exactly(3), ..ShardOptions::default() };
    let request = || Request::args([30]);
    let with = || builder(program(), Profile::Fast).shards(options);
    let expected = with().build().unwrap().prove(request()).unwrap();
    let on_device = || with_device(&kernels.mock(true), with().cache(folder.path()).strict(true)).0;
    assert!(on_device().prove(request()).unwrap().bytes == expected.bytes);
    let inside = std::fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
    let cpu = with().cache(folder.path()).build().unwrap().prove(request()).unwrap();
    assert!(cpu.bytes == expected.bytes);
    assert_eq!(cpu.report.cache.unwrap().reused_proofs, 3);
    std::fs::remove_file(inside.join("proof-00002")).unwrap();
    let path = inside.join("root-00001");
    let bytes = std::fs::read(&path).unwrap();
    let (header, payload) = file::decode(&bytes).unwrap();
    let mut committed = file::decode_root(payload).unwrap();
    committed.root[0] ^= 1;
    std::fs::write(&path, file::encode(&header, &file::encode_root(&committed))).unwrap();
    let proved = on_device().prove(request()).unwrap();
    assert!(proved.bytes == expected.bytes);
    let cache = proved.report.cache.unwrap();
    assert_eq!(cache.reused_roots, 2);
    let discarded = "root-00001 is ignored: its traces have another root now";
    assert!(cache.ignored.iter().any(|line| line.ends_with(discarded)), "{:?}", cache.ignored);
    assert!(std::fs::read(&path).unwrap() == bytes);
}

fn fallback(kernels: &Kernels) {
    let program = || traceloom_programs::fibonacci::program().unwrap();
    let request = || Request::args([40]);
    let without = || builder(program(), Profile::Fast).registry(&[]);
    let expected = without().build().unwrap().prove(request()).unwrap();
    let (session, _) = with_device(&kernels.mock(false), without());
    let found = session.prove(request()).unwrap();
    check(&found, &expected);
    let ledger = &found.report.trace.ledger;
    let circuit = &found.report.trace.circuits[0];
    assert_eq!(circuit.provider.name(), "reference");
    let up = ledger.moved[&(circuit.name.clone(), Kind::Rows)].up;
    assert_eq!(up, 8 * (circuit.height * circuit.width) as u64);
}

fn memory(kernels: &Kernels) {
    let program = || traceloom_programs::fibonacci::program().unwrap();
    let session = |mock: &Mock| with_device(mock, builder(program(), Profile::Fast));
    let (plenty, device) = session(&kernels.mock(false));
    plenty.prove(Request::args([30])).unwrap();
    // Enough for the rows and the key, and too little for the proof, in any number of shards.
    let (session, _) = session(&kernels.mock(false).with_memory(device.memory().1 / 4 * 3));
    let error = session.prove(Request::args([30])).unwrap_err().to_string();
    let parts = ["memory of the GPU: ", "there are ", "--max-device-memory"];
    assert!(parts.iter().all(|part| error.contains(part)), "{error}");
}
