//! `traceloom verify`.

use std::path::Path;

use traceloom_programs as programs;
use traceloom_runtime::session::{Expected, SessionBuilder, read_proof};
use traceloom_verifier::Proof;

use super::execute::print_claim;
use super::output::{hex, say, seconds};
use super::{Failure, VerifyArgs, riscv, source};

/// Verifies a proof and says what it proves.
pub fn run(args: &VerifyArgs) -> Result<(), Failure> {
    let about = |error| Failure::about(&args.proof, &error);
    let proof = Proof::decode(&read_proof(&args.proof)?).map_err(|error| about(error.into()))?;
    let builder = match &args.program {
        Some(name) => named(name)?,
        None => stated(&proof.fingerprint)?,
    };
    let session = builder.profile(args.profile).build()?;
    let verified = session.verify_proof(&proof, &expected(args)?).map_err(about)?;
    if let Some(only) = only_stated(args) {
        say!("note     {only}");
    }
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

/// A note about the parts of the claim that were not compared with an expectation.
fn only_stated(args: &VerifyArgs) -> Option<&'static str> {
    match (&args.program, &args.args, &args.outputs) {
        (None, ..) => Some(
            "this only says what is proven; name what you expect with --program, --entry, \
             --args and --outputs",
        ),
        (_, None, None) => Some(
            "this only says what is proven of this program; name the claim that you expect with \
             --entry, --args and --outputs",
        ),
        (_, None, _) => {
            Some("of the inputs this only says what is proven; expect some with --args")
        }
        (_, _, None) => {
            Some("of the outputs this only says what is proven; expect some with --outputs")
        }
        _ => None,
    }
}

/// The program that a caller names: built in, a file, or by its fingerprint.
fn named(name: &str) -> Result<SessionBuilder, Failure> {
    riscv::refuse(name)?;
    let is_other = programs::find(name).is_none() && !Path::new(name).exists();
    let fingerprint: Option<[u8; 32]> = hex_bytes(name).and_then(|bytes| bytes.try_into().ok());
    match fingerprint.filter(|_| is_other) {
        None => Ok(crate::session(name)?),
        Some(fingerprint) => {
            crate::session_of(&fingerprint)?.map(|(_, builder)| builder).ok_or_else(|| {
                Failure::Malformed(format!(
                    "--program: no built-in program has fingerprint {name}; name its file"
                ))
            })
        }
    }
}

/// The built-in program that a proof states.
fn stated(fingerprint: &[u8; 32]) -> Result<SessionBuilder, Failure> {
    crate::session_of(fingerprint)?.map(|(_, builder)| builder).ok_or_else(|| {
        Failure::Refused(format!(
            "the proof is about a program with fingerprint {}, which is none of the built-in \
             ones; name its file with --program",
            hex(fingerprint)
        ))
    })
}

/// What the caller expects of the claim.
fn expected(args: &VerifyArgs) -> Result<Expected, Failure> {
    let mut expected = Expected::any();
    if let Some(name) = &args.entry {
        expected = expected.entry(name);
    }
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
        Some(digits) => {
            hex_bytes(digits).map(|bytes| bytes.into_iter().map(u64::from).collect()).ok_or_else(
                || Failure::Malformed("--outputs: pairs of hex digits must follow 0x".into()),
            )
        }
        None => source::words("--outputs", list),
    }
}

/// Bytes from pairs of hexadecimal digits.
fn hex_bytes(digits: &str) -> Option<Vec<u8>> {
    let pairs = digits.as_bytes().chunks(2).map(|pair| {
        let text = std::str::from_utf8(pair).ok().filter(|text| {
            text.len() == 2 && text.bytes().all(|digit| digit.is_ascii_hexdigit())
        })?;
        u8::from_str_radix(text, 16).ok()
    });
    pairs.collect()
}
