//! Rust text of evaluators: one module per circuit.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;
use traceloom_air::field::word;
use traceloom_air::system::{Circuit, ExprId, Node};

use super::columns::ColumnNames;
use super::schedule::{Part, Step, output, schedule};
use crate::cuda::print::plain;
use crate::rust::print;

/// The items of a module with the evaluators of `circuit`:
///
/// ```text
/// use traceloom_abi::evaluate::{Cells, Evaluator, Outputs, Value};
/// use traceloom_abi::field::element;
///
/// /// The evaluators.
/// pub const fn evaluator<T: Value>() -> Evaluator<T> { … }
///
/// /// All constraints, in order.
/// pub fn constraints<T: Value>(cells: …, scratch: …, out: …) {
///     constraints_0(cells, scratch, out);
/// }
///
/// fn constraints_0<T: Value>(cells: …, scratch: …, out: …) { … }
/// ```
///
/// # Panics
/// If the emitted tokens are not Rust: our own fault.
#[must_use]
pub fn module_text(circuit: &Circuit) -> String {
    print(module(circuit))
}

fn module(circuit: &Circuit) -> TokenStream {
    let parameters = quote! {
        cells: &Cells<'_, T>, scratch: &mut [T], out: &mut Outputs<'_, T>
    };
    let mut functions = TokenStream::new();
    let mut scratch_len = 0;
    for (part, name, doc) in [
        (Part::Constraints, "constraints", " All constraints, in order."),
        (Part::Lookups, "lookups", " Arguments and multiplicity of every lookup, in order."),
    ] {
        let schedule = schedule(circuit, part);
        scratch_len = scratch_len.max(schedule.scratch_len);
        let numbered = |number| ident(&format!("{name}_{number}"));
        let calls = (0..schedule.functions.len()).map(numbered);
        let all = ident(name);
        functions.extend(quote! {
            #[doc = #doc]
            #[allow(unused_variables)]
            pub fn #all<T: Value>(#parameters) {
                #(#calls(cells, scratch, out);)*
            }
        });
        let emitter = Emitter { circuit, names: ColumnNames(circuit) };
        for (number, steps) in schedule.functions.iter().enumerate() {
            let name = numbered(number);
            let steps = steps.iter().map(|&step| emitter.step(step));
            functions.extend(quote! {
                #[inline(never)]
                #[allow(unused_variables)]
                fn #name<T: Value>(#parameters) { #(#steps)* }
            });
        }
    }
    let scratch_len = Literal::usize_unsuffixed(scratch_len);
    quote! {
        #[allow(unused_imports)]
        use traceloom_abi::evaluate::{Cells, Evaluator, Outputs, Value};
        #[allow(unused_imports)]
        use traceloom_abi::field::element;

        /// The evaluators.
        #[must_use]
        pub const fn evaluator<T: Value>() -> Evaluator<T> {
            Evaluator {
                scratch_len: #scratch_len,
                constraints: constraints::<T>,
                lookups: lookups::<T>,
            }
        }

        #functions
    }
}

fn ident(name: &str) -> Ident {
    Ident::new(name, Span::call_site())
}

struct Emitter<'a> {
    circuit: &'a Circuit,
    names: ColumnNames<'a>,
}

impl Emitter<'_> {
    /// The text of one step:
    ///
    /// ```text
    /// let input0 = cells.main[0];
    /// let v7 = input0 - selector1;
    /// // constraint 3: a selector is a bit
    /// out.constraints[3] = v7;
    /// ```
    fn step(&self, step: Step) -> TokenStream {
        let position = |index: usize| Literal::usize_unsuffixed(index);
        let value = output(self.circuit, step).map(|expr| self.value(expr));
        match step {
            Step::Read(expr) => self.define(expr, self.read(expr)),
            Step::Load(expr, slot) => {
                let slot = position(slot);
                self.define(expr, quote! { scratch[#slot] })
            }
            Step::Compute(expr) => self.define(expr, self.operation(expr)),
            Step::Save(expr, slot) => {
                let (slot, value) = (position(slot), self.value(expr));
                quote! { scratch[#slot] = #value; }
            }
            Step::Constraint { index } => {
                let label = &self.circuit.constraints[index].label;
                let comment = format!(" constraint {index}: {}", plain(label));
                let index = position(index);
                quote! { #[comment = #comment] out.constraints[#index] = #value; }
            }
            Step::Argument { lookup, position: argument, flat } => {
                let argument = self.circuit.lookups[lookup].arguments[argument];
                if matches!(self.circuit.arena.node(argument), Node::Constant(_)) {
                    return TokenStream::new();
                }
                let flat = position(flat);
                quote! { out.arguments[#flat] = #value; }
            }
            Step::Multiplicity { lookup } => {
                let label = &self.circuit.lookups[lookup].label;
                let comment = format!(" lookup {lookup}: {}", plain(label));
                let lookup = position(lookup);
                quote! { #[comment = #comment] out.multiplicities[#lookup] = #value; }
            }
        }
    }

    fn define(&self, expr: ExprId, value: TokenStream) -> TokenStream {
        let name = self.variable(expr);
        quote! { let #name = #value; }
    }

    fn variable(&self, expr: ExprId) -> Ident {
        let leaf = self.names.variable(self.circuit.arena.node(expr));
        ident(&leaf.unwrap_or_else(|| format!("v{}", expr.0)))
    }

    /// `v7`, or `T::from(element(5))`.
    fn value(&self, expr: ExprId) -> TokenStream {
        match self.constant(expr) {
            Some(element) => quote! { T::from(#element) },
            None => {
                let name = self.variable(expr);
                quote! { #name }
            }
        }
    }

    /// `element(5)`
    fn constant(&self, expr: ExprId) -> Option<TokenStream> {
        let Node::Constant(value) = self.circuit.arena.node(expr) else {
            return None;
        };
        let word = Literal::u64_unsuffixed(word(value));
        Some(quote! { element(#word) })
    }

    fn read(&self, expr: ExprId) -> TokenStream {
        let position = |index: u32| Literal::u32_unsuffixed(index);
        match self.circuit.arena.node(expr) {
            Node::Main(column) => {
                let column = position(column);
                quote! { cells.main[#column] }
            }
            Node::MainNext(column) => {
                let column = position(column);
                quote! { cells.next[#column] }
            }
            Node::Preprocessed(column) => {
                let column = position(column);
                quote! { cells.fixed[#column] }
            }
            Node::Public(index) => {
                let index = position(index);
                quote! { cells.publics[#index] }
            }
            Node::IsFirstRow => quote! { cells.is_first_row },
            _ => quote! { cells.is_transition },
        }
    }

    /// `a + b`, with a constant on the right where the order is ours to choose: a
    /// pack times or plus one element is cheaper than times or plus another pack.
    fn operation(&self, expr: ExprId) -> TokenStream {
        let node = self.circuit.arena.node(expr);
        let (Node::Add(a, b) | Node::Sub(a, b) | Node::Mul(a, b)) = node else {
            unreachable!("only operations are computed");
        };
        let swap = !matches!(node, Node::Sub(..)) && self.constant(a).is_some();
        let (a, b) = if swap { (b, a) } else { (a, b) };
        let left = self.value(a);
        let right = self.constant(b).unwrap_or_else(|| self.value(b));
        match node {
            Node::Add(..) => quote! { #left + #right },
            Node::Sub(..) => quote! { #left - #right },
            _ => quote! { #left * #right },
        }
    }
}
