//! The writer of one path: straight-line, over typed seeds.

use traceloom_abi::seed::{Meaning, SeedRun, SeedWord};
use traceloom_plan::names::{Ident, Writer};
use traceloom_plan::script::Script;
use traceloom_plan::{FunctionPlan, PathPlan};

use super::columns::{constants, copies, fixed_cells};
use super::script::Printer;
use super::write_function;
use crate::cuda::ast::Item;

/// The writer of `path`, which is main `main` of the script:
///
/// ```text
/// // Path 0, leaves 0.
/// // Seed: multiplicity at 0 (full), input 0 to 128 at 12 (u8).
/// struct Path0 {
///   static constexpr uint32_t SEED_WORDS = 4;
///   …
///   static TL_DEVICE void write(const Seed &seed, const Row &row) { … }
/// };
/// ```
pub(super) fn item(function: &FunctionPlan, path: &PathPlan, script: &Script, main: usize) -> Item {
    let mut printer =
        Printer { plan: function, script, group: None, named: script.named(main), num_batches: 0 };
    let mut body = fixed_cells(&script.mains[main].body);
    body.extend(printer.steps(&script.mains[main].steps));
    body.extend(copies(&script.mains[main].body));
    let leaves: Vec<String> = path.leaves.iter().map(ToString::to_string).collect();
    let words: Vec<String> = SeedRun::compress(&path.schema.words).iter().map(words).collect();
    Item::Struct {
        doc: vec![
            format!("Path {}, leaves {}.", path.path, leaves.join(", ")),
            format!("Seed: {}.", words.join(", ")),
        ],
        name: Ident::new(Writer::Path(path.path).type_name()),
        constants: constants(&function.layout, u64::from(path.schema.stride) / 4),
        functions: vec![write_function(body)],
    }
}

/// `input 0 to 128 at 12 (u8)`
fn words(run: &SeedRun) -> String {
    let SeedWord { meaning, width, offset } = run.first;
    let range = |what: &str, first: u32| match run.count {
        1 => format!("{what} {first}"),
        count => format!("{what} {first} to {}", first + count - 1),
    };
    let what = match meaning {
        Meaning::Multiplicity => "multiplicity".into(),
        Meaning::Path => "path".into(),
        Meaning::Rank => "rank".into(),
        Meaning::Input(first) => range("input", first),
        Meaning::Read(first) => range("read", first),
    };
    format!("{what} at {offset} ({})", width.name())
}
