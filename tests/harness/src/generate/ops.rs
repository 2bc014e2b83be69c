//! Operations, and values of a wanted class.

use rand::Rng;
use rand::seq::IndexedRandom;
use traceloom_air::bytes::ByteOp;
use traceloom_bytecode::builder::Value;

use super::body::{Known, Writer};
use super::class::{Class, word};
use super::{CHANNEL_LEN, CHANNELS};

/// Labels that would end strings, comments or lines of some target.
const LABELS: [&str; 8] = [
    "",
    "plain",
    "\"); drop(\"",
    "*/ int x; /*",
    "a\nb\r\t",
    "{} {0} %s",
    "é\u{202e}\u{feff}",
    "\\",
];

impl Writer<'_> {
    /// A value of this class: one that is there, or one that is made.
    pub fn of(&mut self, class: Class) -> Value {
        let fitting: Vec<Known> =
            self.known.iter().copied().filter(|known| known.class.fits(class)).collect();
        match fitting.choose(self.rng) {
            Some(known) if self.rng.random_bool(0.85) => known.value,
            _ => self.make(class),
        }
    }

    fn bytes<const N: usize>(&mut self) -> [Value; N] {
        std::array::from_fn(|_| self.of(Class::Byte))
    }

    fn make(&mut self, class: Class) -> Value {
        let value = match class {
            Class::Pointer(shape) => {
                let slots = &self.world.shapes[shape];
                let values: Vec<Value> = slots.iter().map(|&slot| self.of(slot)).collect();
                self.f.store(&values)
            }
            Class::Limbs => self.limbs(),
            Class::Chain => self.chain(),
            Class::Bit if self.rng.random_bool(0.5) => {
                let any = self.of(Class::Any);
                self.f.eq_zero(any)
            }
            _ => {
                let word = word(self.rng, class);
                self.f.constant(word)
            }
        };
        self.push(value, class)
    }

    fn label(&mut self) -> &'static str {
        LABELS[self.rng.random_range(0..LABELS.len())]
    }

    /// One operation, or an idiom of a few.
    pub fn op(&mut self) {
        match self.rng.random_range(0..26) {
            0 => {
                let class = super::number(self.rng);
                self.make(class);
            }
            1..=4 => self.arithmetic(),
            5 => {
                let a = self.of(Class::Any);
                let zero = self.f.eq_zero(a);
                self.push(zero, Class::Bit);
            }
            6..=8 => self.byte_op(),
            9 => {
                let (a, b) = (self.of(Class::Word), self.of(Class::Word));
                let less = self.f.u32_less_than(a, b);
                self.push(less, Class::Bit);
            }
            10 => self.pack(),
            11 => self.u32_sum(),
            12 => {
                let a = self.of(Class::Any);
                let bytes = self.f.hint_field_to_bytes(a);
                self.push_all(&bytes, Class::Byte);
            }
            13 => {
                let a = self.of(Class::Any);
                let inverse = self.f.hint_inverse(a);
                self.push(inverse, Class::Any);
            }
            14 | 15 => {
                let shape = self.rng.random_range(0..self.world.shapes.len());
                self.make(Class::Pointer(shape));
            }
            16 | 17 => self.load(),
            18 => self.assertion(),
            19 => self.io(),
            20 => {
                let count = self.rng.random_range(0..3);
                let values: Vec<Value> = (0..count).map(|_| self.of(Class::Any)).collect();
                let label = self.label();
                self.f.debug(label, &values);
            }
            21 => self.div_rem(),
            22 if self.rng.random_bool(0.3) => self.use_chain(),
            _ => self.call(),
        }
    }

    fn arithmetic(&mut self) {
        let narrow = self.rng.random_bool(0.4);
        let class = if narrow { Class::Byte } else { Class::Any };
        let (a, b) = (self.of(class), self.of(class));
        let result = if narrow { Class::Word } else { Class::Any };
        match self.rng.random_range(0..4) {
            0 => {
                let sum = self.f.add(a, b);
                self.push(sum, result);
            }
            1 => {
                let difference = self.f.sub(a, b);
                self.push(difference, Class::Any);
            }
            2 => {
                let product = self.f.mul(a, b);
                self.push(product, result);
            }
            _ => {
                // Folds to a constant and keeps its degree.
                let zero = self.f.constant(0);
                let product = self.f.mul(zero, a);
                self.push(product, Class::Bit);
            }
        }
    }

    fn byte_op(&mut self) {
        if self.rng.random_bool(0.3) {
            let op = *ByteOp::UNARY.choose(self.rng).expect("there are three");
            let a = self.of(Class::Byte);
            let results = self.f.unary(op, a);
            let class = if op == ByteOp::Bits { Class::Bit } else { Class::Byte };
            self.push_all(&results, class);
            return;
        }
        let op = *ByteOp::BINARY.choose(self.rng).expect("there are ten");
        let (a, b) = (self.of(Class::Byte), self.of(Class::Byte));
        let results = self.f.binary(op, a, b);
        for (position, &value) in results.iter().enumerate() {
            let class = match (op, position) {
                (ByteOp::LessThan, _) | (ByteOp::Add | ByteOp::Sub, 1) => Class::Bit,
                _ => Class::Byte,
            };
            self.push(value, class);
        }
    }

    /// Packing of bytes; now and then of what is none, which is legal.
    fn pack(&mut self) {
        let narrow = self.rng.random_bool(0.7);
        let class = if narrow { Class::Byte } else { Class::Any };
        let bytes: [Value; 4] = std::array::from_fn(|_| self.of(class));
        let packed = self.f.u32_to_field(bytes);
        self.push(packed, if narrow { Class::Word } else { Class::Any });
    }

    fn u32_sum(&mut self) {
        let (a, b) = (self.bytes(), self.bytes());
        let (bytes, carry) = match self.rng.random_bool(0.5) {
            true => self.f.hint_u32_add(a, b),
            false => {
                let c = self.bytes();
                self.f.hint_u32_add3(a, b, c)
            }
        };
        if self.rng.random_bool(0.5) {
            self.f.range_check_bytes(&bytes);
        }
        self.push_all(&bytes, Class::Byte);
        self.push(carry, Class::Byte);
    }

    fn load(&mut self) {
        let shape = self.rng.random_range(0..self.world.shapes.len());
        let pointer = self.of(Class::Pointer(shape));
        let slots = &self.world.shapes[shape];
        let loaded = self.f.load(slots.len() as u32, pointer);
        for (value, &class) in loaded.into_iter().zip(slots) {
            self.push(value, class);
        }
    }

    /// Something that holds, found in two ways.
    fn assertion(&mut self) {
        let (a, b) = (self.of(Class::Any), self.of(Class::Any));
        let label = self.label();
        match self.rng.random_range(0..3) {
            0 => self.f.assert_eq(a, a, label),
            1 => {
                let (x, y) = (self.f.mul(a, b), self.f.mul(b, a));
                self.f.assert_all_eq(&[x, a], &[y, a], label);
                self.push(x, Class::Any);
            }
            _ => {
                let sum = self.f.add(a, b);
                let back = self.f.sub(sum, b);
                self.f.assert_eq(back, a, label);
            }
        }
    }

    fn io(&mut self) {
        let (number, class) = CHANNELS[self.rng.random_range(0..CHANNELS.len())];
        let channel = self.f.constant(number);
        match self.rng.random_range(0..4) {
            0 => {
                let [index, len] = self.f.io_get_info(channel, &[]);
                self.push(index, Class::Byte);
                self.push(len, Class::Byte);
                let words = self.f.io_read(channel, index, 2);
                self.push_all(&words, class);
            }
            1 => {
                let len = self.rng.random_range(0..=2_u32);
                let index = self.rng.random_range(0..=CHANNEL_LEN as u64 - u64::from(len));
                let index = self.f.constant(index);
                let words = self.f.io_read(channel, index, len);
                self.push_all(&words, class);
            }
            2 => {
                let out = self.f.constant(20);
                let value = self.of(Class::Any);
                self.f.io_write(out, &[value, value]);
                let zero = self.f.constant(0);
                // Whoever came first has written it.
                let words = self.f.io_read(out, zero, 1);
                self.push_all(&words, Class::Any);
            }
            _ => {
                // The place in the text and the inputs: a key that is set once.
                self.serial += 1;
                let place = self.f.constant(self.serial);
                let mut key = vec![place];
                key.extend(self.f.inputs());
                let (index, len) = (self.of(Class::Any), self.of(Class::Any));
                self.f.io_set_info(channel, &key, index, len);
                if self.rng.random_bool(0.5) {
                    let info = self.f.io_get_info(channel, &key);
                    self.push_all(&info, Class::Any);
                }
            }
        }
    }
}
