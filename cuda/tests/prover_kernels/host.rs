//! Kernels compiled as C++, in a process of their own.

use std::fs;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use tempfile::TempDir;
use traceloom_abi::cuda::HEADERS;
use traceloom_cuda::prover_kernels::{Launch, SOURCES, Word};

/// The compiled kernels.
pub struct Host {
    folder: TempDir,
}

/// Launches over buffers of words, and the order in which threads of a phase run.
pub struct Job<'a> {
    pub launches: &'a [Launch],
    pub buffers: Vec<Vec<u64>>,
    pub is_descending: bool,
}

/// Words that lie between buffers and must stay as they are.
const GUARD: [u64; 2] = [0xdead_beef_dead_beef, u64::MAX];

impl Host {
    pub fn compile() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let sources = SOURCES.iter().map(|file| (file.name, file.text));
        for (name, text) in HEADERS.into_iter().chain(sources) {
            fs::write(folder.path().join(name), text).expect("the folder is writable");
        }
        fs::write(folder.path().join("main.cpp"), include_str!("host.hpp"))
            .expect("the folder is writable");
        let target = match std::env::consts::OS {
            "macos" => format!("{}-apple-darwin", std::env::consts::ARCH),
            _ => format!("{}-unknown-linux-gnu", std::env::consts::ARCH),
        };
        let mut build = cc::Build::new();
        build.cpp(true).opt_level(1).target(&target).host(&target).out_dir(folder.path());
        build.cargo_metadata(false).cargo_debug(false);
        let mut command = build.get_compiler().to_command();
        command.current_dir(folder.path()).args(["-std=c++17", "-Wall", "-Wextra", "-Werror"]);
        if std::env::var_os("TRACELOOM_SANITIZE").is_some() {
            command.args(["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]);
        }
        let output = command.args(["main.cpp", "-o", "kernels"]).output();
        let output = output.expect("a C++ compiler is installed");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "the kernels do not compile:\n{errors}");
        Self { folder }
    }

    /// The program, which runs jobs until its input ends.
    pub fn program(&self) -> PathBuf {
        self.folder.path().join("kernels")
    }

    /// The buffers after the launches.
    pub fn run(&self, job: &Job<'_>) -> Vec<Vec<u64>> {
        let mut child = Command::new(self.program())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the compiled kernels start");
        let mut stdin = child.stdin.take().expect("stdin is piped");
        let mut stdout = child.stdout.take().expect("stdout is piped");
        let (words, starts) = job.words();
        let bytes: Vec<u8> = words.into_iter().flat_map(u64::to_le_bytes).collect();
        let mut output = Vec::new();
        std::thread::scope(|scope| {
            scope.spawn(move || stdin.write_all(&bytes));
            stdout.read_to_end(&mut output).expect("stdout is readable");
        });
        assert!(child.wait().expect("the process ends").success(), "the kernels failed");
        let memory: Vec<u64> =
            output.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
        let buffers = job.buffers.iter().zip(&starts);
        buffers
            .map(|(buffer, &start)| {
                let end = start + buffer.len();
                assert_eq!(memory[end..end + GUARD.len()], GUARD, "a kernel wrote behind a buffer");
                memory[start..end].to_vec()
            })
            .collect()
    }
}

impl Job<'_> {
    /// The list, and the words of memory at which the buffers begin.
    fn words(&self) -> (Vec<u64>, Vec<usize>) {
        let (mut memory, mut starts) = (Vec::new(), Vec::new());
        for buffer in &self.buffers {
            starts.push(memory.len());
            memory.extend_from_slice(buffer);
            memory.extend(GUARD);
        }
        let mut words = vec![memory.len() as u64, u64::from(self.is_descending)];
        words.extend(memory);
        words.push(self.launches.len() as u64);
        for launch in self.launches {
            let mut name = [0_u8; 64];
            name[..launch.kernel.len()].copy_from_slice(launch.kernel.as_bytes());
            words.extend(name.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)));
            words.extend([launch.blocks, u64::from(launch.threads), launch.shared_bytes.into()]);
            words.push(launch.words.len() as u64);
            for word in &launch.words {
                match *word {
                    Word::Number(number) => words.extend([0, number]),
                    Word::Part { buffer, offset, bytes } => {
                        let size = 8 * self.buffers[buffer].len() as u64;
                        assert!(offset + bytes <= size, "{launch:?} leaves buffer {buffer}");
                        words.extend([1, 8 * starts[buffer] as u64 + offset]);
                    }
                }
            }
        }
        (words, starts)
    }
}
