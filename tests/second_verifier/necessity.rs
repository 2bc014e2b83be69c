//! Every check of the accumulators is needed: a verifier without it accepts a forgery
//! that all others refuse.
//!
//! A forger who knows what is left out leaves it out of the quotient too.

use traceloom::abi::io::Io;
use traceloom::air::claim::Claim;
use traceloom::air::system::{Arena, Circuit, CircuitKind, System};
use traceloom::air::trace::{ShardWitness, Trace};
use traceloom::bytecode::CheckedProgram;
use traceloom::bytecode::execute::{Limits, execute};
use traceloom::bytecode::system::build_system;
use traceloom::bytecode::text;
use traceloom::prover::ProvingKey;
use traceloom::runtime::witness::reference_witness;
use traceloom::verifier::{self, Profile, Proof};

use crate::key::Key;
use crate::lookup::Omitted;
use crate::params::{CUBIC, FAST, Params};
use crate::stage_two::{self, Forgery, Place, falsify, forge, num_cells};
use crate::verify::verify;

/// A row of `main` has more lookups than go into one group.
const PROGRAM: &str = r#"
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

/// The circuit of `main`, whose accumulator is forged.
const MAIN: usize = 0;

struct Fixture {
    system: System,
    key: ProvingKey,
    params: Params,
    honest: ShardWitness,
    /// The same with a false claim.
    lying: ShardWitness,
}

/// The program's system and one more circuit, which has no lookups.
fn fixture(params: Params) -> Fixture {
    let program = text::parse(PROGRAM).expect("it parses");
    let program = CheckedProgram::new(program).expect("it is valid");
    let main = program.find("main").expect("it has a main");
    let calls = [[3, 4], [5, 6], [5, 7]].map(|args| (main, args.to_vec()));
    let run = execute(&program, &calls, Io::default(), &Limits::default()).expect("it runs");
    let mut system = build_system(&program);
    let honest = reference_witness(&program, &system, &run.record, run.claims);
    let mut honest = honest.expect("record and program agree");
    system.circuits.push(Circuit {
        name: "idle".into(),
        kind: CircuitKind::Function { members: vec![], recursive: false },
        width: 1,
        column_names: vec!["column".into()],
        num_publics: 0,
        arena: Arena::default(),
        constraints: vec![],
        lookups: vec![],
    });
    honest.traces.push(Some(Trace::zero(2, 1)));
    honest.publics.push(vec![]);
    let degree = params.extension_degree();
    let profile = verifier::Params { extension_degree: degree, ..Profile::Fast.params() };
    let key = ProvingKey::new(&system, &profile).expect("it has a key");
    let mut lying = honest.clone();
    assert!(falsify(&mut lying), "a claim has words");
    Fixture { system, key, params, honest, lying }
}

/// What is forged, whether a claim is false, and without which checks it is accepted.
struct Attempt {
    place: Option<Place>,
    lies: bool,
    needs: Vec<Omitted>,
}

impl Fixture {
    /// Each violates one check only. A wrong start helps nobody to prove anything
    /// false, since the terminal does not depend on it; all others prove a false claim.
    fn attempts(&self) -> Vec<Attempt> {
        let groups = self.key.verifying_key().layouts()[MAIN].groups.len();
        let last = groups - 1;
        assert!(groups >= 2 && num_cells(&self.key, &self.honest, MAIN) >= 2 * groups);
        let lie = |place, needs| Attempt { place, lies: true, needs };
        let mut attempts = vec![
            Attempt {
                place: Some((MAIN, Forgery::Start)),
                lies: false,
                needs: vec![Omitted::First],
            },
            lie(Some((MAIN, Forgery::Terminal)), vec![Omitted::Last, Omitted::Group(last)]),
            lie(Some((self.system.circuits.len() - 1, Forgery::Terminal)), vec![Omitted::Idle]),
            lie(None, vec![Omitted::Sum]),
        ];
        // In the first row, so the last group's is not the one to the terminal.
        let steps = (0..groups)
            .map(|group| lie(Some((MAIN, Forgery::Step(group))), vec![Omitted::Group(group)]));
        attempts.extend(steps);
        // Two steps that are wrong need both checks.
        attempts.push(Attempt {
            place: Some((MAIN, Forgery::Cell(1))),
            lies: false,
            needs: vec![],
        });
        attempts
    }

    fn omissions(&self) -> Vec<Omitted> {
        let groups = self.key.verifying_key().layouts()[MAIN].groups.len();
        let mut all = vec![Omitted::First, Omitted::Last, Omitted::Sum, Omitted::Idle];
        all.extend((0..groups).map(Omitted::Group));
        all
    }

    /// A forged proof, its quotient without what is omitted.
    fn proof(&self, attempt: &Attempt, omitted: Option<Omitted>) -> Proof {
        let witness = if attempt.lies { &self.lying } else { &self.honest };
        let omitted = omitted.and_then(|omitted| match omitted {
            Omitted::First => Some(stage_two::Omitted::First),
            Omitted::Group(group) => Some(stage_two::Omitted::Group(group)),
            Omitted::Last => Some(stage_two::Omitted::Last),
            Omitted::Sum | Omitted::Idle => None,
        });
        forge(&self.key, witness.clone(), attempt.place, omitted).expect("forgers do not fail")
    }

    /// Whether a verifier without a check accepts a proof, and whether the prover's does.
    fn verify(&self, key: &Key, proof: &Proof) -> (bool, bool) {
        let claims: Vec<Claim> = proof.claims().cloned().collect();
        let first = verifier::verify(self.key.verifying_key(), &claims, proof).is_ok();
        (verify(key, &claims, &proof.encode()).is_ok(), first)
    }
}

#[test]
fn every_check_of_the_accumulators_is_needed() {
    let mut accepted = 0;
    for params in [FAST, CUBIC] {
        let fixture = fixture(params);
        let mut key = Key::new(&fixture.system, fixture.params);
        let honest = Attempt { place: None, lies: false, needs: vec![] };
        assert_eq!(fixture.verify(&key, &fixture.proof(&honest, None)), (true, true));
        let attempts = fixture.attempts();
        for attempt in &attempts {
            key.omitted = None;
            let place = attempt.place;
            assert_eq!(
                fixture.verify(&key, &fixture.proof(attempt, None)),
                (false, false),
                "{place:?}"
            );
            for omitted in fixture.omissions() {
                let proof = fixture.proof(attempt, Some(omitted));
                key.omitted = Some(omitted);
                let expected = attempt.needs.contains(&omitted);
                assert_eq!(
                    fixture.verify(&key, &proof),
                    (expected, false),
                    "{place:?}, {omitted:?}"
                );
                accepted += usize::from(expected);
            }
        }
        let missed = |omitted: &Omitted| !attempts.iter().any(|a| a.needs.contains(omitted));
        assert!(!fixture.omissions().iter().any(missed), "a check is not shown to be needed");
    }
    println!("{accepted} forgeries accepted without a check");
}
