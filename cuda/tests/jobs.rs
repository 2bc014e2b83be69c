//! Many jobs on a device that is none: what one leaves behind, how much it takes and
//! what it spoils is nobody else's trouble.

#[allow(dead_code)] // Every user changes other answers.
#[path = "common/altered.rs"]
mod altered;
mod common;

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use altered::Altered;
use common::{Case, Failure, examples, mock, staging, writer_on};
use traceloom_air::field::{Goldilocks, element, word};
use traceloom_air::trace::ShardWitness;
use traceloom_cuda::device::Device;
use traceloom_cuda::error::Code;
use traceloom_cuda::mock::{HostRows, KernelHost, Mock, ScalarHost};
use traceloom_cuda::provider::RowWriter;
use traceloom_cuda::rows::CircuitRows;
use traceloom_cuda::trace::BornTrace;
use traceloom_generated::PROGRAMS;
use traceloom_prover::{ProveOptions, ProvingKey, prove};
use traceloom_runtime::device::{DeviceOption, DeviceTrace};
use traceloom_runtime::ledger::Ledger;
use traceloom_runtime::provider::{ChoiceError, Choices, TraceOptions, TraceProvider};
use traceloom_runtime::seeds::{Encoding, SeedError};
use traceloom_runtime::source::SeedSource;
use traceloom_verifier::{Profile, verify};

fn writer(mock: &Mock) -> RowWriter {
    writer_on(&Device::mock(mock), staging(1 << 12, 2), 0)
}

fn choices<'a>(
    case: &'a Case,
    writer: &'a RowWriter,
    strict: bool,
) -> Result<Choices<'a>, ChoiceError> {
    let device = DeviceOption::Ready { device: writer, record: &case.record };
    let provider = TraceProvider::Device;
    let options = TraceOptions { provider, strict, device, ..TraceOptions::new(PROGRAMS) };
    Choices::new(&case.program, &case.system, &options)
}

/// Image and driver, or image and processor, do not fit: said before the first row, with
/// versions and a remedy, as an error or as the reason of a fallback.
#[test]
fn kernels_that_do_not_load_are_refused_with_versions() {
    let case = Case::fibonacci(30);
    let clean = mock();
    case.device(&writer(&clean), true).unwrap();
    let calls = clean.calls();
    let load = calls.iter().position(|call| call.name == "load").unwrap();
    let last = calls.iter().rposition(|call| ["load", "kernel"].contains(&call.name)).unwrap();
    let is_row = |call: &traceloom_cuda::mock::Call| {
        call.name == "launch" && !call.detail.contains("_digest,")
    };
    let first_row = calls.iter().position(is_row).unwrap();
    assert!(last < first_row, "nothing is loaded in the middle of a run");
    for (code, parts) in [
        (Code::NO_BINARY_FOR_GPU, ["no binary for this GPU", "build again with sm_90"]),
        (Code::UNSUPPORTED_PTX_VERSION, ["unsupported PTX version", "knows CUDA 13.0"]),
    ] {
        let broken = || {
            let mock = mock();
            mock.fail_call(load as u64, code);
            writer(&mock)
        };
        let error = choices(&case, &broken(), true).unwrap_err().to_string();
        assert!(!error.contains('\n') && error.contains("device 0 (mock, sm_90)"), "{error}");
        assert!(parts.iter().all(|part| error.contains(part)), "{error}");
        let fallback = broken();
        let notice = choices(&case, &fallback, false).unwrap().notice().unwrap();
        assert!(parts.iter().all(|part| notice.contains(part)), "{notice}");
        // The call that fails is over: another proof has kernels.
        assert!(case.device(&fallback, true).unwrap().0 == case.reference());
    }
}

/// Runs kernels, and adds one to a cell of the first launch of several rows, once.
struct Spoiling {
    host: ScalarHost,
    column: u64,
    is_armed: AtomicBool,
}

impl KernelHost for Spoiling {
    fn has(&self, kernel: &str) -> bool {
        self.host.has(kernel)
    }

    fn digest(&self, kernel: &str) -> Option<[u8; 32]> {
        self.host.digest(kernel)
    }

    fn rows(&self, rows: HostRows<'_>) -> Result<(), String> {
        let position = rows.positions().next().map(|(_, position)| position);
        let at = (self.column * rows.stride + position.unwrap_or(0)) as usize;
        let HostRows { seeds, cells, .. } = rows;
        // Rows of base cases are alone, and do not use all columns.
        let is_meant = !seeds.is_empty() && rows.num_rows > 1;
        self.host.rows(HostRows { cells: &mut *cells, ..rows })?;
        if is_meant && self.is_armed.swap(false, Ordering::Relaxed) {
            cells[at] = word(element(cells[at]) + Goldilocks::new(1));
        }
        Ok(())
    }
}

fn proof_of(case: &Case, key: &ProvingKey, witness: ShardWitness) -> Result<(), String> {
    let (proof, _) = prove(key, vec![witness], &ProveOptions::default())
        .map_err(|error| format!("prove: {error}"))?;
    let claims: Vec<_> = case.claims.iter().map(|ranked| ranked.claim.clone()).collect();
    let verified = verify(key.verifying_key(), &claims, &proof);
    verified.map(drop).map_err(|error| format!("verify: {error}"))
}

/// A device that writes one wrong cell: what comes of it is not a proof, and the next proof
/// of the same device is good. `prove` on the command line verifies what it writes, so
/// that nothing leaves; it does not try again by itself.
#[test]
fn a_cell_that_a_device_spoils_is_noticed() {
    let case = Case::fibonacci(6);
    let key = ProvingKey::new(&case.system, &Profile::Fast.params()).unwrap();
    let columns = case.source(0).unwrap().columns();
    for column in [0, columns.first_selector, columns.first_auxiliary, columns.width - 1] {
        let is_armed = AtomicBool::new(true);
        let host = ScalarHost::new(PROGRAMS);
        let host = Arc::new(Spoiling { host, column: column as u64, is_armed });
        let writer = writer(&Mock::new(0, host));
        let (spoiled, _) = case.device(&writer, true).unwrap();
        assert!(spoiled != case.reference(), "column {column}: it is spoiled");
        assert!(proof_of(&case, &key, spoiled).is_err(), "column {column}");
        let (again, _) = case.device(&writer, true).unwrap();
        assert_eq!(proof_of(&case, &key, again), Ok(()), "column {column}");
    }
}

/// Four callers and memory for less than two of them, work that is done late: a caller
/// has its trace or is told that memory is short, and no memory is used twice at once.
#[test]
fn callers_on_a_tight_device_have_their_trace_or_are_told() {
    let case = Case::fibonacci(300);
    let expected = case.reference();
    let memory = smallest(&case) * 7 / 4;
    let mock = mock().with_memory(memory);
    mock.delay();
    let writer = writer(&mock);
    let (num_right, num_told) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..10 {
                    match case.device(&writer, true) {
                        Ok((found, _)) => {
                            assert!(found == expected);
                            num_right.fetch_add(1, Ordering::Relaxed);
                        }
                        Err(error) => {
                            let error = error.to_string();
                            let is_told = error.contains("no memory for buffer")
                                || error.contains("bytes of device memory and");
                            assert!(is_told, "{error}");
                            num_told.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                }
            });
        }
    });
    let counts = [num_right, num_told].map(AtomicUsize::into_inner);
    println!("right {}, told {}", counts[0], counts[1]);
    assert!(counts[0] > 0, "{counts:?}");
    assert!(case.device(&writer, true).unwrap().0 == expected, "alone it has enough");
    assert_eq!(mock.stalls(), 0);
    drop(writer);
    assert_eq!(mock.num_live(), 0);
}

/// How a source breaks.
#[derive(Clone, Copy)]
enum Break {
    Error,
    Panic,
}

/// The seeds of a source, up to one that breaks: `left` fills before that.
fn fill_up_to<'a>(
    source: &'a dyn SeedSource,
    left: &'a AtomicUsize,
    how: Break,
) -> impl Fn(usize, Encoding, Range<usize>, &mut [u8]) -> Result<bool, SeedError> + Sync + 'a {
    move |run, encoding, rows, seeds| match (left.fetch_sub(1, Ordering::Relaxed), how) {
        // Without the hook, which would print a thousand times.
        (0, Break::Panic) => resume_unwind(Box::new("a panic of the source")),
        (0, Break::Error) => Err(SeedError::NotCanonical { function: "fibonacci", path: 0 }),
        _ => source.fill(run, encoding, rows, seeds),
    }
}

/// Who packs other seeds than a kernel reads is told, before anything is launched.
#[test]
fn seeds_of_another_size_are_refused() {
    let case = Case::fibonacci(300);
    let unit = traceloom_generated::find(&case.program.fingerprint()).unwrap();
    let mock = mock();
    let (writer, ledger) = (writer(&mock), Ledger::default());
    let kernels = writer.kernels(unit, &ledger).unwrap();
    let launches = || mock.calls().iter().filter(|call| call.name == "launch").count();
    let before = launches();
    let source = case.source(0).unwrap();
    let source = Altered::new(&source).with_excess(8);
    let rows = CircuitRows::new(writer.engine(), &kernels, "fibonacci", &source, &ledger);
    let error = BornTrace::write(writer.engine(), "fibonacci", &rows, &ledger).unwrap_err();
    let (name, found) = source.kernel(0, source.runs()[0].encoding);
    let expected = format!("kernel {name} reads seeds of {} bytes, but its source", found - 8);
    assert!(error.to_string().contains(&expected), "{error}");
    assert_eq!(launches(), before);
}

/// A thousand jobs that fail, panic or are given up, at every step: nothing stays held,
/// and the next job runs.
#[test]
fn jobs_that_end_early_leave_nothing_behind() {
    let case = Case::fibonacci(300);
    let expected = case.reference();
    let unit = traceloom_generated::find(&case.program.fingerprint()).unwrap();
    let mock = mock();
    mock.delay();
    let writer = writer_on(&Device::mock(&mock), staging(1 << 11, 2), 0);
    let ledger = Ledger::default();
    let kernels = writer.kernels(unit, &ledger).unwrap();
    let device = writer.engine().device();
    let job = |left: &AtomicUsize, how: Break| {
        let source = case.source(0).unwrap();
        let fill = fill_up_to(&source, left, how);
        let source = Altered::new(&source).with_fill(&fill);
        let rows = CircuitRows::new(writer.engine(), &kernels, "fibonacci", &source, &ledger);
        let trace = BornTrace::write(writer.engine(), "fibonacci", &rows, &ledger);
        trace.map_err(|error| error.to_string())
    };
    let num_fills = {
        let left = AtomicUsize::new(1 << 20);
        job(&left, Break::Error).unwrap();
        (1 << 20) - left.into_inner()
    };
    assert!(num_fills >= 5, "{num_fills} steps");
    for number in 0..1000 {
        let (left, panics) = (number % (num_fills + 1), number % 2 == 1);
        let how = if panics { Break::Panic } else { Break::Error };
        match catch_unwind(AssertUnwindSafe(|| job(&AtomicUsize::new(left), how))) {
            // Given up: nobody asks for it.
            Ok(Ok(trace)) => assert_eq!((left, trace.height()), (num_fills, 512)),
            Ok(Err(error)) => assert!(!panics && error.contains("fibonacci"), "{error}"),
            Err(_) => assert!(panics && left < num_fills),
        }
        assert_eq!(device.memory().0, 0, "job {number}: bytes are held");
    }
    let trace = job(&AtomicUsize::new(num_fills), Break::Error).unwrap().download(&ledger).unwrap();
    assert!(trace == *expected.traces[0].as_ref().unwrap());
    drop(kernels);
    drop(writer);
    assert_eq!(mock.num_live(), 0);
}

/// The smallest memory that all circuits of a case are admitted to.
fn smallest(case: &Case) -> u64 {
    let fits = |memory: u64| {
        let writer = writer(&mock().with_memory(memory));
        choices(case, &writer, true).is_ok()
    };
    let (mut no, mut yes) = (0, 1 << 30);
    assert!(fits(yes) && !fits(no));
    while yes - no > 1 {
        let middle = no + (yes - no) / 2;
        match fits(middle) {
            true => yes = middle,
            false => no = middle,
        }
    }
    yes
}

/// The most bytes that a driver had given away at a time.
fn peak(mock: &Mock) -> u64 {
    let (mut used, mut peak) = (0_u64, 0);
    for call in mock.calls() {
        let bytes = || call.detail.strip_suffix(" bytes").unwrap().parse::<u64>().unwrap();
        match call.name {
            "allocate" => used += bytes(),
            "release" => used -= bytes(),
            _ => {}
        }
        peak = peak.max(used);
    }
    peak
}

/// What is admitted fits, to the byte; and admission asks for hardly more than is used.
#[test]
fn what_is_admitted_fits_and_little_is_left() {
    // A buffer takes 512 bytes at least, which matters on no device that there is.
    const SMALL: u64 = 1 << 13;
    for case in examples() {
        let memory = smallest(&case).max(SMALL);
        let mock = mock().with_memory(memory);
        let result: Result<_, Failure> = case.device(&writer(&mock), true);
        let (found, _) = result.unwrap_or_else(|error| panic!("{}: {error}", case.name()));
        assert!(found == case.reference(), "{}", case.name());
        let peak = peak(&mock);
        println!("{}: admitted to {memory} bytes, took {peak}", case.name());
        // A sixteenth is left to the driver.
        let estimate = memory - memory / 16;
        let is_close = memory == SMALL || estimate <= peak * 13 / 10;
        assert!(peak <= memory && is_close, "{}", case.name());
    }
}
