//! Dependencies: advice that a constraint or a message reads, and the values that roots need.

use std::collections::BTreeMap;

use super::code::{Code, Use};
use crate::row::{Cell, Fixed, Write};
use crate::value::{Expr, ValueNo};

/// Advice that a constraint or a message reads is determined after all; `read` is of
/// [`find_read`].
pub(super) fn label_advice(read: &[bool], writes: &mut [Write]) {
    for write in writes {
        if let (Fixed::FreeAdvice, Cell::Value(value)) = (write.fixed, write.cell)
            && read[value.index()]
        {
            write.fixed = Fixed::Determined;
        }
    }
}

/// The values that constraints and messages read, as flags.
pub(super) fn find_read(code: &Code) -> Vec<bool> {
    let mut read = vec![false; code.values.len()];
    let mut with: BTreeMap<ValueNo, Vec<ValueNo>> = BTreeMap::new();
    let mut stack = Vec::new();
    for used in &code.uses {
        match *used {
            Use::Constrained(value) => stack.push(value),
            Use::With(value, other) => with.entry(value).or_default().push(other),
            _ => {}
        }
    }
    while let Some(value) = stack.pop() {
        if std::mem::replace(&mut read[value.index()], true) {
            continue;
        }
        stack.extend(with.get(&value).into_iter().flatten());
        let expr = &code.values[value.index()].expr;
        // These are columns: their operands are read by what the operation requires.
        match expr {
            Expr::ByteOf(..) | Expr::LimbOf(..) | Expr::InverseOrZero(_) | Expr::IsZero(_) => {}
            _ => stack.extend(expr.operands()),
        }
    }
    read
}

/// The values that `roots` depend on, as flags.
pub(super) fn closure(code: &Code, roots: Vec<ValueNo>) -> Vec<bool> {
    let mut needed = vec![false; code.values.len()];
    roots.iter().for_each(|root| needed[root.index()] = true);
    for index in (0..needed.len()).rev() {
        if needed[index] {
            for operand in code.values[index].expr.operands() {
                needed[operand.index()] = true;
            }
        }
    }
    needed
}
