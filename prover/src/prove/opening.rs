//! The opening of one shard: p3-fri's protocol, step by step.
//!
//! The driver plays every step of the transcript, in the order of `TwoAdicFriPcs::open`
//! of p3-fri 0.8.0, which verifies what comes out; `docs/protocol.md` describes it. The
//! backend computes between the steps:
//!
//! ```text
//! opened values | seed, values, grinding, alpha | reduced openings |
//! seed | per fold: layer | root, grinding, beta | fold |
//! final value | value, grinding, positions | opened rows
//! ```

use std::cmp::Reverse;

use p3_challenger::CanSampleBits;
use p3_fri::{FriShape, PcsShape, fold_schedule};
use traceloom_verifier::Params;
use traceloom_verifier::proof::{OpenedRows, OpenedSiblings, OpenedValues, Opening};
use traceloom_verifier::scheme::{Extension, F, Root};
use traceloom_verifier::shape::{Round, ShardShape};
use traceloom_verifier::transcript::Transcript;

use super::{ProveError, grind};
use crate::backend::{Backend, LayerRows, ShardInput};

/// The commitments of a shard that its proof owns; those of fixed columns are the
/// key's.
pub(super) struct Commitments<C> {
    pub(super) main: C,
    pub(super) stage_two: Option<C>,
    pub(super) quotient: C,
}

/// The points at which a shard is opened.
#[derive(Clone, Copy)]
pub(super) struct Points<'a, E> {
    pub(super) zeta: E,
    /// Where a shard of several is bound, and the coefficients of the values there.
    pub(super) bound: Option<(E, &'a [F])>,
}

/// The layers of all folds, with what they put into the proof.
struct Folded<E: Extension, B: Backend> {
    layers: Vec<B::Layer<E>>,
    roots: Vec<Root>,
    witnesses: Vec<F>,
    final_value: E,
}

/// Opens all rounds of the shape. The opened values are those at zeta and zeta·g.
pub(super) fn open<E: Extension, B: Backend>(
    backend: &B,
    input: ShardInput<'_, B::Key>,
    commitments: Commitments<B::Committed>,
    Points { zeta, bound }: Points<'_, E>,
    transcript: &mut Transcript,
) -> Result<(OpenedValues<E>, Opening<E>), ProveError> {
    let params = input.key.verifying_key().params();
    let committed = by_round(backend, input, &commitments)?;
    let (bound, values) = bound.unzip();
    let (opened, points) = backend.open_values(input, &committed, zeta, bound)?;
    let all = input.shape.with_bound(&opened, values.unwrap_or(&[]));
    let (batch_witness, alpha) = batch(backend, params, &all, transcript)?;
    let codewords = backend.reduce(input, &committed, &all, points, alpha)?;
    let log_heights = log_heights(input.shape);
    let shape = fri_shape(params, &log_heights);
    let folded = fold_all(backend, &log_heights, &shape, codewords, transcript)?;
    transcript.elements(folded.final_value.as_basis_coefficients_slice());
    let query_witness = grind(backend, transcript, params.query_pow_bits)?;
    let positions: Vec<usize> =
        (0..params.num_queries).map(|_| transcript.sample_bits(shape.index_bits)).collect();
    let inputs = open_inputs(backend, input.shape, &committed, &positions)?;
    drop(committed);
    drop(commitments);
    let opening = Opening {
        batch_witness,
        fold_roots: folded.roots,
        fold_witnesses: folded.witnesses,
        inputs,
        folds: open_layers(backend, &shape.log_arities, folded.layers, positions)?,
        final_poly: vec![folded.final_value],
        query_witness,
    };
    Ok((opened, opening))
}

/// One commitment per round of the shape.
fn by_round<'a, B: Backend>(
    backend: &B,
    input: ShardInput<'a, B::Key>,
    commitments: &'a Commitments<B::Committed>,
) -> Result<Vec<&'a B::Committed>, ProveError> {
    use traceloom_verifier::shape::RoundKind::{Fixed, Main, Quotient, StageTwo};
    let committed = |round: &Round| match round.kind {
        Fixed(circuit) => backend.fixed(input.key.backend_key(), circuit).map(|(_, table)| table),
        Main => Some(&commitments.main),
        StageTwo => commitments.stage_two.as_ref(),
        Quotient => Some(&commitments.quotient),
    };
    let missing = |round: &Round| {
        ProveError::backend(backend, format!("it has no commitment of round {:?}", round.kind))
    };
    let rounds = input.shape.rounds.iter();
    rounds.map(|round| committed(round).ok_or_else(|| missing(round))).collect()
}

/// Binds the opened values and draws the challenge that batches them.
fn batch<E: Extension, B: Backend>(
    backend: &B,
    params: &Params,
    opened: &OpenedValues<E>,
    transcript: &mut Transcript,
) -> Result<(F, E), ProveError> {
    let counts = |matrices: &Vec<Vec<Vec<E>>>| {
        matrices.iter().map(|points| points.iter().map(Vec::len).collect()).collect()
    };
    let shape = PcsShape {
        claimed_evaluation_counts: opened.iter().map(counts).collect(),
        batch_pow_bits: params.batch_pow_bits,
    };
    shape.domain_separator::<F, E>().seed(transcript);
    for value in opened.iter().flatten().flatten().flatten() {
        transcript.elements(value.as_basis_coefficients_slice());
    }
    let witness = grind(backend, transcript, params.batch_pow_bits)?;
    Ok((witness, transcript.challenge()))
}

/// Distinct log heights of the traces, the tallest first.
fn log_heights(shape: &ShardShape) -> Vec<usize> {
    let mut heights: Vec<usize> = shape.active.iter().map(|active| active.log_height).collect();
    heights.sort_unstable_by_key(|&log_height| Reverse(log_height));
    heights.dedup();
    heights
}

fn fri_shape(params: &Params, log_heights: &[usize]) -> FriShape {
    let log_sizes: Vec<usize> =
        log_heights.iter().map(|log_height| log_height + params.log_blowup).collect();
    FriShape {
        log_arities: fold_schedule(&log_sizes, params.log_blowup, params.max_log_arity),
        final_poly_len: 1,
        commit_pow_bits: params.commit_pow_bits,
        query_pow_bits: params.query_pow_bits,
        num_queries: params.num_queries,
        index_bits: log_sizes[0],
        log_blowup: params.log_blowup,
        max_log_arity: params.max_log_arity,
    }
}

/// Commits and folds until a constant is left; shorter codewords join where they fit.
fn fold_all<E: Extension, B: Backend>(
    backend: &B,
    log_heights: &[usize],
    fri: &FriShape,
    codewords: Vec<B::Codeword<E>>,
    transcript: &mut Transcript,
) -> Result<Folded<E, B>, ProveError> {
    let (expected, got) = (log_heights.len(), codewords.len());
    if expected != got {
        let reason = format!("it reduced openings to {got} codewords instead of {expected}");
        return Err(ProveError::backend(backend, reason));
    }
    let mut waiting = log_heights.iter().copied().zip(codewords).peekable();
    let (mut log_height, mut codeword) = waiting.next().expect("a shard has an active circuit");
    fri.domain_separator::<F, E>().seed(transcript);
    let (mut layers, mut roots, mut witnesses) = (Vec::new(), Vec::new(), Vec::new());
    for &log_arity in &fri.log_arities {
        let (root, layer) = backend.commit_layer(codeword, log_arity)?;
        transcript.root(&root);
        witnesses.push(grind(backend, transcript, fri.commit_pow_bits)?);
        let beta = transcript.challenge();
        log_height -= log_arity;
        let joined = waiting.next_if(|&(other, _)| other == log_height).map(|(_, joined)| joined);
        codeword = backend.fold(&layer, beta, joined)?;
        layers.push(layer);
        roots.push(root);
    }
    Ok(Folded { layers, roots, witnesses, final_value: backend.final_value(codeword)? })
}

/// The rows of every round at the query positions.
fn open_inputs<B: Backend>(
    backend: &B,
    shape: &ShardShape,
    committed: &[&B::Committed],
    positions: &[usize],
) -> Result<Vec<OpenedRows<F>>, ProveError> {
    let rounds = shape.rounds.iter().zip(committed);
    let opened = rounds.map(|(round, committed)| {
        let heights = round.matrices.iter().map(|matrix| matrix.log_height);
        let tallest = heights.max().expect("a round has matrices");
        let reduced = shape.max_log_height() - tallest;
        let positions: Vec<usize> = positions.iter().map(|&position| position >> reduced).collect();
        backend.open_rows(committed, &positions)
    });
    opened.collect()
}

/// The siblings of every layer at the query positions. A layer is freed when it is done.
fn open_layers<E: Extension, B: Backend>(
    backend: &B,
    log_arities: &[usize],
    layers: Vec<B::Layer<E>>,
    mut positions: Vec<usize>,
) -> Result<Vec<OpenedSiblings<E>>, ProveError> {
    let mut opened = Vec::new();
    for (layer, &log_arity) in layers.into_iter().zip(log_arities) {
        let groups: Vec<usize> = positions.iter().map(|&position| position >> log_arity).collect();
        let LayerRows { mut rows, path } = backend.open_layer(&layer, &groups)?;
        for (row, position) in rows.iter_mut().zip(&positions) {
            let expected = 1 << log_arity;
            if row.len() != expected {
                let reason = format!("a fold group has {} elements, not {expected}", row.len());
                return Err(ProveError::backend(backend, reason));
            }
            row.remove(position % expected);
        }
        opened.push(OpenedSiblings { siblings: rows, path });
        positions = groups;
    }
    Ok(opened)
}
