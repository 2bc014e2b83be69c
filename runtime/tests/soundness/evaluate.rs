//! Values of a circuit's expressions on concrete rows.

use traceloom_air::field::{Goldilocks, PrimeCharacteristicRing};
use traceloom_air::system::{Circuit, CircuitKind, Node};
use traceloom_air::trace::Trace;

use crate::lab::Lab;

/// Values of all nodes of a circuit without fixed columns on one row.
fn evaluate(
    circuit: &Circuit,
    trace: &Trace,
    publics: &[Goldilocks],
    row: usize,
) -> Vec<Goldilocks> {
    let (local, next) = (trace.row(row), trace.row((row + 1) % trace.height()));
    let mut values: Vec<Goldilocks> = Vec::new();
    for node in circuit.arena.nodes() {
        let value = match *node {
            Node::Constant(value) => value,
            Node::Main(column) => local[column as usize],
            Node::MainNext(column) => next[column as usize],
            Node::Preprocessed(_) => unreachable!("byte tables are left out"),
            Node::Public(index) => publics[index as usize],
            Node::IsFirstRow => Goldilocks::from_bool(row == 0),
            Node::IsTransition => Goldilocks::from_bool(row + 1 != trace.height()),
            Node::Add(a, b) => values[a.0 as usize] + values[b.0 as usize],
            Node::Sub(a, b) => values[a.0 as usize] - values[b.0 as usize],
            Node::Mul(a, b) => values[a.0 as usize] * values[b.0 as usize],
        };
        values.push(value);
    }
    values
}

/// Every message that a row of a function or memory sends, slot padding included.
pub fn messages(lab: &Lab) -> Vec<Vec<Goldilocks>> {
    let mut messages = Vec::new();
    for shard in &lab.shards {
        for (index, circuit) in lab.system.circuits.iter().enumerate() {
            let Some(trace) = &shard.traces[index] else { continue };
            if matches!(circuit.kind, CircuitKind::Bytes(_)) {
                continue;
            }
            for row in 0..trace.height() {
                let values = evaluate(circuit, trace, &shard.publics[index], row);
                let value = |id: traceloom_air::system::ExprId| values[id.0 as usize];
                for lookup in &circuit.lookups {
                    if value(lookup.multiplicity) != Goldilocks::ZERO {
                        messages.push(lookup.arguments.iter().map(|&id| value(id)).collect());
                    }
                }
            }
        }
    }
    messages
}
