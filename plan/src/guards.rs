//! Guarded bounds: downwards from uses.
//!
//! A use says that a value is narrow in every run that packs narrow. Such uses are operands
//! of byte tables, comparisons of words, and keys. A use proves nothing, so packers check every
//! word that a use has narrowed.
//!
//! Inputs of a function are as narrow as the widest of the paths that use them (a
//! path that does not use an input takes it as the others do); arguments of
//! constrained calls are as narrow as the callee's inputs. That iterates
//! downwards from "unknown", and may stop at any round.

use traceloom_abi::seed::{Meaning, Width};

use crate::bounds::{UNKNOWN, bound_of, round_up};
use crate::draft::{SettledPath, Use};
use crate::library::Library;
use crate::value::{Expr, ValueNo};

/// Rounds after which inputs stay as they are.
const MAX_ROUNDS: usize = 100;

/// By function and input: guarded bound, unknown where paths are not numbered.
pub(crate) type Inputs = Vec<Vec<u64>>;

/// What the paths of one function say.
pub(crate) struct Said {
    pub num_inputs: usize,
    /// None where paths are not numbered.
    pub paths: Vec<SaidByPath>,
}

/// What one path says about its values.
pub(crate) struct SaidByPath {
    uses: Vec<Use>,
    /// By value: its bound from producers.
    proven: Vec<u64>,
    /// By input: its value, and whether anything but its own column uses it.
    inputs: Vec<(ValueNo, bool)>,
}

impl SaidByPath {
    /// Keeps of `path` what bounds inputs.
    pub fn of(library: &Library, path: SettledPath) -> Self {
        let proven = proven(library, &path);
        let SettledPath { draft, used } = path;
        let inputs = draft.code.inputs().iter().map(|&value| (value, used[value.index()]));
        Self { proven, inputs: inputs.collect(), uses: draft.code.uses }
    }
}

/// Iterates the bounds of inputs downwards, for all functions.
pub(crate) fn solve_inputs(functions: &[Said]) -> Inputs {
    let mut inputs: Inputs = functions.iter().map(|said| vec![UNKNOWN; said.num_inputs]).collect();
    for _ in 0..MAX_ROUNDS {
        let before = inputs.clone();
        for (function, said) in functions.iter().enumerate() {
            let mut widest = vec![0; said.num_inputs];
            for path in &said.paths {
                let guarded = guarded(&before, &path.uses, &path.proven);
                for (widest, &(value, used)) in widest.iter_mut().zip(&path.inputs) {
                    if used {
                        *widest = (*widest).max(round_up(guarded[value.index()]));
                    }
                }
            }
            if !said.paths.is_empty() {
                // What no path uses is anything.
                let known =
                    widest.into_iter().map(|bound| if bound == 0 { UNKNOWN } else { bound });
                inputs[function] = known.collect();
            }
        }
        if inputs == before {
            break;
        }
    }
    inputs
}

/// Bounds from producers, external words bounded by the library.
pub(crate) fn proven(library: &Library, path: &SettledPath) -> Vec<u64> {
    let code = &path.draft.code;
    let mut bounds = vec![0; code.values.len()];
    for index in 0..bounds.len() {
        let outside = |expr: &Expr| match *expr {
            Expr::Seed(Meaning::Read(read)) => {
                // A word of something that never returns has the bound 0.
                library.of_read(&code.reads[read as usize], &code.fetches).max(1)
            }
            Expr::Seed(Meaning::Rank) => 1 << 32,
            _ => UNKNOWN,
        };
        let expr = code.values[index].expr;
        bounds[index] = bound_of(&expr, |value: ValueNo| bounds[value.index()], outside);
    }
    bounds
}

/// Bounds from the uses on one path.
pub(crate) fn guarded(inputs: &Inputs, uses: &[Use], proven: &[u64]) -> Vec<u64> {
    let mut guards = vec![UNKNOWN; proven.len()];
    let lower = |guards: &mut Vec<u64>, value: ValueNo, bound: u64| {
        let guard = &mut guards[value.index()];
        *guard = (*guard).min(bound);
    };
    // Twice: what an equation says can depend on a later use.
    for _ in 0..2 {
        for used in uses {
            match *used {
                Use::Below(value, bound) => lower(&mut guards, value, bound),
                Use::Argument(value, callee, i) => {
                    lower(&mut guards, value, inputs[callee as usize][i]);
                }
                Use::Equal(a, b) => {
                    let known =
                        |guards: &[u64], v: ValueNo| guards[v.index()].min(proven[v.index()]);
                    let bound = known(&guards, a).min(known(&guards, b));
                    lower(&mut guards, a, bound);
                    lower(&mut guards, b, bound);
                }
                Use::Constrained(_) | Use::With(..) => {}
            }
        }
    }
    guards
}

/// Inputs that the path does not use are as narrow as on the paths that do.
pub(crate) fn guard_unused(own: &[u64], path: &SettledPath, guards: &mut [u64]) {
    for (&bound, value) in own.iter().zip(path.draft.code.inputs()) {
        if !path.used[value.index()] {
            guards[value.index()] = guards[value.index()].min(bound);
        }
    }
}

/// Width class of a seed word with these bounds.
pub(crate) fn class(proven: u64, guarded: u64) -> Width {
    Width::of_bound(proven.min(guarded))
}
