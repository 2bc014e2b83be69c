//! Small programs that have, together, every operation and every form of control.
//! Those without byte tables come first: their proofs are quick.

use crate::lab::Lab;

/// Every operation and form of control by name.
pub const FORMS: &[&str] = &[
    "const",
    "add",
    "sub",
    "mul",
    "eq_zero",
    "call",
    "call_unconstrained",
    "store",
    "load",
    "assert_eq",
    "io_get_info",
    "io_set_info",
    "io_read",
    "io_write",
    "u8_bit_decomposition",
    "u8_shift_left",
    "u8_shift_right",
    "u8_xor",
    "u8_and",
    "u8_or",
    "u8_less_than",
    "u8_add",
    "u8_sub",
    "u8_mul",
    "u8_xor_split7",
    "u8_xor_split4",
    "u8_range_check",
    "u32_less_than",
    "u32_to_field",
    "hint_u32_add",
    "hint_u32_add3",
    "hint_field_to_bytes",
    "hint_inverse",
    "hint_biguint_div_rem",
    "debug",
    "return",
    "yield",
    "match",
    "match_continue",
    "only a default",
];

/// Name and honest witness of each.
pub fn all() -> Vec<(&'static str, Lab)> {
    vec![
        (
            "arithmetic",
            Lab::new(ARITHMETIC, &[("main", &[3, 3]), ("main", &[5, 2]), ("main", &[0, 1])]),
        ),
        (
            "control",
            Lab::new(
                CONTROL,
                &[
                    ("main", &[0, 0]),
                    ("main", &[0, 3]),
                    ("main", &[1, 7]),
                    ("main", &[4, 5]),
                    ("main", &[4, 6]),
                    ("only", &[3]),
                    ("nest", &[0, 1]),
                    ("nest", &[0, 2]),
                    ("nest", &[0, 5]),
                    ("nest", &[4, 9]),
                    ("nest", &[7, 9]),
                ],
            ),
        ),
        ("memory", Lab::new(MEMORY, &[("main", &[1, 2]), ("main", &[3, 4]), ("main", &[5, 5])])),
        (
            "advice",
            Lab::with_input(
                ADVICE,
                &[("main", &[5, 6]), ("main", &[7, 6]), ("main", &[9, 1])],
                &[11, 12, 13],
            ),
        ),
        ("group", Lab::new(GROUP, &[("f", &[5]), ("g", &[1, 2, 3]), ("f", &[6])])),
        ("ranks", Lab::new(RANKS, &[("main", &[2]), ("main", &[3])])),
        ("gaps", Lab::new(GAPS, &[("fork", &[3])])),
        (
            "bytes",
            Lab::new(BYTES, &[("main", &[200, 100]), ("main", &[3, 250]), ("main", &[7, 7])]),
        ),
    ]
}

const ARITHMETIC: &str = r#"
program "arithmetic"
fn main(x, y) -> 3 entry {
  two = const 2
  s = add x, y
  d = sub x, y
  m = mul s, d
  n = mul d, s
  t = mul two, m
  z = eq_zero d
  w = eq_zero x
  assert_eq [m, two], [n, two], "products commute"
  q = call square(m)
  return t, z, q
}
fn square(x) -> 1 {
  y = mul x, x
  return y
}
end
"#;

const CONTROL: &str = r#"
program "control"
fn main(x, y) -> 2 entry {
  a, b = match_continue x {
    case 0 {
      p = mul y, y
      yield p, y
    }
    case 1 { return x, y }
    default {
      match y {
        case 5 { yield x, x }
        default {
          e = eq_zero x
          q = mul y, x
          yield q, e
        }
      }
    }
  }
  c = match_continue a {
    case 0 { yield b }
    default {
      d = mul a, b
      yield d
    }
  }
  r = mul c, a
  return r, b
}
fn only(x) -> 1 entry {
  match x {
    default {
      y = mul x, x
      return y
    }
  }
}
fn nest(x, y) -> 1 entry {
  a = match_continue x {
    case 0 {
      b = match_continue y {
        case 1 { yield x }
        case 2 { return y }
        default { yield y }
      }
      c = mul b, y
      yield c
    }
    default {
      b = match_continue y {
        default { yield x }
      }
      match b {
        case 4 { yield b }
        default { return x }
      }
    }
  }
  d = mul a, a
  return d
}
end
"#;

const MEMORY: &str = r#"
program "memory"
memory 1, 2
fn main(x, y) -> 3 entry {
  p = store x
  q = store x, y
  a = load p
  b, c = load q
  u = call_unconstrained scratch(y)
  v = call_unconstrained scratch(x)
  assert_eq v, x
  return a, b, c
}
fn scratch(x) -> 1 unconstrained {
  one = const 1
  z = add x, one
  p = store x, z
  a, b = load p
  return a
}
end
"#;

/// The quotient is loaded, the remainder and the io are not, of one sum a byte is
/// read and of the other the carry.
const ADVICE: &str = r#"
program "advice"
memory 10
fn main(x, y) -> 4 entry {
  zero = const 0
  one = const 1
  i, n = io_get_info zero, []
  w0..w2 = io_read zero, i
  io_set_info one, x, zero, zero
  io_write one, x, y
  debug "words", w0, w1
  inverse = hint_inverse x
  unit = mul inverse, x
  assert_eq unit, one
  unread = hint_inverse y
  h0..h7 = hint_field_to_bytes x
  low = u32_to_field h0..h3
  assert_eq low, x
  s0..s3, s4 = hint_u32_add [h0..h3], [h4..h7]
  t0..t3, t4 = hint_u32_add3 [h0..h3], [h4..h7], [h0..h3]
  e = store one, zero, zero, zero, zero, zero, zero, zero, zero, zero
  a = store zero, x, zero, zero, zero, zero, zero, zero, zero, e
  b = store zero, y, zero, zero, zero, zero, zero, zero, zero, e
  q, r = hint_biguint_div_rem a, b
  m0..m9 = load q
  sum = add w1, w0
  return m1, s4, t2, sum
}
end
"#;

const GROUP: &str = r#"
program "group"
memory 1
circuit f, g
fn f(x) -> 1 entry {
  y = mul x, x
  return y
}
fn g(x, y, z) -> 1 entry {
  p = store x
  match y {
    case 0 { return p }
    case 2 {
      a = mul x, z
      b = mul a, a
      return b
    }
    default { return x }
  }
}
end
"#;

const RANKS: &str = r#"
program "ranks"
circuit main
circuit even, odd
fn main(n) -> 1 entry {
  e = call even(n)
  return e
}
fn even(n) -> 1 {
  match n {
    case 0 {
      one = const 1
      return one
    }
    default {
      one = const 1
      m = sub n, one
      o = call odd(m)
      return o
    }
  }
}
fn odd(n) -> 1 {
  match n {
    case 0 { return n }
    default {
      one = const 1
      m = sub n, one
      e = call even(m)
      return e
    }
  }
}
end
"#;

/// Two calls on one path: their gaps have columns.
const GAPS: &str = r#"
program "gaps"
fn fork(n) -> 1 entry {
  match n {
    case 0 { return n }
    default {
      one = const 1
      m = sub n, one
      a = call fork(m)
      b = call fork(a)
      return b
    }
  }
}
end
"#;

const BYTES: &str = r#"
program "bytes"
fn main(a, b) -> 4 entry {
  x0..x7 = u8_bit_decomposition a
  l = u8_shift_left a
  r = u8_shift_right a
  e = u8_xor a, b
  f = u8_and a, b
  g = u8_or a, b
  h = u8_less_than a, b
  i, j = u8_add a, b
  k, m = u8_sub a, b
  n, o = u8_mul a, b
  p, q = u8_xor_split7 a, b
  s, t = u8_xor_split4 a, b
  u8_range_check a, b
  w = u32_to_field i, k, n, o
  c = u32_less_than a, b
  return w, c, j, m
}
end
"#;
