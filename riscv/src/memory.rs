//! Sparse memory in pages. A page exists from its first access on; which pages may exist, and
//! which may be written, the program says.

use std::collections::HashMap;

use crate::elf::Program;
use crate::limits::Limits;

/// Bytes of a page.
pub const PAGE_BYTES: usize = 4096;
const PAGE: u64 = PAGE_BYTES as u64;
/// Entries of each cache of pages: a power of two.
const CACHED: usize = 256;
/// No page has this number.
const NONE: u64 = u64::MAX;

/// Pages with the same permissions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// Number of the first page: its address over [`PAGE_BYTES`].
    pub first: u64,
    /// Number of the last page.
    pub last: u64,
    /// Whether loads may read them.
    pub is_readable: bool,
    /// Whether stores may write them.
    pub is_writable: bool,
}

/// Why an access failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessError {
    /// Nothing is mapped at this address.
    Unmapped {
        /// The address of a byte of the access.
        address: u64,
    },
    /// The page may not be read.
    Unreadable {
        /// The address of a byte of the access.
        address: u64,
    },
    /// The page may not be written.
    ReadOnly {
        /// The address of a byte of the access.
        address: u64,
    },
    /// The execution would touch more pages than the limit allows.
    Exhausted {
        /// The address of a byte of the access.
        address: u64,
    },
}

/// An entry of a cache: a page that may be accessed, and where it is.
#[derive(Clone, Copy, Debug)]
struct Cached {
    page: u64,
    frame: usize,
}

/// The memory of one execution.
#[derive(Debug)]
pub struct Memory<'p> {
    program: &'p Program,
    frames: Vec<Box<[u8; PAGE_BYTES]>>,
    /// Page numbers, by frame.
    pages: Vec<u64>,
    directory: HashMap<u64, usize>,
    reads: Box<[Cached; CACHED]>,
    writes: Box<[Cached; CACHED]>,
    most: usize,
}

impl<'p> Memory<'p> {
    /// The memory of `program` before execution.
    #[must_use]
    pub fn new(program: &'p Program, limits: &Limits) -> Self {
        let empty = Box::new([Cached { page: NONE, frame: 0 }; CACHED]);
        Self {
            program,
            frames: Vec::new(),
            pages: Vec::new(),
            directory: HashMap::new(),
            reads: empty.clone(),
            writes: empty,
            most: usize::try_from(limits.memory / PAGE).unwrap_or(usize::MAX),
        }
    }

    /// Reads `N` bytes; addresses wrap around at 2^64.
    ///
    /// # Errors
    /// [`AccessError`] names the first byte that cannot be read.
    #[inline(always)]
    pub fn read<const N: usize>(&mut self, address: u64) -> Result<[u8; N], AccessError> {
        let (page, offset) = (address / PAGE, (address % PAGE) as usize);
        let cached = self.reads[page as usize % CACHED];
        if cached.page == page && offset <= PAGE_BYTES - N {
            let mut bytes = [0; N];
            bytes.copy_from_slice(&self.frames[cached.frame][offset..offset + N]);
            return Ok(bytes);
        }
        self.read_slowly(address)
    }

    /// Writes `N` bytes; addresses wrap around at 2^64. Nothing is written if some byte cannot be.
    ///
    /// # Errors
    /// [`AccessError`] names the first byte that cannot be written.
    #[inline(always)]
    pub fn write<const N: usize>(
        &mut self,
        address: u64,
        bytes: [u8; N],
    ) -> Result<(), AccessError> {
        let (page, offset) = (address / PAGE, (address % PAGE) as usize);
        let cached = self.writes[page as usize % CACHED];
        if cached.page == page && offset <= PAGE_BYTES - N {
            self.frames[cached.frame][offset..offset + N].copy_from_slice(&bytes);
            return Ok(());
        }
        self.write_slowly(address, &bytes)
    }

    /// The number of pages that were touched.
    #[must_use]
    pub fn num_pages(&self) -> usize {
        self.frames.len()
    }

    /// The numbers of the pages that were touched, in the order of their first access, with
    /// their bytes.
    pub fn pages(&self) -> impl Iterator<Item = (u64, &[u8; PAGE_BYTES])> {
        self.pages.iter().copied().zip(self.frames.iter().map(|frame| &**frame))
    }

    /// The position of a touched page in [`Self::pages`].
    pub(crate) fn frame(&self, page: u64) -> Option<usize> {
        self.directory.get(&page).copied()
    }

    /// The byte at `address`; 0 if its page was not touched.
    pub(crate) fn peek(&self, address: u64) -> u8 {
        let frame = self.frame(address / PAGE);
        frame.map_or(0, |frame| self.frames[frame][(address % PAGE) as usize])
    }

    /// Makes sure that `count` bytes can be written.
    pub(crate) fn check_writable(&mut self, address: u64, count: u64) -> Result<(), AccessError> {
        let mut done = 0;
        while done < count {
            let at = address.wrapping_add(done);
            self.writable_frame(at)?;
            done += PAGE - at % PAGE;
        }
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn read_slowly<const N: usize>(&mut self, address: u64) -> Result<[u8; N], AccessError> {
        let mut bytes = [0; N];
        for (index, byte) in bytes.iter_mut().enumerate() {
            let at = address.wrapping_add(index as u64);
            let frame = self.readable_frame(at)?;
            *byte = self.frames[frame][(at % PAGE) as usize];
        }
        Ok(bytes)
    }

    #[cold]
    #[inline(never)]
    fn write_slowly(&mut self, address: u64, bytes: &[u8]) -> Result<(), AccessError> {
        self.check_writable(address, bytes.len() as u64)?;
        for (index, &byte) in bytes.iter().enumerate() {
            let at = address.wrapping_add(index as u64);
            let frame = self.writable_frame(at)?;
            self.frames[frame][(at % PAGE) as usize] = byte;
        }
        Ok(())
    }

    fn readable_frame(&mut self, address: u64) -> Result<usize, AccessError> {
        if !self.region(address)?.is_readable {
            return Err(AccessError::Unreadable { address });
        }
        let frame = self.touch(address)?;
        let page = address / PAGE;
        self.reads[page as usize % CACHED] = Cached { page, frame };
        Ok(frame)
    }

    fn writable_frame(&mut self, address: u64) -> Result<usize, AccessError> {
        if !self.region(address)?.is_writable {
            return Err(AccessError::ReadOnly { address });
        }
        let frame = self.touch(address)?;
        let page = address / PAGE;
        self.writes[page as usize % CACHED] = Cached { page, frame };
        Ok(frame)
    }

    fn region(&self, address: u64) -> Result<Region, AccessError> {
        let page = address / PAGE;
        let regions = &self.program.regions;
        let after = regions.partition_point(|region| region.first <= page);
        let found = regions[..after].last().filter(|region| page <= region.last);
        found.copied().ok_or(AccessError::Unmapped { address })
    }

    /// The frame of a page that is mapped; made now, if this is the first access.
    fn touch(&mut self, address: u64) -> Result<usize, AccessError> {
        let page = address / PAGE;
        if let Some(&frame) = self.directory.get(&page) {
            return Ok(frame);
        }
        if self.frames.len() >= self.most {
            return Err(AccessError::Exhausted { address });
        }
        let mut bytes = Box::new([0; PAGE_BYTES]);
        self.program.fill(page, &mut bytes);
        self.frames.push(bytes);
        self.pages.push(page);
        self.directory.insert(page, self.frames.len() - 1);
        Ok(self.frames.len() - 1)
    }
}
