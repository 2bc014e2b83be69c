//! The verifier, sections 4 to 6.

use traceloom::air::claim::{BoundaryMessage, Claim};
use traceloom::air::field::word;
use traceloom::air::system::CircuitKind;

use crate::constraints::{Opened, identity_holds};
use crate::decode::{Malformed, Proof, Shard, Statement};
use crate::field::{Ext, P, SHIFT, inverse, root_of_unity};
use crate::fri::{self, Matrix, Round};
use crate::key::{Key, fixed_cells};
use crate::lookup::{Challenges, Omitted};
use crate::security::Counts;
use crate::transcript::Transcript;

type Checked = Result<(), Malformed>;

fn ensure(holds: bool, what: &'static str) -> Checked {
    if holds { Ok(()) } else { Err(Malformed(what)) }
}

/// Checks the bytes of a proof of `claims`.
pub fn verify(key: &Key, claims: &[Claim], bytes: &[u8]) -> Checked {
    verify_with(key, claims, &[], bytes)
}

/// Checks the bytes of a proof of `claims` with boundary messages.
pub fn verify_with(
    key: &Key,
    claims: &[Claim],
    boundary: &[BoundaryMessage],
    bytes: &[u8],
) -> Checked {
    match key.params.extension_degree() {
        2 => verify_proof(key, claims, boundary, &Proof::<2>::decode(bytes)?),
        _ => verify_proof(key, claims, boundary, &Proof::<3>::decode(bytes)?),
    }
}

fn verify_proof<const D: usize>(
    key: &Key,
    claims: &[Claim],
    boundary: &[BoundaryMessage],
    proof: &Proof<D>,
) -> Checked {
    check_header(key, claims, proof)?;
    check_boundary(key, boundary, &proof.statements)?;
    let statements = &proof.statements;
    let all_active: Vec<Active> = statements.iter().map(active).collect();
    check_batch(key, &all_active, claims.len() + boundary.len())?;
    check_answers(key, boundary, &all_active)?;
    check_memories(key, statements)?;
    let mut counts = Counts::new(key, claims.len() + boundary.len());
    let mut all_rounds = Vec::new();
    for ((statement, shard), active) in statements.iter().zip(&proof.shards).zip(&all_active) {
        let rounds = rounds(key, active, statement, shard, statements.len() > 1)?;
        let opened = with_bound(&rounds, &shard.opened, &statement.bound)?;
        fri::check_shape(&key.params, &rounds, &opened, &shard.opening)?;
        ensure(shard.terminals.len() == active.len(), "terminals")?;
        counts.add_shard(key, active, &rounds);
        all_rounds.push((rounds, opened));
    }
    counts.check_floor(key)?;

    let mut transcript = start(key, statements);
    transcript.grind(key.params.lookup_pow_bits(), proof.lookup_witness)?;
    let challenges = Challenges { beta: transcript.draw(), gamma: transcript.draw() };
    if key.omitted != Some(Omitted::Sum) {
        check_sum(key, proof, &challenges)?;
    }
    for (index, shard) in proof.shards.iter().enumerate() {
        let mut fork = transcript.clone();
        fork.count(index);
        let (rounds, opened) = &all_rounds[index];
        let verifier = ShardVerifier {
            key,
            statement: &statements[index],
            shard,
            active: &all_active[index],
            rounds,
            opened,
            bound: (statements.len() > 1).then(|| bound_point(key, statements, index)),
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
    let elsewhere = |statement: &Statement| !statement.claims.is_empty();
    ensure(!proof.statements[1..].iter().any(elsewhere), "claim outside shard 0")?;
    let stated = &proof.statements[0].claims;
    ensure(stated.len() == claims.len(), "number of claims")?;
    for (stated, claim) in stated.iter().zip(claims) {
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

/// The boundary messages are the expected ones, and of the system's boundaries.
fn check_boundary(key: &Key, expected: &[BoundaryMessage], statements: &[Statement]) -> Checked {
    let elsewhere = |statement: &Statement| !statement.boundary.is_empty();
    ensure(!statements[1..].iter().any(elsewhere), "boundary message outside shard 0")?;
    let stated = &statements[0].boundary;
    ensure(stated.len() == expected.len(), "number of boundary messages")?;
    for ((boundary, values), expected) in stated.iter().zip(expected) {
        let equal = *boundary == u64::from(expected.boundary)
            && values.iter().copied().eq(expected.values.iter().map(|&x| word(x)));
        ensure(equal, "boundary message")?;
        let known = key.system.boundaries.get(expected.boundary as usize);
        let known = known.ok_or(Malformed("boundary"))?;
        ensure(values.len() == known.num_values, "values of a boundary message")?;
    }
    Ok(())
}

/// No boundary message is longer than all lookups of active circuits.
fn check_answers(key: &Key, boundary: &[BoundaryMessage], all_active: &[Active]) -> Checked {
    let actives = all_active.iter().flatten();
    let lookups = actives.flat_map(|&(circuit, _)| &key.system.circuits[circuit].lookups);
    let longest = lookups.map(|lookup| lookup.arguments.len()).max().unwrap_or(0);
    let fits = |message: &BoundaryMessage| message.values.len() < longest;
    ensure(boundary.iter().all(fits), "length of a boundary message")
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
        if let Some((width, cells)) = fixed_cells(circuit) {
            let exact = u64::from((cells.len() / width).trailing_zeros());
            ensure(height.is_none_or(|height| height == exact), "height of a fixed table")?;
        }
        if let CircuitKind::Memory { .. } = circuit.kind {
            ensure(publics.iter().all(|&first| first < 1 << 32), "first pointer")?;
        }
    }
    Ok(())
}

/// Limits over all shards.
fn check_batch(key: &Key, all_active: &[Active], num_claims: usize) -> Checked {
    let (mut recursive_rows, mut messages) = (0_u128, num_claims as u128);
    for &(index, log_height) in all_active.iter().flatten() {
        let circuit = &key.system.circuits[index];
        messages += (circuit.lookups.len() as u128) << log_height;
        if let CircuitKind::Function { recursive: true, .. } = circuit.kind {
            recursive_rows += 1 << log_height;
        }
    }
    ensure(recursive_rows <= 1 << 31, "rows of recursive circuits")?;
    ensure(messages < u128::from(P), "messages")
}

/// The pointers of a memory ascend over the shards, none twice and all below 2^32.
fn check_memories(key: &Key, statements: &[Statement]) -> Checked {
    for (index, circuit) in key.system.circuits.iter().enumerate() {
        if !matches!(circuit.kind, CircuitKind::Memory { .. }) {
            continue;
        }
        let mut free = 0;
        for statement in statements {
            if let Some(log_height) = statement.log_heights[index] {
                let first = statement.publics[index][0];
                ensure(first >= free, "order of a memory's pointers")?;
                free = first + (1 << log_height);
                ensure(free <= 1 << 32, "end of a memory's pointers")?;
            }
        }
    }
    Ok(())
}

/// The commitments of a shard, with the widths that the system says.
fn rounds<const D: usize>(
    key: &Key,
    active: &Active,
    statement: &Statement,
    shard: &Shard<D>,
    is_bound: bool,
) -> Result<Vec<Round>, Malformed> {
    let matrix = |&(circuit, log_height): &(usize, usize), width, opens_next| Matrix {
        circuit,
        log_height: log_height + key.params.log_blowup(),
        width,
        opens_next,
        opens_bound: false,
    };
    let mut rounds = Vec::new();
    for place in active {
        if let Some(root) = key.fixed_roots[place.0] {
            let width = key.system.circuits[place.0].preprocessed_width();
            rounds.push(Round { matrices: vec![matrix(place, width, false)], root });
        }
    }
    let main = active.iter().map(|place| {
        let (circuit, layout) = (&key.system.circuits[place.0], &key.layouts[place.0]);
        Matrix { opens_bound: is_bound, ..matrix(place, circuit.width, layout.reads_next) }
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

/// The opened values, where main columns are bound too: those are in the statement.
fn with_bound<const D: usize>(
    rounds: &[Round],
    opened: &fri::Opened<D>,
    bound: &[u64],
) -> Result<fri::Opened<D>, Malformed> {
    let mut all = opened.clone();
    let mut rest = bound;
    for (round, opened) in rounds.iter().zip(&mut all) {
        for (matrix, points) in round.matrices.iter().zip(opened) {
            if matrix.opens_bound {
                let values = rest.split_at_checked(D * matrix.width);
                let (values, behind) = values.ok_or(Malformed("bound values"))?;
                let value = |words: &[u64]| Ext(std::array::from_fn(|c| words[c]));
                points.push(values.chunks(D).map(value).collect());
                rest = behind;
            }
        }
    }
    ensure(rest.is_empty(), "bound values")?;
    Ok(all)
}

/// Where a shard of several is bound, section 4.
fn bound_point<const D: usize>(key: &Key, statements: &[Statement], shard: usize) -> Ext<D> {
    let mut transcript = step_0(key, statements.len());
    transcript.word(u64::MAX);
    transcript.count(shard);
    absorb(&mut transcript, &statements[shard]);
    transcript.draw()
}

/// Steps 0 and 1.
pub fn start(key: &Key, statements: &[Statement]) -> Transcript {
    let mut transcript = step_0(key, statements.len());
    for statement in statements {
        absorb(&mut transcript, statement);
        if statements.len() > 1 {
            transcript.words(&statement.bound);
        }
    }
    transcript
}

fn step_0(key: &Key, num_shards: usize) -> Transcript {
    let mut transcript = Transcript::default();
    transcript.bytes(b"traceloom-stark2");
    key.params.0.iter().for_each(|&param| transcript.word(param));
    transcript.count(num_shards);
    transcript.bytes(&key.digest);
    transcript
}

fn absorb(transcript: &mut Transcript, statement: &Statement) {
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
    transcript.count(statement.boundary.len());
    for (boundary, values) in &statement.boundary {
        transcript.word(*boundary);
        transcript.words(values);
    }
}

/// Terminals and claims cancel.
fn check_sum<const D: usize>(key: &Key, proof: &Proof<D>, challenges: &Challenges<D>) -> Checked {
    let mut sum = Ext::ZERO;
    proof.shards.iter().flat_map(|shard| &shard.terminals).for_each(|&terminal| sum += terminal);
    for claim in proof.statements.iter().flat_map(|statement| &statement.claims) {
        sum += challenges.claim(claim)?;
    }
    for (boundary, values) in proof.statements.iter().flat_map(|statement| &statement.boundary) {
        sum += challenges.boundary(&key.system.boundaries[*boundary as usize], values)?;
    }
    ensure(sum == Ext::ZERO, "sum of the terminals")
}

/// Zeta, or a point that binds a shard, is outside all domains.
fn check_point<const D: usize>(point: Ext<D>, tallest: usize, log_blowup: usize) -> Checked {
    let domain = 1 << (tallest + log_blowup);
    ensure(point != Ext::ZERO, "point is zero")?;
    ensure(point.pow(1 << tallest) != Ext::one(), "point in the trace domain")?;
    ensure(point.scale(inverse(SHIFT)).pow(domain) != Ext::one(), "point in a committed domain")
}

/// A shard with everything that was checked about its shape.
struct ShardVerifier<'a, const D: usize> {
    key: &'a Key,
    statement: &'a Statement,
    shard: &'a Shard<D>,
    active: &'a Active,
    rounds: &'a [Round],
    /// All opened values, those that bind the shard too.
    opened: &'a fri::Opened<D>,
    /// Where the shard is bound, in a batch of several.
    bound: Option<Ext<D>>,
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
        self.check_points(zeta)?;
        self.check_identities(challenges, alpha, zeta)?;
        let points = |matrix: &Matrix| {
            let log_height = matrix.log_height - self.key.params.log_blowup();
            let next = matrix.opens_next.then(|| zeta.scale(root_of_unity(log_height)));
            let bound = self.bound.filter(|_| matrix.opens_bound);
            std::iter::once(zeta).chain(next).chain(bound).collect()
        };
        let (opened, opening) = (self.opened, &shard.opening);
        let omits_one_row = self.key.omitted == Some(Omitted::OneRow);
        let (params, rounds) = (&self.key.params, self.rounds);
        fri::verify(params, &mut transcript, rounds, points, opened, opening, omits_one_row)
    }

    fn check_points(&self, zeta: Ext<D>) -> Checked {
        let tallest = self.active.iter().map(|&(_, log_height)| log_height).max().unwrap_or(0);
        for point in [Some(zeta), self.bound].into_iter().flatten() {
            check_point(point, tallest, self.key.params.log_blowup())?;
        }
        Ok(())
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

#[test]
fn points_of_a_domain_are_refused() {
    for log_height in [0, 1, 5] {
        let check = |point: Ext<3>| check_point(point, log_height, 2);
        assert_eq!(check(Ext([12345, 1, 0])), Ok(()));
        assert_eq!(check(Ext::ZERO), Err(Malformed("point is zero")));
        let row = root_of_unity(log_height);
        assert_eq!(check(Ext::base(row)), Err(Malformed("point in the trace domain")));
        let committed = Ext::base(SHIFT).scale(root_of_unity(log_height + 2));
        assert_eq!(check(committed), Err(Malformed("point in a committed domain")));
    }
}
