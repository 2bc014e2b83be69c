//! Proofs to verify, made with the prover.

use traceloom::abi::io::Io;
use traceloom::air::claim::Claim;
use traceloom::air::field::element;
use traceloom::air::system::{CircuitKind, System};
use traceloom::air::trace::{ShardWitness, Trace};
use traceloom::bytecode::CheckedProgram;
use traceloom::bytecode::execute::{Limits, execute};
use traceloom::bytecode::system::build_system;
use traceloom::programs;
use traceloom::prover::{ProveOptions, ProvingKey, Retention, prove};
use traceloom::runtime::session::Request;
use traceloom::runtime::shards::{NumShards, RetentionChoice, ShardOptions};
use traceloom::runtime::witness::padded_witness;
use traceloom::verifier::{self, VerifyingKey};

use crate::decode::{Malformed, Proof};
use crate::key::Key;
use crate::params::Params;
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
    /// Proves a batch of shards of one program, each an execution of its own. Shard 0
    /// states the claims of all.
    pub fn new(params: Params, shards: &[Input<'_>]) -> Self {
        let (system, mut witnesses) = executions(params, shards);
        let claims = witnesses.iter_mut().flat_map(|shard| std::mem::take(&mut shard.claims));
        witnesses[0].claims = claims.collect();
        Self::prove(&system, params, witnesses)
    }

    /// Proves one execution, cut into a batch of shards.
    pub fn cut(params: Params, input: Input<'_>, num_shards: usize) -> Self {
        let (system, witnesses) = executions(params, &[input]);
        let [witness] = <[_; 1]>::try_from(witnesses).expect("one input, one witness");
        Self::prove(&system, params, cut(&system, witness, num_shards))
    }

    /// Proves one execution in as many shards as the planner makes.
    pub fn planned(params: Params, input: Input<'_>, num_shards: usize) -> Self {
        let prover = prover_params(params);
        let shards = NumShards::Exactly(num_shards);
        let retention = RetentionChoice::Always(Retention::Regenerate);
        let options = ShardOptions { shards, retention, ..ShardOptions::default() };
        let session = traceloom::session(input.program).expect("it is built in");
        let session = session.params(prover).shards(options).build().expect("it is valid");
        let request = match input.file {
            Some(file) => Request::bytes(file).expect("the key is new"),
            None => Request::new(),
        };
        let proved = session.prove(request.with_args(input.args)).expect("it proves");
        let prover_key = ProvingKey::new(session.system(), &prover).expect("it has a key");
        let (key, claims) = (Key::new(session.system(), params), proved.claims());
        Self { key, prover_key, claims, bytes: proved.bytes }
    }

    fn prove(system: &System, params: Params, witnesses: Vec<ShardWitness>) -> Self {
        let prover_key = ProvingKey::new(system, &prover_params(params)).expect("it has a key");
        let proof = prove(&prover_key, witnesses, &ProveOptions::default()).expect("it proves").0;
        let claims = proof.claims().cloned().collect();
        Self { key: Key::new(system, params), prover_key, claims, bytes: proof.encode() }
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

    /// In how many shards a memory is.
    pub fn num_memories(&self) -> usize {
        let proof = verifier::Proof::decode(&self.bytes).expect("it decodes");
        let lists = proof.statements.iter().flat_map(|statement| &statement.publics);
        lists.filter(|publics| !publics.is_empty()).count()
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

/// The system of a program, and the witness of each execution, padded as the parameters need.
fn executions(params: Params, inputs: &[Input<'_>]) -> (System, Vec<ShardWitness>) {
    let example = programs::find(inputs[0].program).expect("it is built in");
    let program = CheckedProgram::new(example.build().expect("it builds"));
    let program = program.expect("it is valid");
    let system = build_system(&program);
    let key = VerifyingKey::new(&system, &prover_params(params)).expect("it has a key");
    let entry = program.find(example.name).expect("it has the entry");
    let witness = |input: &Input<'_>| {
        let mut io = Io::default();
        if let Some(file) = input.file {
            let words: Vec<u64> = file.iter().map(|&byte| byte.into()).collect();
            io.add_input(0, &[], &words).expect("the key is new");
        }
        let calls = [(entry, input.args.to_vec())];
        let run = execute(&program, &calls, io, &Limits::default()).expect("it runs");
        let witness = padded_witness(&program, &key, &run.record, run.claims);
        witness.expect("record and program agree")
    };
    let witnesses = inputs.iter().map(witness).collect();
    (system, witnesses)
}

/// The same parameters as the prover has them.
pub fn prover_params(params: Params) -> verifier::Params {
    let [
        extension_degree,
        log_blowup,
        max_log_arity,
        num_queries,
        lookup_pow_bits,
        zeta_pow_bits,
        batch_pow_bits,
        commit_pow_bits,
        query_pow_bits,
        max_log_height,
        min_heuristic_bits,
        min_provable_bits,
    ] = params.0.map(|word| word as usize);
    verifier::Params {
        extension_degree,
        log_blowup,
        max_log_arity,
        num_queries,
        lookup_pow_bits,
        zeta_pow_bits,
        batch_pow_bits,
        commit_pow_bits,
        query_pow_bits,
        max_log_height,
        min_heuristic_bits,
        min_provable_bits,
    }
}

/// One witness as a batch: of every trace of two rows or more, shard 0 has the first
/// half, the next shard half of the rest, the last one all that is left. Claims and
/// byte tables stay in shard 0.
fn cut(system: &System, witness: ShardWitness, num_shards: usize) -> Vec<ShardWitness> {
    let idle = ShardWitness {
        traces: vec![None; system.circuits.len()],
        publics: vec![vec![]; system.circuits.len()],
        claims: vec![],
        boundary: vec![],
    };
    let mut shards = vec![witness];
    for _ in 1..num_shards {
        let last = shards.last_mut().expect("there is one");
        let mut next = idle.clone();
        for (index, circuit) in system.circuits.iter().enumerate() {
            let Some(trace) = &mut last.traces[index] else { continue };
            let height = trace.height();
            if height == 1 || matches!(circuit.kind, CircuitKind::Bytes(_)) {
                continue;
            }
            let values = trace.values.split_off(height / 2 * trace.width);
            next.traces[index] = Some(Trace { width: trace.width, values });
            next.publics[index] = last.publics[index].clone();
            if matches!(circuit.kind, CircuitKind::Memory { .. }) {
                next.publics[index][0] += element(height as u64 / 2);
            }
        }
        shards.push(next);
    }
    shards
}
