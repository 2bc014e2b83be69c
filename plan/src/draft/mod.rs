//! Drafts: what a front end hands over, and how plans are made of it.
//!
//! A front end (bytecode, op tables) lowers its operations to [`Code`], path by path and once more
//! with its branches. This module finds everything that is not the meaning of an operation:
//! which advice is free, zeros of unused columns, aliases of own outputs, which values are
//! needed, bounds, and the widths of seed words.

mod code;
mod generic;
mod needs;
mod path;

use traceloom_abi::seed::FullLayout;

use crate::columns::PlanLayout;
use crate::guards::{Said, SaidByPath, solve_inputs};
use crate::library::{Library, Returns, Tables};
use crate::names::symbols;
use crate::program::{
    FunctionPlan, GenericBlock, GenericControl, GenericPlan, OpNote, PathPlan, ProgramPlan,
};
use crate::value::ValueNo;

pub use code::{Code, Use};
pub(crate) use path::SettledPath;

/// A program, lowered.
pub struct ProgramDraft<'a> {
    /// Name of the program, for people.
    pub name: String,
    /// Program fingerprint.
    pub fingerprint: [u8; 32],
    /// Widths of the memory tables, in the order of the record.
    pub memory_widths: Vec<u32>,
    /// All functions, in the order of the record.
    pub functions: Vec<FunctionDraft<'a>>,
}

/// A function, lowered. Its code is lowered when it is asked for, and may be asked for twice:
/// bounds follow from all functions, and the code of all of them takes much memory.
pub struct FunctionDraft<'a> {
    /// Name in the program: untrusted text.
    pub name: String,
    /// Number of outputs.
    pub num_outputs: u32,
    /// Whether it has rows. Functions without rows matter only for what they return and store.
    pub constrained: bool,
    /// Columns.
    pub layout: PlanLayout,
    /// Lowers the function.
    pub lower: Box<dyn Lower + 'a>,
}

/// Lowers one function, with equal results each time.
pub trait Lower {
    /// Operations and controls in pre-order, numbered by position.
    fn ops(&self) -> Vec<OpNote>;

    /// The paths by number; empty where paths are not numbered or the function has no rows.
    fn paths(&self) -> Vec<PathDraft>;

    /// All blocks.
    fn generic(&self) -> GenericDraft;
}

/// A path, lowered: its selectors are written, and all that its operations require.
#[derive(Clone, Debug)]
pub struct PathDraft {
    /// Path number.
    pub path: u32,
    /// Selectors of its leaves: yields, then the return.
    pub leaves: Vec<u32>,
    /// Its code.
    pub code: Code,
    /// What it returns.
    pub outputs: Vec<ValueNo>,
}

/// All blocks of a function, lowered. They come in pre-order: a block, its arms in
/// listed order, then its continuation.
#[derive(Clone, Debug)]
pub struct GenericDraft {
    /// Values of all blocks, and what uses say.
    pub code: Code,
    /// The blocks, as [`Code::end_block`] gives them.
    pub blocks: Vec<GenericBlock>,
}

impl ProgramDraft<'_> {
    /// The plans of all constrained functions.
    #[must_use]
    pub fn finish(self) -> ProgramPlan {
        let mut functions = Vec::new();
        let head = self.finish_each(|function| functions.push(function));
        ProgramPlan { functions, ..head }
    }

    /// Gives the plan of each constrained function to `each`, in order, and keeps none.
    /// Returns the plan of the program without its functions.
    pub fn finish_each(self, mut each: impl FnMut(FunctionPlan)) -> ProgramPlan {
        let tables = Tables {
            num_outputs: self.functions.iter().map(|function| function.num_outputs).collect(),
            memory_widths: self.memory_widths,
        };
        let symbols = symbols(self.functions.iter().map(|function| &function.name[..]));
        let generic =
            |draft: &FunctionDraft<'_>| generic::finish(draft.lower.generic(), &draft.layout);
        let stored = self.functions.iter().map(|draft| Returns::of(generic(draft)));
        let library = Library::solve(&tables, &stored.collect::<Vec<_>>());
        let inputs = solve_inputs(
            &self.functions.iter().map(|draft| said(draft, &library)).collect::<Vec<_>>(),
        );
        for ((function, draft), symbol) in (0..).zip(&self.functions).zip(symbols) {
            if draft.constrained {
                let own = &inputs[function as usize];
                let settled = draft.lower.paths().into_iter();
                let settled = settled.map(|path| path::settle(path, &draft.layout));
                let paths = settled.map(|path| path::finish(&library, own, &inputs, path));
                each(draft.plan(symbol, function, paths.collect(), generic(draft)));
            }
        }
        ProgramPlan {
            name: self.name,
            fingerprint: self.fingerprint,
            num_outputs: tables.num_outputs,
            functions: Vec::new(),
        }
    }
}

/// What the paths of a function say about its inputs and those of its callees.
fn said(draft: &FunctionDraft<'_>, library: &Library) -> Said {
    let paths = draft.lower.paths().into_iter();
    let settled = paths.map(|path| path::settle(path, &draft.layout));
    Said {
        num_inputs: draft.layout.num_inputs as usize,
        paths: settled.map(|path| SaidByPath::of(library, path)).collect(),
    }
}

impl FunctionDraft<'_> {
    fn plan(
        &self,
        symbol: String,
        function: u32,
        paths: Vec<PathPlan>,
        generic: GenericPlan,
    ) -> FunctionPlan {
        let (name, layout, ops) = (self.name.clone(), self.layout, self.lower.ops());
        let (ranked, num_inputs) = (layout.ranked, layout.seed_inputs());
        let full = FullLayout { ranked, num_inputs, max_reads: longest(&generic) };
        FunctionPlan { name, symbol, function, layout, full, ops, paths, generic }
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
