//! Expressions of a circuit on blocks of rows.
//!
//! Every node is evaluated for a whole block before the next one, so that finding out what a node
//! is costs nothing beside computing it.

use std::borrow::Cow;

use rayon::prelude::*;
use traceloom_air::field::{Goldilocks, Packed, PackedValue, PrimeCharacteristicRing};
use traceloom_air::fixed::Fixed;
use traceloom_air::system::{Circuit, ExprId, Node};
use traceloom_air::trace::Trace;

use super::bus::{Balances, Sign, Site, Sums};

/// Vectors of a node's values that are computed at once.
const VECTORS: usize = 8;
/// Rows of a block.
const BLOCK: usize = VECTORS * Packed::WIDTH;
/// Rows that one task evaluates.
const CHUNK: usize = 1 << 10;

/// Values of one node on the rows of a block.
type Lane = [Packed; VECTORS];

/// One circuit's rows, ready to be evaluated.
pub(super) struct Table<'a> {
    pub circuit: &'a Circuit,
    trace: &'a Trace,
    publics: &'a [Goldilocks],
    /// Cells of the fixed columns.
    fixed: Cow<'a, [Goldilocks]>,
    /// Shard and circuit.
    pub place: (u32, u32),
}

/// A constraint that does not vanish on a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Failure {
    pub row: usize,
    pub constraint: usize,
    pub value: Goldilocks,
}

/// What was found in some rows.
pub(super) struct Part {
    /// The first ones, by row.
    pub failures: Vec<Failure>,
    pub num_failures: usize,
    pub sums: Sums,
}

impl<'a> Table<'a> {
    pub fn new(
        circuit: &'a Circuit,
        trace: &'a Trace,
        publics: &'a [Goldilocks],
        place: (u32, u32),
    ) -> Self {
        let fixed = circuit.fixed().and_then(Fixed::cells).unwrap_or_default();
        Self { circuit, trace, publics, fixed, place }
    }

    /// A row.
    pub fn row(&self, row: usize) -> &[Goldilocks] {
        self.trace.row(row)
    }

    /// The row behind a row; behind the last one is the first.
    pub fn next_row(&self, row: usize) -> &[Goldilocks] {
        self.trace.row((row + 1) % self.trace.height())
    }

    /// Every constraint, and the sums of all messages. Keeps `show` failures.
    pub fn check(&self, show: usize) -> Vec<Part> {
        self.chunks(|rows, values| {
            let mut part = Part { failures: Vec::new(), num_failures: 0, sums: Sums::default() };
            for start in rows.step_by(BLOCK) {
                let num_rows = self.evaluate(start, values);
                self.constraints(start, num_rows, values, show, &mut part);
                self.messages(start, num_rows, values, |message, sign, _| {
                    part.sums.add(message, sign);
                });
            }
            part
        })
    }

    /// The messages of open buckets.
    pub fn balances(&self, open: &[bool]) -> Vec<Balances> {
        self.chunks(|rows, values| {
            let mut balances = Balances::new(open.to_vec());
            for start in rows.step_by(BLOCK) {
                let num_rows = self.evaluate(start, values);
                self.messages(start, num_rows, values, |message, sign, site| {
                    balances.add(message, sign, site);
                });
            }
            balances
        })
    }

    /// Runs `work` on all chunks of rows; the results in row order.
    fn chunks<T: Send>(
        &self,
        work: impl Fn(std::ops::Range<usize>, &mut Vec<Lane>) -> T + Sync,
    ) -> Vec<T> {
        let height = self.trace.height();
        let starts: Vec<usize> = (0..height).step_by(CHUNK).collect();
        let values = || vec![[Packed::ZERO; VECTORS]; self.circuit.arena.nodes().len()];
        let chunk =
            |values: &mut Vec<Lane>, &start: &usize| work(start..height.min(start + CHUNK), values);
        starts.par_iter().map_init(values, chunk).collect()
    }

    /// Values of all nodes on the rows from `start` on; how many rows there are. What is behind
    /// the last row is not used.
    fn evaluate(&self, start: usize, values: &mut [Lane]) -> usize {
        let height = self.trace.height();
        let num_rows = BLOCK.min(height - start);
        let fixed_width = self.circuit.preprocessed_width();
        for (index, node) in self.circuit.arena.nodes().iter().enumerate() {
            let (before, rest) = values.split_at_mut(index);
            let value = |id: ExprId| &before[id.0 as usize];
            let out = &mut rest[0];
            let mut fill = |cell: &dyn Fn(usize) -> Goldilocks| {
                for (i, vector) in out.iter_mut().enumerate() {
                    *vector = Packed::from_fn(|j| {
                        let row = start + i * Packed::WIDTH + j;
                        // Behind the end any row will do.
                        cell(row.min(height - 1))
                    });
                }
            };
            match node {
                Node::Constant(value) => *out = [Packed::from(*value); VECTORS],
                Node::Main(column) => fill(&|row| self.row(row)[*column as usize]),
                Node::MainNext(column) => fill(&|row| self.next_row(row)[*column as usize]),
                Node::Preprocessed(column) => {
                    fill(&|row| self.fixed[row * fixed_width + *column as usize]);
                }
                Node::Public(index) => {
                    *out = [Packed::from(self.publics[*index as usize]); VECTORS];
                }
                Node::IsFirstRow => fill(&|row| Goldilocks::from_bool(row == 0)),
                Node::IsTransition => fill(&|row| Goldilocks::from_bool(row + 1 != height)),
                Node::Add(a, b) => each(out, value(*a), value(*b), |a, b| a + b),
                Node::Sub(a, b) => each(out, value(*a), value(*b), |a, b| a - b),
                Node::Mul(a, b) => each(out, value(*a), value(*b), |a, b| a * b),
            }
        }
        num_rows
    }

    fn constraints(
        &self,
        start: usize,
        num_rows: usize,
        values: &[Lane],
        show: usize,
        part: &mut Part,
    ) {
        let first = part.failures.len();
        for (constraint, stated) in self.circuit.constraints.iter().enumerate() {
            let lane = &values[stated.expr.0 as usize];
            if lane.iter().all(|vector| *vector == Packed::ZERO) {
                continue;
            }
            for row in 0..num_rows {
                let value = at(lane, row);
                if value != Goldilocks::ZERO {
                    part.num_failures += 1;
                    part.failures.push(Failure { row: start + row, constraint, value });
                }
            }
        }
        part.failures[first..].sort_by_key(|failure| failure.row);
        part.failures.truncate(show);
    }

    fn messages(
        &self,
        start: usize,
        num_rows: usize,
        values: &[Lane],
        mut visit: impl FnMut(&[Goldilocks], Sign, Site),
    ) {
        let (shard, circuit) = self.place;
        let mut message = Vec::new();
        for row in 0..num_rows {
            for (lookup, stated) in (0..).zip(&self.circuit.lookups) {
                let count = at(&values[stated.multiplicity.0 as usize], row);
                if count == Goldilocks::ZERO {
                    continue;
                }
                message.clear();
                let arguments = stated.arguments.iter();
                message.extend(arguments.map(|a| at(&values[a.0 as usize], row)));
                let site = Site { shard, circuit, row: start + row, lookup };
                visit(&message, Sign { direction: stated.direction, count }, site);
            }
        }
    }
}

#[inline]
fn each(out: &mut Lane, a: &Lane, b: &Lane, op: impl Fn(Packed, Packed) -> Packed) {
    for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
        *out = op(*a, *b);
    }
}

/// The value on one row of a block.
#[inline]
fn at(lane: &Lane, row: usize) -> Goldilocks {
    lane[row / Packed::WIDTH].as_slice()[row % Packed::WIDTH]
}
