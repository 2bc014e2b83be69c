//! Handwritten kernels in a process of their own, which a mock device sends its launches to.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use traceloom_cuda::mock::{HostRows, HostWord, HostWords, KernelHost, ScalarHost};
use traceloom_generated::PROGRAMS;

/// Runs rows by the scalar writers and handwritten kernels in a process.
pub struct ProofHost {
    rows: ScalarHost,
    process: Mutex<Process>,
    is_descending: bool,
}

impl ProofHost {
    /// Starts the compiled kernels; `is_descending` turns the order of a block's threads.
    pub fn start(program: &Path, is_descending: bool) -> Self {
        let process = Mutex::new(Process::start(program));
        Self { rows: ScalarHost::new(PROGRAMS), process, is_descending }
    }
}

impl KernelHost for ProofHost {
    fn has(&self, kernel: &str) -> bool {
        kernel.starts_with("tl_") || self.rows.has(kernel)
    }

    fn digest(&self, kernel: &str) -> Option<[u8; 32]> {
        self.rows.digest(kernel)
    }

    fn rows(&self, rows: HostRows<'_>) -> Result<(), String> {
        self.rows.rows(rows)
    }

    fn words(&self, launch: HostWords<'_>) -> Result<(), String> {
        let mut process = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        process.run(launch, self.is_descending).map_err(|error| error.to_string())
    }
}

struct Process {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: ChildStdout,
}

impl Process {
    fn start(program: &Path) -> Self {
        let mut command = Command::new(program);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the compiled kernels start");
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().expect("stdout is piped");
        Self { child, stdin, stdout }
    }

    /// One job of `host.hpp` with one launch.
    fn run(&mut self, launch: HostWords<'_>, is_descending: bool) -> std::io::Result<()> {
        let mut name = [0_u8; 64];
        name[..launch.kernel.len()].copy_from_slice(launch.kernel.as_bytes());
        let mut tail: Vec<u64> = vec![1];
        tail.extend(name.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)));
        tail.extend([launch.blocks, launch.threads.into(), launch.shared_bytes.into()]);
        tail.push(launch.words.len() as u64);
        tail.extend(launch.words.iter().flat_map(|word| match *word {
            HostWord::Number(number) => [0, number],
            HostWord::Address(word) => [1, 8 * word as u64],
        }));
        let stdin = self.stdin.as_mut().expect("it is open until the process ends");
        let head = [launch.memory.len() as u64, u64::from(is_descending)];
        for words in [&head, &launch.memory[..], &tail] {
            let bytes: Vec<[u8; 8]> = words.iter().map(|word| word.to_le_bytes()).collect();
            stdin.write_all(bytes.as_flattened())?;
        }
        stdin.flush()?;
        let mut bytes = vec![0; 8 * launch.memory.len()];
        self.stdout.read_exact(&mut bytes)?;
        for (word, bytes) in launch.memory.iter_mut().zip(bytes.as_chunks::<8>().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        Ok(())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.stdin.take());
        // Its input has ended, so it ends.
        let _ = self.child.wait();
    }
}
