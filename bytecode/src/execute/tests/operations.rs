//! Each operation, at the edges of its domain.

use num_bigint::BigUint;
use traceloom_abi::io::{Io, IoError};
use traceloom_air::bytes::ByteOp;
use traceloom_air::field::MODULUS;

use super::*;
use crate::execute::{Fault, Words};

const MAX: u64 = MODULUS - 1;

/// Outputs of a function with just this operation.
fn apply(op: Op, args: &[u64]) -> Vec<u64> {
    outputs(&program(vec![straight("op", args.len() as u32, vec![op])]), args)
}

fn fault_of(op: Op, args: &[u64]) -> Fault {
    failure(&program(vec![straight("op", args.len() as u32, vec![op])]), args).fault
}

fn range(position: usize, value: u32, word: u64, bound: u64) -> Fault {
    Fault::Range { position, value: v(value), word, bound }
}

#[test]
fn field_operations_wrap_at_the_modulus() {
    assert_eq!(apply(c(MAX), &[]), [MAX]);
    assert_eq!(apply(Op::Add(v(0), v(1)), &[MAX, 1]), [0]);
    assert_eq!(apply(Op::Add(v(0), v(1)), &[MAX, MAX]), [MAX - 1]);
    assert_eq!(apply(Op::Sub(v(0), v(1)), &[0, 1]), [MAX]);
    assert_eq!(apply(Op::Sub(v(0), v(1)), &[5, 5]), [0]);
    assert_eq!(apply(Op::Mul(v(0), v(1)), &[MAX, MAX]), [1]);
    assert_eq!(apply(Op::Mul(v(0), v(1)), &[1 << 32, 1 << 32]), [(1 << 32) - 1]);
    assert_eq!(apply(Op::EqZero(v(0)), &[0]), [1]);
    assert_eq!(apply(Op::EqZero(v(0)), &[MAX]), [0]);
}

#[test]
fn byte_operations_are_those_of_the_tables() {
    for op in ByteOp::UNARY {
        for a in [0, 1, 0x80, 0xa5, 255_u8] {
            let expected: Vec<u64> =
                op.results(a, 0)[..op.num_results()].iter().map(|&x| u64::from(x)).collect();
            assert_eq!(apply(Op::Unary(op, v(0)), &[a.into()]), expected);
        }
    }
    for op in ByteOp::BINARY {
        for (a, b) in [(0, 0), (0, 255), (255, 0), (255, 255), (200, 100), (1, 2), (2, 1)] {
            let mut expected: Vec<u64> =
                op.results(a, b)[..op.num_results()].iter().map(|&x| u64::from(x)).collect();
            match op {
                ByteOp::Add => expected.push(u64::from(u16::from(a) + u16::from(b) > 255)),
                ByteOp::Sub => expected.push(u64::from(a < b)),
                _ => {}
            }
            let args = [u64::from(a), u64::from(b)];
            assert_eq!(apply(Op::Binary(op, v(0), v(1)), &args), expected, "{op:?} {a} {b}");
        }
    }
    assert_eq!(apply(Op::Binary(ByteOp::Add, v(0), v(1)), &[200, 100]), [44, 1]);
    assert_eq!(apply(Op::Binary(ByteOp::Sub, v(0), v(1)), &[100, 200]), [156, 1]);
}

#[test]
fn the_check_of_limbs_is_no_operation_of_programs() {
    let limbs = ByteOp::RangeCheck16;
    for op in [Op::Binary(limbs, v(0), v(1)), Op::Unary(limbs, v(0))] {
        let functions = vec![straight("limbs", 2, vec![op])];
        let circuits = vec![vec![FunctionId(0)]];
        let program =
            Program { name: "limbs".into(), functions, memory_sizes: Vec::new(), circuits };
        let error = CheckedProgram::new(program).unwrap_err().to_string();
        assert!(error.contains("is no operation of programs"), "{error}");
    }
}

#[test]
fn operands_out_of_range_are_refused() {
    assert_eq!(fault_of(Op::Unary(ByteOp::Bits, v(0)), &[256]), range(0, 0, 256, 256));
    let and = Op::Binary(ByteOp::And, v(1), v(0));
    assert_eq!(fault_of(and.clone(), &[MAX, 1]), range(1, 0, MAX, 256));
    assert_eq!(fault_of(and, &[0, 300]), range(0, 1, 300, 256));
    let check = Op::Binary(ByteOp::RangeCheck, v(0), v(1));
    assert_eq!(fault_of(check, &[255, 256]), range(1, 1, 256, 256));
    let less = Op::U32LessThan(v(0), v(1));
    assert_eq!(fault_of(less.clone(), &[1 << 32, 0]), range(0, 0, 1 << 32, 1 << 32));
    assert_eq!(fault_of(less, &[0, MAX]), range(1, 1, MAX, 1 << 32));
    let add = Op::HintU32Add([[v(0); 4], [v(0), v(0), v(1), v(0)]]);
    assert_eq!(fault_of(add, &[1, 256]), range(6, 1, 256, 256));
    let add3 = Op::HintU32Add3([[v(0); 4], [v(0); 4], [v(0), v(0), v(0), v(1)]]);
    assert_eq!(fault_of(add3, &[1, 999]), range(11, 1, 999, 256));
    let failure = failure(
        &program(vec![straight("f", 1, vec![c(7), Op::Binary(ByteOp::Xor, v(1), v(0))])]),
        &[1000],
    );
    assert_eq!(
        failure.to_string(),
        "functions[0].blocks[0].ops[1] (\"f\", u8_xor): operand 1 (value 0) is 1000, but it must be \
         below 256\n  running with inputs [1000]"
    );
}

#[test]
fn u32_less_than_counts_the_limbs_of_both_and_of_the_difference() {
    let max = u64::from(u32::MAX);
    for (a, b) in [(0, 0), (0, 1), (1, 0), (0, max), (max, 0), (max, max), (5, 0x0102_0304)] {
        let op = Op::U32LessThan(v(0), v(1));
        let program = program(vec![straight("less", 2, vec![op])]);
        let execution = run(&program, &[(0, &[a, b])]).unwrap();
        assert_eq!(execution.outputs(0), [u64::from(a < b)]);
        assert_eq!(total_uses(&execution.record, ByteOp::RangeCheck16), 6);
    }
    let program = program(vec![straight("less", 2, vec![Op::U32LessThan(v(0), v(1))])]);
    let record = run(&program, &[(0, &[0x0403_0201, 0x0807_0605])]).unwrap().record;
    // The difference minus one is 0x04040403.
    for (a, b, expected) in [(2, 1, 1), (4, 3, 2), (6, 5, 1), (8, 7, 1), (4, 4, 1)] {
        assert_eq!(uses(&record, ByteOp::RangeCheck16, a, b), expected, "{a} {b}");
    }
}

#[test]
fn packing_takes_any_values() {
    let pack = Op::U32ToField([v(0), v(1), v(2), v(3)]);
    assert_eq!(apply(pack.clone(), &[1, 2, 3, 4]), [0x0403_0201]);
    assert_eq!(apply(pack.clone(), &[300, 0, 0, 255]), [0xff00_012c]);
    assert_eq!(apply(pack.clone(), &[MAX, 0, 0, 0]), [MAX]);
    assert_eq!(apply(pack, &[0, MAX, 0, 0]), [MODULUS - 256]);
}

#[test]
fn hints_compute_advice() {
    let word = |word: u32| word.to_le_bytes().map(u64::from);
    let ids = |first: u32| [v(first), v(first + 1), v(first + 2), v(first + 3)];
    let add = Op::HintU32Add([ids(0), ids(4)]);
    let args = [word(u32::MAX), word(1)].concat();
    assert_eq!(apply(add, &args), [0, 0, 0, 0, 1]);
    let add3 = Op::HintU32Add3([ids(0), ids(4), ids(8)]);
    let args = [word(u32::MAX), word(u32::MAX), word(u32::MAX)].concat();
    assert_eq!(apply(add3, &args), [253, 255, 255, 255, 2]);
    let bytes = apply(Op::HintFieldToBytes(v(0)), &[MAX]);
    assert_eq!(bytes, [0, 0, 0, 0, 255, 255, 255, 255]);
    assert_eq!(apply(Op::HintInverse(v(0)), &[0]), [0]);
    assert_eq!(apply(Op::HintInverse(v(0)), &[MAX]), [MAX]);
    let inverse = apply(Op::HintInverse(v(0)), &[7])[0];
    assert_eq!(apply(Op::Mul(v(0), v(1)), &[7, inverse]), [1]);
}

#[test]
fn memory_is_shared_by_value_and_counts_stores_and_loads() {
    let store = |a, b| Op::Store { values: vs(&[a, b]) };
    let load = |pointer| Op::Load { width: 2, pointer: v(pointer) };
    let ops = vec![store(0, 1), store(1, 0), store(0, 1), load(3), load(3), load(4)];
    let program = program(vec![straight("memory", 2, ops)]);
    let execution = run(&program, &[(0, &[8, 9])]).unwrap();
    assert_eq!(execution.outputs(0), [0, 1, 0, 9, 8, 9, 8, 8, 9]);
    let memory = &execution.record.memories[1];
    assert_eq!((memory.len(), memory.multiplicity(0), memory.multiplicity(1)), (2, 3, 3));
    let fault = fault_of(Op::Load { width: 2, pointer: v(0) }, &[3]);
    assert_eq!(fault, Fault::Pointer { width: 2, pointer: 3, count: 0 });
}

#[test]
fn failed_assertions_show_both_sides() {
    let assertion = |label: Option<&str>| Op::AssertEq {
        lhs: vs(&[0, 1]),
        rhs: vs(&[0, 2]),
        label: label.map(Into::into),
    };
    assert_eq!(apply(assertion(None), &[1, 2, 2]), [0_u64; 0]);
    let (lhs, rhs) = (Words::new([1, 2]), Words::new([1, 3]));
    let label = Some("same".to_owned());
    let expected = Fault::Assertion { label, position: 1, lhs, rhs };
    assert_eq!(fault_of(assertion(Some("same")), &[1, 2, 3]), expected);
    assert_eq!(
        expected.to_string(),
        "assertion \"same\" failed at position 1: [1, 2] is not [1, 3]"
    );
    let text = fault_of(assertion(None), &[1, 2, 3]).to_string();
    assert_eq!(text, "assertion failed at position 1: [1, 2] is not [1, 3]");
}

#[test]
fn io_is_read_written_and_named() {
    let ops = vec![
        Op::IoGetInfo { channel: v(0), key: vec![] },
        Op::IoRead { channel: v(0), index: v(2), len: 2 },
        Op::IoWrite { channel: v(0), values: vs(&[0, 4, 5]) },
        Op::IoSetInfo { channel: v(1), key: vs(&[4, 5]), index: v(2), len: v(3) },
        Op::IoGetInfo { channel: v(1), key: vs(&[4, 5]) },
    ];
    let program = program(vec![straight("io", 2, ops)]);
    let mut io = Io::default();
    io.add_input(3, &[9], &[77]).unwrap();
    io.add_input(3, &[], &[10, 20]).unwrap();
    let claims = [(FunctionId(0), vec![3, 4])];
    let execution = execute(&program, &claims, io, &Limits::default()).unwrap();
    assert_eq!(execution.outputs(0), [1, 2, 10, 20, 1, 2]);
    let io = execution.record.io;
    assert_eq!(io.read(3, 0, 6), Ok(&[77, 10, 20, 3, 10, 20][..]));
    assert_eq!(io.info(4, &[10, 20]), Ok((1, 2)));
}

#[test]
fn io_errors_are_carried() {
    let fault = fault_of(Op::IoGetInfo { channel: v(0), key: vec![v(0)] }, &[5]);
    assert_eq!(fault, Fault::Io(IoError::MissingKey { channel: 5, key: vec![5] }));
    let fault = fault_of(Op::IoRead { channel: v(0), index: v(0), len: 1 }, &[MAX]);
    let (channel, index) = (MAX, MAX);
    assert_eq!(fault, Fault::Io(IoError::OutOfRange { channel, index, len: 1, available: 0 }));
    let set = || Op::IoSetInfo { channel: v(0), key: vec![], index: v(0), len: v(0) };
    let twice = program(vec![straight("twice", 1, vec![set(), set()])]);
    let failure = failure(&twice, &[0]);
    assert_eq!(failure.place.op, Some(1));
    assert_eq!(failure.fault, Fault::Io(IoError::KeySet { channel: 0, key: vec![] }));
    // Words that the caller has smuggled in.
    let mut io = Io::default();
    io.set_info(0, &[], MODULUS, 0).unwrap();
    let get = straight("get", 1, vec![Op::IoGetInfo { channel: v(0), key: vec![] }]);
    let claims = [(FunctionId(0), vec![0])];
    let result = execute(&program(vec![get]), &claims, io, &Limits::default());
    let not_canonical = IoError::NotCanonical { channel: 0, word: MODULUS };
    assert_eq!(expect_failure(result).fault, Fault::Io(not_canonical));
}

/// `[limbs of a, limbs of b]` in, the stored lists divided and walked again.
fn divide(a: &[u64], b: &[u64]) -> Result<(Vec<u64>, Vec<u64>, Execution), ExecuteError> {
    let mut ops = vec![c(0), c(1)];
    let mut next = 2;
    let mut pointers = Vec::new();
    for limbs in [a, b] {
        ops.push(Op::Store { values: vs(&[1, 0, 0, 0, 0, 0, 0, 0, 0, 0]) });
        let mut pointer = next;
        next += 1;
        for limb in limbs.iter().rev() {
            ops.extend(limb.to_le_bytes().map(|byte| c(byte.into())));
            let mut values = vec![0];
            values.extend(next..next + 8);
            values.push(pointer);
            ops.push(Op::Store { values: vs(&values) });
            pointer = next + 8;
            next += 9;
        }
        pointers.push(pointer);
    }
    ops.push(Op::HintBigUintDivRem(v(pointers[0]), v(pointers[1])));
    let blocks = vec![block(ops, ret(0, &[next, next + 1]))];
    let program = program(vec![entry("divide", 0, 2, blocks)]);
    let execution = run(&program, &[(0, &[])])?;
    let memory = &execution.record.memories[2];
    let walk = |mut pointer: u64| {
        let mut limbs = Vec::new();
        loop {
            let node = memory.load(pointer).unwrap().to_vec();
            if node[0] == 1 {
                assert!(node[1..].iter().all(|&word| word == 0));
                return limbs;
            }
            limbs.push((0..8).map(|i| node[1 + i] << (8 * i)).sum());
            pointer = node[9];
        }
    };
    let outputs = execution.outputs(0);
    let (quotient, remainder) = (walk(outputs[0]), walk(outputs[1]));
    Ok((quotient, remainder, execution))
}

#[test]
fn lists_of_limbs_are_divided() {
    let max = u64::MAX;
    for (a, b, quotient, remainder) in [
        (&[][..], &[][..], &[][..], &[][..]),
        (&[7], &[], &[], &[7]),
        (&[7, 0], &[0], &[], &[7]),
        (&[], &[7], &[], &[]),
        (&[100], &[7], &[14], &[2]),
        (&[0, 1], &[2], &[1 << 63], &[]),
        (&[max, max, max], &[max], &[1, 1, 1], &[]),
        (&[5, 1], &[0, 1, 0], &[1], &[5]),
    ] {
        let (q, r, _) = divide(a, b).unwrap();
        assert_eq!((&q[..], &r[..]), (quotient, remainder), "{a:?} / {b:?}");
    }
    // A divisor of several limbs, and a quotient digit that is guessed too large.
    let (a, b) = (&[0, 0, 1 << 63], &[max, 1 << 63]);
    let (q, r, _) = divide(a, b).unwrap();
    assert_eq!(integer(&q) * integer(b) + integer(&r), integer(a));
    assert!(integer(&r) < integer(b));
}

fn integer(limbs: &[u64]) -> BigUint {
    BigUint::new(limbs.iter().flat_map(|&limb| [limb as u32, (limb >> 32) as u32]).collect())
}

#[test]
fn divided_lists_are_stored_as_advice() {
    let (_, _, execution) = divide(&[100], &[7]).unwrap();
    let memory = &execution.record.memories[2];
    // The end twice, both operands, then quotient and remainder.
    let multiplicities: Vec<u64> = (0..memory.len()).map(|p| memory.multiplicity(p)).collect();
    assert_eq!(multiplicities, [2, 1, 1, 0, 0]);
}

#[test]
fn malformed_lists_of_limbs_are_refused() {
    let problem = |node: [u64; 10]| {
        let mut ops: Vec<Op> = node.iter().map(|&word| c(word)).collect();
        ops.push(Op::Store { values: vs(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]) });
        ops.push(Op::HintBigUintDivRem(v(10), v(10)));
        let outputs: Vec<u32> = (0..13).collect();
        let blocks = vec![block(ops, ret(0, &outputs))];
        match failure(&program(vec![entry("list", 0, 13, blocks)]), &[]).fault {
            Fault::Limbs { operand: 0, problem, .. } => problem,
            other => panic!("{other}"),
        }
    };
    // The node is at pointer 0, so it can guess itself.
    assert_eq!(problem([0; 10]), "the list is circular");
    assert_eq!(
        problem([2, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
        "tag 2 is neither 0, a node, nor 1, the end"
    );
    assert_eq!(problem([0, 1, 256, 0, 0, 0, 0, 0, 0, 0]), "256 is no byte of a limb");
    assert!(problem([1, 0, 0, 0, 0, 0, 0, 0, 0, 1]).starts_with("the end is padded with zeros"));
    assert!(problem([0, 0, 0, 0, 0, 0, 0, 0, 0, 9]).starts_with("pointer 9 was never stored"));
}
