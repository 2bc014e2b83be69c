//! The checker's report: three planted corruptions, and a bound on its length.

use traceloom_air::field::{Goldilocks, PrimeCharacteristicRing, element};
use traceloom_air::trace::Trace;

use crate::lab::Lab;

const PROGRAM: &str = r#"
program "distance"
memory 2
fn distance(x, y) -> 1 entry {
  a = call square(x)
  b = call square(y)
  p = store a, b
  c, d = load p
  s = add c, d
  return s
}
fn square(x) -> 1 {
  y = mul x, x
  return y
}
end
"#;

fn honest() -> Lab {
    let lab = Lab::new(PROGRAM, &[("distance", &[3, 4]), ("distance", &[4, 5])]);
    assert!(lab.check().is_ok());
    lab
}

/// The report of a witness that must be refused.
fn report(lab: &Lab) -> String {
    let report = lab.check();
    assert!(!report.is_ok());
    let text = report.to_string();
    assert!(text.lines().count() <= 40, "{text}");
    text
}

#[test]
fn report_of_a_multiplicity_that_is_one_too_large() {
    let mut lab = honest();
    lab.set("square", 1, "multiplicity", 3);
    insta::assert_snapshot!("multiplicity", report(&lab));
}

#[test]
fn report_of_a_changed_lookup_argument() {
    let mut lab = honest();
    let output = lab.get("distance", 0, "auxiliary2");
    lab.set("distance", 0, "auxiliary2", output + 1);
    insta::assert_snapshot!("argument", report(&lab));
}

#[test]
fn report_of_a_dropped_row() {
    let mut lab = honest();
    lab.trace("square").row_mut(1).fill(Goldilocks::ZERO);
    insta::assert_snapshot!("dropped_row", report(&lab));
}

#[test]
fn report_of_a_broken_constraint() {
    let mut lab = honest();
    lab.set("square", 0, "auxiliary1", 10);
    insta::assert_snapshot!("constraint", report(&lab));
}

/// Every count of both byte tables wrong: more than 65,000 messages, all of them counted,
/// four of them described.
#[test]
fn report_of_very_many_messages_is_short() {
    let source = r#"
        program "bytes"
        fn bytes(a, b) -> 1 entry {
          c = u8_xor a, b
          d = u8_shift_left c
          return d
        }
        end
    "#;
    let mut lab = Lab::new(source, &[("bytes", &[3, 5])]);
    for table in ["bytes1", "bytes2"] {
        lab.trace(table).values.iter_mut().for_each(|count| *count += Goldilocks::ONE);
    }
    let report = lab.check();
    let text = report.to_string();
    // Messages of a byte table differ pairwise, so each count is on its own.
    assert_eq!((report.num_constraints, report.num_messages), (0, 65_536 + 256));
    assert!(text.lines().count() <= 40 && text.len() < 4_000, "{text}");
}

/// The same for constraints, and for messages that are long.
#[test]
fn report_of_very_many_rows_is_short() {
    let source = r#"
        program "wide"
        fn wide(v0..v199) -> 201 entry {
          y = mul v0, v0
          return v0..v199, y
        }
        end
    "#;
    let mut lab = Lab::empty(source);
    lab.add_row("wide", &[]);
    let index = lab.circuit("wide");
    let width = lab.system.circuits[index].width;
    let mut trace = Trace::zero(1 << 10, width);
    for row in 0..trace.height() {
        let cells = trace.row_mut(row);
        for (column, cell) in cells.iter_mut().enumerate().take(200) {
            *cell = element((row * 1000 + column + 1) as u64);
        }
        // Selector and multiplicity on, the product left out.
        cells[200..202].fill(Goldilocks::ONE);
    }
    lab.shards[0].traces[index] = Some(trace);
    let report = lab.check();
    assert_eq!((report.num_constraints, report.num_messages), (1 << 10, 1 << 10));
    let text = report.to_string();
    assert!(text.lines().count() <= 40 && text.len() < 6_000, "{text}");
}
