//! What the constraints on a path say of values.
//!
//! Facts hold from where they are learned to the end of the path. A walk that leaves a branch
//! forgets what was learned there, so every fact is on a trail.

use super::graph::{Graph, Kind, NodeId};

/// A check or an equation has the value in it.
pub(super) const CHECKED: u8 = 32;
/// A check has the value in it, directly or through what is computed of it.
const MENTIONED: u8 = 1;
/// An equation determines the value as far as the analysis can see.
pub(super) const EQUATED: u8 = 2;
/// The value has a bound of its own.
pub(super) const BOUNDED: u8 = 4;
/// A computed hint is what it is meant to be.
pub(super) const TIED: u8 = 8;
/// The program says that the value may be anything.
pub(super) const ALLOWED: u8 = 16;

/// A fact of a value.
pub(super) type Fact = (NodeId, u8);

#[derive(Debug, Default)]
pub(super) struct Facts {
    flags: Vec<u8>,
    trail: Vec<Fact>,
    /// Computed hints of each equation.
    equations: Vec<Vec<NodeId>>,
    /// By node: the last search that came by.
    seen: Vec<u32>,
    search: u32,
    /// Steps that were taken.
    pub work: u64,
}

/// A point to go back to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mark {
    trail: usize,
    equations: usize,
}

impl Facts {
    pub fn mark(&self) -> Mark {
        Mark { trail: self.trail.len(), equations: self.equations.len() }
    }

    pub fn forget(&mut self, mark: Mark) {
        for (node, flag) in self.trail.drain(mark.trail..) {
            self.flags[node as usize] &= !flag;
        }
        self.equations.truncate(mark.equations);
    }

    /// What was learned since a point.
    pub fn since(&self, mark: Mark) -> &[Fact] {
        &self.trail[mark.trail..]
    }

    pub fn has(&self, node: NodeId, flags: u8) -> bool {
        self.flags.get(node as usize).is_some_and(|own| own & flags != 0)
    }

    /// Learns a fact; whether it is new.
    pub fn learn(&mut self, node: NodeId, flag: u8) -> bool {
        self.work += 1;
        let index = node as usize;
        if self.flags.len() <= index {
            self.flags.resize(index + 1, 0);
        }
        if self.flags[index] & flag != 0 {
            return false;
        }
        self.flags[index] |= flag;
        self.trail.push((node, flag));
        true
    }

    /// `flag` of everything that a value is made of.
    fn spread(&mut self, graph: &Graph, root: NodeId, flag: u8) {
        let mut rest = vec![root];
        while let Some(node) = rest.pop() {
            if self.learn(node, flag) {
                if flag == MENTIONED {
                    self.learn(node, CHECKED);
                }
                rest.extend_from_slice(graph.operands(node));
            }
        }
    }

    /// A check mentions the value.
    pub fn mention(&mut self, graph: &Graph, root: NodeId) {
        self.spread(graph, root, MENTIONED);
    }

    /// The value may be anything.
    pub fn allow(&mut self, graph: &Graph, root: NodeId) {
        self.spread(graph, root, ALLOWED);
    }

    /// Values that one equation relates.
    pub fn equate(&mut self, graph: &Graph, roots: &[NodeId]) {
        let mut rest = roots.to_vec();
        while let Some(node) = rest.pop() {
            if !self.learn(node, EQUATED) {
                continue;
            }
            self.learn(node, CHECKED);
            match graph.node(node).kind {
                Kind::Derived | Kind::Merge => rest.extend_from_slice(graph.operands(node)),
                // What lies behind a pointer says something of the pointer, and no more.
                Kind::Behind => {
                    graph.operands(node).iter().for_each(|&id| self.mention(graph, id));
                }
                _ => {}
            }
        }
        let hints = self.computed(graph, roots);
        if !hints.is_empty() {
            self.equations.push(hints);
        }
    }

    /// A value that has a bound, such as an operand of a byte operation.
    pub fn bound(&mut self, graph: &Graph, root: NodeId) {
        self.mention(graph, root);
        let leaves = graph.node(root).leaves;
        match graph.node(root).kind {
            Kind::Input | Kind::Computed => {
                self.learn(root, BOUNDED);
            }
            _ if !leaves.computed => {}
            _ if leaves.other => self.equate(graph, &[root]),
            _ => {
                // A multiple of one hint; a bound of several ties none of them.
                if let [hint] = self.computed(graph, &[root])[..] {
                    self.learn(hint, BOUNDED);
                }
            }
        }
    }

    /// The computed hints that values determine.
    fn computed(&mut self, graph: &Graph, roots: &[NodeId]) -> Vec<NodeId> {
        self.begin_search(graph);
        let (mut rest, mut hints) = (roots.to_vec(), Vec::new());
        while let Some(node) = rest.pop() {
            if !graph.node(node).leaves.computed || !self.visit(node) {
                continue;
            }
            match graph.node(node).kind {
                Kind::Computed => hints.push(node),
                _ => rest.extend_from_slice(graph.operands(node)),
            }
        }
        hints
    }

    /// Begins a search that visits every node once.
    pub fn begin_search(&mut self, graph: &Graph) {
        self.search += 1;
        self.seen.resize(graph.len(), 0);
    }

    /// Whether this search comes by for the first time.
    pub fn visit(&mut self, node: NodeId) -> bool {
        self.work += 1;
        std::mem::replace(&mut self.seen[node as usize], self.search) != self.search
    }

    /// Ties the hints that the equations so far tie.
    pub fn solve(&mut self) {
        let equations = std::mem::take(&mut self.equations);
        let mut is_done = false;
        while !is_done {
            is_done = true;
            for equation in &equations {
                self.work += equation.len() as u64;
                let open = || equation.iter().copied().filter(|&hint| !self.has(hint, TIED));
                let ties = open().count() == 1 || open().all(|hint| self.has(hint, BOUNDED));
                if ties && open().next().is_some() {
                    let open: Vec<NodeId> = open().collect();
                    open.into_iter().for_each(|hint| {
                        self.learn(hint, TIED);
                    });
                    is_done = false;
                }
            }
        }
        self.equations = equations;
    }

    /// Whether nothing has to be said of this advice on this path.
    pub fn is_settled(&self, graph: &Graph, node: NodeId) -> bool {
        match graph.node(node).kind {
            Kind::Computed => self.has(node, TIED | ALLOWED),
            Kind::Free(_) | Kind::Input => self.has(node, CHECKED | ALLOWED),
            Kind::Behind => {
                let is_known = |&pointer: &NodeId| self.has(pointer, EQUATED | ALLOWED);
                self.has(node, CHECKED | ALLOWED) || graph.operands(node).iter().all(is_known)
            }
            _ => true,
        }
    }
}
