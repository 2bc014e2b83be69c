//! The steps of a typed writer: in which order a path computes its row.
//!
//! Values come in the order of the plan, with three exceptions. Seed words are read where they
//! are first needed. Bytes that share a word ([`Lanes`]) are computed together. Inverses that
//! only their cells use are computed later, and several of them share one inversion. The cells
//! of a value are written where it is computed.

use crate::lanes::{Lanes, Source, WordKind, WordNo};
use crate::program::PathPlan;
use crate::value::{Expr, ValueNo};

/// Most inverses of one inversion. Their operands stay in registers until then.
pub const MAX_SHARED: usize = 8;

/// One step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A value that is known now: it needs no variable.
    Constant(ValueNo),
    /// Reads or computes a value from values before it.
    Value(ValueNo),
    /// Computes a packing operation from the words that its operands are lanes of.
    Whole(ValueNo, Source),
    /// Computes a word, and with it the values that are its lanes.
    Word(WordNo),
    /// Marks the place in the plan of an inverse that a later step computes.
    PutOff(ValueNo),
    /// Computes inverses with one inversion, at least two.
    Inverses(Vec<ValueNo>),
}

/// All steps of a path.
#[derive(Clone, Debug)]
pub struct Steps {
    /// The words and lanes that the steps name.
    pub lanes: Lanes,
    /// In order of execution.
    pub steps: Vec<Step>,
}

impl Steps {
    /// The steps of the writer of `path`.
    #[must_use]
    pub fn of(path: &PathPlan) -> Self {
        let lanes = Lanes::of(path);
        let mut order = Order {
            path,
            done: vec![false; path.values.len()],
            words: vec![false; lanes.words.len()],
            lanes,
            pending: Vec::new(),
            steps: Vec::new(),
        };
        order.all();
        Self { lanes: order.lanes, steps: order.steps }
    }
}

struct Order<'a> {
    path: &'a PathPlan,
    lanes: Lanes,
    /// By value and by word: whether a step has it.
    done: Vec<bool>,
    words: Vec<bool>,
    /// Inverses that were put off.
    pending: Vec<ValueNo>,
    steps: Vec<Step>,
}

impl Order<'_> {
    fn all(&mut self) {
        let path = self.path;
        let needed = (0..path.values.len()).filter(|&index| path.values[index].need.writer);
        let is_seed = |&index: &usize| matches!(path.values[index].expr, Expr::Seed(_));
        let (seeds, computed): (Vec<_>, Vec<_>) = needed.partition(is_seed);
        let mut is_operand = vec![false; path.values.len()];
        for operand in computed.iter().flat_map(|&index| path.values[index].expr.operands()) {
            is_operand[operand.index()] = true;
        }
        for index in computed.into_iter().chain(seeds) {
            let no = ValueNo(index as u32);
            let is_inverse = matches!(path.values[index].expr, Expr::InverseOrZero(_));
            if is_inverse && !is_operand[index] {
                self.put_off(no);
            } else {
                self.value(no);
            }
        }
        self.invert();
    }

    /// An inverse, whose operand is computed where the plan has it.
    fn put_off(&mut self, no: ValueNo) {
        for operand in self.path.values[no.index()].expr.operands() {
            self.value(operand);
        }
        self.steps.push(Step::PutOff(no));
        self.pending.push(no);
        if self.pending.len() == MAX_SHARED {
            self.invert();
        }
    }

    fn invert(&mut self) {
        let pending = std::mem::take(&mut self.pending);
        if pending.len() < 2 {
            pending.into_iter().for_each(|no| self.value(no));
            return;
        }
        pending.iter().for_each(|no| self.done[no.index()] = true);
        self.steps.push(Step::Inverses(pending));
    }

    /// Adds the step of a value, unless there is one. Operands of computed values come before
    /// them in the plan, so only seed words are nested here.
    fn value(&mut self, no: ValueNo) {
        if self.done[no.index()] {
            return;
        }
        if let Some(&(word, _)) = self.lanes.lanes.get(&no) {
            return self.word(word);
        }
        let expr = self.path.values[no.index()].expr;
        let step = if let Expr::Constant(_) = expr {
            Step::Constant(no)
        } else if let Some(source) = self.whole(expr) {
            source.words().for_each(|word| self.word(word));
            Step::Whole(no, source)
        } else {
            expr.operands().into_iter().for_each(|operand| self.value(operand));
            Step::Value(no)
        };
        self.steps.push(step);
        self.done[no.index()] = true;
    }

    /// The lanes that a packing operation takes whole.
    fn whole(&self, expr: Expr) -> Option<Source> {
        let (Expr::Pack(parts) | Expr::PackLow(parts)) = expr else { return None };
        self.lanes.source(self.path, parts)
    }

    /// A word, unless a step has it.
    fn word(&mut self, word: WordNo) {
        if self.words[word.0] {
            return;
        }
        match self.lanes.words[word.0].kind {
            WordKind::Seed(_) => {}
            WordKind::Low(a) | WordKind::High(a) => self.value(a),
            WordKind::SplitHigh(x, _) | WordKind::SplitLow(x, _) => self.word(x),
            WordKind::Bitwise(_, a, b) | WordKind::Sum(a, b) => {
                a.words().chain(b.words()).for_each(|word| self.word(word));
            }
        }
        self.steps.push(Step::Word(word));
        self.words[word.0] = true;
        for no in &self.lanes.words[word.0].members {
            self.done[no.index()] = true;
        }
    }
}
