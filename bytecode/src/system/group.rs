//! A function circuit: one function, or a group, and how its messages are gated.
//!
//! On a row with every selector at 0 nothing is required, and nothing can be provided
//! either: multiplicity·(1 - row selector) = 0.
//!
//! Rule 4, gating. A lookup slot is shared by exclusive branches: its multiplicity is
//! the sum of their selectors, and its arguments are the sum of theirs, each times its
//! selector. A slot that one sender alone uses, over all members, is ungated: its
//! arguments are the sender's own, which lowers their degree.
//! - A push has the sender's selector as multiplicity. Where the selector is 0 nothing is
//!   sent, whatever the arguments are; where it is 1 the product is the argument.
//! - The return, slot 0, has one sender if the circuit has one return leaf over all
//!   members. Its multiplicity is a column, which rule 1 forces to 0 where the row selector
//!   is 0. The leaf's selector equals the row selector: there is one member, no arm returns
//!   early, and each continuation is on exactly where its match is. So where a row returns
//!   anything at all, the leaf is on and the product is the argument.

use std::collections::BTreeSet;

use traceloom_air::bytes::ByteOp;
use traceloom_air::system::{Arena, Circuit, CircuitKind, Constraint, Direction, ExprId, Lookup};

use super::member::Member;
use crate::check::CheckedProgram;
use crate::layout::FunctionLayout;
use crate::model::FunctionId;

/// Columns of a function circuit: inputs | selectors | auxiliaries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupColumns {
    /// By member: column of its selector 0.
    pub first_selector: Vec<usize>,
    /// Column of auxiliary 0, the multiplicity.
    pub first_auxiliary: usize,
    /// Number of columns.
    pub width: usize,
    /// Number of lookup slots.
    pub num_lookups: usize,
}

impl GroupColumns {
    /// Columns of the circuit with these members.
    #[must_use]
    pub fn new(program: &CheckedProgram, members: &[FunctionId]) -> Self {
        let layouts = || members.iter().map(|&member| program.layout(member));
        let most = |count: fn(&FunctionLayout) -> usize| layouts().map(count).max().unwrap_or(0);
        let mut first_auxiliary = most(|layout| layout.num_inputs);
        let mut first_selector = Vec::with_capacity(members.len());
        for layout in layouts() {
            first_selector.push(first_auxiliary);
            first_auxiliary += layout.num_selectors;
        }
        let width = first_auxiliary + most(|layout| layout.num_auxiliaries);
        let num_lookups = most(|layout| layout.num_lookups);
        Self { first_selector, first_auxiliary, width, num_lookups }
    }
}

/// Builds the circuit of `members`; adds the byte operations that it looks up.
pub(super) fn build(
    program: &CheckedProgram,
    members: &[FunctionId],
    byte_ops: &mut BTreeSet<ByteOp>,
) -> Circuit {
    let columns = GroupColumns::new(program, members);
    let mut group = Group {
        slots: vec![Slot::default(); columns.num_lookups],
        columns,
        arena: Arena::default(),
        constraints: Vec::new(),
    };
    for selector in group.columns.first_selector[0]..group.columns.first_auxiliary {
        let selector = group.arena.main(selector);
        group.require_bit(selector, || "a selector is a bit".into());
    }
    let mut row_selectors = Vec::with_capacity(members.len());
    for (position, &id) in members.iter().enumerate() {
        let member = Member::new(program, &mut group, position, id);
        row_selectors.push(member.selectors[0]);
        member.build(&mut group, byte_ops);
    }
    group.require_activity(&row_selectors);
    group.finish(program, members)
}

/// A circuit under construction.
pub(crate) struct Group {
    pub columns: GroupColumns,
    pub arena: Arena,
    constraints: Vec<Constraint>,
    slots: Vec<Slot>,
}

/// Those who use a lookup slot.
#[derive(Clone, Default)]
struct Slot {
    senders: Vec<Sender>,
    /// Of the first sender.
    label: String,
}

/// One message of a slot, sent where its gate is 1.
#[derive(Clone)]
struct Sender {
    /// Selector of the block, a bit.
    gate: ExprId,
    message: Vec<ExprId>,
}

impl Group {
    /// Auxiliary column `auxiliary` of the circuit.
    pub fn auxiliary(&mut self, auxiliary: usize) -> ExprId {
        self.arena.main(self.columns.first_auxiliary + auxiliary)
    }

    /// `expr = 0`.
    pub fn require(&mut self, expr: ExprId, label: impl FnOnce() -> String) {
        self.constraints.push(Constraint { expr, label: label() });
    }

    /// `expr · (expr - 1) = 0`.
    pub fn require_bit(&mut self, expr: ExprId, label: impl FnOnce() -> String) {
        let one = self.arena.word(1);
        let off = self.arena.sub(expr, one);
        let product = self.arena.mul(expr, off);
        self.require(product, label);
    }

    /// `gate · expr = 0`.
    pub fn require_gated(&mut self, gate: ExprId, expr: ExprId, label: impl FnOnce() -> String) {
        let gated = self.arena.mul(gate, expr);
        self.require(gated, label);
    }

    /// Rule 1, activity, of functions only: the row selector is a bit, and a row that is off
    /// provides nothing. (Any row of a memory may provide its cell.)
    fn require_activity(&mut self, row_selectors: &[ExprId]) {
        let row = self.arena.sum(row_selectors.iter().copied());
        self.require_bit(row, || "the row selector is a bit".into());
        let one = self.arena.word(1);
        let off = self.arena.sub(one, row);
        let multiplicity = self.auxiliary(0);
        self.require_gated(multiplicity, off, || "no multiplicity without row selector".into());
    }

    /// Adds a message to a slot.
    pub fn send(&mut self, slot: usize, gate: ExprId, message: Vec<ExprId>, label: String) {
        let slot = &mut self.slots[slot];
        if slot.senders.is_empty() {
            slot.label = label;
        }
        slot.senders.push(Sender { gate, message });
    }

    /// What the senders of a slot send together, see rule 4 above.
    fn arguments(&mut self, senders: &[Sender]) -> Vec<ExprId> {
        if let [alone] = senders {
            return alone.message.clone();
        }
        let longest = senders.iter().map(|sender| sender.message.len()).max().unwrap_or(0);
        let mut arguments = vec![Vec::new(); longest];
        for Sender { gate, message } in senders {
            for (terms, &argument) in arguments.iter_mut().zip(message) {
                terms.push(self.arena.mul(*gate, argument));
            }
        }
        arguments.into_iter().map(|terms| self.arena.sum(terms)).collect()
    }

    fn finish(mut self, program: &CheckedProgram, members: &[FunctionId]) -> Circuit {
        let mut lookups = Vec::with_capacity(self.slots.len());
        for (position, slot) in std::mem::take(&mut self.slots).into_iter().enumerate() {
            // Slot 0 is the return: provided as often as the multiplicity says.
            let (direction, multiplicity) = match position {
                0 => (Direction::Pull, self.auxiliary(0)),
                _ => {
                    let gates = slot.senders.iter().map(|sender| sender.gate);
                    (Direction::Push, self.arena.sum(gates))
                }
            };
            let arguments = self.arguments(&slot.senders);
            let label = match slot.senders.len() {
                0 | 1 => slot.label,
                users => format!("{} (and {} more)", slot.label, users - 1),
            };
            lookups.push(Lookup { direction, multiplicity, arguments, label });
        }
        let names: Vec<&str> = members.iter().map(|&m| &program.function(m).name[..]).collect();
        Circuit {
            name: names.join("+"),
            kind: CircuitKind::Function {
                members: members.iter().map(|member| member.0).collect(),
                recursive: members.iter().any(|&member| program.callgraph().is_ranked(member)),
            },
            width: self.columns.width,
            column_names: column_names(&self.columns),
            num_publics: 0,
            arena: self.arena,
            constraints: self.constraints,
            lookups,
        }
    }
}

fn column_names(columns: &GroupColumns) -> Vec<String> {
    let inputs = columns.first_selector[0];
    let name = |column: usize| match column {
        _ if column < inputs => format!("input{column}"),
        _ if column < columns.first_auxiliary => format!("selector{}", column - inputs),
        _ if column == columns.first_auxiliary => "multiplicity".into(),
        _ => format!("auxiliary{}", column - columns.first_auxiliary),
    };
    (0..columns.width).map(name).collect()
}
