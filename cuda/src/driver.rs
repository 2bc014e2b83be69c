//! The calls of a driver, as the rest of the crate sees them: the real one is in
//! [`crate::native`], the one for tests in [`crate::mock`].
//!
//! Only a driver makes handles, and they are not copied, so nothing is released twice. Streams,
//! events and memory belong to one device. A driver checks the bounds of spans, and that host
//! memory is not touched while a copy uses it. [`crate::device`] must release memory only after
//! the work that uses it, and must give kernels the arguments that they were emitted for.

use std::any::Any;
use std::fmt;
use std::num::{NonZeroU64, NonZeroUsize};
use std::time::Duration;

use traceloom_abi::device_abi::TlBases;

use crate::error::Code;

/// What a device is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceInfo {
    /// Its number among the devices that this process sees.
    pub ordinal: u32,
    /// Name of the product.
    pub name: String,
    /// What tells it from other devices, hexadecimal.
    pub uuid: String,
    /// Compute capability, major and minor.
    pub capability: (u32, u32),
    /// Bytes of memory.
    pub memory: u64,
    /// Bytes per second that its memory moves at most, by its clock and width; 0 if unknown.
    pub bandwidth: u64,
    /// Version of the driver, as major and minor of CUDA.
    pub driver: (u32, u32),
}

impl DeviceInfo {
    /// `sm_90`
    #[must_use]
    pub fn architecture(&self) -> String {
        format!("sm_{}{}", self.capability.0, self.capability.1)
    }
}

impl fmt::Display for DeviceInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "device {} ({}, {})", self.ordinal, self.name, self.architecture())
    }
}

/// Memory of a device.
#[derive(Debug)]
pub(crate) struct Memory {
    pub(crate) address: u64,
    pub(crate) bytes: u64,
}

/// A stream.
#[derive(Debug)]
pub(crate) struct StreamHandle(pub(crate) u64);

/// An event.
#[derive(Debug)]
pub(crate) struct EventHandle(pub(crate) u64);

/// Loaded code.
#[derive(Debug)]
pub(crate) struct ModuleHandle(pub(crate) u64);

/// An entry point of loaded code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KernelHandle(pub(crate) u64);

/// A part of device memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span<'a> {
    pub(crate) memory: &'a Memory,
    pub(crate) offset: u64,
    pub(crate) bytes: u64,
}

impl Span<'_> {
    /// Its address, if it lies inside of its memory.
    pub(crate) fn address(&self) -> Result<u64, Code> {
        let end = self.offset.checked_add(self.bytes);
        match end.is_some_and(|end| end <= self.memory.bytes) {
            true => Ok(self.memory.address + self.offset),
            false => Err(Code::INVALID_VALUE),
        }
    }
}

/// Equal pieces of device memory at equal distances, such as the same rows of many columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pieces<'a> {
    /// From the first byte of the first piece to the last byte of the last one.
    pub(crate) span: Span<'a>,
    /// Bytes of a piece.
    pub(crate) length: usize,
    /// Bytes from piece to piece.
    pub(crate) pitch: usize,
    /// Number of pieces.
    pub(crate) count: usize,
}

impl Pieces<'_> {
    /// The address of the first, if all lie inside of the span.
    pub(crate) fn address(&self) -> Result<u64, Code> {
        let last = self.count.checked_sub(1).and_then(|last| last.checked_mul(self.pitch));
        let end = last.and_then(|last| last.checked_add(self.length));
        match end.is_some_and(|end| end as u64 <= self.span.bytes && self.length <= self.pitch) {
            true => self.span.address(),
            false => Err(Code::INVALID_VALUE),
        }
    }
}

/// What a kernel is given.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Arguments<'a> {
    /// Rows to write: `TlRows` by value.
    Rows(RowsArguments<'a>),
    /// Where the unit digest goes, 32 bytes.
    Digest(Span<'a>),
    /// Words of a structure that a handwritten kernel takes by value.
    Words(WordArguments<'a>),
}

/// A structure of words, and what its kernel needs beside it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WordArguments<'a> {
    pub(crate) words: &'a [ArgumentWord<'a>],
    /// Bytes of shared memory of a block.
    pub(crate) shared_bytes: u32,
}

/// Eight bytes of a structure.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ArgumentWord<'a> {
    Number(u64),
    /// The address of a part of device memory.
    Span(Span<'a>),
}

impl WordArguments<'_> {
    /// The structure, if every part lies inside of its memory.
    pub(crate) fn resolve(&self) -> Result<Vec<u64>, Code> {
        let words = self.words.iter();
        let word = |word: &ArgumentWord<'_>| match word {
            ArgumentWord::Number(number) => Ok(*number),
            ArgumentWord::Span(span) => span.address(),
        };
        words.map(word).collect()
    }
}

/// Rows to write.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowsArguments<'a> {
    /// One seed per row; none for padding.
    pub(crate) seeds: Option<Span<'a>>,
    pub(crate) first_row: u64,
    pub(crate) num_rows: u64,
    pub(crate) bases: TlBases,
    /// `width · stride` words.
    pub(crate) cells: Span<'a>,
    pub(crate) stride: u64,
    pub(crate) first: u64,
    pub(crate) count: u64,
    pub(crate) height: u64,
}

impl RowsArguments<'_> {
    /// Whether the window is one that `device_abi.h` describes and that the cells hold.
    pub(crate) fn is_sound(&self) -> bool {
        let words = u64::from(self.bases.width).checked_mul(self.stride);
        self.height.is_power_of_two()
            && self.first < self.height
            && self.count <= self.height
            && self.count <= self.stride
            && self.cells.offset.is_multiple_of(8)
            && words.and_then(|words| words.checked_mul(8)) == Some(self.cells.bytes)
            && self.seeds.is_none_or(|seeds| seeds.offset.is_multiple_of(8))
    }
}

/// Memory of the host that a device reads and writes without the processor. It knows
/// which copy used it last.
pub(crate) trait HostMemory: fmt::Debug + Send + Sync {
    /// Whether no copy uses it any more.
    fn is_idle(&self) -> Result<bool, Code>;
    /// Waits for that.
    fn wait(&mut self) -> Result<(), Code>;
    /// Its bytes. Waits first.
    fn bytes_mut(&mut self) -> Result<&mut [u8], Code>;
    /// For the driver that made it.
    fn as_any(&mut self) -> &mut dyn Any;
}

/// The calls.
pub(crate) trait Driver: fmt::Debug + Send + Sync {
    fn info(&self) -> &DeviceInfo;
    /// Free bytes.
    fn free_memory(&self) -> Result<u64, Code>;
    fn allocate(&self, bytes: NonZeroU64) -> Result<Memory, Code>;
    fn release(&self, memory: Memory) -> Result<(), Code>;
    fn allocate_host(&self, bytes: NonZeroUsize) -> Result<Box<dyn HostMemory>, Code>;
    fn create_stream(&self) -> Result<StreamHandle, Code>;
    fn release_stream(&self, stream: StreamHandle) -> Result<(), Code>;
    /// Waits for everything on a stream.
    fn synchronize(&self, stream: &StreamHandle) -> Result<(), Code>;
    fn create_event(&self) -> Result<EventHandle, Code>;
    fn release_event(&self, event: EventHandle) -> Result<(), Code>;
    /// Records an event after the work on a stream.
    fn record(&self, event: &EventHandle, stream: &StreamHandle) -> Result<(), Code>;
    fn is_complete(&self, event: &EventHandle) -> Result<bool, Code>;
    /// Waits for an event.
    fn wait(&self, event: &EventHandle) -> Result<(), Code>;
    /// Lets later work on a stream wait for an event.
    fn wait_on_stream(&self, stream: &StreamHandle, event: &EventHandle) -> Result<(), Code>;
    /// Time between two events that are complete.
    fn elapsed(&self, from: &EventHandle, to: &EventHandle) -> Result<Duration, Code>;
    /// Copies the first bytes of host memory.
    fn copy_up(
        &self,
        stream: &StreamHandle,
        to: Span<'_>,
        from: &mut dyn HostMemory,
    ) -> Result<(), Code>;
    /// Copies pieces, one after the other, to the start of host memory.
    fn copy_down(
        &self,
        stream: &StreamHandle,
        to: &mut dyn HostMemory,
        from: Pieces<'_>,
    ) -> Result<(), Code>;
    /// Fills with a byte.
    fn fill(&self, stream: &StreamHandle, span: Span<'_>, byte: u8) -> Result<(), Code>;
    /// Loads an image: cubin, fatbin or PTX.
    fn load(&self, image: &[u8]) -> Result<ModuleHandle, Code>;
    fn unload(&self, module: ModuleHandle) -> Result<(), Code>;
    fn kernel(&self, module: &ModuleHandle, name: &str) -> Result<KernelHandle, Code>;
    /// Registers and bytes of local memory per thread: what spilled, mostly.
    fn kernel_resources(&self, kernel: KernelHandle) -> Result<(u32, u32), Code>;
    fn launch(
        &self,
        stream: &StreamHandle,
        kernel: KernelHandle,
        blocks: u32,
        threads: u32,
        arguments: Arguments<'_>,
    ) -> Result<(), Code>;
}
