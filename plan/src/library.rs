//! Bounds of what calls return and memory holds: one least fixpoint over all functions.
//!
//! Bounds start at 0, "nothing yet", and rise by classes until every function returns and
//! stores only what was assumed. So a function that returns the results of its own recursive
//! call is as narrow as its other leaves. The bounds hold for records of traceloom's executor;
//! packers check seed words that rely on them all the same.

use traceloom_abi::biguint;
use traceloom_abi::seed::Meaning;

use crate::bounds::{UNKNOWN, bound_of, round_up};
use crate::program::{GenericBlock, GenericControl, GenericPlan};
use crate::row::{Fetch, FetchKind, Read, ReadSource};
use crate::value::Expr;

/// Rounds after which the analysis gives up and knows nothing.
const MAX_ROUNDS: usize = 1_000;

/// What the record has tables of.
pub(crate) struct Tables {
    /// By function.
    pub num_outputs: Vec<u32>,
    /// By memory table.
    pub memory_widths: Vec<u32>,
}

/// What a function computes of what it returns and stores: its branching plan without cells.
pub(crate) struct Returns {
    exprs: Vec<Expr>,
    blocks: Vec<GenericBlock>,
}

impl Returns {
    /// Keeps of `plan` what bounds follow from.
    pub fn of(plan: GenericPlan) -> Self {
        let exprs = plan.values.into_iter().map(|value| value.expr).collect();
        let without_cells = |block| GenericBlock { writes: Vec::new(), zeros: Vec::new(), ..block };
        Self { exprs, blocks: plan.blocks.into_iter().map(without_cells).collect() }
    }
}

/// Bounds of what the record holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Library {
    /// By function and output.
    outputs: Vec<Vec<u64>>,
    /// By memory table and slot.
    slots: Vec<Vec<u64>>,
}

impl Library {
    /// The least bounds that all of `functions` agree with.
    pub fn solve(tables: &Tables, functions: &[Returns]) -> Self {
        let mut library = Self::filled(tables, 0);
        library.store_integers(tables);
        for _ in 0..MAX_ROUNDS {
            let before = library.clone();
            for (function, returns) in functions.iter().enumerate() {
                library.visit(function, returns);
            }
            if library == before {
                return library;
            }
        }
        Self::filled(tables, UNKNOWN)
    }

    fn filled(tables: &Tables, bound: u64) -> Self {
        let outputs = tables.num_outputs.iter().map(|&count| vec![bound; count as usize]);
        let slots = tables.memory_widths.iter().map(|&width| vec![bound; width as usize]);
        Self { outputs: outputs.collect(), slots: slots.collect() }
    }

    /// Integer lists that the executor itself stores: tag, eight bytes, pointer.
    fn store_integers(&mut self, tables: &Tables) {
        let is_of_integers = |&width: &u32| width as usize == biguint::WIDTH;
        let Some(memory) = tables.memory_widths.iter().position(is_of_integers) else { return };
        let slots = &mut self.slots[memory];
        let last = slots.len() - 1;
        slots.fill(1 << 8);
        slots[0] = 2;
        slots[last] = 1 << 32;
    }

    /// Bound of an external word.
    pub fn of_read(&self, read: &Read, fetches: &[Fetch]) -> u64 {
        let ReadSource::Fetched { fetch, result } = read.source else {
            return 1 << 32;
        };
        match &fetches[fetch as usize].kind {
            FetchKind::Call { function, .. } => self.outputs[*function as usize][result as usize],
            FetchKind::Load { memory, .. } => self.slots[*memory as usize][result as usize],
            FetchKind::Store { .. } | FetchKind::BigUintDivRem { .. } => 1 << 32,
            FetchKind::IoInfo { .. } | FetchKind::IoRead { .. } => UNKNOWN,
        }
    }

    /// Raises the bounds to what one function returns and stores.
    fn visit(&mut self, function: usize, returns: &Returns) {
        let mut bounds = vec![0; returns.exprs.len()];
        for block in &returns.blocks {
            for value in block.first_value..block.end_value {
                let expr = &returns.exprs[value as usize];
                let bound = match expr {
                    // Raised by the yields of earlier blocks.
                    Expr::Merged(_) => continue,
                    Expr::Seed(Meaning::Read(read)) => {
                        self.of_read(&block.reads[*read as usize], &block.fetches)
                    }
                    _ => bound_of(
                        expr,
                        |operand| bounds[operand.index()],
                        |expr| match expr {
                            Expr::Seed(Meaning::Rank) => 1 << 32,
                            _ => UNKNOWN,
                        },
                    ),
                };
                bounds[value as usize] = bound;
            }
            for fetch in &block.fetches {
                if let FetchKind::Store { memory, values } = &fetch.kind {
                    let slots = &mut self.slots[*memory as usize];
                    for (slot, value) in slots.iter_mut().zip(values) {
                        *slot = (*slot).max(round_up(bounds[value.index()]));
                    }
                }
            }
            match &block.control {
                GenericControl::Return { outputs } => {
                    for (output, value) in self.outputs[function].iter_mut().zip(outputs) {
                        *output = (*output).max(round_up(bounds[value.index()]));
                    }
                }
                GenericControl::Yield { values, block } => {
                    let first = returns.blocks[*block as usize].first_value as usize;
                    for (i, value) in values.iter().enumerate() {
                        bounds[first + i] = bounds[first + i].max(bounds[value.index()]);
                    }
                }
                GenericControl::Match { .. } => {}
            }
        }
    }
}
