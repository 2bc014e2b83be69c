//! What a guest may use.

/// What a guest may use, and whether it may access memory at unaligned addresses. No limit
/// changes what an execution computes: it ends with a trap where a limit is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Most instructions. Default 2^36, some minutes.
    pub cycles: u64,
    /// Most bytes of memory: of the segments of a file together, and of the pages that an
    /// execution touches. Default 2^30.
    pub memory: u64,
    /// Most bytes of stack, rounded up to pages. Default 2^23, at most 2^32.
    pub stack: u64,
    /// Most bytes of output. Default 2^20.
    pub output: u64,
    /// Longest ELF file, in bytes. Default 2^26.
    pub file: u64,
    /// Whether loads and stores may be unaligned; jumps never may. Default true.
    pub unaligned: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            cycles: 1 << 36,
            memory: 1 << 30,
            stack: 1 << 23,
            output: 1 << 20,
            file: 1 << 26,
            unaligned: true,
        }
    }
}
