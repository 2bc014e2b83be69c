//! Circuit digest: identity of the expressions that an emitted evaluator computes.
//!
//! Layout (owned here): BLAKE3 over the words below, eight little-endian bytes each;
//! a list is its length and its items.
//!
//! ```text
//! width, preprocessed width, number of public values
//! nodes        list, in arena order, of: tag, operands
//! constraints  list of nodes
//! lookups      list of: multiplicity, list of argument nodes
//! ```
//!
//! Outside are names, labels, and what evaluators do not compute: directions,
//! degrees, groups of lookups. The system digest has those.

use traceloom_air::system::Circuit;

const DOMAIN: &str = "traceloom circuit digest v1";

/// The digest of the expressions of `circuit`.
#[must_use]
pub fn circuit_digest(circuit: &Circuit) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_derive_key(DOMAIN);
    let mut put = |word: u64| {
        hasher.update(&word.to_le_bytes());
    };
    for count in [circuit.width, circuit.preprocessed_width(), circuit.num_publics] {
        put(count as u64);
    }
    put(circuit.arena.nodes().len() as u64);
    circuit.arena.nodes().iter().flat_map(|node| node.words()).for_each(&mut put);
    put(circuit.constraints.len() as u64);
    circuit.constraints.iter().for_each(|constraint| put(constraint.expr.0.into()));
    put(circuit.lookups.len() as u64);
    for lookup in &circuit.lookups {
        put(lookup.multiplicity.0.into());
        put(lookup.arguments.len() as u64);
        lookup.arguments.iter().for_each(|argument| put(argument.0.into()));
    }
    *hasher.finalize().as_bytes()
}

#[cfg(test)]
mod tests {
    use traceloom_air::bytes::ByteTable;

    use super::circuit_digest;
    use crate::system::tables;

    #[test]
    fn every_expression_counts_and_no_name_does() {
        let circuit = tables::bytes(ByteTable::Bytes1);
        let digest = circuit_digest(&circuit);
        assert_ne!(digest, circuit_digest(&tables::memory(3)));
        let mut renamed = circuit.clone();
        renamed.name = "other".into();
        renamed.column_names.clear();
        renamed.lookups[0].label.clear();
        assert_eq!(digest, circuit_digest(&renamed));
        let mut shorter = circuit.clone();
        shorter.lookups[0].arguments.pop();
        assert_ne!(digest, circuit_digest(&shorter));
        let mut other = circuit;
        other.lookups[0].multiplicity = other.lookups[1].multiplicity;
        assert_ne!(digest, circuit_digest(&other));
    }
}
