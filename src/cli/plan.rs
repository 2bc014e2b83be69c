//! `traceloom plan`.

use serde_json::json;
use traceloom_codegen::planned_each;
use traceloom_plan::inventory;
use traceloom_runtime::session::SessionError;

use super::output::{hex, result, say};
use super::{Failure, PlanArgs, source, warnings};

/// Prints what a row of every function and path costs; of a run also how many there
/// are.
pub fn run(args: &PlanArgs) -> Result<(), Failure> {
    let (options, profile) = (args.shards.options(), args.profile);
    options.check().map_err(SessionError::from)?;
    let args = &args.run;
    let session = source::session(args)?.profile(profile).shards(options).build()?;
    let warnings = warnings::warn(&session);
    let runs = args.input.is_some() || args.args.is_some() || !args.io.is_empty();
    let run = if runs { Some(session.plan(source::request(args)?)?) } else { None };
    let record = run.as_ref().map(|(run, _)| &run.execution.record);
    let (mut lines, mut num_functions) = (Vec::new(), 0);
    let (plan, digest) = planned_each(session.program(), |function| {
        lines.extend(inventory::function_lines(&function, record));
        num_functions += 1;
    })
    .map_err(|faults| Failure::Refused(format!("{}: {faults}", args.program.display())))?;
    say!("fingerprint {}", hex(&plan.fingerprint));
    say!("unit digest {}", hex(&digest));
    say!("{}", inventory::table_of(&lines, num_functions).trim_end());
    if let Some((_, planned)) = &run {
        say!("{}", planned.table(session.system()).trim_end());
    }
    let lines = lines.into_iter().map(|line| {
        json!({
            "function": line.function,
            "path": line.path,
            "columns": line.width,
            "canonical_seed_bytes": line.canonical_bytes,
            "typed_seed_bytes": line.typed_bytes,
            "reads": line.reads,
            "rows": line.rows,
        })
    });
    result(json!({
        "fingerprint": hex(&plan.fingerprint),
        "unit_digest": hex(&digest),
        "warnings": warnings,
        "paths": lines.collect::<Vec<_>>(),
        "shards": run.as_ref().map(|(_, planned)| planned.plan.shards.len()),
        "peak_memory_bytes": run.as_ref().map(|(_, planned)| planned.estimate.peak().to_string()),
    }));
    Ok(())
}
