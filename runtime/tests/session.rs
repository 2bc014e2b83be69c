//! The session as a caller sees it: one program, several requests, every refusal a value.

use std::sync::{Arc, Mutex};

use traceloom_abi::registry::ProgramUnit;
use traceloom_bytecode::execute::Limits;
use traceloom_bytecode::json;
use traceloom_generated::PROGRAMS;
use traceloom_prover::Stage;
use traceloom_runtime::provider::{Provider, TraceProvider};
use traceloom_runtime::report::CircuitReport;
use traceloom_runtime::session::{
    Backend, Description, Devices, ExecutedBy, Executor, Expected, Kind, Request, Session,
    SessionBuilder, SessionError, Step,
};
use traceloom_verifier::Profile;

/// Two entries.
const TEXT: &str = "program \"two\"
fn square(x) -> 1 entry {
  y = mul x, x
  return y
}
fn sum(x, y) -> 1 entry {
  z = add x, y
  return z
}
end
";

const ONE: &str = "program \"one\"
fn double(x) -> 1 entry {
  y = add x, x
  debug \"twice\", y
  return y
}
end
";

fn two() -> SessionBuilder {
    Session::of_bytes("two.tla", TEXT).profile(Profile::Fast)
}

fn one() -> SessionBuilder {
    Session::of_bytes("one.tla", ONE).profile(Profile::Fast).debug(|_| {})
}

#[test]
fn sessions_are_shared_by_threads() {
    fn is_shared<T: Send + Sync>() {}
    is_shared::<Session>();
    is_shared::<SessionError>();
}

#[test]
fn one_session_proves_and_verifies_several_requests() {
    let session = two().build().unwrap();
    let key: *const _ = session.proving_key().unwrap();
    let mut proofs = Vec::new();
    for (request, expected) in [
        (Request::call("square", [12]), Expected::call("square", [12]).outputs([144])),
        (Request::call("sum", [3, 4]), Expected::call("sum", [3, 4]).outputs([7])),
    ] {
        let proved = session.prove(request).unwrap();
        let verified = session.verify(&proved.bytes, &expected).unwrap();
        assert_eq!(verified.claims, proved.claims());
        proofs.push(proved.bytes);
    }
    assert!(std::ptr::eq(key, session.proving_key().unwrap()), "keys are made once");
    // A session that made no key of its own says the same, and gets the same bytes.
    let other = two().build().unwrap();
    other.verify(&proofs[1], &Expected::any()).unwrap();
    assert!(other.prove(Request::call("square", [12])).unwrap().bytes == proofs[0]);
    // Two claims in one proof are not a single one.
    let both = session.prove(Request::call("square", [2]).and_call("sum", [1, 1])).unwrap();
    session.verify(&both.bytes, &Expected::claims(both.claims())).unwrap();
    let error = session.verify(&both.bytes, &Expected::any()).unwrap_err();
    assert_eq!(error.to_string(), "the proof has 2 claims, expected one");
}

#[test]
fn expectations_are_the_callers() {
    let session = two().build().unwrap();
    let bytes = session.prove(Request::call("sum", [3, 4])).unwrap().bytes;
    let refused = |expected: Expected, message: &str| {
        let error = session.verify(&bytes, &expected).unwrap_err();
        assert_eq!((error.kind(), error.to_string()), (Kind::Refused, message.to_owned()));
    };
    refused(
        Expected::call("sum", [3, 5]),
        "the proof claims other inputs than expected: number 1 is 4, expected 5",
    );
    refused(
        Expected::any().entry("sum").outputs([7, 7]),
        "the proof claims other outputs than expected: 1 numbers, expected 2: [7], expected [7, 7]",
    );
    refused(
        Expected::call("square", [3, 4]),
        "the proof claims a call of \"sum\", expected \"square\"",
    );
    // Of which function, the proof does not choose.
    for expected in [Expected::args([3, 4]), Expected::any().outputs([7])] {
        let error = session.verify(&bytes, &expected).unwrap_err();
        assert!(matches!(error, SessionError::Entry { wanted: None, .. }), "{error}");
    }
    refused(
        Expected::claims([]),
        "the claims of the proof are not the expected ones, first claim 0: the proof has \"sum\" \
         [3, 4] = [7], expected no such claim",
    );
    let other = Session::of_bytes("two.tla", TEXT).build().unwrap();
    let error = other.verify(&bytes, &Expected::any()).unwrap_err();
    assert!(matches!(error, SessionError::Profile { .. }), "{error}");
    let error = one().build().unwrap().verify(&bytes, &Expected::any()).unwrap_err();
    let text = error.to_string();
    assert!(text.starts_with("the proof was made for another program: its fingerprint"), "{text}");
    let hex = |bytes: [u8; 32]| bytes.map(|byte| format!("{byte:02x}")).concat();
    for program in [two().build().unwrap(), one().build().unwrap()] {
        assert!(text.contains(&hex(program.program().fingerprint())), "{text}");
    }
    let error = session.verify(&bytes[..40], &Expected::any()).unwrap_err();
    assert_eq!(error.kind(), Kind::Malformed, "{error}");
}

#[test]
fn requests_that_do_not_fit_are_named() {
    let session = two().build().unwrap();
    let fails = |request: Request, kind: Kind, message: &str| {
        let error = session.execute(request).unwrap_err();
        assert_eq!((error.kind(), error.to_string()), (kind, message.to_owned()));
    };
    let entries = "two.tla: name one entry function; this program has [\"square\", \"sum\"]";
    fails(Request::args([1]), Kind::Malformed, entries);
    fails(Request::call("nothing", [1]), Kind::Malformed, entries);
    fails(
        Request::call("sum", [1]),
        Kind::Malformed,
        "sum has 2 inputs, got 1; it takes 2 numbers as arguments",
    );
    let error = session.execute(Request::call("square", [u64::MAX])).unwrap_err();
    assert!(error.to_string().starts_with("two.tla: claim 0: "), "{error}");
    let twice = Request::new().input(1, &[], &[2]).unwrap().input(1, &[], &[3]).unwrap_err();
    assert_eq!(twice.kind(), Kind::Malformed, "{twice}");
    let limits = Limits { steps: 1, ..Limits::default() };
    let session = two().limits(limits).build().unwrap();
    let error = session.prove(Request::call("square", [2])).unwrap_err();
    assert_eq!(error.kind(), Kind::Refused);
    assert!(error.to_string().contains("raise `Limits::steps`"), "{error}");
}

#[test]
fn programs_that_are_none_are_named() {
    let fails = |builder: SessionBuilder, kind: Kind, message: &str| {
        let error = builder.build().unwrap_err();
        assert_eq!(error.kind(), kind);
        assert!(error.to_string().contains(message), "{error}");
    };
    fails(Session::of_file("/nowhere/at/all"), Kind::Malformed, "cannot read /nowhere/at/all: ");
    fails(Session::of_bytes("b", "konst"), Kind::Malformed, "b is not a program:\n1:1: ");
    fails(Session::of_bytes("b", "{}"), Kind::Malformed, "import nested JSON");
    let unused = TEXT.replace("return z", "return x, y");
    fails(Session::of_bytes("b", unused), Kind::Refused, "b: invalid program, ");
}

#[test]
fn a_file_is_claimed_by_its_length_or_as_described() {
    #[derive(Debug)]
    struct Pairs;
    impl Description for Pairs {
        fn claimed_inputs(&self, len: u64) -> Result<Vec<u64>, String> {
            if len.is_multiple_of(2) { Ok(vec![len / 2]) } else { Err(format!("{len} is odd")) }
        }
        fn takes(&self) -> String {
            "a file of pairs".into()
        }
        fn phrase(&self, function: &str, inputs: &[u64], outputs: &[u64]) -> Option<String> {
            Some(format!("{function} of {} pairs is {}", inputs[0], outputs[0]))
        }
    }
    let bytes = |bytes: &[u8]| Request::bytes(bytes).unwrap();
    let plain = one().build().unwrap();
    assert_eq!(plain.execute(bytes(b"four")).unwrap().outputs(0), [8]);
    let described = one().description(Arc::new(Pairs)).build().unwrap();
    let executed = described.execute(bytes(b"four")).unwrap();
    assert_eq!(executed.outputs(0), [4]);
    let words = described.in_words(&executed.claims()[0]).unwrap();
    assert_eq!(words, "double of 2 pairs is 4");
    assert_eq!(described.execute(bytes(b"odd")).unwrap_err().to_string(), "input: 3 is odd");
    let error = described.execute(Request::new()).unwrap_err().to_string();
    assert_eq!(error, "double has 1 inputs, got 0; it takes a file of pairs");
}

/// Steps come in order; debug lines and notices are taken.
#[test]
fn what_happens_is_told() {
    let told: Arc<Mutex<Vec<Step>>> = Arc::default();
    let (steps, lines) = (told.clone(), Arc::<Mutex<Vec<String>>>::default());
    let (debug, notices) = (lines.clone(), lines.clone());
    let session = one()
        .progress(move |now| {
            let mut steps = steps.lock().unwrap();
            if steps.last() != Some(&now.stage) {
                // Stages of the prover have one total, of which the later ones begin with a part.
                let is_later = matches!(now.stage, Step::Prove(stage) if stage != Stage::ALL[0]);
                assert_eq!(now.done > 0, is_later, "{now:?}");
                assert_eq!(now.remaining.is_some(), is_later, "{now:?}");
                steps.push(now.stage);
            }
        })
        .debug(move |line| debug.lock().unwrap().push(line.to_string()))
        .notices(move |notice| notices.lock().unwrap().push(notice.to_owned()))
        .build()
        .unwrap();
    session.prove(Request::args([4])).unwrap();
    let expected = [Step::Execute, Step::SetUp, Step::Rows].into_iter();
    let expected = expected.chain(Stage::ALL.map(Step::Prove)).chain([Step::Verify]);
    assert_eq!(std::mem::take(&mut *told.lock().unwrap()), expected.collect::<Vec<_>>());
    let lines = std::mem::take(&mut *lines.lock().unwrap());
    assert_eq!(lines[0], "double: twice [8]");
    assert!(lines[1].contains("no unit was generated for program \"one\""), "{lines:?}");
    assert_eq!(lines.len(), 2);
    assert!(session.check(Request::args([4])).unwrap().report.is_ok());
    let expected = [Step::Execute, Step::SetUp, Step::Rows, Step::Check];
    assert_eq!(*told.lock().unwrap(), expected);
}

#[test]
fn units_and_their_program_make_a_strict_session() {
    let program = traceloom_programs::find("fibonacci").unwrap().build().unwrap();
    let builder = || Session::of_units(json::print(&program), PROGRAMS).profile(Profile::Fast);
    let every = std::time::Duration::from_millis(1);
    let session = builder().strict(true).memory_samples(every).build().unwrap();
    let proved = session.prove(Request::args([30])).unwrap();
    assert_eq!(proved.summary.outputs(0), [832_040]);
    let report = &proved.report;
    assert_eq!(report.trace.circuits[0].provider, Provider::Scalar);
    let stages: Vec<&str> = report.stages.iter().map(|(name, _)| *name).collect();
    assert_eq!(stages[..3], ["execution", "rows", Stage::ALL[0].name()]);
    let of_step = |step: &str| -> std::time::Duration {
        let spans = report.spans.iter().filter(|span| span.step == step);
        spans.map(|span| span.end - span.begin).sum()
    };
    // One worker: its spans add up to the stages, and everything fits into the total.
    for (stage, time) in &report.stages {
        assert_eq!(of_step(stage), *time, "{stage}");
    }
    assert_eq!(of_step("setup"), report.setup);
    assert_eq!(of_step("verification"), report.verification);
    assert!(report.spans.iter().all(|span| span.begin <= span.end && span.end <= report.total));
    assert!(report.spans.is_sorted_by_key(|span| span.begin));
    assert!(!report.memory.is_empty() || !std::path::Path::new("/proc/self/status").exists());
    // What is for one circuit alone is a part of its stage, of every circuit with rows.
    for stage in [Stage::Main, Stage::StageTwo, Stage::Quotient] {
        let circuits = report.trace.circuits.iter().filter(|circuit| circuit.height > 0);
        let of = |circuit: &CircuitReport| {
            circuit.stages.iter().find(|(of, _)| *of == stage).map(|of| of.1)
        };
        let times: Vec<_> = circuits.map(of).collect();
        assert!(times.iter().all(Option::is_some), "{stage:?}: {times:?}");
        assert!(times.iter().flatten().sum::<std::time::Duration>() <= proved.metrics.stage(stage));
    }
    let circuit = &report.trace.circuits[0];
    let of_system = &session.system().circuits[0];
    assert_eq!(circuit.constraints, of_system.constraints.len());
    assert_eq!(circuit.lookups, of_system.lookups.len());
    assert_eq!(circuit.cells(), of_system.width * circuit.height);
    assert_eq!(report.profile, Profile::Fast.name());
    assert_eq!(report.proof_bytes, proved.bytes.len());
    // Nothing that a session may choose changes a byte.
    for provider in [TraceProvider::Reference, TraceProvider::Scalar] {
        let other = builder().trace(provider).backend(Backend::Cpu).build().unwrap();
        assert!(other.prove(Request::args([30])).unwrap().bytes == proved.bytes);
    }
    let without = builder().registry(&[]).strict(true).build().unwrap();
    let error = without.prove(Request::args([30])).unwrap_err();
    assert_eq!(error.kind(), Kind::Refused);
    assert!(error.to_string().contains("no unit was generated"), "{error}");
}

#[test]
fn proofs_are_padded_to_their_profile_and_checks_are_not() {
    let session = one().profile(Profile::Strong).build().unwrap();
    let proved = session.prove(Request::args([4])).unwrap();
    let circuit = &proved.report.trace.circuits[0];
    assert_eq!((circuit.rows, circuit.height), (1, 256));
    let verified = session.verify(&proved.bytes, &Expected::args([4]).outputs([8])).unwrap();
    assert!(verified.report.security.provable >= 128.0);
    let checked = session.check(Request::args([4])).unwrap();
    assert!(checked.report.is_ok());
    let circuit = &checked.trace.circuits[0];
    assert_eq!((circuit.rows, circuit.height), (1, 1));
}

#[test]
fn a_device_that_is_asked_for_by_name_is_needed() {
    let prove = |devices: Devices, provider| {
        let builder = one().backend(Backend::Device).devices(devices).trace(provider);
        builder.build().unwrap().prove(Request::args([1])).unwrap_err()
    };
    let error = prove(Devices::NotAsked, TraceProvider::Auto);
    assert_eq!(error.kind(), Kind::Refused);
    assert_eq!(error.to_string(), "the backend of a device: this session was given no device");
    let error = prove(Devices::Unavailable("it is away".into()), TraceProvider::Auto);
    assert_eq!(error.to_string(), "the backend of a device: it is away");
    let session = one().devices(Devices::Unavailable("it is away".into())).build().unwrap();
    let report = session.prove(Request::args([1])).unwrap().report;
    assert_eq!(report.backend_reason.as_deref(), Some("it is away"));
}

fn fibonacci(executor: Executor, registry: &'static [&'static ProgramUnit]) -> SessionBuilder {
    let program = traceloom_programs::find("fibonacci").unwrap().build().unwrap();
    Session::of_program(program).profile(Profile::Fast).execute(executor).registry(registry)
}

/// The registry with another unit of `fibonacci`.
fn changed(change: impl FnOnce(&mut ProgramUnit)) -> &'static [&'static ProgramUnit] {
    let unit = PROGRAMS.iter().find(|unit| unit.name == "fibonacci").unwrap();
    let mut unit = **unit;
    change(&mut unit);
    let unit: &'static ProgramUnit = Box::leak(Box::new(unit));
    Vec::leak(vec![unit])
}

#[test]
fn who_executes_is_chosen_and_told() {
    let generated = ExecutedBy { name: "generated", reason: None };
    let interpreted = ExecutedBy { name: "interpreted", reason: None };
    let run = |builder: SessionBuilder| {
        let executed = builder.build().unwrap().execute(Request::args([30])).unwrap();
        assert_eq!(executed.outputs(0), [832_040]);
        executed.by
    };
    assert_eq!(run(fibonacci(Executor::Auto, PROGRAMS)), generated);
    assert_eq!(run(fibonacci(Executor::Generated, PROGRAMS).strict(true)), generated);
    assert_eq!(run(fibonacci(Executor::Interpreted, PROGRAMS)), interpreted);
    // Without a unit that fits, there is a reason.
    let mut short = PROGRAMS.iter().find(|unit| unit.name == "fibonacci").unwrap().executors[0];
    short.num_inputs = 2;
    let short: &'static [_] = Vec::leak(vec![short]);
    let cases: [(&'static [&'static ProgramUnit], &str); 5] = [
        (&[], "no unit was generated"),
        (changed(|unit| unit.generator_version += 1), "generator version"),
        (changed(|unit| unit.fingerprint = [7; 32]), "has changed"),
        (changed(|unit| unit.executors = &[]), "number of executors"),
        (changed(|unit| unit.executors = short), "number of inputs"),
    ];
    for (registry, what) in cases {
        let by = run(fibonacci(Executor::Auto, registry));
        assert_eq!(by.name, "interpreted");
        assert!(by.reason.unwrap().contains(what), "{what}");
        let notices = Arc::new(Mutex::new(Vec::new()));
        let kept = notices.clone();
        let take = move |notice: &str| kept.lock().unwrap().push(notice.to_owned());
        run(fibonacci(Executor::Generated, registry).notices(take));
        let notices = notices.lock().unwrap();
        assert!(notices.len() == 1 && notices[0].contains(what), "{notices:?}");
        let strict = fibonacci(Executor::Generated, registry).strict(true).build().unwrap();
        let error = strict.execute(Request::args([30])).unwrap_err();
        assert!(matches!(error, SessionError::Executors { .. }), "{error}");
        assert_eq!(error.kind(), Kind::Refused);
        assert!(error.to_string().contains(what), "{error}");
    }
}

#[test]
fn proofs_are_the_same_whoever_executes() {
    let prove = |executor| {
        let session = fibonacci(executor, PROGRAMS).build().unwrap();
        session.prove(Request::args([60])).unwrap()
    };
    let [interpreted, generated] = [Executor::Interpreted, Executor::Generated].map(prove);
    assert_eq!(interpreted.bytes, generated.bytes);
    assert_eq!(interpreted.report.executed_by.name, "interpreted");
    assert_eq!(generated.report.json()["execution"]["name"], "generated");
}

#[test]
fn an_executor_that_stops_has_the_interpreter_s_end() {
    let limits = Limits { steps: 100, ..Limits::default() };
    let error = |executor| {
        let session = fibonacci(executor, PROGRAMS).limits(limits.clone()).build().unwrap();
        session.execute(Request::args([30])).unwrap_err().to_string()
    };
    assert_eq!(error(Executor::Generated), error(Executor::Interpreted));
}
