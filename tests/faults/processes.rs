//! Processes that differ, and several at once.

use std::fs;
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use traceloom::bytecode::execute::Limits;
use traceloom::cli;

use crate::tools::{BINARY, quiet};

/// Several circuits, memory and io.
const SORT: &str = "prove merge_sort --input items --profile fast --out p.proof";

fn items(folder: &Path) {
    let items: Vec<u8> = [30_u32, 4, 1, 70_000, 5].iter().flat_map(|x| x.to_le_bytes()).collect();
    fs::write(folder.join("items"), items).unwrap();
}

/// Hash seeds, thread counts and paths differ from process to process; proofs do not.
/// `TRACELOOM_PROCESSES` asks for more of them.
#[test]
fn proofs_do_not_depend_on_the_process() {
    let processes = std::env::var("TRACELOOM_PROCESSES").map_or(6, |n| n.parse().unwrap());
    let mut first: Option<(Vec<u8>, Vec<u8>)> = None;
    for process in 0..processes {
        let folder = TempDir::new().unwrap();
        items(folder.path());
        let mut prover = quiet(folder.path(), SORT);
        prover.env("RAYON_NUM_THREADS", ["1", "16", "3"][process % 3]);
        assert!(prover.status().unwrap().success());
        let proof = fs::read(folder.path().join("p.proof")).unwrap();
        let shown = Command::new(BINARY).args(["inspect", "blake3"]).output().unwrap().stdout;
        let (proof_first, shown_first) =
            first.get_or_insert_with(|| (proof.clone(), shown.clone()));
        assert!(proof == *proof_first, "process {process}: another proof");
        assert!(shown == *shown_first, "process {process}: another fingerprint or text");
    }
}

/// Ends in two minutes, or hangs.
fn ends(mut child: Child, what: &str) {
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if start.elapsed() > Duration::from_secs(120) {
            child.kill().unwrap();
            panic!("{what}: hangs");
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    assert!(status.success(), "{what}: {status}");
}

/// Set where a process is the half that proves twice.
const HALF: &str = "TRACELOOM_TEST_HALF";

/// Two provers at once, in two processes and in one, with one thread, two or three:
/// nobody waits for the other.
#[test]
fn two_provers_at_once_finish() {
    let folder = TempDir::new().unwrap();
    items(folder.path());
    let mut proofs = Vec::new();
    for threads in ["1", "2", "3"] {
        let names = ["a.proof", "b.proof"];
        let provers = names.map(|out| {
            let mut prover = quiet(folder.path(), &SORT.replace("p.proof", out));
            prover.env("RAYON_NUM_THREADS", threads).spawn().unwrap()
        });
        for prover in provers {
            ends(prover, &format!("two processes of {threads} threads"));
        }
        let mut take = || {
            for path in names.map(|out| folder.path().join(out)) {
                proofs.push(fs::read(&path).unwrap());
                fs::remove_file(path).unwrap();
            }
        };
        take();
        // A pool of threads is one of a process and has its size from its environment.
        let mut both = Command::new(std::env::current_exe().unwrap());
        both.args(["--exact", "processes::two_provers_of_one_process", "--ignored", "--quiet"]);
        both.current_dir(folder.path()).env("RAYON_NUM_THREADS", threads).env(HALF, "1");
        ends(both.spawn().unwrap(), &format!("one process of {threads} threads"));
        take();
    }
    assert_eq!(proofs.len(), 12);
    assert!(proofs.windows(2).all(|pair| pair[0] == pair[1]));
}

/// Proves twice, in the folder where it is started.
#[test]
#[ignore = "the other half of two_provers_at_once_finish, which starts it"]
fn two_provers_of_one_process() {
    assert!(std::env::var_os(HALF).is_some(), "it is started by two_provers_at_once_finish only");
    std::thread::scope(|scope| {
        for out in ["a.proof", "b.proof"] {
            scope.spawn(move || {
                let line = format!("traceloom {}", SORT.replace("p.proof", out));
                let ran = cli::run_kept(line.split(' ').map(Into::into), &Limits::default());
                assert_eq!(ran.code, 0, "{}", ran.err);
            });
        }
    });
}
