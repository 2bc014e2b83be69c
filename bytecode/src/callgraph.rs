//! Components of the call graph: where calls could go round in circles.
//!
//! A memoised call is proven by a message that the callee's row provides. If
//! calls could form a cycle, rows could justify each other: f(x) = f(x) would
//! return anything. Two rules exclude it:
//!
//! - between strongly connected components, calls go forward in a fixed order,
//!   checked here, so that no cycle of rows leaves a component;
//! - inside a *recursive* component (one with a cycle, self calls included), rows
//!   carry a rank, and a call asks for a rank that is smaller by 1 + gap with gap
//!   in [0, 2^32). Around a cycle of k rows the ranks would change by between k
//!   and k·2^32, which is no multiple of p while k is at most 2^31
//!   ([`traceloom_air::system::MAX_RECURSIVE_ROWS`]).
//!
//! The graph has the *constrained calls of constrained functions*, those in
//! defaults and continuations included. Other calls are advice and prove nothing.

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use crate::model::{FunctionId, Op, Program};

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
    /// Inside the component: four range-checked columns hold the gap.
    Inside,
}

/// Columns of a gap, little-endian bytes.
pub const GAP_BYTES: usize = 4;
/// Lookups of a gap: its bytes are range checked in pairs.
pub const GAP_LOOKUPS: usize = 2;

impl RankedCall {
    /// Number of auxiliary columns right after the call's outputs.
    #[must_use]
    pub const fn num_columns(self) -> usize {
        match self {
            Self::None => 0,
            Self::Outside => 1,
            Self::Inside => GAP_BYTES,
        }
    }

    /// Number of lookups right after the call's own.
    #[must_use]
    pub const fn num_lookups(self) -> usize {
        match self {
            Self::None | Self::Outside => 0,
            Self::Inside => GAP_LOOKUPS,
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

    /// Number of the component of `function`, below [`Self::num_components`].
    #[must_use]
    pub fn component(&self, function: FunctionId) -> usize {
        self.component[function.index()] as usize
    }

    /// Number of components.
    #[must_use]
    pub fn num_components(&self) -> usize {
        self.recursive.len()
    }

    /// What a constrained call of `callee` in a row of `caller` needs.
    #[must_use]
    pub fn ranked_call(&self, caller: FunctionId, callee: FunctionId) -> RankedCall {
        if !self.is_ranked(callee) {
            RankedCall::None
        } else if self.component(caller) == self.component(callee) {
            RankedCall::Inside
        } else {
            RankedCall::Outside
        }
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
