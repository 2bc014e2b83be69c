//! The constraint identity of one circuit at zeta, section 5.

use traceloom::air::field::word;
use traceloom::air::system::{Circuit, Node};

use crate::field::{Ext, inverse, mul, root_of_unity};
use crate::lookup::{self, Challenges, Layout, Omitted, StageTwo};

/// What a circuit's opened values say.
pub struct Opened<'a, const D: usize> {
    /// Fixed columns at zeta.
    pub fixed: &'a [Ext<D>],
    /// Main columns at zeta.
    pub main: &'a [Ext<D>],
    /// Main columns at zeta·g, empty if not opened.
    pub main_next: &'a [Ext<D>],
    /// Stage 2 at zeta: base columns.
    pub stage_two: &'a [Ext<D>],
    /// Stage 2 at zeta·g: base columns.
    pub stage_two_next: &'a [Ext<D>],
    /// Quotient slices at zeta: base columns.
    pub quotient: &'a [Ext<D>],
}

/// Whether the folded constraints, less the omitted one, are the vanishing polynomial
/// times the quotient.
#[allow(clippy::too_many_arguments)]
pub fn identity_holds<const D: usize>(
    circuit: &Circuit,
    layout: &Layout,
    log_height: usize,
    publics: &[u64],
    terminal: Ext<D>,
    challenges: &Challenges<D>,
    alpha: Ext<D>,
    zeta: Ext<D>,
    opened: &Opened<'_, D>,
    omitted: Option<Omitted>,
) -> bool {
    let selectors = Selectors::new(log_height, zeta);
    let nodes = evaluate(circuit.arena.nodes(), opened, publics, &selectors);
    let (local, next) = (combine(opened.stage_two), combine(opened.stage_two_next));
    let stage = StageTwo {
        local: &local,
        next: &next,
        first: selectors.first,
        transition: selectors.transition,
        last: selectors.last,
        terminal,
    };
    let own = circuit.constraints.iter().map(|constraint| nodes[constraint.expr.0 as usize]);
    let stage_two = lookup::constraints(circuit, layout, challenges, &nodes, &stage, omitted);
    let folded: Vec<Ext<D>> = own.chain(stage_two).collect();
    let folded = folded.iter().rev().fold(Ext::ZERO, |sum, &value| sum * alpha + value);
    let power = zeta.pow(1 << log_height);
    let slices = combine(opened.quotient);
    let quotient = slices.iter().rev().fold(Ext::ZERO, |sum, &slice| sum * power + slice);
    folded == selectors.vanishing * quotient
}

/// Selectors at zeta, which must lie outside the trace domain.
struct Selectors<const D: usize> {
    vanishing: Ext<D>,
    first: Ext<D>,
    transition: Ext<D>,
    last: Ext<D>,
}

impl<const D: usize> Selectors<D> {
    fn new(log_height: usize, zeta: Ext<D>) -> Self {
        let generator = root_of_unity(log_height);
        let vanishing = zeta.pow(1 << log_height) - Ext::one();
        let transition = zeta - Ext::base(inverse(generator));
        let over = |divisor: Ext<D>| {
            vanishing * divisor.inverse().expect("zeta is outside the trace domain")
        };
        Self {
            vanishing,
            first: over(zeta - Ext::one()),
            transition,
            last: over(transition.scale(mul(1 << log_height, generator))),
        }
    }
}

/// Elements of E from their base columns.
fn combine<const D: usize>(columns: &[Ext<D>]) -> Vec<Ext<D>> {
    let join = |columns: &[Ext<D>]| {
        let terms = columns.iter().enumerate();
        terms.fold(Ext::ZERO, |sum, (c, &column)| sum + Ext::monomial(c) * column)
    };
    columns.chunks(D).map(join).collect()
}

fn evaluate<const D: usize>(
    nodes: &[Node],
    opened: &Opened<'_, D>,
    publics: &[u64],
    selectors: &Selectors<D>,
) -> Vec<Ext<D>> {
    let mut values: Vec<Ext<D>> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let of = |expr: &traceloom::air::system::ExprId| values[expr.0 as usize];
        values.push(match node {
            Node::Constant(value) => Ext::base(word(*value)),
            Node::Main(column) => opened.main[*column as usize],
            // Not opened: then no constraint or lookup uses it.
            Node::MainNext(column) => {
                opened.main_next.get(*column as usize).copied().unwrap_or(Ext::ZERO)
            }
            Node::Preprocessed(column) => opened.fixed[*column as usize],
            Node::Public(index) => Ext::base(publics[*index as usize]),
            Node::IsFirstRow => selectors.first,
            Node::IsTransition => selectors.transition,
            Node::Add(a, b) => of(a) + of(b),
            Node::Sub(a, b) => of(a) - of(b),
            Node::Mul(a, b) => of(a) * of(b),
        });
    }
    values
}
