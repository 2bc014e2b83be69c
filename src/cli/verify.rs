//! `traceloom verify`.

use traceloom_runtime::session::{Expected, SessionBuilder, read_file};
use traceloom_verifier::Proof;

use super::execute::print_claim;
use super::output::{hex, say, seconds};
use super::{Failure, VerifyArgs, source};

/// Verifies a proof and says what it proves.
pub fn run(args: &VerifyArgs) -> Result<(), Failure> {
    let bytes = read_file(&args.proof)?;
    let about = |error| Failure::about(&args.proof, &error);
    let proof = Proof::decode(&bytes).map_err(|error| about(error.into()))?;
    let builder = match &args.program {
        Some(name) => crate::session(name)?,
        None => built_in(&proof)?,
    };
    let session = builder.profile(args.profile).build()?;
    let verified = session.verify_proof(&proof, &expected(args)?).map_err(about)?;
    say!(
        "valid    program {:?}, profile {}",
        session.program().program().name,
        args.profile.name()
    );
    verified.claims.iter().for_each(|claim| print_claim(&session, claim));
    say!("         transparent, not zero-knowledge; io is advice, the claim is all it binds");
    say!("time     {}", seconds(verified.time));
    say!("{}", verified.report.security);
    if args.explain {
        say!("{}", verified.report.security.table());
    }
    Ok(())
}

fn built_in(proof: &Proof) -> Result<SessionBuilder, Failure> {
    crate::session_of(&proof.fingerprint)?.map(|(_, builder)| builder).ok_or_else(|| {
        Failure::Refused(format!(
            "the proof is about a program with fingerprint {}, which is none of the built-in \
             ones; name its file with --program",
            hex(&proof.fingerprint)
        ))
    })
}

/// What the caller expects of the claim.
fn expected(args: &VerifyArgs) -> Result<Expected, Failure> {
    let mut expected = Expected::any();
    if let Some(list) = &args.args {
        expected = expected.inputs(source::words("--args", list)?);
    }
    if let Some(list) = &args.outputs {
        expected = expected.outputs(outputs(list)?);
    }
    Ok(expected)
}

/// Numbers, or bytes in hexadecimal after `0x`.
pub(super) fn outputs(list: &str) -> Result<Vec<u64>, Failure> {
    match list.strip_prefix("0x") {
        Some(digits) => hex_bytes(digits),
        None => source::words("--outputs", list),
    }
}

fn hex_bytes(digits: &str) -> Result<Vec<u64>, Failure> {
    let pairs = digits.as_bytes().chunks(2).map(|pair| {
        let text = std::str::from_utf8(pair).ok().filter(|text| {
            text.len() == 2 && text.bytes().all(|digit| digit.is_ascii_hexdigit())
        })?;
        u64::from_str_radix(text, 16).ok()
    });
    pairs
        .collect::<Option<Vec<u64>>>()
        .ok_or_else(|| Failure::Malformed("--outputs: after 0x come pairs of hex digits".into()))
}
