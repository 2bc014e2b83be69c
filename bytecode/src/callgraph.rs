//! Components of the call graph: where calls could go round in circles.
//!
//! A memoised call is proven by a message that the callee's row provides. If
//! calls could form a cycle, rows could justify each other: f(x) = f(x) would
//! return anything. Two rules exclude it:
//!
//! - between strongly connected components, calls go forward in a fixed order,
//!   checked here, so that no cycle of rows leaves a component;
//! - inside a *recursive* component (one with a cycle, self calls included), rows
//!   carry a rank, and a call asks for the rank of its row minus 1 minus a gap that is
//!   an integer of [0, 2^32): a range-checked one, or the constant 0 of a *lone call*.
//!
//! **No cycle.** Take k different rows, each of which calls the next, and the last the
//! first. A call's message and the row that answers it say the same rank, so around the
//! cycle 1 + gap adds up to a multiple of p. Ranks are field elements that nothing range
//! checks: they may wrap around zero anywhere. But the sum is, as an integer, at least k
//! and at most k·2^32, and k is at most 2^31 rows
//! ([`traceloom_air::system::MAX_RECURSIVE_ROWS`], over all shards). So it is between 1
//! and 2^63, and p is larger: it is no multiple of p. Without a cycle every chain of
//! calls ends, in a row that calls nobody of its component.
//!
//! **Lone calls.** The argument needs every gap to be in range, and 0 is: it holds
//! whichever calls have no gap. That a call is alone is what honest rows need. The
//! executor numbers a query by 1 + the largest rank among its callees of the component
//! whose calls are constrained, 0 without any. So the gap to the largest is 0, that of
//! others is below 2^32, and where no path has another call of the component, this one is
//! to the largest ([`CallGraph::lone_blocks`]). Calls of a query's first run count, constrained or
//! not, so advice that is proven later has the ranks that it had.
//!
//! The graph has the *constrained calls of constrained functions*, those in
//! defaults and continuations included. Other calls are advice and prove nothing.

mod lone;

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use crate::model::{Function, FunctionId, Op, Program};

/// The components of a program's call graph.
#[derive(Clone, Debug)]
pub struct CallGraph {
    /// By function: number of its component; callees never have a larger one.
    component: Vec<u32>,
    /// By component: whether it has a cycle.
    recursive: Vec<bool>,
}

/// How the rank of a callee enters the row of its caller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RankedCall {
    /// The callee has no rank.
    #[default]
    None,
    /// From outside its component: one free column holds the rank.
    Outside,
    /// Inside the component: two range-checked columns hold the gap.
    Inside,
    /// Inside the component, and no path has another such call: the gap is 0, and has no
    /// column.
    Lone,
}

/// Columns of a gap, little-endian limbs of 16 bits. Each has a lookup of its own.
pub const GAP_LIMBS: usize = 2;

impl RankedCall {
    /// Number of auxiliary columns right after the call's outputs.
    #[must_use]
    pub const fn num_columns(self) -> usize {
        match self {
            Self::None | Self::Lone => 0,
            Self::Outside => 1,
            Self::Inside => GAP_LIMBS,
        }
    }

    /// Number of lookups right after the call's own.
    #[must_use]
    pub const fn num_lookups(self) -> usize {
        match self {
            Self::None | Self::Outside | Self::Lone => 0,
            Self::Inside => GAP_LIMBS,
        }
    }
}

impl CallGraph {
    /// The components of `program`, whose call targets must exist.
    #[must_use]
    pub fn new(program: &Program) -> Self {
        let mut graph = DiGraph::<(), ()>::with_capacity(program.functions.len(), 0);
        for _ in &program.functions {
            graph.add_node(());
        }
        let calls = constrained_calls(program);
        graph.extend_with_edges(calls.iter().map(|&(caller, callee)| (caller.0, callee.0)));
        // Callees come before their callers: kosaraju_scc yields components in
        // reverse topological order, without recursion.
        let mut component = vec![0; program.functions.len()];
        let mut recursive = Vec::new();
        for (number, members) in kosaraju_scc(&graph).into_iter().enumerate() {
            recursive.push(members.len() > 1);
            for member in members {
                component[NodeIndex::index(member)] = number as u32;
            }
        }
        for &(caller, callee) in &calls {
            let (from, to) = (component[caller.index()], component[callee.index()]);
            // Soundness rests on this order, so it is checked rather than trusted.
            assert!(from >= to, "components are in reverse topological order");
            if caller == callee {
                recursive[from as usize] = true;
            }
        }
        Self { component, recursive }
    }

    /// Whether rows of `function` carry a rank.
    #[must_use]
    pub fn is_ranked(&self, function: FunctionId) -> bool {
        self.recursive[self.component[function.index()] as usize]
    }

    /// Number of the component of `function`.
    #[must_use]
    pub fn component(&self, function: FunctionId) -> usize {
        self.component[function.index()] as usize
    }

    /// What a constrained call of `callee` in a row of `caller` needs, where no path has
    /// another call inside the component (`alone`) or where one has.
    #[must_use]
    pub fn ranked_call(&self, caller: FunctionId, callee: FunctionId, alone: bool) -> RankedCall {
        match (self.is_ranked(callee), self.component(caller) == self.component(callee)) {
            (false, _) => RankedCall::None,
            (true, false) => RankedCall::Outside,
            (true, true) if alone => RankedCall::Lone,
            (true, true) => RankedCall::Inside,
        }
    }

    /// By block of `function`: whether no path through it makes more than one constrained
    /// call inside of the component of `id`, the function itself.
    #[must_use]
    pub fn lone_blocks(&self, id: FunctionId, function: &Function) -> Vec<bool> {
        let is_inside = |op: &&Op| match op {
            Op::Call { function: callee, constrained: true, .. } => {
                self.is_ranked(*callee) && self.component(id) == self.component(*callee)
            }
            _ => false,
        };
        let blocks = function.blocks.iter();
        let calls: Vec<usize> =
            blocks.map(|block| block.ops.iter().filter(is_inside).count()).collect();
        lone::most_on_a_path(function, &calls).into_iter().map(|most| most <= 1).collect()
    }
}

fn constrained_calls(program: &Program) -> Vec<(FunctionId, FunctionId)> {
    let mut calls = Vec::new();
    for (index, function) in program.functions.iter().enumerate() {
        if !function.constrained {
            continue;
        }
        for op in function.blocks.iter().flat_map(|block| &block.ops) {
            if let Op::Call { function: callee, constrained: true, .. } = op {
                calls.push((FunctionId(index as u32), *callee));
            }
        }
    }
    calls.sort_unstable();
    calls.dedup();
    calls
}
