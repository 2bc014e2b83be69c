//! Who may take how much of a device's memory: every proof is admitted with all bytes that it
//! takes, before its first launch. A proof that fits the device, but not beside those that run,
//! waits for them.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The memory of one device.
#[derive(Debug, Default)]
pub(super) struct Admission {
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Debug, Default)]
struct State {
    running: usize,
    /// Bytes of all that run.
    admitted: u64,
    /// Bytes that stay between proofs.
    resident: u64,
}

/// What a proof takes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bytes {
    /// At most, at once.
    pub(super) need: u64,
    /// Of these, what stays on the device afterwards.
    pub(super) stays: u64,
}

/// What this process has of a device.
#[derive(Clone, Copy, Debug)]
pub(super) struct Capacity {
    /// Bytes that it may have in buffers at most.
    pub(super) all: u64,
    /// Bytes in buffers that nobody gives back for a proof.
    pub(super) held: u64,
}

/// A proof that may run; the end of it lets others run.
#[derive(Debug)]
pub(super) struct Admitted<'a> {
    admission: &'a Admission,
    bytes: Bytes,
    /// Bytes that there were for it.
    pub(super) have: u64,
}

impl Admission {
    fn lock(&self) -> MutexGuard<'_, State> {
        // What is in the mutex is whole between any two statements.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bytes for a proof that runs alone.
    pub(super) fn alone(&self, capacity: Capacity) -> u64 {
        capacity.all.saturating_sub(self.lock().seen(capacity))
    }

    /// Lets a proof run as soon as it fits; the bytes that there are if it never does. What is
    /// asked for in `capacity` may change while others run.
    pub(super) fn admit<E>(
        &self,
        bytes: Bytes,
        capacity: impl Fn() -> Result<Capacity, E>,
        refuse: impl FnOnce(u64) -> E,
    ) -> Result<Admitted<'_>, E> {
        let mut state = self.lock();
        loop {
            let capacity = capacity()?;
            let alone = capacity.all.saturating_sub(state.seen(capacity));
            if bytes.need > alone {
                return Err(refuse(alone));
            }
            let have = alone.saturating_sub(state.admitted);
            if bytes.need <= have || state.running == 0 {
                state.running += 1;
                state.admitted += bytes.need;
                return Ok(Admitted { admission: self, bytes, have });
            }
            state = self.ended.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl State {
    /// Bytes that stay, looked at while nobody runs.
    fn seen(&mut self, capacity: Capacity) -> u64 {
        if self.running == 0 {
            self.resident = capacity.held;
        }
        self.resident
    }
}

impl Drop for Admitted<'_> {
    fn drop(&mut self) {
        let mut state = self.admission.lock();
        state.running -= 1;
        state.admitted -= self.bytes.need;
        state.resident += self.bytes.stays;
        drop(state);
        self.admission.ended.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    const CAPACITY: Capacity = Capacity { all: 100, held: 10 };

    fn admit(admission: &Admission, need: u64) -> Result<Admitted<'_>, u64> {
        admission.admit(Bytes { need, stays: 5 }, || Ok(CAPACITY), |have| have)
    }

    #[test]
    fn what_never_fits_is_refused_and_what_fits_later_waits() {
        let admission = Admission::default();
        assert_eq!(admit(&admission, 91).err(), Some(90));
        let first = admit(&admission, 60).unwrap();
        assert_eq!(first.have, 90);
        let beside = admit(&admission, 30).unwrap();
        assert_eq!((beside.have, admission.alone(CAPACITY)), (30, 90));
        assert_eq!(admit(&admission, 91).err(), Some(90), "also beside others");
        let [has_ended, has_asked] = [const { AtomicBool::new(false) }; 2];
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| {
                // Asked with the mutex held, which only waiting gives back.
                let capacity = || {
                    has_asked.store(true, Ordering::SeqCst);
                    Ok::<_, u64>(CAPACITY)
                };
                let admitted = admission.admit(Bytes { need: 50, stays: 5 }, capacity, |have| have);
                assert!(has_ended.load(Ordering::SeqCst), "it did not wait");
                admitted.map(|admitted| admitted.have)
            });
            while !has_asked.load(Ordering::SeqCst) {
                std::thread::yield_now();
            }
            // The end of the small one is not enough.
            drop(beside);
            std::thread::sleep(std::time::Duration::from_millis(20));
            has_ended.store(true, Ordering::SeqCst);
            drop(first);
            // Nobody runs, so what is held is looked at again.
            assert_eq!(waiting.join().unwrap(), Ok(90));
        });
        assert_eq!(admission.alone(CAPACITY), 90, "nobody runs: it is looked at again");
    }
}
