//! Constraints and lookups of a function circuit: one function, or a group.
//!
//! Every expression of a block is gated by the block's selector: the sum of its
//! leaves' selectors, where a continuation's leaves do not count towards the
//! match in front of it. All sums are bits, so at most one path of one member is
//! on, and its blocks' selectors are 1 and all others 0. On a row with every
//! selector at 0 nothing is required, and nothing can be provided either:
//! multiplicity·(1 - row selector) = 0.
//!
//! A lookup slot is shared by exclusive branches: its multiplicity is the sum of
//! their selectors and its arguments are superposed, each gated. Only where the
//! whole circuit has exactly one leaf are arguments sent ungated: then a row
//! with the selector off sends nothing, since all multiplicities are 0.

use traceloom_air::bytes::{ByteOp, ByteTable};
use traceloom_air::field::{Goldilocks, PrimeCharacteristicRing, element, inverse_or_zero};
use traceloom_air::message::{FUNCTION_CHANNEL, MEMORY_CHANNEL};
use traceloom_air::system::{
    Arena, Circuit, CircuitKind, Constraint, Direction, ExprId, Lookup, Node,
};

use crate::callgraph::{GAP_BYTES, RankedCall};
use crate::check::CheckedProgram;
use crate::layout::{BlockPlace, FunctionLayout, OpPlace};
use crate::model::{Control, Function, FunctionId, Match, Op, ValueId};

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

/// Builds the circuit of `members`; marks the byte tables that it looks up.
pub(super) fn build(
    program: &CheckedProgram,
    members: &[FunctionId],
    tables: &mut [bool; 2],
) -> Circuit {
    let columns = GroupColumns::new(program, members);
    let leaves: usize = members.iter().map(|&m| program.layout(m).num_selectors).sum();
    let alone = members.len() == 1 && program.function(members[0]).blocks.len() == 1;
    let mut group = Group {
        gated: !(alone && leaves == 1),
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
        member.build(&mut group, tables);
    }
    group.require_activity(&row_selectors);
    group.finish(program, members)
}

/// A circuit under construction.
struct Group {
    columns: GroupColumns,
    gated: bool,
    arena: Arena,
    constraints: Vec<Constraint>,
    slots: Vec<Slot>,
}

/// Terms of a lookup slot.
#[derive(Clone, Default)]
struct Slot {
    multiplicity: Vec<ExprId>,
    arguments: Vec<Vec<ExprId>>,
    label: String,
    users: usize,
}

impl Group {
    fn auxiliary(&mut self, auxiliary: usize) -> ExprId {
        self.arena.main(self.columns.first_auxiliary + auxiliary)
    }

    fn require(&mut self, expr: ExprId, label: impl FnOnce() -> String) {
        self.constraints.push(Constraint { expr, label: label() });
    }

    fn require_bit(&mut self, expr: ExprId, label: impl FnOnce() -> String) {
        let one = self.arena.word(1);
        let off = self.arena.sub(expr, one);
        let product = self.arena.mul(expr, off);
        self.require(product, label);
    }

    /// `gate · expr = 0`.
    fn require_gated(&mut self, gate: ExprId, expr: ExprId, label: impl FnOnce() -> String) {
        let gated = self.arena.mul(gate, expr);
        self.require(gated, label);
    }

    /// Rule 1, activity: the row selector is a bit, and a row that is off provides
    /// nothing.
    fn require_activity(&mut self, row_selectors: &[ExprId]) {
        let row = self.arena.sum(row_selectors.iter().copied());
        self.require_bit(row, || "the row selector is a bit".into());
        let one = self.arena.word(1);
        let off = self.arena.sub(one, row);
        let multiplicity = self.auxiliary(0);
        self.require_gated(multiplicity, off, || "no multiplicity without row selector".into());
    }

    /// Adds a message to a slot, gated unless the circuit has a single leaf.
    fn send(&mut self, slot: usize, gate: ExprId, message: &[ExprId], label: String) {
        let terms = message.iter().map(|&argument| match self.gated {
            true => self.arena.mul(gate, argument),
            false => argument,
        });
        let terms: Vec<ExprId> = terms.collect();
        let slot = &mut self.slots[slot];
        if slot.users == 0 {
            slot.label = label;
        }
        slot.users += 1;
        slot.multiplicity.push(gate);
        if slot.arguments.len() < terms.len() {
            slot.arguments.resize(terms.len(), Vec::new());
        }
        for (argument, term) in slot.arguments.iter_mut().zip(terms) {
            argument.push(term);
        }
    }

    fn finish(mut self, program: &CheckedProgram, members: &[FunctionId]) -> Circuit {
        let mut lookups = Vec::with_capacity(self.slots.len());
        for (position, slot) in std::mem::take(&mut self.slots).into_iter().enumerate() {
            // Slot 0 is the return: provided as often as the multiplicity says.
            let (direction, multiplicity) = match position {
                0 => (Direction::Pull, self.auxiliary(0)),
                _ => (Direction::Push, self.arena.sum(slot.multiplicity)),
            };
            let arguments = slot.arguments.into_iter().map(|terms| self.arena.sum(terms));
            let arguments = arguments.collect();
            let label = match slot.users {
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

/// A function whose constraints are being added to a group.
struct Member<'a> {
    program: &'a CheckedProgram,
    id: FunctionId,
    function: &'a Function,
    layout: &'a FunctionLayout,
    /// By block: its selector.
    selectors: Vec<ExprId>,
    /// By block: sum of the yields that go to the continuation around it.
    yields: Vec<ExprId>,
    /// By selector: its column.
    columns: Vec<ExprId>,
}

/// Yields of one match with continuation: selector and values of each.
type Yields = Vec<(ExprId, Vec<ExprId>)>;

impl<'a> Member<'a> {
    fn new(
        program: &'a CheckedProgram,
        group: &mut Group,
        position: usize,
        id: FunctionId,
    ) -> Self {
        let (function, layout) = (program.function(id), program.layout(id));
        let first = group.columns.first_selector[position];
        let arena = &mut group.arena;
        let columns: Vec<_> = (0..layout.num_selectors).map(|s| arena.main(first + s)).collect();
        let zero = arena.word(0);
        let mut selectors = vec![zero; function.blocks.len()];
        let mut yields = vec![zero; function.blocks.len()];
        for (index, block) in function.blocks.iter().enumerate().rev() {
            match &block.control {
                Control::Return { selector, .. } => selectors[index] = columns[*selector as usize],
                Control::Yield { selector, .. } => {
                    selectors[index] = columns[*selector as usize];
                    yields[index] = selectors[index];
                }
                Control::Match(arms) => {
                    selectors[index] = arena.sum(arms.blocks().map(|b| selectors[b.index()]));
                    yields[index] = arena.sum(arms.blocks().map(|b| yields[b.index()]));
                }
                Control::MatchContinue { arms, continuation, .. } => {
                    selectors[index] = arena.sum(arms.blocks().map(|b| selectors[b.index()]));
                    yields[index] = yields[continuation.index()];
                }
            }
        }
        Self { program, id, function, layout, selectors, yields, columns }
    }

    fn build(&self, group: &mut Group, tables: &mut [bool; 2]) {
        let inputs = 0..self.layout.num_inputs;
        let inputs: Vec<ExprId> = inputs.map(|column| group.arena.main(column)).collect();
        let mut values = inputs.clone();
        // By block: the match with continuation that its yields go to.
        let mut targets: Vec<Option<usize>> = vec![None; self.function.blocks.len()];
        let mut yields: Vec<Yields> = vec![Vec::new(); self.function.blocks.len()];
        let mut returns: Yields = Vec::new();
        for (index, block) in self.function.blocks.iter().enumerate() {
            let place = &self.layout.blocks[index];
            values.truncate(place.num_values - place.num_merged);
            values.extend(self.merge_columns(group, index));
            let gate = self.selectors[index];
            if block.control.arms().is_some() {
                group.require_bit(gate, || self.label(index, "selector sum is a bit"));
            }
            for (op_index, (op, op_place)) in block.ops.iter().zip(&place.ops).enumerate() {
                let mut context = OpContext {
                    member: self,
                    group,
                    tables,
                    gate,
                    place: *op_place,
                    label: format!(
                        "{}: block {index}, op {op_index} {}",
                        self.function.name,
                        op.name()
                    ),
                };
                let results = context.op(op, &values);
                debug_assert_eq!(results.len(), op.num_results());
                values.extend(results);
            }
            let read = |used: &[ValueId]| used.iter().map(|v| values[v.index()]).collect();
            match &block.control {
                Control::Return { selector, values } => {
                    returns.push((self.columns[*selector as usize], read(values)));
                }
                Control::Yield { selector, values } => {
                    let target = targets[index].expect("a checked yield has a match");
                    yields[target].push((self.columns[*selector as usize], read(values)));
                }
                Control::Match(arms) => {
                    self.require_arms(group, index, arms, values[arms.value.index()], place);
                    arms.blocks().for_each(|b| targets[b.index()] = targets[index]);
                }
                Control::MatchContinue { arms, continuation, .. } => {
                    self.require_arms(group, index, arms, values[arms.value.index()], place);
                    arms.blocks().for_each(|b| targets[b.index()] = Some(index));
                    targets[continuation.index()] = targets[index];
                }
            }
        }
        self.require_merges(group, &yields);
        self.send_return(group, &inputs, &returns);
    }

    fn label(&self, block: usize, what: &str) -> String {
        format!("{}: block {block}, {what}", self.function.name)
    }

    /// The merge columns in front of block `index`, none unless it continues a match.
    fn merge_columns(&self, group: &mut Group, index: usize) -> Vec<ExprId> {
        let place = &self.layout.blocks[index];
        let count = place.num_merged;
        let first = place.first_auxiliary - count;
        (0..count).map(|i| group.auxiliary(first + i)).collect()
    }

    /// A case is taken only for its key, the default only for none of them.
    fn require_arms(
        &self,
        group: &mut Group,
        index: usize,
        arms: &Match,
        value: ExprId,
        place: &BlockPlace,
    ) {
        for (key, block) in &arms.cases {
            let key = group.arena.constant(*key);
            let difference = group.arena.sub(value, key);
            let gate = self.selectors[block.index()];
            group.require_gated(gate, difference, || self.label(index, "case has its key"));
        }
        let Some(default) = arms.default else { return };
        let gate = self.selectors[default.index()];
        for (position, (key, _)) in arms.cases.iter().enumerate() {
            let key = group.arena.constant(*key);
            let difference = group.arena.sub(value, key);
            let inverse = group.auxiliary(place.end_auxiliary + position);
            let product = group.arena.mul(difference, inverse);
            let one = group.arena.word(1);
            let expr = group.arena.sub(product, one);
            group.require_gated(gate, expr, || self.label(index, "default differs from the key"));
        }
    }

    /// A merge column is what the yield that is on yields; a continuation is on
    /// exactly when a yield is.
    fn require_merges(&self, group: &mut Group, yields: &[Yields]) {
        for (index, block) in self.function.blocks.iter().enumerate() {
            let Control::MatchContinue { arms, continuation, .. } = &block.control else {
                continue;
            };
            let merged = self.merge_columns(group, continuation.index());
            for (position, column) in merged.into_iter().enumerate() {
                let terms = yields[index].iter();
                let terms: Vec<ExprId> = terms
                    .map(|(selector, values)| group.arena.mul(*selector, values[position]))
                    .collect();
                let yielded = group.arena.sum(terms);
                // Where no arm is on, neither is a yield: the parent gates both.
                let column = group.arena.mul(self.selectors[index], column);
                let expr = group.arena.sub(column, yielded);
                group.require(expr, || self.label(index, "merge column is the yielded value"));
            }
            let yielding = group.arena.sum(arms.blocks().map(|b| self.yields[b.index()]));
            let expr = group.arena.sub(self.selectors[continuation.index()], yielding);
            group.require(expr, || self.label(index, "continuation follows the yields"));
        }
    }

    /// Slot 0: the row provides its query, once per multiplicity.
    fn send_return(&self, group: &mut Group, inputs: &[ExprId], returns: &Yields) {
        let channel = group.arena.word(FUNCTION_CHANNEL);
        let function = group.arena.word(self.id.0.into());
        let mut head = vec![channel, function];
        if self.layout.ranked {
            head.push(group.auxiliary(1));
        }
        head.extend_from_slice(inputs);
        for (selector, outputs) in returns {
            let message = [&head[..], &outputs[..]].concat();
            let label = format!("{}: return", self.function.name);
            group.send(0, *selector, &message, label);
        }
    }
}

/// One operation that is being added.
struct OpContext<'a, 'b> {
    member: &'a Member<'b>,
    group: &'a mut Group,
    tables: &'a mut [bool; 2],
    gate: ExprId,
    place: OpPlace,
    label: String,
}

impl OpContext<'_, '_> {
    /// Adds constraints and lookups of `op`; its results.
    fn op(&mut self, op: &Op, values: &[ExprId]) -> Vec<ExprId> {
        let read = |value: &ValueId| values[value.index()];
        let list = |used: &[ValueId]| -> Vec<ExprId> { used.iter().map(read).collect() };
        match op {
            Op::Const(value) => vec![self.arena().constant(*value)],
            Op::Add(a, b) => vec![self.arena().add(read(a), read(b))],
            Op::Sub(a, b) => vec![self.arena().sub(read(a), read(b))],
            Op::Mul(a, b) => vec![self.mul(read(a), read(b))],
            Op::EqZero(a) => vec![self.eq_zero(read(a))],
            Op::Call { function, args, num_outputs, constrained } => {
                self.call(*function, &list(args), *num_outputs as usize, *constrained)
            }
            Op::Store { values } => {
                let pointer = self.columns(0, 1);
                self.memory(&list(values), pointer[0]);
                pointer
            }
            Op::Load { width, pointer } => {
                let loaded = self.columns(0, *width as usize);
                self.memory(&loaded, read(pointer));
                loaded
            }
            Op::AssertEq { lhs, rhs, .. } => {
                for (a, b) in lhs.iter().zip(rhs) {
                    let difference = self.arena().sub(read(a), read(b));
                    self.require(difference, "both sides are equal");
                }
                Vec::new()
            }
            Op::IoSetInfo { .. } | Op::IoWrite { .. } | Op::Debug { .. } => Vec::new(),
            Op::IoGetInfo { .. }
            | Op::IoRead { .. }
            | Op::HintFieldToBytes(_)
            | Op::HintInverse(_)
            | Op::HintBigUintDivRem(..) => self.columns(0, op.num_results()),
            Op::Unary(op, a) => {
                let results = self.columns(0, op.num_results());
                self.byte_op(0, *op, &[read(a)], &results);
                results
            }
            Op::Binary(op, a, b) => self.binary(*op, read(a), read(b)),
            Op::U32LessThan(a, b) => vec![self.u32_less_than(read(a), read(b))],
            Op::U32ToField(bytes) => vec![self.pack(&list(bytes))],
            Op::HintU32Add(words) => self.u32_sum(&words.each_ref().map(|word| list(word))),
            Op::HintU32Add3(words) => self.u32_sum(&words.each_ref().map(|word| list(word))),
        }
    }

    fn arena(&mut self) -> &mut Arena {
        &mut self.group.arena
    }

    /// `count` auxiliaries of this operation from its `first` on.
    fn columns(&mut self, first: usize, count: usize) -> Vec<ExprId> {
        let first = self.place.first_auxiliary + first;
        (0..count).map(|i| self.group.auxiliary(first + i)).collect()
    }

    fn require(&mut self, expr: ExprId, what: &str) {
        let label = || format!("{}: {what}", self.label);
        self.group.require_gated(self.gate, expr, label);
    }

    /// Sends a message in the `slot`-th lookup slot of this operation.
    fn send(&mut self, slot: usize, message: &[ExprId]) {
        let slot = self.place.first_lookup + slot;
        self.group.send(slot, self.gate, message, self.label.clone());
    }

    fn byte_op(&mut self, slot: usize, op: ByteOp, operands: &[ExprId], results: &[ExprId]) {
        self.tables[op.table() as usize] = true;
        let channel = self.arena().word(op.channel());
        self.send(slot, &[&[channel], operands, results].concat());
    }

    fn range_check(&mut self, slot: usize, bytes: &[ExprId]) {
        debug_assert_eq!(ByteOp::RangeCheck.table(), ByteTable::Bytes2);
        self.byte_op(slot, ByteOp::RangeCheck, bytes, &[]);
    }

    fn mul(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let product = self.arena().mul(a, b);
        // The tracked degree decides, not whether the expression folded.
        if self.place.num_auxiliaries == 0 {
            return product;
        }
        let column = self.columns(0, 1)[0];
        let difference = self.arena().sub(product, column);
        self.require(difference, "column is the product");
        column
    }

    fn eq_zero(&mut self, a: ExprId) -> ExprId {
        if self.place.num_auxiliaries == 0 {
            let Node::Constant(value) = self.arena().node(a) else {
                unreachable!("a value of degree 0 is built from constants and folds");
            };
            return self.arena().word(u64::from(value == Goldilocks::ZERO));
        }
        let columns = self.columns(0, 2);
        let (inverse, is_zero) = (columns[0], columns[1]);
        let product = self.arena().mul(a, is_zero);
        self.require(product, "the result is 0 unless the operand is");
        let product = self.arena().mul(a, inverse);
        let sum = self.arena().add(product, is_zero);
        let one = self.arena().word(1);
        let expr = self.arena().sub(sum, one);
        self.require(expr, "the result is 1 if the operand is 0");
        is_zero
    }

    fn call(
        &mut self,
        callee: FunctionId,
        args: &[ExprId],
        num_outputs: usize,
        constrained: bool,
    ) -> Vec<ExprId> {
        let outputs = self.columns(0, num_outputs);
        if !constrained {
            return outputs;
        }
        let mut message =
            vec![self.arena().word(FUNCTION_CHANNEL), self.arena().word(callee.0.into())];
        match self.place.ranked_call {
            RankedCall::None => {}
            RankedCall::Outside => message.extend(self.columns(num_outputs, 1)),
            RankedCall::Inside => {
                let gap = self.columns(num_outputs, GAP_BYTES);
                self.range_check(1, &gap[..2]);
                self.range_check(2, &gap[2..]);
                let gap = self.pack(&gap);
                let rank = self.group.auxiliary(1);
                let one = self.arena().word(1);
                let rank = self.arena().sub(rank, one);
                message.push(self.arena().sub(rank, gap));
            }
        }
        debug_assert!(self.member.program.function(callee).constrained);
        message.extend_from_slice(args);
        message.extend_from_slice(&outputs);
        self.send(0, &message);
        outputs
    }

    fn memory(&mut self, values: &[ExprId], pointer: ExprId) {
        let channel = self.arena().word(MEMORY_CHANNEL);
        let width = self.arena().word(values.len() as u64);
        self.send(0, &[&[channel, width, pointer], values].concat());
    }

    fn binary(&mut self, op: ByteOp, a: ExprId, b: ExprId) -> Vec<ExprId> {
        let mut results = self.columns(0, op.num_results());
        self.byte_op(0, op, &[a, b], &results);
        // carry = (a + b - low) / 256, borrow = (low + b - a) / 256.
        let (plus, minus) = match op {
            ByteOp::Add => (a, results[0]),
            ByteOp::Sub => (results[0], a),
            _ => return results,
        };
        let sum = self.arena().add(plus, b);
        let difference = self.arena().sub(sum, minus);
        results.push(self.divide(difference, 1 << 8));
        results
    }

    /// `expr / power`, a constant power of two.
    fn divide(&mut self, expr: ExprId, power: u64) -> ExprId {
        let inverse = self.arena().constant(inverse_or_zero(element(power)));
        self.arena().mul(expr, inverse)
    }

    /// Little-endian packing of bytes.
    fn pack(&mut self, bytes: &[ExprId]) -> ExprId {
        let mut sum = self.arena().word(0);
        for (position, &byte) in bytes.iter().enumerate() {
            let weight = self.arena().word(1 << (8 * position));
            let term = self.arena().mul(byte, weight);
            sum = self.arena().add(sum, term);
        }
        sum
    }

    /// Bytes of a, of c and of b, where c = b - a - 1 + 2^32·borrow; the result
    /// is 1 - borrow. The borrow must be a bit: as a free field element it would
    /// make every comparison come out either way.
    fn u32_less_than(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let columns = self.columns(0, 12);
        for (slot, pair) in columns.chunks(2).enumerate() {
            self.range_check(slot, pair);
        }
        let [bytes_a, bytes_c, bytes_b] = [0, 4, 8].map(|first| &columns[first..first + 4]);
        for (operand, bytes) in [(a, bytes_a), (b, bytes_b)] {
            let packed = self.pack(bytes);
            let difference = self.arena().sub(operand, packed);
            self.require(difference, "the operand is its bytes");
        }
        let c = self.pack(bytes_c);
        let one = self.arena().word(1);
        let difference = self.arena().sub(b, a);
        let difference = self.arena().sub(difference, one);
        let excess = self.arena().sub(c, difference);
        let borrow = self.divide(excess, 1 << 32);
        let off = self.arena().sub(borrow, one);
        let product = self.arena().mul(borrow, off);
        self.require(product, "the borrow is a bit");
        self.arena().sub(one, borrow)
    }

    /// Four columns and the carry (sum - bytes) / 2^32, which the program pins.
    fn u32_sum(&mut self, words: &[Vec<ExprId>]) -> Vec<ExprId> {
        let mut results = self.columns(0, 4);
        let terms: Vec<ExprId> = words.iter().map(|word| self.pack(word)).collect();
        let sum = self.arena().sum(terms);
        let packed = self.pack(&results);
        let excess = self.arena().sub(sum, packed);
        results.push(self.divide(excess, 1 << 32));
        results
    }
}
