//! A real program of another project, if it is there.
//!
//! It is not part of this repository: it is looked for in `../shared/data`, or in
//! the folder that `TRACELOOM_DATA` names.

use std::path::PathBuf;
use std::sync::Arc;

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use traceloom_bytecode::advice::analyse;
use traceloom_bytecode::import::{Imported, expected_layout, import};
use traceloom_bytecode::model::{Control, FunctionId};
use traceloom_bytecode::system::build_system;
use traceloom_bytecode::{CheckedProgram, json, text};

const FILE: &str = "multi_stark.bytecode.json";

fn main() {
    let args = Arguments::from_args();
    let folder = std::env::var_os("TRACELOOM_DATA").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/data"),
        PathBuf::from,
    );
    let source = Arc::new(std::fs::read(folder.join(FILE)).ok());
    let trial = |name: &str, test: fn(&[u8])| {
        let source = Arc::clone(&source);
        Trial::ignorable_test(name, move || -> Result<Completion, Failed> {
            match &*source {
                Some(source) => {
                    test(source);
                    Ok(Completion::Completed)
                }
                None => Ok(Completion::ignored_with(format!(
                    "because {FILE} is neither in ../shared/data nor in TRACELOOM_DATA"
                ))),
            }
        })
    };
    let trials = vec![
        trial("the_program_is_what_it_is_known_to_be", the_program_is_what_it_is_known_to_be),
        trial("stated_layouts_are_kept", stated_layouts_are_kept),
        trial("stated_layouts_are_the_known_ones", stated_layouts_are_the_known_ones),
        trial("it_is_valid_and_has_the_known_paths", it_is_valid_and_has_the_known_paths),
        trial("every_form_is_lossless", every_form_is_lossless),
        trial("every_cut_file_is_refused", every_cut_file_is_refused),
        trial("a_damaged_byte_never_panics", a_damaged_byte_never_panics),
        trial(
            "its_warnings_are_those_that_were_looked_at",
            its_warnings_are_those_that_were_looked_at,
        ),
    ];
    libtest_mimic::run(&args, trials).exit();
}

fn read(source: &[u8]) -> Imported {
    import(source).unwrap_or_else(|error| panic!("{error}"))
}

fn the_program_is_what_it_is_known_to_be(source: &[u8]) {
    let program = read(source).program;
    assert_eq!(program.name, "multi_stark");
    assert_eq!(program.memory_sizes, [3, 4, 5, 6, 7, 8, 10, 32, 34]);
    assert_eq!(program.functions.len(), 207);
    assert_eq!(program.circuits.len(), 134);
    assert!(program.circuits.iter().all(|circuit| circuit.len() == 1));
    assert!(program.circuits.is_sorted());
    let blocks = || program.functions.iter().flat_map(|function| &function.blocks);
    assert_eq!(blocks().map(|block| block.ops.len()).sum::<usize>(), 7_032);
    let entries = (0..).zip(&program.functions).filter(|(_, function)| function.entry);
    assert_eq!(entries.map(|(position, _)| position).collect::<Vec<_>>(), [191]);
    let entry = &program.functions[191];
    assert_eq!(entry.name, "verify_multi_stark_proof");
    assert_eq!((entry.num_inputs, entry.num_outputs), (16, 0));
    let compress = &program.functions[73];
    assert_eq!(compress.name, "blake3_compress");
    assert_eq!((compress.num_inputs, compress.num_outputs), (129, 32));

    // Children come after their parents, each block once, in pre-order.
    for function in &program.functions {
        let mut expected = vec![0];
        for (position, block) in (0..).zip(&function.blocks) {
            assert_eq!(expected.pop(), Some(position));
            let children: Vec<_> = block.control.children().map(|child| child.0).collect();
            expected.extend(children.into_iter().rev());
        }
        assert!(expected.is_empty());
    }
    let mut matches = blocks().filter_map(|block| block.control.arms());
    assert!(matches.any(|arms| arms.cases.is_empty() && arms.default.is_some()));
}

fn stated_layouts_are_kept(source: &[u8]) {
    let Imported { program, layouts } = read(source);
    assert_eq!(layouts.len(), program.functions.len());
    let compress = &layouts[73];
    let widths = [compress.selectors, compress.auxiliaries, compress.lookups];
    assert_eq!(widths, [2, 402, 194]);
    for (position, (function, layout)) in (0..).zip(program.functions.iter().zip(&layouts)) {
        let continued = |control: &Control| matches!(control, Control::MatchContinue { .. });
        let blocks = (0..).zip(&function.blocks).filter(|(_, block)| continued(&block.control));
        let blocks: Vec<_> = blocks.map(|(position, _)| position).collect();
        let stated: Vec<_> = layout.shared.iter().map(|share| share.block.0).collect();
        assert_eq!(stated, blocks, "{:?}", FunctionId(position));
        let leaves = function.blocks.iter().filter(|block| block.control.arms().is_none());
        assert_eq!(layout.selectors as usize, leaves.count(), "{:?}", FunctionId(position));
    }
    assert_eq!(layouts.iter().map(|layout| layout.shared.len()).sum::<usize>(), 13);
}

/// The other compiler's layouts are not ours, and have a function of their own.
fn stated_layouts_are_the_known_ones(source: &[u8]) {
    let Imported { program, layouts } = read(source);
    for (function, stated) in program.functions.iter().zip(&layouts) {
        assert_eq!(expected_layout(function), *stated, "{}", function.name);
    }
}

fn it_is_valid_and_has_the_known_paths(source: &[u8]) {
    let program = CheckedProgram::new(read(source).program).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(program.layout(FunctionId(73)).width(), 534);
    let constrained = || program.function_ids().filter(|&id| program.function(id).constrained);
    let ranked = constrained().filter(|&id| program.callgraph().is_ranked(id));
    assert_eq!(ranked.count(), 84);
    let counts: Vec<u64> = constrained().map(|id| program.paths(id).count()).collect();
    assert_eq!((counts.iter().sum::<u64>(), counts.iter().max()), (352, Some(&19)));
    let blocks = program.program().functions.iter().flat_map(|function| &function.blocks);
    let arms = blocks.filter_map(|block| block.control.arms());
    let unsorted = arms.filter(|arms| !arms.cases.iter().map(|case| case.0).is_sorted());
    assert_eq!(unsorted.count(), 48);
    // Every circuit can be built, and lookups have the slots that layouts promise.
    let system = build_system(&program);
    for (circuit, members) in system.circuits.iter().zip(&program.program().circuits) {
        assert_eq!(circuit.width, program.layout(members[0]).width());
        assert_eq!(circuit.lookups.len(), program.layout(members[0]).num_lookups);
    }
}

fn every_form_is_lossless(source: &[u8]) {
    let program = read(source).program;
    let text = text::print(&program).unwrap();
    assert_eq!(text::parse(&text).unwrap(), program);
    let json = json::print(&program);
    assert_eq!(json::parse(&json).unwrap(), program);
    // Its leaves are numbered as ours are, and nothing is out of scope.
    let code = || text.lines().map(|line| line.split('"').next().unwrap_or_default());
    assert!(!code().any(|line| line.contains('@') || line.contains('%')));
}

fn every_cut_file_is_refused(source: &[u8]) {
    let source = source.trim_ascii_end();
    for len in (0..source.len()).step_by(4_099).chain(source.len() - 64..source.len()) {
        assert!(import(&source[..len]).is_err(), "{len}");
    }
}

fn a_damaged_byte_never_panics(source: &[u8]) {
    let mut state = 1_u64;
    for _ in 0..100 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let mut damaged = source.to_vec();
        let at = (state >> 33) as usize % damaged.len();
        damaged[at] = b"\"{}[],:0915.naeo"[(state >> 20) as usize % 16];
        let _ = import(&damaged).map_err(|error| error.to_string());
    }
}

/// Function and callee of each. docs/advice.md says of every one what it is.
fn its_warnings_are_those_that_were_looked_at(source: &[u8]) {
    let program = CheckedProgram::new(read(source).program).unwrap();
    let report = analyse(&program);
    assert!(report.skipped.is_empty());
    let quoted = |text: &str| text.split('"').nth(1).unwrap_or_default().to_owned();
    let found: Vec<(String, String)> = report
        .findings
        .iter()
        .map(|finding| {
            let caller = finding.steps[finding.use_at].1.rsplit("(in ").next().unwrap_or_default();
            (quoted(caller), quoted(&finding.steps[0].1))
        })
        .collect();
    let known = [
        ("read_u8_vec_n", "read_u8_at"),
        ("read_u64_vec_n", "read_u64_at"),
        ("read_ext_vec_n", "read_u64_at"),
        ("read_digest_vec_at_n", "read_u64_at"),
        ("read_commit_phase_step_vec_n", "read_u8_at"),
        ("read_preprocessed", "read_u8_at"),
        ("verify_multi_stark_proof", "read_vk_u16_limb"),
        ("verify_multi_stark_proof", "read_u64_at"),
    ];
    let known = known.map(|(function, callee)| (function.to_owned(), callee.to_owned()));
    assert_eq!(found, known);
}
