//! The programs of a kit, planned and executed.

use std::collections::BTreeSet;

use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha20Rng;
use traceloom_abi::record::Record;
use traceloom_air::field::word;
use traceloom_air::trace::Trace;
use traceloom_bytecode::Program;
use traceloom_bytecode::lower::plan_program;
use traceloom_bytecode::model::FunctionId;
use traceloom_bytecode::system::GroupColumns;
use traceloom_codegen::cuda::TextFile;
use traceloom_codegen::cuda::writer::row_writers;
use traceloom_codegen::evaluator;
use traceloom_host_kernels::fixtures::{self, Fixture};
use traceloom_host_kernels::launches::{Encoding, Executed};
use traceloom_plan::names::Ident;
use traceloom_plan::names::{Writer, kernel_name, padding_kernel_name};
use traceloom_plan::{FunctionPlan, ProgramPlan};
use traceloom_runtime::reference::function_trace;

use crate::evaluators::Evaluators;
use crate::imported;
use crate::jobs::{CircuitJob, Detail, Jobs, RunJob};
use crate::kernels::Kernels;

/// Functions of the imported program that are measured although nothing calls them.
const NUM_WIDEST: usize = 10;
/// Made-up seeds per path.
const NUM_RANDOM: usize = 64;
/// Functions of which all figures are wanted.
const MEASURED: [(&str, &str); 3] =
    [("blake3", "blake3_compress"), ("sha256", "sha256_rounds"), ("imported", "blake3_compress")];

/// One program.
pub struct Case {
    fixture: Fixture,
    unit: Ident,
    plan: ProgramPlan,
    record: Record,
    /// Functions in the kit.
    wanted: BTreeSet<u32>,
}

/// Fixtures, example programs, and the imported program if it is there.
pub fn all() -> Result<Vec<Case>, Box<dyn std::error::Error>> {
    let mut cases: Vec<Case> = fixtures::all().into_iter().map(|f| Case::new(f, 0)).collect();
    for (name, program, arg) in [
        ("fibonacci", traceloom_programs::fibonacci::program()?, 300),
        ("blake3", traceloom_programs::blake3::program()?, 1500),
        ("sha256", traceloom_programs::sha256::program()?, 500),
    ] {
        let entry = program.functions.iter().position(|f| f.entry).ok_or("no entry")?;
        cases.push(Case::new(hashing(name, program, FunctionId(entry as u32), arg), 0));
    }
    match imported::program() {
        Some((program, main)) => {
            cases.push(Case::new(hashing("imported", program, main, 1300), NUM_WIDEST));
        }
        None => println!("no imported program: neither ../shared/data nor TRACELOOM_DATA has it"),
    }
    Ok(cases)
}

/// A claim `entry(arg)` with `arg` bytes of input.
fn hashing(name: &'static str, program: Program, entry: FunctionId, arg: u64) -> Fixture {
    let mut fixture = Fixture::new(name, program, vec![(entry, vec![arg])]);
    let data: Vec<u64> = (0..arg).map(|i| (i * i * 31 + i) % 256).collect();
    fixture.io.add_input(0, &[], &data).expect("the key is new");
    fixture
}

impl Case {
    /// Takes the functions that were called and the `num_widest` widest.
    fn new(fixture: Fixture, num_widest: usize) -> Self {
        let plan = plan_program(&fixture.program);
        let record = fixture.record();
        let mut by_width: Vec<&FunctionPlan> = plan.functions.iter().collect();
        by_width.sort_by_key(|plan| std::cmp::Reverse(plan.layout.width()));
        let mut wanted: BTreeSet<u32> =
            by_width.iter().take(num_widest).map(|plan| plan.function).collect();
        let called = plan.functions.iter().map(|plan| plan.function);
        wanted.extend(called.filter(|&f| !record.functions[f as usize].is_empty()));
        Self { unit: Ident::new(fixture.name), plan, record, fixture, wanted }
    }

    /// Name of the program.
    pub fn name(&self) -> &'static str {
        self.fixture.name
    }

    fn functions(&self) -> impl Iterator<Item = &FunctionPlan> {
        self.plan.functions.iter().filter(|plan| self.wanted.contains(&plan.function))
    }

    fn detail(&self, function: &FunctionPlan) -> Detail {
        if MEASURED.contains(&(self.fixture.name, &function.name)) {
            Detail::Full
        } else if self.fixture.name == "imported" && function.layout.width() >= 64 {
            Detail::Brief
        } else {
            Detail::None
        }
    }

    /// The emitted files of wanted functions; lists their kernels.
    pub fn files(&self, kernels: &mut Kernels) -> Vec<TextFile> {
        let (unit, mut names) = (&self.unit, BTreeSet::from([format!("{}.cu", self.unit)]));
        kernels.push(padding_kernel_name(unit), 0);
        let mut variants = Vec::new();
        for function in self.functions() {
            let stem = format!("{unit}_{}", function.symbol);
            names.extend([format!("{stem}.cu"), format!("{stem}.cuh")]);
            kernels.push_function(unit, function);
            if self.detail(function) == Detail::Full {
                variants.push(kernels.variants(unit, function));
            }
        }
        let mut files = row_writers(&self.plan, unit, &[7; 32]);
        files.retain(|file| names.contains(&file.name));
        files.extend(variants);
        files
    }

    /// The emitted evaluators of all circuits; adds what they must compute. None of the
    /// imported program: its circuits are many, and their text is of the same forms.
    pub fn evaluators(&self, evaluators: &mut Evaluators) -> Vec<TextFile> {
        if self.fixture.name == "imported" {
            return Vec::new();
        }
        let circuits = evaluator::circuits(&self.fixture.program, &self.plan);
        circuits.iter().flat_map(|circuit| evaluators.push(&self.unit, circuit)).collect()
    }

    /// The circuits that have rows, and the wanted functions that have none.
    pub fn jobs(
        &self,
        kernels: &Kernels,
        jobs: &mut Jobs,
    ) -> Result<(), Box<dyn std::error::Error>> {
        let program = &self.fixture.program;
        for (circuit, members) in program.program().circuits.iter().enumerate() {
            let functions: Vec<&FunctionPlan> =
                self.functions().filter(|f| members.contains(&FunctionId(f.function))).collect();
            let columns = GroupColumns::new(program, members);
            let alone = functions.first().filter(|_| members.len() == 1);
            let mut job = CircuitJob {
                name: match alone {
                    Some(function) => format!("{}/{}", self.unit, function.symbol),
                    None => format!("{}/circuit{circuit}", self.unit),
                },
                width: columns.width,
                first_selector: columns.first_selector[0],
                first_auxiliary: columns.first_auxiliary,
                padding: kernels.position(&padding_kernel_name(&self.unit)),
                detail: alone.map_or(Detail::None, |function| self.detail(function)),
                cells: Vec::new(),
                encodings: [Vec::new(), Vec::new()],
            };
            match (function_trace(program, &self.record, circuit)?, alone) {
                (Some(trace), _) => self.recorded(kernels, circuit, &trace, &mut job),
                (None, Some(function)) => self.made_up(kernels, function, &mut job),
                (None, None) => continue,
            }
            jobs.push(&job);
        }
        Ok(())
    }

    fn recorded(&self, kernels: &Kernels, circuit: usize, trace: &Trace, job: &mut CircuitJob) {
        let program = &self.fixture.program;
        let executed = Executed { program, plan: &self.plan, record: &self.record };
        job.encodings = [Encoding::Typed, Encoding::Full].map(|encoding| {
            let runs = executed.seeded_runs(circuit, trace, encoding).into_iter();
            runs.map(|run| RunJob {
                kernel: kernels.position(&kernel_name(&self.unit, &run.symbol, run.writer)),
                first_row: run.first_row,
                num_rows: run.num_rows,
                first_member_selector: run.first_selector,
                seeds: run.seeds,
            })
            .collect()
        });
        let num_rows: usize = job.encodings[0].iter().map(|run| run.num_rows).sum();
        job.cells = (0..num_rows).flat_map(|row| trace.row(row).iter().map(|&c| word(c))).collect();
    }

    /// Random bytes as typed seeds: no row of a valid trace, but as much work.
    fn made_up(&self, kernels: &Kernels, function: &FunctionPlan, job: &mut CircuitJob) {
        let mut random = ChaCha20Rng::seed_from_u64(function.function.into());
        job.encodings[0] = function
            .paths
            .iter()
            .map(|path| {
                let mut seeds = vec![0; NUM_RANDOM * path.schema.stride as usize];
                random.fill_bytes(&mut seeds);
                let writer = Writer::Path(path.path);
                RunJob {
                    kernel: kernels.position(&kernel_name(&self.unit, &function.symbol, writer)),
                    first_row: 0,
                    num_rows: NUM_RANDOM,
                    first_member_selector: job.first_selector,
                    seeds,
                }
            })
            .collect();
    }
}
