//! What a proof takes of a device, and from where: limits, shards that are made again from
//! resident seeds, kernels with and without an image.

use std::num::NonZeroU64;
use std::sync::Arc;

use traceloom_cuda::provider::{RowOptions, RowWriter};
use traceloom_prover::Retention;
use traceloom_runtime::ledger::Kind;
use traceloom_runtime::session::Proved;
use traceloom_runtime::shards::{NumShards, RetentionChoice, ShardOptions};
use traceloom_verifier::Profile;

use crate::cases::Case;
use crate::{Outcome, open_with};

pub fn run(folder: &str) -> Outcome {
    kernels(folder)?;
    regenerated(folder)?;
    limited(folder)
}

fn equal(what: &str, found: &Proved, expected: &Proved) -> Outcome {
    match found.bytes == expected.bytes {
        true => Ok(()),
        false => Err(format!("{what}: the proofs differ").into()),
    }
}

/// With the image of this build, and without any.
fn kernels(folder: &str) -> Outcome {
    let case = Case::blake3(1500);
    let expected = case.on_cpu(Profile::Standard)?.prove(case.request()?)?;
    let without = |options| RowOptions { prover_images: &[], ..options };
    let writers = [open_with(folder, true, |options| options)?, open_with(folder, true, without)?];
    for writer in writers {
        let session = case.on_device(Profile::Standard, &writer, false)?;
        let proved = session.prove(case.request()?)?;
        equal("kernels", &proved, &expected)?;
        let report = proved.report.devices.into_iter().next().ok_or("no report of the device")?;
        println!("kernels: equal, {}", report.kernels);
    }
    Ok(())
}

fn sharded(
    case: &Case,
    writer: &Arc<RowWriter>,
    shards: NumShards,
    retention: RetentionChoice,
) -> Outcome<Proved> {
    let options = ShardOptions { shards, retention, ..ShardOptions::default() };
    let session = case.on_device_in(Profile::Standard, writer, options)?;
    Ok(session.prove(case.request()?)?)
}

/// Rows are written twice, and their seeds go up once.
fn regenerated(folder: &str) -> Outcome {
    let case = Case::blake3(300_000);
    let three = NumShards::Exactly(3);
    let writer = open_with(folder, true, |options| options)?;
    let [kept, again] = [Retention::Retain, Retention::Regenerate]
        .map(|retention| sharded(&case, &writer, three, RetentionChoice::Always(retention)));
    let (kept, again) = (kept?, again?);
    equal("regeneration", &again, &kept)?;
    let counts = |proved: &Proved| {
        let ledger = &proved.report.trace.ledger;
        let rows = ledger.dispatched.iter().filter(|((circuit, _), _)| circuit != "prover");
        (ledger.of_kind(Kind::Seeds).up, rows.map(|(_, of)| of.rows).sum::<u64>())
    };
    let (kept_up, kept_rows) = counts(&kept);
    let (up, rows) = counts(&again);
    println!("regeneration: seeds_up={up} rows={rows}; kept: seeds_up={kept_up} rows={kept_rows}");
    match (up, rows) == (kept_up, 2 * kept_rows) {
        true => Ok(()),
        false => Err("seeds went up again, or rows were not written twice".into()),
    }
}

/// What is planned suffices; less gives several shards.
fn limited(folder: &str) -> Outcome {
    let case = Case::blake3(1 << 20);
    let writer = open_with(folder, false, |options| options)?;
    let whole = sharded(&case, &writer, NumShards::Auto, RetentionChoice::Auto)?;
    let report = whole.report.devices.first().ok_or("no report of the device")?;
    let (planned, peak) = (report.planned_bytes, report.peak_bytes);
    println!("memory: planned={planned} peak={peak} taken={}", report.taken_bytes);
    drop(writer);
    for (part, is_whole) in [(planned, true), (planned / 2, false)] {
        let limit = |options| RowOptions { max_memory: NonZeroU64::new(part), ..options };
        let writer = open_with(folder, false, limit)?;
        let proved = sharded(&case, &writer, NumShards::Auto, RetentionChoice::Auto)?;
        let report = proved.report.devices.first().ok_or("no report of the device")?;
        let shards = proved.proof.statements.len();
        println!(
            "memory: limit={part} shards={shards} planned={} peak={} taken={}",
            report.planned_bytes, report.peak_bytes, report.taken_bytes
        );
        if report.taken_bytes > part || (shards == 1) != is_whole {
            return Err("the limit was not kept, or the shards are not those that fit".into());
        }
        if is_whole {
            equal("a limit", &proved, &whole)?;
        }
    }
    Ok(())
}
