//! Rounds of everything, with fresh seeds.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use traceloom_bytecode::{json, text};

use crate::case::Case;
use crate::generate::generate;
use crate::inputs::{TARGETS, Target, honest};
use crate::mutate::mutate;
use crate::properties::{Effort, Tally, Verdict, differs_alike, examine};
use crate::shrink::{shrink, shrink_bytes};

/// Candidates that are tried to make a failing case small.
const SHRINK_BUDGET: usize = 2_000;
/// Inputs per target and round.
const INPUTS: usize = 6;

/// Saved inputs by target.
pub type Corpus = BTreeMap<&'static str, Vec<Vec<u8>>>;

/// The inputs in `folder/TARGET/*`, in the order of their names; none where there
/// is no such folder.
#[must_use]
pub fn corpus(folder: &Path) -> Corpus {
    let mut corpus = Corpus::new();
    for Target { name, .. } in TARGETS {
        let mut paths: Vec<_> = std::fs::read_dir(folder.join(name))
            .map(|entries| entries.filter_map(|entry| Some(entry.ok()?.path())).collect())
            .unwrap_or_default();
        paths.sort();
        let inputs = paths.iter().filter_map(|path| std::fs::read(path).ok());
        corpus.insert(name, inputs.collect());
    }
    corpus
}

/// What has been tried so far.
pub struct Soak {
    rng: ChaCha8Rng,
    corpus: Corpus,
    /// Rounds.
    pub rounds: usize,
    programs: usize,
    rejected: usize,
    tally: Tally,
    inputs: usize,
    accepted: usize,
    slowest: BTreeMap<&'static str, Duration>,
    /// Things that should hold and did not.
    pub differences: usize,
}

impl Soak {
    /// Nothing yet; everything follows from `seed`.
    #[must_use]
    pub fn new(seed: u64, corpus: Corpus) -> Self {
        Self {
            rng: ChaCha8Rng::seed_from_u64(seed),
            corpus,
            rounds: 0,
            programs: 0,
            rejected: 0,
            tally: Tally::default(),
            inputs: 0,
            accepted: 0,
            slowest: BTreeMap::new(),
            differences: 0,
        }
    }

    /// One program, and a few inputs for every target.
    pub fn round(&mut self) {
        let effort = Effort {
            edits: 100,
            forgeries: 20,
            emit: self.rounds.is_multiple_of(16),
            prove: self.rounds.is_multiple_of(50),
        };
        let case = generate(self.rng.random());
        self.program(&case, effort);
        for target in TARGETS {
            for _ in 0..INPUTS {
                let input = self.input(target, &case);
                let start = Instant::now();
                self.feed(target, &input);
                let slowest = self.slowest.entry(target.name).or_default();
                *slowest = start.elapsed().max(*slowest);
            }
        }
        self.rounds += 1;
    }

    fn program(&mut self, case: &Case, effort: Effort) {
        match examine(case, effort) {
            Verdict::Rejected => self.rejected += 1,
            Verdict::Holds(tally) => {
                self.programs += 1;
                self.tally += tally;
            }
            Verdict::Differs(difference) => {
                self.differences += 1;
                let (property, message) = (difference.property, &difference.message);
                println!("difference in {property}, seed {}: {message}", case.seed);
                // What the difference does not need is not repeated for every candidate.
                let light = Effort { edits: 0, emit: false, prove: false, ..effort };
                let effort = if differs_alike(case, light, &difference) { light } else { effort };
                let fails = |case: &Case| differs_alike(case, effort, &difference);
                println!("{}", shrink(case, SHRINK_BUDGET, fails));
            }
        }
    }

    /// A saved input, the case in the target's form, or an honest proof; changed,
    /// nearly always.
    fn input(&mut self, target: Target, case: &Case) -> Vec<u8> {
        let saved = &self.corpus[target.name];
        let pick = |rng: &mut ChaCha8Rng| match saved.choose(rng) {
            Some(saved) if rng.random_bool(0.7) => saved.clone(),
            saved => match target.name {
                "text" => text::print(&case.program).unwrap_or_default().into_bytes(),
                "json" => json::print(&case.program).into_bytes(),
                "proof_decode_verify" => honest().bytes.clone(),
                _ => saved.cloned().unwrap_or_default(),
            },
        };
        let (bytes, other) = (pick(&mut self.rng), pick(&mut self.rng));
        match self.rng.random_bool(0.02) {
            true => bytes,
            false => mutate(&mut self.rng, &bytes, &other),
        }
    }

    fn feed(&mut self, target: Target, input: &[u8]) {
        self.inputs += 1;
        let run = |bytes: &[u8]| catch_unwind(AssertUnwindSafe(|| (target.run)(bytes)));
        match run(input) {
            Ok(accepted) => self.accepted += usize::from(accepted),
            Err(_) => {
                self.differences += 1;
                let small = shrink_bytes(input, SHRINK_BUDGET, |bytes| run(bytes).is_err());
                println!("difference in {}: {}", target.name, small.escape_ascii());
            }
        }
    }

    /// Sums beside the summary.
    #[must_use]
    pub fn details(&self) -> String {
        let slowest: Vec<String> = self
            .slowest
            .iter()
            .map(|(name, time)| format!("{name} {} ms", time.as_millis()))
            .collect();
        format!(
            "rejected {}, rows {}, edits {}, proofs {}, inputs accepted {}, slowest: {}",
            self.rejected,
            self.tally.rows,
            self.tally.edits,
            self.tally.proofs,
            self.accepted,
            slowest.join(", ")
        )
    }

    /// The last line of a soak.
    #[must_use]
    pub fn summary(&self) -> String {
        format!(
            "programs {}, forgeries {}, inputs {}, differences {}",
            self.programs, self.tally.forgeries, self.inputs, self.differences
        )
    }
}
