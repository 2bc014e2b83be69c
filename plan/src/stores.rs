//! How a packer stores the words of a path: one by one, or in runs of one list.
//!
//! Words of one width that lie side by side in the seed and in a list of the record are
//! one run, which a loop stores.

use traceloom_abi::seed::{Meaning, SeedWord, Width};

use crate::program::{FunctionPlan, PathPlan};
use crate::row::{FetchKind, ReadSource};

/// The encoding that a packer of a path writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Typed words, for the writer of the path.
    Typed,
    /// Eight bytes per word, for the generic writer.
    Full,
}

/// A list of words in the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum List {
    /// Inputs of the row's own query.
    Inputs,
    /// Its outputs.
    Outputs,
    /// The words of a fetch.
    Fetch(u32),
}

/// Words that are stored at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Store {
    /// One word.
    Word(SeedWord),
    /// At least two words of a list, from position `first` on.
    Run {
        /// The list.
        list: List,
        /// Position of the first word in it.
        first: u32,
        /// The words, side by side in the seed.
        words: Vec<SeedWord>,
    },
}

/// Bytes of a seed of `path` in `encoding`.
#[must_use]
pub fn stride(function: &FunctionPlan, path: &PathPlan, encoding: Encoding) -> usize {
    match encoding {
        Encoding::Full => function.full.stride(),
        Encoding::Typed => path.schema.stride as usize,
    }
}

/// What a packer of `path` stores, by offset.
#[must_use]
pub fn stores(function: &FunctionPlan, path: &PathPlan, encoding: Encoding) -> Vec<Store> {
    let words = words(function, path, encoding);
    let mut stores = Vec::new();
    let mut rest = &words[..];
    while let Some(&first) = rest.first() {
        let (run, others) = rest.split_at(run_length(path, rest));
        rest = others;
        stores.push(match place(path, first.meaning).filter(|_| run.len() > 1) {
            Some((list, first)) => Store::Run { list, first, words: run.to_vec() },
            None => Store::Word(first),
        });
    }
    stores
}

/// One past the last byte that is stored.
#[must_use]
pub fn end(function: &FunctionPlan, path: &PathPlan, encoding: Encoding) -> usize {
    let words = words(function, path, encoding);
    words.last().map_or(0, |word| word.offset as usize + word.width.bytes())
}

/// The words of the encoding, by offset.
fn words(function: &FunctionPlan, path: &PathPlan, encoding: Encoding) -> Vec<SeedWord> {
    if encoding == Encoding::Typed {
        return path.schema.words.clone();
    }
    let meanings = path.schema.words.iter().map(|word| word.meaning).chain([Meaning::Path]);
    let word = |meaning| SeedWord {
        meaning,
        width: Width::Full,
        offset: 8 * function.full.position(meaning) as u32,
    };
    let mut words: Vec<SeedWord> = meanings.map(word).collect();
    words.sort_by_key(|word| word.offset);
    words
}

/// How many of `words`, from the first on, are one run.
fn run_length(path: &PathPlan, words: &[SeedWord]) -> usize {
    let Some(first) = place(path, words[0].meaning) else { return 1 };
    let follows = |(i, word): &(usize, &SeedWord)| {
        let at = words[0].offset + *i as u32 * word.width.bytes() as u32;
        word.width == words[0].width
            && word.offset == at
            && place(path, word.meaning) == Some((first.0, first.1 + *i as u32))
    };
    words.iter().enumerate().take_while(follows).count()
}

/// The list that a word is in, and its position there.
fn place(path: &PathPlan, meaning: Meaning) -> Option<(List, u32)> {
    match meaning {
        Meaning::Input(i) => Some((List::Inputs, i)),
        Meaning::Read(read) => {
            let read = &path.reads[read as usize];
            match (read.alias, read.source) {
                (Some(output), _) => Some((List::Outputs, output)),
                (None, ReadSource::Fetched { fetch, result }) => {
                    let stored = &path.fetches[fetch as usize].kind;
                    let single = matches!(stored, FetchKind::Store { .. });
                    (!single).then_some((List::Fetch(fetch), result))
                }
                (None, ReadSource::CalleeRank(_)) => None,
            }
        }
        Meaning::Multiplicity | Meaning::Path | Meaning::Rank => None,
    }
}
