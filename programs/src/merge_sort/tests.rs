use super::program;
use crate::testing::{random_bytes, run, try_run};

fn check(mut words: Vec<u32>) {
    let input: Vec<_> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let run = run(&program().unwrap(), "merge_sort", &[words.len() as u64], &input);
    words.sort_unstable();
    let len = words.len();
    let expected = match len {
        0 => [0; 3],
        _ => [words[0], words[(len - 1) / 2], words[len - 1]],
    };
    assert_eq!(run.outputs(), expected.map(u64::from), "{len} words");
    let written = run.channel(1).to_vec();
    assert_eq!(written, words.into_iter().map(u64::from).collect::<Vec<_>>());
}

#[test]
fn agrees_with_sorting() {
    for len in [0, 1, 2, 3, 4, 5, 17, 100, 500] {
        let bytes = random_bytes(4 * len);
        let words = bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap()));
        check(words.clone().collect());
        // Many duplicates.
        check(words.map(|word| word % 7).collect());
    }
}

#[test]
fn orders_and_extremes() {
    check((0..40).collect());
    check((0..40).rev().collect());
    check(vec![9; 33]);
    check(vec![u32::MAX, 0, u32::MAX, 1, 0]);
}

#[test]
fn a_wrong_length_is_named() {
    let error = try_run(&program().unwrap(), "merge_sort", &[3], &[0; 8]).err().unwrap();
    assert!(error.contains("as long as claimed"), "{error}");
}
