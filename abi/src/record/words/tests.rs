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
        self.push(&[Part::Words(list)]);
    }

    fn push(&mut self, parts: &[Part<'_>]) {
        let (mut raw, parts) = (Vec::new(), parts.iter().copied());
        if !self.write(parts.clone(), &mut raw) {
            self.widen(&Part::words(parts.clone()).collect::<Vec<_>>());
            assert!(self.write(parts, &mut raw));
        }
        self.push_raw(&raw);
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
        b.push(&parts);
        assert_eq!(a.bytes, b.bytes);
        let last = b.get(b.num_lists - 1);
        assert!(last.is(&parts) && last == list[..] && !last.is(&parts[1..]));
        assert_eq!(last.bytes(3), Some([4, 5]));
        assert_eq!(last.bytes::<3>(1), (wide == 3).then_some([2, 3, 4]));
        let word = (wide == 3).then_some([u32::from_le_bytes([1, 2, 3, 4])]);
        assert_eq!(last.words32(0), word);
        assert_eq!((last.words32::<2>(0), last.words32::<1>(3)), (None, None));
    }
}

/// Parts of a list that is stored already, whatever bytes it takes there.
#[test]
fn stored_parts_are_stored_as_their_words() {
    for wide in EDGES {
        let mut source = Words::new(5);
        source.set_new(&[9, wide, 8, 7, wide]);
        source.set_new(&[1, 2, 3, 4, 5]);
        for (list, first, count) in [(0, 0, 5), (0, 1, 3), (1, 0, 5), (1, 2, 2), (1, 5, 0)] {
            let (list, all) = (source.get(list), source.get(list).to_vec());
            let part = Part::Stored(list, first, count);
            assert_eq!((part.len(), part.is_empty()), (count, count == 0));
            let [mut a, mut b] = [(); 2].map(|()| Words::new(count + 2));
            // Lists before it have made some positions wide, or not.
            for before in [0, u64::from(u16::MAX)] {
                let filled = vec![before; count + 2];
                [&mut a, &mut b].into_iter().for_each(|words| words.set_new(&filled));
                a.push(&[Part::Words(&[wide]), part, Part::Bytes(&[6])]);
                b.set_new(&[&[wide][..], &all[first..first + count], &[6]].concat());
                assert_eq!(a.bytes, b.bytes);
            }
        }
    }
}

#[test]
fn lists_of_another_length_are_not_written() {
    let words = Words::new(3);
    let write = |list: &[u64]| words.write([Part::Words(list)].into_iter(), &mut Vec::new());
    assert_eq!([&[1, 2][..], &[1, 2, 3], &[1, 2, 3, 4]].map(write), [false, true, false]);
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
