//! Rows on a device that is none: equal to the reference in every cell, for all sizes,
//! windows and orders of completion, and counted.

mod common;

use std::num::NonZeroU64;

use common::{Case, examples, images, mock, staging, writer_on};
use traceloom_abi::registry::{FunctionUnit, PathUnit};
use traceloom_air::field::word;
use traceloom_cuda::device::{Buffer, Device};
use traceloom_cuda::mock::{Mock, ScalarHost};
use traceloom_cuda::provider::RowWriter;
use traceloom_cuda::rows::{CircuitRows, Window};
use traceloom_cuda::trace::BornTrace;
use traceloom_generated::PROGRAMS;
use traceloom_runtime::device::DeviceTrace;
use traceloom_runtime::ledger::{Kind, Ledger, Transfer};
use traceloom_runtime::provider::Provider;
use traceloom_runtime::seeds::{CircuitSeeds, Encoding, PackOptions, Why};
use traceloom_runtime::source::{OwnedSource, SeedSource};

const PLENTY: u64 = 1 << 30;
const CHUNK: usize = 1 << 14;

fn writer(mock: &Mock) -> RowWriter {
    writer_on(&Device::mock(mock), staging(CHUNK, 3), PLENTY)
}

#[test]
fn device_born_traces_are_reference_traces_and_every_byte_is_counted() {
    for case in examples() {
        let expected = case.reference();
        for is_late in [false, true] {
            let mock = mock();
            if is_late {
                mock.delay();
            }
            let (found, report) = case.device(&writer(&mock), true).unwrap();
            // Not by assert_eq: a difference would print both.
            assert!(found == expected, "{}, late: {is_late}", case.name());
            assert_eq!(mock.stalls(), 0, "nobody touches memory under a copy");
            let device = |provider| provider == Provider::Device;
            let circuits = report.circuits.iter().filter(|circuit| device(circuit.provider));
            let seeds: usize =
                circuits.clone().flat_map(|c| &c.runs).map(|run| run.seed_bytes).sum();
            let cells: usize = circuits.map(|circuit| 8 * circuit.height * circuit.width).sum();
            let ledger = &report.ledger;
            assert!(seeds > 0 && cells > 0);
            assert_eq!(ledger.of_kind(Kind::Seeds).up, seeds as u64);
            assert_eq!(ledger.of_kind(Kind::Seeds).down, 0);
            assert_eq!(ledger.of_kind(Kind::Rows).down, cells as u64);
            assert_eq!(ledger.of_kind(Kind::Rows).up, 0, "no main trace goes up");
            assert_eq!(ledger.of_kind(Kind::Identity).down, 32);
            assert_eq!(ledger.of_kind(Kind::Code).up, images()[0].bytes.len() as u64);
            assert_eq!(ledger.avoided.values().sum::<u64>(), cells as u64);
        }
    }
}

#[test]
fn the_ledger_counts_launches_of_every_path() {
    let case = Case::fibonacci(70);
    let (_, report) = case.device(&writer(&mock()), true).unwrap();
    let circuit = report.circuits.iter().find(|c| c.provider == Provider::Device).unwrap();
    let unit = traceloom_generated::find(&case.program.fingerprint()).unwrap();
    let rows_of = |kernel: &str| {
        let key = (circuit.name.clone(), kernel.to_owned());
        report.ledger.dispatched.get(&key).map_or(0, |dispatched| dispatched.rows as usize)
    };
    assert_eq!(rows_of(unit.padding_kernel), circuit.height - circuit.rows);
    for run in &circuit.runs {
        let function = &unit.functions[run.member];
        match run.encoding {
            Encoding::Typed => {
                assert_eq!(rows_of(function.paths[run.path as usize].kernel), run.rows);
            }
            Encoding::Full(_) => assert!(rows_of(function.generic.kernel) >= run.rows),
        }
    }
}

#[test]
fn every_number_of_rows_has_its_trace() {
    // fibonacci(n) has n + 1 rows, but one for n below 2; a run of n - 1.
    for n in [0_u64, 2, 3, 4, 15, 16, 254, 255, 256, 257, 258] {
        let case = Case::fibonacci(n);
        let (found, report) = case.device(&writer(&mock()), true).unwrap();
        assert!(found == case.reference(), "{n}");
        assert_eq!(report.circuits[0].rows as u64, n + 1);
    }
}

#[test]
fn circuits_without_rows_launch_and_allocate_nothing() {
    let case = Case::new(traceloom_programs::blake3::program().unwrap(), &[1], 1);
    let mock = mock();
    let (found, report) = case.device(&writer(&mock), true).unwrap();
    assert!(found == case.reference());
    let mut empty = report.circuits.iter().filter(|circuit| circuit.height == 0);
    assert!(empty.any(|circuit| circuit.provider == Provider::Device));
    let nothing = ["allocate 0 bytes", "copy up 0 bytes", "fill 0 bytes"];
    for call in mock.calls() {
        let text = format!("{} {}", call.name, call.detail);
        assert!(!nothing.contains(&&text[..]) && !text.contains(", 0 x"), "{text}");
    }
}

#[test]
fn chunks_may_be_as_small_as_a_seed_and_downloads_as_small_as_a_cell() {
    let case = Case::fibonacci(70);
    let expected = case.reference();
    let source = case.source(0).unwrap();
    let widest = source.runs().iter().enumerate();
    let widest = widest.map(|(run, of)| source.kernel(run, of.encoding).1).max().unwrap();
    for chunk in [widest, widest + 1, 2 * widest + 8, 1 << 12] {
        for chunks in [1, 2] {
            let device = Device::mock(&mock());
            let writer = writer_on(&device, staging(chunk, chunks), PLENTY);
            assert!(case.device(&writer, true).unwrap().0 == expected, "{chunk} x {chunks}");
        }
    }
    let writer = writer_on(&Device::mock(&mock()), staging(widest - 8, 2), PLENTY);
    let error = case.device(&writer, true).unwrap_err().to_string();
    assert!(error.contains(&format!("a seed takes {widest} bytes, and a pinned chunk has")));
}

/// Whole, none, one, some, wrapping by one, by all but one, and everything rotated.
fn windows(height: u64) -> Vec<(u64, u64, u64)> {
    let mut windows = vec![(0, height, 0), (0, 0, 2), (0, 1, 3), (height - 1, 1, 0)];
    if height >= 4 {
        windows.extend([(1, height / 2, 1), (height - 1, 3, 0), (height - 1, height - 1, 0)]);
        windows.push((height / 2 + 1, height, 5));
    }
    windows
}

/// Writes a window into poisoned memory and compares every word of it.
fn check_window(
    writer: &RowWriter,
    rows: &CircuitRows<'_>,
    trace: &traceloom_air::trace::Trace,
    (first, count, slack): (u64, u64, u64),
) {
    let (engine, stride) = (writer.engine(), count + slack);
    let bytes = NonZeroU64::new(8 * stride * trace.width as u64).unwrap();
    let device = engine.device();
    let cells = device.allocate(engine.compute(), "window", bytes).unwrap();
    engine.compute().fill(&cells, 0xff).unwrap();
    rows.write(&Window { cells: &cells, stride, first, count }).unwrap();
    let words = download(writer, &cells);
    for column in 0..trace.width {
        for i in 0..stride {
            let found = words[column * stride as usize + i as usize];
            let row = (first + i) as usize % trace.height();
            let expected = if i < count { word(trace.row(row)[column]) } else { u64::MAX };
            assert_eq!(found, expected, "column {column}, row {row}, window {first}+{count}");
        }
    }
}

fn download(writer: &RowWriter, cells: &Buffer) -> Vec<u64> {
    let transfer = Transfer { circuit: "window", kind: Kind::Rows };
    let bytes = writer.engine().compute().read(cells, &Ledger::default(), &transfer).unwrap();
    bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)).collect()
}

#[test]
fn any_window_is_written_and_nothing_beside_it() {
    for case in examples() {
        let expected = case.reference();
        let mock = mock();
        mock.delay();
        for (position, circuit) in case.program.program().circuits.iter().enumerate() {
            let Some(source) = case.source(position) else { continue };
            let trace = expected.traces[position].as_ref().unwrap();
            let unit = traceloom_generated::find(&case.program.fingerprint()).unwrap();
            // Seeds that stay, and seeds that go up for every window.
            for budget in [PLENTY, 0] {
                let writer = writer_on(&Device::mock(&mock), staging(CHUNK, 2), budget);
                let ledger = Ledger::default();
                let kernels = writer.kernels(unit, &ledger).unwrap();
                let name = format!("{circuit:?}");
                let rows = CircuitRows::new(writer.engine(), &kernels, &name, &source, &ledger);
                for window in windows(trace.height() as u64) {
                    check_window(&writer, &rows, trace, window);
                }
                let all: u64 = rows.seed_bytes().iter().sum();
                let up = ledger.entries().of_kind(Kind::Seeds).up;
                match budget {
                    0 => assert!(up >= 2 * all, "windows that hold everything"),
                    _ => assert_eq!(up, all, "once"),
                }
            }
        }
    }
}

#[test]
fn windows_that_do_not_exist_are_refused() {
    let case = Case::fibonacci(6);
    let source = case.source(0).unwrap();
    let writer = writer(&mock());
    let ledger = Ledger::default();
    let unit = traceloom_generated::find(&case.program.fingerprint()).unwrap();
    let kernels = writer.kernels(unit, &ledger).unwrap();
    let rows = CircuitRows::new(writer.engine(), &kernels, "fibonacci", &source, &ledger);
    let height = rows.height() as u64;
    let bytes = NonZeroU64::new(8 * height * rows.width() as u64).unwrap();
    let engine = writer.engine();
    let cells = engine.device().allocate(engine.compute(), "window", bytes).unwrap();
    let refused = |first, count, stride| {
        rows.write(&Window { cells: &cells, stride, first, count }).unwrap_err().to_string()
    };
    assert!(refused(height, 1, height).contains("first row of a window is 8, at most 7"));
    assert!(refused(0, height + 1, height).contains("number of rows of a window is 9"));
    // The driver refuses what is not in its memory.
    assert!(refused(0, height, height + 1).contains("invalid value"));
    assert!(refused(0, height, height - 1).contains("invalid value"));
    assert!(rows.write(&Window { cells: &cells, stride: height, first: 0, count: height }).is_ok());
}

#[test]
fn owned_seeds_need_no_record() {
    let case = Case::fibonacci(70);
    let expected = case.reference();
    let binding = traceloom_runtime::bind::Binding::new(&case.program, PROGRAMS).unwrap();
    let members = binding.members(&case.program, &case.program.program().circuits[0]).unwrap();
    let runs = traceloom_runtime::order::runs(&case.program, &case.record, 0);
    let seeds = CircuitSeeds::pack(members, &runs, &case.record, &PackOptions::default()).unwrap();
    let Case { program, .. } = case;
    let source = OwnedSource::new(&seeds).unwrap();
    let writer = writer(&mock());
    let ledger = Ledger::default();
    let unit = traceloom_generated::find(&program.fingerprint()).unwrap();
    let kernels = writer.kernels(unit, &ledger).unwrap();
    let rows = CircuitRows::new(writer.engine(), &kernels, "fibonacci", &source, &ledger);
    let trace = BornTrace::write(writer.engine(), "fibonacci", &rows, &ledger).unwrap();
    assert!(trace.download(&ledger).unwrap() == *expected.traces[0].as_ref().unwrap());
    drop(rows);
    assert_eq!(writer.engine().seeds().used(), 0, "seeds go with their circuit");
}

/// A unit whose path 0 says of every row that it does not fit.
fn never_narrow() -> &'static traceloom_abi::registry::ProgramUnit {
    let unit = PROGRAMS.iter().find(|unit| unit.name == "fibonacci").unwrap();
    let refuse: traceloom_abi::registry::Pack = |_, _, seeds| {
        seeds.fill(0);
        Ok(false)
    };
    let widen = |path: &PathUnit| PathUnit { pack_typed: refuse, ..*path };
    let functions = unit.functions.iter().map(|function| {
        let paths: Vec<PathUnit> = function.paths.iter().map(widen).collect();
        FunctionUnit { paths: Vec::leak(paths), ..*function }
    });
    let functions: Vec<FunctionUnit> = functions.collect();
    Box::leak(Box::new(traceloom_abi::registry::ProgramUnit {
        functions: Vec::leak(functions),
        ..**unit
    }))
}

#[test]
fn a_run_that_does_not_fit_is_packed_in_full() {
    let case = Case::fibonacci(300);
    let expected = case.reference();
    let unit = never_narrow();
    let binding = traceloom_runtime::bind::Binding::new(&case.program, &[unit]).unwrap();
    let members = binding.members(&case.program, &case.program.program().circuits[0]).unwrap();
    let runs = traceloom_runtime::order::runs(&case.program, &case.record, 0);
    let source = traceloom_runtime::source::RecordSource::new(
        members,
        runs,
        &case.record,
        &PackOptions::default(),
    )
    .unwrap();
    for budget in [PLENTY, 0] {
        let writer = writer_on(&Device::mock(&mock()), staging(1 << 10, 2), budget);
        let ledger = Ledger::default();
        let kernels = writer.kernels(unit, &ledger).unwrap();
        let rows = CircuitRows::new(writer.engine(), &kernels, "fibonacci", &source, &ledger);
        for _ in 0..2 {
            let trace = BornTrace::write(writer.engine(), "fibonacci", &rows, &ledger).unwrap();
            assert!(trace.download(&ledger).unwrap() == *expected.traces[0].as_ref().unwrap());
        }
        let encodings = rows.encodings();
        assert!(encodings.contains(&Encoding::Full(Why::Widened)), "{encodings:?}");
        assert!(!encodings.contains(&Encoding::Typed), "{encodings:?}");
    }
}

#[test]
fn callers_share_a_device() {
    let cases = examples();
    let expected: Vec<_> = cases.iter().map(Case::reference).collect();
    for chunks in [1, 2, 5] {
        let mock = mock();
        mock.delay();
        let writer = writer_on(&Device::mock(&mock), staging(CHUNK, chunks), 1 << 16);
        std::thread::scope(|scope| {
            for (case, expected) in cases.iter().zip(&expected) {
                let writer = &writer;
                scope.spawn(move || {
                    for _ in 0..2 {
                        let (found, _) = case.device(writer, true).unwrap();
                        assert!(found == *expected, "{}", case.name());
                    }
                });
            }
        });
        assert_eq!(mock.stalls(), 0);
        drop(writer);
        assert_eq!(mock.num_live(), 0, "everything is released");
    }
}

#[test]
fn devices_do_not_share_anything() {
    let case = Case::fibonacci(70);
    let mocks = [0, 1].map(|n| Mock::new(n, std::sync::Arc::new(ScalarHost::new(PROGRAMS))));
    let writers = [&mocks[0], &mocks[1]].map(writer);
    let traces = writers.each_ref().map(|writer| case.device(writer, true).unwrap().0);
    assert!(traces[0] == traces[1]);
    assert_eq!(mocks[0].calls().len(), mocks[1].calls().len());
    let [first, second] = writers;
    drop(first);
    assert_eq!((mocks[0].num_live(), images().len()), (0, PROGRAMS.len()));
    assert!(case.device(&second, true).is_ok());
}
