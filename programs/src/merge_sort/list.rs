//! Lists of words in memory.
//!
//! Layout (owned here): width 3, `[tag, head, tail]`; tag 0 is a node, tag 1 the
//! end, whose other values are zeros. All pointers come from stores of proven
//! rows, and equal pointers mean equal lists, so a list is what was stored.

use traceloom_bytecode::builder::{Body, FunctionHandle, ProgramBuilder, Value};

const NODE: u64 = 0;
const END: u64 = 1;

/// A pointer to the empty list.
pub(super) fn end(f: &mut Body) -> Value {
    let (tag, zero) = (f.constant(END), f.constant(0));
    f.store(&[tag, zero, zero])
}

/// A pointer to a list with `head` in front of `tail`.
pub(super) fn node(f: &mut Body, head: Value, tail: Value) -> Value {
    let tag = f.constant(NODE);
    f.store(&[tag, head, tail])
}

/// Declares and defines `merge(a, b) -> list` of two sorted lists, stably.
///
/// Proven: it takes the smaller head, the left one of two equals, and goes on
/// with what is left, so the result is sorted and has exactly the words of both.
/// The comparison proves its operands below 2^32.
pub(super) fn define_merge(program: &mut ProgramBuilder) -> FunctionHandle {
    let merge = program.function("merge", 2, 1);
    program.define(merge, |f, inputs| {
        let (a, b) = (inputs[0], inputs[1]);
        let [tag_a, head_a, tail_a] = f.load_array(a);
        let [tag_b, head_b, tail_b] = f.load_array(b);
        f.match_value(tag_a, |arms| {
            arms.case(END, |f| f.ret(&[b]));
            arms.case(NODE, |f| {
                f.match_value(tag_b, |arms| {
                    arms.case(END, |f| f.ret(&[a]));
                    arms.case(NODE, |f| {
                        let right_first = f.u32_less_than(head_b, head_a);
                        f.match_value(right_first, |arms| {
                            arms.case(0, |f| step(f, merge, head_a, [tail_a, b]));
                            arms.case(1, |f| step(f, merge, head_b, [a, tail_b]));
                        })
                    });
                })
            });
        })
    });
    merge
}

fn step(
    f: &mut Body,
    merge: FunctionHandle,
    head: Value,
    rest: [Value; 2],
) -> traceloom_bytecode::builder::End {
    let tail = f.call(merge, &rest)[0];
    let list = node(f, head, tail);
    f.ret(&[list])
}

/// Declares and defines `nth(list, place) -> word`, counting from 0.
///
/// Proven: `place` goes down by one to 0, which has its own arm; each step asserts
/// that there is a node.
pub(super) fn define_nth(program: &mut ProgramBuilder) -> FunctionHandle {
    let nth = program.function("nth", 2, 1);
    program.define(nth, |f, inputs| {
        let (list, place) = (inputs[0], inputs[1]);
        let [tag, head, tail] = f.load_array(list);
        let is_node = f.constant(NODE);
        f.assert_eq(tag, is_node, "the list is long enough");
        f.match_value(place, |arms| {
            arms.case(0, |f| f.ret(&[head]));
            arms.default(|f| {
                let before = f.sub_const(place, 1);
                let word = f.call(nth, &[tail, before]);
                f.ret(&word)
            });
        })
    });
    nth
}

/// Declares and defines `publish(list)`: writes the words to the output channel.
///
/// Effects only, so it has no circuit. Its calls are memoised like others, which
/// does no harm: the tails of one list have different lengths.
pub(super) fn define_publish(program: &mut ProgramBuilder) -> FunctionHandle {
    let publish = program.unconstrained("publish", 1, 0);
    program.define(publish, |f, inputs| {
        let [tag, head, tail] = f.load_array(inputs[0]);
        f.match_value(tag, |arms| {
            arms.case(END, |f| f.ret(&[]));
            arms.case(NODE, |f| {
                let channel = f.constant(super::OUTPUT_CHANNEL);
                f.io_write(channel, &[head]);
                f.call_unconstrained(publish, &[tail]);
                f.ret(&[])
            });
        })
    });
    publish
}
