//! The twelve parameters, section 2.

/// The parameters, in the order of the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params(pub [u64; 12]);

/// Profile `fast`.
pub const FAST: Params = Params([2, 2, 3, 10, 0, 0, 0, 0, 0, 26, 15, 0]);
/// Profile `standard`.
pub const STANDARD: Params = Params([3, 2, 3, 83, 0, 0, 0, 0, 18, 26, 100, 100]);
/// Profile `strong`.
pub const STRONG: Params = Params([3, 2, 3, 111, 0, 0, 0, 0, 18, 26, 128, 128]);
/// Profile `heuristic`.
pub const HEURISTIC: Params = Params([2, 2, 3, 49, 19, 7, 12, 4, 18, 26, 100, 0]);
/// Profile `fast` in the cubic extension.
pub const CUBIC: Params = Params([3, 2, 3, 10, 0, 0, 0, 0, 0, 26, 15, 0]);
/// The cubic extension with as many queries as provable bits take, and every grind.
pub const CUBIC_FULL: Params = Params([3, 2, 3, 86, 6, 5, 4, 3, 16, 26, 100, 0]);

impl Params {
    pub fn extension_degree(&self) -> usize {
        self.0[0] as usize
    }

    pub fn log_blowup(&self) -> usize {
        self.0[1] as usize
    }

    pub fn max_log_arity(&self) -> usize {
        self.0[2] as usize
    }

    pub fn num_queries(&self) -> usize {
        self.0[3] as usize
    }

    pub fn lookup_pow_bits(&self) -> u64 {
        self.0[4]
    }

    pub fn zeta_pow_bits(&self) -> u64 {
        self.0[5]
    }

    pub fn batch_pow_bits(&self) -> u64 {
        self.0[6]
    }

    pub fn commit_pow_bits(&self) -> u64 {
        self.0[7]
    }

    pub fn query_pow_bits(&self) -> u64 {
        self.0[8]
    }

    pub fn max_log_height(&self) -> u64 {
        self.0[9]
    }

    pub fn min_heuristic_bits(&self) -> u64 {
        self.0[10]
    }

    pub fn min_provable_bits(&self) -> u64 {
        self.0[11]
    }
}
