//! Order and names that the builder would not give: functions and selectors in
//! any order, names that are hostile or stand twice, memory that nothing uses.

use rand::Rng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use traceloom_bytecode::model::{Control, Function, FunctionId, Op};

use crate::case::Case;

const NAMES: [&str; 14] = [
    "",
    "f",
    "fn",
    "self",
    "call",
    "end",
    "a b",
    "\"); panic!(\"",
    "*/ int x; /*",
    "a\nb",
    "é\u{202e}",
    "a\0b",
    "\\",
    "f_a_h0123456789abcdef",
];

fn name(rng: &mut ChaCha8Rng) -> String {
    NAMES[rng.random_range(0..NAMES.len())].into()
}

/// Moves and renames parts of a valid program; it means the same afterwards.
pub(super) fn disguise(rng: &mut ChaCha8Rng, case: &mut Case) {
    if rng.random_bool(0.5) {
        reorder_functions(rng, case);
    }
    for function in &mut case.program.functions {
        if rng.random_bool(0.3) {
            reorder_selectors(rng, function);
        }
        if rng.random_bool(0.3) {
            function.name = name(rng);
        }
    }
    if rng.random_bool(0.3) {
        case.program.name = name(rng);
    }
    let unused = rng.random_range(1..40);
    let sizes = &mut case.program.memory_sizes;
    if let (true, Err(position)) = (rng.random_bool(0.2), sizes.binary_search(&unused)) {
        sizes.insert(position, unused);
    }
    if rng.random_bool(0.3) {
        case.program.circuits.shuffle(rng);
        case.program.circuits.iter_mut().for_each(|members| members.shuffle(rng));
    }
}

fn reorder_functions(rng: &mut ChaCha8Rng, case: &mut Case) {
    // By old position: the new one.
    let mut moved: Vec<usize> = (0..case.program.functions.len()).collect();
    moved.shuffle(rng);
    let new = |id: FunctionId| FunctionId(moved[id.index()] as u32);
    let mut functions: Vec<(usize, Function)> =
        std::mem::take(&mut case.program.functions).into_iter().enumerate().collect();
    functions.sort_by_key(|(old, _)| moved[*old]);
    let mut functions: Vec<Function> = functions.into_iter().map(|(_, f)| f).collect();
    for op in functions.iter_mut().flat_map(|f| &mut f.blocks).flat_map(|block| &mut block.ops) {
        if let Op::Call { function, .. } = op {
            *function = new(*function);
        }
    }
    case.program.functions = functions;
    case.program.circuits.iter_mut().flatten().for_each(|id| *id = new(*id));
    case.claims.iter_mut().for_each(|(id, _)| *id = new(*id));
}

fn reorder_selectors(rng: &mut ChaCha8Rng, function: &mut Function) {
    let leaves = function.blocks.iter().filter(|block| block.control.arms().is_none()).count();
    let mut order: Vec<u32> = (0..leaves as u32).collect();
    order.shuffle(rng);
    for block in &mut function.blocks {
        if let Control::Return { selector, .. } | Control::Yield { selector, .. } =
            &mut block.control
        {
            *selector = order[*selector as usize];
        }
    }
}
