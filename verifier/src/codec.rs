//! The proof file.
//!
//! Layout (owned here)
//! - Everything is a *word*, eight little-endian bytes, or a 32-byte digest.
//! - Field elements are words below p; an extension element is its coefficients.
//! - A list is its length, then its items; an optional item is a list of at most
//!   one. Nothing may follow the last item.
//! - A length is admitted by the least bytes of what it counts, and no byte pays for
//!   two lists: the least size of all items that open lists still have to read is set
//!   aside. So all lists together take at most [`MEMORY_PER_BYTE`] times the file,
//!   however they are nested, before the file is found to be malformed.
//!
//! ```text
//! file       MAGIC (8 bytes) | VERSION | params (12 words) | fingerprint
//!            | list of statement | bound values | lookup witness | list of shard
//! statement  list of optional log height | main root | list of list of public
//!            | list of claim | list of boundary message
//! claim      optional rank | function | list of input | list of output
//! boundary   boundary | list of value
//! bound      of a batch of several shards only: per statement a list of coefficient
//! shard      optional stage 2 root | list of terminal | quotient root
//!            | zeta witness | opened values (rounds of matrices of points of values)
//!            | opening
//! opening    batch witness | list of fold root | list of fold witness
//!            | list of (queries of matrices of values, list of digest)
//!            | list of (queries of siblings, list of digest)
//!            | list of final coefficient | query witness
//! ```

use thiserror::Error;
use traceloom_air::claim::{BoundaryMessage, Claim, RankedClaim};
use traceloom_air::field::{element, is_canonical, word};

use crate::params::Params;
use crate::proof::{
    OpenedRows, OpenedSiblings, OpenedValues, Opening, Proof, ShardProof, ShardStatement, Shards,
};
use crate::scheme::{Cubic, Extension, F, Quadratic, Root};

/// First bytes of a proof file.
pub const MAGIC: &[u8; 8] = b"trloomPF";
/// Version of the format; others are refused.
pub const VERSION: u64 = 2;
/// No proof file is longer. Readers of files refuse one unread.
pub const MAX_BYTES: usize = 1 << 30;
/// Bytes of memory that the items of a proof take, at most, per byte of its file.
pub const MEMORY_PER_BYTE: usize = 3;

impl Proof {
    /// The proof as a file.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        out.extend_from_slice(MAGIC);
        put_word(&mut out, VERSION);
        for parameter in self.params.words() {
            put_word(&mut out, parameter);
        }
        self.fingerprint.put(&mut out);
        self.statements.put(&mut out);
        if self.statements.len() > 1 {
            self.statements.iter().for_each(|statement| statement.bound.put(&mut out));
        }
        self.lookup_witness.put(&mut out);
        match &self.shards {
            Shards::Quadratic(shards) => shards.put(&mut out),
            Shards::Cubic(shards) => shards.put(&mut out),
        }
        out
    }

    /// Reads a file. `decode(encode(x)) = x`, and no other bytes give x.
    ///
    /// # Errors
    /// [`DecodeError`] with the offset and the field that cannot be read.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut input = Reader { bytes, offset: 0, promised: 0, field: "magic" };
        if input.take(8)? != MAGIC {
            return Err(input.fail_at(0, DecodeErrorKind::Magic));
        }
        if bytes.len() > MAX_BYTES {
            return Err(input.fail(DecodeErrorKind::Size(bytes.len())));
        }
        input.field = "version";
        let version = input.word()?;
        if version != VERSION {
            return Err(input.fail_at(8, DecodeErrorKind::Version(version)));
        }
        input.field = "parameters";
        let mut words = [0; 12];
        for word in &mut words {
            *word = input.word()?;
        }
        let params = Params::from_words(words)
            .filter(|params| params.check().is_ok())
            .ok_or_else(|| input.fail(DecodeErrorKind::Parameters))?;
        input.field = "fingerprint";
        let fingerprint = Root::get(&mut input)?;
        let mut statements: Vec<ShardStatement> = Vec::get(&mut input)?;
        input.bound_values(&mut statements)?;
        input.field = "lookup witness";
        let lookup_witness = F::get(&mut input)?;
        input.field = "shards";
        let shards = if params.extension_degree == 2 {
            Shards::Quadratic(Vec::get(&mut input)?)
        } else {
            Shards::Cubic(Vec::get(&mut input)?)
        };
        if input.offset != bytes.len() {
            input.field = "end of file";
            return Err(input.fail(DecodeErrorKind::Trailing(bytes.len() - input.offset)));
        }
        Ok(Self { params, fingerprint, statements, lookup_witness, shards })
    }
}

impl Shards {
    /// Shards alone, for whoever keeps them before the proof is whole: the degree of their
    /// field, and the list as a proof file has it.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        put_word(&mut out, self.extension_degree() as u64);
        match self {
            Self::Quadratic(shards) => shards.put(&mut out),
            Self::Cubic(shards) => shards.put(&mut out),
        }
        out
    }

    /// Reads them back; no other bytes give the same shards.
    ///
    /// # Errors
    /// [`DecodeError`] with the offset and the field that cannot be read.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut input = Reader { bytes, offset: 0, promised: 0, field: "extension degree" };
        let degree = input.word()?;
        let shards = match degree {
            2 => Self::Quadratic(Vec::get(&mut input)?),
            3 => Self::Cubic(Vec::get(&mut input)?),
            _ => return Err(input.fail_at(0, DecodeErrorKind::Number(degree))),
        };
        if input.offset != bytes.len() {
            return Err(input.fail(DecodeErrorKind::Trailing(bytes.len() - input.offset)));
        }
        Ok(shards)
    }
}

/// Why bytes are not a proof file: whoever wrote them is at fault.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("proof file, byte {offset}, {field}: {kind}")]
pub struct DecodeError {
    /// Where reading stopped.
    pub offset: usize,
    /// What was being read.
    pub field: &'static str,
    /// What is wrong there.
    pub kind: DecodeErrorKind,
}

/// What is wrong with a proof file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DecodeErrorKind {
    /// Not a proof file at all.
    #[error("this is not a traceloom proof")]
    Magic,
    /// Longer than any proof.
    #[error("{0} bytes are more than the {MAX_BYTES} that a proof may have")]
    Size(usize),
    /// Another version.
    #[error("version {0} is not supported, only version {VERSION}; make the proof again")]
    Version(u64),
    /// Parameters outside their ranges.
    #[error("parameters out of range")]
    Parameters,
    /// The file ends too early.
    #[error("the file ends here, {0} more bytes are needed")]
    End(usize),
    /// More items than bytes are left for, beside what the lists around it promise.
    #[error("a list of {0} items does not fit the rest of the file")]
    Length(u64),
    /// A list with more items than the field can have.
    #[error("at most {max} items, got {got}")]
    TooMany {
        /// The largest number.
        max: usize,
        /// The number in the file.
        got: usize,
    },
    /// A word that is not below p.
    #[error("{0} is not a canonical field element")]
    NonCanonical(u64),
    /// A number that is out of range.
    #[error("{0} is out of range")]
    Number(u64),
    /// Bytes behind the end.
    #[error("{0} bytes follow the proof")]
    Trailing(usize),
}

struct Reader<'a> {
    bytes: &'a [u8],
    offset: usize,
    /// Least bytes of all that the open lists and structs still have to read.
    promised: usize,
    field: &'static str,
}

impl<'a> Reader<'a> {
    fn remaining(&self) -> usize {
        self.bytes.len() - self.offset
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], DecodeError> {
        let Some(bytes) = self.bytes[self.offset..].get(..count) else {
            return Err(self.fail(DecodeErrorKind::End(count - self.remaining())));
        };
        self.offset += count;
        Ok(bytes)
    }

    /// Bytes that are left and belong to nothing yet.
    fn free(&self) -> usize {
        self.remaining().saturating_sub(self.promised)
    }

    /// Reads an item whose least bytes were promised.
    fn item<T: Codec>(&mut self) -> Result<T, DecodeError> {
        self.promised = self.promised.saturating_sub(T::MIN_SIZE);
        T::get(self)
    }

    /// Reads the values that bind the shards of a batch of several.
    fn bound_values(&mut self, statements: &mut [ShardStatement]) -> Result<(), DecodeError> {
        if statements.len() < 2 {
            return Ok(());
        }
        self.field = "bound values";
        self.promised += statements.len() * Vec::<F>::MIN_SIZE;
        for statement in statements {
            statement.bound = self.item()?;
        }
        Ok(())
    }

    fn word(&mut self) -> Result<u64, DecodeError> {
        let bytes = self.take(8)?;
        Ok(u64::from_le_bytes(bytes.try_into().expect("eight bytes were taken")))
    }

    fn fail(&self, kind: DecodeErrorKind) -> DecodeError {
        self.fail_at(self.offset, kind)
    }

    fn fail_at(&self, offset: usize, kind: DecodeErrorKind) -> DecodeError {
        DecodeError { offset, field: self.field, kind }
    }
}

/// A part of the file.
trait Codec: Sized {
    /// The length of the shortest item, in bytes.
    const MIN_SIZE: usize;

    fn put(&self, out: &mut Vec<u8>);

    fn get(input: &mut Reader<'_>) -> Result<Self, DecodeError>;
}

fn put_word(out: &mut Vec<u8>, word: u64) {
    out.extend_from_slice(&word.to_le_bytes());
}

impl Codec for F {
    const MIN_SIZE: usize = 8;

    fn put(&self, out: &mut Vec<u8>) {
        put_word(out, word(*self));
    }

    fn get(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let start = input.offset;
        let word = input.word()?;
        if !is_canonical(word) {
            return Err(input.fail_at(start, DecodeErrorKind::NonCanonical(word)));
        }
        Ok(element(word))
    }
}

fn put_extension<E: Extension>(value: &E, out: &mut Vec<u8>) {
    let coefficients: &[F] = value.as_basis_coefficients_slice();
    coefficients.iter().for_each(|coefficient| coefficient.put(out));
}

fn get_extension<E: Extension>(input: &mut Reader<'_>) -> Result<E, DecodeError> {
    let coefficients: Result<Vec<F>, _> = (0..E::DEGREE).map(|_| F::get(input)).collect();
    Ok(E::from_basis_coefficients_slice(&coefficients?).expect("DEGREE coefficients were read"))
}

impl Codec for Quadratic {
    const MIN_SIZE: usize = 16;

    fn put(&self, out: &mut Vec<u8>) {
        put_extension(self, out);
    }

    fn get(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
        get_extension(input)
    }
}

impl Codec for Cubic {
    const MIN_SIZE: usize = 24;

    fn put(&self, out: &mut Vec<u8>) {
        put_extension(self, out);
    }

    fn get(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
        get_extension(input)
    }
}

impl Codec for Root {
    const MIN_SIZE: usize = 32;

    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self);
    }

    fn get(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(input.take(32)?.try_into().expect("32 bytes were taken"))
    }
}

/// Functions and ranks.
impl Codec for u32 {
    const MIN_SIZE: usize = 8;

    fn put(&self, out: &mut Vec<u8>) {
        put_word(out, u64::from(*self));
    }

    fn get(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let start = input.offset;
        let word = input.word()?;
        Self::try_from(word).map_err(|_| input.fail_at(start, DecodeErrorKind::Number(word)))
    }
}

/// Log heights.
impl Codec for usize {
    const MIN_SIZE: usize = 8;

    fn put(&self, out: &mut Vec<u8>) {
        put_word(out, *self as u64);
    }

    fn get(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(u32::get(input)? as Self)
    }
}

impl<T: Codec> Codec for Vec<T> {
    const MIN_SIZE: usize = 8;

    fn put(&self, out: &mut Vec<u8>) {
        put_word(out, self.len() as u64);
        self.iter().for_each(|item| item.put(out));
    }

    fn get(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
        const { assert!(size_of::<T>() <= MEMORY_PER_BYTE * T::MIN_SIZE, "a list is too dear") };
        let start = input.offset;
        let length = input.word()?;
        let most = input.free() / T::MIN_SIZE;
        let count = usize::try_from(length).ok().filter(|&count| count <= most);
        let Some(count) = count else {
            return Err(input.fail_at(start, DecodeErrorKind::Length(length)));
        };
        input.promised += count * T::MIN_SIZE;
        let mut items = Self::with_capacity(count);
        for _ in 0..count {
            items.push(input.item()?);
        }
        Ok(items)
    }
}

impl<T: Codec> Codec for Option<T> {
    const MIN_SIZE: usize = 8;

    fn put(&self, out: &mut Vec<u8>) {
        put_word(out, u64::from(self.is_some()));
        self.iter().for_each(|item| item.put(out));
    }

    fn get(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let start = input.offset;
        match input.word()? {
            0 => Ok(None),
            1 => Ok(Some(T::get(input)?)),
            more => {
                let got = usize::try_from(more).unwrap_or(usize::MAX);
                Err(input.fail_at(start, DecodeErrorKind::TooMany { max: 1, got }))
            }
        }
    }
}

/// Implements [`Codec`] for a struct: its fields in the order given here, but for one that
/// the file has elsewhere.
macro_rules! fields {
    (
        $type:ident $(<$parameter:ident>)?,
        $($field:ident: $of:ty, $name:literal;)+
        $(..$elsewhere:ident: $empty:expr;)?
    ) => {
        impl $(<$parameter: Codec>)? Codec for $type $(<$parameter>)? {
            const MIN_SIZE: usize = 0 $(+ <$of as Codec>::MIN_SIZE)+;

            fn put(&self, out: &mut Vec<u8>) {
                $(self.$field.put(out);)+
            }

            fn get(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
                input.promised += Self::MIN_SIZE;
                $(
                    input.field = $name;
                    let $field = input.item::<$of>()?;
                )+
                Ok(Self { $($field,)+ $($elsewhere: $empty)? })
            }
        }
    };
}

fields!(ShardStatement,
    log_heights: Vec<Option<usize>>, "log heights";
    main: Root, "main root";
    publics: Vec<Vec<F>>, "public values";
    claims: Vec<RankedClaim>, "claims";
    boundary: Vec<BoundaryMessage>, "boundary messages";
    ..bound: vec![];
);
fields!(BoundaryMessage,
    boundary: u32, "boundary";
    values: Vec<F>, "boundary values";
);
fields!(RankedClaim,
    rank: Option<u32>, "claim rank";
    claim: Claim, "claim function";
);
fields!(Claim,
    function: u32, "claim function";
    inputs: Vec<F>, "claim inputs";
    outputs: Vec<F>, "claim outputs";
);
fields!(ShardProof<E>,
    stage_two: Option<Root>, "stage 2 root";
    terminals: Vec<E>, "terminals";
    quotient: Root, "quotient root";
    zeta_witness: F, "zeta witness";
    opened: OpenedValues<E>, "opened values";
    opening: Opening<E>, "opening";
);
fields!(Opening<E>,
    batch_witness: F, "batch witness";
    fold_roots: Vec<Root>, "fold roots";
    fold_witnesses: Vec<F>, "fold witnesses";
    inputs: Vec<OpenedRows<F>>, "opened rows";
    folds: Vec<OpenedSiblings<E>>, "opened siblings";
    final_poly: Vec<E>, "final polynomial";
    query_witness: F, "query witness";
);
fields!(OpenedRows<T>,
    rows: Vec<Vec<Vec<T>>>, "opened rows";
    path: Vec<Root>, "opened rows, path";
);
fields!(OpenedSiblings<E>,
    siblings: Vec<Vec<E>>, "opened siblings";
    path: Vec<Root>, "opened siblings, path";
);
