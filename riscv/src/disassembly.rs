//! Code as text, as objdump prints it with `-M no-aliases`.

use std::fmt;

use crate::decode::decode;
use crate::elf::Program;
use crate::instruction::{Form, Instruction, Op, REGISTER_NAMES};

/// The executable segments of a program, one line per word.
#[derive(Clone, Copy, Debug)]
pub struct Disassembly<'p>(pub &'p Program);

/// A word of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its address.
    pub address: u64,
    /// The word.
    pub word: u32,
}

impl Disassembly<'_> {
    /// The words of all executable segments, by address.
    pub fn lines(&self) -> impl Iterator<Item = Line> {
        self.0.code.iter().flat_map(|code| {
            let addresses = (0..code.instructions.len() as u64).map(|index| code.base + 4 * index);
            addresses.filter_map(|address| self.0.word(address).map(|word| Line { address, word }))
        })
    }
}

impl Line {
    /// The instruction in assembly; none if the word is no instruction.
    #[must_use]
    pub fn text(&self) -> Option<String> {
        text_of(self.address, self.word)
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.text().unwrap_or_else(|| format!(".word {:#x}", self.word));
        write!(f, "{:>10x}:  {:08x}  {text}", self.address, self.word)
    }
}

/// A word at `address` in assembly; none if it is no instruction.
pub(crate) fn text_of(address: u64, word: u32) -> Option<String> {
    let instruction = decode(word).ok()?;
    let Instruction { op, form, rd, rs1, rs2, imm } = instruction;
    let name = instruction.mnemonic();
    let register = |number: u8| REGISTER_NAMES[number as usize & 31];
    let (d, a, b) = (register(rd), register(rs1), register(rs2));
    let target = address.wrapping_add(instruction.imm_word());
    Some(match form {
        Form::Register => format!("{name} {d},{a},{b}"),
        Form::Immediate if op == Op::Jalr => format!("{name} {d},{imm}({a})"),
        Form::Immediate if is_shift(op) => format!("{name} {d},{a},{imm:#x}"),
        Form::Immediate => format!("{name} {d},{a},{imm}"),
        Form::Upper => format!("{name} {d},{:#x}", (imm as u32) >> 12),
        Form::Jump => format!("{name} {d},{target:x}"),
        Form::Branch => format!("{name} {a},{b},{target:x}"),
        Form::Load => format!("{name} {d},{imm}({a})"),
        Form::Store => format!("{name} {b},{imm}({a})"),
        Form::Fence => format!("{name} {},{}", fence_set(word >> 24), fence_set(word >> 20)),
        Form::System => name.to_owned(),
    })
}

const fn is_shift(op: Op) -> bool {
    matches!(op, Op::Sll | Op::Srl | Op::Sra | Op::Sllw | Op::Srlw | Op::Sraw)
}

/// Four bits: what a fence orders.
fn fence_set(bits: u32) -> String {
    let all = [(8, 'i'), (4, 'o'), (2, 'r'), (1, 'w')];
    let set: String = all.into_iter().filter(|(bit, _)| bits & bit != 0).map(|(_, c)| c).collect();
    if set.is_empty() { "unknown".into() } else { set }
}
