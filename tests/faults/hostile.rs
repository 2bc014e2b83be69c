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

/// Readers of files know how long they may be before they read: what is too long, and
/// what does not begin like what it should be, is refused with 40 MB and at once. A
/// stream has no length; it is read as far as the limit.
#[test]
#[cfg(target_os = "linux")]
fn long_files_are_refused_unread() {
    let folder = TempDir::new().unwrap();
    let sparse = |name: &str, head: &[u8], len: u64| {
        fs::write(folder.path().join(name), head).unwrap();
        let file = fs::OpenOptions::new().write(true).open(folder.path().join(name)).unwrap();
        file.set_len(len).unwrap();
    };
    sparse("zeros", &[], 1 << 30);
    sparse("more", &[], 100 << 30);
    sparse("long.proof", MAGIC, (1 << 30) + 1);
    for (command, code, message) in [
        ("verify zeros", 2, "not a traceloom proof"),
        ("verify more", 2, "not a traceloom proof"),
        ("verify /dev/zero", 2, "not a traceloom proof"),
        ("verify long.proof", 2, "1073741825 bytes, a proof has at most 1073741824"),
        ("inspect long.proof", 2, "1073741825 bytes, a proof has at most 1073741824"),
        ("inspect zeros", 2, "1073741824 bytes, a program has at most 67108864"),
        ("execute more", 2, "107374182400 bytes, a program has at most 67108864"),
        ("import more --out p.json", 2, "107374182400 bytes, a program has at most"),
        ("execute blake3 --input more", 2, "107374182400 bytes, an input has at most 4294967296"),
    ] {
        let line =
            format!("export RAYON_NUM_THREADS=1; ulimit -d 40000; ulimit -t 5; $T {command}");
        let (found, text) = shell(folder.path(), &line);
        assert!(found == Some(code) && text.contains(message), "{command}: {found:?} {text}");
    }
    // Streams without an end: 64 MiB of them are read, of a program.
    let line = "ulimit -d 195312; ulimit -t 20; $T inspect /dev/zero";
    let (found, text) = shell(folder.path(), line);
    let message = "more than 67108864 bytes, a program has at most 67108864";
    assert!(found == Some(2) && text.contains(message), "{found:?} {text}");
}

/// Files of 32 MiB that ask for as much as they can: a proof gets three times its size
/// beside the file, a program in JSON at most 32 times.
#[test]
#[cfg(target_os = "linux")]
fn long_files_get_a_small_multiple_of_their_size() {
    const LEN: usize = 32 << 20;
    let folder = TempDir::new().unwrap();
    let saved = "tests/fuzz/corpus/proof_decode_verify/seed-honest.proof";
    let honest = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(saved)).unwrap();
    let proof = |lengths: &[u64]| {
        let mut bytes = honest[..144].to_vec();
        lengths.iter().for_each(|length| bytes.extend(length.to_le_bytes()));
        bytes.resize(LEN, 0);
        bytes
    };
    let words = (LEN / 8) as u64;
    let many = |head: &str, item: &str, tail: &str| {
        let count = (LEN - head.len() - tail.len() - 4) / (item.len() + 1);
        let items = vec![item; count].join(",");
        [head, &items, tail].concat().into_bytes()
    };
    let head = "{\"format\": \"traceloom-program/1\", \"name\": \"n\", \"memory_sizes\": [";
    let nested = "{\"memory_sizes\": [], \"functions\": [";
    let body = "{\"memory_sizes\":[],\"functions\":[{\"body\":{\"ops\":[],\"ctrl\":{\"ctrl\":\"match\",\
                \"value\":0,\"cases\":[";
    let proof_limit = (LEN * 4 / 1024) + 20_000;
    let json_limit = (LEN * 33 / 1024) + 20_000;
    for (name, bytes, limit, command) in [
        // Empty statements, as many as fit; log heights; lists of public values.
        ("a.proof", proof(&[words / 8 - 4]), proof_limit, "verify"),
        ("b.proof", proof(&[1, words - 40]), proof_limit, "verify"),
        ("c.proof", proof(&[1, 0, 0, 0, 0, 0, words - 40]), proof_limit, "verify"),
        ("d.proof", proof(&[0, 0, words / 15 - 4]), proof_limit, "verify"),
        ("a.json", many(head, "1", "]}"), json_limit, "inspect"),
        ("b.json", many(head, "[]", "]}"), json_limit, "inspect"),
        ("c.json", many(nested, "{}", "]}"), json_limit, "import --out o.json"),
        ("d.json", many(body, "[0,{}]", "]}}}]}"), json_limit, "import --out o.json"),
        ("d.tla", vec![b'\n'; LEN], proof_limit, "inspect"),
        (
            "e.tla",
            "memory ".bytes().chain("1,".bytes().cycle()).take(LEN).collect(),
            json_limit,
            "inspect",
        ),
    ] {
        fs::write(folder.path().join(name), bytes).unwrap();
        let line = format!(
            "export RAYON_NUM_THREADS=1; ulimit -d {limit}; ulimit -t 60; $T {command} {name} > out 2>&1; c=$?"
        );
        let (code, text) = shell(folder.path(), &format!("{line}; tail -c 300 out; exit $c"));
        assert_eq!(code, Some(2), "{name}: {text}");
        let says =
            if limit == proof_limit && command == "verify" { "proof file, byte " } else { ":" };
        assert!(text.contains(says), "{name}: {text}");
    }
}
