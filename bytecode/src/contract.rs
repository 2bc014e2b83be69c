//! Contract digest of a function: what generated code of it relies on.
//!
//! A generated function states the digest of its contract, and whoever binds the code
//! computes it again from the program at hand. It covers every input of the generator:
//! the generator and ABI versions, the cap on numbered paths, the fingerprint of the
//! whole program (bounds of a seed depend on callers and callees), and the function's
//! index, layout (the place of every operation included) and numbered paths.
//!
//! It does not cover what the generator makes of these inputs, the row plan: nobody
//! knows a plan without planning. The unit digest covers plans. So two units of one
//! contract differ only if the generator changed under an unchanged version, which
//! builds and `traceloom codegen --check` refuse.
//!
//! Encoding (version 1): every number is a little-endian u64, every list has its length
//! first.

use traceloom_abi::registry::{ABI_VERSION, GENERATOR_VERSION};

use crate::callgraph::RankedCall;
use crate::check::CheckedProgram;
use crate::layout::BlockPlace;
use crate::model::FunctionId;
use crate::paths::MAX_PATHS;

const DOMAIN: &str = "traceloom function contract v1";

/// The contract digest of `function`, for this version of the generator.
#[must_use]
pub fn contract_digest(program: &CheckedProgram, function: FunctionId) -> [u8; 32] {
    let mut encoder = Encoder(blake3::Hasher::new_derive_key(DOMAIN));
    encoder.numbers(&[GENERATOR_VERSION as usize, ABI_VERSION as usize, MAX_PATHS]);
    encoder.0.update(&program.fingerprint());
    let layout = program.layout(function);
    encoder.numbers(&[
        function.index(),
        layout.num_inputs,
        layout.num_selectors,
        layout.num_auxiliaries,
        layout.num_lookups,
        layout.ranked.into(),
    ]);
    encoder.numbers(&[layout.blocks.len()]);
    layout.blocks.iter().for_each(|block| encoder.block(block));
    let paths = program.paths(function);
    let leaves = (0..paths.num_numbers()).filter_map(|number| paths.leaves(number));
    let leaves: Vec<&[u32]> = leaves.collect();
    encoder.numbers(&[leaves.len()]);
    for leaves in leaves {
        encoder.numbers(&[leaves.len()]);
        leaves.iter().for_each(|&leaf| encoder.numbers(&[leaf as usize]));
    }
    *encoder.0.finalize().as_bytes()
}

struct Encoder(blake3::Hasher);

impl Encoder {
    fn numbers(&mut self, numbers: &[usize]) {
        for &number in numbers {
            self.0.update(&(number as u64).to_le_bytes());
        }
    }

    fn block(&mut self, block: &BlockPlace) {
        self.numbers(&[
            block.num_values,
            block.num_merged,
            block.first_auxiliary,
            block.first_lookup,
            block.end_auxiliary,
            block.end_lookup,
            block.shared_auxiliaries,
            block.shared_lookups,
            block.ops.len(),
        ]);
        for op in &block.ops {
            let rank = match op.ranked_call {
                RankedCall::None => 0,
                RankedCall::Outside => 1,
                RankedCall::Inside => 2,
                RankedCall::Lone => 3,
            };
            self.numbers(&[
                op.first_value,
                op.degree as usize,
                op.first_auxiliary,
                op.num_auxiliaries,
                op.first_lookup,
                op.num_lookups,
                rank,
            ]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::contract_digest;
    use crate::model::FunctionId;
    use crate::{CheckedProgram, text};

    const PROGRAM: &str = "program \"p\"
fn f(v0) -> 1 entry {
  v1 = call g(v0)
  return v1
}
fn g(v0) -> 1 {
  v1 = const 2
  v2 = mul v0, v1
  return v2
}
end
";

    fn contracts(text: &str) -> [[u8; 32]; 2] {
        let program = CheckedProgram::new(text::parse(text).unwrap()).unwrap();
        [0, 1].map(|index| contract_digest(&program, FunctionId(index)))
    }

    #[test]
    fn functions_of_one_program_have_contracts_of_their_own() {
        let [f, g] = contracts(PROGRAM);
        assert_ne!(f, g);
        assert_eq!(contracts(PROGRAM), [f, g]);
        assert_eq!(contracts(&PROGRAM.replace("\"p\"", "\"q\"")), [f, g], "names are outside");
    }

    /// Bounds of a seed depend on callers and callees.
    #[test]
    fn bytecode_of_another_function_is_in_the_contract() {
        let [f, g] = contracts(PROGRAM);
        let [other_f, other_g] = contracts(&PROGRAM.replace("const 2", "const 3"));
        assert!(f != other_f && g != other_g);
    }
}
