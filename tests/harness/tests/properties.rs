//! Random programs with fixed seeds.

use std::collections::{BTreeMap, BTreeSet};

use traceloom_air::system::{Circuit, CircuitKind};
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::builder::{Body, FunctionHandle, ProgramBuilder, Value};
use traceloom_bytecode::callgraph::RankedCall;
use traceloom_bytecode::system::build_system;
use traceloom_harness::case::Case;
use traceloom_harness::edits;
use traceloom_harness::family::Family;
use traceloom_harness::generate::generate;
use traceloom_harness::naive::{self, Kind, Stop};
use traceloom_harness::properties::{Effort, Tally, Verdict, differs_alike, examine, execute};
use traceloom_harness::shrink::shrink;
use traceloom_harness::tier;
use traceloom_runtime::session::Session;
use traceloom_verifier::Profile;

/// Names of all operations and controls.
const OPERATIONS: &[&str] = &[
    "const",
    "add",
    "sub",
    "mul",
    "eq_zero",
    "call",
    "call_unconstrained",
    "store",
    "load",
    "assert_eq",
    "io_get_info",
    "io_set_info",
    "io_read",
    "io_write",
    "u8_bit_decomposition",
    "u8_shift_left",
    "u8_shift_right",
    "u8_xor",
    "u8_and",
    "u8_or",
    "u8_less_than",
    "u8_add",
    "u8_sub",
    "u8_mul",
    "u8_xor_split7",
    "u8_xor_split4",
    "u8_range_check",
    "u32_less_than",
    "u32_to_field",
    "hint_u32_add",
    "hint_u32_add3",
    "hint_field_to_bytes",
    "hint_inverse",
    "hint_biguint_div_rem",
    "debug",
    "return",
    "yield",
    "match",
    "match_continue",
];

/// Candidates that a failing test tries to show a small program.
const SHRINK_BUDGET: usize = 500;

/// Examines the cases of `seeds`; how many held, how many were rejected, and sums.
#[track_caller]
fn examine_all(seeds: impl Iterator<Item = u64>, effort: Effort) -> (usize, usize, Tally) {
    let (mut held, mut rejected, mut sum) = (0, 0, Tally::default());
    for seed in seeds {
        let case = generate(seed);
        match examine(&case, effort) {
            Verdict::Holds(tally) => {
                held += 1;
                sum += *tally;
            }
            Verdict::Rejected => rejected += 1,
            Verdict::Differs(difference) => {
                let fails = |case: &Case| differs_alike(case, effort, &difference);
                let small = shrink(&case, SHRINK_BUDGET, fails);
                panic!("{}: {}\n{small}", difference.property, difference.message);
            }
        }
    }
    (held, rejected, sum)
}

#[test]
fn random_programs_have_every_property() {
    let effort = Effort { edits: 60, forgeries: 8, ..Effort::default() };
    let count = tier::cases(30, 300);
    let (held, rejected, sum) = examine_all(0..count as u64, effort);
    println!("{held} held, {rejected} rejected, {} rows, {} edits", sum.rows, sum.edits);
    println!("{}", sum.checked);
    assert_eq!((held, rejected), (count, 0));
    assert!(sum.rows > 3 * count && sum.edits > 30 * count, "{sum:?}");
    if !tier::is_full() {
        // Some families are in few programs: the full tier has enough of each.
        return;
    }
    for family in Family::ALL.into_iter().filter(|family| *family != Family::StageTwo) {
        let (tried, refused) = (sum.checked.of(family), sum.checked.refused(family));
        let (least, share) = power(family);
        assert!(tried >= least, "{family:?}: {tried} cells were changed");
        assert!(refused * 100 >= tried * share, "{family:?}: {refused} of {tried} were refused");
    }
}

/// How many cells of a family are changed at least, and how many percent of them are
/// refused at least. Values of memory that nobody asks for are free, as are witnesses
/// of zero, advice that nothing reads, and most cells of padding.
fn power(family: Family) -> (usize, usize) {
    match family {
        Family::Unused => (50, 0),
        Family::Padding => (100, 50),
        Family::ZeroInverse => (30, 50),
        Family::Advice => (80, 25),
        Family::Memory => (200, 80),
        Family::Merge | Family::Rank | Family::CalleeRank => (5, 100),
        // Lone calls have no gap, and a gap has two columns: few programs have any.
        Family::Gap => (3, 100),
        _ => (50, 100),
    }
}

#[test]
fn text_of_random_programs_is_emitted() {
    let effort = Effort { emit: true, ..Effort::default() };
    let (held, ..) = examine_all((0..300).step_by(tier::cases(100, 25)), effort);
    assert!(held >= tier::cases(2, 6));
}

/// Proofs verify, and no forgery does: two programs in the quick tier; in the full tier at
/// least six, and as many as it takes to have a forgery of every family that is refused at
/// all.
#[test]
fn proofs_of_random_programs_verify() {
    let effort = Effort { prove: true, ..Effort::default() };
    let least = tier::cases(2, 6);
    let (mut held, mut sum) = (0, Tally::default());
    let forged = Family::ALL.into_iter().filter(|family| *family != Family::Unused);
    let missing = |sum: &Tally| forged.clone().find(|&family| sum.verified.refused(family) == 0);
    for seed in 1_000..1_040 {
        if held >= least && (missing(&sum).is_none() || !tier::is_full()) {
            break;
        }
        let (more, _, tally) = examine_all(seed..seed + 1, effort);
        held += more;
        sum += tally;
    }
    println!("{held} programs: {}", sum.verified);
    assert!(held >= least && sum.proofs == held);
    if tier::is_full() {
        assert_eq!(missing(&sum), None, "no forgery of this family was verified");
    }
}

/// The generator reaches what there is: every operation and control is executed,
/// queries are promoted, calls are ranked, paths are too many, circuits are shared.
#[test]
fn random_programs_execute_everything() {
    let mut executed = BTreeSet::new();
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for case in (0..300).map(generate) {
        let Ok((_, naive)) = naive::run(&case) else { continue };
        executed.extend(naive.executed);
        let program = CheckedProgram::new(case.program.clone()).unwrap();
        let run = execute(&case, &program).unwrap();
        let mut count = |what, holds: bool| *seen.entry(what).or_default() += usize::from(holds);
        let data = program.program();
        count("promoted", run.stats.replays > 0);
        count("grouped", data.circuits.iter().any(|members| members.len() > 1));
        count("namesakes", {
            let names: BTreeSet<_> = data.functions.iter().map(|f| &f.name).collect();
            names.len() < data.functions.len()
        });
        for id in program.function_ids() {
            let (table, layout) = (&run.record.functions[id.index()], program.layout(id));
            let rows = (0..table.len()).filter(|&query| table.multiplicity(query) != 0).count();
            let ops = layout.blocks.iter().flat_map(|block| &block.ops);
            let calls: Vec<RankedCall> = ops.map(|op| op.ranked_call).collect();
            count("ranked rows", layout.ranked && rows > 0);
            count("calls inside", rows > 0 && calls.contains(&RankedCall::Inside));
            count("lone calls", rows > 0 && calls.contains(&RankedCall::Lone));
            count("calls from outside", rows > 0 && calls.contains(&RankedCall::Outside));
            count("too many paths", rows > 0 && !program.paths(id).are_numbered());
            count("many rows", rows > 8);
        }
    }
    println!("{seen:?}");
    for op in OPERATIONS {
        assert!(executed.remove(op), "{op} is never executed");
    }
    assert!(executed.is_empty(), "not listed: {executed:?}");
    assert!(seen.values().all(|&count| count >= 3), "{seen:?}");
}

/// What a seed means must not change from one build to the next unnoticed.
#[test]
fn a_seed_gives_the_same_case_again() {
    for seed in 0..20 {
        assert_eq!(generate(seed), generate(seed));
    }
    assert_ne!(generate(1), generate(2));
}

/// The grouping into circuits is outside of the fingerprint and inside of the system
/// digest. Programs without byte tables, whose keys are quick to make.
#[test]
fn regrouping_changes_the_system_digest_alone() {
    let digest = |program: &CheckedProgram| {
        let session = Session::of(program.clone()).profile(Profile::Fast).build().unwrap();
        *session.verifying_key().unwrap().digest()
    };
    let (mut joined, mut split) = (0, 0);
    for case in (0..300).map(generate) {
        let Some(regrouped) = edits::regrouped(&case.program) else { continue };
        let program = CheckedProgram::new(case.program).unwrap();
        let is_table = |circuit: &Circuit| matches!(circuit.kind, CircuitKind::Bytes(_));
        if build_system(&program).circuits.iter().any(is_table) {
            continue;
        }
        let before = program.program().circuits.len();
        let other = CheckedProgram::new(regrouped).unwrap();
        assert_eq!(program.fingerprint(), other.fingerprint());
        assert_ne!(digest(&program), digest(&other));
        match other.program().circuits.len() < before {
            true => joined += 1,
            false => split += 1,
        }
    }
    assert!(joined >= 3 && split >= 1, "{joined} joined, {split} split");
}

/// A program that goes wrong does so alike in both executors, which are compared by
/// what went wrong.
#[test]
fn faults_are_of_the_same_kind() {
    type Write = fn(&mut Body, FunctionHandle, &[Value]) -> Value;
    let faults: [(Kind, Write); 11] = [
        (Kind::Range, |f, _, x| f.u8_xor(x[0], x[0])),
        (Kind::Range, |f, _, x| {
            let large = f.scale(x[0], 1 << 40);
            f.u32_less_than(x[0], large)
        }),
        (Kind::Pointer, |f, _, x| f.load(2, x[0])[0]),
        (Kind::Assertion, |f, _, x| {
            let zero = f.constant(0);
            f.assert_eq(x[0], zero, "never");
            zero
        }),
        (Kind::Cycle, |f, own, x| f.call(own, &[x[0]])[0]),
        (Kind::Limbs, |f, _, x| f.hint_biguint_div_rem(x[0], x[0])[0]),
        (Kind::Limbs, |f, _, x| {
            let node = f.store(&[x[0]; 10]);
            f.hint_biguint_div_rem(node, node)[0]
        }),
        (Kind::MissingKey, |f, _, x| f.io_get_info(x[0], &[])[0]),
        (Kind::KeySet, |f, _, x| {
            f.io_set_info(x[0], &[x[0]], x[0], x[0]);
            f.io_set_info(x[0], &[x[0]], x[0], x[0]);
            x[0]
        }),
        (Kind::OutOfRange, |f, _, x| f.io_read(x[0], x[0], 1)[0]),
        (Kind::NoCase, |f, _, x| {
            f.begin_match_continue(x[0], 1);
            f.begin_case(1);
            f.yield_values(&[x[0]]);
            f.end_match_continue()[0]
        }),
    ];
    for (kind, write) in faults {
        let mut builder = ProgramBuilder::new("fault");
        let main = builder.entry("main", 1, 1);
        builder.define(main, |f, x| {
            let result = write(f, main, x);
            f.ret(&[result])
        });
        let program = builder.finish().unwrap();
        let claims = vec![(main.id(), vec![300])];
        let case = Case { seed: 0, program, claims, input: Vec::new() };
        assert_eq!(naive::run(&case).unwrap_err(), Stop::Fault(kind));
        assert_eq!(examine(&case, Effort::default()), Verdict::Rejected, "{kind:?}");
    }
}
