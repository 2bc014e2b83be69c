//! What the machine has: the driver, its devices and their contexts.
#![allow(unsafe_code)]

use std::ffi::{c_char, c_int};
use std::ptr::null_mut;

use cudarc::driver::sys::{self, CUcontext, CUdevice, CUdevice_attribute, CUresult};

use super::library;
use crate::driver::DeviceInfo;
use crate::error::Code;
use crate::probe::Unavailable;

/// Version of CUDA that a driver must know, as it states it: the oldest whose
/// drivers load what current toolkits compile.
const OLDEST: c_int = 12_000;

/// cudarc declares results as an enumeration, so a code that its bindings lack must not
/// come back: they are those of CUDA 13.4, the newest there are, for this alone.
pub(super) fn check(result: CUresult) -> Result<(), Code> {
    match result as u32 {
        0 => Ok(()),
        code => Err(Code(code)),
    }
}

/// Starts the driver; how many devices it shows.
pub(crate) fn start() -> Result<u32, Unavailable> {
    library::driver()?;
    let refused = |call| move |code| Unavailable::from_code(call, code);
    let (mut version, mut count): (c_int, c_int) = (0, 0);
    // SAFETY: the library has these functions; the pointer is to a local variable.
    check(unsafe { sys::cuDriverGetVersion(&raw mut version) })
        .map_err(refused("cuDriverGetVersion"))?;
    if version < OLDEST {
        return Err(Unavailable::TooOld { found: split(version), needed: split(OLDEST) });
    }
    // SAFETY: as above.
    check(unsafe { sys::cuInit(0) }).map_err(refused("cuInit"))?;
    // SAFETY: as above.
    check(unsafe { sys::cuDeviceGetCount(&raw mut count) }).map_err(refused("cuDeviceGetCount"))?;
    match u32::try_from(count) {
        Ok(count) if count > 0 => Ok(count),
        _ => Err(Unavailable::NoDevice),
    }
}

fn split(version: c_int) -> (u32, u32) {
    let version = version.unsigned_abs();
    (version / 1000, version % 1000 / 10)
}

/// What device `ordinal` is. The driver must have started.
pub(crate) fn describe(ordinal: u32) -> Result<DeviceInfo, Unavailable> {
    read_info(ordinal).map(|(_, info)| info)
}

/// An attribute of a device. The driver must have started.
pub(super) fn attribute(device: CUdevice, which: CUdevice_attribute) -> Result<u32, Unavailable> {
    let mut value: c_int = 0;
    // SAFETY: `start` has found the function; the pointer is to a local variable.
    check(unsafe { sys::cuDeviceGetAttribute(&raw mut value, which, device) })
        .map_err(|code| Unavailable::from_code("cuDeviceGetAttribute", code))?;
    Ok(value.unsigned_abs())
}

/// A device and what it is.
pub(super) fn read_info(ordinal: u32) -> Result<(CUdevice, DeviceInfo), Unavailable> {
    let count = start()?;
    if ordinal >= count {
        return Err(Unavailable::NoSuchDevice { ordinal, count });
    }
    let refused = |call| move |code| Unavailable::from_code(call, code);
    let (mut device, mut version, mut memory) = (0, 0, 0);
    let mut name = [0_u8; 256];
    let mut uuid = sys::CUuuid { bytes: [0; 16] };
    // SAFETY: `start` has found the functions and initialized the driver. Pointers are to
    // local variables; the length of the name is that of its buffer.
    unsafe {
        check(sys::cuDriverGetVersion(&raw mut version)).map_err(refused("cuDriverGetVersion"))?;
        check(sys::cuDeviceGet(&raw mut device, ordinal as c_int))
            .map_err(refused("cuDeviceGet"))?;
        check(sys::cuDeviceGetName(name.as_mut_ptr().cast::<c_char>(), 256, device))
            .map_err(refused("cuDeviceGetName"))?;
        check(sys::cuDeviceGetUuid_v2(&raw mut uuid, device))
            .map_err(refused("cuDeviceGetUuid"))?;
        check(sys::cuDeviceTotalMem_v2(&raw mut memory, device))
            .map_err(refused("cuDeviceTotalMem"))?;
    }
    let major =
        attribute(device, CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
    let minor =
        attribute(device, CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
    // Drivers may stop to say either; then fractions of the floor are left out.
    let [clock, width] = [
        CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE,
        CUdevice_attribute::CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH,
    ]
    .map(|which| attribute(device, which).map_or(0, u64::from));
    let end = name.iter().position(|&byte| byte == 0).unwrap_or(name.len());
    let info = DeviceInfo {
        ordinal,
        name: String::from_utf8_lossy(&name[..end]).into_owned(),
        uuid: uuid.bytes.iter().map(|&byte| format!("{:02x}", byte as u8)).collect(),
        capability: (major, minor),
        memory: memory as u64,
        // Kilohertz and bits; memory moves a word at both edges of its clock.
        bandwidth: clock.saturating_mul(1000 * 2).saturating_mul(width) / 8,
        driver: split(version),
    };
    Ok((device, info))
}

/// The primary context of a device. Calls of the driver refer to the thread's current
/// context, so every call makes it current first.
#[derive(Debug)]
pub(super) struct Context {
    device: CUdevice,
    context: CUcontext,
}

// SAFETY: contexts belong to the process; the driver lets any thread use them.
unsafe impl Send for Context {}
// SAFETY: as above; the driver serializes what must be.
unsafe impl Sync for Context {}

impl Context {
    /// Retains the primary context of a device of the driver.
    pub(super) fn retain(device: CUdevice) -> Result<Self, Unavailable> {
        let mut context = null_mut();
        // SAFETY: the device is one of the driver's; the pointer is to a local variable.
        check(unsafe { sys::cuDevicePrimaryCtxRetain(&raw mut context, device) })
            .map_err(|code| Unavailable::from_code("cuDevicePrimaryCtxRetain", code))?;
        Ok(Self { device, context })
    }

    pub(super) fn make_current(&self) -> Result<(), Code> {
        // SAFETY: the context was retained in `retain` and is released in `drop`.
        check(unsafe { sys::cuCtxSetCurrent(self.context) })
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: retained once in `retain`. Nothing can be done about a failure.
        let _ = unsafe { sys::cuDevicePrimaryCtxRelease_v2(self.device) };
    }
}
