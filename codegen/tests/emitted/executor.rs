//! Not a test by itself: tests of several crates have this file as a module, and so have the
//! crates that they write. Executors against the interpreter: the same record, field by
//! field, the same lines and reports, or the same error.

use traceloom_abi::execute::FunctionExecutor;
use traceloom_abi::io::Io;
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::execute::{
    DebugLine, ExecuteError, Generated, Hooks, Limits, Stats, execute_generated, execute_with,
};
use traceloom_bytecode::model::FunctionId;

/// A program with its executors, its claims and its io.
#[derive(Clone)]
pub struct Case<'a> {
    pub program: &'a CheckedProgram,
    pub executors: &'static [FunctionExecutor],
    pub claims: Vec<(FunctionId, Vec<u64>)>,
    pub io: Io,
}

/// How an execution ended, either way.
#[derive(Debug, PartialEq)]
pub enum End {
    /// Outputs, what it took, and whether the interpreter had to run after all.
    Done(Vec<Vec<u64>>, Stats, bool),
    Failed(ExecuteError),
}

/// What was compared.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ends {
    /// Executions that executors ran to their end.
    pub generated: usize,
    /// Executions that only the interpreter ran to their end.
    pub interpreted: usize,
    /// Executions that fail.
    pub failed: usize,
}

impl Case<'_> {
    /// Runs both ways and compares everything.
    ///
    /// # Panics
    /// If anything differs.
    pub fn end(&self, limits: &Limits) -> End {
        let run = |is_generated: bool| {
            let (mut lines, mut reports) = (Vec::new(), Vec::new());
            let mut take = |line: DebugLine<'_>| lines.push(line.to_string());
            let mut note = |stats: &Stats| reports.push(*stats);
            let hooks =
                Hooks { debug: Some(&mut take), progress: Some((100, &mut note)), calls: None };
            let (program, claims, io) = (self.program, &self.claims, self.io.clone());
            let end = match is_generated {
                true => execute_generated(program, self.executors, claims, io, limits, hooks),
                false => execute_with(program, claims, io, limits, hooks)
                    .map(|execution| Generated { execution, was_interpreted: true }),
            };
            (end, lines, reports)
        };
        let (expected, expected_lines, expected_reports) = run(false);
        let (found, lines, reports) = run(true);
        assert_eq!(lines, expected_lines, "debug lines");
        assert_eq!(reports, expected_reports, "reports of progress");
        match (expected, found) {
            (Ok(expected), Ok(Generated { execution: found, was_interpreted })) => {
                let expected = expected.execution;
                assert_eq!(found.record.difference(&expected.record), None);
                assert_eq!(found.claims, expected.claims);
                assert_eq!(found.stats, expected.stats);
                let outputs = (0..self.claims.len()).map(|claim| found.outputs(claim)).collect();
                End::Done(outputs, found.stats, was_interpreted)
            }
            (Err(expected), Err(found)) => {
                assert_eq!(found, expected);
                End::Failed(found)
            }
            (expected, found) => panic!("{:?}, but {:?}", expected.err(), found.err()),
        }
    }

    /// The outputs, which the executors themselves must reach.
    ///
    /// # Panics
    /// If they do not.
    pub fn outputs(&self) -> Vec<Vec<u64>> {
        match self.end(&Limits::default()) {
            End::Done(outputs, _, false) => outputs,
            end => panic!("{end:?}"),
        }
    }

    /// The same with about `points` values of every limit, from none to enough.
    ///
    /// # Panics
    /// As [`Self::end`], and where no limit is too low or none is high enough.
    pub fn limited(&self, points: u64) -> Ends {
        let mut ends = Ends::default();
        let End::Done(_, stats, _) = self.end(&Limits::default()) else { return ends };
        for (limit, used) in LIMITS {
            let most = used(&stats) + 2;
            let (before, step) = (ends, 1 + most / points.max(1));
            for allowed in (0..most).step_by(step as usize).chain([most - 2, most - 1]) {
                let mut limits = Limits::default();
                *limit(&mut limits) = allowed;
                ends.count(&self.end(&limits));
            }
            assert!(ends.generated > before.generated, "the last ones are enough");
            assert!(ends.failed > before.failed || used(&stats) == 0, "the first ones are not");
        }
        ends
    }

    /// The same with claims and io that are wrong, or may be.
    ///
    /// # Panics
    /// As [`Self::end`].
    pub fn altered(&self, limits: &Limits) -> Ends {
        let mut ends = Ends::default();
        for claim in 0..self.claims.len() {
            for arg in 0..self.claims[claim].1.len().min(4) {
                for word in [0, 1, 255, 256, 1 << 32, u64::MAX - (1 << 32), u64::MAX] {
                    let mut case = self.clone();
                    case.claims[claim].1[arg] = word;
                    ends.count(&case.end(limits));
                }
            }
            let mut case = self.clone();
            case.claims.push(self.claims[claim].clone());
            case.claims[claim].1.push(7);
            ends.count(&case.end(limits));
        }
        let channels: Vec<_> = self.io.channels().map(|(c, words)| (c, words.to_vec())).collect();
        let ios: [Change<'_>; 3] = [
            &|words| words[..words.len() / 2].to_vec(),
            &|words| words.iter().map(|_| 300).collect(),
            &|words| words.iter().rev().copied().collect(),
        ];
        for change in ios {
            let mut case = Self { io: Io::default(), ..self.clone() };
            for (channel, words) in &channels {
                case.io.add_input(*channel, &[], &change(words)).unwrap();
            }
            ends.count(&case.end(limits));
        }
        ends
    }
}

/// What is made of the words of a channel.
type Change<'a> = &'a dyn Fn(&[u64]) -> Vec<u64>;

/// A limit, and what an execution uses of it.
type Limited = (fn(&mut Limits) -> &mut u64, fn(&Stats) -> u64);

const LIMITS: [Limited; 5] = [
    (|limits| &mut limits.steps, |stats| stats.steps),
    (|limits| &mut limits.queries, |stats| stats.queries),
    (|limits| &mut limits.pointers, |stats| stats.pointers),
    // Frames take some, too, and executors stop before a limit that is near.
    (|limits| &mut limits.bytes, |stats| 2 * stats.record_bytes + 10_000 * stats.max_depth),
    (|limits| &mut limits.depth, |stats| stats.max_depth),
];

impl Ends {
    fn count(&mut self, end: &End) {
        match end {
            End::Done(_, _, false) => self.generated += 1,
            End::Done(_, _, true) => self.interpreted += 1,
            End::Failed(_) => self.failed += 1,
        }
    }
}
