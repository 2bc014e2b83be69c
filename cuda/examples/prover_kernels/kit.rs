//! A device with the kernels, and words that go up and come down.

use std::error::Error;
use std::num::{NonZeroU64, NonZeroUsize};

use traceloom_cuda::cache::KernelCache;
use traceloom_cuda::device::{Buffer, Device, Stream};
use traceloom_cuda::prover_kernels::load::ProverKernels;
use traceloom_cuda::prover_kernels::{Launch, image};
use traceloom_runtime::ledger::{Kind, Ledger, Transfer};

pub type Outcome<T = ()> = Result<T, Box<dyn Error>>;

const TRANSFER: Transfer<'_> = Transfer { circuit: "prover", kind: Kind::Tables };

pub struct Kit {
    pub device: Device,
    pub stream: Stream,
    pub kernels: ProverKernels,
    ledger: Ledger,
}

impl Kit {
    /// The first device; `poison`: fresh memory holds no canonical word.
    pub fn open(folder: &str, poison: bool) -> Outcome<Self> {
        let device = Device::open(0)?;
        let info = device.info();
        let (driver, name) = (info.driver, &info.name);
        println!("device name={name:?} driver={}.{} uuid={}", driver.0, driver.1, info.uuid);
        if poison {
            device.poison_fresh_memory();
        }
        let ledger = Ledger::default();
        let cache = KernelCache::new(folder);
        let kernels = ProverKernels::load(&device, image::IMAGES, Some(&cache), &ledger)?;
        Ok(Self { stream: device.stream()?, device, kernels, ledger })
    }

    /// A buffer of words, at least one.
    pub fn buffer(&self, name: &str, words: u64) -> Outcome<Buffer> {
        let bytes = NonZeroU64::new(8 * words.max(1)).ok_or("no bytes")?;
        Ok(self.device.allocate(&self.stream, name, bytes)?)
    }

    pub fn upload(&self, name: &str, words: &[u64]) -> Outcome<Buffer> {
        let buffer = self.buffer(name, words.len() as u64)?;
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let Some(size) = NonZeroUsize::new(bytes.len()) else { return Ok(buffer) };
        let mut pinned = self.device.pinned(size)?;
        pinned.bytes_mut()?.copy_from_slice(&bytes);
        self.stream.upload(&buffer, 0, &mut pinned, bytes.len(), &self.ledger, &TRANSFER)?;
        pinned.wait()?;
        Ok(buffer)
    }

    pub fn read(&self, buffer: &Buffer) -> Outcome<Vec<u64>> {
        let bytes = self.stream.read(buffer, &self.ledger, &TRANSFER)?;
        Ok(bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)).collect())
    }

    pub fn run(&self, launches: &[Launch], buffers: &[&Buffer]) -> Outcome {
        Ok(self.kernels.run(&self.stream, launches, buffers)?)
    }

    /// Uploads buffers, runs launches over them and gives what they hold then.
    pub fn run_over(&self, launches: &[Launch], buffers: &[Vec<u64>]) -> Outcome<Vec<Vec<u64>>> {
        let upload = |words: &Vec<u64>| self.upload("words", words);
        let uploaded: Vec<Buffer> = buffers.iter().map(upload).collect::<Outcome<_>>()?;
        self.run(launches, &uploaded.iter().collect::<Vec<_>>())?;
        uploaded.iter().map(|buffer| self.read(buffer)).collect()
    }
}
