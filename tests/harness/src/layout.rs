//! A second derivation of layouts, paths and ranked components.
//!
//! [`traceloom_bytecode::layout`] makes three passes over the list of blocks:
//! sizes of operations, of subtrees from the end, then places from the start. Here
//! one recursive walk threads two cursors through the tree and returns how far
//! they came. Components are found by reachability instead of depth-first search,
//! paths are listed by recursion instead of counted and joined.

use traceloom_air::bytes::ByteOp;
use traceloom_bytecode::callgraph::RankedCall;
use traceloom_bytecode::layout::{BlockPlace, FunctionLayout, OpPlace};
use traceloom_bytecode::model::{BlockId, Control, Function, FunctionId, Op, Program, ValueId};

/// Layouts of all functions of a valid program.
#[must_use]
pub fn layouts(program: &Program) -> Vec<FunctionLayout> {
    let reach = reachability(program);
    (0..program.functions.len()).map(|index| layout(program, &reach, index)).collect()
}

/// `[a][b]`: whether constrained calls of constrained functions lead from a to b.
#[must_use]
pub fn reachability(program: &Program) -> Vec<Vec<bool>> {
    let count = program.functions.len();
    let mut reach = vec![vec![false; count]; count];
    for (caller, function) in program.functions.iter().enumerate() {
        for op in function.blocks.iter().flat_map(|block| &block.ops) {
            if let Op::Call { function: callee, constrained: true, .. } = op {
                reach[caller][callee.index()] |= function.constrained;
            }
        }
    }
    for via in 0..count {
        let onward = reach[via].clone();
        for row in reach.iter_mut().filter(|row| row[via]) {
            row.iter_mut().zip(&onward).for_each(|(to, &more)| *to |= more);
        }
    }
    reach
}

fn layout(program: &Program, reach: &[Vec<bool>], index: usize) -> FunctionLayout {
    let function = &program.functions[index];
    let ranked = function.constrained && reach[index][index];
    let places = vec![BlockPlace::default(); function.blocks.len()];
    let together = together(function);
    let mut walk = Walk { function, index, reach, together, places };
    let start = Cursor { auxiliary: 1 + usize::from(ranked), lookup: 1 };
    let degrees = vec![1; function.num_inputs as usize];
    let end = walk.block(BlockId::BODY, start, degrees, 0);
    FunctionLayout {
        num_inputs: function.num_inputs as usize,
        num_selectors: leaves(function, BlockId::BODY),
        num_auxiliaries: end.auxiliary,
        num_lookups: end.lookup,
        ranked,
        blocks: walk.places,
    }
}

fn leaves(function: &Function, block: BlockId) -> usize {
    let control = &function.blocks[block.index()].control;
    let children: usize = control.children().map(|child| leaves(function, child)).sum();
    children.max(1)
}

#[derive(Clone, Copy)]
struct Cursor {
    auxiliary: usize,
    lookup: usize,
}

impl Cursor {
    fn max(self, other: Self) -> Self {
        Self {
            auxiliary: self.auxiliary.max(other.auxiliary),
            lookup: self.lookup.max(other.lookup),
        }
    }
}

struct Walk<'a> {
    function: &'a Function,
    index: usize,
    reach: &'a [Vec<bool>],
    together: Vec<Vec<bool>>,
    places: Vec<BlockPlace>,
}

impl Walk<'_> {
    /// Lays a block and all below it from `at` on; the end.
    fn block(
        &mut self,
        block: BlockId,
        at: Cursor,
        mut degrees: Vec<u32>,
        num_merged: usize,
    ) -> Cursor {
        let code = &self.function.blocks[block.index()];
        let mut place = BlockPlace {
            num_values: degrees.len(),
            num_merged,
            first_auxiliary: at.auxiliary,
            first_lookup: at.lookup,
            ..BlockPlace::default()
        };
        let mut end = at;
        for op in &code.ops {
            let op_place = self.op(op, block, end, &degrees);
            end.auxiliary += op_place.num_auxiliaries;
            end.lookup += op_place.num_lookups;
            degrees.extend(vec![op_place.degree; op.num_results()]);
            place.ops.push(op_place);
        }
        (place.end_auxiliary, place.end_lookup) = (end.auxiliary, end.lookup);
        let mut furthest = end;
        if let Some(arms) = code.control.arms() {
            for (_, arm) in &arms.cases {
                furthest = furthest.max(self.block(*arm, end, degrees.clone(), 0));
            }
            if let Some(arm) = arms.default {
                let behind = Cursor { auxiliary: end.auxiliary + arms.cases.len(), ..end };
                furthest = furthest.max(self.block(arm, behind, degrees.clone(), 0));
            }
        }
        if let Control::MatchContinue { num_outputs, continuation, .. } = &code.control {
            place.shared_auxiliaries = furthest.auxiliary - end.auxiliary;
            place.shared_lookups = furthest.lookup - end.lookup;
            let merged = *num_outputs as usize;
            furthest.auxiliary += merged;
            degrees.extend(vec![1; merged]);
            furthest = self.block(*continuation, furthest, degrees, merged);
        }
        self.places[block.index()] = place;
        furthest
    }

    fn is_inside(&self, callee: usize) -> bool {
        self.reach[self.index][callee] && self.reach[callee][self.index]
    }

    /// Whether no path makes a call of `block`, and another one inside the component.
    fn is_alone(&self, block: BlockId) -> bool {
        let calls = |block: usize| {
            let ops = self.function.blocks[block].ops.iter();
            let inside = ops.filter(|op| match op {
                Op::Call { function, constrained, .. } => {
                    *constrained && self.is_inside(function.index())
                }
                _ => false,
            });
            inside.count()
        };
        let others = self.together[block.index()].iter().enumerate();
        let others = others.filter(|&(other, &together)| together && other != block.index());
        // Nobody goes through a block that is not even together with the body.
        let is_dead = block != BlockId::BODY && !self.together[0][block.index()];
        is_dead || calls(block.index()) + others.map(|(other, _)| calls(other)).sum::<usize>() <= 1
    }

    fn op(&self, op: &Op, block: BlockId, at: Cursor, degrees: &[u32]) -> OpPlace {
        let degree_of = |value: &ValueId| degrees[value.index()];
        let mut ranked_call = RankedCall::None;
        let results = op.num_results();
        let (auxiliaries, lookups, degree) = match op {
            Op::Const(_) => (0, 0, 0),
            Op::Add(a, b) | Op::Sub(a, b) => (0, 0, degree_of(a).max(degree_of(b))),
            Op::Mul(a, b) if degree_of(a) == 1 && degree_of(b) == 1 => (1, 0, 1),
            Op::Mul(a, b) => (0, 0, degree_of(a).max(degree_of(b))),
            Op::EqZero(a) if degree_of(a) == 0 => (0, 0, 0),
            Op::EqZero(_) => (2, 0, 1),
            Op::U32ToField(bytes) => (0, 0, bytes.iter().map(degree_of).max().unwrap_or(0)),
            Op::Call { function, constrained: true, .. } => {
                let callee = function.index();
                let recursive = self.reach[callee][callee] && self.function.constrained;
                let (kind, columns, checks) = match (recursive, self.is_inside(callee)) {
                    (false, _) => (RankedCall::None, 0, 0),
                    (true, false) => (RankedCall::Outside, 1, 0),
                    (true, true) if self.is_alone(block) => (RankedCall::Lone, 0, 0),
                    (true, true) => (RankedCall::Inside, 2, 2),
                };
                ranked_call = kind;
                (results + columns, 1 + checks, 1)
            }
            Op::Call { constrained: false, .. } => (results, 0, 1),
            Op::Store { .. } => (1, 1, 1),
            Op::Load { .. } | Op::Unary(..) => (results, 1, 1),
            // No result, so the degree of the results says nothing.
            Op::AssertEq { .. }
            | Op::IoSetInfo { .. }
            | Op::IoWrite { .. }
            | Op::Debug { .. }
            | Op::Allow { .. } => (0, 0, 0),
            Op::IoGetInfo { .. }
            | Op::IoRead { .. }
            | Op::HintFieldToBytes(_)
            | Op::HintInverse(_)
            | Op::HintBigUintDivRem(..) => (results, 0, 1),
            // The second result of these two is an expression.
            Op::Binary(ByteOp::Add | ByteOp::Sub, ..) => (1, 1, 1),
            Op::Binary(..) => (results, 1, 1),
            Op::U32LessThan(..) => (6, 6, 1),
            Op::HintU32Add(_) | Op::HintU32Add3(_) => (4, 0, 1),
        };
        OpPlace {
            first_value: degrees.len(),
            degree,
            first_auxiliary: at.auxiliary,
            num_auxiliaries: auxiliaries,
            first_lookup: at.lookup,
            num_lookups: lookups,
            ranked_call,
        }
    }
}

/// `[a][b]`: whether a path from the body goes through both of these blocks.
fn together(function: &Function) -> Vec<Vec<bool>> {
    let count = function.blocks.len();
    let mut leads = vec![vec![false; count]; count];
    step(function, BlockId::BODY, None, &mut leads);
    for via in 0..count {
        for from in 0..count {
            for to in 0..count {
                leads[from][to] |= leads[from][via] && leads[via][to];
            }
        }
    }
    let is_live = |block: usize| block == 0 || leads[0][block];
    let both = |a: usize, b: usize| is_live(a) && is_live(b) && (leads[a][b] || leads[b][a]);
    (0..count).map(|a| (0..count).map(|b| both(a, b)).collect()).collect()
}

/// Single steps of paths through `block` and all below it, whose yields go to `next`.
fn step(function: &Function, block: BlockId, next: Option<BlockId>, leads: &mut [Vec<bool>]) {
    match &function.blocks[block.index()].control {
        Control::Return { .. } => {}
        Control::Yield { .. } => {
            let next = next.expect("yields of a valid program have a continuation");
            leads[block.index()][next.index()] = true;
        }
        Control::Match(arms) => {
            for arm in arms.blocks() {
                leads[block.index()][arm.index()] = true;
                step(function, arm, next, leads);
            }
        }
        Control::MatchContinue { arms, continuation, .. } => {
            for arm in arms.blocks() {
                leads[block.index()][arm.index()] = true;
                step(function, arm, Some(*continuation), leads);
            }
            step(function, *continuation, next, leads);
        }
    }
}

/// All paths of a function in order, or none if there are more than `most`.
#[must_use]
pub fn paths(function: &Function, most: usize) -> Option<Vec<Vec<u32>>> {
    let mut ways = ways(function, BlockId::BODY, most)?;
    ways.retain(|way| !way.yields);
    let mut paths: Vec<Vec<u32>> = ways.into_iter().map(|way| way.leaves).collect();
    paths.sort();
    (paths.len() <= most).then_some(paths)
}

struct Way {
    leaves: Vec<u32>,
    yields: bool,
}

/// Ways through a block; nothing if they grow far beyond `most`.
fn ways(function: &Function, block: BlockId, most: usize) -> Option<Vec<Way>> {
    let control = &function.blocks[block.index()].control;
    let mut all = Vec::new();
    match control {
        Control::Return { selector, .. } => {
            all.push(Way { leaves: vec![*selector], yields: false });
        }
        Control::Yield { selector, .. } => {
            all.push(Way { leaves: vec![*selector], yields: true });
        }
        Control::Match(arms) | Control::MatchContinue { arms, .. } => {
            for arm in arms.blocks() {
                all.extend(ways(function, arm, most)?);
            }
        }
    }
    // Nobody goes on in a continuation that no arm yields to.
    if let Control::MatchContinue { continuation, .. } = control
        && all.iter().any(|way| way.yields)
    {
        let tails = ways(function, *continuation, most)?;
        let mut joined = Vec::new();
        for way in all {
            match way.yields {
                true => joined.extend(tails.iter().map(|tail| Way {
                    leaves: [&way.leaves[..], &tail.leaves[..]].concat(),
                    yields: tail.yields,
                })),
                false => joined.push(way),
            }
        }
        all = joined;
    }
    (all.len() <= 64 * most).then_some(all)
}

/// The component that a function is in, as the set of functions it shares it with.
#[must_use]
pub fn component(reach: &[Vec<bool>], function: FunctionId) -> Vec<usize> {
    let own = function.index();
    (0..reach.len()).filter(|&f| f == own || reach[own][f] && reach[f][own]).collect()
}
