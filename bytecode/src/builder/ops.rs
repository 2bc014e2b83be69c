//! One method per operation, and a few that combine them.

use traceloom_air::bytes::ByteOp;

use super::FunctionHandle;
use super::body::{Body, Value};
use super::error::BuildErrorKind;
use crate::model::{Op, ValueId};

/// Field arithmetic.
impl Body {
    /// `a + b`.
    pub fn add(&mut self, a: Value, b: Value) -> Value {
        let (a, b) = (self.operand("add", a), self.operand("add", b));
        self.push(Op::Add(a, b))[0]
    }

    /// `a - b`.
    pub fn sub(&mut self, a: Value, b: Value) -> Value {
        let (a, b) = (self.operand("sub", a), self.operand("sub", b));
        self.push(Op::Sub(a, b))[0]
    }

    /// `a · b`; costs a column unless one of them is a constant.
    pub fn mul(&mut self, a: Value, b: Value) -> Value {
        let (a, b) = (self.operand("mul", a), self.operand("mul", b));
        self.push(Op::Mul(a, b))[0]
    }

    /// `a + word`.
    pub fn add_const(&mut self, a: Value, word: u64) -> Value {
        let word = self.constant(word);
        self.add(a, word)
    }

    /// `a - word`.
    pub fn sub_const(&mut self, a: Value, word: u64) -> Value {
        let word = self.constant(word);
        self.sub(a, word)
    }

    /// `a · word`, without a column.
    pub fn scale(&mut self, a: Value, word: u64) -> Value {
        let word = self.constant(word);
        self.mul(a, word)
    }

    /// The sum of all values, 0 for none.
    pub fn sum(&mut self, values: &[Value]) -> Value {
        match values {
            [] => self.constant(0),
            [first, rest @ ..] => rest.iter().fold(*first, |sum, &value| self.add(sum, value)),
        }
    }

    /// The sum of `values[i] · weights[i]`, without a column; the shorter list
    /// decides.
    pub fn weighted_sum(&mut self, values: &[Value], weights: &[u64]) -> Value {
        let pairs = values.iter().zip(weights);
        let terms: Vec<_> = pairs
            .map(|(&value, &weight)| if weight == 1 { value } else { self.scale(value, weight) })
            .collect();
        self.sum(&terms)
    }

    /// 1 if `a` is zero, else 0.
    pub fn eq_zero(&mut self, a: Value) -> Value {
        let a = self.operand("eq_zero", a);
        self.push(Op::EqZero(a))[0]
    }

    /// Both values are equal; `label` tells a person why they should be.
    pub fn assert_eq(&mut self, a: Value, b: Value, label: &str) {
        self.assert_all_eq(&[a], &[b], label);
    }

    /// Both lists are equal. An empty label is none.
    pub fn assert_all_eq(&mut self, lhs: &[Value], rhs: &[Value], label: &str) {
        self.check_count("assert_eq", "values on the right", lhs.len(), rhs.len());
        let (lhs, rhs) = (self.operands("assert_eq", lhs), self.operands("assert_eq", rhs));
        let label = (!label.is_empty()).then(|| label.to_owned());
        self.push(Op::AssertEq { lhs, rhs, label });
    }
}

/// Calls and memory.
impl Body {
    /// The proven outputs of a constrained function.
    pub fn call(&mut self, function: FunctionHandle, args: &[Value]) -> Vec<Value> {
        if !function.constrained {
            self.error("call", BuildErrorKind::CallNeedsCircuit { callee: function.id.0 });
        }
        self.push_call(function, args, true)
    }

    /// What a function would return. **Advice**: the caller proves it.
    pub fn call_unconstrained(&mut self, function: FunctionHandle, args: &[Value]) -> Vec<Value> {
        self.push_call(function, args, false)
    }

    /// [`Self::call`] of a function with `N` outputs.
    pub fn call_array<const N: usize>(
        &mut self,
        function: FunctionHandle,
        args: &[Value],
    ) -> [Value; N] {
        let outputs = self.call(function, args);
        self.array("call", "outputs", outputs)
    }

    fn push_call(&mut self, function: FunctionHandle, args: &[Value], proven: bool) -> Vec<Value> {
        let what = if proven { "call" } else { "call_unconstrained" };
        if function.program != self.function().program {
            self.error(what, BuildErrorKind::ForeignFunction { index: function.id.0 });
        }
        self.check_count(what, "arguments", function.num_inputs(), args.len());
        let args = self.operands(what, args);
        let num_outputs = function.num_outputs;
        self.push(Op::Call { function: function.id, args, num_outputs, constrained: proven })
    }

    /// A pointer to `values` in write-once memory.
    pub fn store(&mut self, values: &[Value]) -> Value {
        if values.is_empty() {
            self.error("store", BuildErrorKind::EmptyMemory);
            return self.poison();
        }
        let values = self.operands("store", values);
        self.push(Op::Store { values })[0]
    }

    /// The `width` values behind `pointer`.
    pub fn load(&mut self, width: u32, pointer: Value) -> Vec<Value> {
        if width == 0 {
            self.error("load", BuildErrorKind::EmptyMemory);
            return Vec::new();
        }
        let pointer = self.operand("load", pointer);
        self.push(Op::Load { width, pointer })
    }

    /// [`Self::load`] of `N` values.
    pub fn load_array<const N: usize>(&mut self, pointer: Value) -> [Value; N] {
        let values = self.load(N as u32, pointer);
        self.array("load", "values", values)
    }

    fn array<const N: usize>(
        &mut self,
        what: &'static str,
        of: &'static str,
        values: Vec<Value>,
    ) -> [Value; N] {
        self.check_count(what, of, values.len(), N);
        values.try_into().unwrap_or([self.poison(); N])
    }
}

/// Io. What is read is **advice**: a claim binds inputs and outputs only.
impl Body {
    /// Index and length under `key`. Advice.
    pub fn io_get_info(&mut self, channel: Value, key: &[Value]) -> [Value; 2] {
        let channel = self.operand("io_get_info", channel);
        let key = self.operands("io_get_info", key);
        let info = self.push(Op::IoGetInfo { channel, key });
        [info[0], info[1]]
    }

    /// Names a stretch of a channel. An effect of execution only.
    pub fn io_set_info(&mut self, channel: Value, key: &[Value], index: Value, len: Value) {
        let channel = self.operand("io_set_info", channel);
        let key = self.operands("io_set_info", key);
        let (index, len) = (self.operand("io_set_info", index), self.operand("io_set_info", len));
        self.push(Op::IoSetInfo { channel, key, index, len });
    }

    /// `len` words of a channel from `index` on. Advice.
    pub fn io_read(&mut self, channel: Value, index: Value, len: u32) -> Vec<Value> {
        let (channel, index) = (self.operand("io_read", channel), self.operand("io_read", index));
        self.push(Op::IoRead { channel, index, len })
    }

    /// Appends to a channel. An effect of execution only, and not repeated by
    /// calls that are answered from memory.
    pub fn io_write(&mut self, channel: Value, values: &[Value]) {
        let channel = self.operand("io_write", channel);
        let values = self.operands("io_write", values);
        self.push(Op::IoWrite { channel, values });
    }
}

/// Byte operations. Each proves that its operands are bytes.
impl Body {
    /// Any unary byte operation.
    pub fn unary(&mut self, op: ByteOp, a: Value) -> Vec<Value> {
        if op.num_operands() != 1 {
            let expected = op.num_operands();
            self.error("unary", BuildErrorKind::ByteOperands { expected });
        }
        let a = self.operand("unary", a);
        self.push(Op::Unary(op, a))
    }

    /// Any binary byte operation.
    pub fn binary(&mut self, op: ByteOp, a: Value, b: Value) -> Vec<Value> {
        if op.num_operands() != 2 {
            let expected = op.num_operands();
            self.error("binary", BuildErrorKind::ByteOperands { expected });
        }
        let (a, b) = (self.operand("binary", a), self.operand("binary", b));
        self.push(Op::Binary(op, a, b))
    }

    /// The eight bits of `a`, least significant first.
    pub fn u8_bits(&mut self, a: Value) -> [Value; 8] {
        let bits = self.unary(ByteOp::Bits, a);
        std::array::from_fn(|i| bits[i])
    }

    /// `(a << 1) & 255`.
    pub fn u8_shift_left(&mut self, a: Value) -> Value {
        self.unary(ByteOp::ShiftLeft, a)[0]
    }

    /// `a >> 1`.
    pub fn u8_shift_right(&mut self, a: Value) -> Value {
        self.unary(ByteOp::ShiftRight, a)[0]
    }

    /// `a ^ b`.
    pub fn u8_xor(&mut self, a: Value, b: Value) -> Value {
        self.binary(ByteOp::Xor, a, b)[0]
    }

    /// `a & b`.
    pub fn u8_and(&mut self, a: Value, b: Value) -> Value {
        self.binary(ByteOp::And, a, b)[0]
    }

    /// `a | b`.
    pub fn u8_or(&mut self, a: Value, b: Value) -> Value {
        self.binary(ByteOp::Or, a, b)[0]
    }

    /// 1 if `a < b`, else 0.
    pub fn u8_less_than(&mut self, a: Value, b: Value) -> Value {
        self.binary(ByteOp::LessThan, a, b)[0]
    }

    /// Low byte and carry of `a + b`.
    pub fn u8_add(&mut self, a: Value, b: Value) -> [Value; 2] {
        self.byte_pair(ByteOp::Add, a, b)
    }

    /// Low byte and borrow of `a - b`.
    pub fn u8_sub(&mut self, a: Value, b: Value) -> [Value; 2] {
        self.byte_pair(ByteOp::Sub, a, b)
    }

    /// Low and high byte of `a · b`.
    pub fn u8_mul(&mut self, a: Value, b: Value) -> [Value; 2] {
        self.byte_pair(ByteOp::Mul, a, b)
    }

    /// `x >> 7` and `(x << 1) & 255` of `x = a ^ b`.
    pub fn u8_xor_split7(&mut self, a: Value, b: Value) -> [Value; 2] {
        self.byte_pair(ByteOp::XorSplit7, a, b)
    }

    /// `x >> 4` and `(x << 4) & 255` of `x = a ^ b`.
    pub fn u8_xor_split4(&mut self, a: Value, b: Value) -> [Value; 2] {
        self.byte_pair(ByteOp::XorSplit4, a, b)
    }

    /// Both are bytes.
    pub fn u8_range_check(&mut self, a: Value, b: Value) {
        self.binary(ByteOp::RangeCheck, a, b);
    }

    /// All are bytes, checked in pairs.
    pub fn range_check_bytes(&mut self, bytes: &[Value]) {
        for pair in bytes.chunks(2) {
            let second = if let [_, second] = pair { *second } else { self.constant(0) };
            self.u8_range_check(pair[0], second);
        }
    }

    fn byte_pair(&mut self, op: ByteOp, a: Value, b: Value) -> [Value; 2] {
        let results = self.binary(op, a, b);
        [results[0], results[1]]
    }
}

/// Words of 32 bits, hints, debugging.
impl Body {
    /// 1 if `a < b`, else 0; proves both to be below 2^32.
    pub fn u32_less_than(&mut self, a: Value, b: Value) -> Value {
        let (a, b) = (self.operand("u32_less_than", a), self.operand("u32_less_than", b));
        self.push(Op::U32LessThan(a, b))[0]
    }

    /// Little-endian packing of four bytes; **checks nothing**: of operands that are no
    /// proven bytes it is some field element.
    pub fn u32_to_field(&mut self, bytes: [Value; 4]) -> Value {
        let bytes = self.word("u32_to_field", bytes);
        self.push(Op::U32ToField(bytes))[0]
    }

    /// Four bytes and the carry of `a + b`. **Advice**: range check the bytes and
    /// pin the carry to 0 or 1; a byte check is enough, since all
    /// terms are too small to wrap around. That holds only if the operands are proven
    /// bytes, too: the carry is (sum - bytes) / 2^32 in the field.
    pub fn hint_u32_add(&mut self, a: [Value; 4], b: [Value; 4]) -> ([Value; 4], Value) {
        let words = [self.word("hint_u32_add", a), self.word("hint_u32_add", b)];
        let results = self.push(Op::HintU32Add(words));
        (std::array::from_fn(|i| results[i]), results[4])
    }

    /// Four bytes and the carry of `a + b + c`. **Advice**: range check the bytes
    /// and pin the carry to 0, 1 or 2. The operands must be proven bytes, too.
    pub fn hint_u32_add3(
        &mut self,
        a: [Value; 4],
        b: [Value; 4],
        c: [Value; 4],
    ) -> ([Value; 4], Value) {
        let words = [a, b, c].map(|word| self.word("hint_u32_add3", word));
        let results = self.push(Op::HintU32Add3(words));
        (std::array::from_fn(|i| results[i]), results[4])
    }

    /// Eight little-endian bytes of the canonical word. **Advice**.
    pub fn hint_field_to_bytes(&mut self, a: Value) -> [Value; 8] {
        let a = self.operand("hint_field_to_bytes", a);
        let bytes = self.push(Op::HintFieldToBytes(a));
        std::array::from_fn(|i| bytes[i])
    }

    /// The inverse, 0 for 0. **Advice**.
    pub fn hint_inverse(&mut self, a: Value) -> Value {
        let a = self.operand("hint_inverse", a);
        self.push(Op::HintInverse(a))[0]
    }

    /// Pointers to quotient and remainder of two lists of limbs. **Advice**.
    pub fn hint_biguint_div_rem(&mut self, a: Value, b: Value) -> [Value; 2] {
        let what = "hint_biguint_div_rem";
        let (a, b) = (self.operand(what, a), self.operand(what, b));
        let results = self.push(Op::HintBigUintDivRem(a, b));
        [results[0], results[1]]
    }

    /// Prints values while executing.
    pub fn debug(&mut self, label: &str, values: &[Value]) {
        let values = self.operands("debug", values);
        self.push(Op::Debug { label: label.to_owned(), values });
    }

    /// Says that values may be anything, so that [`crate::advice`] has nothing to say of them.
    pub fn allow(&mut self, reason: &str, values: &[Value]) {
        let values = self.operands("allow", values);
        self.push(Op::Allow { reason: reason.to_owned(), values });
    }

    fn word(&mut self, what: &'static str, bytes: [Value; 4]) -> [ValueId; 4] {
        bytes.map(|byte| self.operand(what, byte))
    }
}
