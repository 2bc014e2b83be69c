//! Not a test by itself: `emitted/main.rs` copies this file into a project with the
//! units that it generated, builds and runs it; `tests/checked-packers` includes
//! it. Every generated packer and writer is compared with the reference builder,
//! over poisoned memory, then whole traces by `provider.rs`.

use traceloom_abi::io::Io;
use traceloom_abi::record::Record;
use traceloom_abi::registry::{Pack, ProgramUnit};
use traceloom_abi::row::RowShape;
use traceloom_air::field::{Goldilocks, word};
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::execute::{Hooks, Limits, execute_with};
use traceloom_bytecode::model::FunctionId;
use traceloom_bytecode::system::GroupColumns;
use traceloom_runtime::order::runs;
use traceloom_runtime::reference::function_trace;

use crate::executor::{Case, Ends};

const POISON: u64 = u64::MAX;

/// What was generated for a program: its unit, and checked packers by function and path.
pub type Emitted = (&'static ProgramUnit, &'static [(u32, &'static [Pack])]);

/// What was compared.
#[derive(Debug, Default)]
pub struct Tally {
    pub rows: usize,
    pub narrow: usize,
    pub widened: usize,
    pub ends: Ends,
}

pub fn run(
    program: &CheckedProgram,
    emitted: Emitted,
    entry: &str,
    claims: &[Vec<u64>],
    input: &[u64],
) -> Tally {
    assert_eq!(emitted.0.fingerprint, program.fingerprint());
    let mut io = Io::default();
    io.add_input(0, &[], input).unwrap();
    let id = program.find(entry).expect("the entry");
    let claims: Vec<_> = claims.iter().map(|claim| (id, claim.clone())).collect();
    let hooks = Hooks { debug: Some(&mut |_| {}), progress: None, calls: None };
    let execution = execute_with(program, &claims, io.clone(), &Limits::default(), hooks).unwrap();
    let mut tally = run_record(program, emitted, execution.record);
    tally.ends = executors(program, emitted, claims, io);
    tally
}

/// Compares executors, to their end and to every other one.
pub fn executors(
    program: &CheckedProgram,
    emitted: Emitted,
    claims: Vec<(FunctionId, Vec<u64>)>,
    io: Io,
) -> Ends {
    let case = Case { program, executors: emitted.0.executors, claims, io };
    case.outputs();
    let limits = Limits { steps: 1 << 16, depth: 1 << 10, ..Limits::default() };
    let (limited, altered) = (case.limited(8), case.altered(&limits));
    Ends {
        generated: limited.generated + altered.generated,
        interpreted: limited.interpreted + altered.interpreted,
        failed: limited.failed + altered.failed,
    }
}

/// The same of what was executed elsewhere.
pub fn run_record(program: &CheckedProgram, emitted: Emitted, record: Record) -> Tally {
    let mut tally = Tally::default();
    for circuit in 0..program.program().circuits.len() {
        compare(program, emitted, &record, circuit, &mut tally);
    }
    crate::provider::compare(program, emitted.0, record);
    tally
}

fn compare(
    program: &CheckedProgram,
    (unit, checked): Emitted,
    record: &Record,
    circuit: usize,
    tally: &mut Tally,
) {
    let Some(trace) = function_trace(program, record, circuit).unwrap() else { return };
    let columns = GroupColumns::new(program, &program.program().circuits[circuit]);
    let mut first = 0;
    for run in runs(program, record, circuit) {
        let function = unit.function(run.function.0).expect("a unit");
        let shape = RowShape {
            width: columns.width,
            input: 0,
            selector: columns.first_selector[run.member],
            auxiliary: columns.first_auxiliary,
        };
        let count = run.queries.len();
        let check = |rows: &[Goldilocks], what: &str| {
            for (i, &cell) in rows.iter().enumerate() {
                let (row, column) = (first + i / shape.width, i % shape.width);
                let expected = trace.row(row)[column];
                let name = &program.function(run.function).name;
                assert_eq!(word(cell), word(expected), "{what} {name:?} row {row} column {column}");
            }
        };
        let poisoned = || vec![Goldilocks::new(POISON); count * shape.width];
        let mut full = vec![0xff; count * function.full.stride()];
        if let Some(path) = function.paths.get(run.path as usize) {
            let stride = path.schema.stride as usize;
            let mut seeds = vec![0xff; count * stride];
            let narrow = (path.pack_typed)(record, &run.queries, &mut seeds).unwrap();
            assert!((path.pack_full)(record, &run.queries, &mut full).unwrap());
            let of_function = checked.iter().find(|(id, _)| *id == function.function);
            let pack_checked = of_function.expect("checked packers").1[run.path as usize];
            let mut checked = vec![0xff; count * stride];
            let agreed = pack_checked(record, &run.queries, &mut checked).unwrap();
            assert_eq!((narrow, &seeds), (agreed, &checked));
            if narrow {
                let mut rows = poisoned();
                (path.write)(&seeds, &mut rows, &shape);
                check(&rows, "typed");
                let mut wide = vec![0xff; full.len()];
                for (typed, wide) in
                    seeds.chunks_exact(stride).zip(wide.chunks_exact_mut(function.full.stride()))
                {
                    function.full.widen(&path.schema, run.path, typed, wide);
                }
                assert!(wide == full, "widened seeds are full seeds");
                tally.narrow += count;
            } else {
                tally.widened += count;
            }
        } else {
            let pack = function.generic.pack.expect("a packer without paths");
            assert!(pack(record, &run.queries, &mut full).unwrap());
        }
        let mut rows = poisoned();
        (function.generic.write)(&full, &mut rows, &shape).unwrap();
        check(&rows, "generic");
        tally.rows += count;
        first += count;
    }
}
