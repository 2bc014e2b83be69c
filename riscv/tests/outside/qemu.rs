//! The same programs under qemu-riscv64: registers and memory are what they write at the end.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Output};

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use traceloom_riscv::{Limits, Program, execute};

use crate::folder;
use crate::support::streams::{DATA_BYTES, stream};

/// Random programs, and instructions in each. TRACELOOM_STREAMS asks for more programs.
const STREAMS: u64 = 100;
const LENGTH: usize = 1000;

fn under_qemu(elf: &Path, input: &[u8], folder: &Path) -> Output {
    fs::write(folder.join("input"), input).unwrap();
    let input = File::open(folder.join("input")).unwrap();
    Command::new("qemu-riscv64").arg(elf).stdin(input).output().unwrap()
}

pub fn streams_agree() {
    let work = tempfile::tempdir().unwrap();
    let path = work.path().join("stream.elf");
    let asked = std::env::var("TRACELOOM_STREAMS").ok().map(|text| text.parse().unwrap());
    let (streams, limits) = (asked.unwrap_or(STREAMS), Limits::default());
    let mut instructions = 0;
    for seed in 1000..1000 + streams {
        let elf = stream(&mut ChaCha8Rng::seed_from_u64(seed), LENGTH);
        fs::write(&path, &elf).unwrap();
        executable(&path);
        let theirs = under_qemu(&path, &[], work.path());
        let program = Program::load(&elf, &limits).unwrap();
        let ours = execute(&program, &[], &limits).unwrap_or_else(|trap| panic!("{seed}: {trap}"));
        assert_eq!(theirs.status.code(), Some(0), "seed {seed}: {theirs:?}");
        assert_eq!((ours.exit_code, ours.output.len()), (0, DATA_BYTES));
        let differs = ours.output.iter().zip(&theirs.stdout).position(|(a, b)| a != b);
        assert_eq!((differs, theirs.stdout.len()), (None, DATA_BYTES), "seed {seed}");
        instructions += ours.cycles;
    }
    println!("{streams} programs, {instructions} instructions: registers and memory agree");
}

pub fn guests_agree() {
    let work = tempfile::tempdir().unwrap();
    let limits = Limits::default();
    let long: Vec<u8> = (0..4000u32).map(|x| (x * x % 253) as u8).collect();
    let cases: [(&str, &[u8]); 8] = [
        ("fibonacci", b"1000"),
        ("fibonacci", b"no"),
        ("sha256", &long),
        ("sha256", b""),
        ("sort", &long),
        ("sort", b"123"),
        ("calculator", b"(1+2)*-3/2\n77%10\n"),
        ("calculator", b"1\n2\n1/(1-1)\n"),
    ];
    for (name, input) in cases {
        let path = folder("guests").join(format!("{name}.elf"));
        let program = Program::load(&fs::read(&path).unwrap(), &limits).unwrap();
        let ours = execute(&program, input, &limits).unwrap();
        let theirs = under_qemu(&path, input, work.path());
        assert_eq!(theirs.status.code(), Some(ours.exit_code as i32), "{name}");
        assert_eq!(theirs.stdout, ours.output, "{name}");
    }
}

fn executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}
