//! A toy system, built by hand, with every kind of table, and honest witnesses.
//!
//! Function 0, an entry, maps x to x^2 + g(x), calling function 1: g(x) = x^5 + b,
//! where b is the first bit of the byte 7 and is loaded from memory too. Two more
//! circuits have no lookups, one of them no constraints either.

#![allow(dead_code)]

use traceloom_air::bytes::{ByteOp, ByteTable};
use traceloom_air::claim::{Claim, Entry, RankedClaim};
use traceloom_air::field::{Field, Goldilocks, PrimeCharacteristicRing, element};
use traceloom_air::message::{FUNCTION_CHANNEL, MEMORY_CHANNEL};
use traceloom_air::system::{
    Arena, Circuit, CircuitKind, Constraint, Direction, ExprId, Lookup, Node, System,
};
use traceloom_air::trace::{ShardWitness, Trace};
use traceloom_verifier::{Params, Profile};

pub type F = Goldilocks;

/// Positions of the circuits.
pub const OUTER: usize = 0;
pub const INNER: usize = 1;
pub const PLAIN: usize = 2;
pub const FREE: usize = 3;
pub const MEMORY: usize = 4;
pub const BYTES: usize = 5;

/// The first pointer of the toy memory.
pub const FIRST_POINTER: u64 = 40;

/// Collects one circuit.
struct Builder {
    arena: Arena,
    constraints: Vec<Constraint>,
    lookups: Vec<Lookup>,
}

impl Builder {
    fn new() -> Self {
        Self { arena: Arena::default(), constraints: vec![], lookups: vec![] }
    }

    fn constrain(&mut self, expr: ExprId, label: &str) {
        self.constraints.push(Constraint { expr, label: label.into() });
    }

    fn lookup(&mut self, direction: Direction, multiplicity: ExprId, arguments: Vec<ExprId>) {
        let label = String::new();
        self.lookups.push(Lookup { direction, multiplicity, arguments, label });
    }

    fn finish(self, name: &str, kind: CircuitKind, width: usize, num_publics: usize) -> Circuit {
        Circuit {
            name: name.into(),
            kind,
            width,
            column_names: (0..width).map(|column| format!("c{column}")).collect(),
            num_publics,
            arena: self.arena,
            constraints: self.constraints,
            lookups: self.lookups,
        }
    }
}

fn function(members: &[u32], recursive: bool) -> CircuitKind {
    CircuitKind::Function { members: members.to_vec(), recursive }
}

/// Columns: multiplicity, selector, x, y, g.
fn outer() -> Circuit {
    let mut b = Builder::new();
    let [m, s, x, y, g] = std::array::from_fn(|column| b.arena.main(column));
    let one = b.arena.word(1);
    let off = b.arena.sub(one, s);
    let idle = b.arena.mul(m, off);
    b.constrain(idle, "an idle row answers nothing");
    let bit = b.arena.mul(s, off);
    b.constrain(bit, "the selector is a bit");
    let square = b.arena.mul(x, x);
    let sum = b.arena.add(square, g);
    let difference = b.arena.sub(y, sum);
    let gated = b.arena.mul(s, difference);
    b.constrain(gated, "y = x^2 + g");
    let (channel, zero, one) = (b.arena.word(FUNCTION_CHANNEL), b.arena.word(0), b.arena.word(1));
    b.lookup(Direction::Pull, m, vec![channel, zero, x, y]);
    let gated: Vec<ExprId> = [x, g].map(|value| b.arena.mul(s, value)).to_vec();
    b.lookup(Direction::Push, s, vec![channel, one, gated[0], gated[1]]);
    b.finish("outer", function(&[0], true), 5, 0)
}

/// Columns: multiplicity, selector, x, y, pointer, b, seven more bits.
fn inner() -> Circuit {
    let mut b = Builder::new();
    let columns: Vec<ExprId> = (0..13).map(|column| b.arena.main(column)).collect();
    let (m, s, x, y, pointer, bit) =
        (columns[0], columns[1], columns[2], columns[3], columns[4], columns[5]);
    let one = b.arena.word(1);
    let off = b.arena.sub(one, s);
    let idle = b.arena.mul(m, off);
    b.constrain(idle, "an idle row answers nothing");
    let is_bit = b.arena.mul(s, off);
    b.constrain(is_bit, "the selector is a bit");
    let square = b.arena.mul(x, x);
    let fourth = b.arena.mul(square, square);
    let fifth = b.arena.mul(fourth, x);
    let sum = b.arena.add(fifth, bit);
    let difference = b.arena.sub(y, sum);
    b.constrain(difference, "y = x^5 + b");
    let function_channel = b.arena.word(FUNCTION_CHANNEL);
    b.lookup(Direction::Pull, m, vec![function_channel, one, x, y]);
    let memory_channel = b.arena.word(MEMORY_CHANNEL);
    b.lookup(Direction::Push, s, vec![memory_channel, one, pointer, bit]);
    let bits_channel = b.arena.word(ByteOp::Bits.channel());
    let seven = b.arena.word(7);
    let mut message = vec![bits_channel, seven, bit];
    message.extend(&columns[6..]);
    b.lookup(Direction::Push, s, message);
    b.finish("inner", function(&[1], false), 13, 0)
}

/// Columns: x, x^2; every row, padding included, has the square of its x.
fn plain() -> Circuit {
    let mut b = Builder::new();
    let [x, y] = std::array::from_fn(|column| b.arena.main(column));
    let square = b.arena.mul(x, x);
    let difference = b.arena.sub(y, square);
    b.constrain(difference, "y = x^2");
    b.finish("plain", function(&[], false), 2, 0)
}

fn free() -> Circuit {
    Builder::new().finish("free", function(&[], false), 1, 0)
}

/// Columns: multiplicity, selector, pointer, value.
fn memory() -> Circuit {
    let mut b = Builder::new();
    let [m, s, pointer, value] = std::array::from_fn(|column| b.arena.main(column));
    let next_s = b.arena.intern(Node::MainNext(1));
    let next_pointer = b.arena.intern(Node::MainNext(2));
    let first = b.arena.intern(Node::IsFirstRow);
    let transition = b.arena.intern(Node::IsTransition);
    let start = b.arena.intern(Node::Public(0));
    let one = b.arena.word(1);
    let off = b.arena.sub(one, s);
    let bit = b.arena.mul(s, off);
    b.constrain(bit, "the selector is a bit");
    let idle = b.arena.mul(m, off);
    b.constrain(idle, "an idle row answers nothing");
    let resumed = b.arena.mul(next_s, off);
    let resumed = b.arena.mul(transition, resumed);
    b.constrain(resumed, "real rows come first");
    let step = b.arena.sub(next_pointer, pointer);
    let step = b.arena.sub(step, one);
    let step = b.arena.mul(next_s, step);
    let step = b.arena.mul(transition, step);
    b.constrain(step, "the pointer grows by one");
    let begin = b.arena.sub(pointer, start);
    let begin = b.arena.mul(first, begin);
    b.constrain(begin, "the first pointer is the stated one");
    let channel = b.arena.word(MEMORY_CHANNEL);
    b.lookup(Direction::Pull, m, vec![channel, one, pointer, value]);
    b.finish("memory1", CircuitKind::Memory { width: 1 }, 4, 1)
}

fn bytes1() -> Circuit {
    let table = ByteTable::Bytes1;
    let mut b = Builder::new();
    for op in table.ops() {
        let m = b.arena.main(op.position());
        let mut message = vec![b.arena.word(op.channel())];
        let operands = 0..op.num_operands();
        let results = table.result_column(*op)..table.result_column(*op) + op.num_results();
        for column in operands.chain(results) {
            message.push(b.arena.intern(Node::Preprocessed(column as u32)));
        }
        b.lookup(Direction::Pull, m, message);
    }
    b.finish("bytes1", CircuitKind::Bytes(table), table.ops().len(), 0)
}

/// The toy system.
pub fn system() -> System {
    System {
        fingerprint: [7; 32],
        circuits: vec![outer(), inner(), plain(), free(), memory(), bytes1()],
        entries: vec![Entry {
            function: 0,
            name: "outer".into(),
            num_inputs: 1,
            num_outputs: 1,
            ranked: false,
        }],
    }
}

/// x^2 + x^5 + 1: bit 0 of 7 is 1.
pub fn outer_value(x: F) -> F {
    x.square() + inner_value(x)
}

fn inner_value(x: F) -> F {
    x.exp_u64(5) + F::ONE
}

pub fn claim(x: u64) -> Claim {
    let x = element(x);
    Claim { function: 0, inputs: vec![x], outputs: vec![outer_value(x)] }
}

/// Where the inner calls of a batch are answered.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Inner {
    Here,
    Elsewhere,
}

/// An honest shard that answers a claim for each of `inputs` and, beside them, calls
/// of `served`, which other shards made.
pub fn shard(inputs: &[u64], inner: Inner, served: &[u64]) -> ShardWitness {
    let mut traces: Vec<Option<Trace>> = vec![None; 6];
    let mut publics = vec![vec![]; 6];
    let calls: Vec<u64> =
        if inner == Inner::Here { [inputs, served].concat() } else { served.to_vec() };
    if !inputs.is_empty() {
        let mut trace = Trace::zero(inputs.len(), 5);
        for (row, &x) in inputs.iter().enumerate() {
            let x = element(x);
            let cells = [F::ONE, F::ONE, x, outer_value(x), inner_value(x)];
            trace.row_mut(row).copy_from_slice(&cells);
        }
        traces[OUTER] = Some(trace);
    }
    if !calls.is_empty() {
        traces[INNER] = Some(inner_trace(&calls));
        traces[MEMORY] = Some(memory_trace(calls.len() as u64));
        publics[MEMORY] = vec![element(FIRST_POINTER)];
    }
    traces[BYTES] = Some(bytes_trace(calls.len() as u64));
    let claims = inputs.iter().map(|&x| RankedClaim { claim: claim(x), rank: None }).collect();
    ShardWitness { traces, publics, claims }
}

fn inner_trace(calls: &[u64]) -> Trace {
    let mut trace = Trace::zero(calls.len(), 13);
    for (row, &x) in calls.iter().enumerate() {
        let x = element(x);
        let pointer = element(FIRST_POINTER + 1);
        let mut cells = vec![F::ONE, F::ONE, x, inner_value(x), pointer];
        cells.extend((0..8).map(|bit| F::from_bool(bit < 3)));
        trace.row_mut(row).copy_from_slice(&cells);
    }
    trace
}

/// Three entries, of which the second is loaded `loads` times.
fn memory_trace(loads: u64) -> Trace {
    let mut trace = Trace::zero(3, 4);
    for row in 0..3 {
        let multiplicity = if row == 1 { element(loads) } else { F::ZERO };
        let value = if row == 1 { F::ONE } else { element(9) };
        let cells = [multiplicity, F::ONE, element(FIRST_POINTER + row as u64), value];
        trace.row_mut(row).copy_from_slice(&cells);
    }
    trace
}

fn bytes_trace(lookups: u64) -> Trace {
    let mut trace = Trace::zero(256, 3);
    trace.row_mut(7)[0] = element(lookups);
    trace
}

/// Adds the two circuits without lookups, at these heights.
pub fn with_extras(mut shard: ShardWitness, log_plain: usize, log_free: usize) -> ShardWitness {
    let mut plain = Trace::zero(1 << log_plain, 2);
    for row in 0..1 << log_plain {
        let x = element(3 + row as u64);
        plain.row_mut(row).copy_from_slice(&[x, x * x]);
    }
    shard.traces[PLAIN] = Some(plain);
    let mut free = Trace::zero(1 << log_free, 1);
    free.values.iter_mut().for_each(|cell| *cell = element(5).inverse());
    shard.traces[FREE] = Some(free);
    shard
}

/// Parameters for quick tests in the given challenge field.
pub fn fast(extension_degree: usize) -> Params {
    Params { extension_degree, ..Profile::Fast.params() }
}
