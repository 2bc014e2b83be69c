//! What emitted executors are made of.
//!
//! From the bytecode that the interpreter of `bytecode` walks, the generator emits one
//! executor per function: straight-line Rust, cut into *pieces* where a call waits for its
//! callee or where arms of a match meet. Everything that ends up in a record is done by
//! [`Machine`] and [`Counts`], as the interpreter does it; the text between has the
//! operations alone.
//!
//! - A piece begins with the words that it needs: of its query ([`Machine::inputs`]), of the
//!   call that came before ([`Machine::outputs`]), and those that live across
//!   ([`Machine::pop`]). It ends with what happens next: [`Machine::call`],
//!   [`Machine::advise`], [`Machine::goto`] or [`Machine::finish`]. Words that live across
//!   are on stacks of the machine, so nothing nests on the stack of the thread.
//! - Inputs and outputs are read as bytes where whatever comes next takes them for bytes, and
//!   not at all where they only go on to a call or a return ([`Given::Inputs`]).
//! - **An executor never says why it stops.** Whatever is wrong, or might be (an operand out
//!   of range, a missing case, a limit), ends it with [`Stop`]. Then the interpreter runs
//!   the claims again from their start and says what is wrong and where; it alone decides.
//!   So an executor may stop too early, and must never go on where the interpreter fails.
//! - [`values`]: operations on words and bytes alone.

mod counts;
mod machine;
mod memory;
mod queries;
mod values;

pub use counts::Counts;
pub use machine::{DebugPlace, Hooks, Machine, Ranked};
pub use values::*;

use crate::biguint::NotAnInteger;
use crate::io::IoError;
use crate::limits::LimitError;

/// The executor stops here; the interpreter has to run the claims. See the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop;

/// Consecutive words of a list that a piece gives: inputs of a call, or its own outputs.
#[derive(Clone, Copy, Debug)]
pub enum Given<'a> {
    /// Any words.
    Words(&'a [u64]),
    /// Words below 256.
    Bytes(&'a [u8]),
    /// So many inputs of the frame's query, from the first one given here on.
    Inputs(usize, usize),
    /// The same of outputs of the call that the frame waited for.
    Outputs(usize, usize),
}

/// What a piece gives back.
pub type Ended = Result<(), Stop>;

/// A piece of an executor.
pub type Piece = fn(&mut Machine<'_>, Counts<'_>) -> Ended;

/// The executor of one function.
#[derive(Clone, Copy, Debug)]
pub struct FunctionExecutor {
    /// Number of inputs.
    pub num_inputs: u32,
    /// Number of outputs.
    pub num_outputs: u32,
    /// At least the bytes of values, leaves and ranks of one frame of the interpreter.
    pub frame_bytes: u64,
    /// The first one is the beginning.
    pub pieces: &'static [Piece],
}

impl From<LimitError> for Stop {
    fn from(_: LimitError) -> Self {
        Self
    }
}

impl From<IoError> for Stop {
    fn from(_: IoError) -> Self {
        Self
    }
}

impl From<NotAnInteger> for Stop {
    fn from(_: NotAnInteger) -> Self {
        Self
    }
}
