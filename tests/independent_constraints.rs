//! Constraints and lookups of four functions, written out by hand.
//!
//! What a row must satisfy follows from the rules of the bytecode alone; here it is
//! as a person would write it down from those rules, column by column. The built
//! system has to say the same on any row: the same constraint values, in whatever
//! order, and the same messages, slot by slot.

use traceloom::abi::field::{Goldilocks, element, word};
use traceloom::abi::system::{Circuit, Direction, Node};
use traceloom::bytecode::CheckedProgram;
use traceloom::bytecode::system::build_system;
use traceloom::bytecode::text::parse;

const PROGRAM: &str = r#"
program "four"
memory 2

fn line(a, b) -> 2 entry {
  p = mul a, b
  z = eq_zero p
  s = add p, z
  k = const 5
  t = mul s, k
  u = sub t, a
  return u, z
}

fn pick(x, y) -> 1 entry {
  match x {
    case 3 {
      q = mul x, y
      return q
    }
    case 10 {
      return y
    }
    default {
      s = add x, y
      e = eq_zero s
      return e
    }
  }
}

fn climb(n, acc) -> 1 entry {
  r, w = match_continue n {
    case 0 { yield acc, n }
    case 7 { return acc }
    default {
      one = const 1
      m = sub n, one
      c = call climb(m, acc)
      t = mul c, n
      yield t, c
    }
  }
  o = mul r, w
  return o
}

fn keep(a, b) -> 3 entry {
  p = store a, b
  c, d = load p
  l, k = u8_add c, d
  u8_range_check l, k
  v = u32_less_than a, l
  assert_eq [d, v], [p, k]
  return l, k, v
}

end
"#;

/// Channels, spelled out: calls, memory, sums of bytes and byte range checks.
const CALL: u64 = 1;
const MEMORY: u64 = 2;
const BYTE_SUM: u64 = 32 + 4;
const RANGE_CHECK: u64 = 32 + 9;

type Row<'a> = &'a [Goldilocks];

/// A lookup on one row: whether it pushes, its multiplicity, its message.
type Message = (bool, Goldilocks, Vec<Goldilocks>);

/// What a person says about one function.
struct ByHand {
    circuit: usize,
    width: usize,
    constraints: fn(Row<'_>) -> Vec<Goldilocks>,
    messages: fn(Row<'_>) -> Vec<Message>,
}

fn n(word: u64) -> Goldilocks {
    element(word)
}

/// Vanishes for 0 and 1.
fn bit(x: Goldilocks) -> Goldilocks {
    x * (x - n(1))
}

/// a, b | selector | multiplicity, product, inverse, is zero.
const LINE: ByHand = ByHand {
    circuit: 0,
    width: 7,
    constraints: |row| {
        let &[a, b, sel, mult, p, d, z] = row else { panic!("line has 7 columns") };
        vec![
            bit(sel),
            sel * (a * b - p),
            sel * (p * z),
            sel * (p * d + z - n(1)),
            // The sum over the only member is the selector once more.
            bit(sel),
            mult * (n(1) - sel),
        ]
    },
    messages: |row| {
        let &[a, b, _, mult, p, _, z] = row else { panic!("line has 7 columns") };
        // One leaf in the whole circuit: arguments are not gated, and a product with
        // a constant needs no column.
        vec![(false, mult, vec![n(CALL), n(0), a, b, n(5) * (p + z) - a, z])]
    },
};

/// x, y | one selector per arm | multiplicity | the arms share four columns: the
/// product; nothing; two inverse witnesses, inverse, is zero.
const PICK: ByHand = ByHand {
    circuit: 1,
    width: 10,
    constraints: |row| {
        let &[x, y, three, ten, other, mult, q_or_inv3, inv10, d, e] = row else {
            panic!("pick has 10 columns")
        };
        let all = three + ten + other;
        vec![
            bit(three),
            bit(ten),
            bit(other),
            // The block of the match, and the row.
            bit(all),
            bit(all),
            mult * (n(1) - all),
            three * (x - n(3)),
            ten * (x - n(10)),
            other * ((x - n(3)) * q_or_inv3 - n(1)),
            other * ((x - n(10)) * inv10 - n(1)),
            three * (x * y - q_or_inv3),
            other * ((x + y) * e),
            other * ((x + y) * d + e - n(1)),
        ]
    },
    messages: |row| {
        let &[x, y, three, ten, other, mult, q, _, _, e] = row else {
            panic!("pick has 10 columns")
        };
        let all = three + ten + other;
        let output = three * q + ten * y + other * e;
        vec![(false, mult, vec![all * n(CALL), all * n(1), all * x, all * y, output])]
    },
};

/// n, acc | selectors of case 0, case 7, default, continuation | multiplicity, rank |
/// default: two inverse witnesses, call output, four gap bytes, product | two merge
/// columns | product of the continuation.
const CLIMB: ByHand = ByHand {
    circuit: 2,
    width: 19,
    constraints: |row| {
        let [num, acc, zero, seven, other, after, mult, _rank] = row[..8] else {
            panic!("climb has 19 columns")
        };
        let [inv0, inv7, c] = row[8..11] else { panic!("climb has 19 columns") };
        let [t, r, w, o] = row[15..] else { panic!("climb has 19 columns") };
        // The continuation's leaf does not count towards the match in front of it.
        let all = zero + seven + other;
        vec![
            bit(zero),
            bit(seven),
            bit(other),
            bit(after),
            bit(all),
            bit(all),
            mult * (n(1) - all),
            zero * num,
            seven * (num - n(7)),
            other * (num * inv0 - n(1)),
            other * ((num - n(7)) * inv7 - n(1)),
            other * (c * num - t),
            all * r - (zero * acc + other * t),
            all * w - (zero * num + other * c),
            after - (zero + other),
            after * (r * w - o),
        ]
    },
    messages: |row| {
        let [num, acc, _, seven, other, after, mult, rank] = row[..8] else {
            panic!("climb has 19 columns")
        };
        let [c, g0, g1, g2, g3] = row[10..15] else { panic!("climb has 19 columns") };
        let o = row[18];
        let returns = seven + after;
        let head = [n(CALL), n(2), rank, num, acc].map(|x| returns * x);
        let gap = g0 + g1 * n(1 << 8) + g2 * n(1 << 16) + g3 * n(1 << 24);
        let call = [n(CALL), n(2), rank - n(1) - gap, num - n(1), acc, c];
        let gated = |message: &[Goldilocks]| message.iter().map(|&x| other * x).collect();
        vec![
            (false, mult, [&head[..], &[seven * acc + after * o]].concat()),
            (true, other, gated(&call)),
            (true, other, gated(&[n(RANGE_CHECK), g0, g1])),
            (true, other, gated(&[n(RANGE_CHECK), g2, g3])),
        ]
    },
};

/// The inverse, by Fermat: x to the p - 2.
fn inverse(x: Goldilocks) -> Goldilocks {
    let exponent = 0xffff_ffff_0000_0001_u64 - 2;
    let square_and_multiply = |power: Goldilocks, bit: u32| {
        power * power * if exponent >> bit & 1 == 1 { x } else { n(1) }
    };
    (0..64).rev().fold(n(1), square_and_multiply)
}

/// Four bytes, the lowest first.
fn pack(bytes: &[Goldilocks]) -> Goldilocks {
    bytes.iter().rev().fold(n(0), |sum, &byte| sum * n(256) + byte)
}

/// The carry of `c + d`, and whether `a` is below the sum's low byte `l`: no borrow of
/// `l - a - 1`, whose four bytes are the middle ones.
fn keep_results(row: Row<'_>) -> [Goldilocks; 2] {
    let [a, _, _, _, _, c, d, l] = row[..8] else { panic!("keep has 20 columns") };
    let carry = (c + d - l) * inverse(n(256));
    let borrow = (pack(&row[12..16]) - (l - a - n(1))) * inverse(n(1 << 32));
    [carry, n(1) - borrow]
}

/// a, b | selector | multiplicity, pointer, two loaded values, low byte of their sum,
/// twelve bytes: of a, of the difference, of the low byte.
const KEEP: ByHand = ByHand {
    circuit: 3,
    width: 20,
    constraints: |row| {
        let [a, _, sel, mult, p, _, d, l] = row[..8] else { panic!("keep has 20 columns") };
        let [carry, less] = keep_results(row);
        vec![
            bit(sel),
            bit(sel),
            mult * (n(1) - sel),
            sel * (a - pack(&row[8..12])),
            sel * (l - pack(&row[16..20])),
            sel * bit(n(1) - less),
            sel * (d - p),
            sel * (less - carry),
        ]
    },
    messages: |row| {
        let [a, b, sel, mult, p, c, d, l] = row[..8] else { panic!("keep has 20 columns") };
        let [carry, less] = keep_results(row);
        let mut messages = vec![
            (false, mult, vec![n(CALL), n(3), a, b, l, carry, less]),
            (true, sel, vec![n(MEMORY), n(2), p, a, b]),
            (true, sel, vec![n(MEMORY), n(2), p, c, d]),
            (true, sel, vec![n(BYTE_SUM), c, d, l]),
            (true, sel, vec![n(RANGE_CHECK), l, carry]),
        ];
        let pairs = row[8..].chunks(2);
        messages.extend(pairs.map(|pair| (true, sel, vec![n(RANGE_CHECK), pair[0], pair[1]])));
        messages
    },
};

/// Values of all nodes on one row; no function looks at the next one.
fn evaluate(circuit: &Circuit, row: Row<'_>) -> Vec<Goldilocks> {
    let mut values: Vec<Goldilocks> = Vec::new();
    for node in circuit.arena.nodes() {
        let of = |expr: &traceloom::abi::system::ExprId| values[expr.0 as usize];
        values.push(match node {
            Node::Constant(value) => *value,
            Node::Main(column) => row[*column as usize],
            Node::Add(a, b) => of(a) + of(b),
            Node::Sub(a, b) => of(a) - of(b),
            Node::Mul(a, b) => of(a) * of(b),
            other => panic!("a function reads its own row, not {other:?}"),
        });
    }
    values
}

fn sorted(values: impl IntoIterator<Item = Goldilocks>) -> Vec<u64> {
    let mut words: Vec<u64> = values.into_iter().map(word).collect();
    words.sort_unstable();
    words
}

fn compare(by_hand: &ByHand) {
    let program = parse(PROGRAM).expect("it parses");
    let program = CheckedProgram::new(program).expect("it is valid");
    let system = build_system(&program);
    let circuit = &system.circuits[by_hand.circuit];
    assert_eq!(circuit.width, by_hand.width, "{}", circuit.name);
    let mut state = 1_u64;
    let mut random = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        element(state ^ (state >> 29))
    };
    for _ in 0..100 {
        let row: Vec<Goldilocks> = (0..circuit.width).map(|_| random()).collect();
        let values = evaluate(circuit, &row);
        let constraints = circuit.constraints.iter().map(|c| values[c.expr.0 as usize]);
        assert_eq!(sorted(constraints), sorted((by_hand.constraints)(&row)), "{}", circuit.name);
        let messages = circuit.lookups.iter().map(|lookup| {
            let message = lookup.arguments.iter().map(|a| values[a.0 as usize]).collect();
            let push = lookup.direction == Direction::Push;
            (push, values[lookup.multiplicity.0 as usize], message)
        });
        let messages: Vec<Message> = messages.collect();
        assert_eq!(messages, (by_hand.messages)(&row), "{}", circuit.name);
    }
}

#[test]
fn straight_line_code_with_a_product_and_a_zero_test() {
    compare(&LINE);
}

#[test]
fn a_match_with_a_default() {
    compare(&PICK);
}

#[test]
fn a_match_with_continuation_and_a_recursive_call() {
    compare(&CLIMB);
}

#[test]
fn memory_bytes_and_a_comparison_of_words() {
    compare(&KEEP);
}
