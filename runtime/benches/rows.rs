//! Seeds and rows per second on one core: reference builder, packers, scalar
//! writers. One line of JSON per figure; times are the least of many rounds, so that
//! other work on the machine shows little.

use std::time::{Duration, Instant};

use serde_json::json;
use traceloom_abi::io::Io;
use traceloom_abi::record::Record;
use traceloom_bytecode::execute::{Limits, execute};
use traceloom_bytecode::{CheckedProgram, Program};
use traceloom_generated::PROGRAMS;
use traceloom_runtime::bind::Binding;
use traceloom_runtime::order::runs;
use traceloom_runtime::reference::function_trace;
use traceloom_runtime::seeds::{CircuitSeeds, PackOptions};

const MIN_ROUNDS: usize = 3;
const MAX_ROUNDS: usize = 200;
/// Long enough for one figure.
const LONG: Duration = Duration::from_secs(1);

fn main() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
    let pool = pool.expect("a pool of this thread");
    pool.install(|| {
        measure("blake3", traceloom_programs::blake3::program().unwrap(), 1 << 16);
        measure("sha256", traceloom_programs::sha256::program().unwrap(), 1 << 13);
    });
}

fn least(mut work: impl FnMut()) -> u64 {
    let begin = Instant::now();
    let mut least = u64::MAX;
    let mut rounds = 0;
    while rounds < MIN_ROUNDS || (rounds < MAX_ROUNDS && begin.elapsed() < LONG) {
        let start = Instant::now();
        work();
        least = least.min(start.elapsed().as_nanos() as u64).max(1);
        rounds += 1;
    }
    least
}

struct Case<'a> {
    name: &'a str,
    program: &'a CheckedProgram,
    record: &'a Record,
}

fn measure(name: &str, program: Program, len: usize) {
    let program = &CheckedProgram::new(program).expect("a valid program");
    let bind = least(|| {
        Binding::new(program, PROGRAMS).expect("generated units fit");
    });
    println!("{}", json!({ "figure": "bind", "program": name, "ns": bind }));
    let mut io = Io::default();
    let words: Vec<u64> = (0..len as u64).map(|i| i * 167 % 256).collect();
    io.add_input(0, &[], &words).expect("an input");
    let entry = program.find(name).expect("the entry");
    let start = Instant::now();
    let run = execute(program, &[(entry, vec![len as u64])], io, &Limits::default());
    let record = run.expect("it runs").record;
    let executing = start.elapsed().as_nanos() as u64;
    println!("{}", json!({ "figure": "execution", "program": name, "ns": executing }));
    let case = Case { name, program, record: &record };
    let totals = (0..program.program().circuits.len()).map(|circuit| case.circuit(circuit));
    let totals = totals.fold([0; 4], |sum, part| std::array::from_fn(|i| sum[i] + part[i]));
    case.print("all", 0, totals);
}

impl Case<'_> {
    /// Rows, then nanoseconds of reference rows, packing and writing.
    fn circuit(&self, circuit: usize) -> [u64; 4] {
        let members = &self.program.program().circuits[circuit];
        let binding = Binding::new(self.program, PROGRAMS).expect("generated units fit");
        let members_bound = binding.members(self.program, members).expect("generated units fit");
        let options = PackOptions::default();
        let pack = || {
            let runs = runs(self.program, self.record, circuit);
            let seeds = CircuitSeeds::pack(members_bound.clone(), &runs, self.record, &options);
            seeds.expect("the record is right")
        };
        let seeds = pack();
        if seeds.num_rows() == 0 {
            return [0; 4];
        }
        let width = members_bound[0].shape.width;
        let reference = least(|| {
            function_trace(self.program, self.record, circuit).expect("the record is right");
        });
        let packing = least(|| {
            pack();
        });
        let writing = least(|| {
            seeds.trace(&options).expect("seeds are right");
        });
        let figures = [seeds.num_rows() as u64, reference, packing, writing];
        let name = &self.program.function(members[0]).name;
        self.print(name, width, figures);
        figures
    }

    fn print(&self, circuit: &str, width: usize, [rows, reference, packing, writing]: [u64; 4]) {
        let per_second = |ns: u64| (rows as f64 * 1e9 / ns as f64).round();
        let figure = json!({
            "figure": "rows",
            "program": self.name,
            "circuit": circuit,
            "rows": rows,
            "width": width,
            "reference_rows_per_s": per_second(reference),
            "packed_rows_per_s": per_second(packing),
            "scalar_rows_per_s": per_second(writing),
            "scalar_speedup": reference as f64 / writing as f64,
            "scalar_speedup_with_packing": reference as f64 / (packing + writing) as f64,
            "reference_per_packing": reference as f64 / packing as f64,
        });
        println!("{figure}");
    }
}
