//! Families of byte operations: results, operands, carries, multiplicities.

use traceloom_air::bytes::ByteOp;
use traceloom_air::field::{element, word};
use traceloom_bytecode::model::byte_op_name;

use crate::lab::{Lab, minus, quotient};

/// A function that returns what an operation gives.
fn program(op: ByteOp) -> String {
    let name = byte_op_name(op);
    let carry = usize::from(matches!(op, ByteOp::Add | ByteOp::Sub));
    let count = op.num_results() + carry;
    let operands = ["a", "a, b"][op.num_operands() - 1];
    let (results, gives) = match count {
        0 => (String::new(), String::new()),
        1 => ("r0".to_owned(), "r0 = ".to_owned()),
        _ => (format!("r0..r{}", count - 1), format!("r0..r{} = ", count - 1)),
    };
    format!(
        "program \"{name}\"\nfn op({operands}) -> {count} entry {{\n\
         {gives}{name} {operands}\nreturn {results}\n}}\nend\n"
    )
}

fn operands(op: ByteOp) -> &'static [u64] {
    [&[200][..], &[200, 100]][op.num_operands() - 1]
}

/// A table has a multiplicity and a pull for the operations of its program, in the order
/// of the table, and no others; a table without any is no circuit. The system, and so its
/// digest, says which.
#[test]
fn bytes_tables_have_the_operations_that_the_program_looks_up() {
    let source = r#"
        program "some"
        fn some(a, b) -> 1 entry {
          u8_range_check a, b
          c = u8_xor a, b
          d = u8_and a, c
          e = u8_xor d, b
          f = call_unconstrained advice(e)
          return f
        }
        fn advice(a) -> 1 unconstrained {
          b = u8_shift_left a
          return b
        }
        end
    "#;
    let lab = Lab::new(source, &[("some", &[3, 5])]);
    let tables = lab.system.circuits.iter().filter(|circuit| circuit.preprocessed().is_some());
    let tables: Vec<_> = tables.collect();
    let [table] = tables[..] else { panic!("one table, since advice looks nothing up") };
    assert_eq!(table.byte_ops(), [ByteOp::Xor, ByteOp::And, ByteOp::RangeCheck]);
    assert_eq!(table.column_names, ["u8_xor", "u8_and", "u8_range_check"]);
    assert_eq!((table.width, table.lookups.len()), (3, 3));
    assert_eq!(table.preprocessed_width(), 14, "the fixed table is whole");
    lab.accepted();
    let digest = |source: &str| *Lab::empty(source).key().verifying_key().digest();
    let other = source.replace("u8_and", "u8_or");
    assert_ne!(digest(source), digest(&other));
}

/// Without its column an operation cannot be provided: the pull of another one, with all
/// counts that there are, is no answer.
#[test]
fn bytes_an_operation_without_a_column_is_provided_by_nobody() {
    for op in [ByteOp::ShiftLeft, ByteOp::RangeCheck] {
        let lab = Lab::new(&program(op), &[("op", operands(op))]);
        let table = lab.system.circuits.len() - 1;
        let other = *op.table().ops().iter().find(|other| **other != op).unwrap();
        let lab = lab.with_system(|system| {
            let circuit = &mut system.circuits[table];
            circuit.lookups[0].arguments[0] = circuit.arena.word(other.channel());
        });
        lab.refused(&format!("message of {}", byte_op_name(op)));
    }
}

#[test]
fn bytes_every_result_is_the_tables() {
    for op in ByteOp::UNARY.into_iter().chain(ByteOp::BINARY) {
        let honest = Lab::new(&program(op), &[("op", operands(op))]);
        let report = honest.check();
        assert!(report.is_ok(), "{op:?}: {report}");
        for result in 0..op.num_results() {
            let column = format!("auxiliary{}", 1 + result);
            let mut lab = honest.clone();
            let lie = lab.get("op", 0, &column) + 1;
            lab.set("op", 0, &column, lie);
            lab.claim_output(0, result, lie);
            if matches!(op, ByteOp::Add | ByteOp::Sub) {
                // The carry follows from the low byte, as a fraction.
                let carry = carry(op, lie);
                lab.claim_output(0, 1, carry);
            }
            let report = lab.check();
            assert_eq!((report.num_constraints, report.num_messages), (0, 2), "{op:?}: {report}");
            let message = format!("message of {}", byte_op_name(op));
            assert!(report.to_string().contains(&message), "{op:?}: {report}");
            if result == 0 {
                lab.refused_by_verify();
            }
        }
    }
}

/// Carry or borrow of 200 and 100 with this low byte.
fn carry(op: ByteOp, low: u64) -> u64 {
    match op {
        ByteOp::Add => quotient(300 - low, 256),
        _ if low >= 100 => quotient(low - 100, 256),
        _ => minus(quotient(100 - low, 256)),
    }
}

/// A carry has no column: it is what operands and low byte say.
#[test]
fn bytes_a_carry_follows_from_the_low_byte() {
    for op in [ByteOp::Add, ByteOp::Sub] {
        let mut lab = Lab::new(&program(op), &[("op", operands(op))]);
        assert_eq!(lab.system.circuits[0].width, 5);
        let honest = word(lab.shards[0].claims[0].claim.outputs[1]);
        assert_eq!(honest, u64::from(op == ByteOp::Add));
        lab.claim_output(0, 1, 1 - honest);
        lab.refused("message of function 0");
        // With a low byte that gives the other carry the table disagrees.
        let low = if op == ByteOp::Add { 300 } else { 356 };
        lab.set("op", 0, "auxiliary1", low);
        lab.claim_output(0, 0, low);
        let report = lab.check();
        assert_eq!((report.num_constraints, report.num_messages), (0, 2), "{report}");
        lab.refused_by_check(&format!("message of {}: [200, 100, {low}]", byte_op_name(op)));
    }
}

#[test]
fn bytes_operands_are_bytes() {
    for op in ByteOp::UNARY.into_iter().chain(ByteOp::BINARY) {
        for operand in ["input0", "input1"].into_iter().take(op.num_operands()) {
            for lie in [256, minus(1)] {
                let mut lab = Lab::new(&program(op), &[("op", operands(op))]);
                lab.set("op", 0, operand, lie);
                let at = usize::from(operand == "input1");
                let inputs = &mut lab.shards[0].claims[0].claim.inputs;
                inputs[at] = element(lie);
                lab.refused_by_check(&format!("message of {}", byte_op_name(op)));
            }
        }
    }
}

#[test]
fn bytes_multiplicities_are_the_number_of_uses() {
    for op in [ByteOp::ShiftLeft, ByteOp::Xor] {
        for more in [1, -1] {
            let mut lab = Lab::new(&program(op), &[("op", operands(op))]);
            lab.count_bytes(op, 200, 100, more);
            lab.refused(&format!("message of {}", byte_op_name(op)));
        }
        // Rows that nobody uses do not help out, whatever their counts add up to.
        let mut lab = Lab::new(&program(op), &[("op", operands(op))]);
        lab.count_bytes(op, 200, 100, -1);
        lab.count_bytes(op, 201, 100, 1);
        lab.refused_by_check(&format!("message of {}", byte_op_name(op)));
    }
}
