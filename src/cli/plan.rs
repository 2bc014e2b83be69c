//! `traceloom plan`.

use traceloom_codegen::planned;
use traceloom_plan::inventory;

use super::output::{hex, say};
use super::{Failure, RunArgs, source};

/// Prints what a row of every function and path costs; of a run also how many there
/// are.
pub fn run(args: &RunArgs) -> Result<(), Failure> {
    let session = source::session(args)?.build()?;
    let unit = planned(session.program())
        .map_err(|faults| Failure::Refused(format!("{}: {faults}", args.program)))?;
    let runs = args.input.is_some() || args.args.is_some();
    let run = if runs { Some(session.execute(source::request(args)?)?) } else { None };
    let record = run.as_ref().map(|run| &run.execution.record);
    say!("fingerprint {}", hex(&unit.plan.fingerprint));
    say!("unit digest {}", hex(&unit.digest));
    say!("{}", inventory::table(&unit.plan, record).trim_end());
    Ok(())
}
