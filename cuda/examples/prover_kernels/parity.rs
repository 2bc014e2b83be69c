//! The kernels against p3 on the CPU.

use p3_commit::Mmcs as _;
use p3_dft::{Radix2DitParallel, TwoAdicSubgroupDft};
use p3_matrix::Matrix;
use p3_matrix::bitrev::BitReversibleMatrix;
use p3_matrix::dense::RowMajorMatrix;
use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use traceloom_air::field::{Goldilocks, MODULUS, element, word};
use traceloom_cuda::prover_kernels::Launch;
use traceloom_cuda::prover_kernels::transform::{ColumnsAt, Extension, Places};
use traceloom_cuda::prover_kernels::tree::{MatrixAt, Tree, TreePlaces};
use traceloom_verifier::scheme::{Cubic, Quadratic, mmcs};

use crate::cases::{self, Shape};
use crate::kit::{Kit, Outcome};
use crate::oracle::{self, Case};

pub fn run(kit: &Kit, is_quick: bool) -> Outcome {
    let most = if is_quick { 13 } else { 20 };
    for log_height in 0..=most {
        extension(kit, log_height, 2, if log_height < 18 { 3 } else { 2 })?;
    }
    for (log_height, log_blowup, width) in [(0, 1, 1), (5, 4, 129), (12, 3, 2), (14, 1, 2)] {
        extension(kit, log_height, log_blowup, width)?;
    }
    if !is_quick {
        extension(kit, 13, 4, 129)?;
        extension(kit, 24, 1, 1)?;
    }
    for shapes in [
        &[(0, 1)][..],
        &[(3, 128)],
        &[(3, 129)],
        &[(1, 490), (3, 2)],
        &[(3, 2), (12, 1), (0, 5), (11, 3), (7, 129), (1, 1), (2, 9)],
        &[(5, 3), (5, 9), (2, 130), (5, 4), (2, 1), (2, 7)],
    ] {
        tree(kit, shapes)?;
    }
    if !is_quick {
        for shapes in [&[(20, 1)][..], &[(20, 2), (19, 1), (13, 129)], &[(16, 490), (20, 3)]] {
            tree(kit, shapes)?;
        }
    }
    stages(kit, is_quick)?;
    println!("parity: all equal");
    Ok(())
}

/// Stage 2 and quotients: random circuits below and above a warp, a block, a row of a
/// transform and the chunks of a scan; and all programs.
fn stages(kit: &Kit, is_quick: bool) -> Outcome {
    let most = if is_quick { 5 } else { 10 };
    for log_height in 0..=most {
        for (log_blowup, num_nodes, num_lookups) in [(1, 20, 1), (2, 60, 11), (4, 50, 0)] {
            let (boundary, has_fixed) = (log_height % 4 == 1, log_height % 3 == 0);
            let shape =
                Shape { log_height, log_blowup, num_nodes, num_lookups, boundary, has_fixed };
            random_stages(kit, shape)?;
        }
    }
    let shape = |log_height, num_nodes, num_lookups| {
        let (log_blowup, boundary, has_fixed) = (2, false, true);
        Shape { log_height, log_blowup, num_nodes, num_lookups, boundary, has_fixed }
    };
    random_stages(kit, shape(if is_quick { 3 } else { 11 }, 700, 50))?;
    if is_quick {
        return Ok(());
    }
    for log_height in [13, 18] {
        random_stages(kit, shape(log_height, 20, 5))?;
    }
    for (name, args, file) in cases::INPUTS {
        for degree in [2, 3] {
            let params = cases::params(degree, 2);
            of_case(kit, &cases::program(name, args, file, params), true)?;
        }
    }
    Ok(())
}

fn random_stages(kit: &Kit, shape: Shape) -> Outcome {
    for degree in [2, 3] {
        let case = cases::random(shape.log_height as u64, degree, shape);
        of_case(kit, &case, shape.log_height.is_multiple_of(2))?;
    }
    Ok(())
}

fn of_case(kit: &Kit, case: &Case, tight: bool) -> Outcome {
    let runner = |launches: &[Launch], buffers: Vec<Vec<u64>>| {
        kit.run_over(launches, &buffers).map_err(|error| error.to_string())
    };
    match case.params.extension_degree {
        2 => oracle::check::<Quadratic>(&runner, case, 1, tight)?,
        _ => oracle::check::<Cubic>(&runner, case, 1, tight)?,
    }
    println!("equal stages of {}, degree {}", case.name, case.params.extension_degree);
    Ok(())
}

/// Random words, every fourth one 0 or p - 1.
fn columns(seed: u64, height: usize, width: usize) -> Vec<u64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let draw = |_| match rng.next_u64() {
        drawn if drawn % 8 == 0 => 0,
        drawn if drawn % 8 == 1 => MODULUS - 1,
        drawn => drawn % MODULUS,
    };
    (0..height * width).map(draw).collect()
}

fn row_major(words: &[u64], height: usize, width: usize) -> RowMajorMatrix<Goldilocks> {
    let cell = |index: usize| element(words[index % width * height + index / width]);
    RowMajorMatrix::new((0..height * width).map(cell).collect(), width)
}

fn extension(kit: &Kit, log_height: u32, log_blowup: u32, width: usize) -> Outcome {
    let shape = format!("extension 2^{log_height} x {width}, blowup 2^{log_blowup}");
    let extension = Extension::new(log_height, log_blowup)?;
    let (height, extended) = (extension.height(), extension.extended_height());
    let words = columns(log_height.into(), height as usize, width);
    let chunk = width.div_ceil(2) as u64;
    let at = |buffer, stride| ColumnsAt { buffer, first: 0, stride };
    let (from, to) = (at(0, height), at(1, extended));
    let places = Places { from, to, tables: 2, factors: 3, scratch: 4, chunk };
    let mut launches = extension.prepare(&places);
    launches.extend(extension.launches(&places, width as u64)?);
    let buffers = [
        kit.upload("from", &words)?,
        kit.buffer("to", extended * width as u64)?,
        kit.upload("tables", extension.tables())?,
        kit.buffer("factors", extension.factor_words())?,
        kit.buffer("scratch", chunk * extension.scratch_words())?,
    ];
    kit.run(&launches, &buffers.each_ref())?;
    let found = kit.read(&buffers[1])?;
    let values = row_major(&words, height as usize, width);
    let dft = Radix2DitParallel::default();
    let expected = dft.coset_lde_batch(values, log_blowup as usize, element(7));
    let expected = expected.bit_reverse_rows().to_row_major_matrix();
    let extended = extended as usize;
    let wrong = (0..extended * width).position(|index| {
        found[index] != word(expected.values[index % extended * width + index / extended])
    });
    match wrong {
        None => println!("equal {shape}"),
        Some(index) => {
            let (column, row) = (index / extended, index % extended);
            return Err(format!("{shape}: column {column}, row {row} differs").into());
        }
    }
    Ok(())
}

fn tree(kit: &Kit, shapes: &[(u32, usize)]) -> Outcome {
    let (mut cells, mut at, mut matrices) = (Vec::new(), Vec::new(), Vec::new());
    for (seed, &(log_height, width)) in shapes.iter().enumerate() {
        let height = 1 << log_height;
        let words = columns(seed as u64, height, width);
        let (first, height_words) = (cells.len() as u64, height as u64);
        at.push(MatrixAt {
            first,
            width: width as u64,
            stride: height_words,
            height: height_words,
        });
        cells.extend_from_slice(&words);
        matrices.push(row_major(&words, height, width));
    }
    let (expected, _) = mmcs().commit(matrices);
    let tree = Tree::new(&at)?;
    let places = TreePlaces { matrices: 0, list: 1, digests: 2, scratch: 3 };
    let buffers = [
        kit.upload("cells", &cells)?,
        kit.upload("list", tree.list())?,
        kit.buffer("digests", tree.digest_bytes() / 8)?,
        kit.buffer("scratch", tree.scratch_bytes() / 8)?,
    ];
    kit.run(&tree.launches(&places), &buffers.each_ref())?;
    let digests = kit.read(&buffers[2])?;
    let root = digests[tree.root_at() as usize / 8..].iter().flat_map(|word| word.to_le_bytes());
    match root.eq(expected.roots()[0]) {
        true => println!("equal tree {shapes:?}"),
        false => return Err(format!("the root over {shapes:?} differs").into()),
    }
    Ok(())
}
