//! The byte sponge that challenges are drawn from.
//!
//! Layout (owned here)
//! - State: pending input bytes and unread output bytes. Absorbing appends to the
//!   input and discards the output.
//! - Reading a byte with no output left: output = BLAKE3(input), and the input
//!   becomes those 32 bytes. Bytes are read from the output's end.
//! - A word is eight bytes, the first read is the least significant; a field
//!   element is the next word below p (others are dropped); an extension element
//!   is its coefficients in order; `n` bits are the low bits of the next word.
//! - Grinding to b > 0 bits: read and drop one byte, absorb the witness, read b
//!   bits, all zero. The witness is the **smallest** canonical word that passes,
//!   whatever the number of threads, so that proofs are reproducible. At 0 bits
//!   nothing is absorbed and the witness must be 0.

use p3_challenger::{CanObserve, CanSample, CanSampleBits, FieldChallenger, GrindingChallenger};
use p3_field::BasedVectorSpace;
use traceloom_air::field::{PrimeCharacteristicRing, element, is_canonical, word};

use crate::scheme::{Cap, F, Root};

/// Protocol name and version, absorbed first.
pub const PROTOCOL_TAG: &[u8; 16] = b"traceloom-stark2";

/// A Fiat-Shamir transcript, see the module header.
#[derive(Clone, Debug, Default)]
pub struct Transcript {
    input: Vec<u8>,
    output: Vec<u8>,
}

impl Transcript {
    /// An empty transcript.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Absorbs raw bytes.
    pub fn bytes(&mut self, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.output.clear();
            self.input.extend_from_slice(bytes);
        }
    }

    /// Absorbs a number as eight little-endian bytes.
    pub fn number(&mut self, number: u64) {
        self.bytes(&number.to_le_bytes());
    }

    /// Absorbs field elements in canonical form.
    pub fn elements(&mut self, elements: &[F]) {
        for &element in elements {
            self.number(word(element));
        }
    }

    /// Absorbs a commitment.
    pub fn root(&mut self, root: &Root) {
        self.bytes(root);
    }

    /// Draws an element of the field or of an extension.
    pub fn challenge<E: BasedVectorSpace<F>>(&mut self) -> E {
        self.sample()
    }

    /// The transcript of shard `index`: this one, with the index absorbed.
    #[must_use]
    pub fn fork(&self, index: usize) -> Self {
        let mut fork = self.clone();
        fork.number(index as u64);
        fork
    }

    /// What a grinding candidate is hashed with: it passes `b` bits if the low `b` bits
    /// of the last eight bytes of `BLAKE3(state, candidate)`, read as a big-endian number,
    /// are zero, the candidate being eight little-endian bytes. The transcript itself does
    /// not change; [`GrindingChallenger::check_witness`] absorbs the witness.
    #[must_use]
    pub fn grinding_state(&self) -> [u8; 32] {
        let mut squeezed = self.clone();
        squeezed.read_byte();
        squeezed.input.try_into().expect("after a squeeze the input is a digest")
    }

    fn read_byte(&mut self) -> u8 {
        if self.output.is_empty() {
            let digest = *blake3::hash(&self.input).as_bytes();
            self.input.clear();
            self.input.extend_from_slice(&digest);
            self.output.extend_from_slice(&digest);
        }
        self.output.pop().expect("a digest has 32 bytes")
    }

    fn read_word(&mut self) -> u64 {
        u64::from_le_bytes(std::array::from_fn(|_| self.read_byte()))
    }
}

/// Whether the canonical word `candidate` passes `bits` bits, 1 to 63, in this
/// [`Transcript::grinding_state`].
#[must_use]
pub fn passes(state: &[u8; 32], bits: usize, candidate: u64) -> bool {
    // The last word of BLAKE3(state, candidate) read backwards is big-endian.
    let mut message = [0; 40];
    message[..32].copy_from_slice(state);
    message[32..].copy_from_slice(&candidate.to_le_bytes());
    let digest = *blake3::hash(&message).as_bytes();
    let last = digest.last_chunk().expect("a digest has 32 bytes");
    u64::from_be_bytes(*last) & ((1u64 << bits) - 1) == 0
}

impl CanObserve<F> for Transcript {
    fn observe(&mut self, value: F) {
        self.number(word(value));
    }
}

impl CanObserve<Cap> for Transcript {
    fn observe(&mut self, cap: Cap) {
        for root in cap.roots() {
            self.root(root);
        }
    }
}

impl<E: BasedVectorSpace<F>> CanSample<E> for Transcript {
    fn sample(&mut self) -> E {
        E::from_basis_coefficients_fn(|_| {
            loop {
                let word = self.read_word();
                if is_canonical(word) {
                    return element(word);
                }
            }
        })
    }
}

impl CanSampleBits<usize> for Transcript {
    fn sample_bits(&mut self, bits: usize) -> usize {
        assert!(bits < 64, "a word has 64 bits");
        (self.read_word() & ((1 << bits) - 1)) as usize
    }
}

impl FieldChallenger<F> for Transcript {}

impl GrindingChallenger for Transcript {
    type Witness = F;

    fn grind(&mut self, bits: usize) -> F {
        if bits == 0 {
            return F::ZERO;
        }
        // A verifier never grinds; the prover's search runs on all threads.
        let state = self.grinding_state();
        let found = (0..).find(|&candidate| passes(&state, bits, candidate));
        let witness = element(found.expect("one in 2^bits candidates passes"));
        assert!(self.check_witness(bits, witness), "the search tests what the check tests");
        witness
    }

    fn check_witness(&mut self, bits: usize, witness: F) -> bool {
        if bits == 0 {
            return witness == F::ZERO;
        }
        self.read_byte();
        self.number(word(witness));
        self.sample_bits(bits) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grinding_returns_the_smallest_witness() {
        for bits in [1, 5, 9] {
            let mut transcript = Transcript::new();
            transcript.bytes(b"seed");
            let witness = word(transcript.clone().grind(bits));
            for candidate in 0..=witness {
                let passes = transcript.clone().check_witness(bits, element(candidate));
                assert_eq!(passes, candidate == witness);
            }
        }
    }

    #[test]
    fn at_zero_bits_only_zero_passes_and_nothing_is_absorbed() {
        let mut transcript = Transcript::new();
        transcript.bytes(b"seed");
        let before: F = transcript.clone().challenge();
        assert_eq!(transcript.grind(0), F::ZERO);
        assert!(transcript.check_witness(0, F::ZERO));
        assert!(!transcript.check_witness(0, F::ONE));
        assert_eq!(transcript.challenge::<F>(), before);
    }

    #[test]
    fn forks_differ_by_index() {
        let mut transcript = Transcript::new();
        transcript.number(7);
        let first: F = transcript.fork(0).challenge();
        let second: F = transcript.fork(1).challenge();
        assert_ne!(first, second);
    }

    #[test]
    fn words_come_from_the_end_of_the_digest() {
        let mut transcript = Transcript::new();
        transcript.bytes(b"abc");
        let digest = *blake3::hash(b"abc").as_bytes();
        let last = u64::from_be_bytes(*digest.last_chunk().unwrap());
        assert_eq!(transcript.read_word(), last);
    }
}
