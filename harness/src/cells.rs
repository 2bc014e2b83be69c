//! Single cells changed: refused if and only if the plan calls them determined.
//!
//! The plan decides which cells are free from bytecode alone, the checker decides
//! from the constraint system what it accepts; neither knows of the other.
//!
//! Of advice the plan says whether something reads it, which is not the same as
//! being determined: `a + b - b = a` reads b, and so does a product with zero. Such
//! cells may go either way.

use rand::Rng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use traceloom_abi::field::{Goldilocks, MODULUS, PrimeCharacteristicRing, element};
use traceloom_abi::system::System;
use traceloom_abi::trace::{ShardWitness, Trace};
use traceloom_codegen::plan::{Column, Fixed, Region, Write};
use traceloom_runtime::check::check;

use crate::plans::PlannedRow;

/// Changes up to `count` cells of `witness`, one at a time; how many were changed.
///
/// # Errors
/// The first cell that is accepted though determined, or refused though free.
pub fn forge(
    rng: &mut ChaCha8Rng,
    system: &System,
    witness: &ShardWitness,
    rows: &[PlannedRow<'_>],
    count: usize,
) -> Result<usize, String> {
    let mut shards = [witness.clone()];
    let mut forged = 0;
    for _ in 0..count {
        let Some(planned) = rows.choose(rng) else { break };
        let Some(write) = planned.path.and_then(|path| path.writes.choose(rng)) else { continue };
        let column = planned.column(write.column);
        let trace = trace_of(&mut shards[0], planned.circuit);
        let old = trace.row(planned.row)[column];
        let verdict = expected(write, planned, trace);
        let new = if rng.random_bool(0.5) { old + Goldilocks::ONE } else { random(rng, old) };
        trace.row_mut(planned.row)[column] = new;
        let accepted = check(system, &shards).is_ok();
        trace_of(&mut shards[0], planned.circuit).row_mut(planned.row)[column] = old;
        forged += 1;
        if verdict.is_some_and(|free| accepted != free) {
            let verdict = if accepted { "accepted" } else { "refused" };
            let (name, row, at) = (&planned.function.name, planned.row, write.column);
            let plan = write.fixed;
            return Err(format!(
                "{name:?} row {row} {at}: {old} changed to {new} is {verdict}, the plan: {plan:?}"
            ));
        }
    }
    Ok(forged)
}

fn trace_of(witness: &mut ShardWitness, circuit: usize) -> &mut Trace {
    witness.traces[circuit].as_mut().expect("a circuit with rows has a trace")
}

/// Whether the plan calls the cell free; nothing for advice that is read.
fn expected(write: &Write, planned: &PlannedRow<'_>, trace: &Trace) -> Option<bool> {
    let index = write.column.index as usize;
    match write.fixed {
        Fixed::Determined => {
            let advice = write.column.region == Region::Auxiliary && planned.advice[index];
            (!advice).then_some(false)
        }
        Fixed::FreeUnused | Fixed::FreeAdvice => Some(true),
        // The result of the same eq_zero stands in the next column.
        Fixed::FreeWhenZero(_) => {
            let result = planned.column(Column::auxiliary(index + 1));
            Some(trace.row(planned.row)[result] == Goldilocks::ONE)
        }
    }
}

/// An element other than `old` that is no bit.
fn random(rng: &mut ChaCha8Rng, old: Goldilocks) -> Goldilocks {
    loop {
        let new = element(rng.random_range(2..MODULUS));
        if new != old {
            return new;
        }
    }
}
