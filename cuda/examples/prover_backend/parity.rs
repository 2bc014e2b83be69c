//! Proofs of a device against those of the CPU, byte by byte.

use std::sync::Arc;

use traceloom_cuda::provider::RowWriter;
use traceloom_runtime::ledger::Kind;
use traceloom_runtime::session::Proved;
use traceloom_verifier::Profile;

use crate::Outcome;
use crate::cases::{Case, all};

/// How much is proved.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    Quick,
    Whole,
}

/// One proof of the smallest case of a program: for sanitizers, under which everything takes
/// long.
pub fn tiny(writer: &Arc<RowWriter>, program: &str) -> Outcome {
    let case = all(true).into_iter().find(|case| case.name.starts_with(program));
    let case = case.ok_or_else(|| format!("there is no program {program:?}"))?;
    let expected = case.on_cpu(Profile::Fast)?.prove(case.request()?)?;
    let session = case.on_device(Profile::Fast, writer, false)?;
    compare(&case, Profile::Fast, &session.prove(case.request()?)?, &expected)?;
    println!("parity: equal {}", case.name);
    Ok(())
}

pub fn run(writer: &Arc<RowWriter>, extent: Extent) -> Outcome {
    let profiles = match extent {
        Extent::Quick => vec![Profile::Fast, Profile::Standard],
        Extent::Whole => Profile::ALL.to_vec(),
    };
    for case in all(extent == Extent::Quick) {
        for &profile in &profiles {
            check(&case, profile, writer)?;
        }
    }
    at_once(writer)?;
    println!("parity: all equal; peak_device_bytes={}", writer.engine().device().memory().1);
    Ok(())
}

fn check(case: &Case, profile: Profile, writer: &Arc<RowWriter>) -> Outcome {
    let expected = case.on_cpu(profile)?.prove(case.request()?)?;
    for falls_back in [false, true] {
        let session = case.on_device(profile, writer, falls_back)?;
        // The second proof finds everything that a session keeps.
        for _ in 0..2 {
            compare(case, profile, &session.prove(case.request()?)?, &expected)?;
        }
    }
    println!("equal {} {profile:?} bytes={}", case.name, expected.bytes.len());
    Ok(())
}

fn compare(case: &Case, profile: Profile, found: &Proved, expected: &Proved) -> Outcome {
    if found.bytes != expected.bytes {
        let at = found.bytes.iter().zip(&expected.bytes).position(|(a, b)| a != b);
        return Err(
            format!("{} {profile:?}: proofs differ, first at byte {at:?}", case.name).into()
        );
    }
    let ledger = &found.report.trace.ledger;
    if ledger.of_kind(Kind::Rows).down != 0 {
        return Err(format!("{} {profile:?}: rows came down", case.name).into());
    }
    match found.report.backend.as_str() {
        "cuda" => Ok(()),
        other => Err(format!("{} {profile:?}: proved by {other}", case.name).into()),
    }
}

/// Two proofs on one device at the same time.
fn at_once(writer: &Arc<RowWriter>) -> Outcome {
    let cases = [Case::blake3(1500), Case::blake3(700)];
    let prove = |case: &Case| -> Result<(), String> {
        check(case, Profile::Fast, writer).map_err(|error| error.to_string())
    };
    std::thread::scope(|scope| {
        let threads = cases.each_ref().map(|case| scope.spawn(move || prove(case)));
        threads
            .map(|thread| thread.join().map_err(|_| "a thread panicked".to_owned())?)
            .into_iter()
            .collect::<Result<(), String>>()
    })?;
    println!("equal two proofs at once");
    Ok(())
}
