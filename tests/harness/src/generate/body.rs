//! Blocks and matches.

use rand::Rng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand_chacha::ChaCha8Rng;
use traceloom_air::field::MODULUS;
use traceloom_bytecode::builder::{Body, Value};

use super::class::{Class, MAX_MEASURE, word};
use super::{Signature, World};

/// A value in scope.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub value: Value,
    pub class: Class,
}

/// How the block that is being written has to end.
#[derive(Clone, Debug)]
pub(super) enum Ends {
    Return,
    Yield(Vec<Class>),
}

/// Writes the body of one function.
pub(super) struct Writer<'a> {
    pub rng: &'a mut ChaCha8Rng,
    pub world: &'a World,
    pub signature: &'a Signature,
    pub f: Body,
    pub known: Vec<Known>,
    /// In the arm of a measure that is not 0: the measure less one.
    pub smaller: Option<Value>,
    /// Calls that may still be made.
    pub calls: usize,
    /// Keys of io in the program text.
    pub serial: u64,
}

impl<'a> Writer<'a> {
    pub fn new(rng: &'a mut ChaCha8Rng, world: &'a World, index: usize, f: Body) -> Self {
        let signature = &world.functions[index];
        let inputs = f.inputs();
        let known = inputs.iter().zip(&signature.inputs);
        let known = known.map(|(&value, &class)| Known { value, class }).collect();
        let calls = rng.random_range(1..=3);
        let serial = 1000 * (index as u64 + 1);
        Self { rng, world, signature, f, known, smaller: None, calls, serial }
    }

    pub fn write(mut self) -> Body {
        if self.rng.random_bool(0.6) {
            self.recursive_body();
        } else if self.rng.random_bool(0.05) {
            self.many_choices();
        } else {
            self.block(self.world.depth, &Ends::Return);
        }
        self.f
    }

    pub fn push(&mut self, value: Value, class: Class) -> Value {
        self.known.push(Known { value, class });
        value
    }

    pub fn push_all(&mut self, values: &[Value], class: Class) {
        values.iter().for_each(|&value| {
            self.push(value, class);
        });
    }

    /// The end of the recursion, or a smaller measure.
    fn recursive_body(&mut self) {
        let measure = self.known[0].value;
        let scope = self.known.len();
        self.f.begin_match(measure);
        self.f.begin_case(0);
        self.block(self.world.depth / 2, &Ends::Return);
        self.known.truncate(scope);
        self.f.begin_default();
        let smaller = self.f.sub_const(measure, 1);
        self.push(smaller, Class::Measure);
        self.smaller = Some(smaller);
        self.block(self.world.depth, &Ends::Return);
        self.known.truncate(scope);
        self.f.end_match();
    }

    /// So many choices in a row that paths are not numbered.
    fn many_choices(&mut self) {
        for _ in 0..self.rng.random_range(6..=8) {
            self.match_continue(0);
        }
        self.leaf(&Ends::Return);
    }

    fn block(&mut self, depth: usize, ends: &Ends) {
        for _ in 0..self.rng.random_range(0..=self.world.num_ops) {
            self.op();
        }
        while depth > 0 && self.rng.random_bool(0.35) {
            self.match_continue(depth - 1);
            for _ in 0..self.rng.random_range(0..3) {
                self.op();
            }
        }
        if depth > 0 && self.rng.random_bool(0.4) {
            let value = self.choose_discriminant();
            self.f.begin_match(value.value);
            self.arms(depth - 1, value.class, ends);
            self.f.end_match();
        } else {
            self.leaf(ends);
        }
    }

    fn leaf(&mut self, ends: &Ends) {
        match ends {
            Ends::Return => {
                let outputs = &self.signature.outputs;
                let outputs: Vec<Value> = outputs.iter().map(|&class| self.of(class)).collect();
                self.f.ret(&outputs);
            }
            Ends::Yield(classes) => {
                let values: Vec<Value> = classes.iter().map(|&class| self.of(class)).collect();
                self.f.yield_values(&values);
            }
        }
    }

    /// A match that goes on, its yielded values in scope.
    fn match_continue(&mut self, depth: usize) {
        let count = self.rng.random_range(0..=3);
        let classes: Vec<Class> = (0..count).map(|_| super::number(self.rng)).collect();
        let value = self.choose_discriminant();
        self.f.begin_match_continue(value.value, count);
        self.arms(depth, value.class, &Ends::Yield(classes.clone()));
        let merged = self.f.end_match_continue();
        for (value, class) in merged.into_iter().zip(classes) {
            self.push(value, class);
        }
    }

    fn choose_discriminant(&mut self) -> Known {
        let small: Vec<Known> =
            self.known.iter().copied().filter(|known| known.class != Class::Any).collect();
        match small.choose(self.rng) {
            Some(&known) if self.rng.random_bool(0.7) => known,
            _ => Known { value: self.of(Class::Any), class: Class::Any },
        }
    }

    fn arms(&mut self, depth: usize, class: Class, ends: &Ends) {
        let (keys, has_default) = self.keys(class);
        let (scope, smaller, calls) = (self.known.len(), self.smaller, self.calls);
        let mut fewest = calls;
        for key in keys.iter().map(|&key| Some(key)).chain(has_default.then_some(None)) {
            match key {
                Some(key) => self.f.begin_case(key),
                None => self.f.begin_default(),
            }
            // Arms exclude each other, so each may use all calls that are left.
            self.calls = calls;
            match self.rng.random_bool(0.15) {
                true => self.block(depth, &Ends::Return),
                false => self.block(depth, ends),
            }
            fewest = fewest.min(self.calls);
            self.known.truncate(scope);
            self.smaller = smaller;
        }
        self.calls = fewest;
    }

    /// Keys in any order, and whether there is a default.
    fn keys(&mut self, class: Class) -> (Vec<u64>, bool) {
        let (mut keys, needed): (Vec<u64>, usize) = match class {
            Class::Bit => (vec![0, 1], 2),
            Class::Measure => ((0..=MAX_MEASURE).collect(), MAX_MEASURE as usize + 1),
            _ => (vec![0, 1, 2, 3, 128, 255, 256, 0xffff_ffff, 1 << 32, MODULUS - 1], usize::MAX),
        };
        keys.shuffle(self.rng);
        let count = match self.rng.random_range(0..12) {
            0 => 0,
            // So many that they are searched and not compared one by one.
            1 => keys.len(),
            _ => self.rng.random_range(1..=keys.len().min(3)),
        };
        keys.truncate(count);
        let complete = keys.len() >= needed;
        if count > 3 && self.rng.random_bool(0.5) {
            let key = word(self.rng, Class::Any);
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        (keys, !complete || self.rng.random_bool(0.3))
    }
}
