//! Execution by emitted executors, with the interpreter behind them.
//!
//! An executor that stops does not say why. Then everything is run again by the
//! interpreter, from the claims and from the io as it was given, and that run's end is the
//! end: so an error, its place, and the count at which a limit was met are the interpreter's
//! by construction. What was reported before is not reported again.

use traceloom_abi::execute::{
    self as emitted, DebugPlace, FunctionExecutor, Hooks as EmittedHooks, Stop,
};
use traceloom_abi::io::Io;
use traceloom_air::claim::{Claim, RankedClaim};
use traceloom_air::field::element;

use super::machine::{FRAME_BYTES, check_claim, check_io};
use super::ops::print;
use super::{
    DebugHook, DebugLine, ExecuteError, Execution, Hooks, Limits, ProgressHook, Stats, execute_with,
};
use crate::check::CheckedProgram;
use crate::model::{FunctionId, Op};

/// An execution for which executors were used.
#[derive(Clone, Debug)]
pub struct Generated {
    /// What it leaves behind.
    pub execution: Execution,
    /// Whether the executors stopped and the interpreter ran it instead: near a limit they
    /// may stop before it.
    pub was_interpreted: bool,
}

/// Runs `claims` as [`execute_with`] does, with the executors of `program`: the same record,
/// the same errors. `executors` are of this program, which its unit's binding has compared.
///
/// # Errors
/// As [`execute_with`].
pub fn execute_generated(
    program: &CheckedProgram,
    executors: &'static [FunctionExecutor],
    claims: &[(FunctionId, Vec<u64>)],
    io: Io,
    limits: &Limits,
    mut hooks: Hooks<'_>,
) -> Result<Generated, ExecuteError> {
    check_io(&io)?;
    let mark = io.mark();
    let mut said = Said::default();
    match run(program, executors, claims, io, limits, &mut hooks, &mut said) {
        Ok(execution) => Ok(Generated { execution, was_interpreted: false }),
        Err(mut io) => {
            io.restore(&mark);
            let execution = interpret(program, claims, io, limits, hooks, said)?;
            Ok(Generated { execution, was_interpreted: true })
        }
    }
}

/// What was reported.
#[derive(Clone, Copy, Debug, Default)]
struct Said {
    lines: u64,
    reports: u64,
}

/// Runs the executors; if they stop, only the io is left.
fn run(
    program: &CheckedProgram,
    executors: &'static [FunctionExecutor],
    claims: &[(FunctionId, Vec<u64>)],
    io: Io,
    limits: &Limits,
    hooks: &mut Hooks<'_>,
    said: &mut Said,
) -> Result<Execution, Io> {
    let Said { lines, reports } = said;
    let debug = &mut hooks.debug;
    let mut print_line = |place: DebugPlace, values: &[u64]| {
        *lines += 1;
        if let Some(line) = debug_line(program, place, values) {
            print(debug, line);
        }
    };
    let mut progress = hooks.progress.as_mut().map(|(every, hook)| ((*every).max(1), hook));
    let every = progress.as_ref().map_or(0, |(every, _)| *every);
    let mut report = |stats: &Stats| {
        *reports += 1;
        if let Some((_, hook)) = &mut progress {
            hook(stats);
        }
    };
    let hooks = EmittedHooks { debug: &mut print_line, every, progress: &mut report };
    let widths = program.program().memory_sizes.iter().map(|&width| width as usize);
    let mut machine = emitted::Machine::new(executors, widths, io, limits, FRAME_BYTES, hooks);
    let ranked: Result<Vec<_>, Stop> = claims
        .iter()
        .enumerate()
        .map(|(index, (function, args))| claim(program, &mut machine, index, *function, args))
        .collect();
    let (record, stats) = machine.into_record();
    match ranked {
        Ok(claims) => Ok(Execution { claims, record, stats }),
        Err(Stop) => Err(record.io),
    }
}

fn claim(
    program: &CheckedProgram,
    machine: &mut emitted::Machine<'_>,
    index: usize,
    function: FunctionId,
    args: &[u64],
) -> Result<RankedClaim, Stop> {
    check_claim(program, index, function, args).map_err(|_| Stop)?;
    let outputs = machine.claim(function.0, args)?;
    let table = &machine.record().functions[function.index()];
    let rank = match program.layout(function).ranked {
        true => Some(table.rank(table.find(args).ok_or(Stop)?)),
        false => None,
    };
    let [inputs, outputs] =
        [args, &outputs[..]].map(|words| words.iter().map(|&word| element(word)).collect());
    Ok(RankedClaim { claim: Claim { function: function.0, inputs, outputs }, rank })
}

fn debug_line<'a>(
    program: &'a CheckedProgram,
    place: DebugPlace,
    values: &'a [u64],
) -> Option<DebugLine<'a>> {
    let function = program.program().functions.get(place.function as usize)?;
    let block = function.blocks.get(place.block as usize)?;
    match block.ops.get(place.op as usize)? {
        Op::Debug { label, .. } => Some(DebugLine { function: &function.name, label, values }),
        _ => None,
    }
}

/// Runs the interpreter, and keeps what was reported to itself.
fn interpret(
    program: &CheckedProgram,
    claims: &[(FunctionId, Vec<u64>)],
    io: Io,
    limits: &Limits,
    hooks: Hooks<'_>,
    mut said: Said,
) -> Result<Execution, ExecuteError> {
    let (mut debug, progress) = (hooks.debug, hooks.progress);
    let mut print_line = |line: DebugLine<'_>| match said.lines {
        0 => print(&mut debug, line),
        _ => said.lines -= 1,
    };
    let every = progress.as_ref().map(|(every, _)| *every);
    let mut progress = progress.map(|(_, hook)| hook);
    let mut report = |stats: &Stats| match (said.reports, &mut progress) {
        (0, Some(hook)) => hook(stats),
        _ => said.reports = said.reports.saturating_sub(1),
    };
    let hooks = Hooks {
        debug: Some(&mut print_line as DebugHook<'_>),
        progress: every.map(|every| (every, &mut report as ProgressHook<'_>)),
        calls: None,
    };
    execute_with(program, claims, io, limits, hooks)
}
