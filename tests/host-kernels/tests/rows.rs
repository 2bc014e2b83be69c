//! Emitted row writers, executed on the host, against the reference builder: every
//! cell of every row, both encodings, whole and partial and wrapping windows.

use traceloom_abi::record::Record;
use traceloom_bytecode::lower::plan_program;
use traceloom_host_kernels::executable::{Executable, Sources};
use traceloom_host_kernels::fixtures::{self, Fixture};
use traceloom_host_kernels::job::Job;
use traceloom_host_kernels::launches::{Encoding, Executed};
use traceloom_plan::ProgramPlan;
use traceloom_plan::names::Ident;
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
    cases.iter().for_each(|case| sources.add_rows(&case.unit, &case.plan));
    let executable = Executable::compile(&sources);
    let (mut jobs, mut expected, mut num_typed_rows) = (Vec::new(), Vec::new(), 0);
    for Case { fixture, unit, plan, record } in &cases {
        let executed = Executed { program: &fixture.program, plan, record };
        for circuit in 0..fixture.program.program().circuits.len() {
            let trace = function_trace(&fixture.program, record, circuit);
            let Some(trace) = trace.expect("record and program agree") else { continue };
            for encoding in [Encoding::Typed, Encoding::Full] {
                let (circuit_jobs, typed) =
                    executed.jobs(&sources, unit, circuit, &trace, encoding);
                num_typed_rows += typed;
                for job in circuit_jobs {
                    jobs.push(Job::Rows(job));
                    expected.push((fixture.name, circuit, encoding, trace.clone()));
                }
            }
        }
    }
    assert!(num_typed_rows > 400, "typed writers ran: {num_typed_rows} rows");
    for ((job, output), (name, circuit, encoding, trace)) in
        jobs.iter().zip(executable.run(&jobs)).zip(&expected)
    {
        let Job::Rows(job) = job else { unreachable!("only rows were asked for") };
        let same = job.compare(&output, trace);
        assert_eq!(same, Ok(()), "{name}, circuit {circuit}, {encoding:?}");
    }
}

impl Case {
    fn new(fixture: Fixture) -> Self {
        let plan = plan_program(&fixture.program);
        let record = fixture.record();
        Self { unit: Ident::new(fixture.name), plan, record, fixture }
    }
}
