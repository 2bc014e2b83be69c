//! Devices, streams, events, buffers and code, with an owner each.
//!
//! - A [`Buffer`] that is dropped is released after all work that is then queued on any stream
//!   of its device. Dropping does not wait for that work. The memory is kept for the next buffer
//!   of its size, because drivers allocate slowly, and is given back when an allocation would
//!   fail.
//! - An object of another device is refused before the driver sees it.
//! - After a final error every call on the device returns [`DeviceError::Lost`].
//! - Only [`Stream::upload`], `Stream::download` and [`Device::load`] make transfers, and all
//!   three write the ledger.

mod buffer;
mod memory;
mod module;
mod stream;

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub use self::buffer::{Buffer, Pinned};
use self::memory::Pool;
pub(crate) use self::memory::Reclaim;
pub use self::module::Module;
pub(crate) use self::stream::Grid;
pub use self::stream::{Event, Stream};
use crate::driver::{DeviceInfo, Driver, StreamHandle};
use crate::error::{Code, DeviceError, Place};
use crate::mock::Mock;
use crate::native::driver::CudaDriver;
use crate::probe::Unavailable;

/// A device. Clones are the same device.
#[derive(Clone)]
pub struct Device(Arc<Inner>);

struct Inner {
    driver: Box<dyn Driver>,
    pool: Pool,
    /// All that are not destroyed: work on them may use a buffer that is dropped.
    streams: Mutex<Vec<Arc<StreamHandle>>>,
    /// The code of a final error; 0 without.
    lost: AtomicU32,
    poison: AtomicBool,
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.info())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What is in these mutexes is whole between any two statements.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Device {
    /// Takes device `ordinal` of this machine.
    ///
    /// # Errors
    /// [`Unavailable`].
    pub fn open(ordinal: u32) -> Result<Self, Unavailable> {
        Ok(Self::over(Box::new(CudaDriver::open(ordinal)?)))
    }

    /// A mock device.
    #[must_use]
    pub fn mock(mock: &Mock) -> Self {
        Self::over(Box::new(mock.clone()))
    }

    fn over(driver: Box<dyn Driver>) -> Self {
        Self(Arc::new(Inner {
            driver,
            pool: Pool::default(),
            streams: Mutex::default(),
            lost: AtomicU32::new(0),
            poison: AtomicBool::new(false),
        }))
    }

    /// What it is.
    #[must_use]
    pub fn info(&self) -> &DeviceInfo {
        self.0.driver.info()
    }

    /// Fills memory that is allocated from now on, so that a cell that nothing writes is
    /// no word of the field. For tests.
    pub fn poison_fresh_memory(&self) {
        self.0.poison.store(true, Ordering::Relaxed);
    }

    /// The final error that this device has had.
    #[must_use]
    pub fn lost(&self) -> Option<Code> {
        match self.0.lost.load(Ordering::Relaxed) {
            0 => None,
            code => Some(Code(code)),
        }
    }

    /// Makes a call that creates or queues something, and remembers an error that is final. If
    /// the driver had no memory for the call, memory of dropped buffers is given back to it, and
    /// the call is made once more. Drivers need memory for more than buffers.
    fn call<T>(
        &self,
        call: &'static str,
        place: impl FnOnce() -> Place,
        mut work: impl FnMut(&dyn Driver) -> Result<T, Code>,
    ) -> Result<T, DeviceError> {
        self.ask(call, place, |driver| {
            let before = self.given_back();
            let result = work(driver);
            if !matches!(result, Err(Code::OUT_OF_MEMORY)) {
                return result;
            }
            self.give_back();
            // Or another thread gave some back in the meantime.
            if self.given_back() == before { result } else { work(driver) }
        })
    }

    /// Makes a call that waits or asks, and remembers an error that is final. The call is made
    /// only once, because its error may be about earlier work.
    fn ask<T>(
        &self,
        call: &'static str,
        place: impl FnOnce() -> Place,
        work: impl FnOnce(&dyn Driver) -> Result<T, Code>,
    ) -> Result<T, DeviceError> {
        if let Some(code) = self.lost() {
            return Err(DeviceError::Lost { device: self.info().to_string(), code });
        }
        work(&*self.0.driver).map_err(|code| self.failed(call, place(), code))
    }

    /// The error of a call, which is remembered if it is final.
    fn failed(&self, call: &'static str, place: Place, code: Code) -> DeviceError {
        if code.is_final() {
            self.0.lost.store(code.0, Ordering::Relaxed);
        }
        DeviceError::Call { device: self.info().to_string(), call, place: Box::new(place), code }
    }

    /// The error of a call that was not made, since its arguments are wrong.
    pub(crate) fn refused(&self, call: &'static str, place: Place, code: Code) -> DeviceError {
        DeviceError::Call { device: self.info().to_string(), call, place: Box::new(place), code }
    }

    /// Checks that something belongs to this device.
    pub(crate) fn owns(
        &self,
        owner: &Self,
        what: impl FnOnce() -> String,
    ) -> Result<(), DeviceError> {
        match Arc::ptr_eq(&self.0, &owner.0) {
            true => Ok(()),
            false => Err(DeviceError::Foreign {
                device: self.info().to_string(),
                what: what(),
                owner: owner.info().to_string(),
            }),
        }
    }
}
