//! The typed way to write a program.
//!
//! Functions are declared first, so that they can call each other, and defined afterwards. A
//! body is written in order. The builder numbers blocks in pre-order and gives leaves their
//! canonical selectors:
//!
//! ```
//! use traceloom_bytecode::builder::ProgramBuilder;
//!
//! let mut program = ProgramBuilder::new("fibonacci");
//! let fib = program.entry("fib", 1, 1);
//! program.define(fib, |f, inputs| {
//!     let n = inputs[0];
//!     f.match_value(n, |arms| {
//!         arms.case(0, |f| f.ret(&[n])).case(1, |f| f.ret(&[n])).default(|f| {
//!             let (one, two) = (f.constant(1), f.constant(2));
//!             let (a, b) = (f.sub(n, one), f.sub(n, two));
//!             let [a] = f.call_array(fib, &[a]);
//!             let [b] = f.call_array(fib, &[b]);
//!             let sum = f.add(a, b);
//!             f.ret(&[sum])
//!         });
//!     })
//! });
//! let program = program.finish()?;
//! assert_eq!(program.functions[0].blocks.len(), 4);
//! # Ok::<(), traceloom_bytecode::builder::BuildErrors>(())
//! ```
//!
//! A [`Value`] is a copyable handle that knows its function and its branch. Using
//! it elsewhere is an error of [`ProgramBuilder::finish`], which reports all
//! mistakes at once. Closures nest on the host stack; programs that are
//! generated with deep nesting use [`ProgramBuilder::body`] and the `begin` and
//! `end` calls of [`Body`], which only loop.

mod body;
mod error;
mod ops;

pub use body::{Arms, Body, End, Value};
pub use error::{BuildError, BuildErrorKind, BuildErrors};

use std::collections::{BTreeSet, HashSet};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::model::{Function, FunctionId, Program};

/// Distinguishes handles of different builders and bodies in one process.
fn fresh_token() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// A declared function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionHandle {
    pub(crate) program: u32,
    pub(crate) id: FunctionId,
    pub(crate) num_inputs: u32,
    pub(crate) num_outputs: u32,
    pub(crate) constrained: bool,
}

impl FunctionHandle {
    /// Its position in the program.
    #[must_use]
    pub const fn id(self) -> FunctionId {
        self.id
    }

    /// Number of inputs.
    #[must_use]
    pub const fn num_inputs(self) -> usize {
        self.num_inputs as usize
    }

    /// Number of outputs.
    #[must_use]
    pub const fn num_outputs(self) -> usize {
        self.num_outputs as usize
    }
}

/// Collects the functions of a program.
#[derive(Debug)]
pub struct ProgramBuilder {
    token: u32,
    name: String,
    functions: Vec<Function>,
    groups: Vec<Vec<FunctionId>>,
    memory_sizes: BTreeSet<u32>,
    errors: Vec<BuildError>,
}

impl ProgramBuilder {
    /// An empty program.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self {
            token: fresh_token(),
            name: name.to_owned(),
            functions: Vec::new(),
            groups: Vec::new(),
            memory_sizes: BTreeSet::new(),
            errors: Vec::new(),
        }
    }

    /// Declares a constrained function that may be claimed from outside.
    pub fn entry(&mut self, name: &str, num_inputs: u32, num_outputs: u32) -> FunctionHandle {
        self.declare(name, num_inputs, num_outputs, true, true)
    }

    /// Declares a constrained function.
    pub fn function(&mut self, name: &str, num_inputs: u32, num_outputs: u32) -> FunctionHandle {
        self.declare(name, num_inputs, num_outputs, false, true)
    }

    /// Declares a function without a circuit: what it returns is advice.
    pub fn unconstrained(
        &mut self,
        name: &str,
        num_inputs: u32,
        num_outputs: u32,
    ) -> FunctionHandle {
        self.declare(name, num_inputs, num_outputs, false, false)
    }

    /// Declares a function with all flags given.
    pub fn declare(
        &mut self,
        name: &str,
        num_inputs: u32,
        num_outputs: u32,
        entry: bool,
        constrained: bool,
    ) -> FunctionHandle {
        let id = FunctionId(self.functions.len() as u32);
        self.functions.push(Function {
            name: name.to_owned(),
            num_inputs,
            num_outputs,
            entry,
            constrained,
            blocks: Vec::new(),
        });
        FunctionHandle { program: self.token, id, num_inputs, num_outputs, constrained }
    }

    /// Writes the body of `function` as a closure over its inputs.
    pub fn define(
        &mut self,
        function: FunctionHandle,
        write: impl FnOnce(&mut Body, &[Value]) -> End,
    ) {
        let mut body = self.body(function);
        let inputs = body.inputs();
        let End { .. } = write(&mut body, &inputs);
        self.close(body);
    }

    /// Starts the body of `function` without a closure; [`Self::close`] ends it.
    #[must_use]
    pub fn body(&mut self, function: FunctionHandle) -> Body {
        let name = match self.functions.get(function.id.index()) {
            Some(declared) if function.program == self.token => declared.name.clone(),
            _ => String::new(),
        };
        Body::new(function, name)
    }

    /// Takes a finished body.
    pub fn close(&mut self, body: Body) {
        let handle = body.function();
        let name = body.name().to_owned();
        let (blocks, memory_sizes, errors) = body.into_parts();
        self.errors.extend(errors);
        if handle.program != self.token {
            self.error(name, BuildErrorKind::ForeignFunction { index: handle.id.0 });
            return;
        }
        self.memory_sizes.extend(memory_sizes);
        let function = &mut self.functions[handle.id.index()];
        if function.blocks.is_empty() {
            function.blocks = blocks;
        } else {
            self.error(name, BuildErrorKind::DefinedTwice);
        }
    }

    /// Puts constrained functions into one circuit, at the place of the first.
    /// Every other constrained function gets a circuit of its own.
    pub fn group(&mut self, members: &[FunctionHandle]) {
        for member in members.iter().filter(|member| member.program != self.token) {
            let kind = BuildErrorKind::ForeignFunction { index: member.id.0 };
            self.errors.push(BuildError {
                function: String::new(),
                position: None,
                what: "group",
                kind,
            });
        }
        let own = members.iter().filter(|member| member.program == self.token);
        self.groups.push(own.map(|member| member.id).collect());
    }

    /// The program.
    ///
    /// # Errors
    /// [`BuildErrors`]: every mistake that was made, each with function and
    /// operation.
    pub fn finish(mut self) -> Result<Program, BuildErrors> {
        let mut names = HashSet::new();
        let mut found = Vec::new();
        for function in &self.functions {
            if function.blocks.is_empty() {
                found.push((function.name.clone(), BuildErrorKind::Undefined));
            }
            if !names.insert(function.name.as_str()) {
                found.push((function.name.clone(), BuildErrorKind::DuplicateName));
            }
        }
        for (name, kind) in found {
            self.error(name, kind);
        }
        let circuits = self.circuits();
        if self.errors.is_empty() {
            Ok(Program {
                name: self.name,
                functions: self.functions,
                memory_sizes: self.memory_sizes.into_iter().collect(),
                circuits,
            })
        } else {
            Err(BuildErrors(self.errors))
        }
    }

    /// The groups and, for the rest, one circuit per function, in the order of
    /// their first members.
    fn circuits(&mut self) -> Vec<Vec<FunctionId>> {
        let mut grouped = HashSet::new();
        let mut circuits: Vec<_> = std::mem::take(&mut self.groups);
        circuits.retain(|group| !group.is_empty());
        for &id in circuits.iter().flatten() {
            if !self.functions[id.index()].constrained || !grouped.insert(id) {
                let function = self.functions[id.index()].name.clone();
                let kind = BuildErrorKind::Grouping;
                self.errors.push(BuildError { function, position: None, what: "group", kind });
            }
        }
        for (index, function) in self.functions.iter().enumerate() {
            let id = FunctionId(index as u32);
            if function.constrained && !grouped.contains(&id) {
                circuits.push(vec![id]);
            }
        }
        circuits.sort_by_key(|group| group[0]);
        circuits
    }

    fn error(&mut self, function: String, kind: BuildErrorKind) {
        self.errors.push(BuildError { function, position: None, what: "", kind });
    }
}

#[cfg(test)]
mod tests;
