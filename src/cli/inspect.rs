//! `traceloom inspect`.

use std::path::Path;

use traceloom_bytecode::{CheckedProgram, text};
use traceloom_runtime::session::read_file;
use traceloom_verifier::codec::MAGIC;
use traceloom_verifier::{Profile, Proof};

use super::execute::list;
use super::output::{hex, say, size};
use super::source::load;
use super::{Failure, InspectArgs};

/// Prints a program with its layouts, or the header of a proof.
pub fn run(args: &InspectArgs) -> Result<(), Failure> {
    let path = Path::new(&args.what);
    if traceloom_programs::find(&args.what).is_none() && path.exists() {
        let bytes = read_file(path)?;
        if bytes.starts_with(MAGIC) {
            return inspect_proof(path, &bytes);
        }
    }
    inspect_program(&load(&args.what)?)
}

fn inspect_program(program: &CheckedProgram) -> Result<(), Failure> {
    let data = program.program();
    say!("; fingerprint {}", hex(&program.fingerprint()));
    say!("; columns = inputs + selectors + auxiliaries; paths; lookup slots");
    for id in program.function_ids() {
        let (function, layout) = (program.function(id), program.layout(id));
        let kind = match (function.constrained, layout.ranked) {
            (false, _) => "no circuit",
            (true, true) => "ranked",
            (true, false) => "",
        };
        say!(
            "; #{:<4} {:>5} = {} + {} + {}; {}; {} {kind} {:?}",
            id.0,
            layout.width(),
            layout.num_inputs,
            layout.num_selectors,
            layout.num_auxiliaries,
            program.paths(id).count(),
            layout.num_lookups,
            function.name,
        );
    }
    let text = text::print(data).map_err(|error| Failure::Refused(error.to_string()))?;
    say!("{text}");
    Ok(())
}

fn inspect_proof(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let proof = Proof::decode(bytes)
        .map_err(|error| Failure::Malformed(format!("{}: {error}", path.display())))?;
    let profile = Profile::ALL.into_iter().find(|profile| profile.params() == proof.params);
    let program = crate::session_of(&proof.fingerprint)?;
    say!(
        "proof        {} (unverified: this prints what it says of itself)",
        size(bytes.len() as u64)
    );
    say!("profile      {}", profile.map_or("none of the known ones", Profile::name));
    say!("parameters   {:?}", proof.params);
    say!("program      {}", program.map_or("none of the built-in ones", |(name, _)| name));
    say!("fingerprint  {}", hex(&proof.fingerprint));
    for (index, shard) in proof.statements.iter().enumerate() {
        say!("shard {index}");
        for ranked in &shard.claims {
            let claim = &ranked.claim;
            say!("  claim      function {}: {}", claim.function, list(&claim.inputs));
            say!("             -> {}", list(&claim.outputs));
        }
        let heights: Vec<String> = shard
            .log_heights
            .iter()
            .map(|height| height.map_or("-".into(), |height| height.to_string()))
            .collect();
        say!("  log heights, by circuit: {}", heights.join(" "));
    }
    Ok(())
}
