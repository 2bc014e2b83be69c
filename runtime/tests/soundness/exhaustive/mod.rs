//! Every cell of every trace of small programs, padding included: changed, it is
//! refused if and only if it is *determined*.
//!
//! Which cells are free is worked out from bytecode and layout alone
//! ([`label`]), with a reason for each; the constraint system has no part in it.
//! The programs ([`programs`]) have every operation and every form of control.
//!
//! The cells of byte tables are multiplicities, and all of them are determined. There are
//! too many to change them one at a time: they are changed together, and the checker has
//! to miss one message for each. Messages of different cells differ, so every change
//! alone is refused.

mod label;
pub mod programs;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use traceloom_air::bytes::ByteTable;
use traceloom_air::field::{Goldilocks, MODULUS, PrimeCharacteristicRing, element};
use traceloom_air::system::CircuitKind;
use traceloom_bytecode::model::Control;

use crate::lab::Lab;
use label::{Label, labels};

/// A cell of the first shard.
#[derive(Clone, Copy, Debug)]
struct Cell {
    circuit: usize,
    row: usize,
    column: usize,
}

impl Cell {
    fn of(self, lab: &mut Lab) -> &mut Goldilocks {
        let trace = lab.shards[0].traces[self.circuit].as_mut().expect("an active circuit");
        &mut trace.row_mut(self.row)[self.column]
    }
}

/// The family of all cells of byte tables.
const BYTES: Label = Label::Determined("multiplicity of a byte table");

/// All cells of functions and memories with their labels.
fn cells(lab: &Lab) -> Vec<(Cell, Label)> {
    let mut cells = Vec::new();
    for (circuit, data) in lab.system.circuits.iter().enumerate() {
        let Some(trace) = &lab.shards[0].traces[circuit] else { continue };
        if matches!(data.kind, CircuitKind::Bytes(_)) {
            continue;
        }
        for row in 0..trace.height() {
            let labels = labels(&lab.program, &data.kind, circuit, trace.row(row));
            assert_eq!(labels.len(), data.width);
            let labels = labels.into_iter().enumerate();
            cells.extend(labels.map(|(column, label)| (Cell { circuit, row, column }, label)));
        }
    }
    cells
}

/// A random element that differs from `old` and from `old + 1`, and is not a bit.
fn random(rng: &mut ChaCha8Rng, old: Goldilocks) -> Goldilocks {
    loop {
        let value = element(rng.random_range(2..MODULUS));
        if value != old && value != old + Goldilocks::ONE {
            return value;
        }
    }
}

#[test]
fn exhaustive_a_changed_cell_is_refused_if_and_only_if_it_is_determined() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for (name, honest) in programs::all() {
        let lab = honest.with_short_byte_tables();
        let report = lab.check();
        assert!(report.is_ok(), "{name}: {report}");
        let mut changed = lab.clone();
        // The cut byte tables are not looked at: their positions are the same.
        for (cell, label) in cells(&honest) {
            *counts.entry(label.to_string()).or_default() += 1;
            let old = *cell.of(&mut changed);
            let to_random = random(&mut rng, old);
            for (new, free) in
                [(old + Goldilocks::ONE, label.is_free_to_increase()), (to_random, label.is_free())]
            {
                *cell.of(&mut changed) = new;
                if changed.check().is_ok() != free {
                    let circuit = &lab.system.circuits[cell.circuit];
                    let column = &circuit.column_names[cell.column];
                    let row = cell.row;
                    wrong.push(format!("{name}: {} {row} {column} {new}: {label}", circuit.name));
                }
            }
            *cell.of(&mut changed) = old;
        }
    }
    let mut table = String::new();
    for (label, count) in &counts {
        writeln!(table, "{count:5}  {label}").unwrap();
    }
    println!("{table}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    insta::with_settings!({ snapshot_path => "../snapshots" }, {
        insta::assert_snapshot!("cells", table);
    });
}

/// Each cell of the byte tables, by one and by a random number, those in use and others.
#[test]
fn exhaustive_a_changed_count_of_a_byte_table_is_refused() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut seen = BTreeSet::new();
    for (name, honest) in programs::all() {
        let cells = byte_cells(&honest);
        seen.extend(lookups(&honest));
        if cells.is_empty() {
            continue;
        }
        println!("{name}: {} cells of byte tables", cells.len());
        for is_random in [false, true] {
            let mut lab = honest.clone();
            for cell in &cells {
                let old = cell.of(&mut lab);
                *old = if is_random { random(&mut rng, *old) } else { *old + Goldilocks::ONE };
            }
            let report = lab.check();
            let missed = (report.num_constraints, report.num_messages);
            assert_eq!(missed, (0, cells.len()), "{name}: {report}");
        }
    }
    let all = ByteTable::ALL.into_iter().flat_map(ByteTable::ops).count();
    assert_eq!(seen.len(), all, "every operation: {seen:?}");
}

/// All cells of byte tables.
fn byte_cells(lab: &Lab) -> Vec<Cell> {
    let mut cells = Vec::new();
    for (circuit, data) in lab.system.circuits.iter().enumerate() {
        let (Some(_), Some(trace)) = (data.preprocessed(), &lab.shards[0].traces[circuit]) else {
            continue;
        };
        let rows = 0..trace.height();
        cells.extend(
            rows.flat_map(|row| (0..data.width).map(move |column| Cell { circuit, row, column })),
        );
    }
    cells
}

/// Labels of the lookups of byte tables.
fn lookups(lab: &Lab) -> Vec<String> {
    let tables = lab.system.circuits.iter().filter(|circuit| circuit.preprocessed().is_some());
    let lookups = tables.flat_map(|circuit| &circuit.lookups);
    lookups.map(|lookup| lookup.label.clone()).collect()
}

/// One cell of each family that stands for the others.
#[test]
fn exhaustive_the_verifier_refuses_a_cell_of_every_family() {
    let mut seen = BTreeSet::new();
    for (name, honest) in programs::all() {
        let bytes = byte_cells(&honest).into_iter().map(|cell| (cell, BYTES));
        for (cell, label) in cells(&honest).into_iter().chain(bytes) {
            let Label::Determined(family) = label else { continue };
            if !seen.insert(family) {
                continue;
            }
            let mut lab = honest.clone();
            *cell.of(&mut lab) += Goldilocks::ONE;
            println!("{name}: {family}");
            lab.refused_by_verify();
        }
    }
}

/// All free cells at once, so at least one for every reason.
#[test]
fn exhaustive_the_verifier_accepts_any_values_in_free_cells() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    for (name, honest) in programs::all() {
        let mut lab = honest.clone();
        let mut num_changed = 0;
        for (cell, label) in cells(&honest) {
            if label.is_free() {
                let old = *cell.of(&mut lab);
                *cell.of(&mut lab) = random(&mut rng, old);
                num_changed += 1;
            }
        }
        println!("{name}: {num_changed} free cells");
        lab.accepted();
    }
}

/// An idle row may be there, although nobody asks for it.
#[test]
fn exhaustive_the_verifier_accepts_a_row_that_nobody_asks_for() {
    let idle = programs::all().into_iter().find_map(|(_, honest)| {
        let found = cells(&honest).into_iter().find(|(_, label)| matches!(label, Label::Idle));
        found.map(|(cell, _)| (honest, cell))
    });
    let (mut lab, cell) = idle.expect("a program has such a row");
    *cell.of(&mut lab) += Goldilocks::ONE;
    lab.accepted();
}

#[test]
fn exhaustive_programs_have_every_operation_and_control() {
    let mut seen = BTreeSet::new();
    for (_, lab) in programs::all() {
        for block in lab.program.program().functions.iter().flat_map(|f| &f.blocks) {
            seen.extend(block.ops.iter().map(|op| op.name()));
            seen.insert(block.control.name());
            if let Control::Match(arms) = &block.control
                && arms.cases.is_empty()
            {
                seen.insert("only a default");
            }
        }
    }
    for name in programs::FORMS {
        assert!(seen.remove(name), "no program has {name}");
    }
    assert!(seen.is_empty(), "not listed: {seen:?}");
}
