//! An index of keys that lie elsewhere: from the hash of a key to its position.
//!
//! Open addressing, with one word per slot. A table of many keys is in no cache, so what
//! counts is how often memory is waited for: a slot has the hash that would be compared, the
//! first slot of a key is where the upper bits of its hash say, so that a table that grows is
//! read and written in order, and [`Index::prepare`] asks for that slot long before it is
//! read.

use std::hash::BuildHasher;

use hashbrown::DefaultHashBuilder;
use prefetch_index::prefetch_index;

/// Positions of keys. A position is kept with a part of its key's hash, so that a table
/// that grows reads no key again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    /// None, or a power of two of them.
    slots: Vec<Slot>,
    len: usize,
    hasher: DefaultHashBuilder,
}

/// A hash above a position. No position is `u32::MAX`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Slot(u64);

impl Slot {
    const FREE: Self = Self(u64::MAX);

    const fn new(hash: Hash, position: u32) -> Self {
        Self((hash.0 as u64) << 32 | position as u64)
    }

    const fn hash(self) -> Hash {
        Hash((self.0 >> 32) as u32)
    }

    const fn position(self) -> usize {
        self.0 as u32 as usize
    }
}

/// The hash of a key for one index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hash(u32);

/// Slots of the smallest table.
const FEWEST: usize = 16;

impl Index {
    /// The hash of `key`; its slot is on its way into the cache.
    #[inline]
    pub fn prepare(&self, key: &[u8]) -> Hash {
        let hash = Hash((self.hasher.hash_one(key) >> 32) as u32);
        if !self.slots.is_empty() {
            prefetch_index(&self.slots, self.first(hash));
        }
        hash
    }

    /// The position of `key`; `is_key` tells whether it is at a position.
    pub fn find(&self, key: &[u8], is_key: impl Fn(usize) -> bool) -> Option<usize> {
        if self.slots.is_empty() {
            return None;
        }
        self.look(self.prepare(key), is_key).ok()
    }

    /// The position of the key with this hash. If there is none, `position` becomes the one
    /// of the key.
    ///
    /// # Panics
    /// If the new position is 2^32 - 1 or more.
    #[inline]
    pub fn find_or_insert(
        &mut self,
        hash: Hash,
        position: usize,
        is_key: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        if 8 * (self.len + 1) > 5 * self.slots.len() {
            self.grow();
        }
        match self.look(hash, is_key) {
            Ok(position) => Some(position),
            Err(free) => {
                let position = u32::try_from(position).ok().filter(|&position| position < u32::MAX);
                let position = position.expect("the executor limits rows");
                self.slots[free] = Slot::new(hash, position);
                self.len += 1;
                None
            }
        }
    }

    /// Hashes the first `count` keys again, whose bytes have changed. They are distinct.
    pub fn rebuild<'k>(&mut self, count: usize, key: impl Fn(usize) -> &'k [u8]) {
        self.slots.fill(Slot::FREE);
        self.len = 0;
        for position in 0..count {
            let hash = self.prepare(key(position));
            self.find_or_insert(hash, position, |_| false);
        }
    }

    /// Bytes that the index has allocated.
    pub fn allocation_size(&self) -> usize {
        size_of::<Slot>() * self.slots.capacity()
    }

    /// Where the search for `hash` begins.
    #[inline(always)]
    fn first(&self, hash: Hash) -> usize {
        let bits = self.slots.len().trailing_zeros();
        ((u64::from(hash.0) << 32) >> (64 - bits)) as usize
    }

    /// The position of a key, or the free slot that it would get. There are slots.
    #[inline(always)]
    fn look(&self, hash: Hash, is_key: impl Fn(usize) -> bool) -> Result<usize, usize> {
        let last = self.slots.len() - 1;
        let mut at = self.first(hash);
        loop {
            let slot = self.slots[at & last];
            if slot == Slot::FREE {
                return Err(at & last);
            }
            if slot.hash() == hash && is_key(slot.position()) {
                return Ok(slot.position());
            }
            at += 1;
        }
    }

    #[cold]
    fn grow(&mut self) {
        let more = vec![Slot::FREE; (2 * self.slots.len()).max(FEWEST)];
        let slots = std::mem::replace(&mut self.slots, more);
        for slot in slots.into_iter().filter(|&slot| slot != Slot::FREE) {
            match self.look(slot.hash(), |_| false) {
                Ok(_) => unreachable!("no slot has the key"),
                Err(free) => self.slots[free] = slot,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Index {
        fn insert(
            &mut self,
            key: &[u8],
            position: usize,
            is_key: impl Fn(usize) -> bool,
        ) -> Option<usize> {
            self.find_or_insert(self.prepare(key), position, is_key)
        }
    }

    #[test]
    fn positions_are_found_after_growth() {
        let keys: Vec<[u8; 4]> = (0..5_000_u32).map(|i| (i * i).to_le_bytes()).collect();
        let mut index = Index::default();
        for (position, key) in keys.iter().enumerate() {
            assert_eq!(index.find(key, |at| keys[at] == *key), None);
            assert_eq!(index.insert(key, position, |at| keys[at] == *key), None);
        }
        for (position, key) in keys.iter().enumerate() {
            assert_eq!(index.find(key, |at| keys[at] == *key), Some(position));
            let again = index.insert(key, usize::MAX, |at| keys[at] == *key);
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

    /// Hashes at both ends of their range: the search goes around the end of the slots, and
    /// the greatest hash is no free slot.
    #[test]
    fn the_last_slots_go_on_at_the_first() {
        let mut index = Index::default();
        let hashes = [u32::MAX, u32::MAX, u32::MAX - 1, u32::MAX, 0, 1, 0].map(Hash);
        for (position, &hash) in hashes.iter().enumerate() {
            assert_eq!(index.find_or_insert(hash, position, |at| at == position), None);
        }
        for (position, &hash) in hashes.iter().enumerate() {
            assert_eq!(index.look(hash, |at| at == position), Ok(position));
        }
        (0..100)
            .for_each(|at| _ = index.find_or_insert(Hash(at << 25), 7 + at as usize, |_| false));
        for (position, &hash) in hashes.iter().enumerate() {
            assert_eq!(index.look(hash, |at| at == position), Ok(position));
        }
    }
}
