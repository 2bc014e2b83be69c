//! Nothing panics, whatever is asked for and whatever a valid program does.

use traceloom_abi::bytes::ByteOp;
use traceloom_abi::field::MODULUS;
use traceloom_abi::io::{Io, IoError};

use super::*;

#[test]
fn claims_that_do_not_fit_are_refused() {
    let helper = Function { entry: false, ..straight("helper", 0, vec![]) };
    let program = program(vec![fib(), helper]);
    let error = |claims: &[(u32, &[u64])]| run(&program, claims).unwrap_err();
    let (index, function) = (1, 2);
    let expected = ExecuteError::UnknownFunction { index, function, count: 2 };
    assert_eq!(error(&[(0, &[1]), (2, &[])]), expected);
    let name = "helper".to_owned();
    let expected = ExecuteError::NotAnEntry { index: 0, function: 1, name };
    assert_eq!(error(&[(1, &[])]), expected);
    for args in [&[][..], &[1, 2]] {
        let (name, got) = ("fib".to_owned(), args.len());
        let expected = ExecuteError::Arity { index: 0, function: 0, name, expected: 1, got };
        assert_eq!(error(&[(0, args)]), expected);
    }
    for word in [MODULUS, u64::MAX] {
        let (name, position) = ("fib".to_owned(), 0);
        let expected = ExecuteError::NotCanonical { index: 0, function: 0, name, position, word };
        assert_eq!(error(&[(0, &[word])]), expected);
    }
}

#[test]
fn input_words_are_checked() {
    // Only a release build lets such a word in.
    if cfg!(debug_assertions) {
        return;
    }
    let mut io = Io::default();
    io.write(4, &[1, MODULUS]);
    let error = execute(&program(vec![fib()]), &[], io, &Limits::default()).unwrap_err();
    let expected = IoError::NotCanonical { channel: 4, word: MODULUS };
    assert_eq!(error, ExecuteError::Input(expected));
}

/// A small generator, so that runs repeat.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// Mostly small, sometimes at an edge.
    fn word(&mut self) -> u64 {
        match self.below(8) {
            0 => self.next() % MODULUS,
            1 => MODULUS - 1 - self.below(3),
            2 => 255 + self.below(2),
            3 => (1 << 32) - 1 + self.below(2),
            _ => self.below(5),
        }
    }

    fn value(&mut self, values: u32) -> ValueId {
        v(self.below(u64::from(values)) as u32)
    }

    fn values(&mut self, values: u32, count: usize) -> Vec<ValueId> {
        (0..count).map(|_| self.value(values)).collect()
    }

    fn op(&mut self, n: u32, functions: u32) -> Op {
        let quad = |r: &mut Self| [r.value(n), r.value(n), r.value(n), r.value(n)];
        match self.below(24) {
            0 => c(self.word()),
            1 => Op::Add(self.value(n), self.value(n)),
            2 => Op::Sub(self.value(n), self.value(n)),
            3 => Op::Mul(self.value(n), self.value(n)),
            4 => Op::EqZero(self.value(n)),
            5..8 => Op::Call {
                function: FunctionId(self.below(functions.into()) as u32),
                args: self.values(n, 2),
                num_outputs: 2,
                constrained: self.below(2) == 0,
            },
            8 => Op::Store { values: self.values(n, 2) },
            9 => Op::Store { values: self.values(n, 10) },
            10 => Op::Load { width: 2, pointer: self.value(n) },
            11 => {
                let (lhs, rhs) = (self.values(n, 1), self.values(n, 1));
                Op::AssertEq { lhs, rhs, label: None }
            }
            12 => Op::IoGetInfo { channel: self.value(n), key: self.values(n, 1) },
            13 => Op::IoSetInfo {
                channel: self.value(n),
                key: self.values(n, 1),
                index: self.value(n),
                len: self.value(n),
            },
            14 => Op::IoRead { channel: self.value(n), index: self.value(n), len: 1 },
            15 => Op::IoWrite { channel: self.value(n), values: self.values(n, 2) },
            16 => Op::Unary(ByteOp::UNARY[self.below(3) as usize], self.value(n)),
            17 => {
                let op = ByteOp::BINARY[self.below(10) as usize];
                Op::Binary(op, self.value(n), self.value(n))
            }
            18 => Op::U32LessThan(self.value(n), self.value(n)),
            19 => Op::U32ToField(quad(self)),
            20 => Op::HintU32Add([quad(self), quad(self)]),
            21 => Op::HintU32Add3([quad(self), quad(self), quad(self)]),
            22 => Op::HintFieldToBytes(self.value(n)),
            _ => Op::HintBigUintDivRem(self.value(n), self.value(n)),
        }
    }

    fn ops(&mut self, n: &mut u32, functions: u32) -> Vec<Op> {
        let mut ops = Vec::new();
        for _ in 0..self.below(4) {
            let op = self.op(*n, functions);
            *n += op.num_results() as u32;
            ops.push(op);
        }
        ops
    }

    /// Two inputs, two outputs; a match that continues, with an early return.
    fn function(&mut self, functions: u32) -> Function {
        let mut n = 2;
        let ops = self.ops(&mut n, functions);
        let arms = Match {
            value: self.value(n),
            cases: vec![(element(self.below(2)), BlockId(1)), (element(7), BlockId(2))],
            default: (self.below(4) > 0).then_some(BlockId(3)),
        };
        let count = 2 + arms.default.iter().count() as u32;
        let continuation = BlockId(count + 1);
        let control = Control::MatchContinue { arms, num_outputs: 1, continuation };
        let mut blocks = vec![block(ops, control)];
        for selector in 0..count {
            let mut n = n;
            let ops = self.ops(&mut n, functions);
            let control = if selector == 1 {
                Control::Return { selector, values: self.values(n, 2) }
            } else {
                Control::Yield { selector, values: self.values(n, 1) }
            };
            blocks.push(block(ops, control));
        }
        n += 1;
        let ops = self.ops(&mut n, functions);
        let control = Control::Return { selector: count, values: self.values(n, 2) };
        blocks.push(block(ops, control));
        entry("random", 2, 2, blocks)
    }
}

#[test]
fn random_programs_end_without_a_panic() {
    let mut random = Random(1);
    let limits = Limits { steps: 20_000, queries: 500, pointers: 300, bytes: 100_000, depth: 100 };
    let (mut done, mut failed, mut replays) = (0, 0, 0);
    for _ in 0..3_000 {
        let functions = (0..4).map(|_| random.function(4)).collect();
        let program = program(functions);
        let claims: Vec<_> =
            (0..4).map(|i| (FunctionId(i % 4), vec![random.word(), random.word()])).collect();
        match execute(&program, &claims, Io::default(), &limits) {
            Ok(execution) => {
                done += 1;
                replays += execution.stats.replays;
            }
            Err(error) => {
                failed += 1;
                assert!(!error.to_string().is_empty());
            }
        }
    }
    assert!(done > 50 && failed > 50 && replays > 0, "{done} {failed} {replays}");
}

#[test]
fn random_claims_are_answered_or_refused() {
    let mut random = Random(2);
    let program = program(vec![fib()]);
    let limits = Limits { steps: 1_000, ..Limits::default() };
    for _ in 0..2_000 {
        let function = FunctionId(random.below(3) as u32);
        let args = (0..random.below(4)).map(|_| random.next() >> random.below(64)).collect();
        let _ = execute(&program, &[(function, args)], Io::default(), &limits);
    }
}
