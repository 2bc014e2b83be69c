//! Names of functions and programs in emitted text.
//!
//! Function names are untrusted: they may hold quotes, comment ends, newlines,
//! NUL, keywords, nothing at all, or twice the same. In emitted text a function is
//! known by its *symbol*, an identifier of Rust and of C++:
//!
//! ```text
//! symbol   = "f_" body suffix?, "p_" for a program
//! body     = the name, where [a-z0-9] and single inner "_" stay and any other
//!            byte b becomes "_x" hex(b) "_"; cut after 40 bytes of output
//! suffix   = "_h" 16 hex digits of BLAKE3(name), if the name was not plain
//!            (anything was escaped or cut, or it ends like a suffix)
//!            "_n" k, for the k-th function of one name from the second on
//! ```
//!
//! A plain name gives itself, so its symbol does not depend on other functions
//! unless it is repeated. Uniqueness is checked, not only argued: the rare name
//! whose symbol is taken already gets the next "_n".

use std::collections::BTreeSet;

/// Longest body.
const MAX_BODY: usize = 40;

/// Symbols of functions with these names, in order, pairwise different.
#[must_use]
pub fn symbols<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let mut symbols = Vec::new();
    for name in names {
        let base = format!("f_{}", stem(name));
        let mut candidate = base.clone();
        let mut count = 1;
        while !taken.insert(candidate.clone()) {
            count += 1;
            candidate = format!("{base}_n{count}");
        }
        symbols.push(candidate);
    }
    symbols
}

/// Symbol of a program of this name: like that of a function, but with `p_` in front. No other
/// name in emitted text begins with `p_`.
#[must_use]
pub fn program_symbol(name: &str) -> String {
    format!("p_{}", stem(name))
}

/// A name as it may stand in a comment of any target: printable ASCII without
/// backslashes, quotes or anything that could end a comment, and short.
#[must_use]
pub fn escape(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_ .-+#:".contains(c);
    let text: String =
        name.chars().take(MAX_BODY).map(|c| if plain(c) { c } else { '?' }).collect();
    if name.chars().count() > MAX_BODY { text + "..." } else { text }
}

/// The symbol of a name that nothing else has taken, without its prefix.
fn stem(name: &str) -> String {
    if is_plain(name) {
        return name.to_owned();
    }
    let mut body = String::new();
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' => body.push(char::from(byte)),
            b'_' if !body.ends_with('_') => body.push('_'),
            _ => {
                let lead = if body.ends_with('_') { "x" } else { "_x" };
                body.push_str(&format!("{lead}{byte:02x}_"));
            }
        }
        if body.len() >= MAX_BODY {
            break;
        }
    }
    let hash = blake3::hash(name.as_bytes()).to_hex();
    let body = body.trim_matches('_');
    format!("{body}{}h{}", if body.is_empty() { "" } else { "_" }, &hash.as_str()[..16])
}

/// Names that stay as they are: short snake case without double underscores, and
/// no ending that a suffix could have made.
fn is_plain(name: &str) -> bool {
    let bytes = name.as_bytes();
    let word = |byte: &u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_');
    let last = name.rsplit('_').next().unwrap_or("");
    let suffix_like = last.len() > 1
        && matches!(last.as_bytes()[0], b'h' | b'n')
        && last[1..].bytes().all(|byte| byte.is_ascii_hexdigit());
    !bytes.is_empty()
        && bytes.len() <= MAX_BODY
        && bytes.iter().all(word)
        && !name.contains("__")
        && !name.starts_with('_')
        && !name.ends_with('_')
        && !suffix_like
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_names_give_distinct_identifiers() {
        let long = "a".repeat(500);
        let longer = "a".repeat(501);
        let names = [
            "fib",
            "fib",
            "fib_n2",
            "fn",
            "",
            "_",
            "__",
            "\"); system(\"x",
            "*/ int x; /*",
            "a\nb",
            "a\0b",
            "a\\b",
            "A",
            "a",
            "ä",
            "名前",
            "h0123",
            "x_h00",
            &long,
            &longer,
            "a.b",
            "a b",
            "r#fn",
        ];
        let symbols = symbols(names);
        let distinct: BTreeSet<_> = symbols.iter().collect();
        assert_eq!(distinct.len(), names.len());
        for symbol in &symbols {
            assert!(symbol.starts_with("f_") && symbol.len() < 70, "{symbol}");
            assert!(!symbol.contains("__"), "C++ reserves double underscores: {symbol}");
            assert!(symbol.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'), "{symbol}");
        }
        assert_eq!(symbols[..2], ["f_fib", "f_fib_n2"]);
        assert_eq!(program_symbol("fib"), "p_fib");
        assert!(program_symbol("*/ #").starts_with("p_x2a_x2f_x20_x23_h"));
        assert_eq!(symbols[3], "f_fn");
    }
}
