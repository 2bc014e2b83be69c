//! Small programs for every operation and control form, with claims to run.

use traceloom_air::bytes::ByteOp;
use traceloom_air::field::MODULUS;
use traceloom_bytecode::Program;
use traceloom_bytecode::builder::{BuildErrors, ProgramBuilder, Value};

/// A program, the claims of its entry `main`, and the words of io channel 0.
#[allow(dead_code)]
pub struct Fixture {
    pub program: Program,
    pub claims: Vec<Vec<u64>>,
    pub input: Vec<u64>,
}

fn fixture(program: Result<Program, BuildErrors>, claims: &[&[u64]], input: &[u64]) -> Fixture {
    Fixture {
        program: program.unwrap(),
        claims: claims.iter().map(|claim| claim.to_vec()).collect(),
        input: input.to_vec(),
    }
}

/// All of them, in a fixed order.
pub fn all() -> Vec<Fixture> {
    vec![
        arithmetic(),
        bytes(),
        words(),
        matches(),
        continuations(),
        many_paths(),
        recursion(),
        promotion(),
        effects(),
        group(),
        hostile_names(),
        integers(),
        extremes(),
        constants(),
        widening(),
    ]
}

fn arithmetic() -> Fixture {
    let mut p = ProgramBuilder::new("arithmetic");
    let main = p.entry("main", 2, 4);
    p.define(main, |f, x| {
        let sum = f.add(x[0], x[1]);
        let difference = f.sub(x[0], x[1]);
        let product = f.mul(sum, difference);
        let scaled = f.scale(x[0], MODULUS - 1);
        let zero = f.constant(0);
        let folded = f.mul(zero, x[0]);
        let one = f.eq_zero(folded);
        let is_zero = f.eq_zero(difference);
        let constant_zero = f.eq_zero(zero);
        let inverse = f.hint_inverse(sum);
        let checked = f.mul(inverse, sum);
        let unread = f.hint_field_to_bytes(product);
        let read = f.hint_field_to_bytes(x[1]);
        f.range_check_bytes(&read);
        let pointer = f.store(&[product, one, is_zero]);
        let loaded = f.load(3, pointer);
        f.assert_all_eq(&loaded, &[product, one, is_zero], "stored");
        f.debug("bytes", &unread);
        let all = f.sum(&[checked, scaled, constant_zero]);
        f.ret(&[all, loaded[0], one, is_zero])
    });
    let last = MODULUS - 1;
    let claims: [&[u64]; 6] =
        [&[0, 0], &[1, 1], &[last, 1], &[last, last], &[1 << 32, 0xffff_ffff], &[3, last - 2]];
    fixture(p.finish(), &claims, &[])
}

/// Constants whose uses do not tell their type. Found by random programs.
fn constants() -> Fixture {
    let mut p = ProgramBuilder::new("constants");
    let main = p.entry("main", 1, 2);
    p.define(main, |f, x| {
        let (large, half) = (f.constant((1 << 32) + 1), f.constant(1 << 16));
        let zero = f.eq_zero(large);
        let last = f.constant(0xffff_ffff);
        let bytes = f.hint_field_to_bytes(last);
        let product = f.mul(half, half);
        let none = f.eq_zero(product);
        let less = f.u32_less_than(half, last);
        let sum = f.sum(&[zero, none, less, bytes[7]]);
        f.ret(&[sum, x[0]])
    });
    fixture(p.finish(), &[&[0], &[9]], &[])
}

/// Inputs, outputs and stored words that outgrow one, two and four bytes, 2^n - 1 and 2^n, one
/// after the other while calls are nested.
fn widening() -> Fixture {
    let mut p = ProgramBuilder::new("widening");
    let (main, grow) = (p.entry("main", 1, 3), p.function("grow", 3, 3));
    p.define(grow, |f, x| {
        f.match_value(x[0], |arms| {
            arms.case(0, |f| f.ret(&[x[1], x[2], x[0]]));
            arms.default(|f| {
                let (before, one) = (f.sub_const(x[0], 1), f.constant(1));
                let twice = f.scale(x[2], 2);
                let ones = f.sub(twice, one);
                let pointer = f.store(&[ones, x[0], twice]);
                let called = f.call(grow, &[before, ones, twice]);
                let loaded = f.load(3, pointer);
                let sum = f.add(called[2], loaded[0]);
                f.ret(&[ones, twice, sum])
            });
        })
    });
    p.define(main, |f, x| {
        let (zero, one) = (f.constant(0), f.constant(1));
        let called = f.call(grow, &[x[0], zero, one]);
        f.ret(&called)
    });
    fixture(p.finish(), &[&[3], &[40], &[0]], &[])
}

fn bytes() -> Fixture {
    let mut p = ProgramBuilder::new("bytes");
    let main = p.entry("main", 2, 3);
    p.define(main, |f, x| {
        let mut results: Vec<Value> = Vec::new();
        for op in ByteOp::UNARY {
            results.extend(f.unary(op, x[0]));
        }
        for op in ByteOp::BINARY {
            results.extend(f.binary(op, x[0], x[1]));
        }
        let sum = f.sum(&results);
        let product = f.mul(sum, results[9]);
        f.ret(&[sum, product, results[3]])
    });
    let claims: [&[u64]; 6] = [&[0, 0], &[255, 255], &[0, 255], &[255, 0], &[200, 100], &[17, 18]];
    fixture(p.finish(), &claims, &[])
}

fn words() -> Fixture {
    let mut p = ProgramBuilder::new("words");
    let (main, less) = (p.entry("main", 6, 5), p.function("less", 2, 1));
    // Legal: packing of what is not a byte; the run is widened.
    let pack = p.entry("pack", 4, 1);
    p.define(pack, |f, x| {
        let word = f.u32_to_field([x[0], x[1], x[2], x[3]]);
        f.ret(&[word])
    });
    p.define(less, |f, x| {
        let less = f.u32_less_than(x[0], x[1]);
        f.ret(&[less])
    });
    p.define(main, |f, x| {
        let bytes = [x[0], x[1], x[2], x[3]];
        let word = f.u32_to_field(bytes);
        let (two, carry) = f.hint_u32_add(bytes, [x[3], x[2], x[1], x[0]]);
        let (three, next) = f.hint_u32_add3(bytes, two, bytes);
        let (unread, _) = f.hint_u32_add(two, three);
        f.debug("unread", &unread);
        f.range_check_bytes(&two);
        f.range_check_bytes(&three);
        let below = f.call(less, &[word, x[4]]);
        let large = f.constant(300);
        let packed = f.u32_to_field([large, x[5], large, x[0]]);
        let wide = f.call(pack, &[large, x[0], x[1], x[2]]);
        let sum = f.sum(&[two[0], three[3], wide[0]]);
        f.debug("packed", &[packed]);
        f.ret(&[word, carry, next, below[0], sum])
    });
    let top = 0xffff_ffff;
    let claims: [&[u64]; 4] = [
        &[1, 2, 3, 4, 5, 6],
        &[255, 255, 255, 255, top, MODULUS - 1],
        &[0, 0, 0, 0, 0, 300],
        &[0, 0, 0, 128, 1, 1 << 40],
    ];
    fixture(p.finish(), &claims, &[])
}

fn matches() -> Fixture {
    let mut p = ProgramBuilder::new("matches");
    let (main, narrow) = (p.entry("main", 2, 1), p.function("narrow", 1, 1));
    p.define(narrow, |f, x| {
        f.match_value(x[0], |arms| {
            for key in [5, 2, 300] {
                arms.case(key, |f| {
                    let value = f.constant(key + 1);
                    f.ret(&[value])
                });
            }
        })
    });
    p.define(main, |f, x| {
        f.match_value(x[0], |arms| {
            for key in [7, 1, 4] {
                arms.case(key, |f| {
                    let product = f.mul(x[0], x[1]);
                    f.ret(&[product])
                });
            }
            arms.case(MODULUS - 1, |f| {
                f.match_value(x[1], |arms| {
                    arms.default(|f| {
                        let called = f.call(narrow, &[x[1]]);
                        f.ret(&called)
                    });
                })
            });
            arms.default(|f| {
                let square = f.mul(x[1], x[1]);
                let double = f.add(square, square);
                f.ret(&[double])
            });
        })
    });
    let last = MODULUS - 1;
    let claims: [&[u64]; 8] = [
        &[7, 3],
        &[1, 0],
        &[4, last],
        &[last, 5],
        &[last, 300],
        &[2, 9],
        &[0, 0],
        &[last - 1, last],
    ];
    fixture(p.finish(), &claims, &[])
}

fn continuations() -> Fixture {
    let mut p = ProgramBuilder::new("continuations");
    let main = p.entry("main", 2, 2);
    p.define(main, |f, x| {
        let first = f.match_continue(x[0], 2, |arms| {
            arms.case(0, |f| {
                let square = f.mul(x[1], x[1]);
                f.yield_values(&[square, x[0]])
            });
            arms.case(1, |f| {
                // Returns early, inside of an arm that continues.
                let inverse = f.hint_inverse(x[1]);
                let one = f.mul(inverse, x[1]);
                f.ret(&[one, x[1]])
            });
            arms.default(|f| {
                let inner = f.match_continue(x[1], 1, |arms| {
                    arms.case(9, |f| f.yield_values(&[x[0]]));
                    arms.case(8, |f| f.ret(&[x[0], x[0]]));
                    arms.default(|f| {
                        let sum = f.add(x[0], x[1]);
                        let cube = f.mul(sum, sum);
                        f.yield_values(&[cube])
                    });
                });
                f.yield_values(&[inner[0], x[1]])
            });
        });
        let product = f.mul(first[0], first[1]);
        let second = f.match_continue(product, 1, |arms| {
            arms.case(0, |f| f.yield_values(&[first[0]]));
            arms.default(|f| f.yield_values(&[product]));
        });
        let last = f.mul(second[0], x[0]);
        f.ret(&[last, second[0]])
    });
    let claims: [&[u64]; 8] =
        [&[0, 5], &[0, 0], &[1, 6], &[2, 9], &[2, 8], &[2, 7], &[3, MODULUS - 3], &[5, 0]];
    fixture(p.finish(), &claims, &[])
}

/// Seven choices in a row have 128 paths, too many to number.
fn many_paths() -> Fixture {
    let mut p = ProgramBuilder::new("many_paths");
    let (main, helper) = (p.entry("main", 8, 1), p.function("helper", 1, 2));
    p.define(helper, |f, x| {
        let square = f.mul(x[0], x[0]);
        f.ret(&[square, x[0]])
    });
    p.define(main, |f, x| {
        let mut sum = x[7];
        for &choice in &x[..7] {
            let merged = f.match_continue(choice, 1, |arms| {
                arms.case(1, |f| {
                    let called = f.call(helper, &[sum]);
                    f.yield_values(&[called[0]])
                });
                arms.default(|f| {
                    let pointer = f.store(&[choice, sum]);
                    let loaded = f.load(2, pointer);
                    f.yield_values(&[loaded[1]])
                });
            });
            sum = f.add(merged[0], choice);
        }
        f.ret(&[sum])
    });
    let claims: [&[u64]; 3] =
        [&[0, 0, 0, 0, 0, 0, 0, 5], &[1, 1, 1, 1, 1, 1, 1, 2], &[1, 0, 1, 2, 1, 3, 0, 9]];
    fixture(p.finish(), &claims, &[])
}

fn recursion() -> Fixture {
    let mut p = ProgramBuilder::new("recursion");
    let main = p.entry("main", 2, 2);
    let (even, odd) = (p.function("even", 1, 1), p.function("odd", 1, 1));
    let hash = p.function("hash", 3, 2);
    let (advice, nothing) = (p.unconstrained("advice", 1, 2), p.function("nothing", 1, 0));
    for (this, other, base) in [(even, odd, 1), (odd, even, 0)] {
        p.define(this, |f, x| {
            f.match_value(x[0], |arms| {
                arms.case(0, |f| {
                    let base = f.constant(base);
                    f.ret(&[base])
                });
                arms.default(|f| {
                    let before = f.sub_const(x[0], 1);
                    let called = f.call(other, &[before]);
                    f.ret(&called)
                });
            })
        });
    }
    // Returns its own call's results: narrow only by a least fixpoint.
    p.define(hash, |f, x| {
        f.match_value(x[0], |arms| {
            arms.case(0, |f| {
                let mixed = f.u8_xor(x[1], x[2]);
                f.ret(&[mixed, x[2]])
            });
            arms.default(|f| {
                let before = f.sub_const(x[0], 1);
                let (mixed, [sum, _]) = (f.u8_xor(x[1], x[2]), f.u8_add(x[1], x[2]));
                let called = f.call(hash, &[before, sum, mixed]);
                f.ret(&called)
            });
        })
    });
    p.define(nothing, |f, x| {
        f.assert_eq(x[0], x[0], "itself");
        f.ret(&[])
    });
    p.define(advice, |f, x| {
        let square = f.mul(x[0], x[0]);
        let called = f.call(even, &[x[0]]);
        f.ret(&[square, called[0]])
    });
    p.define(main, |f, x| {
        let guess = f.call_unconstrained(advice, &[x[0]]);
        let square = f.mul(x[0], x[0]);
        f.assert_eq(guess[0], square, "advice");
        let parity = f.call(even, &[x[0]]);
        f.call(nothing, &[x[1]]);
        let hashed = f.call(hash, &[x[0], x[1], x[1]]);
        let both = f.add(hashed[0], parity[0]);
        f.ret(&[both, hashed[1]])
    });
    fixture(p.finish(), &[&[9, 77], &[4, 255], &[0, 1]], &[])
}

/// Advice that is proven later, with effects, memory, and calls in arms that continue.
fn promotion() -> Fixture {
    let mut p = ProgramBuilder::new("promotion");
    let main = p.entry("main", 2, 2);
    let (work, leaf) = (p.function("work", 2, 2), p.function("leaf", 1, 1));
    let advice = p.unconstrained("advice", 2, 2);
    p.define(leaf, |f, x| {
        let shifted = f.u8_shift_left(x[0]);
        f.ret(&[shifted])
    });
    p.define(work, |f, x| {
        let channel = f.constant(3);
        f.io_write(channel, &[x[0], x[1]]);
        f.debug("once", x);
        let merged = f.match_continue(x[1], 2, |arms| {
            arms.case(0, |f| {
                let called = f.call(leaf, &[x[0]]);
                f.yield_values(&[called[0], x[0]])
            });
            arms.case(1, |f| {
                let pointer = f.store(&[x[0], x[1], x[0]]);
                let called = f.call_unconstrained(leaf, &[x[0]]);
                let loaded = f.load(3, pointer);
                f.yield_values(&[loaded[2], called[0]])
            });
            arms.default(|f| {
                let before = f.sub_const(x[1], 1);
                let inner = f.match_continue(before, 1, |arms| {
                    arms.case(1, |f| f.yield_values(&[x[0]]));
                    arms.default(|f| {
                        let called = f.call(work, &[x[0], before]);
                        f.yield_values(&[called[1]])
                    });
                });
                let called = f.call(work, &[x[0], before]);
                f.yield_values(&[inner[0], called[0]])
            });
        });
        let again = f.call(leaf, &[x[0]]);
        let sum = f.add(merged[0], again[0]);
        f.ret(&[sum, merged[1]])
    });
    p.define(advice, |f, x| {
        let called = f.call(work, x);
        f.ret(&called)
    });
    p.define(main, |f, x| {
        let guess = f.call_unconstrained(advice, x);
        let found = f.call(work, x);
        f.assert_eq(guess[0], found[0], "advice");
        f.ret(&found)
    });
    fixture(p.finish(), &[&[9, 4], &[9, 6], &[200, 0], &[7, 1], &[7, 2]], &[])
}

fn effects() -> Fixture {
    let mut p = ProgramBuilder::new("effects");
    let main = p.entry("main", 1, 2);
    p.define(main, |f, x| {
        let channel = f.constant(0);
        let [index, len] = f.io_get_info(channel, &[]);
        let words = f.io_read(channel, index, 3);
        let unread = f.io_read(channel, x[0], 2);
        f.debug("unread", &unread);
        let (out, key) = (f.constant(5), f.constant(77));
        f.io_write(out, &words);
        f.io_set_info(out, &[key, x[0]], index, len);
        let sum = f.sum(&words);
        f.ret(&[sum, len])
    });
    fixture(p.finish(), &[&[0], &[1], &[2]], &[MODULUS - 1, 2, 1 << 33, 4, 5])
}

/// Several members of different widths in one circuit.
fn group() -> Fixture {
    let mut p = ProgramBuilder::new("group");
    let main = p.entry("main", 1, 1);
    let (small, large) = (p.function("small", 2, 1), p.function("large", 5, 2));
    p.define(small, |f, x| {
        f.match_value(x[0], |arms| {
            arms.case(3, |f| f.ret(&[x[1]]));
            arms.default(|f| f.ret(&[x[0]]));
        })
    });
    p.define(large, |f, x| {
        let products = [f.mul(x[0], x[1]), f.mul(x[2], x[3])];
        let sum = f.add(products[0], x[4]);
        f.ret(&[sum, products[1]])
    });
    p.define(main, |f, x| {
        let square = f.mul(x[0], x[0]);
        let a = f.call(large, &[x[0], square, x[0], x[0], square]);
        let b = f.call(small, &[x[0], a[0]]);
        let sum = f.add(a[1], b[0]);
        f.ret(&[sum])
    });
    p.group(&[small, main, large]);
    fixture(p.finish(), &[&[3], &[4], &[MODULUS - 4]], &[])
}

/// Names that would end strings, comments or lines of any target.
fn hostile_names() -> Fixture {
    let mut p = ProgramBuilder::new("hostile \" */ names\n\\");
    let main = p.entry("main", 1, 1);
    let names = ["\"); panic!(\"", "*/ int x; /*", "a\nb", "fn", "self", "é", "a\0b", "\\", "f-x"];
    let functions = names.map(|name| p.function(name, 1, 1));
    for function in functions {
        p.define(function, |f, x| {
            let square = f.mul(x[0], x[0]);
            f.ret(&[square])
        });
    }
    p.define(main, |f, x| {
        let mut value = x[0];
        for function in functions {
            value = f.call(function, &[value])[0];
        }
        f.debug("\"); panic!(\"*/ /*\n\r\0\u{202e}{}", &[value]);
        f.assert_eq(value, value, "\\\"*/\n{value} #[cfg(x)]");
        f.ret(&[value])
    });
    fixture(p.finish(), &[&[3]], &[])
}

/// Nothing in, nothing out, nothing done; two thousand columns; never called.
fn extremes() -> Fixture {
    let mut p = ProgramBuilder::new("");
    let main = p.entry("main", 1, 1);
    let (nothing, wide, alone) =
        (p.function("nothing", 0, 0), p.function("wide", 1900, 1), p.function("alone", 1, 1));
    p.define(nothing, |f, _| f.ret(&[]));
    p.define(alone, |f, x| {
        let called = f.call(alone, x);
        f.ret(&called)
    });
    p.define(wide, |f, x| {
        let product = x[1..100].iter().fold(x[1899], |product, &factor| f.mul(product, factor));
        f.ret(&[product])
    });
    p.define(main, |f, x| {
        f.call(nothing, &[]);
        let called = f.call(wide, &[x[0]; 1900]);
        f.match_value(called[0], |arms| {
            arms.default(|f| f.ret(&called));
        })
    });
    fixture(p.finish(), &[&[3], &[MODULUS - 1]], &[])
}

/// Quotient and remainder of lists of limbs.
fn integers() -> Fixture {
    let mut p = ProgramBuilder::new("integers");
    let main = p.entry("main", 3, 2);
    p.define(main, |f, x| {
        let (zero, one) = (f.constant(0), f.constant(1));
        let end = f.store(&[one, zero, zero, zero, zero, zero, zero, zero, zero, zero]);
        let list = |f: &mut traceloom_bytecode::builder::Body, low: Value, next: Value| {
            f.store(&[zero, low, one, zero, zero, zero, zero, zero, zero, next])
        };
        let (high, divisor) = (list(f, x[0], end), list(f, x[2], end));
        let dividend = list(f, x[1], high);
        let [quotient, remainder] = f.hint_biguint_div_rem(dividend, divisor);
        let [of_quotient, of_remainder] = [f.load(10, quotient), f.load(10, remainder)];
        f.ret(&[of_quotient[1], of_remainder[1]])
    });
    fixture(p.finish(), &[&[5, 6, 7], &[255, 0, 1], &[1, 2, 255]], &[])
}
