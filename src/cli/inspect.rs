//! `traceloom inspect`.

use std::path::Path;

use serde_json::json;
use traceloom_air::field::word;
use traceloom_bytecode::{CheckedProgram, text};
use traceloom_runtime::session::{Session, read_proof_or_program};
use traceloom_verifier::codec::MAGIC;
use traceloom_verifier::{Profile, Proof};

use super::execute::list;
use super::output::{hex, result, say, size};
use super::source::load;
use super::{Failure, InspectArgs, riscv};

/// Prints a program with its layouts, the header of a proof, or the code of an ELF file.
pub fn run(args: &InspectArgs) -> Result<(), Failure> {
    let path = &args.what;
    if path.to_str().is_some_and(crate::is_known) || !path.exists() {
        return inspect_program(&load(path)?);
    }
    let bytes = read_proof_or_program(path)?;
    if bytes.starts_with(MAGIC) {
        return inspect_proof(path, &bytes);
    }
    if traceloom_riscv::Program::is_elf(&bytes) {
        return riscv::inspect(path, &bytes);
    }
    inspect_program(Session::of_bytes(path.display().to_string(), bytes).build()?.program())
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
    let functions = program.function_ids().map(|id| {
        let (function, layout) = (program.function(id), program.layout(id));
        json!({
            "name": function.name,
            "inputs": function.num_inputs,
            "outputs": function.num_outputs,
            "entry": function.entry,
            "constrained": function.constrained,
            "columns": layout.width(),
            "lookups": layout.num_lookups,
            "ranked": layout.ranked,
            "paths": program.paths(id).count().to_string(),
        })
    });
    result(json!({
        "kind": "program",
        "name": data.name,
        "fingerprint": hex(&program.fingerprint()),
        "functions": functions.collect::<Vec<_>>(),
        "text": text,
    }));
    Ok(())
}

fn inspect_proof(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let proof = Proof::decode(bytes).map_err(|error| Failure::about(path, &error.into()))?;
    let profile = Profile::ALL.into_iter().find(|profile| profile.params() == proof.params);
    let name = crate::session_of(&proof.fingerprint)?.map(|(name, _)| name);
    say!(
        "proof        {} (unverified: this prints what it says of itself)",
        size(bytes.len() as u64)
    );
    say!("profile      {}", profile.map_or("none of the known ones", Profile::name));
    say!("parameters   {:?}", proof.params);
    say!("program      {}", name.unwrap_or("none of those with a name"));
    say!("fingerprint  {}", hex(&proof.fingerprint));
    for (index, shard) in proof.statements.iter().enumerate() {
        say!("shard {index}");
        for ranked in &shard.claims {
            let claim = &ranked.claim;
            say!("  claim      function {}: {}", claim.function, list(&claim.inputs));
            say!("             -> {}", list(&claim.outputs));
        }
        for message in &shard.boundary {
            say!("  boundary   {}: {}", message.boundary, list(&message.values));
        }
        let heights: Vec<String> = shard
            .log_heights
            .iter()
            .map(|height| height.map_or("-".into(), |height| height.to_string()))
            .collect();
        say!("  log heights, by circuit: {}", heights.join(" "));
    }
    let words = |list: &[_]| list.iter().map(|&x| word(x)).collect::<Vec<u64>>();
    let claims = proof.claims().map(|claim| {
        json!({
            "function": claim.function,
            "inputs": words(&claim.inputs),
            "outputs": words(&claim.outputs),
        })
    });
    let heights = proof.statements.iter().map(|shard| &shard.log_heights);
    result(json!({
        "kind": "proof",
        "verified": false,
        "proof_bytes": bytes.len(),
        "profile": profile.map(Profile::name),
        "program": name,
        "fingerprint": hex(&proof.fingerprint),
        "claims": claims.collect::<Vec<_>>(),
        "log_heights": heights.collect::<Vec<_>>(),
    }));
    Ok(())
}
