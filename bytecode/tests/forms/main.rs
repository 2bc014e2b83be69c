//! The forms of a program: what one writes the other reads, and nothing else
//! is read.

mod deep;
mod import;
mod json;
mod numbers;
mod places;
mod samples;
mod text;

/// Compares with a snapshot; on mismatch prints what to paste.
fn assert_snapshot(actual: &str, expected: &str) {
    assert_eq!(actual.trim_end(), expected.trim_end(), "\n--- actual ---\n{actual}\n---");
}

/// The example in a module's documentation.
fn documented(module: &str, language: &str) -> String {
    let lines = module.lines().skip_while(|line| *line != format!("//! ```{language}"));
    let lines = lines.skip(1).take_while(|line| *line != "//! ```");
    let content = |line: &str| {
        let line = line.trim_start_matches("//!");
        line.strip_prefix(' ').unwrap_or(line).to_string() + "\n"
    };
    lines.map(content).collect()
}
