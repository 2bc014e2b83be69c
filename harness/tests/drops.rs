//! Every constraint and every lookup is noticed when it is left out, except those
//! that are listed here with a reason.

use std::collections::BTreeMap;

use traceloom_harness::drops::{Notice, programs};
use traceloom_runtime::check::check;

/// Items whose loss nothing shows, with the reason.
const EXPLAINED: &[(&str, &str)] = &[];

#[test]
fn what_nobody_would_miss_is_explained() {
    let mut unnoticed = Vec::new();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for subject in programs::all() {
        let honest = check(&subject.system, std::slice::from_ref(&subject.witness));
        assert!(honest.is_ok(), "{}: {honest}", subject.name);
        for (circuit, item, label) in subject.items() {
            let what = match subject.notice(circuit, item) {
                Notice::Forgery => "noticed by a forgery",
                Notice::Honest => "noticed by the honest witness",
                Notice::Unnoticed => {
                    unnoticed.push(label);
                    "unnoticed"
                }
            };
            *counts.entry(what).or_default() += 1;
        }
    }
    println!("{counts:?}");
    let explained: Vec<&str> = EXPLAINED.iter().map(|(item, _)| *item).collect();
    assert_eq!(unnoticed, explained, "\n{}", unnoticed.join("\n"));
}
