//! Figures: time of launches, beside the time that their bytes and their instructions need.
//!
//! Floors, measured on an H200 (docs/measurements.md): copies move 4.3 TB/s; blocks of eight
//! with shifts run 1.84 T elements times stages per second; the processor issues 16.7 T
//! integer instructions per second, of which a compression of BLAKE3 takes about 700.

use std::time::Duration;

use traceloom_cuda::device::Buffer;
use traceloom_cuda::prover_kernels::Launch;
use traceloom_cuda::prover_kernels::transform::{ColumnsAt, Extension, Places};
use traceloom_cuda::prover_kernels::tree::{MatrixAt, Tree, TreePlaces};

use crate::kit::{Kit, Outcome};
use crate::stages;

const REPETITIONS: usize = 9;
const BYTES_PER_SECOND: f64 = 4.3e12;
const ELEMENT_STAGES_PER_SECOND: f64 = 1.84e12;
const COMPRESSIONS_PER_SECOND: f64 = 16.7e12 / 700.0;

pub fn run(kit: &Kit) -> Outcome {
    for (name, (registers, local)) in kit.kernels.resources()? {
        println!("kernel name={name} registers={registers} local_bytes={local}");
    }
    for (log_height, width, chunks) in [
        (22, 64, &[1, 4, 8, 16, 64][..]),
        (20, 256, &[1, 8, 32, 256]),
        (16, 512, &[32, 128, 512]),
        (12, 512, &[512]),
    ] {
        for &chunk in chunks {
            extension(kit, log_height, width, chunk)?;
        }
    }
    for (log_height, width) in [(24, 64), (23, 128), (20, 490), (22, 490)] {
        tree(kit, log_height, width)?;
    }
    stages::run(kit)?;
    println!("bench peak_device_bytes={}", kit.device.memory().1);
    Ok(())
}

/// Times of launches, sorted.
pub fn times(kit: &Kit, launches: &[Launch], buffers: &[&Buffer]) -> Outcome<Vec<Duration>> {
    kit.run(launches, buffers)?;
    let mut samples = Vec::new();
    for _ in 0..REPETITIONS {
        // Work in front, so that what follows is queued before it begins.
        kit.stream.fill(buffers[buffers.len() - 1], 0)?;
        let begin = kit.stream.record()?;
        kit.run(launches, buffers)?;
        let end = kit.stream.record()?;
        end.wait()?;
        samples.push(end.elapsed_since(&begin)?);
    }
    samples.sort();
    Ok(samples)
}

pub fn report(subject: &str, samples: &[Duration], bytes: u64, issue_seconds: f64) {
    let seconds = |sample: Duration| sample.as_secs_f64();
    let median = seconds(samples[samples.len() / 2]);
    println!(
        "time {subject} median_us={:.1} min_us={:.1} max_us={:.1} samples={} gb_per_s={:.0} \
         of_byte_floor={:.3} of_issue_floor={:.3}",
        1e6 * median,
        1e6 * seconds(samples[0]),
        1e6 * seconds(samples[samples.len() - 1]),
        samples.len(),
        bytes as f64 / median / 1e9,
        bytes as f64 / BYTES_PER_SECOND / median,
        issue_seconds / median
    );
}

fn extension(kit: &Kit, log_height: u32, width: u64, chunk: u64) -> Outcome {
    let extension = Extension::new(log_height, 2)?;
    let (height, extended) = (extension.height(), extension.extended_height());
    let at = |buffer, stride| ColumnsAt { buffer, first: 0, stride };
    let (from, to) = (at(0, height), at(1, extended));
    let places = Places { from, to, tables: 2, factors: 3, scratch: 4, chunk };
    let buffers = [
        kit.buffer("from", height * width)?,
        kit.buffer("to", extended * width)?,
        kit.upload("tables", extension.tables())?,
        kit.buffer("factors", extension.factor_words())?,
        kit.buffer("scratch", chunk * extension.scratch_words())?,
    ];
    kit.stream.fill(&buffers[0], 0x5a)?;
    let buffers = buffers.each_ref();
    let subject = |what: &str| {
        format!("what={what} rows=2^{log_height} columns={width} blowup=4 chunk={chunk}")
    };
    let prepare = extension.prepare(&places);
    if !prepare.is_empty() {
        let samples = times(kit, &prepare, &buffers)?;
        report(&subject("factors"), &samples, 8 * extension.factor_words(), 0.0);
    }
    let launches = extension.launches(&places, width)?;
    let samples = times(kit, &launches, &buffers)?;
    let stages = extension.element_stages(width) as f64 / ELEMENT_STAGES_PER_SECOND;
    report(&subject("extension"), &samples, extension.bytes(width), stages);
    // The launches of one chunk apart.
    for launch in launches.chunks(3).next().unwrap_or_default() {
        let columns = chunk.min(width);
        let (words, stages) = match launch.kernel.as_str() {
            name if name.starts_with("tl_inverse") => (2 * height, 0),
            name if name.starts_with("tl_forward") => (2 * extended, 0),
            _ => (height + extended, extension.element_stages(columns)),
        };
        let samples = times(kit, std::slice::from_ref(launch), &buffers)?;
        let stages = if launches.len() > 1 { 0 } else { stages };
        let name = &launch.kernel;
        report(
            &subject(name),
            &samples,
            8 * words * columns,
            stages as f64 / ELEMENT_STAGES_PER_SECOND,
        );
        if launches.len() < 3 {
            break;
        }
    }
    Ok(())
}

fn tree(kit: &Kit, log_height: u32, width: u64) -> Outcome {
    let height = 1 << log_height;
    let tree = Tree::new(&[MatrixAt { first: 0, width, stride: height, height }])?;
    let buffers = [
        kit.buffer("cells", height * width)?,
        kit.upload("list", tree.list())?,
        kit.buffer("digests", tree.digest_bytes() / 8)?,
        kit.buffer("scratch", 1)?,
    ];
    kit.stream.fill(&buffers[0], 0x5a)?;
    let buffers = buffers.each_ref();
    let launches = tree.launches(&TreePlaces { matrices: 0, list: 1, digests: 2, scratch: 3 });
    let samples = times(kit, &launches, &buffers)?;
    let issue = tree.compressions() as f64 / COMPRESSIONS_PER_SECOND;
    report(
        &format!("what=tree rows=2^{log_height} columns={width}"),
        &samples,
        tree.bytes(),
        issue,
    );
    let samples = times(kit, &launches[..1], &buffers)?;
    let compressions = tree.compressions() - (height - 1);
    let issue = compressions as f64 / COMPRESSIONS_PER_SECOND;
    let bytes = height * (8 * width + 32);
    report(&format!("what=leaves rows=2^{log_height} columns={width}"), &samples, bytes, issue);
    Ok(())
}
