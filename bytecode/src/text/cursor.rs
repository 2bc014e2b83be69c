//! The current token, what the grammar expects of it, and recovery.

use super::lexer::{Kind, Lexer, Token};
use super::names;
use crate::limits::{Budget, Resource};
use crate::malformed::{Reports, excerpt};
use crate::number::{self, NumberError};

/// A statement that could not be read; the reason has been reported.
#[derive(Debug)]
pub(super) struct Failed;

/// A piece of a statement, or [`Failed`].
pub(super) type Step<T> = Result<T, Failed>;

/// A position in the token stream.
pub(super) struct Cursor<'s> {
    lexer: Lexer<'s>,
    /// The token that comes next.
    pub token: Token<'s>,
    pub reports: Reports<'s>,
    pub budget: Budget,
}

impl<'s> Cursor<'s> {
    pub fn new(reports: Reports<'s>) -> Self {
        let mut lexer = Lexer::new(reports.source());
        let token = lexer.next();
        Self { lexer, token, reports, budget: Budget::default() }
    }

    /// Returns the current token and goes to the next.
    pub fn advance(&mut self) -> Token<'s> {
        std::mem::replace(&mut self.token, self.lexer.next())
    }

    pub fn at_symbol(&self, symbol: &str) -> bool {
        self.token.kind == Kind::Symbol && self.token.text == symbol
    }

    /// Goes past `symbol` if it comes next.
    pub fn take_symbol(&mut self, symbol: &str) -> bool {
        let taken = self.at_symbol(symbol);
        if taken {
            self.advance();
        }
        taken
    }

    /// Goes past the word `name` if it comes next.
    pub fn take_name(&mut self, name: &str) -> bool {
        let taken = self.token.kind == Kind::Name && self.token.text == name;
        if taken {
            self.advance();
        }
        taken
    }

    pub fn skip_newlines(&mut self) {
        while self.token.kind == Kind::Newline {
            self.advance();
        }
    }

    /// Reports that something else than `expected` was found.
    pub fn fail(&mut self, expected: &str) -> Failed {
        let Token { kind, text, offset } = self.token;
        let found = match kind {
            Kind::Newline => "the end of the line".into(),
            Kind::End => "the end of the file".into(),
            Kind::Text => format!("string {}", excerpt(text)),
            Kind::Stray if text.starts_with('"') => "a string that its line does not close".into(),
            Kind::Stray if text == "\u{feff}" => "a byte order mark".into(),
            Kind::Name | Kind::Number | Kind::Symbol | Kind::Stray => excerpt(text),
        };
        self.reports.add(offset, format!("found {found}, expected {expected}"));
        Failed
    }

    pub fn expect_symbol(&mut self, symbol: &str) -> Step<()> {
        if self.take_symbol(symbol) { Ok(()) } else { Err(self.fail(&format!("`{symbol}`"))) }
    }

    /// A field element.
    pub fn word(&mut self, expected: &str) -> Step<u64> {
        self.number(expected, number::word)
    }

    /// A count or an index.
    pub fn count(&mut self, expected: &str) -> Step<u32> {
        self.number(expected, number::count)
    }

    /// A wrong number is reported and read as 0, so that the line goes on.
    fn number<T: Default>(
        &mut self,
        expected: &str,
        read: fn(&str) -> Result<T, NumberError>,
    ) -> Step<T> {
        if self.token.kind != Kind::Number {
            return Err(self.fail(expected));
        }
        let token = self.advance();
        Ok(read(token.text).unwrap_or_else(|error| {
            self.reports.add(token.offset, format!("{error}; expected {expected}"));
            T::default()
        }))
    }

    /// A quoted string. A bad escape is reported and the line goes on.
    pub fn string(&mut self, expected: &str) -> Step<String> {
        if self.token.kind != Kind::Text {
            return Err(self.fail(expected));
        }
        let token = self.advance();
        let inside = &token.text[1..token.text.len() - 1];
        Ok(names::unquote(inside).unwrap_or_else(|(at, message)| {
            self.reports.add(token.offset + 1 + at, message);
            String::new()
        }))
    }

    /// Takes `amount` from the budget, reporting at `offset`.
    pub fn spend(&mut self, offset: usize, resource: Resource, amount: usize) -> Step<()> {
        self.budget.spend(resource, amount).map_err(|message| {
            self.reports.add(offset, message);
            Failed
        })
    }

    /// Whether the statement is over: line or block end here.
    pub fn at_statement_end(&self) -> bool {
        matches!(self.token.kind, Kind::Newline | Kind::End) || self.at_symbol("}")
    }

    pub fn expect_statement_end(&mut self) -> Step<()> {
        if self.at_statement_end() { Ok(()) } else { Err(self.fail("the end of the line")) }
    }

    /// Recovers after an error: goes to the end of the line, past blocks that
    /// open on it, and not past the end of the block around it.
    pub fn skip_statement(&mut self) {
        let mut depth = 0_usize;
        loop {
            match self.token.kind {
                Kind::End => return,
                Kind::Newline if depth == 0 => return,
                _ if self.at_symbol("{") => depth += 1,
                _ if self.at_symbol("}") => match depth.checked_sub(1) {
                    Some(less) => depth = less,
                    None => return,
                },
                _ => {}
            }
            self.advance();
        }
    }
}
