//! Warnings of programs: advice that nothing ties.

use serde_json::{Value, json};
use traceloom_runtime::session::Session;

use super::output::{mode, tell};

/// Prints the warnings of a program on standard error, and gives them for `--json`.
pub fn warn(session: &Session) -> Vec<Value> {
    let report = session.advice();
    if !mode().quiet {
        report.lines().for_each(|line| tell(format_args!("warning: {line}\n")));
    }
    let findings = report.findings.iter().map(|finding| {
        let step = |(place, what): &(String, String)| json!({ "place": place, "what": what });
        json!({
            "message": finding.message,
            "steps": finding.steps.iter().map(step).collect::<Vec<_>>(),
            "others": finding.others,
        })
    });
    let skipped = report.skipped.iter().map(|name| {
        json!({ "message": format!("{name:?} is too large to be searched"), "steps": [], "others": 0 })
    });
    findings.chain(skipped).collect()
}
