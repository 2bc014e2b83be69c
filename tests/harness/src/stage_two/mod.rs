//! Forged accumulators in a proof whose transcript is consistent.
//!
//! Changing a terminal in a finished proof shows little: alpha was drawn from the old
//! one, so the transcript alone refuses it. Here the prover itself forges. [`Forger`]
//! is a backend that changes stage 2 before it is committed, and the prover goes on
//! with what it gets. Each [`Forgery`] violates one check at one place and no other:
//! where a claim is false, the forged terminal makes the sum of all terminals zero.
//!
//! The honest part is written a second time (`rows`), plain rather than fast, since the
//! CPU backend does not show its stage 2. Without a forgery the two give the same bytes.
//!
//! A forger who knows that the verifier leaves out a check would leave it out of the
//! quotient too (`quotient`). So it can be shown that a verifier without it is fooled.
//!
//! The test of the second verifier includes this folder as a module of its own; so
//! nothing here names the crate that it is part of.

mod quotient;
mod rows;

use std::cell::RefCell;

use traceloom_air::claim::RankedClaim;
use traceloom_air::trace::{ShardWitness, Trace};
use traceloom_prover::backend::{
    Backend, Commitment, LayerRows, QuotientChallenges, ShardInput, StageTwo,
};
use traceloom_prover::cpu::{CpuBackend, CpuCommitted, CpuKey};
use traceloom_prover::{Metrics, ProveError, ProveOptions, ProvingKey, prove_with};
use traceloom_verifier::proof::{OpenedRows, OpenedValues};
use traceloom_verifier::scheme::{Extension, F, Root};
use traceloom_verifier::{LookupChallenges, Proof, VerifyingKey};

use rows::{Accumulator, accumulator, flat};

/// What is changed in the stage 2 of one circuit. A cell is counted row by row, and
/// within a row group by group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forgery {
    /// All partial sums are one more, so the first is not zero.
    Start,
    /// The partial sums behind a cell are off, and so is the terminal: one step is
    /// wrong.
    Step(usize),
    /// The terminal is off, but no partial sum: the last step of the last row is wrong.
    Terminal,
    /// One cell is one more: the step to it and the step from it are wrong.
    Cell(usize),
}

/// A check of stage 2 that the quotient leaves out, in all circuits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Omitted {
    /// The first partial sum is zero.
    First,
    /// The steps over this group.
    Group(usize),
    /// The last step of the last row, to the terminal.
    Last,
}

/// A circuit of the system, and what is forged there.
pub type Place = (usize, Forgery);

/// A backend that forges stage 2, of a batch of one shard.
#[derive(Default)]
pub struct Forger {
    place: Option<Place>,
    omitted: Option<Omitted>,
    claims: Vec<RankedClaim>,
    cpu: CpuBackend,
    /// Main and stage 2 traces of the active circuits, where a quotient needs them.
    main: RefCell<Vec<Trace>>,
    stage_two: RefCell<Vec<Option<Trace>>>,
}

/// A proof of `witness` with a forgery, made without self-checks. Where the claims of
/// the witness are false, the forged terminal makes up for it.
///
/// # Errors
/// As [`prove_with`].
pub fn forge(
    key: &ProvingKey,
    witness: ShardWitness,
    place: Option<Place>,
    omitted: Option<Omitted>,
) -> Result<Proof, ProveError> {
    let claims = witness.claims.clone();
    let forger = Forger { place, omitted, claims, ..Forger::default() };
    let options = ProveOptions { skip_self_checks: true, ..ProveOptions::default() };
    prove_with(&forger, key, vec![witness], &options).map(|(proof, _)| proof)
}

/// Adds one to the last word of the first claim; whether there is one.
pub fn falsify(witness: &mut ShardWitness) -> bool {
    let claim = witness.claims.first_mut().map(|ranked| &mut ranked.claim);
    let word = claim.and_then(|claim| claim.outputs.last_mut().or(claim.inputs.last_mut()));
    word.map(|word| *word += traceloom_air::field::element(1)).is_some()
}

/// Number of cells in the stage 2 of a circuit; 0 where it has none. All but the last
/// have a step behind them that [`Forgery::Step`] can forge.
#[must_use]
pub fn num_cells(key: &ProvingKey, witness: &ShardWitness, circuit: usize) -> usize {
    let groups = key.verifying_key().layouts()[circuit].groups.len();
    witness.traces[circuit].as_ref().map_or(0, |trace| groups * trace.height())
}

impl Forger {
    /// What is added in the forged circuit: what is missing in the sum, else one.
    fn amount<E: Extension>(&self, sums: &[Accumulator<E>], lookup: &LookupChallenges<E>) -> E {
        let mut sum: E = sums.iter().map(|accumulator| accumulator.terminal).sum();
        for claim in &self.claims {
            sum += lookup.denominator(&claim.message()).inverse();
        }
        if sum == E::ZERO { E::ONE } else { -sum }
    }
}

fn apply<E: Extension>(forgery: Forgery, amount: E, accumulator: &mut Accumulator<E>) {
    let Accumulator { cells, terminal } = accumulator;
    match forgery {
        Forgery::Start => cells.iter_mut().for_each(|cell| *cell += E::ONE),
        Forgery::Step(behind) => {
            cells[behind + 1..].iter_mut().for_each(|cell| *cell += amount);
            *terminal += amount;
        }
        Forgery::Terminal => *terminal += amount,
        Forgery::Cell(cell) => cells[cell] += E::ONE,
    }
}

impl Backend for Forger {
    type Trace = Trace;
    type Committed = CpuCommitted;
    type Key = CpuKey;
    type Points<E: Extension> = <CpuBackend as Backend>::Points<E>;
    type Codeword<E: Extension> = <CpuBackend as Backend>::Codeword<E>;
    type Layer<E: Extension> = <CpuBackend as Backend>::Layer<E>;

    fn name(&self) -> &str {
        "forger"
    }

    fn preprocess(&self, key: &VerifyingKey) -> Result<CpuKey, ProveError> {
        self.cpu.preprocess(key)
    }

    fn fixed<'k>(&self, key: &'k CpuKey, circuit: usize) -> Option<(Root, &'k CpuCommitted)> {
        self.cpu.fixed(key, circuit)
    }

    fn commit_main(
        &self,
        input: ShardInput<'_, CpuKey>,
        traces: &[Trace],
    ) -> Result<Commitment<CpuCommitted>, ProveError> {
        if self.omitted.is_some() {
            *self.main.borrow_mut() = traces.to_vec();
        }
        self.cpu.commit_main(input, traces)
    }

    fn bind<E: Extension>(
        &self,
        input: ShardInput<'_, CpuKey>,
        main: &CpuCommitted,
        point: E,
    ) -> Result<Vec<Vec<E>>, ProveError> {
        self.cpu.bind(input, main, point)
    }

    fn stage_two<E: Extension>(
        &self,
        input: ShardInput<'_, CpuKey>,
        traces: Vec<Trace>,
        challenges: &LookupChallenges<E>,
    ) -> Result<StageTwo<E, CpuCommitted>, ProveError> {
        let active = input.shape.active.iter().map(|active| active.circuit);
        let mut sums: Vec<Accumulator<E>> = active
            .clone()
            .zip(&traces)
            .map(|(circuit, trace)| accumulator(input, circuit, trace, challenges))
            .collect();
        if let Some((circuit, forgery)) = self.place {
            let amount = self.amount(&sums, challenges);
            let position = active.clone().position(|active| active == circuit);
            apply(forgery, amount, &mut sums[position.expect("the forged circuit is active")]);
        }
        let matrix = |(circuit, sums): (usize, &Accumulator<E>)| {
            let groups = input.key.verifying_key().layouts()[circuit].groups.len();
            (groups > 0).then(|| Trace {
                width: groups * <E as Extension>::DEGREE,
                values: flat(&sums.cells),
            })
        };
        let matrices: Vec<Option<Trace>> = active.zip(&sums).map(matrix).collect();
        let present: Vec<Trace> = matrices.iter().flatten().cloned().collect();
        // A commitment of main traces is one of any matrices of base columns.
        let committed = match present.is_empty() {
            true => None,
            false => Some(self.cpu.commit_main(input, &present)?),
        };
        *self.stage_two.borrow_mut() = matrices;
        Ok(StageTwo { committed, terminals: sums.iter().map(|sums| sums.terminal).collect() })
    }

    fn quotient<E: Extension>(
        &self,
        input: ShardInput<'_, CpuKey>,
        main: &CpuCommitted,
        stage_two: Option<&CpuCommitted>,
        challenges: &QuotientChallenges<'_, E>,
    ) -> Result<Commitment<CpuCommitted>, ProveError> {
        let Some(omitted) = self.omitted else {
            return self.cpu.quotient(input, main, stage_two, challenges);
        };
        let (main, stage_two) = (self.main.borrow(), self.stage_two.borrow());
        let traces = main.iter().zip(stage_two.iter());
        let slices: Vec<Trace> = traces
            .enumerate()
            .map(|(position, (main, stage_two))| {
                quotient::slices(input, position, main, stage_two.as_ref(), challenges, omitted)
            })
            .collect();
        self.cpu.commit_main(input, &slices)
    }

    fn open_values<E: Extension>(
        &self,
        input: ShardInput<'_, CpuKey>,
        committed: &[&CpuCommitted],
        zeta: E,
        bound: Option<E>,
    ) -> Result<(OpenedValues<E>, Self::Points<E>), ProveError> {
        self.cpu.open_values(input, committed, zeta, bound)
    }

    fn reduce<E: Extension>(
        &self,
        input: ShardInput<'_, CpuKey>,
        committed: &[&CpuCommitted],
        opened: &OpenedValues<E>,
        points: Self::Points<E>,
        alpha: E,
    ) -> Result<Vec<Self::Codeword<E>>, ProveError> {
        self.cpu.reduce(input, committed, opened, points, alpha)
    }

    fn commit_layer<E: Extension>(
        &self,
        codeword: Self::Codeword<E>,
        log_arity: usize,
    ) -> Result<Commitment<Self::Layer<E>>, ProveError> {
        self.cpu.commit_layer(codeword, log_arity)
    }

    fn fold<E: Extension>(
        &self,
        layer: &Self::Layer<E>,
        beta: E,
        joined: Option<Self::Codeword<E>>,
    ) -> Result<Self::Codeword<E>, ProveError> {
        self.cpu.fold(layer, beta, joined)
    }

    fn final_value<E: Extension>(&self, codeword: Self::Codeword<E>) -> Result<E, ProveError> {
        self.cpu.final_value(codeword)
    }

    fn open_rows(
        &self,
        committed: &CpuCommitted,
        positions: &[usize],
    ) -> Result<OpenedRows<F>, ProveError> {
        self.cpu.open_rows(committed, positions)
    }

    fn open_layer<E: Extension>(
        &self,
        layer: &Self::Layer<E>,
        positions: &[usize],
    ) -> Result<LayerRows<E>, ProveError> {
        self.cpu.open_layer(layer, positions)
    }

    fn read_metrics(&self, _: &mut Metrics) {}
}
