//! Programs with requests, and sessions that prove them.

use std::sync::Arc;

use traceloom_bytecode::Program;
use traceloom_bytecode::builder::BuildErrors;
use traceloom_cuda::provider::RowWriter;
use traceloom_generated::PROGRAMS;
use traceloom_programs::{blake3, div_rem, fibonacci, merge_sort, sha256};
use traceloom_runtime::session::{Backend, Devices, Request, Session};
use traceloom_runtime::shards::ShardOptions;
use traceloom_verifier::Profile;

use crate::Outcome;

/// A program and what it is asked.
#[derive(Clone)]
pub struct Case {
    pub name: String,
    build: fn() -> Result<Program, BuildErrors>,
    args: Vec<u64>,
    /// Words on channel 0.
    input: u64,
}

impl Case {
    fn new(
        name: &str,
        build: fn() -> Result<Program, BuildErrors>,
        args: &[u64],
        input: u64,
    ) -> Self {
        Self { name: format!("{name}({args:?})"), build, args: args.to_vec(), input }
    }

    /// BLAKE3 of so many bytes.
    pub fn blake3(len: u64) -> Self {
        Self::new("blake3", blake3::program, &[len], len)
    }

    /// `blake3` or `sha256` of so many bytes.
    pub fn of_bytes(program: &str, len: u64) -> Outcome<Self> {
        match program {
            "blake3" => Ok(Self::blake3(len)),
            "sha256" => Ok(Self::new("sha256", sha256::program, &[len], len)),
            other => Err(format!("{other:?} hashes no bytes; blake3 and sha256 do").into()),
        }
    }

    pub fn request(&self) -> Outcome<Request> {
        let words: Vec<u64> = (0..self.input).map(|i| (i * i * 31 + i) % 256).collect();
        Ok(Request::args(self.args.clone()).input(0, &[], &words)?)
    }

    /// A session on the CPU.
    pub fn on_cpu(&self, profile: Profile) -> Outcome<Session> {
        let builder = Session::of_program((self.build)()?).profile(profile);
        Ok(builder.registry(PROGRAMS).backend(Backend::Cpu).build()?)
    }

    /// A session on a device. `falls_back`: no circuit has generated code, so all rows go up.
    pub fn on_device(
        &self,
        profile: Profile,
        writer: &Arc<RowWriter>,
        falls_back: bool,
    ) -> Outcome<Session> {
        let builder = Session::of_program((self.build)()?).profile(profile);
        let builder = builder.registry(if falls_back { &[] } else { PROGRAMS });
        let devices = Devices::Found(vec![writer.clone()]);
        Ok(builder.strict(!falls_back).backend(Backend::Device).devices(devices).build()?)
    }
}

impl Case {
    /// A session on a device, in shards.
    pub fn on_device_in(
        &self,
        profile: Profile,
        writer: &Arc<RowWriter>,
        shards: ShardOptions,
    ) -> Outcome<Session> {
        let builder = Session::of_program((self.build)()?).profile(profile).registry(PROGRAMS);
        let devices = Devices::Found(vec![writer.clone()]);
        let builder = builder.strict(true).backend(Backend::Device).devices(devices);
        Ok(builder.shards(shards).build()?)
    }
}

/// Every program, the smallest of each first.
pub fn all(is_quick: bool) -> Vec<Case> {
    let numbers = [7, 0, 0, 9, 0, 2, 0, 0];
    let mut cases = vec![
        Case::new("fibonacci", fibonacci::program, &[30], 0),
        Case::blake3(65),
        Case::new("sha256", sha256::program, &[64], 64),
        Case::new("merge_sort", merge_sort::program, &[20], 80),
        Case::new("div_rem", div_rem::program, &numbers, 0),
    ];
    if !is_quick {
        cases.extend(boundary());
    }
    cases
}

/// Sizes at which something ends: rows at, below and above powers of two, blocks and chunks of a
/// hash that are full, nothing at all, and numbers at their limits.
fn boundary() -> Vec<Case> {
    let fibonacci = |n| Case::new("fibonacci", fibonacci::program, &[n], 0);
    let sha256 = |len| Case::new("sha256", sha256::program, &[len], len);
    let merge_sort = |n| Case::new("merge_sort", merge_sort::program, &[n], 4 * n);
    let div_rem = |numbers: [u64; 8]| Case::new("div_rem", div_rem::program, &numbers, 0);
    let mut cases: Vec<Case> = [0, 1, 127, 128, 255, 256, 5000].map(fibonacci).into();
    cases.extend([0, 1, 64, 1023, 1024, 1025, 1500, 70_000].map(Case::blake3));
    // A block has 16 rows; 8 blocks are full at 503 bytes.
    cases.extend([0, 55, 56, 503, 504, 1500].map(sha256));
    cases.extend([1, 2, 63, 64, 65, 300].map(merge_sort));
    let most = [255; 8];
    cases.extend([[0, 0, 0, 0, 1, 0, 0, 0], [255, 255, 255, 255, 1, 0, 0, 0], most].map(div_rem));
    cases
}
