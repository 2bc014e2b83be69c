//! Every check on a batch that needs no cryptography: its statements, as integers.

use traceloom_air::claim::{check_boundary, check_claim};
use traceloom_air::field::{MODULUS, word};
use traceloom_air::fixed::Fixed;
use traceloom_air::system::{CircuitKind, MAX_RECURSIVE_ROWS};

use crate::key::VerifyingKey;
use crate::proof::ShardStatement;
use crate::shape::{MAX_SHARDS, ShapeError, ShardShape};

/// Pointers are below this.
const POINTERS: u64 = 1 << 32;

/// Checks the statements of a batch, everything that is decided by numbers alone:
/// lengths, heights, byte tables, claims, the pointers of memories over all shards,
/// and the bounds on recursive rows and on counting.
///
/// # Errors
/// [`ShapeError`] names shard and circuit.
pub fn check_statements(
    key: &VerifyingKey,
    statements: &[ShardStatement],
) -> Result<Vec<ShardShape>, ShapeError> {
    if statements.is_empty() || statements.len() > MAX_SHARDS {
        return Err(ShapeError::Shards { max: MAX_SHARDS, got: statements.len() });
    }
    let mut shapes = Vec::new();
    for (shard, statement) in statements.iter().enumerate() {
        check_circuits(key, shard, statement)?;
        shapes.push(ShardShape::new(key, &statement.log_heights, statements.len()));
    }
    check_claims(key, statements)?;
    check_answers(key, &shapes, &statements[0])?;
    check_memories(key, statements)?;
    check_counts(key, &shapes, statements[0].num_stated())?;
    Ok(shapes)
}

fn check_circuits(
    key: &VerifyingKey,
    shard: usize,
    statement: &ShardStatement,
) -> Result<(), ShapeError> {
    let circuits = &key.system().circuits;
    let count = |what, expected, got| {
        if expected == got { Ok(()) } else { Err(ShapeError::Count { shard, what, expected, got }) }
    };
    count("log heights", circuits.len(), statement.log_heights.len())?;
    count("lists of public values", circuits.len(), statement.publics.len())?;
    let rows = circuits.iter().zip(&statement.log_heights).zip(&statement.publics);
    for ((circuit, &log_height), publics) in rows {
        let name = || circuit.name.clone();
        let num_publics = log_height.map_or(0, |_| circuit.num_publics);
        count("public values", num_publics, publics.len())?;
        if let Some(got) = log_height.filter(|&got| got > key.params().max_log_height) {
            let max = key.params().max_log_height;
            return Err(ShapeError::Height { shard, circuit: name(), max, got });
        }
        let expected = circuit.fixed().map(Fixed::log_height);
        if let (Some(expected), Some(got)) = (expected, log_height)
            && expected != got
        {
            return Err(ShapeError::FixedHeight { shard, circuit: name(), expected });
        }
        match circuit.kind {
            CircuitKind::Memory { .. } => {
                if let Some(&pointer) = publics.iter().find(|&&first| word(first) >= POINTERS) {
                    let got = word(pointer);
                    return Err(ShapeError::FirstPointer { shard, circuit: name(), got });
                }
            }
            CircuitKind::Function { .. } | CircuitKind::Bytes(_) | CircuitKind::Ops { .. } => {}
        }
    }
    if statement.log_heights.iter().all(Option::is_none) {
        return Err(ShapeError::Empty { shard });
    }
    Ok(())
}

/// Claims fit the program, and shard 0 states all of them.
fn check_claims(key: &VerifyingKey, statements: &[ShardStatement]) -> Result<(), ShapeError> {
    for (index, claim) in statements[0].claims.iter().enumerate() {
        check_claim(&key.system().entries, index, claim)?;
    }
    for (index, message) in statements[0].boundary.iter().enumerate() {
        check_boundary(&key.system().boundaries, index, message)?;
    }
    for (shard, statement) in statements.iter().enumerate().skip(1) {
        let got = statement.num_stated();
        if got != 0 {
            return Err(ShapeError::ClaimShard { shard, got });
        }
    }
    Ok(())
}

/// No boundary message is longer than all lookups of active circuits, from which the
/// security figure takes the longest message.
fn check_answers(
    key: &VerifyingKey,
    shapes: &[ShardShape],
    first: &ShardStatement,
) -> Result<(), ShapeError> {
    let actives = shapes.iter().flat_map(|shape| &shape.active);
    let max = actives.map(|active| key.layouts()[active.circuit].max_message).max().unwrap_or(0);
    for (index, message) in first.boundary.iter().enumerate() {
        let got = 1 + message.values.len();
        if got > max {
            return Err(ShapeError::Unanswered { index, max, got });
        }
    }
    Ok(())
}

/// A memory's rows, padding included, have consecutive pointers from the first one. Over
/// the shards these ranges ascend, are disjoint and end at or below 2^32, so that a
/// pointer has one value in the batch.
fn check_memories(key: &VerifyingKey, statements: &[ShardStatement]) -> Result<(), ShapeError> {
    let is_memory = |kind: &CircuitKind| matches!(kind, CircuitKind::Memory { .. });
    let circuits = key.system().circuits.iter().enumerate();
    for (index, circuit) in circuits.filter(|(_, circuit)| is_memory(&circuit.kind)) {
        let name = || circuit.name.clone();
        let mut least = 0;
        for (shard, statement) in statements.iter().enumerate() {
            let (Some(log_height), [first]) =
                (statement.log_heights[index], &statement.publics[index][..])
            else {
                continue;
            };
            let (first, rows) = (word(*first), 1 << log_height);
            if first < least {
                return Err(ShapeError::MemoryOrder { shard, circuit: name(), first, least });
            }
            least = first + rows;
            if least > POINTERS {
                return Err(ShapeError::MemoryEnd { shard, circuit: name(), first, rows });
            }
        }
    }
    Ok(())
}

/// The two bounds that make ranks and multiplicities integers.
fn check_counts(
    key: &VerifyingKey,
    shapes: &[ShardShape],
    num_claims: usize,
) -> Result<(), ShapeError> {
    let circuits = &key.system().circuits;
    let actives = shapes.iter().flat_map(|shape| &shape.active);
    let tables = actives.map(|active| {
        let circuit = &circuits[active.circuit];
        let recursive = matches!(circuit.kind, CircuitKind::Function { recursive: true, .. });
        (active.log_height, circuit.lookups.len(), recursive)
    });
    check_bounds(tables, num_claims)
}

/// `tables` are log height, number of lookups, and whether ranks are at stake.
fn check_bounds(
    tables: impl Iterator<Item = (usize, usize, bool)>,
    num_claims: usize,
) -> Result<(), ShapeError> {
    let mut recursive_rows: u128 = 0;
    let mut messages = num_claims as u128;
    for (log_height, num_lookups, recursive) in tables {
        let rows = 1u128 << log_height;
        recursive_rows += if recursive { rows } else { 0 };
        messages += rows * num_lookups as u128;
    }
    if recursive_rows > u128::from(MAX_RECURSIVE_ROWS) {
        return Err(ShapeError::RecursiveRows { max: MAX_RECURSIVE_ROWS, got: recursive_rows });
    }
    if messages >= u128::from(MODULUS) {
        return Err(ShapeError::Messages { got: messages });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recursive_rows_are_bounded_over_all_shards() {
        let rows = |count| std::iter::repeat_n((26, 1, true), count);
        assert_eq!(check_bounds(rows(32), 0), Ok(()));
        let got = 33 << 26;
        let expected = ShapeError::RecursiveRows { max: MAX_RECURSIVE_ROWS, got };
        assert_eq!(check_bounds(rows(33), 0), Err(expected));
        assert_eq!(check_bounds(std::iter::repeat_n((26, 1, false), 33), 0), Ok(()));
    }

    #[test]
    fn messages_stay_below_the_order_of_the_field() {
        let below = || [(32, (1 << 32) - 1, false)].into_iter();
        let room = u128::from(MODULUS) - (((1u128 << 32) - 1) << 32);
        assert_eq!(room, 1);
        assert_eq!(check_bounds(below(), 0), Ok(()));
        let got = u128::from(MODULUS);
        assert_eq!(check_bounds(below(), 1), Err(ShapeError::Messages { got }));
    }
}
