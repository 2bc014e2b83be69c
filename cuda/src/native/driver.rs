//! Every call of the driver about memory, streams, events, code and launches.
#![allow(unsafe_code)]

use std::any::Any;
use std::ffi::{CString, c_int, c_uint, c_void};
use std::num::{NonZeroU64, NonZeroUsize};
use std::ptr::{NonNull, null, null_mut};
use std::sync::Arc;
use std::time::Duration;

use cudarc::driver::sys::{
    self, CUDA_MEMCPY2D_st, CUdevice_attribute, CUevent, CUevent_flags, CUfunction,
    CUfunction_attribute, CUmemorytype, CUmodule, CUstream, CUstream_flags,
};

use traceloom_abi::device_abi::{TlRows, TlWindow};

use super::library;
use super::machine::{Context, attribute, check, read_info};
use crate::driver::{
    Arguments, DeviceInfo, Driver, EventHandle, HostMemory, KernelHandle, Memory, ModuleHandle,
    Pieces, Span, StreamHandle,
};
use crate::error::Code;
use crate::probe::Unavailable;

/// Shared memory of a block that no kernel has to ask for.
const STATIC_SHARED_BYTES: u32 = 48 << 10;

/// A device of this machine.
#[derive(Debug)]
pub(crate) struct CudaDriver {
    info: DeviceInfo,
    context: Arc<Context>,
    /// Most bytes from piece to piece in one copy.
    max_pitch: usize,
}

impl CudaDriver {
    /// Takes device `ordinal`.
    pub(crate) fn open(ordinal: u32) -> Result<Self, Unavailable> {
        let (device, info) = read_info(ordinal)?;
        let max_pitch = attribute(device, CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_PITCH)?;
        let context = Arc::new(Context::retain(device)?);
        Ok(Self { info, context, max_pitch: max_pitch as usize })
    }
}

/// Pinned memory. It knows the last copy that uses it, so its bytes are never touched
/// or freed under a copy.
#[derive(Debug)]
struct Pinned {
    context: Arc<Context>,
    bytes: NonNull<u8>,
    len: usize,
    /// Behind the last copy.
    event: CUevent,
    /// Whether a copy may still run.
    is_used: bool,
    /// A copy was queued whose end cannot be known: the bytes are given up.
    is_lost: bool,
}

// SAFETY: the allocation is owned, and the driver lets any thread use it.
unsafe impl Send for Pinned {}
// SAFETY: a shared reference only asks the driver for the state of the event.
unsafe impl Sync for Pinned {}

impl Pinned {
    /// Says that a copy was queued on `stream`.
    fn used_on(&mut self, stream: CUstream) -> Result<(), Code> {
        self.is_used = true;
        // SAFETY: event and stream are alive and of this context, which is current: the
        // copy was just queued.
        let recorded = check(unsafe { sys::cuEventRecord(self.event, stream) });
        if recorded.is_err() {
            // SAFETY: as above.
            let ended = check(unsafe { sys::cuStreamSynchronize(stream) });
            (self.is_used, self.is_lost) = (false, ended.is_err());
        }
        recorded
    }
}

impl HostMemory for Pinned {
    fn is_idle(&self) -> Result<bool, Code> {
        if !self.is_used {
            return Ok(true);
        }
        self.context.make_current()?;
        // SAFETY: the event is alive until `drop`.
        match check(unsafe { sys::cuEventQuery(self.event) }) {
            Ok(()) => Ok(true),
            Err(Code::NOT_READY) => Ok(false),
            Err(code) => Err(code),
        }
    }

    fn wait(&mut self) -> Result<(), Code> {
        if self.is_used {
            self.context.make_current()?;
            // SAFETY: the event is alive until `drop`.
            check(unsafe { sys::cuEventSynchronize(self.event) })?;
            self.is_used = false;
        }
        Ok(())
    }

    fn bytes_mut(&mut self) -> Result<&mut [u8], Code> {
        self.wait()?;
        if self.is_lost {
            return Err(Code::LAUNCH_FAILED);
        }
        // SAFETY: `len` bytes were allocated and set, are owned, and no copy uses them
        // since the event behind the last one is complete.
        Ok(unsafe { std::slice::from_raw_parts_mut(self.bytes.as_ptr(), self.len) })
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        // Memory that a copy may still use is not returned to the system.
        if self.wait().is_err() || self.is_lost || self.context.make_current().is_err() {
            return;
        }
        // SAFETY: both were made in `allocate_host`, and no copy uses them.
        unsafe {
            let _ = sys::cuMemFreeHost(self.bytes.as_ptr().cast());
            let _ = sys::cuEventDestroy_v2(self.event);
        }
    }
}

fn stream_of(handle: &StreamHandle) -> CUstream {
    handle.0 as CUstream
}

fn event_of(handle: &EventHandle) -> CUevent {
    handle.0 as CUevent
}

// SAFETY, for every block below: handles are made here alone, from what the driver
// returned, and are consumed when released, so those that come in are alive. The
// context is current. Pointers are to local variables, or to pinned memory that
// outlives the copy (see `Pinned`). Addresses of the device come from `Span::address`,
// which has checked that they lie inside of an allocation.
impl Driver for CudaDriver {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn free_memory(&self) -> Result<u64, Code> {
        self.context.make_current()?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: pointers to local variables.
        check(unsafe { sys::cuMemGetInfo_v2(&raw mut free, &raw mut total) })?;
        Ok(free as u64)
    }

    fn allocate(&self, bytes: NonZeroU64) -> Result<Memory, Code> {
        self.context.make_current()?;
        let size = usize::try_from(bytes.get()).map_err(|_| Code::OUT_OF_MEMORY)?;
        let mut address = 0;
        // SAFETY: pointer to a local variable.
        check(unsafe { sys::cuMemAlloc_v2(&raw mut address, size) })?;
        Ok(Memory { address, bytes: bytes.get() })
    }

    fn release(&self, memory: Memory) -> Result<(), Code> {
        self.context.make_current()?;
        // SAFETY: allocated by `allocate`; `memory` is consumed, so freed once.
        check(unsafe { sys::cuMemFree_v2(memory.address) })
    }

    fn allocate_host(&self, bytes: NonZeroUsize) -> Result<Box<dyn HostMemory>, Code> {
        self.context.make_current()?;
        let (mut event, mut pointer) = (null_mut(), null_mut());
        let flags = CUevent_flags::CU_EVENT_DISABLE_TIMING as c_uint;
        // SAFETY: pointer to a local variable.
        check(unsafe { sys::cuEventCreate(&raw mut event, flags) })?;
        // SAFETY: pointer to a local variable.
        let allocated = check(unsafe { sys::cuMemHostAlloc(&raw mut pointer, bytes.get(), 0) });
        let pointer =
            allocated.and_then(|()| NonNull::new(pointer.cast::<u8>()).ok_or(Code::OUT_OF_MEMORY));
        match pointer {
            Ok(pointer) => {
                // SAFETY: the allocation has this many bytes. Written once, so that a slice
                // of it is one of initialized bytes.
                unsafe { pointer.write_bytes(0, bytes.get()) };
                Ok(Box::new(Pinned {
                    context: Arc::clone(&self.context),
                    bytes: pointer,
                    len: bytes.get(),
                    event,
                    is_used: false,
                    is_lost: false,
                }))
            }
            Err(code) => {
                // SAFETY: made above, and nothing else has it.
                let _ = unsafe { sys::cuEventDestroy_v2(event) };
                Err(code)
            }
        }
    }

    fn create_stream(&self) -> Result<StreamHandle, Code> {
        self.context.make_current()?;
        let mut stream = null_mut();
        let flags = CUstream_flags::CU_STREAM_NON_BLOCKING as c_uint;
        // SAFETY: pointer to a local variable.
        check(unsafe { sys::cuStreamCreate(&raw mut stream, flags) })?;
        Ok(StreamHandle(stream as u64))
    }

    fn release_stream(&self, stream: StreamHandle) -> Result<(), Code> {
        self.context.make_current()?;
        // SAFETY: alive, and consumed. Work on it still ends.
        check(unsafe { sys::cuStreamDestroy_v2(stream_of(&stream)) })
    }

    fn synchronize(&self, stream: &StreamHandle) -> Result<(), Code> {
        self.context.make_current()?;
        // SAFETY: alive.
        check(unsafe { sys::cuStreamSynchronize(stream_of(stream)) })
    }

    fn create_event(&self) -> Result<EventHandle, Code> {
        self.context.make_current()?;
        let mut event = null_mut();
        let flags = CUevent_flags::CU_EVENT_DEFAULT as c_uint;
        // SAFETY: pointer to a local variable.
        check(unsafe { sys::cuEventCreate(&raw mut event, flags) })?;
        Ok(EventHandle(event as u64))
    }

    fn release_event(&self, event: EventHandle) -> Result<(), Code> {
        self.context.make_current()?;
        // SAFETY: alive, and consumed.
        check(unsafe { sys::cuEventDestroy_v2(event_of(&event)) })
    }

    fn record(&self, event: &EventHandle, stream: &StreamHandle) -> Result<(), Code> {
        self.context.make_current()?;
        // SAFETY: both are alive.
        check(unsafe { sys::cuEventRecord(event_of(event), stream_of(stream)) })
    }

    fn is_complete(&self, event: &EventHandle) -> Result<bool, Code> {
        self.context.make_current()?;
        // SAFETY: alive.
        match check(unsafe { sys::cuEventQuery(event_of(event)) }) {
            Ok(()) => Ok(true),
            Err(Code::NOT_READY) => Ok(false),
            Err(code) => Err(code),
        }
    }

    fn wait(&self, event: &EventHandle) -> Result<(), Code> {
        self.context.make_current()?;
        // SAFETY: alive.
        check(unsafe { sys::cuEventSynchronize(event_of(event)) })
    }

    fn wait_on_stream(&self, stream: &StreamHandle, event: &EventHandle) -> Result<(), Code> {
        self.context.make_current()?;
        // SAFETY: both are alive.
        check(unsafe { sys::cuStreamWaitEvent(stream_of(stream), event_of(event), 0) })
    }

    fn elapsed(&self, from: &EventHandle, to: &EventHandle) -> Result<Duration, Code> {
        if !library::driver_measures_time() {
            return Err(Code::NOT_FOUND);
        }
        self.context.make_current()?;
        let mut millis = 0.0_f32;
        // SAFETY: the library has the function; both events are alive.
        check(unsafe {
            sys::cuEventElapsedTime_v2(&raw mut millis, event_of(from), event_of(to))
        })?;
        Ok(Duration::from_secs_f64(f64::from(millis.max(0.0)) / 1e3))
    }

    fn copy_up(
        &self,
        stream: &StreamHandle,
        to: Span<'_>,
        from: &mut dyn HostMemory,
    ) -> Result<(), Code> {
        let pinned = from.as_any().downcast_mut::<Pinned>().ok_or(Code::INVALID_VALUE)?;
        let len = usize::try_from(to.bytes).map_err(|_| Code::INVALID_VALUE)?;
        if len > pinned.len {
            return Err(Code::INVALID_VALUE);
        }
        let address = to.address()?;
        pinned.wait()?;
        self.context.make_current()?;
        let (source, stream) = (pinned.bytes.as_ptr().cast::<c_void>(), stream_of(stream));
        // SAFETY: `len` bytes lie on both sides, and `used_on` keeps those of the host.
        check(unsafe { sys::cuMemcpyHtoDAsync_v2(address, source, len, stream) })?;
        pinned.used_on(stream)
    }

    fn copy_down(
        &self,
        stream: &StreamHandle,
        to: &mut dyn HostMemory,
        from: Pieces<'_>,
    ) -> Result<(), Code> {
        let pinned = to.as_any().downcast_mut::<Pinned>().ok_or(Code::INVALID_VALUE)?;
        let address = from.address()?;
        if from.length.checked_mul(from.count).is_none_or(|bytes| bytes > pinned.len) {
            return Err(Code::INVALID_VALUE);
        }
        pinned.wait()?;
        self.context.make_current()?;
        let stream = stream_of(stream);
        if from.pitch > self.max_pitch {
            let copied = (0..from.count).try_for_each(|piece| {
                let (from_byte, to_byte) = (piece * from.pitch, piece * from.length);
                // SAFETY: `count` pieces lie inside of the span and fit the pinned memory,
                // one behind the other; `used_on` keeps it.
                check(unsafe {
                    let to = pinned.bytes.as_ptr().add(to_byte).cast();
                    sys::cuMemcpyDtoHAsync_v2(to, address + from_byte as u64, from.length, stream)
                })
            });
            // Also after an error: pieces before it are on their way.
            let recorded = pinned.used_on(stream);
            return copied.and(recorded);
        }
        let copy = CUDA_MEMCPY2D_st {
            srcXInBytes: 0,
            srcY: 0,
            srcMemoryType: CUmemorytype::CU_MEMORYTYPE_DEVICE,
            srcHost: null(),
            srcDevice: address,
            srcArray: null_mut(),
            srcPitch: from.pitch,
            dstXInBytes: 0,
            dstY: 0,
            dstMemoryType: CUmemorytype::CU_MEMORYTYPE_HOST,
            dstHost: pinned.bytes.as_ptr().cast(),
            dstDevice: 0,
            dstArray: null_mut(),
            dstPitch: from.length,
            WidthInBytes: from.length,
            Height: from.count,
        };
        // SAFETY: as above.
        check(unsafe { sys::cuMemcpy2DAsync_v2(&raw const copy, stream) })?;
        pinned.used_on(stream)
    }

    fn fill(&self, stream: &StreamHandle, span: Span<'_>, byte: u8) -> Result<(), Code> {
        let address = span.address()?;
        let len = usize::try_from(span.bytes).map_err(|_| Code::INVALID_VALUE)?;
        self.context.make_current()?;
        // SAFETY: the span lies inside of its allocation.
        check(unsafe { sys::cuMemsetD8Async(address, byte, len, stream_of(stream)) })
    }

    fn load(&self, image: &[u8]) -> Result<ModuleHandle, Code> {
        self.context.make_current()?;
        // The driver reads images up to an end that they state, and text up to a zero.
        let mut terminated = image.to_vec();
        terminated.push(0);
        let mut module = null_mut();
        // SAFETY: the image is terminated, and the driver copies what it keeps.
        check(unsafe { sys::cuModuleLoadData(&raw mut module, terminated.as_ptr().cast()) })?;
        Ok(ModuleHandle(module as u64))
    }

    fn unload(&self, module: ModuleHandle) -> Result<(), Code> {
        self.context.make_current()?;
        // SAFETY: alive, and consumed.
        check(unsafe { sys::cuModuleUnload(module.0 as CUmodule) })
    }

    fn kernel(&self, module: &ModuleHandle, name: &str) -> Result<KernelHandle, Code> {
        self.context.make_current()?;
        let name = CString::new(name).map_err(|_| Code::NOT_FOUND)?;
        let mut function = null_mut();
        // SAFETY: the module is alive; the name is terminated.
        check(unsafe {
            sys::cuModuleGetFunction(&raw mut function, module.0 as CUmodule, name.as_ptr())
        })?;
        Ok(KernelHandle(function as u64))
    }

    fn kernel_resources(&self, kernel: KernelHandle) -> Result<(u32, u32), Code> {
        self.context.make_current()?;
        let attribute = |which| {
            let mut value: c_int = 0;
            // SAFETY: kernels are used while their module is loaded.
            let result = unsafe { sys::cuFuncGetAttribute(&raw mut value, which, kernel.0 as _) };
            check(result).map(|()| value.unsigned_abs())
        };
        Ok((
            attribute(CUfunction_attribute::CU_FUNC_ATTRIBUTE_NUM_REGS)?,
            attribute(CUfunction_attribute::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?,
        ))
    }

    fn launch(
        &self,
        stream: &StreamHandle,
        kernel: KernelHandle,
        blocks: u32,
        threads: u32,
        arguments: Arguments<'_>,
    ) -> Result<(), Code> {
        self.context.make_current()?;
        let launch = |argument: *mut c_void, shared_bytes: u32| {
            let mut pointers = [argument];
            // SAFETY: the caller's `argument` has the type of the kernel's only parameter,
            // and the driver copies it before it returns. Kernels are used while their
            // module is loaded.
            check(unsafe {
                sys::cuLaunchKernel(
                    kernel.0 as CUfunction,
                    blocks,
                    1,
                    1,
                    threads,
                    1,
                    1,
                    shared_bytes,
                    stream_of(stream),
                    pointers.as_mut_ptr(),
                    null_mut(),
                )
            })
        };
        match arguments {
            Arguments::Digest(span) if span.bytes == 32 => {
                let mut address = span.address()?;
                launch((&raw mut address).cast(), 0)
            }
            Arguments::Rows(rows) if rows.is_sound() => {
                let mut rows = TlRows {
                    seeds: rows.seeds.map_or(Ok(0), |seeds| seeds.address())? as *const u32,
                    first_row: rows.first_row,
                    num_rows: rows.num_rows,
                    bases: rows.bases,
                    window: TlWindow {
                        cells: rows.cells.address()? as *mut u64,
                        stride: rows.stride,
                        first: rows.first,
                        count: rows.count,
                        height: rows.height,
                    },
                };
                launch((&raw mut rows).cast(), 0)
            }
            Arguments::Words(arguments) => {
                let mut words = arguments.resolve()?;
                if arguments.shared_bytes > STATIC_SHARED_BYTES {
                    let bytes = c_int::try_from(arguments.shared_bytes);
                    let bytes = bytes.map_err(|_| Code::INVALID_VALUE)?;
                    let most =
                        CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
                    // SAFETY: kernels are used while their module is loaded.
                    check(unsafe { sys::cuFuncSetAttribute(kernel.0 as _, most, bytes) })?;
                }
                launch(words.as_mut_ptr().cast(), arguments.shared_bytes)
            }
            Arguments::Digest(_) | Arguments::Rows(_) => Err(Code::INVALID_VALUE),
        }
    }
}
