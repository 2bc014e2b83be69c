//! Merkle trees of section 1 and the pruned paths of section 6.

use std::collections::BTreeMap;

use crate::decode::{Digest, Malformed};

/// BLAKE3 of words.
pub fn hash_words<'a>(words: impl IntoIterator<Item = &'a u64>) -> Digest {
    let bytes: Vec<u8> = words.into_iter().flat_map(|word| word.to_le_bytes()).collect();
    *blake3::hash(&bytes).as_bytes()
}

/// BLAKE3 of two digests.
pub fn hash_pair(left: &Digest, right: &Digest) -> Digest {
    *blake3::hash(&[left.as_slice(), right].concat()).as_bytes()
}

/// Checks rows against the root of their tree.
///
/// The tree has one matrix per entry of `log_heights`; `leaves` are the queried rows
/// of the tallest, and `rows` holds a row of every matrix per query.
pub fn authenticate(
    root: &Digest,
    log_heights: &[usize],
    leaves: &[usize],
    rows: &[Vec<Vec<u64>>],
    path: &[Digest],
) -> Result<(), Malformed> {
    let tallest = *log_heights.iter().max().ok_or(Malformed("tree without matrices"))?;
    let layer = |log_height| layer(log_heights, leaves, rows, tallest, log_height);
    let mut nodes = layer(tallest)?;
    let mut path = path.iter();
    for log_height in (0..tallest).rev() {
        let injected = layer(log_height)?;
        let mut parents = BTreeMap::new();
        for &node in nodes.keys() {
            let parent = node >> 1;
            if parents.contains_key(&parent) {
                continue;
            }
            let mut child = |index| nodes.get(&index).or_else(|| path.next()).copied();
            let (left, right) = (child(2 * parent), child(2 * parent + 1));
            let (Some(left), Some(right)) = (left, right) else {
                return Err(Malformed("path too short"));
            };
            let mut digest = hash_pair(&left, &right);
            if let Some(leaf) = injected.get(&parent) {
                digest = hash_pair(&digest, leaf);
            }
            parents.insert(parent, digest);
        }
        nodes = parents;
    }
    if path.next().is_some() {
        return Err(Malformed("path too long"));
    }
    if nodes.get(&0) == Some(root) { Ok(()) } else { Err(Malformed("root")) }
}

/// Hashes of the queried rows of all matrices of height `2^log_height`, by index;
/// nothing if there are no such matrices.
fn layer(
    log_heights: &[usize],
    leaves: &[usize],
    rows: &[Vec<Vec<u64>>],
    tallest: usize,
    log_height: usize,
) -> Result<BTreeMap<usize, Digest>, Malformed> {
    let mut hashes = BTreeMap::new();
    if !log_heights.contains(&log_height) {
        return Ok(hashes);
    }
    for (leaf, rows) in leaves.iter().zip(rows) {
        let of_height = log_heights.iter().zip(rows).filter(|(h, _)| **h == log_height);
        let hash = hash_words(of_height.flat_map(|(_, row)| row));
        let index = leaf >> (tallest - log_height);
        if *hashes.entry(index).or_insert(hash) != hash {
            return Err(Malformed("one row, two contents"));
        }
    }
    Ok(hashes)
}
