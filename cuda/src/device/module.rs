//! Code of a device.

use traceloom_runtime::ledger::{Direction, Ledger, Transfer};

use super::{Device, lock};
use crate::driver::{KernelHandle, ModuleHandle};
use crate::error::{DeviceError, Place};

impl Device {
    /// Loads code. The ledger counts the image, which a driver moves in its own time.
    ///
    /// # Errors
    /// [`DeviceError`], where code 209 means that there is none for this device.
    pub fn load(
        &self,
        image: &[u8],
        ledger: &Ledger,
        transfer: &Transfer<'_>,
    ) -> Result<Module, DeviceError> {
        let handle = self.call("loading kernels", Place::default, |driver| driver.load(image))?;
        ledger.moved(transfer, Direction::Up, image.len() as u64);
        Ok(Module { device: self.clone(), handle: Some(handle) })
    }
}

/// Loaded code.
#[derive(Debug)]
pub struct Module {
    device: Device,
    handle: Option<ModuleHandle>,
}

impl Module {
    /// Its device.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.device
    }

    pub(crate) fn kernel(&self, name: &str) -> Result<KernelHandle, DeviceError> {
        let handle = self.handle.as_ref().expect("a module has its handle until it is dropped");
        let place = || Place { kernel: Some(name.into()), ..Place::default() };
        self.device.call("finding a kernel", place, |driver| driver.kernel(handle, name))
    }

    pub(crate) fn resources(&self, kernel: KernelHandle) -> Result<(u32, u32), DeviceError> {
        self.device
            .ask("asking for resources", Place::default, |driver| driver.kernel_resources(kernel))
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        let Some(handle) = self.handle.take() else { return };
        let driver = &*self.device.0.driver;
        // Its kernels may be queued on any of them.
        for stream in lock(&self.device.0.streams).iter() {
            let _ = driver.synchronize(stream);
        }
        let _ = driver.unload(handle);
    }
}
