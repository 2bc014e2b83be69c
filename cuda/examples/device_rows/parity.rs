//! Every cell that the device writes, against the reference builder, over poison.

use std::error::Error;
use std::num::NonZeroU64;

use traceloom_air::field::word;
use traceloom_air::trace::Trace;
use traceloom_bytecode::system::GroupColumns;
use traceloom_cuda::cache::KernelCache;
use traceloom_cuda::device::Device;
use traceloom_cuda::kernels::{KernelRequest, Kernels};
use traceloom_cuda::provider::{RowOptions, RowWriter};
use traceloom_cuda::rows::{CircuitRows, RowEngine, Window};
use traceloom_generated::PROGRAMS;
use traceloom_host_kernels::launches::{Encoding, Executed};
use traceloom_runtime::bind::Binding;
use traceloom_runtime::device::DeviceOption;
use traceloom_runtime::ledger::{Kind, Ledger, Transfer};
use traceloom_runtime::order::runs;
use traceloom_runtime::provider::{Choices, TraceOptions, TraceProvider, witness};
use traceloom_runtime::seeds::PackOptions;
use traceloom_runtime::source::{RecordSource, SeedSource};

use crate::cases::{Case, DIGEST, Emitted, registered};
use crate::sources::Packed;

pub fn run(device: &Device, cache: Option<KernelCache>) -> Result<(), Box<dyn Error>> {
    device.poison_fresh_memory();
    let options = RowOptions { cache, ..RowOptions::from_environment(device)? };
    let writer = RowWriter::new(device, traceloom_generated::IMAGES, options.clone())?;
    for case in registered()? {
        whole(&case, &writer)?;
        windows(&case, &writer)?;
    }
    match Emitted::imported()? {
        Some(emitted) => imported(&emitted, &writer, &options)?,
        None => println!("parity program=imported result=skipped"),
    }
    let (held, peak) = device.memory();
    println!("parity result=equal held={held} peak={peak}");
    Ok(())
}

/// The way of a proof: chosen, written, downloaded.
fn whole(case: &Case, writer: &RowWriter) -> Result<(), Box<dyn Error>> {
    let device = DeviceOption::Ready { device: writer, record: &case.record };
    let (provider, strict) = (TraceProvider::Device, true);
    let options = TraceOptions { provider, strict, device, ..TraceOptions::new(PROGRAMS) };
    let choices = Choices::new(&case.program, &case.system, &options)?;
    let claims = case.claims.clone();
    let (found, report) = witness(&case.program, &case.system, &case.record, claims, &choices)?;
    if found != case.reference()? {
        return Err(format!("program {}: traces differ from the reference", case.name()).into());
    }
    let cells: usize = report.circuits.iter().map(|c| c.height * c.width).sum();
    let ledger = &report.ledger;
    println!(
        "parity program={} circuits={} cells={cells} up={} down={} result=equal",
        case.name(),
        report.circuits.len(),
        ledger.of_kind(Kind::Seeds).up,
        ledger.of_kind(Kind::Rows).down
    );
    Ok(())
}

fn windows(case: &Case, writer: &RowWriter) -> Result<(), Box<dyn Error>> {
    let expected = case.reference()?;
    let unit = traceloom_generated::find(&case.program.fingerprint()).ok_or("no unit")?;
    let binding = Binding::new(&case.program, PROGRAMS)?;
    let ledger = Ledger::default();
    let kernels = writer.kernels(unit, &ledger)?;
    for (circuit, members) in case.program.program().circuits.iter().enumerate() {
        let members = binding.members(&case.program, members)?;
        let runs = runs(&case.program, &case.record, circuit);
        let options = PackOptions::default();
        let source = RecordSource::new(members, runs, &case.record, &options);
        let (Some(source), Some(trace)) = (source, &expected.traces[circuit]) else { continue };
        let name = format!("{}, circuit {circuit}", case.name());
        check(writer.engine(), &kernels, &name, &source, trace)?;
    }
    Ok(())
}

/// Both encodings of every circuit that has rows.
fn imported(
    emitted: &Emitted,
    writer: &RowWriter,
    options: &RowOptions,
) -> Result<(), Box<dyn Error>> {
    let kernels = load(emitted, writer.engine(), options)?;
    println!("kernels program=imported origin=\"{}\"", kernels.origin());
    for case in &emitted.cases {
        imported_case(emitted, case, writer, &kernels)?;
    }
    Ok(())
}

fn imported_case(
    emitted: &Emitted,
    case: &Case,
    writer: &RowWriter,
    kernels: &Kernels,
) -> Result<(), Box<dyn Error>> {
    let plan = &emitted.plan;
    let executed = Executed { program: &case.program, plan, record: &case.record };
    let expected = case.reference()?;
    let (mut circuits, mut cells) = (0, 0);
    for (circuit, members) in case.program.program().circuits.iter().enumerate() {
        let Some(trace) = &expected.traces[circuit] else { continue };
        let columns = GroupColumns::new(&case.program, members);
        for encoding in [Encoding::Typed, Encoding::Full] {
            let runs = executed.seeded_runs(circuit, trace, encoding);
            let source = Packed::new(emitted, &columns, runs);
            let name = format!("imported, circuit {circuit}, {encoding:?}");
            check(writer.engine(), kernels, &name, &source, trace)?;
            cells += trace.values.len();
        }
        circuits += 1;
    }
    let input = case.claims[0].claim.inputs[0];
    println!(
        "parity program=imported input={input} circuits={circuits} cells={cells} result=equal"
    );
    Ok(())
}

/// The kernels of the imported program.
pub fn load(
    emitted: &Emitted,
    engine: &RowEngine,
    options: &RowOptions,
) -> Result<Kernels, Box<dyn Error>> {
    let request = KernelRequest {
        program: "imported",
        digest: DIGEST,
        names: emitted.names(),
        images: &[],
        sources: emitted.sources(),
        cache: options.cache.as_ref(),
    };
    Ok(Kernels::load(engine.compute(), &request, &Ledger::default())?)
}

/// Whole, one, some, wrapping windows with room between columns that nothing may write.
fn check(
    engine: &RowEngine,
    kernels: &Kernels,
    name: &str,
    source: &dyn SeedSource,
    trace: &Trace,
) -> Result<(), Box<dyn Error>> {
    let height = trace.height() as u64;
    let mut windows = vec![(0, height, 0), (0, 1, 3), (height - 1, 1, 0)];
    if height >= 4 {
        windows.extend([(1, height / 2, 1), (height - 1, 3, 0), (height / 2 + 1, height, 5)]);
    }
    let ledger = Ledger::default();
    let rows = CircuitRows::new(engine, kernels, name, source, &ledger);
    for (first, count, slack) in windows {
        let stride = count + slack;
        let bytes = NonZeroU64::new(8 * stride * trace.width as u64).ok_or("no cells")?;
        let cells = engine.device().allocate(engine.compute(), "window", bytes)?;
        rows.write(&Window { cells: &cells, stride, first, count })?;
        let transfer = Transfer { circuit: name, kind: Kind::Rows };
        let bytes = engine.compute().read(&cells, &ledger, &transfer)?;
        let (words, _) = bytes.as_chunks::<8>();
        for (at, found) in words.iter().enumerate() {
            let (column, i) = (at / stride as usize, (at % stride as usize) as u64);
            let row = ((first + i) % height) as usize;
            let expected = match i < count {
                true => word(trace.row(row)[column]),
                false => u64::MAX,
            };
            let found = u64::from_le_bytes(*found);
            if found != expected {
                return Err(format!(
                    "{name}: window {first}+{count}, column {column}, row {row}: expected \
                     {expected:#x}, found {found:#x}"
                )
                .into());
            }
        }
    }
    Ok(())
}
