//! Gathering, grinding and transposition.

use traceloom_cuda::prover_kernels::queries::{
    Gather, GatherColumn, GatherPlaces, grind, transpose,
};
use traceloom_verifier::transcript::passes;

use crate::host::{Host, Job};
use crate::{POISON, columns};

#[test]
fn rows_are_gathered_in_any_order_and_any_number_of_times() {
    let host = Host::compile();
    let base = columns(1, 300, 1, false);
    for (rows, num_columns) in [(vec![0], 1), (vec![7, 3, 7, 0], 2), ((0..40).rev().collect(), 129)]
    {
        let column =
            |index: u64| GatherColumn { first: index % 5, shift: index % 3, scale: 1 + index % 7 };
        let gather = Gather { rows, columns: (0..num_columns).map(column).collect() };
        let places = GatherPlaces { base: 0, base_words: 300, list: 1, to: 2 };
        let buffers = vec![base.clone(), gather.list(), vec![POISON; gather.words() as usize]];
        let launches = [gather.launch(&places)];
        let after = host.run(&Job { launches: &launches, buffers, is_descending: false });
        for (index, &found) in after[2].iter().enumerate() {
            let row = gather.rows[index / gather.columns.len()];
            let at = gather.columns[index % gather.columns.len()];
            assert_eq!(found, base[(at.first + (row >> at.shift) * at.scale) as usize]);
        }
    }
}

#[test]
fn the_least_witness_of_a_window_is_found() {
    let host = Host::compile();
    for (state, bits) in [([0; 32], 1), ([0xff; 32], 5), ([0x5a; 32], 9), ([3; 32], 12)] {
        let state = &state;
        let (first, count) = (1000, 1 << 14);
        let expected = (first..first + count).find(|&candidate| passes(state, bits, candidate));
        for is_descending in [false, true] {
            let launches = [grind(state, bits as u32, first, count, 0)];
            let job = Job { launches: &launches, buffers: vec![vec![POISON]], is_descending };
            assert_eq!(host.run(&job)[0], [expected.unwrap_or(u64::MAX)]);
        }
    }
    // None passes in a window that is too small, and what was found before stays.
    let launches = [grind(&[1; 32], 40, 0, 100, 0)];
    let job = Job { launches: &launches, buffers: vec![vec![POISON]], is_descending: false };
    assert_eq!(host.run(&job)[0], [POISON]);
    let launches = [grind(&[1; 32], 1, 5, 100, 0)];
    let job = Job { launches: &launches, buffers: vec![vec![4]], is_descending: true };
    assert_eq!(host.run(&job)[0], [4]);
}

#[test]
fn rows_become_columns() {
    let host = Host::compile();
    for width in [1, 2, 31, 32, 33, 129] {
        for height in [1_u64, 2, 32, 64, 256] {
            let rows = columns(width, (width * height) as usize, 1, false);
            let launches = [transpose(width, height, 0, 1)];
            let buffers = vec![rows.clone(), vec![POISON; rows.len()]];
            let is_descending = height.is_multiple_of(64);
            let after = host.run(&Job { launches: &launches, buffers, is_descending });
            for (index, &found) in after[1].iter().enumerate() {
                let (column, row) = (index as u64 / height, index as u64 % height);
                assert_eq!(found, rows[(row * width + column) as usize], "{width} x {height}");
            }
        }
    }
}
