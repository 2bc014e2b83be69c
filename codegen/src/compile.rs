//! The whole generator on one screen: bytecode, plan, verify, text.

use std::collections::BTreeMap;

use traceloom_bytecode::CheckedProgram;

use crate::digest::{input_digest, unit_digest};
use crate::mangle::escape;
use crate::plan::{ProgramPlan, plan_program};
use crate::units::MARK;
use crate::verify::{PlanFaults, verify};
use crate::{json, rust};

/// Everything generated for one program.
#[derive(Clone, Debug)]
pub struct Unit {
    /// The plan behind it.
    pub plan: ProgramPlan,
    /// Unit digest.
    pub digest: [u8; 32],
    /// Input digest: of the program with its names, and of the generator.
    pub input: [u8; 32],
    /// Text by file name: `mod.rs`, `SYMBOL.rs` per function, `plan.json`.
    pub files: BTreeMap<String, String>,
}

/// Generates everything for `program`; a function of the program alone.
///
/// # Errors
/// [`PlanFaults`] if the plan breaks its own invariants: our fault.
pub fn compile(program: &CheckedProgram) -> Result<Unit, PlanFaults> {
    let plan = plan_program(program);
    verify(program, &plan)?;
    let digest = unit_digest(&plan);
    let input = input_digest(program.program());
    let mut files = BTreeMap::new();
    for function in &plan.functions {
        let what = format!("function {}.", escape(&function.name));
        let text = header(&plan, &what) + &rust::function_file(function);
        files.insert(format!("{}.rs", function.symbol), text);
    }
    let what = format!("all functions.\n// Input {}", json::hex(&input));
    let text = header(&plan, &what) + &rust::registry(&plan, &digest);
    files.insert("mod.rs".into(), text);
    files.insert("plan.json".into(), json::program(&plan, &digest));
    Ok(Unit { plan, digest, input, files })
}

/// First lines of every emitted file.
#[must_use]
pub fn header(plan: &ProgramPlan, what: &str) -> String {
    let fingerprint = json::hex(&plan.fingerprint);
    let name = escape(&plan.name);
    format!(
        "{MARK}; do not edit.\n\
         // Program {name}, {what}\n\
         // Fingerprint {fingerprint}\n\n"
    )
}
