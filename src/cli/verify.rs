//! `traceloom verify`.

use std::path::Path;
use std::time::Instant;

use traceloom_air::claim::Claim;
use traceloom_air::field::element;
use traceloom_bytecode::system::build_system;
use traceloom_programs as programs;
use traceloom_verifier::{Profile, Proof, VerifyingKey, verify};

use super::execute::print_claim;
use super::output::{hex, plain, say, seconds};
use super::source::{self, Source, load};
use super::{Failure, VerifyArgs};

/// Verifies a proof and says what it proves.
pub fn run(args: &VerifyArgs) -> Result<(), Failure> {
    let proof = source::read_proof(&args.proof)?;
    let start = Instant::now();
    let source = match &args.program {
        Some(name) => named(name)?,
        None => built_in(&proof.fingerprint).ok_or_else(|| unknown(&proof.fingerprint))?,
    };
    let refused = |error: String| Failure::Refused(format!("{}: {error}", args.proof.display()));
    if proof.params != args.profile.params() {
        return Err(refused(profile_mismatch(&proof, args.profile)));
    }
    let claims: Vec<Claim> = proof.claims().cloned().collect();
    check_expectations(args, &source, &claims)?;
    let system = build_system(&source.program);
    let key = VerifyingKey::new(&system, &args.profile.params());
    let key = key.map_err(|error| refused(error.to_string()))?;
    let report = verify(&key, &claims, &proof).map_err(|error| refused(error.to_string()))?;
    if let Some(only) = only_stated(args) {
        say!("note     {only}");
    }
    say!("valid    program {:?}, profile {}", source.program.program().name, args.profile.name());
    claims.iter().for_each(|claim| print_claim(&source, claim));
    say!("         transparent, not zero-knowledge; io is advice, the claim is all it binds");
    say!("time     {}", seconds(start.elapsed()));
    if args.explain {
        say!("{}", report.security);
    }
    Ok(())
}

/// What was not compared with anything that the caller expects.
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
fn named(name: &str) -> Result<Source, Failure> {
    let is_other = programs::find(name).is_none() && !Path::new(name).exists();
    let fingerprint: Option<[u8; 32]> = hex_bytes(name).and_then(|bytes| bytes.try_into().ok());
    match fingerprint.filter(|_| is_other) {
        Some(fingerprint) => built_in(&fingerprint).ok_or_else(|| {
            Failure::Malformed(format!(
                "--program: no built-in program has fingerprint {name}; name its file"
            ))
        }),
        None => load(name),
    }
}

fn built_in(fingerprint: &[u8; 32]) -> Option<Source> {
    let loaded = programs::ALL.iter().filter_map(|builtin| load(builtin.name).ok());
    loaded.into_iter().find(|source| source.program.fingerprint() == *fingerprint)
}

fn unknown(fingerprint: &[u8; 32]) -> Failure {
    Failure::Refused(format!(
        "the proof is about a program with fingerprint {}, which is none of the built-in ones; \
         name its file with --program",
        hex(fingerprint)
    ))
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
fn check_expectations(args: &VerifyArgs, source: &Source, claims: &[Claim]) -> Result<(), Failure> {
    let claimed = match claims {
        [claim] => claim,
        _ => {
            let count = claims.len();
            return Err(Failure::Refused(format!("the proof has {count} claims, expected one")));
        }
    };
    if args.entry.is_some() || args.args.is_some() || args.outputs.is_some() {
        let expected = source::entry(&source.program, args.entry.as_deref())?;
        if claimed.function != expected.0 {
            let name = plain(&source.program.function(expected).name);
            return Err(Failure::Refused(format!("the proof claims another function than {name}")));
        }
    }
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
        Some(digits) => {
            hex_bytes(digits).map(|bytes| bytes.into_iter().map(u64::from).collect()).ok_or_else(
                || Failure::Malformed("--outputs: after 0x come pairs of hex digits".into()),
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
