//! What has to hold for every case.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use traceloom_abi::io::IoError;
use traceloom_air::claim::Claim;
use traceloom_air::field::{Goldilocks, PrimeCharacteristicRing};
use traceloom_air::system::{CircuitKind, System};
use traceloom_air::trace::ShardWitness;
use traceloom_bytecode::execute::{ExecuteError, Execution, Fault, Hooks, Limits, execute_with};
use traceloom_bytecode::fingerprint::fingerprint;
use traceloom_bytecode::lower::{contract, plan_program};
use traceloom_bytecode::model::FunctionId;
use traceloom_bytecode::paths::MAX_PATHS;
use traceloom_bytecode::{CheckedProgram, json, text};
use traceloom_prover::{ProveOptions, ProvingKey, prove};
use traceloom_runtime::check::check;
use traceloom_runtime::order::num_rows;
use traceloom_runtime::provider::TraceProvider;
use traceloom_runtime::session::{Expected, Proved, Request, Session};
use traceloom_runtime::witness::reference_witness;
use traceloom_verifier::proof::Shards;
use traceloom_verifier::{Profile, Proof, VerifyError, verify};

use crate::case::Case;
use crate::family::{Counts, Family};
use crate::naive::{self, Kind, Naive, Stop};
use crate::plans::PlannedRow;
use crate::stage_two::{self, Forgery};
use crate::{cells, compact, edits, layout, plans};

/// What to try on a case.
#[derive(Clone, Copy, Debug, Default)]
pub struct Effort {
    /// Edits of the program whose fingerprints are compared, about.
    pub edits: usize,
    /// Cells that are changed.
    pub forgeries: usize,
    /// Whether text is generated from the plans.
    pub emit: bool,
    /// Whether a proof is made.
    pub prove: bool,
}

/// What was tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Rows of function circuits.
    pub rows: usize,
    /// Edited programs.
    pub edits: usize,
    /// Changed cells, given to the checker.
    pub checked: Counts,
    /// Changed cells and terminals, given to the verifier in a proof.
    pub verified: Counts,
    /// Proofs of what is true.
    pub proofs: usize,
}

impl Tally {
    /// All forgeries.
    #[must_use]
    pub fn forgeries(&self) -> usize {
        self.checked.sum() + self.verified.sum()
    }

    /// Forgeries that were refused; the others change what nothing fixes.
    #[must_use]
    pub fn refused(&self) -> usize {
        self.checked.sum_refused() + self.verified.sum_refused()
    }
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.rows += other.rows;
        self.edits += other.edits;
        self.checked += other.checked;
        self.verified += other.verified;
        self.proofs += other.proofs;
    }
}

/// A property that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Its name; shrinking keeps it.
    pub property: &'static str,
    /// What differs.
    pub message: String,
}

/// What came of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Everything holds.
    Holds(Box<Tally>),
    /// The program is invalid or fails on its input, and everybody agrees on that.
    Rejected,
    /// Something does not hold.
    Differs(Difference),
}

type Outcome<T> = Result<T, Difference>;

fn differs<T>(property: &'static str, message: impl ToString) -> Outcome<T> {
    Err(Difference { property, message: message.to_string() })
}

fn require(property: &'static str, holds: bool, message: impl FnOnce() -> String) -> Outcome<()> {
    if holds { Ok(()) } else { differs(property, message()) }
}

/// Tries everything on `case`. A panic is a difference too.
#[must_use]
pub fn examine(case: &Case, effort: Effort) -> Verdict {
    match catch_unwind(AssertUnwindSafe(|| run(case, effort))) {
        Ok(Ok(Some(tally))) => Verdict::Holds(Box::new(tally)),
        Ok(Ok(None)) => Verdict::Rejected,
        Ok(Err(difference)) => Verdict::Differs(difference),
        Err(panic) => {
            Verdict::Differs(Difference { property: "no panic", message: panic_text(&*panic) })
        }
    }
}

/// What a caught panic says.
#[must_use]
pub fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("a panic").to_owned()
}

/// Whether a case differs in the same property.
#[must_use]
pub fn differs_alike(case: &Case, effort: Effort, difference: &Difference) -> bool {
    match examine(case, effort) {
        Verdict::Differs(other) => other.property == difference.property,
        _ => false,
    }
}

fn run(case: &Case, effort: Effort) -> Outcome<Option<Tally>> {
    forms(case)?;
    let Ok(program) = CheckedProgram::new(case.program.clone()) else { return Ok(None) };
    let mut rng = ChaCha8Rng::seed_from_u64(case.seed ^ 0x9e37_79b9_7f4a_7c15);
    let edits = identity(&mut rng, &program, effort.edits)?;
    layouts(&program)?;
    let Some(execution) = executions(case, &program)? else { return Ok(None) };
    let builder = Session::of(program.clone()).profile(Profile::Fast).limits(limits());
    // Debug lines are thrown away.
    let builder = builder.trace(TraceProvider::Reference).debug(|_| {});
    let session = builder.build().or_else(|error| differs("sessions", error))?;
    let system = session.system();
    let witness = rows(&program, system, &execution)?;
    let plan = plan_program(&program);
    if let Err(faults) = traceloom_plan::verify(&contract(&program), &plan) {
        return differs("plans verify", faults);
    }
    let planned = plans::rows(&program, &plan, &execution.record);
    let planned = planned.or_else(|message| differs("plans equal the reference", message))?;
    for row in &planned {
        let trace = witness.traces[row.circuit].as_ref().expect("a circuit with rows has a trace");
        plans::compare(row, &execution.record, trace)
            .or_else(|message| differs("plans equal the reference", message))?;
    }
    let short = (compact::system(system), compact::witness(system, &witness));
    let report = check(&short.0, std::slice::from_ref(&short.1));
    require("rows satisfy constraints", report.is_ok(), || report.to_string())?;
    let forged = cells::forge(&mut rng, &program, &short.0, &short.1, &planned, effort.forgeries);
    let checked = forged.or_else(|message| differs("changed cells", message))?;
    if effort.emit {
        emission(&program)?;
    }
    let verified = match effort.prove {
        true => proofs(&mut rng, case, &session, &witness, &planned)?,
        false => Counts::default(),
    };
    let proofs = usize::from(effort.prove);
    Ok(Some(Tally { rows: planned.len(), edits, checked, verified, proofs }))
}

/// Text and JSON give the program back, and printing it again the same bytes.
fn forms(case: &Case) -> Outcome<()> {
    let program = &case.program;
    let printed = text::print(program).or_else(|error| differs("text", error))?;
    let read = text::parse(&printed).or_else(|error| differs("text", error))?;
    require("text", read == *program, || format!("another program is read from\n{printed}"))?;
    require("text", text::print(&read).as_ref() == Ok(&printed), || "prints differ".into())?;
    let printed = json::print(program);
    let read = json::parse(&printed).or_else(|error| differs("json", error))?;
    require("json", read == *program, || format!("another program is read from\n{printed}"))?;
    require("json", json::print(&read) == printed, || "prints differ".into())
}

/// The fingerprint depends on all that means something and on nothing else.
fn identity(rng: &mut ChaCha8Rng, program: &CheckedProgram, about: usize) -> Outcome<usize> {
    let own = program.fingerprint();
    let renamed = edits::renamed(program.program());
    require("fingerprint of names", fingerprint(&renamed) == own, || "names count".into())?;
    if let Some(regrouped) = edits::regrouped(program.program()) {
        let same = fingerprint(&regrouped) == own;
        require("fingerprint of names", same, || "circuits count".into())?;
    }
    if about == 0 {
        return Ok(0);
    }
    let share = (about as f64 / edits::count_semantic(program.program()) as f64).min(1.0);
    let edited = edits::semantic(program.program(), || rng.random_bool(share));
    for (what, edited) in &edited {
        require("fingerprint of edits", fingerprint(edited) != own, || what.clone())?;
    }
    Ok(edited.len())
}

/// Layouts, components and paths, derived twice.
fn layouts(program: &CheckedProgram) -> Outcome<()> {
    let reach = layout::reachability(program.program());
    let graph = program.callgraph();
    for (index, second) in layout::layouts(program.program()).iter().enumerate() {
        let id = FunctionId(index as u32);
        let first = program.layout(id);
        require("layout", first == second, || format!("{index}: {first:?}\nnot {second:?}"))?;
        let ranked = reach[index][index];
        require("components", graph.is_ranked(id) == ranked, || format!("function {index}"))?;
        let component = layout::component(&reach, id);
        for other in program.function_ids() {
            let same = graph.component(id) == graph.component(other);
            let expected = component.contains(&other.index());
            require("components", same == expected, || format!("{index} and {}", other.0))?;
        }
        let paths = program.paths(id);
        let Some(second) = layout::paths(program.function(id), MAX_PATHS) else {
            require("paths", !paths.are_numbered(), || format!("function {index}"))?;
            continue;
        };
        let counts = (paths.count(), second.len() as u64);
        require("paths", counts.0 == counts.1, || format!("function {index}: {counts:?}"))?;
        for (number, leaves) in second.iter().enumerate() {
            let same =
                paths.leaves(number) == Some(leaves) && paths.number(leaves) == number as u32;
            require("paths", same, || format!("function {index}, path {leaves:?}"))?;
        }
    }
    Ok(())
}

/// Limits under which random programs run.
#[must_use]
pub fn limits() -> Limits {
    Limits {
        steps: naive::MAX_STEPS,
        queries: 20_000,
        pointers: 20_000,
        bytes: 1 << 26,
        depth: 10_000,
    }
}

/// Runs a case, its `debug` lines thrown away.
///
/// # Errors
/// As [`execute_with`].
pub fn execute(case: &Case, program: &CheckedProgram) -> Result<Execution, ExecuteError> {
    let hooks = Hooks { debug: Some(&mut |_| {}), progress: None, calls: None };
    execute_with(program, &case.claims, case.io(), &limits(), hooks)
}

/// The executor twice, and the naive one.
fn executions(case: &Case, program: &CheckedProgram) -> Outcome<Option<Execution>> {
    let first = execute(case, program);
    if let Err(ExecuteError::Failed(failure)) = &first {
        match &failure.fault {
            Fault::Limit(_) => return Ok(None),
            Fault::Replay { .. } => return differs("replays agree", failure),
            _ => {}
        }
    }
    let (first, (outputs, naive)) = match (first, naive::run(case)) {
        (_, Err(Stop::Steps)) => return Ok(None),
        (Err(error), Err(Stop::Fault(expected))) => {
            let same = kind(&error).is_none_or(|kind| kind == expected);
            require("executors agree", same, || format!("{error}, not {expected:?}"))?;
            return Ok(None);
        }
        (Err(error), Ok(_)) => return differs("executors agree", error),
        (Ok(_), Err(Stop::Fault(kind))) => {
            return differs("executors agree", format!("only the naive one fails: {kind:?}"));
        }
        (Ok(first), Ok(naive)) => (first, naive),
    };
    let second = execute(case, program).or_else(|error| differs("execution repeats", error))?;
    let same = first.claims == second.claims && first.stats == second.stats;
    require("execution repeats", same, || "claims or statistics differ".into())?;
    for (index, expected) in outputs.iter().enumerate() {
        let found = first.outputs(index);
        require("executors agree", found == *expected, || {
            format!("claim {index}: {found:?}, the naive one says {expected:?}")
        })?;
    }
    same_record(program, &first, &naive)?;
    Ok(Some(first))
}

/// What went wrong, as the naive executor calls it; nothing for what it does not
/// know, which is claims of no program.
fn kind(error: &ExecuteError) -> Option<Kind> {
    let ExecuteError::Failed(failure) = error else { return None };
    Some(match &failure.fault {
        Fault::Range { .. } => Kind::Range,
        Fault::Pointer { .. } => Kind::Pointer,
        Fault::Assertion { .. } => Kind::Assertion,
        Fault::NoCase { .. } => Kind::NoCase,
        Fault::Cycle { .. } => Kind::Cycle,
        Fault::Limbs { .. } => Kind::Limbs,
        Fault::Io(IoError::MissingKey { .. }) => Kind::MissingKey,
        Fault::Io(IoError::KeySet { .. }) => Kind::KeySet,
        Fault::Io(IoError::OutOfRange { .. }) => Kind::OutOfRange,
        Fault::Io(IoError::NotCanonical { .. }) | Fault::Replay { .. } | Fault::Limit(_) => {
            return None;
        }
    })
}

/// Queries, memory and channels, in order.
fn same_record(program: &CheckedProgram, execution: &Execution, naive: &Naive<'_>) -> Outcome<()> {
    let record = &execution.record;
    for (index, queries) in naive.queries.iter().enumerate() {
        let (table, function) = (&record.functions[index], &program.program().functions[index]);
        require("records agree", table.len() == queries.len(), || {
            format!("{:?}: {} and {} queries", function.name, table.len(), queries.len())
        })?;
        for (query, (inputs, outputs)) in queries.iter().enumerate() {
            let found: Vec<u64> = (0..inputs.len()).map(|i| table.input(query, i)).collect();
            let count = function.num_outputs as usize;
            let results: Vec<u64> = (0..count).map(|i| table.output(query, i)).collect();
            let same =
                found == *inputs && Some(&results) == outputs.as_ref() && table.is_finished(query);
            require("records agree", same, || {
                format!("{:?} {query}: {found:?} {results:?}, {outputs:?}", function.name)
            })?;
        }
    }
    for memory in &record.memories {
        let expected = naive.memory.get(&memory.width()).map_or(&[][..], Vec::as_slice);
        let found: Vec<Vec<u64>> =
            (0..memory.len()).filter_map(|p| Some(memory.load(p as u64)?.to_vec())).collect();
        require("records agree", found == expected, || format!("memory {}", memory.width()))?;
    }
    let channels = record.io.channels().filter(|(_, words)| !words.is_empty());
    let expected = naive.channels.iter().filter(|(_, words)| !words.is_empty());
    let mut expected: Vec<(u64, &[u64])> = expected.map(|(&c, words)| (c, &words[..])).collect();
    expected.sort_unstable();
    require("records agree", channels.eq(expected), || "io channels".into())
}

/// Builds all rows; their number is that of the queries that count.
fn rows(program: &CheckedProgram, system: &System, execution: &Execution) -> Outcome<ShardWitness> {
    let record = &execution.record;
    let witness = reference_witness(program, system, record, execution.claims.clone());
    let witness = witness.or_else(|error| differs("rows are built", error))?;
    for (position, circuit) in system.circuits.iter().enumerate() {
        let expected = match &circuit.kind {
            CircuitKind::Function { members, .. } => {
                let tables = members.iter().map(|&member| &record.functions[member as usize]);
                let counts =
                    tables.map(|t| (0..t.len()).filter(|&q| t.multiplicity(q) != 0).count());
                let count = counts.sum();
                let same = num_rows(program, record, position) == count;
                require("number of rows", same, || circuit.name.clone())?;
                count
            }
            CircuitKind::Memory { width } => {
                let memory = record.memories.iter().find(|m| m.width() == *width as usize);
                memory.map_or(0, |memory| memory.len())
            }
            CircuitKind::Bytes(table) => table.height(),
            CircuitKind::Ops { .. } => 0,
        };
        let found = witness.traces[position].as_ref().map_or(0, |trace| trace.height());
        let expected = if expected == 0 { 0 } else { expected.next_power_of_two() };
        require("number of rows", found == expected, || circuit.name.clone())?;
    }
    Ok(witness)
}

/// Text is generated without faults, twice the same.
fn emission(program: &CheckedProgram) -> Outcome<()> {
    let first = traceloom_codegen::compile(program).or_else(|faults| differs("units", faults))?;
    let second = traceloom_codegen::compile(program).or_else(|faults| differs("units", faults))?;
    let same = first.files == second.files && first.digest == second.digest;
    require("units", same, || "generating twice gives other text".into())
}

/// A proof verifies, survives its file, and proves nothing else; neither does one of a
/// changed witness. The number of those.
fn proofs(
    rng: &mut ChaCha8Rng,
    case: &Case,
    session: &Session,
    witness: &ShardWitness,
    rows: &[PlannedRow<'_>],
) -> Outcome<Counts> {
    let forged = cells::one_of_each(rng, session.program(), session.system(), witness, rows);
    let request = Request::calls(case.claims.clone()).with_io(case.io());
    let proved = session.prove(request).or_else(|error| differs("proofs", error))?;
    let claims: Vec<Claim> = witness.claims.iter().map(|ranked| ranked.claim.clone()).collect();
    require("proofs", proved.claims() == claims, || "of other claims".into())?;
    let Proved { proof, bytes, .. } = proved;
    let key = session.proving_key().or_else(|error| differs("proofs", error))?;
    let mut verified = forgeries(key, &claims, forged, &proof)?;
    verified += accumulators(rng, key, witness)?;
    let key = key.verifying_key();
    let valid = session.verify(&bytes, &Expected::claims(claims.clone()));
    valid.or_else(|error| differs("proofs", error))?;
    let decoded = Proof::decode(&bytes).or_else(|error| differs("proof files", error))?;
    require("proof files", decoded == proof, || "another proof is read".into())?;
    for index in 0..claims.len() {
        let mut other = claims.clone();
        let Some(output) = other[index].outputs.first_mut() else { continue };
        *output += Goldilocks::ONE;
        let refused = verify(key, &other, &proof).is_err();
        require("proofs bind claims", refused, || format!("claim {index}"))?;
    }
    for _ in 0..8 {
        let mut changed = bytes.clone();
        let at = rng.random_range(0..bytes.len());
        changed[at] ^= 1 << rng.random_range(0..8);
        let refused =
            Proof::decode(&changed).map_or(true, |proof| verify(key, &claims, &proof).is_err());
        require("changed proofs", refused, || format!("byte {at} of {}", bytes.len()))?;
    }
    Ok(verified)
}

/// Proofs of changed witnesses, and a proof with other terminals, are refused.
fn forgeries(
    key: &ProvingKey,
    claims: &[Claim],
    forged: Vec<(Family, ShardWitness)>,
    honest: &Proof,
) -> Outcome<Counts> {
    let mut counts = Counts::default();
    let options = ProveOptions { skip_self_checks: true, ..ProveOptions::default() };
    for (family, witness) in forged {
        let proof = prove(key, vec![witness], &options);
        let (proof, _) = proof.or_else(|error| differs("proofs of forgeries", error))?;
        let refused = verify(key.verifying_key(), claims, &proof).is_err();
        require("forgeries are refused", refused, || format!("a cell of family {family:?}"))?;
        counts.count(family);
    }
    let mut proof = honest.clone();
    match &mut proof.shards {
        Shards::Quadratic(shards) => shift(&mut shards[0].terminals),
        Shards::Cubic(shards) => shift(&mut shards[0].terminals),
    }
    let refused = verify(key.verifying_key(), claims, &proof).is_err();
    require("forgeries are refused", refused, || "terminals".into())?;
    counts.count(Family::StageTwo);
    Ok(counts)
}

/// Accumulators that are forged while proving are refused, each in some circuit: one
/// that starts elsewhere, and two that make up for a false claim.
fn accumulators(rng: &mut ChaCha8Rng, key: &ProvingKey, honest: &ShardWitness) -> Outcome<Counts> {
    let circuits = &key.verifying_key().system().circuits;
    let cells = |&circuit: &usize| stage_two::num_cells(key, honest, circuit);
    let forgeable: Vec<usize> = (0..circuits.len()).filter(|circuit| cells(circuit) > 0).collect();
    let mut counts = Counts::default();
    for attempt in 0..3 {
        let circuit = forgeable[rng.random_range(0..forgeable.len())];
        let mut witness = honest.clone();
        // A claim of nothing cannot be false.
        if attempt > 0 && !stage_two::falsify(&mut witness) {
            continue;
        }
        let forgery = match (attempt, cells(&circuit)) {
            (0, _) => Forgery::Start,
            (1, 2..) => Forgery::Step(rng.random_range(0..cells(&circuit) - 1)),
            _ => Forgery::Terminal,
        };
        let claims = witness.claims.iter().map(|ranked| ranked.claim.clone());
        let claims: Vec<Claim> = claims.collect();
        let proof = stage_two::forge(key, witness, Some((circuit, forgery)), None);
        let proof = proof.or_else(|error| differs("proofs of forgeries", error))?;
        let refused = verify(key.verifying_key(), &claims, &proof).map(|_| ());
        let name = circuits[circuit].name.clone();
        let expected = Err(VerifyError::Constraints { shard: 0, circuit: name });
        require("forgeries are refused", refused == expected, || {
            format!("{forgery:?} in circuit {circuit}: {refused:?}")
        })?;
        counts.count(Family::StageTwo);
    }
    Ok(counts)
}

/// Changes terminals without changing their sum, where there are two.
fn shift<F: PrimeCharacteristicRing>(terminals: &mut [F]) {
    if let [first, rest @ ..] = terminals {
        *first += F::ONE;
        if let [second, ..] = rest {
            *second -= F::ONE;
        }
    }
}
