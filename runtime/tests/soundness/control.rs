//! Families of control: selectors, sums, cases, defaults, merges, continuations.

use crate::lab::{Lab, minus, quotient};

/// Function 1 lies between two members of a group.
const BETWEEN: &str = r#"
program "between"
circuit f, g
circuit h
fn f(x) -> 1 entry {
  ten = const 10
  return ten
}
fn h(x) -> 1 entry {
  y = mul x, x
  return y
}
fn g(x) -> 1 entry {
  twenty = const 20
  return twenty
}
end
"#;

/// Half a row of f and half a row of g are a whole return of h.
#[test]
fn control_a_selector_is_a_bit() {
    let mut lab = Lab::empty(BETWEEN);
    let half = quotient(1, 2);
    let row = [("input0", 5), ("selector0", half), ("selector1", half), ("multiplicity", 1)];
    lab.add_row("f+g", &row);
    lab.claim("h", None, &[5], &[15]);
    lab.refused_only_by("f+g", "a selector is a bit");
}

#[test]
fn control_the_row_selector_is_a_bit() {
    let mut lab = Lab::new(BETWEEN, &[("f", &[5])]);
    // A row of two members at once, which provides nothing.
    let both = [("selector0", 1), ("selector1", 1)];
    lab.add_row("f+g", &both);
    lab.refused_only_by("f+g", "the row selector is a bit");
}

const NESTED: &str = r#"
program "nested"
fn nested(x, y) -> 1 entry {
  match x {
    case 0 {
      match y {
        case 1 { return x }
        case 2 { return y }
        default { return y }
      }
    }
    default { return x }
  }
}
end
"#;

#[test]
fn control_a_selector_sum_is_a_bit() {
    let mut lab = Lab::new(NESTED, &[("nested", &[0, 1])]);
    lab.accepted();
    lab.set("nested", 0, "selector1", 1);
    lab.refused("selector sum is a bit");
    // Two arms of which only one fits do not pass by the sum alone.
    lab.without("nested", "is a bit").refused_by_check("case has its key");
}

const PICK: &str = r#"
program "pick"
fn pick(x) -> 1 entry {
  match x {
    case 0 {
      a = const 10
      return a
    }
    case 1 {
      a = const 20
      return a
    }
    default {
      a = const 30
      return a
    }
  }
}
end
"#;

#[test]
fn control_a_case_is_taken_only_for_its_key() {
    for (x, selector, lie) in [(7, "selector0", 10), (1, "selector0", 10), (0, "selector1", 20)] {
        let mut lab = Lab::empty(PICK);
        lab.add_row("pick", &[("input0", x), (selector, 1), ("multiplicity", 1)]);
        lab.claim("pick", None, &[x], &[lie]);
        lab.refused_only_by("pick", "case has its key");
    }
}

#[test]
fn control_a_default_is_not_taken_for_a_key() {
    // The other key's inverse witness is right; this key has none.
    for (x, other, inverse) in [(0, "auxiliary2", minus(1)), (1, "auxiliary1", 1)] {
        for witness in [0, 1, 77] {
            let mut lab = Lab::empty(PICK);
            let mine = if other == "auxiliary2" { "auxiliary1" } else { "auxiliary2" };
            let cells = [("input0", x), ("selector2", 1), ("multiplicity", 1)];
            let row = lab.add_row("pick", &cells);
            lab.set("pick", row, other, inverse);
            lab.set("pick", row, mine, witness);
            lab.claim("pick", None, &[x], &[30]);
            if witness == 0 {
                lab.refused_only_by("pick", "default differs from the key");
            }
            lab.refused_by_check("default differs from the key");
        }
    }
}

const JOIN: &str = r#"
program "join"
fn join(x) -> 1 entry {
  r = match_continue x {
    case 0 {
      a = const 10
      yield a
    }
    default { yield x }
  }
  y = mul r, x
  return y
}
end
"#;

/// Columns: input, three selectors, multiplicity, inverse witness, merge, product.
#[test]
fn control_a_merge_column_is_the_yielded_value() {
    let mut lab = Lab::new(JOIN, &[("join", &[7])]);
    lab.accepted();
    assert_eq!(lab.get("join", 0, "auxiliary2"), 7);
    lab.set("join", 0, "auxiliary2", 9);
    lab.set("join", 0, "auxiliary3", 63);
    lab.claim_output(0, 0, 63);
    lab.refused_only_by("join", "merge column is the yielded value");
    // Nor is it what another arm yields.
    lab.set("join", 0, "auxiliary2", 10);
    lab.set("join", 0, "auxiliary3", 70);
    lab.claim_output(0, 0, 70);
    lab.refused_by_check("merge column is the yielded value");
}

/// A row that returns early and goes on returns twice: added up, two returns of
/// function 1 are a memory row of width 2.
#[test]
fn control_a_continuation_is_on_only_after_a_yield() {
    let source = r#"
        program "early"
        memory 2
        fn peek(p) -> 1 entry {
          a, b = load p
          return a
        }
        fn early(x) -> 1 entry {
          r = match_continue x {
            case 0 {
              ten = const 10
              return ten
            }
            default { yield x }
          }
          return r
        }
        end
    "#;
    let mut lab = Lab::empty(source);
    let row = [("selector0", 1), ("selector2", 1), ("multiplicity", 1)];
    lab.add_row("early", &row);
    // Nothing was ever stored, and yet something is loaded.
    lab.add_row("peek", &[("selector0", 1), ("multiplicity", 1), ("auxiliary1", 10)]);
    lab.claim("peek", None, &[0], &[10]);
    lab.refused_only_by("early", "continuation follows the yields");
}

#[test]
fn control_a_continuation_is_not_skipped() {
    let mut lab = Lab::new(JOIN, &[("join", &[7])]);
    lab.set("join", 0, "selector2", 0);
    lab.refused("continuation follows the yields");
    // Nor does it stand alone.
    let mut lab = Lab::new(JOIN, &[("join", &[7])]);
    lab.set("join", 0, "selector1", 0);
    lab.refused_by_check("continuation follows the yields");
}
