//! Generated packers and writers of the example programs: bound, chosen, compared
//! cell by cell with the reference builder, alone and in groups; and what falls back
//! where something of them is missing or differs.

mod fallback;
mod host_device;

use std::collections::BTreeMap;

use traceloom_abi::io::Io;
use traceloom_abi::record::Record;
use traceloom_abi::registry::{
    ABI_VERSION, FunctionUnit, GENERATOR_VERSION, PathUnit, ProgramUnit,
};
use traceloom_air::field::{MODULUS, element};
use traceloom_air::trace::Trace;
use traceloom_bytecode::execute::{Execution, Limits, execute};
use traceloom_bytecode::model::Op;
use traceloom_bytecode::system::build_system;
use traceloom_bytecode::{CheckedProgram, Program};
use traceloom_generated::PROGRAMS;
use traceloom_prover::WorkerReport;
use traceloom_prover::{ProveOptions, ProvingKey, prove};
use traceloom_runtime::bind::{BindError, Binding, FunctionError};
use traceloom_runtime::heights::row_counts;
use traceloom_runtime::provider::{
    ChoiceError, Choices, Provider, Reason, TraceOptions, TraceProvider, witness,
};
use traceloom_runtime::report::{Machine, ProofReport, encoding_name};
use traceloom_runtime::seeds::{Encoding, PackOptions, Why};
use traceloom_runtime::session::ExecutedBy;
use traceloom_runtime::shards::{HostBytes, ShardOptions, choose};
use traceloom_runtime::witness::reference_witness;
use traceloom_verifier::{Profile, VerifyingKey, verify};

fn examples() -> Vec<(Program, Vec<u64>, Vec<u8>)> {
    let file = |len: usize| -> Vec<u8> { (0..len).map(|i| (i * 7 % 251) as u8).collect() };
    vec![
        (traceloom_programs::blake3::program().unwrap(), vec![2100], file(2100)),
        (traceloom_programs::sha256::program().unwrap(), vec![150], file(150)),
        (traceloom_programs::fibonacci::program().unwrap(), vec![70], Vec::new()),
        (traceloom_programs::merge_sort::program().unwrap(), vec![20], file(80)),
        (traceloom_programs::div_rem::program().unwrap(), vec![7, 0, 0, 9, 0, 2, 0, 0], Vec::new()),
    ]
}

fn run(program: &CheckedProgram, args: &[u64], input: &[u8]) -> Execution {
    let entry = program.function_ids().find(|&id| program.function(id).entry).unwrap();
    let mut io = Io::default();
    let words: Vec<u64> = input.iter().map(|&byte| byte.into()).collect();
    io.add_input(0, &[], &words).unwrap();
    execute(program, &[(entry, args.to_vec())], io, &Limits::default()).unwrap()
}

fn strict() -> TraceOptions<'static> {
    TraceOptions { strict: true, ..TraceOptions::new(PROGRAMS) }
}

/// The program with its functions alone, in pairs, and all in one circuit.
fn groupings(program: &Program) -> Vec<Program> {
    let members: Vec<_> = program.circuits.concat();
    let grouped = |size: usize| {
        let circuits = members.chunks(size).map(<[_]>::to_vec).collect();
        Program { circuits, ..program.clone() }
    };
    vec![program.clone(), grouped(1), grouped(2), grouped(members.len())]
}

/// The field has two spellings of small numbers. A record with the other one is refused
/// before a row is written, in typed and in full seeds.
#[test]
fn seeds_have_one_spelling() {
    for n in [3, 200] {
        let program = CheckedProgram::new(traceloom_programs::fibonacci::program().unwrap());
        let program = program.unwrap();
        let system = build_system(&program);
        let Execution { mut record, claims, .. } = run(&program, &[n], &[]);
        let choices = Choices::new(&program, &system, &strict()).unwrap();
        let write = |record: &Record| witness(&program, &system, record, claims.clone(), &choices);
        let (_, report) = write(&record).unwrap();
        let encodings: Vec<_> =
            report.circuits.iter().flat_map(|c| &c.runs).map(|run| run.encoding).collect();
        assert_eq!(encodings.contains(&Encoding::Typed), n == 200);
        let query = record.functions[0].find(&[n - 1]).unwrap();
        let multiplicity = record.functions[0].multiplicity(query);
        record.functions[0].set_multiplicity(query, multiplicity + MODULUS);
        let error = write(&record).unwrap_err().to_string();
        assert!(error.contains("fibonacci") && error.contains("below the modulus"), "{error}");
        // Modulo p it is the same.
        record.functions[0].set_multiplicity(query, multiplicity);
        assert!(write(&record).is_ok());
    }
}

#[test]
fn scalar_traces_are_reference_traces_in_every_grouping() {
    for (program, args, input) in examples() {
        for program in groupings(&program) {
            let program = CheckedProgram::new(program).unwrap();
            let system = build_system(&program);
            let Execution { record, claims, .. } = run(&program, &args, &input);
            let expected = reference_witness(&program, &system, &record, claims.clone()).unwrap();
            for chunk_rows in [None, Some(1), Some(10)] {
                let pack = PackOptions { chunk_rows, ..PackOptions::default() };
                let options = TraceOptions { pack, ..strict() };
                let choices = Choices::new(&program, &system, &options).unwrap();
                let found = witness(&program, &system, &record, claims.clone(), &choices);
                let (found, report) = found.unwrap();
                // Not by assert_eq: a difference would print both.
                assert!(found == expected, "{:?}", program.program().name);
                let runs = report.circuits.iter().flat_map(|circuit| &circuit.runs);
                let widened = Encoding::Full(Why::Widened);
                assert!(runs.into_iter().all(|run| run.encoding != widened));
            }
        }
    }
}

/// Small claims of all examples.
fn claims() -> Vec<(Program, Vec<u64>, Vec<u8>)> {
    let mut claims = examples();
    for ((_, args, input), len) in claims.iter_mut().zip([1100, 70, 20, 20, 8]) {
        match input.is_empty() {
            true => args[0] = args[0].min(len),
            false if args[0] == input.len() as u64 => {
                args[0] = len;
                input.truncate(len as usize);
            }
            false => {}
        }
    }
    claims
}

#[test]
fn proofs_do_not_depend_on_the_provider() {
    for (program, args, input) in claims() {
        let program = CheckedProgram::new(program).unwrap();
        let system = build_system(&program);
        let Execution { record, claims, .. } = run(&program, &args, &input);
        let key = ProvingKey::new(&system, &Profile::Fast.params()).unwrap();
        let proofs = [TraceProvider::Reference, TraceProvider::Scalar].map(|provider| {
            let options = TraceOptions { provider, ..strict() };
            let choices = Choices::new(&program, &system, &options).unwrap();
            let found = witness(&program, &system, &record, claims.clone(), &choices).unwrap();
            prove(&key, vec![found.0], &ProveOptions::default()).unwrap().0
        });
        assert!(proofs[0].encode() == proofs[1].encode(), "{:?}", program.program().name);
        let stated: Vec<_> = claims.iter().map(|ranked| ranked.claim.clone()).collect();
        verify(key.verifying_key(), &stated, &proofs[1]).unwrap();
    }
}

#[test]
fn reports_name_the_provider_and_its_bytes() {
    let (program, args, input) = examples().swap_remove(0);
    let program = CheckedProgram::new(program).unwrap();
    let system = build_system(&program);
    let Execution { record, claims, .. } = run(&program, &args, &input);
    let choices = Choices::new(&program, &system, &strict()).unwrap();
    assert_eq!(choices.notice(), None);
    let (traces, trace) = witness(&program, &system, &record, claims, &choices).unwrap();
    for (circuit, written) in trace.circuits.iter().zip(&traces.traces) {
        assert_eq!(circuit.height, written.as_ref().map_or(0, Trace::height));
        let typed = circuit.runs.iter().filter(|run| encoding_name(run.encoding) == "typed");
        assert_eq!(circuit.typed_bytes(), typed.map(|run| run.seed_bytes).sum::<usize>());
        let table = circuit.name.starts_with("bytes") || circuit.name.starts_with("memory");
        assert_eq!(circuit.provider, if table { Provider::Table } else { Provider::Scalar });
    }
    let key = VerifyingKey::new(&system, &Profile::Fast.params()).unwrap();
    let counts = row_counts(&program, &system, &record);
    let shards =
        choose(&key, &counts, 1, HostBytes::new(&record), &ShardOptions::default()).unwrap();
    let (profile, stages) = ("fast".into(), vec![("main", std::time::Duration::from_secs(1))]);
    let rows = trace.circuits.iter().map(|circuit| (circuit.name.clone(), circuit.rows));
    let trace_rows: BTreeMap<String, usize> = rows.collect();
    let report = ProofReport {
        program: "blake3".into(),
        profile,
        proof_bytes: 77,
        backend: "cpu".into(),
        backend_reason: Some("no driver".into()),
        devices: vec![],
        executed_by: ExecutedBy { name: "interpreted", reason: Some("no unit".into()) },
        stages,
        setup: std::time::Duration::from_secs(2),
        verification: std::time::Duration::from_secs(3),
        total: std::time::Duration::from_secs(7),
        spans: vec![],
        memory: vec![],
        machine: Machine { threads: 5, ..Machine::default() },
        peak_memory: Some(1 << 20),
        shards,
        record_freed: None,
        workers: vec![WorkerReport { name: "cpu".into(), committed: 1, ..Default::default() }],
        cache: None,
        trace,
    }
    .json();
    assert_eq!(report["workers"][0]["committed"], 1);
    assert_eq!(report["cache"], serde_json::Value::Null);
    assert_eq!(report["backend"]["reason"], "no driver");
    assert_eq!(report["execution"]["name"], "interpreted");
    assert_eq!(report["execution"]["reason"], "no unit");
    assert_eq!(report["trace"]["ledger"]["bytes_up"], 0);
    assert_eq!(report["format"], "traceloom-report/1");
    assert_eq!(report["stages"][0]["seconds"], 1.0);
    let totals = ["setup_seconds", "verification_seconds", "total_seconds"];
    assert_eq!(totals.map(|key| report[key].as_f64()), [2.0, 3.0, 7.0].map(Some));
    assert_eq!(report["machine"]["threads"], 5);
    assert_eq!(report["machine"]["versions"]["proof_file"], 2);
    assert_eq!(report["peak_memory_bytes"], 1 << 20);
    let shards = report["shards"]["shards"].as_array().unwrap();
    assert_eq!(shards.len(), 1);
    let pieces = shards[0]["pieces"].as_array().unwrap();
    let compress = pieces.iter().find(|piece| piece["circuit"] == "blake3_compress").unwrap();
    let rows = trace_rows["blake3_compress"];
    assert_eq!(compress["rows"], serde_json::json!([0, rows]));
    assert!(report["shards"]["record_bytes"].as_u64() > Some(1 << 19));
    let circuits = report["trace"]["circuits"].as_array().unwrap();
    let scalar = circuits.iter().filter(|circuit| circuit["provider"] == "scalar");
    assert!(scalar.clone().any(|circuit| circuit["typed_seed_bytes"].as_u64() > Some(0)));
    assert!(scalar.into_iter().all(|circuit| circuit["reason"].is_null()));
    assert!(circuits.iter().all(|circuit| circuit["evaluator"] == "system"));
}

#[test]
fn fallbacks_have_a_reason_and_strict_refuses_them() {
    let (program, ..) = examples().swap_remove(2);
    let mut changed = program.clone();
    let mut ops = changed.functions[0].blocks.iter_mut().flat_map(|block| &mut block.ops);
    let constant = ops.find(|op| matches!(op, Op::Const(_))).unwrap();
    *constant = Op::Const(element(3));
    let case = |program: &Program, options: TraceOptions<'static>, message: &str| {
        let program = CheckedProgram::new(program.clone()).unwrap();
        let system = build_system(&program);
        let choices = Choices::new(&program, &system, &options).unwrap();
        let functions = program.program().circuits.len();
        for circuit in 0..functions {
            assert_eq!(choices.provider(circuit), Provider::Reference);
            let reason = choices.reason(circuit).unwrap().to_string();
            assert!(reason.contains(message), "{reason}");
        }
        let strict = Choices::new(&program, &system, &TraceOptions { strict: true, ..options });
        if choices.reason(0) == Some(&Reason::Disabled) {
            assert_eq!(choices.notice(), None);
            return assert!(strict.is_ok());
        }
        assert!(choices.notice().unwrap().contains("reference rows"));
        let Err(ChoiceError::Strict { circuit, provider, reason }) = strict else {
            panic!("{message}")
        };
        assert_eq!(provider, Provider::Reference);
        assert_eq!(circuit, system.circuits[0].name);
        assert!(reason.to_string().contains(message));
    };
    let options = TraceOptions::new(PROGRAMS);
    case(&program, TraceOptions::new(&[]), "no unit was generated for program \"fibonacci\"");
    case(&changed, options, "has changed: its unit has fingerprint");
    case(&program, TraceOptions { max_seed_bytes: 8, ..options }, "more than 8");
    let reference = TraceProvider::Reference;
    case(&program, TraceOptions { provider: reference, ..options }, "disabled");
    // A program is what its fingerprint says, whatever its name.
    let renamed = CheckedProgram::new(Program { name: "unheard of".into(), ..program }).unwrap();
    assert!(Binding::new(&renamed, PROGRAMS).is_ok());
}

#[test]
fn a_system_of_other_groups_is_refused() {
    let (program, ..) = examples().swap_remove(3);
    let [alone, together] = [1, 3].map(|i| CheckedProgram::new(groupings(&program).swap_remove(i)));
    let system = build_system(&together.unwrap());
    let error = Choices::new(&alone.unwrap(), &system, &TraceOptions::new(PROGRAMS)).unwrap_err();
    assert!(error.to_string().contains("groups of functions"), "{error}");
}

/// Why a changed unit, or its function, is refused; tests are few, so what is leaked is
/// little.
fn tampered(change: impl FnOnce(&mut ProgramUnit, &mut FunctionUnit, &mut PathUnit)) -> Reason {
    let (program, ..) = examples().swap_remove(2);
    let program = CheckedProgram::new(program).unwrap();
    let unit = traceloom_generated::find(&program.fingerprint()).unwrap();
    let (mut unit, mut functions) = (*unit, unit.functions.to_vec());
    // The last path of a recursive function: it has a rank and reads.
    let mut paths = functions[0].paths.to_vec();
    let (mut function, mut path) = (functions[0], paths.pop().unwrap());
    change(&mut unit, &mut function, &mut path);
    paths.push(path);
    if !function.paths.is_empty() {
        function.paths = Vec::leak(paths);
    }
    functions[0] = function;
    if !unit.functions.is_empty() {
        unit.functions = Vec::leak(functions);
    }
    let registry: [&'static ProgramUnit; 1] = [Box::leak(Box::new(unit))];
    let choices = Choices::new(&program, &build_system(&program), &TraceOptions::new(&registry));
    choices.unwrap().reason(0).unwrap().clone()
}

#[test]
fn units_that_do_not_fit_are_refused_with_the_difference() {
    let mended = |error: &Reason, what: &str| {
        let text = error.to_string();
        assert!(text.contains(what) && text.contains("run `traceloom codegen`"), "{text}");
        assert!(text.contains("program \"fibonacci\""), "{text}");
    };
    let of_program = |error: Reason, what: &str| {
        mended(&error, what);
        assert!(matches!(error, Reason::Unbound(BindError::Differs(_))), "{error:?}");
    };
    let version = format!("ABI version: expected {ABI_VERSION}, found {}", ABI_VERSION + 1);
    of_program(tampered(|unit, _, _| unit.abi_version += 1), &version);
    let (expected, found) = (GENERATOR_VERSION, GENERATOR_VERSION - 1);
    let version = format!("generator version: expected {expected}, found {found}");
    of_program(tampered(|unit, _, _| unit.generator_version -= 1), &version);
    of_program(tampered(|_, function, _| function.function = 1 << 20), "function index");
    let none = tampered(|unit, _, _| unit.functions = &[]);
    mended(&none, "function \"fibonacci\" was not generated");
    assert!(matches!(none, Reason::Function(FunctionError::NotGenerated { .. })), "{none:?}");
    let says = |error: Reason, what: &str| {
        mended(&error, what);
        assert!(error.to_string().contains("function \"fibonacci\""), "{error}");
        assert!(matches!(error, Reason::Function(FunctionError::Differs(_))), "{error:?}");
    };
    says(tampered(|_, function, _| function.contract[7] ^= 1), "contract digest: expected ");
    says(tampered(|_, function, _| function.layout.num_inputs += 1), "number of inputs");
    says(tampered(|_, function, _| function.layout.num_auxiliaries -= 1), "auxiliaries");
    says(tampered(|_, function, _| function.layout.num_lookups = 0), "number of lookups");
    says(tampered(|_, function, _| function.full.ranked ^= true), "ranks of a full seed");
    says(tampered(|_, function, _| function.full.max_reads = 0), "word of the seed");
    says(tampered(|_, function, _| function.paths = &[]), "number of paths");
    says(tampered(|_, function, _| function.generic.pack = Some(|_, _, _| Ok(true))), "packer");
    says(tampered(|_, _, path| path.leaves = &[77]), "leaves: expected [");
    says(tampered(|_, _, path| path.schema.stride += 8), "stride of the seed");
    says(tampered(|_, _, path| path.schema.words = &path.schema.words[1..]), "first word");
    let cut = |path: &mut PathUnit| path.schema.words = &path.schema.words[..1];
    says(tampered(|_, _, path| cut(path)), "of the seed");
    let other = tampered(|unit, _, _| unit.fingerprint[0] ^= 1);
    assert!(matches!(other, Reason::Unbound(BindError::FingerprintDiffers { .. })), "{other}");
    let none = tampered(|unit, _, _| (unit.fingerprint[0], unit.name) = (!unit.fingerprint[0], ""));
    assert!(matches!(none, Reason::Unbound(BindError::NotInRegistry { .. })), "{none}");
}

#[test]
fn other_parts_must_state_the_same_digest() {
    let (program, ..) = examples().swap_remove(2);
    let program = CheckedProgram::new(program).unwrap();
    let binding = Binding::new(&program, PROGRAMS).unwrap();
    let mut digest = binding.digest();
    assert_eq!(binding.check_digest("the device image", &digest), Ok(()));
    digest[31] ^= 1;
    let error = binding.check_digest("the device image", &digest).unwrap_err();
    assert!(error.to_string().contains("digest of the device image"), "{error}");
}
