//! Where a proof is computed: on the CPU, or on a device that proves.
//!
//! What is asked for by name is there or is an error. `auto` compares about how long both take,
//! once the rows are counted; no device is opened for a proof that the CPU makes sooner.

use std::thread::available_parallelism;
use std::time::Duration;

use super::Devices;
use crate::device::ProofDevice;
use crate::provider::TraceProvider;

/// What a caller may ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backend {
    /// The one that is sooner done, by a model of costs.
    #[default]
    Auto,
    /// The CPU; nothing of a device is touched.
    Cpu,
    /// A device: all of a proof, from the rows on.
    Device,
}

/// Why a proof cannot be computed where it was asked for; messages go on after the backend's
/// name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BackendError {
    /// There is no device to use, or it does not prove.
    #[error(": {0}")]
    NoDevice(String),
}

/// Where a proof is computed, chosen once.
#[derive(Clone, Debug)]
pub(super) struct Decision<'a> {
    /// Name of the backend.
    pub name: &'static str,
    /// The devices that prove, with their names; without any the CPU does.
    pub devices: Vec<(String, &'a dyn ProofDevice)>,
    /// Why it is there, where there was or could have been a choice.
    pub reason: Option<String>,
    /// Who writes rows; the backend decides what `auto` means.
    pub provider: TraceProvider,
}

/// What is known before the rows are counted.
#[derive(Clone, Debug)]
pub(super) enum Early<'a> {
    /// The decision.
    Made(Decision<'a>),
    /// Both are possible: [`Decision::compare`] decides.
    Open,
}

/// Time of a cell of a committed matrix on one core, in picoseconds: 20.0 s on 16 cores for the
/// stages of 2^20 rows of BLAKE3 compressions, 590 columns, blowup 4.
const PICOSECONDS_PER_CELL: u128 = 129_000;

/// About how long the CPU takes to commit to this many cells, extended ones, and to open them.
fn cpu_estimate(cells: u128, threads: usize) -> Duration {
    let picoseconds = cells.saturating_mul(PICOSECONDS_PER_CELL) / threads.max(1) as u128;
    Duration::from_micros(u64::try_from(picoseconds / 1_000_000).unwrap_or(u64::MAX))
}

/// Chooses as far as that needs no rows.
pub(super) fn decide(
    backend: Backend,
    provider: TraceProvider,
    devices: &Devices,
) -> Result<Early<'_>, BackendError> {
    let no_device = |why: &str| Err(BackendError::NoDevice(why.into()));
    match (backend, devices) {
        (Backend::Cpu, _) | (Backend::Auto, Devices::NotAsked) => {
            Ok(Early::Made(Decision::on_cpu(None, provider)))
        }
        (Backend::Auto, Devices::Unavailable(why)) => {
            Ok(Early::Made(Decision::on_cpu(Some(why.clone()), provider)))
        }
        (Backend::Auto, Devices::Found(_) | Devices::OnDemand(_)) => Ok(Early::Open),
        (Backend::Device, Devices::NotAsked) => no_device("this session was given no device"),
        (Backend::Device, Devices::Unavailable(why)) => no_device(why),
        (Backend::Device, Devices::Found(_) | Devices::OnDemand(_)) => {
            let devices = devices.provers().map_err(BackendError::NoDevice)?;
            Ok(Early::Made(Decision::on_devices(devices, None, provider)))
        }
    }
}

impl<'a> Decision<'a> {
    pub(super) fn on_cpu(reason: Option<String>, provider: TraceProvider) -> Self {
        Self { name: "cpu", devices: Vec::new(), reason, provider }
    }

    /// On devices, of which there is one at least.
    fn on_devices(
        devices: Vec<(String, &'a dyn ProofDevice)>,
        reason: Option<String>,
        provider: TraceProvider,
    ) -> Self {
        let provider = match provider {
            TraceProvider::Auto => TraceProvider::Device,
            other => other,
        };
        Self { name: devices[0].1.backend(), devices, reason, provider }
    }

    /// The sooner of both for a proof that commits to `cells` cells, extended ones. A device that
    /// cannot be opened leaves the CPU.
    pub(super) fn compare(devices: &'a Devices, provider: TraceProvider, cells: u128) -> Self {
        let threads = available_parallelism().map_or(1, usize::from);
        let on_cpu = cpu_estimate(cells, threads);
        let on_device = devices.estimate(cells);
        let figures = format!(
            "about {:.1} s on the CPU ({threads} threads) and {:.1} s on the GPU, its start \
             included if it has not started",
            on_cpu.as_secs_f64(),
            on_device.as_secs_f64()
        );
        if on_cpu <= on_device {
            return Self::on_cpu(Some(figures), provider);
        }
        match devices.provers() {
            Ok(devices) => Self::on_devices(devices, Some(figures), provider),
            Err(why) => Self::on_cpu(Some(why), provider),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_estimate_is_what_was_measured() {
        let seconds = |cells| cpu_estimate(cells, 16).as_secs_f64();
        assert!((18.0..22.0).contains(&seconds((590 << 20) * 4)));
        assert_eq!(cpu_estimate(0, 0), Duration::ZERO);
        assert!(cpu_estimate(u128::MAX, 1) > Duration::from_secs(1 << 40));
    }

    #[test]
    fn a_device_is_opened_only_where_it_is_sooner_done() {
        use std::sync::Arc;
        use std::sync::atomic::{AtomicUsize, Ordering};

        use crate::session::OnDemand;

        let opened = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&opened);
        let open = move || {
            counted.fetch_add(1, Ordering::SeqCst);
            Err("it does not start".to_owned())
        };
        let estimate = |_: u128| Duration::from_secs(2);
        let devices = Devices::OnDemand(Arc::new(OnDemand::new(open, estimate)));
        let small = Decision::compare(&devices, TraceProvider::Auto, 1000);
        assert_eq!((small.name, opened.load(Ordering::SeqCst)), ("cpu", 0));
        let reason = small.reason.unwrap();
        assert!(reason.starts_with("about 0.0 s on the CPU (") && reason.contains("2.0 s on the"));
        for _ in 0..2 {
            let large = Decision::compare(&devices, TraceProvider::Auto, 1 << 50);
            assert_eq!((large.name, large.reason.as_deref()), ("cpu", Some("it does not start")));
            assert_eq!(opened.load(Ordering::SeqCst), 1, "asked once");
        }
        let error = decide(Backend::Device, TraceProvider::Auto, &devices).unwrap_err();
        assert_eq!(error, BackendError::NoDevice("it does not start".into()));
    }
}
