//! Random programs with inputs on which they run.
//!
//! A program is a function of its seed. The generator tracks what words a value
//! can be (`class`), so operands are legal by construction nearly always; what it
//! cannot know (an io channel, a sum of pointers) is legal for the inputs that it
//! picks. A case whose execution fails all the same is rejected by whoever runs it,
//! after both executors have agreed that it fails.
//!
//! - Functions stand in levels. A call goes to a higher level, or inside a level
//!   with a smaller measure, so every execution ends.
//! - `body` writes blocks, `ops` operations, `calls` calls and idioms of several
//!   operations.
//! - Afterwards `disguise` moves functions and selectors and renames everything.

mod body;
mod calls;
mod class;
mod disguise;
mod ops;

use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use traceloom_bytecode::builder::{FunctionHandle, ProgramBuilder};
use traceloom_bytecode::model::FunctionId;

use crate::case::Case;
use body::Writer;
use class::{Class, word};

/// Io channels with input: bytes, words, anything.
const CHANNELS: [(u64, Class); 3] = [(0, Class::Byte), (1, Class::Word), (7, Class::Any)];
/// Words on each of them.
const CHANNEL_LEN: usize = 6;

/// A declared function.
#[derive(Clone, Debug)]
struct Signature {
    handle: FunctionHandle,
    inputs: Vec<Class>,
    outputs: Vec<Class>,
    level: usize,
    constrained: bool,
    entry: bool,
}

/// What all bodies of a program see.
struct World {
    functions: Vec<Signature>,
    /// Memory shapes: classes of the values behind a pointer.
    shapes: Vec<Vec<Class>>,
    /// Builder and walker of chains, if there are any.
    chain: Option<(FunctionHandle, FunctionHandle)>,
    /// Operations per block.
    num_ops: usize,
    /// Depth of nested matches.
    depth: usize,
}

/// The case of a seed.
///
/// # Panics
/// If the builder refuses what was written: a fault of the generator.
#[must_use]
pub fn generate(seed: u64) -> Case {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut builder = ProgramBuilder::new("random");
    let size = rng.random_range(0..4_usize);
    let mut world = World {
        functions: Vec::new(),
        shapes: shapes(&mut rng),
        chain: None,
        num_ops: 2 + 3 * size,
        depth: size,
    };
    declare(&mut rng, &mut builder, &mut world, 1 + size);
    if rng.random_bool(0.3) {
        calls::define_chains(&mut rng, &mut builder, &mut world);
    }
    for index in 0..world.functions.len() {
        let body = builder.body(world.functions[index].handle);
        let body = Writer::new(&mut rng, &world, index, body).write();
        builder.close(body);
    }
    group(&mut rng, &mut builder, &world);
    let program = builder.finish().unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    let claims = claims(&mut rng, &world);
    let input = CHANNELS.map(|(channel, class)| {
        (channel, (0..CHANNEL_LEN).map(|_| word(&mut rng, class)).collect::<Vec<u64>>())
    });
    let mut case = Case { seed, program, claims, input: input.into() };
    disguise::disguise(&mut rng, &mut case);
    case
}

fn shapes(rng: &mut ChaCha8Rng) -> Vec<Vec<Class>> {
    let mut shapes: Vec<Vec<Class>> = Vec::new();
    for shape in 0..rng.random_range(1..=3) {
        let width = if rng.random_bool(0.1) { 12 } else { rng.random_range(1..=5) };
        let slot = |rng: &mut ChaCha8Rng| match rng.random_range(0..6) {
            0 if shape > 0 => Class::Pointer(rng.random_range(0..shape)),
            _ => number(rng),
        };
        shapes.push((0..width).map(|_| slot(rng)).collect());
    }
    shapes
}

fn number(rng: &mut ChaCha8Rng) -> Class {
    *[Class::Bit, Class::Byte, Class::Byte, Class::Word, Class::Any, Class::Any]
        .choose(rng)
        .expect("the list is not empty")
}

fn declare(
    rng: &mut ChaCha8Rng,
    builder: &mut ProgramBuilder,
    world: &mut World,
    num_levels: usize,
) {
    for level in 0..num_levels {
        let members = if rng.random_bool(0.25) { 2 } else { 1 };
        for _ in 0..members {
            let mut inputs = vec![Class::Measure];
            for _ in 0..rng.random_range(0..4) {
                inputs.push(match rng.random_range(0..8) {
                    0 if level > 0 => Class::Pointer(rng.random_range(0..world.shapes.len())),
                    1 if level > 0 => Class::Limbs,
                    _ => number(rng),
                });
            }
            let output = |rng: &mut ChaCha8Rng| match rng.random_range(0..8) {
                0 => Class::Pointer(rng.random_range(0..world.shapes.len())),
                _ => number(rng),
            };
            let num_outputs = rng.random_range(0..=3);
            let outputs: Vec<Class> = (0..num_outputs).map(|_| output(rng)).collect();
            let constrained = level == 0 || rng.random_bool(0.8);
            let claimable = inputs.iter().all(|class| class.is_number());
            let entry = level == 0 || constrained && claimable && rng.random_bool(0.3);
            let name = format!("f{}", world.functions.len());
            let counts = (inputs.len() as u32, outputs.len() as u32);
            let handle = builder.declare(&name, counts.0, counts.1, entry, constrained);
            world.functions.push(Signature { handle, inputs, outputs, level, constrained, entry });
        }
    }
}

/// Some constrained functions share a circuit.
fn group(rng: &mut ChaCha8Rng, builder: &mut ProgramBuilder, world: &World) {
    if !rng.random_bool(0.4) {
        return;
    }
    let mut groups: [Vec<FunctionHandle>; 2] = Default::default();
    for function in world.functions.iter().filter(|function| function.constrained) {
        if let Some(group) = groups.get_mut(rng.random_range(0..3_usize)) {
            group.push(function.handle);
        }
    }
    groups.iter().filter(|group| group.len() > 1).for_each(|group| builder.group(group));
}

fn claims(rng: &mut ChaCha8Rng, world: &World) -> Vec<(FunctionId, Vec<u64>)> {
    let entries: Vec<&Signature> = world.functions.iter().filter(|f| f.entry).collect();
    let count = rng.random_range(1..=4);
    let mut claims = Vec::new();
    for _ in 0..count {
        let entry = entries.choose(rng).expect("level 0 has an entry");
        let args = entry.inputs.iter().map(|&class| word(rng, class)).collect();
        claims.push((entry.handle.id(), args));
    }
    if rng.random_bool(0.3) {
        // The same query twice: its multiplicity is 2.
        claims.push(claims[0].clone());
    }
    claims
}
