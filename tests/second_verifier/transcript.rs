//! The transcript, section 4.

use crate::decode::{Digest, Malformed};
use crate::field::{Ext, P};

/// Bytes absorbed since the last hash, and bytes of that hash not yet read.
#[derive(Clone, Debug, Default)]
pub struct Transcript {
    input: Vec<u8>,
    output: Vec<u8>,
}

impl Transcript {
    /// Absorbs bytes.
    pub fn bytes(&mut self, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.input.extend_from_slice(bytes);
            self.output.clear();
        }
    }

    /// Absorbs a number or base element.
    pub fn word(&mut self, word: u64) {
        self.bytes(&word.to_le_bytes());
    }

    /// Absorbs a count.
    pub fn count(&mut self, count: usize) {
        self.word(count as u64);
    }

    /// Absorbs a count, then that many words.
    pub fn words(&mut self, words: &[u64]) {
        self.count(words.len());
        words.iter().for_each(|&word| self.word(word));
    }

    /// Absorbs the coefficients of an element of E.
    pub fn ext<const D: usize>(&mut self, element: &Ext<D>) {
        element.0.iter().for_each(|&word| self.word(word));
    }

    /// Absorbs a root.
    pub fn root(&mut self, root: &Digest) {
        self.bytes(root);
    }

    /// Draws an element of E.
    pub fn draw<const D: usize>(&mut self) -> Ext<D> {
        let mut coefficients = [0; D];
        for coefficient in &mut coefficients {
            *coefficient = loop {
                let word = self.draw_word();
                if word < P {
                    break word;
                }
            };
        }
        Ext(coefficients)
    }

    /// Draws `bits` bits, fewer than 64.
    pub fn draw_bits(&mut self, bits: usize) -> u64 {
        self.draw_word() & ((1 << bits) - 1)
    }

    /// Checks a witness of `bits` bits of work.
    pub fn grind(&mut self, bits: u64, witness: u64) -> Result<(), Malformed> {
        if bits == 0 {
            return if witness == 0 { Ok(()) } else { Err(Malformed("witness of no grind")) };
        }
        self.read_byte();
        self.word(witness);
        match self.draw_bits(bits as usize) {
            0 => Ok(()),
            _ => Err(Malformed("grinding witness")),
        }
    }

    fn draw_word(&mut self) -> u64 {
        u64::from_le_bytes(std::array::from_fn(|_| self.read_byte()))
    }

    fn read_byte(&mut self) -> u8 {
        if self.output.is_empty() {
            let hash = *blake3::hash(&self.input).as_bytes();
            self.input = hash.to_vec();
            self.output = hash.to_vec();
        }
        self.output.pop().expect("it was filled")
    }
}
