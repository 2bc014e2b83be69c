//! Flat JSON to programs.

use traceloom_air::field::element;

use super::FORMAT;
use super::operation::{self, Spelling};
use crate::fields::{Fields, Object};
use crate::forms::Form;
use crate::limits::{MAX_FLAT_DEPTH, Resource};
use crate::malformed::{Malformed, Reports, excerpt};
use crate::model::{Block, BlockId, Control, Function, FunctionId, Match, Op, Program, ValueId};
use crate::near::did_you_mean;
use crate::tape::{NodeId, Tape};

/// See [`super::parse`].
pub(super) fn read(source: &[u8]) -> Result<Program, Malformed> {
    let mut reports = Reports::new(source)?;
    let Some(tape) = Tape::read(&mut reports, MAX_FLAT_DEPTH) else {
        return Err(reports.malformed());
    };
    let mut fields = Fields::new(tape, reports);
    let program = program(&mut fields);
    fields.reports.finish(program)
}

fn program(fields: &mut Fields<'_>) -> Program {
    let keys = ["format", "name", "memory_sizes", "circuits", "functions"];
    let object = fields.object(Tape::ROOT, &keys);
    let format = format!("\"{FORMAT}\"");
    if let Some(node) = fields.required(&object, "format")
        && fields.tape.text(node) != format
    {
        fields.unexpected(node, &format);
    }
    let name = fields.text(&object, "name");
    let sizes = fields.array(&object, "memory_sizes");
    let memory_sizes = sizes.into_iter().map(|size| fields.index(size)).collect();
    let circuits = fields.array(&object, "circuits");
    let circuits = circuits.into_iter().map(|node| circuit(fields, node)).collect();
    let functions = fields.array(&object, "functions");
    let functions = functions.into_iter().filter_map(|node| function(fields, node)).collect();
    Program { name, functions, memory_sizes, circuits }
}

fn circuit(fields: &mut Fields<'_>, node: NodeId) -> Vec<FunctionId> {
    let members = fields.elements(node, None).unwrap_or_default();
    members.into_iter().map(|member| FunctionId(fields.index(member))).collect()
}

fn function(fields: &mut Fields<'_>, node: NodeId) -> Option<Function> {
    let keys = ["name", "inputs", "outputs", "entry", "constrained", "blocks"];
    let object = fields.object(node, &keys);
    let num_inputs = fields.count(&object, "inputs");
    if !fields.spend(node, Resource::Functions, 1)
        || !fields.spend(node, Resource::Values, num_inputs as usize)
    {
        return None;
    }
    let name = fields.text(&object, "name");
    let num_outputs = fields.count(&object, "outputs");
    let entry = fields.flag(&object, "entry");
    let constrained = fields.flag(&object, "constrained");
    let blocks = fields.array(&object, "blocks");
    let blocks = blocks.into_iter().filter_map(|node| block(fields, node)).collect();
    Some(Function { name, num_inputs, num_outputs, entry, constrained, blocks })
}

fn block(fields: &mut Fields<'_>, node: NodeId) -> Option<Block> {
    let object = fields.object(node, &["ops", "control"]);
    if !fields.spend(node, Resource::Blocks, 1) {
        return None;
    }
    let ops = fields.array(&object, "ops");
    let ops = ops.into_iter().filter_map(|node| operation(fields, node)).collect();
    let control = fields.required(&object, "control");
    let control = control.and_then(|node| control_of(fields, node))?;
    Some(Block { ops, control })
}

fn operation(fields: &mut Fields<'_>, node: NodeId) -> Option<Op> {
    let name = fields.variant(node, "op")?;
    let Some(form) = Form::named(&name) else {
        let near = did_you_mean(&name, Form::all().map(|form| form.name));
        fields.fail(node, format!("unknown operation {}{near}", excerpt(&name)));
        return None;
    };
    operation::read(
        fields,
        node,
        &Spelling { form, results: "results", label: "label", extra: &[] },
    )
}

fn control_of(fields: &mut Fields<'_>, node: NodeId) -> Option<Control> {
    const LEAF: &[&str] = &["control", "selector", "values"];
    const MATCH: &[&str] = &["control", "value", "cases", "default"];
    const CONTINUE: &[&str] = &["control", "value", "cases", "default", "results", "continuation"];
    let name = fields.variant(node, "control")?;
    match name.as_str() {
        "return" | "yield" => {
            let object = fields.object(node, LEAF);
            let selector = fields.count(&object, "selector");
            let values = fields.values(&object, "values", None)?;
            Some(if name == "return" {
                Control::Return { selector, values }
            } else {
                Control::Yield { selector, values }
            })
        }
        "match" => {
            let object = fields.object(node, MATCH);
            Some(Control::Match(arms(fields, &object)))
        }
        "match_continue" => {
            let object = fields.object(node, CONTINUE);
            let arms = arms(fields, &object);
            let num_outputs = fields.count(&object, "results");
            let continuation = BlockId(fields.count(&object, "continuation"));
            let spent = fields.spend(node, Resource::Values, num_outputs as usize);
            spent.then_some(Control::MatchContinue { arms, num_outputs, continuation })
        }
        _ => {
            let name = excerpt(&name);
            fields.fail(node, format!("unknown control {name}"));
            None
        }
    }
}

fn arms(fields: &mut Fields<'_>, object: &Object<'_>) -> Match {
    let value = ValueId(fields.count(object, "value"));
    let mut cases = Vec::new();
    for case in fields.array(object, "cases") {
        if let Some(&[key, block]) = fields.elements(case, Some(2)).as_deref() {
            cases.push((element(fields.word(key)), BlockId(fields.index(block))));
        }
    }
    let default = fields.optional(object, "default");
    let default = default.map(|node| BlockId(fields.index(node)));
    Match { value, cases, default }
}
