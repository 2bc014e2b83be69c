//! A device that is none fails in every way: what comes out is right or an error, nothing
//! leaks, and memory that is short is got from resident seeds first.

mod common;

use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::Arc;

use common::{Case, images, is_without_device, mock, needed, staging, writer_on};
use traceloom_cuda::device::{Buffer, Device, Pinned, Stream};
use traceloom_cuda::error::{Code, DeviceError};
use traceloom_cuda::kernels::Kernels;
use traceloom_cuda::mock::{Mock, ScalarHost};
use traceloom_cuda::probe::Unavailable;
use traceloom_cuda::provider::{RowOptions, RowWriter};
use traceloom_cuda::rows::{CircuitRows, Window};
use traceloom_cuda::trace::BornTrace;
use traceloom_generated::PROGRAMS;
use traceloom_runtime::device::{DeviceOption, RowDevice};
use traceloom_runtime::ledger::{Kind, Ledger, Transfer};
use traceloom_runtime::provider::{Choices, Provider, Reason, TraceOptions, TraceProvider};
use traceloom_runtime::source::SeedSource;

const PLENTY: u64 = 1 << 30;

fn try_writer(mock: &Mock) -> Result<RowWriter, DeviceError> {
    let options =
        RowOptions { staging: staging(1 << 10, 2), seed_budget: PLENTY, ..RowOptions::default() };
    RowWriter::new(&Device::mock(mock), images(), options)
}

#[test]
fn any_call_may_fail() {
    let case = Case::fibonacci(40);
    let expected = case.reference();
    let clean = mock();
    case.device(&try_writer(&clean).unwrap(), true).unwrap();
    let num_calls = clean.calls().len() as u64;
    assert!(num_calls > 60, "{num_calls} calls");
    let codes = [1, 2, 700, 719].map(Code);
    for (number, code) in (0..num_calls).flat_map(|n| codes.map(|code| (n, code))) {
        for (is_late, strict) in [(false, true), (true, false)] {
            let context = format!("call {number}, {code}, late: {is_late}");
            let mock = mock();
            mock.fail_call(number, code);
            if is_late {
                mock.delay();
            }
            let Ok(writer) = try_writer(&mock) else { continue };
            // Three proofs, one of which the call is in.
            let results = [(); 3].map(|()| case.device(&writer, strict));
            let device = writer.engine().device();
            assert_eq!(device.lost(), code.is_final().then_some(code), "{context}");
            let mut num_right = 0;
            for result in results {
                match result {
                    Ok((found, report)) => {
                        assert!(found == expected, "{context}");
                        let of = &report.circuits[0];
                        let is_device = of.provider == Provider::Device;
                        assert_eq!(is_device, of.reason.is_none(), "{context}");
                        let named = report.device.as_deref();
                        assert_eq!(named, is_device.then_some("device 0 (mock, sm_90)"));
                        num_right += usize::from(is_device);
                    }
                    Err(error) => {
                        let error = error.to_string();
                        assert!(error.contains("device 0 (mock, sm_90)"), "{context}: {error}");
                        let says = error.contains(code.name()) || error.contains("no memory for");
                        assert!(says, "{context}: {error}");
                    }
                }
            }
            match code.is_final() {
                true => assert!(num_right < 3, "{context}: it does nothing any more"),
                false => assert!(num_right >= 2, "{context}: it is as good as before"),
            }
            drop(writer);
            assert_eq!(mock.num_live(), 0, "{context}: something leaks");
        }
    }
}

/// Tests that need a device are ignored where there is none, unless it is required; a
/// driver that does not work is not a reason to skip them.
#[test]
fn only_an_absent_device_is_skipped() {
    let refused = |code| Unavailable::Refused { call: "cuInit", code: Code(code) };
    let old = Unavailable::TooOld { found: (11, 4), needed: (12, 0) };
    let broken = Unavailable::BrokenLibrary { error: "cut".into() };
    for error in [refused(803), refused(999), old, broken, Unavailable::StubLibrary] {
        let ended = needed(Err::<(), _>(error.clone()), is_without_device, false).unwrap_err();
        assert!(ended.is_err(), "{error}");
    }
    for error in [Unavailable::NoLibrary, Unavailable::NoDevice] {
        let ended = |is_required| {
            needed(Err::<(), _>(error.clone()), is_without_device, is_required).unwrap_err()
        };
        assert!(ended(false).is_ok() && ended(true).is_err(), "{error}");
    }
    assert!(needed(Ok::<_, Unavailable>(1), is_without_device, true).is_ok());
}

/// Any call that makes or queues something may need memory of the driver's own. It gets
/// that of dropped buffers, once, and fails where there is none.
#[test]
fn calls_get_the_memory_of_dropped_buffers() {
    type Call = fn(&Stream, &Buffer, &mut Pinned) -> Result<(), DeviceError>;
    const OTHER: Transfer<'_> = Transfer { circuit: "none", kind: Kind::Code };
    let calls: [(&str, Call); 6] = [
        ("create stream", |stream, _, _| stream.device().stream().map(drop)),
        ("create event", |stream, _, _| stream.record().map(drop)),
        ("allocate host", |stream, _, _| stream.device().pinned(NonZeroUsize::MIN).map(drop)),
        ("load", |stream, _, _| {
            stream.device().load(b"image", &Ledger::default(), &OTHER).map(drop)
        }),
        ("fill", |stream, buffer, _| stream.fill(buffer, 0)),
        ("copy up", |stream, buffer, pinned| {
            stream.upload(buffer, 0, pinned, 1, &Ledger::default(), &OTHER)
        }),
    ];
    let bytes = |n| NonZeroU64::new(n).unwrap();
    for (name, call) in calls {
        for has_dropped in [true, false] {
            let mock = mock();
            let device = Device::mock(&mock);
            let stream = device.stream().unwrap();
            let buffer = device.allocate(&stream, "in use", bytes(1 << 10)).unwrap();
            let mut pinned = device.pinned(NonZeroUsize::MIN).unwrap();
            if has_dropped {
                drop(device.allocate(&stream, "dropped", bytes(1 << 20)).unwrap());
            }
            let first = mock.calls().len();
            mock.fail_call(first as u64, Code::OUT_OF_MEMORY);
            let result = call(&stream, &buffer, &mut pinned);
            let made = &mock.calls()[first..];
            let count = |of: &str| made.iter().filter(|call| call.name == of).count();
            assert_eq!((made[0].name, count("release")), (name, usize::from(has_dropped)));
            match result {
                Ok(()) => assert!(has_dropped && count(name) == 2, "{name}: made again"),
                Err(error) => {
                    assert!(!has_dropped && count(name) == 1, "{name}");
                    assert_eq!(error.code(), Code::OUT_OF_MEMORY, "{name}");
                }
            }
        }
    }
}

/// What belongs to another device is named with both, and no call is made for it.
#[test]
fn what_is_of_another_device_is_refused() {
    let mocks = [0, 1].map(|ordinal| Mock::new(ordinal, Arc::new(ScalarHost::new(PROGRAMS))));
    let writers = mocks.each_ref().map(|mock| writer_on(&Device::mock(mock), staging(64, 2), 0));
    let [own, other] = writers.each_ref().map(|writer| writer.engine().compute());
    let size = NonZeroU64::new(1 << 16).unwrap();
    let [mine, theirs] = [own, other].map(|of| of.device().allocate(of, "cells", size).unwrap());
    let [mut pinned, mut foreign] =
        [own, other].map(|of| of.device().pinned(NonZeroUsize::MIN).unwrap());
    let [before, event] = [own, other].map(|of| of.record().unwrap());
    let (ledger, case) = (Ledger::default(), Case::fibonacci(3));
    let transfer = Transfer { circuit: "none", kind: Kind::Seeds };
    let unit = traceloom_generated::find(&case.program.fingerprint()).unwrap();
    let kernels = writers.each_ref().map(|writer| writer.kernels(unit, &ledger).unwrap());
    let source = case.source(0).unwrap();
    let write = |kernels: &Kernels, cells: &Buffer| {
        let (stride, count) = (source.height() as u64, 1);
        let rows = CircuitRows::new(writers[0].engine(), kernels, "fibonacci", &source, &ledger);
        rows.write(&Window { cells, stride, first: 0, count }).map_err(|error| error.to_string())
    };
    let calls = || mocks.each_ref().map(|mock| mock.calls().len());
    let (made, entries) = (calls(), ledger.entries());
    let text = |error: DeviceError| error.to_string();
    let results = [
        ("stream", own.device().allocate(other, "more", size).map(drop).map_err(text)),
        ("cells", own.fill(&theirs, 0).map_err(text)),
        ("cells", own.read(&theirs, &ledger, &transfer).map(drop).map_err(text)),
        ("cells", own.upload(&theirs, 0, &mut pinned, 1, &ledger, &transfer).map_err(text)),
        ("pinned", own.upload(&mine, 0, &mut foreign, 1, &ledger, &transfer).map_err(text)),
        ("event", own.wait_for(&event).map_err(text)),
        ("event", before.elapsed_since(&event).map(drop).map_err(text)),
        ("cells", write(&kernels[0], &theirs)),
        ("kernels", write(&kernels[1], &mine)),
    ];
    for (number, (what, result)) in results.into_iter().enumerate() {
        let error = result.unwrap_err();
        let names = "belongs to device 1 (mock, sm_90)";
        let is_said = error.contains(what) && error.contains(names);
        assert!(is_said && error.contains("device 0 (mock, sm_90): "), "{number}: {error}");
    }
    assert_eq!((calls(), ledger.entries()), (made, entries));
}

/// A trace that nobody reads outlives its writer, and the other way round: no stream is
/// destroyed and no code unloaded under kernels that were not done, whose memory the next
/// buffer would get.
#[test]
fn nothing_is_dropped_under_its_work() {
    let case = Case::fibonacci(40);
    for trace_first in [false, true] {
        let mock = mock();
        let device = Device::mock(&mock);
        let writer = writer_on(&device, staging(1 << 10, 2), PLENTY);
        mock.delay();
        let kernels = writer
            .kernels(
                traceloom_generated::find(&case.program.fingerprint()).unwrap(),
                &Ledger::default(),
            )
            .unwrap();
        let (source, ledger) = (case.source(0).unwrap(), Ledger::default());
        let rows = CircuitRows::new(writer.engine(), &kernels, "fibonacci", &source, &ledger);
        let trace = BornTrace::write(writer.engine(), "fibonacci", &rows, &ledger).unwrap();
        drop(rows);
        drop(kernels);
        if trace_first {
            drop(trace);
            drop(writer);
        } else {
            drop(writer);
            drop(trace);
        }
        drop(device);
        assert_eq!((mock.busy_releases(), mock.num_live()), (0, 0), "trace first: {trace_first}");
    }
}

#[test]
fn errors_name_kernel_circuit_and_rows() {
    let case = Case::fibonacci(40);
    let clean = mock();
    case.device(&try_writer(&clean).unwrap(), true).unwrap();
    let calls = clean.calls();
    let launch = calls.iter().rposition(|call| call.name == "launch").unwrap();
    let mock = mock();
    mock.fail_call(launch as u64, Code::LAUNCH_FAILED);
    let error = case.device(&try_writer(&mock).unwrap(), true).unwrap_err().to_string();
    for part in ["kernel tl_p_fibonacci_padding", "circuit \"fibonacci\"", "rows 41 to 64"] {
        assert!(error.contains(part), "{error}");
    }
}

/// Choices for `case` on a device of some size.
fn choices_on<'a>(
    case: &'a Case,
    writer: &'a RowWriter,
    strict: bool,
) -> Result<Choices<'a>, traceloom_runtime::provider::ChoiceError> {
    let device = DeviceOption::Ready { device: writer, record: &case.record };
    let provider = TraceProvider::Device;
    let registry = PROGRAMS;
    let options = TraceOptions { provider, strict, device, ..TraceOptions::new(registry) };
    Choices::new(&case.program, &case.system, &options)
}

#[test]
fn memory_is_admitted_before_anything_is_written() {
    let case = Case::fibonacci(300);
    let small = mock().with_memory(1 << 13);
    let writer = try_writer(&small).unwrap();
    let choices = choices_on(&case, &writer, false).unwrap();
    assert_eq!(choices.provider(0), Provider::Scalar);
    assert!(matches!(choices.reason(0), Some(Reason::NotEnoughMemory { .. })));
    assert!(choices.notice().unwrap().contains("bytes of device memory and"));
    let error = choices_on(&case, &writer, true).unwrap_err().to_string();
    assert!(error.contains("would have scalar rows"), "{error}");
    let (found, report) = case.device(&writer, false).unwrap();
    assert!(found == case.reference());
    assert_eq!(report.device, None, "one that is there and wrote nothing");
}

#[test]
fn without_device_or_kernels_rows_are_scalar_and_strict_refuses() {
    let case = Case::fibonacci(30);
    let expected = case.reference();
    let provider = TraceProvider::Device;
    let registry = PROGRAMS;
    let device = DeviceOption::Unavailable("the driver is on holiday");
    let options = TraceOptions { provider, device, ..TraceOptions::new(registry) };
    let choices = Choices::new(&case.program, &case.system, &options).unwrap();
    assert_eq!(choices.provider(0), Provider::Scalar);
    assert!(choices.notice().unwrap().ends_with("the driver is on holiday"));
    let strict = TraceOptions { strict: true, ..options };
    assert!(Choices::new(&case.program, &case.system, &strict).is_err());
    // No image, and what is compiled for the mock is not known to run.
    let options =
        RowOptions { staging: staging(1 << 10, 2), seed_budget: 0, ..RowOptions::default() };
    let mock = Mock::new(0, Arc::new(ScalarHost::default()));
    let bare = RowWriter::new(&Device::mock(&mock), images(), options).unwrap();
    let reason = bare.bind(registry[0], &Ledger::default()).unwrap_err();
    assert!(reason.contains("finding a kernel failed") && reason.contains("traceloom codegen"));
    let (found, report) = case.device(&bare, false).unwrap();
    assert!(found == expected && report.circuits[0].reason.is_some());
    assert!(report.ledger.dispatched.is_empty());
}

#[test]
fn kernels_of_other_units_are_refused() {
    let case = Case::fibonacci(30);
    let unit = traceloom_generated::find(&case.program.fingerprint()).unwrap();
    let mut other = *unit;
    other.digest[0] ^= 1;
    let other: &'static _ = Box::leak(Box::new(other));
    let host = ScalarHost::new(&[other]);
    let mock = Mock::new(0, Arc::new(host));
    let writer = writer_on(&Device::mock(&mock), staging(1 << 10, 2), 0);
    let error = writer.kernels(unit, &Ledger::default()).unwrap_err().to_string();
    assert!(error.contains("were made from other units: expected digest"), "{error}");
    // A proof falls back and says so, or is refused; no kernel but the one asked has run.
    let choices = choices_on(&case, &writer, false).unwrap();
    assert_eq!(choices.provider(0), Provider::Scalar);
    assert!(choices.notice().unwrap().contains("were made from other units"));
    let error = choices_on(&case, &writer, true).unwrap_err().to_string();
    assert!(error.contains("were made from other units"), "{error}");
    assert!(case.device(&writer, false).unwrap().0 == case.reference());
    let calls = mock.calls();
    let mut launches = calls.iter().filter(|call| call.name == "launch");
    assert!(launches.all(|call| call.detail.contains("_digest,")));
}

/// Writes the trace of a circuit; bytes of seeds that went up for it.
fn write(writer: &RowWriter, rows: &CircuitRows<'_>, ledger: &Ledger) -> Option<u64> {
    let before = ledger.entries().of_kind(Kind::Seeds).up;
    let trace = BornTrace::write(writer.engine(), "fibonacci", rows, ledger).ok()?;
    traceloom_runtime::device::DeviceTrace::download(&trace, ledger).ok()?;
    Some(ledger.entries().of_kind(Kind::Seeds).up - before)
}

#[test]
fn resident_seeds_are_bounded_and_the_oldest_go_first() {
    let case = Case::fibonacci(300);
    let sources = [0, 1, 2].map(|_| case.source(0).unwrap());
    let unit = traceloom_generated::find(&case.program.fingerprint()).unwrap();
    let ledger = Ledger::default();
    let probe = writer_on(&Device::mock(&mock()), staging(1 << 12, 2), PLENTY);
    let kernels = probe.kernels(unit, &ledger).unwrap();
    let rows = CircuitRows::new(probe.engine(), &kernels, "fibonacci", &sources[0], &ledger);
    let one: u64 = rows.seed_bytes().iter().sum();
    assert_eq!(
        [write(&probe, &rows, &ledger), write(&probe, &rows, &ledger)],
        [Some(one), Some(0)]
    );
    // Room for two of three.
    let writer = writer_on(&Device::mock(&mock()), staging(1 << 12, 2), 2 * one + one / 2);
    let kernels = writer.kernels(unit, &ledger).unwrap();
    let rows = sources
        .each_ref()
        .map(|source| CircuitRows::new(writer.engine(), &kernels, "fibonacci", source, &ledger));
    let up = |circuit: usize| write(&writer, &rows[circuit], &ledger).unwrap();
    assert_eq!([up(0), up(1), up(0), up(2)], [one, one, 0, one], "circuit 1 is the oldest");
    assert_eq!([up(0), up(2), up(1), up(0)], [0, 0, one, one], "circuit 0, then 2");
    assert!(writer.engine().seeds().used() <= writer.engine().seeds().budget());
}

#[test]
fn resident_seeds_go_before_an_allocation_fails() {
    let case = Case::fibonacci(300);
    let source = case.source(0).unwrap();
    let unit = traceloom_generated::find(&case.program.fingerprint()).unwrap();
    let ledger = Ledger::default();
    let memory = 1 << 20;
    let mock = mock().with_memory(memory);
    let writer = writer_on(&Device::mock(&mock), staging(1 << 12, 2), PLENTY);
    let kernels = writer.kernels(unit, &ledger).unwrap();
    let rows = CircuitRows::new(writer.engine(), &kernels, "fibonacci", &source, &ledger);
    write(&writer, &rows, &ledger).unwrap();
    assert!(writer.engine().seeds().used() > 0);
    let (device, stream) = (writer.engine().device(), writer.engine().compute());
    let number = |bytes: u64| NonZeroU64::new(bytes).unwrap();
    // All of it, in a size that is not rounded.
    let all = device.allocate(stream, "everything", number(memory)).unwrap();
    assert_eq!(writer.engine().seeds().used(), 0);
    let error = device.allocate(stream, "one more", number(1 << 12)).unwrap_err();
    let text = error.to_string();
    for part in ["\"one more\" of 4096 bytes", "0 bytes are free", "1048576 of \"everything\""] {
        assert!(text.contains(part), "{text}");
    }
    drop(all);
    assert_eq!(write(&writer, &rows, &ledger), Some(rows.seed_bytes().iter().sum()));
    assert_eq!(device.memory().1, memory, "the peak");
    assert!(source.num_rows() == 301);
}

#[test]
fn dropped_buffers_are_not_reused_before_their_work_is_done() {
    let case = Case::fibonacci(300);
    let expected = case.reference();
    let mock = mock();
    mock.delay();
    let writer = writer_on(&Device::mock(&mock), staging(1 << 11, 2), 0);
    let unit = traceloom_generated::find(&case.program.fingerprint()).unwrap();
    let (source, ledger) = (case.source(0).unwrap(), Ledger::default());
    let kernels = writer.kernels(unit, &ledger).unwrap();
    let rows = CircuitRows::new(writer.engine(), &kernels, "fibonacci", &source, &ledger);
    // Nothing is waited for between these, and each drops its seeds.
    let traces: Vec<BornTrace> = (0..4)
        .map(|_| BornTrace::write(writer.engine(), "fibonacci", &rows, &ledger).unwrap())
        .collect();
    for trace in traces {
        let found = traceloom_runtime::device::DeviceTrace::download(&trace, &ledger).unwrap();
        assert!(found == *expected.traces[0].as_ref().unwrap());
    }
    assert_eq!(mock.stalls(), 0);
}
