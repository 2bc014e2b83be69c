//! What a session reports, printed on standard error.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use traceloom_runtime::session::{Progress as Now, SessionBuilder, Step};

use super::backend::{Gpu, Writers};
use super::log::Progress;

/// A session that uses `gpu` and reports what it does.
pub fn told(builder: SessionBuilder, gpu: Gpu, progress: &Progress) -> SessionBuilder {
    let (noting, progress) = (progress.clone(), progress.clone());
    let writers = gpu.writers;
    let is_said = AtomicBool::new(false);
    let told = Mutex::new(None);
    builder.devices(gpu.devices).notices(move |notice| noting.note(notice)).progress(move |now| {
        // Kernels are loaded with the choice of who writes rows.
        if now.stage == Step::Rows && !is_said.swap(true, Ordering::Relaxed) {
            kernels(&writers, &progress);
        }
        let (stage, shard) = (now.stage, several(now).map(|of| of.shard));
        let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.replace((stage, shard)) != Some((stage, shard)) {
            progress.step(now);
        }
        if now.done > 0 {
            progress.part(now);
        }
    })
}

/// The shard of a step, where there are several.
pub fn several(now: &Now) -> Option<traceloom_runtime::session::ShardProgress> {
    now.shard.filter(|of| of.num_shards > 1)
}

/// Reports kernels that were compiled just now, because the user waited for them.
fn kernels(writers: &Writers, progress: &Progress) {
    let writers = writers.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let compiled = writers.iter().flat_map(|writer| writer.compiled_now());
    for (program, origin) in compiled {
        progress.note(&format!("kernels of program {program:?}: {origin}"));
    }
}
