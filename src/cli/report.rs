//! `traceloom report`.

use serde_json::{Value, json};

use super::output::{check_place, is_stdout, result, say, write_whole};
use super::{Failure, ReportArgs};
use crate::html;

/// Writes the page of a report.
pub fn run(args: &ReportArgs) -> Result<(), Failure> {
    if !is_stdout(&args.html) {
        check_place(&args.html)?;
    }
    let name = args.file.display();
    let text =
        std::fs::read(&args.file).map_err(|error| Failure::file("read", &args.file, &error))?;
    let report: Value = serde_json::from_slice(&text)
        .map_err(|error| Failure::Malformed(format!("{name} is no JSON: {error}")))?;
    let page =
        html::page(&report).map_err(|error| Failure::Malformed(format!("{name}: {error}")))?;
    write_whole(&args.html, page.as_bytes())?;
    say!("page of {name} in {}", args.html.display());
    result(json!({ "out": args.html.display().to_string() }));
    Ok(())
}
