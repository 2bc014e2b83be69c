//! Sessions over one device: what stays there between proofs, proofs at once, whence the kernels
//! come, how many shards a limit of memory gives, and when `auto` takes the device.

use std::num::NonZeroU64;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use traceloom_abi::registry::DeviceImage;
use traceloom_cuda::backend::prover::DeviceProver;
use traceloom_cuda::device::Device;
use traceloom_cuda::kernels::Origin;
use traceloom_cuda::prover_kernels::image::source_digest;
use traceloom_cuda::prover_kernels::load::ProverKernels;
use traceloom_cuda::provider::{RowOptions, RowWriter};
use traceloom_runtime::ledger::{Kind, Ledger};
use traceloom_runtime::session::{
    Backend, Devices, OnDemand, Proved, Request, Session, SharedDevice,
};
use traceloom_verifier::Profile;

use crate::common::{images, staging};
use crate::programs::{builder, check, writer};
use crate::{Kernels, Test, context_of, embedded};

pub const TESTS: [(&str, Test); 6] = [
    ("what_a_session_needs_stays_on_the_device", stays),
    ("two_proofs_at_once_on_one_device", at_once),
    ("a_prover_waits_for_rows_of_another_engine", two_engines),
    ("kernels_come_from_the_image_that_fits", kernels_of_images),
    ("a_limit_of_memory_is_kept", limit),
    ("auto_takes_the_device_that_is_sooner_done", auto),
];

fn session(device: &Arc<RowWriter>) -> Session {
    let program = traceloom_programs::merge_sort::program().unwrap();
    let devices = Devices::Found(vec![device.clone()]);
    builder(program, Profile::Fast).backend(Backend::Device).devices(devices).build().unwrap()
}

fn request(numbers: u64) -> Request {
    let words: Vec<u64> = (0..4 * numbers).map(|i| i * 7 % 251).collect();
    Request::args([numbers]).input(0, &[], &words).unwrap()
}

fn on_cpu(numbers: u64) -> Proved {
    let program = traceloom_programs::merge_sort::program().unwrap();
    let session = builder(program, Profile::Fast).backend(Backend::Cpu).build().unwrap();
    session.prove(request(numbers)).unwrap()
}

fn stays(kernels: &Kernels) {
    let device = Device::mock(&kernels.mock(false));
    let writer = Arc::new(writer(&device, 1 << 20));
    let session = session(&writer);
    let [first, second, third] = [(); 3].map(|()| session.prove(request(20)).unwrap());
    check(&second, &first);
    check(&third, &first);
    let up = |proved: &Proved, kind| proved.report.trace.ledger.of_kind(kind).up;
    assert!(up(&first, Kind::Code) > 0, "kernels of rows are loaded with the first proof");
    for again in [&second, &third] {
        assert_eq!((up(again, Kind::Code), up(again, Kind::Identity)), (0, 0));
        assert!(up(again, Kind::Rows) < up(&first, Kind::Rows), "fixed columns stay");
        assert!(up(again, Kind::Tables) < up(&first, Kind::Tables), "tapes and twiddles stay");
        let report = again.report.devices.first().unwrap();
        assert!(report.steps.iter().all(|step| step.stage != "key"), "{report:?}");
        let stages: Vec<&str> = report.stages().iter().map(|(stage, _)| *stage).collect();
        let expected = ["rows", "main", "stage 2", "quotient", "opening"];
        assert!(expected.iter().all(|stage| stages.contains(stage)), "{stages:?}");
        // Whatever is launched for the prover is in a step, and has bytes.
        let ledger = &again.report.trace.ledger;
        let of_prover = ledger.dispatched.iter().filter(|((circuit, _), _)| circuit == "prover");
        let launched: u64 = of_prover.map(|(_, of)| of.launches).sum();
        assert_eq!(report.steps.iter().map(|step| step.launches).sum::<u64>(), launched);
        assert!(report.steps.iter().all(|step| step.bytes > 0), "{report:?}");
        // Bytes in buffers over time, never more than the peak.
        let memory = &report.memory;
        assert!(memory.iter().any(|sample| sample.bytes > 0), "{memory:?}");
        assert!(memory.is_sorted_by_key(|sample| sample.at), "{memory:?}");
        assert!(memory.iter().all(|sample| sample.bytes <= report.peak_bytes), "{report:?}");
        // Work for one circuit alone is a part of its stage on the device.
        for (stage, all) in report.stages() {
            let circuits = again.report.trace.circuits.iter().flat_map(|circuit| &circuit.stages);
            let of_stage = circuits.filter(|(of, _)| of.name() == stage).map(|(_, time)| *time);
            assert!(of_stage.sum::<std::time::Duration>() <= all, "{stage}");
        }
    }
    assert_eq!(up(&second, Kind::Tables), up(&third, Kind::Tables));
}

fn at_once(kernels: &Kernels) {
    let mock = kernels.mock(true);
    mock.delay();
    let device = Device::mock(&mock);
    let writer = Arc::new(writer(&device, 1 << 20));
    let numbers = [20, 9];
    let expected = numbers.map(on_cpu);
    let sessions = [session(&writer), session(&writer)];
    std::thread::scope(|scope| {
        for ((session, numbers), expected) in sessions.iter().zip(numbers).zip(&expected) {
            scope.spawn(move || check(&session.prove(request(numbers)).unwrap(), expected));
        }
    });
    drop((sessions, writer));
    assert_eq!(device.memory().0, 0);
    drop(device);
    assert_eq!((mock.num_live(), mock.busy_releases()), (0, 0));
}

/// Rows of one engine and the prover of another are on two streams: the prover waits.
fn two_engines(kernels: &Kernels) {
    let mock = kernels.mock(false);
    mock.delay();
    let device = Device::mock(&mock);
    let context = Arc::new(context_of(&device, 0).unwrap());
    let options = RowOptions { staging: staging(1 << 16, 2), ..RowOptions::default() };
    let writer = RowWriter::new(&device, images(), options).unwrap();
    let writer = Arc::new(writer.with_prover(DeviceProver::of_context(context)));
    check(&session(&writer).prove(request(9)).unwrap(), &on_cpu(9));
}

fn kernels_of_images(kernels: &Kernels) {
    let ledger = Ledger::default();
    let load = |images: &[DeviceImage]| {
        let mock = kernels.mock(false);
        let loaded = ProverKernels::load(&Device::mock(&mock), images, None, &ledger);
        let loads = mock.calls().iter().filter(|call| call.name == "load").count();
        (loaded.map(|loaded| loaded.origin().clone()), loads)
    };
    let architectures = vec!["sm_80".to_owned(), "sm_90".to_owned()];
    assert_eq!(load(embedded()), (Ok(Origin::Image { architectures }), 1));
    let other_text = DeviceImage { digest: [7; 32], ..embedded()[0] };
    let other_device = DeviceImage { architectures: &["sm_120"], ..embedded()[0] };
    for images in [vec![], vec![other_text], vec![other_device]] {
        // Compiled where there is a compiler, and else an error that names it.
        match load(&images) {
            (Ok(origin), loads) => {
                assert!(matches!(origin, Origin::Compiled { fresh: 1.., cached: 0 }));
                assert!(loads > 1);
            }
            (Err(error), loads) => assert!(loads == 0 && error.to_string().contains("NVRTC")),
        }
    }
    assert_eq!(embedded()[0].digest, source_digest());
    // A proof with the image has the bytes of the CPU.
    let device = Device::mock(&kernels.mock(false));
    let options = RowOptions {
        staging: staging(1 << 16, 2),
        prover_images: embedded(),
        ..RowOptions::default()
    };
    let writer = Arc::new(RowWriter::new(&device, images(), options).unwrap());
    let proved = session(&writer).prove(request(9)).unwrap();
    check(&proved, &on_cpu(9));
    let report = &proved.report.devices[0];
    assert_eq!(report.kernels, "compiled in, for sm_80, sm_90");
    assert_eq!(writer.compiled_now(), vec![]);
}

/// What is said to be needed suffices, and with less there is an error that says what to do: the
/// byte tables of shard 0 are most of this proof.
fn limit(kernels: &Kernels) {
    let program = || traceloom_programs::fibonacci::program().unwrap();
    let request = || Request::args([3_000]);
    let prove = |limit: Option<NonZeroU64>| {
        let device = Device::mock(&kernels.mock(false));
        if let Some(limit) = limit {
            device.limit_memory(limit);
        }
        let devices = Devices::Found(vec![Arc::new(writer(&device, 1 << 20)) as SharedDevice]);
        let builder = builder(program(), Profile::Fast).backend(Backend::Device).devices(devices);
        builder.build().unwrap().prove(request())
    };
    let whole = prove(None).unwrap();
    let planned = whole.report.devices.first().unwrap().planned_bytes;
    assert_eq!(whole.proof.statements.len(), 1);
    let limited = prove(NonZeroU64::new(planned)).unwrap();
    check(&limited, &whole);
    assert!(limited.report.devices[0].taken_bytes <= planned);
    let error = prove(NonZeroU64::new(planned / 2)).unwrap_err().to_string();
    let have = format!("there are {}", planned / 2);
    let parts = ["no number of shards obeys the caps", &have, "--max-device-memory", "CPU"];
    assert!(parts.iter().all(|part| error.contains(part)), "{error}");
}

fn auto(kernels: &Kernels) {
    let opened = Arc::new(AtomicUsize::new(0));
    let prove = |estimate: Duration| {
        let (mock, opened) = (kernels.mock(false), Arc::clone(&opened));
        let open = move || {
            opened.fetch_add(1, Ordering::SeqCst);
            Ok(Arc::new(writer(&Device::mock(&mock), 0)) as SharedDevice)
        };
        let devices = Devices::OnDemand(Arc::new(OnDemand::new(open, move |_| estimate)));
        let program = traceloom_programs::merge_sort::program().unwrap();
        let builder = builder(program, Profile::Fast).backend(Backend::Auto).devices(devices);
        builder.build().unwrap().prove(request(9)).unwrap().report
    };
    let later = prove(Duration::from_secs(3600));
    assert_eq!((later.backend.as_str(), opened.load(Ordering::SeqCst)), ("cpu", 0));
    assert!(later.backend_reason.unwrap().contains("and 3600.0 s on the GPU"));
    assert_eq!(later.devices, []);
    let sooner = prove(Duration::ZERO);
    assert_eq!((sooner.backend.as_str(), opened.load(Ordering::SeqCst)), ("cuda", 1));
    assert!(sooner.backend_reason.unwrap().contains("and 0.0 s on the GPU"));
    assert!(sooner.devices[0].launches() > 0);
}
