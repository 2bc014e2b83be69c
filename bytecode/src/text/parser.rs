//! The file: its header, its functions, and which function a name means.

use std::collections::HashMap;

use super::cursor::{Cursor, Failed, Step};
use super::lexer::Kind;
use super::names::{is_plain, is_reserved};
use super::places::{FunctionMarks, Marks};
use super::scope::{Name, Scope};
use crate::limits::Resource;
use crate::malformed::{Malformed, Reports, excerpt};
use crate::model::{Function, FunctionId, Op, Program};
use crate::near::did_you_mean;

/// See [`super::parse`].
pub(super) fn parse(source: &[u8]) -> Result<Program, Malformed> {
    let mut parser = Parser::new(Cursor::new(Reports::new(source)?));
    parser.file();
    parser.finish()
}

/// See [`super::Places::of`].
pub(super) fn marks(source: &[u8]) -> Option<Marks> {
    let mut parser = Parser::new(Cursor::new(Reports::new(source).ok()?));
    parser.marks = Some(Marks::default());
    parser.file();
    let marks = parser.marks.take();
    parser.finish().ok().and(marks)
}

/// State of reading one file.
pub(super) struct Parser<'s> {
    pub cursor: Cursor<'s>,
    pub scope: Scope<'s>,
    pub functions: Vec<Function>,
    name: Option<String>,
    memory_sizes: Option<Vec<u32>>,
    circuits: Option<Vec<Vec<FunctionId>>>,
    pending: Vec<Pending>,
    /// Where everything stands, if somebody wants to know.
    pub marks: Option<Marks>,
}

/// A function's name, to be resolved when all functions are known.
struct Pending {
    name: String,
    offset: usize,
    place: Place,
}

/// Where a function is named.
#[derive(Clone, Copy)]
pub(super) enum Place {
    /// Function, block, operation.
    Call(usize, usize, usize),
    /// Circuit, member.
    Member(usize, usize),
}

impl<'s> Parser<'s> {
    fn new(cursor: Cursor<'s>) -> Self {
        Self {
            cursor,
            scope: Scope::default(),
            functions: Vec::new(),
            name: None,
            memory_sizes: None,
            circuits: None,
            pending: Vec::new(),
            marks: None,
        }
    }

    fn file(&mut self) {
        loop {
            self.cursor.skip_newlines();
            if self.cursor.take_name("end") {
                break;
            }
            if self.cursor.token.kind == Kind::End {
                self.cursor.fail("`end`, the last word of a whole file");
                return;
            }
            if self.cursor.at_symbol("}") {
                self.cursor.fail("an item: no block is open");
                self.cursor.advance();
                continue;
            }
            let item = self.item().and_then(|()| self.cursor.expect_statement_end());
            if item.is_err() {
                self.cursor.skip_statement();
            }
        }
        self.cursor.skip_newlines();
        if self.cursor.token.kind != Kind::End {
            self.cursor.fail("nothing after `end`");
        }
        if self.name.is_none() {
            self.cursor.fail("`program` and a name, once in every file");
        }
    }

    fn item(&mut self) -> Step<()> {
        let token = self.cursor.token;
        match (token.kind, token.text) {
            (Kind::Name, "program") => self.program(),
            (Kind::Name, "memory") => self.memory(),
            (Kind::Name, "circuit") => self.circuit(),
            (Kind::Name, "circuits") => self.no_circuits(),
            (Kind::Name, "fn") => self.function(),
            _ => Err(self.cursor.fail("`program`, `memory`, `circuit`, `fn` or `end`")),
        }
    }

    /// `program "name"`
    fn program(&mut self) -> Step<()> {
        if self.name.is_some() {
            return Err(self.cursor.fail("one `program` only"));
        }
        self.cursor.advance();
        self.name = Some(String::new());
        self.name = Some(self.cursor.string("the program's name in quotes")?);
        Ok(())
    }

    /// `memory 3, 10`
    fn memory(&mut self) -> Step<()> {
        if self.memory_sizes.is_some() {
            return Err(self.cursor.fail("one `memory` only"));
        }
        self.cursor.advance();
        let sizes = self.memory_sizes.insert(Vec::new());
        loop {
            self.marks.iter_mut().for_each(|marks| marks.memory.push(self.cursor.token.offset));
            sizes.push(self.cursor.count("a width")?);
            if !self.cursor.take_symbol(",") {
                return Ok(());
            }
        }
    }

    /// `circuit f, g`
    fn circuit(&mut self) -> Step<()> {
        let offset = self.cursor.advance().offset;
        self.marks.iter_mut().for_each(|marks| marks.circuits.push(offset));
        let circuits = self.circuits.get_or_insert_default();
        let circuit = circuits.len();
        circuits.push(Vec::new());
        if self.cursor.at_statement_end() {
            return Ok(());
        }
        for member in 0.. {
            self.cursor.spend(self.cursor.token.offset, Resource::Operands, 1)?;
            let function = self.function_reference(Place::Member(circuit, member))?;
            self.circuits.get_or_insert_default()[circuit].push(function);
            if !self.cursor.take_symbol(",") {
                break;
            }
        }
        Ok(())
    }

    /// `circuits none`
    fn no_circuits(&mut self) -> Step<()> {
        self.cursor.advance();
        if !self.cursor.take_name("none") {
            return Err(self.cursor.fail("`none` (or `circuit` and its functions)"));
        }
        self.circuits.get_or_insert_default();
        Ok(())
    }

    /// `fn name(a, b) -> 1 entry { ... }`
    fn function(&mut self) -> Step<()> {
        self.cursor.advance();
        let offset = self.cursor.token.offset;
        let name = self.function_name()?;
        self.cursor.spend(offset, Resource::Functions, 1)?;
        self.functions.push(Function {
            name,
            num_inputs: 0,
            num_outputs: 0,
            entry: false,
            constrained: true,
            blocks: Vec::new(),
        });
        self.scope.clear();
        if let Some(marks) = &mut self.marks {
            marks.functions.push(FunctionMarks { offset, ..FunctionMarks::default() });
        }
        self.cursor.expect_symbol("(")?;
        let offset = self.cursor.token.offset;
        let inputs = if self.cursor.at_symbol(")") { Vec::new() } else { self.new_names()? };
        self.define(&inputs, offset);
        self.cursor.expect_symbol(")")?;
        self.cursor.expect_symbol("->")?;
        let num_outputs = self.cursor.count("the number of outputs")?;
        let [entry, unconstrained] = self.flags()?;
        let function = self.functions.last_mut().expect("it was just pushed");
        function.num_inputs = inputs.len() as u32;
        function.num_outputs = num_outputs;
        function.entry = entry;
        function.constrained = !unconstrained;
        let marks = self.marks.as_mut().and_then(|marks| marks.functions.last_mut());
        marks.into_iter().for_each(|marks| marks.constrained = !unconstrained);
        self.body()
    }

    fn flags(&mut self) -> Step<[bool; 2]> {
        let mut flags = [false; 2];
        while !self.cursor.at_symbol("{") {
            let i = match self.cursor.token.text {
                "entry" if !flags[0] => 0,
                "unconstrained" if !flags[1] => 1,
                _ => return Err(self.cursor.fail("`{`, or `entry` or `unconstrained` once")),
            };
            flags[i] = true;
            self.cursor.advance();
        }
        Ok(flags)
    }

    fn function_name(&mut self) -> Step<String> {
        let token = self.cursor.token;
        match token.kind {
            Kind::Text => self.cursor.string("a function's name"),
            Kind::Name if !is_reserved(token.text) => Ok(self.cursor.advance().text.into()),
            Kind::Name => Err(self.cursor.fail("a function's name; words like this in quotes")),
            _ => Err(self.cursor.fail("a function's name")),
        }
    }

    /// A function by name or by `#index`. A name is resolved at the end, when
    /// `place` gets the answer.
    pub fn function_reference(&mut self, place: Place) -> Step<FunctionId> {
        if self.cursor.take_symbol("#") {
            return Ok(FunctionId(self.cursor.count("the position of a function")?));
        }
        let offset = self.cursor.token.offset;
        let name = self.function_name()?;
        self.pending.push(Pending { name, offset, place });
        Ok(FunctionId(u32::MAX))
    }

    /// Names to be defined: `a, b, v0..v3`.
    pub fn new_names(&mut self) -> Step<Vec<Name>> {
        let mut list = Vec::new();
        loop {
            let offset = self.cursor.token.offset;
            let first = self.new_name()?;
            if self.cursor.take_symbol("..") {
                let last = self.new_name()?;
                let range = first.range_to(last).ok_or_else(|| self.no_range(offset))?;
                self.cursor.spend(offset, Resource::Values, range.len())?;
                list.extend(range);
            } else {
                self.cursor.spend(offset, Resource::Values, 1)?;
                list.push(first);
            }
            if !self.cursor.take_symbol(",") {
                return Ok(list);
            }
        }
    }

    fn new_name(&mut self) -> Step<Name> {
        let token = self.cursor.token;
        if token.kind != Kind::Name || is_reserved(token.text) {
            return Err(self.cursor.fail("a new value's name"));
        }
        self.cursor.advance();
        Ok(self.scope.name(token.text))
    }

    /// Reports names that do not span a range.
    pub fn no_range(&mut self, offset: usize) -> Failed {
        let message = "expected a range of one name with ascending numbers, like `v0..v3`";
        self.cursor.reports.add(offset, message.into());
        Failed
    }

    /// Appends values under these names; `offset` is where they stand.
    pub fn define(&mut self, names: &[Name], offset: usize) {
        let (mut repeated, mut first) = (0, None);
        for &name in names {
            if !self.scope.define(name) {
                repeated += 1;
                first = first.or(Some(name));
            }
        }
        if let Some(first) = first {
            let name = excerpt(&self.scope.spelling(first));
            let message = match repeated {
                1 => format!("the name {name} is already taken"),
                _ => {
                    format!("{repeated} of the names that begin here are already taken: {name}, …")
                }
            };
            self.cursor.reports.add(offset, message);
        }
    }

    /// Resolves names of functions and gives the program, if nothing is wrong.
    fn finish(mut self) -> Result<Program, Malformed> {
        self.resolve();
        let Self { functions, name, memory_sizes, circuits, cursor, .. } = self;
        let circuits = circuits.unwrap_or_else(|| default_circuits(&functions));
        cursor.reports.finish(Program {
            name: name.unwrap_or_default(),
            functions,
            memory_sizes: memory_sizes.unwrap_or_default(),
            circuits,
        })
    }

    fn resolve(&mut self) {
        let mut positions: HashMap<&str, (u32, usize)> = HashMap::new();
        for (position, function) in self.functions.iter().enumerate() {
            positions.entry(&function.name).or_insert((position as u32, 0)).1 += 1;
        }
        let mut resolved = Vec::with_capacity(self.pending.len());
        for Pending { name, offset, place } in std::mem::take(&mut self.pending) {
            let message = match positions.get(name.as_str()) {
                Some(&(position, 1)) => {
                    resolved.push((place, FunctionId(position)));
                    continue;
                }
                Some(&(first, namesakes)) => format!(
                    "{namesakes} functions are called {}; say which by position, like `#{first}`",
                    excerpt(&name)
                ),
                None => {
                    let names = self.functions.iter().map(|function| &function.name[..]);
                    let near = match self.cursor.reports.has_room() {
                        true => did_you_mean(&name, names.filter(|name| is_plain(name))),
                        false => String::new(),
                    };
                    format!("no function is called {}{near}", excerpt(&name))
                }
            };
            self.cursor.reports.add(offset, message);
        }
        for (place, function) in resolved {
            self.fill(place, function);
        }
    }

    fn fill(&mut self, place: Place, resolved: FunctionId) {
        match place {
            Place::Member(circuit, member) => {
                let circuits = self.circuits.get_or_insert_default();
                if let Some(slot) = circuits[circuit].get_mut(member) {
                    *slot = resolved;
                }
            }
            Place::Call(function, block, op) => {
                let ops = &mut self.functions[function].blocks[block].ops;
                if let Some(Op::Call { function, .. }) = ops.get_mut(op) {
                    *function = resolved;
                }
            }
        }
    }
}

/// One circuit for every constrained function, in order.
pub(super) fn default_circuits(functions: &[Function]) -> Vec<Vec<FunctionId>> {
    let constrained = functions.iter().enumerate().filter(|(_, function)| function.constrained);
    constrained.map(|(position, _)| vec![FunctionId(position as u32)]).collect()
}
