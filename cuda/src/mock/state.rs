//! What the mock remembers, and how its work is done.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use traceloom_abi::device_abi::TlBases;

use super::Call;
use super::host::{HostRows, HostWord, HostWords, KernelHost};
use crate::driver::{ArgumentWord, Arguments, RowsArguments, Span, WordArguments};
use crate::error::Code;

/// Bytes between allocations, so that no two touch.
const GAP: u64 = 1 << 12;

type HostBytes = Arc<Mutex<Vec<u8>>>;

#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) calls: Vec<Call>,
    pub(super) is_late: bool,
    pub(super) fail: Option<(u64, Code)>,
    /// A final error, or an error of work that was not reported yet.
    pub(super) fault: Option<Code>,
    pub(super) stalls: u64,
    pub(super) busy_releases: u64,
    pub(super) memories: BTreeMap<u64, Vec<u64>>,
    /// Most bytes of memory at once.
    pub(super) most_used: u64,
    pub(super) num_pinned: usize,
    pub(super) num_modules: usize,
    pub(super) streams: BTreeMap<u64, Queue>,
    /// Stream and ticket, once recorded.
    pub(super) events: BTreeMap<u64, Option<(u64, u64)>>,
    pub(super) kernels: Vec<String>,
    next: u64,
}

/// Work of a stream, and how much of it is done.
#[derive(Debug, Default)]
pub(super) struct Queue {
    ops: VecDeque<Op>,
    num_done: u64,
}

#[derive(Debug)]
pub(super) enum Op {
    Nothing,
    Wait(u64, u64),
    CopyUp { address: u64, offset: u64, bytes: u64, from: HostBytes },
    CopyDown { address: u64, offset: u64, length: usize, pitch: usize, count: usize, to: HostBytes },
    Fill { address: u64, offset: u64, bytes: u64, byte: u8 },
    Rows(Box<RowsOp>),
    Words(Box<WordsOp>),
    Digest { kernel: String, address: u64, offset: u64 },
}

#[derive(Debug)]
pub(super) struct RowsOp {
    kernel: String,
    seeds: Option<(u64, u64, u64)>,
    first_row: u64,
    num_rows: u64,
    bases: TlBases,
    cells: (u64, u64, u64),
    stride: u64,
    first: u64,
    count: u64,
    height: u64,
}

/// A handwritten kernel: parts of memory by address, offset and size.
#[derive(Debug)]
pub(super) struct WordsOp {
    kernel: String,
    blocks: u64,
    threads: u32,
    shared_bytes: u32,
    words: Vec<Result<u64, (u64, u64, u64)>>,
}

fn place(span: Span<'_>) -> Result<(u64, u64, u64), Code> {
    span.address()?;
    Ok((span.memory.address, span.offset, span.bytes))
}

/// One per row, and those in front of them that `lead_of` of `launch.cuh` leaves idle.
fn needed_threads(rows: &RowsArguments<'_>) -> u64 {
    let position = rows.first_row.wrapping_sub(rows.first) & (rows.height - 1);
    rows.num_rows + position % 32
}

impl Op {
    /// Refuses what the kernel's threads do not cover.
    pub(super) fn launch(
        kernel: String,
        blocks: u32,
        threads: u32,
        arguments: Arguments<'_>,
    ) -> Result<Self, Code> {
        let all = u64::from(blocks) * u64::from(threads);
        match arguments {
            Arguments::Digest(span) if span.bytes == 32 => {
                let (address, offset, _) = place(span)?;
                Ok(Self::Digest { kernel, address, offset })
            }
            Arguments::Rows(rows) if rows.is_sound() && needed_threads(&rows) <= all => {
                Ok(Self::Rows(Box::new(RowsOp {
                    kernel,
                    seeds: rows.seeds.map(place).transpose()?,
                    first_row: rows.first_row,
                    num_rows: rows.num_rows,
                    bases: rows.bases,
                    cells: place(rows.cells)?,
                    stride: rows.stride,
                    first: rows.first,
                    count: rows.count,
                    height: rows.height,
                })))
            }
            Arguments::Words(WordArguments { words, shared_bytes }) => {
                let word = |word: &ArgumentWord<'_>| match word {
                    ArgumentWord::Number(number) => Ok(Ok(*number)),
                    ArgumentWord::Span(span) => place(*span).map(Err),
                };
                let words = words.iter().map(word).collect::<Result<_, _>>()?;
                let blocks = u64::from(blocks);
                Ok(Self::Words(Box::new(WordsOp { kernel, blocks, threads, shared_bytes, words })))
            }
            Arguments::Digest(_) | Arguments::Rows(_) => Err(Code::INVALID_VALUE),
        }
    }
}

/// Words behind a piece of memory, which stay as they are.
const GUARD: [u64; 2] = [0xdead_beef_dead_beef, u64::MAX];

/// A piece of an allocation, in words.
struct Piece {
    address: u64,
    first: usize,
    end: usize,
}

/// The pieces that the parts of a kernel's parameter cover.
fn pieces(words: &[Result<u64, (u64, u64, u64)>]) -> Result<Vec<Piece>, Code> {
    let mut parts: Vec<_> = words.iter().filter_map(|word| word.err()).collect();
    parts.sort_unstable();
    let mut pieces: Vec<Piece> = Vec::new();
    for (address, offset, bytes) in parts {
        if offset % 8 != 0 {
            return Err(Code::INVALID_VALUE);
        }
        let (first, end) = ((offset / 8) as usize, (offset + bytes).div_ceil(8) as usize);
        match pieces.last_mut() {
            Some(last) if last.address == address && first <= last.end => {
                last.end = last.end.max(end);
            }
            _ => pieces.push(Piece { address, first, end }),
        }
    }
    Ok(pieces)
}

impl State {
    pub(super) fn num_live(&self) -> usize {
        let device = self.memories.len() + self.streams.len() + self.events.len();
        device + self.num_pinned + self.num_modules
    }

    pub(super) fn used(&self) -> u64 {
        self.memories.values().map(|words| 8 * words.len() as u64).sum()
    }

    fn fresh(&mut self, step: u64) -> u64 {
        self.next += step;
        self.next
    }

    pub(super) fn allocate(&mut self, bytes: u64) -> u64 {
        let address = self.fresh(GAP);
        self.next += bytes.next_multiple_of(GAP);
        self.memories.insert(address, vec![u64::MAX; bytes.div_ceil(8) as usize]);
        self.most_used = self.most_used.max(self.used());
        address
    }

    pub(super) fn add_stream(&mut self) -> u64 {
        let stream = self.fresh(1);
        self.streams.insert(stream, Queue::default());
        stream
    }

    pub(super) fn add_event(&mut self) -> u64 {
        let event = self.fresh(1);
        self.events.insert(event, None);
        event
    }

    pub(super) fn add_kernel(&mut self, name: &str) -> u64 {
        self.kernels.push(name.into());
        self.kernels.len() as u64 - 1
    }

    /// Queues work; its ticket is how much will be done after it.
    pub(super) fn push(&mut self, stream: u64, op: Op) -> Result<u64, Code> {
        let queue = self.streams.get_mut(&stream).ok_or(Code::INVALID_VALUE)?;
        queue.ops.push_back(op);
        Ok(queue.num_done + queue.ops.len() as u64)
    }

    /// Whether there is work on a stream that was not done.
    pub(super) fn is_busy(&self, stream: u64) -> bool {
        self.streams.get(&stream).is_some_and(|queue| !queue.ops.is_empty())
    }

    /// Streams that are gone have done their work.
    pub(super) fn is_done(&self, stream: u64, ticket: u64) -> bool {
        self.streams.get(&stream).is_none_or(|queue| queue.num_done >= ticket)
    }

    pub(super) fn run_until(&mut self, stream: u64, ticket: u64, host: &dyn KernelHost) {
        while !self.is_done(stream, ticket) && self.run_one(stream, host) {}
    }

    pub(super) fn run_all(&mut self, stream: u64, host: &dyn KernelHost) {
        while self.run_one(stream, host) {}
    }

    /// Does the next work of a stream, and first the work that it waits for. Returns whether
    /// there was any.
    pub(super) fn run_one(&mut self, stream: u64, host: &dyn KernelHost) -> bool {
        let queue = self.streams.get_mut(&stream);
        let Some(op) = queue.and_then(|queue| queue.ops.pop_front()) else { return false };
        if let Op::Wait(other, ticket) = op {
            self.run_until(other, ticket, host);
        } else if self.fault.is_none()
            && let Err(code) = self.run(op, host)
        {
            self.fault = Some(code);
        }
        if let Some(queue) = self.streams.get_mut(&stream) {
            queue.num_done += 1;
        }
        true
    }

    fn bytes(&self, (address, offset, bytes): (u64, u64, u64)) -> Result<Vec<u8>, Code> {
        let words = self.memories.get(&address).ok_or(Code::ILLEGAL_ADDRESS)?;
        let (first, end) = (offset / 8, (offset + bytes).div_ceil(8));
        let all = words[first as usize..end as usize].iter().flat_map(|word| word.to_le_bytes());
        Ok(all.skip((offset % 8) as usize).take(bytes as usize).collect())
    }

    fn write(&mut self, address: u64, offset: u64, bytes: &[u8]) -> Result<(), Code> {
        let words = self.memories.get_mut(&address).ok_or(Code::ILLEGAL_ADDRESS)?;
        for (at, &byte) in (offset as usize..).zip(bytes) {
            let word = &mut words[at / 8];
            let shift = 8 * (at % 8);
            *word = *word & !(0xff << shift) | u64::from(byte) << shift;
        }
        Ok(())
    }

    fn run(&mut self, op: Op, host: &dyn KernelHost) -> Result<(), Code> {
        match op {
            Op::Nothing | Op::Wait(..) => Ok(()),
            Op::CopyUp { address, offset, bytes, from } => {
                let from = from.lock().unwrap_or_else(PoisonError::into_inner);
                self.write(address, offset, &from[..bytes as usize])
            }
            Op::CopyDown { address, offset, length, pitch, count, to } => {
                let mut to = to.lock().unwrap_or_else(PoisonError::into_inner);
                for piece in 0..count {
                    let at = (address, offset + (piece * pitch) as u64, length as u64);
                    to[piece * length..][..length].copy_from_slice(&self.bytes(at)?);
                }
                Ok(())
            }
            Op::Fill { address, offset, bytes, byte } => {
                self.write(address, offset, &vec![byte; bytes as usize])
            }
            Op::Digest { kernel, address, offset } => {
                let digest = host.digest(&kernel).ok_or(Code::LAUNCH_FAILED)?;
                self.write(address, offset, &digest)
            }
            Op::Rows(op) => self.rows(*op, host),
            Op::Words(op) => self.words(&op, host),
        }
    }

    /// Parts that touch each other are one piece of the memory that the kernel gets.
    fn words(&mut self, op: &WordsOp, host: &dyn KernelHost) -> Result<(), Code> {
        let pieces = pieces(&op.words)?;
        let mut memory = Vec::new();
        for piece in &pieces {
            let words = self.memories.get(&piece.address).ok_or(Code::ILLEGAL_ADDRESS)?;
            memory.extend_from_slice(&words[piece.first..piece.end]);
            memory.extend(GUARD);
        }
        let of_part = |&(address, offset, _): &(u64, u64, u64)| {
            let mut at = 0;
            for piece in &pieces {
                let inside = piece.first..=piece.end;
                if piece.address == address && inside.contains(&(offset as usize / 8)) {
                    return HostWord::Address(at + offset as usize / 8 - piece.first);
                }
                at += piece.end - piece.first + GUARD.len();
            }
            HostWord::Number(0)
        };
        let words = op.words.iter().map(|word| match word {
            Ok(number) => HostWord::Number(*number),
            Err(part) => of_part(part),
        });
        let launch = HostWords {
            kernel: &op.kernel,
            blocks: op.blocks,
            threads: op.threads,
            shared_bytes: op.shared_bytes,
            words: words.collect(),
            memory: &mut memory,
        };
        host.words(launch).map_err(|_| Code::LAUNCH_FAILED)?;
        let mut rest = memory.as_slice();
        for piece in &pieces {
            let (found, behind) = rest.split_at(piece.end - piece.first);
            if behind[..GUARD.len()] != GUARD {
                return Err(Code::ILLEGAL_ADDRESS);
            }
            rest = &behind[GUARD.len()..];
            let words = self.memories.get_mut(&piece.address).ok_or(Code::ILLEGAL_ADDRESS)?;
            words[piece.first..piece.end].copy_from_slice(found);
        }
        Ok(())
    }

    fn rows(&mut self, op: RowsOp, host: &dyn KernelHost) -> Result<(), Code> {
        let seeds = op.seeds.map(|seeds| self.bytes(seeds)).transpose()?;
        let (address, offset, bytes) = op.cells;
        let words = self.memories.get_mut(&address).ok_or(Code::ILLEGAL_ADDRESS)?;
        let rows = HostRows {
            kernel: &op.kernel,
            seeds: seeds.as_deref().unwrap_or_default(),
            first_row: op.first_row,
            num_rows: op.num_rows,
            bases: op.bases,
            stride: op.stride,
            first: op.first,
            count: op.count,
            height: op.height,
            cells: &mut words[(offset / 8) as usize..((offset + bytes) / 8) as usize],
        };
        host.rows(rows).map_err(|_| Code::LAUNCH_FAILED)
    }
}
