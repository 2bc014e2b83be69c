//! Text to tokens.

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// An identifier or a word of the language.
    Name,
    /// Anything that begins like a number; whether it is one is decided later.
    Number,
    /// A closed string, quotes included.
    Text,
    /// Punctuation.
    Symbol,
    /// End of a line.
    Newline,
    /// End of the file.
    End,
    /// A character or an unclosed string that belongs nowhere.
    Stray,
}

/// A piece of the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'s> {
    pub kind: Kind,
    pub text: &'s str,
    /// Its first byte.
    pub offset: usize,
}

/// Reads tokens one by one; blanks and comments separate them.
#[derive(Debug)]
pub(super) struct Lexer<'s> {
    source: &'s str,
    offset: usize,
}

impl<'s> Lexer<'s> {
    pub fn new(source: &'s str) -> Self {
        Self { source, offset: 0 }
    }

    /// The next token; at the end of the file, [`Kind::End`] forever.
    pub fn next(&mut self) -> Token<'s> {
        self.skip_blanks();
        let rest = &self.source[self.offset..];
        let (kind, len) = scan(rest);
        let token = Token { kind, text: &rest[..len], offset: self.offset };
        self.offset += len;
        token
    }

    fn skip_blanks(&mut self) {
        let rest = &self.source[self.offset..];
        let mut skipped = rest.len() - rest.trim_start_matches([' ', '\t', '\r']).len();
        if rest[skipped..].starts_with(';') {
            skipped = rest.find('\n').unwrap_or(rest.len());
        }
        self.offset += skipped;
    }
}

/// Kind and length of the token at the start of `rest`.
fn scan(rest: &str) -> (Kind, usize) {
    let Some(first) = rest.chars().next() else {
        return (Kind::End, 0);
    };
    let prefix = |accept: fn(char) -> bool| rest.find(|c| !accept(c)).unwrap_or(rest.len());
    match first {
        '\n' => (Kind::Newline, 1),
        'a'..='z' | 'A'..='Z' | '_' => {
            (Kind::Name, prefix(|c| c.is_ascii_alphanumeric() || c == '_'))
        }
        '"' => string(rest),
        _ if rest.starts_with("->") || rest.starts_with("..") => (Kind::Symbol, 2),
        '0'..='9' | '-' | '+' => (Kind::Number, number(rest)),
        '{' | '}' | '(' | ')' | '[' | ']' | ',' | '=' | '@' | '#' | '%' => (Kind::Symbol, 1),
        other => (Kind::Stray, other.len_utf8()),
    }
}

/// A number with everything that is glued to it, so that `1.0` is one wrong
/// number and not three tokens. Two dots end it: they are a range.
fn number(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let mut len = 1;
    while let Some(&byte) = bytes.get(len) {
        let glued = match byte {
            b'.' => bytes.get(len + 1) != Some(&b'.'),
            b'+' | b'-' => matches!(bytes[len - 1], b'e' | b'E'),
            _ => byte.is_ascii_alphanumeric() || byte == b'_',
        };
        if !glued {
            break;
        }
        len += 1;
    }
    len
}

fn string(rest: &str) -> (Kind, usize) {
    let mut escaped = false;
    for (i, byte) in rest.bytes().enumerate().skip(1) {
        match byte {
            b'\n' => return (Kind::Stray, i),
            b'"' if !escaped => return (Kind::Text, i + 1),
            _ => escaped = byte == b'\\' && !escaped,
        }
    }
    (Kind::Stray, rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(source: &str) -> Vec<(Kind, &str)> {
        let mut lexer = Lexer::new(source);
        let tokens = std::iter::from_fn(|| Some(lexer.next()));
        tokens.take_while(|token| token.kind != Kind::End).map(|t| (t.kind, t.text)).collect()
    }

    #[test]
    fn a_line_is_cut_into_tokens() {
        use Kind::{Name, Newline, Number, Stray, Symbol, Text};
        let expected = [
            (Name, "a"),
            (Symbol, ".."),
            (Name, "a3"),
            (Symbol, "="),
            (Symbol, "->"),
            (Number, "-1"),
            (Text, "\"x;\\\"\""),
            (Newline, "\n"),
            (Symbol, "#"),
            (Number, "12"),
            (Stray, "é"),
            (Stray, "\"open"),
        ];
        assert_eq!(tokens("a..a3 = ->-1 \"x;\\\"\" ; note \"\r\n#12é\"open"), expected);
    }

    #[test]
    fn a_wrong_number_is_one_token() {
        for text in ["1.0", "1e3", "0x10", "1e-3", "1_000", "-1.5e+7", "+5", "-", "12ab"] {
            assert_eq!(tokens(text), [(Kind::Number, text)]);
        }
        assert_eq!(tokens("1..2").len(), 3);
    }
}
