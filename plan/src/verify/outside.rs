//! What a plan must agree with outside of itself.

use super::Verifier;
use crate::contract::FunctionContract;
use crate::program::PathPlan;
use crate::row::{Fetch, FetchKind};

impl Verifier<'_> {
    /// Layout and paths of the function, outputs of its paths, and its fetches.
    pub(super) fn outside(&mut self) {
        let (contract, plan) = (self.contract, self.function);
        let own = contract.functions.get(plan.function as usize);
        let Some((own, rows)) = own.and_then(|own| Some((own, own.rows.as_ref()?))) else {
            return self.require(false, None, || "the program has no rows of it".into());
        };
        let (expected, got) = (rows.layout, plan.layout);
        self.require(expected == got, None, || {
            format!("the program's layout is {expected:?}, the plan has {got:?}")
        });
        let (expected, got) = (rows.paths.len(), plan.paths.len());
        self.require(expected == got, None, || format!("{expected} paths, {got} plans"));
        for (path, leaves) in plan.paths.iter().zip(&rows.paths) {
            self.path = Some(path.path);
            self.require(path.leaves == *leaves, None, || {
                format!("the path has leaves {leaves:?}, its plan has {:?}", path.leaves)
            });
            self.path_outside(own, path);
        }
        self.path = None;
        for block in &plan.generic.blocks {
            block.fetches.iter().for_each(|fetch| self.fetch(fetch));
        }
    }

    fn path_outside(&mut self, own: &FunctionContract, path: &PathPlan) {
        let (expected, got) = (own.num_outputs as usize, path.outputs.len());
        self.require(expected == got, None, || {
            format!("the function has {expected} outputs, the plan returns {got}")
        });
        path.fetches.iter().for_each(|fetch| self.fetch(fetch));
    }

    /// A fetch names a table that is there, with as many words as the table has.
    fn fetch(&mut self, fetch: &Fetch) {
        let contract = self.contract;
        let function = |index: u32| {
            let function = contract.functions.get(index as usize)?;
            Some((function.num_inputs as usize, function.num_outputs))
        };
        let width = |memory: u32| contract.memory_widths.get(memory as usize).copied();
        let results = fetch.num_results;
        let fits = match &fetch.kind {
            FetchKind::Call { function: callee, args } => {
                function(*callee) == Some((args.len(), results))
            }
            FetchKind::Store { memory, values } => {
                results == 1 && width(*memory).is_some_and(|width| width as usize == values.len())
            }
            FetchKind::Load { memory, .. } => width(*memory) == Some(results),
            FetchKind::IoInfo { .. } => results == 2,
            FetchKind::IoRead { .. } => true,
            FetchKind::BigUintDivRem { memory, .. } => results == 2 && width(*memory).is_some(),
        };
        self.require(fits, Some(fetch.op), || {
            format!("the program has no table for {:?} with {results} results", fetch.kind)
        });
    }
}
