//! The writer of one path: straight-line, over typed seeds.

use std::collections::{BTreeMap, BTreeSet};

use traceloom_abi::seed::{Meaning, SeedWord, Width};

use crate::cuda::ast::{BinaryOp, Expr, Item, Stmt, Type};
use crate::cuda::ident::Ident;
use crate::plan::{self, Cell, Column, FunctionPlan, PathPlan, ValueNo};

use super::columns::{constants, store, zeros};
use super::held::{Class, Held, variable};
use super::packed::{Bitwise, Packing, Source, WordKind, WordNo};
use super::scalar::{Values, convert};
use super::{Writer, write_function};

/// The seed layout and the writer of `path`:
///
/// ```text
/// enum SeedPath0 : uint32_t { SEED0_MULTIPLICITY = 0, SEED0_INPUT_0 = 8, SEED0_STRIDE = 16 };
/// static_assert(SEED0_STRIDE == 16u, "plan: stride");
///
/// struct Path0 {
///   static constexpr uint32_t SEED_WORDS = 4;
///   …
///   static TL_DEVICE void write(const Seed &seed, const Row &row) { … }
/// };
/// ```
pub(super) fn items(function: &FunctionPlan, path: &PathPlan) -> Vec<Item> {
    let mut items = seed_layout(path);
    let body = Emitter::new(function, path).body();
    let leaves: Vec<String> = path.leaves.iter().map(ToString::to_string).collect();
    items.push(Item::Struct {
        doc: vec![format!("Path {}, leaves {}.", path.path, leaves.join(", "))],
        name: Ident::new(Writer::Path(path.path).type_name()),
        constants: constants(&function.layout, u64::from(path.schema.stride) / 4),
        functions: vec![write_function(body)],
    });
    items
}

/// Name of a seed word in text, as `INPUT_3`.
fn meaning_name(meaning: Meaning) -> String {
    match meaning {
        Meaning::Multiplicity => "MULTIPLICITY".into(),
        Meaning::Path => "PATH".into(),
        Meaning::Rank => "RANK".into(),
        Meaning::Input(i) => format!("INPUT_{i}"),
        Meaning::Read(k) => format!("READ_{k}"),
    }
}

fn seed_name(path: &PathPlan, meaning: Meaning) -> String {
    format!("SEED{}_{}", path.path, meaning_name(meaning))
}

/// Offsets, and checks that words follow each other without gaps and aligned.
fn seed_layout(path: &PathPlan) -> Vec<Item> {
    let words = &path.schema.words;
    let stride = format!("SEED{}_STRIDE", path.path);
    let mut entries: Vec<(Ident, Option<u64>)> = words
        .iter()
        .map(|word| (Ident::new(seed_name(path, word.meaning)), Some(word.offset.into())))
        .collect();
    entries.push((Ident::new(&*stride), Some(path.schema.stride.into())));
    let mut items = vec![Item::Enum {
        doc: vec![format!("Byte offsets in the seed of path {}.", path.path)],
        name: Ident::new(format!("SeedPath{}", path.path)),
        entries,
    }];
    // One check per width: the words of a width are equally spaced and aligned.
    for width in Width::ALL.into_iter().rev() {
        let of_width: Vec<&SeedWord> = words.iter().filter(|word| word.width == width).collect();
        let (Some(first), Some(last)) = (of_width.first(), of_width.last()) else { continue };
        let name = |word: &SeedWord| Expr::name(seed_name(path, word.meaning));
        let size = width.bytes() as u64;
        let span = Expr::binary(BinaryOp::Sub, name(last), name(first));
        let count = Expr::Int(size * (of_width.len() as u64 - 1));
        let check = Expr::binary(BinaryOp::Equal, span, count);
        items.push(Item::StaticAssert(check, format!("plan: {} words", width.name())));
        if size > 1 {
            let rest = Expr::binary(BinaryOp::BitAnd, name(first), Expr::Int(size - 1));
            let check = Expr::binary(BinaryOp::Equal, rest, Expr::Int(0));
            items.push(Item::StaticAssert(check, format!("plan: {} alignment", width.name())));
        }
        let end = Expr::binary(BinaryOp::Add, name(last), Expr::Int(size));
        let fits = Expr::binary(
            BinaryOp::Less,
            end,
            Expr::binary(BinaryOp::Add, Expr::name(&*stride), Expr::Int(1)),
        );
        items.push(Item::StaticAssert(fits, "plan: the seed ends within its stride".into()));
    }
    let rest = Expr::binary(BinaryOp::BitAnd, Expr::name(stride), Expr::Int(7));
    let aligned = Expr::binary(BinaryOp::Equal, rest, Expr::Int(0));
    items.push(Item::StaticAssert(aligned, "plan: the stride is a multiple of 8".into()));
    items
}

struct Emitter<'a> {
    function: &'a FunctionPlan,
    path: &'a PathPlan,
    values: Values<'a>,
    packing: Packing,
    /// By word: the variable that holds it, once it is computed.
    words: Vec<Option<Ident>>,
    /// By value: the cells that it goes to.
    cells: BTreeMap<ValueNo, Vec<Column>>,
    /// Inverse witnesses, which nothing but their cells takes, for one inversion together.
    pending: Vec<ValueNo>,
    num_batches: usize,
    stmts: Vec<Stmt>,
    /// The operation of the last comment.
    op: Option<u32>,
}

/// Most inverses of one inversion. Their operands stay in registers until then.
const MAX_BATCH: usize = 8;

impl<'a> Emitter<'a> {
    fn new(function: &'a FunctionPlan, path: &'a PathPlan) -> Self {
        let packing = Packing::new(path);
        let mut cells: BTreeMap<ValueNo, Vec<Column>> = BTreeMap::new();
        for write in &path.writes {
            if let Cell::Value(no) = write.cell {
                cells.entry(no).or_default().push(write.column);
            }
        }
        Self {
            function,
            path,
            values: Values::new(&path.values),
            words: vec![None; packing.words.len()],
            packing,
            cells,
            pending: Vec::new(),
            num_batches: 0,
            stmts: Vec::new(),
            op: None,
        }
    }

    /// Every cell once: what is constant on this path first, then each value's cells
    /// where it is computed. Seed words are read where they are first needed, and
    /// inverses are computed several at a time.
    fn body(mut self) -> Vec<Stmt> {
        self.constant_cells();
        let needed = |index: &usize| self.path.values[*index].need.writer;
        let needed: Vec<usize> = (0..self.path.values.len()).filter(needed).collect();
        let is_seed = |index: usize| matches!(self.path.values[index].expr, plan::Expr::Seed(_));
        let (seeds, computed): (Vec<_>, Vec<_>) = needed.into_iter().partition(|&i| is_seed(i));
        let operands = |&index: &usize| self.path.values[index].expr.operands();
        let operands: BTreeSet<ValueNo> = computed.iter().flat_map(operands).collect();
        for index in computed.into_iter().chain(seeds) {
            let no = ValueNo(index as u32);
            let is_inverse = matches!(self.path.values[index].expr, plan::Expr::InverseOrZero(_));
            if is_inverse && !operands.contains(&no) {
                self.put_off(no);
            } else {
                self.ensure(no);
            }
        }
        self.invert();
        self.stmts
    }

    /// Notes an inverse, whose operand is computed where the plan has it.
    fn put_off(&mut self, no: ValueNo) {
        let value = self.values.value(no);
        for operand in value.expr.operands() {
            self.ensure(operand);
        }
        self.comment(value.op, value.op);
        self.pending.push(no);
        if self.pending.len() == MAX_BATCH {
            self.invert();
        }
    }

    /// Computes the inverses that were put off and writes their cells:
    ///
    /// ```text
    /// Gl inverses0[2];
    /// inverses0[0] = v6_diff;
    /// inverses0[1] = v9_diff;
    /// invert_or_zero(inverses0);
    /// const Gl v7_inv = inverses0[0];
    /// ```
    fn invert(&mut self) {
        let pending = std::mem::take(&mut self.pending);
        if pending.len() < 2 {
            pending.into_iter().for_each(|no| self.ensure(no));
            return;
        }
        let array = Ident::new(format!("inverses{}", self.num_batches));
        self.num_batches += 1;
        let element = |i: usize| {
            let index = Expr::Int(i as u64);
            Expr::Index(Box::new(Expr::Name(array.clone())), Box::new(index))
        };
        self.stmts.push(Stmt::Array(Type::Gl, array.clone(), pending.len() as u64));
        for (i, &no) in pending.iter().enumerate() {
            let operand = self.values.value(no).expr.operands().first().copied();
            let operand = self.values.held(operand.expect("an inverse is of a value")).as_gl();
            self.stmts.push(Stmt::Assign(element(i), operand));
        }
        let call = Expr::call("invert_or_zero", vec![Expr::Name(array.clone())]);
        self.stmts.push(Stmt::Expr(call));
        for (i, &no) in pending.iter().enumerate() {
            let value = self.values.value(no);
            let (class, name) = (Class::of(value), variable(no, value));
            let inverse = convert(class, Class::Field, element(i));
            self.stmts.push(Stmt::Let(class.ty(), name.clone(), inverse));
            self.define(no, Held::Variable(class, name));
        }
    }

    fn constant_cells(&mut self) {
        let layout = &self.function.layout;
        let constant = |word: u64| {
            let writes = self.path.writes.iter();
            let writes = writes.filter(move |write| write.cell == Cell::Constant(word));
            writes.map(|write| write.column).collect::<Vec<_>>()
        };
        self.stmts.extend(zeros(layout, &constant(0)));
        for write in &self.path.writes {
            if let Cell::Constant(word @ 1..) = write.cell {
                self.stmts.push(store(layout, write.column, &Held::Constant(word)));
            }
        }
    }

    /// Computes a value unless that is done, and writes its cells. Operands of
    /// computed values come before them, so that only seed words nest in here.
    fn ensure(&mut self, no: ValueNo) {
        if self.values.held[no.index()].is_some() {
            return;
        }
        if let Some(&(word, _)) = self.packing.lanes.get(&no) {
            self.ensure_word(word);
            return;
        }
        let value = self.values.value(no);
        if let plan::Expr::Constant(word) = value.expr {
            self.define(no, Held::Constant(word));
            return;
        }
        let class = Class::of(value);
        let expression = if let plan::Expr::Seed(meaning) = value.expr {
            self.seed(meaning, class)
        } else if let Some(source) = self.packed_operand(value.expr) {
            source.words().for_each(|word| self.ensure_word(word));
            self.comment(value.op, value.op);
            let word = self.source(source);
            match class {
                Class::U32 => word,
                Class::U64 => Expr::Cast(Type::U64, Box::new(word)),
                Class::Field => Expr::call("gl", vec![word]),
            }
        } else {
            for operand in value.expr.operands() {
                self.ensure(operand);
            }
            self.comment(value.op, value.op);
            self.values.expression(no)
        };
        let name = variable(no, value);
        self.stmts.push(Stmt::Let(class.ty(), name.clone(), expression));
        self.define(no, Held::Variable(class, name));
    }

    /// The lanes that a packing operation takes whole.
    fn packed_operand(&self, expr: plan::Expr) -> Option<Source> {
        let (plan::Expr::Pack(parts) | plan::Expr::PackLow(parts)) = expr else {
            return None;
        };
        self.packing.source(self.path, parts)
    }

    /// Notes where a value is and writes its cells.
    fn define(&mut self, no: ValueNo, held: Held) {
        for &column in self.cells.get(&no).into_iter().flatten() {
            self.stmts.push(store(&self.function.layout, column, &held));
        }
        self.values.held[no.index()] = Some(held);
    }

    /// `seed.u32(SEED0_READ_7)`
    fn seed(&self, meaning: Meaning, class: Class) -> Expr {
        let word = self.path.schema.word(meaning).expect("a path reads its own seed");
        let offset = Expr::name(seed_name(self.path, meaning));
        let read = |method: &str| Expr::method("seed", method, vec![offset.clone()]);
        let narrow = |word: Expr| match class {
            Class::U32 => word,
            Class::U64 => Expr::Cast(Type::U64, Box::new(word)),
            Class::Field => Expr::call("gl", vec![word]),
        };
        match word.width {
            Width::U8 => narrow(read("u8")),
            Width::U16 => narrow(read("u16")),
            Width::U32 => narrow(read("u32")),
            Width::Full => {
                let element = read("full");
                let word = || Expr::Member(Box::new(element.clone()), "value".into());
                match class {
                    Class::Field => element,
                    Class::U64 => word(),
                    Class::U32 => Expr::Cast(Type::U32, Box::new(word())),
                }
            }
        }
    }

    /// Computes a word unless that is done, and writes the cells of its lanes.
    fn ensure_word(&mut self, word: WordNo) {
        if self.words[word.0].is_some() {
            return;
        }
        let kind = self.packing.words[word.0].kind;
        match kind {
            WordKind::Seed(_) => {}
            WordKind::Low(a) | WordKind::High(a) => self.ensure(a),
            WordKind::SplitHigh(x, _) | WordKind::SplitLow(x, _) => self.ensure_word(x),
            WordKind::Bitwise(_, a, b) | WordKind::Sum(a, b) => {
                a.words().chain(b.words()).for_each(|word| self.ensure_word(word));
            }
        }
        let members = self.packing.words[word.0].members.clone();
        let op_of = |no: &ValueNo| self.values.value(*no).op;
        self.comment(members.first().and_then(op_of), members.iter().filter_map(op_of).max());
        let name = Ident::new(format!("word{}", word.0));
        let value = self.word(kind);
        self.stmts.push(Stmt::Let(Type::U32, name.clone(), value));
        self.words[word.0] = Some(name.clone());
        for no in members {
            let (_, lane) = self.packing.lanes[&no];
            self.define(no, Held::Lane(name.clone(), lane));
        }
    }

    fn word(&self, kind: WordKind) -> Expr {
        let call = |function: &str, word: WordNo, shift: u8| {
            Expr::call(function, vec![self.word_name(word), Expr::Int(shift.into())])
        };
        match kind {
            WordKind::Seed(offset) => {
                let at = self.path.schema.words.iter().find(|word| word.offset >= offset);
                let at = at.expect("a lane of the seed is one of its words");
                let name = Expr::name(seed_name(self.path, at.meaning));
                let name = match at.offset - offset {
                    0 => name,
                    rest => Expr::binary(BinaryOp::Sub, name, Expr::Int(rest.into())),
                };
                Expr::method("seed", "u32", vec![name])
            }
            WordKind::Low(a) => self.values.held(a).as_u32(),
            WordKind::High(a) => {
                let high = Expr::binary(BinaryOp::Shr, self.values.held(a).as_u64(), Expr::Int(32));
                Expr::Cast(Type::U32, Box::new(high))
            }
            WordKind::Bitwise(op, a, b) => {
                let op = match op {
                    Bitwise::Xor => BinaryOp::BitXor,
                    Bitwise::And => BinaryOp::BitAnd,
                    Bitwise::Or => BinaryOp::BitOr,
                };
                Expr::binary(op, self.source(a), self.source(b))
            }
            WordKind::SplitHigh(x, shift) => call("packed_shift_right", x, shift),
            WordKind::SplitLow(x, shift) => call("packed_shift_left", x, shift),
            WordKind::Sum(a, b) => Expr::binary(BinaryOp::Add, self.source(a), self.source(b)),
        }
    }

    fn word_name(&self, word: WordNo) -> Expr {
        let name = self.words[word.0].clone();
        Expr::Name(name.expect("words are computed before their users"))
    }

    /// `word3`, `permute(word3, word4, 0x6210u)`
    fn source(&self, source: Source) -> Expr {
        let permute =
            |low, high, selector| Expr::call("permute", vec![low, high, Expr::Mask(selector)]);
        match source {
            Source::Constant(word) => Expr::Mask(word),
            Source::Word(word) => self.word_name(word),
            Source::Permuted(low, high, selector) => {
                permute(self.word_name(low), self.word_name(high), selector)
            }
            Source::Filled(word, constant, selector) => {
                permute(self.word_name(word), Expr::Mask(constant), selector)
            }
        }
    }

    /// `// op 7: u8_xor 3 4`, or `// ops 7 to 10: …`.
    fn comment(&mut self, first: Option<u32>, last: Option<u32>) {
        let (Some(first), Some(last)) = (first, last) else { return };
        if self.op == Some(first) && first == last {
            return;
        }
        self.op = Some(first);
        let text = &self.function.ops[first as usize].text;
        self.stmts.push(Stmt::Comment(match first == last {
            true => format!("op {first}: {text}"),
            false => format!("ops {first} to {last}: {text}"),
        }));
    }
}
