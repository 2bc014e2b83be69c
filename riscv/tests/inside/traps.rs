//! Every way to stop a guest, with the place and the message.

use traceloom_riscv::memory::AccessError;
use traceloom_riscv::{Limits, Program, Trap, TrapKind, execute};

use super::support::{CODE, DATA, ECALL, addi, elf, exit, i, jal, s, u};

fn trap_of(code: &[u32], limits: &Limits) -> Trap {
    let program = Program::load(&elf(code, &[0; 64]), limits).unwrap();
    let trap = execute(&program, b"input", limits).unwrap_err();
    let text = trap.to_string();
    assert!(text.starts_with(&format!("pc {:#x}", trap.pc)) && text.len() > 60, "{text}");
    trap
}

#[track_caller]
fn traps(code: &[u32], pc: u64, kind: &TrapKind) {
    let trap = trap_of(code, &Limits::default());
    assert_eq!((trap.pc, &trap.kind), (pc, kind), "{trap}");
    assert_eq!(trap.cycle, (pc - CODE) / 4);
}

#[test]
fn code_that_is_none_is_named() {
    for (word, remedy) in [
        (0x0000_100f, "Zifencei"),
        (0x3000_2573, "Zicsr"),
        (0x0000_2053, "F or D"),
        (0x1005_252f, "A (atomics)"),
        (0xffff_ffff, "padding"),
        (0x1050_0073, "-march=rv64im"),
    ] {
        let trap = trap_of(&[addi(1, 0, 1), word], &Limits::default());
        assert!(matches!(trap.kind, TrapKind::Illegal { word: w, .. } if w == word), "{trap}");
        assert!(trap.to_string().contains(remedy), "{trap}");
        assert_eq!((trap.pc, trap.cycle), (CODE + 4, 1));
    }
    traps(&[0x0000_4505], CODE, &TrapKind::Compressed { half: 0x4505 });
    traps(&[0x0010_0073], CODE, &TrapKind::Breakpoint);
}

#[test]
fn jumps_stay_in_code() {
    traps(&[jal(1, 6)], CODE, &TrapKind::UnalignedJump { target: CODE + 6 });
    let to_data = [u(0x37, 5, 0x200), i(0x67, 0, [0, 5], 0)];
    let code = format!("{CODE:#x} to {:#x}", CODE + 8);
    let no_code = |target, what| TrapKind::NoCode { target, what, code: code.clone() };
    traps(&to_data, CODE + 4, &no_code(DATA, "data"));
    let to_nothing = [u(0x37, 5, 0x700), i(0x67, 0, [0, 5], 0)];
    traps(&to_nothing, CODE + 4, &no_code(0x70_0000, "not mapped"));
    // The end of the code.
    traps(&[addi(1, 0, 1), addi(1, 0, 1)], CODE + 4, &no_code(CODE + 8, "data"));
}

#[test]
fn accesses_stay_in_memory() {
    let access = |error| TrapKind::Access(error);
    let unmapped = AccessError::Unmapped { address: 0x10 };
    traps(&[i(3, 3, [5, 0], 16)], CODE, &access(unmapped));
    traps(&[s(3, [0, 5], 16)], CODE, &access(unmapped));
    let read_only = AccessError::ReadOnly { address: CODE };
    traps(&[u(0x37, 5, 0x10), s(0, [5, 0], 0)], CODE + 4, &access(read_only));
    // The last bytes of a page, and bytes beyond it.
    let edge = AccessError::Unmapped { address: DATA + 0x1000 };
    traps(&[u(0x37, 5, 0x201), i(3, 3, [5, 5], -4)], CODE + 4, &access(edge));
    let limits = Limits { memory: 1 << 13, ..Limits::default() };
    let code = [
        u(0x37, 5, 0x200),
        s(0, [5, 0], 0),
        s(0, [2, 0], 0),
        u(0x37, 6, 1),
        0x4061_0133,
        s(0, [2, 0], 0),
    ];
    let trap = trap_of(&code, &limits);
    assert!(matches!(trap.kind, TrapKind::Access(AccessError::Exhausted { .. })), "{trap}");
    assert_eq!(trap.pc, CODE + 20);
}

#[test]
fn unaligned_accesses_are_refused_where_asked() {
    let code = [u(0x37, 5, 0x200), i(3, 3, [6, 5], 1), exit(0)[0], exit(0)[1], ECALL];
    let program = Program::load(&elf(&code, &[0; 64]), &Limits::default()).unwrap();
    assert_eq!(execute(&program, &[], &Limits::default()).unwrap().exit_code, 0);
    let trap = trap_of(&code, &Limits { unaligned: false, ..Limits::default() });
    assert_eq!(trap.kind, TrapKind::Unaligned { address: DATA + 1, width: 8 });
}

#[test]
fn limits_hold_exactly() {
    let limits = Limits { cycles: 1000, ..Limits::default() };
    let trap = trap_of(&[jal(0, 0)], &limits);
    assert_eq!((trap.kind, trap.cycle), (TrapKind::Cycles { limit: 1000 }, 1000));
    let program = Program::load(&elf(&exit(7), &[0]), &limits).unwrap();
    let just = Limits { cycles: 3, ..Limits::default() };
    let ran = execute(&program, &[], &just).unwrap();
    assert_eq!((ran.cycles, ran.exit_code), (3, 7));
    let less = Limits { cycles: 2, ..Limits::default() };
    assert_eq!(execute(&program, &[], &less).unwrap_err().kind, TrapKind::Cycles { limit: 2 });
    let write = [addi(10, 0, 1), u(0x37, 11, 0x200), addi(12, 0, 9), addi(17, 0, 64), ECALL];
    let trap = trap_of(&write, &Limits { output: 8, ..Limits::default() });
    assert_eq!(trap.kind, TrapKind::Output { bytes: 9, limit: 8 });
}

#[test]
fn unknown_calls_are_named() {
    let call = |number, file| [addi(17, 0, number), addi(10, 0, file), ECALL];
    traps(&call(57, 0), CODE + 8, &TrapKind::UnknownEcall { number: 57 });
    let unknown = |number, file, allowed| TrapKind::UnknownFile { number, file, allowed };
    traps(&call(64, 2), CODE + 8, &unknown(64, 2, 1));
    traps(&call(63, 1), CODE + 8, &unknown(63, 1, 0));
    let read = [addi(17, 0, 63), addi(12, 0, 9), ECALL];
    traps(&read, CODE + 8, &TrapKind::Access(AccessError::Unmapped { address: 0 }));
}
