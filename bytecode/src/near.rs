//! The known name that is nearest to an unknown one, for messages.

/// Candidates that are compared, and the longest name that is: a file from outside may have many
/// of both.
const MOST: usize = 1000;
const LONGEST: usize = 40;

/// The candidate that `name` was probably meant to be: one that differs in few letters.
#[must_use]
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let len = name.chars().count();
    let most = (len / 3).clamp(1, 3);
    let near = |candidate: &&str| {
        candidate.len() <= LONGEST && candidate.chars().count().abs_diff(len) <= most
    };
    if !(2..=LONGEST).contains(&len) {
        return None;
    }
    let candidates = candidates.into_iter().take(MOST).filter(near);
    let distances =
        candidates.map(|candidate| (strsim::damerau_levenshtein(name, candidate), candidate));
    let (distance, nearest) = distances.min()?;
    (distance > 0 && distance <= most).then_some(nearest)
}

/// The same as the end of a message, empty if nothing is near.
pub fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    nearest(name, candidates).map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_near_name_is_one_that_differs_in_few_letters() {
        let names = ["const", "add", "u8_xor", "match_continue"];
        for (name, near) in [
            ("konst", Some("const")),
            ("ad", Some("add")),
            ("u8_xro", Some("u8_xor")),
            ("match_contineu", Some("match_continue")),
            ("const", None),
            ("x", None),
            ("subtract", None),
            ("", None),
        ] {
            assert_eq!(nearest(name, names), near, "{name}");
        }
        let long = "a".repeat(10_000);
        assert_eq!(nearest(&long, [long.as_str()]), None);
    }
}
