//! The writer of one path: straight-line, over typed seeds.

use std::collections::BTreeMap;

use traceloom_plan::lanes::{Source, WordNo};
use traceloom_plan::names::{Ident, Writer, variable};
use traceloom_plan::steps::{Step, Steps};
use traceloom_plan::{self as plan, Cell, Class, Column, FunctionPlan, PathPlan, ValueNo};

use super::columns::{constants, store, zeros};
use super::held::{Held, ty};
use super::scalar::{Values, convert};
use super::seed::{seed_layout, seed_word};
use super::word::{source_text, word_name, word_text};
use super::write_function;
use crate::cuda::ast::{Expr, Item, Stmt, Type};

/// The seed layout and the writer of `path`:
///
/// ```text
/// enum SeedPath0 : uint32_t { SEED0_MULTIPLICITY = 0, SEED0_INPUT_0 = 8, SEED0_STRIDE = 16 };
/// static_assert(SEED0_STRIDE == 16u, "plan: stride");
///
/// struct Path0 {
///   static constexpr uint32_t SEED_WORDS = 4;
///   …
///   static TL_DEVICE void write(const Seed &seed, const Row &row) { … }
/// };
/// ```
pub(super) fn items(function: &FunctionPlan, path: &PathPlan) -> Vec<Item> {
    let mut items = seed_layout(path);
    let body = Printer::new(function, path).body(&Steps::of(path));
    let leaves: Vec<String> = path.leaves.iter().map(ToString::to_string).collect();
    items.push(Item::Struct {
        doc: vec![format!("Path {}, leaves {}.", path.path, leaves.join(", "))],
        name: Ident::new(Writer::Path(path.path).type_name()),
        constants: constants(&function.layout, u64::from(path.schema.stride) / 4),
        functions: vec![write_function(body)],
    });
    items
}

/// Prints the steps of a path.
struct Printer<'a> {
    function: &'a FunctionPlan,
    path: &'a PathPlan,
    values: Values<'a>,
    /// By value: the cells that it goes to.
    cells: BTreeMap<ValueNo, Vec<Column>>,
    num_batches: usize,
    stmts: Vec<Stmt>,
    /// The operation of the last comment.
    op: Option<u32>,
}

impl<'a> Printer<'a> {
    fn new(function: &'a FunctionPlan, path: &'a PathPlan) -> Self {
        let mut cells: BTreeMap<ValueNo, Vec<Column>> = BTreeMap::new();
        for write in &path.writes {
            if let Cell::Value(no) = write.cell {
                cells.entry(no).or_default().push(write.column);
            }
        }
        Self {
            function,
            path,
            values: Values::new(&path.values),
            cells,
            num_batches: 0,
            stmts: Vec::new(),
            op: None,
        }
    }

    /// Every cell once: what is constant on this path first, then each value's cells
    /// where it is computed.
    fn body(mut self, steps: &Steps) -> Vec<Stmt> {
        self.constant_cells();
        for step in &steps.steps {
            match step {
                Step::Constant(no) => {
                    let plan::Expr::Constant(word) = self.values.value(*no).expr else { continue };
                    self.define(*no, Held::Constant(word));
                }
                Step::Value(no) => self.value(*no),
                Step::Whole(no, source) => self.whole(*no, *source),
                Step::Word(word) => self.word(steps, *word),
                Step::PutOff(no) => {
                    let op = self.values.value(*no).op;
                    self.comment(op, op);
                }
                Step::Inverses(inverses) => self.invert(inverses),
            }
        }
        self.stmts
    }

    fn constant_cells(&mut self) {
        let layout = &self.function.layout;
        let constant = |word: u64| {
            let writes = self.path.writes.iter();
            let writes = writes.filter(move |write| write.cell == Cell::Constant(word));
            writes.map(|write| write.column).collect::<Vec<_>>()
        };
        self.stmts.extend(zeros(layout, &constant(0)));
        for write in &self.path.writes {
            if let Cell::Constant(word @ 1..) = write.cell {
                self.stmts.push(store(layout, write.column, &Held::Constant(word)));
            }
        }
    }

    /// `const uint32_t v7_sum = v5_pack + v6_pack;`
    fn value(&mut self, no: ValueNo) {
        let value = self.values.value(no);
        let expression = if let plan::Expr::Seed(meaning) = value.expr {
            seed_word(self.path, meaning, Class::of(value))
        } else {
            self.comment(value.op, value.op);
            self.values.expression(no)
        };
        self.variable(no, expression);
    }

    /// `const uint32_t v5_pack = word3;`
    fn whole(&mut self, no: ValueNo, source: Source) {
        let value = self.values.value(no);
        self.comment(value.op, value.op);
        let word = convert(Class::of(value), Class::U32, source_text(source));
        self.variable(no, word);
    }

    /// Computes a word and writes the cells of its lanes: `const uint32_t word3 = …;`
    fn word(&mut self, steps: &Steps, no: WordNo) {
        let word = &steps.lanes.words[no.0];
        let op_of = |no: &ValueNo| self.values.value(*no).op;
        let last = word.members.iter().filter_map(op_of).max();
        self.comment(word.members.first().and_then(op_of), last);
        let name = word_name(no);
        let text = word_text(self.path, &self.values, word.kind);
        self.stmts.push(Stmt::Let(Type::U32, name.clone(), text));
        for &member in &word.members {
            let (_, lane) = steps.lanes.lanes[&member];
            self.define(member, Held::Lane(name.clone(), lane));
        }
    }

    /// Computes inverses together and writes their cells:
    ///
    /// ```text
    /// Gl inverses0[2];
    /// inverses0[0] = v6_diff;
    /// inverses0[1] = v9_diff;
    /// invert_or_zero(inverses0);
    /// const Gl v7_inv = inverses0[0];
    /// ```
    fn invert(&mut self, inverses: &[ValueNo]) {
        let array = Ident::new(format!("inverses{}", self.num_batches));
        self.num_batches += 1;
        let element = |i: usize| {
            let index = Expr::Int(i as u64);
            Expr::Index(Box::new(Expr::Name(array.clone())), Box::new(index))
        };
        self.stmts.push(Stmt::Array(Type::Gl, array.clone(), inverses.len() as u64));
        for (i, &no) in inverses.iter().enumerate() {
            let operand = self.values.value(no).expr.operands().first().copied();
            let operand = self.values.held(operand.expect("an inverse is of a value")).as_gl();
            self.stmts.push(Stmt::Assign(element(i), operand));
        }
        let call = Expr::call("invert_or_zero", vec![Expr::Name(array.clone())]);
        self.stmts.push(Stmt::Expr(call));
        for (i, &no) in inverses.iter().enumerate() {
            let class = Class::of(self.values.value(no));
            self.variable(no, convert(class, Class::Field, element(i)));
        }
    }

    /// Declares the variable of a value, of its class, and writes its cells.
    fn variable(&mut self, no: ValueNo, text: Expr) {
        let value = self.values.value(no);
        let (class, name) = (Class::of(value), variable(no, value));
        self.stmts.push(Stmt::Let(ty(class), name.clone(), text));
        self.define(no, Held::Variable(class, name));
    }

    /// Notes where a value is and writes its cells.
    fn define(&mut self, no: ValueNo, held: Held) {
        for &column in self.cells.get(&no).into_iter().flatten() {
            self.stmts.push(store(&self.function.layout, column, &held));
        }
        self.values.held[no.index()] = Some(held);
    }

    /// `// op 7: u8_xor 3 4`, or `// ops 7 to 10: …`.
    fn comment(&mut self, first: Option<u32>, last: Option<u32>) {
        let (Some(first), Some(last)) = (first, last) else { return };
        if self.op == Some(first) && first == last {
            return;
        }
        self.op = Some(first);
        let text = &self.function.ops[first as usize].text;
        self.stmts.push(Stmt::Comment(match first == last {
            true => format!("op {first}: {text}"),
            false => format!("ops {first} to {last}: {text}"),
        }));
    }
}
