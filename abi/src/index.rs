//! An index of keys that lie elsewhere: from the hash of a key to its position.

use std::hash::BuildHasher;

use hashbrown::hash_table::Entry;
use hashbrown::{DefaultHashBuilder, HashTable};

/// Positions of keys. A position is kept with a part of its key's hash, so that a table
/// that grows reads no key again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    slots: HashTable<Slot>,
    hasher: DefaultHashBuilder,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    position: u32,
    hash: u32,
}

impl Slot {
    /// Bits at both ends, which is where the table looks.
    const fn spread(hash: u32) -> u64 {
        (hash as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

impl Index {
    /// The position of `key`; `is_key` tells whether it is at a position.
    pub fn find(&self, key: &[u8], is_key: impl Fn(usize) -> bool) -> Option<usize> {
        let hash = self.hash(key);
        let is_slot = |slot: &Slot| slot.hash == hash && is_key(slot.position as usize);
        self.slots.find(Slot::spread(hash), is_slot).map(|slot| slot.position as usize)
    }

    /// The same. If there is none, `position` becomes the one of `key`.
    ///
    /// # Panics
    /// If the new position is 2^32 or more.
    pub fn find_or_insert(
        &mut self,
        key: &[u8],
        position: usize,
        is_key: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let hash = self.hash(key);
        let is_slot = |slot: &Slot| slot.hash == hash && is_key(slot.position as usize);
        let rehash = |slot: &Slot| Slot::spread(slot.hash);
        match self.slots.entry(Slot::spread(hash), is_slot, rehash) {
            Entry::Occupied(slot) => Some(slot.get().position as usize),
            Entry::Vacant(free) => {
                let position = u32::try_from(position).expect("the executor limits rows");
                free.insert(Slot { position, hash });
                None
            }
        }
    }

    /// Hashes the first `count` keys again, whose bytes have changed. They are distinct.
    pub fn rebuild<'k>(&mut self, count: usize, key: impl Fn(usize) -> &'k [u8]) {
        self.slots.clear();
        for position in 0..count {
            let hash = self.hash(key(position));
            let slot = Slot { position: position as u32, hash };
            self.slots.insert_unique(Slot::spread(hash), slot, |slot| Slot::spread(slot.hash));
        }
    }

    /// Bytes that the index has allocated.
    pub fn allocation_size(&self) -> usize {
        self.slots.allocation_size()
    }

    fn hash(&self, key: &[u8]) -> u32 {
        (self.hasher.hash_one(key) >> 32) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_found_after_growth() {
        let keys: Vec<[u8; 4]> = (0..5_000_u32).map(|i| (i * i).to_le_bytes()).collect();
        let mut index = Index::default();
        for (position, key) in keys.iter().enumerate() {
            assert_eq!(index.find_or_insert(key, position, |at| keys[at] == *key), None);
        }
        for (position, key) in keys.iter().enumerate() {
            assert_eq!(index.find(key, |at| keys[at] == *key), Some(position));
            let again = index.find_or_insert(key, usize::MAX, |at| keys[at] == *key);
            assert_eq!(again, Some(position));
        }
        assert_eq!(index.find(&[1, 2], |at| keys[at] == [1, 2, 0, 0]), None);
        let longer: Vec<Vec<u8>> = keys.iter().map(|key| key.repeat(2)).collect();
        index.rebuild(keys.len(), |at| &longer[at]);
        for (position, key) in longer.iter().enumerate() {
            assert_eq!(index.find(key, |at| longer[at] == *key), Some(position));
        }
        assert_eq!(index.find(&keys[1], |at| longer[at] == keys[1]), None);
    }
}
