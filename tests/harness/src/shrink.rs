//! A failing case made small: whatever can go while the failure stays, goes.
//!
//! Each round offers smaller candidates, in the order claims, functions, blocks,
//! operations, header, words. The first that still fails is taken; the end is
//! reached when none does or the budget is spent. Candidates may be invalid: then
//! they do not fail, they are rejected.

use traceloom_air::field::{element, word};
use traceloom_bytecode::model::{FunctionId, Op};

use crate::case::Case;
use crate::tree::{End, Tree};

/// Makes `case` smaller while `fails` says so, trying at most `budget` candidates.
#[must_use]
pub fn shrink(case: &Case, budget: usize, fails: impl Fn(&Case) -> bool) -> Case {
    let mut best = case.clone();
    let mut left = budget;
    loop {
        let found = candidates(&best)
            .into_iter()
            .take(left)
            .enumerate()
            .find_map(|(at, smaller)| fails(&smaller).then_some((at + 1, smaller)));
        match found {
            Some((tried, smaller)) => {
                left -= tried;
                best = smaller;
            }
            None => return best,
        }
    }
}

/// Makes an input smaller while `fails` says so: pieces are left out, large ones
/// first, trying at most `budget` candidates.
#[must_use]
pub fn shrink_bytes(input: &[u8], budget: usize, fails: impl Fn(&[u8]) -> bool) -> Vec<u8> {
    let mut best = input.to_vec();
    let (mut piece, mut left) = (best.len().div_ceil(2), budget);
    while piece > 0 && left > 0 {
        let mut at = 0;
        while at < best.len() && left > 0 {
            left -= 1;
            let end = best.len().min(at + piece);
            let candidate = [&best[..at], &best[end..]].concat();
            if fails(&candidate) {
                best = candidate;
            } else {
                at = end;
            }
        }
        piece /= 2;
    }
    best
}

fn candidates(case: &Case) -> Vec<Case> {
    let mut all = Vec::new();
    for claim in (0..case.claims.len()).rev().filter(|_| case.claims.len() > 1) {
        let mut smaller = case.clone();
        smaller.claims.remove(claim);
        all.push(smaller);
    }
    let functions = 0..case.program.functions.len();
    all.extend(functions.clone().filter_map(|function| without_function(case, function)));
    functions.clone().for_each(|function| blocks(case, function, &mut all));
    functions.for_each(|function| operations(case, function, &mut all));
    header(case, &mut all);
    words(case, &mut all);
    all
}

/// The case without a function that nobody calls.
fn without_function(case: &Case, gone: usize) -> Option<Case> {
    let id = FunctionId(gone as u32);
    let mut smaller = case.clone();
    smaller.claims.retain(|(claimed, _)| *claimed != id);
    if smaller.claims.is_empty() {
        return None;
    }
    let program = &mut smaller.program;
    program.functions.remove(gone);
    let moved = |id: &mut FunctionId| id.0 -= u32::from(id.index() > gone);
    for op in program.functions.iter_mut().flat_map(|f| &mut f.blocks).flat_map(|b| &mut b.ops) {
        if let Op::Call { function, .. } = op {
            if *function == id {
                return None;
            }
            moved(function);
        }
    }
    program.circuits.iter_mut().for_each(|members| members.retain(|member| *member != id));
    program.circuits.retain(|members| !members.is_empty());
    program.circuits.iter_mut().flatten().for_each(moved);
    smaller.claims.iter_mut().for_each(|(claimed, _)| moved(claimed));
    Some(smaller)
}

fn with_body(case: &Case, function: usize, tree: Tree) -> Case {
    let mut smaller = case.clone();
    smaller.program.functions[function].blocks = tree.into_blocks();
    smaller
}

/// Matches replaced by an arm, arms left out.
fn blocks(case: &Case, function: usize, all: &mut Vec<Case>) {
    let tree = Tree::of(&case.program.functions[function]);
    for position in 0..tree.num_blocks() {
        let mut edit = |change: &dyn Fn(&mut Tree) -> bool| {
            let mut edited = tree.clone();
            if edited.at(position).is_some_and(change) {
                all.push(with_body(case, function, edited));
            }
        };
        let mut probe = tree.clone();
        let Some(Tree { end: End::Match { cases, default, next, .. }, .. }) = probe.at(position)
        else {
            continue;
        };
        let arms = cases.len() + usize::from(default.is_some());
        for arm in (0..arms).filter(|_| next.is_none()) {
            edit(&|block| {
                let End::Match { cases, default, .. } = &block.end else { return false };
                let mut arms = cases.iter().map(|(_, tree)| tree).chain(default.as_deref());
                let Some(arm) = arms.nth(arm).cloned() else { return false };
                block.ops.extend(arm.ops);
                block.end = arm.end;
                true
            });
        }
        for arm in 0..cases.len() {
            edit(&|block| match &mut block.end {
                End::Match { cases, .. } => cases.drain(arm..=arm).next().is_some(),
                _ => false,
            });
        }
        edit(&|block| match &mut block.end {
            End::Match { default, .. } => default.take().is_some(),
            _ => false,
        });
    }
}

/// Operations left out where nothing reads them, else replaced by constants.
fn operations(case: &Case, function: usize, all: &mut Vec<Case>) {
    let tree = Tree::of(&case.program.functions[function]);
    let inputs = case.program.functions[function].num_inputs as usize;
    for position in 0..tree.num_blocks() {
        let mut value = tree.values_at(position, inputs) as u32;
        let mut probe = tree.clone();
        let Some(block) = probe.at(position) else { continue };
        let mut places = Vec::new();
        for (at, op) in block.ops.iter().enumerate() {
            places.push((at, value, op.num_results() as u32));
            value += op.num_results() as u32;
        }
        for (at, value, results) in places.into_iter().rev() {
            let mut edited = tree.clone();
            let Some(block) = edited.at(position) else { continue };
            if !block.reads(at + 1, value..value + results) {
                block.ops.remove(at);
                block.lower(at, value, results);
                all.push(with_body(case, function, edited));
            } else if !matches!(block.ops[at], Op::Const(_)) {
                for word in [0, 1] {
                    let mut edited = tree.clone();
                    let Some(block) = edited.at(position) else { continue };
                    let constants = vec![Op::Const(element(word)); results as usize];
                    block.ops.splice(at..=at, constants);
                    all.push(with_body(case, function, edited));
                }
            }
        }
    }
}

/// Groups, names, memory widths and input.
fn header(case: &Case, all: &mut Vec<Case>) {
    let mut plain = case.clone();
    plain.program.name = "shrunk".into();
    for (number, function) in plain.program.functions.iter_mut().enumerate() {
        function.name = format!("f{number}");
    }
    let mut alone = case.clone();
    let circuits = &mut alone.program.circuits;
    *circuits = circuits.iter().flatten().map(|&member| vec![member]).collect();
    circuits.sort();
    all.extend([plain, alone].into_iter().filter(|smaller| smaller != case));
    for position in 0..case.program.memory_sizes.len() {
        let mut smaller = case.clone();
        smaller.program.memory_sizes.remove(position);
        all.push(smaller);
    }
    for position in 0..case.input.len() {
        let mut smaller = case.clone();
        smaller.input.remove(position);
        all.push(smaller);
    }
}

/// Arguments and constants nearer to zero.
fn words(case: &Case, all: &mut Vec<Case>) {
    for (claim, (_, args)) in case.claims.iter().enumerate() {
        for (arg, &old) in args.iter().enumerate() {
            for new in smaller_words(old) {
                let mut smaller = case.clone();
                smaller.claims[claim].1[arg] = new;
                all.push(smaller);
            }
        }
    }
    for (f, function) in case.program.functions.iter().enumerate() {
        for (b, block) in function.blocks.iter().enumerate() {
            for (o, op) in block.ops.iter().enumerate() {
                let Op::Const(old) = op else { continue };
                for new in smaller_words(word(*old)) {
                    let mut smaller = case.clone();
                    smaller.program.functions[f].blocks[b].ops[o] = Op::Const(element(new));
                    all.push(smaller);
                }
            }
        }
    }
}

fn smaller_words(word: u64) -> impl Iterator<Item = u64> {
    [0, 1, 2, 256].into_iter().filter(move |&smaller| smaller < word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::generate;

    /// A property that fails wherever there is an `eq_zero` shrinks to little else.
    #[test]
    fn what_does_not_matter_goes() {
        let has = |case: &Case| {
            let functions = case.program.functions.iter();
            functions.flat_map(|f| &f.blocks).flat_map(|b| &b.ops).any(|op| op.name() == "eq_zero")
        };
        let case = (0..).map(generate).find(|case| has(case)).expect("some program has one");
        let small = shrink(&case, 5_000, has);
        assert!(has(&small));
        let ops = small.program.functions.iter().flat_map(|f| &f.blocks).flat_map(|b| &b.ops);
        assert!(ops.count() <= 6, "{small}");
    }

    #[test]
    fn bytes_shrink_to_what_fails() {
        let small = shrink_bytes(b"xxxxxxxxaxxxxbxxx", 1_000, |bytes| {
            bytes.contains(&b'a') && bytes.contains(&b'b')
        });
        assert_eq!(small, b"ab");
    }
}
