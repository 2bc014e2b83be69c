//! The calls of the driver, made to a library that is none: what a machine may have
//! instead of a driver, and proofs' traces through all of them. Each case runs in a
//! process of its own, since libraries are loaded once.

#[path = "../common/mod.rs"]
mod common;

use std::fs;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::Path;
use std::process::{Command, ExitCode, Output};
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};
use traceloom_abi::cuda::HEADERS;
use traceloom_cuda::device::{Device, Pinned};
use traceloom_cuda::error::{Code, Place};
use traceloom_cuda::probe;
use traceloom_generated::PROGRAMS;
use traceloom_runtime::ledger::{Kind, Ledger, Transfer};
use traceloom_runtime::provider::TraceProvider;

/// Names the case that this process is to run.
const CASE: &str = "TRACELOOM_TEST_CASE";

fn main() -> ExitCode {
    if let Ok(case) = std::env::var(CASE) {
        return run_case(&case);
    }
    let args = Arguments::from_args();
    if !cfg!(target_os = "linux") {
        println!("skipped: the library that is no driver is made for Linux");
        return ExitCode::SUCCESS;
    }
    let folder = Arc::new(tempfile::tempdir().expect("a temporary folder"));
    let libraries = Libraries::new(folder.path());
    let libraries = Arc::new(libraries);
    let trial = |name: &'static str,
                 library: &'static str,
                 settings: &'static [(&str, &str)],
                 expected: &'static str| {
        let (libraries, folder) = (Arc::clone(&libraries), Arc::clone(&folder));
        Trial::test(name, move || {
            let case = match expected {
                "traces are equal" => "traces",
                "devices are apart" => "devices",
                _ => "probe",
            };
            libraries.check(folder.path(), library, case, settings, expected)
        })
    };
    let trials = vec![
        trial("no_library", "none", &[], "no NVIDIA driver is installed"),
        trial("a_broken_library", "broken", &[], "cannot be loaded"),
        trial("a_library_of_something_else", "other", &[], "has no cuCtxSetCurrent"),
        trial("a_stub", "whole", &[("FAKE_INIT", "34")], "is the stub of the toolkit"),
        trial("an_old_driver", "whole", &[("FAKE_VERSION", "11040")], "supports CUDA 11.4"),
        trial("no_device", "whole", &[("FAKE_INIT", "100")], "shows no device"),
        trial("no_device_is_shown", "whole", &[("FAKE_COUNT", "0")], "shows no device"),
        trial("a_mismatch", "whole", &[("FAKE_INIT", "803")], "system driver mismatch"),
        trial("a_code_without_name", "whole", &[("FAKE_INIT", "910")], "CUDA error 910"),
        trial("two_devices", "whole", &[], "2 devices, device 1 (fake, sm_90)"),
        trial(
            "a_silent_device_hides_no_other",
            "whole",
            &[("FAKE_SILENT", "0")],
            "1 devices, device 1 (fake, sm_90)",
        ),
        trial("traces_through_the_driver", "whole", &[], "traces are equal"),
        // Columns of 100 rows and more are further apart than one copy may reach.
        trial("columns_far_apart", "whole", &[("FAKE_PITCH", "800")], "traces are equal"),
        trial("calls_are_made_on_their_device", "whole", &[], "devices are apart"),
    ];
    libtest_mimic::run(&args, trials).exit_code()
}

/// Folders with a `libcuda.so.1` each.
struct Libraries;

impl Libraries {
    fn new(folder: &Path) -> Self {
        let write = |path: &str, text: &str| {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().expect("it is in the folder")).unwrap();
            fs::write(path, text).unwrap();
        };
        fs::create_dir(folder.join("none")).unwrap();
        write("broken/libcuda.so.1", "no library");
        write("other/source.cpp", "extern \"C\" int cuInit(unsigned) { return 0; }\n");
        compile(&folder.join("other"));
        for (name, text) in HEADERS {
            write(&format!("whole/{name}"), text);
        }
        let mut source = String::from(include_str!("driver.cpp"));
        for unit in PROGRAMS.iter().filter(|unit| ["fibonacci", "merge_sort"].contains(&unit.name))
        {
            for file in unit.sources {
                write(&format!("whole/{}", file.name), file.text);
                if file.name.ends_with(".cu") {
                    source.push_str(&format!("#include \"{}\"\n", file.name));
                }
            }
        }
        write("whole/source.cpp", &source);
        compile(&folder.join("whole"));
        Self
    }

    fn check(
        &self,
        folder: &Path,
        library: &str,
        case: &str,
        settings: &[(&str, &str)],
        expected: &str,
    ) -> Result<(), Failed> {
        let mut command = Command::new(std::env::current_exe()?);
        command.env(CASE, case).env("LD_LIBRARY_PATH", folder.join(library));
        command.envs(settings.iter().copied());
        let Output { status, stdout, stderr } = command.output()?;
        let [out, err] = [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        match status.success() && out.contains(expected) {
            true => Ok(()),
            false => Err(format!("{status}, expected {expected:?}:\n{out}{err}").into()),
        }
    }
}

fn compile(folder: &Path) {
    let target = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let mut build = cc::Build::new();
    build.cpp(true).opt_level(1).target(&target).host(&target).out_dir(folder);
    let compiler = build.cargo_metadata(false).cargo_debug(false).get_compiler();
    let mut command = compiler.to_command();
    command.current_dir(folder).args(["-std=c++17", "-shared", "-fPIC", "-w"]);
    command.args(["source.cpp", "-o", "libcuda.so.1", "-ldl"]);
    let output = command.output().expect("a C++ compiler is installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn run_case(case: &str) -> ExitCode {
    match case {
        "probe" => match probe::devices() {
            Ok(devices) => println!("{} devices, {}", devices.len(), devices.last().unwrap()),
            Err(error) => {
                println!("{error}");
                assert_eq!(Device::open(0).unwrap_err(), error, "the same answer again");
            }
        },
        "traces" => traces(),
        "devices" => devices(),
        _ => panic!("no case {case}"),
    }
    ExitCode::SUCCESS
}

fn traces() {
    assert!(Device::open(2).unwrap_err().to_string().contains("there is no device 2"));
    let device = Device::open(1).unwrap();
    device.poison_fresh_memory();
    let cases = [
        common::Case::fibonacci(0),
        common::Case::fibonacci(70),
        common::Case::fibonacci(255),
        common::Case::new(traceloom_programs::merge_sort::program().unwrap(), &[20], 80),
    ];
    for (chunk, budget) in [(1 << 12, 1 << 30), (1 << 12, 0), (1 << 20, 1 << 30)] {
        let writer = common::writer_on(&device, common::staging(chunk, 3), budget);
        for case in &cases {
            let (found, report) = case.device(&writer, true).unwrap();
            assert!(found == case.reference(), "{}", case.name());
            assert_eq!(report.requested, TraceProvider::Device.name());
        }
    }
    let event = device.stream().unwrap().record().unwrap();
    assert!(event.elapsed_since(&event).unwrap().as_micros() == 500);
    assert_eq!(device.memory().0, 0, "every buffer was dropped");
    assert_eq!(device.lost(), None::<Code>);
    println!("traces are equal");
}

/// Every call, made for one device and then for the other, so that none finds its
/// context by chance.
fn in_turn(devices: &[Device; 2]) {
    let (ledger, bytes) = (Ledger::default(), NonZeroUsize::new(64).unwrap());
    let size = NonZeroU64::new(64).unwrap();
    let transfer = Transfer { circuit: "none", kind: Kind::Seeds };
    let streams = devices.each_ref().map(|device| device.stream().unwrap());
    let events = streams.each_ref().map(|stream| stream.record().unwrap());
    let mut pinned = devices.each_ref().map(|device| device.pinned(bytes).unwrap());
    let allocate = |d: usize| devices[d].allocate(&streams[d], "some", size).unwrap();
    let buffers = [0, 1].map(allocate);
    let mut both = |call: &mut dyn FnMut(usize, &mut Pinned)| {
        pinned.iter_mut().enumerate().for_each(|(d, pinned)| call(d, pinned));
    };
    both(&mut |d, _| streams[d].wait_for(&events[d]).unwrap());
    both(&mut |d, _| events[d].wait().unwrap());
    both(&mut |d, _| assert!(!events[d].elapsed_since(&events[d]).unwrap().is_zero()));
    both(&mut |d, _| streams[d].fill(&buffers[d], 1).unwrap());
    both(&mut |d, pinned| pinned.bytes_mut().unwrap().fill(2 + d as u8));
    let len = bytes.get();
    both(&mut |d, pinned| {
        streams[d].upload(&buffers[d], 0, pinned, len, &ledger, &transfer).unwrap();
    });
    both(&mut |_, pinned| assert!(pinned.is_idle().unwrap()));
    both(&mut |d, _| {
        let read = streams[d].read(&buffers[d], &ledger, &transfer).unwrap();
        assert_eq!(read, [2 + d as u8; 64]);
    });
    both(&mut |d, _| streams[d].synchronize(&Place::default()).unwrap());
    let modules =
        devices.each_ref().map(|device| device.load(b"image", &ledger, &transfer).unwrap());
    // Dropped in turn; what is dropped first is settled by the next allocation.
    drop((modules, buffers, events, pinned));
    drop([0, 1].map(|d| devices[d].allocate(&streams[d], "more", size).unwrap()));
}

/// Two devices and three threads that use both in turn: every call is made in the
/// context of its owner, and figures of memory are those of the device that is asked.
fn devices() {
    let devices = [0, 1].map(|ordinal| Device::open(ordinal).unwrap());
    let free = devices.each_ref().map(|device| device.free_memory().unwrap());
    assert_eq!(free, [1 << 30, 2 << 30]);
    assert_ne!(devices[0].info().uuid, devices[1].info().uuid);
    in_turn(&devices);
    let writers =
        devices.each_ref().map(|device| common::writer_on(device, common::staging(1 << 12, 2), 0));
    let case = common::Case::fibonacci(70);
    let expected = case.reference();
    std::thread::scope(|scope| {
        for first in 0..3 {
            let (case, writers, expected) = (&case, &writers, &expected);
            scope.spawn(move || {
                for job in 0..6 {
                    let (found, _) = case.device(&writers[(first + job) % 2], true).unwrap();
                    assert!(found == *expected);
                }
            });
        }
    });
    drop(writers);
    for device in &devices {
        assert_eq!((device.memory().0, device.lost()), (0, None));
    }
    println!("devices are apart");
}
