//! A toy machine of op tables: what a front end that is not bytecode brings.
//!
//! An accumulator starts at some value; step `pc` adds the number that the program has at
//! `pc`. The program is four numbers, fixed columns of one op table; another has a row a
//! step. State passes from step to step by messages, and the first and the last one are
//! the claim.

#![allow(dead_code)]

use std::sync::Arc;

use traceloom_air::claim::{Boundary, BoundaryMessage};
use traceloom_air::field::{Goldilocks, element};
use traceloom_air::fixed::FixedColumns;
use traceloom_air::message::OPS_CHANNEL;
use traceloom_air::system::{
    Arena, Circuit, CircuitKind, Constraint, Direction, ExprId, Lookup, Node, System,
};
use traceloom_air::trace::{ShardWitness, Trace};

/// Positions of the circuits.
pub const PROGRAM: usize = 0;
pub const STEPS: usize = 1;

/// Boundaries.
pub const START: u32 = 0;
pub const END: u32 = 1;

/// What the program adds.
pub const NUMBERS: [u64; 4] = [5, 7, 11, 13];

const PROGRAM_CHANNEL: u64 = OPS_CHANNEL;
const STATE_CHANNEL: u64 = OPS_CHANNEL + 1;

/// The machine with this program.
pub fn system(numbers: [u64; 4]) -> System {
    let boundary = |name: &str, direction| Boundary {
        name: name.into(),
        channel: STATE_CHANNEL,
        num_values: 2,
        direction,
    };
    System {
        fingerprint: [9; 32],
        circuits: vec![program(numbers), steps()],
        entries: vec![],
        boundaries: vec![boundary("start", Direction::Pull), boundary("end", Direction::Push)],
    }
}

/// Fixed columns: pc, number. Main: how often.
fn program(numbers: [u64; 4]) -> Circuit {
    let mut arena = Arena::default();
    let multiplicity = arena.main(0);
    let (pc, number) = (arena.intern(Node::Preprocessed(0)), arena.intern(Node::Preprocessed(1)));
    let arguments = vec![arena.word(PROGRAM_CHANNEL), pc, number];
    let rows = (0..).zip(numbers).flat_map(|(pc, number)| [pc, number]);
    let fixed = FixedColumns {
        width: 2,
        log_height: 2,
        cells: Some(rows.map(element).collect::<Arc<[Goldilocks]>>()),
    };
    let kind = CircuitKind::Ops { table: 0, fixed: Some(fixed) };
    let pull = lookup(Direction::Pull, multiplicity, arguments);
    circuit("program", kind, 1, arena, vec![], vec![pull])
}

/// Columns: on, pc, accumulator, number.
fn steps() -> Circuit {
    let mut arena = Arena::default();
    let [on, pc, accumulator, number] = std::array::from_fn(|column| arena.main(column));
    let one = arena.word(1);
    let off = arena.sub(one, on);
    let expr = arena.mul(on, off);
    let constraint = Constraint { expr, label: "on is a bit".into() };
    let [next_pc, sum] = [arena.add(pc, one), arena.add(accumulator, number)];
    let (of_program, of_state) = (arena.word(PROGRAM_CHANNEL), arena.word(STATE_CHANNEL));
    let lookups = vec![
        lookup(Direction::Push, on, vec![of_program, pc, number]),
        lookup(Direction::Push, on, vec![of_state, pc, accumulator]),
        lookup(Direction::Pull, on, vec![of_state, next_pc, sum]),
    ];
    let kind = CircuitKind::Ops { table: 1, fixed: None };
    circuit("steps", kind, 4, arena, vec![constraint], lookups)
}

fn lookup(direction: Direction, multiplicity: ExprId, arguments: Vec<ExprId>) -> Lookup {
    Lookup { direction, multiplicity, arguments, label: String::new() }
}

fn circuit(
    name: &str,
    kind: CircuitKind,
    width: usize,
    arena: Arena,
    constraints: Vec<Constraint>,
    lookups: Vec<Lookup>,
) -> Circuit {
    let column_names = (0..width).map(|column| format!("c{column}")).collect();
    let name = name.into();
    Circuit { name, kind, width, column_names, num_publics: 0, arena, constraints, lookups }
}

/// The message of a boundary.
pub fn message(boundary: u32, pc: u64, accumulator: u64) -> BoundaryMessage {
    BoundaryMessage { boundary, values: [pc, accumulator].map(element).to_vec() }
}

/// The claim that the program takes `start` to `end`.
pub fn claim(start: u64, end: u64) -> Vec<BoundaryMessage> {
    vec![message(START, 0, start), message(END, 4, end)]
}

/// An honest run from `start`.
pub fn witness(numbers: [u64; 4], start: u64) -> ShardWitness {
    let mut program = Trace::zero(4, 1);
    program.values.fill(element(1));
    let mut steps = Trace::zero(4, 4);
    let mut accumulator = start;
    for (pc, number) in numbers.into_iter().enumerate() {
        let cells = [1, pc as u64, accumulator, number];
        steps.row_mut(pc).copy_from_slice(&cells.map(element));
        accumulator += number;
    }
    ShardWitness {
        traces: vec![Some(program), Some(steps)],
        publics: vec![vec![]; 2],
        claims: vec![],
        boundary: claim(start, accumulator),
    }
}
