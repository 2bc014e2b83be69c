//! Keys: the pinned system digest, layouts, malformed systems.

mod common;

use common::{MEMORY, OUTER, fast, system};
use traceloom_air::system::{Circuit, Constraint, ExprId, Node};
use traceloom_verifier::{KeyError, Params, VerifyingKey};

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn the_system_digest_is_pinned() {
    let key = VerifyingKey::new(&system(), &fast(2)).unwrap();
    // A change here means that no older proof verifies: bump the tag in the digest.
    assert_eq!(
        hex(key.digest()),
        "8aefc531a7957ab0601346a60951076811a0d5cef88ba0ad0f4c72d57a216a9b"
    );
}

#[test]
fn names_and_labels_are_no_part_of_the_digest() {
    let digest = |system: &_| *VerifyingKey::new(system, &fast(2)).unwrap().digest();
    let original = digest(&system());
    let mut renamed = system();
    renamed.circuits[0].name = "other".into();
    renamed.circuits[0].column_names[0] = "other".into();
    renamed.circuits[0].constraints[0].label = "other".into();
    renamed.circuits[0].lookups[0].label = "other".into();
    renamed.entries[0].name = "other".into();
    assert_eq!(digest(&renamed), original);
    let mut changed = system();
    changed.circuits[0].constraints.swap(0, 1);
    assert_ne!(digest(&changed), original);
    let mut changed = system();
    changed.circuits[0].lookups.swap(0, 1);
    assert_ne!(digest(&changed), original);
    let mut changed = system();
    changed.fingerprint[0] ^= 1;
    assert_ne!(digest(&changed), original);
}

#[test]
fn lookups_share_columns_as_far_as_degrees_allow() {
    let key = VerifyingKey::new(&system(), &fast(2)).unwrap();
    let groups: Vec<usize> = key.layouts().iter().map(|layout| layout.groups.len()).collect();
    let slices: Vec<usize> = key.layouts().iter().map(|layout| layout.num_slices).collect();
    // inner has degree 5 anyway, so its lookups share a column; the others have so few
    // lookups that more quotient slices would cost more than they save.
    assert_eq!(groups, [2, 1, 0, 0, 1, 3]);
    assert_eq!(slices, [2, 4, 1, 1, 1, 1]);
    for layout in key.layouts() {
        assert!(layout.max_degree <= layout.num_slices + 1);
        assert!(layout.num_slices <= 4);
    }
}

fn refused(change: impl FnOnce(&mut traceloom_air::system::System)) -> KeyError {
    let mut system = system();
    change(&mut system);
    VerifyingKey::new(&system, &fast(2)).unwrap_err()
}

fn constrain(circuit: &mut Circuit, expr: ExprId) {
    circuit.constraints.push(Constraint { expr, label: String::new() });
}

#[test]
fn malformed_systems_are_refused() {
    assert!(matches!(refused(|s| s.circuits.clear()), KeyError::NoCircuits));
    let error = refused(|s| {
        let circuit = &mut s.circuits[OUTER];
        let column = circuit.arena.main(5);
        constrain(circuit, column);
    });
    assert!(matches!(error, KeyError::Column { what: "main", column: 5, count: 5, .. }));
    let error = refused(|s| {
        let circuit = &mut s.circuits[OUTER];
        let mut power = circuit.arena.main(2);
        for _ in 0..5 {
            let x = circuit.arena.main(2);
            power = circuit.arena.mul(power, x);
        }
        constrain(circuit, power);
    });
    assert!(matches!(error, KeyError::Degree { got: 6, max: 5, .. }), "{error:?}");
    let error = refused(|s| {
        let circuit = &mut s.circuits[MEMORY];
        let transition = circuit.arena.intern(Node::IsTransition);
        let twice = circuit.arena.mul(transition, transition);
        let x = circuit.arena.main(0);
        let gated = circuit.arena.mul(twice, x);
        constrain(circuit, gated);
    });
    assert!(matches!(error, KeyError::Transitions { .. }), "{error:?}");
    let error = refused(|s| constrain(&mut s.circuits[OUTER], ExprId(9999)));
    assert!(matches!(error, KeyError::UnknownNode { .. }));
    let error = refused(|s| s.circuits.push(s.circuits[MEMORY].clone()));
    assert!(matches!(error, KeyError::Twice { .. }));
    let error = refused(|s| s.circuits[MEMORY].num_publics = 2);
    assert!(matches!(error, KeyError::FirstPointer { got: 2, .. }));
    let error = refused(|s| s.circuits[OUTER].lookups[0].arguments.clear());
    assert!(matches!(error, KeyError::EmptyMessage { index: 0, .. }));
    let params = Params { log_blowup: 1, ..fast(2) };
    let error = VerifyingKey::new(&system(), &params).unwrap_err();
    assert!(matches!(error, KeyError::Degree { max: 3, .. }));
    let params = Params { extension_degree: 4, ..fast(2) };
    let error = VerifyingKey::new(&system(), &params).unwrap_err();
    assert_eq!(error.to_string(), "parameter extension_degree must be between 2 and 3, got 4");
}
