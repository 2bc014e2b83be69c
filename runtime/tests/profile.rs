//! Profiles: sums are those of the record and of the report, and costs are where they belong.

use std::collections::BTreeMap;

use traceloom_bytecode::json;
use traceloom_generated::PROGRAMS;
use traceloom_programs::Inputs;
use traceloom_runtime::profile::{Cost, Profile};
use traceloom_runtime::session::{Executed, Proved, Request, Session};
use traceloom_runtime::shards::{NumShards, ShardOptions};
use traceloom_verifier::Profile as Params;

fn builtin(name: &str) -> (Profile, Proved, Executed, Session) {
    let example = traceloom_programs::find(name).unwrap();
    let request = match example.inputs {
        Inputs::File { .. } => Request::bytes(&[7; 1500]).unwrap(),
        Inputs::Args(_) => Request::args([24]),
    };
    let program = json::print(&example.build().unwrap());
    let options = ShardOptions { shards: NumShards::Exactly(2), ..ShardOptions::default() };
    let session = Session::of_units(program, PROGRAMS).profile(Params::Fast).shards(options);
    let session = session.build().unwrap();
    let (profile, proved) = session.profile_proof(request.clone()).unwrap();
    // Without a proof everything but the seconds is the same.
    let (counted, _) = session.profile(request.clone()).unwrap();
    let without = |profile: &Profile| {
        let mut profile = profile.clone();
        profile.entries.retain(|entry| entry.stack != ["whole proof"]);
        profile.entries.iter_mut().for_each(|entry| entry.cost.seconds = 0.0);
        profile
    };
    assert_eq!(counted, without(&profile), "{name}");
    let executed = session.execute(request).unwrap();
    (profile, proved, executed, session)
}

/// A program with memory, on which nothing was generated.
fn memory() -> (Profile, Proved, Executed, Session) {
    let text = "program \"memory\"
memory 3
fn main(x) -> 1 entry {
  p = store x, x, x
  q = store x, p, x
  a, b, c = load q
  return b
}
end
";
    let session = Session::of_bytes("memory", text).profile(Params::Fast).build().unwrap();
    let (profile, proved) = session.profile_proof(Request::args([3])).unwrap();
    let tables = profile.entries.iter().filter(|entry| entry.stack == ["memories"]);
    assert_eq!(tables.map(|entry| entry.cost.rows).collect::<Vec<_>>(), [2]);
    let executed = session.execute(Request::args([3])).unwrap();
    (profile, proved, executed, session)
}

#[test]
fn totals_are_those_of_the_record_and_the_report() {
    for name in ["fibonacci", "blake3", "memory"] {
        let (profile, proved, executed, session) =
            if name == "memory" { memory() } else { builtin(name) };
        let report = &proved.report;
        let total = profile.total();
        let circuits = &report.trace.circuits;
        let sum = |of: fn(&traceloom_runtime::report::CircuitReport) -> usize| {
            circuits.iter().map(of).sum::<usize>() as u64
        };
        assert_eq!(total.rows, sum(|circuit| circuit.rows), "{name}");
        assert_eq!(total.cells, sum(|circuit| circuit.cells()), "{name}");
        assert_eq!(total.lookups, sum(|circuit| circuit.lookups * circuit.height), "{name}");
        let stages = report.stages.iter().map(|(_, time)| *time);
        let seconds = (report.setup + report.verification + stages.sum()).as_secs_f64();
        assert!((total.seconds - seconds).abs() < 1e-6 * seconds, "{name}: {total:?}, {seconds}");
        // Rows of every function are the queries of the record that somebody asked for.
        let rows: BTreeMap<String, Cost> = profile.by_function().into_iter().collect();
        let program = session.program();
        let record = &executed.execution.record;
        for id in program.function_ids() {
            let table = &record.functions[id.index()];
            let asked = (0..table.len()).filter(|&query| table.multiplicity(query) != 0).count();
            let function = program.function(id);
            let found = rows.get(&function.name).map_or(0, |cost| cost.rows);
            let expected = if function.constrained { asked as u64 } else { 0 };
            assert_eq!(found, expected, "{name}: {}", function.name);
        }
        assert!(profile.entries.iter().all(|entry| entry.cost.seconds >= 0.0), "{name}");
    }
}

/// The costs of this program by hand: two functions, two paths, one operation on each.
#[test]
fn costs_are_those_of_the_operations() {
    let text = "program \"two\"
fn main(x) -> 1 entry {
  y = call choose(x)
  z = call choose(y)
  return z
}
fn choose(x) -> 1 {
  match x {
    case 0 {
      a = const 5
      return a
    }
    default {
      a = mul x, x
      b = mul a, x
      return b
    }
  }
}
end
";
    let session = Session::of_bytes("two", text).profile(Params::Fast).build().unwrap();
    // choose(0) = 5, choose(5) = 125: each path once, both called by main.
    let (profile, planned) = session.profile(Request::args([0])).unwrap();
    let find = |stack: &[&str], operation: &str| {
        let found =
            profile.entries.iter().filter(|of| of.stack == stack && of.operation == operation);
        let costs: Vec<Cost> = found.map(|entry| entry.cost).collect();
        let [cost] = costs[..] else { panic!("{stack:?} {operation}: {:?}", profile.entries) };
        cost
    };
    let id = session.program().find("choose").unwrap();
    let layout = session.program().layout(id);
    let row = find(&["main", "choose"], "row");
    assert_eq!((row.rows, row.executed, row.lookups), (2, 2, 2));
    assert_eq!(row.cells, 2 * (layout.num_inputs + layout.num_selectors + 1) as u64);
    let mul = find(&["main", "choose"], "mul");
    assert_eq!((mul.rows, mul.executed, mul.cells), (0, 2, 2));
    // The inverse witness of the only key, on the path of the default.
    let control = find(&["main", "choose"], "match");
    assert_eq!(control.cells, 1);
    // The row with key 0 leaves the columns of the other path unused.
    let unused = find(&["main", "choose"], "unused");
    assert_eq!(unused.cells, 2 * layout.width() as u64 - row.cells - mul.cells - control.cells);
    // Two rows need no padding; the other function has one row, and none either.
    assert_eq!(planned.plan.shards[0].log_heights()[..2], [Some(0), Some(1)]);
    assert!(profile.entries.iter().all(|entry| entry.stack != ["padding"]));
}

/// A query is where its first call with constraints was, and recursion does not nest.
#[test]
fn stacks_are_those_of_first_calls() {
    let text = "program \"calls\"
fn main(x) -> 1 entry {
  a = call_unconstrained leaf(x)
  b = call middle(x)
  c = call leaf(x)
  d = add b, c
  return d
}
fn middle(x) -> 1 {
  y = call leaf(x)
  return y
}
fn leaf(x) -> 1 {
  y = mul x, x
  return y
}
end
";
    let session = Session::of_bytes("calls", text).profile(Params::Fast).build().unwrap();
    let (profile, _) = session.profile(Request::args([3])).unwrap();
    let stacks: Vec<Vec<String>> = profile
        .entries
        .iter()
        .filter(|entry| entry.operation == "row")
        .map(|entry| entry.stack.clone())
        .collect();
    // As advice it is no row; the row belongs to `middle`, which asked first.
    assert_eq!(stacks, [vec!["main"], vec!["main", "middle"], vec!["main", "middle", "leaf"]]);
    let (profile, _, _, session) = builtin("fibonacci");
    let depth = profile.entries.iter().map(|entry| entry.stack.len()).max().unwrap();
    assert!(depth <= session.program().program().functions.len());
}
