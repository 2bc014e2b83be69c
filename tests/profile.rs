//! Profiles in the forms of other tools, and the command.

use std::io::Read;

use flate2::read::GzDecoder;
use prost::Message;
use traceloom::cli::Unit;
use traceloom::profile::flame::graph;
use traceloom::profile::pprof::{ProfileMessage, encode};
use traceloom::runtime::profile::{Cost, Entry, Profile};

const HOSTILE: &str = "<script>alert('1')</script>;\n\"& 7";

fn profile() -> Profile {
    let cost = |number: u64| Cost {
        rows: number,
        executed: 2 * number,
        cells: 3 * number,
        lookups: 4 * number,
        seconds: number as f64 / 8.0,
    };
    let entry = |stack: &[&str], operation: &str, number| Entry {
        stack: stack.iter().map(|name| (*name).to_owned()).collect(),
        operation: operation.into(),
        cost: cost(number),
    };
    Profile {
        entries: vec![
            entry(&["main"], "row", 1),
            entry(&["main", HOSTILE], "mul", 2),
            entry(&["main", HOSTILE], HOSTILE, 4),
            entry(&["padding"], "main", 8),
        ],
    }
}

/// Everything that a profile has is in the file, and reads back as it was.
#[test]
fn pprof_has_every_stack_and_every_sum() {
    let profile = profile();
    let mut bytes = Vec::new();
    GzDecoder::new(&encode(&profile).unwrap()[..]).read_to_end(&mut bytes).unwrap();
    let message = ProfileMessage::decode(&bytes[..]).unwrap();
    let name = |position: i64| message.string_table[position as usize].as_str();
    assert_eq!(message.string_table[0], "", "the format wants it so");
    let types: Vec<(&str, &str)> =
        message.sample_type.iter().map(|of| (name(of.kind), name(of.unit))).collect();
    assert_eq!(types[0], ("rows", "count"));
    assert_eq!(types[4], ("time", "nanoseconds"));
    assert_eq!(name(message.default_sample_type), "time");
    let of_location = |id: &u64| {
        let location = message.location.iter().find(|of| of.id == *id).unwrap();
        let function = location.line[0].function_id;
        name(message.function.iter().find(|of| of.id == function).unwrap().name)
    };
    for (sample, entry) in message.sample.iter().zip(&profile.entries) {
        // The innermost comes first.
        let mut names: Vec<&str> = sample.location_id.iter().map(of_location).collect();
        names.reverse();
        let expected: Vec<&str> =
            entry.stack.iter().chain([&entry.operation]).map(String::as_str).collect();
        assert_eq!(names, expected);
    }
    let sum = |at: usize| message.sample.iter().map(|sample| sample.value[at]).sum::<i64>();
    assert_eq!([0, 1, 2, 3, 4].map(sum), [15, 30, 45, 60, 15 * 125_000_000]);
    // Ids are not zero, and none stands twice.
    let mut ids: Vec<u64> = message.function.iter().map(|of| of.id).collect();
    ids.dedup();
    assert_eq!(ids, (1..=message.function.len() as u64).collect::<Vec<_>>());
    // Without seconds another type is shown first.
    let mut counted = profile;
    counted.entries.iter_mut().for_each(|entry| entry.cost.seconds = 0.0);
    let message = traceloom::profile::pprof::message(&counted);
    assert_eq!(message.string_table[message.default_sample_type as usize], "cells");
}

#[test]
fn a_flamegraph_has_every_frame_and_no_markup_of_a_program() {
    let svg = String::from_utf8(graph(&profile(), "title", Unit::Cells).unwrap()).unwrap();
    assert!(!svg.contains("<script>alert"), "{svg}");
    // A semicolon in a name would begin another frame, a line break another stack.
    assert!(svg.contains("&lt;script&gt;alert("), "{svg}");
    assert!(svg.contains("&lt;/script&gt;:\\n"), "{svg}");
    // 45 cells in all, 18 of them in the function with the odd name, 24 of padding.
    for part in ["all (45 cells, 100%)", "(18 cells, 40.00%)", "padding (24 cells, 53.33%)"] {
        assert!(svg.contains(part), "{part}: {svg}");
    }
    let again = graph(&profile(), "title", Unit::Cells).unwrap();
    assert!(svg.as_bytes() == again, "the same profile has the same drawing");
    let error = graph(&Profile::default(), "title", Unit::Seconds).unwrap_err();
    assert!(error.contains("by seconds"), "{error}");
}
