//! `traceloom new`: a project that builds, proves and verifies a program of its own.
//!
//! The files are those of `template/`; `examples/own-program` is the project that they make, and
//! a test compares the two.

use std::fs;
use std::path::{Component, Path, PathBuf};

use clap::Args;
use serde_json::json;
use traceloom_codegen::Units;
use traceloom_codegen::units::USUAL_OUTPUT;

use super::Failure;
use super::output::{result, say, write_whole};

/// What to make.
#[derive(Debug, Args)]
pub struct NewArgs {
    /// Folder of the project, which must not be there; its last part is the name.
    pub folder: PathBuf,
    /// Folder of traceloom that the project depends on.
    ///
    /// By default the one that this program was built from. A relative path is relative to the
    /// project.
    #[arg(long, value_name = "DIR")]
    pub traceloom: Option<PathBuf>,
}

/// Stands for the name of the project, as a package and as a crate, and for the folder of
/// traceloom as its manifest has it.
const NAME: &str = "@NAME@";
const CRATE: &str = "@CRATE@";
const TRACELOOM: &str = "@TRACELOOM@";

/// The files of a project.
const TEMPLATE: [(&str, &str); 10] = [
    (".cargo/config.toml", include_str!("template/config.toml")),
    (".gitattributes", include_str!("template/gitattributes")),
    (".gitignore", include_str!("template/gitignore")),
    ("Cargo.toml", include_str!("template/manifest.toml")),
    ("README.md", include_str!("template/README.md")),
    ("build.rs", include_str!("template/build.rs")),
    ("expect.json", include_str!("template/expect.json")),
    ("programs/binomial.tla", include_str!("template/binomial.tla")),
    ("src/lib.rs", include_str!("template/lib.rs")),
    ("src/main.rs", include_str!("template/main.rs")),
];

/// The tests of a project: apart, because their place names them as tests here.
const TESTS: (&str, &str) = ("tests/binomial.rs", include_str!("template/tests.rs"));

/// Makes the project, with its generated units.
pub fn run(args: &NewArgs) -> Result<(), Failure> {
    let folder = &args.folder;
    let name = name_of(folder)?;
    if folder.exists() {
        let folder = folder.display();
        return Err(Failure::Malformed(format!("{folder} is there already; name a new folder")));
    }
    let traceloom = traceloom_of(args)?;
    let mut files = Vec::new();
    for (file, text) in TEMPLATE.into_iter().chain([TESTS]) {
        let path = folder.join(file);
        let parent = path.parent().unwrap_or(folder);
        fs::create_dir_all(parent).map_err(|error| Failure::file("make", parent, &error))?;
        write_whole(&path, filled(text, &name, &traceloom).as_bytes())?;
        files.push(file);
    }
    let units = Units::new("programs", USUAL_OUTPUT).in_crate(folder);
    units.write().map_err(|problems| Failure::Refused(problems.to_string()))?;
    result(json!({ "folder": folder.display().to_string(), "name": name, "files": files }));
    say!("made {} in {}; try this there:", name, folder.display());
    say!("  cargo run --release -- prove binomial --args 24,9 --out p.proof");
    say!("  cargo run --release -- verify p.proof --expect expect.json");
    say!("  cargo test");
    Ok(())
}

fn filled(text: &str, name: &str, traceloom: &str) -> String {
    text.replace(NAME, name).replace(CRATE, &name.replace('-', "_")).replace(TRACELOOM, traceloom)
}

/// The name of a package, which cargo and Rust have to take.
fn name_of(folder: &Path) -> Result<String, Failure> {
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned());
    let name = name.unwrap_or_default();
    let is_plain =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(&byte);
    let is_good = name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.bytes().all(is_plain)
        && name.len() <= 64
        && !["test", "core", "std", "alloc", "traceloom"].contains(&&name[..])
        && !name.starts_with("traceloom-");
    if is_good {
        return Ok(name);
    }
    Err(Failure::Malformed(format!(
        "{name:?} is no name of a project; use a-z, 0-9, - and _, beginning with a letter, at most \
         64, and no name of another crate"
    )))
}

/// The folder of traceloom as the manifest of the project names it: a relative path as it was
/// given, since the project may move with it, and otherwise an absolute one.
fn traceloom_of(args: &NewArgs) -> Result<String, Failure> {
    let given = args.traceloom.clone().unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")));
    let place = if given.is_absolute() { given.clone() } else { args.folder.join(&given) };
    let found = lexical(&std::path::absolute(&place).unwrap_or(place)).join("codegen/Cargo.toml");
    if !found.is_file() {
        return Err(Failure::Malformed(format!(
            "{} is not there; name the folder of traceloom with --traceloom, absolute or relative \
             to the project",
            found.display()
        )));
    }
    // TOML has no other escapes to think of in a path.
    Ok(given.display().to_string().replace('\\', "/").replace('"', "\\\""))
}

/// A path without `..`: the folder of the project, which is part of it, is not there yet.
fn lexical(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_packages() {
        for good in ["own-program", "a", "x_1"] {
            assert_eq!(name_of(Path::new("/tmp").join(good).as_path()).unwrap(), good);
        }
        for bad in ["", "..", "1a", "A", "a b", "é", "core", "traceloom", "traceloom-abi", "a.b"] {
            assert!(name_of(Path::new(bad)).is_err(), "{bad}");
        }
    }

    #[test]
    fn nothing_of_the_template_is_left() {
        for (file, text) in TEMPLATE.into_iter().chain([TESTS]) {
            let text = filled(text, "a-b", "../..");
            assert!(!text.contains('@'), "{file}: {text}");
        }
    }
}
