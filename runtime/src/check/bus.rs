//! Whether messages balance.
//!
//! First, hashes of messages are summed up, each as often as the message is used, minus as often
//! as it is provided, in buckets by hash. If all messages balance, all sums are zero. Then only
//! the messages of buckets with another sum are collected.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasher, Hasher};

use foldhash::quality::FixedState;
use traceloom_air::field::{Goldilocks, PrimeCharacteristicRing, element, word};
use traceloom_air::system::{Direction, System};

use super::PlaceOf;

/// Number of buckets.
const BUCKETS: usize = 1 << 12;
/// Seeds of the two hashes of a message. Any will do: nobody chooses traces against them.
const SEEDS: [u64; 2] = [0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344];

/// How often a message is used or provided.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sign {
    pub direction: Direction,
    pub count: Goldilocks,
}

impl Sign {
    pub fn once(direction: Direction) -> Self {
        Self { direction, count: Goldilocks::ONE }
    }

    pub fn pushed_once() -> Self {
        Self::once(Direction::Push)
    }
}

/// Hashes messages.
pub(super) struct Hashes([FixedState; 2]);

impl Default for Hashes {
    fn default() -> Self {
        Self(SEEDS.map(FixedState::with_seed))
    }
}

impl Hashes {
    /// Two hashes; a fingerprint pads with zeros, so trailing zeros make no difference.
    fn of(&self, message: &[Goldilocks]) -> [u64; 2] {
        let [mut first, mut second] = self.0.each_ref().map(BuildHasher::build_hasher);
        for &x in canonical(message) {
            first.write_u64(word(x));
            second.write_u64(word(x));
        }
        [first.finish(), second.finish()]
    }

    /// The bucket of a message.
    pub fn bucket(&self, message: &[Goldilocks]) -> usize {
        bucket(self.of(message))
    }
}

fn bucket([first, _]: [u64; 2]) -> usize {
    (first >> 52) as usize % BUCKETS
}

fn canonical(message: &[Goldilocks]) -> &[Goldilocks] {
    let len = message.iter().rposition(|x| *x != Goldilocks::ZERO).map_or(0, |last| last + 1);
    &message[..len]
}

/// Sums of hashes, by bucket.
pub(super) struct Sums {
    hashes: Hashes,
    buckets: Vec<[Goldilocks; 2]>,
}

impl Default for Sums {
    fn default() -> Self {
        Self { hashes: Hashes::default(), buckets: vec![[Goldilocks::ZERO; 2]; BUCKETS] }
    }
}

impl Sums {
    pub fn add(&mut self, message: &[Goldilocks], Sign { direction, count }: Sign) {
        let hashes = self.hashes.of(message);
        for (sum, hash) in self.buckets[bucket(hashes)].iter_mut().zip(hashes) {
            let term = element(hash) * count;
            match direction {
                Direction::Push => *sum += term,
                Direction::Pull => *sum -= term,
            }
        }
    }

    pub fn absorb(&mut self, other: &Self) {
        for (sums, others) in self.buckets.iter_mut().zip(&other.buckets) {
            sums.iter_mut().zip(others).for_each(|(sum, other)| *sum += *other);
        }
    }

    /// Buckets with a message that does not balance.
    pub fn open(&self) -> Vec<bool> {
        let open = self.buckets.iter().map(|sums| *sums != [Goldilocks::ZERO; 2]);
        let open: Vec<bool> = open.collect();
        if open.contains(&true) { open } else { Vec::new() }
    }
}

/// Where a message was sent from; claims have no circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Site {
    pub shard: u32,
    pub circuit: u32,
    pub row: usize,
    pub lookup: u32,
}

impl Site {
    pub fn describe(self, system: &System, num_shards: usize, place: &PlaceOf<'_>) -> String {
        let Some(circuit) = system.circuits.get(self.circuit as usize) else {
            return format!("claim {}", self.row);
        };
        let lookup = &circuit.lookups[self.lookup as usize].label;
        let shard = match num_shards {
            1 => String::new(),
            _ => format!("shard {}, ", self.shard),
        };
        let (name, row) = (&circuit.name, self.row);
        let place = place(self.circuit as usize, row);
        let place = place.map_or_else(String::new, |place| format!(" ({place})"));
        format!("{shard}circuit {name:?}, row {row}{place}, lookup {} ({lookup})", self.lookup)
    }
}

/// The messages of open buckets.
pub(super) struct Balances {
    hashes: Hashes,
    open: Vec<bool>,
    balances: HashMap<Box<[u64]>, Balance, FixedState>,
}

/// One message.
#[derive(Clone, Debug)]
pub(super) struct Balance {
    pub message: Box<[u64]>,
    pub pushed: Goldilocks,
    pub pulled: Goldilocks,
    pub first_push: Option<Site>,
    pub first_pull: Option<Site>,
}

impl Balances {
    pub fn new(open: Vec<bool>) -> Self {
        Self { hashes: Hashes::default(), open, balances: HashMap::default() }
    }

    pub fn open(&self) -> &[bool] {
        &self.open
    }

    pub fn add(&mut self, message: &[Goldilocks], Sign { direction, count }: Sign, site: Site) {
        if !self.open[self.hashes.bucket(message)] {
            return;
        }
        let key: Box<[u64]> = canonical(message).iter().map(|&x| word(x)).collect();
        let balance = self.balances.entry(key).or_insert_with_key(|key| Balance::new(key));
        match direction {
            Direction::Push => {
                balance.pushed += count;
                balance.first_push.get_or_insert(site);
            }
            Direction::Pull => {
                balance.pulled += count;
                balance.first_pull.get_or_insert(site);
            }
        }
    }

    /// Adds a part that comes later in row order.
    pub fn absorb(&mut self, other: Self) {
        for (key, balance) in other.balances {
            match self.balances.entry(key) {
                Entry::Vacant(entry) => {
                    entry.insert(balance);
                }
                Entry::Occupied(mut entry) => {
                    let own = entry.get_mut();
                    own.pushed += balance.pushed;
                    own.pulled += balance.pulled;
                    own.first_push = own.first_push.or(balance.first_push);
                    own.first_pull = own.first_pull.or(balance.first_pull);
                }
            }
        }
    }

    /// What does not balance, by first use.
    pub fn unbalanced(self) -> Vec<Balance> {
        let balances = self.balances.into_values();
        let mut open: Vec<Balance> = balances.filter(|b| b.pushed != b.pulled).collect();
        open.sort_unstable_by_key(Balance::first_site);
        open
    }
}

impl Balance {
    fn new(message: &[u64]) -> Self {
        let zero = Goldilocks::ZERO;
        let message = message.into();
        Self { message, pushed: zero, pulled: zero, first_push: None, first_pull: None }
    }

    fn first_site(&self) -> Option<Site> {
        self.first_push.into_iter().chain(self.first_pull).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(words: &[u64]) -> Vec<Goldilocks> {
        words.iter().map(|&word| element(word)).collect()
    }

    fn sums(messages: &[(&[u64], Direction, u64)]) -> Sums {
        let mut sums = Sums::default();
        for &(words, direction, count) in messages {
            sums.add(&message(words), Sign { direction, count: element(count) });
        }
        sums
    }

    #[test]
    fn sums_are_zero_if_and_only_if_messages_balance() {
        use Direction::{Pull, Push};
        let balanced = sums(&[
            (&[1, 2, 3], Push, 5),
            (&[1, 2, 4], Push, 1),
            (&[1, 2, 3, 0, 0], Pull, 2),
            (&[1, 2, 4], Pull, 1),
            (&[1, 2, 3], Pull, 3),
        ]);
        assert!(balanced.open().is_empty());
        for open in [
            sums(&[(&[1, 2, 3], Push, 1)]),
            sums(&[(&[1, 2, 3], Push, 2), (&[1, 2, 3], Pull, 1)]),
            sums(&[(&[1, 2, 3], Push, 1), (&[1, 3, 2], Pull, 1)]),
            sums(&[(&[1, 2], Push, 1), (&[1, 2, 1], Pull, 1)]),
            sums(&[(&[0, 2], Push, 1), (&[2], Pull, 1)]),
            sums(&[(&[7], Push, 3), (&[6], Pull, 1), (&[8], Pull, 2)]),
        ] {
            assert!(!open.open().is_empty());
        }
    }
}
