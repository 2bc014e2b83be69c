//! A circuit as wide as that of a hash program. For time and memory run it with more rows:
//! `LOG_HEIGHT=14 cargo test --release -p traceloom-prover --test large -- --nocapture`;
//! the log of their number is 7 if unset, the least that profile `standard` admits.

use std::time::Instant;

use traceloom_air::field::element;
use traceloom_air::system::{
    Arena, Circuit, CircuitKind, Constraint, Direction, Lookup, Node, System,
};
use traceloom_air::trace::{ShardWitness, Trace};
use traceloom_prover::{ProveOptions, ProvingKey, prove};
use traceloom_verifier::{Profile, verify};

const WIDTH: usize = 540;
const LOOKUPS: usize = 190;

/// Column i + 1 of a row is column i plus column i squared; 190 gated messages of four elements
/// are pushed and pulled again.
fn system() -> System {
    let mut arena = Arena::default();
    let mut constraints = Vec::new();
    let mut lookups = Vec::new();
    for column in 0..WIDTH - 1 {
        let (a, b) = (arena.main(column), arena.main(column + 1));
        let square = arena.mul(a, a);
        let sum = arena.add(square, a);
        let expr = arena.sub(b, sum);
        constraints.push(Constraint { expr, label: String::new() });
    }
    let selector = arena.main(0);
    for lookup in 0..LOOKUPS {
        let pair = lookup / 2;
        let mut arguments = vec![arena.word(32)];
        for offset in 0..3 {
            let column = arena.main(1 + (pair * 5 + offset) % (WIDTH - 1));
            arguments.push(arena.mul(selector, column));
        }
        let direction = if lookup % 2 == 0 { Direction::Push } else { Direction::Pull };
        let label = String::new();
        lookups.push(Lookup { direction, multiplicity: selector, arguments, label });
    }
    arena.intern(Node::IsFirstRow);
    let circuit = Circuit {
        name: "large".into(),
        kind: CircuitKind::Function { members: vec![0], recursive: false },
        width: WIDTH,
        column_names: (0..WIDTH).map(|column| format!("c{column}")).collect(),
        num_publics: 0,
        arena,
        constraints,
        lookups,
    };
    System { fingerprint: [1; 32], circuits: vec![circuit], entries: vec![], boundaries: vec![] }
}

#[test]
fn a_circuit_of_540_columns() {
    let log_height = std::env::var("LOG_HEIGHT").map_or(7, |text| text.parse().unwrap());
    let mut trace = Trace::zero(1 << log_height, WIDTH);
    for row in 0..1 << log_height {
        let mut value = element(row as u64 + 1);
        for cell in trace.row_mut(row) {
            *cell = value;
            value += value * value;
        }
    }
    let start = Instant::now();
    let key = ProvingKey::new(&system(), &Profile::Standard.params()).unwrap();
    println!("key {:?}, layout {:?}", start.elapsed(), summary(&key));
    let witness = ShardWitness {
        traces: vec![Some(trace)],
        publics: vec![vec![]],
        claims: vec![],
        boundary: vec![],
    };
    let (proof, metrics) = prove(&key, vec![witness], &ProveOptions::default()).unwrap();
    println!("{metrics}");
    let start = Instant::now();
    let report = verify(key.verifying_key(), &[], &proof).unwrap();
    println!("verify {:?}, {} bytes", start.elapsed(), proof.encode().len());
    println!("{:#?}", report.security);
    if let Ok(status) = std::fs::read_to_string("/proc/self/status") {
        status.lines().filter(|line| line.starts_with("VmHWM")).for_each(|line| println!("{line}"));
    }
    assert_eq!(summary(&key).0, LOOKUPS / 2, "two lookups share a column of partial sums");
}

fn summary(key: &ProvingKey) -> (usize, usize) {
    let layout = &key.verifying_key().layouts()[0];
    (layout.groups.len(), layout.num_slices)
}
