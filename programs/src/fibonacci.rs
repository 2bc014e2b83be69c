//! `fibonacci(n)`: the n-th Fibonacci number modulo p, by memoised recursion.
//!
//! Linear in `n` although each call makes two: the second finds its result.

use traceloom_bytecode::Program;
use traceloom_bytecode::builder::{BuildErrors, ProgramBuilder};

/// Builds the program; entry `fibonacci(n) -> f(n) mod p`.
///
/// # Errors
/// None, unless the program is edited wrongly.
pub fn program() -> Result<Program, BuildErrors> {
    let mut program = ProgramBuilder::new("fibonacci");
    let fibonacci = program.entry("fibonacci", 1, 1);
    // Proven: by induction on n as an integer below p. 0 and 1 have their own
    // arms, so `n - 1` and `n - 2` never wrap around in the default arm, and
    // calls are well-founded.
    program.define(fibonacci, |f, inputs| {
        let n = inputs[0];
        f.match_value(n, |arms| {
            arms.case(0, |f| f.ret(&[n]));
            arms.case(1, |f| f.ret(&[n]));
            arms.default(|f| {
                let (before, second) = (f.sub_const(n, 1), f.sub_const(n, 2));
                let [a] = f.call_array(fibonacci, &[before]);
                let [b] = f.call_array(fibonacci, &[second]);
                let sum = f.add(a, b);
                f.ret(&[sum])
            });
        })
    });
    program.finish()
}

#[cfg(test)]
mod tests {
    use super::program;
    use crate::testing::run;
    use traceloom_air::field::MODULUS;

    #[test]
    fn agrees_with_iteration_modulo_p() {
        let program = program().unwrap();
        let (mut a, mut b) = (0_u128, 1_u128);
        for n in 0..400 {
            if n < 30 || n % 50 == 0 {
                assert_eq!(run(&program, "fibonacci", &[n], &[]).outputs(), [a as u64], "n = {n}");
            }
            (a, b) = (b, (a + b) % u128::from(MODULUS));
        }
    }

    #[test]
    fn one_row_per_argument() {
        let run = run(&program().unwrap(), "fibonacci", &[100], &[]);
        assert_eq!(run.rows("fibonacci"), 101);
    }
}
