//! Constraint and lookup expressions of all circuits of a program.
//!
//! A [`System`] is all that prover and verifier know of a program. Per circuit it
//! has an arena of expressions over the columns of two neighbouring rows, the
//! constraints (each must vanish on every row of the trace domain) and the
//! lookups (each contributes ± multiplicity / (beta + fingerprint) per row, and
//! the sum over all circuits and claims is zero).
//!
//! Degrees count columns and the first-row selector as 1 and the transition
//! selector as 0: a constraint of degree d has a quotient of less than d - 1
//! times the trace height.

use hashbrown::HashMap;

use crate::bytes::{ByteOp, ByteTable};
use crate::claim::{Boundary, Entry};
use crate::field::{Goldilocks, PrimeCharacteristicRing, word};
use crate::fixed::{Fixed, FixedColumns};

/// Constraints and lookups of a program, and what may be claimed of it.
#[derive(Clone, Debug)]
pub struct System {
    /// Program fingerprint.
    pub fingerprint: [u8; 32],
    /// Circuits in their fixed order: function circuits, memory tables by width,
    /// then the byte tables in use.
    pub circuits: Vec<Circuit>,
    /// What may be claimed.
    pub entries: Vec<Entry>,
    /// Other messages that a claim may consist of; none for programs of functions.
    pub boundaries: Vec<Boundary>,
}

/// One table of the proof system.
#[derive(Clone, Debug)]
pub struct Circuit {
    /// Name, for people; not part of any identity.
    pub name: String,
    /// What kind of table this is.
    pub kind: CircuitKind,
    /// Number of main columns.
    pub width: usize,
    /// Names of the main columns, `width` of them, for people.
    pub column_names: Vec<String>,
    /// Number of public values that its constraints may read.
    pub num_publics: usize,
    /// The nodes of all expressions below.
    pub arena: Arena,
    /// Constraints in canonical order.
    pub constraints: Vec<Constraint>,
    /// Lookups in slot order.
    pub lookups: Vec<Lookup>,
}

/// The kinds of circuits; verifiers treat them differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CircuitKind {
    /// Rows of one or several functions.
    Function {
        /// Function indices of the members, in order.
        members: Vec<u32>,
        /// Whether a member is in a recursive component of the call graph: its
        /// padded height counts towards [`MAX_RECURSIVE_ROWS`].
        recursive: bool,
    },
    /// The write-once memory of one width.
    Memory {
        /// Number of values per pointer.
        width: u32,
    },
    /// A fixed table: where it is active, it has exactly its own height. Which of its
    /// operations it proves is in its lookups, see [`Circuit::byte_ops`].
    Bytes(ByteTable),
    /// A table whose rows are made from records of operations.
    Ops {
        /// Which of its front end's tables this is.
        table: u32,
        /// Columns that belong to the program, if there are any. Where the table is
        /// active, it has exactly their height.
        fixed: Option<FixedColumns>,
    },
}

/// Around a cycle of k calls ranks fall by between k and k·2^32 in sum, so it cannot
/// close modulo p while k is at most this many rows. Over all shards.
pub const MAX_RECURSIVE_ROWS: u64 = 1 << 31;

impl Circuit {
    /// The byte table behind this circuit, if any.
    #[must_use]
    pub fn preprocessed(&self) -> Option<ByteTable> {
        match self.kind {
            CircuitKind::Bytes(table) => Some(table),
            _ => None,
        }
    }

    /// The operations that this byte table proves, by main column: those whose channels
    /// its lookups provide. None for other circuits.
    #[must_use]
    pub fn byte_ops(&self) -> Vec<ByteOp> {
        let channels: Vec<Goldilocks> =
            self.lookups.iter().filter_map(|l| self.channel(l)).collect();
        let ops = self.preprocessed().map_or(&[][..], ByteTable::ops).iter();
        ops.copied().filter(|op| channels.contains(&Goldilocks::new(op.channel()))).collect()
    }

    /// The channel of a lookup that has the same on every row.
    fn channel(&self, lookup: &Lookup) -> Option<Goldilocks> {
        self.arena.value(*lookup.arguments.first()?)
    }

    /// The fixed columns of this circuit, if it has any.
    #[must_use]
    pub fn fixed(&self) -> Option<Fixed<'_>> {
        match &self.kind {
            CircuitKind::Bytes(table) => Some(Fixed::Bytes(*table)),
            CircuitKind::Ops { fixed, .. } => fixed.as_ref().map(Fixed::Program),
            CircuitKind::Function { .. } | CircuitKind::Memory { .. } => None,
        }
    }

    /// Number of fixed columns, 0 for most circuits.
    #[must_use]
    pub fn preprocessed_width(&self) -> usize {
        self.fixed().map_or(0, Fixed::width)
    }
}

/// An expression that vanishes on every row.
#[derive(Clone, Debug)]
pub struct Constraint {
    /// The expression.
    pub expr: ExprId,
    /// What it says, for people.
    pub label: String,
}

/// A message per row, with a multiplicity.
#[derive(Clone, Debug)]
pub struct Lookup {
    /// Push: the message is used. Pull: the message is provided.
    pub direction: Direction,
    /// How often, a field element.
    pub multiplicity: ExprId,
    /// The message, without its padding.
    pub arguments: Vec<ExprId>,
    /// What it says, for people.
    pub label: String,
}

/// Sign of a lookup's multiplicity in the sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Added: a caller, a store or load, a byte operation.
    Push,
    /// Subtracted: a return, a memory row, a byte table row.
    Pull,
}

/// Index of a node in its arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExprId(pub u32);

/// A node of an expression; operands precede it in the arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// A constant.
    Constant(Goldilocks),
    /// A main column of this row.
    Main(u32),
    /// A main column of the next row, the first row after the last.
    MainNext(u32),
    /// A preprocessed column of this row.
    Preprocessed(u32),
    /// A public value.
    Public(u32),
    /// Nonzero on the first row, zero on the others.
    IsFirstRow,
    /// Zero on the last row, nonzero on the others.
    IsTransition,
    /// Sum.
    Add(ExprId, ExprId),
    /// Difference.
    Sub(ExprId, ExprId),
    /// Product.
    Mul(ExprId, ExprId),
}

impl Node {
    /// Its encoding in digests: a tag, then its operands.
    pub fn words(self) -> impl Iterator<Item = u64> {
        let (tag, operands) = match self {
            Self::Constant(value) => (0, [Some(word(value)), None]),
            Self::Main(column) => (1, [Some(column.into()), None]),
            Self::MainNext(column) => (2, [Some(column.into()), None]),
            Self::Preprocessed(column) => (3, [Some(column.into()), None]),
            Self::Public(index) => (4, [Some(index.into()), None]),
            Self::IsFirstRow => (5, [None, None]),
            Self::IsTransition => (6, [None, None]),
            Self::Add(a, b) => (7, [Some(a.0.into()), Some(b.0.into())]),
            Self::Sub(a, b) => (8, [Some(a.0.into()), Some(b.0.into())]),
            Self::Mul(a, b) => (9, [Some(a.0.into()), Some(b.0.into())]),
        };
        std::iter::once(tag).chain(operands.into_iter().flatten())
    }
}

/// Hash-consed expressions of one circuit: equal nodes are stored once, so the
/// order of nodes is a function of the order in which they were first asked for.
#[derive(Clone, Debug, Default)]
pub struct Arena {
    nodes: Vec<Node>,
    degrees: Vec<u32>,
    ids: HashMap<Node, ExprId>,
}

impl Arena {
    /// All nodes; operands precede their users.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Degree of an expression, see the module header.
    #[must_use]
    pub fn degree(&self, expr: ExprId) -> u32 {
        self.degrees[expr.0 as usize]
    }

    /// The node `expr`.
    #[must_use]
    pub fn node(&self, expr: ExprId) -> Node {
        self.nodes[expr.0 as usize]
    }

    /// The node with this content, made if it is new.
    ///
    /// # Panics
    /// If an operand is not in this arena, or the arena has 2^32 nodes.
    pub fn intern(&mut self, node: Node) -> ExprId {
        if let Some(&id) = self.ids.get(&node) {
            return id;
        }
        let degree = match node {
            Node::Constant(_) | Node::Public(_) | Node::IsTransition => 0,
            Node::Main(_) | Node::MainNext(_) | Node::Preprocessed(_) | Node::IsFirstRow => 1,
            Node::Add(a, b) | Node::Sub(a, b) => self.degree(a).max(self.degree(b)),
            Node::Mul(a, b) => self.degree(a) + self.degree(b),
        };
        let id = ExprId(u32::try_from(self.nodes.len()).expect("fewer than 2^32 expressions"));
        self.nodes.push(node);
        self.degrees.push(degree);
        self.ids.insert(node, id);
        id
    }

    /// The constant `value`.
    pub fn constant(&mut self, value: Goldilocks) -> ExprId {
        self.intern(Node::Constant(value))
    }

    /// The constant with the word `value`.
    pub fn word(&mut self, value: u64) -> ExprId {
        self.constant(Goldilocks::new(value))
    }

    /// Main column `column` of this row.
    pub fn main(&mut self, column: usize) -> ExprId {
        self.intern(Node::Main(u32::try_from(column).expect("columns fit u32")))
    }

    /// `a + b`, folded where an operand is a constant.
    pub fn add(&mut self, a: ExprId, b: ExprId) -> ExprId {
        match (self.value(a), self.value(b)) {
            (Some(x), Some(y)) => self.constant(x + y),
            (Some(x), _) if x == Goldilocks::ZERO => b,
            (_, Some(y)) if y == Goldilocks::ZERO => a,
            _ => self.intern(Node::Add(a, b)),
        }
    }

    /// `a - b`, folded where an operand is a constant.
    pub fn sub(&mut self, a: ExprId, b: ExprId) -> ExprId {
        match (self.value(a), self.value(b)) {
            (Some(x), Some(y)) => self.constant(x - y),
            (_, Some(y)) if y == Goldilocks::ZERO => a,
            _ => self.intern(Node::Sub(a, b)),
        }
    }

    /// `a · b`, folded where an operand is a constant.
    pub fn mul(&mut self, a: ExprId, b: ExprId) -> ExprId {
        match (self.value(a), self.value(b)) {
            (Some(x), Some(y)) => self.constant(x * y),
            (Some(x), _) if x == Goldilocks::ZERO => a,
            (_, Some(y)) if y == Goldilocks::ZERO => b,
            (Some(x), _) if x == Goldilocks::ONE => b,
            (_, Some(y)) if y == Goldilocks::ONE => a,
            _ => self.intern(Node::Mul(a, b)),
        }
    }

    /// Sum of `terms`, left to right; zero for none.
    pub fn sum(&mut self, terms: impl IntoIterator<Item = ExprId>) -> ExprId {
        let mut terms = terms.into_iter();
        let Some(first) = terms.next() else {
            return self.constant(Goldilocks::ZERO);
        };
        terms.fold(first, |sum, term| self.add(sum, term))
    }

    fn value(&self, expr: ExprId) -> Option<Goldilocks> {
        match self.node(expr) {
            Node::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// A readable form of `expr`, cut after `limit` bytes.
    #[must_use]
    pub fn display(&self, expr: ExprId, columns: &[String], limit: usize) -> String {
        enum Piece {
            Expr(ExprId),
            Text(&'static str),
        }
        let mut text = String::new();
        let mut pieces = vec![Piece::Expr(expr)];
        while let Some(piece) = pieces.pop() {
            if text.len() > limit {
                text.push('…');
                break;
            }
            let name = |column: u32| match columns.get(column as usize) {
                Some(name) => name.clone(),
                None => format!("main[{column}]"),
            };
            let (a, operator, b) = match piece {
                Piece::Text(piece) => {
                    text.push_str(piece);
                    continue;
                }
                Piece::Expr(expr) => match self.node(expr) {
                    Node::Add(a, b) => (a, " + ", b),
                    Node::Sub(a, b) => (a, " - ", b),
                    Node::Mul(a, b) => (a, "·", b),
                    leaf => {
                        text.push_str(&match leaf {
                            Node::Constant(value) => word(value).to_string(),
                            Node::Main(column) => name(column),
                            Node::MainNext(column) => format!("next.{}", name(column)),
                            Node::Preprocessed(column) => format!("fixed[{column}]"),
                            Node::Public(index) => format!("public[{index}]"),
                            Node::IsFirstRow => "is_first_row".into(),
                            _ => "is_transition".into(),
                        });
                        continue;
                    }
                },
            };
            pieces.push(Piece::Text(")"));
            pieces.push(Piece::Expr(b));
            pieces.push(Piece::Text(operator));
            pieces.push(Piece::Expr(a));
            pieces.push(Piece::Text("("));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_nodes_are_stored_once_and_constants_fold() {
        let mut arena = Arena::default();
        let (a, b) = (arena.main(0), arena.main(1));
        let sum = arena.add(a, b);
        assert_eq!(arena.add(a, b), sum);
        let zero = arena.word(0);
        assert_eq!(arena.add(sum, zero), sum);
        assert_eq!(arena.mul(zero, sum), zero);
        let one = arena.word(1);
        assert_eq!(arena.mul(sum, one), sum);
        assert_eq!(arena.degree(sum), 1);
        let product = arena.mul(sum, sum);
        assert_eq!(arena.degree(product), 2);
        let transition = arena.intern(Node::IsTransition);
        let gated = arena.mul(transition, product);
        assert_eq!(arena.degree(gated), 2);
        let names = vec!["x".to_owned(), "y".to_owned()];
        assert_eq!(arena.display(product, &names, 80), "((x + y)·(x + y))");
    }
}
