//! Operations and the values that they read.

use traceloom_air::field::element;

use super::cursor::{Failed, Step};
use super::lexer::Kind;
use super::names::is_reserved;
use super::parser::{Parser, Place};
use super::scope::Name;
use crate::forms::{FieldKind, Form, Parts};
use crate::limits::Resource;
use crate::malformed::{counted, excerpt};
use crate::model::ValueId;
use crate::near::did_you_mean;

impl Parser<'_> {
    /// An operation from its name on. Its results were named at `offset`.
    pub fn operation(&mut self, block: usize, offset: usize, num_results: u32) -> Step<()> {
        let token = self.cursor.token;
        let Some(form) = Form::named(token.text).filter(|_| token.kind == Kind::Name) else {
            let words = ["return", "yield", "match", "match_continue"];
            let known = Form::all().map(|form| form.name).chain(words);
            let near = match token.kind {
                Kind::Name => did_you_mean(token.text, known),
                _ => String::new(),
            };
            let expected = format!("an operation, `return`, `yield` or a match{near}");
            return Err(self.cursor.fail(&expected));
        };
        self.cursor.advance();
        self.cursor.spend(token.offset, Resource::Ops, 1)?;
        let mut parts = Parts { results: num_results, ..Parts::default() };
        for (i, field) in form.fields.iter().enumerate() {
            self.field(form, i == 0, field.kind, block, &mut parts)?;
        }
        self.cursor.expect_statement_end()?;
        if let Some(results) = form.results.filter(|&results| results != num_results) {
            let name = excerpt(form.name);
            let (results, names) =
                (counted(results as usize, "result"), counted(num_results as usize, "name"));
            let message = format!("{name} has {results}, found {names}");
            self.cursor.reports.add(offset, message);
        }
        self.blocks()[block].ops.push(form.build(parts));
        self.block_marks(block).into_iter().for_each(|marks| marks.ops.push(offset));
        Ok(())
    }

    fn field(
        &mut self,
        form: &Form,
        first: bool,
        kind: FieldKind,
        block: usize,
        parts: &mut Parts,
    ) -> Step<()> {
        match kind {
            FieldKind::Constant => parts.constant = element(self.cursor.word("a constant")?),
            FieldKind::Callee => {
                let function = self.functions.len() - 1;
                let op = self.blocks()[block].ops.len();
                parts.function = self.function_reference(Place::Call(function, block, op))?;
            }
            FieldKind::Arguments => parts.lists.push(self.enclosed("(", ")")?),
            FieldKind::Value => {
                self.separate(first)?;
                let value = self.one_value(form.name)?;
                parts.lists.push(vec![value]);
            }
            FieldKind::Fixed(len) => {
                self.separate(first)?;
                let offset = self.cursor.token.offset;
                let values = self.values_to_end()?;
                parts.lists.push(self.exactly(len, values, form.name, offset)?);
            }
            FieldKind::Rest => {
                let empty = !first && self.cursor.at_statement_end();
                self.separate(first || empty)?;
                parts.lists.push(self.values_to_end()?);
            }
            FieldKind::Group => {
                self.separate(first)?;
                parts.lists.push(self.group(form.name)?);
            }
            FieldKind::Words(words) => {
                for i in 0..words {
                    self.separate(first && i == 0)?;
                    let offset = self.cursor.token.offset;
                    let word = self.enclosed("[", "]")?;
                    parts.lists.push(self.exactly(4, word, form.name, offset)?);
                }
            }
            FieldKind::Label => {
                self.separate(first)?;
                parts.label = Some(self.cursor.string("a string")?);
            }
            FieldKind::OptionalLabel => {
                if self.cursor.take_symbol(",") {
                    parts.label = Some(self.cursor.string("a string")?);
                }
            }
        }
        Ok(())
    }

    fn separate(&mut self, first: bool) -> Step<()> {
        if first { Ok(()) } else { self.cursor.expect_symbol(",") }
    }

    /// Exactly one value.
    pub fn one_value(&mut self, reader: &str) -> Step<ValueId> {
        let offset = self.cursor.token.offset;
        let mut values = Vec::new();
        self.values(&mut values)?;
        Ok(self.exactly(1, values, reader, offset)?[0])
    }

    fn exactly(
        &mut self,
        len: usize,
        values: Vec<ValueId>,
        reader: &str,
        offset: usize,
    ) -> Step<Vec<ValueId>> {
        if values.len() == len {
            return Ok(values);
        }
        let (reader, found) = (excerpt(reader), values.len());
        let message = format!("{reader} takes {} here, found {found}", counted(len, "value"));
        self.cursor.reports.add(offset, message);
        Err(Failed)
    }

    /// The values up to the end of the line or block.
    pub fn values_to_end(&mut self) -> Step<Vec<ValueId>> {
        let mut list = Vec::new();
        if !self.cursor.at_statement_end() {
            self.list(&mut list)?;
        }
        self.cursor.expect_statement_end()?;
        Ok(list)
    }

    fn enclosed(&mut self, open: &str, close: &str) -> Step<Vec<ValueId>> {
        self.cursor.expect_symbol(open)?;
        let mut list = Vec::new();
        if !self.cursor.at_symbol(close) {
            self.list(&mut list)?;
        }
        self.cursor.expect_symbol(close)?;
        Ok(list)
    }

    /// One value, or any number in brackets.
    fn group(&mut self, reader: &str) -> Step<Vec<ValueId>> {
        if self.cursor.at_symbol("[") {
            return self.enclosed("[", "]");
        }
        Ok(vec![self.one_value(reader)?])
    }

    fn list(&mut self, list: &mut Vec<ValueId>) -> Step<()> {
        loop {
            self.values(list)?;
            if !self.cursor.take_symbol(",") {
                return Ok(());
            }
        }
    }

    /// An element of a list: `a`, `v0..v3` or `%7`.
    fn values(&mut self, list: &mut Vec<ValueId>) -> Step<()> {
        let start = self.cursor.token;
        if self.cursor.take_symbol("%") {
            self.cursor.spend(start.offset, Resource::Operands, 1)?;
            list.push(ValueId(self.cursor.count("the number of a value")?));
            return Ok(());
        }
        let first = self.value_name()?;
        if self.cursor.take_symbol("..") {
            let last = self.value_name()?;
            return self.range(first, last, start.offset, list);
        }
        self.cursor.spend(start.offset, Resource::Operands, 1)?;
        let value = self.scope.find(first).map(|(value, _)| value);
        list.push(value.unwrap_or(ValueId(0)));
        if value.is_none() && self.scope.is_first_unknown(first) {
            let names = match self.cursor.reports.has_room() {
                true => self.scope.spellings(),
                false => Vec::new(),
            };
            let near = did_you_mean(start.text, names.iter().map(String::as_str));
            let message = format!("no value is called {} here{near}", excerpt(start.text));
            self.cursor.reports.add(start.offset, message);
        }
        Ok(())
    }

    fn value_name(&mut self) -> Step<Name> {
        let token = self.cursor.token;
        if token.kind != Kind::Name || is_reserved(token.text) {
            return Err(self.cursor.fail("a value"));
        }
        self.cursor.advance();
        Ok(self.scope.name(token.text))
    }

    fn range(
        &mut self,
        first: Name,
        last: Name,
        offset: usize,
        list: &mut Vec<ValueId>,
    ) -> Step<()> {
        let Some(mut range) = first.range_to(last) else {
            return Err(self.no_range(offset));
        };
        self.cursor.spend(offset, Resource::Operands, range.len())?;
        while let Some(name) = range.next() {
            let Some((ValueId(value), len)) = self.scope.find(name) else {
                let message = "the range that begins here holds unknown names";
                self.cursor.reports.add(offset, message.into());
                return Ok(());
            };
            list.push(ValueId(value));
            let more = (len as usize - 1).min(range.len());
            list.extend((1..=more as u32).map(|i| ValueId(value + i)));
            if more > 0 {
                range.nth(more - 1);
            }
        }
        Ok(())
    }
}
