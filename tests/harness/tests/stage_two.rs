//! Forged accumulators are refused, each by the check that it violates.

use traceloom_air::claim::Claim;
use traceloom_air::system::System;
use traceloom_air::trace::ShardWitness;
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::execute::{Limits, execute};
use traceloom_bytecode::system::build_system;
use traceloom_bytecode::text;
use traceloom_harness::stage_two::{Forgery, Place, falsify, forge, num_cells};
use traceloom_prover::{ProveOptions, ProvingKey, prove};
use traceloom_runtime::witness::reference_witness;
use traceloom_verifier::{Params, Profile, Proof, VerifyError, verify};

/// Two circuits of several groups each, a memory, no byte table.
const PLAIN: &str = r#"
program "plain"
memory 2
fn main(x, y) -> 2 entry {
  a = call twice(x)
  b = call twice(y)
  c = call twice(a)
  p = store a, b
  q, r = load p
  s = add c, r
  return q, s
}
fn twice(x) -> 1 {
  y = add x, x
  return y
}
end
"#;

/// A table of 256 and one of 65,536 rows.
const BYTES: &str = r#"
program "bytes"
fn main(x, y) -> 2 entry {
  a = u8_shift_left x
  b = u8_xor a, y
  return a, b
}
end
"#;

struct Fixture {
    system: System,
    key: ProvingKey,
    witness: ShardWitness,
}

fn fixture(source: &str, calls: &[[u64; 2]], degree: usize) -> Fixture {
    let program = text::parse(source).expect("it parses");
    let program = CheckedProgram::new(program).expect("it is valid");
    let main = program.find("main").expect("it has a main");
    let calls: Vec<_> = calls.iter().map(|args| (main, args.to_vec())).collect();
    let run = execute(&program, &calls, Default::default(), &Limits::default()).expect("it runs");
    let system = build_system(&program);
    let witness = reference_witness(&program, &system, &run.record, run.claims);
    let params = Params { extension_degree: degree, ..Profile::Fast.params() };
    let key = ProvingKey::new(&system, &params).expect("it has a key");
    Fixture { system, key, witness: witness.expect("record and program agree") }
}

impl Fixture {
    fn verify(&self, witness: &ShardWitness, proof: &Proof) -> Result<(), VerifyError> {
        let claims = witness.claims.iter().map(|ranked| ranked.claim.clone());
        let claims: Vec<Claim> = claims.collect();
        verify(self.key.verifying_key(), &claims, proof).map(|_| ())
    }

    fn forged(&self, witness: &ShardWitness, place: Place) -> Result<(), VerifyError> {
        let proof = forge(&self.key, witness.clone(), Some(place), None);
        self.verify(witness, &proof.expect("forgers do not fail"))
    }

    /// A false claim, for which a forged terminal makes up: nothing but the steps of
    /// `circuit` is wrong.
    #[track_caller]
    fn is_refused(&self, witness: &ShardWitness, circuit: usize, forgery: Forgery) {
        let name = self.system.circuits[circuit].name.clone();
        let refused = Err(VerifyError::Constraints { shard: 0, circuit: name });
        assert_eq!(self.forged(witness, (circuit, forgery)), refused, "{forgery:?}");
    }
}

fn plain(degree: usize) -> Fixture {
    fixture(PLAIN, &[[3, 4], [5, 6], [5, 7]], degree)
}

#[test]
fn without_a_forgery_the_proof_is_the_honest_one() {
    for fixture in [plain(2), plain(3), fixture(BYTES, &[[200, 7], [1, 2]], 2)] {
        let options = ProveOptions::default();
        let (honest, _) = prove(&fixture.key, vec![fixture.witness.clone()], &options).unwrap();
        let second = forge(&fixture.key, fixture.witness.clone(), None, None).unwrap();
        assert!(honest.encode() == second.encode(), "proof bytes differ");
        assert_eq!(fixture.verify(&fixture.witness, &honest), Ok(()));
    }
}

#[test]
fn a_wrong_start_is_refused() {
    for fixture in [plain(2), plain(3)] {
        for circuit in 0..fixture.system.circuits.len() {
            fixture.is_refused(&fixture.witness, circuit, Forgery::Start);
        }
    }
}

#[test]
fn every_wrong_step_is_refused() {
    let mut count = 0;
    for fixture in [plain(2), plain(3)] {
        let mut lying = fixture.witness.clone();
        assert!(falsify(&mut lying));
        let groups = fixture.key.verifying_key().layouts().iter().map(|layout| layout.groups.len());
        assert!(groups.max() > Some(1), "some circuit has a row of several steps");
        for circuit in 0..fixture.system.circuits.len() {
            let cells = num_cells(&fixture.key, &lying, circuit);
            (1..cells)
                .for_each(|cell| fixture.is_refused(&lying, circuit, Forgery::Step(cell - 1)));
            (0..cells).for_each(|cell| {
                fixture.is_refused(&fixture.witness, circuit, Forgery::Cell(cell))
            });
            count += 2 * cells - 1;
        }
    }
    println!("{count} forged cells");
    assert!(count >= 90, "{count}");
}

#[test]
fn a_terminal_that_the_last_row_does_not_reach_is_refused() {
    for fixture in [plain(2), plain(3)] {
        let mut lying = fixture.witness.clone();
        assert!(falsify(&mut lying));
        for circuit in 0..fixture.system.circuits.len() {
            fixture.is_refused(&lying, circuit, Forgery::Terminal);
        }
    }
}

#[test]
fn terminals_that_do_not_cancel_are_refused() {
    let fixture = plain(2);
    // Every step holds, but a claim is false.
    let mut lying = fixture.witness.clone();
    assert!(falsify(&mut lying));
    let proof = forge(&fixture.key, lying.clone(), None, None).unwrap();
    assert_eq!(fixture.verify(&lying, &proof), Err(VerifyError::Unbalanced));
    // All claims are true, so one more is one too much.
    for circuit in 0..fixture.system.circuits.len() {
        for forgery in [Forgery::Step(0), Forgery::Terminal] {
            let refused = fixture.forged(&fixture.witness, (circuit, forgery));
            assert_eq!(refused, Err(VerifyError::Unbalanced), "{circuit} {forgery:?}");
        }
    }
}

#[test]
fn forged_accumulators_of_byte_tables_are_refused() {
    let fixture = fixture(BYTES, &[[200, 7], [1, 2]], 2);
    let mut lying = fixture.witness.clone();
    assert!(falsify(&mut lying));
    for circuit in 0..fixture.system.circuits.len() {
        let cells = num_cells(&fixture.key, &lying, circuit);
        fixture.is_refused(&fixture.witness, circuit, Forgery::Start);
        fixture.is_refused(&lying, circuit, Forgery::Terminal);
        if cells > 1 {
            fixture.is_refused(&lying, circuit, Forgery::Step(cells / 2 - 1));
        }
    }
}
