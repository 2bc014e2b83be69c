//! What comments say of steps, and which registers need a name.

use std::collections::BTreeSet;

use super::code::{Operand, Reg};
use super::{Script, Step};
use crate::program::OpNote;

/// By step: the comment in front of it. Steps of one kind that follow each other have one, in
/// front of the first: `op 3: u8_xor`, `ops 3 to 6: u8_xor`, `ops 0 to 29`.
#[must_use]
pub fn comments(steps: &[Step], ops: &[OpNote]) -> Vec<Option<String>> {
    let mut comments = vec![None; steps.len()];
    let mut open: Option<(usize, Kind<'_>, (u32, u32))> = None;
    for (at, step) in steps.iter().enumerate() {
        let Some((kind, of)) = kind(step, ops) else { continue };
        match &mut open {
            Some((_, last, range)) if *last == kind => {
                *range = (range.0.min(of.0), range.1.max(of.1));
            }
            _ => {
                close(&mut comments, open);
                open = Some((at, kind, of));
            }
        }
    }
    close(&mut comments, open);
    comments
}

/// What a run of steps has in common.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind<'a> {
    Name(&'a str),
    Call(usize),
}

fn kind<'a>(step: &Step, ops: &'a [OpNote]) -> Option<(Kind<'a>, (u32, u32))> {
    Some(match step {
        Step::Do(instr, _) => {
            let range = instr.ops?;
            (Kind::Name(ops[range.0 as usize].name()), range)
        }
        Step::Call(call) => (Kind::Call(call.function), call.ops?),
    })
}

fn close(comments: &mut [Option<String>], open: Option<(usize, Kind<'_>, (u32, u32))>) {
    let Some((at, kind, (first, last))) = open else { return };
    let numbers = match first == last {
        true => format!("op {first}"),
        false => format!("ops {first} to {last}"),
    };
    comments[at] = Some(match kind {
        Kind::Name(name) => format!("{numbers}: {name}"),
        Kind::Call(_) => numbers,
    });
}

/// Registers that steps read.
#[must_use]
pub fn read(steps: &[Step]) -> BTreeSet<Reg> {
    let args = steps.iter().flat_map(|step| match step {
        Step::Do(instr, _) => &instr.args,
        Step::Call(call) => &call.args,
    });
    regs(args)
}

/// Registers in operands.
fn regs<'a>(operands: impl Iterator<Item = &'a Operand>) -> BTreeSet<Reg> {
    operands.flat_map(|operand| operand.regs()).flatten().collect()
}

impl Script {
    /// The registers of main `number` that need a name: what is read, and what is kept.
    #[must_use]
    pub fn named(&self, number: usize) -> BTreeSet<Reg> {
        let main = &self.mains[number];
        let mut named = read(&main.steps);
        let assigned = main.body.assigns.iter().map(|(_, operand)| operand);
        named.extend(regs(assigned.chain(&main.body.reads)));
        let kept = |&reg: &usize| self.regs[reg].kept.is_some();
        named.extend((0..self.regs.len()).filter(kept).map(|reg| Reg(reg as u32)));
        named
    }
}
