//! Where a function is cut, and its control.
//!
//! A piece goes on through matches into their arms, and ends at a call, a return, or a yield:
//! what comes after a call or a yield is a piece of its own, to which the values that it
//! needs are left on the machine's stack. A match that nests deeply in a piece, or comes
//! late in a long one, has its arms in pieces of their own too, so that no text nests or
//! grows without end and nothing here recurses over the nesting of a program.

use std::collections::BTreeMap;

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};
use traceloom_air::field::word;
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::callgraph::RankedCall;
use traceloom_bytecode::model::{Block, BlockId, Control, FunctionId, Match, Op, ValueId};

use super::live::{At, Live};
use super::print::{Scope, variable};
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
    path: PathRule,
    /// Operations of the piece so far.
    operations: usize,
}

/// Where a piece begins.
#[derive(Clone)]
struct Entry {
    at: At,
    /// The values that are on the stack, the last one on top.
    words: Vec<u32>,
    /// Number of values there, others included.
    num_values: usize,
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
        let words = (0..function.num_inputs).collect();
        let entries = vec![Entry { at: (0, 0), words, num_values }];
        let pieces = BTreeMap::from([((0, 0), 0)]);
        Self { program, id, symbol, live, entries, pieces, path, operations: 0 }
    }

    /// All pieces: where they begin, in words, and their text.
    pub fn all(mut self) -> Vec<(String, TokenStream)> {
        let mut all = Vec::new();
        while let Some(Entry { at, words, num_values }) = self.entries.get(all.len()).cloned() {
            let scope = Scope::new(num_values, &words);
            let names = words.iter().map(|&value| variable(value));
            let begin = match all.len() {
                0 => quote! { let &[#(#names),*] = m.inputs()?; },
                _ if words.is_empty() => quote!(),
                _ => quote! { let [#(#names),*] = m.pop()?; },
            };
            self.operations = 0;
            let text = self.block(at, scope, 0);
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
        for (op, code) in block.ops.iter().enumerate().skip(at.1 as usize) {
            let here = (at.0, op as u32);
            if let Op::Call { function, args, num_outputs, constrained } = code {
                let end = self.call(here, &scope, *function, args, *num_outputs, *constrained);
                return quote! { #text #end };
            }
            if self.operations >= MAX_OPERATIONS && op as u32 > at.1 {
                let end = self.cut(here, &scope);
                return quote! { #text #end };
            }
            self.operations += 1;
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
                let outputs = scope.words(values);
                let selector_text = number(*selector);
                match self.path {
                    PathRule::Unnumbered => quote! { m.finish(t, 0, &[#outputs]) },
                    PathRule::Leaf => {
                        let path = number(self.program.paths(self.id).number(&[*selector]));
                        quote! { m.finish(t, #path, &[#outputs]) }
                    }
                    PathRule::Leaves => {
                        let paths = self.paths_name();
                        quote! {
                            m.leaf(#selector_text);
                            let path = m.path(#paths);
                            m.finish(t, path, &[#outputs])
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
        let mut words = self.live.at(at, first_merged);
        let mut pushed: Vec<ValueId> = words.iter().map(|&value| ValueId(value)).collect();
        pushed.extend(values);
        words.extend(first_merged as u32..place.num_values as u32);
        let piece = self.piece(Entry { at, words, num_values: place.num_values });
        let leaf = matches!(self.path, PathRule::Leaves).then(|| {
            let selector = number(selector);
            quote! { m.leaf(#selector); }
        });
        let push = push(scope, &pushed);
        quote! { #leaf #push m.goto(#piece) }
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
        let mut words = self.live.at(next, scope.len());
        let push = push(scope, &words.iter().map(|&value| ValueId(value)).collect::<Vec<_>>());
        let num_values = scope.len() + num_outputs as usize;
        words.extend(scope.len() as u32..num_values as u32);
        let piece = self.piece(Entry { at: next, words, num_values });
        let (callee, args) = (number(callee.0), scope.words(args));
        if !constrained {
            return quote! { #push m.advise(#callee, &[#args], #piece) };
        }
        let place = &self.program.layout(self.id).blocks[at.0 as usize].ops[at.1 as usize];
        let ranked = match place.ranked_call {
            RankedCall::None => quote!(Ranked::No),
            RankedCall::Outside => quote!(Ranked::Outside),
            RankedCall::Inside => quote!(Ranked::Inside),
            RankedCall::Lone => quote!(Ranked::Lone),
        };
        quote! { #push m.call(#callee, #ranked, &[#args], #piece) }
    }

    /// Goes on at `at` in a piece of its own.
    fn cut(&mut self, at: At, scope: &Scope) -> TokenStream {
        let words = self.live.at(at, scope.len());
        let push = push(scope, &words.iter().map(|&value| ValueId(value)).collect::<Vec<_>>());
        let piece = self.piece(Entry { at, words, num_values: scope.len() });
        quote! { #push m.goto(#piece) }
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

/// Leaves values to the next piece.
fn push(scope: &Scope, values: &[ValueId]) -> TokenStream {
    if values.is_empty() {
        return TokenStream::new();
    }
    let words = scope.words(values);
    quote! { m.push(&[#words]); }
}
