//! `traceloom plan`.

use serde_json::json;
use traceloom_codegen::planned_each;
use traceloom_plan::inventory;
use traceloom_runtime::machine::Machine;
use traceloom_runtime::session::{Session, SessionError};

use super::output::{hex, result, say, size};
use super::{Failure, PlanArgs, RunArgs, source, warnings};

/// Prints what a row of every function and path costs; of a run also how many there
/// are.
pub fn run(args: &PlanArgs) -> Result<(), Failure> {
    let (options, profile) = (args.shards.options(), args.profile);
    options.check().map_err(SessionError::from)?;
    let args = &args.run;
    let session = source::session(args)?.profile(profile).shards(options).build()?;
    let warnings = warnings::warn(&session);
    let runs = args.input.is_some() || args.args.is_some() || !args.io.is_empty();
    if let Some(machine) = session.machine() {
        return of_guest(&session, machine, args);
    }
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

/// Prints what a row of every table costs, how many rows a run of a guest has, and the shards of
/// its proof.
fn of_guest(session: &Session, machine: &dyn Machine, args: &RunArgs) -> Result<(), Failure> {
    let (executed, planned) = session.plan(source::request(args)?)?;
    let (tables, record) = (machine.tables(), &executed.execution.record);
    say!("fingerprint {}", hex(&session.fingerprint()));
    say!("{:>12} {:>8} {:>10} {:>12}  table", "rows", "columns", "seed bytes", "of row bytes");
    let plan = tables.plan();
    let (mut lines, mut sums) = (Vec::new(), [0_u64; 2]);
    for (index, table) in tables.tables().iter().enumerate() {
        let rows = record.ops[tables.rows_index(index)].len() as u64;
        let seed = u64::from(plan.functions[tables.rows_index(index)].paths[0].schema.stride);
        let row = 8 * table.columns.len() as u64;
        let columns = table.columns.len();
        say!("{rows:>12} {columns:>8} {seed:>10} {row:>12}  {}", table.name);
        sums = [sums[0] + rows * seed, sums[1] + rows * row];
        lines.push(json!({
            "table": table.name,
            "rows": rows,
            "columns": table.columns.len(),
            "fixed_columns": table.fixed.len(),
            "seed_bytes": seed,
            "row_bytes": row,
        }));
    }
    say!(
        "{} instructions: {} of seeds make {} of rows",
        executed.execution.stats.steps,
        size(sums[0]),
        size(sums[1])
    );
    say!("{}", planned.table(session.system()).trim_end());
    result(json!({
        "fingerprint": hex(&session.fingerprint()),
        "steps": executed.execution.stats.steps,
        "tables": lines,
        "shards": planned.plan.shards.len(),
        "peak_memory_bytes": planned.estimate.peak().to_string(),
    }));
    Ok(())
}
