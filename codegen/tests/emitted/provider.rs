//! Not a test by itself: see `runner.rs`. Traces of the scalar provider are those of
//! the reference builder, for all ways to pack, and rows are written again from
//! seeds alone.

use std::sync::atomic::{AtomicUsize, Ordering};

use traceloom_abi::record::Record;
use traceloom_abi::registry::ProgramUnit;
use traceloom_air::field::{Goldilocks, MODULUS, element};
use traceloom_air::system::{CircuitKind, System};
use traceloom_air::trace::{ShardWitness, Trace};
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::system::{MEMORY_POINTER, build_system};
use traceloom_runtime::bind::Binding;
use traceloom_runtime::device::{DeviceOption, DeviceRows, DeviceTrace, RowDevice};
use traceloom_runtime::ledger::Ledger;
use traceloom_runtime::order::runs;
use traceloom_runtime::provider::{Choices, Provider, TraceOptions, TraceProvider, witness};
use traceloom_runtime::seeds::{CircuitSeeds, Encoding, PackOptions, Why};
use traceloom_runtime::source::SeedSource;
use traceloom_runtime::witness::{padded_witness, reference_witness};
use traceloom_verifier::{Profile, VerifyingKey};

/// Programs whose shards are padded.
static PADDED: AtomicUsize = AtomicUsize::new(0);

/// Runs per encoding, over all programs: none of them may go untested.
static SEEN: [AtomicUsize; 4] = [const { AtomicUsize::new(0) }; 4];

fn see(encoding: Encoding) {
    let index = match encoding {
        Encoding::Typed => 0,
        Encoding::Full(Why::Widened) => 1,
        Encoding::Full(Why::Short) => 2,
        Encoding::Full(Why::ManyPaths) => 3,
    };
    SEEN[index].fetch_add(1, Ordering::Relaxed);
}

/// Every way was taken.
pub fn finish() {
    let seen = SEEN.each_ref().map(|count| count.load(Ordering::Relaxed));
    println!("runs typed, widened, short, without path numbers: {seen:?}");
    assert!(seen.iter().all(|&count| count > 0), "{seen:?}");
    let padded = PADDED.load(Ordering::Relaxed);
    println!("programs with padded shards: {padded}");
    assert!(padded > 0);
}

pub fn compare(program: &CheckedProgram, unit: &'static ProgramUnit, mut record: Record) {
    let system = build_system(program);
    compare_all(program, &system, unit, &record);
    compare_padded(program, &system, unit, &record);
    // The largest multiplicities, and queries that are not rows.
    for table in &mut record.functions {
        for query in 0..table.len() {
            let multiplicity = [MODULUS - 1, 1 << 32, 0, 0xffff_ffff][query % 4];
            if table.is_finished(query) {
                table.set_multiplicity(query, multiplicity);
            }
        }
    }
    compare_all(program, &system, unit, &record);
    replay(program, unit, record);
}

fn compare_all(
    program: &CheckedProgram,
    system: &System,
    unit: &'static ProgramUnit,
    record: &Record,
) {
    let expected = reference_witness(program, system, record, Vec::new()).unwrap();
    let registry = [unit];
    for (chunk_rows, short_run) in [(None, 4), (Some(1), 0), (Some(3), 2), (Some(2), 1 << 20)] {
        let pack = PackOptions { chunk_rows, short_run };
        let options = TraceOptions { strict: true, pack, ..TraceOptions::new(&registry) };
        let choices = Choices::new(program, system, &options).unwrap();
        let (found, report) = witness(program, system, record, Vec::new(), &choices).unwrap();
        equal(system, &expected, &found);
        for circuit in &report.circuits {
            assert_ne!(circuit.provider, Provider::Reference);
            let rows: usize = circuit.runs.iter().map(|run| run.rows).sum();
            assert!(circuit.provider == Provider::Table || rows == circuit.rows);
            circuit.runs.iter().for_each(|run| see(run.encoding));
        }
    }
}

/// Padding is decided once, before a row is written: whoever writes rows, a shard is as
/// high as the key's parameters need, and rows behind the real ones are zero.
fn compare_padded(
    program: &CheckedProgram,
    system: &System,
    unit: &'static ProgramUnit,
    record: &Record,
) {
    let is_bytes = |kind: &CircuitKind| matches!(kind, CircuitKind::Bytes(_));
    // Those are high enough for all profiles.
    if system.circuits.iter().any(|circuit| is_bytes(&circuit.kind)) {
        return;
    }
    let key = &VerifyingKey::new(system, &Profile::Strong.params()).unwrap();
    let low = reference_witness(program, system, record, Vec::new()).unwrap();
    let expected = padded_witness(program, key, record, Vec::new()).unwrap();
    let heights = expected.traces.iter().flatten().map(Trace::height);
    if heights.max() != Some(256) {
        return;
    }
    PADDED.fetch_add(1, Ordering::Relaxed);
    let registry = [unit];
    let traces = system.circuits.iter().zip(&low.traces);
    let traces = traces.map(|(circuit, trace)| (circuit.name.clone(), trace.clone())).collect();
    let mirror = Mirror { traces };
    let device = DeviceOption::Ready { device: &mirror, record };
    for provider in [TraceProvider::Reference, TraceProvider::Scalar, TraceProvider::Device] {
        let key = Some(key);
        let options = TraceOptions { provider, key, device, ..TraceOptions::new(&registry) };
        let choices = Choices::new(program, system, &options).unwrap();
        let (found, report) = witness(program, system, record, Vec::new(), &choices).unwrap();
        equal(system, &expected, &found);
        for (circuit, trace) in report.circuits.iter().zip(&found.traces) {
            assert_eq!(circuit.height, trace.as_ref().map_or(0, Trace::height));
            assert!([provider.name(), "table"].contains(&circuit.provider.name()));
        }
    }
    let traces = low.traces.iter().zip(&expected.traces);
    for (circuit, (low, high)) in system.circuits.iter().zip(traces) {
        let (Some(low), Some(high)) = (low, high) else { continue };
        assert_eq!(high.values[..low.values.len()], low.values);
        let is_memory = matches!(circuit.kind, CircuitKind::Memory { .. });
        for row in low.height()..high.height() {
            // Zeros, but for the pointers of a memory, which count on.
            let mut padding = vec![element(0); high.width];
            if is_memory {
                padding[MEMORY_POINTER] = element(row as u64);
            }
            assert_eq!(high.row(row), padding, "{} row {row}", circuit.name);
        }
    }
}

/// A device that has the rows already, and the height from its source.
#[derive(Debug)]
struct Mirror {
    traces: Vec<(String, Option<Trace>)>,
}

impl RowDevice for Mirror {
    fn name(&self) -> String {
        "mirror".into()
    }

    fn bind(&self, _: &'static ProgramUnit, _: &Ledger) -> Result<(), String> {
        Ok(())
    }

    fn free_bytes(&self) -> Result<u64, String> {
        Ok(1 << 30)
    }

    fn write(
        &self,
        _: &'static ProgramUnit,
        circuit: &str,
        source: &dyn SeedSource,
        _: &Ledger,
    ) -> Result<DeviceRows, String> {
        let of_circuit = self.traces.iter().find(|(name, _)| name == circuit);
        let trace = of_circuit.and_then(|(_, trace)| trace.clone()).ok_or("no such trace")?;
        let trace = Box::new(Mirrored(trace.padded(source.height())));
        let runs = source.runs().iter().map(|run| (run.encoding, 0)).collect();
        Ok(DeviceRows { trace, runs, kept: None })
    }
}

#[derive(Debug)]
struct Mirrored(Trace);

impl DeviceTrace for Mirrored {
    fn width(&self) -> usize {
        self.0.width
    }

    fn height(&self) -> usize {
        self.0.height()
    }

    fn download(&self, _: &Ledger) -> Result<Trace, String> {
        Ok(self.0.clone())
    }
}

fn equal(system: &System, expected: &ShardWitness, found: &ShardWitness) {
    assert_eq!(expected.publics, found.publics);
    for (index, circuit) in system.circuits.iter().enumerate() {
        let [expected, found] = [expected, found].map(|witness| witness.traces[index].as_ref());
        assert_eq!(expected.map(Trace::height), found.map(Trace::height), "{}", circuit.name);
        let (Some(expected), Some(found)) = (expected, found) else { continue };
        for row in 0..expected.height() {
            assert_eq!(expected.row(row), found.row(row), "{} row {row}", circuit.name);
        }
    }
}

/// Any range of rows, wrapped at the height, after the record is gone.
fn replay(program: &CheckedProgram, unit: &'static ProgramUnit, record: Record) {
    let binding = Binding::new(program, &[unit]).unwrap();
    let options = PackOptions { chunk_rows: Some(3), short_run: 2 };
    let circuits = program.program().circuits.iter().enumerate().map(|(circuit, members)| {
        let members = binding.members(program, members).unwrap();
        CircuitSeeds::pack(members, &runs(program, &record, circuit), &record, &options).unwrap()
    });
    let circuits: Vec<CircuitSeeds> = circuits.collect();
    drop(record);
    for seeds in circuits {
        let Some(trace) = seeds.trace(&options).unwrap() else { continue };
        let height = trace.height();
        assert_eq!(height, seeds.height());
        for (first, count) in [(0, 1), (height - 1, 3), (height / 2, height), (5, 2 * height + 1)] {
            let mut rows = vec![Goldilocks::new(u64::MAX); count * trace.width];
            seeds.write_rows(first, &mut rows).unwrap();
            for (i, row) in rows.chunks_exact(trace.width).enumerate() {
                assert_eq!(row, trace.row((first + i) % height), "row {first} + {i}");
            }
        }
        assert!(trace.values[seeds.num_rows() * trace.width..].iter().all(|&x| x == element(0)));
    }
}
