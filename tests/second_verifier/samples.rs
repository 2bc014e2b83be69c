//! Proofs to verify, made with the prover.

use traceloom::abi::io::Io;
use traceloom::air::claim::Claim;
use traceloom::bytecode::CheckedProgram;
use traceloom::bytecode::execute::{Limits, execute};
use traceloom::bytecode::system::build_system;
use traceloom::programs;
use traceloom::prover::{ProveOptions, ProvingKey, prove};
use traceloom::runtime::witness::padded_witness;
use traceloom::verifier::{self, Profile};

use crate::decode::{Malformed, Proof};
use crate::key::Key;
use crate::params::{HEURISTIC, Params, STANDARD, STRONG};
use crate::verify::verify;

/// One shard: what a program is run on.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// Name of the program.
    pub program: &'a str,
    /// The claimed inputs.
    pub args: &'a [u64],
    /// What it reads on channel 0.
    pub file: Option<&'a [u8]>,
}

/// A proof, and both verifiers of it.
pub struct Sample {
    key: Key,
    prover_key: ProvingKey,
    /// The claims of all shards.
    pub claims: Vec<Claim>,
    /// The proof.
    pub bytes: Vec<u8>,
}

impl Sample {
    /// Proves a batch of shards of one program, each an execution of its own.
    pub fn new(params: Params, shards: &[Input<'_>]) -> Self {
        let example = programs::find(shards[0].program).expect("it is built in");
        let program = CheckedProgram::new(example.build().expect("it builds"));
        let program = program.expect("it is valid");
        let system = build_system(&program);
        let prover_key = ProvingKey::new(&system, &prover_params(params)).expect("it has a key");
        let entry = program.find(example.name).expect("it has the entry");
        let (mut claims, mut witnesses) = (Vec::new(), Vec::new());
        for shard in shards {
            let mut io = Io::default();
            if let Some(file) = shard.file {
                let words: Vec<u64> = file.iter().map(|&byte| byte.into()).collect();
                io.add_input(0, &[], &words).expect("the key is new");
            }
            let calls = [(entry, shard.args.to_vec())];
            let run = execute(&program, &calls, io, &Limits::default()).expect("it runs");
            claims.extend(run.claims.iter().map(|ranked| ranked.claim.clone()));
            let key = prover_key.verifying_key();
            let witness = padded_witness(&program, key, &run.record, run.claims.clone());
            witnesses.push(witness.expect("record and program agree"));
        }
        let proof = prove(&prover_key, witnesses, &ProveOptions::default()).expect("it proves").0;
        Self { key: Key::new(&system, params), prover_key, claims, bytes: proof.encode() }
    }

    /// What the second verifier says.
    pub fn second(&self, bytes: &[u8]) -> Result<(), Malformed> {
        verify(&self.key, &self.claims, bytes)
    }

    /// Whether the prover's own verifier accepts.
    pub fn first(&self, bytes: &[u8]) -> bool {
        verifier::Proof::decode(bytes).is_ok_and(|proof| {
            verifier::verify(self.prover_key.verifying_key(), &self.claims, &proof).is_ok()
        })
    }

    /// Why the prover's own verifier refuses; empty if it does not.
    pub fn first_refusal(&self, bytes: &[u8]) -> String {
        let proof = verifier::Proof::decode(bytes).expect("it decodes");
        let key = self.prover_key.verifying_key();
        let refused = verifier::verify(key, &self.claims, &proof).err();
        refused.map_or(String::new(), |error| error.to_string())
    }

    /// The same proof, said to have other parameters.
    pub fn with_params(&self, params: Params) -> Self {
        let system = self.prover_key.verifying_key().system();
        let prover_key = ProvingKey::new(system, &prover_params(params)).expect("it has a key");
        let mut bytes = self.bytes.clone();
        // Behind magic and version.
        for (place, word) in bytes[16..].chunks_exact_mut(8).zip(params.0) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        let key = Key::new(system, params);
        Self { key, prover_key, claims: self.claims.clone(), bytes }
    }

    /// Where a part of the file starts.
    pub fn section(&self, name: &str) -> usize {
        let sections = Proof::<2>::decode(&self.bytes).expect("it decodes").sections;
        sections.iter().find(|section| section.0 == name).expect("it has the section").1
    }
}

fn prover_params(params: Params) -> verifier::Params {
    match params {
        STANDARD => Profile::Standard.params(),
        STRONG => Profile::Strong.params(),
        HEURISTIC => Profile::Heuristic.params(),
        Params([extension_degree, .., heuristic, provable]) => verifier::Params {
            extension_degree: extension_degree as usize,
            min_heuristic_bits: heuristic as usize,
            min_provable_bits: provable as usize,
            ..Profile::Fast.params()
        },
    }
}
