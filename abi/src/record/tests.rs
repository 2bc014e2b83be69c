//! Records as their users see them.

use super::*;
use crate::field::MODULUS;

#[test]
fn queries_keep_insertion_order_and_their_finish() {
    let mut record = Record::new([(2, 1), (0, 0)], [3], Io::default());
    let table = &mut record.functions[0];
    assert_eq!(table.insert(&[5, 6]), 0);
    assert_eq!(table.insert(&[5, 7]), 1);
    assert!(!table.is_finished(0));
    let finish = Finish { path: 3, rank: 9, callee_ranks: &[7, 8], outputs: &[Part::Words(&[11])] };
    table.finish(1, finish);
    table
        .finish(0, Finish { path: 0, rank: 10, callee_ranks: &[], outputs: &[Part::Bytes(&[12])] });
    assert_eq!(table.find(&[5, 7]), Some(1));
    assert_eq!(table.find(&[7, 5]), None);
    assert_eq!((table.output(0, 0), table.output(1, 0)), (12, 11));
    assert_eq!(table.callee_ranks(1), [7, 8]);
    assert!(table.callee_ranks(0).is_empty());
    // A function without inputs has at most one query.
    let empty = &mut record.functions[1];
    assert_eq!(empty.find(&[]), None);
    assert_eq!(empty.insert(&[]), 0);
    assert_eq!(empty.find(&[]), Some(0));
}

#[test]
fn memory_is_content_addressed() {
    let mut record = Record::new([], [2], Io::default());
    let memory = &mut record.memories[0];
    assert_eq!(memory.store(&[1, 2]), 0);
    assert_eq!(memory.store(&[2, 1]), 1);
    assert_eq!(memory.store(&[1, 2]), 0);
    assert_eq!(memory.load(1).map(|values| values.to_vec()), Some(vec![2, 1]));
    assert_eq!(memory.load(2), None);
    assert_eq!(memory.load(u64::MAX), None);
}

/// The last word of every width, and the first that needs more.
const EDGES: [u64; 7] = [255, 256, 65_535, 65_536, u32::MAX as u64, 1 << 32, MODULUS - 1];

#[test]
fn keys_outputs_and_values_are_found_after_they_were_widened() {
    let mut record = Record::new([(2, 2)], [2], Io::default());
    let mut keys = Vec::new();
    for (round, edge) in EDGES.into_iter().enumerate() {
        for other in 0..300 {
            keys.push([edge, other]);
            keys.push([other + 1_000 * round as u64, edge]);
        }
    }
    let (mut distinct, mut positions) = (Vec::new(), Vec::new());
    for key in &keys {
        let table = &mut record.functions[0];
        let known = table.find(key);
        let (query, is_new) = table.find_or_insert(&[Part::Words(key)]);
        assert_eq!(known.is_none(), is_new);
        assert_eq!(record.memories[0].find_or_store(key), (query, is_new));
        if is_new {
            assert_eq!(query, distinct.len());
            distinct.push(*key);
            // Outputs of an earlier query become wide while later ones are not finished.
            let outputs = [Part::Words(&key[..1]), Part::Words(&key[1..])];
            let finish = Finish { path: 0, rank: 0, callee_ranks: &[], outputs: &outputs };
            record.functions[0].finish(query, finish);
        }
        positions.push(query);
    }
    let (table, memory) = (&record.functions[0], &record.memories[0]);
    for (key, query) in keys.iter().zip(positions) {
        assert_eq!((table.find(key), memory.find(key)), (Some(query), Some(query)));
        assert_eq!(table.inputs(query), key[..]);
        assert_eq!(table.outputs(query).to_vec(), key);
        assert_eq!(memory.load(query as u64).unwrap(), key[..]);
    }
    assert_eq!(table.find(&[MODULUS - 2, 7]), None);
}

#[test]
fn ranks_of_callees_may_come_late() {
    let mut record = Record::new([(1, 0)], [], Io::default());
    let table = &mut record.functions[0];
    (0..4).for_each(|query| assert_eq!(table.insert(&[query]), query as usize));
    let finish = |callee_ranks| Finish { path: 0, rank: 0, callee_ranks, outputs: &[] };
    table.finish(0, finish(&[]));
    table.finish(2, finish(&[5, 6]));
    table.finish(1, finish(&[7]));
    assert!(table.is_finished(1) && !table.is_finished(3));
    let ranks: [&[u32]; 4] = std::array::from_fn(|query| table.callee_ranks(query));
    assert_eq!(ranks, [&[][..], &[7], &[5, 6], &[]]);
}

#[test]
fn a_record_of_bytes_takes_bytes() {
    let mut record = Record::new([(129, 32)], [], Io::default());
    let before = record.num_bytes();
    for query in 0..1_000_u64 {
        let mut inputs = [query & 255; 129];
        inputs[0] = query >> 8;
        record.functions[0].insert(&inputs);
    }
    let each = (record.num_bytes() - before) as f64 / 1_000.0;
    // 161 words; before, they took eight bytes each.
    assert!((161.0..0.35 * (8.0 * 161.0 + 48.0)).contains(&each), "{each} bytes per query");
}
