//! From a program to its plans: the front end of `traceloom-plan` for bytecode.
//!
//! - `numbering`: numbers of operations;
//! - `lowering`: the state of a function while it is lowered. How operations and control are
//!   lowered is in `operations` and `control`, beside their other rules.

mod lowering;
mod numbering;

use traceloom_plan::contract::{Contract, FunctionContract, RowContract};
use traceloom_plan::draft::{FunctionDraft, GenericDraft, Lower, PathDraft, ProgramDraft};
use traceloom_plan::{OpNote, PlanLayout, ProgramPlan, RowSource};

use crate::check::CheckedProgram;
use crate::control::lowering::{lower_blocks, lower_path};
use crate::layout::{FunctionLayout, derive_layout};
use crate::model::FunctionId;

pub(crate) use lowering::Lowering;
pub(crate) use numbering::Numbering;

/// Plans all constrained functions of `program`.
#[must_use]
pub fn plan_program(program: &CheckedProgram) -> ProgramPlan {
    draft_program(program).finish()
}

/// Lowers `program`; its functions when they are asked for.
#[must_use]
pub fn draft_program(program: &CheckedProgram) -> ProgramDraft<'_> {
    let data = program.program();
    ProgramDraft {
        name: data.name.clone(),
        fingerprint: program.fingerprint(),
        memory_widths: data.memory_sizes.clone(),
        functions: program.function_ids().map(|id| draft(program, id)).collect(),
    }
}

/// What plans of `program` must agree with: derived from its rules again, with no look
/// at what the program keeps for lowering.
#[must_use]
pub fn contract(program: &CheckedProgram) -> Contract {
    let rows = |id: FunctionId| {
        let layout = derive_layout(id, program.function(id), program.callgraph());
        RowContract { layout: plan_layout(&layout), paths: paths(program, id) }
    };
    let function = |id: FunctionId| {
        let function = program.function(id);
        FunctionContract {
            num_inputs: function.num_inputs,
            num_outputs: function.num_outputs,
            rows: function.constrained.then(|| rows(id)),
        }
    };
    Contract {
        memory_widths: program.program().memory_sizes.clone(),
        functions: program.function_ids().map(function).collect(),
    }
}

fn draft(program: &CheckedProgram, id: FunctionId) -> FunctionDraft<'_> {
    let function = program.function(id);
    FunctionDraft {
        name: function.name.clone(),
        num_outputs: function.num_outputs,
        constrained: function.constrained,
        layout: plan_layout(program.layout(id)),
        lower: Box::new(Lowered { program, id, numbering: Numbering::new(function) }),
    }
}

/// One function of a program.
struct Lowered<'a> {
    program: &'a CheckedProgram,
    id: FunctionId,
    numbering: Numbering,
}

impl Lower for Lowered<'_> {
    fn ops(&self) -> Vec<OpNote> {
        self.numbering.notes(self.program.function(self.id))
    }

    fn paths(&self) -> Vec<PathDraft> {
        if !self.program.function(self.id).constrained {
            return Vec::new();
        }
        let path = |(number, leaves): (u32, Vec<u32>)| {
            let (code, outputs) = lower_path(self.program, &self.numbering, self.id, &leaves);
            PathDraft { path: number, leaves, code, outputs }
        };
        (0..).zip(paths(self.program, self.id)).map(path).collect()
    }

    fn generic(&self) -> GenericDraft {
        lower_blocks(self.program, &self.numbering, self.id)
    }
}

/// Leaves of the numbered paths of a function, by path number.
fn paths(program: &CheckedProgram, id: FunctionId) -> Vec<Vec<u32>> {
    let paths = program.paths(id);
    let leaves = (0..).map_while(|number| paths.leaves(number));
    leaves.map(<[u32]>::to_vec).collect()
}

/// The sizes of a layout.
pub(crate) fn plan_layout(layout: &FunctionLayout) -> PlanLayout {
    PlanLayout {
        source: RowSource::Query,
        num_inputs: layout.num_inputs as u32,
        num_selectors: layout.num_selectors as u32,
        num_auxiliaries: layout.num_auxiliaries as u32,
        num_lookups: layout.num_lookups as u32,
        ranked: layout.ranked,
    }
}
