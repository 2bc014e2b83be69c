//! A soak is a function of its seed, and its summary says what was tried.

use std::path::Path;

use traceloom_harness::soak::{Soak, corpus};

#[test]
fn a_round_tries_everything_and_says_so() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus");
    let run = || {
        let mut soak = Soak::new(3, corpus(&folder));
        soak.round();
        assert_eq!(soak.differences, 0);
        soak.summary()
    };
    let summary = run();
    let numbers: Vec<&str> = summary.split(", ").collect();
    let [programs, forgeries, inputs, differences] = numbers[..] else { panic!("{summary}") };
    assert_eq!((programs, inputs, differences), ("programs 1", "inputs 30", "differences 0"));
    assert!(forgeries.starts_with("forgeries "), "{summary}");
    assert_eq!(run(), summary);
}
