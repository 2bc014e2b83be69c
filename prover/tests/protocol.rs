//! What `docs/protocol.md` quotes of other crates is still so.

use p3_field::TwoAdicField;
use p3_fri::{FriShape, PcsShape};
use traceloom_air::field::{Goldilocks, word};
use traceloom_verifier::Profile;
use traceloom_verifier::scheme::Quadratic;

const TEXT: &str = include_str!("../../docs/protocol.md");

fn quotes(text: &str) {
    assert!(TEXT.contains(text.trim_end()), "docs/protocol.md should quote:\n{text}");
}

#[test]
fn the_pattern_texts_are_quoted() {
    let openings =
        PcsShape { claimed_evaluation_counts: vec![vec![vec![3, 3]]], batch_pow_bits: 14 };
    quotes(&format!("{:#}", openings.pattern::<Goldilocks, Quadratic>()));
    let folding = FriShape {
        log_arities: vec![3, 2],
        final_poly_len: 1,
        commit_pow_bits: 4,
        query_pow_bits: 16,
        num_queries: 46,
        index_bits: 9,
        log_blowup: 2,
        max_log_arity: 3,
    };
    quotes(&format!("{:#}", folding.pattern::<Goldilocks, Quadratic>()));
}

#[test]
fn the_root_of_unity_is_quoted() {
    quotes(&format!("w_32 = {}", word(Goldilocks::two_adic_generator(32))));
}

#[test]
fn the_parameter_table_is_that_of_the_profiles() {
    let columns = Profile::ALL.map(|profile| profile.params().words());
    let rows = TEXT.lines().filter_map(|line| {
        let cells: Vec<&str> = line.strip_prefix("| ")?.split(" | ").collect();
        let index: usize = cells[0].parse().ok()?;
        let values: Vec<u64> =
            cells[3..].iter().map(|c| c.trim_end_matches(" |").parse().unwrap()).collect();
        Some((index, values))
    });
    let rows: Vec<(usize, Vec<u64>)> = rows.collect();
    assert_eq!(rows.len(), 12);
    for (index, values) in rows {
        assert_eq!(values, columns.map(|words| words[index]));
    }
}
