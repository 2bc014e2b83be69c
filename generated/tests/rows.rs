//! The registry against the programs that it is of. `tests/checked-packers` compares its
//! packers and writers with the reference builder.

use traceloom_bytecode::{CheckedProgram, json};
use traceloom_generated::{PROGRAMS, find};
use traceloom_programs::ALL;

fn program(name: &str) -> CheckedProgram {
    let program = traceloom_programs::find(name).expect("an example").build().unwrap();
    CheckedProgram::new(program).unwrap()
}

#[test]
fn the_registry_is_of_all_examples() {
    for example in &ALL {
        let program = program(example.name);
        let unit = find(&program.fingerprint()).expect(example.name);
        assert_eq!(unit.name, example.name);
        for (id, function) in program.function_ids().zip(&program.program().functions) {
            let found = unit.function(id.0);
            assert_eq!(found.is_some(), function.constrained, "{}", function.name);
            let Some(found) = found else { continue };
            let (own, layout) = (found.layout, program.layout(id));
            assert_eq!(own.num_inputs as usize, layout.num_inputs, "{}", function.name);
            assert_eq!(own.num_selectors as usize, layout.num_selectors, "{}", function.name);
            assert_eq!(own.num_auxiliaries as usize, layout.num_auxiliaries, "{}", function.name);
        }
    }
    assert_eq!(PROGRAMS.len(), ALL.len());
    assert!(find(&[0; 32]).is_none());
}

#[test]
fn files_and_builders_are_the_same_programs() {
    for example in &ALL {
        let path = format!("{}/../trace-plans/{}.json", env!("CARGO_MANIFEST_DIR"), example.name);
        let file = json::parse(std::fs::read(path).unwrap()).unwrap();
        let file = CheckedProgram::new(file).unwrap();
        assert_eq!(file.fingerprint(), program(example.name).fingerprint(), "{}", example.name);
    }
}
