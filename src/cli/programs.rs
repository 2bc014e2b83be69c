//! `traceloom programs`.

use serde_json::{Value, json};
use traceloom_bytecode::CheckedProgram;
use traceloom_programs as programs;

use super::Failure;
use super::output::{hex, plain, result, say};
use super::source::{load, usage};

/// Lists the programs of this project and the built-in ones.
pub fn run() -> Result<(), Failure> {
    let mut listed = Vec::new();
    for source in crate::sources() {
        let program = load(source.name)?;
        let functions = &program.program().functions;
        let entries = functions.iter().filter(|function| function.entry);
        let entries = entries.map(|entry| format!("{}/{}", plain(&entry.name), entry.num_inputs));
        let takes = format!("entries {}", entries.collect::<Vec<_>>().join(", "));
        listed.push(list(source.name, "a program of this project", &takes, &program));
    }
    let own: Vec<&str> = crate::sources().iter().map(|source| source.name).collect();
    for builtin in programs::ALL.iter().filter(|builtin| !own.contains(&builtin.name)) {
        let program = load(builtin.name)?;
        listed.push(list(builtin.name, builtin.about, &usage(builtin), &program));
    }
    result(json!({ "programs": listed }));
    Ok(())
}

fn list(name: &str, about: &str, takes: &str, program: &CheckedProgram) -> Value {
    let data = program.program();
    let fingerprint = hex(&program.fingerprint());
    say!("{name:<12} {about}");
    say!("{:<12} {takes}", "");
    say!(
        "{:<12} {} functions, memory widths {:?}, fingerprint {fingerprint}",
        "",
        data.functions.len(),
        data.memory_sizes,
    );
    json!({
        "name": name,
        "about": about,
        "takes": takes,
        "functions": data.functions.len(),
        "memory_widths": data.memory_sizes,
        "fingerprint": fingerprint,
    })
}
