//! Numbers and strings of JSON.

use std::borrow::Cow;

/// Whether `text` is a number of JSON, canonical or not.
pub(crate) fn is_json_number(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let text = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    digits(whole)
        && (whole.len() == 1 || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(|text| digits(text.strip_prefix(['+', '-']).unwrap_or(text)))
}

/// Undoes the escapes of a string.
///
/// # Errors
/// Where a bad escape is, and what is wrong.
pub(super) fn unescape(inside: &str) -> Result<Cow<'_, str>, (usize, &'static str)> {
    if !inside.contains('\\') {
        return Ok(Cow::Borrowed(inside));
    }
    let mut out = String::with_capacity(inside.len());
    let mut rest = inside;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let offset = inside.len() - rest.len() + at;
        let escape = &rest[at + 1..];
        let (c, len) = match escape.bytes().next() {
            Some(b'"') => ('"', 1),
            Some(b'\\') => ('\\', 1),
            Some(b'/') => ('/', 1),
            Some(b'b') => ('\u{8}', 1),
            Some(b'f') => ('\u{c}', 1),
            Some(b'n') => ('\n', 1),
            Some(b'r') => ('\r', 1),
            Some(b't') => ('\t', 1),
            Some(b'u') => code_point(escape).ok_or((
                offset,
                "expected a character's number, like `\\u00e9`, surrogates in pairs",
            ))?,
            _ => return Err((offset, "expected an escape that JSON knows")),
        };
        out.push(c);
        rest = &escape[len..];
    }
    out.push_str(rest);
    Ok(Cow::Owned(out))
}

/// The character of `uXXXX` or `uXXXX\uXXXX`, and the length of that.
fn code_point(escape: &str) -> Option<(char, usize)> {
    let unit = |text: &str| {
        let digits = text.strip_prefix('u')?.get(..4)?;
        let hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        if hex { u32::from_str_radix(digits, 16).ok() } else { None }
    };
    let first = unit(escape)?;
    if !(0xd800..0xdc00).contains(&first) {
        return Some((char::from_u32(first)?, 5));
    }
    let second = unit(escape.get(5..)?.strip_prefix('\\')?)?;
    let low = second.checked_sub(0xdc00).filter(|&low| low < 0x400)?;
    Some((char::from_u32(0x10000 + ((first - 0xd800) << 10) + low)?, 11))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_undone() {
        let plain = unescape(r#"\"\\\/\b\f\n\r\t\u00e9\ud835\udd3d"#).unwrap();
        assert_eq!(plain, "\"\\/\u{8}\u{c}\n\r\té𝔽");
        for bad in [r"\ud835", r"\ud835\n", r"\ud835A", r"\udd3d", r"\u12", r"\u+123", r"\ué"] {
            assert!(unescape(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn numbers_of_json_are_told_from_other_words() {
        for text in ["0", "-0", "10", "1.0", "1e3", "-1.50E-07"] {
            assert!(is_json_number(text), "{text}");
        }
        for text in ["", "-", "01", "+1", "1.", ".5", "1e", "1e+", "NaN", "0x10", "1_0", "--1"] {
            assert!(!is_json_number(text), "{text}");
        }
    }
}
