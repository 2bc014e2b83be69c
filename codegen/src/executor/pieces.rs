//! Where a function is cut, and its control.
//!
//! A piece goes on through matches into their arms, and ends at a call, a return, or a yield:
//! what comes after a call or a yield is a piece of its own. Of the values that it needs, the
//! inputs of the query and the outputs of the call are read from the record; the others are
//! left on the machine's stacks. A match that nests deeply in a piece, or comes
//! late in a long one, has its arms in pieces of their own too, so that no text nests or
//! grows without end and nothing here recurses over the nesting of a program.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};
use traceloom_air::field::word;
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::callgraph::RankedCall;
use traceloom_bytecode::model::{Block, BlockId, Control, FunctionId, Match, Op, ValueId};
use traceloom_bytecode::statements::{Arg, Held};

use super::lanes::byte_operation;
use super::live::{At, Live};
use super::scope::{Scope, variable, word_variable};
use crate::rust::number;

/// Matches that nest in one piece.
const MAX_NESTING: usize = 8;
/// Operations of a piece, about: the next match, or the next operation, starts a piece.
const MAX_OPERATIONS: usize = 2_000;

/// The pieces of one function.
pub struct Pieces<'a> {
    program: &'a CheckedProgram,
    id: FunctionId,
    symbol: &'a str,
    live: Live,
    entries: Vec<Entry>,
    /// By place: the piece that begins there.
    pieces: BTreeMap<At, u32>,
    /// Inputs that every run takes for bytes, or fails.
    byte_inputs: BTreeSet<u32>,
    path: PathRule,
    /// Operations of the piece so far.
    operations: usize,
}

/// Where a piece begins.
#[derive(Clone)]
struct Entry {
    at: At,
    /// The values that it needs.
    needs: Needs,
    /// The outputs of the call before it among them, and the number of the first output.
    outputs: (Vec<u32>, u32),
    /// Number of values there, others included.
    num_values: usize,
}

/// The values that a piece needs of those before.
#[derive(Clone, Default)]
struct Needs {
    /// Inputs of the query.
    inputs: Vec<u32>,
    /// Words on the stack, the last one on top.
    words: Vec<u32>,
    /// Bytes on the stack of bytes, with the most that each can be.
    bytes: Vec<(u32, u8)>,
}

/// A value, or four, of a list in the record.
#[derive(Clone, Copy)]
struct InRecord {
    source: Source,
    /// Its position in the list.
    at: u32,
    held: As,
}

/// The list that has a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    /// The inputs of the query.
    Inputs,
    /// The outputs of the call before.
    Outputs,
}

/// How it is held.
#[derive(Clone, Copy)]
enum As {
    /// This value, as a word.
    Word(u32),
    /// This value, as a byte.
    Byte(u32),
    /// Four values, as the bytes of this word of 32 bits.
    Word32(u32),
}

impl InRecord {
    /// Whether `next` is read with it.
    fn goes_on_at(&self, next: &Self) -> bool {
        let len = match (self.held, next.held) {
            (As::Word(_), As::Word(_)) | (As::Byte(_), As::Byte(_)) => 1,
            (As::Word32(_), As::Word32(_)) => 4,
            _ => return false,
        };
        self.source == next.source && self.at + len == next.at
    }
}

/// What a leaf has to do so that a return knows its path.
enum PathRule {
    /// Nothing: paths are not numbered.
    Unnumbered,
    /// Nothing: the leaf that returns says it.
    Leaf,
    /// Push its selector.
    Leaves,
}

impl<'a> Pieces<'a> {
    /// Nothing is cut yet.
    pub fn new(program: &'a CheckedProgram, id: FunctionId, symbol: &'a str) -> Self {
        let function = program.function(id);
        let continues = |block: &Block| matches!(block.control, Control::MatchContinue { .. });
        let path = if !program.paths(id).are_numbered() {
            PathRule::Unnumbered
        } else if function.blocks.iter().any(continues) {
            PathRule::Leaves
        } else {
            PathRule::Leaf
        };
        let live = Live::new(program, id);
        let num_values = function.num_inputs as usize;
        let inputs = live.at((0, 0), num_values);
        let needs = Needs { inputs, ..Needs::default() };
        let entries = vec![Entry { at: (0, 0), needs, outputs: (vec![], 0), num_values }];
        let pieces = BTreeMap::from([((0, 0), 0)]);
        let byte_inputs = byte_uses(&function.blocks[0].ops);
        Self { program, id, symbol, live, entries, pieces, byte_inputs, path, operations: 0 }
    }

    /// All pieces: where they begin, in words, and their text.
    pub fn all(mut self) -> Vec<(String, TokenStream)> {
        let mut all = Vec::new();
        while let Some(entry) = self.entries.get(all.len()).cloned() {
            let at = entry.at;
            let (scope, held) = self.enter(&entry);
            self.operations = 0;
            let text = self.block(at, scope.clone(), 0);
            let begin = begin(&entry.needs, &held, &scope);
            let place = match (all.len(), at) {
                (0, _) => "from its beginning".to_owned(),
                (_, (block, 0)) => format!("block {block}"),
                (_, (block, op)) => format!("block {block} from operation {op} on"),
            };
            all.push((place, quote! { #begin #text }));
        }
        all
    }

    /// The text from `at` to the ends of the piece.
    fn block(&mut self, at: At, mut scope: Scope, nesting: usize) -> TokenStream {
        let function = self.program.function(self.id);
        let block = &function.blocks[at.0 as usize];
        let mut text = TokenStream::new();
        if at.1 == 0 {
            let steps = number(block.ops.len() as u64 + 1);
            text.extend(quote! { m.steps(#steps)?; });
        }
        let mut done = at.1 as usize;
        for (op, code) in block.ops.iter().enumerate().skip(at.1 as usize) {
            let here = (at.0, op as u32);
            if op < done {
                continue;
            }
            done = op + 1;
            if let Op::Call { function, args, num_outputs, constrained } = code {
                let end = self.call(here, &scope, *function, args, *num_outputs, *constrained);
                return quote! { #text #end };
            }
            if self.operations >= MAX_OPERATIONS && op as u32 > at.1 {
                let end = self.cut(here, &scope);
                return quote! { #text #end };
            }
            self.operations += 1;
            if let Some(four) = scope.four(&block.ops[op..]) {
                text.extend(four);
                (done, self.operations) = (op + 4, self.operations + 3);
                continue;
            }
            for statement in code.statements() {
                text.extend(scope.statement(self.program, self.id, here, &statement));
            }
        }
        let end = self.control(at.0, &block.control, scope, nesting);
        quote! { #text #end }
    }

    fn control(
        &mut self,
        block: u32,
        control: &Control,
        scope: Scope,
        nesting: usize,
    ) -> TokenStream {
        match control {
            Control::Return { selector, values } => {
                let outputs = scope.parts(values);
                let selector_text = number(*selector);
                match self.path {
                    PathRule::Unnumbered => quote! { m.finish(t, 0, #outputs) },
                    PathRule::Leaf => {
                        let path = number(self.program.paths(self.id).number(&[*selector]));
                        quote! { m.finish(t, #path, #outputs) }
                    }
                    PathRule::Leaves => {
                        let paths = self.paths_name();
                        quote! {
                            m.leaf(#selector_text);
                            let path = m.path(#paths);
                            m.finish(t, path, #outputs)
                        }
                    }
                }
            }
            Control::Yield { selector, values } => self.yields(block, *selector, values, &scope),
            Control::Match(arms) | Control::MatchContinue { arms, .. } => {
                self.arms(arms, &scope, nesting)
            }
        }
    }

    fn arms(&mut self, arms: &Match, scope: &Scope, nesting: usize) -> TokenStream {
        let value = scope.word(arms.value);
        let arm = |this: &mut Self, block: BlockId| {
            let at = (block.0, 0);
            match nesting + 1 < MAX_NESTING && this.operations < MAX_OPERATIONS {
                true => this.block(at, scope.clone(), nesting + 1),
                false => this.cut(at, scope),
            }
        };
        let mut cases = TokenStream::new();
        for &(key, block) in &arms.cases {
            let (key, text) = (Literal::u64_unsuffixed(word(key)), arm(self, block));
            cases.extend(quote! { #key => { #text } });
        }
        let default = match arms.default {
            Some(block) => arm(self, block),
            None => quote!(Err(Stop)),
        };
        quote! { match #value { #cases _ => { #default } } }
    }

    fn yields(
        &mut self,
        block: u32,
        selector: u32,
        values: &[ValueId],
        scope: &Scope,
    ) -> TokenStream {
        let next = self.live.continuations[block as usize];
        let next = next.expect("yields stand inside of arms that continue");
        let place = &self.program.layout(self.id).blocks[next.index()];
        let first_merged = place.num_values - place.num_merged;
        let at = (next.0, 0);
        let num_inputs = self.program.function(self.id).num_inputs;
        let live = self.live.at(at, first_merged);
        let (inputs, mut words): (_, Vec<u32>) =
            live.into_iter().partition(|&value| value < num_inputs);
        let mut pushed: Vec<ValueId> = words.iter().map(|&value| ValueId(value)).collect();
        pushed.extend(values);
        words.extend(first_merged as u32..place.num_values as u32);
        // Others that yield there may hold as words what this one holds as bytes.
        let needs = Needs { inputs, words, bytes: vec![] };
        let num_values = place.num_values;
        let piece = self.piece(Entry { at, needs, outputs: (vec![], 0), num_values });
        let leaf = matches!(self.path, PathRule::Leaves).then(|| {
            let selector = number(selector);
            quote! { m.leaf(#selector); }
        });
        let push = push_words(scope, &pushed);
        quote! { #leaf #push m.goto(t, #piece) }
    }

    fn call(
        &mut self,
        at: At,
        scope: &Scope,
        callee: FunctionId,
        args: &[ValueId],
        num_outputs: u32,
        constrained: bool,
    ) -> TokenStream {
        let next = (at.0, at.1 + 1);
        let num_values = scope.len() + num_outputs as usize;
        let (needs, push) = self.leave(next, scope);
        let first = scope.len() as u32;
        let live = self.live.at(next, num_values).into_iter();
        let outputs = (live.filter(|&value| value >= first).collect(), first);
        let piece = self.piece(Entry { at: next, needs, outputs, num_values });
        let (callee, args) = (number(callee.0), scope.parts(args));
        if !constrained {
            return quote! { #push m.advise(t, #callee, #args, #piece) };
        }
        let place = &self.program.layout(self.id).blocks[at.0 as usize].ops[at.1 as usize];
        let ranked = match place.ranked_call {
            RankedCall::None => quote!(Ranked::No),
            RankedCall::Outside => quote!(Ranked::Outside),
            RankedCall::Inside => quote!(Ranked::Inside),
            RankedCall::Lone => quote!(Ranked::Lone),
        };
        quote! { #push m.call(t, #callee, #ranked, #args, #piece) }
    }

    /// Goes on at `at` in a piece of its own.
    fn cut(&mut self, at: At, scope: &Scope) -> TokenStream {
        let (needs, push) = self.leave(at, scope);
        let (outputs, num_values) = ((vec![], 0), scope.len());
        let piece = self.piece(Entry { at, needs, outputs, num_values });
        quote! { #push m.goto(t, #piece) }
    }

    /// What `at` needs of the values here, and the text that leaves it there.
    fn leave(&self, at: At, scope: &Scope) -> (Needs, TokenStream) {
        let num_inputs = self.program.function(self.id).num_inputs;
        let mut needs = Needs::default();
        for value in self.live.at(at, scope.len()) {
            match u8::try_from(scope.most(ValueId(value))) {
                _ if value < num_inputs => needs.inputs.push(value),
                Ok(most) => needs.bytes.push((value, most)),
                Err(_) => needs.words.push(value),
            }
        }
        let words: Vec<_> = needs.words.iter().map(|&value| ValueId(value)).collect();
        let bytes: Vec<_> = needs.bytes.iter().map(|&(value, _)| ValueId(value)).collect();
        let mut push = push_words(scope, &words);
        if !bytes.is_empty() {
            let bytes = bytes.iter().map(|&value| scope.held_byte(value).expect("it is a byte"));
            push.extend(quote! { m.push_bytes(&[#(#bytes),*]); });
        }
        (needs, push)
    }

    /// The values where a piece begins, and those among them that the record has.
    fn enter(&self, entry: &Entry) -> (Scope, Vec<InRecord>) {
        let Entry { at, needs, outputs: (outputs, first), num_values } = entry;
        let function = self.program.function(self.id);
        let (num_inputs, end) = (function.num_inputs, *num_values as u32);
        // Without a call before, there are no outputs.
        let stored_outputs = if outputs.is_empty() { 0..0 } else { *first..end };
        let mut scope = Scope::new(*num_values, 0..num_inputs, stored_outputs);
        needs.words.iter().for_each(|&value| scope.set(value, Held::WORD));
        needs.bytes.iter().for_each(|&(value, most)| scope.set(value, Held::Byte(most)));
        let ops = &function.blocks[at.0 as usize].ops[at.1 as usize..];
        let (byte_outputs, words) = (byte_uses(ops), word_uses(&function.blocks[0].ops, ops));
        let inputs = (Source::Inputs, &needs.inputs, 0, &self.byte_inputs);
        let outputs = (Source::Outputs, outputs, *first, &byte_outputs);
        let mut held = Vec::new();
        for (source, values, first, bytes) in [inputs, outputs] {
            let is_byte = |value: u32| bytes.contains(&value);
            for run in values.chunk_by(|&a, &b| a + 1 == b && is_byte(a) == is_byte(b)) {
                let mut rest = run;
                let word = run.iter().position(|value| words.contains(value)).map(|at| at % 4);
                if let Some(aligned) = word.filter(|_| is_byte(run[0]) && run.len() >= 4) {
                    let (before, after) = run.split_at(aligned);
                    let (fours, after) = after.as_chunks::<4>();
                    for value in before {
                        scope.set(*value, Held::BYTE);
                        held.push(InRecord { source, at: value - first, held: As::Byte(*value) });
                    }
                    for four in fours {
                        let word = scope.set_word(four[0]);
                        held.push(InRecord { source, at: four[0] - first, held: As::Word32(word) });
                    }
                    rest = after;
                }
                for &value in rest {
                    let (as_held, held_as) = match is_byte(value) {
                        true => (As::Byte(value), Held::BYTE),
                        false => (As::Word(value), Held::WORD),
                    };
                    scope.set(value, held_as);
                    held.push(InRecord { source, at: value - first, held: as_held });
                }
            }
        }
        (scope, held)
    }

    fn piece(&mut self, entry: Entry) -> Literal {
        let next = self.entries.len() as u32;
        let piece = *self.pieces.entry(entry.at).or_insert(next);
        if piece == next {
            self.entries.push(entry);
        }
        number(piece)
    }

    fn paths_name(&self) -> proc_macro2::Ident {
        format_ident!("{}_PATHS", self.symbol.to_uppercase())
    }

    /// The list of paths, where returns look their own up.
    pub fn path_list(&self) -> TokenStream {
        if !matches!(self.path, PathRule::Leaves) {
            return TokenStream::new();
        }
        let paths = self.program.paths(self.id);
        let paths = (0..).map_while(|path| paths.leaves(path)).map(|leaves| {
            let leaves = leaves.iter().map(|&leaf| number(leaf));
            quote!(&[#(#leaves),*])
        });
        let name = self.paths_name();
        quote! { const #name: &[&[u32]] = &[#(#paths),*]; }
    }
}

/// The text that gets what a piece needs and reads.
fn begin(needs: &Needs, held: &[InRecord], scope: &Scope) -> TokenStream {
    let mut text = TokenStream::new();
    let names = |values: &mut dyn Iterator<Item = u32>| {
        let names = values.map(variable);
        quote!([#(#names),*])
    };
    if !needs.words.is_empty() {
        let names = names(&mut needs.words.iter().copied());
        text.extend(quote! { let #names = m.pop()?; });
    }
    if !needs.bytes.is_empty() {
        let names = names(&mut needs.bytes.iter().map(|&(value, _)| value));
        text.extend(quote! { let #names = m.pop_bytes()?; });
    }
    let is_read = |value: &&InRecord| match value.held {
        As::Word(value) | As::Byte(value) => scope.is_read(value),
        As::Word32(word) => scope.is_word_read(word),
    };
    let read: Vec<&InRecord> = held.iter().filter(is_read).collect();
    for run in read.chunk_by(|a, b| a.goes_on_at(b)) {
        let names = run.iter().map(|value| match value.held {
            As::Word(value) | As::Byte(value) => variable(value),
            As::Word32(word) => word_variable(word),
        });
        let [words, bytes, words32] = match run[0].source {
            Source::Inputs => ["inputs", "input_bytes", "input_words32"],
            Source::Outputs => ["outputs", "output_bytes", "output_words32"],
        };
        let method = match run[0].held {
            As::Word(_) => words,
            As::Byte(_) => bytes,
            As::Word32(_) => words32,
        };
        let (method, first) = (format_ident!("{method}"), number(run[0].at));
        text.extend(quote! { let [#(#names),*] = m.#method(#first)?; });
    }
    text
}

/// Values that `ops` take for bytes: a run that gets through all of them has bytes there.
fn byte_uses(ops: &[Op]) -> BTreeSet<u32> {
    let mut uses = BTreeSet::new();
    for arg in ops.iter().flat_map(Op::statements).flat_map(|statement| statement.args) {
        match arg {
            Arg::Byte(value) => _ = uses.insert(value.0),
            Arg::Words32(words) => uses.extend(words.as_flattened().iter().map(|value| value.0)),
            _ => {}
        }
    }
    uses
}

/// First values of those that operations take, four in a row, for the bytes of a word.
fn word_uses(first: &[Op], here: &[Op]) -> BTreeSet<u32> {
    let mut uses = BTreeSet::new();
    let mut add = |[a, b, c, d]: [ValueId; 4]| {
        if [b.0, c.0, d.0] == [a.0 + 1, a.0 + 2, a.0 + 3] {
            uses.insert(a.0);
        }
    };
    for ops in [first, here] {
        for arg in ops.iter().flat_map(Op::statements).flat_map(|statement| statement.args) {
            if let Arg::Words32(words) = arg {
                words.into_iter().for_each(&mut add);
            }
        }
        for four in ops.windows(4).filter_map(<[Op]>::first_chunk::<4>) {
            if let [Some(a), Some(b), Some(c), Some(d)] = four.each_ref().map(byte_operation) {
                add([a.1, b.1, c.1, d.1]);
                add([a.2, b.2, c.2, d.2]);
            }
        }
    }
    uses
}

/// Leaves values to the next piece, as words.
fn push_words(scope: &Scope, values: &[ValueId]) -> TokenStream {
    if values.is_empty() {
        return TokenStream::new();
    }
    let words = scope.words(values);
    quote! { m.push(&[#words]); }
}
