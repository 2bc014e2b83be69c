//! Traces of a real device. Where there is none the tests say so and are counted as
//! ignored; with `TRACELOOM_REQUIRE_GPU=1` that is a failure, and so is a driver that is
//! there and does not work.

#[allow(dead_code)] // Every user changes other answers.
#[path = "common/altered.rs"]
mod altered;
mod common;

use std::num::NonZeroU64;
use std::sync::atomic::{AtomicUsize, Ordering};

use altered::Altered;
use common::{Case, REQUIRED, examples, is_without_device, needed, staging};
use libtest_mimic::{Arguments, Completion, Failed, Trial};
use rayon::prelude::*;
use traceloom_air::field::word;
use traceloom_cuda::device::Device;
use traceloom_cuda::provider::{RowOptions, RowWriter};
use traceloom_cuda::rows::CircuitRows;
use traceloom_cuda::trace::BornTrace;
use traceloom_generated::PROGRAMS;
use traceloom_runtime::device::DeviceTrace;
use traceloom_runtime::ledger::Ledger;
use traceloom_runtime::source::SeedSource;

fn main() {
    let mut args = Arguments::from_args();
    // There is one device, and some of them take all of its memory.
    args.test_threads = Some(1);
    let trial = |name: &str, test: fn(Device) -> Completion| {
        Trial::ignorable_test(name, move || -> Result<Completion, Failed> {
            let is_required = std::env::var_os(REQUIRED).is_some_and(|value| value == "1");
            let device = needed(Device::open(0), is_without_device, is_required);
            device.map_or_else(|ended| ended, |device| Ok(test(device)))
        })
    };
    let trials = vec![
        trial("traces_are_reference_traces", traces_are_reference_traces),
        trial("edges_of_powers_of_two", edges_of_powers_of_two),
        trial("two_threads_share_a_device", two_threads_share_a_device),
        trial("memory_that_is_not_there_is_an_error", memory_that_is_not_there_is_an_error),
        trial("drivers_keep_what_is_left_to_them", drivers_keep_what_is_left_to_them),
        trial("two_hundred_proofs_on_a_tight_device", two_hundred_proofs_on_a_tight_device),
        trial("columns_are_far_apart", columns_are_far_apart),
    ];
    libtest_mimic::run(&args, trials).exit();
}

fn writer(device: &Device) -> RowWriter {
    device.poison_fresh_memory();
    let options = RowOptions::from_environment(device).unwrap();
    RowWriter::new(device, traceloom_generated::IMAGES, options).unwrap()
}

fn traces_are_reference_traces(device: Device) -> Completion {
    let writer = writer(&device);
    for case in examples() {
        // Twice: the second gets memory that the first has used.
        for _ in 0..2 {
            assert!(case.device(&writer, true).unwrap().0 == case.reference(), "{}", case.name());
        }
    }
    Completion::Completed
}

fn edges_of_powers_of_two(device: Device) -> Completion {
    let options = RowOptions::from_environment(&device).unwrap();
    let options = RowOptions { staging: staging(1 << 12, 2), ..options };
    device.poison_fresh_memory();
    let writer = RowWriter::new(&device, traceloom_generated::IMAGES, options).unwrap();
    for n in [0, 2, 3, 4, 254, 255, 256] {
        let case = Case::fibonacci(n);
        assert!(case.device(&writer, true).unwrap().0 == case.reference(), "{n}");
    }
    Completion::Completed
}

fn two_threads_share_a_device(device: Device) -> Completion {
    let writer = writer(&device);
    let cases = [Case::fibonacci(3000), examples().swap_remove(1)];
    std::thread::scope(|scope| {
        for case in &cases {
            let writer = &writer;
            scope.spawn(move || {
                assert!(case.device(writer, true).unwrap().0 == case.reference());
            });
        }
    });
    Completion::Completed
}

/// Admission leaves a sixteenth of what is free to the driver, which loads kernels there.
fn drivers_keep_what_is_left_to_them(device: Device) -> Completion {
    let free = device.free_memory().unwrap();
    let writer = writer(&device);
    for unit in PROGRAMS {
        writer.kernels(unit, &Ledger::default()).unwrap();
    }
    let taken = free - device.free_memory().unwrap();
    println!("{free} bytes were free, kernels of {} programs take {taken}", PROGRAMS.len());
    assert!(taken <= free / 16);
    Completion::Completed
}

/// Four callers, and memory for less than two of them: whoever has a trace has the right
/// one, all others are told, and nothing is lost on the way.
fn two_hundred_proofs_on_a_tight_device(device: Device) -> Completion {
    let writer = writer(&device);
    let case = Case::fibonacci(100_000);
    let expected = case.reference();
    assert!(case.device(&writer, true).unwrap().0 == expected);
    let need = device.memory().1;
    let stream = device.stream().unwrap();
    // Sizes that are not rounded, down to what a driver gives away at least.
    let mut ballast = Vec::new();
    for bytes in [1_u64 << 32, 1 << 26, 1 << 21] {
        while device.free_memory().unwrap() >= need * 7 / 4 + bytes {
            let bytes = NonZeroU64::new(bytes).unwrap();
            ballast.push(device.allocate(&stream, "ballast", bytes).unwrap());
        }
    }
    let [right, told] = [(); 2].map(|()| AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..50 {
                    match case.device(&writer, true) {
                        Ok((found, _)) => {
                            assert!(found == expected);
                            right.fetch_add(1, Ordering::Relaxed);
                        }
                        Err(error) => {
                            let error = error.to_string();
                            let is_memory = error.contains("memory");
                            assert!(is_memory && error.contains("bytes"), "{error}");
                            told.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                }
            });
        }
    });
    let [right, told] = [right, told].map(AtomicUsize::into_inner);
    println!("a proof takes {need} bytes; right {right}, told {told}");
    assert!(right > 0 && right + told == 200);
    assert!(case.device(&writer, true).unwrap().0 == expected, "alone it has enough");
    assert_eq!(device.lost(), None);
    drop(ballast);
    drop(writer);
    assert_eq!(device.memory().0, 0);
    Completion::Completed
}

/// Bytes of the host that are available; 0 where that is not known.
fn host_memory() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kib = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    kib.unwrap_or(0) << 10
}

/// Columns 2 GiB apart, which is more than drivers promise for one copy (some do more).
fn columns_are_far_apart(device: Device) -> Completion {
    const HEIGHT: usize = 1 << 28;
    let case = Case::fibonacci(100);
    let source = case.source(0).unwrap();
    let source = Altered::new(&source).with_height(HEIGHT);
    let bytes = 8 * (source.columns().width * HEIGHT) as u64;
    if device.free_memory().unwrap().min(host_memory()) < 2 * bytes {
        return Completion::ignored_with(format!("because {bytes} bytes are too many"));
    }
    let (writer, ledger) = (writer(&device), Ledger::default());
    let unit = traceloom_generated::find(&case.program.fingerprint()).unwrap();
    let kernels = writer.kernels(unit, &ledger).unwrap();
    let rows = CircuitRows::new(writer.engine(), &kernels, "fibonacci", &source, &ledger);
    let trace = BornTrace::write(writer.engine(), "fibonacci", &rows, &ledger).unwrap();
    let found = trace.download(&ledger).unwrap();
    let reference = case.reference();
    let expected = &reference.traces[0].as_ref().unwrap().values;
    let (small, padding) = found.values.split_at(expected.len());
    assert!(small == *expected);
    assert!(padding.par_iter().all(|&cell| word(cell) == 0));
    Completion::Completed
}

fn memory_that_is_not_there_is_an_error(device: Device) -> Completion {
    let stream = device.stream().unwrap();
    let bytes = (device.info().memory * 2).try_into().unwrap();
    let error = device.allocate(&stream, "too much", bytes).unwrap_err().to_string();
    assert!(error.contains("no memory for buffer \"too much\""), "{error}");
    // And the device is as good as before.
    let case = Case::fibonacci(100);
    assert!(case.device(&writer(&device), true).unwrap().0 == case.reference());
    Completion::Completed
}
