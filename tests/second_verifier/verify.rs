//! The verifier, sections 4 to 6.

use traceloom::air::claim::Claim;
use traceloom::air::field::word;
use traceloom::air::system::CircuitKind;

use crate::constraints::{Opened, identity_holds};
use crate::decode::{Malformed, Proof, Shard, Statement};
use crate::field::{Ext, P, SHIFT, inverse, root_of_unity};
use crate::fri::{self, Matrix, Round};
use crate::key::Key;
use crate::lookup::{Challenges, Omitted};
use crate::security::Counts;
use crate::transcript::Transcript;

type Checked = Result<(), Malformed>;

fn ensure(holds: bool, what: &'static str) -> Checked {
    if holds { Ok(()) } else { Err(Malformed(what)) }
}

/// Checks the bytes of a proof of `claims`.
pub fn verify(key: &Key, claims: &[Claim], bytes: &[u8]) -> Checked {
    match key.params.extension_degree() {
        2 => verify_proof(key, claims, &Proof::<2>::decode(bytes)?),
        _ => verify_proof(key, claims, &Proof::<3>::decode(bytes)?),
    }
}

fn verify_proof<const D: usize>(key: &Key, claims: &[Claim], proof: &Proof<D>) -> Checked {
    check_header(key, claims, proof)?;
    let statements = &proof.statements;
    let all_active: Vec<Active> = statements.iter().map(active).collect();
    check_batch(key, &all_active, claims.len())?;
    let mut counts = Counts::new(key, claims.len());
    let mut all_rounds = Vec::new();
    for ((statement, shard), active) in statements.iter().zip(&proof.shards).zip(&all_active) {
        let rounds = rounds(key, active, statement, shard)?;
        fri::check_shape(&key.params, &rounds, &shard.opened, &shard.opening)?;
        ensure(shard.terminals.len() == active.len(), "terminals")?;
        counts.add_shard(key, active, &rounds);
        all_rounds.push(rounds);
    }
    counts.check_floor(key)?;

    let mut transcript = start(key, statements);
    transcript.grind(key.params.lookup_pow_bits(), proof.lookup_witness)?;
    let challenges = Challenges { beta: transcript.draw(), gamma: transcript.draw() };
    if key.omitted != Some(Omitted::Sum) {
        check_sum(proof, &challenges)?;
    }
    for (index, shard) in proof.shards.iter().enumerate() {
        let mut fork = transcript.clone();
        fork.count(index);
        let verifier = ShardVerifier {
            key,
            statement: &statements[index],
            shard,
            active: &all_active[index],
            rounds: &all_rounds[index],
        };
        verifier.verify(fork, &challenges)?;
    }
    Ok(())
}

/// Active circuits and their log heights.
type Active = Vec<(usize, usize)>;

fn active(statement: &Statement) -> Active {
    let heights = statement.log_heights.iter().enumerate();
    heights.filter_map(|(circuit, height)| height.map(|h| (circuit, h as usize))).collect()
}

/// What can be compared without knowing which circuits are active.
fn check_header<const D: usize>(key: &Key, claims: &[Claim], proof: &Proof<D>) -> Checked {
    ensure(proof.params == key.params.0, "parameters")?;
    ensure(proof.fingerprint == key.system.fingerprint, "fingerprint")?;
    let shards = proof.statements.len();
    ensure((1..=1 << 16).contains(&shards) && proof.shards.len() == shards, "number of shards")?;
    let stated = proof.statements.iter().flat_map(|statement| &statement.claims);
    ensure(stated.clone().count() == claims.len(), "number of claims")?;
    for (stated, claim) in stated.zip(claims) {
        let equal = stated.function == u64::from(claim.function)
            && stated.inputs.iter().copied().eq(claim.inputs.iter().map(|&x| word(x)))
            && stated.outputs.iter().copied().eq(claim.outputs.iter().map(|&x| word(x)));
        ensure(equal, "claim")?;
        let entry = key.system.entries.iter().find(|entry| entry.function == claim.function);
        let entry = entry.ok_or(Malformed("entry"))?;
        ensure(claim.inputs.len() == entry.num_inputs, "inputs of a claim")?;
        ensure(claim.outputs.len() == entry.num_outputs, "outputs of a claim")?;
        ensure(stated.rank.is_some() == entry.ranked, "rank of a claim")?;
        ensure(stated.rank.is_none_or(|rank| rank < 1 << 32), "size of a rank")?;
    }
    proof.statements.iter().try_for_each(|statement| check_statement(key, statement))
}

fn check_statement(key: &Key, statement: &Statement) -> Checked {
    let circuits = &key.system.circuits;
    ensure(statement.log_heights.len() == circuits.len(), "log heights")?;
    ensure(statement.publics.len() == circuits.len(), "lists of public values")?;
    ensure(statement.log_heights.iter().any(Option::is_some), "no active circuit")?;
    for ((circuit, height), publics) in
        circuits.iter().zip(&statement.log_heights).zip(&statement.publics)
    {
        let count = if height.is_some() { circuit.num_publics } else { 0 };
        ensure(publics.len() == count, "public values")?;
        ensure(height.is_none_or(|h| h <= key.params.max_log_height()), "log height")?;
        match &circuit.kind {
            CircuitKind::Bytes(table) => {
                let exact = table.height().trailing_zeros().into();
                ensure(*height == Some(exact), "height of a byte table")?;
            }
            CircuitKind::Memory { .. } => {
                ensure(publics.iter().all(|&first| first < 1 << 32), "first pointer")?;
            }
            CircuitKind::Function { .. } => {}
        }
    }
    Ok(())
}

/// Limits over all shards.
fn check_batch(key: &Key, all_active: &[Active], num_claims: usize) -> Checked {
    let mut seen = vec![false; key.system.circuits.len()];
    let (mut recursive_rows, mut messages) = (0_u128, num_claims as u128);
    for &(index, log_height) in all_active.iter().flatten() {
        let circuit = &key.system.circuits[index];
        messages += (circuit.lookups.len() as u128) << log_height;
        match circuit.kind {
            CircuitKind::Memory { .. } => {
                ensure(!seen[index], "memory of one width in two shards")?;
                seen[index] = true;
            }
            CircuitKind::Function { recursive: true, .. } => recursive_rows += 1 << log_height,
            CircuitKind::Function { .. } | CircuitKind::Bytes(_) => {}
        }
    }
    ensure(recursive_rows <= 1 << 31, "rows of recursive circuits")?;
    ensure(messages < u128::from(P), "messages")
}

/// The commitments of a shard, with the widths that the system says.
fn rounds<const D: usize>(
    key: &Key,
    active: &Active,
    statement: &Statement,
    shard: &Shard<D>,
) -> Result<Vec<Round>, Malformed> {
    let matrix = |&(circuit, log_height): &(usize, usize), width, opens_next| Matrix {
        circuit,
        log_height: log_height + key.params.log_blowup(),
        width,
        opens_next,
    };
    let mut rounds = Vec::new();
    for place in active {
        if let Some(root) = key.fixed_roots[place.0] {
            let width = key.system.circuits[place.0].preprocessed_width();
            rounds.push(Round { matrices: vec![matrix(place, width, false)], root });
        }
    }
    let main = active.iter().map(|place| {
        matrix(place, key.system.circuits[place.0].width, key.layouts[place.0].reads_next)
    });
    rounds.push(Round { matrices: main.collect(), root: statement.main_root });
    let columns = |place: &(usize, usize)| D * key.layouts[place.0].groups.len();
    let stage_two = active.iter().filter(|place| columns(place) > 0);
    let matrices: Vec<Matrix> =
        stage_two.map(|place| matrix(place, columns(place), true)).collect();
    ensure(matrices.is_empty() == shard.stage_two_root.is_none(), "stage 2 root")?;
    rounds.extend(shard.stage_two_root.map(|root| Round { matrices, root }));
    let quotient =
        active.iter().map(|place| matrix(place, D * key.layouts[place.0].num_slices, false));
    rounds.push(Round { matrices: quotient.collect(), root: shard.quotient_root });
    Ok(rounds)
}

/// Steps 0 and 1.
fn start(key: &Key, statements: &[Statement]) -> Transcript {
    let mut transcript = Transcript::default();
    transcript.bytes(b"traceloom-stark1");
    key.params.0.iter().for_each(|&param| transcript.word(param));
    transcript.count(statements.len());
    transcript.bytes(&key.digest);
    for statement in statements {
        transcript.count(statement.log_heights.len());
        for height in &statement.log_heights {
            transcript.count(usize::from(height.is_some()));
        }
        statement.log_heights.iter().flatten().for_each(|&height| transcript.word(height));
        transcript.root(&statement.main_root);
        statement.publics.iter().for_each(|publics| transcript.words(publics));
        transcript.count(statement.claims.len());
        for claim in &statement.claims {
            transcript.word(claim.function);
            transcript.count(usize::from(claim.rank.is_some()));
            transcript.count(claim.inputs.len());
            transcript.count(claim.outputs.len());
            let words = claim.rank.iter().chain(&claim.inputs).chain(&claim.outputs);
            words.for_each(|&word| transcript.word(word));
        }
    }
    transcript
}

/// Terminals and claims cancel.
fn check_sum<const D: usize>(proof: &Proof<D>, challenges: &Challenges<D>) -> Checked {
    let mut sum = Ext::ZERO;
    proof.shards.iter().flat_map(|shard| &shard.terminals).for_each(|&terminal| sum += terminal);
    for claim in proof.statements.iter().flat_map(|statement| &statement.claims) {
        sum += challenges.claim(claim)?;
    }
    ensure(sum == Ext::ZERO, "sum of the terminals")
}

/// A shard with everything that was checked about its shape.
struct ShardVerifier<'a, const D: usize> {
    key: &'a Key,
    statement: &'a Statement,
    shard: &'a Shard<D>,
    active: &'a Active,
    rounds: &'a [Round],
}

impl<const D: usize> ShardVerifier<'_, D> {
    /// Step 3.
    fn verify(&self, mut transcript: Transcript, challenges: &Challenges<D>) -> Checked {
        let shard = self.shard;
        transcript.count(usize::from(shard.stage_two_root.is_some()));
        shard.stage_two_root.iter().for_each(|root| transcript.root(root));
        transcript.count(shard.terminals.len());
        shard.terminals.iter().for_each(|terminal| transcript.ext(terminal));
        let alpha = transcript.draw();
        transcript.root(&shard.quotient_root);
        transcript.grind(self.key.params.zeta_pow_bits(), shard.zeta_witness)?;
        let zeta = transcript.draw();
        self.check_zeta(zeta)?;
        self.check_identities(challenges, alpha, zeta)?;
        let points = |matrix: &Matrix| {
            let log_height = matrix.log_height - self.key.params.log_blowup();
            let next = matrix.opens_next.then(|| zeta.scale(root_of_unity(log_height)));
            std::iter::once(zeta).chain(next).collect()
        };
        let (opened, opening) = (&shard.opened, &shard.opening);
        fri::verify(&self.key.params, &mut transcript, self.rounds, points, opened, opening)
    }

    fn check_zeta(&self, zeta: Ext<D>) -> Checked {
        let tallest = self.active.iter().map(|&(_, log_height)| log_height).max().unwrap_or(0);
        let domain = 1 << (tallest + self.key.params.log_blowup());
        ensure(zeta != Ext::ZERO, "zeta is zero")?;
        ensure(zeta.pow(1 << tallest) != Ext::one(), "zeta in the trace domain")?;
        ensure(zeta.scale(inverse(SHIFT)).pow(domain) != Ext::one(), "zeta in a committed domain")
    }

    fn check_identities(&self, challenges: &Challenges<D>, alpha: Ext<D>, zeta: Ext<D>) -> Checked {
        let omitted = self.key.omitted;
        for (place, &(index, log_height)) in self.active.iter().enumerate() {
            let circuit = &self.key.system.circuits[index];
            let terminal = self.shard.terminals[place];
            let may_have = !circuit.lookups.is_empty() || omitted == Some(Omitted::Idle);
            ensure(may_have || terminal == Ext::ZERO, "idle terminal")?;
            let holds = identity_holds(
                circuit,
                &self.key.layouts[index],
                log_height,
                &self.statement.publics[index],
                terminal,
                challenges,
                alpha,
                zeta,
                &self.opened(index),
                omitted,
            );
            ensure(holds, "constraints")?;
        }
        Ok(())
    }

    /// The opened values of a circuit.
    fn opened(&self, circuit: usize) -> Opened<'_, D> {
        let has_fixed = usize::from(self.key.fixed_roots[circuit].is_some());
        // Its matrices in round order: fixed, main, stage 2, quotient.
        let mut matrices = Vec::new();
        for (round, opened) in self.rounds.iter().zip(&self.shard.opened) {
            for (matrix, points) in round.matrices.iter().zip(opened) {
                if matrix.circuit == circuit {
                    matrices.push(points);
                }
            }
        }
        let (main, quotient) = (matrices[has_fixed], matrices[matrices.len() - 1]);
        let stage_two = (matrices.len() == has_fixed + 3).then(|| matrices[has_fixed + 1]);
        Opened {
            fixed: if has_fixed == 1 { &matrices[0][0] } else { &[] },
            main: &main[0],
            main_next: main.get(1).map_or(&[], Vec::as_slice),
            stage_two: stage_two.map_or(&[], |points| &points[0]),
            stage_two_next: stage_two.map_or(&[], |points| &points[1]),
            quotient: &quotient[0],
        }
    }
}
