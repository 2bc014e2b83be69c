//! Circuits and traces that stages are compared on: random ones, and those of programs.

use std::sync::Arc;

use rand::{Rng, RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use traceloom_abi::io::Io;
use traceloom_air::field::{Goldilocks, MODULUS, element};
use traceloom_air::fixed::FixedColumns;
use traceloom_air::system::{
    Arena, Circuit, CircuitKind, Constraint, Direction, ExprId, Lookup, Node, System,
};
use traceloom_air::trace::Trace;
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::execute::{Limits, execute};
use traceloom_bytecode::system::build_system;
use traceloom_runtime::witness::padded_witness;
use traceloom_verifier::{Params, Profile, VerifyingKey};

use crate::oracle::Case;

const WIDTH: usize = 5;
const EDGES: [u64; 6] = [0, 1, MODULUS - 1, 0xffff_ffff, 1 << 32, MODULUS - (1 << 32)];

/// Arguments and file of every program.
pub const INPUTS: [(&str, &[u64], &[u8]); 5] = [
    ("blake3", &[3], b"abc"),
    ("sha256", &[3], b"abc"),
    ("fibonacci", &[20], b""),
    ("merge_sort", &[3], b"\x05\0\0\0\x01\0\0\0\x09\0\0\0"),
    ("div_rem", &[9, 8, 7, 0, 5, 4, 0, 0], b""),
];

/// How a random circuit is made.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub log_height: usize,
    pub log_blowup: usize,
    pub num_nodes: usize,
    pub num_lookups: usize,
    /// Cells 0, 1, p - 1 and neighbours alone.
    pub boundary: bool,
    pub has_fixed: bool,
}

pub fn params(degree: usize, log_blowup: usize) -> Params {
    let mut params = Profile::Fast.params();
    (params.extension_degree, params.log_blowup) = (degree, log_blowup);
    params
}

/// Expressions that share subexpressions, over leaves of all kinds.
fn expressions(rng: &mut ChaCha8Rng, arena: &mut Arena, shape: Shape) -> Vec<ExprId> {
    let columns = (0..WIDTH as u32).flat_map(|i| [Node::Main(i), Node::MainNext(i)]);
    let others = [
        Node::Public(0),
        Node::Public(1),
        Node::IsFirstRow,
        Node::Constant(element(7)),
        Node::Constant(element((1 << 19) - 1)),
        Node::Constant(element(1 << 19)),
        Node::Constant(element(MODULUS - 3)),
    ];
    let fixed = (0..if shape.has_fixed { 2 } else { 0 }).map(Node::Preprocessed);
    let leaves = columns.chain(others).chain(fixed);
    let mut exprs: Vec<ExprId> = leaves.map(|node| arena.intern(node)).collect();
    for _ in 0..shape.num_nodes {
        // Recent ones more often, so that there are chains.
        let first = if rng.random_range(0..2) == 0 { 0 } else { exprs.len() - 6 };
        let a = exprs[rng.random_range(first..exprs.len())];
        let b = exprs[rng.random_range(0..exprs.len())];
        let most = (1 << shape.log_blowup) + 1;
        let node = match rng.random_range(0..4) {
            0 => Node::Add(a, b),
            1 => Node::Sub(a, b),
            _ if arena.degree(a) + arena.degree(b) <= most => Node::Mul(a, b),
            _ => Node::Sub(b, a),
        };
        exprs.push(arena.intern(node));
    }
    exprs
}

fn circuit(rng: &mut ChaCha8Rng, shape: Shape) -> Circuit {
    let mut arena = Arena::default();
    let exprs = expressions(rng, &mut arena, shape);
    let linear: Vec<ExprId> =
        exprs.iter().filter(|expr| arena.degree(**expr) <= 1).copied().collect();
    let mut pick = |from: &[ExprId]| from[rng.random_range(0..from.len())];
    let label = String::new;
    let mut constrained: Vec<ExprId> = (0..shape.num_nodes / 6 + 1).map(|_| pick(&exprs)).collect();
    // Once per constraint, and with a column: more has no quotient.
    let [column, transition] = [Node::Main(1), Node::IsTransition].map(|n| arena.intern(n));
    constrained.push(arena.intern(Node::Mul(transition, column)));
    let constant = arena.word(MODULUS - 5);
    let lookup = |index: usize| Lookup {
        direction: if index.is_multiple_of(3) { Direction::Pull } else { Direction::Push },
        multiplicity: if index % 5 == 4 { constant } else { pick(&linear) },
        arguments: match index % 4 {
            0 => vec![pick(&linear)],
            1 => vec![constant, pick(&linear), pick(&linear)],
            2 => vec![pick(&linear), constant, constant, pick(&linear), pick(&linear)],
            _ => (0..7).map(|_| pick(&linear)).collect(),
        },
        label: label(),
    };
    let lookups = (0..shape.num_lookups).map(lookup).collect();
    let constraint = |expr| Constraint { expr, label: label() };
    Circuit {
        name: format!("{shape:?}"),
        kind: CircuitKind::Ops { table: 0, fixed: None },
        width: WIDTH,
        column_names: vec![label(); WIDTH],
        num_publics: 2,
        constraints: constrained.into_iter().map(constraint).collect(),
        lookups,
        arena,
    }
}

fn cells(rng: &mut ChaCha8Rng, count: usize, boundary: bool) -> Vec<Goldilocks> {
    let draw = |_| match boundary {
        true => element(EDGES[rng.next_u64() as usize % EDGES.len()]),
        false => element(rng.next_u64() % MODULUS),
    };
    (0..count).map(draw).collect()
}

/// A random circuit and random rows, on which its constraints do not hold.
pub fn random(seed: u64, degree: usize, shape: Shape) -> Case {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut circuit = circuit(&mut rng, shape);
    if shape.has_fixed {
        let cells = cells(&mut rng, 2 << shape.log_height, shape.boundary);
        let (width, log_height) = (2, shape.log_height);
        let fixed = Some(FixedColumns { width, log_height, cells: Some(Arc::from(cells)) });
        circuit.kind = CircuitKind::Ops { table: 0, fixed };
    }
    let values = cells(&mut rng, WIDTH << shape.log_height, shape.boundary);
    of_circuit(circuit, values, cells(&mut rng, 2, false), params(degree, shape.log_blowup))
}

fn of_circuit(
    circuit: Circuit,
    values: Vec<Goldilocks>,
    publics: Vec<Goldilocks>,
    params: Params,
) -> Case {
    let trace = Trace { width: circuit.width, values };
    let name = circuit.name.clone();
    let circuits = vec![circuit];
    let (entries, boundaries) = (Vec::new(), Vec::new());
    let system = System { fingerprint: [7; 32], circuits, entries, boundaries };
    Case { name, system, params, traces: vec![Some(trace)], publics: vec![publics] }
}

/// Messages of one column each, whose denominators are beta and these values.
pub fn messages_of(values: &[u64], degree: usize) -> Case {
    let mut arena = Arena::default();
    let value = arena.main(0);
    let direction = Direction::Push;
    let lookup =
        Lookup { direction, multiplicity: value, arguments: vec![value], label: String::new() };
    let circuit = Circuit {
        name: "toy".into(),
        kind: CircuitKind::Ops { table: 0, fixed: None },
        width: 1,
        column_names: vec!["value".into()],
        num_publics: 0,
        arena,
        constraints: Vec::new(),
        lookups: vec![lookup; 3],
    };
    let values = values.iter().map(|&value| element(value)).collect();
    of_circuit(circuit, values, Vec::new(), params(degree, 2))
}

/// A program's own rows.
pub fn program(name: &str, args: &[u64], file: &[u8], params: Params) -> Case {
    let example = traceloom_programs::find(name).expect("it is built in");
    let program = CheckedProgram::new(example.build().expect("it builds")).expect("it is valid");
    let system = build_system(&program);
    let mut io = Io::default();
    let words: Vec<u64> = file.iter().map(|&byte| byte.into()).collect();
    io.add_input(0, &[], &words).expect("the key is new");
    let entry = program.find(name).expect("it has the entry");
    let run = execute(&program, &[(entry, args.to_vec())], io, &Limits::default());
    let run = run.expect("it runs");
    let key = VerifyingKey::new(&system, &params).expect("it has a key");
    let witness = padded_witness(&program, &key, &run.record, run.claims).expect("they agree");
    let (traces, publics) = (witness.traces, witness.publics);
    Case { name: name.into(), system, params, traces, publics }
}
