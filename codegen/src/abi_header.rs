//! The Rust side of the device ABI, made from its C header by bindgen.
//!
//! Not part of any build: bindgen loads libclang and ends the process where there is
//! none, so [`run`] asks first.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::units::{FirstLine, MARK};

const HEADER: &str = "cuda/device_abi.h";
const MODULE: &str = "src/device_abi.rs";

/// Why the module is not as the header says.
#[derive(Debug)]
pub enum AbiHeaderError {
    /// A file cannot be read or written.
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        error: io::Error,
    },
    /// bindgen refuses the header.
    Header(bindgen::BindgenError),
    /// The module differs from what the header says.
    Stale {
        /// The module.
        path: PathBuf,
        /// Where it does.
        line: FirstLine,
    },
}

impl fmt::Display for AbiHeaderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, error } => write!(f, "{}: {error}", path.display()),
            Self::Header(error) => write!(f, "{HEADER}: {error}"),
            Self::Stale { path, line } => write!(
                f,
                "{}: not what {HEADER} says, {line}\nto write it: cargo run --package \
                 traceloom-codegen --features abi-header -- --abi-header abi",
                path.display()
            ),
        }
    }
}

impl std::error::Error for AbiHeaderError {}

/// Writes `src/device_abi.rs` of the crate in `folder` from its `cuda/device_abi.h`,
/// or, with `check`, compares; what to print about it. Without libclang it does
/// neither, and says so.
///
/// # Errors
/// [`AbiHeaderError`]; with `check` also if the module differs.
pub fn run(folder: &Path, check: bool) -> Result<String, AbiHeaderError> {
    if let Err(why) = clang_sys::load() {
        let why = why.lines().next().unwrap_or_default();
        return Ok(format!(
            "{MODULE} skipped: no libclang; LIBCLANG_PATH names its folder ({why})\n"
        ));
    }
    let file = |path: PathBuf| move |error| AbiHeaderError::File { path, error };
    let header = folder.join(HEADER);
    let text = fs::read_to_string(&header).map_err(file(header))?;
    let expected = module(&text).map_err(AbiHeaderError::Header)?;
    let path = folder.join(MODULE);
    if check {
        let found = fs::read_to_string(&path).map_err(file(path.clone()))?;
        if found != expected {
            return Err(AbiHeaderError::Stale { path, line: FirstLine::of(&expected, &found) });
        }
        return Ok(format!("{MODULE} is as {HEADER} says\n"));
    }
    fs::write(&path, expected).map_err(file(path))?;
    Ok(format!("wrote {MODULE}\n"))
}

/// The module that `header` says, with assertions about every size and offset.
fn module(header: &str) -> Result<String, bindgen::BindgenError> {
    let bindings = bindgen::Builder::default()
        .header_contents("device_abi.h", header)
        // Comments of the header are not documentation comments of C++.
        .clang_arg("-fparse-all-comments")
        .use_core()
        .allowlist_file("device_abi.h")
        .allowlist_item("(Tl|TL_).*")
        .layout_tests(true)
        .derive_eq(true)
        .raw_line(format!("{MARK}; do not edit."))
        .raw_line(format!("//! What host and device say to each other: `{HEADER}` in Rust."))
        .disable_header_comment()
        .formatter(bindgen::Formatter::Prettyplease)
        .generate()?;
    Ok(bindings.to_string())
}
