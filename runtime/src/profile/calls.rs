//! Who called whom: a tree of call stacks, with the rows that were requested first from each.
//!
//! A query is a row once, however often it is called. The row belongs to the stack of its first
//! call with constraints: all later ones cost nothing but the lookup of their caller.

use std::collections::BTreeMap;

use traceloom_bytecode::execute::CallEvent;
use traceloom_bytecode::model::FunctionId;

/// A call stack of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Frame(usize);

#[derive(Clone, Debug)]
struct Node {
    function: FunctionId,
    /// Who calls it; `None` for a claim.
    parent: Option<Frame>,
    children: BTreeMap<FunctionId, Frame>,
    /// By path.
    rows: BTreeMap<u32, u64>,
}

/// All call stacks of an execution. A function that is on the stack already is not pushed again:
/// recursion goes back to where it was, so a stack has no function twice.
#[derive(Clone, Debug, Default)]
pub struct CallTree {
    nodes: Vec<Node>,
    /// Stacks of claims.
    roots: BTreeMap<FunctionId, Frame>,
    /// The frames that run, each with whether it counts.
    running: Vec<(Frame, bool)>,
}

impl CallTree {
    /// Takes what an execution reports.
    pub fn take(&mut self, event: CallEvent) {
        match event {
            CallEvent::Enter { function, counts } => {
                let frame = self.enter(self.running.last().map(|of| of.0), function);
                self.running.push((frame, counts));
            }
            CallEvent::Leave { path } => {
                if let Some((frame, true)) = self.running.pop() {
                    *self.nodes[frame.0].rows.entry(path).or_default() += 1;
                }
            }
        }
    }

    fn enter(&mut self, caller: Option<Frame>, function: FunctionId) -> Frame {
        let mut above = caller;
        while let Some(frame) = above {
            if self.nodes[frame.0].function == function {
                return frame;
            }
            above = self.nodes[frame.0].parent;
        }
        let next = Frame(self.nodes.len());
        let siblings = match caller {
            Some(frame) => &mut self.nodes[frame.0].children,
            None => &mut self.roots,
        };
        let frame = *siblings.entry(function).or_insert(next);
        if frame == next {
            let (children, rows) = (BTreeMap::new(), BTreeMap::new());
            self.nodes.push(Node { function, parent: caller, children, rows });
        }
        frame
    }

    /// The functions of a stack, the outermost first.
    #[must_use]
    pub fn stack(&self, frame: Frame) -> Vec<FunctionId> {
        let mut stack = Vec::new();
        let mut at = Some(frame);
        while let Some(frame) = at {
            stack.push(self.nodes[frame.0].function);
            at = self.nodes[frame.0].parent;
        }
        stack.reverse();
        stack
    }

    /// The stacks that end in `function`, with rows by path.
    pub fn rows(&self, function: FunctionId) -> impl Iterator<Item = (Frame, &BTreeMap<u32, u64>)> {
        let nodes = self.nodes.iter().enumerate();
        let of = nodes.filter(move |(_, node)| node.function == function && !node.rows.is_empty());
        of.map(|(index, node)| (Frame(index), &node.rows))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn enter(function: u32, counts: bool) -> CallEvent {
        CallEvent::Enter { function: FunctionId(function), counts }
    }

    #[test]
    fn recursion_goes_back_and_advice_has_no_rows() {
        let mut tree = CallTree::default();
        let leave = |path| CallEvent::Leave { path };
        // 0 calls 1, which calls 0 again (as another query), and 2 as advice.
        for event in [
            enter(0, true),
            enter(1, true),
            enter(0, true),
            leave(5),
            enter(2, false),
            leave(0),
            leave(0),
            leave(6),
        ] {
            tree.take(event);
        }
        let rows = |function| tree.rows(FunctionId(function)).collect::<Vec<_>>();
        let [(frame, zero)] = rows(0)[..] else { panic!("{tree:?}") };
        assert_eq!(tree.stack(frame), [FunctionId(0)]);
        assert_eq!(zero, &BTreeMap::from([(5, 1), (6, 1)]));
        let [(frame, _)] = rows(1)[..] else { panic!("{tree:?}") };
        assert_eq!(tree.stack(frame), [FunctionId(0), FunctionId(1)]);
        assert!(rows(2).is_empty());
    }
}
