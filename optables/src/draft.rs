//! From tables to drafts: the front end of `traceloom-plan` for op tables.

use traceloom_plan::contract::{FunctionContract, RowContract};
use traceloom_plan::draft::{FunctionDraft, GenericDraft, Lower, PathDraft, ProgramDraft};
use traceloom_plan::{GenericControl, OpNote, PathPlan, PlanLayout, RowSource};

use crate::table::{RowProgram, Table};

/// The draft of one row program. It has one path, and its branching form has one block.
pub(crate) fn draft<'a>(
    name: String,
    table: &'a Table,
    program: &'a RowProgram,
) -> FunctionDraft<'a> {
    FunctionDraft {
        name,
        num_outputs: 0,
        constrained: true,
        layout: layout(table, program),
        lower: Box::new(Lowered(program)),
    }
}

struct Lowered<'a>(&'a RowProgram);

impl Lower for Lowered<'_> {
    fn ops(&self) -> Vec<OpNote> {
        self.0.row.op_notes()
    }

    fn paths(&self) -> Vec<PathDraft> {
        let code = self.0.row.code.clone();
        vec![PathDraft { path: 0, leaves: Vec::new(), code, outputs: Vec::new() }]
    }

    fn generic(&self) -> GenericDraft {
        let mut code = self.0.row.code.clone();
        let blocks = vec![code.end_block(0, GenericControl::Return { outputs: Vec::new() })];
        GenericDraft { code, blocks }
    }
}

/// What the plan of a row program must agree with: from declarations alone.
pub(crate) fn contract(table: &Table, program: &RowProgram) -> FunctionContract {
    let rows = RowContract { layout: layout(table, program), paths: vec![Vec::new()] };
    FunctionContract { num_inputs: 0, num_outputs: 0, rows: Some(rows) }
}

fn layout(table: &Table, program: &RowProgram) -> PlanLayout {
    PlanLayout {
        source: RowSource::Record { num_words: program.word_bounds().len() as u32 },
        num_inputs: 0,
        num_selectors: 0,
        num_auxiliaries: table.columns.len() as u32,
        num_lookups: table.lookups.len() as u32,
        ranked: false,
    }
}

/// The plan of one row program alone, with its bounds.
pub(crate) fn path_plan(table: &Table, program: &RowProgram) -> PathPlan {
    let draft = ProgramDraft {
        name: table.name.into(),
        fingerprint: [0; 32],
        memory_widths: Vec::new(),
        functions: vec![draft(table.name.into(), table, program)],
    };
    let function = draft.finish().functions.pop().expect("one function was drafted");
    function.paths.into_iter().next().expect("a row program has one path")
}
