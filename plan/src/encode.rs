//! The canonical encoding of plans, for digests.
//!
//! Every number is a little-endian u64, every list has its length first, every variant
//! is a tag and its fields. Names and notes are outside.

use traceloom_abi::seed::Meaning;
use traceloom_air::bytes::ByteOp;

use crate::columns::{Column, Region};
use crate::program::{FunctionPlan, GenericControl, ProgramPlan};
use crate::row::{Cell, Fetch, FetchKind, Fixed, Read, ReadSource, Write};
use crate::value::{Expr, Value, ValueNo};

/// Bytes that are hashed at once. BLAKE3 is several times faster on many blocks than on one.
const CHUNK: usize = 1 << 16;

/// A hasher of canonical encodings.
#[derive(Clone, Debug)]
pub struct Encoder {
    hasher: blake3::Hasher,
    /// Not hashed yet.
    pending: Vec<u8>,
}

impl Encoder {
    /// Encodes into `hasher`, which has the domain of the identity.
    #[must_use]
    pub fn new(hasher: blake3::Hasher) -> Self {
        Self { hasher, pending: Vec::new() }
    }

    /// The digest.
    #[must_use]
    pub fn digest(mut self) -> [u8; 32] {
        *self.hasher.update(&self.pending).finalize().as_bytes()
    }

    /// Bytes as they are; lists that can be empty need their length first.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.pending.extend_from_slice(bytes);
        if self.pending.len() >= CHUNK {
            self.hasher.update(&self.pending);
            self.pending.clear();
        }
    }

    /// A number, in eight bytes.
    pub fn number(&mut self, number: impl Into<u64>) {
        self.bytes(&number.into().to_le_bytes());
    }

    /// Numbers, as many as the place has.
    pub fn numbers(&mut self, numbers: &[u64]) {
        numbers.iter().for_each(|&number| self.number(number));
    }

    /// The length of a list, then its items.
    pub fn list<T>(&mut self, list: &[T], each: impl Fn(&mut Self, &T)) {
        self.number(list.len() as u64);
        list.iter().for_each(|item| each(self, item));
    }

    fn optional(&mut self, number: Option<u32>) {
        self.number(number.map_or(0, |number| u64::from(number) + 1));
    }

    fn values(&mut self, values: &[ValueNo]) {
        self.list(values, |encoder, value| encoder.number(value.0));
    }

    /// All plans of a program.
    pub fn program(&mut self, plan: &ProgramPlan) {
        self.head(&plan.fingerprint, &plan.num_outputs, plan.functions.len());
        plan.functions.iter().for_each(|function| self.function(function));
    }

    /// What comes before the plans of `num_functions` functions.
    pub fn head(&mut self, fingerprint: &[u8; 32], num_outputs: &[u32], num_functions: usize) {
        self.bytes(fingerprint);
        self.list(num_outputs, |encoder, &count| encoder.number(count));
        self.number(num_functions as u64);
    }

    /// The plan of one function.
    pub fn function(&mut self, plan: &FunctionPlan) {
        let layout = plan.layout;
        self.number(plan.function);
        for count in [
            layout.num_inputs,
            layout.num_selectors,
            layout.num_auxiliaries,
            layout.num_lookups,
            plan.full.num_inputs,
            plan.full.max_reads,
        ] {
            self.number(count);
        }
        // Rows of records have no rank, so 2 is free to tell them from rows of queries.
        self.number(if layout.of_records() { 2 } else { u64::from(layout.ranked) });
        self.number(u64::from(plan.full.ranked));
        self.list(&plan.paths, |encoder, path| {
            encoder.number(path.path);
            encoder.list(&path.leaves, |encoder, &leaf| encoder.number(leaf));
            encoder.code(&path.values, &path.writes, &path.reads, &path.fetches);
            encoder.values(&path.outputs);
            encoder.number(path.schema.stride);
            encoder.list(&path.schema.words, |encoder, word| {
                encoder.meaning(word.meaning);
                encoder.number(word.width.bytes() as u64);
                encoder.number(word.offset);
            });
        });
        self.code(&plan.generic.values, &[], &[], &[]);
        self.list(&plan.generic.blocks, |encoder, block| {
            encoder.number(block.first_value);
            encoder.number(block.end_value);
            encoder.code(&[], &block.writes, &block.reads, &block.fetches);
            encoder.list(&block.zeros, |encoder, span| {
                encoder.column(span.first);
                encoder.number(span.count);
            });
            encoder.control(&block.control);
        });
    }

    fn code(&mut self, values: &[Value], writes: &[Write], reads: &[Read], fetches: &[Fetch]) {
        self.list(values, |encoder, value| {
            encoder.expr(&value.expr);
            encoder.optional(value.op);
            let need = value.need;
            let flags = [need.writer, need.packer, need.checker].map(u64::from);
            encoder.numbers(&[value.degree.into(), value.proven, value.guarded, value.bound]);
            encoder.numbers(&flags);
        });
        self.list(writes, |encoder, write| {
            encoder.column(write.column);
            match write.cell {
                Cell::Constant(word) => encoder.numbers(&[0, word]),
                Cell::Value(value) => encoder.numbers(&[1, value.0.into()]),
            }
            match write.fixed {
                Fixed::Determined => encoder.number(0_u64),
                Fixed::FreeUnused => encoder.number(1_u64),
                Fixed::FreeAdvice => encoder.number(2_u64),
                Fixed::FreeWhenZero(value) => encoder.numbers(&[3, value.0.into()]),
            }
        });
        self.list(reads, |encoder, read| {
            encoder.number(read.op);
            match read.source {
                ReadSource::Fetched { fetch, result } => {
                    encoder.numbers(&[0, fetch.into(), result.into()]);
                }
                ReadSource::CalleeRank(rank) => encoder.numbers(&[1, rank.into()]),
            }
            encoder.optional(read.alias);
            encoder.number(read.value.0);
        });
        self.list(fetches, Self::fetch);
    }

    fn fetch(&mut self, fetch: &Fetch) {
        self.numbers(&[fetch.op.into(), fetch.num_results.into(), fetch.aliased.into()]);
        let (tag, table) = match &fetch.kind {
            FetchKind::Call { function, .. } => (0, *function),
            FetchKind::Store { memory, .. } => (1, *memory),
            FetchKind::Load { memory, .. } => (2, *memory),
            FetchKind::IoInfo { .. } => (3, 0),
            FetchKind::IoRead { .. } => (4, 0),
            FetchKind::BigUintDivRem { memory, .. } => (5, *memory),
        };
        self.numbers(&[tag, table.into()]);
        self.values(&fetch.kind.operands());
    }

    fn column(&mut self, column: Column) {
        let region = match column.region {
            Region::Input => 0,
            Region::Selector => 1,
            Region::Auxiliary => 2,
        };
        self.numbers(&[region, column.index.into()]);
    }

    fn meaning(&mut self, meaning: Meaning) {
        let (tag, index) = match meaning {
            Meaning::Multiplicity => (0, 0),
            Meaning::Path => (1, 0),
            Meaning::Rank => (2, 0),
            Meaning::Input(i) => (3, i),
            Meaning::Read(read) => (4, read),
        };
        self.numbers(&[tag, index.into()]);
    }

    fn expr(&mut self, expr: &Expr) {
        let byte = |op: ByteOp, result: u8| 256 * op.channel() + u64::from(result);
        let (tag, extra) = match *expr {
            Expr::Constant(word) => (0, word),
            Expr::Seed(meaning) => {
                self.number(1_u64);
                return self.meaning(meaning);
            }
            Expr::Merged(position) => (2, position.into()),
            Expr::Add(..) => (3, 0),
            Expr::Sub(..) => (4, 0),
            Expr::Mul(..) => (5, 0),
            Expr::IsZero(_) => (6, 0),
            Expr::InverseOrZero(_) => (7, 0),
            Expr::Unary(op, result, _) => (8, byte(op, result)),
            Expr::Binary(op, result, ..) => (9, byte(op, result)),
            Expr::ByteCarry(..) => (10, 0),
            Expr::ByteBorrow(..) => (11, 0),
            Expr::Pack(_) => (12, 0),
            Expr::PackLow(_) => (13, 0),
            Expr::ByteOf(_, byte) => (14, byte.into()),
            Expr::High32(_) => (15, 0),
            Expr::Less(..) => (16, 0),
            Expr::LessRest(..) => (17, 0),
            Expr::RankGap(..) => (18, 0),
            Expr::LimbOf(_, limb) => (19, limb.into()),
            Expr::Low32(_) => (20, 0),
            Expr::Select(..) => (21, 0),
        };
        self.numbers(&[tag, extra]);
        self.values(&expr.operands());
    }

    fn control(&mut self, control: &GenericControl) {
        match control {
            GenericControl::Return { outputs } => {
                self.number(0_u64);
                self.values(outputs);
            }
            GenericControl::Yield { values, block } => {
                self.numbers(&[1, (*block).into()]);
                self.values(values);
            }
            GenericControl::Match { value, cases, default, continuation } => {
                self.numbers(&[2, value.0.into()]);
                self.list(cases, |encoder, &(key, block)| encoder.numbers(&[key, block.into()]));
                self.optional(*default);
                self.optional(*continuation);
            }
        }
    }
}
