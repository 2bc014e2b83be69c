//! Stage 2 from its definition: one row and one fraction after the other.

use traceloom_air::field::{Goldilocks, PrimeCharacteristicRing, element};
use traceloom_air::system::{Circuit, Direction, ExprId, Node};
use traceloom_air::trace::Trace;
use traceloom_prover::backend::ShardInput;
use traceloom_prover::cpu::CpuKey;
use traceloom_verifier::LookupChallenges;
use traceloom_verifier::layout::CircuitLayout;
use traceloom_verifier::scheme::Extension;

/// Generates the subgroup of order 2^32.
const ROOT: u64 = 1_753_635_133_440_165_772;

/// Generates the subgroup of order `2^log_order`.
pub fn generator(log_order: usize) -> Goldilocks {
    element(ROOT).exp_power_of_2(32 - log_order)
}

/// What expressions read at one point.
pub struct Row<'a> {
    /// Main columns.
    pub main: &'a [Goldilocks],
    /// Main columns of the next row.
    pub next: &'a [Goldilocks],
    /// Fixed columns.
    pub fixed: &'a [Goldilocks],
    /// Public values.
    pub publics: &'a [Goldilocks],
    /// The selector of the first row.
    pub first: Goldilocks,
    /// The selector of all rows but the last.
    pub transition: Goldilocks,
}

/// Values of all nodes.
pub fn nodes(circuit: &Circuit, row: &Row<'_>) -> Vec<Goldilocks> {
    let mut values: Vec<Goldilocks> = Vec::with_capacity(circuit.arena.nodes().len());
    for node in circuit.arena.nodes() {
        let of = |expr: ExprId| values[expr.0 as usize];
        values.push(match *node {
            Node::Constant(value) => value,
            Node::Main(column) => row.main[column as usize],
            Node::MainNext(column) => row.next[column as usize],
            Node::Preprocessed(column) => row.fixed[column as usize],
            Node::Public(index) => row.publics[index as usize],
            Node::IsFirstRow => row.first,
            Node::IsTransition => row.transition,
            Node::Add(a, b) => of(a) + of(b),
            Node::Sub(a, b) => of(a) - of(b),
            Node::Mul(a, b) => of(a) * of(b),
        });
    }
    values
}

/// Numerator and denominator of each group's fraction, from the values of all nodes.
pub fn fractions<E: Extension>(
    circuit: &Circuit,
    layout: &CircuitLayout,
    challenges: &LookupChallenges<E>,
    values: &[Goldilocks],
) -> Vec<(E, E)> {
    let fraction = |group: &std::ops::Range<usize>| {
        let (mut numerator, mut denominator) = (E::ZERO, E::ONE);
        for lookup in &circuit.lookups[group.clone()] {
            let arguments = lookup.arguments.iter();
            let message: Vec<_> = arguments.map(|id| values[id.0 as usize]).collect();
            let (own, count) =
                (challenges.denominator(&message), values[lookup.multiplicity.0 as usize]);
            let count = if lookup.direction == Direction::Pull { -count } else { count };
            numerator = numerator * own + denominator * count;
            denominator *= own;
        }
        (numerator, denominator)
    };
    layout.groups.iter().map(fraction).collect()
}

/// The partial sums of a circuit, row by row, and what they end in.
pub struct Accumulator<E> {
    /// One cell per row and group.
    pub cells: Vec<E>,
    /// The sum of all fractions.
    pub terminal: E,
}

/// The honest partial sums.
pub fn accumulator<E: Extension>(
    input: ShardInput<'_, CpuKey>,
    circuit: usize,
    trace: &Trace,
    challenges: &LookupChallenges<E>,
) -> Accumulator<E> {
    let key = input.key.verifying_key();
    let (data, layout) = (&key.system().circuits[circuit], &key.layouts()[circuit]);
    let mut sums = Accumulator { cells: Vec::new(), terminal: E::ZERO };
    if layout.groups.is_empty() {
        return sums;
    }
    let fixed: Vec<Goldilocks> = data
        .preprocessed()
        .map_or(vec![], |table| table.preprocessed().into_iter().map(element).collect());
    let (height, fixed_width) = (trace.height(), data.preprocessed_width());
    let root = generator(height.ilog2() as usize);
    let last = root.exp_u64(height as u64 - 1);
    let mut point = Goldilocks::ONE;
    for index in 0..height {
        let row = Row {
            main: trace.row(index),
            next: trace.row((index + 1) % height),
            fixed: &fixed[index * fixed_width..][..fixed_width],
            publics: &input.publics[circuit],
            first: if index == 0 { element(height as u64) } else { Goldilocks::ZERO },
            transition: point - last,
        };
        for (numerator, denominator) in fractions::<E>(data, layout, challenges, &nodes(data, &row))
        {
            sums.cells.push(sums.terminal);
            // Most rows of a byte table are looked up by nobody.
            if numerator != E::ZERO {
                sums.terminal += numerator * denominator.inverse();
            }
        }
        point *= root;
    }
    sums
}

/// Elements as base columns.
pub fn flat<E: Extension>(elements: &[E]) -> Vec<Goldilocks> {
    elements.iter().flat_map(|element| element.as_basis_coefficients_slice()).copied().collect()
}
