//! Output is a function of the programs: the same from any process, folder, home,
//! language, time zone and number of threads. Ten processes; `TRACELOOM_PROCESSES`
//! asks for more.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use traceloom_bytecode::builder::ProgramBuilder;
use traceloom_bytecode::{CheckedProgram, json, text};
use traceloom_codegen::compile;
use traceloom_codegen::digest::input_digest;
use traceloom_plan::hex;

/// Many functions, memory widths and keys, in no order: the more there is to order
/// wrongly, the more this test can see.
fn shuffled() -> String {
    let mut p = ProgramBuilder::new("shuffled");
    let main = p.entry("main", 2, 1);
    let names = ["zeta", "beta", "psi", "alpha", "mu", "eta", "xi", "rho", "nu"];
    let functions = names.map(|name| p.function(name, 2, 1));
    for (i, function) in functions.into_iter().enumerate() {
        let next = functions[(i * 4 + 2) % functions.len()];
        p.define(function, |f, x| {
            let width = [7, 3, 11, 5][i % 4];
            let pointer = f.store(&vec![x[0]; width]);
            let loaded = f.load(width as u32, pointer);
            f.match_value(x[1], |arms| {
                for key in [41, 7, 100, 3, 19, 5] {
                    arms.case(key, |f| {
                        let key = f.constant(key);
                        let less = f.sub(loaded[1], key);
                        let called = f.call(next, &[less, x[0]]);
                        f.ret(&called)
                    });
                }
                arms.default(|f| f.ret(&[loaded[2]]));
            })
        });
    }
    p.define(main, |f, x| {
        let called = f.call(functions[0], x);
        f.ret(&called)
    });
    json::print(&p.finish().unwrap())
}

/// A crate with this program and those of the repository.
fn tree(root: &Path) -> PathBuf {
    let programs = root.join("programs");
    fs::create_dir_all(&programs).unwrap();
    fs::create_dir_all(root.join("src")).unwrap();
    fs::write(programs.join("shuffled.json"), shuffled()).unwrap();
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../trace-plans");
    for name in ["merge_sort.json", "div_rem.json"] {
        fs::copy(own.join(name), programs.join(name)).unwrap();
    }
    root.to_owned()
}

fn files(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let (mut files, mut folders) = (BTreeMap::new(), vec![root.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let path = entry.path();
            match entry.file_type().unwrap().is_dir() {
                true => folders.push(path),
                false => {
                    let bytes = fs::read(&path).unwrap();
                    files.insert(path.strip_prefix(root).unwrap().to_owned(), bytes);
                }
            }
        }
    }
    files
}

/// `20..-`, as dates begin.
fn is_year(window: &[u8]) -> bool {
    window.starts_with(b"20") && window[2..4].iter().all(u8::is_ascii_digit) && window[4] == b'-'
}

#[test]
fn output_depends_on_the_programs_alone() {
    let processes = std::env::var("TRACELOOM_PROCESSES").map_or(10, |n| n.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let mut first = None;
    for process in 0..processes {
        let odd = process % 2 == 1;
        let name =
            if odd { format!("a/rather longer/path {process}") } else { process.to_string() };
        let root = tree(&folder.path().join(name));
        let mut command = Command::new(env!("CARGO_BIN_EXE_traceloom-codegen"));
        command.arg("--crate").arg(&root).env("RAYON_NUM_THREADS", if odd { "16" } else { "1" });
        if odd {
            command.env("HOME", "/nonexistent").env("USER", "someone").env("TZ", "Asia/Tokyo");
            command.env("LANG", "tr_TR.UTF-8").env("LC_ALL", "tr_TR.UTF-8").current_dir(&root);
        }
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let files = files(&root);
        assert!(files.len() > 20, "{}", files.len());
        for (path, bytes) in &files {
            let text = String::from_utf8_lossy(bytes);
            let path = path.display();
            let folder = folder.path().to_str().unwrap();
            assert!(!text.contains(folder) && !text.contains("/nonexistent"), "{path}: a path");
            assert!(!bytes.windows(5).any(is_year), "{path}: a date");
        }
        let first = first.get_or_insert_with(|| files.clone());
        for (path, bytes) in &files {
            assert!(first.get(path) == Some(bytes), "process {process}: {}", path.display());
        }
        assert_eq!(first.len(), files.len(), "process {process}");
    }
}

/// Key order and white space of the text of a program are not content; the order of
/// functions and of cases is.
#[test]
fn the_form_of_a_program_is_not_content() {
    let source = shuffled();
    let unit = |source: &str| {
        let program = json::parse(source).unwrap_or_else(|error| panic!("{error}"));
        compile(&CheckedProgram::new(program).unwrap()).unwrap()
    };
    let usual = unit(&source);
    let mut other = source.replace("\"entry\": false,", "").replace("\n", "\n\t ");
    other = other.replace("\"constrained\": true,", "\"constrained\": true, \"entry\": false,");
    // The entry function has its own flag.
    other = other.replacen("\"constrained\": true, \"entry\": false,", "\"constrained\": true,", 1);
    assert_ne!(source, other);
    let other = unit(&other);
    assert_eq!((usual.digest, usual.input), (other.digest, other.input));
    assert_eq!(usual.files, other.files);
    let swapped = unit(&source.replacen("[41, ", "[42, ", 1));
    assert_ne!(usual.plan.fingerprint, swapped.plan.fingerprint);
}

const MIN: &str =
    "program \"min\"\n\nfn main(a) -> 1 entry {\n  p = mul a, a\n  return p\n}\n\nend";

const MATCH: &str = "program \"choice\"\n\nfn main(a, b) -> 1 entry {\n  match a {\n    \
                     case 7 { return a }\n    case 1 { return b }\n    case 4 { return a }\n    \
                     default { return b }\n  }\n}\n\nend";

/// On-disk identities: fingerprint, unit digest, input digest. A change of the first
/// is a change of format; the others follow the versions of generator and abi.
#[test]
fn identities_are_pinned() {
    let expected = [
        [
            "8a3562d1099903b6f26dc643c2985e243ec65cc869b876f3fb68ccca0f1e2d43",
            "b4affbc6c85aa2e58feee2aebb5491d9820ea971561be5f0ce50c22d35271840",
            "f974f2d580daf5a2088f7c44b5182870aa817dc68fb7bc52db5eb74f6f198341",
        ],
        [
            "e03897939fe9282b89936398cd47afadb986be4260cce740a79d32c3c1dd0850",
            "8e891c1f15751cc8a74b2a8c6d6d24c2f009b45a69c397b9ae45bfb0ce94b0a5",
            "c313c59dcd79b949c0d3f864340fa540b3361eb6231ffb0c73f135f5234462ac",
        ],
    ];
    for (source, expected) in [MIN, MATCH].into_iter().zip(expected) {
        let program = CheckedProgram::new(text::parse(source).unwrap()).unwrap();
        let unit = compile(&program).unwrap();
        let input = input_digest(program.program());
        let found = [program.fingerprint(), unit.digest, input].map(|digest| hex(&digest));
        assert_eq!(found, expected);
        let renamed = text::parse(source.replace("main", "first")).unwrap();
        let renamed = compile(&CheckedProgram::new(renamed).unwrap()).unwrap();
        assert_eq!(renamed.digest, unit.digest, "names are outside");
        assert_ne!(renamed.input, unit.input, "but not outside of the text");
    }
}

/// What is an identity, of a system, of a unit or of a cached object, is a digest with an
/// encoding of its own: neither the hasher of the standard library nor text for debugging,
/// which both may change with a compiler.
#[test]
fn identities_have_an_encoding_of_their_own() {
    const UNSTABLE: [&str; 7] =
        ["DefaultHasher", "RandomState", "BuildHasher", "hash::Hash", "SipHasher", ":?}", ":#?}"];
    const DIGESTS: [&str; 4] = ["new_derive_key", "blake3::hash", "Hasher::new", "DefaultHasher"];
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut names = Vec::new();
    for member in [
        "abi",
        "air",
        "bytecode",
        "codegen",
        "cuda",
        "generated",
        "plan",
        "prover",
        "runtime",
        "verifier",
        ".",
    ] {
        let mut folders = vec![root.join(member).join("src")];
        while let Some(folder) = folders.pop() {
            for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let text = fs::read_to_string(&path).unwrap_or_default();
                // What tests print is not an identity.
                let text = text.split("#[cfg(test)]").next().unwrap();
                if path.ends_with("tests.rs") || !DIGESTS.iter().any(|word| text.contains(word)) {
                    continue;
                }
                for word in UNSTABLE {
                    assert!(!text.contains(word), "{} has {word}", path.display());
                }
                names.push(path.strip_prefix(&root).unwrap().display().to_string());
            }
        }
    }
    for name in [
        "bytecode/src/contract.rs",
        "bytecode/src/fingerprint.rs",
        "codegen/src/digest.rs",
        "codegen/src/device/cache.rs",
        "verifier/src/scheme.rs",
    ] {
        assert!(names.iter().any(|found| found == name), "{name} is not among {names:?}");
    }
}
