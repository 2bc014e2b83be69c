//! What the analysis says.

use std::fmt;

use super::walk::Found;
use crate::check::CheckedProgram;
use crate::model::{FunctionId, Op};
use crate::text::{Element, Places};

/// A step on the way of advice: an operation, or how a block ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Where in the program.
    pub element: Element,
    /// Which of the operation's results.
    pub result: usize,
}

/// How advice is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sink {
    /// An entry function returns it, as this output.
    Output(usize),
    /// A function gets it that uses it and does not check it on every path.
    Call(FunctionId),
    /// It is stored.
    Store,
    /// It decides which arm of a match is taken.
    Branch,
}

/// Advice that reaches a use and that nothing ties.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Its first use.
    pub sink: Sink,
    /// From the advice, first, to the use; behind that of a call what the callee does with it.
    pub chain: Vec<Step>,
    /// Which step is the use.
    pub use_at: usize,
    /// The same steps for people: place, then function and operation.
    pub steps: Vec<(String, String)>,
    /// What happens, in one sentence.
    pub message: String,
    /// How many more operations of the function give such advice in the same way.
    pub others: usize,
}

/// What [`super::analyse`] found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// One for each kind of operation (or callee) that gives such advice in a function, in program
    /// order of the use.
    pub findings: Vec<Finding>,
    /// Names of functions that are too large to be analysed.
    pub skipped: Vec<String>,
}

/// Steps at either end of a long chain that are shown.
const SHOWN: usize = 6;

impl Report {
    /// Whether there is nothing to say.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.findings.is_empty() && self.skipped.is_empty()
    }

    /// What to print, a text of one or several lines for each warning.
    pub fn lines(&self) -> impl Iterator<Item = String> + '_ {
        let skipped = self.skipped.iter().map(|name| {
            format!("{name:?} is too large to be searched for advice that nothing ties")
        });
        self.findings.iter().map(ToString::to_string).chain(skipped)
    }

    /// The same with lines and columns of the text that the program was read from.
    #[must_use]
    pub fn in_text(mut self, source: &[u8]) -> Self {
        if self.findings.is_empty() {
            return self;
        }
        let places = Places::of(source);
        for finding in &mut self.findings {
            for (step, (place, _)) in finding.chain.iter().zip(&mut finding.steps) {
                if let Some((line, column)) = places.get(step.element) {
                    *place = format!("{line}:{column}");
                }
            }
        }
        self
    }
}

impl Finding {
    /// Position in the program: that of the use.
    pub(super) fn order(&self) -> (usize, usize, usize) {
        match self.chain.get(self.use_at).map(|step| step.element) {
            Some(Element::Op(function, block, op)) => (function, block, op),
            Some(Element::Control(function, block)) => (function, block, usize::MAX),
            _ => (usize::MAX, 0, 0),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        let left_out = self.steps.len().saturating_sub(2 * SHOWN);
        for (index, (place, what)) in self.steps.iter().enumerate() {
            if left_out > 1 && index == SHOWN {
                write!(f, "\n  … {left_out} more steps")?;
            }
            if left_out > 1 && (SHOWN..SHOWN + left_out).contains(&index) {
                continue;
            }
            write!(f, "\n  {place}  {what}")?;
        }
        write!(
            f,
            "\n  tie it with a constraint, or say that it may be anything: allow \"why\", value"
        )?;
        match self.others {
            0 => Ok(()),
            1 => write!(f, "\n  and 1 more like it in the same function"),
            others => write!(f, "\n  and {others} more like it in the same function"),
        }
    }
}

/// Findings of one function, with words.
pub(super) fn findings(
    program: &CheckedProgram,
    function: FunctionId,
    found: Vec<Found>,
) -> Vec<Finding> {
    let name = &program.function(function).name;
    let describe = |Found { sink, chain, use_at, others, .. }: Found| {
        let advice = chain.first().map_or("advice", |step| operation(program, step.element));
        let sink_in_words = match sink {
            Sink::Output(output) => format!("reaches output {output} of {name:?}"),
            Sink::Call(callee) => {
                let callee = &program.function(callee).name;
                format!("reaches a call of {callee:?} in {name:?}, which uses it")
            }
            Sink::Store => format!("is stored in {name:?}"),
            Sink::Branch => format!("decides a branch in {name:?}"),
        };
        let steps = chain.iter().map(|step| in_words(program, step)).collect();
        let message = format!(
            "advice of `{advice}` {sink_in_words}, and nothing ties it: a prover may choose it"
        );
        Finding { sink, chain, use_at, steps, message, others }
    };
    found.into_iter().map(describe).collect()
}

fn operation(program: &CheckedProgram, element: Element) -> &'static str {
    let functions = &program.program().functions;
    match element {
        Element::Op(function, block, op) => functions[function].blocks[block].ops[op].name(),
        Element::Control(function, block) => functions[function].blocks[block].control.name(),
        _ => "program",
    }
}

fn in_words(program: &CheckedProgram, step: &Step) -> (String, String) {
    let functions = &program.program().functions;
    let name = operation(program, step.element);
    match step.element {
        Element::Op(function, block, op) => {
            let place = format!("functions[{function}].blocks[{block}].ops[{op}]");
            let (caller, op) =
                (&functions[function].name, &functions[function].blocks[block].ops[op]);
            let callee = match op {
                Op::Call { function, .. } => format!(" of {:?}", functions[function.index()].name),
                _ => String::new(),
            };
            let result = match op.num_results() {
                0 | 1 => String::new(),
                _ => format!(", result {}", step.result),
            };
            (place, format!("{name}{callee}{result} (in {caller:?})"))
        }
        Element::Control(function, block) => {
            let place = format!("functions[{function}].blocks[{block}].control");
            (place, format!("{name} (in {:?})", functions[function].name))
        }
        _ => (String::new(), name.into()),
    }
}
