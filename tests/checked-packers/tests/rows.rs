//! Packers and writers of the example programs against the reference builder, over
//! poisoned memory, and against checked packers.

#[allow(dead_code)]
#[path = "../../../codegen/tests/emitted/executor.rs"]
mod executor;
#[allow(dead_code)]
#[path = "../../../codegen/tests/emitted/provider.rs"]
mod provider;
#[allow(dead_code)]
#[path = "../../../codegen/tests/emitted/runner.rs"]
mod runner;

use traceloom_bytecode::CheckedProgram;
use traceloom_checked_packers::PROGRAMS;
use traceloom_generated::find;

fn program(name: &str) -> CheckedProgram {
    let program = traceloom_programs::find(name).expect("an example").build().unwrap();
    CheckedProgram::new(program).unwrap()
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
        let (_, checked) = PROGRAMS.iter().find(|(of, _)| *of == name).expect(name);
        let tally = runner::run(&program, (unit, checked), name, &[claim], &input);
        println!("{name}: {tally:?}");
        assert!(tally.rows > 0);
    }
}
