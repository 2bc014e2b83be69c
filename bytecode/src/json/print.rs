//! Programs to flat JSON: one line for every operation and control.

use std::fmt::Write as _;

use traceloom_air::field::word;

use super::FORMAT;
use crate::forms::{FieldKind, Form};
use crate::malformed::is_hidden;
use crate::model::{Block, Control, Function, Match, Op, Program, ValueId};
use crate::operations::Operation;

/// Writes a program as JSON that [`super::parse`] reads back as an equal program,
/// whether or not it is valid. The same program gives the same bytes.
#[must_use]
pub fn print(program: &Program) -> String {
    let mut out = Printer { out: String::new() };
    out.program(program);
    out.out
}

struct Printer {
    out: String,
}

impl Printer {
    fn program(&mut self, program: &Program) {
        self.out.push_str("{\n");
        let _ = write!(self.out, "  \"format\": \"{FORMAT}\",\n  \"name\": ");
        self.string(&program.name);
        self.out.push_str(",\n  \"memory_sizes\": ");
        self.numbers(program.memory_sizes.iter().map(|&size| u64::from(size)));
        self.out.push_str(",\n  \"circuits\": [");
        for (i, circuit) in program.circuits.iter().enumerate() {
            self.out.push_str(if i == 0 { "\n    " } else { ",\n    " });
            self.numbers(circuit.iter().map(|function| u64::from(function.0)));
        }
        self.out.push_str(if program.circuits.is_empty() { "]" } else { "\n  ]" });
        self.out.push_str(",\n  \"functions\": [");
        for (i, function) in program.functions.iter().enumerate() {
            self.out.push_str(if i == 0 { "\n" } else { ",\n" });
            self.function(function);
        }
        self.out.push_str(if program.functions.is_empty() { "]\n}\n" } else { "\n  ]\n}\n" });
    }

    fn function(&mut self, function: &Function) {
        let Function { name, num_inputs, num_outputs, entry, constrained, blocks } = function;
        self.out.push_str("    {\n      \"name\": ");
        self.string(name);
        let _ = write!(
            self.out,
            ",\n      \"inputs\": {num_inputs},\n      \"outputs\": {num_outputs},\
             \n      \"entry\": {entry},\n      \"constrained\": {constrained},\
             \n      \"blocks\": ["
        );
        for (i, block) in blocks.iter().enumerate() {
            self.out.push_str(if i == 0 { "\n" } else { ",\n" });
            self.block(block);
        }
        self.out.push_str(if blocks.is_empty() { "]\n    }" } else { "\n      ]\n    }" });
    }

    fn block(&mut self, block: &Block) {
        self.out.push_str("        {\n          \"ops\": [");
        for (i, op) in block.ops.iter().enumerate() {
            self.out.push_str(if i == 0 { "\n            " } else { ",\n            " });
            self.operation(op);
        }
        self.out.push_str(if block.ops.is_empty() { "]" } else { "\n          ]" });
        self.out.push_str(",\n          \"control\": ");
        self.control(&block.control);
        self.out.push_str("\n        }");
    }

    /// `{"op": "add", "args": [0, 1]}`
    fn operation(&mut self, op: &Op) {
        let form = Form::of(op);
        let parts = op.parts();
        let _ = write!(self.out, "{{\"op\": \"{}\"", form.name);
        let mut lists = parts.lists.iter();
        let mut list = || lists.next().map_or(&[][..], Vec::as_slice);
        for field in form.fields {
            if field.kind == FieldKind::OptionalLabel && parts.label.is_none() {
                continue;
            }
            let _ = write!(self.out, ", \"{}\": ", field.key);
            match field.kind {
                FieldKind::Constant => self.number(word(parts.constant)),
                FieldKind::Callee => self.number(u64::from(parts.function.0)),
                FieldKind::Value => self.number(u64::from(list()[0].0)),
                FieldKind::Arguments | FieldKind::Fixed(_) | FieldKind::Rest | FieldKind::Group => {
                    self.values(list())
                }
                FieldKind::Words(words) => {
                    for i in 0..words {
                        self.out.push_str(if i == 0 { "[" } else { ", " });
                        self.values(list());
                    }
                    self.out.push(']');
                }
                FieldKind::Label | FieldKind::OptionalLabel => {
                    self.string(parts.label.as_deref().unwrap_or_default());
                }
            }
        }
        if form.results.is_none() {
            let _ = write!(self.out, ", \"results\": {}", parts.results);
        }
        self.out.push('}');
    }

    fn control(&mut self, control: &Control) {
        let _ = write!(self.out, "{{\"control\": \"{}\"", control.name());
        match control {
            Control::Return { selector, values } | Control::Yield { selector, values } => {
                let _ = write!(self.out, ", \"selector\": {selector}, \"values\": ");
                self.values(values);
            }
            Control::Match(arms) => self.arms(arms),
            Control::MatchContinue { arms, num_outputs, continuation } => {
                self.arms(arms);
                let next = continuation.0;
                let _ = write!(self.out, ", \"results\": {num_outputs}, \"continuation\": {next}");
            }
        }
        self.out.push('}');
    }

    fn arms(&mut self, arms: &Match) {
        let _ = write!(self.out, ", \"value\": {}, \"cases\": [", arms.value.0);
        for (i, &(key, block)) in arms.cases.iter().enumerate() {
            let separator = if i == 0 { "" } else { ", " };
            let _ = write!(self.out, "{separator}[{}, {}]", word(key), block.0);
        }
        self.out.push(']');
        if let Some(default) = arms.default {
            let _ = write!(self.out, ", \"default\": {}", default.0);
        }
    }

    fn values(&mut self, values: &[ValueId]) {
        self.numbers(values.iter().map(|value| u64::from(value.0)));
    }

    fn numbers(&mut self, numbers: impl Iterator<Item = u64>) {
        self.out.push('[');
        for (i, number) in numbers.enumerate() {
            self.out.push_str(if i == 0 { "" } else { ", " });
            self.number(number);
        }
        self.out.push(']');
    }

    fn number(&mut self, number: u64) {
        let _ = write!(self.out, "{number}");
    }

    fn string(&mut self, text: &str) {
        self.out.push('"');
        for c in text.chars() {
            match c {
                '"' => self.out.push_str("\\\""),
                '\\' => self.out.push_str("\\\\"),
                '\n' => self.out.push_str("\\n"),
                c if is_hidden(c) => {
                    for unit in c.encode_utf16(&mut [0; 2]) {
                        let _ = write!(self.out, "\\u{unit:04x}");
                    }
                }
                c => self.out.push(c),
            }
        }
        self.out.push('"');
    }
}
