//! Files and the printing of standard forms.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::io::{self, Write};
use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

use serde_json::{Value, json};
use traceloom_codegen::whole;

use super::Failure;

/// Prints a line to standard output. [`finish`] reports a failure, so that a command does not
/// stop halfway.
macro_rules! say {
    ($($arg:tt)*) => { $crate::cli::output::print(format_args!($($arg)*)) };
}
pub(super) use say;

/// The first line that could not be printed.
static FAILED: OnceLock<io::Error> = OnceLock::new();

thread_local! {
    /// What this thread would have printed, while it is kept.
    static KEPT: RefCell<Option<Printed>> = const { RefCell::new(None) };
}

/// What is printed, and where.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mode {
    /// One JSON object on standard output, and no text.
    pub json: bool,
    /// Errors only.
    pub quiet: bool,
    /// Standard output is a file of the command, so that text goes to standard error.
    pub is_taken: bool,
}

thread_local! {
    static MODE: Cell<Mode> = const { Cell::new(Mode { json: false, quiet: false, is_taken: false }) };
    /// The result of the command as JSON.
    static RESULT: RefCell<Option<Value>> = const { RefCell::new(None) };
    /// Lines that `--json` did not print.
    static LINES: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// Sets what the commands of this thread print.
pub(super) fn set_mode(mode: Mode) {
    MODE.set(mode);
    RESULT.take();
    LINES.take();
}

/// What the commands of this thread print.
pub(super) fn mode() -> Mode {
    MODE.get()
}

/// Keeps the result of the command for `--json`. A later one replaces it.
pub(super) fn result(value: Value) {
    RESULT.set(Some(value));
}

/// The result that was kept; of a command that keeps none, the lines of its text.
pub(super) fn take_result() -> Option<Value> {
    let lines = LINES.take();
    RESULT.take().or_else(|| (!lines.is_empty()).then(|| json!({ "lines": lines })))
}

/// Whether a path stands for standard output.
pub(super) fn is_stdout(path: &Path) -> bool {
    path == Path::new("-")
}

/// What a command prints.
#[derive(Default)]
pub(super) struct Printed {
    /// On standard output.
    pub out: String,
    /// On standard error.
    pub err: String,
}

/// Runs `command`; what it prints on this thread is kept and not printed.
pub(super) fn kept<T>(command: impl FnOnce() -> T) -> (T, Printed) {
    /// Ends the keeping also where the command panics.
    struct End;
    impl Drop for End {
        fn drop(&mut self) {
            KEPT.set(None);
        }
    }
    KEPT.set(Some(Printed::default()));
    let _end = End;
    let done = command();
    (done, KEPT.take().unwrap_or_default())
}

/// Appends `text` to what is kept, if anything is. Returns whether it did.
fn is_kept(text: fmt::Arguments<'_>, place: impl FnOnce(&mut Printed) -> &mut String) -> bool {
    KEPT.with_borrow_mut(|kept| {
        let Some(printed) = kept else { return false };
        // Text can always be added to a string.
        let _ = fmt::Write::write_fmt(place(printed), text);
        true
    })
}

/// Prints a line to standard output; see [`say!`].
pub(super) fn print(line: fmt::Arguments<'_>) {
    let mode = MODE.get();
    if mode.json {
        LINES.with_borrow_mut(|lines| lines.push(line.to_string()));
        return;
    }
    if mode.quiet {
        return;
    }
    if mode.is_taken {
        tell(format_args!("{line}\n"));
        return;
    }
    print_always(line);
}

/// Prints a line to standard output, whatever is asked for.
pub(super) fn print_always(line: fmt::Arguments<'_>) {
    if !is_kept(format_args!("{line}\n"), |printed| &mut printed.out) {
        keep(writeln!(io::stdout(), "{line}"));
    }
}

/// Whether what this thread prints is kept.
pub(super) fn is_keeping() -> bool {
    KEPT.with_borrow(Option::is_some)
}

/// Writes to standard error. If that fails, there is no other place to report it.
pub(super) fn tell(text: fmt::Arguments<'_>) {
    if !is_kept(text, |printed| &mut printed.err) {
        let mut err = io::stderr();
        let _ = err.write_fmt(text).and_then(|()| err.flush());
    }
}

/// Fails if something could not be printed. A reader that has gone away (`| head`) is not an
/// error.
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

/// Writes a whole file: after a failure of any kind `path` is what it was before. `-` is standard
/// output.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    if is_stdout(path) {
        let mut out = io::stdout();
        return out.write_all(bytes).and_then(|()| out.flush()).map_err(|error| {
            Failure::Malformed(format!("cannot write to standard output: {error}"))
        });
    }
    check_place(path)?;
    // If the path is a link to a file, the file is written and the link stays.
    let real = path.canonicalize();
    whole::write(real.as_deref().unwrap_or(path), bytes)
        .map_err(|error| Failure::file("write", path, &error))
}

/// Checks that nothing at `path` forbids writing a file there.
pub fn check_place(path: &Path) -> Result<(), Failure> {
    // Renaming over a link to nothing would replace the link.
    if path.is_symlink() && !path.exists() {
        let error = io::Error::other("it is a link to a file that is not there; remove the link");
        return Err(Failure::file("write", path, &error));
    }
    // Renaming over a device or a folder would do something else than writing to it, and so
    // would renaming over a link to one.
    if path.metadata().is_ok_and(|found| !found.is_file()) {
        let error = io::Error::other("it is not a regular file; name another --out");
        return Err(Failure::file("write", path, &error));
    }
    Ok(())
}

/// A name of a program, without characters that a terminal would interpret.
pub fn plain(name: &str) -> String {
    name.escape_debug().to_string()
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
