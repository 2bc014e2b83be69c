//! The absence of every constraint and every lookup is noticed, except of those that are
//! listed here with a reason.

use std::collections::{BTreeMap, BTreeSet};

use traceloom_air::bytes::ByteTable;
use traceloom_harness::drops::{Item, Notice, programs};
use traceloom_runtime::check::check;

/// One leaf: its selector is the row selector, and both are said to be a bit.
const TWICE: &str = "the same expression is constrained twice";
/// Two arms of one match ask for different keys, so at most one of their gates is
/// not zero. Then a leaf is its block's sum, and one of them being a bit is enough.
/// The root's sum is the row selector besides.
const ARMS: &str = "arms exclude each other by their keys, so bits follow from each other";
/// Nobody stores or loads with constraints there, so all multiplicities are 0.
const UNUSED: &str = "nobody asks this table";

/// Circuit, positions of constraints whose loss nothing shows, and the reason.
const EXPLAINED: &[(&str, &[usize], &str)] = &[
    ("arithmetic/main", &[0, 6], TWICE),
    ("arithmetic/same", &[0, 2], TWICE),
    ("control/plain", &[0, 1, 2, 3, 9], ARMS),
    ("control/nest", &[0, 1, 2, 3, 4, 5, 6, 7, 14, 24], ARMS),
    ("bytes/unary", &[0, 1], TWICE),
    ("bytes/main", &[0, 4], TWICE),
    ("memory/main", &[0, 1], TWICE),
    ("calls/even", &[0, 1, 2, 5], ARMS),
    ("calls/odd", &[0, 1, 2, 5], ARMS),
    ("calls/square", &[0, 2], TWICE),
    ("calls/outside", &[0, 1], TWICE),
    ("gaps/fork", &[0, 1, 2, 5], ARMS),
    ("group/f+g", &[1, 2, 4], ARMS),
    ("advice/main", &[0, 1, 2, 10], ARMS),
];

/// The same for lookups.
const EXPLAINED_LOOKUPS: &[(&str, &[usize], &str)] = &[("memory/memory1", &[0], UNUSED)];

/// Reasons by item.
fn explained() -> BTreeMap<String, &'static str> {
    type List = [(&'static str, &'static [usize], &'static str)];
    let items = |list: &'static List, item: fn(usize) -> Item| {
        list.iter().flat_map(move |&(place, positions, reason)| {
            let name = move |&position| (format!("{place} {:?}", item(position)), reason);
            positions.iter().map(name)
        })
    };
    let constraints = items(EXPLAINED, Item::Constraint);
    constraints.chain(items(EXPLAINED_LOOKUPS, Item::Lookup)).collect()
}

/// Compares the report with docs/unnoticed.md, or writes it with `TRACELOOM_BLESS`.
fn report(counts: &BTreeMap<&str, usize>, lines: &[String]) {
    let mut text = String::from(
        "# Constraints and lookups whose absence was not noticed\n\n\
         The test leaves out one constraint or lookup of a small program at a time and searches \
         for a\nforgery that only the full system refuses. The table has every item for which it \
         found none, and\nwhy that is no gap. docs/reliability.md describes the search.\n\n\
         `TRACELOOM_BLESS=1 cargo test -p traceloom-harness --test drops` writes this page, and \
         every run of\nthat test compares it.\n\n",
    );
    for (what, count) in counts {
        text.push_str(&format!("- {what}: {count}\n"));
    }
    text.push_str("\n| circuit and item | reason |\n| --- | --- |\n");
    lines.iter().for_each(|line| text.push_str(line));
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/unnoticed.md");
    if std::env::var_os("TRACELOOM_BLESS").is_some() {
        std::fs::write(path, text).expect("the tree is writable");
        return;
    }
    let current = std::fs::read_to_string(path).expect("the report is checked in");
    assert!(current == text, "docs/unnoticed.md is stale; run with TRACELOOM_BLESS=1\n{text}");
}

#[test]
fn what_nobody_would_miss_is_explained() {
    let explained = explained();
    let (mut unnoticed, mut lines) = (BTreeSet::new(), Vec::new());
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for subject in programs::all() {
        let honest = check(&subject.system, std::slice::from_ref(&subject.witness));
        assert!(honest.is_ok(), "{}: {honest}", subject.name);
        let whole = check(&subject.whole.0, std::slice::from_ref(&subject.whole.1));
        assert!(whole.is_ok(), "{}: {whole}", subject.name);
        for (circuit, item, label) in subject.items() {
            let what = match subject.notice(circuit, item) {
                Notice::Forgery => "noticed by a forgery",
                Notice::Honest => "noticed by the honest witness",
                Notice::Unnoticed => {
                    let name = &subject.system.circuits[circuit].name;
                    let key = format!("{}/{name} {item:?}", subject.name);
                    let reason = explained.get(&key).copied().unwrap_or("unexplained");
                    lines.push(format!("| {label} | {reason} |\n"));
                    unnoticed.insert(key);
                    "unnoticed"
                }
            };
            *counts.entry(what).or_default() += 1;
        }
    }
    println!("{counts:?}");
    let explained: BTreeSet<String> = explained.into_keys().collect();
    let missing: Vec<_> = unnoticed.difference(&explained).collect();
    let gone: Vec<_> = explained.difference(&unnoticed).collect();
    assert!(missing.is_empty() && gone.is_empty(), "unexplained {missing:?}, noticed {gone:?}");
    report(&counts, &lines);
}

/// Every operation of the byte tables is looked up by some program, so that the pulls of
/// all of them are left out.
#[test]
fn every_pull_of_the_byte_tables_is_left_out() {
    let mut pulls = BTreeSet::new();
    for subject in programs::all() {
        let (whole, _) = &subject.whole;
        for (circuit, item, _) in subject.items() {
            let data = &whole.circuits[circuit];
            if let (true, Item::Lookup(position)) = (data.preprocessed().is_some(), item) {
                pulls.insert(data.lookups[position].label.clone());
            }
        }
    }
    let ops = ByteTable::ALL.into_iter().flat_map(ByteTable::ops);
    assert_eq!(pulls.len(), ops.count(), "{pulls:?}");
}

/// Bits that follow from each other are not left out together.
#[test]
fn all_bits_together_are_missed() {
    for subject in programs::all() {
        for (circuit, data) in subject.system.circuits.iter().enumerate() {
            let mut mutated = subject.system.clone();
            let constraints = &mut mutated.circuits[circuit].constraints;
            constraints.retain(|constraint| !constraint.label.ends_with("is a bit"));
            if constraints.len() < data.constraints.len() {
                let forged = subject.forge(&mutated, circuit);
                assert!(forged.is_some(), "{}/{}: no bit is needed", subject.name, data.name);
            }
        }
    }
}
