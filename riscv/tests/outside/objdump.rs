//! The disassembly of random words, against objdump.

use std::collections::HashMap;
use std::fs;
use std::process::Command;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use traceloom_riscv::{Disassembly, Limits, Program};

use crate::support::elf;

const WORDS: usize = 60_000;
/// Opcodes of RV64IM; every third word has any other bits.
const OPCODES: [u32; 13] =
    [0x37, 0x17, 0x6f, 0x67, 0x63, 0x03, 0x23, 0x13, 0x1b, 0x33, 0x3b, 0x0f, 0x73];

pub fn words_agree() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let words: Vec<u32> = (0..WORDS)
        .map(|index| {
            let opcode = OPCODES[rng.random_range(0..OPCODES.len())];
            let word = rng.random::<u32>() & !0x7f | opcode;
            match index % 3 {
                0 => word & 0x0fff_ffff,
                // The functions of registers, which are few.
                1 => word & 0x01ff_ffff | [0, 0x20, 1][rng.random_range(0..3)] << 25,
                _ => word,
            }
        })
        .chain([0x0000_0073, 0x0010_0073])
        .collect();
    let file = elf(&words, &[0]);
    let theirs = objdump(&file);
    let program = Program::load(&file, &Limits::default()).unwrap();
    let (mut same, mut none) = (0, 0);
    for line in Disassembly(&program).lines() {
        let expected = theirs.get(&line.address).unwrap_or_else(|| panic!("no line for {line}"));
        match line.text() {
            // Bits of fences that the manual reserves: whoever does not know them ignores them.
            Some(text) if text.starts_with("fence") && line.word & 0xf00f_ff80 != 0 => continue,
            Some(text) => assert_eq!(text, *expected, "{line}"),
            None => {
                let name = expected.split(' ').next().unwrap();
                assert!(!ours(name), "{line} is {expected} elsewhere");
                none += 1;
                continue;
            }
        }
        same += 1;
    }
    println!("{same} words have the same text, {none} are no instruction of RV64IM");
    assert!(same > WORDS / 3 && none > WORDS / 100, "{same} {none}");
}

/// Whether a mnemonic is one of RV64IM, by its words in the manual.
fn ours(name: &str) -> bool {
    const ALL: &str = " lui auipc jal jalr beq bne blt bge bltu bgeu lb lh lw ld lbu lhu lwu sb sh \
        sw sd addi slti sltiu xori ori andi slli srli srai add sub sll slt sltu xor srl sra or and \
        addiw slliw srliw sraiw addw subw sllw srlw sraw mul mulh mulhsu mulhu mulw div divu rem \
        remu divw divuw remw remuw ecall ebreak fence ";
    ALL.contains(&format!(" {name} "))
}

/// Address and text of every line.
fn objdump(file: &[u8]) -> HashMap<u64, String> {
    let work = tempfile::tempdir().unwrap();
    let content: Vec<u8> = file[0x1000..].to_vec();
    fs::write(work.path().join("words"), content).unwrap();
    let mut command = Command::new("riscv64-unknown-elf-objdump");
    command.args(["-D", "-b", "binary", "-m", "riscv:rv64", "-M", "no-aliases"]);
    command.args(["--adjust-vma=0x10000", "-z", "words"]).current_dir(work.path());
    let text = String::from_utf8(command.output().unwrap().stdout).unwrap();
    let line = |line: &str| {
        let (address, rest) = line.split_once(":\t")?;
        let address = u64::from_str_radix(address.trim(), 16).ok()?;
        let (_, text) = rest.split_once('\t')?;
        // Comments, and distances that are absolute addresses.
        let text = text.split(" #").next()?.split(" <").next()?.trim();
        let text = text.replace('\t', " ");
        // Targets are printed with 0x where there is no symbol.
        let text = match text.rsplit_once(",0x") {
            Some((head, target)) if is_target(head) => format!("{head},{target}"),
            _ => text,
        };
        Some((address, text))
    };
    text.lines().filter_map(line).collect()
}

fn is_target(head: &str) -> bool {
    ["jal ", "beq ", "bne ", "blt ", "bge ", "bltu ", "bgeu "].iter().any(|n| head.starts_with(n))
}
