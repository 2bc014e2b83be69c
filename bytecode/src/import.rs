//! Programs in the nested JSON of another project.
//!
//! That form decodes the bytecode of a compiler for the same machine. Blocks are nested in
//! blocks, so a program of a few hundred matches is hundreds of levels deep. The reader keeps a
//! stack of its own and stops at [`MAX_IMPORT_DEPTH`] levels.
//!
//! Where the two forms differ:
//! - `u32_add`, `u32_add3`, `g_to_bytes` and `g_inverse` are our `hint_u32_add`,
//!   `hint_u32_add3`, `hint_field_to_bytes` and `hint_inverse`;
//! - counts of results are `outputs` of a call, `size` of a load, `len` of a read;
//!   a label is `msg`;
//! - functions may be nameless, and get a name from their position;
//! - nothing groups functions: each constrained one is a circuit of its own;
//! - layouts are stated. They differ from ours: [`Imported`] keeps them, and
//!   [`expected_layout`] says what they are known to be.

mod layout;

use traceloom_air::field::element;

use crate::fields::{Fields, Object};
use crate::forms::Form;
use crate::json::operation::{self, Spelling};
use crate::limits::{MAX_IMPORT_DEPTH, Resource};
use crate::malformed::{Malformed, Reports, excerpt};
use crate::model::{Block, BlockId, Control, Function, FunctionId, Match, Op, Program, ValueId};
use crate::tape::{Kind, NodeId, Tape};

pub use layout::expected_layout;

/// An imported program, with what its file says about layouts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    /// The program.
    pub program: Program,
    /// The stated layout of every function.
    pub layouts: Vec<StatedLayout>,
}

/// Layout of a function according to the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatedLayout {
    /// Number of selector columns.
    pub selectors: u32,
    /// Number of auxiliary columns, the multiplicity included.
    pub auxiliaries: u32,
    /// Number of lookup slots, the return message included.
    pub lookups: u32,
    /// What the arms of each `match_continue` share, in the order of the blocks.
    pub shared: Vec<StatedShare>,
}

/// The region that the arms of one `match_continue` share, according to the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatedShare {
    /// The block that ends in the match.
    pub block: BlockId,
    /// Number of auxiliary columns.
    pub auxiliaries: u32,
    /// Number of lookup slots.
    pub lookups: u32,
}

/// Reads a program in the nested form.
///
/// # Errors
/// [`Malformed`]: everything that is wrong, with path, line and column. If brackets do not
/// match, the rest of the file is not read.
pub fn import(source: impl AsRef<[u8]>) -> Result<Imported, Malformed> {
    let mut reports = Reports::new(source.as_ref())?;
    let Some(tape) = Tape::read(&mut reports, MAX_IMPORT_DEPTH) else {
        return Err(reports.malformed());
    };
    let mut fields = Fields::new(tape, reports);
    let imported = document(&mut fields);
    fields.reports.finish(imported)
}

fn document(fields: &mut Fields<'_>) -> Imported {
    let keys = ["name", "source", "field", "memory_sizes", "lossy", "op_variants", "functions"];
    let object = fields.object(Tape::ROOT, &keys);
    for key in ["source", "lossy", "op_variants"] {
        object.get(key).into_iter().for_each(|node| fields.ignore(node));
    }
    if let Some(node) = object.get("field")
        && fields.tape.text(node) != "\"goldilocks\""
    {
        fields.unexpected(node, "\"goldilocks\"");
    }
    let name = fields.optional(&object, "name").map(|node| fields.string(node));
    let sizes = fields.array(&object, "memory_sizes");
    let memory_sizes = sizes.into_iter().map(|size| fields.index(size)).collect();
    let mut functions = Vec::new();
    let mut layouts = Vec::new();
    for (position, node) in fields.array(&object, "functions").into_iter().enumerate() {
        if !fields.spend(node, Resource::Functions, 1) {
            break;
        }
        let (function, layout) = function(fields, node, position as u32);
        functions.push(function);
        layouts.push(layout);
    }
    let constrained = (0..).zip(&functions).filter(|(_, function)| function.constrained);
    let circuits = constrained.map(|(position, _)| vec![FunctionId(position)]).collect();
    let name = name.unwrap_or_default();
    Imported { program: Program { name, functions, memory_sizes, circuits }, layouts }
}

fn function(fields: &mut Fields<'_>, node: NodeId, position: u32) -> (Function, StatedLayout) {
    let keys =
        ["index", "name", "input_size", "output_size", "entry", "constrained", "layout", "body"];
    let object = fields.object(node, &keys);
    if let Some(index) = object.get("index")
        && fields.tape.text(index) != position.to_string()
    {
        fields.unexpected(index, &format!("{position}, the position"));
    }
    let name = fields.optional(&object, "name").map(|node| fields.string(node));
    let num_inputs = fields.count(&object, "input_size");
    fields.spend(node, Resource::Values, num_inputs as usize);
    let num_outputs = fields.count(&object, "output_size");
    let entry = fields.flag(&object, "entry");
    let constrained = fields.flag(&object, "constrained");
    let mut layout = layout(fields, &object);
    let blocks = match fields.required(&object, "body") {
        Some(body) => blocks(fields, body, &mut layout.shared),
        None => Vec::new(),
    };
    let name = name.unwrap_or_else(|| format!("function_{position}"));
    (Function { name, num_inputs, num_outputs, entry, constrained, blocks }, layout)
}

fn layout(fields: &mut Fields<'_>, function: &Object<'_>) -> StatedLayout {
    let mut layout = StatedLayout { selectors: 0, auxiliaries: 0, lookups: 0, shared: Vec::new() };
    if let Some(node) = fields.required(function, "layout") {
        let object = fields.object(node, &["selectors", "auxiliaries", "lookups"]);
        layout.selectors = fields.count(&object, "selectors");
        layout.auxiliaries = fields.count(&object, "auxiliaries");
        layout.lookups = fields.count(&object, "lookups");
    }
    layout
}

/// Where a block hangs.
#[derive(Clone, Copy)]
enum Link {
    Body,
    Case { parent: usize, case: usize },
    Default { parent: usize },
    Continuation { parent: usize },
}

/// Flattens a body into blocks in pre-order.
fn blocks(fields: &mut Fields<'_>, body: NodeId, shared: &mut Vec<StatedShare>) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut to_read = vec![(body, Link::Body)];
    while let Some((node, link)) = to_read.pop() {
        if !fields.spend(node, Resource::Blocks, 1) {
            break;
        }
        let position = blocks.len();
        hang(&mut blocks, link, BlockId(position as u32));
        let object = fields.object(node, &["ops", "ctrl"]);
        let ops = fields.array(&object, "ops");
        let ops = ops.into_iter().filter_map(|op| operation(fields, op)).collect();
        let control = fields.required(&object, "ctrl");
        let control = control.and_then(|control| {
            let mut children = Vec::new();
            let control = control_of(fields, control, position, &mut children, shared);
            to_read.extend(children.into_iter().rev().filter(|_| control.is_some()));
            control
        });
        // Without a control an error has been reported, and any will do.
        let control = control.unwrap_or(Control::Return { selector: 0, values: Vec::new() });
        blocks.push(Block { ops, control });
    }
    blocks
}

/// Tells the parent of a block the block's number.
fn hang(blocks: &mut [Block], link: Link, block: BlockId) {
    let parent = match link {
        Link::Body => return,
        Link::Case { parent, .. } | Link::Default { parent } | Link::Continuation { parent } => {
            parent
        }
    };
    match (&mut blocks[parent].control, link) {
        (Control::MatchContinue { continuation, .. }, Link::Continuation { .. }) => {
            *continuation = block;
        }
        (Control::Match(arms) | Control::MatchContinue { arms, .. }, Link::Case { case, .. }) => {
            arms.cases[case].1 = block;
        }
        (Control::Match(arms) | Control::MatchContinue { arms, .. }, _) => {
            arms.default = Some(block);
        }
        _ => unreachable!("only matches have children"),
    }
}

/// Stands for a child that has not been read yet.
const UNREAD: BlockId = BlockId(u32::MAX);

/// Reads a control and lists the blocks below it in pre-order.
fn control_of(
    fields: &mut Fields<'_>,
    node: NodeId,
    block: usize,
    children: &mut Vec<(NodeId, Link)>,
    shared: &mut Vec<StatedShare>,
) -> Option<Control> {
    let name = fields.variant(node, "ctrl")?;
    match name.as_str() {
        "return" | "yield" => {
            let object = fields.object(node, &["ctrl", "selector", "values"]);
            let selector = fields.count(&object, "selector");
            let values = fields.values(&object, "values", None)?;
            Some(if name == "return" {
                Control::Return { selector, values }
            } else {
                Control::Yield { selector, values }
            })
        }
        "match" => {
            let object = fields.object(node, &["ctrl", "value", "cases", "default"]);
            Some(Control::Match(arms(fields, &object, block, children)))
        }
        "match_continue" => {
            let keys = [
                "ctrl",
                "value",
                "cases",
                "default",
                "outputs",
                "shared_auxiliaries",
                "shared_lookups",
                "continuation",
            ];
            let object = fields.object(node, &keys);
            let arms = arms(fields, &object, block, children);
            let num_outputs = fields.count(&object, "outputs");
            fields.spend(node, Resource::Values, num_outputs as usize);
            shared.push(StatedShare {
                block: BlockId(block as u32),
                auxiliaries: fields.count(&object, "shared_auxiliaries"),
                lookups: fields.count(&object, "shared_lookups"),
            });
            let continuation = fields.required(&object, "continuation");
            let link = Link::Continuation { parent: block };
            children.extend(continuation.map(|continuation| (continuation, link)));
            Some(Control::MatchContinue { arms, num_outputs, continuation: UNREAD })
        }
        _ => {
            fields.fail(node, format!("unknown control {}", excerpt(&name)));
            None
        }
    }
}

fn arms(
    fields: &mut Fields<'_>,
    object: &Object<'_>,
    parent: usize,
    children: &mut Vec<(NodeId, Link)>,
) -> Match {
    let value = ValueId(fields.count(object, "value"));
    let mut cases = Vec::new();
    for case in fields.array(object, "cases") {
        if let Some(&[key, block]) = fields.elements(case, Some(2)).as_deref() {
            children.push((block, Link::Case { parent, case: cases.len() }));
            cases.push((element(fields.word(key)), UNREAD));
        }
    }
    let default = fields.optional(object, "default");
    children.extend(default.map(|block| (block, Link::Default { parent })));
    Match { value, cases, default: default.map(|_| UNREAD) }
}

/// Operations whose name differs from ours.
const RENAMED: [(&str, &str); 4] = [
    ("u32_add", "hint_u32_add"),
    ("u32_add3", "hint_u32_add3"),
    ("g_to_bytes", "hint_field_to_bytes"),
    ("g_inverse", "hint_inverse"),
];

/// Operations that have the same name and meaning in both forms.
const SHARED: [&str; 25] = [
    "const",
    "add",
    "sub",
    "mul",
    "eq_zero",
    "call",
    "store",
    "load",
    "assert_eq",
    "io_get_info",
    "io_read",
    "u8_bit_decomposition",
    "u8_shift_left",
    "u8_shift_right",
    "u8_xor",
    "u8_and",
    "u8_or",
    "u8_less_than",
    "u8_add",
    "u8_sub",
    "u8_mul",
    "u8_xor_split7",
    "u8_xor_split4",
    "u8_range_check",
    "u32_less_than",
];

fn operation(fields: &mut Fields<'_>, node: NodeId) -> Option<Op> {
    let name = fields.variant(node, "op")?;
    let renamed = RENAMED.iter().find(|(theirs, _)| *theirs == name).map(|&(_, ours)| ours);
    let shared = SHARED.iter().find(|shared| **shared == name).copied();
    let Some(form) = renamed.or(shared).and_then(Form::named) else {
        fields.fail(node, format!("unknown operation {}", excerpt(&name)));
        return None;
    };
    let results = match name.as_str() {
        "call" => "outputs",
        "load" => "size",
        _ => "len",
    };
    let flagged = name == "call" || renamed.is_some();
    let extra: &[&str] = if flagged { &["unconstrained"] } else { &[] };
    let mut op = operation::read(fields, node, &Spelling { form, results, label: "msg", extra })?;
    if flagged {
        let unconstrained = unconstrained(fields, node, renamed.is_some())?;
        match &mut op {
            Op::Call { constrained, .. } => *constrained = !unconstrained,
            _ if unconstrained => {}
            _ => fields.fail(node, format!("{} is known unconstrained only", excerpt(&name))),
        }
    }
    Some(op)
}

/// Reads the flag `unconstrained`, which hints may leave out.
fn unconstrained(fields: &mut Fields<'_>, node: NodeId, hint: bool) -> Option<bool> {
    let Some(flag) = fields.member(node, "unconstrained") else {
        if !hint {
            fields.fail(node, "key `unconstrained` is missing".into());
        }
        return hint.then_some(true);
    };
    match fields.tape.kind(flag) {
        Kind::True => Some(true),
        Kind::False => Some(false),
        _ => {
            fields.unexpected(flag, "`true` or `false`");
            None
        }
    }
}
