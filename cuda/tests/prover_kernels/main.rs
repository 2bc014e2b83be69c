//! The handwritten kernels against p3, on the host: the same text compiled as C++, the same
//! launches, memory full of poison, threads in both orders.

mod cases;
mod host;
mod openings;
mod oracle;
mod queries;
mod stages;

use p3_commit::Mmcs as _;
use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use traceloom_air::field::MODULUS;
use traceloom_cuda::prover_kernels::ShapeError;
use traceloom_cuda::prover_kernels::transform::{ColumnsAt, Extension, Places};
use traceloom_cuda::prover_kernels::tree::{MatrixAt, Tree, TreePlaces};
use traceloom_verifier::scheme::mmcs;

use crate::host::{Host, Job};
use crate::oracle::{POISON, extended as extended_by_p3, row_major};

/// Random words; `boundary`: 0, 1, p - 1 and neighbours alone.
fn columns(seed: u64, height: usize, width: usize, boundary: bool) -> Vec<u64> {
    let edges = [0, 1, MODULUS - 1, 0xffff_ffff, 1 << 32, MODULUS - (1 << 32)];
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let draw = |_| match boundary {
        true => edges[rng.next_u64() as usize % edges.len()],
        false => rng.next_u64() % MODULUS,
    };
    (0..height * width).map(draw).collect()
}

/// Columns lie `gap` words further apart than they are long, and in the middle of buffers.
fn check_extension(host: &Host, log_height: u32, log_blowup: u32, width: usize, boundary: bool) {
    let shape = format!("2^{log_height} x {width}, blowup 2^{log_blowup}");
    let extension = Extension::new(log_height, log_blowup).expect("it is supported");
    let (height, extended) = (1_usize << log_height, 1_usize << (log_height + log_blowup));
    let gap = usize::from(!boundary) * 3;
    let words = columns(u64::from(log_height), height, width, boundary);
    let mut from = vec![POISON; (height + gap) * width + 2];
    for (column, cells) in words.chunks(height).enumerate() {
        from[2 + column * (height + gap)..][..height].copy_from_slice(cells);
    }
    // Chunks that do not divide the number of columns.
    let chunk = if width > 2 { width / 2 } else { width };
    let places = Places {
        from: ColumnsAt { buffer: 0, first: 2, stride: (height + gap) as u64 },
        to: ColumnsAt { buffer: 1, first: 1, stride: (extended + gap) as u64 },
        tables: 2,
        factors: 3,
        scratch: 4,
        chunk: chunk as u64,
    };
    let mut launches = extension.prepare(&places);
    launches.extend(extension.launches(&places, width as u64).expect("it is supported"));
    let poison = |words: u64| vec![POISON; words as usize];
    let buffers = vec![
        from.clone(),
        vec![POISON; (extended + gap) * width + 1],
        extension.tables().to_vec(),
        poison(extension.factor_words()),
        poison(chunk as u64 * extension.scratch_words()),
    ];
    let job = Job { launches: &launches, buffers, is_descending: width.is_multiple_of(2) };
    let after = host.run(&job);
    assert_eq!(after[0], from, "{shape}: what is extended was written to");
    let expected = extended_by_p3(&words, height, log_blowup as usize);
    for (column, cells) in after[1][1..].chunks(extended + gap).enumerate() {
        let (cells, behind) = cells.split_at(extended);
        assert!(cells == &expected[column * extended..][..extended], "{shape}: column {column}");
        assert!(behind.iter().all(|&word| word == POISON), "{shape}: behind column {column}");
    }
}

#[test]
fn extensions_are_those_of_p3() {
    let host = Host::compile();
    for log_height in 0..=14 {
        for (log_blowup, width, boundary) in [(2, 1, false), (1, 2, true)] {
            check_extension(&host, log_height, log_blowup, width, boundary);
        }
    }
    for (log_height, log_blowup, width) in [(0, 4, 129), (3, 3, 129), (7, 2, 129), (12, 4, 3)] {
        check_extension(&host, log_height, log_blowup, width, false);
        check_extension(&host, log_height, log_blowup, width, true);
    }
    check_extension(&host, 13, 4, 5, false);
    for log_height in 15..=18 {
        check_extension(&host, log_height, 1, 1, true);
    }
}

#[test]
fn shapes_that_kernels_cannot_extend_are_refused() {
    assert!(matches!(Extension::new(25, 2), Err(ShapeError::Height { .. })));
    assert!(matches!(Extension::new(4, 0), Err(ShapeError::Blowup { .. })));
    assert!(matches!(Extension::new(4, 5), Err(ShapeError::Blowup { .. })));
    let at = |stride| ColumnsAt { buffer: 0, first: 0, stride };
    let places = Places { from: at(15), to: at(64), tables: 1, factors: 2, scratch: 3, chunk: 1 };
    let extension = Extension::new(4, 2).expect("it is supported");
    let short = extension.launches(&places, 1);
    assert_eq!(short, Err(ShapeError::Stride { height: 16, stride: 15 }));
    let places = Places { from: at(16), ..places };
    assert_eq!(extension.launches(&places, 0), Err(ShapeError::NoColumns { height: 16 }));
    assert!(extension.launches(&places, 1).is_ok());
}

/// Matrices by logarithm of their height and by width.
fn check_tree(host: &Host, shapes: &[(u32, usize)], boundary: bool) {
    let (mut cells, mut at, mut matrices) = (vec![POISON; 5], Vec::new(), Vec::new());
    for (seed, &(log_height, width)) in shapes.iter().enumerate() {
        let (height, gap) = (1 << log_height, seed % 3);
        let words = columns(seed as u64, height, width, boundary);
        let (first, stride) = (cells.len() as u64, (height + gap) as u64);
        at.push(MatrixAt { first, width: width as u64, stride, height: height as u64 });
        for column in words.chunks(height) {
            cells.extend_from_slice(column);
            cells.extend(vec![POISON; gap]);
        }
        matrices.push(row_major(&words, height, width));
    }
    let (expected, _) = mmcs().commit(matrices);
    let tree = Tree::new(&at).expect("it is supported");
    let places = TreePlaces { matrices: 0, list: 1, digests: 2, scratch: 3 };
    let poison = |bytes: u64| vec![POISON; bytes as usize / 8];
    let (digests, scratch) = (poison(tree.digest_bytes()), poison(tree.scratch_bytes()));
    let job = Job {
        launches: &tree.launches(&places),
        buffers: vec![cells, tree.list().to_vec(), digests, scratch],
        is_descending: shapes.len().is_multiple_of(2),
    };
    let after = host.run(&job);
    let root: Vec<u8> = after[2][tree.root_at() as usize / 8..]
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect();
    assert_eq!(root, expected.roots()[0], "{shapes:?}");
}

#[test]
fn trees_are_those_of_p3() {
    let host = Host::compile();
    for log_height in 0..=11 {
        check_tree(&host, &[(log_height, 1)], false);
    }
    // Block and chunk boundaries; 128 words are a chunk.
    for width in [1, 2, 7, 8, 9, 15, 16, 127, 128, 129, 136, 255, 256, 257, 384, 385, 490, 1025] {
        check_tree(&host, &[(3, width)], false);
        check_tree(&host, &[(1, width)], true);
    }
}

#[test]
fn trees_of_mixed_heights_are_those_of_p3() {
    let host = Host::compile();
    for boundary in [false, true] {
        // One of each height, in an order that is not theirs.
        check_tree(&host, &[(3, 2), (12, 1), (0, 5), (11, 3), (7, 129), (1, 1), (2, 9)], boundary);
        // Rows that go on in the next matrix, within a block and at its end.
        check_tree(&host, &[(5, 3), (5, 9), (2, 130), (5, 4), (2, 1), (2, 7)], boundary);
        check_tree(&host, &[(4, 127), (4, 1), (4, 1), (0, 129), (0, 1)], boundary);
        check_tree(&host, &[(13, 2), (0, 1)], boundary);
        check_tree(&host, &[(0, 1), (0, 2)], boundary);
    }
}

#[test]
fn trees_without_a_meaning_are_refused() {
    let refused = |width, stride, height| {
        Tree::new(&[MatrixAt { first: 0, width, stride, height }]).expect_err("it is refused")
    };
    assert_eq!(Tree::new(&[]).expect_err("it is refused"), ShapeError::NoMatrices);
    assert_eq!(refused(0, 4, 4), ShapeError::NoColumns { height: 4 });
    assert_eq!(refused(1, 6, 6), ShapeError::PowerOfTwo { height: 6 });
    assert_eq!(refused(1, 3, 4), ShapeError::Stride { height: 4, stride: 3 });
    assert!(matches!(refused(1, 0, 0), ShapeError::Height { .. }));
    assert!(matches!(refused(1 << 28, 1, 1), ShapeError::Wide { .. }));
}
