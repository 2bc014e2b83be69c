//! What operations do to advice: what they check, which uses they make, what their results are.

use std::rc::Rc;

use traceloom_air::bytes::ByteOp;

use super::facts::{BOUNDED, CHECKED, EQUATED};
use super::graph::{Kind, NodeId, Origin};
use super::report::Sink;
use super::walk::{Summary, Use, UseKind, Walk};
use crate::model::Op;
use crate::text::Element;

impl Walk<'_> {
    /// An operation whose operands are known.
    pub(super) fn operation(&mut self, block: usize, index: usize, op: &Op) {
        let mut operands = Vec::new();
        op.for_each_operand(|value| operands.push(self.values[value.index()]));
        let element = Element::Op(self.id.index(), block, index);
        self.check(op, &operands, element);
        let results = op.num_results();
        for result in 0..results {
            let origin = Origin { block, op: Some(index), result };
            let kind = self.kind(op, &operands, result);
            // The carry is the rest of the sum: its bytes are in it.
            let bytes = self.values.len() - if is_carry(op, result) { result } else { 0 };
            let operands: Vec<NodeId> = match (&kind, op) {
                (Kind::Free(_) | Kind::Computed, _) => Vec::new(),
                (Kind::Behind, Op::Call { function, .. }) => {
                    let input = self.summaries[function.index()].loaded[result];
                    input.map(|input| operands[input]).into_iter().collect()
                }
                (_, Op::Call { function, .. }) => {
                    let flows = &self.summaries[function.index()].flows[result];
                    flows.iter().map(|&input| operands[input]).collect()
                }
                _ => [&operands[..], &self.values[bytes..]].concat(),
            };
            self.facts.work += operands.len() as u64;
            let node = self.graph.add(kind, &operands, origin);
            self.values.push(node);
        }
    }

    /// What an operation checks, and which uses it makes.
    fn check(&mut self, op: &Op, operands: &[NodeId], element: Element) {
        let Self { graph, facts, uses, .. } = self;
        match op {
            Op::Unary(..) | Op::Binary(..) | Op::U32LessThan(..) => {
                operands.iter().for_each(|&node| facts.bound(graph, node));
            }
            Op::AssertEq { lhs, .. } => {
                let (left, right) = operands.split_at(lhs.len());
                for (&a, &b) in left.iter().zip(right) {
                    facts.mention(graph, a);
                    facts.mention(graph, b);
                    facts.equate(graph, &[a, b]);
                }
            }
            Op::Allow { .. } => operands.iter().for_each(|&node| facts.allow(graph, node)),
            Op::Store { .. } => uses.extend(operands.iter().map(|&node| Use {
                node,
                kind: UseKind::Sink(Sink::Store),
                element,
                position: 0,
            })),
            Op::Call { function, constrained: true, .. } => {
                let Summary { inputs, exposed, .. } = &self.summaries[function.index()];
                let mut equated = Vec::new();
                for (position, (&node, &known)) in operands.iter().zip(inputs).enumerate() {
                    if exposed[position].is_some() {
                        let kind = UseKind::Sink(Sink::Call(*function));
                        uses.push(Use { node, kind, element, position });
                    }
                    if known & CHECKED != 0 {
                        facts.mention(graph, node);
                    }
                    if known & BOUNDED != 0 {
                        facts.bound(graph, node);
                    }
                    if known & EQUATED != 0 {
                        equated.push(node);
                    }
                }
                facts.equate(graph, &equated);
            }
            _ => {}
        }
    }

    fn kind(&self, op: &Op, operands: &[NodeId], result: usize) -> Kind {
        match op {
            Op::Const(_) => Kind::Constant,
            Op::Call { constrained: false, .. }
            | Op::IoGetInfo { .. }
            | Op::IoRead { .. }
            | Op::HintBigUintDivRem(..) => Kind::Free(None),
            Op::Call { function, .. } => {
                let Summary { free, loaded, .. } = &self.summaries[function.index()];
                match (&free[result], loaded[result]) {
                    (Some(chain), _) => Kind::Free(Some(Rc::clone(chain))),
                    (_, Some(input)) if self.graph.is_open(operands[input]) => Kind::Behind,
                    _ => Kind::Derived,
                }
            }
            Op::HintU32Add(_) | Op::HintU32Add3(_) if is_carry(op, result) => Kind::Derived,
            Op::HintU32Add(_)
            | Op::HintU32Add3(_)
            | Op::HintFieldToBytes(_)
            | Op::HintInverse(_) => Kind::Computed,
            Op::Load { .. } if self.graph.is_open(operands[0]) => Kind::Behind,
            Op::Load { .. } | Op::Store { .. } => Kind::Clean,
            Op::EqZero(_)
            | Op::U32LessThan(..)
            | Op::Binary(ByteOp::And | ByteOp::Or | ByteOp::LessThan, ..) => Kind::Lossy,
            _ => Kind::Derived,
        }
    }
}

/// Whether a result is the carry of a hinted sum, an expression of operands and bytes.
fn is_carry(op: &Op, result: usize) -> bool {
    matches!(op, Op::HintU32Add(_) | Op::HintU32Add3(_)) && result == 4
}
