//! A proof file, section 8: bytes to lists, with nothing accepted twice.

use crate::field::{Ext, P};

/// A 32-byte digest.
pub type Digest = [u8; 32];
/// By query, by matrix: a row.
pub type Rows = Vec<Vec<Vec<u64>>>;
/// By query the siblings, and the pruned path.
pub type Fold<const D: usize> = (Vec<Vec<Ext<D>>>, Vec<Digest>);

/// A decoded proof.
#[derive(Debug)]
pub struct Proof<const D: usize> {
    /// The twelve parameters.
    pub params: [u64; 12],
    /// Fingerprint of the program.
    pub fingerprint: Digest,
    /// By shard.
    pub statements: Vec<Statement>,
    /// Witness of the grind in front of beta and gamma.
    pub lookup_witness: u64,
    /// By shard.
    pub shards: Vec<Shard<D>>,
    /// Where the parts of the file start, for tests that change them.
    pub sections: Vec<(&'static str, usize)>,
}

/// What a shard says before the lookup challenges.
#[derive(Debug)]
pub struct Statement {
    /// By circuit: its log height, if it is active.
    pub log_heights: Vec<Option<u64>>,
    /// Commitment of the main columns.
    pub main_root: Digest,
    /// By circuit.
    pub publics: Vec<Vec<u64>>,
    /// The claims that this shard states.
    pub claims: Vec<ProofClaim>,
    /// Its boundary messages: which boundary, and the values.
    pub boundary: Vec<(u64, Vec<u64>)>,
    /// In a batch of several shards, the coefficients of the values that bind this one.
    pub bound: Vec<u64>,
}

/// A claim with its rank.
#[derive(Debug)]
pub struct ProofClaim {
    /// Rank of the query that answers it.
    pub rank: Option<u64>,
    /// Function index.
    pub function: u64,
    /// Inputs.
    pub inputs: Vec<u64>,
    /// Outputs.
    pub outputs: Vec<u64>,
}

/// What a shard says after the lookup challenges.
#[derive(Debug)]
pub struct Shard<const D: usize> {
    /// Commitment of stage 2.
    pub stage_two_root: Option<Digest>,
    /// By active circuit.
    pub terminals: Vec<Ext<D>>,
    /// Commitment of the quotient slices.
    pub quotient_root: Digest,
    /// Witness of the grind in front of zeta.
    pub zeta_witness: u64,
    /// By round, matrix, point, column.
    pub opened: Vec<Vec<Vec<Vec<Ext<D>>>>>,
    /// The opening proof.
    pub opening: Opening<D>,
}

/// The opening proof of a shard.
#[derive(Debug)]
pub struct Opening<const D: usize> {
    /// Witness of the grind in front of the batching challenge.
    pub batch_witness: u64,
    /// By fold.
    pub fold_roots: Vec<Digest>,
    /// By fold.
    pub fold_witnesses: Vec<u64>,
    /// By round: the rows, and the pruned path.
    pub rounds: Vec<(Rows, Vec<Digest>)>,
    /// By fold: by query the siblings, and the pruned path.
    pub folds: Vec<Fold<D>>,
    /// The last polynomial, a constant.
    pub final_poly: Vec<Ext<D>>,
    /// Witness of the grind in front of the queries.
    pub query_witness: u64,
}

/// The file does not decode.
#[derive(Debug, PartialEq, Eq)]
pub struct Malformed(pub &'static str);

type Decoded<T> = Result<T, Malformed>;

impl<const D: usize> Proof<D> {
    /// Decodes a file.
    pub fn decode(bytes: &[u8]) -> Decoded<Self> {
        let mut reader = Reader { len: bytes.len(), rest: bytes, sections: Vec::new() };
        reader.section("magic");
        if reader.take(8)? != b"trloomPF" {
            return Err(Malformed("magic"));
        }
        reader.section("version");
        if reader.number()? != 2 {
            return Err(Malformed("version"));
        }
        reader.section("parameters");
        let mut params = [0; 12];
        for param in &mut params {
            *param = reader.number()?;
        }
        if params[0] != D as u64 {
            return Err(Malformed("extension degree"));
        }
        reader.section("fingerprint");
        let fingerprint = reader.digest()?;
        reader.section("statements");
        let mut statements = reader.list(32, Reader::statement)?;
        if statements.len() > 1 {
            for statement in &mut statements {
                statement.bound = reader.part("bound values", Reader::elements)?;
            }
        }
        reader.section("lookup witness");
        let lookup_witness = reader.element()?;
        reader.section("shards");
        let shards = reader.list(32, Reader::shard)?;
        if !reader.rest.is_empty() {
            return Err(Malformed("trailing bytes"));
        }
        let sections = reader.sections;
        Ok(Self { params, fingerprint, statements, lookup_witness, shards, sections })
    }
}

struct Reader<'a> {
    len: usize,
    rest: &'a [u8],
    sections: Vec<(&'static str, usize)>,
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Decoded<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(Malformed("cut short"))?;
        self.rest = rest;
        Ok(taken)
    }

    fn section(&mut self, name: &'static str) {
        self.sections.push((name, self.len - self.rest.len()));
    }

    /// Reads a named part.
    fn part<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&mut Self) -> Decoded<T>,
    ) -> Decoded<T> {
        self.section(name);
        read(self)
    }

    fn number(&mut self) -> Decoded<u64> {
        let bytes = self.take(8)?.try_into().expect("eight bytes were taken");
        Ok(u64::from_le_bytes(bytes))
    }

    fn element(&mut self) -> Decoded<u64> {
        let word = self.number()?;
        if word < P { Ok(word) } else { Err(Malformed("not canonical")) }
    }

    fn ext<const D: usize>(&mut self) -> Decoded<Ext<D>> {
        let mut coefficients = [0; D];
        for coefficient in &mut coefficients {
            *coefficient = self.element()?;
        }
        Ok(Ext(coefficients))
    }

    fn digest(&mut self) -> Decoded<Digest> {
        Ok(self.take(32)?.try_into().expect("32 bytes were taken"))
    }

    /// A list whose items take at least `least` bytes each.
    fn list<T>(&mut self, least: usize, item: fn(&mut Self) -> Decoded<T>) -> Decoded<Vec<T>> {
        let count = self.number()?;
        if count > (self.rest.len() / least) as u64 {
            return Err(Malformed("list too long"));
        }
        (0..count).map(|_| item(self)).collect()
    }

    fn optional<T>(
        &mut self,
        least: usize,
        item: fn(&mut Self) -> Decoded<T>,
    ) -> Decoded<Option<T>> {
        let mut items = self.list(least, item)?;
        if items.len() > 1 { Err(Malformed("two of an optional item")) } else { Ok(items.pop()) }
    }

    fn elements(&mut self) -> Decoded<Vec<u64>> {
        self.list(8, Self::element)
    }

    fn statement(&mut self) -> Decoded<Statement> {
        let log_height = |reader: &mut Self| reader.optional(8, Self::number);
        Ok(Statement {
            log_heights: self.part("log heights", |r| r.list(8, log_height))?,
            main_root: self.part("main root", Self::digest)?,
            publics: self.part("public values", |r| r.list(8, Self::elements))?,
            claims: self.part("claims", |r| r.list(32, Self::claim))?,
            boundary: self.part("boundary messages", |r| {
                r.list(16, |message| Ok((message.number()?, message.elements()?)))
            })?,
            bound: vec![],
        })
    }

    fn claim(&mut self) -> Decoded<ProofClaim> {
        Ok(ProofClaim {
            rank: self.part("rank", |r| r.optional(8, Self::number))?,
            function: self.part("function", Self::number)?,
            inputs: self.part("inputs", Self::elements)?,
            outputs: self.part("outputs", Self::elements)?,
        })
    }

    fn shard<const D: usize>(&mut self) -> Decoded<Shard<D>> {
        Ok(Shard {
            stage_two_root: self.part("stage 2 root", |r| r.optional(32, Self::digest))?,
            terminals: self.part("terminals", |r| r.list(8 * D, Self::ext))?,
            quotient_root: self.part("quotient root", Self::digest)?,
            zeta_witness: self.part("zeta witness", Self::element)?,
            opened: self.part("opened values", |r| {
                r.list(8, |round| {
                    round.list(8, |matrix| matrix.list(8, |point| point.list(8 * D, Self::ext)))
                })
            })?,
            opening: self.opening()?,
        })
    }

    fn opening<const D: usize>(&mut self) -> Decoded<Opening<D>> {
        Ok(Opening {
            batch_witness: self.part("batch witness", Self::element)?,
            fold_roots: self.part("fold roots", |r| r.list(32, Self::digest))?,
            fold_witnesses: self.part("fold witnesses", Self::elements)?,
            rounds: self.part("rounds", |r| r.list(16, Self::round))?,
            folds: self.part("folds", |r| r.list(16, Self::fold))?,
            final_poly: self.part("final polynomial", |r| r.list(8 * D, Self::ext))?,
            query_witness: self.part("query witness", Self::element)?,
        })
    }

    fn round(&mut self) -> Decoded<(Rows, Vec<Digest>)> {
        let rows = self.part("rows", |r| r.list(8, |query| query.list(8, Self::elements)))?;
        Ok((rows, self.part("path of rows", |r| r.list(32, Self::digest))?))
    }

    fn fold<const D: usize>(&mut self) -> Decoded<Fold<D>> {
        let siblings =
            self.part("siblings", |r| r.list(8, |query| query.list(8 * D, Self::ext)))?;
        Ok((siblings, self.part("path of siblings", |r| r.list(32, Self::digest))?))
    }
}
