//! Stage 2 and quotients against the CPU backend.

use traceloom_air::system::System;
use traceloom_cuda::prover_kernels::constraints::{Quotient, QuotientPlaces};
use traceloom_cuda::prover_kernels::evaluator::{RowPlaces, WordsAt};
use traceloom_cuda::prover_kernels::messages::{MessagePlaces, Messages};
use traceloom_cuda::prover_kernels::tape::{Part, Tape};
use traceloom_cuda::prover_kernels::transform::ColumnsAt;
use traceloom_cuda::prover_kernels::{Launch, ShapeError};
use traceloom_verifier::LookupChallenges;
use traceloom_verifier::layout::CircuitLayout;
use traceloom_verifier::scheme::{Cubic, Extension, Quadratic};

use crate::cases::{self, Shape};
use crate::host::{Host, Job};
use crate::oracle::{Case, Ran, check, check_zero};

fn on(host: &Host, is_descending: bool) -> impl Fn(&[Launch], Vec<Vec<u64>>) -> Ran {
    move |launches, buffers| Ok(host.run(&Job { launches, buffers, is_descending }))
}

fn agrees(host: &Host, case: &Case, seed: u64, tight: bool) {
    let runner = on(host, seed.is_multiple_of(2));
    let checked = match case.params.extension_degree {
        2 => check::<Quadratic>(&runner, case, seed, tight),
        _ => check::<Cubic>(&runner, case, seed, tight),
    };
    checked.unwrap_or_else(|error| panic!("{error}"));
}

/// Registers of the quotient of the only circuit.
fn registers(system: &System, case: &Case) -> u64 {
    let circuit = &system.circuits[0];
    let layout = CircuitLayout::new(circuit, &case.params).expect("it has a layout");
    Tape::new(circuit, &layout.groups, Part::All).expect("it has a tape").num_registers()
}

#[test]
fn stages_of_random_circuits_are_those_of_the_cpu() {
    let host = Host::compile();
    let mut seed = 0;
    for log_height in 0..=9 {
        for degree in [2, 3] {
            for (log_blowup, num_nodes, num_lookups) in [(1, 20, 1), (2, 60, 11), (4, 50, 0)] {
                let (boundary, has_fixed) = (seed % 4 == 1, seed % 3 == 0);
                let shape =
                    Shape { log_height, log_blowup, num_nodes, num_lookups, boundary, has_fixed };
                agrees(&host, &cases::random(seed, degree, shape), seed, false);
                seed += 1;
            }
        }
    }
}

/// Columns of more than 2^12 rows take three launches of a transform; more than 2^16 rows
/// are more chunks than the block that scans them has threads.
#[test]
fn stages_of_tall_circuits_are_those_of_the_cpu() {
    let host = Host::compile();
    for (log_height, log_blowup, degree, num_nodes) in [(13, 2, 3, 30), (17, 1, 2, 4)] {
        let (num_lookups, boundary, has_fixed) = (2, false, false);
        let shape = Shape { log_height, log_blowup, num_nodes, num_lookups, boundary, has_fixed };
        agrees(&host, &cases::random(5, degree, shape), 5, false);
    }
}

/// Many registers, in as few blocks as there may be.
#[test]
fn few_blocks_compute_the_same() {
    let host = Host::compile();
    for (degree, log_height, has_fixed) in [(2, 9, true), (3, 10, false), (3, 0, false)] {
        let shape = Shape {
            log_height,
            log_blowup: 2,
            num_nodes: 700,
            num_lookups: 50,
            boundary: false,
            has_fixed,
        };
        let case = cases::random(u64::from(has_fixed), degree, shape);
        let registers = registers(&case.system, &case);
        assert!(registers > 64, "{registers} registers are few");
        agrees(&host, &case, 1, true);
        agrees(&host, &case, 2, false);
    }
}

fn zero_at<E: Extension>(host: &Host, values: &[u64], row: u64) {
    let beta = -E::from_u64(values[row as usize]);
    let case = cases::messages_of(values, E::DEGREE);
    let challenges = LookupChallenges { beta, gamma: E::TWO };
    assert_eq!(check_zero(&on(host, true), &case, &challenges), Ok(row));
    assert_eq!(check_zero(&on(host, false), &case, &challenges), Ok(row));
}

#[test]
fn a_zero_denominator_is_an_error_with_its_row() {
    let host = Host::compile();
    let values: Vec<u64> = (1..=1024).collect();
    for row in [0, 1, 127, 128, 255, 256, 1023] {
        zero_at::<Quadratic>(&host, &values, row);
        zero_at::<Cubic>(&host, &values, row);
    }
    zero_at::<Cubic>(&host, &[0], 0);
    // Padding repeats a message: the first row counts, as on the CPU.
    zero_at::<Quadratic>(&host, &[3, 4, 5, 5, 5, 5, 5, 5], 2);
}

#[test]
fn stages_of_programs_are_those_of_the_cpu() {
    let host = Host::compile();
    let names: Vec<&str> = traceloom_programs::ALL.iter().map(|example| example.name).collect();
    assert_eq!(names, cases::INPUTS.map(|(name, ..)| name), "a new program needs an input");
    for (name, args, file) in cases::INPUTS {
        for degree in [2, 3] {
            let case = cases::program(name, args, file, cases::params(degree, 2));
            agrees(&host, &case, degree as u64, true);
        }
    }
}

/// Places of rows with columns of this stride and this much scratch memory.
fn places(stride: u64, scratch_words: u64) -> (RowPlaces, ColumnsAt, WordsAt) {
    let (main, at) = (ColumnsAt { buffer: 0, first: 0, stride }, WordsAt { buffer: 0, first: 0 });
    let rows =
        RowPlaces { tape: at, parameters: at, main, fixed: None, scratch: at, scratch_words };
    (rows, main, at)
}

#[test]
fn shapes_that_stages_have_no_launches_for_are_refused() {
    let (log_height, num_nodes, num_lookups) = (4, 700, 200);
    let (log_blowup, boundary, has_fixed) = (2, false, false);
    let shape = Shape { log_height, log_blowup, num_nodes, num_lookups, boundary, has_fixed };
    let case = cases::random(3, 3, shape);
    let circuit = &case.system.circuits[0];
    let layout = CircuitLayout::new(circuit, &case.params).expect("it has a layout");
    let messages = Messages::new(circuit, &layout, 3).expect("it has a tape");
    let quotient = Quotient::new(circuit, &layout, 3).expect("it has a tape");
    let run = |stride, scratch_words, log_height| {
        let (rows, to, at) = places(stride, scratch_words);
        let places = MessagePlaces { rows, to, sums: at, result: at };
        let messages = messages.launches(&places, log_height).map(|_| ());
        let places = QuotientPlaces { rows, stage_two: Some(to), to };
        let quotient = quotient.launch(&places, log_height).map(|_| ());
        (messages, quotient)
    };
    let least = quotient.evaluator().scratch_words(1);
    assert!(messages.evaluator().scratch_words(1) < least, "the quotient needs more registers");
    let scratch = Err(ShapeError::Scratch { words: least - 1, least });
    assert_eq!(run(1 << 10, least - 1, 4), (Ok(()), scratch));
    assert_eq!(run(1 << 10, least, 4), (Ok(()), Ok(())));
    let stride = |height| Err(ShapeError::Stride { height, stride: 15 });
    let domain = 16 * layout.num_slices as u64;
    assert_eq!(run(15, least, 4), (stride(16), stride(domain)));
    let height = Err(ShapeError::Height { height: 1 << 32, most: 31 });
    assert_eq!(run(1 << 40, least, 32).0, height);
    assert!(matches!(run(1 << 40, least, 31), (Ok(()), Err(ShapeError::Height { .. }))));
}
