//! Programs that were run, and the imported one with kernels emitted here.

use std::collections::BTreeSet;
use std::error::Error;

use traceloom_abi::io::Io;
use traceloom_abi::record::Record;
use traceloom_abi::registry::SourceFile;
use traceloom_air::claim::RankedClaim;
use traceloom_air::system::System;
use traceloom_air::trace::ShardWitness;
use traceloom_bytecode::execute::{Execution, Limits, execute};
use traceloom_bytecode::lower::plan_program;
use traceloom_bytecode::model::FunctionId;
use traceloom_bytecode::system::build_system;
use traceloom_bytecode::{CheckedProgram, Program};
use traceloom_codegen::cuda::writer::row_writers;
use traceloom_cuda::kernels::KernelNames;
use traceloom_plan::names::Ident;
use traceloom_plan::names::{Writer, digest_name, kernel_name, padding_kernel_name};
use traceloom_plan::{FunctionPlan, ProgramPlan};
use traceloom_runtime::witness::reference_witness;

use crate::imported;

/// A program that was run.
pub struct Case {
    pub program: CheckedProgram,
    pub system: System,
    pub record: Record,
    pub claims: Vec<RankedClaim>,
}

impl Case {
    pub fn new(
        program: Program,
        entry: Option<FunctionId>,
        args: &[u64],
        input: u64,
    ) -> Result<Self, Box<dyn Error>> {
        let program = CheckedProgram::new(program).map_err(|error| error.to_string())?;
        let system = build_system(&program);
        let first = || program.function_ids().find(|&id| program.function(id).entry);
        let entry = entry.or_else(first).ok_or("the program has no entry")?;
        let mut io = Io::default();
        let words: Vec<u64> = (0..input).map(|i| (i * i * 31 + i) % 256).collect();
        io.add_input(0, &[], &words)?;
        let execution = execute(&program, &[(entry, args.to_vec())], io, &Limits::default());
        let Execution { record, claims, .. } = execution.map_err(|error| error.to_string())?;
        Ok(Self { program, system, record, claims })
    }

    pub fn name(&self) -> &str {
        &self.program.program().name
    }

    pub fn reference(&self) -> Result<ShardWitness, Box<dyn Error>> {
        let claims = self.claims.clone();
        Ok(reference_witness(&self.program, &self.system, &self.record, claims)?)
    }

    /// The circuit of one function of this name.
    pub fn circuit_of(&self, name: &str) -> Result<usize, Box<dyn Error>> {
        let id = self.program.find(name).ok_or_else(|| format!("no function {name}"))?;
        let mut circuits = self.program.program().circuits.iter();
        let circuit = circuits.position(|members| members[..] == [id]);
        circuit.ok_or_else(|| format!("{name} is not alone in a circuit").into())
    }
}

/// Programs of the registry, in sizes that end at and beside powers of two.
pub fn registered() -> Result<Vec<Case>, Box<dyn Error>> {
    use traceloom_programs::{blake3, div_rem, fibonacci, merge_sort, sha256};
    let mut cases = Vec::new();
    for rows in [1, 2, 3, 4, 5, 255, 256, 257, 5000] {
        cases.push(Case::new(fibonacci::program()?, None, &[rows - 1], 0)?);
    }
    for len in [0, 1, 64, 65, 1500, 5000] {
        cases.push(Case::new(blake3::program()?, None, &[len], len)?);
        cases.push(Case::new(sha256::program()?, None, &[len], len)?);
    }
    for len in [1, 2, 40, 300] {
        cases.push(Case::new(merge_sort::program()?, None, &[len], 4 * len)?);
    }
    let numbers = [7, 0, 0, 9, 0, 2, 0, 0];
    cases.push(Case::new(div_rem::program()?, None, &numbers, 0)?);
    Ok(cases)
}

/// Functions of the imported program that are measured although nothing calls them.
const NUM_WIDEST: usize = 10;

/// Bytes that the imported program hashes: no block, parts of one and of chunks, trees.
const IMPORTED_LENGTHS: [u64; 9] = [0, 1, 63, 64, 65, 1023, 1025, 1300, 2100];

/// The imported program, planned and emitted.
pub struct Emitted {
    /// By input.
    pub cases: Vec<Case>,
    pub plan: ProgramPlan,
    pub unit: Ident,
    /// Functions that have kernels.
    wanted: BTreeSet<u32>,
    sources: Vec<SourceFile>,
}

/// The digest that its kernels tell; nobody else has them.
pub const DIGEST: [u8; 32] = [7; 32];

impl Emitted {
    /// The program, if it is there.
    pub fn imported() -> Result<Option<Self>, Box<dyn Error>> {
        let Some((program, main)) = imported::program() else {
            println!("skipped program=imported reason=\"TRACELOOM_DATA does not have it\"");
            return Ok(None);
        };
        let run = |len| Case::new(program.clone(), Some(main), &[len], len);
        let cases: Vec<Case> = IMPORTED_LENGTHS.into_iter().map(run).collect::<Result<_, _>>()?;
        let plan = plan_program(&cases[0].program);
        let mut by_width: Vec<&FunctionPlan> = plan.functions.iter().collect();
        by_width.sort_by_key(|plan| std::cmp::Reverse(plan.layout.width()));
        let mut wanted: BTreeSet<u32> =
            by_width.iter().take(NUM_WIDEST).map(|plan| plan.function).collect();
        let is_called =
            |&f: &u32| cases.iter().any(|case| !case.record.functions[f as usize].is_empty());
        wanted.extend(plan.functions.iter().map(|plan| plan.function).filter(is_called));
        let unit = Ident::new("imported");
        // Sources are constants of a program; these live as long as it.
        let sources = row_writers(&plan, &unit, &DIGEST)
            .into_iter()
            .map(|file| SourceFile { name: file.name.leak(), text: file.text.leak() });
        let sources = sources.collect();
        Ok(Some(Self { cases, plan, unit, wanted, sources }))
    }

    /// Functions that have kernels, the widest first.
    pub fn functions(&self) -> Vec<&FunctionPlan> {
        let functions = self.plan.functions.iter();
        let mut functions: Vec<_> =
            functions.filter(|plan| self.wanted.contains(&plan.function)).collect();
        functions.sort_by_key(|plan| std::cmp::Reverse(plan.layout.width()));
        functions
    }

    pub fn widest(&self) -> Vec<&FunctionPlan> {
        let mut functions = self.functions();
        functions.truncate(NUM_WIDEST);
        functions
    }

    pub fn sources(&self) -> &[SourceFile] {
        &self.sources
    }

    pub fn kernel(&self, symbol: &str, writer: Writer) -> String {
        kernel_name(&self.unit, symbol, writer)
    }

    pub fn names(&self) -> KernelNames {
        let rows = self.functions().into_iter().flat_map(|function| {
            let name = |writer| self.kernel(&function.symbol, writer);
            let paths = function.paths.iter();
            let paths =
                paths.map(move |path| (Writer::Path(path.path), path.schema.stride as usize));
            let all = paths.chain([(Writer::Generic, function.full.stride())]);
            all.map(|(writer, stride)| (name(writer), stride)).collect::<Vec<_>>()
        });
        let rows = rows.collect();
        let (padding, digest) = (padding_kernel_name(&self.unit), digest_name(&self.unit));
        KernelNames { padding, digest, rows }
    }
}
