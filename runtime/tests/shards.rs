//! Executions cut into shards: every kind of table, every provider, whatever is kept
//! between the rounds. Proofs verify, and have the same bytes.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use traceloom_air::system::CircuitKind;
use traceloom_bytecode::Program;
use traceloom_generated::PROGRAMS;
use traceloom_prover::Retention;
use traceloom_runtime::provider::TraceProvider;
use traceloom_runtime::session::{
    Expected, Kind, Proved, Request, Session, SessionBuilder, SessionError, Step,
};
use traceloom_runtime::shards::{NumShards, RetentionChoice, ShardOptions};
use traceloom_verifier::{Profile, Proof};

fn words(count: u32) -> Vec<u8> {
    (0..count).flat_map(|i| (i.wrapping_mul(2_654_435_761) >> 7).to_le_bytes()).collect()
}

fn options(shards: usize, retention: Retention) -> ShardOptions {
    let (shards, retention) = (NumShards::Exactly(shards), RetentionChoice::Always(retention));
    ShardOptions { shards, retention, ..ShardOptions::default() }
}

fn builder(program: &Program) -> SessionBuilder {
    Session::of_program(program.clone()).profile(Profile::Fast).registry(PROGRAMS)
}

/// Proves with every retention, provider and two numbers of threads: the same bytes, which
/// verify.
fn prove(program: &Program, request: &Request, shards: usize) -> (Session, Proved) {
    let mut first: Option<Proved> = None;
    for retention in [Retention::Retain, Retention::Regenerate] {
        for provider in [TraceProvider::Scalar, TraceProvider::Reference] {
            let builder = builder(program).trace(provider).shards(options(shards, retention));
            let session = builder.build().unwrap();
            let threads = if provider == TraceProvider::Scalar { 1 } else { 3 };
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let proved = pool.install(|| session.prove(request.clone())).unwrap();
            assert_eq!(proved.proof.statements.len(), shards);
            let planned = &proved.report.shards;
            assert_eq!((planned.plan.shards.len(), planned.retention), (shards, retention));
            match &first {
                Some(first) => assert!(first.bytes == proved.bytes, "{retention:?}, {provider:?}"),
                None => first = Some(proved),
            }
        }
    }
    let (session, proved) = (builder(program).build().unwrap(), first.unwrap());
    session.verify(&proved.bytes, &Expected::any()).unwrap();
    check_statements(&session, &proved);
    (session, proved)
}

/// Claims and byte tables are in shard 0 alone; rows of all shards are those of one.
fn check_statements(session: &Session, proved: &Proved) {
    let circuits = session.system().circuits.iter().enumerate();
    for (shard, statement) in proved.proof.statements.iter().enumerate() {
        assert_eq!(statement.claims.is_empty(), shard > 0);
        for (circuit, data) in circuits.clone() {
            let is_table = matches!(data.kind, CircuitKind::Bytes(_));
            assert!(!is_table || shard == 0 || statement.log_heights[circuit].is_none());
        }
    }
    let rows = &proved.summary.rows;
    let reported: Vec<usize> = proved.report.trace.circuits.iter().map(|of| of.rows).collect();
    assert_eq!(&reported, rows);
    assert!(rows.iter().any(|&rows| rows > 0));
    // Nobody else makes rows, so the record is not needed to the end.
    assert!(proved.report.record_freed.is_some());
}

/// The shards in which a circuit is active, by its name.
fn shards_of(session: &Session, proof: &Proof, name: &str) -> BTreeSet<usize> {
    let circuit = session.system().circuits.iter().position(|circuit| circuit.name == name);
    let circuit = circuit.unwrap_or_else(|| panic!("no circuit {name}"));
    let statements = proof.statements.iter().enumerate();
    let active = statements.filter(|(_, statement)| statement.log_heights[circuit].is_some());
    active.map(|(shard, _)| shard).collect()
}

#[test]
fn a_memory_in_many_pieces() {
    let program = traceloom_programs::merge_sort::program().unwrap();
    let request = Request::bytes(&words(40)).unwrap().with_args([40]);
    for shards in [2, 3, 7] {
        let (session, proved) = prove(&program, &request, shards);
        let circuits = &session.system().circuits;
        let memory = circuits.iter().position(|c| matches!(c.kind, CircuitKind::Memory { .. }));
        let name = &circuits[memory.unwrap()].name;
        assert!(shards_of(&session, &proved.proof, name).len() > shards / 2, "{shards}");
    }
}

/// A function that calls itself: rows in one shard call rows of another.
#[test]
fn a_recursion_over_shards() {
    let program = traceloom_programs::fibonacci::program().unwrap();
    for shards in [2, 5, 42] {
        let (session, proved) = prove(&program, &Request::args([40]), shards);
        assert_eq!(proved.summary.outputs(0), [102_334_155]);
        // The byte table may have shard 0 for itself.
        let active = shards_of(&session, &proved.proof, "fibonacci").len();
        assert!(active >= 2.max(shards - 1), "{active} of {shards}");
    }
    let session = builder(&program).shards(options(43, Retention::Retain)).build().unwrap();
    let error = session.prove(Request::args([40])).err().unwrap();
    assert_eq!(error.kind(), Kind::Refused);
    let expected = "shards: 43 shards need 43 rows of one circuit, the tallest (fibonacci) has 41";
    assert!(error.to_string().starts_with(expected), "{error}");
}

const GROUP: &str = "program \"group\"
fn sum(n) -> 1 entry {
  match n {
    case 0 { return n }
    default {
      one = const 1
      less = sub n, one
      rest = call sum(less)
      here = call square(n)
      all = add rest, here
      return all
    }
  }
}
fn square(x) -> 1 {
  y = mul x, x
  return y
}
end
";

/// Both members are in one circuit. It is cut inside the first and inside the second.
#[test]
fn a_group_is_cut_between_and_inside_of_members() {
    let mut program = traceloom_bytecode::text::parse(GROUP).unwrap();
    program.circuits = vec![program.circuits.concat()];
    // 21 rows of sum, then 20 of square.
    for shards in [2, 3, 4] {
        let session = builder(&program).shards(options(shards, Retention::Regenerate));
        let session = session.build().unwrap();
        let proved = session.prove(Request::args([20])).unwrap();
        assert_eq!(proved.summary.outputs(0), [2870]);
        let name = &session.system().circuits[0].name;
        assert!(shards_of(&session, &proved.proof, name).len() > 1);
        let kept = builder(&program).shards(options(shards, Retention::Retain)).build().unwrap();
        assert!(kept.prove(Request::args([20])).unwrap().bytes == proved.bytes);
        session.verify(&proved.bytes, &Expected::args([20]).outputs([2870])).unwrap();
        let plan = &proved.report.shards.plan;
        let pieces = plan.shards.iter().filter_map(|shard| shard.pieces[0].as_ref());
        let ends: Vec<usize> = pieces.map(|piece| piece.rows.end).collect();
        assert!(ends.iter().any(|&end| end != 21) && ends.last() == Some(&41), "{ends:?}");
    }
}

/// Caps choose how many shards there are, and nothing else of the proof.
#[test]
fn caps_choose_the_number_of_shards() {
    let program = traceloom_programs::merge_sort::program().unwrap();
    let request = || Request::bytes(&words(20_000)).unwrap().with_args([20_000]);
    let plan = |options: ShardOptions| {
        builder(&program).shards(options).build().unwrap().plan(request()).map(|(_, plan)| plan)
    };
    let whole = plan(ShardOptions::default()).unwrap();
    assert_eq!(whole.plan.shards.len(), 1);
    let cap = u64::try_from(whole.cells[0] / 3).unwrap();
    let capped = ShardOptions { max_shard_cells: Some(cap), ..ShardOptions::default() };
    let planned = plan(capped).unwrap();
    assert!(planned.plan.shards.len() > 1);
    assert!(planned.cells.iter().all(|&cells| cells <= cap.into()));
    let memory = u64::try_from(whole.estimate.peak()).unwrap() * 2 / 3;
    let bounded = plan(ShardOptions { max_memory: Some(memory), ..ShardOptions::default() });
    let bounded = bounded.unwrap();
    assert!(bounded.plan.shards.len() > 1 && bounded.estimate.peak() <= memory.into());
}

#[test]
fn wrong_options_are_refused_before_the_program_runs() {
    let program = traceloom_programs::fibonacci::program().unwrap();
    let session = |options| builder(&program).shards(options).build().unwrap();
    let caps = ShardOptions { max_memory: Some(0), ..ShardOptions::default() };
    for (options, message) in [
        (options(0, Retention::Retain), "shards: a proof has at least 1 shard, not 0"),
        (caps, "max_memory: 0 leaves no room for anything"),
    ] {
        // The request is wrong, too, which nobody has looked at yet.
        for error in [
            session(options).prove(Request::args([1, 2, 3])).err().unwrap(),
            session(options).plan(Request::args([1, 2, 3])).err().unwrap(),
        ] {
            assert_eq!(error.kind(), Kind::Malformed);
            assert!(matches!(error, SessionError::Plan(_)), "{error}");
            assert!(error.to_string().starts_with(message), "{error}");
        }
    }
}

/// Progress counts what the planner has added up, whatever is kept.
#[test]
fn the_total_of_progress_is_the_planned_cost() {
    let program = traceloom_programs::fibonacci::program().unwrap();
    for retention in [Retention::Retain, Retention::Regenerate] {
        for shards in [1, 4] {
            let totals = Arc::<Mutex<BTreeSet<u64>>>::default();
            let seen = totals.clone();
            let builder = builder(&program).shards(options(shards, retention));
            let builder = builder.progress(move |now| {
                if matches!(now.stage, Step::Prove(_)) {
                    seen.lock().unwrap().extend(now.total);
                }
            });
            let proved = builder.build().unwrap().prove(Request::args([30])).unwrap();
            let planned: u64 = proved.report.shards.costs.iter().sum();
            assert_eq!(*totals.lock().unwrap(), [planned].into(), "{retention:?}, {shards}");
        }
    }
}
