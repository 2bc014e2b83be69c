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
        cases.extend(
            [0, 1, 255, 256, 5000].map(|n| Case::new("fibonacci", fibonacci::program, &[n], 0)),
        );
        cases.extend([0, 1500, 70_000].map(Case::blake3));
        cases.push(Case::new("sha256", sha256::program, &[1500], 1500));
        cases.push(Case::new("merge_sort", merge_sort::program, &[300], 1200));
    }
    cases
}
