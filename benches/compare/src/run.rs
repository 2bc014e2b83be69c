//! One measured run of one command.
//!
//! Every command gets a process group of its own, so that a timeout ends all that it has
//! started. The time of the processor and the peak of memory come from `wait4`: they are
//! those of the process and of every descendant that was waited for.

use std::fmt;
use std::fs::File;
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};
use serde::Serialize;
use wait4::Wait4;

use crate::command::Command;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Exit status 0.
    Done,
    /// Another exit status.
    Exit(i32),
    /// A signal ended it.
    Signal(i32),
    /// It ran longer than allowed and was killed.
    TimedOut,
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            State::Done => f.write_str("ended with exit status 0"),
            State::Exit(status) => write!(f, "ended with exit status {status}"),
            State::Signal(signal) => write!(f, "was ended by signal {signal}"),
            State::TimedOut => f.write_str("ran longer than --timeout allows and was killed"),
        }
    }
}

impl State {
    /// One word for tables: `ok`, `exit-3`, `signal-9`, `timeout`.
    pub fn word(self) -> String {
        match self {
            State::Done => "ok".to_owned(),
            State::Exit(status) => format!("exit-{status}"),
            State::Signal(signal) => format!("signal-{signal}"),
            State::TimedOut => "timeout".to_owned(),
        }
    }
}

impl Serialize for State {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.word())
    }
}

/// What one run took.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Measured {
    /// Seconds from just before the start to the end of the process.
    pub wall: f64,
    /// Seconds of processor time in user mode.
    pub user: f64,
    /// Seconds of processor time in the kernel.
    pub system: f64,
    /// Bytes: the greatest resident set of any one process of the run, not their sum.
    pub peak_bytes: u64,
    /// How it ended.
    pub state: State,
    /// Whether processes of its group ran on after it. They were killed, and what they
    /// took is in none of the figures.
    pub left_behind: bool,
}

impl Measured {
    /// Seconds of processor time, user and system.
    pub fn processor(&self) -> f64 {
        self.user + self.system
    }
}

/// The process group that runs now, for whoever has to kill it from another thread.
#[derive(Debug, Default)]
pub struct Running {
    // A process id stays taken until its process is waited for, and it is removed here
    // before that: what is in here can be killed without hitting a stranger.
    group: Mutex<Option<Pid>>,
    interrupted: AtomicBool,
}

impl Running {
    /// Kills what runs now and keeps anything else from starting. Returns whether this was
    /// asked for before.
    pub fn interrupt(&self) -> bool {
        let before = self.interrupted.swap(true, Ordering::SeqCst);
        self.kill();
        before
    }

    /// The process group that runs now.
    pub fn group_id(&self) -> Option<i32> {
        self.group().map(|group| group.as_raw_nonzero().get())
    }

    /// Whether [`Running::interrupt`] was called.
    pub fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::SeqCst)
    }

    fn kill(&self) {
        if let Some(group) = *self.group() {
            kill_group(group);
        }
    }

    fn group(&self) -> std::sync::MutexGuard<'_, Option<Pid>> {
        self.group.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs `command` to its end, with standard input empty and the given files for its output.
/// Without a file for standard output it is thrown away.
///
/// # Errors
/// Those of the system: the program cannot be started or waited for.
pub fn run(
    command: &Command,
    stdout: Option<File>,
    stderr: File,
    timeout: Option<Duration>,
    running: &Running,
) -> io::Result<Measured> {
    let mut process = std::process::Command::new(&command.program);
    process
        .arg0(&command.words[0])
        .args(&command.words[1..])
        .envs(command.environment.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::null())
        .stdout(stdout.map_or_else(Stdio::null, Stdio::from))
        .stderr(stderr)
        .process_group(0);
    let (mut child, started) = start(&mut process, running)?;
    let group = pid(&child)?;
    let (ended, timed_out) = await_end(group, timeout, running);
    *running.group() = None;
    let wall = match ended {
        Ok(end) => end.duration_since(started),
        Err(error) => {
            kill_group(group);
            return Err(error);
        }
    };
    let used = child.wait4()?;
    // The leader is gone: whoever is in its group now was left behind.
    let left_behind = rustix::process::test_kill_process_group(group).is_ok();
    if left_behind {
        kill_group(group);
    }
    Ok(Measured {
        wall: wall.as_secs_f64(),
        user: used.rusage.utime.as_secs_f64(),
        system: used.rusage.stime.as_secs_f64(),
        peak_bytes: used.rusage.maxrss,
        state: if timed_out { State::TimedOut } else { state(used.status) },
        left_behind,
    })
}

/// Starts a process unless somebody interrupted, and notes its group.
fn start(process: &mut std::process::Command, running: &Running) -> io::Result<(Child, Instant)> {
    // Held while it starts, so that an interruption finds it or prevents it.
    let mut group = running.group();
    if running.is_interrupted() {
        return Err(io::ErrorKind::Interrupted.into());
    }
    let started = Instant::now();
    let child = process.spawn()?;
    *group = Some(pid(&child)?);
    Ok((child, started))
}

/// Waits until the process has ended, says when, and leaves it to be waited for again.
/// Kills its group after `timeout`, and says whether it did.
fn await_end(
    pid: Pid,
    timeout: Option<Duration>,
    running: &Running,
) -> (io::Result<Instant>, bool) {
    let wait = || {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        rustix::io::retry_on_intr(|| rustix::process::waitid(WaitId::Pid(pid), options))?;
        Ok(Instant::now())
    };
    let Some(timeout) = timeout else { return (wait(), false) };
    let (ended, watch) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let watch = move || {
            let late = watch.recv_timeout(timeout) == Err(RecvTimeoutError::Timeout);
            if late {
                running.kill();
            }
            late
        };
        let watchdog = match std::thread::Builder::new().spawn_scoped(scope, watch) {
            Ok(watchdog) => watchdog,
            Err(error) => return (Err(error), false),
        };
        let result = wait();
        drop(ended);
        (result, watchdog.join().unwrap_or(false))
    })
}

fn pid(child: &Child) -> io::Result<Pid> {
    let id = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    id.ok_or_else(|| io::Error::other("the system gave an impossible process id"))
}

fn kill_group(group: Pid) {
    // It fails if all of the group have ended, which is what was wanted.
    let _ = rustix::process::kill_process_group(group, Signal::KILL);
}

fn state(status: ExitStatus) -> State {
    match (status.code(), status.signal()) {
        (Some(0), _) => State::Done,
        (Some(code), _) => State::Exit(code),
        (None, signal) => State::Signal(signal.unwrap_or(0)),
    }
}
