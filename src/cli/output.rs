//! Files, progress and the printing of standard forms.

use std::fmt;
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use super::Failure;

/// Prints a line to standard output. What fails is told by [`finish`], so that a
/// command does not stop halfway for it.
macro_rules! say {
    ($($arg:tt)*) => { $crate::cli::output::print(format_args!($($arg)*)) };
}
pub(super) use say;

/// The first line that could not be printed.
static FAILED: OnceLock<io::Error> = OnceLock::new();

/// Prints a line to standard output; see [`say!`].
pub(super) fn print(line: fmt::Arguments<'_>) {
    keep(writeln!(io::stdout(), "{line}"));
}

/// Whether everything was printed. A reader that has gone away (`| head`) is no error.
pub fn finish() -> Result<(), Failure> {
    keep(io::stdout().flush());
    match FAILED.get() {
        Some(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::Malformed(format!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

fn keep(result: io::Result<()>) {
    if let Err(error) = result {
        // Only the first one counts.
        let _ = FAILED.set(error);
    }
}

/// Writes beside `path`, flushes to the disk and renames: after a failure of any
/// kind `path` is what it was before.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let failure = |error: io::Error| Failure::file("write", path, &error);
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    // Renaming over a device or a folder would do something else than writing to it.
    if path.symlink_metadata().is_ok_and(|found| !found.is_file() && !found.is_symlink()) {
        return Err(failure(io::Error::other("it is not a regular file; name another --out")));
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(".traceloom-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(folder).map_err(failure)?;
    file.write_all(bytes).map_err(failure)?;
    file.as_file().sync_all().map_err(failure)?;
    file.persist(path).map_err(|error| failure(error.error))?;
    // The rename itself is in the folder.
    let folder = File::open(folder).and_then(|folder| folder.sync_all());
    folder.map_err(failure)
}

/// Steps of a long command on standard error: rewritten in place on a terminal,
/// plain lines otherwise.
pub struct Progress {
    start: Instant,
    terminal: bool,
}

impl Progress {
    /// Starts the clock.
    pub fn new() -> Self {
        Self { start: Instant::now(), terminal: io::stderr().is_terminal() }
    }

    /// Names the step that begins now.
    pub fn step(&self, what: &str) {
        let mut err = io::stderr();
        let seconds = self.start.elapsed().as_secs_f64();
        let _ = match self.terminal {
            true => write!(err, "\r\x1b[K[{seconds:6.1} s] {what} …").and_then(|()| err.flush()),
            false => writeln!(err, "[{seconds:6.1} s] {what}"),
        };
    }

    /// Says what somebody should know, in a line of its own.
    pub fn note(&self, what: &str) {
        self.done();
        let _ = writeln!(io::stderr(), "note: {what}");
    }

    /// Ends the steps.
    pub fn done(&self) {
        if self.terminal {
            let mut err = io::stderr();
            let _ = write!(err, "\r\x1b[K").and_then(|()| err.flush());
        }
    }
}

/// Lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// `1.234 s` or `56 ms`.
pub fn seconds(duration: Duration) -> String {
    match duration.as_millis() {
        millis @ 0..1000 => format!("{millis} ms"),
        _ => format!("{:.2} s", duration.as_secs_f64()),
    }
}

/// `12.3 KiB` and the like.
pub fn size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} bytes"),
        1024..1_048_576 => format!("{:.1} KiB", bytes as f64 / 1024.0),
        _ => format!("{:.1} MiB", bytes as f64 / 1_048_576.0),
    }
}
