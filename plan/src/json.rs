//! Plans as JSON, for review and for other tools.
//!
//! One line of text per value, write and read, so that a change of a plan is a
//! readable change of its file. Deterministic: lists in plan order, keys sorted.

use std::fmt::Write as _;

use serde_json::{Value as Json, json};
use traceloom_abi::seed::Meaning;
use traceloom_air::field::MODULUS;

use crate::hex;
use crate::program::{FunctionPlan, GenericControl, PathPlan, ProgramPlan};
use crate::row::{Cell, Fetch, FetchKind, Fixed, Read, ReadSource, Write};
use crate::value::{Expr, Value, ValueNo};

/// The format that this module writes.
pub const FORMAT: &str = "traceloom-plan/1";

/// `plan` as text, ending in a line break.
///
/// # Panics
/// Never: everything in a plan can be written.
#[must_use]
pub fn program(plan: &ProgramPlan, digest: &[u8; 32]) -> String {
    let functions: Vec<Json> = plan.functions.iter().map(function).collect();
    let json = json!({
        "format": FORMAT,
        "program": plan.name,
        "fingerprint": hex(&plan.fingerprint),
        "unit_digest": hex(digest),
        "functions": functions,
    });
    serde_json::to_string_pretty(&json).expect("plans have no maps but ours") + "\n"
}

fn function(plan: &FunctionPlan) -> Json {
    let layout = plan.layout;
    let ops: Vec<String> = plan
        .ops
        .iter()
        .enumerate()
        .map(|(number, op)| format!("{number}: block {} {}", op.block, op.text))
        .collect();
    json!({
        "name": plan.name,
        "symbol": plan.symbol,
        "function": plan.function,
        "layout": {
            "inputs": layout.num_inputs,
            "selectors": layout.num_selectors,
            "auxiliaries": layout.num_auxiliaries,
            "lookups": layout.num_lookups,
            "ranked": layout.ranked,
        },
        "full_seed_bytes": plan.full.stride(),
        "ops": ops,
        "paths": plan.paths.iter().map(path).collect::<Vec<_>>(),
        "generic": generic(plan),
    })
}

fn path(plan: &PathPlan) -> Json {
    let seed = plan.schema.words.iter();
    let seed: Vec<String> = seed
        .map(|word| format!("{}: {} {}", word.offset, word.width.name(), meaning(word.meaning)))
        .collect();
    json!({
        "leaves": plan.leaves,
        "seed_bytes": plan.schema.stride,
        "seed": seed,
        "values": values(&plan.values, 0),
        "writes": writes(&plan.writes),
        "reads": reads(&plan.reads),
        "fetches": fetches(&plan.fetches),
        "outputs": plan.outputs.iter().map(|value| value.0).collect::<Vec<_>>(),
    })
}

fn generic(plan: &FunctionPlan) -> Json {
    let blocks = plan.generic.blocks.iter().map(|block| {
        let (first, end) = (block.first_value as usize, block.end_value as usize);
        let zeros: Vec<String> =
            block.zeros.iter().map(|span| format!("{} x{}", span.first, span.count)).collect();
        let control = match &block.control {
            GenericControl::Return { outputs } => format!("return {}", list(outputs)),
            GenericControl::Yield { values, block } => {
                format!("yield {} to block {block}", list(values))
            }
            GenericControl::Match { value, cases, default, continuation } => {
                let mut text = format!("match v{}", value.0);
                for (key, block) in cases {
                    let _ = write!(text, " {key}=>{block}");
                }
                let _ = default.map(|block| write!(text, " _=>{block}"));
                let _ = continuation.map(|block| write!(text, " then {block}"));
                text
            }
        };
        json!({
            "values": values(&plan.generic.values[first..end], first),
            "writes": writes(&block.writes),
            "zeros": zeros,
            "reads": reads(&block.reads),
            "fetches": fetches(&block.fetches),
            "control": control,
        })
    });
    Json::Array(blocks.collect())
}

fn meaning(meaning: Meaning) -> String {
    match meaning {
        Meaning::Multiplicity => "multiplicity".into(),
        Meaning::Path => "path".into(),
        Meaning::Rank => "rank".into(),
        Meaning::Input(i) => format!("input {i}"),
        Meaning::Read(read) => format!("read {read}"),
    }
}

fn list(values: &[ValueNo]) -> String {
    let values: Vec<String> = values.iter().map(|value| format!("v{}", value.0)).collect();
    values.join(" ")
}

fn bound(bound: u64) -> String {
    if bound == MODULUS { "p".into() } else { bound.to_string() }
}

fn values(values: &[Value], first: usize) -> Vec<String> {
    let line = |(number, value): (usize, &Value)| {
        let right = match value.expr {
            Expr::Constant(word) => format!("const {word}"),
            Expr::Seed(of) => format!("seed {}", meaning(of)),
            Expr::Merged(position) => format!("merged {position}"),
            Expr::Unary(op, result, _) | Expr::Binary(op, result, ..) => {
                format!("{op:?}.{result} {}", list(&value.expr.operands()))
            }
            Expr::ByteOf(a, byte) => format!("byte {byte} v{}", a.0),
            Expr::LimbOf(a, limb) => format!("limb {limb} v{}", a.0),
            expr => format!("{} {}", expr.name(), list(&expr.operands())),
        };
        let op = value.op.map_or("-".into(), |op| op.to_string());
        let need = value.need;
        let flag = |needed: bool, flag: char| if needed { flag } else { '-' };
        let need: String =
            [flag(need.writer, 'w'), flag(need.packer, 'p'), flag(need.checker, 'c')]
                .iter()
                .collect();
        let [proven, guarded, held] = [value.proven, value.guarded, value.bound].map(bound);
        format!(
            "v{} = {right} | op {op} degree {} proven {proven} guarded {guarded} bound {held} {need}",
            first + number,
            value.degree
        )
    };
    values.iter().enumerate().map(line).collect()
}

fn writes(writes: &[Write]) -> Vec<String> {
    let line = |write: &Write| {
        let cell = match write.cell {
            Cell::Constant(word) => word.to_string(),
            Cell::Value(value) => format!("v{}", value.0),
        };
        let fixed = match write.fixed {
            Fixed::Determined => String::new(),
            Fixed::FreeUnused => " (free: unused)".into(),
            Fixed::FreeAdvice => " (free: unread advice)".into(),
            Fixed::FreeWhenZero(value) => format!(" (free where v{} is 0)", value.0),
        };
        format!("{} = {cell}{fixed}", write.column)
    };
    writes.iter().map(line).collect()
}

fn reads(reads: &[Read]) -> Vec<String> {
    let line = |(position, read): (usize, &Read)| {
        let source = match read.source {
            ReadSource::Fetched { fetch, result } => format!("fetch {fetch}.{result}"),
            ReadSource::CalleeRank(rank) => format!("callee rank {rank}"),
        };
        let alias = read.alias.map_or(String::new(), |output| format!(" is output {output}"));
        format!("{position}: v{} from {source}{alias} | op {}", read.value.0, read.op)
    };
    reads.iter().enumerate().map(line).collect()
}

fn fetches(fetches: &[Fetch]) -> Vec<String> {
    let line = |(position, fetch): (usize, &Fetch)| {
        let kind = match &fetch.kind {
            FetchKind::Call { function, .. } => format!("call function {function}"),
            FetchKind::Store { memory, .. } => format!("store memory {memory}"),
            FetchKind::Load { memory, .. } => format!("load memory {memory}"),
            FetchKind::IoInfo { .. } => "io_info".into(),
            FetchKind::IoRead { .. } => "io_read".into(),
            FetchKind::BigUintDivRem { memory, .. } => format!("div_rem memory {memory}"),
        };
        let aliased = if fetch.aliased { " (own outputs)" } else { "" };
        let operands = list(&fetch.kind.operands());
        format!("{position}: {kind} ({operands}) gives {}{aliased}", fetch.num_results)
    };
    fetches.iter().enumerate().map(line).collect()
}
