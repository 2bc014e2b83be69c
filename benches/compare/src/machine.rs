//! The machine that runs the benchmark. Whatever a system does not tell is `None`.

use std::fs;
use std::time::Duration;

use serde::Serialize;

use crate::command::Command;
use crate::run::{Running, State, run};

/// What does not change while a benchmark runs.
#[derive(Clone, Debug, Serialize)]
pub struct Machine {
    /// Model of the first processor.
    pub processor: Option<String>,
    /// Logical processors of the machine.
    pub cores: Option<usize>,
    /// Logical processors that this process may use.
    pub usable_cores: Option<usize>,
    /// Bytes of memory.
    pub memory_bytes: Option<u64>,
    /// Name and release of the kernel.
    pub kernel: Option<String>,
    /// NVIDIA devices, one line each: name and driver.
    pub devices: Vec<String>,
}

impl Machine {
    /// Asks the system.
    pub fn ask() -> Self {
        let processors = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let listed = field_lines(&processors, "processor").count();
        Machine {
            processor: field_lines(&processors, "model name").next().map(str::to_owned),
            cores: (listed > 0).then_some(listed),
            usable_cores: std::thread::available_parallelism().ok().map(usize::from),
            memory_bytes: memory(),
            kernel: output("uname", &["-s", "-r", "-m"]),
            devices: devices(),
        }
    }
}

/// Load averages of 1, 5 and 15 minutes.
pub fn load() -> Option<[f64; 3]> {
    let text = fs::read_to_string("/proc/loadavg").ok()?;
    let mut averages = text.split_whitespace().map(|word| word.parse().ok());
    Some([averages.next()??, averages.next()??, averages.next()??])
}

/// The greatest resident set, in bytes, that this process has had.
pub fn own_peak() -> Option<u64> {
    kibibytes(&fs::read_to_string("/proc/self/status").ok()?, "VmHWM")
}

/// What a program of the system prints, without white space at the ends. `None` if it is
/// not there, fails, or takes longer than half a minute (as `nvidia-smi` does with a broken
/// driver).
pub fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let words: Vec<String> =
        [&[program], arguments].concat().iter().map(|&word| word.to_owned()).collect();
    let command = Command { environment: Vec::new(), program: which::which(program).ok()?, words };
    let printed = tempfile::NamedTempFile::new().ok()?;
    let timeout = Some(Duration::from_secs(30));
    let stdout = printed.reopen().ok()?;
    let stderr = tempfile::tempfile().ok()?;
    let measured = run(&command, Some(stdout), stderr, timeout, &Running::default()).ok()?;
    let text = fs::read(printed.path()).ok()?;
    let text = String::from_utf8_lossy(&text).trim().to_owned();
    (measured.state == State::Done).then_some(text)
}

fn memory() -> Option<u64> {
    kibibytes(&fs::read_to_string("/proc/meminfo").ok()?, "MemTotal")
}

fn kibibytes(text: &str, field: &str) -> Option<u64> {
    let number = field_lines(text, field).next()?.strip_suffix(" kB")?;
    number.trim().parse::<u64>().ok()?.checked_mul(1024)
}

fn devices() -> Vec<String> {
    let query = ["--query-gpu=name,driver_version", "--format=csv,noheader"];
    let lines = output("nvidia-smi", &query).unwrap_or_default();
    lines.lines().map(|line| line.replace(", ", ", driver ")).collect()
}

/// Values of the lines `field : value`.
fn field_lines<'a>(text: &'a str, field: &'a str) -> impl Iterator<Item = &'a str> {
    text.lines().filter_map(move |line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == field).then(|| value.trim())
    })
}
