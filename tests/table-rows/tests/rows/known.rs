//! The reference itself: against plain arithmetic, and worked rows.

use traceloom_abi::row::RowShape;
use traceloom_air::field::element;
use traceloom_optables::OpRecord;
use traceloom_optables::record::Counted;
use traceloom_optables::record::records_of;
use traceloom_riscv::records::{LtOp, ShiftOp};
use traceloom_table_rows::PROGRAM;

use crate::cases::words;
use crate::ops::BOUNDARY;
use crate::reference;

/// The result of a shift as a processor has it; of 32 bits without its extension.
fn shifted(op: &ShiftOp) -> u64 {
    let [right, signed, word] = [6, 5, 1].map(|i| op.flags >> i & 1 == 1);
    let amount = (op.rhs % if word { 32 } else { 64 }) as u32;
    match (right, signed) {
        (false, _) => op.lhs << amount,
        (true, true) => (op.lhs as i64 >> amount) as u64,
        (true, false) => op.lhs >> amount,
    }
}

#[test]
fn every_amount_of_every_kind_of_shift_is_right() {
    let index = PROGRAM.functions.iter().position(|unit| unit.symbol == "f_shift");
    let index = index.expect("a table of shifts");
    let mut ops = Vec::new();
    for value in BOUNDARY.into_iter().chain([0x8123_4567_89ab_cdef, 0xffff_ffff_8000_0001]) {
        for amount in (0..256).chain([0x1234_5678_0000_0115, u64::MAX]) {
            let flags = (0..8).map(|i| 5 + i % 2 + 32 * (i / 2));
            ops.extend(flags.map(|flags| ShiftOp { lhs: value, rhs: amount, flags }));
        }
    }
    let mut record = traceloom_abi::record::Record::new([], [], Default::default());
    record.ops = vec![records_of::<ShiftOp>(); index + 1];
    ops.iter().for_each(|op| record.ops[index].push(|words| op.put(words)));
    let path = &PROGRAM.functions[index].paths[0];
    let queries: Vec<u32> = (0..ops.len() as u32).collect();
    let mut seeds = vec![0; ops.len() * path.schema.stride as usize];
    assert_eq!((path.pack_typed)(&record, &queries, &mut seeds), Ok(true));
    let mut rows = vec![element(0); ops.len() * 30];
    (path.write)(&seeds, &mut rows, &RowShape::alone(0, 0, 30));
    for (op, row) in ops.iter().zip(rows.chunks(30)) {
        let row = words(row);
        assert_eq!(row, reference::shift(op), "{op:?}");
        let out = row[8] + (row[9] << 32);
        let is_word = op.flags % 32 == 6;
        let (found, right) = (out, shifted(op));
        let same = if is_word { found as u32 == right as u32 } else { found == right };
        assert!(same, "{op:?}: {found:x}, not {right:x}");
    }
}

#[test]
fn worked_rows_of_shifts() {
    let (right, signed) = (64, 32);
    let value = 0x8123_4567_89ab_cdef;
    let amount = 0x1234_5678_0000_0115;
    let row = reference::shift(&ShiftOp { lhs: value, rhs: amount, flags: 5 | right | signed });
    assert_eq!(row[4], 21);
    assert_eq!(row[11], 11);
    assert_eq!(row[13..18], [0x7800, 0x5800, 0x3800, 0x1800, 0xf800]);
    assert_eq!(row[18..22], [0x066f, 0x044d, 0x022b, 0x0409]);
    assert_eq!(row[22..25], [0, 1, 0]);
    assert_eq!(row[8..10], [0x1a2b_3c4d, 0xffff_fc09]);
    let row = reference::shift(&ShiftOp { lhs: value, rhs: 20, flags: 5 });
    assert_eq!(row[13..22], [0xdef0, 0x9ab0, 0x5670, 0x1230, 0, 0xc, 8, 4, 8]);
    assert_eq!(row[8..10], [0xdef0_0000, 0x5678_9abc]);
    let flags = 6 | right | signed;
    let row = reference::shift(&ShiftOp { lhs: 0xffff_ffff_8000_0001, rhs: 48, flags });
    assert_eq!(row[11..13], [0, 1]);
    assert_eq!(row[8], 0xffff_8000);
}

#[test]
fn worked_rows_of_comparisons() {
    let less = |lhs, rhs, flags| Counted { op: LtOp { lhs, rhs, flags }, count: 1 };
    let row = reference::lt(&less(3, 5, 4));
    assert_eq!(row[7..12], [1, 0xfffe, 0xffff, 0xffff, 0xffff]);
    let [unsigned, signed] = [4, 36].map(|flags| reference::lt(&less(1 << 63, 1, flags)));
    assert_eq!(unsigned[8..14], [0xffff, 0xffff, 0xffff, 0x7fff, 1, 0]);
    assert_eq!((unsigned[7], signed[7]), (0, 1));
}
