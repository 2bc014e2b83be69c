//! Figures: time per stage of the hash of a file, on the device and on the CPU.

use std::sync::Arc;
use std::time::Instant;

use traceloom_cuda::provider::RowWriter;
use traceloom_runtime::session::{Proved, Session};
use traceloom_verifier::Profile;

use crate::Outcome;
use crate::cases::Case;

pub fn run(writer: &Arc<RowWriter>, case: &Case, count: usize, with_cpu: bool) -> Outcome {
    let session = case.on_device(Profile::Standard, writer, false)?;
    let mut bytes = None;
    // The first proof loads kernels and makes tables and keys.
    for repetition in 0..=count {
        let proved = timed(&session, case, &format!("cuda run={repetition}"))?;
        moved(&proved, writer);
        if repetition == count {
            steps(&proved);
        }
        bytes = Some(proved.bytes);
    }
    if with_cpu {
        let proved = timed(&case.on_cpu(Profile::Standard)?, case, "cpu run=0")?;
        if Some(&proved.bytes) != bytes.as_ref() {
            return Err("the proofs of the device and the CPU differ".into());
        }
        println!("equal {} proof_bytes={}", case.name, proved.bytes.len());
    }
    Ok(())
}

/// Proves once and prints a line: stages, those of the prover together, and all.
fn timed(session: &Session, case: &Case, what: &str) -> Outcome<Proved> {
    let start = Instant::now();
    let proved = session.prove(case.request()?)?;
    let all = start.elapsed().as_secs_f64();
    let stages = proved.report.stages.iter();
    let stages = stages.map(|(name, time)| {
        format!("{}_ms={:.2}", name.replace(' ', "_"), 1e3 * time.as_secs_f64())
    });
    println!(
        "time backend={what} case={:?} {} prover_ms={:.2} all_ms={:.2} transforms_ms={:.2} \
         hashing_ms={:.2} evaluation_ms={:.2}",
        case.name,
        stages.collect::<Vec<_>>().join(" "),
        1e3 * proved.metrics.total().as_secs_f64(),
        1e3 * all,
        1e3 * proved.metrics.transforms.as_secs_f64(),
        1e3 * proved.metrics.hashing.as_secs_f64(),
        1e3 * proved.metrics.evaluation.as_secs_f64()
    );
    Ok(proved)
}

/// Prints the steps of a proof beside their floors.
fn steps(proved: &Proved) {
    let Some(device) = proved.report.devices.first() else { return };
    println!(
        "device kernels={:?} bytes_per_second={} planned_bytes={} peak_bytes={} taken_bytes={}",
        device.kernels,
        device.bandwidth,
        device.planned_bytes,
        device.peak_bytes,
        device.taken_bytes
    );
    for step in &device.steps {
        println!(
            "step stage={:?} name={:?} launches={} ms={:.3} floor_bytes={} of_floor={:.3}",
            step.stage,
            step.name,
            step.launches,
            1e3 * step.time.as_secs_f64(),
            step.bytes,
            step.of_floor(device.bandwidth).unwrap_or(0.0)
        );
    }
}

/// Prints what went up and came down, launches, and the memory of the device.
fn moved(proved: &Proved, writer: &Arc<RowWriter>) {
    let ledger = &proved.report.trace.ledger;
    let launches: u64 = ledger.dispatched.values().map(|of| of.launches).sum();
    let rows: u64 = ledger.avoided.values().sum();
    let total = ledger.total();
    println!(
        "moved up_bytes={} down_bytes={} host_built_bytes={rows} transfers={} launches={launches} \
         proof_bytes={} peak_device_bytes={}",
        total.up,
        total.down,
        total.transfers,
        proved.bytes.len(),
        writer.engine().device().memory().1
    );
}
