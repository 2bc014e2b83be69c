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
use crate::guards::solve_inputs;
use crate::library::{Library, Tables};
use crate::names::symbols;
use crate::program::{
    FunctionPlan, GenericBlock, GenericControl, GenericPlan, OpNote, PathPlan, ProgramPlan,
};
use crate::value::ValueNo;

pub use code::{Code, Use};
pub(crate) use path::SettledPath;

/// A program, lowered.
#[derive(Clone, Debug)]
pub struct ProgramDraft {
    /// Name of the program, for people.
    pub name: String,
    /// Program fingerprint.
    pub fingerprint: [u8; 32],
    /// Widths of the memory tables, in the order of the record.
    pub memory_widths: Vec<u32>,
    /// All functions, in the order of the record.
    pub functions: Vec<FunctionDraft>,
}

/// A function, lowered.
#[derive(Clone, Debug)]
pub struct FunctionDraft {
    /// Name in the program: untrusted text.
    pub name: String,
    /// Number of outputs.
    pub num_outputs: u32,
    /// Whether it has rows. Functions without rows matter only for what they return and store.
    pub constrained: bool,
    /// Columns.
    pub layout: PlanLayout,
    /// Operations and controls in pre-order, numbered by position.
    pub ops: Vec<OpNote>,
    /// By path number; empty where paths are not numbered or the function has no rows.
    pub paths: Vec<PathDraft>,
    /// All blocks.
    pub generic: GenericDraft,
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

impl ProgramDraft {
    /// The plans of all constrained functions.
    #[must_use]
    pub fn finish(self) -> ProgramPlan {
        let tables = Tables {
            num_outputs: self.functions.iter().map(|function| function.num_outputs).collect(),
            memory_widths: self.memory_widths,
        };
        let symbols = symbols(self.functions.iter().map(|function| &function.name[..]));
        let mut generics = Vec::with_capacity(self.functions.len());
        let mut paths = Vec::with_capacity(self.functions.len());
        let mut heads = Vec::with_capacity(self.functions.len());
        for FunctionDraft { name, constrained, layout, ops, paths: own, generic, .. } in
            self.functions
        {
            generics.push(generic::finish(generic, &layout));
            paths.push(own.into_iter().map(|path| path::settle(path, &layout)).collect());
            heads.push(Head { name, constrained, layout, ops });
        }
        let library = Library::solve(&tables, &generics);
        let num_inputs: Vec<usize> = heads.iter().map(|h| h.layout.num_inputs as usize).collect();
        let inputs = solve_inputs(&library, &num_inputs, &paths);
        let mut functions = Vec::new();
        let parts = heads.into_iter().zip(symbols).zip(generics.into_iter().zip(paths)).zip(0..);
        for (((head, symbol), (generic, paths)), function) in parts {
            let own = &inputs[function as usize];
            let finish = |path| path::finish(&library, own, &inputs, path);
            let paths = paths.into_iter().map(finish).collect();
            if head.constrained {
                functions.push(head.plan(symbol, function, paths, generic));
            }
        }
        ProgramPlan {
            name: self.name,
            fingerprint: self.fingerprint,
            num_outputs: tables.num_outputs,
            functions,
        }
    }
}

/// What a plan has from its draft as it is.
struct Head {
    name: String,
    constrained: bool,
    layout: PlanLayout,
    ops: Vec<OpNote>,
}

impl Head {
    fn plan(
        self,
        symbol: String,
        function: u32,
        paths: Vec<PathPlan>,
        generic: GenericPlan,
    ) -> FunctionPlan {
        let Self { name, layout, ops, .. } = self;
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
