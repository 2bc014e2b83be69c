//! Every cell of every row, written in every way, is the reference's.

use traceloom_abi::row::RowShape;
use traceloom_air::field::{MODULUS, element};
use traceloom_host_kernels::executable::{Executable, Sources};
use traceloom_host_kernels::job::{Job, Launch, RowsJob, windows};
use traceloom_plan::interpret::{
    Cells, full_seed, pack_path, typed_seed, write_generic, write_path,
};
use traceloom_plan::names::{Writer, kernel_name, padding_kernel_name};
use traceloom_plan::{FunctionPlan, verify};
use traceloom_table_rows::PROGRAM;

use crate::cases::{Cases, words};

/// Cells of an interpreted row, in order.
fn cells(cells: Cells) -> Vec<u64> {
    cells.into_values().collect()
}

/// The typed seeds of a row program, packed by its plan.
fn seeds(cases: &Cases, plan: &FunctionPlan, count: usize) -> Vec<Vec<u8>> {
    let path = &plan.paths[0];
    let pack = |query| pack_path(plan, path, &cases.record, query, true).expect("records pack");
    (0..count).map(|query| typed_seed(path, &pack(query)).expect("types bound words")).collect()
}

#[test]
fn plans_are_right_and_write_the_rows_of_the_reference() {
    let cases = Cases::random(1, 300);
    let plan = cases.program.plan();
    assert_eq!(verify(&cases.program.contract(), &plan), Ok(()));
    for (index, rows) in cases.programs() {
        let function = &plan.functions[index];
        let path = &function.paths[0];
        for (query, (seed, row)) in seeds(&cases, function, rows.len()).iter().zip(rows).enumerate()
        {
            assert_eq!(&cells(write_path(path, seed)), row, "{} {query}", function.name);
            let found = pack_path(function, path, &cases.record, query, false).expect("it packs");
            let full = full_seed(&function.full, &found);
            let branching = write_generic(function, &full).expect("there is one block");
            assert_eq!(&cells(branching), row, "{} {query}, full", function.name);
        }
    }
}

#[test]
fn emitted_rust_packs_and_writes_the_rows_of_the_reference() {
    let cases = Cases::random(2, 1000);
    let plan = cases.program.plan();
    assert_eq!(PROGRAM.fingerprint, plan.fingerprint, "the unit is of these tables");
    let digests = cases.program.contract_digests();
    for (index, rows) in cases.programs() {
        let (function, unit) = (&plan.functions[index], &PROGRAM.functions[index]);
        assert_eq!((unit.function as usize, unit.contract), (index, digests[index]));
        let (path, width) = (&unit.paths[0], rows[0].len());
        let queries: Vec<u32> = (0..rows.len() as u32).collect();
        let mut packed = vec![0xff; rows.len() * path.schema.stride as usize];
        assert_eq!((path.pack_typed)(&cases.record, &queries, &mut packed), Ok(true));
        assert_eq!(packed, seeds(&cases, function, rows.len()).concat(), "{}", unit.symbol);
        let shape = RowShape::alone(0, 0, width);
        let expected: Vec<u64> = rows.concat();
        let mut written = vec![element(MODULUS - 1); rows.len() * width];
        (path.write)(&packed, &mut written, &shape);
        assert_eq!(words(&written), expected, "{}", unit.symbol);
        let mut packed = vec![0xff; rows.len() * unit.full.stride()];
        assert_eq!((path.pack_full)(&cases.record, &queries, &mut packed), Ok(true));
        let mut written = vec![element(MODULUS - 1); rows.len() * width];
        assert_eq!((unit.generic.write)(&packed, &mut written, &shape), Ok(()));
        assert_eq!(words(&written), expected, "{}, full", unit.symbol);
    }
}

#[test]
fn emitted_cuda_writes_the_rows_of_the_reference() {
    let plan = Cases::random(3, 5).program.plan();
    let unit = plan.unit();
    let mut sources = Sources::default();
    sources.add_rows(&unit, &plan);
    let executable = Executable::compile(&sources);
    let (mut jobs, mut traces) = (Vec::new(), Vec::new());
    // Some padding, much padding, none; one record.
    for (seed, count) in [(3, 300), (4, 5), (5, 64), (6, 1)] {
        let cases = Cases::random(seed, count);
        for table in 0..cases.rows.len() {
            let trace = cases.trace(table);
            let real = launch(&cases, &plan.functions[table], 0, count, &sources, &unit);
            let missing = trace.height() - count;
            let padding = match cases.program.padding_index(table) {
                Some(index) => {
                    launch(&cases, &plan.functions[index], count, missing, &sources, &unit)
                }
                None => Launch {
                    kernel: sources.kernel(&padding_kernel_name(&unit)),
                    first_row: count,
                    num_rows: missing,
                    bases: [0; 3],
                    seeds: Vec::new(),
                },
            };
            for (first, rows, slack) in windows(trace.height()) {
                jobs.push(Job::Rows(RowsJob {
                    width: trace.width,
                    stride: rows + slack,
                    first,
                    count: rows,
                    height: trace.height(),
                    launches: vec![real.clone(), padding.clone()],
                }));
                traces.push((cases.program.tables()[table].name, trace.clone()));
            }
        }
    }
    assert_eq!(jobs.len(), 4 * 24 * 5, "all windows of all tables");
    for ((job, output), (name, trace)) in jobs.iter().zip(executable.run(&jobs)).zip(&traces) {
        let Job::Rows(job) = job else { unreachable!("only rows were asked for") };
        assert_eq!(job.compare(&output, trace), Ok(()), "{name}");
    }
}

/// The launch of the typed writer of a row program.
fn launch(
    cases: &Cases,
    function: &FunctionPlan,
    first_row: usize,
    num_rows: usize,
    sources: &Sources,
    unit: &traceloom_plan::names::Ident,
) -> Launch {
    let mut seeds = seeds(cases, function, num_rows).concat();
    // Jobs carry whole words of eight bytes; kernels do not read what is behind the seeds.
    seeds.resize(seeds.len().next_multiple_of(8), 0);
    let kernel = sources.kernel(&kernel_name(unit, &function.symbol, Writer::Path(0)));
    Launch { kernel, first_row, num_rows, bases: [0; 3], seeds }
}
