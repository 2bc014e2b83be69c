//! From a program to the plans of all its functions.

use traceloom_abi::seed::{FullLayout, Meaning, OwnedSchema, Width};
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::model::{Control, Function, FunctionId, Op, ValueId};

use super::bounds;
use super::generic::lower_generic;
use super::guards::{self, Inputs};
use super::library::Library;
use super::path::{LoweredPath, lower_path};
use super::{
    Expr, FunctionPlan, GenericControl, GenericPlan, OpNote, PathPlan, PlanLayout, ProgramPlan,
};
use crate::mangle::symbols;

/// Plans all constrained functions of `program`.
#[must_use]
pub fn plan_program(program: &CheckedProgram) -> ProgramPlan {
    let data = program.program();
    let numberings: Vec<Numbering> = data.functions.iter().map(Numbering::new).collect();
    let ids = || program.function_ids();
    let generics: Vec<GenericPlan> =
        ids().map(|id| lower_generic(program, &numberings[id.index()], id)).collect();
    let paths: Vec<Vec<LoweredPath>> =
        ids().map(|id| lower_paths(program, &numberings[id.index()], id)).collect();
    let library = Library::solve(program, &generics);
    let num_inputs: Vec<usize> = data.functions.iter().map(|f| f.num_inputs as usize).collect();
    let inputs = guards::solve_inputs(&library, &num_inputs, &paths);
    let symbols = symbols(data.functions.iter().map(|function| &function.name[..]));
    let parts = ids().zip(symbols).zip(generics).zip(paths).zip(&numberings);
    let plan = |((((id, symbol), generic), paths), numbering): (_, &Numbering)| {
        let id: FunctionId = id;
        let function = program.function(id);
        let layout = PlanLayout::of(program.layout(id));
        let paths: Vec<PathPlan> =
            Vec::into_iter(paths).map(|path| finish(&library, &inputs, path)).collect();
        let max_reads = longest(&generic);
        FunctionPlan {
            name: function.name.clone(),
            symbol,
            function: id.0,
            layout,
            full: FullLayout { ranked: layout.ranked, num_inputs: layout.num_inputs, max_reads },
            ops: numbering.notes(function),
            paths,
            generic,
        }
    };
    let functions =
        parts.map(plan).filter(|plan| data.functions[plan.function as usize].constrained);
    ProgramPlan {
        name: data.name.clone(),
        fingerprint: program.fingerprint(),
        num_outputs: data.functions.iter().map(|function| function.num_outputs).collect(),
        functions: functions.collect(),
    }
}

/// The numbered paths of a constrained function.
fn lower_paths<'a>(
    program: &'a CheckedProgram,
    numbering: &Numbering,
    id: FunctionId,
) -> Vec<LoweredPath<'a>> {
    let paths = program.paths(id);
    if !program.function(id).constrained || !paths.are_numbered() {
        return Vec::new();
    }
    let numbers = (0..).take_while(|&number| paths.leaves(number as usize).is_some());
    numbers.map(|number| lower_path(program, numbering, id, number)).collect()
}

/// Chooses widths, lays the seed out and bounds every value by it.
fn finish(library: &Library, inputs: &Inputs, path: LoweredPath<'_>) -> PathPlan {
    let proven = guards::proven(library, &path);
    let guarded = guards::guarded(inputs, &path, &proven);
    let mut order = Vec::new();
    for (index, value) in path.code.values.iter().enumerate() {
        if let Expr::Seed(meaning) = value.expr {
            let width = match meaning {
                Meaning::Multiplicity => Width::Full,
                _ => guards::class(proven[index], guarded[index]),
            };
            order.push((meaning, width));
        }
    }
    let schema = OwnedSchema::lay_out(&order);
    let mut values = path.code.values;
    let seed = |meaning| schema.word(meaning).map_or(bounds::UNKNOWN, |word| word.width.bound());
    bounds::assign(&mut values, seed, |_| bounds::UNKNOWN);
    for (value, guard) in values.iter_mut().zip(guarded) {
        value.guarded = guard;
    }
    PathPlan {
        path: path.path,
        leaves: path.leaves,
        values,
        writes: path.code.writes,
        reads: path.code.reads,
        fetches: path.code.fetches,
        outputs: path.outputs,
        schema,
    }
}

/// External reads of the longest way through the function.
fn longest(plan: &GenericPlan) -> u32 {
    // By block: reads of the longest way to its end by a return, or by a yield
    // that leaves the subtree.
    let mut ways = vec![0_u32; plan.blocks.len()];
    for (index, block) in plan.blocks.iter().enumerate().rev() {
        let mut longest = 0;
        if let GenericControl::Match { cases, default, continuation, .. } = &block.control {
            let arms = cases.iter().map(|&(_, block)| block).chain(*default);
            longest = arms.map(|arm| ways[arm as usize]).max().unwrap_or(0);
            // An upper bound: arms that return early do not go on.
            longest += continuation.map_or(0, |next| ways[next as usize]);
        }
        ways[index] = longest + block.reads.len() as u32;
    }
    ways[0]
}

/// Numbers of operations and places of leaves in one function.
pub struct Numbering {
    /// By block: number of its first operation. The control follows the last one.
    pub first_op: Vec<u32>,
    /// By block: number of its operations.
    num_ops: Vec<u32>,
    /// By block: one past the last block of its subtree.
    pub end: Vec<usize>,
    /// By selector: the block of its leaf.
    pub leaf_block: Vec<usize>,
}

impl Numbering {
    /// Numbers the operations and controls of `function` in pre-order.
    #[must_use]
    pub fn new(function: &Function) -> Self {
        let mut next = 0;
        let (mut first_op, mut num_ops) = (Vec::new(), Vec::new());
        let mut leaves = Vec::new();
        for (index, block) in function.blocks.iter().enumerate() {
            first_op.push(next);
            num_ops.push(block.ops.len() as u32);
            next += block.ops.len() as u32 + 1;
            if let Control::Return { selector, .. } | Control::Yield { selector, .. } =
                &block.control
            {
                leaves.push((*selector, index));
            }
        }
        leaves.sort_unstable();
        let mut end: Vec<usize> = (1..=function.blocks.len()).collect();
        for (index, block) in function.blocks.iter().enumerate().rev() {
            if let Some(last) = block.control.children().last() {
                end[index] = end[last.index()];
            }
        }
        let leaf_block = leaves.into_iter().map(|(_, block)| block).collect();
        Self { first_op, num_ops, end, leaf_block }
    }

    /// Number of the control of a block.
    #[must_use]
    pub fn control_op(&self, block: usize) -> u32 {
        self.first_op[block] + self.num_ops[block]
    }

    /// What each number stands for.
    fn notes(&self, function: &Function) -> Vec<OpNote> {
        let mut notes = Vec::new();
        for (index, block) in function.blocks.iter().enumerate() {
            let ops = block.ops.iter().map(op_text);
            for (position, text) in ops.chain([control_text(&block.control)]).enumerate() {
                notes.push(OpNote { block: index as u32, position: position as u32, text });
            }
        }
        notes
    }
}

/// Longest list of operands that a note spells out.
const MAX_SPELLED: usize = 8;

fn op_text(op: &Op) -> String {
    let mut operands = Vec::new();
    op.for_each_operand(|value| operands.push(value));
    let mut text = op.name().to_owned();
    match op {
        Op::Const(value) => text.push_str(&format!(" {value}")),
        Op::Call { function, .. } => text.push_str(&format!(" function {}:", function.0)),
        _ => {}
    }
    text + &list(&operands)
}

fn control_text(control: &Control) -> String {
    let name = control.name();
    match control {
        Control::Return { selector, values } | Control::Yield { selector, values } => {
            format!("{name} selector {selector}:{}", list(values))
        }
        Control::Match(arms) | Control::MatchContinue { arms, .. } => {
            format!("{name} {}", arms.value.0)
        }
    }
}

fn list(values: &[ValueId]) -> String {
    let spelled = values.iter().take(MAX_SPELLED).map(|value| format!(" {}", value.0));
    let mut text: String = spelled.collect();
    if values.len() > MAX_SPELLED {
        text.push_str(&format!(" … ({})", values.len()));
    }
    text
}
