//! BLAKE3 trees over leaves of several heights, their paths, and grinding.

use std::collections::BTreeSet;

use traceloom_air::field::{element, word};
use traceloom_verifier::scheme::{F, Root};

/// All digests of a tree, leaves first.
pub struct Tree(Vec<Vec<Root>>);

impl Tree {
    /// A tree of `2^log_leaves` leaves. `row` appends the elements of storage row `row` of
    /// all matrices of `2^log_size` rows; it appends nothing if there are none.
    pub fn new(log_leaves: usize, row: impl Fn(usize, usize, &mut Vec<F>)) -> Self {
        let mut elements = Vec::new();
        let mut leaf = |log_size: usize, at: usize| {
            elements.clear();
            row(log_size, at, &mut elements);
            let bytes: Vec<u8> = elements.iter().flat_map(|&e| word(e).to_le_bytes()).collect();
            (!elements.is_empty()).then(|| Root::from(blake3::hash(&bytes)))
        };
        let leaves = (0..1 << log_leaves).map(|at| leaf(log_leaves, at));
        let mut layers: Vec<Vec<Root>> =
            vec![leaves.map(|digest| digest.expect("the tallest matrix has columns")).collect()];
        for log_size in (0..log_leaves).rev() {
            let below = layers.last().expect("leaves");
            let nodes = below.chunks(2).enumerate().map(|(at, pair)| {
                let node = joined(&pair[0], &pair[1]);
                leaf(log_size, at).map_or(node, |injected| joined(&node, &injected))
            });
            layers.push(nodes.collect());
        }
        Self(layers)
    }

    /// The root.
    pub fn root(&self) -> Root {
        self.0.last().expect("a layer")[0]
    }

    /// The digests that nobody can compute who knows the leaves at `positions`.
    pub fn path(&self, positions: &[usize]) -> Vec<Root> {
        let mut known: BTreeSet<usize> = positions.iter().copied().collect();
        let mut path = Vec::new();
        for layer in &self.0[..self.0.len() - 1] {
            let unknown = known.iter().map(|node| node ^ 1).filter(|node| !known.contains(node));
            path.extend(unknown.map(|node| layer[node]));
            known = known.iter().map(|node| node >> 1).collect();
        }
        path
    }
}

fn joined(left: &Root, right: &Root) -> Root {
    blake3::Hasher::new().update(left).update(right).finalize().into()
}

/// The smallest word whose digest behind `state` ends in `bits` zero bits.
pub fn smallest_witness(state: &[u8; 32], bits: usize) -> F {
    let ends_in_zeros = |candidate: &u64| {
        let message = [&state[..], &candidate.to_le_bytes()].concat();
        let digest = blake3::hash(&message);
        let zeros =
            digest.as_bytes().iter().rev().flat_map(|byte| (0..8).map(move |i| byte >> i & 1));
        zeros.take(bits).all(|bit| bit == 0)
    };
    element((0..).find(ends_in_zeros).expect("one in 2^bits passes"))
}
