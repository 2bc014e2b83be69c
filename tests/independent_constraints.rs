//! Constraints and lookups of five functions, of a circuit of two functions, and of a
//! memory, written out by hand.
//!
//! What a row must satisfy follows from the rules of the bytecode alone; here it is
//! as a person would write it down from those rules, column by column. The built
//! system has to say the same on any row: the same constraint values, in whatever
//! order, and the same messages, slot by slot. Without any one of its constraints, or
//! of its lookups, it no longer does.

use std::collections::BTreeSet;

use traceloom::air::field::{Goldilocks, element, word};
use traceloom::air::system::{Circuit, Direction, Node};
use traceloom::bytecode::CheckedProgram;
use traceloom::bytecode::system::build_system;
use traceloom::bytecode::text::parse;

const PROGRAM: &str = r#"
program "five"
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

fn fork(n) -> 1 entry {
  match n {
    case 0 { return n }
    default {
      one = const 1
      m = sub n, one
      c = call fork(m)
      d = call fork(c)
      return d
    }
  }
}

end
"#;

/// Two functions that share rows.
const SHARED: &str = r#"
program "shared"
memory 1
circuit square, cell

fn square(x) -> 1 entry {
  y = mul x, x
  return y
}

fn cell(x, y) -> 1 entry {
  match x {
    case 0 { return y }
    default {
      p = store y
      return p
    }
  }
}

end
"#;

/// Channels, spelled out: calls, memory, sums of bytes, range checks of bytes and of limbs.
const CALL: u64 = 1;
const MEMORY: u64 = 2;
const BYTE_SUM: u64 = 32 + 4;
const RANGE_CHECK: u64 = 32 + 9;
const LIMB_CHECK: u64 = 32 + 10;

type Row<'a> = &'a [Goldilocks];

/// All that a constraint may read: this row, the next one, selectors, public values.
struct Point {
    row: Vec<Goldilocks>,
    next: Vec<Goldilocks>,
    /// Nonzero on the first row only.
    first: Goldilocks,
    /// Zero on the last row only.
    transition: Goldilocks,
    /// The first pointer of a memory.
    public: Goldilocks,
}

/// A lookup on one row: whether it pushes, its multiplicity, its message.
type Message = (bool, Goldilocks, Vec<Goldilocks>);

/// What a person says about one circuit.
struct ByHand {
    program: &'static str,
    circuit: usize,
    width: usize,
    constraints: fn(&Point) -> Vec<Goldilocks>,
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
    program: PROGRAM,
    circuit: 0,
    width: 7,
    constraints: |Point { row, .. }| {
        let &[a, b, sel, mult, p, d, z] = &row[..] else { panic!("line has 7 columns") };
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
        // One leaf returns: arguments are not gated, and a product with a constant
        // needs no column.
        vec![(false, mult, vec![n(CALL), n(0), a, b, n(5) * (p + z) - a, z])]
    },
};

/// x, y | one selector per arm | multiplicity | the arms share four columns: the
/// product; nothing; two inverse witnesses, inverse, is zero.
const PICK: ByHand = ByHand {
    program: PROGRAM,
    circuit: 1,
    width: 10,
    constraints: |Point { row, .. }| {
        let &[x, y, three, ten, other, mult, q_or_inv3, inv10, d, e] = &row[..] else {
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
/// default: two inverse witnesses, call output, product | two merge columns | product of
/// the continuation. No path has a second call, so this one has no gap.
const CLIMB: ByHand = ByHand {
    program: PROGRAM,
    circuit: 2,
    width: 15,
    constraints: |Point { row, .. }| {
        let &[num, acc, zero, seven, other, after, mult, _, inv0, inv7, c, t, r, w, o] = &row[..]
        else {
            panic!("climb has 15 columns")
        };
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
        let &[num, acc, _, seven, other, after, mult, rank, _, _, c, _, _, _, o] = row else {
            panic!("climb has 15 columns")
        };
        let returns = seven + after;
        let head = [n(CALL), n(2), rank, num, acc].map(|x| returns * x);
        let call = [n(CALL), n(2), rank - n(1), num - n(1), acc, c];
        // Two leaves return, the default alone calls.
        vec![
            (false, mult, [&head[..], &[seven * acc + after * o]].concat()),
            (true, other, call.to_vec()),
        ]
    },
};

/// n | selectors of case 0, default | multiplicity, rank | default: inverse witness, then
/// per call its output and two gap limbs.
const FORK: ByHand = ByHand {
    program: PROGRAM,
    circuit: 4,
    width: 12,
    constraints: |Point { row, .. }| {
        let [num, zero, other, mult, _, inv0] = row[..6] else { panic!("fork has 12 columns") };
        let all = zero + other;
        vec![
            bit(zero),
            bit(other),
            bit(all),
            bit(all),
            mult * (n(1) - all),
            zero * num,
            other * (num * inv0 - n(1)),
        ]
    },
    messages: |row| {
        let [num, zero, other, mult, rank, _, c] = row[..7] else { panic!("fork has 12 columns") };
        let (d, gap_c, gap_d) = (row[9], &row[7..9], &row[10..]);
        let head = [n(CALL), n(4), rank, num].map(|x| (zero + other) * x);
        // Two leaves return, the default alone calls and checks.
        let mut messages = vec![(false, mult, [&head[..], &[zero * num + other * d]].concat())];
        for (input, output, gap) in [(num - n(1), c, gap_c), (c, d, gap_d)] {
            let asked = rank - n(1) - limbs(gap);
            messages.push((true, other, vec![n(CALL), n(4), asked, input, output]));
            messages.extend(gap.iter().map(|&g| (true, other, vec![n(LIMB_CHECK), g])));
        }
        messages
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

/// Two limbs of 16 bits, the lower one first.
fn limbs(limbs: &[Goldilocks]) -> Goldilocks {
    limbs[0] + limbs[1] * n(1 << 16)
}

/// The carry of `c + d`, and whether `a` is below the sum's low byte `l`: no borrow of
/// `l - a - 1`, whose two limbs are the middle ones.
fn keep_results(row: Row<'_>) -> [Goldilocks; 2] {
    let [a, _, _, _, _, c, d, l] = row[..8] else { panic!("keep has 14 columns") };
    let carry = (c + d - l) * inverse(n(256));
    let borrow = (limbs(&row[10..12]) - (l - a - n(1))) * inverse(n(1 << 32));
    [carry, n(1) - borrow]
}

/// a, b | selector | multiplicity, pointer, two loaded values, low byte of their sum,
/// six limbs: of a, of the difference, of the low byte.
const KEEP: ByHand = ByHand {
    program: PROGRAM,
    circuit: 3,
    width: 14,
    constraints: |Point { row, .. }| {
        let [a, _, sel, mult, p, _, d, l] = row[..8] else { panic!("keep has 14 columns") };
        let [carry, less] = keep_results(row);
        vec![
            bit(sel),
            bit(sel),
            mult * (n(1) - sel),
            sel * (a - limbs(&row[8..10])),
            sel * (l - limbs(&row[12..14])),
            sel * bit(n(1) - less),
            sel * (d - p),
            sel * (less - carry),
        ]
    },
    messages: |row| {
        let [a, b, sel, mult, p, c, d, l] = row[..8] else { panic!("keep has 14 columns") };
        let [carry, less] = keep_results(row);
        let mut messages = vec![
            (false, mult, vec![n(CALL), n(3), a, b, l, carry, less]),
            (true, sel, vec![n(MEMORY), n(2), p, a, b]),
            (true, sel, vec![n(MEMORY), n(2), p, c, d]),
            (true, sel, vec![n(BYTE_SUM), c, d, l]),
            (true, sel, vec![n(RANGE_CHECK), l, carry]),
        ];
        messages.extend(row[8..].iter().map(|&limb| (true, sel, vec![n(LIMB_CHECK), limb])));
        messages
    },
};

/// Row selector: square | cell, case 0 | cell, default.
///
/// x, or x and y | selectors of square, case 0, default | multiplicity | square: the
/// product; default: inverse witness, pointer.
///
/// The members share columns, so all constraints are gated. They share the slot of the
/// return too; the store has a slot of its own.
const TOGETHER: ByHand = ByHand {
    program: SHARED,
    circuit: 0,
    width: 8,
    constraints: |point| {
        let &[x, _, square, zero, other, mult, product_or_inv, _] = &point.row[..] else {
            panic!("the two have 8 columns")
        };
        let cell = zero + other;
        let all = square + cell;
        vec![
            bit(square),
            bit(zero),
            bit(other),
            // The block of the match, and the row of either member.
            bit(cell),
            bit(all),
            mult * (n(1) - all),
            square * (x * x - product_or_inv),
            zero * x,
            other * (x * product_or_inv - n(1)),
        ]
    },
    messages: |row| {
        let &[x, y, square, zero, other, mult, product, p] = row else {
            panic!("the two have 8 columns")
        };
        let cell = zero + other;
        // square returns [channel, 0, x, x*x], cell [channel, 1, x, y, output].
        let returns = vec![
            (square + cell) * n(CALL),
            square * n(0) + cell * n(1),
            (square + cell) * x,
            square * product + cell * y,
            zero * y + other * p,
        ];
        let store = vec![n(MEMORY), n(1), p, y];
        vec![(false, mult, returns), (true, other, store)]
    },
};

/// Multiplicity, pointer | two values. No row is special: pointers count through all.
const TABLE: ByHand = ByHand {
    program: PROGRAM,
    circuit: 5,
    width: 4,
    constraints: |point| {
        let &[_, pointer, _, _] = &point.row[..] else { panic!("it has 4 columns") };
        let &[_, next_pointer, _, _] = &point.next[..] else { panic!("it has 4 columns") };
        vec![
            point.transition * (next_pointer - pointer - n(1)),
            point.first * (pointer - point.public),
        ]
    },
    messages: |row| {
        let &[mult, pointer, v, w] = row else { panic!("it has 4 columns") };
        vec![(false, mult, vec![n(MEMORY), n(2), pointer, v, w])]
    },
};

const ALL: [&ByHand; 7] = [&LINE, &PICK, &CLIMB, &KEEP, &FORK, &TOGETHER, &TABLE];

/// Values of all nodes at one point.
fn evaluate(circuit: &Circuit, point: &Point) -> Vec<Goldilocks> {
    let mut values: Vec<Goldilocks> = Vec::new();
    for node in circuit.arena.nodes() {
        let of = |expr: &traceloom::air::system::ExprId| values[expr.0 as usize];
        values.push(match node {
            Node::Constant(value) => *value,
            Node::Main(column) => point.row[*column as usize],
            Node::MainNext(column) => point.next[*column as usize],
            Node::Public(0) => point.public,
            Node::IsFirstRow => point.first,
            Node::IsTransition => point.transition,
            Node::Add(a, b) => of(a) + of(b),
            Node::Sub(a, b) => of(a) - of(b),
            Node::Mul(a, b) => of(a) * of(b),
            other => panic!("no circuit here reads {other:?}"),
        });
    }
    values
}

fn sorted(values: impl IntoIterator<Item = Goldilocks>) -> Vec<u64> {
    let mut words: Vec<u64> = values.into_iter().map(word).collect();
    words.sort_unstable();
    words
}

impl ByHand {
    fn circuit(&self) -> Circuit {
        let program = parse(self.program).expect("it parses");
        let program = CheckedProgram::new(program).expect("it is valid");
        build_system(&program).circuits.swap_remove(self.circuit)
    }

    /// Whether a circuit says what is written here.
    fn compare(&self, circuit: &Circuit) -> Result<(), &'static str> {
        if circuit.width != self.width {
            return Err("width");
        }
        let mut state = 1_u64;
        let mut random = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            element(state ^ (state >> 29))
        };
        for _ in 0..100 {
            let mut row = || (0..circuit.width).map(|_| random()).collect();
            let (row, next) = (row(), row());
            let [first, transition, public] = std::array::from_fn(|_| random());
            let point = Point { row, next, first, transition, public };
            let values = evaluate(circuit, &point);
            let constraints = circuit.constraints.iter().map(|c| values[c.expr.0 as usize]);
            if sorted(constraints) != sorted((self.constraints)(&point)) {
                return Err("constraints");
            }
            let messages = circuit.lookups.iter().map(|lookup| {
                let message = lookup.arguments.iter().map(|a| values[a.0 as usize]).collect();
                let push = lookup.direction == Direction::Push;
                (push, values[lookup.multiplicity.0 as usize], message)
            });
            if messages.collect::<Vec<Message>>() != (self.messages)(&point.row) {
                return Err("messages");
            }
        }
        Ok(())
    }
}

#[test]
fn straight_line_code_with_a_product_and_a_zero_test() {
    assert_eq!(LINE.compare(&LINE.circuit()), Ok(()));
}

#[test]
fn a_match_with_a_default() {
    assert_eq!(PICK.compare(&PICK.circuit()), Ok(()));
}

#[test]
fn a_match_with_continuation_and_a_recursive_call() {
    assert_eq!(CLIMB.compare(&CLIMB.circuit()), Ok(()));
}

#[test]
fn two_recursive_calls_on_one_path() {
    assert_eq!(FORK.compare(&FORK.circuit()), Ok(()));
}

#[test]
fn memory_bytes_and_a_comparison_of_words() {
    assert_eq!(KEEP.compare(&KEEP.circuit()), Ok(()));
}

#[test]
fn two_functions_that_share_rows() {
    assert_eq!(TOGETHER.compare(&TOGETHER.circuit()), Ok(()));
}

#[test]
fn a_memory() {
    assert_eq!(TABLE.compare(&TABLE.circuit()), Ok(()));
}

/// Limbs of 16 bits have no column: each is the number of a row of the table of pairs.
#[test]
fn every_limb_is_provided_by_one_row() {
    let program = CheckedProgram::new(parse(PROGRAM).unwrap()).unwrap();
    let system = build_system(&program);
    let table = system.circuits.last().expect("it has circuits");
    assert_eq!(table.name, "bytes2");
    let limbs = table.lookups.last().expect("it has lookups");
    assert_eq!(limbs.direction, Direction::Pull);
    assert_eq!(table.arena.node(limbs.multiplicity), Node::Main(table.width as u32 - 1));
    let fixed = table.preprocessed().expect("it is a table").preprocessed();
    let width = table.preprocessed_width();
    for (row, cells) in fixed.chunks(width).enumerate() {
        let value = |id: traceloom::air::system::ExprId| {
            let mut values: Vec<Goldilocks> = Vec::new();
            for node in &table.arena.nodes()[..=id.0 as usize] {
                let of = |expr: &traceloom::air::system::ExprId| values[expr.0 as usize];
                values.push(match node {
                    Node::Constant(value) => *value,
                    Node::Preprocessed(column) => n(cells[*column as usize]),
                    Node::Main(_) => n(0),
                    Node::Add(a, b) => of(a) + of(b),
                    Node::Mul(a, b) => of(a) * of(b),
                    other => panic!("no byte table reads {other:?}"),
                });
            }
            values[id.0 as usize]
        };
        let message: Vec<Goldilocks> = limbs.arguments.iter().map(|&id| value(id)).collect();
        assert_eq!(message, [n(LIMB_CHECK), n(row as u64)]);
    }
}

/// The builder of functions has 14 places that add a constraint, that of memories two.
/// Each has a label of its own and adds something to a circuit here, so this is what
/// happens where a place is forgotten. The lookups are returns, calls, stores, loads,
/// byte operations and range checks.
#[test]
fn whatever_is_left_out_is_noticed() {
    let (mut count, mut kinds) = (0, BTreeSet::new());
    for by_hand in ALL {
        let circuit = by_hand.circuit();
        for position in 0..circuit.constraints.len() {
            let mut less = circuit.clone();
            let lost = less.constraints.remove(position).label;
            assert_eq!(by_hand.compare(&less), Err("constraints"), "{}: {lost}", circuit.name);
            // Function, block and operation stand in front.
            let kind = lost.rsplit([':', ',']).next().map(|kind| kind.trim().to_owned());
            kinds.extend(kind);
            count += 1;
        }
        for position in 0..circuit.lookups.len() {
            let mut less = circuit.clone();
            let lost = less.lookups.remove(position).label;
            assert_eq!(by_hand.compare(&less), Err("messages"), "{}: {lost}", circuit.name);
            count += 1;
        }
    }
    println!("{count} constraints and lookups left out");
    assert_eq!(kinds.len(), 14 + 2, "{kinds:#?}");
    assert!(count >= 74, "{count}");
}
