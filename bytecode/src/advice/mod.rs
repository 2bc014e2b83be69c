//! Advice that nobody checks.
//!
//! The results of hints, of io reads and of unconstrained calls are columns that a prover fills as
//! it likes. A program that returns one of them, calls a function with it, stores it or chooses a
//! branch by it, and has no constraint that ties it, has valid proofs of false outputs.
//! [`analyse`] finds such values by following them through a program, from function to function.
//! It is a check of programs, not of proofs: no verifier depends on it.
//!
//! What ties a value depends on where it comes from:
//!
//! - *Free* advice is anybody's choice, and what a proof says is that there is some: results of
//!   `io_read`, `io_get_info`, `call_unconstrained` and `hint_biguint_div_rem`, and what is loaded
//!   behind a pointer that is free itself. Any check of it is enough: an operand of a byte
//!   operation, of `u8_range_check` or of `u32_less_than`, a value that is asserted, a case of a
//!   match; also in a function that it is passed to, if that function checks it on every path.
//! - *Computed* advice is meant to be what it computes: `hint_u32_add`, `hint_u32_add3`,
//!   `hint_field_to_bytes`, `hint_inverse`. A bound is not enough, it must be part of an equation:
//!   an assertion, a case of a match, or a bound of an expression with other values in it, such as
//!   a carry. An equation ties a hint if it holds no other hint that is not tied, or if all its
//!   hints are bounded: bytes of a sum are unique only if they are bytes.
//!
//! A check counts for a use if it stands on every path through that use, before or after it.
//!
//! What the analysis cannot see:
//!
//! - whether an equation has one solution: `a + b = 7` with two bytes counts for both, eight bytes
//!   of a word may be those of the word plus p, and `a · x = b` says nothing of x if a is zero;
//! - whether a check is the right one: free advice that is only bounded stays free within its bound,
//!   and a match whose cases are 0 and 1 leaves the choice between them to the prover;
//! - what lies in memory: a loaded value is judged by its pointer alone, and what is stored is
//!   judged where it is stored;
//! - functions that are too large for the work that one program may cost ([`Report::skipped`]).
//!
//! The operation `allow` says of values that they may be anything, with a reason.

mod facts;
mod graph;
mod report;
mod rules;
mod search;
mod walk;

pub use report::{Finding, Report, Sink, Step};

use crate::check::CheckedProgram;
use crate::model::FunctionId;
use walk::{Outcome, Summary, Walk};

/// Most steps that the analysis of one program takes.
const MAX_WORK: u64 = 1 << 28;
/// Rounds after which the functions of a component count as too large.
const MAX_ROUNDS: usize = 16;

/// Finds the advice of `program` that reaches a use and that nothing ties.
#[must_use]
pub fn analyse(program: &CheckedProgram) -> Report {
    analyse_within(program, MAX_WORK)
}

/// The same in at most about `work` steps.
pub(crate) fn analyse_within(program: &CheckedProgram, mut work: u64) -> Report {
    let mut summaries: Vec<Summary> =
        program.program().functions.iter().map(Summary::hopeful).collect();
    let mut report = Report::default();
    for members in components(program) {
        // A function that is called before it is analysed is one of the same component. Its facts
        // begin as those that hold everywhere and become fewer: calls are well-founded, so what
        // holds if it holds for the callee does hold.
        let mut outcomes = None;
        for _ in 0..MAX_ROUNDS {
            let mut is_stable = true;
            let mut round = Vec::with_capacity(members.len());
            for &id in &members {
                let outcome = Walk::new(program, id, &summaries, &mut work).run();
                let Some(outcome) = outcome else { continue };
                is_stable &= summaries[id.index()] == outcome.summary;
                summaries[id.index()] = outcome.summary.clone();
                round.push((id, outcome));
            }
            if round.len() < members.len() {
                break;
            }
            if is_stable {
                outcomes = Some(round);
                break;
            }
        }
        match outcomes {
            Some(outcomes) => {
                for (id, Outcome { found, .. }) in outcomes {
                    report.findings.extend(report::findings(program, id, found));
                }
            }
            None => {
                for id in members {
                    summaries[id.index()] = Summary::hopeless(program.function(id));
                    report.skipped.push(program.function(id).name.clone());
                }
            }
        }
    }
    report.findings.sort_by_key(|finding| finding.order());
    report
}

/// The constrained functions, by component of the call graph, callees first.
fn components(program: &CheckedProgram) -> Vec<Vec<FunctionId>> {
    let component = |id: &FunctionId| program.callgraph().component(*id);
    let mut ids: Vec<FunctionId> =
        program.function_ids().filter(|&id| program.function(id).constrained).collect();
    ids.sort_by_key(|id| (component(id), *id));
    ids.chunk_by(|a, b| component(a) == component(b)).map(<[FunctionId]>::to_vec).collect()
}
