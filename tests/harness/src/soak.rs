//! Rounds of everything, with fresh seeds.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use traceloom_bytecode::{json, text};

use crate::batch::{self, Language, Sample};
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
/// Programs whose text is compiled together.
const BATCH: usize = 100;
/// Programs from one batch to the next: compilers take as long as very many rounds.
const BETWEEN_BATCHES: usize = 3_000;
/// Weight above which a program is not compiled.
const MAX_WEIGHT: usize = 800;
/// Candidates that are compiled to make a failing case small.
const COMPILED_BUDGET: usize = 100;

/// Saved inputs by target.
pub type Corpus = BTreeMap<&'static str, Vec<Vec<u8>>>;

/// The inputs in `folder/TARGET/*`, in the order of their names.
///
/// # Errors
/// The first folder or file that cannot be read.
pub fn read_corpus(folder: &Path) -> Result<Corpus, String> {
    let mut corpus = Corpus::new();
    for Target { name, .. } in TARGETS {
        let folder = folder.join(name);
        let failed = |path: &Path, error| format!("{}: {error}", path.display());
        let entries = std::fs::read_dir(&folder).map_err(|error| failed(&folder, error))?;
        let entries: Result<Vec<_>, _> = entries.map(|entry| Ok(entry?.path())).collect();
        let mut paths = entries.map_err(|error| failed(&folder, error))?;
        paths.sort();
        let read = |path: &PathBuf| std::fs::read(path).map_err(|error| failed(path, error));
        let inputs: Result<Vec<_>, _> = paths.iter().map(read).collect();
        corpus.insert(name, inputs?);
    }
    Ok(corpus)
}

/// [`read_corpus`], for tests.
///
/// # Panics
/// With the folder or file that cannot be read.
#[must_use]
pub fn corpus(folder: &Path) -> Corpus {
    read_corpus(folder).unwrap_or_else(|error| panic!("{error}"))
}

/// A target with a fault: see [`Soak::plant`].
const PLANTED: Target = Target { name: "planted", run: planted };

fn planted(bytes: &[u8]) -> bool {
    assert!(!bytes.contains(&b'{'), "the planted fault");
    true
}

/// What has been tried so far.
pub struct Soak {
    rng: ChaCha8Rng,
    corpus: Corpus,
    targets: Vec<Target>,
    /// Rounds.
    pub rounds: usize,
    programs: usize,
    rejected: usize,
    tally: Tally,
    samples: Vec<Sample>,
    batches: Vec<(usize, batch::Tally)>,
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
            targets: TARGETS.into(),
            rounds: 0,
            programs: 0,
            rejected: 0,
            tally: Tally::default(),
            samples: Vec::new(),
            batches: Vec::new(),
            inputs: 0,
            accepted: 0,
            slowest: BTreeMap::new(),
            differences: 0,
        }
    }

    /// Adds a target that fails on every input with a brace: what a soak makes of a
    /// difference is tested on it.
    pub fn plant(&mut self) {
        self.targets.push(PLANTED);
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
        for target in self.targets.clone() {
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
                self.tally += *tally;
                self.sample(case);
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

    /// Adds a case to the next batch, and compiles it when it is full.
    fn sample(&mut self, case: &Case) {
        let last = self.batches.last().map(|(programs, _)| *programs);
        if last.is_some_and(|last| self.programs < last + BETWEEN_BATCHES) {
            return;
        }
        let sample = Sample::new(case).filter(|sample| sample.weight() <= MAX_WEIGHT);
        self.samples.extend(sample);
        if self.samples.len() < BATCH {
            return;
        }
        let samples = std::mem::take(&mut self.samples);
        for language in [Language::Cuda, Language::Rust] {
            let (tally, differences) = batch::compare(&samples, language);
            self.batches.push((self.programs, tally));
            self.differences += differences.len();
            let Some(first) = differences.first() else { continue };
            println!("{} differences in {language:?}: {}", differences.len(), first.message);
            if let Some(sample) = first.sample {
                let fails = |case: &Case| batch::differs(case, language);
                println!("{}", shrink(&samples[sample].case, COMPILED_BUDGET, fails));
            }
        }
    }

    /// A saved input, the case in the target's form, or an honest proof; changed,
    /// nearly always.
    fn input(&mut self, target: Target, case: &Case) -> Vec<u8> {
        let saved = self.corpus.get(target.name).map_or(&[][..], Vec::as_slice);
        let pick = |rng: &mut ChaCha8Rng| match saved.choose(rng) {
            Some(saved) if rng.random_bool(0.7) => saved.clone(),
            saved => match target.name {
                "text" => text::print(&case.program).unwrap_or_default().into_bytes(),
                "json" | "planted" => json::print(&case.program).into_bytes(),
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
        let compiled = |of: fn(&batch::Tally) -> usize| -> usize {
            self.batches.iter().map(|(_, tally)| of(tally)).sum()
        };
        format!(
            "rejected {}, rows {}, edits {}, proofs {}, inputs accepted {}, slowest: {}\n\
             compiled: programs {} (each language), rows {}, evaluators {}\n\
             cells changed, refused/tried: {}\n\
             forgeries in proofs, refused/tried: {}",
            self.rejected,
            self.tally.rows,
            self.tally.edits,
            self.tally.proofs,
            self.accepted,
            slowest.join(", "),
            compiled(|tally| tally.programs) / 2,
            compiled(|tally| {
                tally.typed_rows + tally.full_rows + tally.narrow_rows + tally.widened_rows
            }),
            compiled(|tally| tally.evaluators),
            self.tally.checked,
            self.tally.verified,
        )
    }

    /// The last line of a soak.
    #[must_use]
    pub fn summary(&self) -> String {
        format!(
            "programs {}, forgeries {}, of them refused {}, inputs {}, differences {}",
            self.programs,
            self.tally.forgeries(),
            self.tally.refused(),
            self.inputs,
            self.differences
        )
    }
}
