//! How blocks end: leaves and matches.

use traceloom_air::field::word;

use crate::check::CheckedProgram;
use crate::execute::error::{Fault, Words};
use crate::execute::machine::{Machine, Outcome};
use crate::model::{BlockId, Control, Function, FunctionId, Match, ValueId};

/// From so many cases on, keys are searched instead of compared one by one.
const SEARCHED_CASES: usize = 9;

/// What a function's control needs beside its blocks.
#[derive(Debug)]
pub(crate) struct Shape {
    /// By block: the continuation that a yield in it goes to, and the number of
    /// values that are there before the yielded ones.
    resumes: Vec<Option<Resume>>,
    /// By block: cases of a large match by rising key, else nothing.
    sorted: Vec<Vec<(u64, BlockId)>>,
}

#[derive(Clone, Copy, Debug)]
struct Resume {
    block: BlockId,
    num_values: usize,
}

impl Shape {
    pub(crate) fn new(program: &CheckedProgram, id: FunctionId) -> Self {
        let function = program.function(id);
        let places = &program.layout(id).blocks;
        let resume = |block: BlockId| {
            let place = &places[block.index()];
            Resume { block, num_values: place.num_values - place.num_merged }
        };
        let resumes = function.continuations().into_iter().map(|block| block.map(resume));
        let resumes = resumes.collect();
        Self { resumes, sorted: sorted_cases(function) }
    }
}

fn sorted_cases(function: &Function) -> Vec<Vec<(u64, BlockId)>> {
    let sorted = |control: &Control| match control.arms() {
        Some(arms) if arms.cases.len() >= SEARCHED_CASES => {
            let mut cases: Vec<_> = arms.cases.iter().map(|&(k, block)| (word(k), block)).collect();
            cases.sort_unstable();
            cases
        }
        _ => Vec::new(),
    };
    function.blocks.iter().map(|block| sorted(&block.control)).collect()
}

impl Machine<'_> {
    /// Goes on after the operations of the innermost frame's block.
    pub(crate) fn end_block(&mut self, control: &Control) -> Outcome<()> {
        match control {
            Control::Return { selector, values } => {
                self.leaves.push(*selector);
                self.finish(values)
            }
            Control::Yield { selector, values } => {
                self.leaves.push(*selector);
                self.resume(values);
                Ok(())
            }
            Control::Match(arms) | Control::MatchContinue { arms, .. } => self.choose(arms),
        }
    }

    fn resume(&mut self, yielded: &[ValueId]) {
        let frame = *self.frames.last().expect("a frame is running");
        let resume = self.shapes[frame.function.index()].resumes[frame.block.index()];
        let resume = resume.expect("yields stand inside of arms that continue");
        self.gather(frame.base, yielded);
        self.values.truncate(frame.base + resume.num_values);
        self.values.extend_from_slice(&self.scratch);
        self.jump(resume.block);
    }

    fn choose(&mut self, arms: &Match) -> Outcome<()> {
        let frame = self.frames.last().expect("a frame is running");
        let key = self.values[frame.base + arms.value.index()];
        let sorted = &self.shapes[frame.function.index()].sorted[frame.block.index()];
        let case = if sorted.is_empty() {
            arms.cases.iter().find(|&&(case, _)| word(case) == key).map(|&(_, block)| block)
        } else {
            let found = sorted.binary_search_by_key(&key, |&(case, _)| case);
            found.ok().map(|at| sorted[at].1)
        };
        match case.or(arms.default) {
            Some(block) => {
                self.jump(block);
                Ok(())
            }
            None => Err(Box::new(Fault::NoCase {
                value: arms.value,
                word: key,
                keys: Words::new(arms.cases.iter().map(|&(case, _)| word(case))),
            })),
        }
    }

    fn jump(&mut self, block: BlockId) {
        let frame = self.frames.last_mut().expect("a frame is running");
        frame.block = block;
        frame.op = 0;
    }
}
