//! Emitted row writers, executed on the host, against the reference builder: every
//! cell of every row, both encodings, whole and partial and wrapping windows.

use traceloom_abi::field::word;
use traceloom_abi::record::Record;
use traceloom_abi::trace::Trace;
use traceloom_bytecode::system::GroupColumns;
use traceloom_codegen::cuda::ident::Ident;
use traceloom_codegen::cuda::writer::{Writer, kernel_name, padding_kernel_name, row_writers};
use traceloom_codegen::plan::{ProgramPlan, plan_program};
use traceloom_host_kernels::executable::{Executable, Sources};
use traceloom_host_kernels::fixtures::{self, Fixture};
use traceloom_host_kernels::job::{CANARY, Job, Launch, POISON, RowsJob};
use traceloom_host_kernels::launches::{Encoding, Executed};
use traceloom_runtime::reference::function_trace;

/// A fixture, planned and executed.
struct Case {
    fixture: Fixture,
    unit: Ident,
    plan: ProgramPlan,
    record: Record,
}

#[test]
fn every_cell_equals_the_reference() {
    let mut fixtures = fixtures::all();
    for (name, program, args) in [
        ("fibonacci", traceloom_programs::fibonacci::program(), vec![30]),
        ("blake3", traceloom_programs::blake3::program(), vec![1500]),
        ("sha256", traceloom_programs::sha256::program(), vec![100]),
    ] {
        let program = program.expect("programs build");
        let entry = program.functions.iter().position(|f| f.entry).expect("an entry");
        let entry = traceloom_bytecode::model::FunctionId(entry as u32);
        let mut fixture = Fixture::new(name, program, vec![(entry, args)]);
        let data: Vec<u64> = (0..2000_u64).map(|i| (i * i * 31 + i) % 256).collect();
        let len = fixture.claims[0].1[0].min(2000) as usize;
        fixture.io.add_input(0, &[], &data[..len]).expect("the key is new");
        fixtures.push(fixture);
    }
    let cases: Vec<Case> = fixtures.into_iter().map(Case::new).collect();
    let mut sources = Sources::default();
    for case in &cases {
        sources.files.extend(case.files());
        sources.kernels.push(padding_kernel_name(&case.unit));
        for function in &case.plan.functions {
            let paths = function.paths.iter().map(|path| Writer::Path(path.path));
            for writer in paths.chain([Writer::Generic]) {
                sources.kernels.push(kernel_name(&case.unit, &function.symbol, writer));
            }
        }
    }
    let executable = Executable::compile(&sources);
    let mut jobs = Vec::new();
    let mut expected = Vec::new();
    let mut num_typed_rows = 0;
    for case in &cases {
        for circuit in 0..case.fixture.program.program().circuits.len() {
            let trace = function_trace(&case.fixture.program, &case.record, circuit);
            let Some(trace) = trace.expect("record and program agree") else { continue };
            for encoding in [Encoding::Typed, Encoding::Full] {
                let launches = case.launches(&sources, circuit, &trace, encoding);
                num_typed_rows +=
                    launches.iter().filter(|l| l.1).map(|l| l.0.num_rows).sum::<usize>();
                let launches: Vec<Launch> = launches.into_iter().map(|launch| launch.0).collect();
                for (first, count, slack) in windows(trace.height()) {
                    jobs.push(Job::Rows(RowsJob {
                        width: trace.width,
                        stride: count + slack,
                        first,
                        count,
                        height: trace.height(),
                        launches: launches.clone(),
                    }));
                    expected.push((case.fixture.name, circuit, encoding, trace.clone()));
                }
            }
        }
    }
    assert!(num_typed_rows > 400, "typed writers ran: {num_typed_rows} rows");
    for ((job, output), expected) in jobs.iter().zip(executable.run(&jobs)).zip(&expected) {
        let Job::Rows(job) = job else { unreachable!("only rows were asked for") };
        compare(job, &output, expected);
    }
}

/// Whole, the first row, some rows, wrapping, wrapping by all rows but one.
fn windows(height: usize) -> Vec<(usize, usize, usize)> {
    let mut windows = vec![(0, height, 0), (0, 1, 3)];
    if height >= 4 {
        windows.push((1, height / 2, 1));
        windows.push((height - 1, 3, 0));
        windows.push((height / 2 + 1, height, 5));
    }
    windows
}

fn compare(job: &RowsJob, output: &[u64], expected: &(&str, usize, Encoding, Trace)) {
    let (name, circuit, encoding, trace) = expected;
    let (canaries, cells) = (
        [&output[..CANARY], &output[output.len() - CANARY..]],
        &output[CANARY..output.len() - CANARY],
    );
    assert!(canaries.iter().all(|canary| canary.iter().all(|&word| word == POISON)));
    let context = format!("{name}, circuit {circuit}, {encoding:?}, from {}", job.first);
    for column in 0..job.width {
        let stored = &cells[column * job.stride..][..job.stride];
        for (i, &stored) in stored.iter().enumerate() {
            let row = (job.first + i) % job.height;
            let right = match i < job.count {
                true => word(trace.row(row)[column]),
                false => POISON,
            };
            assert_eq!(stored, right, "{context}: column {column}, row {row}");
        }
    }
}

impl Case {
    fn new(fixture: Fixture) -> Self {
        let plan = plan_program(&fixture.program);
        let record = fixture.record();
        Self { unit: Ident::new(fixture.name), plan, record, fixture }
    }

    fn files(&self) -> Vec<traceloom_codegen::cuda::TextFile> {
        row_writers(&self.plan, &self.unit, &[7; 32])
    }

    /// The launches of a circuit, padding last, and whether they are typed.
    fn launches(
        &self,
        sources: &Sources,
        circuit: usize,
        trace: &Trace,
        encoding: Encoding,
    ) -> Vec<(Launch, bool)> {
        let program = &self.fixture.program;
        let columns = GroupColumns::new(program, &program.program().circuits[circuit]);
        let kernel = |name: String| {
            sources.kernels.iter().position(|kernel| *kernel == name).expect("it is listed")
        };
        let bases = |first: usize| [columns.first_selector[0], first, columns.first_auxiliary];
        let executed = Executed { program, plan: &self.plan, record: &self.record };
        let mut launches = Vec::new();
        let mut num_rows = 0;
        for run in executed.seeded_runs(circuit, trace, encoding) {
            num_rows += run.num_rows;
            let launch = Launch {
                kernel: kernel(kernel_name(&self.unit, &run.symbol, run.writer)),
                first_row: run.first_row,
                num_rows: run.num_rows,
                bases: bases(run.first_selector),
                seeds: run.seeds,
            };
            launches.push((launch, run.writer != Writer::Generic));
        }
        let padding = Launch {
            kernel: kernel(padding_kernel_name(&self.unit)),
            first_row: num_rows,
            num_rows: trace.height() - num_rows,
            bases: bases(columns.first_selector[0]),
            seeds: Vec::new(),
        };
        launches.push((padding, false));
        launches
    }
}
