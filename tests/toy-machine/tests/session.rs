//! A session over op tables that nobody knows: proofs, and what must be refused.

use std::sync::{Arc, Mutex};

use traceloom_abi::ops::OpRecords;
use traceloom_abi::registry::ProgramUnit;
use traceloom_runtime::machine::MachineRun;
use traceloom_runtime::provider::{Provider, TraceProvider};
use traceloom_runtime::session::{Expected, Kind, Request, Session, SessionBuilder, SessionError};
use traceloom_runtime::shards::{NumShards, RetentionChoice, ShardOptions};
use traceloom_toy_machine::{PROGRAM, STOP, Toy};
use traceloom_verifier::Profile;

const UNITS: &[&ProgramUnit] = &[&PROGRAM];

fn builder(toy: Toy) -> SessionBuilder {
    Session::of_machine(Arc::new(toy)).profile(Profile::Fast).registry(UNITS)
}

fn session() -> Session {
    builder(Toy::default()).build().unwrap()
}

fn forged(forge: impl Fn(&mut MachineRun) + Send + Sync + 'static) -> Session {
    builder(Toy::forged(Arc::new(forge))).build().unwrap()
}

fn input(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i * 37 % 251) as u8).collect()
}

fn sum(input: &[u8]) -> u64 {
    input.iter().map(|&x| u64::from(x) * u64::from(x)).sum()
}

fn shards(num: usize, retention: RetentionChoice) -> ShardOptions {
    ShardOptions { shards: NumShards::Exactly(num), retention, ..ShardOptions::default() }
}

/// Puts other words into a record.
fn replace(records: &mut OpRecords, at: usize, words: &[u32]) {
    let mut changed = OpRecords::new(records.num_words());
    for record in 0..records.len() {
        let words = if record == at { words } else { records.words(record) };
        changed.push(|all| all.extend(words));
    }
    *records = changed;
}

#[test]
fn sums_are_proven_whatever_the_padding_is() {
    let session = session();
    for len in [1, 2, 4, 5, 16, 17, 600] {
        let input = input(len);
        let checked = session.check(Request::bytes(&input).unwrap()).unwrap();
        assert!(checked.report.is_ok(), "{len}: {}", checked.report);
        let proved = session.prove(Request::bytes(&input).unwrap()).unwrap();
        let expected = Expected::boundary(Toy::statement(&input, sum(&input)));
        let verified = session.verify(&proved.bytes, &expected).unwrap();
        assert_eq!(verified.boundary, proved.summary.boundary);
        let rows: Vec<Provider> = proved.report.trace.circuits.iter().map(|c| c.provider).collect();
        let scalar = Provider::Scalar;
        assert_eq!(rows, [scalar, scalar, scalar, Provider::Table]);
    }
}

#[test]
fn every_way_to_write_rows_gives_one_proof() {
    let input = input(300);
    let request = || Request::bytes(&input).unwrap();
    let proof = session().prove(request()).unwrap().bytes;
    let reference = builder(Toy::default()).trace(TraceProvider::Reference).build().unwrap();
    assert!(reference.prove(request()).unwrap().bytes == proof, "interpreted plans");
    let notices = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&notices);
    let without = builder(Toy::default())
        .registry(&[])
        .notices(move |notice| heard.lock().unwrap().push(notice.to_owned()))
        .build()
        .unwrap();
    assert!(without.prove(request()).unwrap().bytes == proof, "no units");
    let notices = notices.lock().unwrap().join("\n");
    assert!(notices.contains("\"step\", \"square\", \"end\" have reference rows"), "{notices}");
    let strict = builder(Toy::default()).registry(&[]).strict(true).build().unwrap();
    let error = strict.prove(request()).unwrap_err();
    assert!(matches!(error, SessionError::Choice(_)), "{error}");
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert!(pool.install(|| session().prove(request()).unwrap().bytes) == proof, "{threads}");
    }
}

#[test]
fn tables_are_cut_into_shards() {
    let input = input(1000);
    let expected = Expected::boundary(Toy::statement(&input, sum(&input)));
    for num in [2, 3, 4] {
        let of = |retention| {
            let session = builder(Toy::default()).shards(shards(num, retention)).build().unwrap();
            let proved = session.prove(Request::bytes(&input).unwrap()).unwrap();
            assert_eq!(proved.report.shards.plan.shards.len(), num);
            session.verify(&proved.bytes, &expected).unwrap();
            proved.bytes
        };
        use traceloom_prover::Retention::{Regenerate, Retain};
        let kept = of(RetentionChoice::Always(Retain));
        assert!(kept == of(RetentionChoice::Always(Regenerate)), "{num} shards, made again");
    }
}

#[test]
fn another_statement_is_refused() {
    let (session, input) = (session(), input(40));
    let proved = session.prove(Request::bytes(&input).unwrap()).unwrap();
    let sum = sum(&input);
    let refused = |expected: Expected| session.verify(&proved.bytes, &expected).unwrap_err();
    let mut other = input.clone();
    other[7] ^= 1;
    for statement in [Toy::statement(&input, sum + 1), Toy::statement(&other, sum)] {
        let error = refused(Expected::boundary(statement));
        assert!(matches!(error, SessionError::Mismatch(_)), "{error}");
    }
    // The same with a proof file that states what is expected.
    let mut proof = proved.proof.clone();
    proof.statements[0].boundary = Toy::statement(&input, sum + 1);
    let expected = Expected::boundary(Toy::statement(&input, sum + 1));
    let error = session.verify_proof(&proof, &expected).unwrap_err();
    assert!(matches!(error, SessionError::Verify(_)), "{error}");
    // No statement of this machine at all.
    proof.statements[0].boundary.swap(2, 3);
    let error = session.verify_proof(&proof, &Expected::any()).unwrap_err();
    assert!(matches!(error, SessionError::Statement(_)), "{error}");
}

#[test]
fn wrong_records_are_named_and_not_proven() {
    let input = input(20);
    let request = || Request::bytes(&input).unwrap();
    // The byte that is added is not the one of the statement.
    let session = forged(|run| {
        let words = run.record.ops[0].words(3).to_vec();
        replace(&mut run.record.ops[0], 3, &[words[0], words[1], words[2] + 1]);
    });
    let report = session.check(request()).unwrap().report;
    assert_eq!((report.num_constraints, report.num_messages > 0), (0, true));
    let text = report.to_string();
    assert!(text.contains("message of TOKEN") || text.contains("message of INPUT"), "{text}");
    assert!(text.contains("circuit \"step\", row 3 (byte 3), lookup"), "{text}");
    let error = session.prove(request()).unwrap_err();
    assert!(matches!(error, SessionError::Prove { .. }), "{error}");
    // A square that nobody asks for, and one request too few.
    for count in [0, 2] {
        let session = forged(move |run| {
            let x = run.record.ops[1].words(0)[0];
            replace(&mut run.record.ops[1], 0, &[x, count]);
        });
        assert!(!session.check(request()).unwrap().report.is_ok());
        assert!(session.prove(request()).is_err());
    }
    // An output that the rows do not give.
    let session = forged(|run| run.boundary = Toy::statement(&[1; 20], 21));
    assert!(!session.check(request()).unwrap().report.is_ok());
    assert!(session.prove(request()).is_err());
}

#[test]
fn requests_that_are_none_are_explained() {
    let session = session();
    let error = session.prove(Request::args([1, 2])).unwrap_err();
    assert_eq!((error.kind(), error.to_string()), {
        let text = "toy is a guest and has no functions; give it --input and no arguments or entry";
        (Kind::Malformed, text.to_owned())
    });
    let error = session.execute(Request::bytes(&[1, STOP]).unwrap()).unwrap_err();
    assert_eq!(error.to_string(), "toy: byte 1 is 255; leave it out");
    assert_eq!(error.kind(), Kind::Refused);
}
