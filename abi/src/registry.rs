//! What generated code offers, as data: per program, function and path.
//!
//! A registry is a list of [`ProgramUnit`]s. Before a unit is used, its fingerprint and digest
//! are compared with those of the program at hand.

use crate::execute::FunctionExecutor;
use crate::field::Goldilocks;
use crate::pack::PackError;
use crate::record::Record;
use crate::row::RowShape;
use crate::seed::{FullLayout, SeedSchema};

/// Version of this module and of everything that emitted text uses; part of the
/// unit digest.
pub const ABI_VERSION: u32 = 7;

/// Version of the generator, planner and emitters alike, whose units this build uses;
/// part of the unit digest. Raised whenever the text or the rows made from one program
/// change. It is stated here, below generator and runtime, so that the runtime finds
/// units of an older generator without knowing the generator.
pub const GENERATOR_VERSION: u32 = 11;

/// Packs one seed per query; whether every row is narrow. If not, the seeds still
/// hold the low bits only and must not be used.
pub type Pack = fn(&Record, &[u32], &mut [u8]) -> Result<bool, PackError>;

/// Writes one row per seed, row-major; all cells of the row, zeros included.
pub type WriteRows = fn(&[u8], &mut [Goldilocks], &RowShape);

/// Writes one row per full seed, row-major. Fails where no case of a match fits.
pub type WriteGenericRows = fn(&[u8], &mut [Goldilocks], &RowShape) -> Result<(), PackError>;

/// Everything generated for one program.
#[derive(Clone, Copy, Debug)]
pub struct ProgramUnit {
    /// Name, for people.
    pub name: &'static str,
    /// [`ABI_VERSION`] of the generator that made it.
    pub abi_version: u32,
    /// [`GENERATOR_VERSION`] of the generator that made it.
    pub generator_version: u32,
    /// Program fingerprint.
    pub fingerprint: [u8; 32],
    /// Unit digest: of everything that is generated for the program.
    pub digest: [u8; 32],
    /// Constrained functions, in program order. One that is not here is written by the
    /// reference builder, and so is the circuit that it is a member of.
    pub functions: &'static [FunctionUnit],
    /// Executors of all functions, in program order.
    pub executors: &'static [FunctionExecutor],
    /// Device code: row writers. It includes the headers of [`crate::cuda`] and nothing
    /// else.
    pub sources: &'static [SourceFile],
    /// Name of the kernel that writes zeros to padding rows.
    pub padding_kernel: &'static str,
    /// Name of the kernel that tells the unit digest that device code was made from:
    /// four little-endian words.
    pub digest_kernel: &'static str,
}

/// A program that units were made from, as its file has it.
#[derive(Clone, Copy, Debug)]
pub struct ProgramSource {
    /// Name of the file without its ending.
    pub name: &'static str,
    /// Text or JSON.
    pub bytes: &'static [u8],
}

/// The bytes of 64 lower-case hexadecimal digits, so that registries read as what
/// other tools print.
///
/// # Panics
/// If `hex` is anything else; registries are constants, so that does not compile.
#[must_use]
pub const fn bytes32(hex: &str) -> [u8; 32] {
    const fn digit(byte: u8) -> u8 {
        match byte {
            b'0'..=b'9' => byte - b'0',
            b'a'..=b'f' => byte - b'a' + 10,
            _ => panic!("a lower-case hexadecimal digit"),
        }
    }
    let digits = hex.as_bytes();
    assert!(digits.len() == 64, "64 digits");
    let mut bytes = [0; 32];
    let mut i = 0;
    while i < 32 {
        bytes[i] = digit(digits[2 * i]) << 4 | digit(digits[2 * i + 1]);
        i += 1;
    }
    bytes
}

impl ProgramUnit {
    /// The unit of function `function`, if it is constrained.
    #[must_use]
    pub fn function(&self, function: u32) -> Option<&'static FunctionUnit> {
        self.functions.iter().find(|unit| unit.function == function)
    }
}

/// Everything generated for one function.
#[derive(Clone, Copy, Debug)]
pub struct FunctionUnit {
    /// Name in emitted text.
    pub symbol: &'static str,
    /// Index in the program.
    pub function: u32,
    /// Digest of the inputs that it was generated from; the runtime computes it again.
    pub contract: [u8; 32],
    /// Number of inputs, selectors, auxiliaries and lookup slots.
    pub layout: UnitLayout,
    /// Order of the words of full seeds.
    pub full: FullLayout,
    /// By path number; empty where paths are not numbered.
    pub paths: &'static [PathUnit],
    /// The branching form.
    pub generic: GenericUnit,
}

/// Sizes of the regions of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnitLayout {
    /// Number of inputs.
    pub num_inputs: u32,
    /// Number of selectors.
    pub num_selectors: u32,
    /// Number of auxiliaries.
    pub num_auxiliaries: u32,
    /// Number of lookup slots.
    pub num_lookups: u32,
}

/// Everything generated for one path.
#[derive(Clone, Copy, Debug)]
pub struct PathUnit {
    /// Selectors of its leaves.
    pub leaves: &'static [u32],
    /// The typed seed.
    pub schema: SeedSchema,
    /// Packs typed seeds.
    pub pack_typed: Pack,
    /// Packs full seeds.
    pub pack_full: Pack,
    /// Writes rows from typed seeds.
    pub write: WriteRows,
    /// Name of the kernel that does so on a device.
    pub kernel: &'static str,
}

/// The branching form of a function.
#[derive(Clone, Copy, Debug)]
pub struct GenericUnit {
    /// Packs full seeds where paths are not numbered.
    pub pack: Option<Pack>,
    /// Writes rows from full seeds.
    pub write: WriteGenericRows,
    /// Name of the kernel that does so on a device.
    pub kernel: &'static str,
}

/// One file of emitted device code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Its name: `.cu` is compiled, `.cuh` included by name.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
}

/// Bytes that begin where a driver may read words of any size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Aligned<const N: usize>(pub [u8; N]);

/// Compiled device code of one program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceImage {
    /// Name of the program's module, for people: the digest says whose code it is.
    pub program: &'static str,
    /// Digest of the unit that was compiled. The code exposes it too.
    pub digest: [u8; 32],
    /// What it was compiled for: `sm_90`, `compute_90` (text for later processors).
    pub architectures: &'static [&'static str],
    /// A fatbin.
    pub bytes: &'static [u8],
}
