//! From a use back to the advice and the inputs in it.

use std::collections::HashMap;

use super::facts::Facts;
use super::graph::{Graph, Kind, NodeId};

/// Advice, or an input, that reaches a use, and the values on the way, from it on.
pub(super) struct Reached {
    pub advice: NodeId,
    pub way: Vec<NodeId>,
}

/// The advice in `root` that nothing settles, and the inputs that would have to be settled if they
/// were advice.
pub(super) fn unsettled(graph: &Graph, facts: &mut Facts, root: NodeId) -> Vec<Reached> {
    let mut reached = Vec::new();
    if !graph.node(root).leaves.matter() {
        return reached;
    }
    facts.begin_search(graph);
    let mut from: HashMap<NodeId, NodeId> = HashMap::new();
    let mut rest = vec![root];
    facts.visit(root);
    while let Some(node) = rest.pop() {
        if !matches!(graph.node(node).kind, Kind::Derived | Kind::Lossy | Kind::Merge) {
            if !facts.is_settled(graph, node) {
                reached.push(Reached { advice: node, way: way(&from, node) });
            }
            continue;
        }
        for &operand in graph.operands(node).iter().rev() {
            if facts.visit(operand) {
                from.insert(operand, node);
                rest.push(operand);
            }
        }
    }
    reached
}

fn way(from: &HashMap<NodeId, NodeId>, advice: NodeId) -> Vec<NodeId> {
    let mut way = vec![advice];
    while let Some(&next) = from.get(&way[way.len() - 1]) {
        way.push(next);
    }
    way
}

/// The input behind which a value lies that holds no advice.
pub(super) fn input_behind(graph: &Graph, mut node: NodeId) -> Option<usize> {
    if graph.node(node).leaves.advice {
        return None;
    }
    while !matches!(graph.node(node).kind, Kind::Input) {
        node = *graph.operands(node).first()?;
    }
    Some(graph.node(node).origin.result)
}

/// The inputs that `root` is computed from.
pub(super) fn inputs_in(graph: &Graph, facts: &mut Facts, root: NodeId) -> Vec<usize> {
    facts.begin_search(graph);
    let (mut rest, mut inputs) = (vec![root], Vec::new());
    while let Some(node) = rest.pop() {
        if !graph.node(node).leaves.input || !facts.visit(node) {
            continue;
        }
        match graph.node(node).kind {
            Kind::Input => inputs.push(graph.node(node).origin.result),
            Kind::Behind => {}
            _ => rest.extend_from_slice(graph.operands(node)),
        }
    }
    inputs
}
