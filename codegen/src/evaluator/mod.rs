//! Constraint and lookup evaluators of a circuit, as straight-line text.
//!
//! Both targets print one [`schedule`]: the expressions of System in the order in
//! which constraints and lookups ask for them, cut into functions of bounded size
//! so that compile time grows linearly with a circuit. System alone decides what
//! is computed and in which order it is handed out; the verifier never runs this.
//!
//! Units have no evaluators. On the CPU the prover interprets System, which was measured to be
//! as fast, and no backend launches evaluators yet. Tests and the device kit generate their own.

mod columns;
pub mod cuda;
pub mod rust;
pub mod schedule;

use traceloom_air::system::{Circuit, CircuitKind};
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::system::build_system;
use traceloom_plan::ProgramPlan;
use traceloom_plan::names::circuit_symbol;

/// A circuit as emitters see it.
#[derive(Clone, Debug)]
pub struct NamedCircuit {
    /// Name in emitted text, unique in its program: `c_` and the rest of the symbol of
    /// its first function, which is in no other circuit; or the name of the table.
    pub symbol: String,
    /// The circuit.
    pub circuit: Circuit,
}

/// The circuits of `program`, whose plan is `plan`, in the system's order.
///
/// # Panics
/// If `plan` is of another program.
#[must_use]
pub fn circuits(program: &CheckedProgram, plan: &ProgramPlan) -> Vec<NamedCircuit> {
    let symbol = |circuit: &Circuit| match &circuit.kind {
        CircuitKind::Function { members, .. } => {
            let first = plan.functions.iter().find(|function| function.function == members[0]);
            circuit_symbol(&first.expect("circuits have constrained functions").symbol)
        }
        CircuitKind::Memory { .. } | CircuitKind::Bytes(_) | CircuitKind::Ops { .. } => {
            circuit.name.clone()
        }
    };
    let name = |circuit: Circuit| NamedCircuit { symbol: symbol(&circuit), circuit };
    build_system(program).circuits.into_iter().map(name).collect()
}
