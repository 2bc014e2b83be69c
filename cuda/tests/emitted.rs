//! The emitted kernels themselves on a device that is none: compiled for the host, run in
//! a process of their own for every launch.

mod common;

use std::sync::Arc;

use common::{Case, images, staging};
use traceloom_abi::registry::ProgramUnit;
use traceloom_codegen::cuda::TextFile;
use traceloom_cuda::device::Device;
use traceloom_cuda::mock::{HostRows, KernelHost, Mock};
use traceloom_cuda::provider::{RowOptions, RowWriter};
use traceloom_generated::PROGRAMS;
use traceloom_host_kernels::executable::{Executable, Sources};
use traceloom_host_kernels::job::{CANARY, Job, Launch, RowsJob};
use traceloom_runtime::seeds::{Encoding, PackOptions};

/// Kernels of some units, compiled for the host.
struct Compiled {
    units: Vec<&'static ProgramUnit>,
    kernels: Vec<String>,
    executable: Executable,
}

impl Compiled {
    fn new(names: &[&str]) -> Self {
        let units = PROGRAMS.iter().copied().filter(|unit| names.contains(&unit.name));
        let units: Vec<&ProgramUnit> = units.collect();
        let mut sources = Sources::default();
        for unit in &units {
            let file = |name: &str, text: &str| TextFile { name: name.into(), text: text.into() };
            sources.files.extend(unit.sources.iter().map(|source| file(source.name, source.text)));
            sources.kernels.push(unit.padding_kernel.into());
            for function in unit.functions {
                sources.kernels.push(function.generic.kernel.into());
                let paths = function.paths.iter().map(|path| path.kernel.to_owned());
                sources.kernels.extend(paths);
            }
        }
        // Headers are included by the files that need them.
        let headers: Vec<TextFile> =
            sources.files.iter().filter(|file| file.name.ends_with(".cuh")).cloned().collect();
        sources.files.retain(|file| file.name.ends_with(".cu"));
        sources.files.splice(0..0, headers);
        let executable = Executable::compile(&sources);
        Self { units, kernels: sources.kernels, executable }
    }
}

impl KernelHost for Compiled {
    fn has(&self, kernel: &str) -> bool {
        self.digest(kernel).is_some() || self.kernels.iter().any(|name| name == kernel)
    }

    fn digest(&self, kernel: &str) -> Option<[u8; 32]> {
        let unit = self.units.iter().find(|unit| unit.digest_kernel == kernel)?;
        Some(unit.digest)
    }

    fn rows(&self, rows: HostRows<'_>) -> Result<(), String> {
        let kernel = self.kernels.iter().position(|name| name == rows.kernel);
        let number = |n: u32| n as usize;
        let bases = rows.bases;
        let job = RowsJob {
            width: number(bases.width),
            stride: rows.stride as usize,
            first: rows.first as usize,
            count: rows.count as usize,
            height: rows.height as usize,
            launches: vec![Launch {
                kernel: kernel.ok_or("no such kernel")?,
                first_row: rows.first_row as usize,
                num_rows: rows.num_rows as usize,
                bases: [
                    number(bases.first_selector),
                    number(bases.first_member_selector),
                    number(bases.first_auxiliary),
                ],
                seeds: rows.seeds.to_vec(),
            }],
        };
        let output = self.executable.run(&[Job::Rows(job)]).remove(0);
        let cells = &output[CANARY..output.len() - CANARY];
        for (_, position) in rows.positions() {
            for column in 0..u64::from(bases.width) {
                let at = (column * rows.stride + position) as usize;
                rows.cells[at] = cells[at];
            }
        }
        Ok(())
    }
}

#[test]
fn emitted_kernels_write_reference_traces() {
    let host = Arc::new(Compiled::new(&["fibonacci", "merge_sort"]));
    // fibonacci(n) has a run of n - 1 rows: none, 1, 2, 3, and edges of blocks.
    let numbers = [0, 2, 3, 4, 70, 254, 255, 256, 257, 258];
    let merge_sort = Case::new(traceloom_programs::merge_sort::program().unwrap(), &[20], 80);
    let cases = numbers.map(Case::fibonacci).into_iter().chain([merge_sort]);
    let mock = Mock::new(0, host);
    let options =
        RowOptions { staging: staging(1 << 11, 2), seed_budget: 1 << 20, ..RowOptions::default() };
    let writer = RowWriter::new(&Device::mock(&mock), images(), options).unwrap();
    for case in cases {
        let (found, report) = case.device(&writer, true).unwrap();
        assert!(found == case.reference(), "{}", case.name());
        // Short runs are packed in full.
        let runs = report.circuits.iter().flat_map(|circuit| &circuit.runs);
        let has_long = runs.clone().any(|run| run.rows >= PackOptions::default().short_run);
        let mut typed = runs.filter(|run| run.encoding == Encoding::Typed);
        assert_eq!(typed.next().is_some(), has_long, "{}: typed kernels ran", case.name());
    }
}
