//! One function, block by block: what is known on every path, and what is used.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::facts::{BOUNDED, CHECKED, EQUATED, Fact, Facts, Mark};
use super::graph::{Graph, Kind, NodeId, Origin};
use super::report::{Sink, Step};
use super::search::{Reached, input_behind, inputs_in, unsettled};
use crate::check::CheckedProgram;
use crate::model::{BlockId, Control, Function, FunctionId, Op, ValueId};
use crate::text::Element;

/// What callers know of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Summary {
    /// By input: the facts that hold on every path.
    pub inputs: Vec<u8>,
    /// By input: how it is used where no path checks it, if it is. Advice is better not passed to
    /// such an input.
    pub exposed: Vec<Option<Rc<[Step]>>>,
    /// By output: how advice that nothing ties comes to be returned, if it is.
    pub free: Vec<Option<Rc<[Step]>>>,
    /// By output: the inputs that it is computed from, in order.
    pub flows: Vec<Vec<usize>>,
    /// By output: the input behind which it was loaded, if nothing checks what was loaded.
    pub loaded: Vec<Option<usize>>,
}

impl Summary {
    /// All that could be known.
    pub fn hopeful(function: &Function) -> Self {
        Self::of(function, CHECKED | EQUATED | BOUNDED)
    }

    /// Nothing.
    pub fn hopeless(function: &Function) -> Self {
        Self::of(function, 0)
    }

    fn of(function: &Function, facts: u8) -> Self {
        Self {
            inputs: vec![facts; function.num_inputs as usize],
            exposed: vec![None; function.num_inputs as usize],
            free: vec![None; function.num_outputs as usize],
            flows: vec![Vec::new(); function.num_outputs as usize],
            loaded: vec![None; function.num_outputs as usize],
        }
    }
}

/// Advice that nothing ties, and its first use.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub sink: Sink,
    /// From the advice to the use, and what a callee does with it.
    pub chain: Vec<Step>,
    /// Which step is the use.
    pub use_at: usize,
    /// Block and operation of this advice, and of the same in the same function.
    origins: BTreeSet<(usize, Option<usize>)>,
    /// How many others there are.
    pub others: usize,
}

/// Name of an operation, and the callee if it is a call. What one of them gives in a function is
/// one finding: a function that reads eight words of io has one thing to check.
type Giver = (&'static str, Option<FunctionId>);

/// What a walk finds.
pub(super) struct Outcome {
    pub summary: Summary,
    /// By the operation that gives the advice.
    pub found: Vec<Found>,
}

/// A use of a value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Use {
    pub node: NodeId,
    pub kind: UseKind,
    pub element: Element,
    /// Which of the arguments of a call.
    pub position: usize,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum UseKind {
    Sink(Sink),
    /// Returned to a caller, which may check it.
    Export(usize),
}

/// A continuation, while its arms are walked.
#[derive(Default)]
struct Join {
    mark: Mark,
    num_uses: usize,
    /// Block of the match.
    owner: usize,
    leaves: Vec<Leaf>,
    /// Uses in arms that are open where the arms yield.
    uses: Vec<Use>,
}

/// Where an arm yields.
struct Leaf {
    block: usize,
    learned: Vec<Fact>,
    values: Vec<NodeId>,
}

enum Task {
    /// A block that some arm of a match leads to, with the value of the match and whether the
    /// value equals a key there.
    Arm(BlockId, NodeId, Element, bool),
    Body,
    Continuation(BlockId),
    Leave(Mark, usize),
}

pub(super) struct Walk<'a> {
    program: &'a CheckedProgram,
    pub(super) id: FunctionId,
    function: &'a Function,
    pub(super) summaries: &'a [Summary],
    work: &'a mut u64,
    pub(super) graph: Graph,
    pub(super) facts: Facts,
    pub(super) values: Vec<NodeId>,
    pub(super) uses: Vec<Use>,
    continuations: Vec<Option<BlockId>>,
    sizes: Vec<usize>,
    parents: Vec<usize>,
    joins: BTreeMap<usize, Join>,
    /// By what gives the advice.
    found: BTreeMap<Giver, Found>,
    summary: Summary,
}

impl<'a> Walk<'a> {
    pub fn new(
        program: &'a CheckedProgram,
        id: FunctionId,
        summaries: &'a [Summary],
        work: &'a mut u64,
    ) -> Self {
        let function = program.function(id);
        let mut parents = vec![0; function.blocks.len()];
        for (index, block) in function.blocks.iter().enumerate() {
            block.control.children().for_each(|child| parents[child.index()] = index);
        }
        Self {
            program,
            id,
            function,
            summaries,
            work,
            graph: Graph::default(),
            facts: Facts::default(),
            values: Vec::new(),
            uses: Vec::new(),
            continuations: function.continuations(),
            sizes: subtree_sizes(function),
            parents,
            joins: BTreeMap::new(),
            found: BTreeMap::new(),
            // Uses and free outputs that were found once stay, so that recursion comes to an end.
            summary: Summary {
                inputs: Summary::hopeful(function).inputs,
                ..summaries[id.index()].clone()
            },
        }
    }

    /// Walks the function; none if the work is used up.
    pub fn run(mut self) -> Option<Outcome> {
        for result in 0..self.function.num_inputs as usize {
            let origin = Origin { block: 0, op: None, result };
            let input = self.graph.add(Kind::Input, &[], origin);
            self.values.push(input);
        }
        let mut tasks = vec![Task::Body];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Body => self.block(0, &mut tasks),
                Task::Arm(block, node, element, is_key) => {
                    tasks.push(Task::Leave(self.facts.mark(), self.uses.len()));
                    self.begin(block.index());
                    if is_key {
                        self.facts.equate(&self.graph, &[node]);
                    }
                    let kind = UseKind::Sink(Sink::Branch);
                    self.uses.push(Use { node, kind, element, position: 0 });
                    self.block(block.index(), &mut tasks);
                }
                Task::Continuation(block) => {
                    tasks.push(Task::Leave(self.facts.mark(), self.uses.len()));
                    if self.join(block.index()) {
                        self.block(block.index(), &mut tasks);
                    }
                }
                Task::Leave(mark, num_uses) => {
                    self.facts.forget(mark);
                    self.uses.truncate(num_uses);
                }
            }
            let spent = std::mem::take(&mut self.facts.work);
            *self.work = self.work.checked_sub(spent + 1)?;
        }
        let summary = self.summary;
        Some(Outcome { summary, found: self.found.into_values().collect() })
    }

    /// Values in scope where a block begins, without those that it continues with.
    fn begin(&mut self, block: usize) {
        let place = &self.program.layout(self.id).blocks[block];
        self.values.truncate(place.num_values - place.num_merged);
    }

    /// Operations and control of a block whose values are in scope.
    fn block(&mut self, block: usize, tasks: &mut Vec<Task>) {
        let first_use = self.uses.len();
        let function = self.function;
        for (index, op) in function.blocks[block].ops.iter().enumerate() {
            self.facts.work += 1;
            self.operation(block, index, op);
        }
        self.facts.solve();
        let element = Element::Control(self.id.index(), block);
        match &function.blocks[block].control {
            Control::Return { values, .. } => self.leave(values, element),
            Control::Yield { values, .. } => self.suspend(block, values),
            control => {
                self.drop_settled(first_use);
                self.branch(block, control, element, tasks);
            }
        }
    }

    fn branch(&mut self, block: usize, control: &Control, element: Element, tasks: &mut Vec<Task>) {
        let arms = control.arms().expect("only a match goes on in other blocks");
        let node = self.values[arms.value.index()];
        if let Control::MatchContinue { continuation, .. } = control {
            let (mark, num_uses) = (self.facts.mark(), self.uses.len());
            let join = Join { mark, num_uses, owner: block, ..Join::default() };
            self.joins.insert(continuation.index(), join);
            tasks.push(Task::Continuation(*continuation));
        }
        tasks.extend(arms.default.map(|block| Task::Arm(block, node, element, false)));
        let cases = arms.cases.iter().rev();
        tasks.extend(cases.map(|&(_, block)| Task::Arm(block, node, element, true)));
    }

    /// Uses of this block that are settled here are settled on every path from here.
    fn drop_settled(&mut self, first: usize) {
        let uses = self.uses.split_off(first);
        let is_open = |at: &Use| !unsettled(&self.graph, &mut self.facts, at.node).is_empty();
        let open: Vec<Use> = uses.into_iter().filter(is_open).collect();
        self.uses.extend(open);
    }

    /// A path ends with these outputs.
    fn leave(&mut self, values: &[ValueId], element: Element) {
        for (output, value) in values.iter().enumerate() {
            let node = self.values[value.index()];
            let flows = &mut self.summary.flows[output];
            if flows.len() < self.summary.inputs.len() {
                flows.extend(inputs_in(&self.graph, &mut self.facts, node));
                flows.sort_unstable();
                flows.dedup();
            }
            let kind = match self.function.entry {
                true => UseKind::Sink(Sink::Output(output)),
                false => UseKind::Export(output),
            };
            self.uses.push(Use { node, kind, element, position: 0 });
        }
        for at in std::mem::take(&mut self.uses) {
            for reached in unsettled(&self.graph, &mut self.facts, at.node) {
                self.report(at, &reached);
            }
            self.uses.push(at);
        }
        for (input, facts) in self.summary.inputs.iter_mut().enumerate() {
            let node = input as NodeId;
            let known = [CHECKED, EQUATED, BOUNDED];
            *facts &= known.into_iter().filter(|&flag| self.facts.has(node, flag)).sum::<u8>();
        }
    }

    fn report(&mut self, at: Use, reached: &Reached) {
        let origin = self.graph.node(reached.advice).origin;
        let input = input_behind(&self.graph, reached.advice);
        match (at.kind, input) {
            (UseKind::Sink(_), Some(input)) => {
                if self.summary.exposed[input].is_none() {
                    self.summary.exposed[input] = Some(self.chain(at, reached).into());
                }
            }
            (UseKind::Export(output), Some(input)) => {
                let is_loaded = matches!(self.graph.node(reached.advice).kind, Kind::Behind);
                if is_loaded && self.summary.loaded[output].is_none() {
                    self.summary.loaded[output] = Some(input);
                }
            }
            (UseKind::Sink(sink), None) => {
                let Some(giver) = self.giver(origin) else { return };
                let seen = self.found.get_mut(&giver);
                if let Some(found) = seen {
                    if found.origins.insert((origin.block, origin.op)) {
                        found.others += 1;
                    }
                } else {
                    let chain = self.chain(at, reached);
                    let is_use = |step: &Step| step.element == at.element;
                    let use_at = chain.iter().position(is_use).unwrap_or(chain.len() - 1);
                    let origins = BTreeSet::from([(origin.block, origin.op)]);
                    self.found.insert(giver, Found { sink, chain, use_at, origins, others: 0 });
                }
            }
            (UseKind::Export(output), None) => {
                if self.summary.free[output].is_none() {
                    self.summary.free[output] = Some(self.chain(at, reached).into());
                }
            }
        }
    }

    fn giver(&self, origin: Origin) -> Option<Giver> {
        let op = &self.function.blocks[origin.block].ops[origin.op?];
        let callee = match op {
            Op::Call { function, .. } => Some(*function),
            _ => None,
        };
        Some((op.name(), callee))
    }

    /// The steps from advice to use.
    fn chain(&self, at: Use, reached: &Reached) -> Vec<Step> {
        let mut chain = Vec::new();
        if let Kind::Free(Some(before)) = &self.graph.node(reached.advice).kind {
            chain.extend_from_slice(before);
        }
        for &node in &reached.way {
            let Origin { block, op, result } = self.graph.node(node).origin;
            if let Some(op) = op {
                chain.push(Step { element: Element::Op(self.id.index(), block, op), result });
            }
        }
        if chain.last().is_none_or(|last| last.element != at.element) {
            chain.push(Step { element: at.element, result: 0 });
        }
        if let UseKind::Sink(Sink::Call(callee)) = at.kind {
            let exposed = &self.summaries[callee.index()].exposed[at.position];
            chain.extend(exposed.iter().flat_map(|steps| steps.iter().copied()));
        }
        chain
    }

    /// An arm yields: what is known here is known in the continuation if all arms know it.
    fn suspend(&mut self, block: usize, values: &[ValueId]) {
        let continuation = self.continuations[block].expect("a yield has a continuation");
        let join = self.joins.get_mut(&continuation.index()).expect("its match came before");
        let values = values.iter().map(|value| self.values[value.index()]).collect();
        let learned = self.facts.since(join.mark).to_vec();
        self.facts.work += learned.len() as u64;
        for at in &self.uses[join.num_uses..] {
            if !unsettled(&self.graph, &mut self.facts, at.node).is_empty() {
                join.uses.push(*at);
            }
        }
        join.leaves.push(Leaf { block, learned, values });
    }

    /// Begins a continuation; false if no arm leads there.
    fn join(&mut self, block: usize) -> bool {
        let Some(join) = self.joins.remove(&block) else { return false };
        let Some(first) = join.leaves.first() else { return false };
        self.begin(block);
        for result in 0..first.values.len() {
            let yielded: Vec<NodeId> = join.leaves.iter().map(|leaf| leaf.values[result]).collect();
            let origin = Origin { block, op: None, result };
            let merged = self.graph.add(Kind::Merge, &yielded, origin);
            self.values.push(merged);
        }
        let mut counts: BTreeMap<Fact, usize> = BTreeMap::new();
        for fact in join.leaves.iter().flat_map(|leaf| &leaf.learned) {
            *counts.entry(*fact).or_default() += 1;
        }
        for ((node, flag), count) in counts {
            if count >= self.num_leaves_with(&join, node) {
                self.facts.learn(node, flag);
            }
        }
        self.uses.extend(join.uses);
        true
    }

    /// In how many of the leaves that come together a value exists.
    fn num_leaves_with(&mut self, join: &Join, node: NodeId) -> usize {
        let mut block = self.graph.node(node).origin.block;
        while block > join.owner {
            let last = block + self.sizes[block];
            let below = join.leaves.iter().filter(|leaf| (block..last).contains(&leaf.block));
            self.facts.work += join.leaves.len() as u64;
            match below.count() {
                0 => block = self.parents[block],
                some => return some,
            }
        }
        join.leaves.len()
    }
}

/// By block: number of blocks from it on that are in it.
fn subtree_sizes(function: &Function) -> Vec<usize> {
    let mut sizes = vec![1; function.blocks.len()];
    for (index, block) in function.blocks.iter().enumerate().rev() {
        sizes[index] += block.control.children().map(|child| sizes[child.index()]).sum::<usize>();
    }
    sizes
}
