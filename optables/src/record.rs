//! Records of operations as typed structs, and the values that a row program has of them.

use std::collections::HashMap;
use std::hash::Hash;

use traceloom_abi::ops::OpRecords;

use crate::row::{Int, Long};

/// A type of record, made by [`op_record!`](crate::op_record).
pub trait OpRecord {
    /// The values of its fields in a row program.
    type Fields;

    /// Declares the fields in order.
    fn declare(declare: &mut Declare<'_>) -> Self::Fields;

    /// Appends the words of this record, those of the fields in order.
    fn put(&self, words: &mut Vec<u32>);
}

/// A field of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Name.
    pub name: &'static str,
    /// Bytes of its type: 1, 2, 4 or 8.
    pub bytes: u32,
    /// Which of its bits mean something; row programs read every one of them.
    pub mask: u64,
}

impl Field {
    /// Number of words in a record: two of a field of eight bytes.
    #[must_use]
    pub fn num_words(&self) -> usize {
        if self.bytes == 8 { 2 } else { 1 }
    }

    /// Exclusive upper bound of each of its words.
    #[must_use]
    pub fn word_bound(&self) -> u64 {
        1 << (8 * self.bytes.min(4))
    }
}

/// Takes declarations of fields.
#[allow(missing_debug_implementations)]
pub struct Declare<'a> {
    pub(crate) fields: &'a mut Vec<Field>,
    pub(crate) words: &'a mut dyn Iterator<Item = Int>,
}

impl Declare<'_> {
    /// Declares a field; its value. `mask` has the bits that mean something, none for all.
    pub fn field<T: FieldType>(&mut self, name: &'static str, mask: Option<u64>) -> T::Value {
        let bytes = size_of::<T>() as u32;
        let all = u64::MAX >> (64 - 8 * bytes);
        self.fields.push(Field { name, bytes, mask: mask.unwrap_or(all) });
        T::value(self.words)
    }
}

/// A type of a field: u8, u16, u32 or u64.
pub trait FieldType: Copy {
    /// Its value in a row program.
    type Value;

    /// Takes the value of the next words.
    fn value(words: &mut dyn Iterator<Item = Int>) -> Self::Value;

    /// Appends its words.
    fn put(self, words: &mut Vec<u32>);
}

/// The words of a record are counted before its fields take them.
fn next(words: &mut dyn Iterator<Item = Int>) -> Int {
    words.next().expect("a record has the words of its fields")
}

macro_rules! short_field {
    ($($ty:ty)*) => {$(
        impl FieldType for $ty {
            type Value = Int;

            fn value(words: &mut dyn Iterator<Item = Int>) -> Int {
                next(words)
            }

            fn put(self, words: &mut Vec<u32>) {
                words.push(self.into());
            }
        }
    )*};
}

short_field!(u8 u16 u32);

impl FieldType for u64 {
    type Value = Long;

    fn value(words: &mut dyn Iterator<Item = Int>) -> Long {
        let low = next(words);
        Long { low, high: next(words) }
    }

    fn put(self, words: &mut Vec<u32>) {
        words.extend([self as u32, (self >> 32) as u32]);
    }
}

/// The fields of a type of record. Values are dummies: they number words that no program has.
#[must_use]
pub fn fields_of<R: OpRecord>() -> Vec<Field> {
    let mut fields = Vec::new();
    let mut dummies = (0..).map(Int::number);
    R::declare(&mut Declare { fields: &mut fields, words: &mut dummies });
    fields
}

/// An empty list of records of this type.
#[must_use]
pub fn records_of<R: OpRecord>() -> OpRecords {
    OpRecords::new(fields_of::<R>().iter().map(Field::num_words).sum())
}

/// A record that stands for several equal ones, so many as `count` says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted<R, N = u32> {
    /// The record.
    pub op: R,
    /// How many.
    pub count: N,
}

/// Values of the fields of [`Counted`].
#[derive(Clone, Copy, Debug)]
pub struct CountedFields<F> {
    /// Those of the record.
    pub op: F,
    /// How many.
    pub count: Int,
}

impl<R: OpRecord, N: FieldType<Value = Int>> OpRecord for Counted<R, N> {
    type Fields = CountedFields<R::Fields>;

    fn declare(declare: &mut Declare<'_>) -> Self::Fields {
        let op = R::declare(declare);
        CountedFields { op, count: declare.field::<N>("count", None) }
    }

    fn put(&self, words: &mut Vec<u32>) {
        self.op.put(words);
        self.count.put(words);
    }
}

/// Equal records as one, in the order of the first of each; no count is more than `most`.
pub fn merged<R: Copy + Eq + Hash>(
    records: impl IntoIterator<Item = R>,
    most: u32,
) -> Vec<Counted<R>> {
    let mut merged: Vec<Counted<R>> = Vec::new();
    let mut places: HashMap<R, usize> = HashMap::new();
    for op in records {
        match places.get(&op) {
            Some(&place) if merged[place].count < most => merged[place].count += 1,
            _ => {
                places.insert(op, merged.len());
                merged.push(Counted { op, count: 1 });
            }
        }
    }
    merged
}

/// A record without fields: the scalars of a padding program that needs none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoScalars;

impl OpRecord for NoScalars {
    type Fields = ();

    fn declare(_: &mut Declare<'_>) {}

    fn put(&self, _: &mut Vec<u32>) {}
}

/// Declares a type of record, and beside it the type of its values in a row program:
///
/// ```
/// traceloom_optables::op_record! {
///     /// A sum.
///     pub struct SumOp as SumFields {
///         /// One operand.
///         a: u64,
///         /// Bit 0: whether the sum is signed. Nothing else means anything.
///         flags: u8[1],
///     }
/// }
/// let op = SumOp { a: 7, flags: 1 };
/// ```
///
/// In brackets are the bits of a field that mean something. Without `pub struct`, the type of
/// record is one that exists, and all of its fields are named again in any order.
#[macro_export]
macro_rules! op_record {
    (@impl $record:ty as $fields:ident { $($field:ident: $ty:ident $([$bits:literal])?,)* }) => {
        impl $crate::record::OpRecord for $record {
            type Fields = $fields;

            fn declare(declare: &mut $crate::record::Declare<'_>) -> $fields {
                $fields {
                    $($field: declare.field::<$ty>(
                        stringify!($field),
                        $crate::op_record!(@bits $($bits)?),
                    ),)*
                }
            }

            #[inline]
            fn put(&self, words: &mut Vec<u32>) {
                let &Self { $($field,)* } = self;
                $(<$ty as $crate::record::FieldType>::put($field, words);)*
            }
        }
    };
    ($(#[$doc:meta])* pub struct $record:ident as $fields:ident {
        $($(#[$field_doc:meta])* $field:ident: $ty:ident $([$bits:literal])?,)*
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $record {
            $($(#[$field_doc])* pub $field: $ty,)*
        }

        #[doc = concat!("Values of the fields of [`", stringify!($record), "`].")]
        #[derive(Clone, Copy, Debug)]
        pub struct $fields {
            $($(#[$field_doc])* pub $field: <$ty as $crate::record::FieldType>::Value,)*
        }

        $crate::op_record!(@impl $record as $fields { $($field: $ty $([$bits])?,)* });
    };
    ($(#[$doc:meta])* $record:ty as $fields:ident {
        $($field:ident: $ty:ident $([$bits:literal])?,)*
    }) => {
        $(#[$doc])*
        #[allow(missing_docs)]
        #[derive(Clone, Copy, Debug)]
        pub struct $fields {
            $(pub $field: <$ty as $crate::record::FieldType>::Value,)*
        }

        $crate::op_record!(@impl $record as $fields { $($field: $ty $([$bits])?,)* });
    };
    (@bits) => { None };
    (@bits $bits:literal) => { Some($bits) };
}
