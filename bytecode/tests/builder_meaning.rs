//! What each method of the builder means, computed here in plain integers.
//!
//! Executors, rows and constraints all start from the program that the builder made.
//! A builder that swaps two operands would mislead all of them alike, and only a
//! meaning that is written down without it tells.

use traceloom_abi::io::Io;
use traceloom_abi::record::Record;
use traceloom_air::bytes::ByteOp;
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::builder::{Body, FunctionHandle, ProgramBuilder, Value};
use traceloom_bytecode::execute::{
    DebugLine, ExecuteError, Fault, Hooks, Limits, execute, execute_with,
};
use traceloom_bytecode::model::FunctionId;

/// The modulus, 2^64 - 2^32 + 1.
const P: u128 = (1 << 64) - (1 << 32) + 1;
/// Words at the limits of bytes, of 32 bits and of the field.
const WORDS: [u64; 8] = [0, 1, 2, 255, 0xffff_ffff, 1 << 32, 12_345_678_901, (P - 1) as u64];
/// Words of 32 bits.
const SHORT: [u64; 6] = [0, 1, 255, 256, 0x1234_5678, 0xffff_ffff];
/// Bytes.
const BYTES: [u64; 7] = [0, 1, 3, 85, 128, 200, 255];

/// What the one entry of a program returns.
fn outputs(program: ProgramBuilder, args: &[u64], io: Io) -> Result<(Vec<u64>, Record), Fault> {
    let program = CheckedProgram::new(program.finish().expect("it is built"));
    let program = program.expect("it is valid");
    let entry = program.function_ids().find(|&id| program.function(id).entry);
    let claims = [(entry.expect("there is an entry"), args.to_vec())];
    match execute(&program, &claims, io, &Limits::default()) {
        Ok(run) => Ok((run.outputs(0), run.record)),
        Err(ExecuteError::Failed(failure)) => Err(failure.fault),
        Err(error) => panic!("{error}"),
    }
}

/// Runs a function of `args` that returns what `write` says.
fn try_run<const N: usize>(
    args: &[u64],
    io: Io,
    write: impl FnOnce(&mut Body, &[Value]) -> [Value; N],
) -> Result<([u64; N], Record), Fault> {
    let mut program = ProgramBuilder::new("meaning");
    let main = program.entry("main", args.len() as u32, N as u32);
    program.define(main, |f, x| {
        let results = write(f, x);
        f.ret(&results)
    });
    let (outputs, record) = outputs(program, args, io)?;
    Ok((outputs.try_into().expect("it returns so many"), record))
}

fn run<const N: usize>(
    args: &[u64],
    write: impl FnOnce(&mut Body, &[Value]) -> [Value; N],
) -> [u64; N] {
    try_run(args, Io::default(), write).unwrap_or_else(|fault| panic!("{args:?}: {fault}")).0
}

/// Whether it fails since an operand is out of range.
fn is_out_of_range<const N: usize>(
    args: &[u64],
    write: impl FnOnce(&mut Body, &[Value]) -> [Value; N],
) -> bool {
    matches!(try_run(args, Io::default(), write), Err(Fault::Range { .. }))
}

fn pairs(words: &[u64]) -> impl Iterator<Item = (u64, u64)> {
    words.iter().flat_map(move |&a| words.iter().map(move |&b| (a, b)))
}

fn modulo(value: u128) -> u64 {
    (value % P) as u64
}

/// The lowest bytes of a word.
fn little_endian<const N: usize>(word: u64) -> [u64; N] {
    std::array::from_fn(|i| (word >> (8 * i)) & 255)
}

/// A binary method on every pair of `words`.
#[track_caller]
fn binary<const N: usize>(
    words: &[u64],
    write: fn(&mut Body, Value, Value) -> [Value; N],
    meaning: fn(u64, u64) -> [u64; N],
) {
    for (a, b) in pairs(words) {
        assert_eq!(run(&[a, b], |f, x| write(f, x[0], x[1])), meaning(a, b), "{a}, {b}");
    }
}

/// A method on two bytes; every other word is refused as either operand.
#[track_caller]
fn bytes<const N: usize>(
    write: fn(&mut Body, Value, Value) -> [Value; N],
    meaning: fn(u64, u64) -> [u64; N],
) {
    binary(&BYTES, write, meaning);
    for args in [[256, 1], [1, 256], [1 << 32, 0], [0, (P - 1) as u64]] {
        assert!(is_out_of_range(&args, |f, x| write(f, x[0], x[1])), "{args:?}");
    }
}

/// The same of one byte.
#[track_caller]
fn byte<const N: usize>(write: fn(&mut Body, Value) -> [Value; N], meaning: fn(u64) -> [u64; N]) {
    for a in BYTES {
        assert_eq!(run(&[a], |f, x| write(f, x[0])), meaning(a), "{a}");
    }
    assert!(is_out_of_range(&[256], |f, x| write(f, x[0])));
}

#[test]
fn constant() {
    for word in WORDS {
        assert_eq!(run(&[], |f, _| [f.constant(word)]), [word]);
    }
}

#[test]
fn add() {
    binary(&WORDS, |f, a, b| [f.add(a, b)], |a, b| [modulo(u128::from(a) + u128::from(b))]);
}

#[test]
fn sub() {
    binary(&WORDS, |f, a, b| [f.sub(a, b)], |a, b| [modulo(P + u128::from(a) - u128::from(b))]);
}

#[test]
fn mul() {
    binary(&WORDS, |f, a, b| [f.mul(a, b)], |a, b| [modulo(u128::from(a) * u128::from(b))]);
}

#[test]
fn add_const() {
    for (a, word) in pairs(&WORDS) {
        let expected = modulo(u128::from(a) + u128::from(word));
        assert_eq!(run(&[a], |f, x| [f.add_const(x[0], word)]), [expected], "{a}, {word}");
    }
}

#[test]
fn sub_const() {
    for (a, word) in pairs(&WORDS) {
        let expected = modulo(P + u128::from(a) - u128::from(word));
        assert_eq!(run(&[a], |f, x| [f.sub_const(x[0], word)]), [expected], "{a}, {word}");
    }
}

#[test]
fn scale() {
    for (a, word) in pairs(&WORDS) {
        let expected = modulo(u128::from(a) * u128::from(word));
        assert_eq!(run(&[a], |f, x| [f.scale(x[0], word)]), [expected], "{a}, {word}");
    }
}

#[test]
fn sum() {
    for count in 0..=WORDS.len() {
        let expected = modulo(WORDS[..count].iter().map(|&word| u128::from(word)).sum());
        assert_eq!(run(&WORDS[..count], |f, x| [f.sum(x)]), [expected], "{count}");
    }
}

#[test]
fn weighted_sum() {
    let weights = [1, 0, 7, 1 << 40, (P - 1) as u64, 1, 3];
    // The shorter list decides.
    for (values, weights) in [(&WORDS[..], &weights[..]), (&WORDS[..3], &weights), (&[], &[])] {
        let products = values.iter().zip(weights).map(|(&a, &b)| u128::from(a) * u128::from(b) % P);
        let expected = modulo(products.sum());
        assert_eq!(run(values, |f, x| [f.weighted_sum(x, weights)]), [expected]);
    }
}

#[test]
fn eq_zero() {
    for a in WORDS {
        assert_eq!(run(&[a], |f, x| [f.eq_zero(x[0])]), [u64::from(a == 0)], "{a}");
    }
}

/// What an assertion's fault names: label, position, left and right word there.
fn failed_assertion(fault: Fault) -> (Option<String>, usize, u64, u64) {
    match fault {
        Fault::Assertion { label, position, lhs, rhs } => {
            (label, position, lhs.first[position], rhs.first[position])
        }
        fault => panic!("{fault}"),
    }
}

#[test]
fn assert_eq_of_values() {
    let check = |a, b| {
        try_run(&[a, b], Io::default(), |f, x| {
            f.assert_eq(x[0], x[1], "same");
            [x[0]]
        })
    };
    assert_eq!(check(5, 5).unwrap().0, [5]);
    assert_eq!(failed_assertion(check(5, 6).unwrap_err()), (Some("same".into()), 0, 5, 6));
}

#[test]
fn assert_all_eq() {
    let check = |args: [u64; 4]| {
        try_run(&args, Io::default(), |f, x| {
            f.assert_all_eq(&x[..2], &x[2..], "");
            [x[1]]
        })
    };
    assert_eq!(check([1, 2, 1, 2]).unwrap().0, [2]);
    assert_eq!(failed_assertion(check([1, 2, 1, 3]).unwrap_err()), (None, 1, 2, 3));
    assert_eq!(failed_assertion(check([1, 2, 2, 1]).unwrap_err()), (None, 0, 1, 2));
}

/// A way to declare a function of so many inputs and outputs.
type Declare = fn(&mut ProgramBuilder, &str, u32, u32) -> FunctionHandle;

/// A program with a function that returns (10a + b, a - b) beside its entry.
fn calling(
    declare: Declare,
    write: impl FnOnce(&mut Body, FunctionHandle, &[Value]) -> Vec<Value>,
) -> (Vec<u64>, Record) {
    let mut program = ProgramBuilder::new("calls");
    let main = program.entry("main", 2, 2);
    let callee = declare(&mut program, "callee", 2, 2);
    program.define(callee, |f, x| {
        let tens = f.scale(x[0], 10);
        let (sum, difference) = (f.add(tens, x[1]), f.sub(x[0], x[1]));
        f.ret(&[sum, difference])
    });
    program.define(main, |f, x| {
        let results = write(f, callee, x);
        f.ret(&results)
    });
    outputs(program, &[7, 3], Io::default()).unwrap()
}

/// How often rows of the callee are asked for.
fn multiplicity(record: &Record) -> u64 {
    record.functions[1].multiplicity(0)
}

#[test]
fn call() {
    let (outputs, record) =
        calling(|p, name, i, o| p.function(name, i, o), |f, callee, x| f.call(callee, x));
    assert_eq!((outputs, multiplicity(&record)), (vec![73, 4], 1));
}

#[test]
fn call_array() {
    let (outputs, record) = calling(
        |p, name, i, o| p.function(name, i, o),
        |f, callee, x| {
            let [sum, difference] = f.call_array(callee, &[x[1], x[0]]);
            vec![difference, sum]
        },
    );
    assert_eq!((outputs, multiplicity(&record)), (vec![modulo(P - 4), 37], 1));
}

#[test]
fn call_unconstrained() {
    let declares: [Declare; 2] =
        [|p, name, i, o| p.function(name, i, o), |p, name, i, o| p.unconstrained(name, i, o)];
    for declare in declares {
        let (outputs, record) = calling(declare, |f, callee, x| f.call_unconstrained(callee, x));
        assert_eq!((outputs, multiplicity(&record)), (vec![73, 4], 0));
    }
}

/// Equal values have one pointer, others another; pointers count from 0 per width.
#[test]
fn store() {
    let pointers = run(&[5, 6], |f, x| {
        let lists = [&[x[0], x[1]][..], &[x[1], x[0]], &[x[0], x[1]], &[x[0]], &[x[1], x[0]]];
        lists.map(|list| f.store(list))
    });
    assert_eq!(pointers, [0, 1, 0, 0, 1]);
}

#[test]
fn load() {
    let values = run(&[5, 6, 7], |f, x| {
        let _ = f.store(&[x[2], x[2], x[2]]);
        let pointer = f.store(x);
        let values = f.load(3, pointer);
        [values[0], values[1], values[2]]
    });
    assert_eq!(values, [5, 6, 7]);
}

#[test]
fn load_array() {
    let values = run(&[5, 6], |f, x| {
        let pointer = f.store(&[x[0], x[1]]);
        f.load_array::<2>(pointer)
    });
    assert_eq!(values, [5, 6]);
}

#[test]
fn io_get_info() {
    let mut io = Io::default();
    io.add_input(4, &[9, 8], &[70, 71, 72]).unwrap();
    io.add_input(4, &[8, 9], &[73]).unwrap();
    let ([index, len], _) =
        try_run(&[4, 8, 9], io, |f, x| f.io_get_info(x[0], &[x[1], x[2]])).unwrap();
    assert_eq!([index, len], [3, 1]);
}

#[test]
fn io_set_info() {
    let args = [4, 8, 9, 20, 30];
    let (outputs, record) = try_run(&args, Io::default(), |f, x| {
        f.io_set_info(x[0], &[x[1], x[2]], x[3], x[4]);
        f.io_get_info(x[0], &[x[1], x[2]])
    })
    .unwrap();
    assert_eq!(outputs, [20, 30]);
    assert_eq!(record.io.info(4, &[8, 9]), Ok((20, 30)));
}

#[test]
fn io_read() {
    let mut io = Io::default();
    io.add_input(4, &[], &[70, 71, 72, 73]).unwrap();
    let read = |f: &mut Body, x: &[Value]| {
        let words = f.io_read(x[0], x[1], 2);
        [words[0], words[1]]
    };
    assert_eq!(try_run(&[4, 1], io, read).unwrap().0, [71, 72]);
}

#[test]
fn io_write() {
    let (_, record) = try_run(&[4, 70, 71], Io::default(), |f, x| {
        f.io_write(x[0], &[x[1], x[2]]);
        f.io_write(x[0], &[x[2]]);
        []
    })
    .unwrap();
    assert_eq!(record.io.read(4, 0, 3).unwrap(), [70, 71, 71]);
    assert_eq!(record.io.len(4), 3);
}

#[test]
fn unary() {
    byte(|f, a| [f.unary(ByteOp::ShiftRight, a)[0]], |a| [a / 2]);
}

#[test]
fn binary_op() {
    bytes(|f, a, b| [f.binary(ByteOp::LessThan, a, b)[0]], |a, b| [u64::from(a < b)]);
}

#[test]
fn u8_bits() {
    byte(|f, a| f.u8_bits(a), |a| std::array::from_fn(|i| (a >> i) & 1));
}

#[test]
fn u8_shift_left() {
    byte(|f, a| [f.u8_shift_left(a)], |a| [(2 * a) % 256]);
}

#[test]
fn u8_shift_right() {
    byte(|f, a| [f.u8_shift_right(a)], |a| [a / 2]);
}

#[test]
fn u8_xor() {
    bytes(|f, a, b| [f.u8_xor(a, b)], |a, b| [a ^ b]);
}

#[test]
fn u8_and() {
    bytes(|f, a, b| [f.u8_and(a, b)], |a, b| [a & b]);
}

#[test]
fn u8_or() {
    bytes(|f, a, b| [f.u8_or(a, b)], |a, b| [a | b]);
}

#[test]
fn u8_less_than() {
    bytes(|f, a, b| [f.u8_less_than(a, b)], |a, b| [u64::from(a < b)]);
}

#[test]
fn u8_add() {
    bytes(|f, a, b| f.u8_add(a, b), |a, b| [(a + b) % 256, (a + b) / 256]);
}

#[test]
fn u8_sub() {
    bytes(|f, a, b| f.u8_sub(a, b), |a, b| [(256 + a - b) % 256, u64::from(a < b)]);
}

#[test]
fn u8_mul() {
    bytes(|f, a, b| f.u8_mul(a, b), |a, b| [a * b % 256, a * b / 256]);
}

#[test]
fn u8_xor_split7() {
    bytes(|f, a, b| f.u8_xor_split7(a, b), |a, b| [(a ^ b) >> 7, ((a ^ b) << 1) & 255]);
}

#[test]
fn u8_xor_split4() {
    bytes(|f, a, b| f.u8_xor_split4(a, b), |a, b| [(a ^ b) >> 4, ((a ^ b) << 4) & 255]);
}

#[test]
fn u8_range_check() {
    bytes(
        |f, a, b| {
            f.u8_range_check(a, b);
            []
        },
        |_, _| [],
    );
}

/// None of them may be left out, whatever their number.
#[test]
fn range_check_bytes() {
    for count in 0..=5 {
        let check = |args: &[u64]| {
            is_out_of_range(args, |f, x| {
                f.range_check_bytes(x);
                []
            })
        };
        let mut args = vec![255; count];
        assert!(!check(&args));
        for position in 0..count {
            args[position] = 256;
            assert!(check(&args), "{args:?}");
            args[position] = 255;
        }
    }
}

#[test]
fn u32_less_than() {
    binary(&SHORT, |f, a, b| [f.u32_less_than(a, b)], |a, b| [u64::from(a < b)]);
    for args in [[1 << 32, 0], [0, 1 << 32]] {
        assert!(is_out_of_range(&args, |f, x| [f.u32_less_than(x[0], x[1])]));
    }
}

#[test]
fn u32_to_field() {
    for word in SHORT {
        let bytes: [u64; 4] = little_endian(word);
        assert_eq!(run(&bytes, |f, x| [f.u32_to_field([x[0], x[1], x[2], x[3]])]), [word]);
    }
    // It checks nothing.
    let expected = modulo((1 << 40) + (256 << 24));
    assert_eq!(
        run(&[1 << 40, 256], |f, x| {
            let zero = f.constant(0);
            [f.u32_to_field([x[0], zero, zero, x[1]])]
        }),
        [expected]
    );
}

fn word(x: &[Value]) -> [Value; 4] {
    [x[0], x[1], x[2], x[3]]
}

#[test]
fn hint_u32_add() {
    for (a, b) in pairs(&SHORT) {
        let args = [little_endian::<4>(a), little_endian(b)].concat();
        let found = run(&args, |f, x| {
            let (bytes, carry) = f.hint_u32_add(word(x), word(&x[4..]));
            [bytes[0], bytes[1], bytes[2], bytes[3], carry]
        });
        assert_eq!(found, little_endian(a + b), "{a}, {b}");
    }
}

#[test]
fn hint_u32_add3() {
    for ((a, b), c) in pairs(&SHORT).flat_map(|pair| [7, 0xffff_ffff].map(|c| (pair, c))) {
        let args = [little_endian::<4>(a), little_endian(b), little_endian(c)].concat();
        let found = run(&args, |f, x| {
            let (bytes, carry) = f.hint_u32_add3(word(x), word(&x[4..]), word(&x[8..]));
            [bytes[0], bytes[1], bytes[2], bytes[3], carry]
        });
        assert_eq!(found, little_endian(a + b + c), "{a}, {b}, {c}");
    }
}

#[test]
fn hint_field_to_bytes() {
    for a in WORDS {
        assert_eq!(run(&[a], |f, x| f.hint_field_to_bytes(x[0])), little_endian(a), "{a}");
    }
}

#[test]
fn hint_inverse() {
    for a in WORDS {
        let [inverse] = run(&[a], |f, x| [f.hint_inverse(x[0])]);
        let product = modulo(u128::from(a) * u128::from(inverse));
        assert_eq!((product, inverse == 0), (u64::from(a != 0), a == 0), "{a}");
    }
}

/// A list of limbs, the lowest first: (0, eight bytes, next), ended by (1, zeros).
fn limbs(f: &mut Body, limbs: &[u64]) -> Value {
    let (zero, one) = (f.constant(0), f.constant(1));
    let mut pointer = f.store(&[one, zero, zero, zero, zero, zero, zero, zero, zero, zero]);
    for &limb in limbs.iter().rev() {
        let bytes = little_endian::<8>(limb).map(|byte| f.constant(byte));
        pointer = f.store(&[&[zero][..], &bytes, &[pointer]].concat());
    }
    pointer
}

#[test]
fn hint_biguint_div_rem() {
    let (a, b) = (0x0123_4567_89ab_cdef_1122_3344_5566_7788_u128, 0x1_0000_0001_u128);
    let (low, high) = (a as u64, (a >> 64) as u64);
    let ([quotient, remainder], record) = try_run(&[], Io::default(), |f, _| {
        let (a, b) = (limbs(f, &[low, high]), limbs(f, &[b as u64]));
        f.hint_biguint_div_rem(a, b)
    })
    .unwrap();
    let memory = record.memories.iter().find(|memory| memory.width() == 10).unwrap();
    let read = |mut pointer: u64| {
        let mut limbs: Vec<u128> = Vec::new();
        loop {
            let node = memory.load(pointer).unwrap().to_vec();
            if node[0] == 1 {
                return limbs.iter().rev().fold(0, |sum, &limb| (sum << 64) + limb);
            }
            limbs
                .push(node[1..9].iter().rev().fold(0, |limb, &byte| limb * 256 + u128::from(byte)));
            pointer = node[9];
        }
    };
    assert_eq!((read(quotient), read(remainder)), (a / b, a % b));
}

#[test]
fn debug() {
    let mut program = ProgramBuilder::new("debug");
    let main = program.entry("main", 2, 0);
    program.define(main, |f, x| {
        f.debug("look", &[x[1], x[0]]);
        f.ret(&[])
    });
    let program = CheckedProgram::new(program.finish().unwrap()).unwrap();
    let mut lines = Vec::new();
    let mut hook = |line: DebugLine<'_>| {
        lines.push((line.function.to_owned(), line.label.to_owned(), line.values.to_vec()));
    };
    let hooks = Hooks { debug: Some(&mut hook), progress: None, calls: None };
    let claims = [(main.id(), vec![5, 6])];
    execute_with(&program, &claims, Io::default(), &Limits::default(), hooks).unwrap();
    assert_eq!(lines, [("main".to_owned(), "look".to_owned(), vec![6, 5])]);
}

#[test]
fn ret() {
    assert_eq!(run(&[5, 6, 7], |_, x| [x[2], x[0], x[0]]), [7, 5, 5]);
}

/// What a match takes: by closures and by `begin` and `end`, which say the same.
#[test]
fn match_value() {
    let expected = |x: u64| match x {
        7 => 70,
        3 => 30,
        _ => 100 + x,
    };
    for x in [0, 3, 7, 8] {
        let mut program = ProgramBuilder::new("match");
        let main = program.entry("main", 1, 1);
        program.define(main, |f, x| {
            f.match_value(x[0], |arms| {
                for (key, result) in [(7, 70), (3, 30)] {
                    arms.case(key, |f| {
                        let result = f.constant(result);
                        f.ret(&[result])
                    });
                }
                arms.default(|f| {
                    let result = f.add_const(x[0], 100);
                    f.ret(&[result])
                });
            })
        });
        assert_eq!(outputs(program, &[x], Io::default()).unwrap().0, [expected(x)]);
        let mut program = ProgramBuilder::new("match");
        let main = program.entry("main", 1, 1);
        let mut f = program.body(main);
        let input = f.inputs()[0];
        f.begin_match(input);
        for (key, result) in [(7, 70), (3, 30)] {
            f.begin_case(key);
            let result = f.constant(result);
            f.ret(&[result]);
        }
        f.begin_default();
        let result = f.add_const(input, 100);
        f.ret(&[result]);
        f.end_match();
        program.close(f);
        assert_eq!(outputs(program, &[x], Io::default()).unwrap().0, [expected(x)]);
    }
}

/// Arms yield to the code behind them, or return before it.
#[test]
fn match_continue() {
    let expected = |x: u64| match x {
        7 => [1, 2],
        3 => [(x + 1) * 10, x + 5],
        _ => [5 * 10, 6 + 5],
    };
    for x in [0, 3, 7] {
        let closures = |f: &mut Body, input: Value| {
            let merged = f.match_continue(input, 2, |arms| {
                arms.case(7, |f| {
                    let (one, two) = (f.constant(1), f.constant(2));
                    f.ret(&[one, two])
                });
                arms.case(3, |f| {
                    let next = f.add_const(input, 1);
                    f.yield_values(&[next, input])
                });
                arms.default(|f| {
                    let (five, six) = (f.constant(5), f.constant(6));
                    f.yield_values(&[five, six])
                });
            });
            [merged[0], merged[1]]
        };
        let calls = |f: &mut Body, input: Value| {
            f.begin_match_continue(input, 2);
            f.begin_case(7);
            let (one, two) = (f.constant(1), f.constant(2));
            f.ret(&[one, two]);
            f.begin_case(3);
            let next = f.add_const(input, 1);
            f.yield_values(&[next, input]);
            f.begin_default();
            let (five, six) = (f.constant(5), f.constant(6));
            f.yield_values(&[five, six]);
            let merged = f.end_match_continue();
            [merged[0], merged[1]]
        };
        let behind = |f: &mut Body, [a, b]: [Value; 2]| [f.scale(a, 10), f.add_const(b, 5)];
        let found = run(&[x], |f, input| {
            let merged = closures(f, input[0]);
            behind(f, merged)
        });
        assert_eq!(found, expected(x), "{x}");
        let found = run(&[x], |f, input| {
            let merged = calls(f, input[0]);
            behind(f, merged)
        });
        assert_eq!(found, expected(x), "{x}");
    }
}

/// Flags, sizes and positions of declared functions, and the circuits they are in.
#[test]
fn declarations() {
    let mut program = ProgramBuilder::new("declarations");
    let handles = [
        program.entry("entry", 1, 2),
        program.function("function", 2, 1),
        program.unconstrained("unconstrained", 3, 0),
        program.declare("declared", 0, 1, true, true),
        program.declare("advice", 1, 0, false, false),
    ];
    program.group(&[handles[3], handles[0]]);
    for handle in handles {
        program.define(handle, |f, _| {
            let results: Vec<Value> = (0..handle.num_outputs()).map(|_| f.constant(0)).collect();
            f.ret(&results)
        });
    }
    let program = program.finish().unwrap();
    let found: Vec<_> = program
        .functions
        .iter()
        .map(|f| (&f.name[..], f.num_inputs, f.num_outputs, f.entry, f.constrained))
        .collect();
    let expected = [
        ("entry", 1, 2, true, true),
        ("function", 2, 1, false, true),
        ("unconstrained", 3, 0, false, false),
        ("declared", 0, 1, true, true),
        ("advice", 1, 0, false, false),
    ];
    assert_eq!((&program.name[..], &found[..]), ("declarations", &expected[..]));
    for (position, handle) in handles.into_iter().enumerate() {
        let (_, inputs, outputs, ..) = expected[position];
        assert_eq!(handle.id(), FunctionId(position as u32));
        assert_eq!(
            (handle.num_inputs(), handle.num_outputs()),
            (inputs as usize, outputs as usize)
        );
    }
    // A group stands where its first one, as it was given, would stand alone.
    let circuits: Vec<Vec<u32>> =
        program.circuits.iter().map(|ids| ids.iter().map(|id| id.0).collect()).collect();
    assert_eq!(circuits, [vec![1], vec![3, 0]]);
}

/// It does nothing, and the program is the same one without it.
#[test]
fn allow() {
    let build = |reason: Option<&str>| {
        let mut program = ProgramBuilder::new("allow");
        let f = program.entry("f", 1, 1);
        program.define(f, |f, x| {
            let inverse = f.hint_inverse(x[0]);
            if let Some(reason) = reason {
                f.allow(reason, &[inverse, x[0]]);
            }
            f.ret(&[inverse])
        });
        CheckedProgram::new(program.finish().unwrap()).unwrap()
    };
    let [without, with, other] = [build(None), build(Some("why")), build(Some("because"))];
    let ops = |program: &CheckedProgram| program.program().functions[0].blocks[0].ops.len();
    assert_eq!((ops(&without), ops(&with)), (1, 2));
    assert_eq!(with.fingerprint(), without.fingerprint());
    assert_eq!(with.fingerprint(), other.fingerprint());
    assert_eq!(with.layout(FunctionId(0)).width(), without.layout(FunctionId(0)).width());
    let run = |program: &CheckedProgram| {
        let claims = [(FunctionId(0), vec![1])];
        execute(program, &claims, Io::default(), &Limits::default()).unwrap().outputs(0)
    };
    assert_eq!((run(&with), run(&without)), (vec![1], vec![1]));
}

/// No method of a body is without a test: each is used above.
#[test]
fn every_method_is_tried() {
    let own = include_str!("builder_meaning.rs");
    let sources = [include_str!("../src/builder/ops.rs"), include_str!("../src/builder/body.rs")];
    let mut count = 0;
    for line in sources.iter().flat_map(|source| source.lines()) {
        let Some(rest) = line.strip_prefix("    pub fn ") else { continue };
        let name = rest.split(['(', '<']).next().unwrap();
        let is_used =
            [format!(".{name}("), format!(".{name}::<")].iter().any(|call| own.contains(call));
        assert!(is_used || name == "function", "no test of {name}");
        count += 1;
    }
    assert!(count > 50, "{count} methods are found");
}
