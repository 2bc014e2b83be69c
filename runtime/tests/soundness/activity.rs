//! Rule 1, activity: a function's row that is off provides nothing.

use crate::lab::{Lab, minus};

const SQUARE: &str = r#"
program "square"
fn square(x) -> 1 entry {
  y = mul x, x
  return y
}
end
"#;

const OFF: &str = "no multiplicity without row selector";

#[test]
fn rule_1_a_row_with_its_selector_off_returns_nothing() {
    let mut lab = Lab::new(SQUARE, &[("square", &[5])]);
    lab.accepted();
    lab.set("square", 0, "selector0", 0);
    lab.set("square", 0, "auxiliary1", 99);
    lab.claim_output(0, 0, 99);
    let report = lab.check();
    assert_eq!((report.num_constraints, report.num_messages), (1, 0), "{report}");
    lab.refused_only_by("square", OFF);
}

#[test]
fn rule_1_padding_returns_nothing() {
    let mut lab = Lab::new(SQUARE, &[("square", &[5]), ("square", &[6]), ("square", &[7])]);
    assert_eq!(lab.get("square", 3, "selector0"), 0);
    lab.set("square", 3, "multiplicity", 1);
    lab.set("square", 3, "input0", 5);
    lab.set("square", 3, "auxiliary1", 99);
    lab.claim("square", None, &[5], &[99]);
    lab.refused_only_by("square", OFF);
}

/// The arguments of this circuit are ungated: the row asks nobody and answers.
#[test]
fn rule_1_a_row_that_is_off_needs_no_children() {
    let source = r#"
        program "outer"
        fn outer(x) -> 1 entry {
          y = call inner(x)
          return y
        }
        fn inner(x) -> 1 {
          y = mul x, x
          return y
        }
        end
    "#;
    let mut lab = Lab::empty(source);
    let row = [("input0", 5), ("multiplicity", 1), ("auxiliary1", 99)];
    lab.add_row("outer", &row);
    lab.claim("outer", None, &[5], &[99]);
    lab.refused_only_by("outer", OFF);
}

/// Gated arguments vanish with the selectors: the row provides the message of
/// zeros, which nobody asks for.
#[test]
fn rule_1_a_gated_row_that_is_off_returns_nothing() {
    let source = r#"
        program "sign"
        fn sign(x) -> 1 entry {
          match x {
            case 0 { return x }
            default {
              one = const 1
              return one
            }
          }
        }
        end
    "#;
    let mut lab = Lab::empty(source);
    lab.add_row("sign", &[("input0", 5), ("multiplicity", 1)]);
    lab.claim("sign", None, &[5], &[0]);
    lab.refused(OFF);
    // Without the rule the message is still not the claimed one.
    lab.without("sign", OFF).refused("message of function 0");
}

/// A true row may be provided in parts, with any field elements as counts.
#[test]
fn rule_1_multiplicities_may_be_any_field_elements() {
    let mut lab = Lab::new(SQUARE, &[("square", &[5])]);
    let true_row = [("input0", 5), ("selector0", 1), ("auxiliary1", 25)];
    lab.set("square", 0, "multiplicity", 1 << 63);
    let row = lab.add_row("square", &true_row);
    lab.set("square", row, "multiplicity", minus((1 << 63) - 1));
    lab.accepted();
    // Of a false row there is none, so no count of true ones helps.
    lab.claim_output(0, 0, 26);
    lab.refused("message of function 0: [5, 26]");
}
