//! The memory that is planned is what a proof takes, in a process of its own. The file is so
//! large that code, stacks and whatever an allocator holds back are little.
#![cfg(target_os = "linux")]

use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

/// Most difference, in percent of what was measured.
const PERCENT: u64 = 10;

/// Planned and measured peak of a proof with these options.
fn peaks(folder: &TempDir, options: &str) -> (u64, u64) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_traceloom"));
    command.current_dir(folder.path()).env("CUDA_VISIBLE_DEVICES", "");
    let args = "prove blake3 --input input --out proof --report . --profile fast --backend cpu";
    command.args(args.split_whitespace()).args(options.split_whitespace());
    let ran = command.output().unwrap();
    assert!(ran.status.success(), "{options}: {}", String::from_utf8_lossy(&ran.stderr));
    let report = std::fs::read_to_string(folder.path().join("report.json")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    let planned = report["shards"]["planned_memory_bytes"]["peak"].as_u64().unwrap();
    (planned, report["peak_memory_bytes"].as_u64().unwrap())
}

#[test]
fn planned_memory_is_what_a_proof_takes() {
    let folder = TempDir::new().unwrap();
    let input: Vec<u8> =
        (0..400_000_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    std::fs::write(folder.path().join("input"), input).unwrap();
    for options in
        ["--shards 1", "--shards 4 --retention retain", "--shards 4 --retention regenerate"]
    {
        let (planned, measured) = peaks(&folder, options);
        println!("{options}: {planned} planned, {measured} measured");
        let difference = planned.abs_diff(measured);
        assert!(
            difference * 100 <= measured * PERCENT,
            "{options}: {planned} bytes planned, {measured} measured"
        );
    }
}
