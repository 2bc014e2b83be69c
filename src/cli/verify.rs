//! `traceloom verify`.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};
use traceloom_expect::Expectation;
use traceloom_expect::expectation::bytes_of_hex;
use traceloom_runtime::session::{Expected, Session, SessionBuilder, Verified, read_proof};
use traceloom_verifier::{Profile, Proof};

use super::execute::print_claim;
use super::output::{hex, plain, result, say, seconds};
use super::{Failure, expect, json as forms, riscv, source};

/// The proof, and what is expected of it.
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// The proof.
    pub proof: PathBuf,
    /// The program that must be proven.
    ///
    /// One with a name, a file, or the fingerprint of one with a name. By default any program with
    /// a name is accepted, and the proof says which.
    #[arg(long, value_name = "PROGRAM")]
    pub program: Option<PathBuf>,
    /// File that states all that you expect.
    ///
    /// Fingerprint, claim, profile and least bits: docs/json.md describes the file.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["entry", "args", "outputs"])]
    pub expect: Option<PathBuf>,
    /// The entry function that the claim must be about.
    ///
    /// It is needed if the program has several.
    #[arg(long, value_name = "NAME", requires = "program")]
    pub entry: Option<String>,
    /// The profile that the proof must have [default: that of --expect, or standard].
    ///
    /// There are standard, strong, heuristic and fast.
    #[arg(long, value_parser = source::profile)]
    pub profile: Option<Profile>,
    /// The claimed inputs that the proof must have.
    #[arg(long, value_name = "N,N,…", requires = "program")]
    pub args: Option<String>,
    /// The claimed outputs that the proof must have.
    ///
    /// Numbers separated by commas, or one hexadecimal string of output bytes after `0x`.
    #[arg(long, value_name = "N,N,…|0xHEX", requires = "program")]
    pub outputs: Option<String>,
    /// Print all terms of the two security figures.
    #[arg(long)]
    pub explain: bool,
}

/// Verifies a proof and says what it proves, what of that was compared with an expectation, and
/// what was only read.
pub fn run(args: &VerifyArgs) -> Result<(), Failure> {
    let about = |error| Failure::about(&args.proof, &error);
    let expectation = args.expect.as_deref().map(expect::read).transpose()?;
    let bytes = read_proof(&args.proof)?;
    let proof = Proof::decode(&bytes).map_err(|error| about(error.into()))?;
    let builder = match (&args.program, &expectation) {
        (Some(name), _) => named(name)?,
        (None, Some(expectation)) => of_fingerprint(&expectation.fingerprint, "--expect")?,
        (None, None) => of_fingerprint(&proof.fingerprint, "the proof")?,
    };
    let stated = expectation.as_ref().and_then(|expectation| expectation.profile);
    let profile = chosen_profile(args.profile, stated)?;
    let session = builder.profile(profile).build()?;
    let expected = match &expectation {
        Some(expectation) => {
            expectation.check_fingerprint(&session.program().fingerprint())?;
            expectation.check_system(session.verifying_key()?.digest())?;
            expect::expected(expectation)
        }
        None => expected(args)?,
    };
    let verified = session.verify_proof(&proof, &expected).map_err(about)?;
    if let Some(expectation) = &expectation {
        expectation.check_bits(&verified.report.security)?;
    }
    let compared = Compared::new(args, expectation.as_ref(), &session);
    result(object(&session, &verified, profile, &compared, bytes.len())?);
    print(&session, &verified, profile, &compared)?;
    if args.explain {
        say!("{}", verified.report.security.table());
    }
    Ok(())
}

/// The profile that a proof must have. It is never taken from the proof.
fn chosen_profile(asked: Option<Profile>, stated: Option<Profile>) -> Result<Profile, Failure> {
    match (asked, stated) {
        (Some(asked), Some(stated)) if asked != stated => Err(Failure::Malformed(format!(
            "--profile {} and --expect, which says {}, are not the same",
            asked.name(),
            stated.name()
        ))),
        (asked, stated) => Ok(asked.or(stated).unwrap_or(Profile::Standard)),
    }
}

/// The parts of a claim by name, each with the option that states it.
const PARTS: [(&str, &str); 4] = [
    ("program", "--program"),
    ("entry", "--entry"),
    ("inputs", "--args"),
    ("outputs", "--outputs"),
];

/// What was compared with an expectation of the caller, and what was only read from the proof.
struct Compared {
    compared: Vec<&'static str>,
    read: Vec<(&'static str, &'static str)>,
}

impl Compared {
    fn new(args: &VerifyArgs, expectation: Option<&Expectation>, session: &Session) -> Self {
        let (entry, inputs, outputs) = match expectation {
            Some(file) => (file.entry.is_some(), file.inputs.is_some(), file.outputs.is_some()),
            None => (args.entry.is_some(), args.args.is_some(), args.outputs.is_some()),
        };
        let program = args.program.is_some() || expectation.is_some();
        let entries =
            session.program().program().functions.iter().filter(|function| function.entry);
        // Of one entry there is nothing to choose.
        let entry = entry || inputs || outputs || (program && entries.count() == 1);
        let is_compared = [program, entry, inputs, outputs];
        let parts = || PARTS.into_iter().zip(is_compared);
        let mut compared: Vec<&str> = vec!["profile"];
        compared.extend(parts().filter(|(_, is)| *is).map(|((name, _), _)| name));
        compared.extend(expectation.iter().flat_map(|expectation| expectation.compared()));
        let read = parts().filter(|(_, is)| !is).map(|(part, _)| part).collect();
        Self { compared, read }
    }
}

/// What a reader has to know of the profile.
fn warning(profile: Profile) -> Option<&'static str> {
    (profile == Profile::Fast)
        .then_some("profile fast is for tests: anybody can forge such a proof, it is worth nothing")
}

fn print(
    session: &Session,
    verified: &Verified,
    profile: Profile,
    compared: &Compared,
) -> Result<(), Failure> {
    let name = &session.program().program().name;
    say!("valid    program {name:?}, profile {}", profile.name());
    if let Some(warning) = warning(profile) {
        say!("warning  {warning}");
    }
    for claim in &verified.claims {
        print_claim(session, claim);
        if let Some(entry) = session.program().program().functions.get(claim.function as usize) {
            say!("entry    {}", plain(&entry.name));
        }
    }
    say!("         transparent, not zero-knowledge; io is advice, the claim is all it binds");
    say!("program  fingerprint {}", hex(&session.program().fingerprint()));
    say!("         system digest {}", hex(session.verifying_key()?.digest()));
    say!("compared {}", compared.compared.join(", "));
    if !compared.read.is_empty() {
        let (names, options): (Vec<&str>, Vec<&str>) = compared.read.iter().copied().unzip();
        say!(
            "read     {}: the proof says so, and nobody expected it; state it with {}, or all of \
             it with --expect",
            names.join(", "),
            options.join(", ")
        );
    }
    say!("time     {}", seconds(verified.time));
    say!("{}", verified.report.security);
    Ok(())
}

/// The same as JSON.
fn object(
    session: &Session,
    verified: &Verified,
    profile: Profile,
    compared: &Compared,
    proof_bytes: usize,
) -> Result<Value, Failure> {
    let security = &verified.report.security;
    let claims = verified.claims.iter().map(|claim| forms::claim(session, claim));
    Ok(json!({
        "program": session.program().program().name,
        "fingerprint": hex(&session.program().fingerprint()),
        "system_digest": hex(session.verifying_key()?.digest()),
        "profile": profile.name(),
        "claims": claims.collect::<Vec<_>>(),
        "compared": compared.compared,
        "read": compared.read.iter().map(|(name, _)| name).collect::<Vec<_>>(),
        "warnings": warning(profile).into_iter().collect::<Vec<_>>(),
        "provable_bits": security.provable,
        "provable_regime": security.provable_regime.to_string(),
        "heuristic_bits": security.heuristic,
        "heuristic_regime": security.heuristic_regime.to_string(),
        "log_heights": verified.report.log_heights,
        "proof_bytes": proof_bytes,
        "seconds": verified.time.as_secs_f64(),
    }))
}

/// The program that a caller names: one with a name, a file, or by its fingerprint.
fn named(name: &Path) -> Result<SessionBuilder, Failure> {
    riscv::refuse(name)?;
    let text = name.to_str().filter(|text| !crate::is_known(text) && !name.exists());
    let fingerprint = text.and_then(bytes_of_hex).and_then(|bytes| bytes.try_into().ok());
    match fingerprint {
        None => source::open(name),
        Some(fingerprint) => {
            crate::session_of(&fingerprint)?.map(|(_, builder)| builder).ok_or_else(|| {
                Failure::Malformed(format!(
                    "--program: no program with a name has fingerprint {}; name its file",
                    name.display()
                ))
            })
        }
    }
}

/// The program with a name that has this fingerprint, which `whose` states.
fn of_fingerprint(fingerprint: &[u8; 32], whose: &str) -> Result<SessionBuilder, Failure> {
    crate::session_of(fingerprint)?.map(|(_, builder)| builder).ok_or_else(|| {
        Failure::Refused(format!(
            "{whose} is about a program with fingerprint {}, which no program with a name has; \
             name its file with --program",
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
            bytes_of_hex(digits).map(|bytes| bytes.into_iter().map(u64::from).collect()).ok_or_else(
                || Failure::Malformed("--outputs: pairs of hex digits must follow 0x".into()),
            )
        }
        None => source::words("--outputs", list),
    }
}
