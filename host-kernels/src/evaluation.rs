//! The values of a circuit's expressions, node by node: what every emitted
//! evaluator has to compute.

use traceloom_abi::evaluate::Cells;
use traceloom_abi::field::Goldilocks;
use traceloom_abi::system::{Circuit, ExprId, Node};

/// Constraints, multiplicities and arguments of one row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Values {
    /// One value per constraint.
    pub constraints: Vec<Goldilocks>,
    /// One multiplicity per lookup.
    pub multiplicities: Vec<Goldilocks>,
    /// The arguments of all lookups.
    pub arguments: Vec<Goldilocks>,
}

/// Interprets the arena of `circuit`.
#[must_use]
pub fn interpret(circuit: &Circuit, cells: &Cells<'_, Goldilocks>) -> Values {
    let mut values: Vec<Goldilocks> = Vec::new();
    for node in circuit.arena.nodes() {
        let of = |expr: ExprId| values[expr.0 as usize];
        values.push(match *node {
            Node::Constant(value) => value,
            Node::Main(column) => cells.main[column as usize],
            Node::MainNext(column) => cells.next[column as usize],
            Node::Preprocessed(column) => cells.fixed[column as usize],
            Node::Public(index) => cells.publics[index as usize],
            Node::IsFirstRow => cells.is_first_row,
            Node::IsTransition => cells.is_transition,
            Node::Add(a, b) => of(a) + of(b),
            Node::Sub(a, b) => of(a) - of(b),
            Node::Mul(a, b) => of(a) * of(b),
        });
    }
    let of = |expr: ExprId| values[expr.0 as usize];
    let lookups = circuit.lookups.iter();
    Values {
        constraints: circuit.constraints.iter().map(|constraint| of(constraint.expr)).collect(),
        multiplicities: lookups.clone().map(|lookup| of(lookup.multiplicity)).collect(),
        arguments: lookups.flat_map(|lookup| lookup.arguments.iter().map(|&a| of(a))).collect(),
    }
}
