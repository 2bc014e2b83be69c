//! The registry against the programs that it is of, and its packers and writers
//! against the reference builder, over poisoned memory.

#[allow(dead_code)]
#[path = "../../codegen/tests/emitted/provider.rs"]
mod provider;
#[path = "../../codegen/tests/emitted/runner.rs"]
mod runner;

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

#[test]
fn packers_and_writers_equal_the_reference() {
    let bytes = |len: u64| (0..len).map(|i| i * 7 % 256).collect::<Vec<_>>();
    let cases: [(&str, Vec<u64>, Vec<u64>); 6] = [
        ("blake3", vec![1300], bytes(1300)),
        ("blake3", vec![0], vec![]),
        ("sha256", vec![100], bytes(100)),
        ("fibonacci", vec![60], vec![]),
        ("merge_sort", vec![9], bytes(36)),
        ("div_rem", vec![7, 8, 9, 10, 3, 1, 0, 0], vec![]),
    ];
    for (name, claim, input) in cases {
        let program = program(name);
        let unit = find(&program.fingerprint()).expect(name);
        let tally = runner::run(&program, unit, name, &[claim], &input);
        println!("{name}: {tally:?}");
        assert!(tally.rows > 0);
    }
}
