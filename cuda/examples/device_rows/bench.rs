//! Figures: how fast rows are written, against a loop that only writes; how fast seeds
//! are packed and go up; and all of it together.
//!
//! Floors: a kernel writes `8 · width` bytes per row, at the write-only loop's speed; an
//! upload moves the seed's bytes per row, at the link's.

use std::error::Error;
use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha20Rng;
use traceloom_cuda::cache::KernelCache;
use traceloom_cuda::device::{Buffer, Device};
use traceloom_cuda::kernels::Kernels;
use traceloom_cuda::provider::{RowOptions, RowWriter};
use traceloom_cuda::rows::{CircuitRows, RowEngine, Window};
use traceloom_cuda::staging::StagingOptions;
use traceloom_generated::PROGRAMS;
use traceloom_plan::FunctionPlan;
use traceloom_plan::names::Writer;
use traceloom_runtime::bind::Binding;
use traceloom_runtime::ledger::{Kind, Ledger, Transfer};
use traceloom_runtime::order::runs;
use traceloom_runtime::seeds::PackOptions;
use traceloom_runtime::source::{RecordSource, SeedSource};

use crate::cases::{Case, Emitted};
use crate::parity::load;
use crate::sources::{Packed, repeated, unpacked, write_only};

const REPETITIONS: usize = 21;
/// Of what takes milliseconds on one core.
const FEW: usize = 5;

pub fn run(device: &Device, cache: Option<KernelCache>) -> Result<(), Box<dyn Error>> {
    let options = RowOptions { cache, ..RowOptions::from_environment(device)? };
    println!("bench repetitions={REPETITIONS} threads={}", rayon::current_num_threads());
    let blake3 = Case::new(traceloom_programs::blake3::program()?, None, &[60_000], 60_000)?;
    let sha256 = Case::new(traceloom_programs::sha256::program()?, None, &[60_000], 60_000)?;
    for log_rows in [16, 20] {
        registered(device, &options, &blake3, "blake3_compress", log_rows)?;
    }
    registered(device, &options, &sha256, "sha256_rounds", 16)?;
    if let Some(emitted) = Emitted::imported()? {
        imported(device, &options, &emitted)?;
    }
    let (_, peak) = device.memory();
    println!("bench peak_device_bytes={peak}");
    Ok(())
}

/// Median, least and most of what was timed.
fn times(label: &str, what: &str, mut samples: Vec<Duration>) -> Duration {
    samples.sort();
    let (median, last) = (samples[samples.len() / 2], samples[samples.len() - 1]);
    let micros = |time: Duration| time.as_secs_f64() * 1e6;
    println!(
        "time subject={label} what={what} median_us={:.2} min_us={:.2} max_us={:.2} samples={}",
        micros(median),
        micros(samples[0]),
        micros(last),
        samples.len()
    );
    median
}

fn rate(label: &str, what: &str, bytes: u64, time: Duration) {
    let speed = bytes as f64 / time.as_secs_f64() / 1e9;
    println!("rate subject={label} what={what} bytes={bytes} gb_per_s={speed:.2}");
}

fn ratio(label: &str, what: &str, time: Duration, of: Duration) {
    let ratio = time.as_secs_f64() / of.as_secs_f64();
    println!("ratio subject={label} what={what} value={ratio:.4}");
}

fn registered(
    device: &Device,
    options: &RowOptions,
    case: &Case,
    function: &str,
    log_rows: usize,
) -> Result<(), Box<dyn Error>> {
    let label = format!("{}/{function}/2^{log_rows}", case.name());
    let unit = traceloom_generated::find(&case.program.fingerprint()).ok_or("no unit")?;
    let circuit = case.circuit_of(function)?;
    let runs = runs(&case.program, &case.record, circuit);
    let recorded: usize = runs.iter().map(|run| run.queries.len()).sum();
    let runs = repeated(runs, 1 << log_rows);
    let binding = Binding::new(&case.program, PROGRAMS)?;
    let members = binding.members(&case.program, &case.program.program().circuits[circuit])?;
    let source = RecordSource::new(members, runs, &case.record, &PackOptions::default());
    let source = source.ok_or("no rows")?;
    println!("subject name={label} recorded_rows={recorded} runs={}", source.runs().len());
    packing(&label, &source)?;
    // Seeds that stay and a ring of the usual size; then rings of other chunks.
    let writer = RowWriter::new(
        device,
        traceloom_generated::IMAGES,
        RowOptions { seed_budget: 8 << 30, ..options.clone() },
    )?;
    let kernels = writer.kernels(unit, &Ledger::default())?;
    kernel(writer.engine(), &kernels, &label, &source)?;
    for chunk in [1 << 20, 2 << 20, 4 << 20, 8 << 20] {
        let chunk_bytes = NonZeroUsize::new(chunk).ok_or("no bytes")?;
        let staging = StagingOptions { chunk_bytes, ..StagingOptions::default() };
        let engine = RowEngine::new(device, staging, 8 << 30)?;
        pipeline(&engine, &kernels, &format!("{label}/chunk={chunk}"), &source)?;
    }
    Ok(())
}

fn imported(
    device: &Device,
    options: &RowOptions,
    emitted: &Emitted,
) -> Result<(), Box<dyn Error>> {
    let engine = RowEngine::new(device, options.staging, 8 << 30)?;
    let kernels = load(emitted, &engine, options)?;
    for function in emitted.widest() {
        for path in &function.paths {
            let (writer, stride) = (Writer::Path(path.path), path.schema.stride as usize);
            for log_rows in [16, 20] {
                made_up(&engine, &kernels, emitted, function, writer, stride, log_rows)?;
            }
        }
    }
    Ok(())
}

/// A path whose seeds are random bytes: rows of no valid trace, but as much work.
fn made_up(
    engine: &Arc<RowEngine>,
    kernels: &Kernels,
    emitted: &Emitted,
    function: &FunctionPlan,
    writer: Writer,
    stride: usize,
    log_rows: usize,
) -> Result<(), Box<dyn Error>> {
    let label = format!("imported/{}/{writer:?}/2^{log_rows}", function.name);
    let mut seeds = vec![0; 64 * stride];
    ChaCha20Rng::seed_from_u64(function.function.into()).fill_bytes(&mut seeds);
    let source = Packed::path(emitted, function, writer, stride, seeds, 1 << log_rows);
    println!("subject name={label} runs=1");
    kernel(engine, kernels, &label, &source)
}

fn cells(engine: &RowEngine, source: &dyn SeedSource) -> Result<Buffer, Box<dyn Error>> {
    let bytes = 8 * source.columns().width as u64 * source.height() as u64;
    let bytes = NonZeroU64::new(bytes).ok_or("no cells")?;
    Ok(engine.device().allocate(engine.compute(), "bench", bytes)?)
}

fn seed_bytes(source: &dyn SeedSource) -> u64 {
    let runs = source.runs().iter().enumerate();
    runs.map(|(run, of)| (of.rows.len() * source.kernel(run, of.encoding).1) as u64).sum()
}

/// Kernels alone, and the write-only loop over the same cells.
fn kernel(
    engine: &Arc<RowEngine>,
    kernels: &Kernels,
    label: &str,
    source: &dyn SeedSource,
) -> Result<(), Box<dyn Error>> {
    let (width, height) = (source.columns().width, source.height() as u64);
    let cells = cells(engine, source)?;
    let ledger = Ledger::default();
    println!("shape subject={label} width={width} height={height} seeds={}", seed_bytes(source));
    let mut names: Vec<&str> = Vec::new();
    for (run, of) in source.runs().iter().enumerate() {
        let (name, stride) = source.kernel(run, of.encoding);
        if !names.contains(&name) {
            names.push(name);
            let (registers, local) = kernels.resources(name)?.ok_or("no kernel")?;
            println!(
                "kernel subject={label} name={name} stride={stride} registers={registers} \
                 local_bytes={local}"
            );
        }
    }
    let write_only = write_only(source);
    let rows = CircuitRows::new(engine, kernels, label, source, &ledger);
    let floor = CircuitRows::new(engine, kernels, label, &write_only, &ledger);
    let all = Window { cells: &cells, stride: height, first: 0, count: height };
    let padding = Window { first: 1, count: height - 1, ..all };
    // Seeds go up here, and stay.
    for (rows, window) in [(&rows, &all), (&floor, &padding)] {
        rows.write(window)?;
    }
    engine.staging().synchronize()?;
    let stream = engine.compute();
    let timed = |work: &dyn Fn() -> Result<(), Box<dyn Error>>| {
        // Work in front, so that everything is queued when the first kernel begins and
        // no time of the host is measured.
        for _ in 0..4 {
            stream.fill(&cells, 0)?;
        }
        let begin = stream.record()?;
        work()?;
        let end = stream.record()?;
        end.wait()?;
        Ok::<_, Box<dyn Error>>(end.elapsed_since(&begin)?)
    };
    let (mut samples, mut floors, mut fills) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..REPETITIONS {
        // Alternating, so that what changes slowly changes all.
        samples.push(timed(&|| Ok(rows.write(&all)?))?);
        floors.push(timed(&|| Ok(floor.write(&padding)?))?);
        fills.push(timed(&|| Ok(stream.fill(&cells, 0)?))?);
    }
    let bytes = 8 * width as u64 * height;
    let time = times(label, "kernels", samples);
    let floor = times(label, "write-only", floors);
    let fill = times(label, "memset", fills);
    for (what, time) in [("kernels", time), ("write-only", floor), ("memset", fill)] {
        rate(label, what, bytes, time);
    }
    ratio(label, "write-only-over-kernels", floor, time);
    Ok(())
}

/// Packing into memory that nothing else uses, on one thread and on all.
fn packing(label: &str, source: &dyn SeedSource) -> Result<(), Box<dyn Error>> {
    let mut buffers: Vec<Vec<u8>> = Vec::new();
    for (run, of) in source.runs().iter().enumerate() {
        buffers.push(vec![0; of.rows.len() * source.kernel(run, of.encoding).1]);
    }
    let bytes = seed_bytes(source);
    for threads in [1, rayon::current_num_threads()] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        let mut samples = Vec::new();
        for _ in 0..FEW {
            let start = Instant::now();
            for (run, buffer) in buffers.iter_mut().enumerate() {
                let of = &source.runs()[run];
                let fill = || source.fill(run, of.encoding, 0..of.rows.len(), buffer);
                if !pool.install(fill)? {
                    return Err(format!("{label}: a row does not fit its seed").into());
                }
            }
            samples.push(start.elapsed());
        }
        let what = format!("packing-{threads}-threads");
        let time = times(label, &what, samples);
        rate(label, &what, bytes, time);
    }
    Ok(())
}

/// Seeds go up in chunks while rows of earlier ones are written.
fn pipeline(
    engine: &Arc<RowEngine>,
    kernels: &Kernels,
    label: &str,
    source: &dyn SeedSource,
) -> Result<(), Box<dyn Error>> {
    let cells = cells(engine, source)?;
    let ledger = Ledger::default();
    let unpacked = unpacked(source);
    let height = source.height() as u64;
    let window = Window { cells: &cells, stride: height, first: 0, count: height };
    let write = |source: &dyn SeedSource| {
        let rows = CircuitRows::new(engine, kernels, label, source, &ledger);
        let start = Instant::now();
        rows.write(&window)?;
        engine.compute().synchronize(&Default::default())?;
        Ok::<_, Box<dyn Error>>(start.elapsed())
    };
    // The ring is full of seeds from here on.
    write(source)?;
    let bytes = seed_bytes(source);
    let (mut uploads, mut from_packed, mut from_record) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..REPETITIONS {
        uploads.push(upload(engine, source)?);
        from_packed.push(write(&unpacked)?);
    }
    for _ in 0..FEW {
        from_record.push(write(source)?);
    }
    let alone = times(label, "upload", uploads);
    rate(label, "upload", bytes, alone);
    let packed = times(label, "packed-seeds-to-rows", from_packed);
    ratio(label, "packed-seeds-to-rows-over-upload", packed, alone);
    let record = times(label, "record-to-rows", from_record);
    rate(label, "record-to-rows", 8 * source.columns().width as u64 * height, record);
    Ok(())
}

/// The same bytes up in the same chunks, and nothing else.
fn upload(engine: &RowEngine, source: &dyn SeedSource) -> Result<Duration, Box<dyn Error>> {
    let staging = engine.staging();
    let ledger = Ledger::default();
    let transfer = Transfer { circuit: "upload", kind: Kind::Seeds };
    let start = Instant::now();
    for (run, of) in source.runs().iter().enumerate() {
        let stride = source.kernel(run, of.encoding).1;
        let len = (of.rows.len() * stride) as u64;
        let bytes = NonZeroU64::new(len).ok_or("no seeds")?;
        let buffer = engine.device().allocate(staging.stream(), "upload", bytes)?;
        let step = staging.chunk_bytes() / stride * stride;
        for offset in (0..len).step_by(step) {
            let len = (len - offset).min(step as u64) as usize;
            staging.chunk()?.send(&buffer, offset, len, &ledger, &transfer)?;
        }
    }
    staging.synchronize()?;
    Ok(start.elapsed())
}
