//! Families of operations with constraints of their own: mul, eq_zero, assert_eq,
//! u32_less_than, and the outputs of calls.

use std::sync::OnceLock;

use crate::lab::{Lab, minus, quotient};

#[test]
fn operations_a_mul_column_is_the_product() {
    let source = r#"
        program "square"
        fn square(x) -> 1 entry {
          y = mul x, x
          return y
        }
        end
    "#;
    let mut lab = Lab::new(source, &[("square", &[5])]);
    lab.set("square", 0, "auxiliary1", 99);
    lab.claim_output(0, 0, 99);
    lab.refused_only_by("square", "column is the product");
}

const IS_ZERO: &str = r#"
program "is zero"
fn is_zero(x) -> 1 entry {
  z = eq_zero x
  return z
}
end
"#;

/// Auxiliary 1 is the inverse, auxiliary 2 the result.
fn is_zero(x: u64, inverse: u64, result: u64) -> Lab {
    let mut lab = Lab::new(IS_ZERO, &[("is_zero", &[x])]);
    lab.set("is_zero", 0, "auxiliary1", inverse);
    lab.set("is_zero", 0, "auxiliary2", result);
    lab.claim_output(0, 0, result);
    lab
}

#[test]
fn operations_eq_zero_is_not_one_of_another_value() {
    let label = "the result is 0 unless the operand is";
    is_zero(5, 0, 1).refused_only_by("is_zero", label);
    // Between 0 and 1: the inverse can be made to fit, the product cannot.
    is_zero(5, quotient(minus(1), 5), 2).refused_only_by("is_zero", label);
    is_zero(5, quotient(1, 10), quotient(1, 2)).refused_only_by("is_zero", label);
}

#[test]
fn operations_eq_zero_is_one_of_zero() {
    let label = "the result is 1 if the operand is 0";
    is_zero(0, 0, 0).refused_only_by("is_zero", label);
    is_zero(0, 7, 3).refused_only_by("is_zero", label);
    is_zero(5, 0, 0).refused_only_by("is_zero", label);
    // The inverse of zero is nobody's business.
    is_zero(0, 7, 1).accepted();
}

#[test]
fn operations_assert_eq_compares_every_pair() {
    let source = r#"
        program "same"
        fn same(a, b, c, d) -> 0 entry {
          assert_eq [a, b], [c, d]
          return
        }
        end
    "#;
    for lie in [[3, 4, 5, 4], [3, 4, 3, 5]] {
        let mut lab = Lab::empty(source);
        let inputs = ["input0", "input1", "input2", "input3"].into_iter().zip(lie);
        let mut row: Vec<_> = inputs.collect();
        row.extend([("selector0", 1), ("multiplicity", 1)]);
        lab.add_row("same", &row);
        lab.claim("same", None, &lie, &[]);
        lab.refused_only_by("same", "both sides are equal");
    }
}

const LESS: &str = r#"
program "less"
fn less(a, b) -> 1 entry {
  c = u32_less_than a, b
  return c
}
end
"#;

/// A row of `less` with the limbs of these words as those of a, of c and of b;
/// everything is counted, the claim says `result`.
fn less(inputs: [u64; 2], [a, c, b]: [u32; 3], result: u64) -> Lab {
    static EMPTY: OnceLock<Lab> = OnceLock::new();
    let mut lab = EMPTY.get_or_init(|| Lab::empty(LESS)).clone();
    let row = [("input0", inputs[0]), ("input1", inputs[1]), ("selector0", 1), ("multiplicity", 1)];
    let row = lab.add_row("less", &row);
    let limbs = [a, c, b].into_iter().flat_map(|word| [word as u16, (word >> 16) as u16]);
    for (i, limb) in limbs.enumerate() {
        lab.set("less", row, &format!("auxiliary{}", 1 + i), limb.into());
        lab.count_limb(limb, 1);
    }
    lab.claim("less", None, &inputs, &[result]);
    lab
}

#[test]
fn operations_u32_less_than_has_a_borrow_that_is_a_bit() {
    less([5, 3], [5, minus_three(), 3], 0).accepted();
    less([3, 5], [3, 1, 5], 1).accepted();
    // borrow = (c - (b - a - 1)) / 2^32 with c = 0 is 3 / 2^32.
    let borrow = quotient(3, 1 << 32);
    let result = quotient((1 << 32) - 3, 1 << 32);
    assert_ne!(borrow, 0);
    less([5, 3], [5, 0, 3], result).refused_only_by("less", "the borrow is a bit");
}

fn minus_three() -> u32 {
    0_u32.wrapping_sub(3)
}

#[test]
fn operations_u32_less_than_reads_its_operands() {
    let label = "the operand is its limbs";
    // -1 < 3, although -1 is no 32-bit number: c = 3 + 1 - 1.
    less([minus(1), 3], [7, 3, 3], 1).refused_only_by("less", label);
    // 3 < 2^32 + 1: c is 2^32 - 3 and the borrow 0.
    less([3, (1 << 32) + 1], [3, minus_three(), 1], 1).refused_only_by("less", label);
    less([3, 5], [4, 1, 5], 1).refused_only_by("less", label);
    less([3, 5], [3, 1, 4], 1).refused_only_by("less", label);
}

/// "5 < 3" with c = -3 in a cell that is no limb.
#[test]
fn operations_u32_less_than_checks_the_limbs() {
    let mut lab = less([5, 3], [5, 0, 3], 1);
    lab.set("less", 0, "auxiliary3", minus(3));
    let report = lab.check();
    assert_eq!(report.num_constraints, 0, "{report}");
    lab.refused("u16_range_check");
    // Without the check of that one limb the forgery would pass.
    let mut unchecked = lab.with_system(|system| {
        let removed = system.circuits[0].lookups.remove(3);
        assert!(removed.label.contains("u32_less_than"));
    });
    unchecked.count_limb(0, -1);
    unchecked.with_short_byte_tables().accepted();
    // 65536 and more, in every column: whatever the others are.
    for column in 1..=6 {
        for (lie, said) in [(1 << 16, "65536"), ((1 << 16) + 5, "65541"), (minus(1), "-1")] {
            let mut lab = less([3, 5], [3, 1, 5], 1);
            lab.set("less", 0, &format!("auxiliary{column}"), lie);
            lab.refused_by_check(&format!("message of u16_range_check: [{said}]"));
        }
    }
    // The largest limbs are in range.
    less([u32::MAX.into(); 2], [u32::MAX; 3], 0).accepted();
}

const OUTER: &str = r#"
program "outer"
fn outer(x) -> 1 entry {
  a, b = call pair(x)
  y = add a, b
  return y
}
fn pair(x) -> 2 {
  y = mul x, x
  return x, y
}
end
"#;

#[test]
fn operations_call_outputs_are_the_callees() {
    for (column, expected) in [
        ("auxiliary1", "message of function 1: [5, 6, 25]"),
        ("auxiliary2", "message of function 1: [5, 5, 26]"),
    ] {
        let mut lab = Lab::new(OUTER, &[("outer", &[5])]);
        let value = lab.get("outer", 0, column);
        lab.set("outer", 0, column, value + 1);
        lab.claim_output(0, 0, 31);
        let report = lab.check();
        assert_eq!((report.num_constraints, report.num_messages), (0, 2), "{report}");
        lab.refused(expected);
        // The callee's row may not say so either.
        if column == "auxiliary2" {
            lab.set("pair", 0, "auxiliary1", 26);
            lab.refused_only_by("pair", "column is the product");
        }
    }
}
