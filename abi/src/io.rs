//! Input and output of an execution. All of it is advice to a proof.

use hashbrown::HashMap;
use std::collections::BTreeMap;

use crate::field::is_canonical;

/// Each channel is one append-only array of words with keys that name stretches of it. Data
/// is only appended and a key is set once, so rows that are built after an execution read the
/// same words as the execution.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Io {
    channels: BTreeMap<u64, Vec<u64>>,
    keys: HashMap<(u64, Vec<u64>), Stretch>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stretch {
    index: u64,
    len: u64,
    /// Number of keys that were set before.
    position: usize,
}

/// How much of an [`Io`] there was at some moment.
#[derive(Clone, Debug)]
pub struct IoMark {
    lengths: BTreeMap<u64, usize>,
    num_keys: usize,
}

/// Why an io access failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IoError {
    /// No such key.
    #[error("channel {channel} has no key {key:?}; set it with io_set_info or as program input")]
    MissingKey {
        /// The channel.
        channel: u64,
        /// The key.
        key: Vec<u64>,
    },
    /// The key is already set.
    #[error("channel {channel}: key {key:?} is already set; a key is set once")]
    KeySet {
        /// The channel.
        channel: u64,
        /// The key.
        key: Vec<u64>,
    },
    /// A read beyond the end.
    #[error("channel {channel}: words {index}..{index}+{len} read, but it has {available} words")]
    OutOfRange {
        /// The channel.
        channel: u64,
        /// First word read.
        index: u64,
        /// Number of words read.
        len: u64,
        /// Number of words there are.
        available: u64,
    },
    /// A word that is not below the modulus.
    #[error("channel {channel}: word {word} is not below the modulus 2^64 - 2^32 + 1")]
    NotCanonical {
        /// The channel.
        channel: u64,
        /// The word.
        word: u64,
    },
}

impl Io {
    /// Appends `words` to `channel` and names them `key`.
    ///
    /// # Errors
    /// [`IoError::KeySet`] or [`IoError::NotCanonical`]; then nothing changed.
    pub fn add_input(&mut self, channel: u64, key: &[u64], words: &[u64]) -> Result<(), IoError> {
        if let Some(&word) = words.iter().find(|&&word| !is_canonical(word)) {
            return Err(IoError::NotCanonical { channel, word });
        }
        let index = self.len(channel);
        self.set_info(channel, key, index, words.len() as u64)?;
        self.write(channel, words);
        Ok(())
    }

    /// Index and length under `key`.
    ///
    /// # Errors
    /// [`IoError::MissingKey`].
    pub fn info(&self, channel: u64, key: &[u64]) -> Result<(u64, u64), IoError> {
        let found = self.keys.get(&(channel, key.to_vec()));
        let found = found.map(|stretch| (stretch.index, stretch.len));
        found.ok_or_else(|| IoError::MissingKey { channel, key: key.to_vec() })
    }

    /// Names `len` words from `index` on; they may be written later.
    ///
    /// # Errors
    /// [`IoError::KeySet`].
    pub fn set_info(
        &mut self,
        channel: u64,
        key: &[u64],
        index: u64,
        len: u64,
    ) -> Result<(), IoError> {
        let stretch = Stretch { index, len, position: self.keys.len() };
        match self.keys.try_insert_once((channel, key.to_vec()), stretch) {
            true => Ok(()),
            false => Err(IoError::KeySet { channel, key: key.to_vec() }),
        }
    }

    /// Appends canonical words to `channel`.
    pub fn write(&mut self, channel: u64, words: &[u64]) {
        debug_assert!(words.iter().all(|&word| is_canonical(word)));
        self.channels.entry(channel).or_default().extend_from_slice(words);
    }

    /// The `len` words of `channel` from `index` on.
    ///
    /// # Errors
    /// [`IoError::OutOfRange`].
    pub fn read(&self, channel: u64, index: u64, len: u64) -> Result<&[u64], IoError> {
        let words = self.channels.get(&channel).map_or(&[][..], Vec::as_slice);
        let available = words.len() as u64;
        match index.checked_add(len) {
            // Both ends fit usize, since the array has them.
            Some(end) if end <= available => Ok(&words[index as usize..end as usize]),
            _ => Err(IoError::OutOfRange { channel, index, len, available }),
        }
    }

    /// Number of words of `channel`.
    #[must_use]
    pub fn len(&self, channel: u64) -> u64 {
        self.channels.get(&channel).map_or(0, |words| words.len() as u64)
    }

    /// The channels that have words, with them, in order.
    pub fn channels(&self) -> impl Iterator<Item = (u64, &[u64])> {
        self.channels.iter().map(|(&channel, words)| (channel, words.as_slice()))
    }

    /// All keys in the order in which they were set: channel, key, index and length of its words.
    #[must_use]
    pub fn keys(&self) -> Vec<(u64, &[u64], u64, u64)> {
        let mut keys: Vec<_> = self.keys.iter().collect();
        keys.sort_unstable_by_key(|(_, stretch)| stretch.position);
        keys.into_iter()
            .map(|((channel, key), stretch)| (*channel, key.as_slice(), stretch.index, stretch.len))
            .collect()
    }

    /// What there is now, for [`Self::restore`].
    #[must_use]
    pub fn mark(&self) -> IoMark {
        let lengths = self.channels.iter().map(|(&channel, words)| (channel, words.len()));
        IoMark { lengths: lengths.collect(), num_keys: self.keys.len() }
    }

    /// The words that were added after `mark`, which is a mark of this io, by channel.
    #[must_use]
    pub fn written_since(&self, mark: &IoMark) -> BTreeMap<u64, Vec<u64>> {
        let added = self.channels.iter().map(|(channel, words)| {
            let before = mark.lengths.get(channel).copied().unwrap_or(0);
            (*channel, words[before.min(words.len())..].to_vec())
        });
        added.filter(|(_, words)| !words.is_empty()).collect()
    }

    /// Takes back everything that was added after `mark`, which is a mark of this io.
    pub fn restore(&mut self, mark: &IoMark) {
        self.channels.retain(|channel, words| match mark.lengths.get(channel) {
            Some(&length) => {
                words.truncate(length);
                true
            }
            None => false,
        });
        self.keys.retain(|_, stretch| stretch.position < mark.num_keys);
    }

    /// Number of words over all channels, keys included. A limit of executions counts them.
    #[must_use]
    pub fn total_words(&self) -> u64 {
        let data: usize = self.channels.values().map(Vec::len).sum();
        let keys: usize = self.keys.keys().map(|(_, key)| key.len() + 3).sum();
        (data + keys) as u64
    }
}

trait InsertOnce<K, V> {
    fn try_insert_once(&mut self, key: K, value: V) -> bool;
}

impl<K: Eq + std::hash::Hash, V> InsertOnce<K, V> for HashMap<K, V> {
    fn try_insert_once(&mut self, key: K, value: V) -> bool {
        let mut inserted = false;
        self.entry(key).or_insert_with(|| {
            inserted = true;
            value
        });
        inserted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_set_once_and_reads_are_bounded() {
        let mut io = Io::default();
        io.add_input(0, &[], &[1, 2, 3]).unwrap();
        assert_eq!(io.info(0, &[]), Ok((0, 3)));
        assert!(matches!(io.add_input(0, &[], &[4]), Err(IoError::KeySet { .. })));
        assert_eq!(io.len(0), 3);
        assert_eq!(io.read(0, 1, 2), Ok(&[2, 3][..]));
        assert!(matches!(io.read(0, 2, 2), Err(IoError::OutOfRange { available: 3, .. })));
        assert!(matches!(io.read(0, u64::MAX, 2), Err(IoError::OutOfRange { .. })));
        assert_eq!(io.read(7, 0, 0), Ok(&[][..]));
        assert!(matches!(io.info(1, &[5]), Err(IoError::MissingKey { .. })));
        let (before, mark) = (io.clone(), io.mark());
        io.add_input(0, &[9], &[4]).unwrap();
        io.add_input(2, &[], &[]).unwrap();
        io.write(3, &[8]);
        let written = io.written_since(&mark);
        assert_eq!(written, BTreeMap::from([(0, vec![4]), (3, vec![8])]));
        io.restore(&mark);
        assert!(io.written_since(&mark).is_empty());
        assert_eq!(io, before);
        let error = io.add_input(1, &[], &[u64::MAX]).unwrap_err();
        assert_eq!(error, IoError::NotCanonical { channel: 1, word: u64::MAX });
    }
}
