//! The code of packers: what they look up, and what they compute to find it.

use traceloom_abi::seed::Meaning;

use super::code::{Body, Code, FetchOp, Instr, Op, Operand, Type, positional};
use crate::class::Class;
use crate::names::{Ident, variable};
use crate::program::{FunctionPlan, PathPlan};
use crate::row::{Fetch, FetchKind, ReadSource};
use crate::value::{Expr, Value, ValueNo};

/// Adds the lookups of `path`: those that its packers need or, for a checker, all of them with
/// comparisons. What stores read is in [`Body::reads`], by fetch.
pub(super) fn add(code: &mut Code, function: &FunctionPlan, path: &PathPlan, is_checked: bool) {
    let mut packer = Packer {
        path,
        is_checked,
        held: vec![None; path.values.len()],
        found: vec![None; path.fetches.len()],
        code,
        body: Body::default(),
    };
    packer.all();
    if is_checked {
        let op = function.ops.len() as u32 - 1;
        for (i, &output) in path.outputs.iter().enumerate() {
            let found = packer.held(output);
            packer.agree(i as u32, found, op);
        }
    }
    let found = std::mem::take(&mut packer.found);
    packer.body.reads = found.into_iter().map(|of| of.unwrap_or(Operand::Constant(0))).collect();
    let body = packer.body;
    code.bodies.push(body);
}

/// `call2`: the second fetch, a call.
fn fetch_name(position: usize, fetch: &Fetch) -> Ident {
    let kind = match fetch.kind {
        FetchKind::Call { .. } => "call",
        FetchKind::Store { .. } => "stored",
        FetchKind::Load { .. } => "load",
        FetchKind::IoInfo { .. } => "info",
        FetchKind::IoRead { .. } => "io",
        FetchKind::BigUintDivRem { .. } => "div",
    };
    Ident::new(format!("{kind}{position}"))
}

struct Packer<'a> {
    path: &'a PathPlan,
    is_checked: bool,
    held: Vec<Option<Operand>>,
    /// By fetch: what it found.
    found: Vec<Option<Operand>>,
    code: &'a mut Code,
    body: Body,
}

impl Packer<'_> {
    /// Values and fetches in order of execution.
    fn all(&mut self) {
        let mut fetches = self.path.fetches.iter().enumerate().peekable();
        for (index, value) in self.path.values.iter().enumerate() {
            let before = value.op;
            // A fetch stands before the values of its operation and of later ones.
            while let Some((position, fetch)) =
                fetches.next_if(|(_, fetch)| before.is_some_and(|op| fetch.op <= op))
            {
                self.fetch(position, fetch);
            }
            let need = if self.is_checked { value.need.checker } else { value.need.packer };
            if need
                || matches!(value.expr, Expr::Seed(meaning) if !matches!(meaning, Meaning::Read(_)))
            {
                self.value(ValueNo(index as u32), value);
            }
        }
        for (position, fetch) in fetches {
            self.fetch(position, fetch);
        }
    }

    fn held(&self, no: ValueNo) -> Operand {
        self.held[no.index()].expect("operands are computed before their users")
    }

    fn value(&mut self, no: ValueNo, value: &Value) {
        let operand = match value.expr {
            Expr::Constant(word) => Operand::Constant(word),
            Expr::Seed(Meaning::Multiplicity) => Operand::Multiplicity,
            Expr::Seed(Meaning::Path) => Operand::Constant(self.path.path.into()),
            Expr::Seed(Meaning::Rank) => Operand::Rank,
            Expr::Seed(Meaning::Input(i)) => Operand::Input(i),
            Expr::Seed(Meaning::Read(read)) => self.read(no, value, read),
            expr => {
                let (expr, operands) = positional(expr);
                let args = operands.into_iter().map(|no| self.held(no)).collect();
                let is_integer = value.is_integer_when_packing();
                let class = if is_integer { Class::U64 } else { Class::Field };
                let ty = Type::Value { class, is_byte: false };
                let reg = self.code.reg(ty, variable(no, value));
                let ops = value.op.map(|op| (op, op));
                let (op, results, cells) = (Op::Value(expr), vec![reg], Vec::new());
                self.body.instrs.push(Instr { op, args, results, cells, ops });
                Operand::Reg(reg)
            }
        };
        self.held[no.index()] = Some(operand);
    }

    /// A word from outside.
    fn read(&mut self, no: ValueNo, value: &Value, read: u32) -> Operand {
        let read = self.path.reads[read as usize];
        match (read.alias, read.source) {
            (Some(output), _) => Operand::Output(output),
            (None, ReadSource::CalleeRank(rank)) => {
                let reg = self.code.reg(Type::RECORDED, variable(no, value));
                self.body.instrs.push(Instr {
                    op: Op::Fetch(FetchOp::CalleeRank(rank)),
                    args: Vec::new(),
                    results: vec![reg],
                    cells: Vec::new(),
                    ops: Some((read.op, read.op)),
                });
                Operand::Reg(reg)
            }
            (None, ReadSource::Fetched { fetch, result }) => self.found(fetch, result),
        }
    }

    /// Word `result` of a fetch.
    fn found(&self, fetch: u32, result: u32) -> Operand {
        let found = self.found[fetch as usize].expect("a fetch stands before its words");
        match (found, &self.path.fetches[fetch as usize].kind) {
            (Operand::Reg(reg), FetchKind::Call { function, .. }) => {
                Operand::OutputOf(reg, *function, result)
            }
            (found, FetchKind::Store { .. }) => found,
            (Operand::Reg(reg), _) => Operand::Element(reg, result),
            (found, _) => found,
        }
    }

    fn fetch(&mut self, position: usize, fetch: &Fetch) {
        if fetch.aliased && !self.is_checked {
            return;
        }
        let num_results = fetch.num_results;
        let (op, ty) = match fetch.kind {
            FetchKind::Call { function, .. } => (FetchOp::Call(function), Type::Query),
            FetchKind::Store { memory, .. } => (FetchOp::Store(memory), Type::RECORDED),
            FetchKind::Load { memory, .. } => {
                (FetchOp::Load(memory, num_results), Type::Words(num_results))
            }
            FetchKind::IoInfo { .. } => (FetchOp::IoInfo, Type::Words(2)),
            FetchKind::IoRead { .. } => (FetchOp::IoRead(num_results), Type::Slice),
            FetchKind::BigUintDivRem { memory, .. } => {
                (FetchOp::BigUintDivRem(memory), Type::Words(2))
            }
        };
        let args = fetch.kind.operands().into_iter().map(|no| self.held(no)).collect();
        let reg = self.code.reg(ty, fetch_name(position, fetch));
        self.found[position] = Some(Operand::Reg(reg));
        self.body.instrs.push(Instr {
            op: Op::Fetch(op),
            args,
            results: vec![reg],
            cells: Vec::new(),
            ops: Some((fetch.op, fetch.op)),
        });
        if !fetch.aliased {
            return;
        }
        for read in &self.path.reads {
            if let (ReadSource::Fetched { fetch: of, result }, Some(output)) =
                (read.source, read.alias)
                && of as usize == position
            {
                self.agree(output, self.found(of, result), fetch.op);
            }
        }
    }

    /// Compares an output of the row with what was found.
    fn agree(&mut self, output: u32, found: Operand, op: u32) {
        self.body.instrs.push(Instr {
            op: Op::Agree,
            args: vec![Operand::Output(output), found],
            results: Vec::new(),
            cells: Vec::new(),
            ops: Some((op, op)),
        });
    }
}
