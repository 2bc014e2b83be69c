//! CUDA text of evaluators.

use traceloom_air::field::word;
use traceloom_air::system::{Circuit, ExprId, Node};
use traceloom_plan::names::{
    Ident, constraints_kernel_name, header_file, lookups_kernel_name, source_file,
};

use super::NamedCircuit;
use super::columns::ColumnNames;
use super::schedule::{Part, Schedule, Step, output, schedule};
use crate::cuda::ast::{BinaryOp, Expr, File, Function, FunctionKind, Item, Stmt, Type};
use crate::cuda::print::print;
use crate::cuda::{TextFile, kernel};

/// The evaluators of `circuit`, and a source file with their entry points. `unit`
/// names the program in symbols and file names.
#[must_use]
pub fn evaluators(unit: &Ident, circuit: &NamedCircuit, banner: &[String]) -> Vec<TextFile> {
    let name = header_file(unit, &circuit.symbol);
    let source = kernels(unit, circuit, &name, banner.to_vec());
    let header = TextFile { text: print(&header(unit, circuit, banner.to_vec())), name };
    let name = source_file(unit, &circuit.symbol);
    vec![header, TextFile { text: print(&source), name }]
}

/// The header with both evaluators, in namespace `traceloom::UNIT::SYMBOL`:
///
/// ```text
/// enum Column : uint32_t { INPUT0, … WIDTH };
///
/// template <class Sink>
/// TL_DEVICE_CALL void constraints_0(const Cells &cells, Gl *scratch, Sink &sink) { … }
///
/// struct Evaluator {
///   // All constraints, in order.
///   template <class Sink>
///   static TL_DEVICE void constraints(const Cells &cells, Sink &sink) {
///     Gl scratch[4];
///     constraints_0(cells, scratch, sink);
///   }
///   …
/// };
/// ```
fn header(unit: &Ident, circuit: &NamedCircuit, banner: Vec<String>) -> File {
    let NamedCircuit { symbol, circuit, .. } = circuit;
    let names = ColumnNames(circuit);
    let mut items = vec![columns(circuit, &names)];
    let mut drivers = Vec::new();
    for (part, name, doc) in [
        (Part::Constraints, "constraints", "All constraints, in order."),
        (Part::Lookups, "lookups", "Arguments, then multiplicity, of every lookup in order."),
    ] {
        let schedule = schedule(circuit, part);
        for (number, steps) in schedule.functions.iter().enumerate() {
            let emitter = Emitter { circuit, names: &names };
            items.push(Item::Function(Function {
                doc: Vec::new(),
                kind: FunctionKind::Called,
                template: vec!["Sink".into()],
                name: Ident::new(format!("{name}_{number}")),
                params: vec![cells(), scratch(), sink()],
                body: emitter.body(steps),
            }));
        }
        drivers.push(driver(name, doc, &schedule));
    }
    items.push(Item::Struct {
        doc: Vec::new(),
        name: "Evaluator".into(),
        constants: vec![
            ("NUM_CONSTRAINTS".into(), circuit.constraints.len() as u64),
            ("NUM_LOOKUPS".into(), circuit.lookups.len() as u64),
        ],
        functions: drivers,
    });
    let inner = Item::Namespace(Ident::new(&**symbol), items);
    let inner = Item::Namespace(unit.clone(), vec![inner]);
    File {
        banner,
        is_header: true,
        includes: vec!["evaluate.cuh".into()],
        items: vec![Item::Namespace("traceloom".into(), vec![inner])],
    }
}

/// The source file with the entry points:
///
/// ```text
/// TL_KERNEL void tl_p_fib_c_fib_constraints(TlEvaluation evaluation) {
///   fold_constraints<p_fib::c_fib::Evaluator>(evaluation);
/// }
/// ```
fn kernels(unit: &Ident, circuit: &NamedCircuit, header: &str, banner: Vec<String>) -> File {
    let symbol = &*circuit.symbol;
    let entry = |name: String, fold: &str| {
        let ty = [unit.as_str(), symbol, "Evaluator"].map(Ident::new);
        let callee = Expr::Instance(fold.into(), vec![Type::Scoped(ty.to_vec())]);
        kernel(&name, ("TlEvaluation", "evaluation"), callee)
    };
    let items = vec![
        entry(constraints_kernel_name(unit, symbol), "fold_constraints"),
        entry(lookups_kernel_name(unit, symbol), "fold_messages"),
    ];
    File {
        banner,
        is_header: false,
        includes: vec![header.into()],
        items: vec![Item::Namespace("traceloom".into(), items)],
    }
}

/// `enum Column : uint32_t { INPUT0, … WIDTH };`
fn columns(circuit: &Circuit, names: &ColumnNames<'_>) -> Item {
    let mut entries: Vec<_> =
        (0..circuit.width as u32).map(|c| (Ident::new(names.constant(c)), None)).collect();
    entries.push(("WIDTH".into(), Some(circuit.width as u64)));
    Item::Enum { doc: vec!["Main columns.".into()], name: "Column".into(), entries }
}

fn cells() -> (Type, Ident) {
    (Type::ConstRef(Box::new(Type::Named("Cells".into()))), "cells".into())
}

fn scratch() -> (Type, Ident) {
    (Type::Pointer(Box::new(Type::Gl)), "scratch".into())
}

fn sink() -> (Type, Ident) {
    (Type::Ref(Box::new(Type::Named("Sink".into()))), "sink".into())
}

/// The function that calls all functions of a part.
fn driver(name: &str, doc: &str, schedule: &Schedule) -> Function {
    let mut body =
        vec![Stmt::Array(Type::Gl, "scratch".into(), schedule.scratch_len.max(1) as u64)];
    let args = || ["cells", "scratch", "sink"].map(Expr::name).to_vec();
    for number in 0..schedule.functions.len() {
        body.push(Stmt::Expr(Expr::call(&format!("{name}_{number}"), args())));
    }
    if schedule.functions.is_empty() {
        body = Vec::new();
    }
    Function {
        doc: vec![doc.into()],
        kind: FunctionKind::Member,
        template: vec!["Sink".into()],
        name: Ident::new(name),
        params: vec![cells(), sink()],
        body,
    }
}

struct Emitter<'a> {
    circuit: &'a Circuit,
    names: &'a ColumnNames<'a>,
}

impl Emitter<'_> {
    fn body(&self, steps: &[Step]) -> Vec<Stmt> {
        steps.iter().flat_map(|&step| self.step(step)).collect()
    }

    /// The text of one step:
    ///
    /// ```text
    /// const Gl input0 = cells.main(INPUT0);
    /// const Gl v7 = input0 - selector1;
    /// // constraint 3: a selector is a bit
    /// sink.constraint(3u, v7);
    /// ```
    fn step(&self, step: Step) -> Vec<Stmt> {
        let scratch = |slot: usize| {
            Expr::Index(Box::new(Expr::name("scratch")), Box::new(Expr::Int(slot as u64)))
        };
        let int = |value: usize| Expr::Int(value as u64);
        let value = output(self.circuit, step).map(|expr| self.value(expr));
        match step {
            Step::Read(expr) => vec![self.define(expr, self.read(expr))],
            Step::Load(expr, slot) => vec![self.define(expr, scratch(slot))],
            Step::Compute(expr) => vec![self.define(expr, self.operation(expr))],
            Step::Save(expr, slot) => vec![Stmt::Assign(scratch(slot), self.value(expr))],
            Step::Constraint { index } => {
                let label = &self.circuit.constraints[index].label;
                let args = vec![int(index), value.expect("a constraint is an output")];
                vec![
                    Stmt::Comment(format!("constraint {index}: {label}")),
                    Stmt::Expr(Expr::method("sink", "constraint", args)),
                ]
            }
            Step::Argument { lookup, position, .. } => {
                let argument = self.circuit.lookups[lookup].arguments[position];
                let (method, value) = match self.circuit.arena.node(argument) {
                    Node::Constant(value) => ("constant", Expr::Int(word(value))),
                    _ => ("argument", self.value(argument)),
                };
                vec![Stmt::Expr(Expr::method("sink", method, vec![int(position), value]))]
            }
            Step::Multiplicity { lookup } => {
                let label = &self.circuit.lookups[lookup].label;
                let args = vec![int(lookup), value.expect("a multiplicity is an output")];
                vec![
                    Stmt::Comment(format!("lookup {lookup}: {label}")),
                    Stmt::Expr(Expr::method("sink", "lookup", args)),
                ]
            }
        }
    }

    fn define(&self, expr: ExprId, value: Expr) -> Stmt {
        Stmt::Let(Type::Gl, self.variable(expr), value)
    }

    fn variable(&self, expr: ExprId) -> Ident {
        let leaf = self.names.variable(self.circuit.arena.node(expr));
        Ident::new(leaf.unwrap_or_else(|| format!("v{}", expr.0)))
    }

    fn value(&self, expr: ExprId) -> Expr {
        match self.circuit.arena.node(expr) {
            Node::Constant(value) => Expr::call("gl", vec![Expr::Int(word(value))]),
            _ => Expr::Name(self.variable(expr)),
        }
    }

    fn read(&self, expr: ExprId) -> Expr {
        let column = |column: u32| Expr::name(self.names.constant(column));
        let int = |value: u32| Expr::Int(value.into());
        match self.circuit.arena.node(expr) {
            Node::Main(c) => Expr::method("cells", "main", vec![column(c)]),
            Node::MainNext(c) => Expr::method("cells", "next", vec![column(c)]),
            Node::Preprocessed(c) => Expr::method("cells", "fixed", vec![int(c)]),
            Node::Public(index) => Expr::method("cells", "publics", vec![int(index)]),
            Node::IsFirstRow => Expr::Member(Box::new(Expr::name("cells")), "is_first_row".into()),
            _ => Expr::Member(Box::new(Expr::name("cells")), "is_transition".into()),
        }
    }

    fn operation(&self, expr: ExprId) -> Expr {
        match self.circuit.arena.node(expr) {
            Node::Add(a, b) => Expr::binary(BinaryOp::Add, self.value(a), self.value(b)),
            Node::Sub(a, b) => Expr::binary(BinaryOp::Sub, self.value(a), self.value(b)),
            Node::Mul(a, b) => Expr::binary(BinaryOp::Mul, self.value(a), self.value(b)),
            _ => unreachable!("only operations are computed"),
        }
    }
}
