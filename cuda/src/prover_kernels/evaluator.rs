//! What stage 2 and the quotient share: how a circuit's expressions are evaluated, what a
//! proof adds to them, and the first words of both kernels' parameters.

use traceloom_air::field::{Field, Goldilocks, PrimeCharacteristicRing, TwoAdicField, word};
use traceloom_air::system::Circuit;
use traceloom_verifier::LookupChallenges;
use traceloom_verifier::layout::{CircuitLayout, constant};
use traceloom_verifier::scheme::Extension;

use super::tape::{Part, Tape, TapeError};
use super::transform::ColumnsAt;
use super::{ShapeError, Word};

/// Threads of a block, and rows of a thread.
pub(super) const THREADS: u64 = 128;
pub(super) const ROWS: u64 = 2;
/// Rows of a block.
pub(super) const BLOCK_ROWS: u64 = THREADS * ROWS;
/// Words of the table of kinds of operands.
pub(super) const KIND_WORDS: u64 = 16;
/// Four on each of 132 multiprocessors.
const RESIDENT_BLOCKS: u64 = 528;

/// Logarithm of the most rows that a domain may have.
pub const MOST_LOG_ROWS: u32 = 31;

/// How the expressions of a circuit are computed on a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Evaluator {
    /// By kernels that interpret a tape; no kernel is compiled for the circuit.
    Tape(Tape),
}

impl Evaluator {
    /// What its buffer has, the same for all proofs.
    #[must_use]
    pub fn words(&self) -> &[u64] {
        let Self::Tape(tape) = self;
        tape.words()
    }

    pub(super) fn reads_selectors(&self) -> bool {
        let Self::Tape(tape) = self;
        tape.reads_selectors()
    }

    /// Words of scratch memory per block; 0 if it needs none.
    fn block_register_words(&self) -> u64 {
        let Self::Tape(tape) = self;
        tape.num_registers() * BLOCK_ROWS
    }

    /// Words of scratch memory for `num_rows` rows, with which as many blocks are at work as an
    /// H200 holds; 0 if it needs none. With less, down to those of one row, it takes longer.
    #[must_use]
    pub fn scratch_words(&self, num_rows: u64) -> u64 {
        num_rows.div_ceil(BLOCK_ROWS).min(RESIDENT_BLOCKS) * self.block_register_words()
    }

    /// Blocks that evaluate `num_rows` rows, one chunk of rows after another.
    pub(super) fn blocks(&self, num_rows: u64, scratch_words: u64) -> Result<u64, ShapeError> {
        let (chunks, least) = (num_rows.div_ceil(BLOCK_ROWS), self.block_register_words());
        match scratch_words.checked_div(least) {
            None => Ok(chunks),
            Some(0) => Err(ShapeError::Scratch { words: scratch_words, least }),
            Some(most) => Ok(chunks.min(most).min(RESIDENT_BLOCKS)),
        }
    }
}

/// Words of a buffer.
#[derive(Clone, Copy, Debug)]
pub struct WordsAt {
    /// Position among the buffers of a launch.
    pub buffer: usize,
    /// Its first word.
    pub first: u64,
}

impl WordsAt {
    pub(super) fn part(&self, first: u64, count: u64) -> Word {
        Word::words(self.buffer, self.first + first, count)
    }
}

/// What a kernel reads and uses to evaluate rows.
#[derive(Clone, Copy, Debug)]
pub struct RowPlaces {
    /// [`Evaluator::words`].
    pub tape: WordsAt,
    /// The parameters of this circuit in this proof.
    pub parameters: WordsAt,
    /// Main columns.
    pub main: ColumnsAt,
    /// Fixed columns, if the circuit has some.
    pub fixed: Option<ColumnsAt>,
    /// Scratch memory for registers.
    pub scratch: WordsAt,
    /// How much of it there is, see [`Evaluator::scratch_words`].
    pub scratch_words: u64,
}

/// A circuit's evaluator, and the lookups that it leaves to a proof's challenges.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    pub(super) evaluator: Evaluator,
    /// Of each lookup the constant arguments, by position.
    constants: Vec<Vec<(usize, Goldilocks)>>,
    max_message: usize,
    width: u64,
    fixed_width: u64,
    num_publics: usize,
    degree: u64,
}

/// Where the parts of parameters begin, which all are words.
struct Sections {
    starts: u64,
    gammas: u64,
    roots: u64,
    end: u64,
}

impl Rows {
    pub(super) fn new(
        circuit: &Circuit,
        layout: &CircuitLayout,
        part: Part,
        degree: usize,
    ) -> Result<Self, TapeError> {
        let of_lookup = |arguments: &Vec<_>| {
            let values = arguments.iter().enumerate();
            values.filter_map(|(at, &expr)| Some((at, constant(&circuit.arena, expr)?))).collect()
        };
        Ok(Self {
            evaluator: Evaluator::Tape(Tape::new(circuit, &layout.groups, part)?),
            constants: circuit.lookups.iter().map(|lookup| of_lookup(&lookup.arguments)).collect(),
            max_message: layout.max_message,
            width: circuit.width as u64,
            fixed_width: circuit.preprocessed_width() as u64,
            num_publics: circuit.num_publics,
            degree: degree as u64,
        })
    }

    pub(super) fn degree(&self) -> u64 {
        self.degree
    }

    fn sections(&self) -> Sections {
        let starts = self.num_publics as u64;
        // One more is read behind the last lookup.
        let gammas = starts + (self.constants.len() as u64 + 1) * self.degree;
        let roots = gammas + self.max_message as u64 * self.degree;
        Sections { starts, gammas, roots, end: roots + 33 }
    }

    /// Words of the parameters that both kernels have.
    pub(super) fn parameter_words(&self) -> u64 {
        self.sections().end
    }

    /// Public values, what messages begin with, powers of gamma, roots of the domain of
    /// `2^log_size` points and 1/g, with g the root of the trace.
    pub(super) fn parameters<E: Extension>(
        &self,
        challenges: &LookupChallenges<E>,
        publics: &[Goldilocks],
        [log_height, log_size]: [u32; 2],
    ) -> Vec<u64> {
        let gammas: Vec<E> = challenges.gamma.powers().take(self.max_message).collect();
        let mut words: Vec<u64> = publics.iter().map(|&value| word(value)).collect();
        words.resize(self.num_publics, 0);
        for constants in &self.constants {
            let terms = constants.iter().map(|&(at, value)| gammas[at] * value);
            push(&mut words, challenges.beta + terms.sum::<E>());
        }
        push(&mut words, E::ZERO);
        gammas.into_iter().for_each(|power| push(&mut words, power));
        let mut root = Goldilocks::two_adic_generator(log_size as usize);
        for _ in 0..32 {
            words.push(word(root));
            root = root.square();
        }
        words.push(word(Goldilocks::two_adic_generator(log_height as usize).inverse()));
        words
    }

    /// The first words of a kernel's parameter: `TapeRows`.
    pub(super) fn words(
        &self,
        places: &RowPlaces,
        [num_rows, num_blocks]: [u64; 2],
        log_height: u32,
    ) -> Vec<Word> {
        let Evaluator::Tape(tape) = &self.evaluator;
        let (instructions, all) = (tape.first_constant(), tape.words().len() as u64);
        let registers = num_blocks * self.evaluator.block_register_words();
        let sections = self.sections();
        let parameter = |first: u64, end: u64| {
            optional(end - first, |count| places.parameters.part(first, count))
        };
        let fixed = places.fixed.filter(|_| self.fixed_width > 0);
        vec![
            places.tape.part(0, instructions),
            optional(all - instructions, |count| places.tape.part(instructions, count)),
            Word::Number(tape.num_instructions()),
            optional(registers, |count| places.scratch.part(0, count)),
            Word::Number(num_blocks),
            optional(self.width, |width| places.main.column(0, num_rows, width)),
            Word::Number(places.main.stride),
            fixed.map_or(Word::Number(0), |fixed| fixed.column(0, num_rows, self.fixed_width)),
            Word::Number(fixed.map_or(0, |fixed| fixed.stride)),
            parameter(0, sections.starts),
            parameter(sections.starts, sections.gammas),
            parameter(sections.gammas, sections.roots),
            parameter(sections.roots, sections.end),
            Word::Number(num_rows),
            Word::Number(log_height.into()),
        ]
    }
}

/// A part that is left out if it has no words.
pub(super) fn optional(count: u64, part: impl FnOnce(u64) -> Word) -> Word {
    if count == 0 { Word::Number(0) } else { part(count) }
}

/// Appends the coefficients of an element.
pub(super) fn push<E: Extension>(words: &mut Vec<u64>, element: E) {
    words.extend(element.as_basis_coefficients_slice().iter().map(|&value| word(value)));
}

/// Refuses what a kernel's 32-bit rows cannot number, and columns that overlap.
pub(super) fn check(log_rows: u32, columns: &[&ColumnsAt]) -> Result<(), ShapeError> {
    let height = 1_u64.checked_shl(log_rows).unwrap_or(u64::MAX);
    if log_rows > MOST_LOG_ROWS {
        return Err(ShapeError::Height { height, most: MOST_LOG_ROWS });
    }
    match columns.iter().find(|columns| columns.stride < height) {
        Some(columns) => Err(ShapeError::Stride { height, stride: columns.stride }),
        None => Ok(()),
    }
}
