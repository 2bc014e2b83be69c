//! A profile as a flamegraph: call stacks, the outermost function below, operations at the ends.

use inferno::flamegraph::{Options, from_lines};
use traceloom_runtime::profile::Profile;

use crate::cli::Unit;

/// The drawing as SVG.
///
/// # Errors
/// Where nothing has this cost.
pub fn graph(profile: &Profile, title: &str, by: Unit) -> Result<Vec<u8>, String> {
    let lines = lines(profile, by);
    if lines.is_empty() {
        return Err(format!("there is no flamegraph by {}: nothing has any", by.name()));
    }
    let mut options = Options::default();
    options.title = title.to_owned();
    options.count_name = match by {
        Unit::Seconds => "µs".into(),
        other => other.name().into(),
    };
    // The same drawing of the same profile.
    options.deterministic = true;
    let mut svg = Vec::new();
    from_lines(&mut options, lines.iter().map(String::as_str), &mut svg)
        .map_err(|error| format!("cannot draw the flamegraph: {error}"))?;
    Ok(svg)
}

/// A line per stack, as inferno reads them: frames between semicolons, then a number. Seconds are
/// whole microseconds.
fn lines(profile: &Profile, by: Unit) -> Vec<String> {
    let line = |entry: &traceloom_runtime::profile::Entry| {
        let number = match by {
            Unit::Seconds => (1e6 * entry.cost.seconds).round(),
            other => other.of(&entry.cost),
        };
        let frames = entry.stack.iter().chain([&entry.operation]).map(|name| frame(name));
        let frames = frames.collect::<Vec<_>>().join(";");
        (number > 0.0).then(|| format!("{frames} {number}"))
    };
    let mut lines: Vec<String> = profile.entries.iter().filter_map(line).collect();
    // Stacks that begin alike have to follow each other.
    lines.sort_unstable();
    lines
}

/// A name without what would end a frame or a line: a number behind a space would be read as one
/// more figure. inferno escapes the rest for XML.
fn frame(name: &str) -> String {
    name.escape_debug().to_string().replace(';', ":").replace(' ', "\u{a0}")
}
