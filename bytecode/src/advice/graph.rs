//! Where the values of one function come from.

use std::rc::Rc;

use super::report::Step;

/// Position of a node.
pub(super) type NodeId = u32;

/// What a value is.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// The same on every row.
    Constant,
    /// Nothing that is advice, nor an input.
    Clean,
    /// An input of the function.
    Input,
    /// Computed from its operands, which it determines as far as the analysis can see.
    Derived,
    /// Computed from its operands with less in it than they have.
    Lossy,
    /// What the arms of a match yield.
    Merge,
    /// Advice that any check ties; with the way it came if a function returned it.
    Free(Option<Rc<[Step]>>),
    /// Advice that an equation ties.
    Computed,
    /// Loaded behind its operand, a pointer that is free advice or an input.
    Behind,
}

/// Which leaves a value has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Leaves {
    /// Advice.
    pub advice: bool,
    /// A computed hint that it determines.
    pub computed: bool,
    /// An input.
    pub input: bool,
    /// Anything but constants and computed hints.
    pub other: bool,
}

impl Leaves {
    fn or(self, other: Self) -> Self {
        Self {
            advice: self.advice || other.advice,
            computed: self.computed || other.computed,
            input: self.input || other.input,
            other: self.other || other.other,
        }
    }

    /// Whether anything of it can be tied or reported.
    pub fn matter(self) -> bool {
        self.advice || self.input
    }
}

/// Where a value is made: block, operation, result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Origin {
    pub block: usize,
    /// None of an input and of what arms yield.
    pub op: Option<usize>,
    pub result: usize,
}

#[derive(Debug)]
pub(super) struct Node {
    pub kind: Kind,
    pub leaves: Leaves,
    pub origin: Origin,
    first: usize,
    len: usize,
}

/// The values of a function, each with those that it is made of.
#[derive(Debug, Default)]
pub(super) struct Graph {
    nodes: Vec<Node>,
    edges: Vec<NodeId>,
}

impl Graph {
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    pub fn operands(&self, id: NodeId) -> &[NodeId] {
        let Node { first, len, .. } = self.nodes[id as usize];
        &self.edges[first..first + len]
    }

    /// Whether a load behind `pointer` gives values of which nothing is known.
    pub fn is_open(&self, pointer: NodeId) -> bool {
        let is_open =
            |id: NodeId| matches!(self.node(id).kind, Kind::Input | Kind::Free(_) | Kind::Behind);
        match self.node(pointer).kind {
            Kind::Merge => self.operands(pointer).iter().any(|&id| is_open(id)),
            _ => is_open(pointer),
        }
    }

    pub fn add(&mut self, kind: Kind, operands: &[NodeId], origin: Origin) -> NodeId {
        let below =
            operands.iter().fold(Leaves::default(), |leaves, &id| leaves.or(self.node(id).leaves));
        let leaves = match &kind {
            Kind::Constant => Leaves::default(),
            Kind::Clean => Leaves { other: true, ..Leaves::default() },
            Kind::Input => Leaves { input: true, other: true, ..Leaves::default() },
            Kind::Free(_) => Leaves { advice: true, other: true, ..Leaves::default() },
            Kind::Computed => Leaves { advice: true, computed: true, ..Leaves::default() },
            Kind::Derived | Kind::Merge => below,
            Kind::Lossy | Kind::Behind => {
                Leaves { computed: false, other: below.other || below.computed, ..below }
            }
        };
        // What has no leaf that matters needs no operands.
        let is_bare = !leaves.matter();
        let kind = match kind {
            Kind::Constant => Kind::Constant,
            _ if is_bare && leaves.other => Kind::Clean,
            _ if is_bare => Kind::Constant,
            kind => kind,
        };
        let first = self.edges.len();
        if !is_bare {
            let matter = |id: &&NodeId| self.nodes[**id as usize].leaves.matter();
            self.edges.extend(operands.iter().filter(matter).copied());
        }
        let len = self.edges.len() - first;
        self.nodes.push(Node { kind, leaves, origin, first, len });
        self.nodes.len() as NodeId - 1
    }
}
