//! Guests of this repository, from an ELF file to a verified proof, and what must be refused.

use traceloom_guest::{Statement, session_of};
use traceloom_riscv::Limits;
use traceloom_runtime::provider::{Provider, TraceProvider};
use traceloom_runtime::session::{Expected, Kind, Request, Session, SessionBuilder, SessionError};
use traceloom_runtime::shards::{NumShards, ShardOptions};
use traceloom_verifier::Profile;

const FIBONACCI: &[u8] = include_bytes!("../../riscv/guests/fibonacci.elf");
const SORT: &[u8] = include_bytes!("../../riscv/guests/sort.elf");

fn builder(elf: &[u8]) -> SessionBuilder {
    session_of("guest.elf", elf, &Limits::default()).unwrap().profile(Profile::Fast)
}

fn proved(session: &Session, input: &[u8]) -> (Vec<u8>, Statement) {
    let proved = session.prove(Request::bytes(input).unwrap()).unwrap();
    (proved.bytes, Statement::of(&proved.summary.boundary).unwrap())
}

#[test]
fn a_guest_is_checked_proven_and_verified() {
    let session = builder(FIBONACCI).strict(true).build().unwrap();
    let checked = session.check(Request::bytes(b"10").unwrap()).unwrap();
    assert!(checked.report.is_ok(), "{}", checked.report);
    let scalar = |name: &str| {
        let circuits = checked.trace.circuits.iter();
        circuits.filter(|of| of.provider == Provider::Scalar).any(|of| of.name == name)
    };
    assert!(["cpu", "memw_r", "memw_a", "load", "store", "lt", "shift"].into_iter().all(scalar));
    let (bytes, statement) = proved(&session, b"10");
    assert_eq!(statement.input, b"10");
    assert!(!statement.output.is_empty());
    let verified = session.verify(&bytes, &Expected::any()).unwrap();
    assert_eq!(Statement::of(&verified.boundary), Some(statement));
}

/// Every guest: products, quotients, logic, 32-bit forms, unaligned accesses, recursion.
#[test]
fn all_guests_are_proven() {
    const SHA256: &[u8] = include_bytes!("../../riscv/guests/sha256.elf");
    const CALCULATOR: &[u8] = include_bytes!("../../riscv/guests/calculator.elf");
    let words: Vec<u8> = [5_u64, u64::MAX, 7, 0].into_iter().flat_map(u64::to_le_bytes).collect();
    for (elf, input) in [
        (SHA256, &b"abc"[..]),
        (CALCULATOR, b"(17 - 3) * 5 / 4 % 9\n-7 / 2\n"),
        (SORT, &words),
        (SORT, b""),
    ] {
        let session = builder(elf).strict(true).build().unwrap();
        let report = session.check(Request::bytes(input).unwrap()).unwrap().report;
        assert!(report.is_ok(), "{report}");
        let (bytes, statement) = proved(&session, input);
        let ran = traceloom_riscv::Program::load(elf, &Limits::default()).unwrap();
        let ran = traceloom_riscv::execute(&ran, input, &Limits::default()).unwrap();
        assert_eq!((&statement.input[..], &statement.output), (input, &ran.output));
        session.verify(&bytes, &Expected::any()).unwrap();
    }
}

#[test]
fn another_statement_or_guest_is_refused() {
    let session = builder(SORT).build().unwrap();
    let words = |words: [u64; 3]| words.into_iter().flat_map(u64::to_le_bytes).collect::<Vec<u8>>();
    let proved = session.prove(Request::bytes(&words([3, 1, 2])).unwrap()).unwrap();
    let stated = Statement::of(&proved.summary.boundary).unwrap();
    for changed in [
        Statement { output: [&stated.output[..], b"!"].concat(), ..stated.clone() },
        Statement { input: words([3, 1, 4]), ..stated.clone() },
        Statement { output: stated.output[1..].to_vec(), ..stated.clone() },
    ] {
        // A proof file that states it.
        let mut proof = proved.proof.clone();
        let guest = traceloom_guest::Guest::load("sort", SORT, &Limits::default()).unwrap();
        proof.statements[0].boundary = guest.statement(&changed);
        let error = session.verify_proof(&proof, &Expected::any()).unwrap_err();
        assert!(matches!(error, SessionError::Verify(_)), "{error}");
    }
    let mut proof = proved.proof.clone();
    proof.statements[0].boundary.swap(1, 2);
    let error = session.verify_proof(&proof, &Expected::any()).unwrap_err();
    assert!(matches!(error, SessionError::Statement(_)), "{error}");
    // Another ELF file.
    let other = builder(FIBONACCI).build().unwrap();
    let error = other.verify(&proved.bytes, &Expected::any()).unwrap_err();
    assert!(matches!(error, SessionError::OtherProgram { .. }), "{error}");
    let mut proof = proved.proof.clone();
    proof.fingerprint = other.fingerprint();
    assert!(other.verify_proof(&proof, &Expected::any()).is_err());
}

#[test]
fn one_proof_whoever_writes_rows_and_on_how_many_threads() {
    let (bytes, _) = proved(&builder(FIBONACCI).build().unwrap(), b"7");
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let session = builder(FIBONACCI).build().unwrap();
        assert!(pool.install(|| proved(&session, b"7")).0 == bytes, "{threads} threads");
    }
    let session = builder(FIBONACCI).trace(TraceProvider::Reference).build().unwrap();
    assert!(proved(&session, b"7").0 == bytes, "interpreted plans");
}

#[test]
fn a_guest_is_proven_in_shards() {
    let shards = ShardOptions { shards: NumShards::Exactly(2), ..ShardOptions::default() };
    let session = builder(FIBONACCI).shards(shards).build().unwrap();
    let (bytes, statement) = proved(&session, b"40");
    let verified = session.verify(&bytes, &Expected::any()).unwrap();
    assert_eq!(Statement::of(&verified.boundary), Some(statement));
}

#[test]
fn bad_guests_and_inputs_are_explained() {
    let limits = Limits { cycles: 9, ..Limits::default() };
    let session = session_of("f.elf", FIBONACCI, &limits).unwrap().build().unwrap();
    let error = session.prove(Request::bytes(b"10").unwrap()).unwrap_err();
    assert_eq!(error.kind(), Kind::Refused);
    assert!(error.to_string().contains("the limit of 9 instructions"), "{error}");
    assert!(error.to_string().starts_with("f.elf: pc 0x"), "{error}");
    let session = builder(FIBONACCI).build().unwrap();
    let error = session.prove(Request::bytes(b"").unwrap()).unwrap_err();
    assert!(error.to_string().contains("exited with code 1"), "{error}");
    let error = session_of("cut.elf", &FIBONACCI[..100], &Limits::default()).unwrap_err();
    assert_eq!(error.kind(), Kind::Malformed);
    assert!(error.to_string().starts_with("cut.elf: "), "{error}");
}
