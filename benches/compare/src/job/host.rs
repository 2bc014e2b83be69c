//! Memory and load of the machine while a job runs.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::Instant;

use super::Settings;
use super::cgroup::{Group, number};
use crate::Error;
use crate::machine::load;
use crate::run::Running;

const COLUMNS: [&str; 3] = ["at_s", "bytes", "load"];

/// The job at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HostSample {
    /// Seconds since the job began.
    pub at: f64,
    /// Bytes of all its processes: of the capped group, else resident sets of its process group.
    pub bytes: Option<u64>,
    /// Load average of a minute.
    pub load: Option<f64>,
}

/// A thread that looks.
pub struct Host {
    stop: Sender<()>,
    thread: JoinHandle<Vec<HostSample>>,
}

impl Host {
    /// Starts to look. Samples are lines of `table` as they come.
    pub fn start(
        began: Instant,
        settings: &Settings,
        group: Option<&Group>,
        running: &Arc<Running>,
        table: &Path,
    ) -> Result<Self, Error> {
        let fault =
            |source| Error::Write { what: "samples of the host", path: table.to_owned(), source };
        let mut writer = csv::Writer::from_writer(File::create(table).map_err(fault)?);
        let header = writer.write_record(COLUMNS).map_err(std::io::Error::from);
        header.map_err(fault)?;
        let (every, running) = (settings.sample_every, Arc::clone(running));
        let now: Option<PathBuf> = group.map(Group::file_of_now);
        let (stop, stopped) = mpsc::channel::<()>();
        let look = move || {
            let mut samples = Vec::new();
            while stopped.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
                let bytes = match &now {
                    Some(file) => number(file),
                    // One that has ended has none.
                    None => running.group_id().map(resident).filter(|bytes| *bytes > 0),
                };
                let load = load().map(|averages| averages[0]);
                let sample = HostSample { at: began.elapsed().as_secs_f64(), bytes, load };
                let text = |value: Option<String>| value.unwrap_or_default();
                let (bytes, load) = (bytes.map(|of| of.to_string()), load.map(|of| of.to_string()));
                let line = [format!("{:.3}", sample.at), text(bytes), text(load)];
                // The samples are kept in memory as well; a full disk is told by the result.
                let _ = writer.write_record(line).map(|()| writer.flush());
                samples.push(sample);
            }
            samples
        };
        Ok(Self { stop, thread: std::thread::spawn(look) })
    }

    /// All samples in order.
    pub fn stop(self) -> Vec<HostSample> {
        drop(self.stop);
        self.thread.join().unwrap_or_default()
    }
}

/// Resident bytes of all processes of a group. Pages that they share count for each of them.
fn resident(group: i32) -> u64 {
    let Ok(processes) = fs::read_dir("/proc") else { return 0 };
    let folders = processes.flatten().filter(|entry| {
        entry.file_name().to_str().is_some_and(|name| name.bytes().all(|b| b.is_ascii_digit()))
    });
    let pages = folders.filter_map(|entry| {
        let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
        pages_of(&stat, group)
    });
    pages.sum::<u64>() * rustix::param::page_size() as u64
}

/// Resident pages of a process, if it is of this group. The name of a program stands in parentheses
/// and may contain anything.
fn pages_of(stat: &str, group: i32) -> Option<u64> {
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_whitespace();
    // State and parent come before the group; the resident set is field 24 of all.
    let is_of_group = fields.nth(2)?.parse::<i32>().ok()? == group;
    is_of_group.then(|| fields.nth(18)?.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::pages_of;

    #[test]
    fn resident_pages_are_those_of_the_group() {
        let stat =
            "77 (a ) b) S 1 42 42 0 -1 4194304 90 0 0 0 1 2 0 0 20 0 1 0 5 8192 333 1844 1 1";
        assert_eq!(pages_of(stat, 42), Some(333));
        assert_eq!(pages_of(stat, 43), None);
        assert_eq!(pages_of("77 (a", 42), None);
    }
}
