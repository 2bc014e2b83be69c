//! Words of a typed seed: offsets, and how they are read.

use traceloom_abi::seed::{Meaning, SeedWord, Width};
use traceloom_plan::names::Ident;
use traceloom_plan::{Class, PathPlan};

use crate::cuda::ast::{BinaryOp, Expr, Item, Type};

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

pub(super) fn seed_name(path: &PathPlan, meaning: Meaning) -> String {
    format!("SEED{}_{}", path.path, meaning_name(meaning))
}

/// Offsets, and checks that words follow each other without gaps and aligned.
pub(super) fn seed_layout(path: &PathPlan) -> Vec<Item> {
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
    let alignment = path.schema.alignment();
    let mask = Expr::Int(u64::from(alignment) - 1);
    let rest = Expr::binary(BinaryOp::BitAnd, Expr::name(stride), mask);
    let aligned = Expr::binary(BinaryOp::Equal, rest, Expr::Int(0));
    let text = format!("plan: the stride is a multiple of {alignment}");
    items.push(Item::StaticAssert(aligned, text));
    items
}

/// `seed.u32(SEED0_READ_7)`
pub(super) fn seed_word(path: &PathPlan, meaning: Meaning, class: Class) -> Expr {
    let word = path.schema.word(meaning).expect("a path reads its own seed");
    let offset = Expr::name(seed_name(path, meaning));
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
