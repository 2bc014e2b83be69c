//! A cache of finished shards: whatever it holds, a proof has the bytes of one without it. What
//! is of no use is named and ignored.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, SystemTime};

use tempfile::TempDir;
use traceloom_air::field::element;
use traceloom_prover::{Committed, Part, ShardStore};
use traceloom_runtime::session::{Kind, Proved, Request, Session, SessionBuilder};
use traceloom_runtime::shards::cache::disk::{Disk, FileSystem};
use traceloom_runtime::shards::cache::file::{self, FileError};
use traceloom_runtime::shards::cache::{Cache, Inventory, KeptShards, Removal};
use traceloom_runtime::shards::{NumShards, ShardOptions};
use traceloom_verifier::Profile;

const SHARDS: usize = 3;
const ARGS: [u64; 1] = [20];

fn builder() -> SessionBuilder {
    let program = traceloom_programs::fibonacci::program().unwrap();
    let shards = ShardOptions { shards: NumShards::Exactly(SHARDS), ..ShardOptions::default() };
    Session::of_program(program).profile(Profile::Fast).shards(shards)
}

fn expected() -> &'static [u8] {
    static BYTES: OnceLock<Vec<u8>> = OnceLock::new();
    BYTES.get_or_init(|| builder().build().unwrap().prove(Request::args(ARGS)).unwrap().bytes)
}

/// A proof with a cache, and what was said of the cache.
fn prove(folder: &Path) -> (Proved, Vec<String>) {
    proved(builder(), folder, Request::args(ARGS))
}

/// A session with a cache, for many proofs.
struct Prover {
    session: Session,
    notes: Arc<Mutex<Vec<String>>>,
}

impl Prover {
    fn new(builder: SessionBuilder, folder: &Path) -> Self {
        let notes = Arc::<Mutex<Vec<String>>>::default();
        let said = notes.clone();
        let builder = builder.cache(folder);
        let builder = builder.notices(move |note| said.lock().unwrap().push(note.into()));
        Self { session: builder.build().unwrap(), notes }
    }

    fn prove(&self, request: Request) -> (Proved, Vec<String>) {
        let proved = self.session.prove(request).unwrap();
        let mut notes = std::mem::take(&mut *self.notes.lock().unwrap());
        notes.retain(|note| !note.contains("no unit was generated"));
        (proved, notes)
    }
}

fn proved(builder: SessionBuilder, folder: &Path, request: Request) -> (Proved, Vec<String>) {
    Prover::new(builder, folder).prove(request)
}

fn reused(proved: &Proved) -> (usize, usize) {
    let cache = proved.report.cache.as_ref().unwrap();
    (cache.reused_roots, cache.reused_proofs)
}

/// The folder of the only proof in a cache.
fn folder_of(cache: &Path) -> PathBuf {
    let mut folders = fs::read_dir(cache).unwrap().map(|entry| entry.unwrap().path());
    let folder = folders.next().unwrap();
    assert!(folders.next().is_none(), "several proofs");
    folder
}

type Files = BTreeMap<String, Vec<u8>>;

fn files(folder: &Path) -> Files {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    entries
        .filter(|path| path.is_file())
        .map(|path| (name(&path), fs::read(path).unwrap()))
        .collect()
}

/// A cache that has all of the proof, with its folder and its files.
fn full() -> (TempDir, PathBuf, Files) {
    let cache = TempDir::new().unwrap();
    let (first, notes) = prove(cache.path());
    assert_eq!(reused(&first), (0, 0));
    let folder = folder_of(cache.path());
    let line = format!("reused 0 of 3 roots and 0 of 3 shard proofs from {}", folder.display());
    assert_eq!(notes, [line]);
    let files = files(&folder);
    let names: Vec<&str> = files.keys().map(String::as_str).collect();
    let shards = ["00000", "00001", "00002"];
    let expected = ["proof", "root"].map(|part| shards.map(|shard| format!("{part}-{shard}")));
    let expected: Vec<String> = ["lock".to_owned()].into_iter().chain(expected.concat()).collect();
    assert_eq!(names, expected);
    (cache, folder, files)
}

#[test]
fn any_files_of_an_earlier_run_are_reused_and_give_the_same_bytes() {
    let expected = expected();
    let (cache, folder, files) = full();
    let names: Vec<&String> = files.keys().filter(|name| *name != "lock").collect();
    let prover = Prover::new(builder(), cache.path());
    for bits in 0..1_u32 << names.len() {
        let is_there = |at: usize| bits >> at & 1 == 1;
        for (at, name) in names.iter().enumerate() {
            let path = folder.join(name);
            match is_there(at) {
                true => fs::write(path, &files[*name]).unwrap(),
                false => drop(fs::remove_file(path)),
            }
        }
        let (proved, notes) = prover.prove(Request::args(ARGS));
        assert!(proved.bytes == expected, "{bits:b}");
        let counts = |part: &str| {
            let there = names.iter().enumerate().filter(|(at, _)| is_there(*at));
            there.filter(|(_, name)| name.starts_with(part)).count()
        };
        assert_eq!(reused(&proved), (counts("root"), counts("proof")));
        let cache = proved.report.cache.as_ref().unwrap();
        assert!(cache.ignored.is_empty() && cache.failure.is_none(), "{cache:?}");
        assert_eq!(notes.len(), 1, "{notes:?}");
        // What was missing is there again, and is the same.
        assert!(self::files(&folder) == files, "{bits:b}");
        if bits + 1 == 1 << names.len() {
            // Nothing was left to do: no row was written.
            assert!(proved.report.trace.circuits.iter().all(|circuit| circuit.rows == 0));
            assert_eq!(proved.report.json()["cache"]["reused_proofs"], SHARDS);
        }
    }
}

/// Changes one file, proves, and returns what was said of it.
fn with(prover: &Prover, folder: &Path, whole: &Files, name: &str, bytes: &[u8]) -> String {
    for (name, bytes) in whole {
        fs::write(folder.join(name), bytes).unwrap();
    }
    fs::write(folder.join(name), bytes).unwrap();
    let (proved, notes) = prover.prove(Request::args(ARGS));
    assert!(proved.bytes == expected(), "{name}");
    let report = proved.report.cache.as_ref().unwrap();
    let is_root = name.starts_with("root");
    let counts = (SHARDS - usize::from(is_root), SHARDS - usize::from(!is_root));
    assert_eq!(reused(&proved), counts, "{name}");
    assert_eq!((notes.len(), report.ignored.len()), (2, 1), "{notes:?}");
    let path = folder.join(name);
    let named = format!("{} is ignored: ", path.display());
    assert_eq!(notes[0], report.ignored[0]);
    // It was written anew.
    assert!(files(folder) == *whole, "{name}");
    notes[0].strip_prefix(&named).unwrap_or_else(|| panic!("{}", notes[0])).to_owned()
}

/// The file with another header; its digest is right.
fn with_header(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let at = bytes.windows(from.len()).position(|window| window == from.as_bytes()).unwrap();
    let mut bytes = bytes[..bytes.len() - 32].to_vec();
    bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
    signed(bytes)
}

fn signed(mut bytes: Vec<u8>) -> Vec<u8> {
    let digest = blake3::hash(&bytes);
    bytes.extend_from_slice(digest.as_bytes());
    bytes
}

#[test]
fn torn_damaged_old_and_foreign_files_are_named_and_ignored() {
    let (cache, folder, files) = full();
    let prover = Prover::new(builder(), cache.path());
    let with = |name: &str, bytes: &[u8]| with(&prover, &folder, &files, name, bytes);
    for name in ["root-00001", "proof-00002"] {
        let whole = &files[name];
        for length in [0, 5, 8, 31, 32, 100, whole.len() / 2, whole.len() - 1] {
            let reason = with(name, &whole[..length]);
            assert!(reason.starts_with("it is torn: "), "{length}: {reason}");
        }
        let longer = [&whole[..], &[0]].concat();
        assert!(with(name, &longer).starts_with("it is torn: "));
        for at in [40, whole.len() / 2, whole.len() - 1] {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            assert_eq!(with(name, &damaged), "it is damaged: its digest differs", "{at}");
        }
        assert_eq!(with(name, b"something else entirely"), "it is not a file of a cache");
        let mut format = whole[..whole.len() - 32].to_vec();
        format[8] = 9;
        assert_eq!(with(name, &signed(format)), "it has format 9, this version has format 1");
        let old = with_header(whole, "generator", "renegator");
        assert!(with(name, &old).starts_with("it was made by traceloom "));
        let other = with_header(whole, "\"part\":", "\"tarp\":");
        assert_eq!(with(name, &other), "its header cannot be understood");
    }
    // Files of other shards and of the other part, whole as they are.
    let reason = with("root-00001", &files["root-00002"]);
    assert!(
        reason.starts_with("it is about the root of shard 2 of 3 of \"fibonacci\""),
        "{reason}"
    );
    let reason = with("proof-00001", &files["root-00001"]);
    assert!(reason.starts_with("it is about the root of shard 1 of 3"), "{reason}");
    let reason = with("proof-00000", &files["proof-00002"]);
    assert!(reason.starts_with("it is about the proof of shard 2 of 3"), "{reason}");
}

/// The same of another claim, and of another plan: files that are valid where they belong.
#[test]
fn files_of_other_proofs_are_named_and_ignored() {
    let (cache, folder, files) = full();
    let prover = Prover::new(builder(), cache.path());
    for (profile, args) in [(Profile::Fast, [21]), (Profile::Heuristic, ARGS)] {
        let other = TempDir::new().unwrap();
        proved(builder().profile(profile), other.path(), Request::args(args));
        let other = folder_of(other.path());
        assert_ne!(other.file_name(), folder.file_name());
        for name in ["root-00001", "proof-00001"] {
            let bytes = fs::read(other.join(name)).unwrap();
            let reason = with(&prover, &folder, &files, name, &bytes);
            assert!(reason.starts_with("it is about the "), "{reason}");
        }
    }
    fs::write(folder.join("notes.txt"), "mine").unwrap();
    let (proved, notes) = prove(cache.path());
    assert_eq!(reused(&proved), (SHARDS, SHARDS));
    let path = folder.join("notes.txt");
    assert_eq!(notes[0], format!("{} is ignored: it is not a file of a cache", path.display()));
    assert_eq!(fs::read(path).unwrap(), b"mine");
}

/// A file that says what it should and has another content: what it says is not believed.
#[test]
fn a_kept_part_that_is_wrong_is_discarded_and_its_shard_done_again() {
    let (cache, folder, files) = full();
    let (header, payload) = file::decode(&files["root-00001"]).unwrap();
    let committed = file::decode_root(payload).unwrap();
    let changed = |change: fn(&mut Committed)| {
        let mut changed = committed.clone();
        change(&mut changed);
        file::encode(&header, &file::encode_root(&changed))
    };
    let reason = "its traces have another root now";
    let prover = Prover::new(builder(), cache.path());
    for bytes in [changed(|of| of.root[3] ^= 1), changed(|of| of.bound[1] += element(1))] {
        for (name, bytes) in &files {
            fs::write(folder.join(name), bytes).unwrap();
        }
        fs::write(folder.join("root-00001"), bytes).unwrap();
        let (proved, notes) = prover.prove(Request::args(ARGS));
        assert!(proved.bytes == expected());
        // Its proofs were made under the right roots, and serve once those are there.
        assert_eq!(reused(&proved).0, SHARDS - 1);
        assert!(notes.iter().any(|note| note.contains("root-00001") && note.ends_with(reason)));
        assert!(self::files(&folder) == files);
    }
    let short = changed(|of| of.bound.truncate(1));
    let reason = with(&prover, &folder, &files, "root-00001", &short);
    assert_eq!(reason, "it binds the shard by another number of values");
    let (header, payload) = file::decode(&files["proof-00001"]).unwrap();
    let mut payload = payload.to_vec();
    let last = payload.len() - 8;
    payload[last] ^= 1;
    let reason = with(&prover, &folder, &files, "proof-00001", &file::encode(&header, &payload));
    assert!(reason.starts_with("it is refused: shard 1: "), "{reason}");
    payload.pop();
    let reason = with(&prover, &folder, &files, "proof-00001", &file::encode(&header, &payload));
    assert!(reason.starts_with("proof file, byte "), "{reason}");
    let root = file::decode_root(&[0; 31]);
    assert_eq!(root, Err(FileError::Payload("root")));
}

const ADVICE: &str = "program \"advice\"
fn first() -> 1 entry {
  channel = const 0
  at, len = io_get_info channel, []
  word = io_read channel, at
  zero = sub word, word
  rest = call down(word)
  return zero
}
fn down(n) -> 1 {
  match n {
    case 0 { return n }
    default {
      one = const 1
      less = sub n, one
      rest = call down(less)
      return rest
    }
  }
}
end
";

/// A claim that says nothing of its advice: runs with other advice have other addresses.
#[test]
fn advice_is_in_the_address() {
    let cache = TempDir::new().unwrap();
    let shards = ShardOptions { shards: NumShards::Exactly(2), ..ShardOptions::default() };
    let builder = || Session::of_bytes("advice", ADVICE).profile(Profile::Fast).shards(shards);
    let request = |n: u64| Request::new().input(0, &[], &[n]).unwrap();
    let mut proofs = BTreeSet::new();
    for n in [5, 6, 5] {
        let (proved, _) = self::proved(builder(), cache.path(), request(n));
        let without = builder().build().unwrap().prove(request(n)).unwrap();
        assert!(proved.bytes == without.bytes);
        assert_eq!(proved.summary.outputs(0), [0]);
        let is_again = !proofs.insert(proved.bytes.clone());
        assert_eq!(reused(&proved), if is_again { (2, 2) } else { (0, 0) });
    }
    assert_eq!((proofs.len(), fs::read_dir(cache.path()).unwrap().count()), (2, 2));
}

/// A disk on which no more than some files can be written.
struct Full {
    left: AtomicUsize,
}

impl Disk for Full {
    fn write(&self, folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
        match self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1)) {
            Ok(_) => FileSystem.write(folder, name, bytes),
            Err(_) => Err(io::ErrorKind::StorageFull.into()),
        }
    }
}

/// A full disk in the middle: it is said once, and what was written before is whole.
#[test]
fn a_disk_that_is_full_in_the_middle_stops_no_proof() {
    let (_source, folder, files) = full();
    let (header, _) = file::decode(&files["root-00000"]).unwrap();
    let subject = || header.subject.clone();
    let roots: Vec<Committed> = (0..SHARDS)
        .map(|shard| {
            let bytes = &files[&file::name(Part::Root, shard)];
            file::decode_root(file::decode(bytes).unwrap().1).unwrap()
        })
        .collect();
    for left in 0..=SHARDS {
        let cache = TempDir::new().unwrap();
        let notes = Mutex::new(Vec::new());
        let said = |note: &str| notes.lock().unwrap().push(note.to_owned());
        let disk = Full { left: AtomicUsize::new(left) };
        let opened = Cache::open(cache.path()).unwrap();
        let kept = KeptShards::with_disk(&opened, subject(), &said, &disk).unwrap();
        for (shard, root) in roots.iter().enumerate() {
            kept.keep_root(shard, root);
        }
        for (shard, root) in roots.iter().enumerate() {
            assert_eq!(kept.root(shard), Some(root.clone()).filter(|_| shard < left));
        }
        let failure = kept.report(0, 0).failure;
        let notes = notes.lock().unwrap();
        if left == SHARDS {
            assert!(failure.is_none() && notes.is_empty());
        } else {
            assert_eq!(notes[..], [failure.unwrap()], "it is said once");
            let begin = format!("cannot keep {}", cache.path().display());
            assert!(
                notes[0].starts_with(&begin) && notes[0].ends_with("; the proof goes on without")
            );
        }
    }
    // A place that is taken, in a whole proof.
    let cache = folder.parent().unwrap();
    fs::remove_file(folder.join("proof-00001")).unwrap();
    fs::create_dir(folder.join("proof-00001")).unwrap();
    let (proved, notes) = prove(cache);
    assert!(proved.bytes == expected());
    assert_eq!(reused(&proved), (SHARDS, SHARDS - 1));
    assert!(notes[0].ends_with("proof-00001 is ignored: it is not a file of a cache"), "{notes:?}");
    assert!(notes[1].starts_with("cannot keep ") && notes[1].contains("proof-00001"), "{notes:?}");
    let report = proved.report.cache.unwrap();
    assert_eq!(report.failure.as_ref(), Some(&notes[1]));
}

#[test]
fn a_cache_that_cannot_be_is_refused_before_the_program_runs() {
    let folder = TempDir::new().unwrap();
    let taken = folder.path().join("taken");
    fs::write(&taken, "x").unwrap();
    let mut cases = vec![
        (taken.clone(), "it is not a folder; name a folder, which may be new"),
        (taken.join("below"), "cannot write there: "),
    ];
    if cfg!(target_os = "linux") {
        // Nobody may make a file there.
        cases.push(("/proc".into(), "cannot write there: "));
    }
    for (path, message) in cases {
        let session = builder().cache(&path).build().unwrap();
        // The request is wrong, too, which nobody has looked at yet.
        let error = session.prove(Request::args([1, 2, 3])).unwrap_err();
        assert_eq!(error.kind(), Kind::Malformed);
        let text = error.to_string();
        assert!(text.starts_with(&format!("cache {}: {message}", path.display())), "{text}");
    }
    assert_eq!(fs::read(&taken).unwrap(), b"x");
    // A folder that is not there is made.
    let new = folder.path().join("a/b");
    assert_eq!(reused(&prove(&new).0), (0, 0));
    assert!(new.is_dir());
}

#[test]
fn an_inventory_names_everything_and_prunes_what_is_of_no_use() {
    let (cache, folder, files) = full();
    let read = || Inventory::read(cache.path()).unwrap();
    let inventory = read();
    assert_eq!((inventory.entries.len(), inventory.unusable().count()), (2 * SHARDS, 0));
    let proofs = inventory.by_proof();
    assert_eq!(proofs.len(), 1);
    let (header, kept) = &proofs[0];
    assert_eq!(
        (header.subject.program.as_str(), header.subject.profile.as_str()),
        ("fibonacci", "fast")
    );
    assert_eq!((kept.roots, kept.proofs), (SHARDS, SHARDS));
    let sum: usize = files.values().map(Vec::len).sum();
    assert_eq!(kept.size, sum as u64);
    // A clock that went back: the file comes from the future, and is not old.
    let future = SystemTime::now() + Duration::from_secs(1 << 20);
    let late = fs::File::options().write(true).open(folder.join("root-00000")).unwrap();
    late.set_modified(future).unwrap();
    let entry = |inventory: Inventory| {
        inventory.entries.into_iter().find(|entry| entry.path.ends_with("root-00000")).unwrap()
    };
    assert_eq!(entry(read()).age, Duration::ZERO);
    let second = Removal { older_than: Some(Duration::from_secs(60 * 60)), ..Removal::default() };
    assert_eq!(read().prune(second).files, 0);

    // Of no use: torn, damaged, of another version, moved, a draft. Not ours: the others.
    let damaged = {
        let mut bytes = files["root-00002"].clone();
        *bytes.last_mut().unwrap() ^= 1;
        bytes
    };
    let old = with_header(&files["proof-00001"], "generator", "renegator");
    for (name, bytes) in [
        ("root-00000", &files["root-00000"][..50]),
        ("root-00001", &files["root-00002"][..]),
        ("root-00002", &damaged[..]),
        ("proof-00001", &old[..]),
        (".traceloom-abc", b"draft"),
        ("mine", b""),
    ] {
        fs::write(folder.join(name), bytes).unwrap();
    }
    fs::write(cache.path().join("mine"), "").unwrap();
    fs::create_dir(cache.path().join("others")).unwrap();
    fs::write(cache.path().join("others/root-00000"), "").unwrap();
    let inventory = read();
    let reasons: BTreeMap<String, String> = inventory
        .unusable()
        .map(|(entry, why)| {
            (entry.path.file_name().unwrap().to_str().unwrap().to_owned(), why.to_string())
        })
        .collect();
    for (name, reason) in [
        ("root-00000", "it is torn: "),
        ("root-00001", "it is about the root of shard 2"),
        ("root-00002", "it is damaged"),
        ("proof-00001", "it was made by traceloom "),
        (".traceloom-abc", "it is a draft of a process that was killed"),
        ("mine", "it is not a file of a cache"),
        ("others", "it is not a file of a cache"),
    ] {
        assert!(reasons[name].starts_with(reason), "{name}: {}", reasons[name]);
    }
    let removed = inventory.prune(Removal::default());
    assert_eq!((removed.files, &removed.left), (5, &Vec::new()));
    let left: Vec<String> = self::files(&folder).into_keys().collect();
    assert_eq!(left, ["lock", "mine", "proof-00000", "proof-00002"]);
    assert!(cache.path().join("others/root-00000").exists() && cache.path().join("mine").exists());
    fs::remove_file(folder.join("mine")).unwrap();

    // While a process works on the proof, its folder stays.
    let opened = Cache::open(cache.path()).unwrap();
    let subject = read().by_proof()[0].0.subject.clone();
    let all = Removal { all: true, ..Removal::default() };
    let kept = KeptShards::open(&opened, subject, &|_: &str| {}).unwrap();
    let removed = read().prune(all);
    assert_eq!((removed.files, removed.left.len()), (0, 1));
    assert!(removed.left[0].ends_with(": a process works on this proof"), "{:?}", removed.left);
    drop(kept);
    let removed = read().prune(all);
    assert_eq!((removed.files, removed.left.len()), (2, 0));
    assert!(!folder.exists());
    assert!(prove(cache.path()).0.bytes == expected());
    let error = Inventory::read(&cache.path().join("mine")).unwrap_err().to_string();
    assert!(error.contains("it is not a folder"), "{error}");
    let error = Inventory::read(&cache.path().join("none")).unwrap_err().to_string();
    assert!(error.contains("cannot read it: "), "{error}");
}

/// Two proofs of one statement at once: one waits, and says so; both have the same bytes.
#[test]
fn two_provers_of_one_proof_take_turns() {
    let (cache, _, files) = full();
    let (header, _) = file::decode(&files["root-00000"]).unwrap();
    let subject = header.subject.clone();
    let opened = Cache::open(cache.path()).unwrap();
    let first = KeptShards::open(&opened, subject.clone(), &|_: &str| {}).unwrap();
    let (send, said) = std::sync::mpsc::channel();
    let send = Mutex::new(send);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let notice = |note: &str| send.lock().unwrap().send(note.to_owned()).unwrap();
            let second = KeptShards::open(&opened, subject.clone(), &notice).unwrap();
            assert!(second.root(0).is_some());
        });
        let note = said.recv().unwrap();
        assert!(note.starts_with("another process works on this proof in "), "{note}");
        // Whoever prunes in between removes the lock that the second one waits for.
        for entry in fs::read_dir(folder_of(cache.path())).unwrap() {
            let path = entry.unwrap().path();
            if path.file_name().unwrap() == "lock" {
                fs::remove_file(path).unwrap();
            }
        }
        drop(first);
    });
    assert!(folder_of(cache.path()).join("lock").exists());
}
