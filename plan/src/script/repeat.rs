//! Repeated groups in straight-line code.
//!
//! Two stretches of code repeat each other if their instructions are alike one by one, if
//! what they read of each other is alike, and if their numbers (columns, numbers of operations)
//! are at the same distances. What they read from outside may differ: these are the parameters
//! of a function.
//!
//! Neighbours that occur most often are joined to one symbol, again and again, as in *Re-Pair*
//! (Larsson and Moffat, 2000). Every symbol that occurs twice is a rule of a grammar. In the
//! end a rule stays where that makes the text shorter, and is written out where it does not.
//!
//! This module knows no instructions. Whoever has straight-line code describes it by [`Item`]s.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// How many kinds of numbers items have.
pub const SPACES: usize = 4;

/// What an item reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Slot {
    /// Registers that it reads.
    pub regs: [Option<u32>; 2],
    /// Everything else about it; equal where both are read inside of a group.
    pub form: u32,
}

/// One instruction.
#[derive(Clone, Debug)]
pub struct Item {
    /// What must be equal: what it computes, types of operands and results.
    pub shape: u32,
    /// What it reads, in order.
    pub slots: Vec<Slot>,
    /// How many registers it defines: those behind all that items before it define.
    pub num_results: u32,
    /// By kind of number: one that may differ from group to group.
    pub numbers: [Option<u32>; SPACES],
    /// Lines of text.
    pub lines: u32,
}

/// A part of a body or of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symbol {
    /// An item.
    Item,
    /// A rule.
    Rule(usize),
}

/// A part and where it begins, counted from where the whole begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// What it is.
    pub symbol: Symbol,
    /// The first item.
    pub offset: u32,
    /// How many items.
    pub len: u32,
}

/// A group that occurs several times, or a piece of something long.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rule {
    /// Its parts in order.
    pub parts: Vec<Part>,
    /// How many items.
    pub len: u32,
    /// The first items of all its occurrences, in order.
    pub starts: Vec<u32>,
}

/// Code as rules. Rules come after those that they name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grammar {
    /// The rules.
    pub rules: Vec<Rule>,
    /// By body: its parts, counted from the body's first item.
    pub bodies: Vec<Vec<Part>>,
}

/// Finds the groups in `bodies`, whose items and registers are numbered in order. `last_use` is
/// by register: the last item that reads it, or `u32::MAX` if more than items does. No body and
/// no rule gets more than `most` parts.
#[must_use]
pub fn find(bodies: &[Vec<Item>], last_use: &[u32], most: usize) -> Grammar {
    let mut search = Search::new(bodies, last_use);
    search.join_all();
    let kept = search.kept();
    search.grammar(&kept, most)
}

/// The rule of a symbol that is more than an item.
#[derive(Clone, Copy, Debug)]
struct Pair {
    left: u32,
    right: u32,
    /// Lines of a call, and of a function without its body.
    call: u32,
    head: u32,
}

struct Search<'a> {
    items: Vec<&'a Item>,
    last_use: &'a [u32],
    /// By register: the item that defines it, and the first register of that item.
    defined: Vec<(u32, u32)>,
    /// First items of bodies, and one past the last item.
    firsts: Vec<u32>,
    /// By item: whether a body begins there.
    begins: Vec<bool>,
    /// By item: length of the symbol that begins there; 0 inside of one.
    len: Vec<u32>,
    /// By item: start of the symbol before.
    before: Vec<u32>,
    /// By item: the kind of the symbol. Kinds below `num_shapes` are shapes of items.
    kind: Vec<u32>,
    numbers: Vec<[Option<u32>; SPACES]>,
    num_shapes: u32,
    /// By kind, less `num_shapes`.
    pairs: Vec<Pair>,
    /// Neighbours that are alike, by number, and where they are.
    keys: BTreeMap<Vec<u32>, u32>,
    places: Vec<BTreeSet<u32>>,
    /// By item: the number of the pair that begins there.
    key_at: Vec<Option<u32>>,
    queue: BTreeSet<(usize, Reverse<u32>)>,
}

impl<'a> Search<'a> {
    fn new(bodies: &'a [Vec<Item>], last_use: &'a [u32]) -> Self {
        let items: Vec<&Item> = bodies.iter().flatten().collect();
        let mut begins = vec![false; items.len() + 1];
        let mut firsts = vec![0];
        for body in bodies {
            let first = firsts[firsts.len() - 1];
            begins[first as usize] = true;
            firsts.push(first + body.len() as u32);
        }
        begins[items.len()] = true;
        let mut defined = Vec::with_capacity(last_use.len());
        for (at, item) in items.iter().enumerate() {
            let first = defined.len() as u32;
            defined.extend((0..item.num_results).map(|_| (at as u32, first)));
        }
        let num_shapes = items.iter().map(|item| item.shape + 1).max().unwrap_or(0);
        Self {
            last_use,
            defined,
            firsts,
            begins,
            len: vec![1; items.len()],
            before: (0..items.len() as u32).map(|at| at.saturating_sub(1)).collect(),
            kind: items.iter().map(|item| item.shape).collect(),
            numbers: items.iter().map(|item| item.numbers).collect(),
            num_shapes,
            pairs: Vec::new(),
            keys: BTreeMap::new(),
            places: Vec::new(),
            key_at: vec![None; items.len()],
            queue: BTreeSet::new(),
            items,
        }
    }

    fn next(&self, at: u32) -> Option<u32> {
        let next = at + self.len[at as usize];
        (!self.begins[next as usize]).then_some(next)
    }

    /// What is alike of the symbol at `at` and the next one; `None` if they cannot be joined.
    fn key(&self, at: u32) -> Option<Vec<u32>> {
        let next = self.next(at)?;
        let mut key = vec![self.kind[at as usize], self.kind[next as usize]];
        for item in next..next + self.len[next as usize] {
            for slot in &self.items[item as usize].slots {
                let regs = slot.regs.into_iter().flatten();
                let of = regs.clone().map(|reg| self.defined[reg as usize]);
                if of.clone().all(|(by, _)| by < at) {
                    key.push(0);
                    continue;
                }
                if of.clone().all(|(by, _)| by >= next) {
                    continue;
                }
                if of.clone().any(|(by, _)| by < at) {
                    return None;
                }
                key.push(slot.form + 1);
                for (reg, (by, first)) in regs.zip(of) {
                    key.extend([by - at, reg - first]);
                }
            }
        }
        for space in 0..SPACES {
            let [a, b] = [at, next].map(|at| self.numbers[at as usize][space]);
            key.push(match (a, b) {
                (Some(a), Some(b)) => b.wrapping_sub(a),
                _ => u32::MAX,
            });
        }
        Some(key)
    }

    fn forget(&mut self, at: u32) {
        let Some(key) = self.key_at[at as usize].take() else { return };
        let places = &mut self.places[key as usize];
        self.queue.remove(&(places.len(), Reverse(key)));
        places.remove(&at);
        self.queue.insert((places.len(), Reverse(key)));
    }

    fn note(&mut self, at: u32) {
        self.forget(at);
        let Some(key) = self.key(at) else { return };
        let new = self.places.len() as u32;
        let key = *self.keys.entry(key).or_insert(new);
        if key == new {
            self.places.push(BTreeSet::new());
        }
        let places = &mut self.places[key as usize];
        self.queue.remove(&(places.len(), Reverse(key)));
        places.insert(at);
        self.queue.insert((places.len(), Reverse(key)));
        self.key_at[at as usize] = Some(key);
    }

    fn join_all(&mut self) {
        (0..self.items.len() as u32).for_each(|at| self.note(at));
        while let Some((count, Reverse(key))) = self.queue.pop_last() {
            if count < 2 {
                return;
            }
            self.join(key);
        }
    }

    /// Joins the neighbours of a key where they are; those that overlap stay.
    fn join(&mut self, key: u32) {
        let places = std::mem::take(&mut self.places[key as usize]);
        let mut free = 0;
        let chosen: Vec<u32> = places
            .iter()
            .copied()
            .filter(|&at| {
                let next = at + self.len[at as usize];
                let chosen = at >= free;
                if chosen {
                    free = next + self.len[next as usize];
                }
                chosen
            })
            .collect();
        for at in places {
            self.key_at[at as usize] = None;
        }
        if chosen.len() < 2 {
            return;
        }
        let kind = self.num_shapes + self.pairs.len() as u32;
        let first = chosen[0];
        let next = first + self.len[first as usize];
        let [left, right] = [first, next].map(|at| self.kind[at as usize]);
        let (call, head) = self.costs(first, next + self.len[next as usize]);
        self.pairs.push(Pair { left, right, call, head });
        for &at in &chosen {
            let next = at + self.len[at as usize];
            self.forget(next);
            for space in 0..SPACES {
                let later = self.numbers[next as usize][space];
                let number = &mut self.numbers[at as usize][space];
                *number = number.or(later);
            }
            self.len[at as usize] += std::mem::take(&mut self.len[next as usize]);
            self.kind[at as usize] = kind;
            if let Some(after) = self.next(at) {
                self.before[after as usize] = at;
            }
        }
        for &at in &chosen {
            if !self.begins[at as usize] {
                self.note(self.before[at as usize]);
            }
            self.note(at);
        }
    }

    /// Lines of a call of the items from `start` to `end`, and of a function around them.
    fn costs(&self, start: u32, end: u32) -> (u32, u32) {
        let mut outside = BTreeSet::new();
        for item in start..end {
            for slot in &self.items[item as usize].slots {
                let is_outside = |reg: u32| self.defined[reg as usize].0 < start;
                if slot.regs.into_iter().flatten().all(is_outside) {
                    outside.insert((slot.regs, slot.form));
                }
            }
        }
        let first = |item: u32| self.defined.partition_point(|&(by, _)| by < item);
        let regs = first(start)..first(end);
        let results = regs.filter(|&reg| self.last_use[reg] >= end && self.last_use[reg] != 0);
        let names = outside.len() as u32 * 14 + results.count() as u32 * 11;
        (1 + names / 90, 5 + 2 * names / 90)
    }

    /// By pair: whether it is a function. The others are written out.
    fn kept(&self) -> Vec<bool> {
        let mut kept = vec![true; self.pairs.len()];
        let lines = self.lines_of_shapes();
        loop {
            let sizes = self.sizes(&kept, &lines);
            let uses = self.uses(&kept);
            let loss = |pair: usize| {
                let (calls, size) = (i64::from(uses[pair]), i64::from(sizes[pair]));
                let Pair { call, head, .. } = self.pairs[pair];
                size + i64::from(head) + calls * i64::from(call) - calls * size
            };
            let single = |&pair: &usize| kept[pair] && uses[pair] < 2;
            let singles: Vec<usize> = (0..kept.len()).filter(single).collect();
            if !singles.is_empty() {
                singles.into_iter().for_each(|pair| kept[pair] = false);
                continue;
            }
            let losing = (0..kept.len()).filter(|&pair| kept[pair] && loss(pair) >= 0);
            // The smallest first: what they are part of may then be worth a function.
            let Some(pair) = losing.min_by_key(|&pair| (sizes[pair], pair)) else { return kept };
            kept[pair] = false;
        }
    }

    /// By shape: lines of an item of it.
    fn lines_of_shapes(&self) -> Vec<u32> {
        let mut lines = vec![0; self.num_shapes as usize];
        for item in &self.items {
            lines[item.shape as usize] = item.lines;
        }
        lines
    }

    /// By pair: lines of its body.
    fn sizes(&self, kept: &[bool], lines: &[u32]) -> Vec<u32> {
        let mut sizes: Vec<u32> = Vec::with_capacity(kept.len());
        for pair in &self.pairs {
            let of = |kind: u32| match self.pair(kind) {
                None => lines[kind as usize],
                Some(pair) if kept[pair] => self.pairs[pair].call,
                Some(pair) => sizes[pair],
            };
            let size = of(pair.left).saturating_add(of(pair.right));
            sizes.push(size);
        }
        sizes
    }

    /// By pair: how many calls there are.
    fn uses(&self, kept: &[bool]) -> Vec<u32> {
        let mut uses = vec![0_u32; kept.len()];
        for at in 0..self.items.len() {
            if let (1.., Some(pair)) = (self.len[at], self.pair(self.kind[at])) {
                uses[pair] += 1;
            }
        }
        for pair in (0..kept.len()).rev() {
            let times = if kept[pair] { 1 } else { uses[pair] };
            for kind in [self.pairs[pair].left, self.pairs[pair].right] {
                if let Some(part) = self.pair(kind) {
                    uses[part] = uses[part].saturating_add(times);
                }
            }
        }
        uses
    }

    fn pair(&self, kind: u32) -> Option<usize> {
        kind.checked_sub(self.num_shapes).map(|pair| pair as usize)
    }

    /// The grammar of the kept pairs.
    fn grammar(&self, kept: &[bool], most: usize) -> Grammar {
        let mut lens: Vec<u32> = Vec::with_capacity(kept.len());
        for pair in &self.pairs {
            let of = |kind: u32| self.pair(kind).map_or(1, |pair| lens[pair]);
            let len = of(pair.left) + of(pair.right);
            lens.push(len);
        }
        let mut rules = Vec::new();
        let mut numbers = vec![usize::MAX; kept.len()];
        let expand = |kinds: &[u32], numbers: &[usize]| {
            let mut parts = Vec::new();
            let mut offset = 0;
            let mut rest: Vec<u32> = kinds.iter().rev().copied().collect();
            while let Some(kind) = rest.pop() {
                let (symbol, len) = match self.pair(kind) {
                    None => (Symbol::Item, 1),
                    Some(pair) if kept[pair] => (Symbol::Rule(numbers[pair]), lens[pair]),
                    Some(pair) => {
                        rest.extend([self.pairs[pair].right, self.pairs[pair].left]);
                        continue;
                    }
                };
                parts.push(Part { symbol, offset, len });
                offset += len;
            }
            parts
        };
        for (index, pair) in self.pairs.iter().enumerate() {
            if kept[index] {
                let parts = expand(&[pair.left, pair.right], &numbers);
                numbers[index] = rules.len();
                rules.push(Rule { parts, len: lens[index], starts: Vec::new() });
            }
        }
        let bodies = self.firsts.windows(2).map(|body| {
            let starts = (body[0]..body[1]).filter(|&at| self.len[at as usize] > 0);
            let kinds: Vec<u32> = starts.map(|at| self.kind[at as usize]).collect();
            expand(&kinds, &numbers)
        });
        let mut grammar = Grammar { bodies: bodies.collect(), rules };
        grammar.divide(most);
        grammar.place(&self.firsts);
        grammar
    }
}

impl Grammar {
    /// Makes rules of pieces of what has more than `most` parts.
    fn divide(&mut self, most: usize) {
        let mut rules: Vec<Rule> = Vec::new();
        let mut numbers = Vec::new();
        for mut rule in std::mem::take(&mut self.rules) {
            for part in &mut rule.parts {
                if let Symbol::Rule(number) = &mut part.symbol {
                    *number = numbers[*number];
                }
            }
            divide(&mut rule.parts, most, &mut rules);
            numbers.push(rules.len());
            rules.push(rule);
        }
        for parts in &mut self.bodies {
            for part in parts.iter_mut() {
                if let Symbol::Rule(number) = &mut part.symbol {
                    *number = numbers[*number];
                }
            }
            divide(parts, most, &mut rules);
        }
        self.rules = rules;
    }

    /// Finds all occurrences of the rules.
    fn place(&mut self, firsts: &[u32]) {
        let mut open: Vec<(usize, u32)> = Vec::new();
        let mut starts: Vec<Vec<u32>> = vec![Vec::new(); self.rules.len()];
        let rules_of = |parts: &[Part], start: u32| {
            let calls = parts.iter().filter_map(|part| match part.symbol {
                Symbol::Item => None,
                Symbol::Rule(rule) => Some((rule, start + part.offset)),
            });
            calls.collect::<Vec<_>>()
        };
        for (parts, &first) in self.bodies.iter().zip(firsts) {
            open.extend(rules_of(parts, first));
        }
        while let Some((rule, start)) = open.pop() {
            starts[rule].push(start);
            open.extend(rules_of(&self.rules[rule].parts, start));
        }
        for (rule, mut starts) in self.rules.iter_mut().zip(starts) {
            starts.sort_unstable();
            rule.starts = starts;
        }
    }
}

/// Moves runs of `most` parts into rules of their own until no more than `most` are left.
fn divide(parts: &mut Vec<Part>, most: usize, rules: &mut Vec<Rule>) {
    while parts.len() > most {
        let pieces = parts.chunks(most).map(|piece| {
            let (first, last) = (piece[0].offset, piece[piece.len() - 1]);
            let len = last.offset + last.len - first;
            let inner = |part: &Part| Part { offset: part.offset - first, ..*part };
            let inner = piece.iter().map(inner).collect();
            rules.push(Rule { parts: inner, len, starts: Vec::new() });
            Part { symbol: Symbol::Rule(rules.len() - 1), offset: first, len }
        });
        *parts = pieces.collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An item that defines one register, of a shape, a column and the registers that it reads.
    fn item(shape: u32, column: u32, reads: &[u32]) -> Item {
        let slot = |&reg: &u32| Slot { regs: [Some(reg), None], form: 0 };
        Item {
            shape,
            slots: reads.iter().map(slot).collect(),
            num_results: 1,
            numbers: [Some(column), None, None, None],
            lines: 1,
        }
    }

    /// `count` times: 12 items of different shapes, each of which reads the one before, and the
    /// first of which reads `before`. Columns are 100 apart.
    fn groups(count: u32, before: impl Fn(u32) -> Vec<u32>) -> Vec<Item> {
        let of = |group: u32| {
            let first = 12 * group;
            (0..12).map(move |i| (i, first + i, 100 * group + 3 * i))
        };
        let item = |group: u32, (i, at, column): (u32, u32, u32)| match i {
            0 if before(group).is_empty() => item(99, column, &[]),
            0 => item(0, column, &before(group)),
            _ => item(i, column, &[at - 1]),
        };
        (0..count)
            .flat_map(|group| of(group).map(move |of| (group, of)))
            .map(|(g, of)| item(g, of))
            .collect()
    }

    fn found(items: Vec<Item>) -> Grammar {
        let last_use = vec![0; items.len()];
        find(&[items], &last_use, 1000)
    }

    #[test]
    fn what_is_alike_is_one_rule_wherever_it_reads_from() {
        let grammar = found(groups(5, |group| match group {
            0 => Vec::new(),
            // Far and near.
            group => vec![if group % 2 == 0 { 3 } else { 12 * group - 1 }],
        }));
        // The first group reads nothing, so it is of another shape of reads.
        assert!(!grammar.rules.is_empty());
        let longest = grammar.rules.iter().max_by_key(|rule| rule.len).unwrap();
        assert!(longest.len >= 11 && longest.starts.len() >= 4, "{grammar:?}");
    }

    #[test]
    fn other_distances_of_columns_or_links_are_not_alike() {
        let mut items = groups(2, |_| Vec::new());
        let same = found(items.clone());
        assert_eq!(same.rules.len(), 1, "{same:?}");
        assert_eq!(same.rules[0].starts, [0, 12]);
        items[18].numbers[0] = Some(7);
        let moved = found(items.clone());
        assert!(moved.rules.iter().all(|rule| rule.len < 12), "{moved:?}");
        let mut items = groups(2, |_| Vec::new());
        items[20].slots[0].regs[0] = Some(17);
        let linked = found(items);
        assert!(linked.rules.iter().all(|rule| rule.len < 12), "{linked:?}");
    }

    #[test]
    fn parts_of_a_body_are_all_of_it_and_bounded() {
        let mut items =
            groups(40, |group| (group > 0).then(|| 12 * group - 1).into_iter().collect());
        for (at, item) in items.iter_mut().enumerate().skip(200) {
            // Nothing repeats from here on.
            item.shape = 1000 + at as u32;
        }
        let last_use = vec![0; items.len()];
        let (first, second) = items.split_at(100);
        let grammar = find(&[first.to_vec(), second.to_vec()], &last_use, 16);
        let lists = grammar.rules.iter().map(|rule| (&rule.parts, rule.len));
        let bodies = grammar.bodies.iter().zip([100, 380]);
        for (parts, len) in lists.chain(bodies) {
            assert!(parts.len() <= 16);
            let mut end = 0;
            for part in parts {
                assert_eq!(part.offset, end);
                end += part.len;
            }
            assert_eq!(end, len);
        }
    }
}
