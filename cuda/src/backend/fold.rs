//! Codewords, their layers and folds.

use std::marker::PhantomData;

use traceloom_prover::backend::LayerRows;
use traceloom_verifier::scheme::{Extension, Root};

use super::clock::Step;
use super::commit::digest;
use super::context::Work;
use super::error::Failure;
use super::gather::{gathered, path};
use super::open::{element_of, words_of};
use crate::device::Buffer;
use crate::prover_kernels::layers::{FoldPlaces, LayerShape};
use crate::prover_kernels::queries::{Gather, GatherColumn};

/// A codeword on the device, in storage order.
#[derive(Debug)]
pub struct CudaCodeword<E> {
    elements: Buffer,
    log_size: u32,
    pub(super) shard: usize,
    field: PhantomData<E>,
}

/// A codeword with the tree over its fold groups.
#[derive(Debug)]
pub struct CudaLayer<E> {
    codeword: CudaCodeword<E>,
    shape: LayerShape,
    digests: Buffer,
}

impl<E: Extension> CudaCodeword<E> {
    pub(super) fn new(elements: Buffer, log_size: u32, shard: usize) -> Self {
        Self { elements, log_size, shard, field: PhantomData }
    }

    /// Commits it.
    pub(super) fn commit(
        self,
        work: Work<'_>,
        log_arity: usize,
    ) -> Result<(Root, CudaLayer<E>), Failure> {
        let (degree, log_size) = (E::DEGREE as u64, self.log_size);
        let shape = LayerShape { degree, log_size, log_arity: log_arity as u32 };
        let digests = work.buffer("digests of a layer", shape.digest_bytes() / 8)?;
        let bytes = 8 * shape.words() + 2 * shape.digest_bytes();
        work.run((Step::LayerTree, bytes), &shape.tree(0, 1), &[&self.elements, &digests])?;
        let root = digest(work, &digests, shape.digest_bytes() / 32 - 1)?;
        Ok((root, CudaLayer { codeword: self, shape, digests }))
    }

    /// Its first element.
    pub(super) fn first(&self, work: Work<'_>) -> Result<E, Failure> {
        Ok(element_of(&work.read(&self.elements, 0, E::DEGREE as u64)?))
    }
}

impl<E: Extension> CudaLayer<E> {
    pub(super) fn shard(&self) -> usize {
        self.codeword.shard
    }

    /// Folds it with `beta` and adds what joins.
    pub(super) fn fold(
        &self,
        work: Work<'_>,
        beta: E,
        joined: Option<&CudaCodeword<E>>,
    ) -> Result<CudaCodeword<E>, Failure> {
        let log_size = self.shape.log_rows();
        if let Some(joined) = joined
            && joined.log_size != log_size
        {
            let (found, expected) = (joined.log_size, log_size);
            let text = format!("a codeword of 2^{found} elements joins one of 2^{expected}");
            return Err(Failure::Fault(text));
        }
        let to = work.buffer("codeword", (E::DEGREE as u64) << log_size)?;
        let places = FoldPlaces { from: 0, to: 1, roots: 2 };
        let weight = words_of(beta.exp_power_of_2(self.shape.log_arity as usize));
        let weighted = joined.map(|_| (3, weight.as_slice()));
        let launch = self.shape.fold(&words_of(beta), weighted, &places);
        let mut buffers = vec![&self.codeword.elements, &to, work.roots()];
        buffers.extend(joined.map(|joined| &joined.elements));
        let joined_words = joined.map_or(0, |_| to.bytes() / 8);
        let bytes = 8 * (self.shape.words() + joined_words) + to.bytes();
        work.run((Step::Fold, bytes), &[launch], &buffers)?;
        Ok(CudaCodeword::new(to, log_size, self.shard()))
    }

    /// Its groups at `positions`, with their path.
    pub(super) fn open(
        &self,
        work: Work<'_>,
        positions: &[usize],
    ) -> Result<LayerRows<E>, Failure> {
        let row_words = self.shape.row_words();
        let columns = 0..row_words;
        let columns = columns.map(|first| GatherColumn { first, shift: 0, scale: row_words });
        let rows = positions.iter().map(|&position| position as u64).collect();
        let gather = Gather { rows, columns: columns.collect() };
        let words = gathered(work, &self.codeword.elements, &gather)?;
        let row = |words: &[u64]| words.chunks(E::DEGREE).map(element_of).collect();
        let rows = words.chunks(row_words as usize).map(row).collect();
        let path = path(work, &self.digests, self.shape.log_rows(), positions)?;
        Ok(LayerRows { rows, path })
    }
}
