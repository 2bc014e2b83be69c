//! Records of operations as typed structs, and the values that a row program has of them.

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
    /// How many of its low bits mean something; row programs read every one of them.
    pub bits: u32,
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
    /// Declares a field; its value. `bits` is how many low bits mean something, none for all.
    pub fn field<T: FieldType>(&mut self, name: &'static str, bits: Option<u32>) -> T::Value {
        let bytes = size_of::<T>() as u32;
        self.fields.push(Field { name, bytes, bits: bits.unwrap_or(8 * bytes) });
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
#[macro_export]
macro_rules! op_record {
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
                $($crate::record::FieldType::put(self.$field, words);)*
            }
        }
    };
    (@bits) => { None };
    (@bits $bits:literal) => { Some($bits) };
}
