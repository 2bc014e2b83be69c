//! Paths: the ways a row can take through the matches of its function.
//!
//! A path is the sequence of selector numbers of the leaves that a row executes:
//! yields, then the return. Paths are ranked lexicographically and the rank is
//! the path number. A function with more than [`MAX_PATHS`] paths does not number
//! them: all its rows have path 0.

use crate::model::{Control, Function};

/// Up to this many paths are numbered. Part of the unit digest.
pub const MAX_PATHS: usize = 64;

/// The paths of one function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paths {
    /// Number of paths, saturating.
    count: u64,
    /// The paths in order, empty where there are too many.
    paths: Vec<Vec<u32>>,
}

impl Paths {
    /// The paths of `function`, whose blocks must be a valid tree.
    #[must_use]
    pub fn new(function: &Function) -> Self {
        let counts = counts(function);
        let count = counts[0].0;
        let paths =
            if count <= MAX_PATHS as u64 { enumerate(function, &counts) } else { Vec::new() };
        Self { count, paths }
    }

    /// Number of paths, saturating at `u64::MAX`.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Whether paths are numbered.
    #[must_use]
    pub fn are_numbered(&self) -> bool {
        self.count <= MAX_PATHS as u64
    }

    /// Number of path numbers in use, at least 1.
    #[must_use]
    pub fn num_numbers(&self) -> usize {
        self.paths.len().max(1)
    }

    /// The leaves of path `number`, if paths are numbered.
    #[must_use]
    pub fn leaves(&self, number: usize) -> Option<&[u32]> {
        self.paths.get(number).map(Vec::as_slice)
    }

    /// Number of the path with these leaves; 0 where paths are not numbered.
    #[must_use]
    pub fn number(&self, leaves: &[u32]) -> u32 {
        match self.paths.binary_search_by(|path| path.as_slice().cmp(leaves)) {
            Ok(number) => number as u32,
            // Not numbered: a checked function's leaves are always found otherwise.
            Err(_) => 0,
        }
    }
}

/// Number of (returning, yielding) ways through each block, children first.
fn counts(function: &Function) -> Vec<(u64, u64)> {
    let mut counts = vec![(0_u64, 0_u64); function.blocks.len()];
    for (index, block) in function.blocks.iter().enumerate().rev() {
        let arms = block.control.arms().map_or((0, 0), |arms| {
            arms.blocks().fold((0_u64, 0_u64), |(returns, yields), child| {
                let child = counts[child.index()];
                (returns.saturating_add(child.0), yields.saturating_add(child.1))
            })
        });
        counts[index] = match &block.control {
            Control::Return { .. } => (1, 0),
            Control::Yield { .. } => (0, 1),
            Control::Match(_) => arms,
            Control::MatchContinue { continuation, .. } => {
                let next = counts[continuation.index()];
                let returns = arms.1.saturating_mul(next.0).saturating_add(arms.0);
                (returns, arms.1.saturating_mul(next.1))
            }
        };
    }
    counts
}

/// Leaf sequences through each block, children first. A partial path belongs to
/// at least one whole path, so no list is longer than the result, except in a
/// continuation that no arm yields to: nothing is enumerated there.
fn enumerate(function: &Function, counts: &[(u64, u64)]) -> Vec<Vec<u32>> {
    type Ways = (Vec<Vec<u32>>, Vec<Vec<u32>>);
    let mut ways: Vec<Ways> = vec![Default::default(); function.blocks.len()];
    for (index, block) in function.blocks.iter().enumerate().rev() {
        if counts[index].0.saturating_add(counts[index].1) > MAX_PATHS as u64 {
            continue;
        }
        let mut arms: Ways = Default::default();
        for child in block.control.arms().into_iter().flat_map(|arms| arms.blocks()) {
            let child = std::mem::take(&mut ways[child.index()]);
            arms.0.extend(child.0);
            arms.1.extend(child.1);
        }
        ways[index] = match &block.control {
            Control::Return { selector, .. } => (vec![vec![*selector]], Vec::new()),
            Control::Yield { selector, .. } => (Vec::new(), vec![vec![*selector]]),
            Control::Match(_) => arms,
            Control::MatchContinue { continuation, .. } => {
                let next = std::mem::take(&mut ways[continuation.index()]);
                let join = |tails: &[Vec<u32>]| -> Vec<Vec<u32>> {
                    let heads = arms.1.iter();
                    heads.flat_map(|h| tails.iter().map(|t| [&h[..], &t[..]].concat())).collect()
                };
                let (returns, yields) = (join(&next.0), join(&next.1));
                (arms.0.into_iter().chain(returns).collect(), yields)
            }
        };
    }
    let mut paths = std::mem::take(&mut ways[0].0);
    paths.sort_unstable();
    paths
}
