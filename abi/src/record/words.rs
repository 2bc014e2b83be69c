//! Lists of words of one length, stored in few bytes.
//!
//! Layout (owned here). List `i` takes `stride` bytes from `i · stride` on: its words in
//! order, without gaps, little-endian. Words of one position have one [`Width`]. It begins
//! as a byte; a word that does not fit widens its position in all lists, so what is stored
//! is always what was put in. Runs of positions of one width are read and written together.

use crate::pack;
use crate::seed::Width;

/// Widening moves no more than so many times what is stored; then every word takes eight
/// bytes. Programs choose their words, so the number of widenings alone bounds no work.
const MOST_MOVES: usize = 16;
/// Less than this counts as much, so that short tables may find their widths.
const SHORT: usize = 1 << 16;

/// Consecutive words of a list, as somebody has them.
#[derive(Clone, Copy, Debug)]
pub enum Part<'a> {
    /// Any words.
    Words(&'a [u64]),
    /// Words below 256.
    Bytes(&'a [u8]),
    /// So many words of a list of a record, from the first one given here on.
    Stored(Stored<'a>, usize, usize),
}

impl<'a> Part<'a> {
    /// Number of words.
    #[must_use]
    pub const fn len(&self) -> usize {
        match self {
            Self::Words(words) => words.len(),
            Self::Bytes(bytes) => bytes.len(),
            Self::Stored(_, _, count) => *count,
        }
    }

    /// Whether there is no word.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of words of all `parts`.
    #[must_use]
    pub fn total(parts: &[Self]) -> usize {
        parts.iter().map(Self::len).sum()
    }

    fn word(&self, at: usize) -> u64 {
        match self {
            Self::Words(words) => words[at],
            Self::Bytes(bytes) => bytes[at].into(),
            Self::Stored(list, first, _) => list.word(first + at),
        }
    }

    /// All words of `parts`.
    pub(crate) fn words(parts: impl Iterator<Item = Self>) -> impl Iterator<Item = u64> {
        parts.flat_map(|part| (0..part.len()).map(move |at| part.word(at)))
    }

    /// Stores words from `first` on, as many as fill `out`; the bits that do not fit.
    #[inline]
    fn store(&self, first: usize, width: Width, out: &mut [u8]) -> u64 {
        let count = out.len() / width.bytes();
        match (self, width) {
            (Self::Stored(list, start, _), Width::U8) => list.pack::<1>(start + first, out),
            (Self::Stored(list, start, _), Width::U16) => list.pack::<2>(start + first, out),
            (Self::Stored(list, start, _), Width::U32) => list.pack::<4>(start + first, out),
            (Self::Stored(list, start, _), Width::Full) => list.pack::<8>(start + first, out),
            (Self::Bytes(bytes), Width::U8) => {
                out.copy_from_slice(&bytes[first..first + count]);
                0
            }
            (Self::Bytes(bytes), _) => {
                out.fill(0);
                let words = out.chunks_exact_mut(width.bytes());
                words.zip(&bytes[first..]).for_each(|(word, &byte)| word[0] = byte);
                0
            }
            (Self::Words(words), Width::U8) => pack::put_all::<1>(&words[first..], out),
            (Self::Words(words), Width::U16) => pack::put_all::<2>(&words[first..], out),
            (Self::Words(words), Width::U32) => pack::put_all::<4>(&words[first..], out),
            (Self::Words(words), Width::Full) => pack::put_all::<8>(&words[first..], out),
        }
    }
}

/// Where the words of every list are.
#[derive(Clone, Debug)]
struct Layout {
    places: Vec<Place>,
    runs: Vec<Run>,
    stride: usize,
}

/// Where a word is.
#[derive(Clone, Copy, Debug)]
struct Place {
    offset: u32,
    /// First position after it that has another width.
    end: u32,
    width: Width,
}

/// Positions of one width.
#[derive(Clone, Copy, Debug)]
struct Run {
    count: u32,
    width: Width,
}

impl Layout {
    fn new(widths: &[Width]) -> Self {
        let (mut runs, mut places) = (Vec::<Run>::new(), Vec::with_capacity(widths.len()));
        let mut stride = 0;
        for run in widths.chunk_by(|a, b| a == b) {
            let (width, count, offset) = (run[0], run.len(), stride);
            let end = (places.len() + count) as u32;
            runs.push(Run { count: count as u32, width });
            for at in 0..count {
                let offset = (offset + at * width.bytes()) as u32;
                places.push(Place { offset, end, width });
            }
            stride += count * width.bytes();
        }
        Self { places, runs, stride }
    }

    /// Stores a list; whether every word fits and there are as many as there should be.
    #[inline]
    fn put<'p>(&self, parts: impl Iterator<Item = Part<'p>>, mut out: &mut [u8]) -> bool {
        let mut runs = self.runs.iter();
        let (mut width, mut left, mut over) = (Width::U8, 0, 0);
        for part in parts {
            let mut first = 0;
            while first < part.len() {
                if left == 0 {
                    let Some(run) = runs.next() else { return false };
                    (width, left) = (run.width, run.count as usize);
                }
                let count = left.min(part.len() - first);
                let (here, rest) = out.split_at_mut(count * width.bytes());
                over |= part.store(first, width, here);
                (out, first, left) = (rest, first + count, left - count);
            }
        }
        over == 0 && out.is_empty()
    }
}

/// The lists.
#[derive(Clone, Debug)]
pub(super) struct Words {
    layout: Layout,
    bytes: Vec<u8>,
    num_lists: usize,
    /// Bytes that widenings have moved.
    moved: usize,
}

impl Words {
    /// No list yet, of so many words each.
    pub fn new(num_words: usize) -> Self {
        let layout = Layout::new(&vec![Width::U8; num_words]);
        Self { layout, bytes: Vec::new(), num_lists: 0, moved: 0 }
    }

    /// Number of words of a list.
    pub fn num_words(&self) -> usize {
        self.layout.places.len()
    }

    /// Bytes that are stored.
    pub fn num_bytes(&self) -> usize {
        self.bytes.len()
    }

    /// List number `list`.
    #[inline]
    pub fn get(&self, list: usize) -> Stored<'_> {
        Stored { layout: &self.layout, bytes: self.raw(list) }
    }

    /// The bytes of a list. Lists of one table are equal if their bytes are.
    #[inline]
    pub fn raw(&self, list: usize) -> &[u8] {
        &self.bytes[list * self.layout.stride..][..self.layout.stride]
    }

    /// Appends zeros.
    #[inline]
    pub fn push_zeros(&mut self) {
        self.bytes.resize(self.bytes.len() + self.layout.stride, 0);
        self.num_lists += 1;
    }

    /// Appends a list of which these are the bytes.
    #[inline]
    pub fn push_raw(&mut self, raw: &[u8]) {
        debug_assert_eq!(raw.len(), self.layout.stride, "these are the bytes of a list");
        self.bytes.extend_from_slice(raw);
        self.num_lists += 1;
    }

    /// Removes the last list.
    #[inline]
    pub fn pop(&mut self) {
        self.bytes.truncate(self.bytes.len() - self.layout.stride);
        self.num_lists -= 1;
    }

    /// Replaces a list by one of which these are the bytes.
    #[inline]
    pub fn set_raw(&mut self, list: usize, raw: &[u8]) {
        let stride = self.layout.stride;
        self.bytes[list * stride..][..stride].copy_from_slice(raw);
    }

    /// Sets `raw` to the bytes that a list of `parts` has here; false if a word does not fit,
    /// so that no list is this one, or if there are more or fewer words.
    #[inline]
    pub fn write<'p>(&self, parts: impl Iterator<Item = Part<'p>>, raw: &mut Vec<u8>) -> bool {
        raw.resize(self.layout.stride, 0);
        self.layout.put(parts, raw)
    }

    /// What `f` says of the bytes that these words have here; `None` if they do not fit, so
    /// that no list has them.
    pub fn with_raw<T>(&self, words: &[u64], f: impl FnOnce(&[u8]) -> T) -> Option<T> {
        if words.len() != self.num_words() {
            return None;
        }
        let (mut short, mut long) = ([0; 256], Vec::new());
        let bytes = match short.get_mut(..self.layout.stride) {
            Some(bytes) => bytes,
            None => {
                long.resize(self.layout.stride, 0);
                &mut long[..]
            }
        };
        self.layout.put([Part::Words(words)].into_iter(), bytes).then(|| f(bytes))
    }

    /// Widens positions until `list` fits; nothing if it is no list of this length.
    #[cold]
    pub fn widen(&mut self, list: &[u64]) {
        if list.len() != self.num_words() {
            return;
        }
        self.moved += self.bytes.len();
        let is_enough = self.moved > MOST_MOVES * self.bytes.len().max(SHORT);
        let words = self.layout.places.iter().zip(list);
        let widths: Vec<Width> = words
            .map(|(place, &word)| match is_enough {
                true => Width::Full,
                false => place.width.max(Width::of_bound(word.saturating_add(1))),
            })
            .collect();
        let layout = Layout::new(&widths);
        let mut bytes = vec![0; self.num_lists * layout.stride];
        let mut words = vec![0; widths.len()];
        for list in 0..self.num_lists {
            self.get(list).copy_to(&mut words);
            let out = &mut bytes[list * layout.stride..][..layout.stride];
            layout.put([Part::Words(&words)].into_iter(), out);
        }
        (self.layout, self.bytes) = (layout, bytes);
    }
}

/// A list of words of a record. Lists are equal if their words are, whatever bytes they take.
#[derive(Clone, Copy)]
pub struct Stored<'a> {
    layout: &'a Layout,
    bytes: &'a [u8],
}

impl<'a> Stored<'a> {
    /// Number of words.
    #[must_use]
    pub fn len(&self) -> usize {
        self.layout.places.len()
    }

    /// Whether there is no word.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.layout.places.is_empty()
    }

    /// Word `at`.
    ///
    /// # Panics
    /// If there are not as many.
    #[inline]
    #[must_use]
    pub fn word(&self, at: usize) -> u64 {
        let Place { offset, width, .. } = self.layout.places[at];
        let bytes = &self.bytes[offset as usize..];
        match width {
            Width::U8 => bytes[0].into(),
            Width::U16 => u16::from_le_bytes([bytes[0], bytes[1]]).into(),
            Width::U32 => u32::from_le_bytes(first_of(bytes)).into(),
            Width::Full => u64::from_le_bytes(first_of(bytes)),
        }
    }

    /// All words, in order.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = u64> + ExactSizeIterator + 'a {
        (0..self.len()).map(move |at| self.word(at))
    }

    /// All words.
    #[must_use]
    pub fn to_vec(&self) -> Vec<u64> {
        let mut words = vec![0; self.len()];
        self.copy_to(&mut words);
        words
    }

    /// Words from `first` on; `None` if there are not so many.
    #[inline(always)]
    #[must_use]
    pub fn words<const N: usize>(&self, first: usize) -> Option<[u64; N]> {
        let mut words = [0; N];
        let place = match self.layout.places.get(first) {
            Some(place) if first + N <= self.len() => place,
            _ => return (N == 0 && first == self.len()).then_some(words),
        };
        if place.width == Width::U8 && place.end as usize >= first + N {
            let bytes: &[u8; N] = self.bytes.get(place.offset as usize..)?.first_chunk()?;
            return Some(bytes.map(u64::from));
        }
        self.copy_from(first, &mut words);
        Some(words)
    }

    /// The bytes of `4 * N` words from `first` on as words of 32 bits; `None` if there are not
    /// so many or one is no byte.
    #[inline(always)]
    #[must_use]
    pub fn words32<const N: usize>(&self, first: usize) -> Option<[u32; N]> {
        let place = self.layout.places.get(first)?;
        if place.width == Width::U8 && place.end as usize >= first + 4 * N {
            let (bytes, _) = self.bytes.get(place.offset as usize..)?.as_chunks::<4>();
            return bytes.first_chunk::<N>().map(|bytes| bytes.map(u32::from_le_bytes));
        }
        self.convert32(first)
    }

    #[cold]
    #[inline(never)]
    fn convert32<const N: usize>(&self, first: usize) -> Option<[u32; N]> {
        let mut words = [0; N];
        for (word, at) in words.iter_mut().zip((first..).step_by(4)) {
            *word = u32::from_le_bytes(self.bytes(at)?);
        }
        Some(words)
    }

    /// The same as bytes; `None` too if one is none.
    #[inline(always)]
    #[must_use]
    pub fn bytes<const N: usize>(&self, first: usize) -> Option<[u8; N]> {
        let place = self.layout.places.get(first)?;
        if place.width == Width::U8 && place.end as usize >= first + N {
            return self.bytes.get(place.offset as usize..)?.first_chunk().copied();
        }
        let words: [u64; N] = self.words(first)?;
        let mut bytes = [0; N];
        (pack::put_all::<1>(&words, &mut bytes) == 0).then_some(bytes)
    }

    /// Copies all words.
    pub fn copy_to(&self, out: &mut [u64]) {
        self.copy_from(0, out);
    }

    /// Copies as many words as `out` has, from `first` on.
    #[inline(never)]
    fn copy_from(&self, mut first: usize, mut out: &mut [u64]) {
        while !out.is_empty() {
            let Place { offset, end, width } = self.layout.places[first];
            let count = out.len().min(end as usize - first);
            let (here, rest) = out.split_at_mut(count);
            let bytes = &self.bytes[offset as usize..][..count * width.bytes()];
            match width {
                Width::U8 => here.iter_mut().zip(bytes).for_each(|(word, &b)| *word = b.into()),
                Width::U16 => spread(bytes, here, |bytes| u16::from_le_bytes(bytes).into()),
                Width::U32 => spread(bytes, here, |bytes| u32::from_le_bytes(bytes).into()),
                Width::Full => spread(bytes, here, u64::from_le_bytes),
            }
            (out, first) = (rest, first + count);
        }
    }

    /// Stores words from `first` on in `WIDTH` bytes each, as many as fill `out`; the bits
    /// that do not fit. Words that are as wide here are copied.
    #[inline]
    pub fn pack<const WIDTH: usize>(&self, first: usize, out: &mut [u8]) -> u64 {
        let count = out.len() / WIDTH;
        match self.layout.places.get(first) {
            Some(place) if place.width.bytes() == WIDTH && place.end as usize >= first + count => {
                out.copy_from_slice(&self.bytes[place.offset as usize..][..out.len()]);
                0
            }
            _ => self.convert::<WIDTH>(first, out),
        }
    }

    #[inline(never)]
    fn convert<const WIDTH: usize>(&self, first: usize, out: &mut [u8]) -> u64 {
        let mut over = 0;
        for (at, out) in (first..).zip(out.chunks_exact_mut(WIDTH)) {
            over |= pack::put::<WIDTH>(out, 0, self.word(at));
        }
        over
    }

    /// Whether these are the words of `parts`.
    #[must_use]
    pub fn is(&self, parts: &[Part<'_>]) -> bool {
        Part::total(parts) == self.len() && self.iter().eq(Part::words(parts.iter().copied()))
    }
}

impl PartialEq for Stored<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl Eq for Stored<'_> {}

impl PartialEq<[u64]> for Stored<'_> {
    fn eq(&self, other: &[u64]) -> bool {
        self.is(&[Part::Words(other)])
    }
}

impl std::fmt::Debug for Stored<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

fn first_of<const N: usize>(bytes: &[u8]) -> [u8; N] {
    *bytes.first_chunk().expect("a list has all bytes of its words")
}

#[inline(always)]
fn spread<const N: usize>(bytes: &[u8], out: &mut [u64], word: impl Fn([u8; N]) -> u64) {
    let (bytes, _) = bytes.as_chunks::<N>();
    out.iter_mut().zip(bytes).for_each(|(out, bytes)| *out = word(*bytes));
}

#[cfg(test)]
mod tests;
