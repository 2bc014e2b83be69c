//! Device code with a compiler that only pretends.

use std::fs;

use tempfile::TempDir;

use crate::tools::{COMPILER, crate_folder, pretended_compiler, shell};

/// A build machine without a GPU, and a compiler that only pretends: what it compiles for
/// is the list or the documented one, what is wrong is named, its host compiler is the
/// one that is set, and no variable changes an object behind the back of the cache.
#[test]
#[cfg(unix)]
fn device_code_is_compiled_for_what_is_asked() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    pretended_compiler(folder.path());
    crate_folder(&path("crate"));
    let compile = |variables: &str| {
        let _ = fs::remove_file(path("log"));
        let line = format!(
            "{COMPILER}; export LOG=$PWD/log {variables}; $T codegen --crate crate --device out"
        );
        let (code, text) = shell(folder.path(), &line);
        (code, text, fs::read_to_string(path("log")).unwrap_or_default())
    };
    let (code, text, log) = compile("");
    assert_eq!(code, Some(0), "{text}");
    let of = |log: &str, part: &str| log.lines().filter(|line| line.contains(part)).count();
    let num_files = log.lines().count() / 2;
    assert!(num_files >= 2, "{log}");
    assert_eq!([of(&log, "-cubin -arch=sm_90"), of(&log, "-ptx -arch=compute_75")], [num_files; 2]);
    assert!(!log.contains("native"), "{log}");
    let (_, _, log) = compile("");
    assert_eq!(log, "", "all of it is there already");
    // Flags that nvcc would read by itself are not in the key, so it does not see them.
    let (_, _, log) = compile("NVCC_APPEND_FLAGS=-G NVCC_PREPEND_FLAGS=-lineinfo");
    assert_eq!(log, "");
    let (code, text, log) =
        compile("TRACELOOM_CUDA_ARCHS='80;compute_80' NVCC_CCBIN=/opt/g++ NVCC_APPEND_FLAGS=-G");
    assert_eq!(code, Some(0), "{text}");
    assert_eq!([of(&log, "-arch=sm_80"), of(&log, "-arch=compute_80")], [num_files; 2], "{log}");
    assert_eq!(of(&log, " ccbin=/opt/g++ flags="), 2 * num_files, "{log}");
    assert_eq!(of(&log, "-G"), 0, "{log}");
    let (code, text, log) = compile("TRACELOOM_CUDA_ARCHS=banana");
    assert_eq!((code, &*log), (Some(1), ""), "{text}");
    for part in ["`banana`", "TRACELOOM_CUDA_ARCHS", "sm_90"] {
        assert!(text.contains(part), "{text}");
    }
    assert_eq!(text.lines().count(), 1, "{text}");
    // Who requires device code is told that there is no compiler.
    let (code, text, _) = compile("TRACELOOM_CUDA=require PATH=/nonexistent");
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("NVCC"), "{text}");
}
