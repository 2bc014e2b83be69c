//! Files that are not what they should be.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use traceloom::verifier::codec::MAGIC;

use crate::tools::{PROVE, VERIFY, shell};

/// Bytes behind a proof, one or a million, are refused; so is each kind of file that
/// is not one.
#[test]
fn what_is_behind_a_proof_is_refused() {
    let folder = TempDir::new().unwrap();
    assert_eq!(shell(folder.path(), &format!("$T {PROVE}")).0, Some(0));
    let path: PathBuf = folder.path().join("p.proof");
    let proof = fs::read(&path).unwrap();
    assert_eq!(shell(folder.path(), &format!("$T {VERIFY}")).0, Some(0));
    for len in [1, 1 << 20] {
        fs::write(&path, [&proof[..], &vec![0; len]].concat()).unwrap();
        let (code, text) = shell(folder.path(), &format!("$T {VERIFY}"));
        assert!(code == Some(2) && text.contains("byte"), "{len}: {text}");
    }
}

/// Small files take neither long nor much memory: 200 MB of its own are enough, and
/// five seconds of processor time, since this is the debug build (`builds` gives the
/// release build one). A limit that is crossed ends the process.
#[test]
#[cfg(target_os = "linux")]
fn small_files_are_read_within_their_limits() {
    let folder = TempDir::new().unwrap();
    let saved = "tests/fuzz/corpus/proof_decode_verify/seed-honest.proof";
    let proof = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(saved)).unwrap();
    assert!(proof.starts_with(MAGIC));
    // The first length is behind magic, version, parameters and fingerprint.
    let lengths = [&proof[..144], &[0x7f; 60_000]].concat();
    let wrap = |signature: &str, body: &str| {
        format!(
            "program \"much\"\nmemory 4096\nfn f({signature}) -> 0 entry {{\n{body}return\n}}\nend\n"
        )
    };
    let loads: String = (0..200).map(|i| format!("a{i}x0..a{i}x4095 = load p\n")).collect();
    let files = [
        ("names.tla", wrap("x0..x1999999", "")),
        ("loads.tla", wrap("p", &loads)),
        (
            "open.tla",
            "program \"p\"\nfn f(a) -> 0 {\n".to_owned() + &"match a { default {\n".repeat(3_000),
        ),
        ("open.json", "[".repeat(60_000)),
        (
            "long.json",
            format!("{{\"format\": \"traceloom-program/1\", \"name\": {}", "9".repeat(60_000)),
        ),
    ];
    let texts = files.map(|(name, text)| (name, text.into_bytes()));
    let proofs = [
        ("magic.proof", [&MAGIC[..], &[0x7f; 60_000]].concat()),
        ("lengths.proof", lengths),
        ("behind.proof", [&proof[..], &[0; 60_000]].concat()),
    ];
    let run = |limits: &str, command: &str| {
        let line = format!("export RAYON_NUM_THREADS=1; {limits}; $T {command} > out 2>&1; c=$?");
        shell(folder.path(), &format!("{line}; tail -c 300 out; exit $c"))
    };
    for (name, bytes) in texts.into_iter().chain(proofs) {
        fs::write(folder.path().join(name), bytes).unwrap();
        let (code, text) = run("ulimit -d 195312; ulimit -t 5", &format!("inspect {name}"));
        assert!(matches!(code, Some(0..=2)), "{name}: {code:?} {text}");
        // Only where the reader of proofs reads it, it says this.
        let is_proof = name.ends_with(".proof");
        assert_eq!(is_proof, text.contains("proof file, byte "), "{name}: {text}");
    }
    let (code, text) = run("ulimit -d 4000", "inspect names.tla");
    assert!(!matches!(code, Some(0..=2)), "4 MB do for two million names: {code:?} {text}");
}
