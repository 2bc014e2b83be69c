//! The whole generator on one screen: a front end's plan, verify, text.

use std::collections::BTreeMap;

use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::contract::contract_digest;
use traceloom_bytecode::lower::{contract, draft_program, plan_program};
use traceloom_bytecode::model::FunctionId;
use traceloom_optables::TableProgram;
use traceloom_plan::names::{Ident, escape, rust_file};
use traceloom_plan::verify::Verification;
use traceloom_plan::{Contract, FunctionPlan, PlanFaults, ProgramPlan, hex, json, verify};

use crate::cuda::writer::row_writers;
use crate::digest::{UnitDigest, input_digest, unit_digest};
use crate::executor;
use crate::rust;
use crate::rust::Registry;
use crate::units::MARK;

/// Everything generated for one program.
#[derive(Clone, Debug)]
pub struct Unit {
    /// The plan behind it.
    pub plan: ProgramPlan,
    /// The program in symbols and file names of device code.
    pub symbol: Ident,
    /// Unit digest.
    pub digest: [u8; 32],
    /// Input digest: of the program with its names, and of the generator.
    pub input: [u8; 32],
    /// Text by file name: `mod.rs`; `execute.rs`; `SYMBOL.rs`, `UNIT_SYMBOL.cuh` and `UNIT_SYMBOL.cu`
    /// per function; `UNIT.cu`; `plan.json`.
    pub files: BTreeMap<String, String>,
}

/// What is decided for one program before any text is made of it.
#[derive(Clone, Debug)]
pub struct Planned {
    /// The verified plan.
    pub plan: ProgramPlan,
    /// Unit digest.
    pub digest: [u8; 32],
}

/// Plans `program`; a function of the program alone.
///
/// # Errors
/// [`PlanFaults`] if the plan breaks its own invariants: our fault.
pub fn planned(program: &CheckedProgram) -> Result<Planned, PlanFaults> {
    let mut functions = Vec::new();
    let (head, digest) = planned_each(program, |function| functions.push(function))?;
    Ok(Planned { plan: ProgramPlan { functions, ..head }, digest })
}

/// Plans `program`, gives each plan to `each` and keeps none: the memory is that of one
/// function's plan. Returns the plan of the program without its functions, and the unit digest.
///
/// # Errors
/// As [`planned`]; `each` has seen all plans then.
pub fn planned_each(
    program: &CheckedProgram,
    mut each: impl FnMut(FunctionPlan),
) -> Result<(ProgramPlan, [u8; 32]), PlanFaults> {
    let contract = contract(program);
    let mut verification = Verification::new(&contract);
    let mut digest = UnitDigest::new(program);
    let head = draft_program(program).finish_each(|function| {
        verification.function(&function);
        digest.function(&function);
        each(function);
    });
    verification.end(&head.name)?;
    Ok((head, digest.finish()))
}

/// What a front end hands over for a unit.
#[derive(Clone, Debug)]
pub struct Front {
    /// The plan, not verified yet.
    pub plan: ProgramPlan,
    /// What it must agree with.
    pub contract: Contract,
    /// Contract digests of the functions of the plan, in its order.
    pub digests: Vec<[u8; 32]>,
    /// Input digest: of everything that the files are made from.
    pub input: [u8; 32],
    /// Text of the executors, without its header; none if the front end executes nothing.
    pub executors: Option<String>,
}

/// Generates everything for `program`; a function of the program alone.
///
/// # Errors
/// As [`planned`].
pub fn compile(program: &CheckedProgram) -> Result<Unit, PlanFaults> {
    let plan = plan_program(program);
    let functions = plan.functions.iter().map(|function| FunctionId(function.function));
    let digests = functions.map(|id| contract_digest(program, id)).collect();
    compile_front(Front {
        plan,
        contract: contract(program),
        digests,
        input: input_digest(program.program()),
        executors: Some(executor::program_file(program)),
    })
}

/// Generates everything for a program of op tables; a function of the tables alone.
///
/// # Errors
/// As [`planned`].
pub fn compile_tables(program: &TableProgram) -> Result<Unit, PlanFaults> {
    compile_front(Front {
        plan: program.plan(),
        contract: program.contract(),
        digests: program.contract_digests(),
        input: program.input_digest(),
        executors: None,
    })
}

/// Generates everything for what a front end hands over; a function of that alone.
///
/// # Errors
/// As [`planned`].
pub fn compile_front(front: Front) -> Result<Unit, PlanFaults> {
    let Front { plan, contract, digests, input, executors } = front;
    verify(&contract, &plan)?;
    let digest = unit_digest(&plan);
    let unit = plan.unit();
    let mut files = BTreeMap::new();
    for (function, contract) in plan.functions.iter().zip(&digests) {
        let what = format!("function {}.", escape(&function.name));
        let text = rust::function_file(&unit, function, contract);
        let text = header(&banner(&plan, &what)) + &text;
        files.insert(rust_file(&function.symbol), text);
    }
    let has_executors = executors.is_some();
    if let Some(text) = executors {
        files.insert(executor::FILE.into(), header(&banner(&plan, "executors.")) + &text);
    }
    let device = row_writers(&plan, &unit, &digest);
    let sources: Vec<String> = device.iter().map(|file| file.name.clone()).collect();
    files.extend(device.into_iter().map(|file| (file.name, file.text)));
    let mut banner = banner(&plan, "everything.");
    banner.push(format!("Input {}", hex(&input)));
    let registry =
        Registry { plan: &plan, unit: &unit, digest: &digest, sources: &sources, has_executors };
    files.insert("mod.rs".into(), header(&banner) + &registry.text());
    files.insert("plan.json".into(), json::program(&plan, &digest));
    Ok(Unit { plan, symbol: unit, digest, input, files })
}

/// First lines of every emitted file, without comment signs.
#[must_use]
pub fn banner(plan: &ProgramPlan, what: &str) -> Vec<String> {
    let mark = MARK.trim_start_matches("// ");
    vec![
        format!("{mark}; do not edit."),
        format!("Program {}, {what}", escape(&plan.name)),
        format!("Fingerprint {}", hex(&plan.fingerprint)),
    ]
}

/// The banner of a file of Rust, and an empty line.
fn header(banner: &[String]) -> String {
    let lines: String = banner.iter().map(|line| format!("// {line}\n")).collect();
    lines + "\n"
}
