//! The page of a report with two workers, a device, a fallback and hostile names.

use serde_json::{Value, json};

use super::page;

const HOSTILE: &str = "<script>alert('1')</script>\"onload=\"x&";

fn span(step: &str, worker: Option<&str>, shard: Option<u64>, (begin, end): (f64, f64)) -> Value {
    json!({ "step": step, "worker": worker, "shard": shard, "begin_seconds": begin, "end_seconds": end })
}

fn circuit(name: &str, reason: Option<&str>) -> Value {
    json!({
        "name": name, "provider": "scalar", "reason": reason, "evaluator": "system",
        "rows": 1000, "height": 1024, "width": 10, "constraints": 7, "lookups": 3,
        "typed_seed_bytes": 8000, "full_seed_bytes": 0,
        "packing_seconds": 0.25, "writing_seconds": 0.5,
        "stages": [{ "name": "main", "seconds": 1.0 }, { "name": "quotient", "seconds": 2.0 }],
    })
}

fn report() -> Value {
    let device = json!({
        "name": HOSTILE, "planned_bytes": 4096, "peak_bytes": 2048,
        "memory": [{ "at_seconds": 1.0, "bytes": 1024 }, { "at_seconds": 2.0, "bytes": 2048 }],
        "steps": [{ "stage": "main", "name": HOSTILE, "launches": 3, "seconds": 0.5,
            "floor_bytes": 1 << 20, "of_floor": 0.75 }],
    });
    json!({
        "format": "traceloom-report/1",
        "program": HOSTILE, "profile": HOSTILE, "proof_bytes": 123_456,
        "backend": { "name": "cuda", "reason": HOSTILE },
        "execution": { "name": "interpreted", "reason": HOSTILE },
        "machine": { "threads": 2, "processor": HOSTILE, "cores": 2, "memory_bytes": 1_u64 << 34,
            "system": HOSTILE, "versions": { HOSTILE: HOSTILE } },
        "total_seconds": 4.0, "setup_seconds": 0.5, "verification_seconds": 0.125,
        "stages": [{ "name": "execution", "seconds": 1.0 }, { "name": HOSTILE, "seconds": 1.5 }],
        "spans": [span("execution", None, None, (0.0, 1.0)),
            span("main", Some(HOSTILE), Some(0), (1.0, 2.0)), span(HOSTILE, Some("b"), Some(1), (1.0, 3.0))],
        "memory": [{ "at_seconds": 0.0, "bytes": 1 << 20 }, { "at_seconds": 4.0, "bytes": 1 << 30 }],
        "peak_memory_bytes": 1 << 30,
        "shards": { "retention": HOSTILE, "planned_memory_bytes": { "peak": 1_u64 << 31 },
            "shards": [{ "shard": 0, "cells": HOSTILE,
                "pieces": [{ "circuit": HOSTILE, "rows": [0, 1000], "log_height": 10 }] }] },
        "workers": [{ "name": HOSTILE, "committed": 1, "kept": 1, "proven": 1, "failure": HOSTILE }],
        "devices": [device],
        "trace": { "fingerprint": HOSTILE, "unit_digest": null, "rows": 2000, "cells": 20_480,
            "ledger": { "bytes_up": 1000, "bytes_down": 10, "filled_bytes": 5, "host_built_bytes_up": 4000,
                "transfers": [{ "kind": HOSTILE, "bytes_up": 1000, "bytes_down": 10, "transfers": 3 }] },
            "circuits": [circuit("one", None), circuit(HOSTILE, Some(HOSTILE))] },
    })
}

/// What a browser would take for markup is escaped, wherever it is.
#[test]
fn hostile_names_are_text() {
    let page = page(&report()).unwrap();
    assert!(!page.contains("<script"), "{page}");
    assert!(!page.contains("\"onload="), "{page}");
    assert!(page.matches("&lt;script&gt;").count() > 20, "{page}");
    // What the policy of the page says of scripts and of the network.
    assert!(page.contains("content=\"default-src 'none'; style-src 'unsafe-inline'\""));
}

#[test]
fn the_page_is_whole_without_a_network() {
    let page = page(&report()).unwrap();
    for part in ["http:", "https:", " src=", " href=", "url(", "@import"] {
        assert!(!page.contains(part), "{part}");
    }
    for heading in [
        "Time by stage",
        "Workers and shards over time",
        "Memory over time",
        "Time by circuit",
        "Rows by circuit",
        "Cells by circuit",
        "Seeds against rows",
        "Ledger",
        "Shards",
        "Machine and versions",
    ] {
        assert!(page.contains(&format!("<h2>{heading}</h2>")), "{heading}");
    }
}

#[test]
fn figures_are_those_of_the_report() {
    let page = page(&report()).unwrap();
    // Stages as parts of the total.
    assert!(page.contains("1.00 s · 25 %") && page.contains("500.0 ms · 12 %"), "{page}");
    // Spans at their places: from a quarter to a half of the total.
    assert!(page.contains("left:25.000%;width:25.000%"), "{page}");
    // 16,000 bytes of seeds, 160,000 of rows; 1,000 of 4,000 bytes went up.
    assert!(page.contains("15.6 KiB of seeds for 156.2 KiB of rows: <b>10 %</b>"), "{page}");
    assert!(page.contains("<b>25 %</b> of that was sent"), "{page}");
    // 1,000 rows of 1,024: 10,000 of 10,240 cells.
    assert!(page.contains("width:97.656%"), "{page}");
}

/// Nonsense in numbers draws nothing odd, and what is no report is refused.
#[test]
fn reports_from_elsewhere_are_read_or_refused() {
    let mut odd = report();
    odd["spans"][0]["end_seconds"] = json!(-1e300);
    odd["total_seconds"] = json!(0);
    odd["trace"]["circuits"][0]["height"] = json!(u64::MAX);
    let text = page(&odd).unwrap();
    assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
    let mut old = report();
    for key in ["machine", "total_seconds", "setup_seconds", "spans", "memory"] {
        old.as_object_mut().unwrap().remove(key);
    }
    assert!(page(&old).unwrap().contains("The report has no times of begin."));
    assert!(page(&json!({ "format": "other/1" })).unwrap_err().contains("it is \"other/1\""));
    assert!(page(&json!([])).unwrap_err().contains("it has no format"));
    let mut without = report();
    without.as_object_mut().unwrap().remove("stages");
    assert!(page(&without).unwrap_err().contains("missing field `stages`"));
}
