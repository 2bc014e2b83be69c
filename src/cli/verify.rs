//! `traceloom verify`.

use std::time::Instant;

use traceloom_abi::claim::Claim;
use traceloom_abi::field::element;
use traceloom_bytecode::system::build_system;
use traceloom_programs as programs;
use traceloom_prover::{Profile, Proof, VerifyingKey, verify};

use super::execute::print_claim;
use super::output::{hex, say, seconds};
use super::source::{self, Source, load};
use super::{Failure, VerifyArgs};

/// Verifies a proof and says what it proves.
pub fn run(args: &VerifyArgs) -> Result<(), Failure> {
    let bytes = source::read(&args.proof)?;
    let malformed =
        |error: String| Failure::Malformed(format!("{}: {error}", args.proof.display()));
    let proof = Proof::decode(&bytes).map_err(|error| malformed(error.to_string()))?;
    let start = Instant::now();
    let source = match &args.program {
        Some(name) => load(name)?,
        None => built_in(&proof)?,
    };
    let refused = |error: String| Failure::Refused(format!("{}: {error}", args.proof.display()));
    if proof.params != args.profile.params() {
        return Err(refused(profile_mismatch(&proof, args.profile)));
    }
    let claims: Vec<Claim> = proof.claims().cloned().collect();
    check_expectations(args, &claims)?;
    let system = build_system(&source.program);
    let key = VerifyingKey::new(&system, &args.profile.params());
    let key = key.map_err(|error| refused(error.to_string()))?;
    let report = verify(&key, &claims, &proof).map_err(|error| refused(error.to_string()))?;
    say!("valid    program {:?}, profile {}", source.program.program().name, args.profile.name());
    claims.iter().for_each(|claim| print_claim(&source, claim));
    say!("         transparent, not zero-knowledge; io is advice, the claim is all it binds");
    say!("time     {}", seconds(start.elapsed()));
    say!("{}", report.security);
    if args.explain {
        say!("{}", report.security.table());
    }
    Ok(())
}

fn built_in(proof: &Proof) -> Result<Source, Failure> {
    for builtin in &programs::ALL {
        let source = load(builtin.name)?;
        if source.program.fingerprint() == proof.fingerprint {
            return Ok(source);
        }
    }
    Err(Failure::Refused(format!(
        "the proof is about a program with fingerprint {}, which is none of the built-in ones; \
         name its file with --program",
        hex(&proof.fingerprint)
    )))
}

fn profile_mismatch(proof: &Proof, expected: Profile) -> String {
    let found = Profile::ALL.into_iter().find(|profile| profile.params() == proof.params);
    let found = found.map_or("no known profile", Profile::name);
    format!(
        "the proof has profile {found}, expected {}; accept another one with --profile",
        expected.name()
    )
}

/// Compares the proof's claim with what the caller expects of it.
fn check_expectations(args: &VerifyArgs, claims: &[Claim]) -> Result<(), Failure> {
    let claimed = match claims {
        [claim] => claim,
        _ => {
            let count = claims.len();
            return Err(Failure::Refused(format!("the proof has {count} claims, expected one")));
        }
    };
    if let Some(list) = &args.args {
        let expected: Vec<_> = source::words("--args", list)?.into_iter().map(element).collect();
        if expected != claimed.inputs {
            return Err(Failure::Refused("the proof claims other inputs than --args".into()));
        }
    }
    if let Some(list) = &args.outputs {
        let expected: Vec<_> = outputs(list)?.into_iter().map(element).collect();
        if expected != claimed.outputs {
            return Err(Failure::Refused("the proof claims other outputs than --outputs".into()));
        }
    }
    Ok(())
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
