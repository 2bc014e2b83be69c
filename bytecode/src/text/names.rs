//! Names, strings and reserved words, as the parser reads and the printer
//! writes them.

use std::fmt::Write as _;

use crate::forms::Form;
use crate::malformed::is_hidden;

/// Words that begin a statement or an arm; no value or bare function has such a
/// name.
const RESERVED: [&str; 7] =
    ["case", "default", "end", "match", "match_continue", "return", "yield"];

/// Whether `name` means something else than a value or a function.
pub(super) fn is_reserved(name: &str) -> bool {
    RESERVED.contains(&name) || Form::named(name).is_some()
}

/// Whether `name` may stand without quotes.
pub(super) fn is_plain(name: &str) -> bool {
    let mut bytes = name.bytes();
    let start = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
    bytes.next().is_some_and(start)
        && bytes.all(|byte| start(byte) || byte.is_ascii_digit())
        && !is_reserved(name)
}

/// Appends `text` in quotes.
pub(super) fn quote(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if is_hidden(c) => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

/// Reads a string's inside, as it stands between the quotes.
///
/// # Errors
/// The byte position of a bad escape in `inside`, and what is wrong with it.
pub(super) fn unquote(inside: &str) -> Result<String, (usize, String)> {
    let mut out = String::with_capacity(inside.len());
    let mut rest = inside;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let escape = &rest[at + 1..];
        let offset = inside.len() - escape.len() - 1;
        let (c, len) = match escape.chars().next() {
            Some('"') => ('"', 1),
            Some('\\') => ('\\', 1),
            Some('n') => ('\n', 1),
            Some('r') => ('\r', 1),
            Some('t') => ('\t', 1),
            Some('u') => code_point(escape).ok_or((
                offset,
                "expected a character's number in hexadecimal, like `\\u{1f4a1}`".to_string(),
            ))?,
            _ => {
                let expected =
                    "expected an escape: `\\\"`, `\\\\`, `\\n`, `\\r`, `\\t` or `\\u{...}`";
                return Err((offset, expected.to_string()));
            }
        };
        out.push(c);
        rest = &escape[len..];
    }
    out.push_str(rest);
    Ok(out)
}

/// The character of `u{...}`, and the length of that.
fn code_point(escape: &str) -> Option<(char, usize)> {
    let digits = escape.strip_prefix("u{")?;
    let (digits, _) = digits.split_once('}')?;
    if !(1..=6).contains(&digits.len()) || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let c = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32)?;
    Some((c, digits.len() + 3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoting_is_undone_by_unquoting() {
        for text in ["", "a b", "\"\\\n\r\t\0", "\u{202e}\u{feff}é𝔽", "*/ ; #", "\\u{41}"] {
            let mut quoted = String::new();
            quote(&mut quoted, text);
            assert!(!quoted.contains(is_hidden), "{quoted}");
            assert_eq!(unquote(&quoted[1..quoted.len() - 1]).as_deref(), Ok(text));
        }
    }

    #[test]
    fn bad_escapes_have_a_position() {
        for (inside, at) in [("ab\\x", 2), ("\\", 0), ("é\\u{d800}", 2), ("\\u{}", 0)] {
            assert_eq!(unquote(inside).unwrap_err().0, at, "{inside}");
        }
        for inside in ["\\u{110000}", "\\u{+41}", "\\u{0000041}", "\\u{41", "\\u41", "\\U{41}"] {
            assert!(unquote(inside).is_err(), "{inside}");
        }
    }

    #[test]
    fn words_of_the_language_are_not_plain_names() {
        for name in ["", "1a", "a-b", "é", "add", "u8_xor", "case", "end", "a.b", "#1", "%1"] {
            assert!(!is_plain(name), "{name}");
        }
        for name in ["a", "_", "fn", "v0", "Add", "circuit", "entry"] {
            assert!(is_plain(name), "{name}");
        }
    }
}
