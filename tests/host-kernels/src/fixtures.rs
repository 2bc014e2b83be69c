//! Small programs that together use every control form and every operation but
//! `hint_biguint_div_rem`, which the reference builder cannot resolve yet.

use traceloom_abi::io::Io;
use traceloom_abi::record::Record;
use traceloom_air::bytes::ByteOp;
use traceloom_air::field::MODULUS;
use traceloom_bytecode::builder::{Body, FunctionHandle, ProgramBuilder, Value};
use traceloom_bytecode::execute::{DebugLine, Hooks, Limits, execute_with};
use traceloom_bytecode::model::FunctionId;
use traceloom_bytecode::{CheckedProgram, Program};

/// A program and what to run.
pub struct Fixture {
    /// Its name in symbols.
    pub name: &'static str,
    /// The program.
    pub program: CheckedProgram,
    /// Functions with their arguments.
    pub claims: Vec<(FunctionId, Vec<u64>)>,
    /// Input.
    pub io: Io,
}

/// Field elements at which representations differ.
pub const BOUNDARY: [u64; 6] = [0, 1, 255, 0xffff_ffff, 1 << 32, MODULUS - 1];

impl Fixture {
    /// A fixture of `program`.
    ///
    /// # Panics
    /// If the program is not valid.
    #[must_use]
    pub fn new(name: &'static str, program: Program, claims: Vec<(FunctionId, Vec<u64>)>) -> Self {
        let program = CheckedProgram::new(program).expect("fixtures are valid");
        Self { name, program, claims, io: Io::default() }
    }

    /// The record of all claims, with some multiplicities at the end of the field.
    ///
    /// # Panics
    /// If the execution fails.
    #[must_use]
    pub fn record(&self) -> Record {
        let io = self.io.clone();
        let mut ignore = |_: DebugLine<'_>| {};
        let hooks = Hooks { debug: Some(&mut ignore), progress: None, calls: None };
        let limits = Limits::default();
        let execution = execute_with(&self.program, &self.claims, io, &limits, hooks);
        let mut record = execution.expect("fixtures execute").record;
        for table in &mut record.functions {
            for query in (0..table.len()).step_by(3) {
                if table.multiplicity(query) != 0 {
                    table.set_multiplicity(query, MODULUS - 1 - query as u64);
                }
            }
        }
        record
    }
}

/// All fixtures.
#[must_use]
pub fn all() -> Vec<Fixture> {
    vec![
        field(),
        constants(),
        bytes(),
        narrow(),
        words(),
        control(),
        undecided(),
        undecided_here(),
        many_paths(),
        calls(),
        group(),
        hints(),
    ]
}

/// One program of one entry function, called with each of `args`.
fn single(
    name: &'static str,
    [inputs, outputs]: [u32; 2],
    args: Vec<Vec<u64>>,
    body: impl FnOnce(&mut Body, &[Value], FunctionHandle) -> traceloom_bytecode::builder::End,
) -> Fixture {
    let mut program = ProgramBuilder::new(name);
    let main = program.entry("main", inputs, outputs);
    program.define(main, |f, inputs| body(f, inputs, main));
    let claims = args.into_iter().map(|args| (main.id(), args)).collect();
    Fixture::new(name, program.finish().expect("fixtures build"), claims)
}

fn pairs(words: &[u64]) -> Vec<Vec<u64>> {
    words.iter().flat_map(|&a| words.iter().map(move |&b| vec![a, b])).collect()
}

/// Field arithmetic, on values that nothing bounds.
fn field() -> Fixture {
    single("field", [2, 6], pairs(&BOUNDARY), |f, inputs, _| {
        let (a, b) = (inputs[0], inputs[1]);
        let sum = f.add(a, b);
        let difference = f.sub(a, b);
        let product = f.mul(sum, difference);
        let constant = f.constant(MODULUS - 1);
        let scaled = f.mul(a, constant);
        let zero = f.eq_zero(product);
        let folded = f.constant(0);
        let one = f.eq_zero(folded);
        let inverse = f.hint_inverse(b);
        f.assert_eq(sum, sum, "equal */ \" \\");
        let packed = f.u32_to_field([a, b, sum, one]);
        f.ret(&[product, scaled, zero, one, inverse, packed])
    })
}

/// Constants that fit 32 bits, and results of theirs that do not; a value compared
/// with itself. Found by random programs.
fn constants() -> Fixture {
    single("constants", [1, 4], vec![vec![0], vec![7]], |f, inputs, _| {
        let (large, half) = (f.constant(0xffff_ffff), f.constant(1 << 16));
        let sum = f.add(large, large);
        let product = f.mul(half, half);
        let bytes = f.hint_field_to_bytes(large);
        let high = f.u32_to_field([bytes[4], bytes[5], bytes[6], bytes[7]]);
        let wide = f.u32_to_field([half, large, half, inputs[0]]);
        let bytes = f.hint_field_to_bytes(product);
        let less = f.u32_less_than(inputs[0], inputs[0]);
        let equal = f.eq_zero(less);
        let rest = f.sum(&[high, bytes[4], equal]);
        f.ret(&[sum, product, rest, wide])
    })
}

/// A match that has nothing to choose from, of a value of an earlier block that nothing
/// else reads. Found by random programs.
fn undecided() -> Fixture {
    single("undecided", [2, 1], vec![vec![1, 2], vec![3, 4]], |f, inputs, _| {
        let (a, b) = (inputs[0], inputs[1]);
        let byte = f.u8_xor(a, b);
        let packed = f.u32_to_field([byte; 4]);
        f.match_value(a, |arms| {
            arms.case(1, |f| {
                f.match_value(packed, |arms| {
                    arms.default(|f| f.ret(&[b]));
                })
            });
            arms.default(|f| f.ret(&[a]));
        })
    })
}

/// The same of a value of the block that ends with the match.
fn undecided_here() -> Fixture {
    single("undecided_here", [2, 1], vec![vec![1, 2], vec![3, 4]], |f, inputs, _| {
        let difference = f.sub(inputs[0], inputs[1]);
        f.match_value(difference, |arms| {
            arms.default(|f| f.ret(&[inputs[1]]));
        })
    })
}

/// Every byte operation.
fn bytes() -> Fixture {
    let words = [0, 1, 2, 127, 128, 200, 254, 255];
    single("bytes", [2, 2], pairs(&words), |f, inputs, _| {
        let (a, b) = (inputs[0], inputs[1]);
        let mut results = f.u8_bits(a).to_vec();
        results.push(f.u8_shift_left(a));
        results.push(f.u8_shift_right(b));
        for op in ByteOp::BINARY {
            results.extend(f.binary(op, a, b));
        }
        let less = f.u32_less_than(a, b);
        results.push(less);
        let sum = f.sum(&results);
        let product = f.mul(sum, less);
        f.ret(&[sum, product])
    })
}

/// A computed value that is larger than its use suggests, and inputs that only some
/// rows keep narrow.
fn narrow() -> Fixture {
    let args = [[3, 4], [255, 255], [256, 0], [1 << 20, 7], [MODULUS - 1, 1], [300, 9]];
    single("narrow", [2, 3], args.map(Vec::from).to_vec(), |f, inputs, _| {
        let (a, b) = (inputs[0], inputs[1]);
        let zero = f.constant(0);
        let doubled = f.add(a, a);
        let packed = f.u32_to_field([doubled, b, zero, a]);
        let squared = f.mul(packed, packed);
        f.ret(&[packed, squared, doubled])
    })
}

/// Byte-oriented words: additions, rotations, splits, in and out of order.
fn words() -> Fixture {
    let args: Vec<Vec<u64>> = (0..9_u64)
        .map(|row| (0..12).map(|i| (row * 97 + i * 61 + row * i * 13) % 256).collect())
        .chain([vec![0; 12], vec![255; 12]])
        .collect();
    single("words", [12, 12], args, |f, inputs, _| {
        let word = |i: usize| [inputs[i], inputs[i + 1], inputs[i + 2], inputs[i + 3]];
        let (a, b, c) = (word(0), word(4), word(8));
        let xor = |f: &mut Body, a: [Value; 4], b: [Value; 4]| -> [Value; 4] {
            std::array::from_fn(|i| f.u8_xor(a[i], b[i]))
        };
        let (sum, carry) = f.hint_u32_add3(a, b, c);
        let mixed = xor(f, c, sum);
        let mixed: [Value; 4] = std::array::from_fn(|i| mixed[(i + 3) % 4]);
        let (next, carry_two) = f.hint_u32_add(mixed, b);
        f.u8_range_check(carry, carry_two);
        let halves: [_; 4] = std::array::from_fn(|i| f.u8_xor_split7(next[i], a[i]));
        let seven: [Value; 4] =
            std::array::from_fn(|i| f.add(halves[i][0], halves[(i + 1) % 4][1]));
        let halves: [_; 4] = std::array::from_fn(|i| f.u8_xor_split4(seven[i], sum[3 - i]));
        let four: [Value; 4] =
            std::array::from_fn(|i| f.add(halves[(i + 1) % 4][0], halves[(i + 2) % 4][1]));
        let mask: [Value; 4] = std::array::from_fn(|i| f.constant([0xf0, 0x3c, 0, 0xff][i]));
        let masked: [Value; 4] = std::array::from_fn(|i| f.u8_and(four[i], mask[i]));
        let filled: [Value; 4] = std::array::from_fn(|i| match i {
            0 | 2 => f.u8_or(masked[i], next[i]),
            _ => f.u8_or(masked[i], sum[(i + 1) % 4]),
        });
        let packed = f.u32_to_field(filled);
        let less = f.u32_less_than(packed, packed);
        let product = f.mul(packed, packed);
        let mut outputs = [&filled[..], &masked, &[packed, less, product]].concat();
        outputs.push(carry);
        f.ret(&outputs)
    })
}

/// Nested matches, unsorted keys, early returns, merges, a default alone.
fn control() -> Fixture {
    let words = [0, 1, 2, 3, 7, 1 << 32, MODULUS - 1];
    single("control", [2, 2], pairs(&words), |f, inputs, _| {
        let (a, b) = (inputs[0], inputs[1]);
        let merged = f.match_continue(a, 2, |arms| {
            arms.case(7, |f| {
                let product = f.mul(a, b);
                f.ret(&[product, a])
            });
            arms.case(MODULUS - 1, |f| {
                f.match_value(b, |arms| {
                    arms.case(2, |f| f.yield_values(&[a, b])).default(|f| {
                        let zero = f.eq_zero(b);
                        f.yield_values(&[zero, a])
                    });
                })
            });
            arms.case(1, |f| f.yield_values(&[b, a]));
            arms.default(|f| {
                let bits = f.constant(6);
                let square = f.mul(a, a);
                f.yield_values(&[square, bits])
            });
        });
        let inner = f.match_continue(merged[0], 1, |arms| {
            arms.default(|f| {
                let product = f.mul(merged[0], merged[1]);
                f.yield_values(&[product])
            });
        });
        f.match_value(b, |arms| {
            arms.case(3, |f| f.ret(&[inner[0], a]));
            arms.case(0, |f| f.ret(&[b, inner[0]]));
            arms.default(|f| {
                let sum = f.add(inner[0], merged[1]);
                f.ret(&[sum, b])
            });
        })
    })
}

/// 128 paths: more than are numbered.
fn many_paths() -> Fixture {
    let args = (0..40_u64).map(|i| (0..7).map(|bit| ((i * 37) >> bit) & 1).collect()).collect();
    single("many_paths", [7, 1], args, |f, inputs, _| {
        let mut value = f.constant(1);
        for &bit in inputs {
            let merged = f.match_continue(bit, 1, |arms| {
                arms.case(0, |f| {
                    let doubled = f.add(value, value);
                    f.yield_values(&[doubled])
                });
                arms.default(|f| {
                    let pointer = f.store(&[value, bit]);
                    let loaded = f.load(2, pointer);
                    let product = f.mul(loaded[0], value);
                    f.yield_values(&[product])
                });
            });
            value = merged[0];
        }
        f.ret(&[value])
    })
}

/// Recursion with ranks, calls into the component from outside, advice, memory.
fn calls() -> Fixture {
    let mut program = ProgramBuilder::new("calls");
    let main = program.entry("main */ \" \\\n#error", 1, 2);
    let even = program.function("even", 1, 1);
    let odd = program.function("odd", 1, 1);
    let advice = program.unconstrained("advice", 1, 2);
    for (function, other, end) in [(even, odd, 1), (odd, even, 0)] {
        program.define(function, |f, inputs| {
            let n = inputs[0];
            f.match_value(n, |arms| {
                arms.case(0, |f| {
                    let end = f.constant(end);
                    f.ret(&[end])
                });
                arms.default(|f| {
                    let before = f.sub_const(n, 1);
                    let result = f.call(other, &[before]);
                    f.ret(&result)
                });
            })
        });
    }
    program.define(advice, |f, inputs| {
        let square = f.mul(inputs[0], inputs[0]);
        f.ret(&[square, inputs[0]])
    });
    program.define(main, |f, inputs| {
        let n = inputs[0];
        let [is_even] = f.call_array(even, &[n]);
        let square = f.call_unconstrained(advice, &[n])[0];
        let twice = f.add(n, n);
        let [is_odd] = f.call_array(odd, &[twice]);
        let pointer = f.store(&[square, is_even, is_odd]);
        let [a, b, c] = f.load_array(pointer);
        let sum = f.sum(&[a, b, c]);
        f.ret(&[sum, pointer])
    });
    let claims = [0, 1, 5, 12, 3].map(|n| (main.id(), vec![n])).to_vec();
    Fixture::new("calls", program.finish().expect("fixtures build"), claims)
}

/// Members of different sizes in one circuit.
fn group() -> Fixture {
    let mut program = ProgramBuilder::new("group");
    let wide = program.entry("wide", 5, 1);
    let branching = program.entry("branching", 1, 1);
    let long = program.entry("long", 2, 1);
    program.define(wide, |f, inputs| {
        let sum = f.sum(inputs);
        f.ret(&[sum])
    });
    program.define(branching, |f, inputs| {
        let n = inputs[0];
        f.match_value(n, |arms| {
            arms.case(4, |f| f.ret(&[n])).case(2, |f| {
                let square = f.mul(n, n);
                f.ret(&[square])
            });
            arms.default(|f| {
                let [sum] = f.call_array(wide, &[n, n, n, n, n]);
                f.ret(&[sum])
            });
        })
    });
    program.define(long, |f, inputs| {
        let mut value = inputs[0];
        for _ in 0..9 {
            value = f.mul(value, inputs[1]);
        }
        f.ret(&[value])
    });
    program.group(&[wide, branching, long]);
    let mut claims = vec![(wide.id(), vec![1, 2, 3, 4, MODULUS - 1])];
    claims.extend([2, 4, 6, 8].map(|n| (branching.id(), vec![n])));
    claims.extend((0..5).map(|n| (long.id(), vec![n + 2, MODULUS - 1 - n])));
    Fixture::new("group", program.finish().expect("fixtures build"), claims)
}

/// Input, advice about integers, effects that leave no column.
fn hints() -> Fixture {
    let args = BOUNDARY.map(|word| vec![word]).to_vec();
    let mut fixture = single("hints", [1, 3], args, |f, inputs, _| {
        let a = inputs[0];
        let channel = f.constant(3);
        let [index, len] = f.io_get_info(channel, &[]);
        let words = f.io_read(channel, index, 4);
        let bytes = f.hint_field_to_bytes(a);
        f.range_check_bytes(&bytes);
        let packed = f.weighted_sum(&bytes, &std::array::from_fn::<u64, 8, _>(|i| 1 << (8 * i)));
        f.assert_eq(packed, a, "bytes of the word");
        let inverse = f.hint_inverse(words[1]);
        f.io_write(channel, &[a]);
        f.debug("hints", &[]);
        let sum = f.sum(&[len, words[0], words[3], inverse]);
        let less = f.u32_less_than(index, len);
        f.ret(&[sum, packed, less])
    });
    fixture.io.add_input(3, &[], &[5, MODULUS - 1, 0, 1 << 40]).expect("the key is new");
    fixture
}
