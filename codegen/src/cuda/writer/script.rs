//! Scripts in CUDA: functions, steps and operands.

use std::collections::BTreeSet;

use traceloom_abi::seed::Width;
use traceloom_plan::lanes::Bitwise;
use traceloom_plan::names::Ident;
use traceloom_plan::script::code::{
    Cells, Instr, Op, Operand, Reg, Type as Held, WordOp, WordPlace,
};
use traceloom_plan::script::notes::{comments, read};
use traceloom_plan::script::{Call, Context, Function as Group, Number, Script, Space, Step};
use traceloom_plan::{Class, Column, FunctionPlan, Region};

use super::held::{Place, ty};
use super::scalar::{Args, convert};
use crate::cuda::ast::{BinaryOp, Expr, Function, FunctionKind, Item, Stmt, Type};

/// All functions of a script:
///
/// ```text
/// // Operations 0 to 29 and alike, 16 times.
/// TL_DEVICE void write_u8_xor_4(const Row &row, uint32_t aux_at, uint32_t a0, uint32_t &word3) {
///   // op 0: u8_xor
///   word3 = row.auxiliary_bytes(aux_at, 1u, a0 ^ a1);
///   …
/// }
/// ```
pub(super) fn functions(plan: &FunctionPlan, script: &Script) -> Vec<Item> {
    script.functions.iter().map(|group| one(plan, script, group)).collect()
}

fn one(plan: &FunctionPlan, script: &Script, group: &Group) -> Item {
    let mut named = read(&group.steps);
    named.extend(&group.results);
    let mut printer = Printer { plan, script, group: Some(group), named, num_batches: 0 };
    let reference = |name: &str| Type::ConstRef(Box::new(Type::Named(name.into())));
    let mut params = Vec::new();
    let Context { row, seed, reads, .. } = group.context;
    if row {
        params.push((reference("Row"), "row".into()));
    }
    if seed {
        params.push((reference("Seed"), "seed".into()));
    }
    if reads {
        params.push((Type::U32, "reads".into()));
    }
    for space in Space::ALL.into_iter().filter(|space| group.bases[space.index()]) {
        params.push((Type::U32, base(space)));
    }
    for (i, held) in group.params.iter().enumerate() {
        params.push((ty(held.class()), param(i as u32)));
    }
    for reg in &group.results {
        let info = &script.regs[reg.index()];
        params.push((Type::Ref(Box::new(ty(info.ty.class()))), info.name.clone()));
    }
    let doc = match group.ops {
        Some((first, last)) if first == last => format!("Operation {first}"),
        Some((first, last)) => format!("Operations {first} to {last}"),
        None => "Cells".into(),
    };
    let doc = match group.occurrences {
        1 => doc + ".",
        times => format!("{doc} and alike, {times} times."),
    };
    Item::Function(Function {
        doc: vec![doc],
        kind: FunctionKind::Inline,
        template: Vec::new(),
        name: group.name.clone(),
        params,
        body: printer.steps(&group.steps),
    })
}

/// `aux_at`: where the columns of a function begin.
fn base(space: Space) -> Ident {
    match space {
        Space::Column(Region::Input) => "input_at",
        Space::Column(Region::Selector) => "selector_at",
        Space::Column(Region::Auxiliary) => "aux_at",
        Space::Op => "op",
    }
    .into()
}

fn param(i: u32) -> Ident {
    Ident::new(format!("a{i}"))
}

/// `input`, `selector`, `auxiliary`
pub(super) const fn region_name(region: Region) -> &'static str {
    match region {
        Region::Input => "input",
        Region::Selector => "selector",
        Region::Auxiliary => "auxiliary",
    }
}

/// Places of kept registers: `kept32`, `kept64`, `kept_elements`.
pub(super) fn kept_name(class: Class) -> Ident {
    match class {
        Class::U32 => "kept32",
        Class::U64 => "kept64",
        Class::Field => "kept_elements",
    }
    .into()
}

/// Prints the steps of one main or function.
pub(super) struct Printer<'a> {
    pub(super) plan: &'a FunctionPlan,
    pub(super) script: &'a Script,
    /// The function; none in mains.
    pub(super) group: Option<&'a Group>,
    /// Registers that need a name.
    pub(super) named: BTreeSet<Reg>,
    /// Inversions so far.
    pub(super) num_batches: usize,
}

impl Printer<'_> {
    /// All steps, with comments.
    pub(super) fn steps(&mut self, steps: &[Step]) -> Vec<Stmt> {
        let mut stmts = Vec::new();
        for (step, comment) in steps.iter().zip(comments(steps, &self.plan.ops)) {
            stmts.extend(comment.map(Stmt::Comment));
            match step {
                Step::Do(instr, _) => self.instr(instr, &mut stmts),
                Step::Call(call) => self.call(call, &mut stmts),
            }
        }
        stmts
    }

    fn class(&self, reg: Reg) -> Class {
        self.script.regs[reg.index()].ty.class()
    }

    /// What a register is called, `kept32[3u]` if several blocks read it.
    pub(super) fn name(&self, reg: Reg) -> Expr {
        let info = &self.script.regs[reg.index()];
        match (self.group, info.kept) {
            (None, Some(place)) => {
                let array = Expr::Name(kept_name(info.ty.class()));
                Expr::Index(Box::new(array), Box::new(Expr::Int(place.into())))
            }
            _ => Expr::Name(info.name.clone()),
        }
    }

    /// Whether a register has its place already: a parameter, or one that is kept.
    fn is_declared(&self, reg: Reg) -> bool {
        match self.group {
            Some(group) => group.results.contains(&reg),
            None => self.script.regs[reg.index()].kept.is_some(),
        }
    }

    /// `const uint32_t x = right;`, `kept32[3u] = right;`, or `right;` if nothing reads it.
    fn define(&self, reg: Reg, right: Expr) -> Stmt {
        if !self.named.contains(&reg) {
            return Stmt::Expr(right);
        }
        match self.is_declared(reg) {
            true => Stmt::Assign(self.name(reg), right),
            false => {
                let name = self.script.regs[reg.index()].name.clone();
                Stmt::Let(ty(self.class(reg)), name, right)
            }
        }
    }

    fn instr(&mut self, instr: &Instr, stmts: &mut Vec<Stmt>) {
        match instr.op {
            Op::Invert => return self.invert(instr, stmts),
            Op::Cell => {
                let place = self.operand(instr.args[0]);
                let cells = instr.cells.iter();
                stmts.extend(cells.map(|cells| Stmt::Expr(self.written(cells, &place))));
                return;
            }
            Op::Fetch(_) | Op::Agree => unreachable!("writers look nothing up"),
            Op::Value(_) | Op::Word(_) | Op::Copy => {}
        }
        let reg = instr.results[0];
        let class = self.class(reg);
        let right = self.right(instr, class);
        // Writing a cell gives back what is written.
        let Some((first, others)) = instr.cells.split_first() else {
            stmts.push(self.define(reg, right));
            return;
        };
        let written = self.written(first, &Place::Variable(class, right));
        stmts.push(match others.is_empty() {
            true => self.define(reg, written),
            false => {
                let name = self.script.regs[reg.index()].name.clone();
                match self.is_declared(reg) {
                    true => Stmt::Assign(self.name(reg), written),
                    false => Stmt::Let(ty(class), name, written),
                }
            }
        });
        let place = Place::Variable(class, self.name(reg));
        stmts.extend(others.iter().map(|cells| Stmt::Expr(self.written(cells, &place))));
    }

    /// The right side of an instruction with one result.
    fn right(&self, instr: &Instr, class: Class) -> Expr {
        let places: Vec<(Place, bool)> = instr.args.iter().map(|&arg| self.typed(arg)).collect();
        let of = |i: usize| &places[i].0;
        match instr.op {
            Op::Value(expr) => Args(&places).expression(&expr, class),
            Op::Word(op) => {
                let two = |op| Expr::binary(op, of(0).as_u32(), of(1).as_u32());
                let shifted = |name: &str, shift: u8| {
                    Expr::call(name, vec![of(0).as_u32(), Expr::Int(shift.into())])
                };
                match op {
                    WordOp::Low => of(0).as_u32(),
                    WordOp::High => {
                        let high = Expr::binary(BinaryOp::Shr, of(0).as_u64(), Expr::Int(32));
                        Expr::Cast(Type::U32, Box::new(high))
                    }
                    WordOp::Bitwise(Bitwise::Xor) => two(BinaryOp::BitXor),
                    WordOp::Bitwise(Bitwise::And) => two(BinaryOp::BitAnd),
                    WordOp::Bitwise(Bitwise::Or) => two(BinaryOp::BitOr),
                    WordOp::SplitHigh(shift) => shifted("packed_shift_right", shift),
                    WordOp::SplitLow(shift) => shifted("packed_shift_left", shift),
                    WordOp::Sum => two(BinaryOp::Add),
                }
            }
            _ => of(0).as_class(class),
        }
    }

    /// Computes inverses together and writes their cells:
    ///
    /// ```text
    /// Gl inverses0[2] = {v6_diff, v9_diff};
    /// invert_or_zero(inverses0);
    /// row.auxiliary(7u, inverses0[0u]);
    /// ```
    fn invert(&mut self, instr: &Instr, stmts: &mut Vec<Stmt>) {
        let array = Ident::new(format!("inverses{}", self.num_batches));
        self.num_batches += 1;
        let operands = instr.args.iter().map(|&arg| self.operand(arg).as_gl()).collect();
        stmts.push(Stmt::ArrayOf(Type::Gl, array.clone(), operands));
        let call = Expr::call("invert_or_zero", vec![Expr::Name(array.clone())]);
        stmts.push(Stmt::Expr(call));
        let element = |i: usize| {
            let index = Expr::Int(i as u64);
            Expr::Index(Box::new(Expr::Name(array.clone())), Box::new(index))
        };
        for cells in &instr.cells {
            let place = Place::Variable(Class::Field, element(cells.result as usize));
            stmts.push(Stmt::Expr(self.written(cells, &place)));
        }
        for (i, &reg) in instr.results.iter().enumerate() {
            if self.named.contains(&reg) {
                let right = convert(self.class(reg), Class::Field, element(i));
                stmts.push(self.define(reg, right));
            }
        }
    }

    /// `row.auxiliary(3u, value)`, which gives back the value.
    fn written(&self, cells: &Cells, value: &Place) -> Expr {
        let (name, first) = (region_name(cells.column.region), self.column(cells.column));
        let (stride, word) = (Expr::Int(cells.stride.into()), || value.as_u32());
        match (cells.lane, cells.count) {
            (None, _) => {
                let value = value.as_class(value.class());
                Expr::method("row", name, vec![first, value])
            }
            (Some(0), 4) => {
                Expr::method("row", &format!("{name}_bytes"), vec![first, stride, word()])
            }
            (Some(lane), count) => {
                let [lane, end] = [u32::from(lane), u32::from(lane) + count];
                let (lane, end) = (Expr::Int(lane.into()), Expr::Int(end.into()));
                let args = vec![first, stride, lane, end, word()];
                Expr::method("row", &format!("{name}_lanes"), args)
            }
        }
    }

    fn column(&self, column: Column) -> Expr {
        let space = Space::Column(column.region);
        let is_relative = self.group.is_some_and(|group| group.bases[space.index()]);
        number(space, Number { number: column.index, is_relative })
    }

    /// ```text
    /// uint32_t word3, word4;
    /// write_u8_xor_4(row, 2u, seed.u32(13u), word3, word4);
    /// ```
    fn call(&self, call: &Call, stmts: &mut Vec<Stmt>) {
        let callee = &self.script.functions[call.function];
        let mut args = Vec::new();
        let Context { row, seed, reads, .. } = callee.context;
        for (needed, name) in [(row, "row"), (seed, "seed"), (reads, "reads")] {
            if needed {
                args.push(Expr::name(name));
            }
        }
        let spaces = Space::ALL.into_iter().filter(|space| callee.bases[space.index()]);
        args.extend(spaces.zip(&call.numbers).map(|(space, &of)| number(space, of)));
        for (&arg, held) in call.args.iter().zip(&callee.params) {
            args.push(self.operand(arg).as_class(held.class()));
        }
        for class in [Class::U32, Class::U64, Class::Field] {
            let is_new = |reg: &&Reg| self.class(**reg) == class && !self.is_declared(**reg);
            let new = call.results.iter().filter(is_new);
            let names: Vec<Ident> =
                new.map(|reg| self.script.regs[reg.index()].name.clone()).collect();
            if !names.is_empty() {
                stmts.push(Stmt::Declare(ty(class), names));
            }
        }
        args.extend(call.results.iter().map(|&reg| self.name(reg)));
        stmts.push(Stmt::Expr(Expr::call(callee.name.as_str(), args)));
    }

    /// Where an operand is.
    pub(super) fn operand(&self, operand: Operand) -> Place {
        let seed = |method: &str, offset: u32| {
            Expr::method("seed", method, vec![Expr::Int(offset.into())])
        };
        match operand {
            Operand::Constant(word) => Place::Constant(word),
            Operand::Reg(reg) => Place::Variable(self.class(reg), self.name(reg)),
            Operand::Byte(reg, lane) => Place::Lane(self.name(reg), lane),
            Operand::Seed(Width::U8, offset) => Place::Variable(Class::U32, seed("u8", offset)),
            Operand::Seed(Width::U16, offset) => Place::Variable(Class::U32, seed("u16", offset)),
            Operand::Seed(Width::U32, offset) => Place::Variable(Class::U32, seed("u32", offset)),
            Operand::Seed(Width::Full, offset) => {
                Place::Variable(Class::Field, seed("full", offset))
            }
            Operand::Read(read) => Place::Variable(Class::Field, seed_read(read)),
            Operand::Permuted(a, b, selector) => {
                let args = vec![self.place(a), self.place(b), Expr::Mask(selector)];
                Place::Variable(Class::U32, Expr::call("permute", args))
            }
            Operand::Filled(a, constant, selector) => {
                let args = vec![self.place(a), Expr::Mask(constant), Expr::Mask(selector)];
                Place::Variable(Class::U32, Expr::call("permute", args))
            }
            Operand::Param(i) => {
                let held = self.group.expect("only functions have parameters").params[i as usize];
                Place::Variable(held.class(), Expr::Name(param(i)))
            }
            Operand::Input(_)
            | Operand::Output(_)
            | Operand::Multiplicity
            | Operand::Rank
            | Operand::OutputOf(..)
            | Operand::Element(..) => unreachable!("writers read no record"),
        }
    }

    /// The same, and whether it is below 256.
    fn typed(&self, operand: Operand) -> (Place, bool) {
        let held = match operand {
            Operand::Param(i) => self.group.map(|group| group.params[i as usize]),
            _ => Some(operand.ty(&self.script.regs)),
        };
        let is_byte = matches!(held, Some(Held::Value { is_byte: true, .. }));
        (self.operand(operand), is_byte)
    }

    fn place(&self, place: WordPlace) -> Expr {
        match place {
            WordPlace::Reg(reg) => self.name(reg),
            WordPlace::Seed(offset) => Expr::method("seed", "u32", vec![Expr::Int(offset.into())]),
            WordPlace::Param(i) => Expr::Name(param(i)),
        }
    }
}

/// `seed.full(24u + 8u * reads)`
fn seed_read(read: u32) -> Expr {
    Expr::method("seed", "full", vec![read_offset(read)])
}

/// `24u + 8u * reads`: the byte offset of a read.
pub(super) fn read_offset(read: u32) -> Expr {
    let before = Expr::binary(BinaryOp::Mul, Expr::Int(8), Expr::name("reads"));
    Expr::binary(BinaryOp::Add, Expr::Int(8 * u64::from(read)), before)
}

/// `7u`, `aux_at + 7u`
fn number(space: Space, of: Number) -> Expr {
    let number = Expr::Int(of.number.into());
    match (of.is_relative, of.number) {
        (false, _) => number,
        (true, 0) => Expr::Name(base(space)),
        (true, _) => Expr::binary(BinaryOp::Add, Expr::Name(base(space)), number),
    }
}
