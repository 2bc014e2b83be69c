//! What a session reports, printed on standard error.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use traceloom_cuda::provider::RowWriter;
use traceloom_runtime::session::{SessionBuilder, Step};

use super::backend::Gpu;
use super::output::Progress;

/// A session that uses `gpu` and reports what it does.
pub fn told(builder: SessionBuilder, gpu: Gpu, progress: Progress) -> SessionBuilder {
    let writer = gpu.writer;
    let is_said = AtomicBool::new(false);
    let told = Mutex::new(None);
    builder.devices(gpu.devices).notices(move |notice| progress.note(notice)).progress(move |now| {
        // Kernels are loaded with the choice of who writes rows.
        if now.stage == Step::Rows && !is_said.swap(true, Ordering::Relaxed) {
            kernels(&writer, progress);
        }
        let before = told.lock().unwrap_or_else(PoisonError::into_inner).replace(now.stage);
        if before != Some(now.stage) {
            progress.step(now.stage.name());
        }
        if now.done > 0 {
            progress.part(now);
        }
    })
}

/// Reports kernels that were compiled just now, because the user waited for them.
fn kernels(writer: &OnceLock<Arc<RowWriter>>, progress: Progress) {
    let compiled = writer.get().into_iter().flat_map(|writer| writer.compiled_now());
    for (program, origin) in compiled {
        progress.note(&format!("kernels of program {program:?}: {origin}"));
    }
}
