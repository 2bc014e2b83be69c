//! docs/report.md against a report, and the page of a real proof.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::Value;
use traceloom::runtime::ledger::{Direction, Kind, Ledger, Transfer};
use traceloom::runtime::report::{DeviceReport, DeviceStep, Sample};
use traceloom::runtime::session::Request;
use traceloom::runtime::shards::{NumShards, ShardOptions};
use traceloom::verifier::Profile;

/// A report of two shards with a cache. What only a machine with a GPU has is made here by the same
/// types.
fn report() -> Value {
    let folder = tempfile::tempdir().unwrap();
    let options = ShardOptions { shards: NumShards::Exactly(2), ..ShardOptions::default() };
    let session = traceloom::session("fibonacci")
        .unwrap()
        .profile(Profile::Fast)
        .shards(options)
        .cache(folder.path())
        .memory_samples(Duration::from_millis(1))
        .build()
        .unwrap();
    let mut proved = session.prove(Request::args([30])).unwrap();
    let steps = vec![DeviceStep { bytes: 8, ..DeviceStep::new("main", "extension") }];
    let memory = vec![Sample { at: Duration::from_millis(3), bytes: 4 }];
    proved.report.devices.push(DeviceReport { steps, memory, ..DeviceReport::default() });
    let ledger = Ledger::default();
    let transfer = Transfer { circuit: "fib", kind: Kind::Seeds };
    ledger.moved(&transfer, Direction::Up, 12);
    ledger.avoided("fib", 24);
    ledger.dispatched("fib", "kernel", 3);
    proved.report.trace.ledger = ledger.entries();
    proved.report.json()
}

/// The keys of every object, by the place of the object. Lists are `[]`.
fn keys(value: &Value, place: &str, all: &mut BTreeMap<String, BTreeSet<String>>) {
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                all.entry(place.to_owned()).or_default().insert(key.clone());
                let inner = if place == "report" { key.clone() } else { format!("{place}.{key}") };
                keys(value, &inner, all);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| keys(item, &format!("{place}[]"), all)),
        _ => {}
    }
}

/// The members that the tables of docs/report.md have, by heading.
fn documented(text: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut all = BTreeMap::new();
    let mut place = String::new();
    for line in text.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            place = heading.to_owned();
        } else if let Some(member) = line.strip_prefix("| `").and_then(|rest| rest.split_once('`'))
        {
            let members: &mut BTreeSet<String> = all.entry(place.clone()).or_default();
            assert!(
                members.insert(member.0.to_owned()),
                "{place}: {} stands there twice",
                member.0
            );
        }
    }
    all
}

#[test]
fn every_member_of_a_report_is_documented_and_no_other() {
    let mut found = BTreeMap::new();
    keys(&report(), "report", &mut found);
    assert_eq!(documented(include_str!("../docs/report.md")), found);
}

#[test]
fn a_real_report_has_a_page() {
    let report = report();
    let page = traceloom::html::page(&report).unwrap();
    let circuits = report["trace"]["circuits"].as_array().unwrap();
    for circuit in circuits.iter().filter(|circuit| circuit["height"] != 0) {
        assert!(page.contains(circuit["name"].as_str().unwrap()), "{circuit}");
    }
    // Spans of both shards, and of the steps around them.
    for part in ["main, shard 0: ", "main, shard 1: ", "whole proof", "title=\"verification: "] {
        assert!(page.contains(part), "{part}");
    }
}

/// Totals of the report are sums of its parts.
#[test]
fn totals_are_sums() {
    let report = report();
    let circuits = report["trace"]["circuits"].as_array().unwrap();
    for (total, part) in [("rows", "rows"), ("cells", "cells")] {
        let sum: u64 = circuits.iter().map(|circuit| circuit[part].as_u64().unwrap()).sum();
        assert_eq!(report["trace"][total], sum, "{total}");
    }
    for circuit in circuits {
        let number = |key: &str| circuit[key].as_u64().unwrap();
        assert_eq!(number("cells"), number("width") * number("height"));
        assert_eq!(number("row_bytes"), 8 * number("width") * number("rows"));
    }
    let pieces = report["shards"]["shards"].as_array().unwrap().iter();
    let pieces = pieces.flat_map(|shard| shard["pieces"].as_array().unwrap());
    let rows =
        pieces.map(|piece| piece["rows"][1].as_u64().unwrap() - piece["rows"][0].as_u64().unwrap());
    let real = circuits.iter().map(|circuit| circuit["rows"].as_u64().unwrap());
    assert_eq!(rows.sum::<u64>(), real.sum::<u64>());
}
