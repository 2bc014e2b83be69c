//! Advice is free: what a hint says proves nothing until the program checks it.

use traceloom_air::field::{element, word};

use crate::lab::{Asked, Lab, quotient};

/// A program that returns its advice unchecked.
fn unchecked(advice: &str, results: &str, count: usize) -> String {
    format!(
        "program \"advice\"\nmemory 10\nfn main(x, y) -> {count} entry {{\n\
         zero = const 0\none = const 1\n{advice}\nreturn {results}\n}}\n\
         fn secret(x) -> 1 unconstrained {{\nreturn x\n}}\nend\n"
    )
}

#[test]
fn advice_alone_is_free() {
    let end = "e = store one, zero, zero, zero, zero, zero, zero, zero, zero, zero";
    let node = "n = store zero, x, zero, zero, zero, zero, zero, zero, zero, e";
    let division = format!("{end}\n{node}\nq, r = hint_biguint_div_rem n, n");
    for (advice, results, count, first) in [
        ("i, n = io_get_info zero, []", "i, n", 2, 1),
        ("w0, w1 = io_read zero, zero", "w0, w1", 2, 1),
        ("h0..h7 = hint_field_to_bytes x", "h0..h7", 8, 1),
        ("i = hint_inverse x", "i", 1, 1),
        ("s = call_unconstrained secret(x)", "s", 1, 1),
        ("s0..s3, c = hint_u32_add [x, x, x, x], [y, y, y, y]", "s0..s3", 4, 1),
        ("s0..s3, c = hint_u32_add3 [x, x, x, x], [y, y, y, y], [x, y, x, y]", "s0..s3", 4, 1),
        (&division, "q, r", 2, 3),
    ] {
        let source = unchecked(advice, results, count);
        let asked: Asked<'_> = ("main", &[200, 100]);
        let mut lab = Lab::with_input(&source, &[asked], &[11, 12]);
        let report = lab.check();
        assert!(report.is_ok(), "{advice}: {report}");
        for output in 0..count {
            let lie = 1_000_000 + output as u64;
            lab.set("main", 0, &format!("auxiliary{}", first + output), lie);
            lab.claim_output(0, output, lie);
        }
        lab.accepted();
    }
}

/// The carry is an expression, so it follows the bytes, and is as free as they are.
#[test]
fn advice_a_carry_is_free_unless_the_program_pins_it() {
    let advice = "s0..s3, c = hint_u32_add [x, x, x, x], [y, y, y, y]";
    let mut lab = Lab::new(&unchecked(advice, "s0, c", 2), &[("main", &[1, 2])]);
    // 0x01010101 + 0x02020202 = 0x03030303; without the low byte the carry takes it up.
    lab.set("main", 0, "auxiliary1", 0);
    lab.claim_output(0, 0, 0);
    lab.claim_output(0, 1, quotient(3, 1 << 32));
    lab.accepted();
    let pinned = format!("{advice}\nless = sub c, one\nbit = mul c, less\nassert_eq bit, zero");
    let mut lab = Lab::new(&unchecked(&pinned, "s0, c", 2), &[("main", &[1, 2])]);
    lab.accepted();
    lab.set("main", 0, "auxiliary1", 0);
    let carry = quotient(3, 1 << 32);
    let product = element(carry) * (element(carry) - element(1));
    lab.set("main", 0, "auxiliary5", word(product));
    lab.claim_output(0, 0, 0);
    lab.claim_output(0, 1, carry);
    lab.refused_only_by("main", "both sides are equal");
}

#[test]
fn advice_that_the_program_checks_is_fixed() {
    let checked = "i = hint_inverse x\np = mul i, x\nassert_eq p, one";
    let mut lab = Lab::new(&unchecked(checked, "i", 1), &[("main", &[4, 0])]);
    lab.accepted();
    lab.set("main", 0, "auxiliary1", 7);
    lab.set("main", 0, "auxiliary2", 28);
    lab.claim_output(0, 0, 7);
    lab.refused_only_by("main", "both sides are equal");
}
