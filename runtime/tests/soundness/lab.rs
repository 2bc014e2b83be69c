//! A program, its system, and a witness for tests to forge.

use std::sync::{Arc, OnceLock};

use traceloom_abi::io::Io;
use traceloom_air::bytes::{ByteOp, ByteTable};
use traceloom_air::claim::{Claim, RankedClaim};
use traceloom_air::field::{Goldilocks, MODULUS, element, word};
use traceloom_air::system::{Circuit, CircuitKind, System};
use traceloom_air::trace::{ShardWitness, Trace};
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::execute::{Limits, execute};
use traceloom_bytecode::system::{MEMORY_POINTER, build_system};
use traceloom_bytecode::text::parse;
use traceloom_prover::{ProveError, ProveOptions, ProvingKey, prove};
use traceloom_runtime::check::{CheckReport, check};
use traceloom_runtime::witness::reference_witness;
use traceloom_verifier::{Profile, Proof, VerifyError, verify};

/// A claim to be executed: an entry's name and its arguments.
pub type Asked<'a> = (&'a str, &'a [u64]);

/// `-value` as a canonical word.
pub const fn minus(value: u64) -> u64 {
    MODULUS - value
}

/// `a / b` as a canonical word.
pub fn quotient(a: u64, b: u64) -> u64 {
    word(element(a) * traceloom_air::field::inverse_or_zero(element(b)))
}

/// The program of a source that must be valid.
pub fn load(source: &str) -> CheckedProgram {
    let program = parse(source).unwrap_or_else(|error| panic!("{error}"));
    CheckedProgram::new(program).unwrap_or_else(|error| panic!("{error}"))
}

/// What the loader says to a source that can be read but breaks a rule.
pub fn load_error(source: &str) -> String {
    let program = parse(source).unwrap_or_else(|error| panic!("{error}"));
    CheckedProgram::new(program).expect_err("the program breaks a rule").to_string()
}

/// A program with a batch that proves something of it, honestly at first.
#[derive(Clone)]
pub struct Lab {
    pub program: CheckedProgram,
    pub system: System,
    pub shards: Vec<ShardWitness>,
    key: Arc<OnceLock<ProvingKey>>,
}

impl Lab {
    /// The honest witness of an execution without input, in one shard.
    pub fn new(source: &str, asked: &[Asked<'_>]) -> Self {
        Self::with_input(source, asked, &[])
    }

    /// The same, with words on channel 0 under the empty key.
    pub fn with_input(source: &str, asked: &[Asked<'_>], input: &[u64]) -> Self {
        let mut lab = Self::empty(source);
        lab.shards = vec![lab.shard(asked, input)];
        lab
    }

    /// One shard without rows; byte tables are there, with zeros.
    pub fn empty(source: &str) -> Self {
        let program = load(source);
        let system = build_system(&program);
        let traces = system.circuits.iter().map(|circuit| {
            circuit.preprocessed().map(|table| Trace::zero(table.height(), circuit.width))
        });
        let traces = traces.collect();
        let publics = vec![Vec::new(); system.circuits.len()];
        let shards =
            vec![ShardWitness { traces, publics, claims: Vec::new(), boundary: Vec::new() }];
        Self { program, system, shards, key: Arc::default() }
    }

    /// The honest shard of another execution of the same program.
    pub fn shard(&self, asked: &[Asked<'_>], input: &[u64]) -> ShardWitness {
        let mut io = Io::default();
        io.add_input(0, &[], input).unwrap();
        let claims = asked.iter().map(|(name, args)| {
            let function = self.program.find(name).unwrap_or_else(|| panic!("no function {name}"));
            (function, args.to_vec())
        });
        let claims: Vec<_> = claims.collect();
        let run = execute(&self.program, &claims, io, &Limits::default());
        let run = run.unwrap_or_else(|error| panic!("{error}"));
        reference_witness(&self.program, &self.system, &run.record, run.claims).unwrap()
    }

    /// The same witness for a changed system.
    #[must_use]
    pub fn with_system(&self, change: impl FnOnce(&mut System)) -> Self {
        let mut lab = self.clone();
        change(&mut lab.system);
        lab.key = Arc::default();
        lab
    }

    /// The system without the constraints of `circuit` whose label has `label`.
    #[must_use]
    pub fn without(&self, circuit: &str, label: &str) -> Self {
        let index = self.circuit(circuit);
        let lab = self.with_system(|system| {
            let constraints = &mut system.circuits[index].constraints;
            constraints.retain(|constraint| !constraint.label.contains(label));
        });
        let count = |lab: &Self| lab.system.circuits[index].constraints.len();
        assert!(count(&lab) < count(self), "{circuit} has no constraint {label:?}");
        lab
    }

    /// Position of a circuit.
    pub fn circuit(&self, name: &str) -> usize {
        let found = self.system.circuits.iter().position(|circuit| circuit.name == name);
        found.unwrap_or_else(|| panic!("no circuit {name}"))
    }

    /// Position of a column.
    pub fn column(&self, circuit: &str, column: &str) -> usize {
        let names = &self.system.circuits[self.circuit(circuit)].column_names;
        let found = names.iter().position(|name| name == column);
        found.unwrap_or_else(|| panic!("{circuit} has no column {column}"))
    }

    /// A trace of the first shard.
    pub fn trace(&mut self, circuit: &str) -> &mut Trace {
        let index = self.circuit(circuit);
        self.shards[0].traces[index].as_mut().expect("the circuit is active")
    }

    /// A cell of the first shard.
    pub fn get(&mut self, circuit: &str, row: usize, column: &str) -> u64 {
        let column = self.column(circuit, column);
        word(self.trace(circuit).row(row)[column])
    }

    /// Writes a cell of the first shard.
    pub fn set(&mut self, circuit: &str, row: usize, column: &str, value: u64) {
        let column = self.column(circuit, column);
        self.trace(circuit).row_mut(row)[column] = element(value);
    }

    /// Adds a row to the first shard, named columns only, in place of padding where there
    /// is some; its position. The pointers of a memory go on unless they are named.
    pub fn add_row(&mut self, circuit: &str, cells: &[(&str, u64)]) -> usize {
        let index = self.circuit(circuit);
        let Circuit { width, num_publics, ref kind, .. } = self.system.circuits[index];
        let pointer = matches!(kind, CircuitKind::Memory { .. }).then_some(MEMORY_POINTER);
        let shard = &mut self.shards[0];
        if shard.traces[index].is_none() {
            shard.traces[index] = Some(Trace::zero(1, width));
            shard.publics[index] = vec![element(0); num_publics];
        }
        let trace = shard.traces[index].as_mut().unwrap();
        let is_padding = |row: &usize| {
            let cells = trace.row(*row).iter().enumerate();
            let mut cells = cells.filter(|(column, _)| pointer != Some(*column));
            cells.all(|(_, cell)| word(*cell) == 0)
        };
        let first = (0..trace.height()).rev().take_while(is_padding).last();
        let row = first.unwrap_or_else(|| {
            let height = trace.height();
            trace.values.resize(2 * height * width, element(0));
            for (row, pointer) in (height..2 * height).zip(pointer.into_iter().cycle()) {
                trace.row_mut(row)[pointer] = trace.row(row - 1)[pointer] + element(1);
            }
            height
        });
        for (column, value) in cells {
            self.set(circuit, row, column, *value);
        }
        row
    }

    /// Makes a circuit of the first shard inactive.
    pub fn drop_trace(&mut self, circuit: &str) {
        let index = self.circuit(circuit);
        self.shards[0].traces[index] = None;
        self.shards[0].publics[index].clear();
    }

    /// Adds to the number of uses of a byte operation in the first shard.
    pub fn count_bytes(&mut self, op: ByteOp, a: u8, b: u8, uses: i64) {
        let table = op.table();
        let name = if table == ByteTable::Bytes1 { "bytes1" } else { "bytes2" };
        let ops = self.system.circuits[self.circuit(name)].byte_ops();
        let column = ops.iter().position(|&other| other == op).expect("the program looks it up");
        let cell = &mut self.trace(name).row_mut(table.row(a, b))[column];
        let magnitude = element(uses.unsigned_abs());
        *cell = if uses < 0 { *cell - magnitude } else { *cell + magnitude };
    }

    /// Adds to the number of checks of a limb of 16 bits in the first shard.
    pub fn count_limb(&mut self, limb: u16, uses: i64) {
        let [a, b] = limb.to_be_bytes();
        self.count_bytes(ByteOp::RangeCheck16, a, b, uses);
    }

    /// Adds a claim to the first shard.
    pub fn claim(&mut self, function: &str, rank: Option<u32>, inputs: &[u64], outputs: &[u64]) {
        let function = self.program.find(function).expect("a function").0;
        let elements = |words: &[u64]| words.iter().map(|&word| element(word)).collect();
        let claim = Claim { function, inputs: elements(inputs), outputs: elements(outputs) };
        self.shards[0].claims.push(RankedClaim { claim, rank });
    }

    /// Replaces an output of the first shard's claim `claim`.
    pub fn claim_output(&mut self, claim: usize, output: usize, value: u64) {
        self.shards[0].claims[claim].claim.outputs[output] = element(value);
    }

    /// What the checker finds.
    pub fn check(&self) -> CheckReport {
        check(&self.system, &self.shards)
    }

    /// The key of the system, made once.
    pub fn key(&self) -> &ProvingKey {
        self.key.get_or_init(|| ProvingKey::new(&self.system, &Profile::Fast.params()).unwrap())
    }

    /// A proof, made without looking at what it proves.
    ///
    /// # Errors
    /// [`ProveError`]: the witness has the wrong shape.
    pub fn try_prove(&self) -> Result<Proof, ProveError> {
        let options = ProveOptions { skip_self_checks: true, ..ProveOptions::default() };
        prove(self.key(), self.shards.clone(), &options).map(|(proof, _)| proof)
    }

    /// The same of a witness whose shape is right.
    #[track_caller]
    pub fn prove(&self) -> Proof {
        self.try_prove().expect("nothing but the shape is checked")
    }

    /// What the verifier says to `proof` of the batch's claims.
    pub fn verify(&self, proof: &Proof) -> Result<(), VerifyError> {
        let claims = self.shards.iter().flat_map(|shard| &shard.claims);
        let claims: Vec<Claim> = claims.map(|ranked| ranked.claim.clone()).collect();
        verify(self.key().verifying_key(), &claims, proof).map(|_| ())
    }

    /// The checker refuses and says `what`.
    #[track_caller]
    pub fn refused_by_check(&self, what: &str) {
        let report = self.check();
        assert!(!report.is_ok(), "the checker accepts the forgery");
        let text = report.to_string();
        assert!(text.contains(what), "expected {what:?} in\n{text}");
    }

    /// The verifier refuses a proof of the witness.
    #[track_caller]
    pub fn refused_by_verify(&self) {
        let verdict = self.verify(&self.prove());
        let refused =
            matches!(verdict, Err(VerifyError::Constraints { .. } | VerifyError::Unbalanced));
        assert!(refused, "the verifier says {verdict:?}");
    }

    /// Checker and verifier refuse, and the checker says `what`.
    #[track_caller]
    pub fn refused(&self, what: &str) {
        self.refused_by_check(what);
        self.refused_by_verify();
    }

    /// Checker and verifier accept.
    #[track_caller]
    pub fn accepted(&self) {
        let report = self.check();
        assert!(report.is_ok(), "{report}");
        assert_eq!(self.verify(&self.prove()), Ok(()));
    }

    /// Checker and verifier refuse, and would accept if `circuit` had not the
    /// constraints whose label has `label`: these alone stand in the way. (What is
    /// accepted then has its byte tables cut, to save time.)
    #[track_caller]
    pub fn refused_only_by(&self, circuit: &str, label: &str) {
        self.refused(label);
        self.without(circuit, label).with_short_byte_tables().accepted();
    }

    /// The same witness where byte tables are replaced by circuits that hold just
    /// the rows in use: for many checks in a row.
    #[must_use]
    pub fn with_short_byte_tables(&self) -> Self {
        let mut lab = self.clone();
        lab.key = Arc::default();
        for (index, circuit) in lab.system.circuits.iter_mut().enumerate() {
            let Some(table) = circuit.preprocessed() else { continue };
            let ops = circuit.byte_ops();
            *circuit = short_table(circuit);
            for shard in &mut lab.shards {
                let trace = shard.traces[index].take().expect("byte tables are active");
                shard.traces[index] = used_rows(table, &ops, &trace, circuit.width);
            }
        }
        lab
    }
}

/// One lookup: column 0 times the message in the other columns.
fn short_table(circuit: &Circuit) -> Circuit {
    let longest = circuit.lookups.iter().map(|lookup| lookup.arguments.len()).max();
    let width = 1 + longest.expect("byte tables have lookups");
    let mut short = circuit.clone();
    short.kind = CircuitKind::Function { members: Vec::new(), recursive: false };
    short.width = width;
    short.column_names = (0..width).map(|column| format!("column{column}")).collect();
    short.arena = Default::default();
    let mut lookup = circuit.lookups[0].clone();
    lookup.multiplicity = short.arena.main(0);
    lookup.arguments = (1..width).map(|column| short.arena.main(column)).collect();
    short.lookups = vec![lookup];
    short
}

fn used_rows(table: ByteTable, ops: &[ByteOp], trace: &Trace, width: usize) -> Option<Trace> {
    let mut rows: Vec<Vec<Goldilocks>> = Vec::new();
    for (cell, &count) in trace.values.iter().enumerate().filter(|(_, count)| word(**count) != 0) {
        let (row, op) = (cell / trace.width, ops[cell % trace.width]);
        let operands = match table {
            ByteTable::Bytes1 => vec![row as u8],
            ByteTable::Bytes2 => vec![(row >> 8) as u8, row as u8],
        };
        let results = op.results(operands[0], *operands.last().unwrap());
        let bytes = operands.iter().chain(&results[..op.num_results()]);
        let mut cells = vec![count, element(op.channel())];
        match op {
            ByteOp::RangeCheck16 => cells.push(element(row as u64)),
            _ => cells.extend(bytes.map(|&byte| element(byte.into()))),
        }
        cells.resize(width, element(0));
        rows.push(cells);
    }
    let mut short = (!rows.is_empty()).then(|| Trace::zero(rows.len(), width))?;
    for (row, cells) in rows.iter().enumerate() {
        short.row_mut(row).copy_from_slice(cells);
    }
    Some(short)
}
