//! Per circuit: how its lookups share stage 2 columns, and how many slices its
//! quotient has. Both are functions of the system and the parameters alone.
//!
//! A group of lookups with message degrees d_i and multiplicity degrees m_i is
//! one constraint of degree `max(1 + sum d_i, m_i + sum_{j≠i} d_j)`.
//!
//! Layout (owned here)
//! - Stage 2 has one extension column per group, in lookup order; as base columns
//!   `DEGREE` neighbours each.
//! - The quotient has `num_slices` extension columns, lowest coefficients first.
//! - Constraints in folding order: System's, the first-row condition of stage 2,
//!   the groups.

use std::ops::Range;

use traceloom_air::field::{Goldilocks, PrimeCharacteristicRing};
use traceloom_air::system::{Arena, Circuit, ExprId, Node};

use crate::key::KeyError;
use crate::params::Params;

/// Weight of one committed base column against one evaluated node, per row:
/// measured, a column costs about as much as 64 packed operations.
const COLUMN_WEIGHT: usize = 64;

/// Everything about a circuit that its expressions imply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CircuitLayout {
    /// Ranges of lookup indices, one per stage 2 column; empty without lookups.
    pub groups: Vec<Range<usize>>,
    /// Number of quotient slices, a power of two, at most the blowup.
    pub num_slices: usize,
    /// Whether an expression reads main columns of the next row.
    pub reads_next: bool,
    /// Largest degree of a constraint, stage 2 included.
    pub max_degree: usize,
    /// Longest message, in elements.
    pub max_message: usize,
}

impl CircuitLayout {
    /// Analyses `circuit`.
    ///
    /// # Errors
    /// [`KeyError`] if an expression reads a column that is not there, or the
    /// degree is more than the blowup allows.
    pub fn new(circuit: &Circuit, params: &Params) -> Result<Self, KeyError> {
        let reachable = check_expressions(circuit)?;
        let blowup = 1usize << params.log_blowup;
        let degrees = Degrees::new(&circuit.arena);
        let mut base_degree = 0;
        for (index, constraint) in circuit.constraints.iter().enumerate() {
            let degree = degrees.of(constraint.expr);
            degree.check(circuit, "constraint", index, blowup + 1)?;
            base_degree = base_degree.max(degree.column);
        }
        for (index, lookup) in circuit.lookups.iter().enumerate() {
            let degree = group_degree(&degrees, circuit, index..index + 1);
            degree.check(circuit, "lookup", index, blowup + 1)?;
            base_degree = base_degree.max(degree.column).max(2);
            if lookup.arguments.is_empty() {
                return Err(KeyError::EmptyMessage { circuit: circuit.name.clone(), index });
            }
        }
        let nodes = reachable.iter().filter(|&&used| used).count();
        let (groups, num_slices) = choose(circuit, &degrees, base_degree, nodes, params);
        let mut max_degree = base_degree;
        for (index, group) in groups.iter().enumerate() {
            let degree = group_degree(&degrees, circuit, group.clone());
            degree.check(circuit, "lookup group", index, num_slices + 1)?;
            max_degree = max_degree.max(degree.column);
        }
        let reads_next = (circuit.arena.nodes().iter().zip(&reachable))
            .any(|(node, &used)| used && matches!(node, Node::MainNext(_)));
        let max_message = circuit.lookups.iter().map(|l| l.arguments.len()).max().unwrap_or(0);
        Ok(Self { groups, num_slices, reads_next, max_degree, max_message })
    }

    /// Number of folded constraints, of a circuit with `num_main` of its own.
    #[must_use]
    pub fn num_constraints(&self, num_main: usize) -> usize {
        num_main + self.groups.len() + usize::from(!self.groups.is_empty())
    }
}

/// Picks the number of slices with the least estimated work; the smallest wins ties.
fn choose(
    circuit: &Circuit,
    degrees: &Degrees<'_>,
    base_degree: usize,
    nodes: usize,
    params: &Params,
) -> (Vec<Range<usize>>, usize) {
    let mut best: Option<(usize, Vec<Range<usize>>, usize)> = None;
    for log_slices in 0..=params.log_blowup {
        let slices = 1usize << log_slices;
        if slices + 1 < base_degree {
            continue;
        }
        let groups = greedy(circuit, degrees, slices + 1);
        let columns = params.extension_degree * (groups.len() + slices);
        let cost = COLUMN_WEIGHT * columns + slices * nodes;
        if best.as_ref().is_none_or(|(least, ..)| cost < *least) {
            best = Some((cost, groups, slices));
        }
    }
    let (_, groups, slices) = best.expect("degrees were checked against the blowup");
    (groups, slices)
}

/// Consecutive lookups, as many per group as `max_degree` allows.
fn greedy(circuit: &Circuit, degrees: &Degrees<'_>, max_degree: usize) -> Vec<Range<usize>> {
    let mut groups: Vec<Range<usize>> = Vec::new();
    for index in 0..circuit.lookups.len() {
        if let Some(last) = groups.last_mut() {
            let longer = last.start..index + 1;
            let degree = group_degree(degrees, circuit, longer.clone());
            if degree.column <= max_degree && degree.legal_transitions() {
                *last = longer;
                continue;
            }
        }
        groups.push(index..index + 1);
    }
    groups
}

fn group_degree(degrees: &Degrees<'_>, circuit: &Circuit, group: Range<usize>) -> Degree {
    let lookups = &circuit.lookups[group];
    let message = |index: usize| {
        let arguments = lookups[index].arguments.iter().map(|&argument| degrees.of(argument));
        arguments.fold(Degree::default(), Degree::max)
    };
    let messages: Vec<Degree> = (0..lookups.len()).map(message).collect();
    let all = messages.iter().copied().fold(Degree::default(), Degree::times);
    let mut degree = all.times(Degree { column: 1, transition: 0 });
    for (index, lookup) in lookups.iter().enumerate() {
        let others = messages.iter().enumerate().filter(|&(other, _)| other != index);
        let others = others.map(|(_, &message)| message).fold(Degree::default(), Degree::times);
        degree = degree.max(degrees.of(lookup.multiplicity).times(others));
    }
    degree
}

/// A polynomial of degree at most `column·(height - 1) + transition`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Degree {
    column: usize,
    transition: usize,
}

impl Degree {
    fn max(self, other: Self) -> Self {
        Self {
            column: self.column.max(other.column),
            transition: self.transition.max(other.transition),
        }
    }

    fn times(self, other: Self) -> Self {
        Self {
            column: self.column.saturating_add(other.column),
            transition: self.transition.saturating_add(other.transition),
        }
    }

    /// Whether the quotient by the vanishing polynomial, of degree at most
    /// `(column - 1)·height - column + transition`, fits `column - 1` slices (one
    /// slice for column 0 and 1) at every height.
    fn legal_transitions(self) -> bool {
        self.transition <= self.column.saturating_sub(1).max(1)
    }

    fn check(
        self,
        circuit: &Circuit,
        what: &'static str,
        index: usize,
        max: usize,
    ) -> Result<(), KeyError> {
        let name = || circuit.name.clone();
        if self.column > max {
            return Err(KeyError::Degree { circuit: name(), what, index, got: self.column, max });
        }
        if !self.legal_transitions() {
            return Err(KeyError::Transitions { circuit: name(), what, index });
        }
        Ok(())
    }
}

/// Degrees of all nodes of an arena. The arena's own count of columns is used;
/// transition selectors, of degree 1 however tall the trace, are counted here.
struct Degrees<'a> {
    arena: &'a Arena,
    transitions: Vec<u32>,
}

impl<'a> Degrees<'a> {
    fn new(arena: &'a Arena) -> Self {
        let mut transitions: Vec<u32> = Vec::with_capacity(arena.nodes().len());
        for node in arena.nodes() {
            let of = |expr: ExprId| transitions[expr.0 as usize];
            let count = match *node {
                Node::IsTransition => 1,
                Node::Add(a, b) | Node::Sub(a, b) => of(a).max(of(b)),
                Node::Mul(a, b) => of(a).saturating_add(of(b)),
                _ => 0,
            };
            transitions.push(count);
        }
        Self { arena, transitions }
    }

    fn of(&self, expr: ExprId) -> Degree {
        Degree {
            column: self.arena.degree(expr) as usize,
            transition: self.transitions[expr.0 as usize] as usize,
        }
    }
}

/// Which nodes the constraints and lookups use; checks that all of them exist.
fn check_expressions(circuit: &Circuit) -> Result<Vec<bool>, KeyError> {
    let nodes = circuit.arena.nodes();
    let name = || circuit.name.clone();
    let mut used = vec![false; nodes.len()];
    let roots = circuit.constraints.iter().map(|constraint| constraint.expr);
    let arguments = circuit.lookups.iter().flat_map(|lookup| lookup.arguments.iter().copied());
    let multiplicities = circuit.lookups.iter().map(|lookup| lookup.multiplicity);
    for root in roots.chain(multiplicities).chain(arguments) {
        *used
            .get_mut(root.0 as usize)
            .ok_or_else(|| KeyError::UnknownNode { circuit: name() })? = true;
    }
    for (index, node) in nodes.iter().enumerate().rev() {
        let (what, column, count) = match *node {
            Node::Main(column) | Node::MainNext(column) => ("main", column, circuit.width),
            Node::Preprocessed(column) => ("fixed", column, circuit.preprocessed_width()),
            Node::Public(column) => ("public", column, circuit.num_publics),
            Node::Add(a, b) | Node::Sub(a, b) | Node::Mul(a, b) => {
                if a.0 as usize >= index || b.0 as usize >= index {
                    return Err(KeyError::UnknownNode { circuit: name() });
                }
                if used[index] {
                    used[a.0 as usize] = true;
                    used[b.0 as usize] = true;
                }
                continue;
            }
            _ => continue,
        };
        if column as usize >= count {
            return Err(KeyError::Column { circuit: name(), what, column, count });
        }
    }
    Ok(used)
}

/// The constant value of a node, if it is a constant.
pub fn constant(arena: &Arena, expr: ExprId) -> Option<Goldilocks> {
    match arena.node(expr) {
        Node::Constant(value) => Some(value),
        _ => None,
    }
}

/// `value` with `sign` applied: pulls subtract.
pub fn signed<R: PrimeCharacteristicRing>(value: R, pull: bool) -> R {
    if pull { -value } else { value }
}
