//! Calls, and idioms that take several operations.

use rand::Rng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use traceloom_bytecode::builder::{ProgramBuilder, Value};
use traceloom_bytecode::model::BIGUINT_WIDTH;

use super::body::Writer;
use super::class::Class;
use super::{Signature, World};

/// Values of a node of a chain: whether it is the last, a byte, the next.
const CHAIN_WIDTH: u32 = 3;

/// Declares and defines two recursive functions: one makes a chain of nodes in
/// memory, one walks along it.
pub(super) fn define_chains(rng: &mut ChaCha8Rng, builder: &mut ProgramBuilder, world: &mut World) {
    let (make, walk) = (builder.function("make", 1, 1), builder.function("walk", 1, 1));
    builder.define(make, |f, x| {
        f.match_value(x[0], |arms| {
            arms.case(0, |f| {
                let (one, zero) = (f.constant(1), f.constant(0));
                let node = f.store(&[one, zero, zero]);
                f.ret(&[node])
            });
            arms.default(|f| {
                let smaller = f.sub_const(x[0], 1);
                let next = f.call(make, &[smaller])[0];
                let zero = f.constant(0);
                let node = f.store(&[zero, x[0], next]);
                f.ret(&[node])
            });
        })
    });
    let scale = rng.random_range(1..1000);
    builder.define(walk, |f, x| {
        let node = f.load(CHAIN_WIDTH, x[0]);
        f.match_value(node[0], |arms| {
            arms.case(1, |f| f.ret(&[node[1]]));
            arms.case(0, |f| {
                let rest = f.call(walk, &[node[2]])[0];
                let scaled = f.scale(rest, scale);
                let sum = f.add(scaled, node[1]);
                f.ret(&[sum])
            });
        })
    });
    world.chain = Some((make, walk));
}

impl Writer<'_> {
    /// A chain of nodes, if the program has them.
    pub fn chain(&mut self) -> Value {
        let length = self.of(Class::Measure);
        match self.world.chain {
            Some((make, _)) if self.rng.random_bool(0.7) => self.f.call(make, &[length])[0],
            Some((make, _)) => self.f.call_unconstrained(make, &[length])[0],
            None => length,
        }
    }

    pub fn use_chain(&mut self) {
        let Some((_, walk)) = self.world.chain else { return };
        let chain = self.of(Class::Chain);
        let sum = self.f.call(walk, &[chain])[0];
        self.push(sum, Class::Any);
    }

    /// A list of a few limbs.
    pub fn limbs(&mut self) -> Value {
        let (zero, one) = (self.f.constant(0), self.f.constant(1));
        let mut end = vec![zero; BIGUINT_WIDTH as usize];
        end[0] = one;
        let mut list = self.f.store(&end);
        for _ in 0..self.rng.random_range(0..=2) {
            let mut node = vec![zero];
            node.extend((0..8).map(|_| self.of(Class::Byte)));
            node.push(list);
            list = self.f.store(&node);
        }
        list
    }

    pub fn div_rem(&mut self) {
        if !self.rng.random_bool(0.4) {
            return;
        }
        let (a, b) = (self.of(Class::Limbs), self.of(Class::Limbs));
        let results = self.f.hint_biguint_div_rem(a, b);
        self.push_all(&results, Class::Limbs);
        if self.rng.random_bool(0.6) {
            let node = self.f.load(BIGUINT_WIDTH, results[0]);
            self.push(node[0], Class::Bit);
            self.push_all(&node[1..9], Class::Byte);
            self.push(node[9], Class::Any);
        }
    }

    /// A call to a higher level, or inside the level with a smaller measure.
    pub fn call(&mut self) {
        if self.calls == 0 {
            return;
        }
        let (own, smaller) = (self.signature.level, self.smaller);
        let callees: Vec<&Signature> = self
            .world
            .functions
            .iter()
            .filter(|callee| callee.level > own || callee.level == own && smaller.is_some())
            .collect();
        let Some(&callee) = callees.choose(self.rng) else { return };
        self.calls -= 1;
        let mut args: Vec<Value> = callee.inputs.iter().map(|&class| self.of(class)).collect();
        if callee.level == own {
            args[0] = smaller.expect("only with a smaller measure");
        }
        // A call of an unconstrained function is never proven.
        let proven = callee.constrained && self.rng.random_bool(0.75);
        let results = match proven {
            true => self.f.call(callee.handle, &args),
            false => self.f.call_unconstrained(callee.handle, &args),
        };
        if !proven && callee.constrained && self.rng.random_bool(0.5) {
            // What was advice is proven after all: the query is replayed.
            let again = self.f.call(callee.handle, &args);
            self.f.assert_all_eq(&results, &again, "promoted");
        }
        for (value, &class) in results.into_iter().zip(&callee.outputs) {
            self.push(value, class);
        }
    }
}
