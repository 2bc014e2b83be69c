//! The objects of a program as one image, and the list of images as Rust.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use quote::quote;

use super::cache::Object;
use super::compile::Objects;
use super::failure::first_error;
use super::report::{self, Kernel};
use super::{Architecture, DeviceProgram, Failure, Toolkit, write};

/// Writes the fatbin of `program`; its bytes and its kernels.
pub(super) fn program(
    toolkit: &Toolkit,
    folder: &Path,
    program: &DeviceProgram,
    objects: &Objects,
) -> Result<(u64, Vec<Kernel>), Failure> {
    let work = Work { toolkit, folder: &folder.join(&program.name), program: &program.name };
    let mut images = Vec::new();
    let mut kernels = Vec::new();
    for (architecture, files) in objects.of(&program.name) {
        let digits = architecture.digits();
        if architecture.is_text() {
            let file = work.join_text(architecture, files)?;
            images.push(format!("--image3=kind=ptx,sm={digits},file={file}"));
        } else {
            let (file, said) = work.link(architecture, files)?;
            images.push(format!("--image3=kind=elf,sm={digits},file={file}"));
            let logs = files.values().map(|object| &*object.log);
            kernels.extend(report::kernels(&program.name, architecture, logs, &said));
        }
    }
    let create = [format!("--create=../{}.fatbin", program.name), "-64".into()];
    work.run(&toolkit.fatbinary, create.into_iter().chain(images))?;
    let path = folder.join(format!("{}.fatbin", program.name));
    let written = fs::metadata(&path);
    let bytes = written.map_err(|error| Failure::Folder { path, why: error.to_string() })?.len();
    Ok((bytes, kernels))
}

struct Work<'a> {
    toolkit: &'a Toolkit,
    /// Where the tools run.
    folder: &'a Path,
    program: &'a str,
}

impl Work<'_> {
    /// Links machine code; the file, and what the linker says about kernels.
    fn link(
        &self,
        architecture: Architecture,
        files: &BTreeMap<String, Object>,
    ) -> Result<(String, String), Failure> {
        let output = format!("{}.{architecture}.cubin", self.program);
        let mut args = vec![format!("-arch={architecture}"), "-v".into(), format!("-o={output}")];
        for (file, object) in files {
            let name = format!("{file}.{architecture}.cubin");
            write(&self.folder.join(&name), &object.bytes)?;
            args.push(name);
        }
        let said = self.run(&self.toolkit.nvlink, args)?;
        Ok((output, said))
    }

    /// One text of all texts. Each begins with the same three directives, which may be
    /// there once; names of what is not shared begin with the file's.
    fn join_text(
        &self,
        architecture: Architecture,
        files: &BTreeMap<String, Object>,
    ) -> Result<String, Failure> {
        let is_first = |line: &&str| {
            [".version ", ".target ", ".address_size "].iter().any(|name| line.starts_with(name))
        };
        let mut text = String::new();
        let mut head: Option<Vec<String>> = None;
        for (file, object) in files {
            let object = String::from_utf8_lossy(&object.bytes);
            let directives: Vec<String> =
                object.lines().filter(is_first).map(str::to_owned).collect();
            let head = head.get_or_insert_with(|| {
                text.extend(directives.iter().map(|line| format!("{line}\n")));
                directives.clone()
            });
            if *head != directives {
                return Err(Failure::Join {
                    program: self.program.to_owned(),
                    tool: file.clone(),
                    line: format!("{directives:?}, where others say {head:?}"),
                });
            }
            for line in object.lines().filter(|line| !is_first(line)) {
                text.push_str(line);
                text.push('\n');
            }
        }
        let output = format!("{}.{architecture}.ptx", self.program);
        write(&self.folder.join(&output), text.as_bytes())?;
        Ok(output)
    }

    /// Runs a tool in the folder; what it says.
    fn run(&self, tool: &Path, args: impl IntoIterator<Item = String>) -> Result<String, Failure> {
        let failure = |said: &str| Failure::Join {
            program: self.program.to_owned(),
            tool: tool.display().to_string(),
            line: first_error(said),
        };
        let run = Command::new(tool).current_dir(self.folder).args(args).output();
        let run = run.map_err(|error| failure(&error.to_string()))?;
        let said = [&run.stdout[..], &run.stderr].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        if run.status.success() { Ok(said) } else { Err(failure(&said)) }
    }
}

/// The list of images as an expression: `&[DeviceImage { … }]`.
pub(super) fn list(programs: &[DeviceProgram], architectures: &[Architecture]) -> String {
    let architectures: Vec<String> = architectures.iter().map(ToString::to_string).collect();
    let images = programs.iter().filter(|program| program.sources().next().is_some());
    let images = images.map(|DeviceProgram { name, digest, .. }| {
        let file = format!("/device/{name}.fatbin");
        quote! {
            ::traceloom_abi::registry::DeviceImage {
                program: #name,
                digest: ::traceloom_abi::registry::bytes32(#digest),
                architectures: &[#(#architectures),*],
                bytes: &::traceloom_abi::registry::Aligned(
                    *include_bytes!(concat!(env!("OUT_DIR"), #file))
                ).0,
            }
        }
    });
    format!("{}\n", quote!(&[#(#images),*]))
}
