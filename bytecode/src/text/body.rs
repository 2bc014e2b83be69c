//! A function's body: blocks, arms and leaves.
//!
//! Blocks are numbered as they open, which is the pre-order of the model. An
//! explicit stack holds what has been opened, so nesting costs no host stack.

use traceloom_air::field::element;

use super::cursor::{Failed, Step};
use super::lexer::Kind;
use super::names::is_reserved;
use super::parser::Parser;
use super::places::BlockMarks;
use super::scope::Name;
use crate::limits::Resource;
use crate::malformed::excerpt;
use crate::model::{Block, BlockId, Control, Match};

/// Something that `}` will close.
#[derive(Clone, Copy, Debug)]
struct Frame {
    kind: FrameKind,
    /// The current block; for arms, the block that they end.
    block: u32,
    /// Number of values when it was opened.
    live: u32,
    /// Where it was opened.
    offset: u32,
    /// A statement could not be read, so that what follows may be misled.
    damaged: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FrameKind {
    /// Statements, more of which may follow.
    Block,
    /// Statements that have come to their end.
    Ended,
    /// Arms of a match.
    Arms,
    /// Arms of a match that goes on.
    ContinuedArms,
}

/// What is open in a function.
#[derive(Default)]
struct Open {
    frames: Vec<Frame>,
    /// Result names of the open matches that go on.
    yielded: Vec<Vec<Name>>,
    /// Number of leaves so far: the selector that the next one gets.
    leaves: u32,
}

impl Open {
    fn top(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("lines are read while something is open")
    }
}

impl Parser<'_> {
    /// The braces of a function and what is between.
    pub fn body(&mut self) -> Step<()> {
        let mut open = Open::default();
        self.open_block(&mut open)?;
        loop {
            self.cursor.skip_newlines();
            let Some(&frame) = open.frames.last() else {
                return Ok(());
            };
            if self.cursor.token.kind == Kind::End {
                self.cursor.fail("`}`");
                let offset = frame.offset as usize;
                self.cursor.reports.add(offset, "this `{` is never closed".into());
                return Ok(());
            }
            let line = if self.cursor.at_symbol("}") {
                self.close(&mut open)
            } else if matches!(frame.kind, FrameKind::Block | FrameKind::Ended) {
                self.statement(&mut open)
            } else {
                self.arm(&mut open)
            };
            if let Err(Failed) = line {
                self.cursor.skip_statement();
                open.frames.last_mut().into_iter().for_each(|frame| frame.damaged = true);
            }
            if open.frames.is_empty() {
                // What follows on this line is for the file's loop.
                return Ok(());
            }
        }
    }

    /// The blocks of the current function.
    pub fn blocks(&mut self) -> &mut Vec<Block> {
        &mut self.functions.last_mut().expect("a body belongs to a function").blocks
    }

    fn control(&mut self, block: u32) -> &mut Control {
        &mut self.blocks()[block as usize].control
    }

    fn new_block(&mut self, offset: usize) -> Step<u32> {
        self.cursor.spend(offset, Resource::Blocks, 1)?;
        let blocks = self.blocks();
        blocks.push(Block { ops: Vec::new(), control: Control::OPEN });
        let block = blocks.len() as u32 - 1;
        let marks = self.marks.as_mut().and_then(|marks| marks.functions.last_mut());
        if let Some(marks) = marks {
            marks.blocks.push(BlockMarks { offset, ..BlockMarks::default() });
        }
        Ok(block)
    }

    /// Where the parts of a block stand, if somebody wants to know.
    pub fn block_marks(&mut self, block: usize) -> Option<&mut BlockMarks> {
        self.marks.as_mut()?.functions.last_mut()?.blocks.get_mut(block)
    }

    fn open_block(&mut self, open: &mut Open) -> Step<BlockId> {
        let offset = self.cursor.token.offset;
        self.cursor.expect_symbol("{")?;
        let block = self.new_block(offset)?;
        self.push_frame(open, FrameKind::Block, block, offset);
        Ok(BlockId(block))
    }

    fn push_frame(&mut self, open: &mut Open, kind: FrameKind, block: u32, offset: usize) {
        let (live, offset) = (self.scope.len(), offset as u32);
        open.frames.push(Frame { kind, block, live, offset, damaged: false });
    }

    /// `}`
    fn close(&mut self, open: &mut Open) -> Step<()> {
        let frame = *open.top();
        if frame.kind == FrameKind::Block && !frame.damaged {
            self.cursor.fail("`return`, `yield` or `match` at the end of the block");
        }
        let offset = self.cursor.advance().offset;
        open.frames.pop();
        self.scope.truncate(frame.live);
        match frame.kind {
            FrameKind::Block | FrameKind::Ended => {}
            FrameKind::Arms => open.top().kind = FrameKind::Ended,
            FrameKind::ContinuedArms => self.go_on(open, frame.block, offset)?,
        }
        if open.frames.is_empty() { Ok(()) } else { self.cursor.expect_statement_end() }
    }

    /// Begins the continuation of the match that ends `block`.
    fn go_on(&mut self, open: &mut Open, block: u32, offset: usize) -> Step<()> {
        let names = open.yielded.pop().expect("it was pushed with the arms");
        self.define(&names, offset);
        let next = self.new_block(offset)?;
        if let Control::MatchContinue { continuation, .. } = self.control(block) {
            *continuation = BlockId(next);
        }
        open.top().block = next;
        Ok(())
    }

    /// `case 0 { ... }` or `default { ... }`
    fn arm(&mut self, open: &mut Open) -> Step<()> {
        let block = open.top().block;
        let offset = self.cursor.token.offset;
        let key = if self.cursor.take_name("case") {
            Some(element(self.cursor.word("the value of the case")?))
        } else if self.cursor.take_name("default") {
            None
        } else {
            return Err(self.cursor.fail("`case`, `default` or `}`"));
        };
        let child = self.open_block(open)?;
        let (Control::Match(arms) | Control::MatchContinue { arms, .. }) = self.control(block)
        else {
            unreachable!("a block with open arms ends in a match");
        };
        if arms.default.is_some() {
            self.cursor.reports.add(offset, "expected no arm after `default`".into());
            return Ok(());
        }
        match key {
            Some(key) => arms.cases.push((key, child)),
            None => arms.default = Some(child),
        }
        Ok(())
    }

    /// A line of a block.
    fn statement(&mut self, open: &mut Open) -> Step<()> {
        let frame = *open.top();
        if frame.kind == FrameKind::Ended {
            if !frame.damaged {
                self.cursor.fail("`}`: this block has come to its end");
            }
            return Err(Failed);
        }
        let start = self.cursor.token;
        let mut results = Vec::new();
        if start.kind == Kind::Name && !is_reserved(start.text) {
            results = self.new_names()?;
            if !self.cursor.take_symbol("=") {
                return Err(self.cursor.fail("`=` (or an operation at the start of the line)"));
            }
        }
        let is_control = ["return", "yield", "match", "match_continue"];
        if is_control.contains(&self.cursor.token.text) {
            let marks = self.block_marks(frame.block as usize);
            marks.into_iter().for_each(|marks| marks.control = Some(start.offset));
        }
        let line = match self.cursor.token.text {
            word @ ("return" | "yield" | "match") if !results.is_empty() => {
                let message = format!("{} has no result that could be named", excerpt(word));
                self.cursor.reports.add(start.offset, message);
                Err(Failed)
            }
            "return" | "yield" => self.leaf(open, frame.block),
            "match" => self.choice(open, frame.block, FrameKind::Arms, 0),
            "match_continue" => {
                let num_outputs = results.len() as u32;
                self.choice(open, frame.block, FrameKind::ContinuedArms, num_outputs)?;
                open.yielded.push(results);
                return Ok(());
            }
            _ => self.operation(frame.block as usize, start.offset, results.len() as u32),
        };
        self.define(&results, start.offset);
        line
    }

    /// `return a, b` or `yield @3 a, b`
    fn leaf(&mut self, open: &mut Open, block: u32) -> Step<()> {
        let is_return = self.cursor.advance().text == "return";
        let mut selector = open.leaves;
        open.leaves += 1;
        if self.cursor.take_symbol("@") {
            selector = self.cursor.count("the number of a selector")?;
        }
        let values = self.values_to_end()?;
        *self.control(block) = if is_return {
            Control::Return { selector, values }
        } else {
            Control::Yield { selector, values }
        };
        open.top().kind = FrameKind::Ended;
        Ok(())
    }

    /// `match v {` or `match_continue v {`
    fn choice(
        &mut self,
        open: &mut Open,
        block: u32,
        kind: FrameKind,
        num_outputs: u32,
    ) -> Step<()> {
        let word = self.cursor.advance().text;
        let value = self.one_value(word)?;
        let offset = self.cursor.token.offset;
        self.cursor.expect_symbol("{")?;
        let arms = Match { value, cases: Vec::new(), default: None };
        *self.control(block) = if kind == FrameKind::Arms {
            Control::Match(arms)
        } else {
            Control::MatchContinue { arms, num_outputs, continuation: BlockId(u32::MAX) }
        };
        self.push_frame(open, kind, block, offset);
        Ok(())
    }
}

impl Control {
    /// Stands in a block until its end has been read.
    const OPEN: Self = Self::Return { selector: u32::MAX, values: Vec::new() };
}
