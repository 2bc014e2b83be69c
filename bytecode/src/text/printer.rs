//! Programs to text.

use std::collections::HashMap;
use std::fmt::Write as _;

use thiserror::Error;
use traceloom_air::field::word;

use super::names::{is_plain, quote};
use super::parser::default_circuits;
use crate::forms::{FieldKind, Form};
use crate::model::{BlockId, Control, Function, FunctionId, Match, Op, Program, ValueId};
use crate::operations::Operation;

/// The program's blocks are not a tree in pre-order, so text cannot show them.
/// (Validation refuses such programs; the JSON form shows every program.)
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("functions[{function}].blocks[{block}]: expected every block once, parents first")]
pub struct NotATree {
    /// Position of the function.
    pub function: usize,
    /// The block that is out of order, or the number of blocks if one is missing.
    pub block: u32,
}

/// Values of a run from here on are written as a range.
const MIN_RANGE: usize = 4;

/// Lines below this depth are not indented, so that text stays linear in the program.
const MAX_INDENT: usize = 160;

/// Writes a program as text that [`super::parse`] reads back as an equal program.
///
/// # Errors
/// [`NotATree`].
pub fn print(program: &Program) -> Result<String, NotATree> {
    let mut printer = Printer::new(program);
    printer.header();
    for (position, function) in program.functions.iter().enumerate() {
        printer.function(function).map_err(|block| NotATree { function: position, block })?;
    }
    printer.out.push_str("\nend\n");
    Ok(printer.out)
}

struct Printer<'p> {
    program: &'p Program,
    /// Number of functions that have a name.
    namesakes: HashMap<&'p str, u32>,
    out: String,
}

/// What remains to be written of a function, the next on top.
enum Task {
    /// Operations and control of a block, at the start of which `live` values exist.
    Block { block: BlockId, live: u64, depth: usize },
    /// An arm; without a key, the default.
    Arm { key: Option<u64>, block: BlockId, live: u64, depth: usize },
    /// A closing brace.
    Close { depth: usize },
}

impl<'p> Printer<'p> {
    fn new(program: &'p Program) -> Self {
        let mut namesakes = HashMap::new();
        for function in &program.functions {
            *namesakes.entry(function.name.as_str()).or_insert(0) += 1;
        }
        Self { program, namesakes, out: String::new() }
    }

    fn header(&mut self) {
        self.out.push_str("program ");
        quote(&mut self.out, &self.program.name);
        self.out.push('\n');
        for (i, size) in self.program.memory_sizes.iter().enumerate() {
            let before = if i == 0 { "memory " } else { ", " };
            let _ = write!(self.out, "{before}{size}");
        }
        if !self.program.memory_sizes.is_empty() {
            self.out.push('\n');
        }
        if self.program.circuits == default_circuits(&self.program.functions) {
            return;
        }
        if self.program.circuits.is_empty() {
            self.out.push_str("circuits none\n");
        }
        for circuit in &self.program.circuits {
            self.out.push_str("circuit");
            for (i, &function) in circuit.iter().enumerate() {
                self.out.push_str(if i == 0 { " " } else { ", " });
                self.reference(function);
            }
            self.out.push('\n');
        }
    }

    /// Writes a function, or finds the block that is out of order.
    fn function(&mut self, function: &Function) -> Result<(), u32> {
        self.out.push_str("\nfn ");
        self.function_name(&function.name);
        self.out.push('(');
        self.new_names(0, function.num_inputs);
        let _ = write!(self.out, ") -> {}", function.num_outputs);
        self.out.push_str(if function.entry { " entry" } else { "" });
        self.out.push_str(if function.constrained { " {\n" } else { " unconstrained {\n" });

        let body =
            Task::Block { block: BlockId::BODY, live: u64::from(function.num_inputs), depth: 1 };
        let mut tasks = vec![Task::Close { depth: 0 }, body];
        let (mut next_block, mut leaves) = (0, 0);
        while let Some(task) = tasks.pop() {
            let (block, live, depth) = match task {
                Task::Close { depth } => {
                    self.indent(depth);
                    self.out.push_str("}\n");
                    continue;
                }
                Task::Arm { key, block, live, depth } => {
                    self.indent(depth);
                    let _ = match key {
                        Some(key) => write!(self.out, "case {key} {{"),
                        None => write!(self.out, "default {{"),
                    };
                    (block, live, depth + 1)
                }
                Task::Block { block, live, depth } => (block, live, depth),
            };
            let Some(content) = function.blocks.get(block.index()) else {
                return Err(block.0);
            };
            if block.0 != next_block {
                return Err(block.0);
            }
            next_block += 1;
            let is_leaf = content.control.arms().is_none();
            let mut live = live;
            let one_line = matches!(task, Task::Arm { .. }) && content.ops.is_empty() && is_leaf;
            if matches!(task, Task::Arm { .. }) && !one_line {
                self.out.push('\n');
                tasks.push(Task::Close { depth: depth - 1 });
            }
            for op in &content.ops {
                self.indent(depth);
                self.operation(op, live);
                live += op.num_results() as u64;
            }
            if one_line {
                self.out.push(' ');
            } else {
                self.indent(depth);
            }
            self.control(&content.control, live, &mut leaves);
            self.out.push_str(if one_line { " }\n" } else { "\n" });
            push_children(&mut tasks, &content.control, live, depth);
        }
        let missing = next_block as usize != function.blocks.len();
        if missing { Err(next_block) } else { Ok(()) }
    }

    /// `v2 = add v0, v1`
    fn operation(&mut self, op: &Op, live: u64) {
        let form = Form::of(op);
        let parts = op.parts();
        let num_results = op.num_results() as u32;
        if num_results > 0 {
            self.new_names(live, num_results);
            self.out.push_str(" = ");
        }
        self.out.push_str(form.name);
        let mut lists = parts.lists.iter();
        let mut list = || lists.next().map_or(&[][..], Vec::as_slice);
        let mut separator = " ";
        for field in form.fields {
            match field.kind {
                FieldKind::Constant => {
                    let _ = write!(self.out, " {}", word(parts.constant));
                }
                FieldKind::Callee => {
                    self.out.push(' ');
                    self.reference(parts.function);
                }
                FieldKind::Arguments => {
                    self.out.push('(');
                    self.values(list(), live, "");
                    self.out.push(')');
                }
                FieldKind::Value | FieldKind::Fixed(_) | FieldKind::Rest => {
                    self.values(list(), live, separator);
                }
                FieldKind::Group => self.group(list(), live, separator),
                FieldKind::Words(words) => {
                    for _ in 0..words {
                        self.group(list(), live, separator);
                        separator = ", ";
                    }
                }
                FieldKind::Label | FieldKind::OptionalLabel => {
                    if let Some(label) = &parts.label {
                        self.out.push_str(separator);
                        quote(&mut self.out, label);
                    }
                }
            }
            separator = ", ";
        }
        self.out.push('\n');
    }

    /// A leaf, or a match up to its opening brace.
    fn control(&mut self, control: &Control, live: u64, leaves: &mut u32) {
        match control {
            Control::Return { selector, values } | Control::Yield { selector, values } => {
                self.out.push_str(control.name());
                if selector != leaves {
                    let _ = write!(self.out, " @{selector}");
                }
                *leaves += 1;
                self.values(values, live, " ");
            }
            Control::Match(Match { value, .. }) => {
                self.out.push_str("match");
                self.values(&[*value], live, " ");
                self.out.push_str(" {");
            }
            Control::MatchContinue { arms, num_outputs, .. } => {
                if *num_outputs > 0 {
                    self.new_names(live, *num_outputs);
                    self.out.push_str(" = ");
                }
                self.out.push_str("match_continue");
                self.values(&[arms.value], live, " ");
                self.out.push_str(" {");
            }
        }
    }

    fn indent(&mut self, depth: usize) {
        let depth = if depth <= MAX_INDENT { depth } else { 0 };
        self.out.extend(std::iter::repeat_n("  ", depth));
    }

    fn function_name(&mut self, name: &str) {
        if is_plain(name) {
            self.out.push_str(name);
        } else {
            quote(&mut self.out, name);
        }
    }

    /// A function by name where that is clear, else by position.
    fn reference(&mut self, function: FunctionId) {
        match self.program.functions.get(function.index()) {
            Some(Function { name, .. }) if self.namesakes[name.as_str()] == 1 => {
                self.function_name(name);
            }
            _ => {
                let _ = write!(self.out, "#{}", function.0);
            }
        }
    }

    /// The names of `len` values from number `first` on.
    fn new_names(&mut self, first: u64, len: u32) {
        if len as usize >= MIN_RANGE {
            let last = first + u64::from(len) - 1;
            let _ = write!(self.out, "v{first}..v{last}");
            return;
        }
        for i in 0..u64::from(len) {
            let before = if i == 0 { "" } else { ", " };
            let _ = write!(self.out, "{before}v{}", first + i);
        }
    }

    /// One value, or several in brackets.
    fn group(&mut self, values: &[ValueId], live: u64, separator: &str) {
        if values.len() == 1 {
            return self.values(values, live, separator);
        }
        self.out.push_str(separator);
        self.out.push('[');
        self.values(values, live, "");
        self.out.push(']');
    }

    /// A list, with `separator` before it unless it is empty.
    fn values(&mut self, values: &[ValueId], live: u64, separator: &str) {
        let mut separator = separator;
        let mut rest = values;
        while let Some(&first) = rest.first() {
            self.out.push_str(separator);
            separator = ", ";
            let exists = |value: ValueId| u64::from(value.0) < live;
            let follows = |(i, &value): (usize, &ValueId)| {
                exists(value) && u64::from(value.0) == u64::from(first.0) + i as u64
            };
            let run = rest.iter().enumerate().take_while(|&step| follows(step)).count();
            let len = if run >= MIN_RANGE { run } else { 1 };
            let sigil = if exists(first) { 'v' } else { '%' };
            let _ = write!(self.out, "{sigil}{}", first.0);
            if len > 1 {
                let _ = write!(self.out, "..v{}", rest[len - 1].0);
            }
            rest = &rest[len..];
        }
    }
}

/// Puts the blocks that a control leads to on the stack, the first on top.
fn push_children(tasks: &mut Vec<Task>, control: &Control, live: u64, depth: usize) {
    let Some(arms) = control.arms() else {
        return;
    };
    if let Control::MatchContinue { num_outputs, continuation, .. } = control {
        let live = live + u64::from(*num_outputs);
        tasks.push(Task::Block { block: *continuation, live, depth });
    }
    tasks.push(Task::Close { depth });
    let arm = |key, block| Task::Arm { key, block, live, depth: depth + 1 };
    tasks.extend(arms.default.map(|block| arm(None, block)));
    tasks.extend(arms.cases.iter().rev().map(|&(key, block)| arm(Some(word(key)), block)));
}
