//! Widening at every edge, and what it may cost.

use super::*;
use crate::field::MODULUS;

/// The last word of every width, and the first that needs more.
const EDGES: [u64; 8] = [0, 255, 256, 65_535, 65_536, u32::MAX as u64, 1 << 32, MODULUS - 1];

#[test]
fn every_edge_widens_its_position_alone() {
    for (before, after) in EDGES.into_iter().zip(&EDGES[1..]) {
        let mut words = Words::new(3);
        words.set_new(&[7, before, 9]);
        let narrow = words.layout.stride;
        words.set_new(&[8, *after, 255]);
        let [was, is] = [before, *after].map(|word| Width::of_bound(word + 1).bytes());
        assert_eq!((narrow, words.layout.stride), (2 + was, 2 + is), "{before} {after}");
        assert_eq!(words.get(0).to_vec(), [7, before, 9]);
        assert_eq!(words.get(1).to_vec(), [8, *after, 255]);
        assert_eq!(words.get(1).words(1), Some([*after, 255]));
        assert_eq!(words.get(0).words::<2>(2), None);
    }
}

impl Words {
    fn set_new(&mut self, list: &[u64]) {
        let parts = [Part::Words(list)];
        if !self.push(&parts) {
            self.widen(&parts);
            assert!(self.push(&parts));
        }
    }
}

#[test]
fn parts_and_words_are_stored_alike() {
    let [mut a, mut b] = [(); 2].map(|()| Words::new(6));
    for wide in [3, 300, 70_000, 1 << 40] {
        let list = [1, 2, wide, 4, 5, wide];
        a.set_new(&list);
        let parts = [
            Part::Bytes(&[1, 2]),
            Part::Words(&[wide]),
            Part::Bytes(&[4, 5]),
            Part::Words(&[wide]),
        ];
        if !b.push(&parts) {
            b.widen(&parts);
            assert!(b.push(&parts));
        }
        assert_eq!(a.bytes, b.bytes);
        let last = b.get(b.num_lists - 1);
        assert!(last.is(&parts) && last == list[..] && !last.is(&parts[1..]));
        assert_eq!(last.bytes(3), Some([4, 5]));
        assert_eq!(last.bytes::<3>(1), (wide == 3).then_some([2, 3, 4]));
    }
}

#[test]
fn lists_of_other_widths_are_equal_and_pack_alike() {
    let (mut narrow, mut wide) = (Words::new(4), Words::new(4));
    wide.set_new(&[u64::MAX >> 1, 1 << 20, 0, 1 << 10]);
    [&mut narrow, &mut wide].into_iter().for_each(|words| words.set_new(&[200, 100, 50, 25]));
    let (a, b) = (narrow.get(0), wide.get(1));
    assert_eq!(a, b);
    assert_ne!(a, wide.get(0));
    let mut packed = [[0; 12]; 2];
    assert_eq!(a.pack::<4>(1, &mut packed[0]) | b.pack::<4>(1, &mut packed[1]), 0);
    assert_eq!(packed[0], packed[1]);
    assert_eq!(wide.get(0).pack::<1>(1, &mut [0; 2]), 1 << 12);
    assert_eq!(wide.with_raw(&[200, 100, 50, 25], |raw| raw == wide.raw(1)), Some(true));
    assert_eq!(narrow.with_raw(&[256, 0, 0, 0], |_| ()), None);
}

/// A program may make one word after the other wide; moving all lists for each is not
/// what it can ask for.
#[test]
fn hostile_widenings_end_in_full_words() {
    let mut words = Words::new(500);
    (0..400).for_each(|_| words.set_new(&[0; 500]));
    for position in 0..500 {
        let mut list = [0; 500];
        list[position] = 256;
        words.set_new(&list);
    }
    assert_eq!(words.layout.stride, 8 * 500);
    assert!(words.moved < 20 * words.bytes.len());
    assert_eq!(words.get(899).word(499), 256);
}
