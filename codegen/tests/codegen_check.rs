//! The expected set of files: this repository has it, and every way of not having
//! it is named. Damage is done to a copy only.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use traceloom_codegen::Units;
use traceloom_codegen::units::{Change, Kind, Problems};
use traceloom_optables::{Limb, TableBuilder, TableProgram, op_record};

op_record! {
    /// Two bytes.
    pub struct SumOp as SumFields {
        /// One.
        a: u8,
        /// The other.
        b: u8,
    }
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn units(root: &Path) -> Units {
    Units::new("../trace-plans", "src/units").in_crate(root.join("generated"))
}

#[test]
fn codegen_check_passes_on_this_repository() {
    units(&repository()).check().unwrap_or_else(|problems| panic!("\n{problems}"));
}

/// A tree with two programs of this repository and their units.
struct Copy(TempDir);

impl Copy {
    fn new() -> Self {
        let copy = Self(TempDir::new().unwrap());
        fs::create_dir_all(copy.path("trace-plans")).unwrap();
        for name in ["fibonacci.json", "merge_sort.json"] {
            let from = repository().join("trace-plans").join(name);
            fs::copy(from, copy.path("trace-plans").join(name)).unwrap();
        }
        fs::create_dir_all(copy.path("generated/src")).unwrap();
        copy.units().write().unwrap_or_else(|problems| panic!("{problems}"));
        assert!(copy.units().check().is_ok());
        copy
    }

    fn path(&self, file: &str) -> PathBuf {
        self.0.path().join(file)
    }

    fn units(&self) -> Units {
        units(self.0.path())
    }

    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.path(file)).unwrap()
    }

    fn write(&self, file: &str, text: impl AsRef<[u8]>) {
        fs::write(self.path(file), text).unwrap();
    }

    fn replace(&self, file: &str, from: &str, to: &str) {
        let text = self.read(file);
        assert!(text.contains(from), "{file} has no {from}");
        self.write(file, text.replacen(from, to, 1));
    }

    /// Everything there is.
    fn tree(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let (mut tree, mut folders) = (BTreeMap::new(), vec![self.0.path().to_owned()]);
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
                match entry.file_type().unwrap().is_dir() {
                    true => folders.push(entry.path()),
                    false => drop(tree.insert(entry.path(), fs::read(entry.path()).unwrap())),
                }
            }
        }
        tree
    }

    /// Fails to check, without a change of anything; the problems and their text.
    #[track_caller]
    fn problems(&self) -> (Problems, String) {
        let before = self.tree();
        let problems = self.units().check().expect_err("a difference");
        assert!(self.tree() == before, "a check changes nothing");
        let text = problems.to_string();
        (problems, text)
    }
}

/// Where the units of fibonacci are.
const UNIT: &str = "generated/src/units/fibonacci";

/// Each of these fails alone, by name, and is mended by writing.
#[test]
fn codegen_check_names_every_difference() {
    type Damage = fn(&Copy);
    let function = format!("{UNIT}/f_fibonacci.rs");
    let damages: [(&str, Damage, &[&str]); 10] = [
        (
            "a file is deleted",
            |copy| fs::remove_file(copy.path(UNIT).join("f_fibonacci.rs")).unwrap(),
            &[&function, "missing"],
        ),
        (
            "a file is emptied",
            |copy| copy.write(&format!("{UNIT}/f_fibonacci.rs"), ""),
            &[&function, "edited", "line 1: expected `// @generated", "the end of the file"],
        ),
        (
            "a byte in the middle",
            |copy| copy.replace(&format!("{UNIT}/f_fibonacci.rs"), "over |=", "over &="),
            &[&function, "edited", "over |=", "found `    over &="],
        ),
        (
            "device code is deleted",
            |copy| fs::remove_file(copy.path(UNIT).join("p_fibonacci_f_fibonacci.cu")).unwrap(),
            &["fibonacci/p_fibonacci_f_fibonacci.cu: missing"],
        ),
        (
            "device code is edited",
            |copy| copy.replace(&format!("{UNIT}/p_fibonacci_f_fibonacci.cuh"), " - ", " + "),
            &["fibonacci/p_fibonacci_f_fibonacci.cuh: edited", "expected `"],
        ),
        (
            "a fingerprint of the registry",
            |copy| {
                let file = format!("{UNIT}/mod.rs");
                let text = copy.read(&file);
                let at = text.find("bytes32(").unwrap() + 20;
                let digit = if &text[at..=at] == "0" { "1" } else { "0" };
                copy.write(&file, [&text[..at], digit, &text[at + 1..]].concat());
            },
            &["fibonacci/mod.rs", "the registry's fingerprint is", "the program's"],
        ),
        (
            "a plan is edited",
            |copy| copy.replace("trace-plans/fibonacci.plan.json", "seed", "sead"),
            &["trace-plans/fibonacci.plan.json", "edited, or another", "sead"],
        ),
        (
            "the program has changed",
            |copy| copy.replace("trace-plans/fibonacci.json", "\"value\": 1}", "\"value\": 2}"),
            &["units/fibonacci: stale, 7 of 7 files: the program has changed, its fingerprint \
                 from "],
        ),
        (
            "a program is gone",
            |copy| fs::remove_file(copy.path("trace-plans/merge_sort.json")).unwrap(),
            &[
                "units/mod.rs: stale",
                "merge_sort/mod.rs: orphaned",
                "merge_sort/p_merge_sort.cu: orphaned",
                "merge_sort/p_merge_sort_f_merge.cuh: orphaned",
                "merge_sort.plan.json: orphaned",
            ],
        ),
        (
            "a program is new",
            |copy| {
                let json = copy.read("trace-plans/fibonacci.json");
                copy.write("trace-plans/fib2.json", json);
            },
            &["units/fib2: missing, all 7 files", "units/mod.rs: stale"],
        ),
    ];
    for (what, damage, expected) in damages {
        let copy = Copy::new();
        damage(&copy);
        let (_, text) = copy.problems();
        println!("{what}:\n{text}\n");
        for part in expected {
            assert!(text.contains(part), "{what}: no {part:?} in\n{text}");
        }
        assert!(text.contains("traceloom codegen --crate "), "{what}: {text}");
        copy.units().write().unwrap();
        assert!(copy.units().check().is_ok(), "{what}");
    }
}

#[test]
fn codegen_check_names_the_units_of_a_function_that_is_added() {
    let copy = Copy::new();
    let added = r#""functions": [
    {"name": "new", "inputs": 1, "outputs": 0, "entry": false, "constrained": true, "blocks":
      [{"ops": [], "control": {"control": "return", "selector": 0, "values": []}}]},"#;
    let file = "trace-plans/fibonacci.json";
    copy.replace(file, "\"functions\": [", added);
    // All functions have moved by one.
    copy.replace(file, "\"function\": 0", "\"function\": 1");
    copy.replace(file, "\"function\": 0", "\"function\": 1");
    copy.replace(file, "[0]\n  ]", "[0], [1]\n  ]");
    let (_, text) = copy.problems();
    assert!(
        text.contains("f_new.rs: missing") && text.contains("units/fibonacci: stale"),
        "{text}"
    );
}

/// A check reads: it needs no right to write, and leaves no trace in a folder where it
/// could, not even a time. Whoever runs as root may write anywhere, so both are looked at;
/// `a_read_only_folder_is_named_and_can_be_checked` has a disk that root cannot write.
#[test]
#[cfg(unix)]
fn codegen_check_writes_nothing() {
    use std::os::unix::fs::PermissionsExt;
    let copy = Copy::new();
    let root = copy.0.path().to_owned();
    let all = || {
        let (mut all, mut folders) = (BTreeMap::new(), vec![root.clone()]);
        while let Some(folder) = folders.pop() {
            for path in fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
                folders.extend(path.is_dir().then(|| path.clone()));
                all.insert(path.clone(), fs::metadata(path).unwrap());
            }
            all.insert(folder.clone(), fs::metadata(folder).unwrap());
        }
        all
    };
    let state = || {
        let of = |(path, data): (PathBuf, fs::Metadata)| {
            (path, data.modified().unwrap(), data.len(), data.permissions().mode())
        };
        all().into_iter().map(of).collect::<Vec<_>>()
    };
    let allow = |write: bool| {
        // Folders last to first, so that those inside can still be reached.
        for (path, data) in all().into_iter().rev() {
            let mode = data.permissions().mode();
            let mode = if write { mode | 0o200 } else { mode & !0o222 };
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    allow(false);
    let before = state();
    assert!(before.len() > 20 && before.iter().all(|(.., mode)| mode & 0o222 == 0));
    let good = copy.units().check().map(drop);
    let after_good = state();
    allow(true);
    fs::remove_file(copy.path(UNIT).join("f_fibonacci.rs")).unwrap();
    allow(false);
    let before_bad = state();
    let bad = copy.units().check().map(drop);
    let after_bad = state();
    // A folder that cannot be written cannot be removed either.
    allow(true);
    assert!(good.is_ok() && after_good == before);
    assert!(bad.unwrap_err().to_string().contains("f_fibonacci.rs: missing"));
    assert!(after_bad == before_bad);
}

/// What no generator wrote is for its owner to remove.
#[test]
fn codegen_check_names_stray_files() {
    for stray in ["notes.txt", "fibonacci/f_old.rs", "fibonacci/p_fibonacci_f_old.cu"] {
        let stray = &format!("generated/src/units/{stray}");
        let copy = Copy::new();
        copy.write(stray, "mine");
        let (problems, text) = copy.problems();
        assert!(text.contains(stray) && text.contains("orphaned"), "{text}");
        assert_eq!(problems.problems[0].kind, Kind::Orphaned { ours: false });
        copy.units().write().unwrap_err();
        copy.units().regenerate(false).unwrap_err();
        assert_eq!(copy.read(stray), "mine");
        fs::remove_file(copy.path(stray)).unwrap();
        assert!(copy.units().check().is_ok());
    }
}

#[test]
fn programs_at_fault_are_all_named() {
    let copy = Copy::new();
    copy.write("trace-plans/fn.json", "{}");
    copy.write("trace-plans/bad.json", "{\"format\": 1");
    copy.replace("trace-plans/fibonacci.json", "\"values\": [", "\"values\": [999, ");
    let (_, text) = copy.problems();
    for part in ["fn.json: the name of a program becomes a module", "bad.json: is not a program"] {
        assert!(text.contains(part), "{text}");
    }
    assert!(text.contains("fibonacci.json: invalid program"), "{text}");
}

/// A build follows programs, and leaves everything else to a person.
#[test]
fn a_build_rewrites_changed_units_only() {
    let copy = Copy::new();
    let build = |frozen| copy.units().regenerate(frozen);
    assert_eq!(build(false), Ok(vec![]));
    copy.replace("trace-plans/fibonacci.json", "\"value\": 1}", "\"value\": 2}");
    let problems = build(true).unwrap_err();
    assert!(problems.to_string().contains("units/fibonacci: stale"), "{problems}");
    let changes = build(false).unwrap();
    assert!(changes.iter().all(|change| change.file().contains("fibonacci")), "{changes:?}");
    assert_eq!(changes.last().unwrap().file(), "src/units/fibonacci/mod.rs");
    assert!(copy.units().check().is_ok());
    // White space is not content.
    copy.replace("trace-plans/fibonacci.json", "{", " { ");
    assert_eq!(build(true), Ok(vec![]));
    let function = format!("{UNIT}/f_fibonacci.rs");
    let text = copy.read(&function);
    copy.write(&function, text.replacen("over |=", "over &=", 1));
    let problems = build(false).unwrap_err();
    assert!(problems.to_string().contains("edited"), "{problems}");
    assert!(copy.read(&function).contains("over &="), "never mended silently");
    fs::remove_file(copy.path(&function)).unwrap();
    let problems = build(false).unwrap_err();
    assert!(problems.to_string().contains("missing"), "{problems}");
    copy.write(&function, text);
    fs::remove_file(copy.path("trace-plans/merge_sort.json")).unwrap();
    let changes = build(false).unwrap();
    let removed = changes.iter().filter(|change| matches!(change, Change::Remove { .. }));
    assert!(removed.count() > 3);
    assert!(!copy.path("generated/src/units/merge_sort").exists());
    assert!(copy.units().check().is_ok());
}

/// Cargo would run the script again because of what it wrote itself.
#[test]
fn a_build_leaves_no_file_newer_than_the_programs() {
    let copy = Copy::new();
    let time = |file: &str| fs::metadata(copy.path(file)).unwrap().modified().unwrap();
    copy.replace("trace-plans/fibonacci.json", "\"value\": 1}", "\"value\": 2}");
    let newest = time("trace-plans/fibonacci.json");
    copy.units().regenerate(false).unwrap();
    assert_eq!(time("generated/src/units/fibonacci/mod.rs"), newest);
    assert_eq!(time("trace-plans/fibonacci.plan.json"), newest);
    assert!(time("generated/src/units") <= newest);
}

/// Text of a program of this repository.
fn text_of(name: &str) -> String {
    let json = fs::read(repository().join("trace-plans").join(name)).unwrap();
    traceloom_bytecode::text::print(&traceloom_bytecode::json::parse(json).unwrap()).unwrap()
}

/// Text is a source like JSON: the same program has the same units, but for the list, which names
/// the file.
#[test]
fn text_is_a_source_like_json() {
    let copy = Copy::new();
    let before = copy.tree();
    fs::remove_file(copy.path("trace-plans/fibonacci.json")).unwrap();
    copy.write("trace-plans/fibonacci.tla", text_of("fibonacci.json"));
    let (_, text) = copy.problems();
    assert!(
        text.starts_with(&format!("{}: stale", copy.path("generated/src/units/mod.rs").display())),
        "{text}"
    );
    copy.units().write().unwrap();
    let after = copy.tree();
    let list = copy.path("generated/src/units/mod.rs");
    let units = |tree: &BTreeMap<PathBuf, Vec<u8>>| {
        let mut tree = tree.clone();
        tree.retain(|path, _| {
            !path.ends_with("fibonacci.json") && !path.ends_with("fibonacci.tla")
        });
        tree.remove(&list);
        tree
    };
    assert!(units(&before) == units(&after));
    assert!(copy.read("generated/src/units/mod.rs").contains("/../trace-plans/fibonacci.tla"));
}

/// Both forms of one program are admitted while they are the same program.
#[test]
fn two_forms_of_one_name_are_one_program() {
    let copy = Copy::new();
    let text = text_of("fibonacci.json");
    copy.write("trace-plans/fibonacci.tla", &text);
    copy.units().write().unwrap();
    copy.units().check().unwrap();
    copy.write("trace-plans/fibonacci.tla", text.replacen("const 1", "const 3", 1));
    let (problems, message) = copy.problems();
    assert!(matches!(problems.problems[0].kind, Kind::Forms { .. }), "{message}");
    for part in ["fibonacci.json: its fingerprint is ", "fibonacci.tla, the other form", "convert"]
    {
        assert!(message.contains(part), "{message}");
    }
    // Text that breaks rules has its line.
    copy.write("trace-plans/fibonacci.tla", text.replacen("return v0", "return v0, v0", 1));
    let (_, message) = copy.problems();
    assert!(message.contains("fibonacci.tla: invalid program, 1 problem:\n  5:"), "{message}");
}

#[test]
fn files_that_are_ignored_are_named() {
    let copy = Copy::new();
    copy.write("trace-plans/notes.md", "for people");
    copy.write("trace-plans/.hidden", "");
    assert!(!copy.units().run(true).unwrap().contains("ignored"));
    copy.write("trace-plans/old.TLA", "");
    for check in [true, false] {
        let said = copy.units().run(check).unwrap();
        assert!(said.starts_with("ignored in ../trace-plans, programs are NAME.tla"), "{said}");
        assert!(said.lines().next().unwrap().ends_with(": old.TLA"), "{said}");
    }
    for name in ["fibonacci", "merge_sort"] {
        fs::remove_file(copy.path("trace-plans").join(format!("{name}.json"))).unwrap();
    }
    let (_, text) = copy.problems();
    let expected = "it has no program NAME.tla or NAME.json; what is there is ignored: old.TLA";
    assert!(text.contains(expected), "{text}");
}

/// What is stale because of names alone says so: nothing that is proven has changed.
#[test]
fn a_change_of_names_says_that_it_is_one() {
    let copy = Copy::new();
    copy.replace("trace-plans/fibonacci.json", "\"name\": \"fibonacci\"", "\"name\": \"other\"");
    let (_, text) = copy.problems();
    assert!(text.contains("only names or labels have changed"), "{text}");
    let copy = Copy::new();
    copy.replace(&format!("{UNIT}/mod.rs"), "generator_version: ", "generator_version: 1");
    copy.replace(&format!("{UNIT}/mod.rs"), "// Input ", "// Input 0");
    let (_, text) = copy.problems();
    assert!(text.contains("another version of the generator wrote them"), "{text}");
    let contents = copy.units().contents().unwrap();
    let [file] = &contents[..] else { panic!("{contents:?}") };
    assert!(file.file.ends_with("fibonacci/mod.rs") && file.found != file.expected, "{file:?}");
}

/// A version control may check out all files with `\r\n`.
#[test]
fn other_line_ends_are_no_difference() {
    let copy = Copy::new();
    for (path, bytes) in copy.tree() {
        let text = String::from_utf8(bytes).unwrap();
        fs::write(path, text.replace('\n', "\r\n")).unwrap();
    }
    copy.units().check().unwrap_or_else(|problems| panic!("{problems}"));
    assert_eq!(copy.units().regenerate(false), Ok(vec![]));
}

/// An editor and a terminal build one checkout at once, each from any state that the other leaves:
/// none of them fails, and the files end as they should be.
#[test]
fn builds_of_one_checkout_at_once_all_succeed() {
    let copy = Copy::new();
    let file = "trace-plans/fibonacci.json";
    let text = copy.read(file);
    for round in 0..12 {
        // The name of a function is the name of its files.
        let name = format!("\"name\": \"name_{round}\"");
        copy.write(file, text.replace("\"name\": \"fibonacci\"", &name));
        std::thread::scope(|scope| {
            let build = || copy.units().regenerate(false);
            let builds: Vec<_> = (0..4).map(|_| scope.spawn(build)).collect();
            for build in builds {
                build.join().unwrap().unwrap_or_else(|problems| panic!("{round}: {problems}"));
            }
        });
        copy.units().check().unwrap_or_else(|problems| panic!("{round}: {problems}"));
    }
}

/// A small table. A crate may have units of op tables beside those of its programs.
fn tables(name: &'static str, weight: u64) -> TableProgram {
    let mut table = TableBuilder::new("sums");
    let sum = table.limb("sum", Limb::Half);
    table.rows::<SumOp>(|row, op| {
        let scaled = row.scale(weight, op.b);
        let value = row.add(op.a, scaled);
        row.put(sum, value);
    });
    TableProgram::new(name, vec![table.finish().unwrap()]).unwrap()
}

#[test]
fn units_of_op_tables_are_checked_like_all_others() {
    let copy = Copy::new();
    let with = |weight| copy.units().with_tables(tables("small", weight));
    let missing = with(2).check().unwrap_err();
    assert!(missing.problems.iter().any(|p| matches!(p.kind, Kind::Absent(_))), "{missing}");
    with(2).write().unwrap();
    with(2).check().unwrap();
    let list = copy.read("generated/src/units/mod.rs");
    assert!(list.contains("pub mod small;") && list.contains("&small::PROGRAM"), "{list}");
    let registry = copy.read("generated/src/units/small/mod.rs");
    assert!(!registry.contains("execute"), "nothing executes tables: {registry}");
    // Another program of rows, an edited file, a file too many.
    let stale = with(3).check().unwrap_err();
    assert!(stale.problems.iter().any(|p| matches!(p.kind, Kind::Unit { .. })), "{stale}");
    copy.replace("generated/src/units/small/f_sums.rs", "2", "4");
    let edited = with(2).check().unwrap_err();
    assert!(edited.problems.iter().any(|p| matches!(p.kind, Kind::Edited(_))), "{edited}");
    let orphaned = copy.units().check().unwrap_err();
    assert!(
        orphaned.problems.iter().any(|p| matches!(p.kind, Kind::Orphaned { .. })),
        "{orphaned}"
    );
}

#[test]
fn names_of_op_tables_are_modules_of_their_own() {
    let copy = Copy::new();
    for name in ["fibonacci", "no module", "fn"] {
        let problems = copy.units().with_tables(tables(name, 2)).check().unwrap_err();
        let found: Vec<&Kind> = problems.problems.iter().map(|problem| &problem.kind).collect();
        assert_eq!(found, [&Kind::TableName], "{name}");
    }
}
