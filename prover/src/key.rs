//! What a prover keeps of a system: the verifying key, and the preprocessed tables as its
//! backend keeps them. Made once per system and reused by all proofs.

use thiserror::Error;
use traceloom_air::bytes::ByteTable;
use traceloom_air::system::System;
use traceloom_verifier::{KeyError, Params, VerifyingKey};

use crate::backend::Backend;
use crate::cpu::{CpuBackend, CpuKey};
use crate::prove::ProveError;

/// A verifying key and what a backend keeps beside it; `K` is its [`Backend::Key`], the
/// CPU's if nothing else is said.
pub struct ProvingKey<K = CpuKey> {
    verifying: VerifyingKey,
    backend: K,
}

impl ProvingKey {
    /// The key of `system` for proofs on the CPU: analyses it, commits to its preprocessed
    /// tables and compiles its expressions.
    ///
    /// # Errors
    /// As [`ProvingKey::with_backend`].
    pub fn new(system: &System, params: &Params) -> Result<Self, SetupError> {
        Self::with_backend(&CpuBackend::default(), system, params)
    }
}

impl<K> ProvingKey<K> {
    /// The key of `system` for proofs with the kernels of `backend`.
    ///
    /// # Errors
    /// [`SetupError`]: the system or a parameter is refused, the backend fails, or it
    /// commits to other tables than the protocol's.
    pub fn with_backend<B: Backend<Key = K>>(
        backend: &B,
        system: &System,
        params: &Params,
    ) -> Result<Self, SetupError> {
        let verifying = VerifyingKey::new(system, params)?;
        let key = backend.preprocess(&verifying)?;
        let circuits = system.circuits.iter().zip(verifying.preprocessed());
        for (index, (circuit, expected)) in circuits.enumerate() {
            let found = backend.fixed(&key, index).map(|(root, _)| root);
            if let Some(table) = circuit.preprocessed().filter(|_| found != *expected) {
                let (circuit, backend) = (circuit.name.clone(), backend.name().to_owned());
                return Err(SetupError::FixedRoot { circuit, table, backend });
            }
        }
        Ok(Self { verifying, backend: key })
    }

    /// The part that verifiers have.
    #[must_use]
    pub const fn verifying_key(&self) -> &VerifyingKey {
        &self.verifying
    }

    /// The part that the backend made.
    #[must_use]
    pub const fn backend_key(&self) -> &K {
        &self.backend
    }
}

/// Why there is no proving key.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SetupError {
    /// The system or the parameters have no key at all.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The backend failed.
    #[error(transparent)]
    Backend(#[from] ProveError),
    /// The backend's commitment to a preprocessed table is not the protocol's.
    #[error(
        "circuit {circuit}: the {backend} backend commits to another {table:?} table than the \
         protocol; this backend is faulty here, use another one"
    )]
    FixedRoot {
        /// Name of the circuit.
        circuit: String,
        /// Its table.
        table: ByteTable,
        /// Name of the backend.
        backend: String,
    },
}
