//! What the verifier computes of a system once: layouts, fixed roots, digest.

use traceloom::air::bytes::ByteTable;
use traceloom::air::field::word;
use traceloom::air::system::{Circuit, CircuitKind, Direction, Node, System};

use crate::decode::Digest;
use crate::field::{SHIFT, add, inverse, mul, reverse_bits, root_of_unity, sub};
use crate::lookup::{Layout, Omitted};
use crate::merkle::{hash_pair, hash_words};
use crate::params::Params;

/// A system as the verifier sees it.
pub struct Key {
    /// The system.
    pub system: System,
    /// The expected parameters.
    pub params: Params,
    /// By circuit.
    pub layouts: Vec<Layout>,
    /// By circuit: the root of its fixed columns.
    pub fixed_roots: Vec<Option<Digest>>,
    /// The system digest.
    pub digest: Digest,
    /// What a verifier leaves out; only to see that it is needed.
    pub omitted: Option<Omitted>,
}

impl Key {
    /// Analyses a system.
    pub fn new(system: &System, params: Params) -> Self {
        let circuits = &system.circuits;
        let layouts: Vec<Layout> = circuits.iter().map(|c| Layout::new(c, &params)).collect();
        let root = |circuit: &Circuit| {
            let (width, cells) = fixed_cells(circuit)?;
            Some(fixed_root(&cells, width, params.log_blowup()))
        };
        let fixed_roots: Vec<Option<Digest>> = circuits.iter().map(root).collect();
        let digest = system_digest(system, &layouts, &fixed_roots);
        Self { system: system.clone(), params, layouts, fixed_roots, digest, omitted: None }
    }
}

/// The fixed columns of a circuit: their number, and the cells row by row.
pub fn fixed_cells(circuit: &Circuit) -> Option<(usize, Vec<u64>)> {
    match &circuit.kind {
        CircuitKind::Bytes(table) => Some((table.preprocessed_width(), table.preprocessed())),
        CircuitKind::Ops { fixed: Some(fixed), .. } => {
            let cells = fixed.cells.as_deref().expect("the caller has the cells");
            Some((fixed.width, cells.iter().map(|&cell| word(cell)).collect()))
        }
        CircuitKind::Function { .. } | CircuitKind::Memory { .. } | CircuitKind::Ops { .. } => None,
    }
}

/// The encoding of section 3, hashed.
fn system_digest(system: &System, layouts: &[Layout], roots: &[Option<Digest>]) -> Digest {
    let mut bytes = b"traceloom-system-2\0".to_vec();
    bytes.extend_from_slice(&system.fingerprint);
    number(&mut bytes, system.entries.len());
    for entry in &system.entries {
        number(&mut bytes, entry.function as usize);
        number(&mut bytes, entry.num_inputs);
        number(&mut bytes, entry.num_outputs);
        number(&mut bytes, usize::from(entry.ranked));
    }
    number(&mut bytes, system.boundaries.len());
    for boundary in &system.boundaries {
        number(&mut bytes, boundary.channel as usize);
        number(&mut bytes, boundary.num_values);
        number(&mut bytes, usize::from(boundary.direction == Direction::Pull));
    }
    number(&mut bytes, system.circuits.len());
    for ((circuit, layout), root) in system.circuits.iter().zip(layouts).zip(roots) {
        encode_circuit(&mut bytes, circuit, layout, root.as_ref());
    }
    *blake3::hash(&bytes).as_bytes()
}

fn number(bytes: &mut Vec<u8>, number: usize) {
    bytes.extend_from_slice(&(number as u64).to_le_bytes());
}

fn encode_circuit(bytes: &mut Vec<u8>, circuit: &Circuit, layout: &Layout, root: Option<&Digest>) {
    let mut numbers: Vec<usize> = Vec::new();
    match &circuit.kind {
        CircuitKind::Function { members, recursive } => {
            numbers.extend([0, usize::from(*recursive), members.len()]);
            numbers.extend(members.iter().map(|&member| member as usize));
        }
        CircuitKind::Memory { width } => numbers.extend([1, *width as usize]),
        CircuitKind::Bytes(ByteTable::Bytes1) => numbers.extend([2, 1]),
        CircuitKind::Bytes(ByteTable::Bytes2) => numbers.extend([2, 2]),
        CircuitKind::Ops { table, .. } => numbers.extend([3, *table as usize]),
    }
    numbers.extend([circuit.width, circuit.preprocessed_width(), circuit.num_publics]);
    if let Some((width, cells)) = fixed_cells(circuit) {
        numbers.push((cells.len() / width).trailing_zeros() as usize);
    }
    numbers.drain(..).for_each(|n| number(bytes, n));
    bytes.extend_from_slice(root.map_or(&[], |root| root.as_slice()));
    numbers.push(layout.groups.len());
    numbers.extend(&layout.groups);
    numbers.extend([layout.num_slices, layout.max_degree]);
    numbers.push(circuit.arena.nodes().len());
    circuit.arena.nodes().iter().for_each(|node| encode_node(&mut numbers, node));
    numbers.push(circuit.constraints.len());
    for constraint in &circuit.constraints {
        let expr = constraint.expr.0 as usize;
        numbers.extend([expr, layout.degrees[expr].columns]);
    }
    numbers.push(circuit.lookups.len());
    for lookup in &circuit.lookups {
        let direction = usize::from(lookup.direction == Direction::Pull);
        numbers.extend([direction, lookup.multiplicity.0 as usize, lookup.arguments.len()]);
        numbers.extend(lookup.arguments.iter().map(|argument| argument.0 as usize));
    }
    numbers.drain(..).for_each(|n| number(bytes, n));
}

fn encode_node(numbers: &mut Vec<usize>, node: &Node) {
    match node {
        Node::Constant(value) => numbers.extend([0, word(*value) as usize]),
        Node::Main(column) => numbers.extend([1, *column as usize]),
        Node::MainNext(column) => numbers.extend([2, *column as usize]),
        Node::Preprocessed(column) => numbers.extend([3, *column as usize]),
        Node::Public(index) => numbers.extend([4, *index as usize]),
        Node::IsFirstRow => numbers.push(5),
        Node::IsTransition => numbers.push(6),
        Node::Add(a, b) => numbers.extend([7, a.0 as usize, b.0 as usize]),
        Node::Sub(a, b) => numbers.extend([8, a.0 as usize, b.0 as usize]),
        Node::Mul(a, b) => numbers.extend([9, a.0 as usize, b.0 as usize]),
    }
}

/// Root of fixed columns, committed like a main trace.
fn fixed_root(cells: &[u64], width: usize, log_blowup: usize) -> Digest {
    let column = |c: usize| cells.iter().skip(c).step_by(width).copied().collect();
    let columns: Vec<Vec<u64>> =
        (0..width).map(|c| extend_to_coset(column(c), log_blowup)).collect();
    let height = columns[0].len();
    let log_height = height.trailing_zeros() as usize;
    let leaf = |i: usize| {
        let row = reverse_bits(i, log_height);
        hash_words(columns.iter().map(|column| &column[row]))
    };
    let mut layer: Vec<Digest> = (0..height).map(leaf).collect();
    while layer.len() > 1 {
        layer = layer.chunks(2).map(|pair| hash_pair(&pair[0], &pair[1])).collect();
    }
    layer[0]
}

/// From values on H to values on 7·K, in natural order.
fn extend_to_coset(values: Vec<u64>, log_blowup: usize) -> Vec<u64> {
    let height = values.len();
    let root = root_of_unity(height.trailing_zeros() as usize);
    let mut coefficients = transform(values, inverse(root));
    let mut factor = inverse(height as u64);
    for coefficient in &mut coefficients {
        *coefficient = mul(*coefficient, factor);
        factor = mul(factor, SHIFT);
    }
    coefficients.resize(height << log_blowup, 0);
    let log_height = coefficients.len().trailing_zeros() as usize;
    transform(coefficients, root_of_unity(log_height))
}

/// `out_i = sum_j values_j·root^(i·j)`, by decimation in time.
fn transform(mut values: Vec<u64>, root: u64) -> Vec<u64> {
    let height = values.len();
    let bits = height.trailing_zeros() as usize;
    for i in 0..height {
        let j = reverse_bits(i, bits);
        if i < j {
            values.swap(i, j);
        }
    }
    // By level from the top down: the root of the order of that level's blocks.
    let roots: Vec<u64> =
        std::iter::successors(Some(root), |root| Some(mul(*root, *root))).take(bits).collect();
    for level in 0..bits {
        let (half, step) = (1 << level, roots[bits - 1 - level]);
        let twiddles: Vec<u64> =
            std::iter::successors(Some(1), |power| Some(mul(*power, step))).take(half).collect();
        for block in values.chunks_mut(2 * half) {
            let (low, high) = block.split_at_mut(half);
            for ((a, b), &twiddle) in low.iter_mut().zip(high).zip(&twiddles) {
                let product = mul(*b, twiddle);
                (*a, *b) = (add(*a, product), sub(*a, product));
            }
        }
    }
    values
}
