//! The verifier. It knows System, the parameters and the expected claims from its
//! caller; what a proof says of them is only compared. It never panics on a proof.

use p3_challenger::GrindingChallenger;
use p3_commit::{CommitmentOpening, MatrixOpening, Pcs as _, PointOpening};
use p3_field::coset::TwoAdicMultiplicativeCoset;
use thiserror::Error;
use traceloom_air::claim::{BoundaryMessage, Claim};
use traceloom_air::field::PrimeCharacteristicRing;

use crate::challenges::LookupChallenges;
use crate::domain::{Selectors, is_out_of_domain};
use crate::interpret::{OpenedRow, folded_constraints, quotient_at};
use crate::key::VerifyingKey;
use crate::proof::{Proof, ShardProof, ShardStatement, Shards, cap};
use crate::scheme::{Cap, Cubic, Extension, F, Quadratic, Root, pcs};
use crate::security::{BelowFloor, SecurityFigures, check_floors};
use crate::shape::{Round, RoundKind, ShapeError, ShardShape, check_statements};
use crate::steps;
use crate::transcript::Transcript;

#[cfg(test)]
mod tests;

/// What an accepted proof is worth.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Security figures of this proof, from its actual heights.
    pub security: SecurityFigures,
    /// Log heights per shard and circuit.
    pub log_heights: Vec<Vec<Option<usize>>>,
}

/// All that a proof is expected to state.
#[derive(Clone, Copy, Debug, Default)]
pub struct Expected<'a> {
    /// Claims about functions, in order.
    pub claims: &'a [Claim],
    /// Messages at the boundaries of an execution, in order.
    pub boundary: &'a [BoundaryMessage],
}

/// Checks that `proof` proves `claims`, in order, and states nothing else, for the system
/// and the parameters of `key`.
///
/// # Errors
/// [`VerifyError`]: the proof is refused.
pub fn verify(key: &VerifyingKey, claims: &[Claim], proof: &Proof) -> Result<Report, VerifyError> {
    verify_expected(key, &Expected { claims, boundary: &[] }, proof)
}

/// The same for claims that have messages at the boundaries of an execution.
///
/// # Errors
/// [`VerifyError`]: the proof is refused.
pub fn verify_expected(
    key: &VerifyingKey,
    expected: &Expected<'_>,
    proof: &Proof,
) -> Result<Report, VerifyError> {
    if proof.params != *key.params() {
        return Err(VerifyError::Params);
    }
    if proof.fingerprint != key.system().fingerprint {
        return Err(VerifyError::Fingerprint);
    }
    if !proof.claims().eq(expected.claims) || !proof.boundary().eq(expected.boundary) {
        return Err(VerifyError::Claims);
    }
    let shapes = check_statements(key, &proof.statements)?;
    if proof.shards.len() != shapes.len() {
        let (expected, got) = (shapes.len(), proof.shards.len());
        return Err(VerifyError::ShardProofs { expected, got });
    }
    let figures = check_floors(key, &shapes, proof.statements[0].num_stated())?;
    match (&proof.shards, key.params().extension_degree) {
        (Shards::Quadratic(shards), Quadratic::DEGREE) => {
            verify_batch(key, &shapes, proof, shards)?
        }
        (Shards::Cubic(shards), Cubic::DEGREE) => verify_batch(key, &shapes, proof, shards)?,
        _ => return Err(VerifyError::Params),
    }
    let statements = proof.statements.iter();
    let log_heights = statements.map(|statement| statement.log_heights.clone()).collect();
    Ok(Report { security: figures, log_heights })
}

fn verify_batch<E: Extension>(
    key: &VerifyingKey,
    shapes: &[ShardShape],
    proof: &Proof,
    shards: &[ShardProof<E>],
) -> Result<(), VerifyError> {
    for (index, (shape, shard)) in shapes.iter().zip(shards).enumerate() {
        shape.check_proof(index, &proof.statements[index], shard)?;
    }
    let mut transcript = steps::seed(key, shards.len());
    for statement in &proof.statements {
        steps::statement(&mut transcript, statement, shards.len());
    }
    if !transcript.check_witness(key.params().lookup_pow_bits, proof.lookup_witness) {
        return Err(VerifyError::LookupWitness);
    }
    let challenges = steps::lookup_challenges::<E>(&mut transcript);
    check_sum(key, proof, shards, &challenges)?;
    let statements = &proof.statements;
    let batch = RoundTwo { key, shapes, statements, transcript: &transcript, challenges };
    shards.iter().enumerate().try_for_each(|(index, shard)| batch.check(index, shard))
}

/// A batch after the challenges that its shards share.
#[derive(Clone, Copy, Debug)]
pub struct RoundTwo<'a, E> {
    /// The key.
    pub key: &'a VerifyingKey,
    /// Of all shards, from their statements.
    pub shapes: &'a [ShardShape],
    /// Of all shards; they passed [`check_statements`].
    pub statements: &'a [ShardStatement],
    /// The transcript from which the challenges were just drawn.
    pub transcript: &'a Transcript,
    /// The challenges.
    pub challenges: LookupChallenges<E>,
}

impl<E: Extension> RoundTwo<'_, E> {
    /// Checks the proof of one shard. That the terminals of all shards balance is the affair of
    /// whoever has them all.
    ///
    /// # Errors
    /// [`VerifyError`]: the proof is not one of this shard of this batch.
    ///
    /// # Panics
    /// If there is no such shard.
    pub fn check(&self, shard: usize, proof: &ShardProof<E>) -> Result<(), VerifyError> {
        let Self { key, shapes, statements, transcript, challenges } = *self;
        let (shape, statement) = (&shapes[shard], &statements[shard]);
        shape.check_proof(shard, statement, proof)?;
        let bound = (shapes.len() > 1)
            .then(|| steps::bound_point(&steps::seed(key, shapes.len()), shard, statement));
        let challenges = &challenges;
        let check = ShardCheck { key, shape, statement, proof, challenges, bound, shard };
        check.run(transcript.fork(shard))
    }
}

/// The sum of all terminals and claims is zero.
fn check_sum<E: Extension>(
    key: &VerifyingKey,
    proof: &Proof,
    shards: &[ShardProof<E>],
    challenges: &LookupChallenges<E>,
) -> Result<(), VerifyError> {
    let terminals: E = shards.iter().flat_map(|shard| &shard.terminals).copied().sum();
    let stated = challenges.stated(key.system(), &proof.statements);
    let stated = stated.map_err(|claim| VerifyError::ZeroDenominator { claim })?;
    if terminals + stated == E::ZERO { Ok(()) } else { Err(VerifyError::Unbalanced) }
}

struct ShardCheck<'a, E> {
    key: &'a VerifyingKey,
    shape: &'a ShardShape,
    statement: &'a ShardStatement,
    proof: &'a ShardProof<E>,
    challenges: &'a LookupChallenges<E>,
    /// Where the shard is bound, in a batch of several.
    bound: Option<E>,
    shard: usize,
}

impl<E: Extension> ShardCheck<'_, E> {
    fn run(&self, mut transcript: Transcript) -> Result<(), VerifyError> {
        let shard = self.shard;
        let params = self.key.params();
        let proof = self.proof;
        let alpha = steps::stage_two(&mut transcript, proof.stage_two.as_ref(), &proof.terminals);
        let (root, witness) = (&proof.quotient, proof.zeta_witness);
        let zeta = steps::check_quotient(&mut transcript, root, params.zeta_pow_bits, witness)
            .ok_or(VerifyError::ZetaWitness { shard })?;
        self.check_at(alpha, zeta, &mut transcript)
    }

    /// What is left once alpha and zeta are drawn.
    fn check_at(&self, alpha: E, zeta: E, transcript: &mut Transcript) -> Result<(), VerifyError> {
        let (shard, params, proof) = (self.shard, self.key.params(), self.proof);
        let log_height = self.shape.max_log_height();
        let in_domain = |point| !is_out_of_domain(point, log_height, params.log_blowup);
        if in_domain(zeta) {
            return Err(VerifyError::ZetaInDomain { shard });
        }
        if self.bound.is_some_and(in_domain) {
            return Err(VerifyError::BoundInDomain { shard });
        }
        self.check_constraints(alpha, zeta)?;
        let roots = self.shape.roots(self.key, self.statement, proof);
        let roots = roots.ok_or(ShapeError::Count {
            shard,
            what: "commitments",
            expected: self.shape.rounds.len(),
            got: 0,
        })?;
        let opened = self.shape.with_bound(&proof.opened, &self.statement.bound);
        let commitments = self.shape.rounds.iter().zip(opened).zip(roots);
        let commitments = commitments
            .map(|((round, opened), root)| self.commitment_opening(round, opened, root, zeta))
            .collect();
        pcs::<E>(params)
            .verify(commitments, &proof.opening.to_p3(), transcript)
            .map_err(|error| VerifyError::Opening { shard, reason: error.to_string() })
    }

    /// Every circuit's folded constraints equal its quotient times the vanishing
    /// polynomial.
    fn check_constraints(&self, alpha: E, zeta: E) -> Result<(), VerifyError> {
        let system = self.key.system();
        for (position, active) in self.shape.active.iter().enumerate() {
            let circuit = &system.circuits[active.circuit];
            let layout = &self.key.layouts()[active.circuit];
            let terminal = self.proof.terminals[position];
            let (shard, name) = (self.shard, || circuit.name.clone());
            if circuit.lookups.is_empty() && terminal != E::ZERO {
                return Err(VerifyError::Terminal { shard, circuit: name() });
            }
            let values = |kind, point| self.values(kind, position, point);
            let stage_two = values(RoundKind::StageTwo, 0);
            let next = values(RoundKind::StageTwo, 1);
            let row = OpenedRow {
                main: values(RoundKind::Main, 0),
                next: values(RoundKind::Main, 1),
                fixed: values(RoundKind::Fixed(active.circuit), 0),
                publics: &self.statement.publics[active.circuit],
                stage_two: stage_two.chunks(E::DEGREE).map(E::combine).collect(),
                stage_two_next: next.get(..E::DEGREE).map(E::combine),
                terminal,
            };
            let selectors = Selectors::at(zeta, active.log_height);
            let folded =
                folded_constraints(circuit, layout, &row, &selectors, self.challenges, alpha);
            let slices = values(RoundKind::Quotient, 0);
            let quotient = quotient_at(slices, zeta, active.log_height);
            if folded != quotient * selectors.vanishing {
                return Err(VerifyError::Constraints { shard, circuit: name() });
            }
        }
        Ok(())
    }

    /// Opened values of one matrix at one point; empty if it is not opened there.
    fn values(&self, kind: RoundKind, position: usize, point: usize) -> &[E] {
        let rounds = self.shape.rounds.iter().zip(&self.proof.opened);
        for (round, opened) in rounds.filter(|(round, _)| round.kind == kind) {
            for (matrix, points) in round.matrices.iter().zip(opened) {
                if matrix.active == position {
                    return points.get(point).map_or(&[], Vec::as_slice);
                }
            }
        }
        &[]
    }

    fn commitment_opening(
        &self,
        round: &Round,
        opened: Vec<Vec<Vec<E>>>,
        root: Root,
        zeta: E,
    ) -> CommitmentOpening<E, Cap, TwoAdicMultiplicativeCoset<F>> {
        let matrices = round.matrices.iter().zip(opened).map(|(matrix, values)| {
            let points = matrix.points(zeta, self.bound).into_iter().zip(values);
            MatrixOpening {
                domain: TwoAdicMultiplicativeCoset::new(F::ONE, matrix.log_height)
                    .expect("log heights were checked"),
                points: points.map(|(point, values)| PointOpening { point, values }).collect(),
            }
        });
        CommitmentOpening { commitment: cap(root), matrices: matrices.collect() }
    }
}

/// Why a proof is refused.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum VerifyError {
    /// Made with other parameters than the verifier's.
    #[error("the proof was made with other parameters than this profile's")]
    Params,
    /// Made for another program.
    #[error("the proof was made for another program")]
    Fingerprint,
    /// It states something else.
    #[error("the proof states other claims than the expected ones")]
    Claims,
    /// Not one shard proof per statement.
    #[error("expected {expected} shard proofs, got {got}")]
    ShardProofs {
        /// Number of statements.
        expected: usize,
        /// Number of shard proofs.
        got: usize,
    },
    /// The wrong shape, found before any cryptography.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// Worth less than the profile promises.
    #[error(transparent)]
    Security(#[from] BelowFloor),
    /// The grinding before beta and gamma was not done.
    #[error("the grinding witness before the lookup challenges does not pass")]
    LookupWitness,
    /// The grinding before zeta was not done.
    #[error("shard {shard}: the grinding witness before zeta does not pass")]
    ZetaWitness {
        /// Which shard.
        shard: usize,
    },
    /// zeta lies in a domain: an event of probability about 2^-100.
    #[error("shard {shard}: the out-of-domain point is in a domain")]
    ZetaInDomain {
        /// Which shard.
        shard: usize,
    },
    /// The point that binds a shard lies in a domain: an event of the same probability.
    #[error("shard {shard}: the point that binds it is in a domain")]
    BoundInDomain {
        /// Which shard.
        shard: usize,
    },
    /// The fingerprint of a claim is -beta: an event of probability about 2^-128.
    #[error("claim {claim}: its denominator is zero")]
    ZeroDenominator {
        /// Which claim; boundary messages count on.
        claim: usize,
    },
    /// Messages pushed and pulled do not cancel.
    #[error("the lookups and claims do not balance")]
    Unbalanced,
    /// A terminal of a circuit without lookups.
    #[error("shard {shard}, circuit {circuit}: a terminal but no lookups")]
    Terminal {
        /// Which shard.
        shard: usize,
        /// Name of the circuit.
        circuit: String,
    },
    /// The constraints do not hold at zeta.
    #[error("shard {shard}, circuit {circuit}: the constraints do not hold at zeta")]
    Constraints {
        /// Which shard.
        shard: usize,
        /// Name of the circuit.
        circuit: String,
    },
    /// The opened values are not those of the commitments.
    #[error("shard {shard}: the opening proof is refused: {reason}")]
    Opening {
        /// Which shard.
        shard: usize,
        /// What p3-fri says.
        reason: String,
    },
}
