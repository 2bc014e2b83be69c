//! Rule 5, degree tracking: an expression that folds to a constant keeps the
//! columns that its operands' degrees ask for.

use crate::lab::Lab;

const FOLDED: &str = r#"
program "folded"
fn folded(x) -> 1 entry {
  zero = const 0
  y = mul zero, x
  z = eq_zero y
  return z
}
end
"#;

const TAKEN: &str = "the result is 1 if the operand is 0";

#[test]
fn rule_5_eq_zero_of_a_folded_zero_has_its_columns() {
    let mut lab = Lab::new(FOLDED, &[("folded", &[5])]);
    // Input, selector, multiplicity, and the two columns of eq_zero.
    assert_eq!(lab.system.circuits[0].width, 5);
    assert_eq!(lab.get("folded", 0, "auxiliary2"), 1);
    // The inverse of zero is free.
    lab.set("folded", 0, "auxiliary1", 1234);
    lab.accepted();
}

#[test]
fn rule_5_eq_zero_of_a_folded_zero_is_one() {
    for lie in [0, 2] {
        let mut lab = Lab::new(FOLDED, &[("folded", &[5])]);
        lab.set("folded", 0, "auxiliary2", lie);
        lab.claim_output(0, 0, lie);
        lab.refused_only_by("folded", TAKEN);
    }
}

#[test]
fn rule_5_a_product_of_folded_values_has_its_column() {
    let source = r#"
        program "product"
        fn product(x) -> 1 entry {
          zero = const 0
          y = mul zero, x
          z = mul y, x
          return z
        }
        end
    "#;
    let mut lab = Lab::new(source, &[("product", &[5])]);
    assert_eq!(lab.system.circuits[0].width, 4);
    lab.set("product", 0, "auxiliary1", 7);
    lab.claim_output(0, 0, 7);
    lab.refused_only_by("product", "column is the product");
}

/// Constants alone have degree 0: no column, and nothing to forge.
#[test]
fn rule_5_constants_have_no_columns() {
    let source = r#"
        program "constants"
        fn constants(x) -> 1 entry {
          two = const 2
          a = sub two, two
          b = mul a, two
          c = eq_zero b
          return c
        }
        end
    "#;
    let mut lab = Lab::new(source, &[("constants", &[5])]);
    assert_eq!(lab.system.circuits[0].width, 3);
    lab.accepted();
    lab.claim_output(0, 0, 0);
    lab.refused("message of function 0: [5]");
}
