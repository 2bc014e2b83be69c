//! The conjectured figure of section 9, and the floor that it must reach.

use crate::decode::Malformed;
use crate::fri::Round;
use crate::key::Key;

/// Counts over all shards.
#[derive(Default)]
pub struct Counts {
    messages: f64,
    longest: usize,
    constraints: usize,
    zeta: f64,
    openings: usize,
    log_height: usize,
    heights_join: bool,
}

impl Counts {
    /// Counts of a batch without shards.
    pub fn new(key: &Key, num_claims: usize) -> Self {
        let entries = key.system.entries.iter();
        let longest = entries.map(|entry| 3 + entry.num_inputs + entry.num_outputs).max();
        Self { messages: num_claims as f64, longest: longest.unwrap_or(0), ..Self::default() }
    }

    /// Adds a shard: its active circuits with their log heights, and its rounds.
    pub fn add_shard(&mut self, key: &Key, active: &[(usize, usize)], rounds: &[Round]) {
        let matrices = rounds.iter().flat_map(|round| &round.matrices);
        let openings = matrices.map(|matrix| matrix.width * matrix.num_points()).sum();
        self.openings = self.openings.max(openings);
        self.heights_join |= active.iter().any(|&(_, log_height)| log_height != active[0].1);
        for &(circuit, log_height) in active {
            let (layout, circuit) = (&key.layouts[circuit], &key.system.circuits[circuit]);
            let rows = (log_height as f64).exp2();
            let stage_two = layout.groups.len() + usize::from(!layout.groups.is_empty());
            let (degree, slices) = (layout.max_degree.max(1) as f64, layout.num_slices as f64);
            let zeta = (degree * (rows + 1.0) + rows - 1.0).max((slices + 1.0) * rows + 1.0);
            self.zeta = self.zeta.max(zeta);
            self.log_height = self.log_height.max(log_height);
            self.messages += rows * circuit.lookups.len() as f64;
            self.constraints = self.constraints.max(circuit.constraints.len() + stage_two);
            let longest = circuit.lookups.iter().map(|lookup| lookup.arguments.len()).max();
            self.longest = self.longest.max(longest.unwrap_or(0));
        }
    }

    /// Refuses a batch whose figure is below the floor.
    pub fn check_floor(&self, key: &Key) -> Result<(), Malformed> {
        match self.conjectured(key) < key.params.min_conjectured_bits() as f64 {
            true => Err(Malformed("conjectured security")),
            false => Ok(()),
        }
    }

    /// The least conjectured term, in bits.
    pub fn conjectured(&self, key: &Key) -> f64 {
        let params = &key.params;
        let log_field = params.extension_degree() as f64 * (crate::field::P as f64).log2();
        let term =
            |error: f64, grinding: u64| (log_field - error.log2()).max(0.0) + grinding as f64;
        let log_blowup = params.log_blowup() as f64;
        let rows = (self.log_height as f64).exp2();
        let domain = rows * log_blowup.exp2();
        let mut least = 128_f64
            .min(term(self.messages * (self.longest + 1) as f64, params.lookup_pow_bits()))
            .min(term(self.constraints.max(1) as f64, 0))
            .min(term(self.zeta, params.zeta_pow_bits()));
        if self.openings > 1 {
            let error = (self.openings - 1) as f64 * domain;
            least = least.min(term(error, params.batch_pow_bits()));
        }
        if self.log_height > 0 {
            let arity = (params.max_log_arity() as f64).exp2();
            let factor = if self.heights_join { arity } else { arity - 1.0 };
            least = least.min(term(factor * (domain + 1.0), params.commit_pow_bits()));
        }
        let rate = (-log_blowup).exp2();
        let agreement = rate + (std::f64::consts::LOG2_E + log_blowup) * rate / log_field;
        let queries = if agreement < 1.0 {
            -agreement.log2() * params.num_queries() as f64 + params.query_pow_bits() as f64
        } else {
            0.0
        };
        least.min(queries)
    }
}
