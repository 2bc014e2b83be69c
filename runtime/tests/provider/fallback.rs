//! What is missing or differs costs its circuit only: all other rows come from generated
//! code, the proof has the bytes of one by reference rows, and everybody is told why.

use traceloom_abi::record::Record;
use traceloom_abi::registry::{
    ABI_VERSION, FunctionUnit, GENERATOR_VERSION, PathUnit, ProgramUnit,
};
use traceloom_air::claim::RankedClaim;
use traceloom_air::system::System;
use traceloom_air::trace::ShardWitness;
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::execute::Execution;
use traceloom_bytecode::system::build_system;
use traceloom_generated::PROGRAMS;
use traceloom_prover::{ProveOptions, ProvingKey, prove};
use traceloom_runtime::device::DeviceOption;
use traceloom_runtime::provider::Provider::{self, Device, Reference, Scalar};
use traceloom_runtime::provider::{ChoiceError, Choices, TraceOptions, TraceProvider, witness};
use traceloom_runtime::report::TraceReport;
use traceloom_verifier::Profile;

use super::host_device::HostDevice;
use super::{examples, run};

/// Number of circuits of functions of `merge_sort`: `merge_sort` and `half` together,
/// then `merge`, `sort` and `nth` alone. Each has rows in the case below.
const CIRCUITS: usize = 4;

/// A list that was sorted, and its proof by reference rows.
struct Case {
    program: CheckedProgram,
    system: System,
    record: Record,
    claims: Vec<RankedClaim>,
    rows: ShardWitness,
    proof: Vec<u8>,
}

impl Case {
    fn new() -> Self {
        let (program, args, input) = examples().swap_remove(3);
        let program = CheckedProgram::new(program).unwrap();
        let system = build_system(&program);
        let Execution { record, claims, .. } = run(&program, &args, &input);
        let options =
            TraceOptions { provider: TraceProvider::Reference, ..TraceOptions::new(PROGRAMS) };
        let choices = Choices::new(&program, &system, &options).unwrap();
        let rows = witness(&program, &system, &record, claims.clone(), &choices).unwrap().0;
        let proof = proof(&system, rows.clone());
        Self { program, system, record, claims, rows, proof }
    }

    fn choices<'a>(&self, options: &TraceOptions<'a>) -> Result<Choices<'a>, ChoiceError> {
        Choices::new(&self.program, &self.system, options)
    }

    /// The report of a proof with these choices, which has the bytes of all others.
    fn proven(&self, choices: &Choices<'_>) -> TraceReport {
        let claims = self.claims.clone();
        let written = witness(&self.program, &self.system, &self.record, claims, choices);
        let (rows, report) = written.unwrap();
        // Not by assert_eq: a difference would print both.
        assert!(rows == self.rows, "rows differ from those of the reference builder");
        assert!(proof(&self.system, rows) == self.proof, "proof bytes differ");
        report
    }

    /// Circuits have the `expected` providers. Those that fell back say `what`: as their
    /// reason, in the report, in the notice, and in the error if fallbacks are forbidden.
    fn falls_back(&self, options: &TraceOptions<'_>, expected: [Provider; CIRCUITS], what: &str) {
        let asked = match options.provider {
            TraceProvider::Device => Device,
            _ => Scalar,
        };
        let choices = self.choices(options).unwrap();
        let found: Vec<Provider> = (0..CIRCUITS).map(|i| choices.provider(i)).collect();
        assert_eq!(found, expected, "{what}");
        let report = self.proven(&choices);
        let notice = choices.notice().expect("a fallback is said");
        assert!(notice.contains(what) && !notice.contains('\n'), "{notice}");
        for (circuit, written) in report.circuits.iter().take(CIRCUITS).enumerate() {
            let of_seeds: usize = written.runs.iter().map(|run| run.rows).sum();
            let generated = written.provider != Reference;
            assert!(written.rows > 0, "{}", written.name);
            assert_eq!(of_seeds, if generated { written.rows } else { 0 }, "{}", written.name);
            let reason = choices.reason(circuit).map(ToString::to_string);
            assert_eq!(written.reason, reason);
            assert_eq!(reason.is_some(), written.provider != asked, "{}", written.name);
            assert!(reason.is_none_or(|reason| reason.contains(what)), "{what}");
        }
        let strict = self.choices(&TraceOptions { strict: true, ..*options });
        let first = expected.iter().position(|&provider| provider != asked).unwrap();
        let Err(ChoiceError::Strict { circuit, provider, reason }) = strict else {
            panic!("{what}: not refused")
        };
        assert_eq!(circuit, self.system.circuits[first].name);
        assert_eq!(provider, expected[first]);
        assert!(reason.to_string().contains(what), "{reason}");
    }
}

fn proof(system: &System, rows: ShardWitness) -> Vec<u8> {
    let key = ProvingKey::new(system, &Profile::Fast.params()).unwrap();
    prove(&key, vec![rows], &ProveOptions::default()).unwrap().0.encode()
}

fn generated() -> &'static ProgramUnit {
    PROGRAMS.iter().find(|unit| unit.name == "merge_sort").unwrap()
}

/// A registry of the unit with a change; tests are few, so what is leaked is little.
fn registry(
    change: impl FnOnce(&mut ProgramUnit, &mut Vec<FunctionUnit>),
) -> &'static [&'static ProgramUnit] {
    let mut unit = *generated();
    let mut functions = unit.functions.to_vec();
    change(&mut unit, &mut functions);
    unit.functions = Vec::leak(functions);
    let unit: &'static ProgramUnit = Box::leak(Box::new(unit));
    Vec::leak(vec![unit])
}

/// A registry in which one function was changed.
fn changed(
    symbol: &str,
    change: impl FnOnce(&mut FunctionUnit),
) -> &'static [&'static ProgramUnit] {
    registry(|_, functions| {
        change(functions.iter_mut().find(|function| function.symbol == symbol).unwrap());
    })
}

/// A registry that lacks some functions.
fn without(symbols: &[&str]) -> &'static [&'static ProgramUnit] {
    registry(|_, functions| functions.retain(|unit| !symbols.contains(&unit.symbol)))
}

/// The function's last path, changed.
fn change_path(function: &mut FunctionUnit, change: impl FnOnce(&mut PathUnit)) {
    let mut paths = function.paths.to_vec();
    change(paths.last_mut().unwrap());
    function.paths = Vec::leak(paths);
}

#[test]
fn a_function_that_was_not_generated_costs_its_circuit() {
    let case = Case::new();
    let options = TraceOptions::new(without(&["f_merge"]));
    let what = "unit of program \"merge_sort\": function \"merge\" was not generated; run \
                `traceloom codegen`";
    case.falls_back(&options, [Scalar, Reference, Scalar, Scalar], what);
    let notice = case.choices(&options).unwrap().notice();
    assert_eq!(notice.unwrap(), format!("circuit \"merge\" has reference rows: {what}"));
}

#[test]
fn a_group_falls_back_as_a_group() {
    let case = Case::new();
    let options = TraceOptions::new(without(&["f_half"]));
    let what = "function \"half\" was not generated";
    case.falls_back(&options, [Reference, Scalar, Scalar, Scalar], what);
    // Nothing is left to fall back to generated rows: of two groups, one circuit each.
    let options = TraceOptions::new(without(&["f_half", "f_nth"]));
    let choices = case.choices(&options).unwrap();
    let report = case.proven(&choices);
    assert_eq!(report.providers(), "scalar rows of 2, reference rows of 2 circuits");
    let notice = choices.notice().unwrap();
    for name in ["\"merge_sort+half\" has", "\"half\" was", "\"nth\" has", "\"nth\" was"] {
        assert!(notice.contains(name), "{notice}");
    }
}

#[test]
fn a_function_that_differs_costs_its_circuit() {
    let case = Case::new();
    let differs = |change: fn(&mut FunctionUnit), what: &str| {
        let options = TraceOptions::new(changed("f_sort", change));
        let what = format!("unit of program \"merge_sort\", function \"sort\"{what}");
        case.falls_back(&options, [Scalar, Scalar, Reference, Scalar], &what);
        let choices = case.choices(&options).unwrap();
        assert!(choices.reason(2).unwrap().to_string().ends_with("run `traceloom codegen`"));
    };
    differs(|sort| sort.layout.num_auxiliaries += 1, ": number of auxiliaries: expected ");
    differs(|sort| sort.paths = &sort.paths[1..], ": number of paths: expected ");
    let leaves = |sort: &mut FunctionUnit| change_path(sort, |path| path.leaves = &[77]);
    let last = generated().functions.iter().find(|unit| unit.symbol == "f_sort").unwrap();
    let last = last.paths.len() - 1;
    differs(leaves, &format!(", path {last}: leaves: expected "));
    let stride = |sort: &mut FunctionUnit| change_path(sort, |path| path.schema.stride += 8);
    differs(stride, &format!(", path {last}: stride of the seed: expected "));
    // Of the same shape, and yet from other bytecode or by another generator.
    let digest = ": contract digest: expected ";
    differs(|sort| sort.contract[0] ^= 1, digest);
    let twice = registry(|_, functions| functions.push(functions[3]));
    assert_eq!(generated().functions[3].symbol, "f_sort");
    let what = "function \"sort\": number of units: expected 1, found 2";
    let options = TraceOptions::new(twice);
    case.falls_back(&options, [Scalar, Scalar, Reference, Scalar], what);
}

#[test]
fn a_unit_of_something_else_costs_all_circuits() {
    let case = Case::new();
    let all = |registry: &'static [&'static ProgramUnit], what: &str| {
        case.falls_back(&TraceOptions::new(registry), [Reference; CIRCUITS], what);
        let notice = case.choices(&TraceOptions::new(registry)).unwrap().notice().unwrap();
        assert!(notice.contains("and 1 more have reference rows: "), "{notice}");
        assert!(notice.contains("run `traceloom codegen`"), "{notice}");
    };
    all(&[], "no unit was generated for program \"merge_sort\"");
    let changed = "program \"merge_sort\" has changed: its unit has fingerprint";
    all(registry(|unit, _| unit.fingerprint[0] ^= 1), changed);
    let version = format!("ABI version: expected {ABI_VERSION}, found {}", ABI_VERSION - 1);
    all(registry(|unit, _| unit.abi_version -= 1), &version);
    let (now, then) = (GENERATOR_VERSION, GENERATOR_VERSION - 1);
    let version = format!("generator version: expected {now}, found {then}");
    all(registry(|unit, _| unit.generator_version -= 1), &version);
    // One that is generated for no function: for what program is it?
    let stray = "function index: expected those of constrained functions, found ";
    all(registry(|_, functions| functions[4].function = 999), stray);
    let unconstrained = case.program.find("publish").unwrap();
    all(registry(|_, functions| functions[4].function = unconstrained.0), stray);
}

/// Bytes of the widest seed of each function.
fn widest() -> Vec<(&'static str, usize)> {
    let widest = |unit: &FunctionUnit| {
        let typed = unit.paths.iter().map(|path| path.schema.stride as usize);
        typed.max().unwrap_or(0).max(unit.full.stride())
    };
    generated().functions.iter().map(|unit| (unit.symbol, widest(unit))).collect()
}

#[test]
fn a_seed_that_is_too_wide_costs_its_circuit() {
    let case = Case::new();
    // `merge_sort` and `merge` have the widest seeds, and are in circuits of their own.
    let widest = widest();
    let [stride, of_merge] = [widest[0].1, widest[2].1];
    let rest = widest.iter().filter(|(symbol, _)| !["f_merge_sort", "f_merge"].contains(symbol));
    let most = rest.map(|(_, stride)| *stride).max().unwrap();
    assert!(stride > most && of_merge > most, "{widest:?}");
    let options = TraceOptions { max_seed_bytes: most, ..TraceOptions::new(PROGRAMS) };
    let what = format!("bytes, more than {most}");
    case.falls_back(&options, [Reference, Reference, Scalar, Scalar], &what);
    let choices = case.choices(&options).unwrap();
    let wide = [("merge_sort", stride), ("merge", of_merge)];
    for (circuit, (function, stride)) in wide.into_iter().enumerate() {
        let said = format!("a seed of function {function:?} takes {stride} {what}");
        assert!(choices.reason(circuit).unwrap().to_string().starts_with(&said));
    }
    // One wide function of a group costs the group.
    let wide = changed("f_half", |half| half.full.max_reads = 100);
    let options = TraceOptions { max_seed_bytes: stride, ..TraceOptions::new(wide) };
    let what = "a seed of function \"half\" takes ";
    case.falls_back(&options, [Reference, Scalar, Scalar, Scalar], what);
}

fn device_options<'a>(device: &'a HostDevice, case: &'a Case) -> TraceOptions<'a> {
    TraceOptions {
        provider: TraceProvider::Device,
        device: DeviceOption::Ready { device, record: &case.record },
        ..TraceOptions::new(PROGRAMS)
    }
}

#[test]
fn without_a_device_or_its_kernels_rows_are_scalar() {
    let case = Case::new();
    let device = HostDevice { free_bytes: u64::MAX, kernels: Err("compiled for sm_1".into()) };
    let options = device_options(&device, &case);
    let what = "the device has no kernels of the program: compiled for sm_1";
    case.falls_back(&options, [Scalar; CIRCUITS], what);
    let unavailable = DeviceOption::Unavailable("the driver is on holiday");
    let what = "no device writes rows: the driver is on holiday";
    let options = TraceOptions { device: unavailable, ..options };
    case.falls_back(&options, [Scalar; CIRCUITS], what);
    let options = TraceOptions { device: DeviceOption::NotAsked, ..options };
    case.falls_back(&options, [Scalar; CIRCUITS], "no device was looked for");
}

#[test]
fn a_device_writes_all_that_it_has_memory_and_units_for() {
    let case = Case::new();
    let device = HostDevice { free_bytes: u64::MAX, kernels: Ok(()) };
    let options = device_options(&device, &case);
    let choices = case.choices(&TraceOptions { strict: true, ..options }).unwrap();
    assert_eq!(choices.notice(), None);
    let report = case.proven(&choices);
    assert_eq!(report.providers(), "device rows");
    // A trace of `merge` is larger than the ones of `sort` and `nth`.
    let bytes = |circuit: usize| {
        8 * (report.circuits[circuit].height * report.circuits[circuit].width) as u64
    };
    let seeds = |circuit: usize| {
        let members = case.program.program().circuits[circuit].iter();
        let strides = members.map(|id| {
            let unit = generated().function(id.0).unwrap();
            widest().iter().find(|(symbol, _)| *symbol == unit.symbol).unwrap().1
        });
        strides.max().unwrap() as u64 * report.circuits[circuit].rows as u64
    };
    let need = |circuit: usize| bytes(circuit) + seeds(circuit);
    let free_bytes = need(0) + need(2) + need(3);
    assert!(need(1) > need(2) + need(3), "the others fit where `merge` does not");
    let small = HostDevice { free_bytes, kernels: Ok(()) };
    let what =
        format!("its trace takes {} bytes of device memory and {}", need(1), need(2) + need(3));
    case.falls_back(&device_options(&small, &case), [Device, Scalar, Device, Device], &what);
    // A function that was not generated has no kernel either.
    let options = TraceOptions { registry: without(&["f_nth"]), ..options };
    let what = "function \"nth\" was not generated";
    case.falls_back(&options, [Device, Device, Device, Reference], what);
}

#[test]
fn what_was_asked_for_is_no_fallback() {
    let case = Case::new();
    let reference = TraceProvider::Reference;
    let options = TraceOptions { provider: reference, strict: true, ..TraceOptions::new(PROGRAMS) };
    let choices = case.choices(&options).unwrap();
    assert_eq!(choices.notice(), None);
    for circuit in 0..CIRCUITS {
        assert_eq!(choices.provider(circuit), Reference);
        assert_eq!(choices.reason(circuit).unwrap().to_string(), "generated rows are disabled");
    }
    // The CPU interprets System: no fallback either.
    let options = TraceOptions { strict: true, ..TraceOptions::new(PROGRAMS) };
    let choices = case.choices(&options).unwrap();
    assert_eq!(choices.notice(), None);
    let report = case.proven(&choices).json();
    let circuits = report["circuits"].as_array().unwrap();
    assert!(circuits.iter().all(|circuit| circuit["evaluator"] == "system"));
}
