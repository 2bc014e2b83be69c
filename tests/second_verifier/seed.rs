//! The two seeds of the opening, section 6: what p3's transcripts start from.

use crate::fri::Round;
use crate::keccak::keccak256;
use crate::params::Params;

/// Seed of the openings: rounds, matrices, points.
pub fn openings_seed<const D: usize>(params: &Params, rounds: &[Round]) -> Vec<u64> {
    let mut lines = Vec::new();
    let mut label = vec![rounds.len() as u64];
    for round in rounds {
        label.push(round.matrices.len() as u64);
        for matrix in &round.matrices {
            label.push(matrix.num_points() as u64);
            for _ in 0..matrix.num_points() {
                let width = matrix.width;
                let field = algebra(D);
                lines.push(format!("Atomic Message 19 claimed_evaluations Fixed({width}) {field}"));
            }
        }
    }
    lines.extend(pow_line("batch_pow", params.batch_pow_bits()));
    lines.push(format!("Atomic Challenge 5 alpha Scalar {}", algebra(D)));
    lines.push("Begin Protocol 15 low_degree_test None Marker".into());
    lines.push("End Protocol 15 low_degree_test None Marker".into());
    seed("p3-fri-pcs", &lines, &label)
}

/// Seed of the folding: the arities, and the size of the query indices.
pub fn folding_seed<const D: usize>(
    params: &Params,
    arities: &[usize],
    tallest: usize,
) -> Vec<u64> {
    let mut lines = Vec::new();
    let mut label = vec![params.log_blowup() as u64, params.max_log_arity() as u64];
    for &arity in arities {
        label.push(arity as u64);
        lines.push("Atomic Message 23 commit_phase_commitment Scalar Opaque".into());
        lines.extend(pow_line("commit_pow", params.commit_pow_bits()));
        lines.push(format!("Atomic Challenge 14 fold_challenge Scalar {}", algebra(D)));
    }
    lines.push(format!("Atomic Message 10 final_poly Fixed(1) {}", algebra(D)));
    lines.extend(pow_line("query_pow", params.query_pow_bits()));
    let queries = params.num_queries();
    lines.push(format!("Atomic Challenge 13 query_indices Fixed({queries}) Bits({tallest})"));
    seed("p3-fri", &lines, &label)
}

fn pow_line(name: &str, bits: u64) -> Option<String> {
    let length = name.len();
    (bits > 0).then(|| format!("Atomic Pow {length} {name} Fixed({bits}) {}", algebra(1)))
}

fn algebra(degree: usize) -> String {
    let basis = match degree {
        1 => "p3-scalar-basis-v1",
        2 => "p3-power-basis-v1:X^2-7",
        _ => "p3-power-basis-v1:X^3-X-1",
    };
    let hash: String =
        keccak256(basis.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("Algebra(18446744069414584321^{degree};{hash})")
}

fn seed(name: &str, lines: &[String], label: &[u64]) -> Vec<u64> {
    let mut bytes = vec![1];
    bytes.extend_from_slice(name.as_bytes());
    bytes.resize(63, 0);
    bytes.push(name.len() as u8);
    bytes.extend_from_slice(&keccak256(pattern(lines).as_bytes()));
    bytes.extend_from_slice(&(12 * label.len() as u32).to_be_bytes());
    for number in label {
        bytes.extend_from_slice(&8_u32.to_be_bytes());
        bytes.extend_from_slice(&number.to_be_bytes());
    }
    bytes.push(0x80);
    pack(&bytes)
}

fn pattern(lines: &[String]) -> String {
    let count = lines.len();
    let digits = (count - 1).to_string().len();
    let mut text = format!("Plonky3 Fiat-Shamir Transcript ({count} interactions)\n");
    for (number, line) in lines.iter().enumerate() {
        text.push_str(&format!("{number:0digits$} {line}\n"));
    }
    text
}

/// The length, then seven bytes an element.
fn pack(bytes: &[u8]) -> Vec<u64> {
    let mut words = vec![bytes.len() as u64];
    for chunk in bytes.chunks(7) {
        words.push(chunk.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)));
    }
    words
}

#[test]
fn hashes_are_those_of_the_document() {
    assert!(
        algebra(2)
            .ends_with("^2;bc8968ed37931847dcbab014087893fd0b55e96b2e1a995f3cecd2d83e4f5388)")
    );
    assert!(
        algebra(1)
            .ends_with("^1;cfa353fe66eeeae7600254a68073d57125abac3820fde7a3e32c84482b826469)")
    );
}
