//! A function body while it is written: scopes, branches and leaves.
//!
//! The state is a list of finished and open blocks and a stack of open matches, so nothing
//! recurses. A block gets its number when it is opened, so blocks are in pre-order. A leaf gets
//! its selector when it is written. That is the canonical order, because arms come in order,
//! then the default, then the continuation.

use std::collections::{BTreeSet, HashMap};

use traceloom_air::field::{Goldilocks, element, is_canonical};

use super::error::{BuildError, BuildErrorKind};
use super::{FunctionHandle, fresh_token};
use crate::model::{BIGUINT_WIDTH, Block, BlockId, Control, Match, Op, ValueId};

/// A value of one body, visible in the branch that made it and below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    body: u32,
    /// Unique in the body, unlike `index`, which sibling branches share.
    serial: u32,
    index: u32,
}

/// The results of a refused operation. Using them reports nothing more.
const POISON: u32 = u32::MAX;

/// Proof that a block has ended: only leaves and matches make it, so a closure
/// that forgets its return does not compile.
#[derive(Debug)]
pub struct End {
    _private: (),
}

/// A function body while it is written.
#[derive(Debug)]
pub struct Body {
    token: u32,
    function: FunctionHandle,
    name: String,
    blocks: Vec<Draft>,
    /// The block that takes operations; none between arms and at the end.
    current: Option<BlockId>,
    frames: Vec<Frame>,
    /// Serials of the visible values, by value number.
    scope: Vec<u32>,
    num_serials: u32,
    num_selectors: u32,
    constants: HashMap<u64, Value>,
    memory_sizes: BTreeSet<u32>,
    errors: Vec<BuildError>,
}

#[derive(Debug, Default)]
struct Draft {
    ops: Vec<Op>,
    control: Option<Control>,
}

/// A match whose arms are being written.
#[derive(Debug)]
struct Frame {
    /// The block that ends in the match.
    block: BlockId,
    arms: Match,
    /// Number of yielded values, if the match continues.
    outputs: Option<u32>,
    /// Number of values that every arm starts with.
    scope: usize,
}

impl Frame {
    fn name(&self) -> &'static str {
        if self.outputs.is_some() { "match_continue" } else { "match" }
    }
}

/// The arms of a match while they are written as closures.
#[derive(Debug)]
pub struct Arms<'a> {
    body: &'a mut Body,
}

impl Arms<'_> {
    /// The arm that is taken when the value equals `key`.
    pub fn case(&mut self, key: u64, arm: impl FnOnce(&mut Body) -> End) -> &mut Self {
        self.body.begin_case(key);
        let End { .. } = arm(self.body);
        self
    }

    /// The arm that is taken when no key equals the value.
    pub fn default(&mut self, arm: impl FnOnce(&mut Body) -> End) -> &mut Self {
        self.body.begin_default();
        let End { .. } = arm(self.body);
        self
    }
}

/// Control.
impl Body {
    /// Ends the block: the function's outputs.
    pub fn ret(&mut self, values: &[Value]) -> End {
        let expected = self.function.num_outputs();
        self.check_count("return", "outputs", expected, values.len());
        let values = self.operands("return", values);
        self.leaf("return", |selector| Control::Return { selector, values })
    }

    /// Ends the block: the values that the innermost continuing match hands on.
    pub fn yield_values(&mut self, values: &[Value]) -> End {
        match self.frames.iter().rev().find_map(|frame| frame.outputs) {
            Some(expected) => {
                self.check_count("yield", "values", expected as usize, values.len());
            }
            None => self.error("yield", BuildErrorKind::YieldOutside),
        }
        let values = self.operands("yield", values);
        self.leaf("yield", |selector| Control::Yield { selector, values })
    }

    /// Ends the block with a match, its arms as closures.
    pub fn match_value(&mut self, value: Value, arms: impl FnOnce(&mut Arms<'_>)) -> End {
        self.begin_match(value);
        arms(&mut Arms { body: self });
        self.end_match()
    }

    /// A match whose arms may yield `num_outputs` values to the code after it.
    pub fn match_continue(
        &mut self,
        value: Value,
        num_outputs: u32,
        arms: impl FnOnce(&mut Arms<'_>),
    ) -> Vec<Value> {
        self.begin_match_continue(value, num_outputs);
        arms(&mut Arms { body: self });
        self.end_match_continue()
    }

    /// Opens a match; arms follow, then [`Self::end_match`].
    pub fn begin_match(&mut self, value: Value) {
        self.open_match(value, None);
    }

    /// Opens a match with continuation; arms follow, then
    /// [`Self::end_match_continue`].
    pub fn begin_match_continue(&mut self, value: Value, num_outputs: u32) {
        self.open_match(value, Some(num_outputs));
    }

    /// Opens the arm of `key`; a leaf or a closed match ends it.
    pub fn begin_case(&mut self, key: u64) {
        let key = self.canonical("case", key);
        let Some(block) = self.open_arm("case") else { return };
        let Some(frame) = self.frames.last_mut() else { return };
        let (default, duplicate) =
            (frame.arms.default, frame.arms.cases.iter().any(|&(other, _)| other == key));
        frame.arms.cases.push((key, block));
        if default.is_some() {
            self.error("case", BuildErrorKind::AfterDefault);
        }
        if duplicate {
            let key = traceloom_air::field::word(key);
            self.error("case", BuildErrorKind::DuplicateCase { key });
        }
    }

    /// Opens the default arm; a leaf or a closed match ends it.
    pub fn begin_default(&mut self) {
        let Some(block) = self.open_arm("default") else { return };
        let Some(frame) = self.frames.last_mut() else { return };
        if frame.arms.default.replace(block).is_some() {
            self.error("default", BuildErrorKind::AfterDefault);
        }
    }

    /// Closes a match without continuation, which ends the block.
    pub fn end_match(&mut self) -> End {
        if let Some(frame) = self.pop_frame(false) {
            self.blocks[frame.block.index()].control = Some(Control::Match(frame.arms));
            self.scope.truncate(frame.scope);
        }
        End { _private: () }
    }

    /// Closes a match with continuation: the yielded values, and the code goes on.
    pub fn end_match_continue(&mut self) -> Vec<Value> {
        let Some(frame) = self.pop_frame(true) else { return Vec::new() };
        let num_outputs = frame.outputs.unwrap_or(0);
        self.scope.truncate(frame.scope);
        let continuation = self.open_block();
        let control = Control::MatchContinue { arms: frame.arms, num_outputs, continuation };
        self.blocks[frame.block.index()].control = Some(control);
        (0..num_outputs).map(|_| self.fresh_value()).collect()
    }

    fn open_match(&mut self, value: Value, outputs: Option<u32>) {
        let name = if outputs.is_some() { "match_continue" } else { "match" };
        let value = self.operand(name, value);
        let block = match self.current.take() {
            Some(block) => block,
            None => {
                self.error(name, BuildErrorKind::AfterEnd);
                self.unreachable_block()
            }
        };
        let arms = Match { value, cases: Vec::new(), default: None };
        self.frames.push(Frame { block, arms, outputs, scope: self.scope.len() });
    }

    /// None where no match is open; then the current block goes on.
    fn open_arm(&mut self, what: &'static str) -> Option<BlockId> {
        let Some(scope) = self.frames.last().map(|frame| frame.scope) else {
            self.error(what, BuildErrorKind::NoOpenMatch);
            return None;
        };
        if self.current.is_some() {
            self.error(what, BuildErrorKind::MissingEnd);
        }
        self.scope.truncate(scope);
        Some(self.open_block())
    }

    /// The innermost match, if it is of this form and its last arm has ended.
    fn pop_frame(&mut self, continues: bool) -> Option<Frame> {
        let what = if continues { "match_continue" } else { "match" };
        let Some(frame) = self.frames.pop() else {
            self.error(what, BuildErrorKind::NoOpenMatch);
            return None;
        };
        if self.current.is_some() {
            self.error(what, BuildErrorKind::MissingEnd);
            self.current = None;
        }
        if frame.arms.blocks().next().is_none() {
            self.error(what, BuildErrorKind::NoArms);
        }
        if frame.outputs.is_some() != continues {
            self.error(frame.name(), BuildErrorKind::OpenMatch);
        }
        Some(frame)
    }

    fn leaf(&mut self, what: &'static str, control: impl FnOnce(u32) -> Control) -> End {
        match self.current.take() {
            Some(block) => {
                self.blocks[block.index()].control = Some(control(self.num_selectors));
                self.num_selectors += 1;
            }
            None => self.error(what, BuildErrorKind::AfterEnd),
        }
        End { _private: () }
    }

    fn open_block(&mut self) -> BlockId {
        let block = self.unreachable_block();
        self.current = Some(block);
        block
    }

    fn unreachable_block(&mut self) -> BlockId {
        let block = BlockId(self.blocks.len() as u32);
        self.blocks.push(Draft::default());
        block
    }
}

/// Values and operations.
impl Body {
    pub(super) fn new(function: FunctionHandle, name: String) -> Self {
        let mut body = Self {
            token: fresh_token(),
            function,
            name,
            blocks: Vec::new(),
            current: None,
            frames: Vec::new(),
            scope: Vec::new(),
            num_serials: 0,
            num_selectors: 0,
            constants: HashMap::new(),
            memory_sizes: BTreeSet::new(),
            errors: Vec::new(),
        };
        body.open_block();
        for _ in 0..function.num_inputs {
            body.fresh_value();
        }
        body
    }

    /// The function's inputs.
    #[must_use]
    pub fn inputs(&self) -> Vec<Value> {
        // They are the first values of every branch.
        let num_inputs = self.function.num_inputs;
        (0..num_inputs).map(|index| Value { body: self.token, serial: index, index }).collect()
    }

    /// The function that is being defined, for recursion.
    #[must_use]
    pub fn function(&self) -> FunctionHandle {
        self.function
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The constant `word`; one that is visible here is used again.
    pub fn constant(&mut self, word: u64) -> Value {
        if let Some(&value) = self.constants.get(&word)
            && self.is_visible(value)
        {
            return value;
        }
        let element = self.canonical("const", word);
        let value = self.push(Op::Const(element))[0];
        self.constants.insert(word, value);
        value
    }

    /// Appends an operation whose operands are already resolved.
    pub(super) fn push(&mut self, op: Op) -> Vec<Value> {
        let num_results = op.num_results();
        let Some(block) = self.current else {
            self.error(op.name(), BuildErrorKind::AfterEnd);
            return vec![self.poison(); num_results];
        };
        self.memory_sizes.extend(match &op {
            Op::Store { values } => Some(values.len() as u32),
            Op::Load { width, .. } => Some(*width),
            // It reads lists and stores lists, also where the program does neither.
            Op::HintBigUintDivRem(..) => Some(BIGUINT_WIDTH),
            _ => None,
        });
        self.blocks[block.index()].ops.push(op);
        (0..num_results).map(|_| self.fresh_value()).collect()
    }

    pub(super) fn operand(&mut self, what: &'static str, value: Value) -> ValueId {
        let Value { body, serial, index } = value;
        if body != self.token {
            self.error(what, BuildErrorKind::ForeignValue { index });
        } else if serial != POISON && !self.is_visible(value) {
            self.error(what, BuildErrorKind::OutOfScope { index });
        }
        ValueId(index)
    }

    pub(super) fn operands(&mut self, what: &'static str, values: &[Value]) -> Vec<ValueId> {
        values.iter().map(|&value| self.operand(what, value)).collect()
    }

    pub(super) fn canonical(&mut self, what: &'static str, word: u64) -> Goldilocks {
        if !is_canonical(word) {
            self.error(what, BuildErrorKind::NotCanonical { word });
        }
        element(word)
    }

    pub(super) fn check_count(
        &mut self,
        what: &'static str,
        of: &'static str,
        expected: usize,
        got: usize,
    ) {
        if expected != got {
            self.error(what, BuildErrorKind::Count { of, expected, got });
        }
    }

    pub(super) fn error(&mut self, what: &'static str, kind: BuildErrorKind) {
        let block = self.current.or(self.frames.last().map(|frame| frame.block));
        let position = block.map(|block| (block, self.blocks[block.index()].ops.len()));
        self.errors.push(BuildError { function: self.name.clone(), position, what, kind });
    }

    pub(super) fn poison(&self) -> Value {
        Value { body: self.token, serial: POISON, index: 0 }
    }

    fn is_visible(&self, value: Value) -> bool {
        self.scope.get(value.index as usize) == Some(&value.serial)
    }

    fn fresh_value(&mut self) -> Value {
        let (serial, index) = (self.num_serials, self.scope.len() as u32);
        self.num_serials += 1;
        self.scope.push(serial);
        Value { body: self.token, serial, index }
    }

    pub(super) fn into_parts(mut self) -> (Vec<Block>, BTreeSet<u32>, Vec<BuildError>) {
        if self.current.is_some() {
            self.error("end of function", BuildErrorKind::MissingEnd);
        }
        if !self.frames.is_empty() {
            self.error("end of function", BuildErrorKind::OpenMatch);
        }
        let drafts = std::mem::take(&mut self.blocks);
        let blocks = drafts.into_iter().map(|draft| {
            // A block without an end has been reported; any leaf does.
            let end = || Control::Return { selector: 0, values: Vec::new() };
            Block { ops: draft.ops, control: draft.control.unwrap_or_else(end) }
        });
        (blocks.collect(), self.memory_sizes, self.errors)
    }
}
