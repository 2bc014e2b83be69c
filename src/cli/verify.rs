//! `traceloom verify`.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};
use traceloom_expect::Expectation;
use traceloom_expect::expectation::bytes_of_hex;
use traceloom_runtime::session::{
    Expected, Session, SessionBuilder, Verified, read_input, read_proof,
};
use traceloom_verifier::{Profile, Proof};

use super::output::{hex, plain, result, say, seconds};
use super::riscv::ExpectedOfGuest;
use super::{Failure, expect, json as forms, source, stated};

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
    /// Of an ELF file: file with the input that the proof must state.
    #[arg(long, value_name = "FILE", requires = "program", conflicts_with = "expect")]
    pub input: Option<PathBuf>,
    /// Of an ELF file: file with the output that the proof must state.
    #[arg(long, value_name = "FILE", requires = "program", conflicts_with = "expect")]
    pub output: Option<PathBuf>,
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
            expectation.check_fingerprint(&session.fingerprint())?;
            expectation.check_system(session.verifying_key()?.digest())?;
            expect::expected(expectation)
        }
        None => expected(args)?,
    };
    let is_guest = session.machine().is_some();
    let of_guest = is_guest.then(|| of_guest(args, expectation.as_ref())).transpose()?;
    if !is_guest && (args.input.is_some() || args.output.is_some()) {
        return Err(Failure::Malformed(
            "--input and --output are of ELF files; state what a program takes and gives with \
             --args and --outputs"
                .into(),
        ));
    }
    let expected = if is_guest { Expected::any() } else { expected };
    let verified = session.verify_proof(&proof, &expected).map_err(about)?;
    if let Some(expected) = &of_guest {
        expected.compare(&verified.boundary)?;
    }
    if let Some(expectation) = &expectation {
        expectation.check_bits(&verified.report.security)?;
    }
    let compared = match &of_guest {
        None => Compared::new(args, expectation.as_ref(), &session),
        Some(expected) => Compared::of_guest(args, expectation.as_ref(), expected),
    };
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

    fn of_guest(
        args: &VerifyArgs,
        expectation: Option<&Expectation>,
        expected: &ExpectedOfGuest,
    ) -> Self {
        let program = args.program.is_some() || expectation.is_some();
        let parts = [
            ("program", "--program", program),
            ("input", "--input", expected.input.is_some()),
            ("output", "--output", expected.output.is_some()),
        ];
        let mut compared: Vec<&str> = vec!["profile"];
        compared.extend(parts.iter().filter(|part| part.2).map(|part| part.0));
        compared.extend(expectation.iter().flat_map(|expectation| expectation.compared()));
        let read = parts.iter().filter(|part| !part.2).map(|part| (part.0, part.1)).collect();
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
    let (front, is_guest) = (session.front(), session.machine().is_some());
    let kind = if is_guest { "guest" } else { "program" };
    say!("valid    {kind} {:?}, profile {}", front.name(), profile.name());
    if let Some(warning) = warning(profile) {
        say!("warning  {warning}");
    }
    stated::print(session, &verified.claims, &verified.boundary);
    for claim in &verified.claims {
        if let Some(entry) = session.program().program().functions.get(claim.function as usize) {
            say!("entry    {}", plain(&entry.name));
        }
    }
    say!(
        "         transparent, not zero-knowledge; {}",
        match is_guest {
            true => "the proof has the whole input and output",
            false => "io is advice, the claim is all it binds",
        }
    );
    say!("program  fingerprint {}", hex(&session.fingerprint()));
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
    let of_guest = session.machine().map(|_| stated::object(session, &verified.boundary));
    let claims = claims.chain(of_guest);
    Ok(json!({
        "program": session.front().name(),
        "fingerprint": hex(&session.fingerprint()),
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

/// What the caller expects of a guest.
fn of_guest(
    args: &VerifyArgs,
    expectation: Option<&Expectation>,
) -> Result<ExpectedOfGuest, Failure> {
    let entry = expectation.map_or(&args.entry, |file| &file.entry);
    if entry.is_some() || args.args.is_some() || args.outputs.is_some() {
        return Err(Failure::Malformed(
            "an ELF file has no entry function and no arguments; state its input with --input, its \
             output with --output, or both with --expect"
                .into(),
        ));
    }
    let bytes = |key: &str, words: &Option<Vec<u64>>| {
        let Some(words) = words else { return Ok(None) };
        let bytes = words.iter().map(|&word| u8::try_from(word).ok());
        bytes.collect::<Option<Vec<u8>>>().map(Some).ok_or_else(|| {
            Failure::Malformed(format!("--expect: {key}: those of an ELF file are bytes"))
        })
    };
    Ok(match expectation {
        Some(file) => ExpectedOfGuest {
            input: bytes("inputs", &file.inputs)?,
            output: bytes("outputs", &file.outputs)?,
        },
        None => ExpectedOfGuest {
            input: args.input.as_deref().map(read_input).transpose()?,
            output: args.output.as_deref().map(read_input).transpose()?,
        },
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
