//! The programs whose systems lose items: every kind of constraint and of lookup.
//!
//! All functions are entries and rows answer claims, so that a forged row can be
//! claimed. Heights leave room for padding, where rows can be hidden.

use traceloom_bytecode::model::FunctionId;
use traceloom_bytecode::text;

use super::Subject;
use crate::case::Case;

/// Name, text, claims by function name.
type Fixed = (&'static str, &'static str, &'static [(&'static str, &'static [u64])]);

const ALL: &[Fixed] = &[
    (
        "arithmetic",
        ARITHMETIC,
        &[("main", &[3, 3]), ("main", &[5, 2]), ("main", &[0, 1]), ("same", &[4, 4])],
    ),
    (
        "control",
        CONTROL,
        &[
            ("plain", &[0, 4]),
            ("plain", &[9, 4]),
            ("plain", &[7, 4]),
            ("plain", &[8, 4]),
            ("plain", &[8, 5]),
            ("nest", &[0, 1]),
            ("nest", &[0, 3]),
            ("nest", &[1, 5]),
            ("nest", &[2, 5]),
            ("nest", &[4, 6]),
        ],
    ),
    (
        "bytes",
        BYTES,
        &[("unary", &[77]), ("main", &[200, 100]), ("main", &[3, 250]), ("main", &[7, 7])],
    ),
    (
        "memory",
        MEMORY,
        &[
            ("main", &[1, 2]),
            ("main", &[3, 4]),
            ("main", &[5, 6]),
            ("main", &[7, 8]),
            ("main", &[9, 10]),
        ],
    ),
    ("calls", CALLS, &[("even", &[8]), ("square", &[9]), ("odd", &[9]), ("outside", &[2])]),
    ("gaps", GAPS, &[("fork", &[4]), ("fork", &[2])]),
    (
        "group",
        GROUP,
        &[("f", &[5]), ("f", &[6]), ("g", &[0, 3]), ("g", &[1, 3]), ("g", &[2, 4]), ("g", &[2, 5])],
    ),
    (
        "advice",
        ADVICE,
        &[("main", &[6]), ("main", &[8]), ("main", &[0]), ("main", &[9]), ("main", &[10])],
    ),
];

/// All subjects.
///
/// # Panics
/// If a text below is no program.
#[must_use]
pub fn all() -> Vec<Subject> {
    let subject = |&(name, source, claims): &Fixed| {
        let program = text::parse(source).unwrap_or_else(|error| panic!("{name}: {error}"));
        let claims = claims.iter().map(|(function, args)| {
            let id = program.functions.iter().position(|f| f.name == *function);
            let id = id.unwrap_or_else(|| panic!("{name} has no {function}"));
            (FunctionId(id as u32), args.to_vec())
        });
        let claims = claims.collect();
        Subject::new(name, &Case { seed: 0, program, claims, input: Vec::new() })
    };
    ALL.iter().map(subject).collect()
}

const ARITHMETIC: &str = r#"
program "arithmetic"
fn main(x, y) -> 3 entry {
  s = add x, y
  d = sub x, y
  m = mul s, d
  z = eq_zero d
  w = eq_zero x
  return m, z, w
}
fn same(x, y) -> 1 entry {
  assert_eq x, y
  return x
}
end
"#;

const CONTROL: &str = r#"
program "control"
fn plain(x, y) -> 1 entry {
  match x {
    case 0 { return y }
    case 9 {
      z = mul y, y
      return z
    }
    default { return x }
  }
}
fn nest(x, y) -> 1 entry {
  a, b = match_continue x {
    case 0 {
      c = match_continue y {
        case 1 { yield x }
        default { yield y }
      }
      yield c, x
    }
    case 1 { return y }
    case 2 { yield y, y }
    default {
      d = mul x, y
      yield d, y
    }
  }
  e = mul a, b
  return e
}
end
"#;

const BYTES: &str = r#"
program "bytes"
fn unary(a) -> 3 entry {
  x0..x7 = u8_bit_decomposition a
  l = u8_shift_left a
  r = u8_shift_right a
  return x3, l, r
}
fn main(a, b) -> 10 entry {
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
  c = u32_less_than a, b
  return e, f, g, h, j, m, o, q, t, c
}
end
"#;

/// Width 1 is stored as advice only, so its rows are asked for by nobody.
const MEMORY: &str = r#"
program "memory"
memory 1, 2
fn main(x, y) -> 3 entry {
  q = store x, y
  b, c = load q
  v = call_unconstrained scratch(x)
  return q, b, c
}
fn scratch(x) -> 1 unconstrained {
  p = store x
  return x
}
end
"#;

const CALLS: &str = r#"
program "calls"
fn even(n) -> 1 entry {
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
fn odd(n) -> 1 entry {
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
fn square(x) -> 1 entry {
  y = mul x, x
  return y
}
fn outside(n) -> 2 entry {
  s = call square(n)
  e = call even(n)
  return s, e
}
end
"#;

/// Two calls on one path, so their gaps have columns.
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

const GROUP: &str = r#"
program "group"
memory 1
circuit f, g
fn f(x) -> 1 entry {
  y = mul x, x
  return y
}
fn g(x, y) -> 1 entry {
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

const ADVICE: &str = r#"
program "advice"
fn main(x) -> 2 entry {
  match x {
    case 0 { return x, x }
    default {
      one = const 1
      i = hint_inverse x
      u = mul i, x
      assert_eq u, one
      b0..b7 = hint_field_to_bytes x
      u8_range_check b0, b1
      u8_range_check b2, b3
      low = u32_to_field b0..b3
      assert_eq low, x
      s0..s3, c = hint_u32_add [b0..b3], [b0..b3]
      u8_range_check s0, s1
      u8_range_check s2, s3
      o = sub c, one
      z = mul o, c
      zero = const 0
      assert_eq z, zero
      return i, s0
    }
  }
}
end
"#;
