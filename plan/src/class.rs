//! How writers hold a value.
//!
//! Bounds decide the class. A value below 2^32 is an integer of 32 bits, another integer below
//! p is an integer of 64 bits, and everything else is a field element. All three represent the
//! same canonical word, so conversions compute nothing. A target without 32-bit integers treats
//! both kinds of integers in the same way: [`Value::is_integer`].

use crate::value::Value;

/// The class of a value in the encoding of its plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// An integer below 2^32.
    U32,
    /// An integer below p.
    U64,
    /// A field element.
    Field,
}

impl Class {
    /// The class of `value`.
    #[must_use]
    pub fn of(value: &Value) -> Self {
        match value.bound {
            bound if bound <= 1 << 32 => Self::U32,
            _ if value.is_integer() => Self::U64,
            _ => Self::Field,
        }
    }
}
