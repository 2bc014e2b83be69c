//! Nothing panics, whatever is asked for and whatever a valid program does.

use traceloom_abi::io::Io;
use traceloom_air::bytes::ByteOp;
use traceloom_air::field::MODULUS;

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

/// Only a build without debug assertions lets such a word into io.
#[test]
#[cfg(not(debug_assertions))]
fn input_words_are_checked() {
    use traceloom_abi::io::IoError;
    let mut io = Io::default();
    io.write(4, &[1, MODULUS]);
    let error = execute(&program(vec![fib()]), &[], io, &Limits::default()).unwrap_err();
    let expected = IoError::NotCanonical { channel: 4, word: MODULUS };
    assert_eq!(error, ExecuteError::Input(expected));
}

/// A small generator, so that runs repeat.
struct Random {
    state: u64,
    /// Whether results may depend on the order of claims: memory and io.
    ordered: bool,
}

impl Random {
    fn new(state: u64, ordered: bool) -> Self {
        Self { state, ordered }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.state;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// Mostly small, sometimes at an edge.
    fn word(&mut self) -> u64 {
        match self.below(100) {
            0 => self.next() % MODULUS,
            1 => MODULUS - 1 - self.below(3),
            2 => 255 + self.below(2),
            3 => (1 << 32) - 1 + self.below(2),
            _ => self.below(2),
        }
    }

    fn value(&mut self, values: u32) -> ValueId {
        v(self.below(u64::from(values)) as u32)
    }

    fn values(&mut self, values: u32, count: usize) -> Vec<ValueId> {
        (0..count).map(|_| self.value(values)).collect()
    }

    /// Mostly of a later function, so that there are cycles, but not always.
    fn call(&mut self, n: u32, caller: u64) -> Op {
        let later = if caller < 3 && self.below(20) > 0 { caller + 1 } else { 0 };
        Op::Call {
            function: FunctionId((later + self.below(4 - later)) as u32),
            args: self.values(n, 2),
            num_outputs: 2,
            constrained: self.below(2) == 0,
        }
    }

    fn op(&mut self, n: u32, caller: u64) -> Op {
        let quad = |r: &mut Self| [r.value(n), r.value(n), r.value(n), r.value(n)];
        match self.below(if self.ordered { 29 } else { 21 }) {
            0 => c(self.word()),
            1 => Op::Add(self.value(n), self.value(n)),
            2 => Op::Sub(self.value(n), self.value(n)),
            3 => Op::Mul(self.value(n), self.value(n)),
            4 => Op::EqZero(self.value(n)),
            5..13 if caller < 3 || self.below(20) == 0 => self.call(n, caller),
            5..13 => c(self.below(3)),
            13 => Op::Unary(ByteOp::UNARY[self.below(3) as usize], self.value(n)),
            14 | 15 => {
                let op = ByteOp::BINARY[self.below(10) as usize];
                Op::Binary(op, self.value(n), self.value(n))
            }
            16 => Op::U32LessThan(self.value(n), self.value(n)),
            17 => Op::U32ToField(quad(self)),
            18 => Op::HintU32Add([quad(self), quad(self)]),
            19 => Op::HintU32Add3([quad(self), quad(self), quad(self)]),
            20 => Op::HintFieldToBytes(self.value(n)),
            21 if self.below(8) == 0 => Op::HintBigUintDivRem(self.value(n), self.value(n)),
            21 | 22 => Op::Store { values: self.values(n, 2) },
            23 => Op::Store { values: self.values(n, 10) },
            24 => Op::Load { width: 2, pointer: self.value(n) },
            25 if self.below(4) == 0 => {
                let (lhs, rhs) = (self.values(n, 1), self.values(n, 1));
                Op::AssertEq { lhs, rhs, label: None }
            }
            25 => Op::IoGetInfo { channel: self.value(n), key: self.values(n, 1) },
            26 if self.below(4) == 0 => Op::IoSetInfo {
                channel: self.value(n),
                key: self.values(n, 1),
                index: self.value(n),
                len: self.value(n),
            },
            27 => Op::IoRead { channel: self.value(n), index: self.value(n), len: 1 },
            _ => Op::IoWrite { channel: self.value(n), values: self.values(n, 2) },
        }
    }

    fn ops(&mut self, n: &mut u32, caller: u64) -> Vec<Op> {
        let mut ops = Vec::new();
        for _ in 0..self.below(4) {
            let op = self.op(*n, caller);
            *n += op.num_results() as u32;
            ops.push(op);
        }
        ops
    }

    /// Two inputs, two outputs; a match that continues, with an early return.
    fn function(&mut self, index: u64) -> Function {
        let mut n = 2;
        let ops = self.ops(&mut n, index);
        let arms = Match {
            value: self.value(n),
            cases: vec![(element(self.below(2)), BlockId(1)), (element(7), BlockId(2))],
            default: (self.below(8) > 0).then_some(BlockId(3)),
        };
        let count = 2 + arms.default.iter().count() as u32;
        let continuation = BlockId(count + 1);
        let control = Control::MatchContinue { arms, num_outputs: 1, continuation };
        let mut blocks = vec![block(ops, control)];
        for selector in 0..count {
            let mut n = n;
            let ops = self.ops(&mut n, index);
            let control = if selector == 1 {
                Control::Return { selector, values: self.values(n, 2) }
            } else {
                Control::Yield { selector, values: self.values(n, 1) }
            };
            blocks.push(block(ops, control));
        }
        n += 1;
        let ops = self.ops(&mut n, index);
        let control = Control::Return { selector: count, values: self.values(n, 2) };
        blocks.push(block(ops, control));
        entry("random", 2, 2, blocks)
    }

    fn program(&mut self) -> CheckedProgram {
        program((0..4).map(|index| self.function(index)).collect())
    }

    fn claims(&mut self) -> Vec<(FunctionId, Vec<u64>)> {
        (0..4).map(|i| (FunctionId(i), vec![self.word(), self.word()])).collect()
    }
}

const SMALL: Limits =
    Limits { steps: 20_000, queries: 500, pointers: 300, bytes: 100_000, depth: 100 };

#[test]
fn random_programs_end_without_a_panic() {
    let mut random = Random::new(1, true);
    let mut io = Io::default();
    for (channel, key) in [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0)] {
        io.add_input(channel, &[key], &[0, 1, 1, 0]).unwrap();
    }
    let (mut done, mut failed, mut replays) = (0, 0, 0);
    for _ in 0..500 {
        let (program, claims) = (random.program(), random.claims());
        match execute(&program, &claims, io.clone(), &SMALL) {
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
    assert!(done > 10 && failed > 10 && replays > 10, "{done} {failed} {replays}");
}

/// What is counted does not depend on what came first as advice.
#[test]
fn the_order_of_claims_changes_no_multiplicity_and_no_rank() {
    let mut random = Random::new(2, false);
    let (mut compared, mut replays) = (0, [0, 0]);
    for _ in 0..500 {
        let (program, mut claims) = (random.program(), random.claims());
        let Ok(forward) = execute(&program, &claims, Io::default(), &SMALL) else { continue };
        claims.reverse();
        let backward = execute(&program, &claims, Io::default(), &SMALL).unwrap();
        compared += 1;
        replays[0] += forward.stats.replays;
        replays[1] += backward.stats.replays;
        for (a, b) in forward.claims.iter().zip(backward.claims.iter().rev()) {
            assert_eq!(a, b);
        }
        let (a, b) = (&forward.record, &backward.record);
        for (a, b) in a.functions.iter().zip(&b.functions) {
            assert_eq!(a.len(), b.len());
            for query in 0..a.len() {
                let other = b.find(&[a.input(query, 0), a.input(query, 1)]).unwrap();
                assert_eq!(a.multiplicity(query), b.multiplicity(other));
                assert_eq!(a.path(query), b.path(other));
                assert_eq!(a.rank(query), b.rank(other));
                assert_eq!(a.callee_ranks(query), b.callee_ranks(other));
            }
        }
        for op in [ByteOp::Bits, ByteOp::Xor, ByteOp::Sub, ByteOp::RangeCheck, ByteOp::RangeCheck16]
        {
            assert_eq!(total_uses(a, op), total_uses(b, op), "{op:?}");
        }
    }
    assert!(compared > 50 && replays[0] > 20 && replays[1] > 20, "{compared} {replays:?}");
}

#[test]
fn random_claims_are_answered_or_refused() {
    let mut random = Random::new(3, true);
    let program = program(vec![fib()]);
    let limits = Limits { steps: 1_000, ..Limits::default() };
    for _ in 0..2_000 {
        let function = FunctionId(random.below(3) as u32);
        let args = (0..random.below(4)).map(|_| random.next() >> random.below(64)).collect();
        let _ = execute(&program, &[(function, args)], Io::default(), &limits);
    }
}
