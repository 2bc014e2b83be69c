//! Emitted executors: one per function of a program, unconstrained ones included, printed
//! from its bytecode. They do what the interpreter does, with no step of it left to decide
//! while they run; `traceloom_abi::execute` says what they are made of.
//!
//! - `live`: which values a place needs;
//! - `pieces`: where a function is cut, and its control;
//! - `print`: statements of operations;
//! - `scope`: how values are held, `lanes`: four bytes as a word, and `sums`: words from bytes.

mod lanes;
mod live;
mod pieces;
mod print;
mod scope;
mod sums;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::model::{Control, Function, FunctionId, Match};
use traceloom_plan::names::{escape, symbols};

use crate::rust::{number, print as printed};
use pieces::Pieces;

/// Name of the file in a unit. No symbol of a function gives it.
pub const FILE: &str = "execute.rs";

/// Text of the file of `program`, without its header.
///
/// ```text
/// pub const EXECUTORS: &[FunctionExecutor] = &[FunctionExecutor { …, pieces: &[f_fib_0] }];
///
/// /// Function fib, from its beginning.
/// fn f_fib_0(m: &mut Machine<'_>, mut t: Counts<'_>) -> Ended {
///     let [v0] = m.inputs(0)?;
///     m.steps(1)?;
///     match v0 { … }
/// }
/// ```
#[must_use]
pub fn program_file(program: &CheckedProgram) -> String {
    let functions = &program.program().functions;
    let symbols = symbols(functions.iter().map(|function| &function.name[..]));
    let (mut executors, mut paths, mut bodies) = (Vec::new(), Vec::new(), String::new());
    for (id, symbol) in program.function_ids().zip(&symbols) {
        let pieces = Pieces::new(program, id, symbol);
        paths.push(pieces.path_list());
        let pieces = pieces.all();
        executors.push(executor(program, id, symbol, pieces.len()));
        let name = escape(&program.function(id).name);
        // A function at a time: what all of them are made of is never there at once.
        for (at, (place, piece)) in pieces.into_iter().enumerate() {
            let (piece_name, doc) = (piece_name(symbol, at), format!(" Function {name}, {place}."));
            bodies += "\n";
            bodies += &printed(quote! {
                #[doc = #doc]
                fn #piece_name(m: &mut Machine<'_>, mut t: Counts<'_>) -> Ended { #piece }
            });
        }
    }
    let head = quote! {
        #![allow(unused_imports, unused_mut, unused_parens, unused_variables, clippy::all)]
        use traceloom_abi::bytes::ByteOp;
        use traceloom_abi::execute::*;

        /// By function.
        pub const EXECUTORS: &[FunctionExecutor] = &[#(#executors),*];

        #(#paths)*
    };
    printed(head) + &bodies
}

fn executor(
    program: &CheckedProgram,
    id: FunctionId,
    symbol: &str,
    num_pieces: usize,
) -> TokenStream {
    let function = program.function(id);
    let [inputs, outputs] = [function.num_inputs, function.num_outputs].map(number);
    let frame_bytes = number(frame_bytes(program, id));
    let pieces = (0..num_pieces).map(|at| piece_name(symbol, at));
    quote! {
        FunctionExecutor {
            num_inputs: #inputs,
            num_outputs: #outputs,
            frame_bytes: #frame_bytes,
            pieces: &[#(#pieces),*],
        }
    }
}

fn piece_name(symbol: &str, at: usize) -> Ident {
    format_ident!("{symbol}_{at}", span = Span::call_site())
}

/// Most bytes that values, leaves and ranks of a frame of the interpreter take.
fn frame_bytes(program: &CheckedProgram, id: FunctionId) -> u64 {
    let (function, layout) = (program.function(id), program.layout(id));
    let blocks = function.blocks.iter().zip(&layout.blocks);
    let values = blocks.map(|(block, place)| {
        place.num_values + block.ops.iter().map(|op| op.num_results()).sum::<usize>()
    });
    let leaves = |block: &traceloom_bytecode::model::Block| {
        usize::from(matches!(block.control, Control::MatchContinue { .. }))
    };
    let leaves = 1 + function.blocks.iter().map(leaves).sum::<usize>();
    let ranks = most_calls(function);
    // A rank may be on two lists.
    8 * values.max().unwrap_or(0) as u64 + 4 * (leaves + 2 * ranks) as u64
}

/// Most calls on a path through `function`.
fn most_calls(function: &Function) -> usize {
    let mut most = vec![0; function.blocks.len()];
    // Children come after their parents.
    for (index, block) in function.blocks.iter().enumerate().rev() {
        let own = block.ops.iter().filter(|op| op.statements().is_empty()).count();
        let arms = block.control.arms().into_iter().flat_map(Match::blocks);
        let arm = arms.map(|block| most[block.index()]).max().unwrap_or(0);
        let next = match &block.control {
            Control::MatchContinue { continuation, .. } => most[continuation.index()],
            _ => 0,
        };
        most[index] = own + arm + next;
    }
    most[0]
}
