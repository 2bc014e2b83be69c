//! Which files an object is made from.

use std::collections::BTreeMap;

use traceloom_abi::cuda::HEADERS;

use super::{DeviceProgram, Failure};

/// The text of `file` and of everything that it includes, by name.
///
/// # Errors
/// [`Failure::Include`] if it includes anything but files beside it and support
/// headers: the cache could not know about those, and NVRTC opens no file.
pub(super) fn closure<'a>(
    program: &'a DeviceProgram,
    file: &'a str,
) -> Result<BTreeMap<&'a str, &'a str>, Failure> {
    let mut closure = BTreeMap::new();
    let mut open = vec![(file, &*program.files[file])];
    while let Some((name, text)) = open.pop() {
        if closure.insert(name, text).is_some() {
            continue;
        }
        for included in includes(text) {
            let failure = || Failure::Include {
                program: program.name.clone(),
                file: format!("{}/{name}", program.folder),
                name: included.to_owned(),
            };
            open.push(find(program, included).ok_or_else(failure)?);
        }
    }
    Ok(closure)
}

fn find<'a>(program: &'a DeviceProgram, name: &str) -> Option<(&'a str, &'a str)> {
    let header = HEADERS.into_iter().find(|(header, _)| *header == name);
    header.or_else(|| program.files.get_key_value(name).map(|(name, text)| (&**name, &**text)))
}

/// The names in `#include "…"`.
fn includes(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?;
        rest.trim_start().strip_prefix('"')?.split('"').next()
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{DeviceProgram, closure};

    fn program(files: &[(&str, &str)]) -> DeviceProgram {
        let files = files.iter().map(|&(name, text)| (name.to_owned(), text.to_owned()));
        DeviceProgram {
            name: "fib".into(),
            digest: "0".repeat(64),
            folder: "src/units/fib".into(),
            files: files.collect::<BTreeMap<_, _>>(),
        }
    }

    #[test]
    fn an_object_is_made_from_what_it_includes() {
        let program = program(&[
            ("a.cu", "#include \"a.cuh\"\n# include <stdint.h>\n"),
            ("a.cuh", "  #include \"bytes.cuh\"\n#include \"a.cuh\"\n"),
            ("b.cu", ""),
        ]);
        let names: Vec<&str> = closure(&program, "a.cu").unwrap().into_keys().collect();
        assert_eq!(names, ["a.cu", "a.cuh", "bytes.cuh", "device_abi.h", "platform.cuh"]);
    }

    #[test]
    fn foreign_files_are_refused() {
        let program = program(&[("a.cu", "#include \"a.cuh\""), ("a.cuh", "#include \"mine.h\"")]);
        let error = closure(&program, "a.cu").unwrap_err().to_string();
        assert!(error.contains("program fib, src/units/fib/a.cuh: includes \"mine.h\""), "{error}");
    }
}
