//! Traces of a real device. Where there is none the tests say so and are counted as
//! ignored; with `TRACELOOM_REQUIRE_GPU=1` that is a failure.

mod common;

use common::{Case, examples, staging};
use libtest_mimic::{Arguments, Completion, Failed, Trial};
use traceloom_cuda::device::Device;
use traceloom_cuda::provider::{RowOptions, RowWriter};

fn main() {
    let args = Arguments::from_args();
    let trial = |name: &str, test: fn(Device)| {
        Trial::ignorable_test(name, move || -> Result<Completion, Failed> {
            let is_required = std::env::var_os("TRACELOOM_REQUIRE_GPU").is_some_and(|v| v == "1");
            match Device::open(0) {
                Ok(device) => {
                    test(device);
                    Ok(Completion::Completed)
                }
                Err(error) if is_required => Err(error.to_string().into()),
                Err(error) => {
                    println!("skipped: {error}");
                    Ok(Completion::ignored_with(format!("because {error}")))
                }
            }
        })
    };
    let trials = vec![
        trial("traces_are_reference_traces", traces_are_reference_traces),
        trial("edges_of_powers_of_two", edges_of_powers_of_two),
        trial("two_threads_share_a_device", two_threads_share_a_device),
        trial("memory_that_is_not_there_is_an_error", memory_that_is_not_there_is_an_error),
    ];
    libtest_mimic::run(&args, trials).exit();
}

fn writer(device: &Device) -> RowWriter {
    device.poison_fresh_memory();
    let options = RowOptions::from_environment(device).unwrap();
    RowWriter::new(device, traceloom_generated::IMAGES, options).unwrap()
}

fn traces_are_reference_traces(device: Device) {
    let writer = writer(&device);
    for case in examples() {
        // Twice: the second gets memory that the first has used.
        for _ in 0..2 {
            assert!(case.device(&writer, true).unwrap().0 == case.reference(), "{}", case.name());
        }
    }
}

fn edges_of_powers_of_two(device: Device) {
    let options = RowOptions::from_environment(&device).unwrap();
    let options = RowOptions { staging: staging(1 << 12, 2), ..options };
    device.poison_fresh_memory();
    let writer = RowWriter::new(&device, traceloom_generated::IMAGES, options).unwrap();
    for n in [0, 2, 3, 4, 254, 255, 256] {
        let case = Case::fibonacci(n);
        assert!(case.device(&writer, true).unwrap().0 == case.reference(), "{n}");
    }
}

fn two_threads_share_a_device(device: Device) {
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
}

fn memory_that_is_not_there_is_an_error(device: Device) {
    let stream = device.stream().unwrap();
    let bytes = (device.info().memory * 2).try_into().unwrap();
    let error = device.allocate(&stream, "too much", bytes).unwrap_err().to_string();
    assert!(error.contains("no memory for buffer \"too much\""), "{error}");
    // And the device is as good as before.
    let case = Case::fibonacci(100);
    assert!(case.device(&writer(&device), true).unwrap().0 == case.reference());
}
