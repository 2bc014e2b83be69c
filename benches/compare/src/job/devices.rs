//! Clocks, temperature, power, load and memory of NVIDIA devices while a job runs, as nvidia-smi
//! tells them.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::Error;

/// What is asked of nvidia-smi, in the order of the fields of a sample.
const QUERY: &str =
    "index,clocks.sm,clocks.mem,temperature.gpu,power.draw,utilization.gpu,memory.used";

const COLUMNS: [&str; 8] =
    ["at_s", "device", "sm_mhz", "memory_mhz", "celsius", "watts", "busy_percent", "used_mib"];

/// One device at one time. What it does not state is `None`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct DeviceSample {
    /// Seconds since the job began.
    pub at: f64,
    /// Number of the device.
    pub device: u32,
    /// Clock of the multiprocessors in MHz, of the memory in MHz, temperature in degrees, power
    /// in watts, load in percent, and memory in MiB.
    pub values: [Option<f64>; 6],
}

/// Names and units of [`DeviceSample::values`].
pub const VALUES: [&str; 6] = [
    "clock of the multiprocessors, MHz",
    "clock of the memory, MHz",
    "temperature, °C",
    "power, W",
    "load, %",
    "memory used, MiB",
];

/// The extremes of one device.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Number of the device.
    pub device: u32,
    /// Number of samples.
    pub samples: usize,
    /// By value: name, least, mean and greatest.
    pub values: Vec<(&'static str, f64, f64, f64)>,
}

/// nvidia-smi in the background.
pub struct Devices {
    asked: Option<(Child, JoinHandle<Vec<DeviceSample>>)>,
}

impl Devices {
    /// Starts to ask. Without nvidia-smi there are no samples. Samples are lines of `table` as they
    /// come.
    pub fn start(began: Instant, every: Duration, table: &Path) -> Result<Self, Error> {
        let Ok(program) = which::which("nvidia-smi") else { return Ok(Self { asked: None }) };
        let fault =
            |source| Error::Write { what: "samples of devices", path: table.to_owned(), source };
        let mut writer = csv::Writer::from_writer(File::create(table).map_err(fault)?);
        let header = writer.write_record(COLUMNS).map_err(std::io::Error::from);
        header.map_err(fault)?;
        let milliseconds = every.as_millis().max(1).to_string();
        let child = Command::new(program)
            .arg(format!("--query-gpu={QUERY}"))
            .args(["--format=csv,noheader,nounits", "-lms", &milliseconds])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        // One that does not start tells nothing, as one that is not there.
        let Ok(mut child) = child else { return Ok(Self { asked: None }) };
        let Some(stdout) = child.stdout.take() else { return Ok(Self { asked: None }) };
        let read = move || {
            let mut samples = Vec::new();
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                let Some(sample) = sample(began.elapsed().as_secs_f64(), &line) else { continue };
                // The samples are kept in memory as well; a full disk is told by the result.
                let _ = writer.write_record(record(&sample)).map(|()| writer.flush());
                samples.push(sample);
            }
            samples
        };
        Ok(Self { asked: Some((child, std::thread::spawn(read))) })
    }

    /// Ends nvidia-smi; all samples in order.
    pub fn stop(mut self) -> Vec<DeviceSample> {
        let Some((mut child, reader)) = self.asked.take() else { return Vec::new() };
        // It fails if it has ended by itself.
        let _ = child.kill();
        let _ = child.wait();
        reader.join().unwrap_or_default()
    }
}

/// A line of nvidia-smi.
fn sample(at: f64, line: &str) -> Option<DeviceSample> {
    let mut fields = line.split(',').map(str::trim);
    let device = fields.next()?.parse().ok()?;
    let mut values = [None; 6];
    for value in &mut values {
        // `[N/A]` and the like.
        *value = fields.next()?.parse().ok().filter(|value: &f64| value.is_finite());
    }
    Some(DeviceSample { at, device, values })
}

fn record(sample: &DeviceSample) -> Vec<String> {
    let values =
        sample.values.iter().map(|value| value.map_or_else(String::new, |of| of.to_string()));
    [format!("{:.3}", sample.at), sample.device.to_string()].into_iter().chain(values).collect()
}

/// By device.
pub fn summaries(samples: &[DeviceSample]) -> Vec<Summary> {
    let mut devices: Vec<u32> = samples.iter().map(|sample| sample.device).collect();
    devices.sort_unstable();
    devices.dedup();
    let summary = |device: u32| {
        let own: Vec<&DeviceSample> = samples.iter().filter(|of| of.device == device).collect();
        let values = VALUES.iter().enumerate().filter_map(|(index, name)| {
            let all: Vec<f64> = own.iter().filter_map(|sample| sample.values[index]).collect();
            let least = all.iter().copied().min_by(f64::total_cmp)?;
            let greatest = all.iter().copied().max_by(f64::total_cmp)?;
            Some((*name, least, all.iter().sum::<f64>() / all.len() as f64, greatest))
        });
        Summary { device, samples: own.len(), values: values.collect() }
    };
    devices.into_iter().map(summary).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_nvidia_smi_are_read_and_others_are_not() {
        let read = sample(1.5, "1, 1980, 2619, 41, 310.25, 97, 70123").unwrap();
        assert_eq!((read.at, read.device), (1.5, 1));
        assert_eq!(read.values, [1980.0, 2619.0, 41.0, 310.25, 97.0, 70123.0].map(Some));
        let some = sample(0.0, "0, 210, [N/A], 30, [Not Supported], 0, 4").unwrap();
        assert_eq!((some.values[1], some.values[3], some.values[5]), (None, None, Some(4.0)));
        assert_eq!(sample(0.0, "NVIDIA-SMI has failed"), None);
        assert_eq!(sample(0.0, "0, 1, 2"), None);
    }

    #[test]
    fn devices_have_extremes_of_their_own() {
        let of = |device, value| DeviceSample {
            at: 0.0,
            device,
            values: [Some(value), None, None, None, None, None],
        };
        let found = summaries(&[of(1, 5.0), of(0, 1.0), of(1, 9.0)]);
        assert_eq!(
            found.iter().map(|of| (of.device, of.samples)).collect::<Vec<_>>(),
            [(0, 1), (1, 2)]
        );
        assert_eq!(found[1].values, [(VALUES[0], 5.0, 7.0, 9.0)]);
    }
}
